//! Values of several numbers: vectors (GNU C) and complex numbers (C11 §6.2.5). Each is a structure of one array, so that it is stored,
//! passed and returned as structures are; operators work on one number after the other, into an intermediate value.
//!
//! Numbers of a vector that are narrower than `int` are computed modulo 2ʷ. Products of complex numbers are what IEEE 754 has of their
//! parts, unless both come out as no number (C11 annex G leaves them to be mended); quotients are not known.

use std::collections::HashMap;

use lang_c::ast;
use lang_c::span::{Node, Span};

use super::{Lowered, Lowering, Refused, Value};
use crate::c::gnu;
use crate::c::expression::{Binary, ExpressionId, LvalueId, LvalueKind, Unary};
use crate::c::program::{StatementKind, Storage, Variable, VariableId};
use crate::c::types::{Field, FloatKind, Rank, Record, RecordId, Type, TypeId};

/// What a value of several numbers is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `__attribute__((vector_size(n)))`
    Vector,
    /// `_Complex`: the real part, and the imaginary one.
    Complex,
}

/// The type of a value of several numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// What it is.
    pub kind: Kind,
    /// The type of each number.
    pub of: TypeId,
    /// How many they are.
    pub count: u64,
}

/// The types of such values, and their constants outside of procedures.
#[derive(Debug, Default)]
pub struct Lanes {
    types: HashMap<Shape, TypeId>,
    shapes: HashMap<TypeId, Shape>,
    constants: HashMap<VariableId, Vec<ExpressionId>>,
}

/// What operators stand for that lang-c does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marked {
    /// `__real__` and `__imag__`: which number of the two.
    Part(u64),
    /// `__alignof__`, of something the size of which is asked.
    Alignment,
}

/// The parts of a complex number.
pub const REAL: u64 = 0;
pub const IMAGINARY: u64 = 1;

