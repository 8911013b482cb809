//! Linear inequalities over the numbers at a place, in numbers so wide that nothing wraps around.

use std::collections::BTreeMap;

use crate::bitvec::Term;

use super::super::simplex::Form;
use super::edge::{Edge, Number, numbered};
use super::linear::Linear;

/// That a sum of numbers with factors is at most so much. The numbers are known by where they stand among those of a place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) struct Bound {
    /// Ascending, without 0.
    pub parts: Vec<(usize, i128)>,
    pub by: i128,
}

impl Bound {
    /// `number <= by`
    pub fn above(at: usize, by: i128) -> Bound {
        Bound { parts: vec![(at, 1)], by }
    }

    /// `number >= by`
    pub fn below(at: usize, by: i128) -> Bound {
        Bound { parts: vec![(at, -1)], by: by.saturating_neg() }
    }

    /// `less - more <= by`
    pub fn apart(less: usize, more: usize, by: i128) -> Bound {
        let mut parts = vec![(less, 1), (more, -1)];
        parts.sort_unstable();
        Bound { parts, by }
    }

    /// As a term about the numbers of one end of an edge; none if it would be too wide.
    pub fn term(&self, edge: &mut Edge, numbers: &[Number]) -> Option<Term> {
        edge.not_positive(&numbered(&self.parts, numbers)?, self.by.checked_neg()?)
    }

    /// As a form that is not positive.
    pub(super) fn form(&self, linear: &mut Linear<'_>, numbers: &[Number]) -> Option<Form> {
        linear.sum(&numbered(&self.parts, numbers)?, self.by.checked_neg()?)
    }

    /// That it does not hold, over the integers.
    pub fn opposite(&self) -> Option<Bound> {
        let parts = self.parts.iter().map(|&(at, factor)| (at, -factor)).collect();
        Some(Bound { parts, by: self.by.checked_add(1)?.checked_neg()? })
    }

    /// Whether it holds of these values; not where the sum is too large to be known.
    pub fn holds(&self, values: &[i128]) -> bool {
        sum(&self.parts, values).is_some_and(|sum| sum <= self.by)
    }

    /// The two numbers that are apart by a constant, if this bounds a difference: the less and the greater one.
    pub fn difference(&self) -> Option<(usize, usize)> {
        match self.parts[..] {
            [(less, 1), (more, -1)] | [(more, -1), (less, 1)] => Some((less, more)),
            _ => None,
        }
    }
}

/// The value of a sum.
pub(super) fn sum(parts: &[(usize, i128)], values: &[i128]) -> Option<i128> {
    parts.iter().try_fold(0i128, |sum, &(at, factor)| sum.checked_add(values.get(at)?.checked_mul(factor)?))
}

/// Of bounds of one sum only the least: it implies the others.
pub(super) fn strongest(bounds: &[Bound]) -> Vec<Bound> {
    let mut least: BTreeMap<&[(usize, i128)], i128> = BTreeMap::new();
    for bound in bounds {
        let by = least.entry(&bound.parts).or_insert(bound.by);
        *by = bound.by.min(*by);
    }
    least.into_iter().map(|(parts, by)| Bound { parts: parts.to_vec(), by }).collect()
}
