//! Candidates about cells of arrays, where their index is between two numbers.

use std::collections::BTreeSet;

use crate::c::Program;

use super::bound::Bound;
use super::candidates::{intervals, seen};
use super::facts::Part;
use super::hull::Hull;
use super::scope::{Scope, length};

/// The most ranges of indices at one place.
const RANGES: usize = 24;

/// More numbers are not compared with cells.
const COMPARED: usize = 10;

/// What holds of cells whose index is in a range, as far as was seen. The index is the number at `index`, cells come after it.
pub(super) fn under_indices(
    (program, scope): (&Program, &Scope<'_>),
    (index, count): (usize, usize),
    constants: &[i128],
    values: &[Vec<i128>],
) -> Vec<Part> {
    let lengths: BTreeSet<u64> = scope.watched().arrays.iter().filter_map(|&array| length(program, array)).collect();
    let Some(most) = lengths.last().map(|&length| i128::from(length)) else { return Vec::new() };
    let inside = |&at: &usize| !values.is_empty() && values.iter().all(|values| (-2..=most + 1).contains(&values[at]));
    let borders: Vec<usize> = (0..index).filter(inside).take(COMPARED).collect();
    let mut parts = Vec::new();
    for when in ranges(index, &borders, &lengths) {
        let some: Vec<Vec<i128>> =
            values.iter().filter(|values| when.iter().all(|one| one.holds(values))).cloned().collect();
        if some.is_empty() {
            continue;
        }
        let cells: Vec<usize> = (index + 1..count).collect();
        let mut bounds = intervals(&cells, constants);
        let others: Vec<usize> = (0..index.min(COMPARED)).chain(index..count).collect();
        for &cell in &cells {
            for &other in others.iter().filter(|&&other| other != cell) {
                bounds.extend(
                    [-1, 0].into_iter().flat_map(|by| [Bound::apart(cell, other, by), Bound::apart(other, cell, by)]),
                );
            }
        }
        // That a cell is not a number: where it is at most that, it is less.
        for &cell in &cells {
            for &other in others.iter().filter(|&&other| other < index) {
                if some.iter().all(|values| values[cell] != values[other]) {
                    let when = [&when[..], &[Bound::apart(cell, other, 0)]].concat();
                    parts.push(Part { when, bounds: vec![Bound::apart(cell, other, -1)], ..Part::default() });
                }
            }
        }
        let hull = Hull::spanned(&some);
        parts.push(Part { bounds: seen(bounds, &some), hull, when, congruences: Vec::new() });
    }
    parts
}

/// That an index is between 0 or a number, and a number or a length.
fn ranges(index: usize, borders: &[usize], lengths: &BTreeSet<u64>) -> Vec<Vec<Bound>> {
    let from_zero = Bound::below(index, 0);
    let before = |border: usize| Bound::apart(index, border, -1);
    let from = |border: usize| Bound::apart(border, index, 0);
    let ends: Vec<Bound> = lengths.iter().map(|&length| Bound::above(index, i128::from(length) - 1)).collect();
    let mut all: Vec<Vec<Bound>> = borders.iter().map(|&border| vec![from_zero.clone(), before(border)]).collect();
    all.extend(ends.iter().map(|end| vec![from_zero.clone(), end.clone()]));
    for &border in borders {
        all.push(vec![from_zero.clone(), Bound::apart(index, border, 0)]);
        all.extend(ends.iter().map(|end| vec![from(border), end.clone()]));
    }
    for &first in borders {
        let others = borders.iter().filter(|&&last| last != first);
        all.extend(others.map(|&last| vec![from(first), before(last)]));
    }
    all.truncate(RANGES);
    all
}
