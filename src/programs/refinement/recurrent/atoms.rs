//! Candidates: conditions that hold in all states that were seen.

use std::collections::{BTreeMap, BTreeSet};

use crate::bitvec::value::{signed, unsigned};
use crate::bitvec::{Evaluation, Term, Terms};
use crate::c::program::VariableId;

use super::told::{Named, told};

/// No more variables are compared with each other.
const PAIRED: usize = 14;

/// Sums of narrower ones are wider in C.
const NARROWEST: u8 = 32;

/// Low bits that are looked at.
const LOW: [u8; 3] = [1, 2, 3];

/// The integers of a state, as far as they are known.
pub(super) type Sample = BTreeMap<VariableId, i128>;

/// A condition on states.
#[derive(Clone, Debug)]
pub(super) struct Atom {
    pub term: Term,
    /// As C writes it.
    pub told: String,
}

/// Those about some integers (bounds, order, differences and sums that stay, low bits), and those of some conditions that can be told.
pub(super) fn atoms(terms: &mut Terms, named: &[&Named], conditions: &[Term], samples: &[Sample]) -> Vec<Atom> {
    let mut all: Vec<(Term, String)> = Vec::new();
    let of = |named: &Named| samples.iter().map(|sample| sample.get(&named.id).copied()).collect::<Option<Vec<_>>>();
    let known = named.iter().filter_map(|&named| Some((named, of(named)?)));
    let known: Vec<(&Named, Vec<i128>)> = known.filter(|(_, all)| !all.is_empty()).collect();
    for (named, values) in &known {
        about_one(terms, named, values, &mut all);
    }
    for (at, one) in known.iter().enumerate().take(PAIRED) {
        for other in &known[..at] {
            about_two(terms, one, other, &mut all);
        }
    }
    for &condition in conditions {
        all.extend(told(terms, named, condition).map(|told| (condition, told)));
    }
    let mut met = BTreeSet::new();
    all.retain(|(term, _)| {
        let is_new = terms.as_constant(*term).is_none() && met.insert(*term);
        is_new && samples.iter().all(|sample| evaluated(terms, named, sample, *term))
    });
    all.into_iter().map(|(term, told)| Atom { term, told }).collect()
}

/// Bounds of an integer with these values, and its low bits.
fn about_one(terms: &mut Terms, named: &Named, values: &[i128], all: &mut Vec<(Term, String)>) {
    let Named { name, width, term, .. } = named;
    let first = values[0];
    let constant = |terms: &mut Terms, number| terms.constant(unsigned(number, *width), *width);
    if values.iter().all(|&value| value == first) {
        let number = constant(terms, first);
        all.push((terms.eq(*term, number), format!("{name} == {first}")));
    }
    let least = values.iter().copied().min().unwrap_or(first);
    let most = values.iter().copied().max().unwrap_or(first);
    for (limit, is_least) in [(least, true), (most, false)] {
        let number = constant(terms, limit);
        let (a, b) = if is_least { (number, *term) } else { (*term, number) };
        let term = if named.signed { terms.sle(a, b) } else { terms.ule(a, b) };
        all.push((term, format!("{name} {} {limit}", if is_least { ">=" } else { "<=" })));
    }
    for low in LOW.into_iter().filter(|low| low < width) {
        let mask = (1u128 << low) - 1;
        let rest = unsigned(first, *width) & mask;
        if values.iter().all(|&value| unsigned(value, *width) & mask == rest) {
            let part = terms.extract(*term, 0, low);
            let number = terms.constant(rest, low);
            all.push((terms.eq(part, number), format!("({name} & {mask}) == {rest}")));
        }
    }
}

/// Order, differences and sums of two integers with these values.
fn about_two(
    terms: &mut Terms,
    (a, of_a): &(&Named, Vec<i128>),
    (b, of_b): &(&Named, Vec<i128>),
    all: &mut Vec<(Term, String)>,
) {
    if (a.width, a.signed) != (b.width, b.signed) {
        return;
    }
    let (width, pairs) = (a.width, || of_a.iter().zip(of_b));
    let is_signed = a.signed;
    let less = |terms: &mut Terms, a, b| if is_signed { terms.sle(a, b) } else { terms.ule(a, b) };
    if pairs().all(|(a, b)| a <= b) {
        all.push((less(terms, a.term, b.term), format!("{} <= {}", a.name, b.name)));
    }
    if pairs().all(|(a, b)| b <= a) {
        all.push((less(terms, b.term, a.term), format!("{} <= {}", b.name, a.name)));
    }
    if width < NARROWEST {
        return;
    }
    let by = of_a[0] - of_b[0];
    if pairs().all(|(x, y)| unsigned(x - y, width) == unsigned(by, width)) {
        let number = terms.constant(unsigned(by, a.width), a.width);
        let sum = terms.add(b.term, number);
        let told = match by {
            0 => format!("{} == {}", a.name, b.name),
            1.. => format!("{} == {} + {by}", a.name, b.name),
            _ => format!("{} == {} - {}", a.name, b.name, -by),
        };
        all.push((terms.eq(a.term, sum), told));
    }
    let sums = || pairs().map(|(x, y)| unsigned(x + y, a.width));
    let first = unsigned(of_a[0] + of_b[0], a.width);
    if sums().all(|sum| sum == first) {
        let number = terms.constant(first, a.width);
        let sum = terms.add(a.term, b.term);
        let shown = if a.signed { signed(first, a.width) } else { first as i128 };
        all.push((terms.eq(sum, number), format!("{} + {} == {shown}", a.name, b.name)));
    }
}

/// Whether a condition holds in a state; not if it depends on what is not known there.
pub(super) fn evaluated(terms: &Terms, named: &[&Named], sample: &Sample, condition: Term) -> bool {
    let known = named.iter().filter_map(|named| Some((named.number, unsigned(*sample.get(&named.id)?, named.width))));
    let known: BTreeMap<u32, u128> = known.collect();
    let is_known = terms.variables(&[condition]).iter().all(|number| known.contains_key(number));
    let value = |number: u32| known.get(&number).copied().unwrap_or(0);
    is_known && Evaluation::new(terms, &value).is_true(condition)
}
