//! Operators and conversions on terms, with what has to hold so that they have a meaning.

use super::super::lost::{Lost, Use};
use super::{Done, Symbolic, Target, Value};
use crate::bitvec::Term;
use crate::c::expression::{Binary, Conversion, Unary, conversion};
use crate::c::program::Overflow;
use crate::c::types::TypeId;
use crate::transition::operators::{self, Outcome};

impl Symbolic<'_> {
    pub(super) fn unary(&mut self, operator: Unary, value: &Value, ty: TypeId) -> Done<Value> {
        if operator == Unary::Not {
            let truth = self.is_true(value)?;
            let (no, width) = (self.terms.not(truth), self.width(ty)?);
            return Ok(Value::Number(self.terms.number(no, width)));
        }
        let Value::Number(value) = *value else { return Err(Lost::Pointer(Use::Arithmetic)) };
        if operator == Unary::Complement {
            return Ok(Value::Number(self.terms.not(value)));
        }
        let signed = self.program.types.as_integer(ty).is_some_and(|integer| integer.signed);
        let outcome = operators::negated(&mut self.terms, value, signed);
        Ok(Value::Number(self.defined(outcome)))
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
            (_, &Value::Number(a), &Value::Number(b)) if operator.is_truth() => {
                operators::compared(&mut self.terms, operator, a, b, signed.0)
            }
            (_, &Value::Number(a), &Value::Number(b)) => {
                let outcome = operators::binary(&mut self.terms, operator, a, b, signed);
                return Ok(Value::Number(self.defined(outcome)));
            }
            _ => return Err(Lost::Pointer(Use::Order)),
        };
        let width = self.width(ty)?;
        Ok(Value::Number(self.terms.number(truth, width)))
    }

    /// What an operator gives, where it is defined; of what terms are not wide enough to say the judge decides.
    fn defined(&mut self, outcome: Outcome) -> Term {
        let overflow = self.overflow;
        for (kind, term) in outcome.demands {
            let Some(term) = term.filter(|_| kind.ends_runs(overflow)) else { continue };
            self.conditions.push(term);
            if kind.fails(Overflow::Fails) {
                self.overflows.insert(term);
            }
        }
        outcome.value
    }

    fn same(&mut self, a: &[(Term, Target)], b: &[(Term, Target)]) -> Done<Term> {
        let mut equal = Vec::new();
        for &(first, one) in a {
            for &(second, other) in b {
                let arbitrary = [one, other].into_iter().filter(|target| *target == Target::Arbitrary).count();
                let null = one == Target::Null || other == Target::Null;
                if arbitrary == 2 || self.strict && arbitrary == 1 && !null {
                    return Err(Lost::Pointer(Use::Equality));
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
            _ => Err(Lost::Pointer(Use::Converted)),
        }
    }
}
