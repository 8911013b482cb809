//! Operators over values: which operation two operands of C ask for, and casts (C11 §6.5.3 to §6.5.12).

use lang_c::ast::{self, BinaryOperator as B, UnaryOperator as U};
use lang_c::span::{Node, Span};

use super::scope::Entity;
use super::{Lowered, Lowering, Value, order};
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, Unary};
use crate::c::types::{Type, TypeId};

impl Lowering<'_> {
    /// The address of what an expression names.
    fn address_of(&mut self, operand: &Node<ast::Expression>) -> Lowered<Value> {
        if let ast::Expression::Identifier(name) = &operand.node
            && let Some(Entity::Procedure(_)) = self.entity(&name.node.name)
        {
            return self.identifier(name);
        }
        // `&*f()` is `f()` (§6.5.3.2).
        if let ast::Expression::UnaryOperator(of) = &operand.node
            && of.node.operator.node == U::Indirection
            && matches!(of.node.operand.node, ast::Expression::Call(_))
        {
            return Ok(Value::Scalar(self.scalar(&of.node.operand)?));
        }
        let l = self.lvalue(operand)?;
        Ok(Value::Scalar(self.address(l)))
    }

    /// The value of an expression with an operator before or behind it.
    pub fn unary_value(&mut self, unary: &ast::UnaryOperatorExpression, span: Span) -> Lowered<Value> {
        match unary.operator.node {
            U::PostIncrement | U::PreIncrement => self.step(unary, Binary::Add, true, span),
            U::PostDecrement | U::PreDecrement => self.step(unary, Binary::Subtract, true, span),
            U::Address => self.address_of(&unary.operand),
            U::Indirection => {
                if let Some(classes) = self.classes(&unary.operand)? {
                    return Ok(classes);
                }
                let pointer = self.followed(&unary.operand)?;
                let pointee = self.types.pointee(self.ty(pointer));
                if pointee.is_some_and(|to| matches!(self.types.get(to), Type::Function(..))) {
                    return Ok(Value::Scalar(pointer));
                }
                let l = self.pointed(pointer, span)?;
                self.loaded(l)
            }
            U::Negate => {
                self.look_at_truth(&unary.operand);
                let value = self.value(&unary.operand)?;
                if self.shape_of(value).is_some() {
                    let zero = Value::Scalar(self.int_constant(0));
                    return self.laned(Binary::Equal, value, zero, span);
                }
                let e = self.scalar_of(value, unary.operand.span)?;
                let e = self.truth(e)?;
                Ok(Value::Scalar(self.negated(e)))
            }
            U::Plus | U::Minus | U::Complement => {
                let value = self.value(&unary.operand)?;
                if let (Value::Record(l), Some(_)) = (value, self.shape_of(value)) {
                    return self.laned_unary(&unary.operator.node, l, span);
                }
                let Value::Scalar(e) = value else { return Ok(value) };
                if self.float(e).is_some() && unary.operator.node != U::Complement {
                    let minus = unary.operator.node == U::Minus;
                    return Ok(Value::Scalar(if minus { self.float_negated(e) } else { e }));
                }
                if self.types.as_integer(self.ty(e)).is_none() {
                    return Err(self.error("this operator needs a number", span));
                }
                let e = self.promote(e);
                Ok(Value::Scalar(match unary.operator.node {
                    U::Minus => self.unary(Unary::Negate, e),
                    U::Complement => self.unary(Unary::Complement, e),
                    _ => e,
                }))
            }
        }
    }

    /// `!e`; comparisons are turned round.
    fn negated(&mut self, e: ExpressionId) -> ExpressionId {
        use Binary::{Equal, Greater, GreaterEqual, Less, LessEqual, Unequal};
        if let ExpressionKind::Binary(op, a, b) = self.terms.get(e).kind {
            let other = match op {
                Equal => Unequal,
                Unequal => Equal,
                Less => GreaterEqual,
                LessEqual => Greater,
                Greater => LessEqual,
                GreaterEqual => Less,
                _ => return self.unary(Unary::Not, e),
            };
            return self.binary(other, a, b);
        }
        self.unary(Unary::Not, e)
    }

    /// The value of an expression with an operator between two operands.
    pub fn binary_value(
        &mut self,
        binary: &ast::BinaryOperatorExpression,
        node: &Node<ast::Expression>,
    ) -> Lowered<Value> {
        match binary.operator.node {
            B::Index => {
                let l = self.lvalue(node)?;
                self.loaded(l)
            }
            B::LogicalAnd | B::LogicalOr => self.connective(binary, node),
            B::Assign => self.assignment(binary, true, node.span),
            ref op => match compound(op) {
                Some(op) => self.compound_assignment(op, binary, node.span),
                None => {
                    let op = simple(op).ok_or(super::Refused)?;
                    self.operation(op, binary, node.span)
                }
            },
        }
    }

    fn operation(&mut self, op: Binary, binary: &ast::BinaryOperatorExpression, span: Span) -> Lowered<Value> {
        self.look_at_sign(binary);
        let mut fork = self.fork(false)?;
        self.beside(&mut fork)?;
        let left = self.value(&binary.lhs)?;
        let left = match left {
            Value::Scalar(e) => Value::Scalar(self.kept(e, &binary.rhs)?),
            other if order::effects(&binary.rhs).none() => other,
            other => self.kept_lanes(other)?,
        };
        self.beside(&mut fork)?;
        let right = self.value(&binary.rhs)?;
        self.join(fork)?;
        self.operated(op, left, right, span)
    }

    /// `a op b` for two values.
    pub fn operated(&mut self, op: Binary, a: Value, b: Value, span: Span) -> Lowered<Value> {
        if self.shape_of(a).or(self.shape_of(b)).is_some() {
            return self.laned(op, a, b, span);
        }
        let (a, b) = match (a, b) {
            (Value::Scalar(a), Value::Scalar(b)) => (a, b),
            (Value::Opaque(_), Value::Opaque(_) | Value::Scalar(_)) | (Value::Scalar(_), Value::Opaque(_)) => {
                let ty = self.wider(a, b);
                self.dropped(a)?;
                self.dropped(b)?;
                if !op.is_truth() {
                    return Ok(Value::Opaque(ty));
                }
                let int = self.types.int();
                return Ok(Value::Scalar(self.unknown(int, "a comparison of floating-point values")?));
            }
            _ => return Err(self.error("this operator needs numbers", span)),
        };
        if self.common_float(a, b).is_some() {
            return Ok(Value::Scalar(self.floating(op, a, b, span)?));
        }
        let pointers = self.types.pointee(self.ty(a)).is_some() || self.types.pointee(self.ty(b)).is_some();
        let e = match op {
            Binary::Add | Binary::Subtract => self.sum(op, a, b, span)?,
            _ if op.is_truth() && pointers => {
                let ty =
                    if self.types.pointee(self.ty(a)).is_some() && !self.is_null(a) { self.ty(a) } else { self.ty(b) };
                let ty = if self.types.pointee(ty).is_some() { ty } else { self.ty(a) };
                let (a, b) = (self.convert(a, ty)?, self.convert(b, ty)?);
                self.binary(op, a, b)
            }
            _ if pointers => return Err(self.error("this operator needs numbers", span)),
            _ => self.arithmetic(op, a, b),
        };
        Ok(Value::Scalar(e))
    }

    /// `a + b` or `a - b` of numbers and pointers.
    pub fn sum(&mut self, op: Binary, a: ExpressionId, b: ExpressionId, span: Span) -> Lowered<ExpressionId> {
        let pointers = (self.types.pointee(self.ty(a)), self.types.pointee(self.ty(b)));
        if self.common_float(a, b).is_some() {
            return self.floating(op, a, b, span);
        }
        match (pointers, op) {
            ((None, None), _) => Ok(self.arithmetic(op, a, b)),
            ((Some(_), None), Binary::Add) => self.moved(a, b, span),
            ((None, Some(_)), Binary::Add) => self.moved(b, a, span),
            ((Some(_), None), _) => {
                let distance = self.types.difference_type();
                let b = self.convert_integer(b, distance);
                let back = self.unary(Unary::Negate, b);
                self.moved(a, back, span)
            }
            ((Some(to), Some(_)), Binary::Subtract) if self.types.varies(to) => self.distance_by_count(a, b, span),
            ((Some(_), Some(_)), Binary::Subtract) => {
                let b = self.convert(b, self.ty(a))?;
                let ty = self.types.difference_type();
                Ok(self.terms.expression(ExpressionKind::Distance(a, b), ty))
            }
            _ => Err(self.error("these operands cannot be added", span)),
        }
    }

    fn moved(&mut self, pointer: ExpressionId, by: ExpressionId, span: Span) -> Lowered<ExpressionId> {
        let Some(pointee) = self.types.pointee(self.ty(pointer)) else { return Ok(pointer) };
        match self.types.get(pointee) {
            // As gcc has it: steps of one byte.
            Type::Void | Type::Function(..) => {
                let (char, ty) = (self.types.integer(crate::c::types::Rank::Char, true), self.ty(pointer));
                let to_char = self.types.pointer(char);
                let bytes = self.convert(pointer, to_char)?;
                let moved = self.offset(bytes, by);
                self.convert(moved, ty)
            }
            _ if self.types.varies(pointee) => self.moved_by_count(pointer, by, span),
            _ if self.types.size(pointee).is_none() => {
                Err(self.error("the size of what this points to is not known", span))
            }
            _ => Ok(self.offset(pointer, by)),
        }
    }

    /// `(type) operand`
    pub fn cast(&mut self, ty: TypeId, operand: &Node<ast::Expression>) -> Lowered<Value> {
        if *self.types.get(ty) == Type::Void {
            self.effects(operand)?;
            return Ok(Value::Void);
        }
        if let Some(site) = self.allocation(operand, ty)? {
            return Ok(Value::Scalar(site));
        }
        let value = self.value(operand)?;
        let value = self.fitted(value, ty, operand.span)?;
        match value {
            Value::Scalar(e) if self.types.is_scalar(ty) => Ok(Value::Scalar(self.convert(e, ty)?)),
            Value::Scalar(_) | Value::Opaque(_) if matches!(self.types.get(ty), Type::Opaque(_)) => {
                self.dropped(value)?;
                Ok(Value::Opaque(ty))
            }
            Value::Opaque(_) if self.types.is_scalar(ty) => {
                Ok(Value::Scalar(self.unknown(ty, "a floating-point value")?))
            }
            Value::Record(l) if self.terms.at(l).ty == ty => Ok(value),
            _ => {
                if let Some(union) = self.as_union(value, ty, false, operand.span)? {
                    return Ok(union);
                }
                let message = format!("this cannot be converted to `{}`", self.types.name(ty));
                Err(self.error(message, operand.span))
            }
        }
    }
}

