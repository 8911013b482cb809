//! Complex numbers (C11 §6.2.5): products are what IEEE 754 has of their parts, unless both come out as no number (annex G leaves them to be
//! mended); quotients are not known.

use lang_c::ast;
use lang_c::span::{Node, Span};

use super::super::{Lowered, Lowering, Refused, Value};
use super::{IMAGINARY, Kind, Marked, REAL, Shape};
use crate::c::expression::{Binary, ExpressionId, LvalueId, Unary};
use crate::c::gnu;
use crate::c::program::StatementKind;
use crate::c::types::{Type, TypeId};

impl Lowering<'_> {
    /// The type of complex numbers with parts of a type.
    pub fn complex(&mut self, of: TypeId) -> Lowered<TypeId> {
        self.shaped(Shape { kind: Kind::Complex, of, count: 2 })
    }

    /// An imaginary number.
    pub fn imaginary(&mut self, part: ExpressionId) -> Lowered<Value> {
        let of = self.ty(part);
        let (ty, zero) = (self.complex(of)?, self.constant(0, of));
        self.of_lanes(ty, vec![zero, part])
    }

    /// The complex number of two parts.
    pub fn complex_of(&mut self, real: ExpressionId, imaginary: ExpressionId) -> Lowered<Value> {
        let ty = self.complex(self.ty(real))?;
        self.of_lanes(ty, vec![real, imaginary])
    }

    /// Whether a complex number is not 0.
    pub fn lanes_truth(&mut self, value: Value) -> Lowered<Value> {
        let zero = Value::Scalar(self.int_constant(0));
        self.laned(Binary::Unequal, value, zero, self.here)
    }

    pub(super) fn complex_operation(&mut self, op: Binary, a: Value, b: Value, span: Span) -> Lowered<Value> {
        use Binary::{Add, Divide, Equal, Multiply, Subtract, Unequal};
        let (Some(mut x), Some(mut y)) = (self.complex_parts(a)?, self.complex_parts(b)?) else {
            return Err(self.error("this operator needs numbers", span));
        };
        let (first, second) = (x[0].ok_or(Refused)?, y[0].ok_or(Refused)?);
        let of = match self.common_float(first, second) {
            Some(kind) => self.types.float(kind),
            None => {
                let (one, _) = self.balanced(first, second);
                self.ty(one)
            }
        };
        for part in x.iter_mut().chain(&mut y).flatten() {
            let converted = self.convert(*part, of)?;
            *part = if self.body.is_some() { self.saved(converted)? } else { converted };
        }
        let zero = self.constant(0, of);
        let ty = self.complex(of)?;
        let parts = match (op, x, y) {
            (Equal | Unequal, [Some(a), b], [Some(c), d]) => {
                let real = self.part_operation(op, a, c, span)?;
                let imaginary = self.part_operation(op, b.unwrap_or(zero), d.unwrap_or(zero), span)?;
                let op = if op == Equal { Binary::And } else { Binary::Or };
                return Ok(Value::Scalar(self.binary(op, real, imaginary)));
            }
            (Add | Subtract, [Some(a), b], [Some(c), d]) => {
                let real = self.part_operation(op, a, c, span)?;
                let imaginary = match (b, d) {
                    (Some(b), Some(d)) => self.part_operation(op, b, d, span)?,
                    (Some(b), None) => b,
                    (None, Some(d)) if op == Add => d,
                    (None, Some(d)) => self.opposite(d),
                    (None, None) => zero,
                };
                vec![real, imaginary]
            }
            (Multiply, [Some(a), Some(b)], [Some(c), Some(d)]) => return self.product([a, b], [c, d], ty, span),
            (Multiply, [Some(a), b], [Some(c), d]) => {
                let real = self.part_operation(op, a, c, span)?;
                let imaginary = match (b, d) {
                    (Some(b), _) => self.part_operation(op, b, c, span)?,
                    (_, Some(d)) => self.part_operation(op, a, d, span)?,
                    _ => zero,
                };
                vec![real, imaginary]
            }
            (Divide, [Some(a), Some(b)], [Some(c), None]) => {
                vec![self.part_operation(op, a, c, span)?, self.part_operation(op, b, c, span)?]
            }
            (Divide, ..) if self.types.as_float(of).is_some() => {
                let what = "a quotient of complex numbers";
                vec![self.unknown(of, what)?, self.unknown(of, what)?]
            }
            (Divide, ..) => return Err(self.error("quotients of complex integers are not supported", span)),
            _ => return Err(self.error("this operator is not one of complex numbers", span)),
        };
        self.of_lanes(ty, parts)
    }

    /// The parts of a number: a real one has no other.
    pub(super) fn complex_parts(&mut self, value: Value) -> Lowered<Option<[Option<ExpressionId>; 2]>> {
        Ok(match value {
            Value::Record(l) if self.shape_of(value).is_some() => {
                Some([Some(self.lane_value(l, REAL)?), Some(self.lane_value(l, IMAGINARY)?)])
            }
            Value::Scalar(e) if self.is_number(e) => Some([Some(e), None]),
            _ => None,
        })
    }

    pub(super) fn part_operation(
        &mut self,
        op: Binary,
        a: ExpressionId,
        b: ExpressionId,
        span: Span,
    ) -> Lowered<ExpressionId> {
        if self.float(a).is_some() { self.floating(op, a, b, span) } else { Ok(self.arithmetic(op, a, b)) }
    }

    pub(super) fn opposite(&mut self, e: ExpressionId) -> ExpressionId {
        if self.float(e).is_some() { self.float_negated(e) } else { self.unary(Unary::Negate, e) }
    }

    pub(super) fn product(
        &mut self,
        x: [ExpressionId; 2],
        y: [ExpressionId; 2],
        ty: TypeId,
        span: Span,
    ) -> Lowered<Value> {
        let times = |this: &mut Self, a, b| {
            let product = this.part_operation(Binary::Multiply, a, b, span)?;
            if this.body.is_some() { this.saved(product) } else { Ok(product) }
        };
        let products = [(0, 0), (1, 1), (0, 1), (1, 0)].map(|(i, j)| times(self, x[i], y[j]));
        let [ac, bd, ad, bc] = products;
        let real = self.part_operation(Binary::Subtract, ac?, bd?, span)?;
        let imaginary = self.part_operation(Binary::Add, ad?, bc?, span)?;
        let value = self.of_lanes(ty, vec![real, imaginary])?;
        if let (Value::Record(l), true, Some(_)) = (value, self.body.is_some(), self.float(real)) {
            self.forget_no_numbers(l)?;
        }
        Ok(value)
    }

    /// A complex number both of whose parts are no numbers is not known.
    pub(super) fn forget_no_numbers(&mut self, l: LvalueId) -> Lowered<()> {
        let mut no_number = Vec::new();
        for index in [REAL, IMAGINARY] {
            let part = self.lane_value(l, index)?;
            no_number.push(self.floating(Binary::Unequal, part, part, self.here)?);
        }
        let both = self.binary(Binary::And, no_number[0], no_number[1]);
        let (yes, no, _) = self.three_marks()?;
        self.body()?.branch(both, yes, no);
        self.body()?.place_mark(yes);
        let reason = self.reason("a product of complex numbers that is no number")?;
        for index in [REAL, IMAGINARY] {
            let lane = self.lane(l, index);
            self.emit(StatementKind::Havoc(lane, reason, None))?;
        }
        self.body()?.place_mark(no);
        Ok(())
    }

    /// What an expression stands for that lang-c does not know, and its operand.
    pub fn marked<'n>(&self, e: &'n ast::Expression, span: Span) -> Option<(Marked, &'n Node<ast::Expression>)> {
        let text = self.units[self.unit].prepared.text.get(span.start..)?;
        let known = [
            (gnu::REAL, Marked::Part(REAL)),
            (gnu::IMAGINARY, Marked::Part(IMAGINARY)),
            (gnu::ALIGNMENT, Marked::Alignment),
        ];
        let (signs, marked) = known.into_iter().find(|(signs, _)| text.starts_with(signs))?;
        let mut at = e;
        let mut operand = None;
        for _ in signs.split(' ') {
            let ast::Expression::UnaryOperator(unary) = at else { return None };
            operand = Some(&*unary.node.operand);
            at = &unary.node.operand.node;
        }
        Some((marked, operand?))
    }

    /// `__real__ e`, `__imag__ e` as an object.
    pub fn part_object(&mut self, e: &Node<ast::Expression>, index: u64) -> Lowered<LvalueId> {
        let l = self.lvalue(e)?;
        match self.several(self.terms.at(l).ty) {
            Some(shape) if shape.kind == Kind::Complex => Ok(self.lane(l, index)),
            None if index == REAL && self.types.is_scalar(self.terms.at(l).ty) => Ok(l),
            _ => Err(self.error("this is no part of a complex number", e.span)),
        }
    }

    /// The value of `__real__ e`, `__imag__ e`.
    pub fn part_value(&mut self, e: &Node<ast::Expression>, index: u64) -> Lowered<Value> {
        let value = self.value(e)?;
        match (value, self.shape_of(value)) {
            (Value::Record(l), Some(Shape { kind: Kind::Complex, .. })) => {
                Ok(Value::Scalar(self.lane_value(l, index)?))
            }
            (Value::Scalar(e), None) if self.is_number(e) => {
                Ok(if index == REAL { value } else { Value::Scalar(self.constant(0, self.ty(e))) })
            }
            _ => Err(self.error("this is no complex number", e.span)),
        }
    }

    /// The type of the parts of two numbers computed together.
    pub(super) fn common_part(&mut self, a: TypeId, b: TypeId) -> TypeId {
        match (self.types.as_float(a).max(self.types.as_float(b)), self.types.as_integer(a), self.types.as_integer(b)) {
            (Some(kind), ..) => self.types.float(kind),
            (None, Some(a), Some(b)) => {
                let common = self.types.common(a, b);
                self.types.intern(Type::Integer(common))
            }
            _ => a,
        }
    }
}