impl Lowering<'_> {
    /// The type of values of a shape.
    pub fn shaped(&mut self, shape: Shape) -> Lowered<TypeId> {
        if let Some(ty) = self.lanes.types.get(&shape) {
            return Ok(*ty);
        }
        let (size, align) = self.types.layout(shape.of).ok_or(Refused)?;
        let size = size.saturating_mul(shape.count);
        let (name, align) = match shape.kind {
            Kind::Vector => (format!("vector of {} {}", shape.count, self.types.name(shape.of)), size),
            Kind::Complex => (format!("complex {}", self.types.name(shape.of)), align),
        };
        let array = self.types.intern(Type::Array(shape.of, shape.count));
        let field = Field { name: ".lanes".into(), ty: array, offset: 0, bit: None };
        let fields = vec![field];
        self.types.records.push(Record { name: name.into(), union: false, fields, size, align, complete: true });
        let id = u32::try_from(self.types.records.len() - 1).expect("fewer records than bytes of source");
        let ty = self.types.intern(Type::Record(RecordId(id)));
        self.lanes.types.insert(shape, ty);
        self.lanes.shapes.insert(ty, shape);
        Ok(ty)
    }

    /// The type of complex numbers with parts of a type.
    pub fn complex(&mut self, of: TypeId) -> Lowered<TypeId> {
        self.shaped(Shape { kind: Kind::Complex, of, count: 2 })
    }

    /// The type of vectors of so many bytes that is made of a type: of what its pointers and arrays lead to, and of results.
    pub fn vector(&mut self, ty: TypeId, bytes: u64, span: Span) -> Lowered<TypeId> {
        match self.types.get(ty).clone() {
            Type::Pointer(to) => {
                let to = self.vector(to, bytes, span)?;
                Ok(self.types.pointer(to))
            }
            Type::Array(element, length) => {
                let element = self.vector(element, bytes, span)?;
                Ok(self.types.intern(Type::Array(element, length)))
            }
            Type::Function(result, parameters, open) => {
                let result = self.vector(result, bytes, span)?;
                Ok(self.types.intern(Type::Function(result, parameters, open)))
            }
            Type::Integer(_) | Type::Float(_) => {
                let size = self.types.size(ty).unwrap_or(0);
                let fits = size > 0 && bytes > 0 && bytes.is_multiple_of(size) && (bytes / size).is_power_of_two();
                if !fits || bytes > 1 << 12 {
                    return Err(self.error(format!("no vector of {bytes} bytes is made of this type"), span));
                }
                self.shaped(Shape { kind: Kind::Vector, of: ty, count: bytes / size })
            }
            _ => Err(self.error("vectors are made of numbers", span)),
        }
    }

    /// What values of a type are, if they are several numbers.
    pub fn several(&self, ty: TypeId) -> Option<Shape> {
        self.lanes.shapes.get(&ty).copied()
    }

    /// The same of a value.
    pub fn shape_of(&self, value: Value) -> Option<Shape> {
        match value {
            Value::Record(l) => self.several(self.terms.at(l).ty),
            _ => None,
        }
    }

    /// Whether the program has such values.
    pub fn has_lanes(&self) -> bool {
        !self.lanes.shapes.is_empty()
    }

    /// One of the numbers, as an object.
    pub fn lane(&mut self, l: LvalueId, index: u64) -> LvalueId {
        let array = self.field(l, 0);
        let of = self.several(self.terms.at(l).ty).map_or_else(|| self.types.int(), |shape| shape.of);
        self.element(array, of, index)
    }

    /// One of the numbers.
    pub fn lane_value(&mut self, l: LvalueId, index: u64) -> Lowered<ExpressionId> {
        if let LvalueKind::Variable(id) = self.terms.at(l).kind
            && let Some(constants) = self.lanes.constants.get(&id)
        {
            return usize::try_from(index).ok().and_then(|index| constants.get(index)).copied().ok_or(Refused);
        }
        let lane = self.lane(l, index);
        match self.loaded(lane)? {
            Value::Scalar(e) => Ok(e),
            _ => Err(Refused),
        }
    }

    /// A value of a type with these numbers.
    fn of_lanes(&mut self, ty: TypeId, lanes: Vec<ExpressionId>) -> Lowered<Value> {
        if self.body.is_some() {
            let to = self.intermediate(ty)?;
            for (index, e) in (0..).zip(lanes) {
                let lane = self.lane(to, index);
                self.emit(StatementKind::Assign(lane, e))?;
            }
            return Ok(Value::Record(to));
        }
        if lanes.iter().any(|e| self.folded(*e).is_none()) {
            return Err(self.error("this is not a constant expression", self.here));
        }
        let (name, place) = (format!(".constant{}", self.variables.len()).into(), self.place(self.here));
        let storage = Storage::Constant;
        let id = self.variable(Variable { name, is_made_up: true, ty, storage, place, address_taken: false });
        for (index, e) in (0..).zip(&lanes) {
            let whole = self.terms.lvalue(LvalueKind::Variable(id), ty);
            let lane = self.lane(whole, index);
            self.initial.push((lane, *e));
        }
        self.lanes.constants.insert(id, lanes);
        Ok(Value::Record(self.terms.lvalue(LvalueKind::Variable(id), ty)))
    }

    fn all_lanes(&mut self, l: LvalueId, count: u64) -> Lowered<Vec<ExpressionId>> {
        (0..count).map(|index| self.lane_value(l, index)).collect()
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

    /// Stores one number after the other.
    pub fn store_lanes(&mut self, to: LvalueId, value: Value, span: Span) -> Lowered<()> {
        let ty = self.terms.at(to).ty;
        let (Some(shape), Value::Record(from)) = (self.several(ty), self.fitted(value, ty, span)?) else {
            return Err(self.error("this is of another type", span));
        };
        if from == to {
            return Ok(());
        }
        let lanes = self.all_lanes(from, shape.count)?;
        for (index, e) in (0..).zip(lanes) {
            let lane = self.lane(to, index);
            self.assign(lane, e)?;
        }
        Ok(())
    }
}

