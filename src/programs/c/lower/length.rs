//! Arrays whose number of elements is known only when control gets to their declaration (C11 §6.7.6.2): the number is kept in a local,
//! and pointers to such arrays move by as many elements of the first type within that has a size.

use lang_c::ast;
use lang_c::span::{Node, Span};

use super::declarator::{Declared, Lengths};
use super::scope::Entity;
use super::{Lowered, Lowering};
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueId, LvalueKind};
use crate::c::program::{Room, StatementKind, VariableId};
use crate::c::types::{Type, TypeId};

impl Lowering<'_> {
    /// Does something while lengths are treated like this.
    pub fn with_lengths<T>(&mut self, lengths: Lengths, work: impl FnOnce(&mut Self) -> Lowered<T>) -> Lowered<T> {
        let outer = std::mem::replace(&mut self.lengths, lengths);
        let done = work(self);
        self.lengths = outer;
        done
    }

    /// The type of an array of so many elements, a number that is not constant; `outermost` is whether nothing is around it.
    pub fn varying(&mut self, element: TypeId, e: &Node<ast::Expression>, outermost: bool) -> Lowered<TypeId> {
        match self.lengths {
            Lengths::Forgotten => return Ok(self.types.intern(Type::Variable(element, None))),
            Lengths::OfParameter if outermost => {
                self.effects(e)?;
                return Ok(self.types.intern(Type::Array(element, 0)));
            }
            Lengths::OfParameter | Lengths::Computed => {}
        }
        if self.body.is_none() {
            return Err(self.error("the length of this array has to be constant", e.span));
        }
        if self.types.layout(self.types.fixed(element)).is_none() {
            let message = format!("the size of the elements, `{}`, is not known", self.types.name(element));
            return Err(self.error(message, e.span));
        }
        let length = self.scalar(e)?;
        if self.number(length).is_some() {
            return Err(self.error("an array cannot have so many elements", e.span));
        }
        let most =
            self.types.as_integer(self.ty(length)).map_or(u128::MAX, |from| from.mask() >> u32::from(from.signed));
        let size_type = self.types.size_type();
        let length = self.convert(length, size_type)?;
        let held = self.held(length, element, most, e.span)?;
        Ok(self.types.intern(Type::Variable(element, Some(held))))
    }

    /// A local with a number of elements, which is undefined if it is not possible; `most` is the greatest number of its type.
    fn held(&mut self, length: ExpressionId, element: TypeId, most: u128, span: Span) -> Lowered<VariableId> {
        let size_type = self.types.size_type();
        let limit = self.limit(element);
        let fixed = self.constant(limit as i128, size_type);
        let most = most.min(limit);
        let within = self.most(element).and_then(|within| within.checked_mul(most));
        // The number of all elements does not wrap around, or a quotient, which solvers do not like, has to say so.
        let wraps = within.is_none_or(|all| all >> self.types.model.pointer.min(64) != 0);
        let bound = if self.types.varies(element) && wraps {
            let whole = self.constant(self.limit_in_bytes() as i128, size_type);
            let size = self.size_in_bytes(element, span)?;
            self.binary(Binary::Divide, whole, size)
        } else {
            fixed
        };
        let checked = self.terms.expression(ExpressionKind::Binary(Binary::Length, length, bound), size_type);
        let to = self.intermediate(size_type)?;
        self.emit(StatementKind::Assign(to, checked))?;
        let LvalueKind::Variable(held) = self.terms.at(to).kind else { return Err(super::Refused) };
        self.longest.insert(held, most);
        if self.types.varies(element) && !wraps {
            let (own, others) = (self.read(to), self.count(element, span)?);
            let all = self.binary(Binary::Multiply, own, others);
            let checked = self.terms.expression(ExpressionKind::Binary(Binary::Length, all, fixed), size_type);
            let to = self.intermediate(size_type)?;
            self.emit(StatementKind::Assign(to, checked))?;
        }
        Ok(held)
    }

    /// The type of an array of so many elements of a type that varies.
    pub fn of_varying(&mut self, element: TypeId, length: u64, outermost: bool, span: Span) -> Lowered<TypeId> {
        let is_object = self.lengths == Lengths::Computed || self.lengths == Lengths::OfParameter && !outermost;
        if self.types.varies(element) && is_object && length > 1 {
            let size_type = self.types.size_type();
            let limit = self.limit(element) / u128::from(length);
            let (count, limit) = (self.count(element, span)?, self.constant(limit as i128, size_type));
            let checked = self.terms.expression(ExpressionKind::Binary(Binary::Length, count, limit), size_type);
            let to = self.intermediate(size_type)?;
            self.emit(StatementKind::Assign(to, checked))?;
        }
        Ok(self.types.intern(Type::Array(element, length)))
    }

    /// No object has more bytes (C11 §7.19, `ptrdiff_t`).
    fn limit_in_bytes(&self) -> u128 {
        (1 << (self.types.model.pointer.min(64) - 1)) - 1
    }

    /// No object has more elements of the first type within that does not vary.
    fn limit(&self, ty: TypeId) -> u128 {
        let size = self.types.size(self.types.fixed(ty)).unwrap_or(1).max(1);
        self.limit_in_bytes() / u128::from(size)
    }

    /// The greatest number of such elements that an object of that type may have by the types of its lengths.
    fn most(&self, ty: TypeId) -> Option<u128> {
        let (mut most, mut at) = (1u128, ty);
        while self.types.varies(at) {
            let (element, length) = match self.types.get(at) {
                Type::Array(element, length) => (*element, u128::from(*length)),
                Type::Variable(element, held) => (*element, *self.longest.get(&(*held)?)?),
                _ => return None,
            };
            most = most.checked_mul(length)?;
            at = element;
        }
        Some(most)
    }

    /// How many elements of the first type within that does not vary there are in an object.
    fn count(&mut self, ty: TypeId, span: Span) -> Lowered<ExpressionId> {
        let size_type = self.types.size_type();
        let mut count = self.constant(1, size_type);
        let mut at = ty;
        while self.types.varies(at) {
            let length = match *self.types.get(at) {
                Type::Array(element, length) if length > 0 => {
                    at = element;
                    self.constant(i128::from(length), size_type)
                }
                Type::Variable(element, Some(held)) => {
                    at = element;
                    let held = self.around(held, size_type);
                    self.read(held)
                }
                _ => {
                    let message = format!("the size of `{}` is not known here", self.types.name(ty));
                    return Err(self.error(message, span));
                }
            };
            count = if self.number(count) == Some(1) { length } else { self.binary(Binary::Multiply, count, length) };
        }
        Ok(count)
    }

    /// The size of an object, a `size_t`.
    pub fn size_in_bytes(&mut self, ty: TypeId, span: Span) -> Lowered<ExpressionId> {
        let size_type = self.types.size_type();
        let fixed = self.types.fixed(ty);
        let size = self.types.size(fixed).ok_or(super::Refused)?;
        let size = self.constant(i128::from(size), size_type);
        if fixed == ty {
            return Ok(size);
        }
        let count = self.count(ty, span)?;
        Ok(if self.number(size) == Some(1) { count } else { self.binary(Binary::Multiply, count, size) })
    }

    /// The same address as a pointer of another type.
    pub fn repointed(&mut self, pointer: ExpressionId, ty: TypeId) -> ExpressionId {
        let mut at = pointer;
        while let ExpressionKind::Convert(inner) = self.terms.get(at).kind
            && self.types.pointee(self.ty(inner)).is_some()
        {
            at = inner;
        }
        if self.ty(at) == ty { at } else { self.terms.expression(ExpressionKind::Convert(at), ty) }
    }

    fn decayed_to_fixed(&mut self, pointer: ExpressionId, pointee: TypeId) -> ExpressionId {
        let fixed = self.types.fixed(pointee);
        let to_fixed = self.types.pointer(fixed);
        self.repointed(pointer, to_fixed)
    }

    /// `p + i` for a pointer to what varies.
    pub fn moved_by_count(&mut self, pointer: ExpressionId, by: ExpressionId, span: Span) -> Lowered<ExpressionId> {
        let ty = self.ty(pointer);
        let Some(pointee) = self.types.pointee(ty) else { return Ok(pointer) };
        if self.number(by) == Some(0) {
            return Ok(pointer);
        }
        let (size_type, distance) = (self.types.size_type(), self.types.difference_type());
        let count = self.count(pointee, span)?;
        let by = if self.number(by) == Some(1) {
            count
        } else {
            // Modulo 2ʷ, as addresses are.
            let by = self.convert_integer(by, size_type);
            self.binary(Binary::Multiply, by, count)
        };
        let by = self.convert_integer(by, distance);
        let elements = self.decayed_to_fixed(pointer, pointee);
        let moved = self.offset(elements, by);
        Ok(self.repointed(moved, ty))
    }

    /// `p - q` for pointers to what varies.
    pub fn distance_by_count(&mut self, a: ExpressionId, b: ExpressionId, span: Span) -> Lowered<ExpressionId> {
        let Some(pointee) = self.types.pointee(self.ty(a)) else { return Err(super::Refused) };
        let distance = self.types.difference_type();
        let count = self.count(pointee, span)?;
        let count = self.convert_integer(count, distance);
        let (a, b) = (self.decayed_to_fixed(a, pointee), self.decayed_to_fixed(b, pointee));
        let elements = self.terms.expression(ExpressionKind::Distance(a, b), distance);
        Ok(self.binary(Binary::Divide, elements, count))
    }

    /// `int a[n];`: a pointer to as many elements.
    pub fn varying_object(&mut self, declared: &Declared<'_>, span: Span) -> Lowered<()> {
        let name = declared.name.map_or("", |name| &name.node.name);
        let fixed = self.types.fixed(declared.ty);
        self.complete(fixed, name, span)?;
        let pointer = self.types.pointer(fixed);
        let id = self.local_variable(name, pointer, span)?;
        self.body()?.lifetimes.varies(id);
        let place = self.place(span);
        self.body()?.place = place;
        let size = self.size_in_bytes(declared.ty, span)?;
        let to = self.terms.lvalue(LvalueKind::Variable(id), pointer);
        self.emit(StatementKind::Allocate { to, size, element: Some(fixed), room: Room::Frame, lacks: false })?;
        self.name(name, Entity::Dynamic(id, declared.ty));
        Ok(())
    }

    /// The object of such a name, of its type; the variable holds where it is.
    pub fn varying_lvalue(&mut self, id: VariableId, ty: TypeId) -> LvalueId {
        let pointer = self.variables[id.0 as usize].ty;
        let held = self.around(id, pointer);
        let value = self.read(held);
        let to = self.types.pointer(ty);
        let whole = self.repointed(value, to);
        self.terms.lvalue(LvalueKind::Deref(whole), ty)
    }
}
