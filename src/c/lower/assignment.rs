//! Assignments, also with an operator, and steps by one (C11 §6.5.16, §6.5.2.4).

use lang_c::ast::{self, UnaryOperator as U};
use lang_c::span::Span;

use super::unrepresented::FLOATING;
use super::{Lowered, Lowering, Value};
use crate::c::expression::Binary;
use crate::c::types::Type;

impl Lowering<'_> {
    /// `a = b`; its value is asked for or not.
    pub fn assignment(&mut self, binary: &ast::BinaryOperatorExpression, asked: bool, span: Span) -> Lowered<Value> {
        let to = self.lvalue(&binary.lhs)?;
        let ty = self.terms.at(to).ty;
        if self.types.is_scalar(ty) {
            if let (Some(call), true) = (self.direct(&binary.rhs), self.is_plain(to)) {
                self.call_into(call, to)?;
                return Ok(Value::Scalar(self.read(to)));
            }
            if let Some(site) = self.allocation(&binary.rhs, ty)? {
                self.assign(to, site)?;
                return Ok(Value::Scalar(self.read(to)));
            }
        }
        let to = self.kept_lvalue(to, &binary.rhs)?;
        let value = self.value(&binary.rhs)?;
        self.store(to, value, span)?;
        Ok(if asked { self.content(to) } else { Value::Void })
    }

    /// `a op= b`
    pub fn compound_assignment(
        &mut self,
        op: Binary,
        binary: &ast::BinaryOperatorExpression,
        span: Span,
    ) -> Lowered<Value> {
        let to = self.lvalue(&binary.lhs)?;
        let to = self.kept_lvalue(to, &binary.rhs)?;
        self.here = binary.lhs.span;
        let old = self.loaded(to)?;
        let old = match old {
            Value::Scalar(e) => Value::Scalar(self.kept(e, &binary.rhs)?),
            other => other,
        };
        let right = self.value(&binary.rhs)?;
        let new = self.operated(op, old, right, span)?;
        self.store(to, new, span)?;
        Ok(self.content(to))
    }

    /// `x++` and its kin; the value is asked for or not.
    pub fn step(
        &mut self,
        unary: &ast::UnaryOperatorExpression,
        op: Binary,
        asked: bool,
        span: Span,
    ) -> Lowered<Value> {
        let post = matches!(unary.operator.node, U::PostIncrement | U::PostDecrement);
        let l = self.lvalue(&unary.operand)?;
        let ty = self.terms.at(l).ty;
        if matches!(self.types.get(ty), Type::Opaque(_)) {
            self.accessed(l)?;
            self.store_unknown(l, FLOATING)?;
            return Ok(Value::Opaque(ty));
        }
        if !self.types.is_scalar(ty) {
            return Err(self.error("this operator needs a number or a pointer", span));
        }
        self.here = unary.operand.span;
        let old = self.current(l)?;
        let old = if post && asked { self.saved(old)? } else { old };
        let one = self.int_constant(1);
        let new = self.sum(op, old, one, span)?;
        let new = self.convert(new, ty)?;
        self.assign(l, new)?;
        let outside = self.is_stored_outside(l);
        Ok(Value::Scalar(if post {
            old
        } else if outside {
            new
        } else {
            self.read(l)
        }))
    }
}