impl Lowering<'_> {
    /// A value as one of a type, as by assignment, where one of the two is of several numbers; any other is left as it is.
    pub fn fitted(&mut self, value: Value, ty: TypeId, span: Span) -> Lowered<Value> {
        match (self.shape_of(value), self.several(ty), value) {
            (Some(from), Some(to), Value::Record(_)) if from == to => Ok(value),
            (Some(from), Some(to), Value::Record(l)) if from.kind == Kind::Complex && to.kind == Kind::Complex => {
                let mut lanes = self.all_lanes(l, from.count)?;
                for e in &mut lanes {
                    *e = self.convert(*e, to.of)?;
                }
                self.of_lanes(ty, lanes)
            }
            (None, Some(Shape { kind: Kind::Complex, of, .. }), Value::Scalar(e)) if self.is_number(e) => {
                let (e, zero) = (self.convert(e, of)?, self.constant(0, of));
                self.of_lanes(ty, vec![e, zero])
            }
            (Some(Shape { kind: Kind::Complex, .. }), None, Value::Record(l)) if self.types.is_scalar(ty) => {
                if self.types.as_integer(ty).is_some_and(|to| to.rank == Rank::Bool) {
                    return self.lanes_truth(value);
                }
                let real = self.lane_value(l, REAL)?;
                Ok(Value::Scalar(self.convert(real, ty)?))
            }
            (Some(Shape { kind: Kind::Vector, .. }), _, Value::Record(l)) if self.same_size(l, ty) => {
                let seen = self.seen_as(l, ty);
                self.loaded(seen)
            }
            (None, Some(Shape { kind: Kind::Vector, .. }), Value::Scalar(e))
                if self.body.is_some() && self.types.size(self.ty(e)) == self.types.size(ty) =>
            {
                let own = self.intermediate(self.ty(e))?;
                self.emit(StatementKind::Assign(own, e))?;
                Ok(Value::Record(self.seen_as(own, ty)))
            }
            (None, None, _) => Ok(value),
            _ => {
                let message = format!("this cannot be converted to `{}`", self.types.name(ty));
                Err(self.error(message, span))
            }
        }
    }

    fn same_size(&self, l: LvalueId, ty: TypeId) -> bool {
        self.body.is_some()
            && (self.types.is_scalar(ty) || self.several(ty).is_some_and(|to| to.kind == Kind::Vector))
            && self.types.size(ty) == self.types.size(self.terms.at(l).ty)
    }

    fn is_number(&self, e: ExpressionId) -> bool {
        self.types.pointee(self.ty(e)).is_none()
    }

    /// Whether a complex number is not 0.
    pub fn lanes_truth(&mut self, value: Value) -> Lowered<Value> {
        let zero = Value::Scalar(self.int_constant(0));
        self.laned(Binary::Unequal, value, zero, self.here)
    }

    /// `a op b`, of which one is of several numbers.
    pub fn laned(&mut self, op: Binary, a: Value, b: Value, span: Span) -> Lowered<Value> {
        let kinds = [a, b].map(|value| self.shape_of(value).map(|shape| shape.kind));
        self.at_once(|this| match kinds.contains(&Some(Kind::Vector)) {
            true => this.vector_operation(op, a, b, span),
            false => this.complex_operation(op, a, b, span),
        })
    }

    fn vector_operation(&mut self, op: Binary, a: Value, b: Value, span: Span) -> Lowered<Value> {
        let wrong = |this: &mut Self| this.error("these operands have different types", span);
        let Some(shape) = self.shape_of(a).or(self.shape_of(b)) else { return Err(wrong(self)) };
        let (a, b) = (self.spread(a, shape, span)?, self.spread(b, shape, span)?);
        let result = if op.is_truth() { self.truth_shape(shape)? } else { shape };
        let mut lanes = Vec::with_capacity(a.len());
        for (a, b) in a.into_iter().zip(b) {
            let b = if self.ty(b) == self.ty(a) { b } else { self.convert(b, self.ty(a))? };
            let e = self.lane_operation(op, a, b, span)?;
            lanes.push(match op.is_truth() {
                true => {
                    let truth = self.convert(e, result.of)?;
                    self.unary(Unary::Negate, truth)
                }
                false => self.convert(e, result.of)?,
            });
        }
        let ty = self.shaped(result)?;
        self.of_lanes(ty, lanes)
    }

    /// The numbers of an operand; of a single one so many as are needed.
    fn spread(&mut self, value: Value, shape: Shape, span: Span) -> Lowered<Vec<ExpressionId>> {
        match (value, self.shape_of(value)) {
            (Value::Record(l), Some(own)) if own.kind == Kind::Vector && own.count == shape.count => {
                if self.types.size(own.of) != self.types.size(shape.of) {
                    return Err(self.error("these vectors have different types", span));
                }
                self.all_lanes(l, shape.count)
            }
            (Value::Scalar(e), _) if self.is_number(e) => {
                let e = self.convert(e, shape.of)?;
                let e = if self.body.is_some() { self.saved(e)? } else { e };
                Ok(vec![e; usize::try_from(shape.count).unwrap_or(0)])
            }
            _ => Err(self.error("these operands have different types", span)),
        }
    }

    /// Vectors of what comparisons come to: -1 and 0.
    fn truth_shape(&mut self, shape: Shape) -> Lowered<Shape> {
        let bits = self.types.size(shape.of).unwrap_or(0) * 8;
        let ranks = [Rank::Char, Rank::Short, Rank::Int, Rank::Long, Rank::LongLong, Rank::Int128];
        let rank = ranks.into_iter().find(|rank| u64::from(self.types.model.width(*rank)) == bits).ok_or(Refused)?;
        Ok(Shape { of: self.types.integer(rank, true), ..shape })
    }

    fn lane_operation(&mut self, op: Binary, a: ExpressionId, b: ExpressionId, span: Span) -> Lowered<ExpressionId> {
        let Some(integer) = self.types.as_integer(self.ty(a)) else { return self.floating(op, a, b, span) };
        if matches!(op, Binary::ShiftLeft | Binary::ShiftRight) {
            let narrow = integer.rank < Rank::Int && op == Binary::ShiftLeft;
            let unsigned = self.types.integer(integer.rank, false);
            let a = if narrow { self.convert_integer(a, unsigned) } else { a };
            let b = self.convert_integer(b, unsigned);
            return Ok(self.binary(op, a, b));
        }
        Ok(self.arithmetic(op, a, b))
    }

    fn complex_operation(&mut self, op: Binary, a: Value, b: Value, span: Span) -> Lowered<Value> {
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
    fn complex_parts(&mut self, value: Value) -> Lowered<Option<[Option<ExpressionId>; 2]>> {
        Ok(match value {
            Value::Record(l) if self.shape_of(value).is_some() => {
                Some([Some(self.lane_value(l, REAL)?), Some(self.lane_value(l, IMAGINARY)?)])
            }
            Value::Scalar(e) if self.is_number(e) => Some([Some(e), None]),
            _ => None,
        })
    }

    fn part_operation(&mut self, op: Binary, a: ExpressionId, b: ExpressionId, span: Span) -> Lowered<ExpressionId> {
        if self.float(a).is_some() { self.floating(op, a, b, span) } else { Ok(self.arithmetic(op, a, b)) }
    }

    fn opposite(&mut self, e: ExpressionId) -> ExpressionId {
        if self.float(e).is_some() { self.float_negated(e) } else { self.unary(Unary::Negate, e) }
    }

    fn product(&mut self, x: [ExpressionId; 2], y: [ExpressionId; 2], ty: TypeId, span: Span) -> Lowered<Value> {
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
    fn forget_no_numbers(&mut self, l: LvalueId) -> Lowered<()> {
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
}

impl Lowering<'_> {
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

    /// `-v`, `~v`, `+v`; `~z` of a complex number is what is on the other side of the real axis.
    pub fn laned_unary(&mut self, op: &ast::UnaryOperator, l: LvalueId, span: Span) -> Lowered<Value> {
        let ty = self.terms.at(l).ty;
        let Some(shape) = self.several(ty) else { return Err(Refused) };
        self.at_once(|this| {
            let mut lanes = this.all_lanes(l, shape.count)?;
            for (index, e) in (0..).zip(&mut lanes) {
                let integer = this.types.as_integer(shape.of);
                *e = match (op, shape.kind) {
                    (ast::UnaryOperator::Plus, _) => *e,
                    (ast::UnaryOperator::Complement, Kind::Complex) if index == REAL => *e,
                    (ast::UnaryOperator::Minus, _) | (ast::UnaryOperator::Complement, Kind::Complex) => {
                        let promoted = if integer.is_some() { this.promote(*e) } else { *e };
                        let opposite = this.opposite(promoted);
                        this.convert(opposite, shape.of)?
                    }
                    (ast::UnaryOperator::Complement, Kind::Vector) if integer.is_some() => {
                        let promoted = this.promote(*e);
                        let complement = this.unary(Unary::Complement, promoted);
                        this.convert(complement, shape.of)?
                    }
                    _ => return Err(this.error("this operator needs a number", span)),
                };
            }
            this.of_lanes(ty, lanes)
        })
    }

    /// `a ? b : c` where something is of several numbers; nothing if nothing is.
    pub fn laned_conditional(&mut self, node: &ast::ConditionalExpression) -> Lowered<Option<Value>> {
        if !self.has_lanes() || self.body.is_none() || super::branch::is_omitted(&node.then_expression) {
            return Ok(None);
        }
        let types = [&node.condition, &node.then_expression, &node.else_expression].map(|e| self.type_of(e));
        let [condition, then, other] = types;
        let (condition, then, other) = (condition?, then?, other?);
        let shapes = [condition, then, other].map(|ty| self.several(ty));
        if shapes[0].is_some_and(|shape| shape.kind == Kind::Vector) {
            return self.selection(node).map(Some);
        }
        let ty = match (shapes[1], shapes[2]) {
            (None, None) => return Ok(None),
            (Some(a), Some(b)) if a.kind == Kind::Complex && b.kind == Kind::Complex => {
                let of = self.common_part(a.of, b.of);
                self.complex(of)?
            }
            (Some(a), None) if a.kind == Kind::Complex => {
                let of = self.common_part(a.of, other);
                self.complex(of)?
            }
            (None, Some(b)) if b.kind == Kind::Complex => {
                let of = self.common_part(b.of, then);
                self.complex(of)?
            }
            (Some(_), _) => then,
            (None, Some(_)) => other,
        };
        let to = self.intermediate(ty)?;
        let (yes, no, end) = self.three_marks()?;
        let start = self.now();
        self.condition(&node.condition, yes, no)?;
        self.body()?.place_mark(yes);
        self.settle(start)?;
        let value = self.value(&node.then_expression)?;
        self.at_once(|this| this.store_lanes(to, value, node.then_expression.span))?;
        self.body()?.goto(end);
        self.body()?.place_mark(no);
        self.settle(start)?;
        let value = self.value(&node.else_expression)?;
        self.at_once(|this| this.store_lanes(to, value, node.else_expression.span))?;
        self.body()?.place_mark(end);
        Ok(Some(Value::Record(to)))
    }

    /// The type of the parts of two numbers computed together.
    fn common_part(&mut self, a: TypeId, b: TypeId) -> TypeId {
        match (self.types.as_float(a).max(self.types.as_float(b)), self.types.as_integer(a), self.types.as_integer(b)) {
            (Some(kind), ..) => self.types.float(kind),
            (None, Some(a), Some(b)) => {
                let common = self.types.common(a, b);
                self.types.intern(Type::Integer(common))
            }
            _ => a,
        }
    }

    /// `m ? a : b` for a vector m: of each number of a and b one.
    fn selection(&mut self, node: &ast::ConditionalExpression) -> Lowered<Value> {
        let mut values = Vec::new();
        for e in [&node.condition, &node.then_expression, &node.else_expression] {
            let value = self.value(e)?;
            values.push(self.kept_lanes(value)?);
        }
        let span = node.condition.span;
        let shape = self.shape_of(values[1]).or(self.shape_of(values[2]));
        let (Some(mask), Some(shape)) = (self.shape_of(values[0]), shape) else {
            return Err(self.error("a choice by a vector is one between vectors", span));
        };
        let mask = self.spread(values[0], mask, span)?;
        let (a, b) = (self.spread(values[1], shape, span)?, self.spread(values[2], shape, span)?);
        if mask.len() != a.len() {
            return Err(self.error("these vectors have different types", span));
        }
        let ty = self.shaped(shape)?;
        let to = self.intermediate(ty)?;
        for (index, ((m, a), b)) in (0..).zip(mask.into_iter().zip(a).zip(b)) {
            let (yes, no, end) = self.three_marks()?;
            let lane = self.lane(to, index);
            let zero = self.constant(0, self.ty(m));
            let chosen = self.binary(Binary::Unequal, m, zero);
            self.body()?.branch(chosen, yes, no);
            self.body()?.place_mark(yes);
            self.emit(StatementKind::Assign(lane, a))?;
            self.body()?.goto(end);
            self.body()?.place_mark(no);
            self.emit(StatementKind::Assign(lane, b))?;
            self.body()?.place_mark(end);
        }
        Ok(Value::Record(to))
    }

    /// A value of several numbers at this moment, whatever comes after it.
    pub fn kept_lanes(&mut self, value: Value) -> Lowered<Value> {
        let (Some(_), Value::Record(l), true) = (self.shape_of(value), value, self.body.is_some()) else {
            return Ok(value);
        };
        let own = self.intermediate(self.terms.at(l).ty)?;
        self.at_once(|this| this.store_lanes(own, value, this.here))?;
        Ok(Value::Record(own))
    }

    /// A call of a compiler's function of vectors or complex numbers, or of one of the library that computes nothing; nothing if it is none.
    pub fn lanes_call(&mut self, node: &ast::CallExpression, span: Span) -> Lowered<Option<Value>> {
        let Some(name) = self.callee_name(node).map(|name| name.node.name.clone()) else { return Ok(None) };
        let plain = name.strip_prefix("__builtin_").unwrap_or(&name);
        let builtin = plain != name;
        if self.is_defined(&name) || self.in_model() {
            return Ok(None);
        }
        let complex = plain.trim_end_matches(['f', 'l']);
        match (plain, &node.arguments[..]) {
            ("complex", [real, imaginary]) if builtin => {
                let (real, imaginary) = (self.scalar(real)?, self.scalar(imaginary)?);
                self.complex_of(real, imaginary).map(Some)
            }
            ("shuffle", [a, mask]) if builtin => self.shuffle(&[a], mask, span).map(Some),
            ("shuffle", [a, b, mask]) if builtin => self.shuffle(&[a, b], mask, span).map(Some),
            (_, [argument]) if matches!(complex, "conj" | "creal" | "cimag") => {
                let kind = match plain.strip_prefix(complex) {
                    Some("f") => FloatKind::Single,
                    Some("l") => FloatKind::Extended,
                    _ => FloatKind::Double,
                };
                let of = self.types.float(kind);
                let ty = self.complex(of)?;
                let value = self.value(argument)?;
                let Value::Record(l) = self.fitted(value, ty, argument.span)? else { return Err(Refused) };
                match complex {
                    "conj" => self.laned_unary(&ast::UnaryOperator::Complement, l, span).map(Some),
                    _ => {
                        let index = if complex == "creal" { REAL } else { IMAGINARY };
                        Ok(Some(Value::Scalar(self.lane_value(l, index)?)))
                    }
                }
            }
            _ => Ok(None),
        }
    }

    /// `__builtin_shuffle(a, mask)`, `__builtin_shuffle(a, b, mask)`: numbers of a and b by their indices, modulo how many there are.
    fn shuffle(
        &mut self,
        from: &[&Node<ast::Expression>],
        mask: &Node<ast::Expression>,
        span: Span,
    ) -> Lowered<Value> {
        let mut sources = Vec::new();
        for e in from {
            let value = self.value(e)?;
            let Value::Record(l) = self.kept_lanes(value)? else { return Err(self.error("vectors are needed", span)) };
            sources.push(l);
        }
        let value = self.value(mask)?;
        let (Some(shape), Some(own)) = (self.several(self.terms.at(sources[0]).ty), self.shape_of(value)) else {
            return Err(self.error("vectors are needed", span));
        };
        let mask = self.spread(value, own, span)?;
        let both = self.types.intern(Type::Array(shape.of, shape.count * sources.len() as u64));
        let table = self.intermediate(both)?;
        let mut at = 0;
        for source in sources {
            for e in self.all_lanes(source, shape.count)? {
                let element = self.element(table, shape.of, at);
                self.emit(StatementKind::Assign(element, e))?;
                at += 1;
            }
        }
        let size = self.types.size_type();
        let least = self.constant(i128::from(at - 1), size);
        let mut lanes = Vec::new();
        for index in mask {
            let index = self.convert(index, size)?;
            let index = self.binary(Binary::And, index, least);
            let index = self.saved(index)?;
            let chosen = self.terms.lvalue(LvalueKind::Element(table, index), shape.of);
            lanes.push(self.read(chosen));
        }
        let result = Shape { count: own.count, ..shape };
        let ty = self.shaped(result)?;
        self.of_lanes(ty, lanes)
    }
}
