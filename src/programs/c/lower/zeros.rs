//! Zeros of C11 §6.7.9: objects that are set to zero, scalar by scalar, or by a loop where they are many.

use super::unrepresented::FLOATING;
use super::{Lowered, Lowering};
use crate::c::expression::{Binary, ExpressionKind, LvalueId, LvalueKind};
use crate::c::program::StatementKind;
use crate::c::types::{Type, TypeId};

/// Arrays with more elements than this are set to zero by a loop.
pub(super) const MOST_ZEROS: u64 = 64;

impl Lowering<'_> {
    /// Sets all scalars of an object to zero.
    pub fn zero(&mut self, target: LvalueId) -> Lowered<()> {
        if self.body.is_none() && !self.is_in_union(target) {
            // That is what it starts with, unless something was said of it before.
            self.initial.retain(|(to, _)| !self.terms.is_in(*to, target));
            self.unrepresented.retain(|one| !self.terms.is_in(one.to, target));
            return Ok(());
        }
        let mut open = vec![target];
        while let Some(part) = open.pop() {
            let ty = self.terms.at(part).ty;
            match self.types.get(ty).clone() {
                // What else is in a union is set to zero after it.
                _ if self.types.is_opaque(ty) => self.zero_unrepresented(part)?,
                Type::Array(element, length) if length > MOST_ZEROS => {
                    self.zero_by_loop(part, element, length)?;
                }
                Type::Array(element, length) => {
                    open.extend((0..length).rev().map(|index| self.element(part, element, index)));
                }
                Type::Record(record) => {
                    let fields = &self.types.records[record.0 as usize].fields;
                    let mut order: Vec<(bool, usize)> =
                        (0..).zip(fields).map(|(index, field)| (!self.has_opaque(field.ty), index)).collect();
                    order.sort_unstable();
                    open.extend(order.into_iter().rev().map(|(_, index)| self.field(part, index)));
                }
                Type::Integer(_) | Type::Pointer(_) => {
                    let zero = self.constant(0, ty);
                    self.assign(part, zero)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The same of what is not represented: all of its bytes are zero, but only who executes the program knows.
    pub(super) fn zero_unrepresented(&mut self, part: LvalueId) -> Lowered<()> {
        let ty = self.terms.at(part).ty;
        let zero = self.terms.expression(ExpressionKind::Constant(0), ty);
        let reason = self.reason(FLOATING)?;
        match &mut self.body {
            Some(body) => body.emit(StatementKind::Havoc(part, reason, Some(zero))),
            None => self.initial.push((part, zero)),
        }
        Ok(())
    }

    fn zero_by_loop(&mut self, array: LvalueId, element: TypeId, length: u64) -> Lowered<()> {
        let size = self.types.size_type();
        let index = self.intermediate(size)?;
        let start = self.constant(0, size);
        self.emit(StatementKind::Assign(index, start))?;
        let (again, turn, out) = {
            let body = self.body()?;
            (body.mark(), body.mark(), body.mark())
        };
        let at = self.read(index);
        let end = self.constant(i128::from(length), size);
        let more = self.binary(Binary::Less, at, end);
        let body = self.body()?;
        body.place_mark(again);
        body.branch(more, turn, out);
        body.place_mark(turn);
        let part = self.terms.lvalue(LvalueKind::Element(array, at), element);
        self.zero(part)?;
        let one = self.constant(1, size);
        let next = self.binary(Binary::Add, at, one);
        self.emit(StatementKind::Assign(index, next))?;
        let body = self.body()?;
        body.goto(again);
        body.place_mark(out);
        Ok(())
    }
}
