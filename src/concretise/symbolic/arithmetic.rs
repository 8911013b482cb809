//! Operators and conversions on terms, with what has to hold so that they have a meaning.

use super::{Done, Symbolic, Target, Value};
use crate::bitvec::{Operator, Term, Terms};
use crate::c::expression::{Binary, Conversion, Unary, conversion};
use crate::c::program::Overflow;
use crate::c::types::TypeId;

impl Symbolic<'_> {
    pub(super) fn unary(&mut self, operator: Unary, value: &Value, ty: TypeId) -> Done<Value> {
        if operator == Unary::Not {
            let truth = self.is_true(value)?;
            let (no, width) = (self.terms.not(truth), self.width(ty)?);
            return Ok(Value::Number(self.terms.number(no, width)));
        }
        let Value::Number(value) = *value else { return Err("arithmetic with a pointer".to_owned()) };
        if operator == Unary::Complement {
            return Ok(Value::Number(self.terms.not(value)));
        }
        if self.overflow != Overflow::Wrap && self.program.types.as_integer(ty).is_some_and(|integer| integer.signed) {
            let width = self.terms.width(value);
            let least = self.terms.constant(1 << (width - 1), width);
            let in_range = self.terms.ne(value, least);
            self.conditions.push(in_range);
        }
        Ok(Value::Number(self.terms.neg(value)))
    }

    pub(super) fn binary(
        &mut self,
        operator: Binary,
        a: &Value,
        b: &Value,
        signed: (bool, bool),
        ty: TypeId,
    ) -> Done<Value> {
        let truth = match (operator, a, b) {
            (Binary::Both | Binary::Either, a, b) => {
                let (a, b) = (self.is_true(a)?, self.is_true(b)?);
                if operator == Binary::Both { self.terms.and(a, b) } else { self.terms.or(a, b) }
            }
            (Binary::Equal | Binary::Unequal, Value::Pointer(a), Value::Pointer(b)) => {
                let equal = self.same(a, b)?;
                if operator == Binary::Equal { equal } else { self.terms.not(equal) }
            }
            (_, &Value::Number(a), &Value::Number(b)) => match operator {
                Binary::Equal => self.terms.eq(a, b),
                Binary::Unequal => self.terms.ne(a, b),
                Binary::Less => {
                    if signed.0 {
                        self.terms.slt(a, b)
                    } else {
                        self.terms.ult(a, b)
                    }
                }
                Binary::Greater => {
                    if signed.0 {
                        self.terms.slt(b, a)
                    } else {
                        self.terms.ult(b, a)
                    }
                }
                Binary::LessEqual => {
                    if signed.0 {
                        self.terms.sle(a, b)
                    } else {
                        self.terms.ule(a, b)
                    }
                }
                Binary::GreaterEqual => {
                    if signed.0 {
                        self.terms.sle(b, a)
                    } else {
                        self.terms.ule(b, a)
                    }
                }
                _ => return Ok(Value::Number(self.arithmetic(operator, a, b, signed))),
            },
            _ => return Err("it depends on the order of pointers".to_owned()),
        };
        let width = self.width(ty)?;
        Ok(Value::Number(self.terms.number(truth, width)))
    }

    fn arithmetic(&mut self, operator: Binary, a: Term, b: Term, signed: (bool, bool)) -> Term {
        let width = self.terms.width(a);
        let terms = &mut self.terms;
        match operator {
            Binary::Add | Binary::Subtract | Binary::Multiply => {
                let value = ring(terms, operator, a, b);
                if signed.0 && self.overflow != Overflow::Wrap {
                    self.stays_in_range(operator, a, b, value);
                }
                value
            }
            Binary::Divide | Binary::Remainder => {
                let zero = terms.constant(0, width);
                let divisor = terms.ne(b, zero);
                self.conditions.push(divisor);
                if signed.0 {
                    let (least, minus) =
                        (self.terms.constant(1 << (width - 1), width), self.terms.constant(u128::MAX, width));
                    let (less, other) = (self.terms.ne(a, least), self.terms.ne(b, minus));
                    let in_range = self.terms.or(less, other);
                    self.conditions.push(in_range);
                }
                let operator = match (operator, signed.0) {
                    (Binary::Divide, true) => Operator::Sdiv,
                    (Binary::Divide, false) => Operator::Udiv,
                    (_, true) => Operator::Srem,
                    (_, false) => Operator::Urem,
                };
                self.terms.binary(operator, a, b)
            }
            Binary::ShiftLeft | Binary::ShiftRight => {
                let wide = width.max(terms.width(b)).max(9);
                let amount = terms.resize(b, wide, signed.1);
                let limit = terms.constant(u128::from(width), wide);
                let in_range = terms.ult(amount, limit);
                let amount = terms.resize(amount, width, false);
                self.conditions.push(in_range);
                let operator = match operator {
                    Binary::ShiftLeft => Operator::Shl,
                    _ if signed.0 => Operator::Ashr,
                    _ => Operator::Lshr,
                };
                self.terms.binary(operator, a, amount)
            }
            Binary::And => terms.and(a, b),
            Binary::Xor => terms.xor(a, b),
            _ => terms.or(a, b),
        }
    }

    /// The result is that of numbers without bounds: computed with more bits, it is the same.
    fn stays_in_range(&mut self, operator: Binary, a: Term, b: Term, value: Term) {
        let width = u32::from(self.terms.width(a));
        let wide = if operator == Binary::Multiply { width * 2 } else { width + 1 };
        // Of what is wider than terms are the judge decides.
        let Some(wide) = u8::try_from(wide).ok().filter(|&wide| wide <= 128) else { return };
        let terms = &mut self.terms;
        let (a, b) = (terms.extend(a, wide, true), terms.extend(b, wide, true));
        let (exact, value) = (ring(terms, operator, a, b), terms.extend(value, wide, true));
        let in_range = terms.eq(exact, value);
        self.conditions.push(in_range);
    }

    fn same(&mut self, a: &[(Term, Target)], b: &[(Term, Target)]) -> Done<Term> {
        let mut equal = Vec::new();
        for &(first, one) in a {
            for &(second, other) in b {
                if one == Target::Arbitrary && other == Target::Arbitrary {
                    return Err("it depends on whether arbitrary pointers are equal".to_owned());
                }
                if one == other {
                    equal.push(self.terms.and(first, second));
                }
            }
        }
        Ok(self.terms.any(&equal))
    }

    pub(super) fn converted(&mut self, value: Value, from: TypeId, to: TypeId) -> Done<Value> {
        match (conversion(&self.program.types, from, to), value) {
            (Some(Conversion::Truth), value) => {
                let (truth, width) = (self.is_true(&value)?, self.width(to)?);
                Ok(Value::Number(self.terms.number(truth, width)))
            }
            (Some(Conversion::Pointer), value) => Ok(value),
            (Some(conversion), Value::Number(term)) => {
                let width = self.width(to)?;
                let with_sign = conversion == Conversion::ExtendSign;
                Ok(Value::Number(self.terms.resize(term, width, with_sign)))
            }
            _ => Err("it depends on a pointer as a number".to_owned()),
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
