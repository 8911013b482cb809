//! Vectors (GNU C): operators lane by lane, choices, shuffles. Numbers that are narrower than `int` are computed modulo 2ʷ.

use lang_c::ast;
use lang_c::span::{Node, Span};

use super::super::{Lowered, Lowering, Refused, Value};
use super::{Kind, Shape};
use crate::c::expression::{Binary, ExpressionId, LvalueKind, Unary};
use crate::c::program::StatementKind;
use crate::c::types::{Rank, Type, TypeId};

impl Lowering<'_> {
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
            // Of numbers that are not represented.
            Type::Opaque(size) if size <= bytes => Ok(self.types.intern(Type::Opaque(bytes))),
            _ => Err(self.error("vectors are made of numbers", span)),
        }
    }

    pub(super) fn vector_operation(&mut self, op: Binary, a: Value, b: Value, span: Span) -> Lowered<Value> {
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
    pub(super) fn spread(&mut self, value: Value, shape: Shape, span: Span) -> Lowered<Vec<ExpressionId>> {
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
    pub(super) fn truth_shape(&mut self, shape: Shape) -> Lowered<Shape> {
        let bits = self.types.size(shape.of).unwrap_or(0) * 8;
        let ranks = [Rank::Char, Rank::Short, Rank::Int, Rank::Long, Rank::LongLong, Rank::Int128];
        let rank = ranks.into_iter().find(|rank| u64::from(self.types.model.width(*rank)) == bits).ok_or(Refused)?;
        Ok(Shape { of: self.types.integer(rank, true), ..shape })
    }

    pub(super) fn lane_operation(
        &mut self,
        op: Binary,
        a: ExpressionId,
        b: ExpressionId,
        span: Span,
    ) -> Lowered<ExpressionId> {
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

    /// `m ? a : b` for a vector m: of each number of a and b one.
    pub(super) fn selection(&mut self, node: &ast::ConditionalExpression) -> Lowered<Value> {
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

    /// `__builtin_shuffle(a, mask)`, `__builtin_shuffle(a, b, mask)`: numbers of a and b by their indices, modulo how many there are.
    pub(super) fn shuffle(
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
