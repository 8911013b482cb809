//! `&&`, `||`, `!` and `?:` are branches (C11 §6.5.13 to §6.5.15, §6.8.4.1).

use lang_c::ast::{self, BinaryOperator as B, UnaryOperator as U};
use lang_c::span::Node;

use super::body::Mark;
use super::{Lowered, Lowering, Value};
use crate::c::definedness::is_defined;
use crate::c::expression::{ExpressionId, ExpressionKind, Term};
use crate::c::gnu::OMITTED;
use crate::c::program::StatementKind;
use crate::c::types::{FloatKind, Type};

impl Lowering<'_> {
    /// Goes to one label or another, by a condition (§6.8.4.1); connectives become branches.
    pub fn condition(&mut self, node: &Node<ast::Expression>, yes: Mark, no: Mark) -> Lowered<()> {
        match &node.node {
            ast::Expression::BinaryOperator(binary)
                if matches!(binary.node.operator.node, B::LogicalAnd | B::LogicalOr) =>
            {
                let (second, start) = (self.body()?.mark(), self.now());
                if binary.node.operator.node == B::LogicalAnd {
                    self.condition(&binary.node.lhs, second, no)?;
                } else {
                    self.condition(&binary.node.lhs, yes, second)?;
                }
                self.body()?.place_mark(second);
                self.settle(start)?;
                self.condition(&binary.node.rhs, yes, no)
            }
            ast::Expression::UnaryOperator(unary) if unary.node.operator.node == U::Negate => {
                self.condition(&unary.node.operand, no, yes)
            }
            _ => {
                self.look_at_truth(node);
                let e = self.tested(node)?;
                match self.folded(e) {
                    Some(bits) => self.body()?.goto(if bits != 0 { yes } else { no }),
                    None => self.body()?.branch(e, yes, no),
                }
                Ok(())
            }
        }
    }

    /// `a && b`, `a || b` as a number: constants are decided, all else is a branch.
    pub fn connective(
        &mut self,
        binary: &ast::BinaryOperatorExpression,
        node: &Node<ast::Expression>,
    ) -> Lowered<Value> {
        if self.body.is_none() {
            let a = self.scalar(&binary.lhs)?;
            let a = self.truth(a)?;
            let and = binary.operator.node == B::LogicalAnd;
            let Some(left) = self.folded(a) else { return Err(self.error("this is not constant", node.span)) };
            if (left != 0) != and {
                return Ok(Value::Scalar(self.int_constant(i128::from(!and))));
            }
            let b = self.scalar(&binary.rhs)?;
            let b = self.truth(b)?;
            let Some(right) = self.folded(b) else { return Err(self.error("this is not constant", node.span)) };
            return Ok(Value::Scalar(self.int_constant(i128::from(right != 0))));
        }
        let int = self.types.int();
        let to = self.intermediate(int)?;
        let (yes, no, end) = self.three_marks()?;
        self.condition(node, yes, no)?;
        self.body()?.place_mark(yes);
        let one = self.int_constant(1);
        self.assign(to, one)?;
        self.body()?.goto(end);
        self.body()?.place_mark(no);
        let zero = self.int_constant(0);
        self.assign(to, zero)?;
        self.body()?.place_mark(end);
        Ok(Value::Scalar(self.read(to)))
    }

    /// `a ? b : c`, and GNU C's `a ?: c`, where a is evaluated once.
    pub fn conditional(&mut self, node: &ast::ConditionalExpression) -> Lowered<Value> {
        if let Some(value) = self.laned_conditional(node)? {
            return Ok(value);
        }
        if self.body.is_none() {
            return self.constant_conditional(node);
        }
        let (yes, no, end) = self.three_marks()?;
        let start = self.now();
        let omitted = if is_omitted(&node.then_expression) {
            let e = self.scalar(&node.condition)?;
            let e = self.saved(e)?;
            let truth = self.truth(e)?;
            self.body()?.branch(truth, yes, no);
            Some(Value::Scalar(e))
        } else {
            self.condition(&node.condition, yes, no)?;
            None
        };
        self.body()?.place_mark(yes);
        self.settle(start)?;
        let first = match omitted {
            Some(value) => value,
            None => self.value(&node.then_expression)?,
        };
        let first = self.before_float(first, &node.else_expression)?;
        // What is assigned there depends on the type of the other.
        let hole = self.body()?.statements.len();
        self.body()?.emit(StatementKind::Skip);
        self.body()?.goto(end);
        self.body()?.place_mark(no);
        self.settle(start)?;
        let second = self.value(&node.else_expression)?;
        let value = self.joined_values(first, second, hole)?;
        self.body()?.place_mark(end);
        Ok(value)
    }

    /// The same in a constant expression.
    fn constant_conditional(&mut self, node: &ast::ConditionalExpression) -> Lowered<Value> {
        let condition = self.scalar(&node.condition)?;
        let condition = self.truth(condition)?;
        let Some(bits) = self.folded(condition) else {
            return Err(self.error("this is not constant", node.condition.span));
        };
        let omitted = is_omitted(&node.then_expression);
        let then = if omitted { &node.condition } else { &node.then_expression };
        let (chosen, other) = if bits == 0 { (&node.else_expression, then) } else { (then, &node.else_expression) };
        let (value, other) = (self.value(chosen)?, self.type_of(other)?);
        match (value, self.types.as_float(other)) {
            (Value::Scalar(e), Some(kind)) if self.float(e) < Some(kind) => {
                Ok(Value::Scalar(self.convert_float(e, other)?))
            }
            (value, _) => Ok(value),
        }
    }

    /// The one of two values that was computed, the first of which is assigned at a statement that was left out.
    fn joined_values(&mut self, first: Value, second: Value, hole: usize) -> Lowered<Value> {
        Ok(match (first, second) {
            (Value::Scalar(a), Value::Scalar(b)) => self.either(a, b, hole)?,
            (Value::Opaque(_), Value::Opaque(_) | Value::Scalar(_)) => {
                self.dropped(second)?;
                Value::Opaque(self.wider(first, second))
            }
            (Value::Scalar(a), Value::Opaque(_)) => {
                self.evaluated_at(hole, a)?;
                Value::Opaque(self.wider(first, second))
            }
            (Value::Record(a), Value::Record(b)) => {
                // Which of the two is a question of addresses.
                let ty = self.terms.at(a).ty;
                let pointer = self.types.pointer(ty);
                let to = self.intermediate(pointer)?;
                let (a, b) = (self.address(a), self.address(b));
                self.body()?.statements[hole].kind = StatementKind::Assign(to, a);
                self.assign(to, b)?;
                let pointer = self.read(to);
                Value::Record(self.deref(pointer))
            }
            (first, second) => {
                if let Value::Scalar(first) = first {
                    self.evaluated_at(hole, first)?;
                }
                self.dropped(second)?;
                Value::Void
            }
        })
    }

    /// A value that becomes a floating-point number if another expression is one: what can be undefined is evaluated before that.
    fn before_float(&mut self, value: Value, other: &Node<ast::Expression>) -> Lowered<Value> {
        let Value::Scalar(e) = value else { return Ok(value) };
        let defined = is_defined(&self.types, &self.terms, Term::Expression(e));
        if defined || self.types.as_integer(self.ty(e)).is_none() {
            return Ok(value);
        }
        let other = self.type_of(other)?;
        Ok(if self.types.as_float(other).is_some() { Value::Scalar(self.saved(e)?) } else { value })
    }

    /// One of two numbers, of which one is a floating-point number.
    fn either_float(&mut self, kind: FloatKind, a: ExpressionId, b: ExpressionId, hole: usize) -> Lowered<Value> {
        let ty = self.types.float(kind);
        if self.types.pointee(self.ty(a)).is_some() || self.types.pointee(self.ty(b)).is_some() {
            return Err(self.error("a number and a pointer", self.here));
        }
        let to = self.intermediate(ty)?;
        let a = if self.ty(a) == ty { a } else { self.terms.expression(ExpressionKind::Convert(a), ty) };
        self.body()?.statements[hole].kind = StatementKind::Assign(to, a);
        let b = self.convert(b, ty)?;
        self.assign(to, b)?;
        Ok(Value::Scalar(self.read(to)))
    }

    /// The value of one of two branches: the first is assigned at the hole, the second here.
    fn either(&mut self, a: ExpressionId, b: ExpressionId, hole: usize) -> Lowered<Value> {
        if let Some(kind) = self.common_float(a, b) {
            return self.either_float(kind, a, b, hole);
        }
        let (p, q) = (self.types.pointee(self.ty(a)), self.types.pointee(self.ty(b)));
        let ty = match (p, q) {
            (None, None) => {
                let (x, _) = self.balanced(a, b);
                self.ty(x)
            }
            (Some(_), None) => self.ty(a),
            (None, Some(_)) => self.ty(b),
            (Some(p), Some(_)) => {
                let void = *self.types.get(p) == Type::Void;
                if self.is_null(a) || (void && !self.is_null(b)) {
                    if void && !self.is_null(a) { self.ty(a) } else { self.ty(b) }
                } else {
                    self.ty(a)
                }
            }
        };
        let to = self.intermediate(ty)?;
        let a = match self.types.as_integer(ty) {
            Some(_) if p.is_none() => self.convert_integer(a, ty),
            _ if p.is_some() || self.is_null(a) => self.convert(a, ty)?,
            _ => return Err(self.error("a number and a pointer", self.here)),
        };
        self.body()?.statements[hole].kind = StatementKind::Assign(to, a);
        let b = self.convert(b, ty)?;
        self.assign(to, b)?;
        self.led_as(to, &[a, b]);
        Ok(Value::Scalar(self.read(to)))
    }

    /// Marks of the two branches, and of where they meet.
    pub fn three_marks(&mut self) -> Lowered<(Mark, Mark, Mark)> {
        let body = self.body()?;
        Ok((body.mark(), body.mark(), body.mark()))
    }
}

/// Whether nothing stands between `?` and `:`.
pub fn is_omitted(node: &Node<ast::Expression>) -> bool {
    matches!(&node.node, ast::Expression::Identifier(name) if name.node.name == OMITTED)
}
