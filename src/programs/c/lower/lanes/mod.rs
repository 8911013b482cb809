//! Values of several numbers: vectors (GNU C) and complex numbers (C11 §6.2.5). Each is a structure of one array, so that it is stored,
//! passed and returned as structures are; operators work on one number after the other, into an intermediate value.

mod complex;
mod vector;

use std::collections::HashMap;

use lang_c::ast;
use lang_c::span::Span;

use super::branch::is_omitted;
use super::{Lowered, Lowering, Refused, Value};
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

    /// `a op b`, of which one is of several numbers.
    pub fn laned(&mut self, op: Binary, a: Value, b: Value, span: Span) -> Lowered<Value> {
        let kinds = [a, b].map(|value| self.shape_of(value).map(|shape| shape.kind));
        self.at_once(|this| match kinds.contains(&Some(Kind::Vector)) {
            true => this.vector_operation(op, a, b, span),
            false => this.complex_operation(op, a, b, span),
        })
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
        if !self.has_lanes() || self.body.is_none() || is_omitted(&node.then_expression) {
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
}
