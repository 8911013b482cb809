//! Assignments, also with an operator, and steps by one (C11 §6.5.16, §6.5.2.4).

use lang_c::ast::{self, UnaryOperator as U};
use lang_c::span::Span;

use super::unrepresented::FLOATING;
use super::{Lowered, Lowering, Value};
use crate::c::expression::{Binary, ExpressionKind, LvalueId, Term};
use crate::c::types::Type;

impl Lowering<'_> {
    /// `a = b`; its value is asked for or not.
    pub fn assignment(&mut self, binary: &ast::BinaryOperatorExpression, asked: bool, span: Span) -> Lowered<Value> {
        if self.is_noted() {
            return self.noted_assignment(binary, asked, span);
        }
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
        let value = if asked { self.kept_value(to, value)? } else { value };
        self.store(to, value, span)?;
        if asked && self.is_led_by_itself(to) {
            return Ok(value);
        }
        Ok(if asked { self.content(to) } else { Value::Void })
    }

    /// The same where events are noted: both sides in any order, then the side effect.
    fn noted_assignment(&mut self, binary: &ast::BinaryOperatorExpression, asked: bool, span: Span) -> Lowered<Value> {
        let (to, value) = self.both_sides(binary)?;
        match value {
            Value::Scalar(e) if self.is_side_effect(to, value) => self.side_effect(to, e, None, asked),
            _ => {
                self.at_once(|this| this.store(to, value, span))?;
                if asked { Ok(self.content(to)) } else { Ok(Value::Void) }
            }
        }
    }

    /// What is assigned to, and the value on the right.
    fn both_sides(&mut self, binary: &ast::BinaryOperatorExpression) -> Lowered<(LvalueId, Value)> {
        let mut fork = self.fork(false)?;
        self.beside(&mut fork)?;
        let to = self.lvalue(&binary.lhs)?;
        self.beside(&mut fork)?;
        let ty = self.terms.at(to).ty;
        let value = match self.allocation(&binary.rhs, ty)? {
            Some(site) => Value::Scalar(site),
            None => self.value(&binary.rhs)?,
        };
        self.join(fork)?;
        Ok((to, value))
    }

    /// `a op= b`
    pub fn compound_assignment(
        &mut self,
        op: Binary,
        binary: &ast::BinaryOperatorExpression,
        span: Span,
    ) -> Lowered<Value> {
        if self.is_noted() {
            return self.noted_compound_assignment(op, binary, span);
        }
        let to = self.lvalue(&binary.lhs)?;
        let to = self.kept_lvalue(to, &binary.rhs)?;
        // What is there is read after the right side was evaluated: the operation is one evaluation for what is called there.
        let right = self.value(&binary.rhs)?;
        self.here = binary.lhs.span;
        let old = self.loaded(to)?;
        let new = self.operated(op, old, right, span)?;
        let new = self.kept_value(to, new)?;
        self.store(to, new, span)?;
        Ok(if self.is_led_by_itself(to) { new } else { self.content(to) })
    }

    /// What is about to be stored, kept if the store may change where it is.
    fn kept_value(&mut self, to: LvalueId, value: Value) -> Lowered<Value> {
        let ty = self.terms.at(to).ty;
        match value {
            Value::Scalar(e) if self.types.is_scalar(ty) && self.is_led_by_itself(to) => {
                let stored = self.convert(e, ty)?;
                Ok(Value::Scalar(self.saved(stored)?))
            }
            _ => Ok(value),
        }
    }

    /// Whether a store to a scalar may change what leads to it, as in `a[a[0]] = 1`.
    fn is_led_by_itself(&self, l: LvalueId) -> bool {
        let may_meet = |other: LvalueId| match (self.terms.variable_of(l), self.terms.variable_of(other)) {
            (Some(a), Some(b)) => a == b,
            (Some(id), None) | (None, Some(id)) => !self.is_private(id),
            (None, None) => true,
        };
        self.body.is_some()
            && self.types.is_scalar(self.terms.at(l).ty)
            && self.terms.postorder(Term::Lvalue(l)).into_iter().any(|term| match term {
                Term::Expression(e) => matches!(self.terms.get(e).kind, ExpressionKind::Read(other) if may_meet(other)),
                Term::Lvalue(_) => false,
            })
    }

    /// The same where events are noted: what is there is read beside what the right side does, and then comes the side effect.
    fn noted_compound_assignment(
        &mut self,
        op: Binary,
        binary: &ast::BinaryOperatorExpression,
        span: Span,
    ) -> Lowered<Value> {
        let mut fork = self.fork(false)?;
        self.beside(&mut fork)?;
        let to = self.lvalue(&binary.lhs)?;
        let outer = std::mem::replace(&mut self.here, binary.lhs.span);
        let old = self.old_value(to, Some(&fork))?;
        self.here = outer;
        self.beside(&mut fork)?;
        let right = self.value(&binary.rhs)?;
        self.join(fork)?;
        let new = self.operated(op, old.value, right, span)?;
        match new {
            Value::Scalar(e) if self.is_side_effect(to, new) => self.side_effect(to, e, Some(&old), true),
            _ => {
                self.at_once(|this| this.store(to, new, span))?;
                Ok(self.content(to))
            }
        }
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
        if self.types.as_float(ty).is_some() && !self.is_noted() {
            self.accessed(l)?;
        }
        if self.several(ty).is_some() {
            let old = self.kept_lanes(Value::Record(l))?;
            let one = Value::Scalar(self.int_constant(1));
            let new = self.operated(op, old, one, span)?;
            self.at_once(|this| this.store(l, new, span))?;
            return Ok(if post { old } else { Value::Record(l) });
        }
        if !self.types.is_scalar(ty) {
            return Err(self.error("this operator needs a number or a pointer", span));
        }
        self.here = unary.operand.span;
        let one = self.int_constant(1);
        if self.is_noted() {
            let old = self.old_value(l, None)?;
            let Value::Scalar(before) = old.value else { return Ok(old.value) };
            let new = self.sum(op, before, one, span)?;
            let stored = Value::Scalar(new);
            let value = match self.is_side_effect(l, stored) {
                true => self.side_effect(l, new, Some(&old), asked && !post)?,
                false => {
                    self.at_once(|this| this.store(l, stored, span))?;
                    stored
                }
            };
            return Ok(if post { old.value } else { value });
        }
        let old = self.current(l)?;
        let old = if post && asked { self.saved(old)? } else { old };
        let new = self.sum(op, old, one, span)?;
        let new = self.convert(new, ty)?;
        let led = asked && !post && self.is_led_by_itself(l);
        let new = if led { self.saved(new)? } else { new };
        self.assign(l, new)?;
        let outside = led || self.is_stored_outside(l);
        Ok(Value::Scalar(if post {
            old
        } else if outside {
            new
        } else {
            self.read(l)
        }))
    }
}
