//! The greatest value of a sum of numbers on a way: by bisection, each step of which bit-vectors decide. What they do not decide counts as
//! possible, so that what is found is never too small.

use crate::bitvec::Answer;

use super::super::invariants::edge::{Edge, Number};
use super::super::ranking::synthesis::Total;

/// What is known of the values of a sum.
pub(super) enum Extreme {
    /// The way cannot be taken.
    Impossible,
    /// No value is greater.
    Most(i128),
}

/// The greatest value; none if numbers get too large, or too much was done.
pub(super) fn most(edge: &mut Edge, sum: &Total) -> Option<Extreme> {
    let ranges = |least: bool| {
        sum.parts.iter().try_fold(sum.constant, |total, &(number, factor)| {
            let (low, high) = edge.range(number)?;
            let end = if (factor > 0) == least { low } else { high };
            total.checked_add(end.checked_mul(factor)?)
        })
    };
    let (mut least, mut most) = (ranges(true)?, ranges(false)?);
    match edge.possible(&[]) {
        Answer::Unsat(_) => return Some(Extreme::Impossible),
        Answer::Sat(model) => least = value(sum, &edge.values(&model, &numbers(sum)))?,
        Answer::Unknown => {}
    }
    // Often nothing restricts it.
    let mut middle = most;
    while least < most {
        let opposite: Vec<(Number, i128)> = sum.parts.iter().map(|&(number, factor)| (number, -factor)).collect();
        let beyond = edge.not_positive(&opposite, middle.checked_sub(sum.constant)?)?;
        if !edge.spend(1) {
            return None;
        }
        match edge.possible(&[beyond]) {
            Answer::Unsat(_) => most = middle - 1,
            Answer::Sat(model) => least = value(sum, &edge.values(&model, &numbers(sum)))?.max(middle),
            Answer::Unknown => least = middle,
        }
        middle = least.checked_add(most.checked_sub(least)?.checked_add(1)? / 2)?;
    }
    Some(Extreme::Most(most))
}

/// The numbers of a sum.
fn numbers(sum: &Total) -> Vec<Number> {
    sum.parts.iter().map(|&(number, _)| number).collect()
}

/// The value of a sum for values of its numbers.
fn value(sum: &Total, values: &[i128]) -> Option<i128> {
    let parts = sum.parts.iter().zip(values);
    parts
        .into_iter()
        .try_fold(sum.constant, |total, (&(_, factor), &value)| total.checked_add(value.checked_mul(factor)?))
}