fn simple(op: &B) -> Option<Binary> {
    Some(match op {
        B::Multiply => Binary::Multiply,
        B::Divide => Binary::Divide,
        B::Modulo => Binary::Remainder,
        B::Plus => Binary::Add,
        B::Minus => Binary::Subtract,
        B::ShiftLeft => Binary::ShiftLeft,
        B::ShiftRight => Binary::ShiftRight,
        B::Less => Binary::Less,
        B::Greater => Binary::Greater,
        B::LessOrEqual => Binary::LessEqual,
        B::GreaterOrEqual => Binary::GreaterEqual,
        B::Equals => Binary::Equal,
        B::NotEquals => Binary::Unequal,
        B::BitwiseAnd => Binary::And,
        B::BitwiseXor => Binary::Xor,
        B::BitwiseOr => Binary::Or,
        _ => return None,
    })
}

fn compound(op: &B) -> Option<Binary> {
    Some(match op {
        B::AssignMultiply => Binary::Multiply,
        B::AssignDivide => Binary::Divide,
        B::AssignModulo => Binary::Remainder,
        B::AssignPlus => Binary::Add,
        B::AssignMinus => Binary::Subtract,
        B::AssignShiftLeft => Binary::ShiftLeft,
        B::AssignShiftRight => Binary::ShiftRight,
        B::AssignBitwiseAnd => Binary::And,
        B::AssignBitwiseXor => Binary::Xor,
        B::AssignBitwiseOr => Binary::Or,
        _ => return None,
    })
}
