//! C's operators on numbers as terms, exactly: two's complement, with what has to hold so that C11 says what they give.

use crate::bitvec::{Operator, Term, Terms};
use crate::c::expression::Binary;

use super::undefined::Undefined;

/// What an operator gives. Values are total.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What it is.
    pub value: Term,
    /// What is undefined unless a term of one bit holds; `None` where terms are not wide enough to say it.
    pub demands: Vec<(Undefined, Option<Term>)>,
}

impl Outcome {
    fn defined(value: Term) -> Outcome {
        Outcome { value, demands: Vec::new() }
    }
}

/// `-value`.
pub fn negated(terms: &mut Terms, value: Term, signed: bool) -> Outcome {
    let negative = terms.neg(value);
    if !signed {
        return Outcome::defined(negative);
    }
    let least = least(terms, value);
    let in_range = terms.ne(value, least);
    Outcome { value: negative, demands: vec![(Undefined::Overflow, Some(in_range))] }
}

/// An operator that is neither a comparison nor `&&` or `||`. `signed` is about both operands; shifts may have one of each
/// kind, of different widths.
pub fn binary(terms: &mut Terms, operator: Binary, a: Term, b: Term, signed: (bool, bool)) -> Outcome {
    match operator {
        Binary::Add | Binary::Subtract | Binary::Multiply => {
            let value = ring(terms, operator, a, b);
            let in_range = signed.0.then(|| (Undefined::Overflow, stays_in_range(terms, operator, a, b, value)));
            Outcome { value, demands: in_range.into_iter().collect() }
        }
        Binary::Divide | Binary::Remainder => divided(terms, operator, a, b, signed.0),
        Binary::ShiftLeft | Binary::ShiftRight => shifted(terms, operator, a, b, signed),
        Binary::Length => {
            let zero = terms.constant(0, terms.width(a));
            let (some, many) = (terms.ne(a, zero), terms.ult(b, a));
            let few = terms.not(many);
            Outcome { value: a, demands: vec![(Undefined::Length, Some(terms.and(some, few)))] }
        }
        Binary::And => Outcome::defined(terms.and(a, b)),
        Binary::Xor => Outcome::defined(terms.xor(a, b)),
        _ => Outcome::defined(terms.or(a, b)),
    }
}

/// A comparison of numbers, one bit wide.
pub fn compared(terms: &mut Terms, operator: Binary, a: Term, b: Term, signed: bool) -> Term {
    let less = |terms: &mut Terms, a, b| if signed { terms.slt(a, b) } else { terms.ult(a, b) };
    match operator {
        Binary::Equal => terms.eq(a, b),
        Binary::Unequal => terms.ne(a, b),
        Binary::Less => less(terms, a, b),
        Binary::Greater => less(terms, b, a),
        _ => {
            let other = if operator == Binary::LessEqual { less(terms, b, a) } else { less(terms, a, b) };
            terms.not(other)
        }
    }
}

fn ring(terms: &mut Terms, operator: Binary, a: Term, b: Term) -> Term {
    match operator {
        Binary::Add => terms.add(a, b),
        Binary::Subtract => terms.sub(a, b),
        _ => terms.mul(a, b),
    }
}

/// The result is that of numbers without bounds: computed with more bits, it is the same.
fn stays_in_range(terms: &mut Terms, operator: Binary, a: Term, b: Term, value: Term) -> Option<Term> {
    let width = u32::from(terms.width(a));
    let wide = if operator == Binary::Multiply { width * 2 } else { width + 1 };
    let wide = u8::try_from(wide).ok().filter(|&wide| wide <= 128)?;
    let (a, b) = (terms.extend(a, wide, true), terms.extend(b, wide, true));
    let (exact, value) = (ring(terms, operator, a, b), terms.extend(value, wide, true));
    Some(terms.eq(exact, value))
}

fn divided(terms: &mut Terms, operator: Binary, a: Term, b: Term, signed: bool) -> Outcome {
    let width = terms.width(a);
    let zero = terms.constant(0, width);
    let mut demands = vec![(Undefined::Arithmetic, Some(terms.ne(b, zero)))];
    if signed {
        let (least, minus) = (least(terms, a), terms.constant(u128::MAX, width));
        let (other, by) = (terms.ne(a, least), terms.ne(b, minus));
        demands.push((Undefined::Quotient, Some(terms.or(other, by))));
    }
    let operator = match (operator, signed) {
        (Binary::Divide, true) => Operator::Sdiv,
        (Binary::Divide, false) => Operator::Udiv,
        (_, true) => Operator::Srem,
        (_, false) => Operator::Urem,
    };
    Outcome { value: terms.binary(operator, a, b), demands }
}

fn shifted(terms: &mut Terms, operator: Binary, a: Term, b: Term, signed: (bool, bool)) -> Outcome {
    let width = terms.width(a);
    let wide = width.max(terms.width(b)).max(9);
    let amount = terms.resize(b, wide, signed.1);
    let limit = terms.constant(u128::from(width), wide);
    let in_range = terms.ult(amount, limit);
    let amount = terms.resize(amount, width, false);
    let mut demands = vec![(Undefined::Arithmetic, Some(in_range))];
    if operator == Binary::ShiftLeft && signed.0 {
        // a is not negative, and a · 2ᵇ is not more than the greatest number. Shifts out of range are undefined otherwise.
        let greatest = terms.constant((1 << (width - 1)) - 1, width);
        let most = terms.binary(Operator::Lshr, greatest, amount);
        let more = terms.ult(most, a);
        let both = terms.and(in_range, more);
        demands.push((Undefined::Overflow, Some(terms.not(both))));
    }
    let operator = match operator {
        Binary::ShiftLeft => Operator::Shl,
        _ if signed.0 => Operator::Ashr,
        _ => Operator::Lshr,
    };
    Outcome { value: terms.binary(operator, a, amount), demands }
}

/// The least signed number of that width.
fn least(terms: &mut Terms, like: Term) -> Term {
    let width = terms.width(like);
    terms.constant(1 << (width - 1), width)
}
