//! Candidate invariants, what may be known of the numbers at a place: bounds of sums, and sums modulo a number; always, or where some bounds hold.

use std::collections::BTreeMap;

use crate::bitvec::Term;

use super::bound::{Bound, sum};
use super::edge::{Edge, Number, numbered};

/// That a sum of numbers with factors leaves a rest when it is divided.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) struct Congruence {
    /// Ascending, without 0.
    pub parts: Vec<(usize, i128)>,
    /// At least 2.
    pub modulus: i128,
    pub rest: i128,
}

/// What is known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum Then {
    Bound(Bound),
    Congruence(Congruence),
}

/// Something that is known where all of some bounds hold.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) struct Fact {
    pub when: Vec<Bound>,
    pub then: Then,
}

impl Congruence {
    /// Whether it holds of these values; not where the sum is too large to be known.
    pub fn holds(&self, values: &[i128]) -> bool {
        let rest = sum(&self.parts, values).and_then(|sum| sum.checked_sub(self.rest));
        rest.is_some_and(|rest| rest.rem_euclid(self.modulus) == 0)
    }

    fn term(&self, edge: &mut Edge, numbers: &[Number]) -> Option<Term> {
        edge.divisible(&numbered(&self.parts, numbers)?, self.rest.checked_neg()?, self.modulus)
    }
}

impl Fact {
    /// As a term about the numbers of one end of an edge; none if it would be too wide.
    pub fn term(&self, edge: &mut Edge, numbers: &[Number]) -> Option<Term> {
        let then = match &self.then {
            Then::Bound(bound) => bound.term(edge, numbers)?,
            Then::Congruence(congruence) => congruence.term(edge, numbers)?,
        };
        let mut some = vec![then];
        for bound in &self.when {
            let term = bound.term(edge, numbers)?;
            some.push(edge.relation.terms.not(term));
        }
        Some(edge.relation.terms.any(&some))
    }

    /// Which numbers it is about.
    pub fn numbers(&self) -> impl Iterator<Item = usize> {
        let parts = match &self.then {
            Then::Bound(Bound { parts, .. }) | Then::Congruence(Congruence { parts, .. }) => parts,
        };
        self.when.iter().flat_map(|bound| &bound.parts).chain(parts).map(|&(at, _)| at)
    }

    /// The bound that always holds, if it is one.
    pub fn always(&self) -> Option<&Bound> {
        match &self.then {
            Then::Bound(bound) if self.when.is_empty() => Some(bound),
            _ => None,
        }
    }
}

/// A sum under a condition.
type Sum<'f> = (&'f [Bound], &'f [(usize, i128)]);

/// Those of some facts that do not plainly follow from others among them: bounds of sums from bounds of their parts, and what holds under a
/// condition from what always holds.
pub(super) fn needed(facts: &[Fact]) -> Vec<&Fact> {
    let mut least: BTreeMap<Sum<'_>, i128> = BTreeMap::new();
    for Fact { when, then } in facts {
        if let Then::Bound(bound) = then {
            let by = least.entry((when, &bound.parts)).or_insert(bound.by);
            *by = bound.by.min(*by);
        }
    }
    let single = |when: &[Bound], part: &(usize, i128)| {
        let parts = [(part.0, part.1.signum())];
        let known = [when, &[]].map(|when| least.get(&(when, &parts[..])).copied());
        known.into_iter().flatten().min()?.checked_mul(i128::try_from(part.1.unsigned_abs()).ok()?)
    };
    let follows = |Fact { when, then }: &Fact| {
        let Then::Bound(bound) = then else { return false };
        let sum = bound.parts.iter().try_fold(0i128, |sum, part| sum.checked_add(single(when, part)?));
        let always = least.get(&(&[][..], &bound.parts[..])).filter(|_| !when.is_empty());
        always.is_some_and(|&by| by <= bound.by) || bound.parts.len() > 1 && sum.is_some_and(|sum| sum <= bound.by)
    };
    facts.iter().filter(|fact| !follows(fact)).collect()
}
