//! Candidates for bounds: sums of one or two numbers, with the constants of the program.

use std::collections::{BTreeMap, BTreeSet};

use crate::c::Program;
use crate::c::expression::{Expression, ExpressionKind};

use super::bound::{Bound, sum};

/// Constants of a program that are bounds, those next to 0 first.
const CONSTANTS: usize = 16;

/// Where there are more numbers than that, they are not compared with each other.
const COMPARED: usize = 12;

/// Bounds of one sum that are tried at once: the least ones that hold of all that was seen.
const THRESHOLDS: usize = 4;

/// 0, what the program is written with, and what is next to those: `x < c` is a bound by the constant before.
pub(in super::super) fn constants(program: &Program) -> Vec<i128> {
    let mut all: BTreeSet<(u128, i128)> = BTreeSet::new();
    for Expression { kind, ty } in program.terms.expressions() {
        let (ExpressionKind::Constant(bits), Some(integer)) = (kind, program.types.as_integer(*ty)) else { continue };
        let number = integer.number(*bits);
        all.insert((number.unsigned_abs(), number));
    }
    let near = |number: i128| [-1, 0, 1].into_iter().filter_map(move |by| number.checked_add(by));
    let some = all.into_iter().take(CONSTANTS).map(|(_, number)| number).chain([0]).flat_map(near);
    some.collect::<BTreeSet<i128>>().into_iter().collect()
}

/// Those of so many numbers that are not always the same as one before them, as far as was seen: about the others equations say enough.
pub(super) fn distinct(count: usize, values: &[Vec<i128>]) -> Vec<usize> {
    let same = |a: usize, b: usize| !values.is_empty() && values.iter().all(|values| values[a] == values[b]);
    (0..count).filter(|&at| !(0..at).any(|before| same(before, at))).collect()
}

/// Numbers against constants.
pub(super) fn intervals(numbers: &[usize], constants: &[i128]) -> Vec<Bound> {
    let bounds = |&at: &usize| constants.iter().flat_map(move |&by| [Bound::above(at, by), Bound::below(at, by)]);
    numbers.iter().flat_map(bounds).collect()
}

/// Numbers against each other: which is less, and by one.
pub(super) fn orders(numbers: &[usize]) -> Vec<Bound> {
    let mut all = Vec::new();
    if numbers.len() <= COMPARED {
        for &less in numbers {
            for &more in numbers.iter().filter(|&&more| more != less) {
                all.extend([-1, 0, 1].map(|by| Bound::apart(less, more, by)));
            }
        }
    }
    all
}

/// Sums and differences of two numbers against constants.
pub(super) fn octagons(numbers: &[usize], constants: &[i128]) -> Vec<Bound> {
    let mut all = Vec::new();
    if numbers.len() <= COMPARED {
        for (at, &first) in numbers.iter().enumerate() {
            for &second in &numbers[at + 1..] {
                for (a, b) in [(1, 1), (1, -1), (-1, 1), (-1, -1)] {
                    let parts = vec![(first, a), (second, b)];
                    all.extend(constants.iter().map(|&by| Bound { parts: parts.clone(), by }));
                }
            }
        }
    }
    all
}

/// What may hold of numbers after a call: of each against constants, and against what others were.
pub(super) fn of_returns(given: usize, count: usize, constants: &[i128]) -> Vec<Bound> {
    let mut all = Vec::new();
    for number in given..count.min(given + COMPARED) {
        for &by in constants {
            all.extend([Bound::above(number, by), Bound::below(number, by)]);
            for before in 0..given.min(COMPARED) {
                for by in [by, by.saturating_neg()] {
                    all.extend([Bound::apart(number, before, by), Bound::apart(before, number, by)]);
                }
            }
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// Of the bounds of each sum the least ones that hold of all values that were seen.
pub(super) fn seen<V: AsRef<[i128]>>(bounds: Vec<Bound>, values: &[V]) -> Vec<Bound> {
    let mut greatest: BTreeMap<Vec<(usize, i128)>, Option<i128>> = BTreeMap::new();
    let mut left: BTreeMap<Vec<(usize, i128)>, BTreeSet<i128>> = BTreeMap::new();
    for Bound { parts, by } in bounds {
        let most = *greatest.entry(parts.clone()).or_insert_with(|| {
            let mut sums = values.iter().map(|values| sum(&parts, values.as_ref()));
            sums.try_fold(i128::MIN, |most, sum| Some(most.max(sum?)))
        });
        if most.is_some_and(|most| most <= by) {
            left.entry(parts).or_default().insert(by);
        }
    }
    let few = left
        .into_iter()
        .flat_map(|(parts, all)| all.into_iter().take(THRESHOLDS).map(move |by| Bound { parts: parts.clone(), by }));
    few.collect()
}
