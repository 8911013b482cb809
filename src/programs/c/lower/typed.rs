//! Typed terms from typed operands: promotions, the usual arithmetic conversions, conversions, constants folded
//! (C11 §6.3).

use super::{Lowered, Lowering, Value};
use crate::c::arithmetic::{self, Outcome};
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term, Unary};
use crate::c::float;
use crate::c::types::{Integer, Rank, Type, TypeId};

impl Lowering<'_> {
    /// A number of a type, or NULL.
    pub fn constant(&mut self, number: i128, ty: TypeId) -> ExpressionId {
        let bits = match *self.types.get(ty) {
            Type::Integer(integer) => number as u128 & integer.mask(),
            Type::Float(kind) => float::of_number(kind, number),
            _ => 0,
        };
        self.terms.expression(ExpressionKind::Constant(bits), ty)
    }

    /// A number of type `int`.
    pub fn int_constant(&mut self, number: i128) -> ExpressionId {
        let int = self.types.int();
        self.constant(number, int)
    }

    /// The bits of a constant.
    pub fn folded(&self, e: ExpressionId) -> Option<u128> {
        match self.terms.get(e).kind {
            ExpressionKind::Constant(bits) => Some(bits),
            _ => None,
        }
    }

    /// The number that a constant of an integer type is.
    pub fn number(&self, e: ExpressionId) -> Option<i128> {
        let integer = self.types.as_integer(self.ty(e))?;
        self.folded(e).map(|bits| integer.number(bits))
    }

    /// The type of an expression.
    pub fn ty(&self, e: ExpressionId) -> TypeId {
        self.terms.get(e).ty
    }

    /// The value of a scalar lvalue.
    pub fn read(&mut self, l: LvalueId) -> ExpressionId {
        let ty = self.terms.at(l).ty;
        self.terms.expression(ExpressionKind::Read(l), ty)
    }

    /// `&l`, of type "pointer to the type of l"; `&*p` is p.
    pub fn address(&mut self, l: LvalueId) -> ExpressionId {
        let lvalue = self.terms.at(l).clone();
        let pointer = self.types.pointer(lvalue.ty);
        if let LvalueKind::Deref(p) = lvalue.kind
            && self.ty(p) == pointer
        {
            return p;
        }
        self.taken(l);
        self.terms.expression(ExpressionKind::AddressOf(l), pointer)
    }

    /// Notes that the address of the variable in an lvalue is known.
    fn taken(&mut self, l: LvalueId) {
        if let Some(variable) = self.terms.variable_of(l) {
            self.variables[variable.0 as usize].address_taken = true;
        }
    }

    /// `*p`; `*&l` is l, and `*(&a[0] + i)` is `a[i]`.
    pub fn deref(&mut self, p: ExpressionId) -> LvalueId {
        let pointee = self.types.pointee(self.ty(p)).expect("pointers are dereferenced");
        if let ExpressionKind::AddressOf(l) = self.terms.get(p).kind
            && self.terms.at(l).ty == pointee
        {
            return l;
        }
        self.terms.lvalue(LvalueKind::Deref(p), pointee)
    }

    /// An array as a value: the address of its first element.
    pub fn decayed(&mut self, array: LvalueId) -> ExpressionId {
        let lvalue = self.terms.at(array).clone();
        let element = match *self.types.get(lvalue.ty) {
            Type::Array(element, _) | Type::Variable(element, _) => element,
            _ => return self.address(array),
        };
        if let (true, LvalueKind::Deref(whole)) = (self.types.varies(lvalue.ty), lvalue.kind) {
            let to_element = self.types.pointer(element);
            return self.repointed(whole, to_element);
        }
        let zero = self.int_constant(0);
        let first = self.terms.lvalue(LvalueKind::Element(array, zero), element);
        self.address(first)
    }

    /// `p + i`
    pub fn offset(&mut self, p: ExpressionId, index: ExpressionId) -> ExpressionId {
        let ty = self.ty(p);
        if self.number(index) == Some(0) {
            return p;
        }
        if let ExpressionKind::AddressOf(l) = self.terms.get(p).kind
            && let LvalueKind::Element(array, first) = self.terms.at(l).kind
            && self.types.pointee(ty) == Some(self.terms.at(l).ty)
            && self.number(first) == Some(0)
        {
            let element = self.terms.at(l).ty;
            let shifted = self.terms.lvalue(LvalueKind::Element(array, index), element);
            return self.terms.expression(ExpressionKind::AddressOf(shifted), ty);
        }
        self.terms.expression(ExpressionKind::Offset(p, index), ty)
    }

    /// The integer promotions (§6.3.1.1).
    pub fn promote(&mut self, e: ExpressionId) -> ExpressionId {
        let Some(integer) = self.types.as_integer(self.ty(e)) else { return e };
        let promoted = self.types.promoted(integer);
        let ty = self.types.intern(Type::Integer(promoted));
        self.convert_integer(e, ty)
    }

    /// An integer converted to an integer type.
    pub fn convert_integer(&mut self, e: ExpressionId, ty: TypeId) -> ExpressionId {
        if self.ty(e) == ty {
            return e;
        }
        let types = (self.types.as_integer(self.ty(e)), self.types.as_integer(ty));
        if let ((Some(from), Some(to)), Some(bits)) = (types, self.folded(e)) {
            let bits = arithmetic::convert(from, to, bits);
            return self.terms.expression(ExpressionKind::Constant(bits), ty);
        }
        self.terms.expression(ExpressionKind::Convert(e), ty)
    }

    /// What an operation on constants comes to. In constant expressions, which compilers compute, it is computed modulo 2ʷ, as they do;
    /// elsewhere what overflows is left to whoever executes it.
    fn computed(&mut self, outcome: Outcome) -> Option<u128> {
        match outcome {
            Outcome::Value(bits) => Some(bits),
            Outcome::Overflow(bits) if self.body.is_none() => {
                let here = self.here;
                self.warning("this constant overflows its type: it is computed modulo a power of two", here);
                Some(bits)
            }
            Outcome::Overflow(_) | Outcome::Undefined(_) => None,
        }
    }

    /// Remarks, once in a program, that a number is computed with the width of a bit-field.
    fn note_width(&mut self, ty: TypeId) {
        let Some(integer) = self.types.as_integer(ty).filter(|integer| self.types.is_bit_field(*integer)) else {
            return;
        };
        if !std::mem::replace(&mut self.noted_width, true) {
            let message = format!("this is computed with the {} bits of a bit-field, as gcc does", integer.width);
            self.warning(format!("{message}; clang takes all bits of its declared type"), self.here);
        }
    }

    /// `op a` for a promoted integer.
    pub fn unary(&mut self, op: Unary, a: ExpressionId) -> ExpressionId {
        self.note_width(self.ty(a));
        let int = self.types.int();
        let ty = if op == Unary::Not { int } else { self.ty(a) };
        if let (Some(integer), Some(bits)) = (self.types.as_integer(self.ty(a)), self.folded(a))
            && let Some(bits) = self.computed(arithmetic::unary(op, integer, bits))
        {
            return self.terms.expression(ExpressionKind::Constant(bits), ty);
        }
        self.terms.expression(ExpressionKind::Unary(op, a), ty)
    }

    /// `a op b` for two integers: converted to their common type, or promoted each for shifts.
    pub fn arithmetic(&mut self, op: Binary, a: ExpressionId, b: ExpressionId) -> ExpressionId {
        let (a, b) = if matches!(op, Binary::ShiftLeft | Binary::ShiftRight) {
            (self.promote(a), self.promote(b))
        } else {
            self.balanced(a, b)
        };
        self.binary(op, a, b)
    }

    /// Two integers in their common type.
    pub fn balanced(&mut self, a: ExpressionId, b: ExpressionId) -> (ExpressionId, ExpressionId) {
        let (Some(x), Some(y)) = (self.types.as_integer(self.ty(a)), self.types.as_integer(self.ty(b))) else {
            return (a, b);
        };
        let common = self.types.common(x, y);
        let ty = self.types.intern(Type::Integer(common));
        let negative =
            |e: ExpressionId, integer: Integer| integer.signed && self.number(e).is_none_or(|number| number < 0);
        if !common.signed && (negative(a, x) || negative(b, y)) {
            self.note_width(ty);
        }
        (self.convert_integer(a, ty), self.convert_integer(b, ty))
    }

    /// The type of two values of which one is not represented: that of the longer (§6.3.1.8).
    pub fn wider(&mut self, a: Value, b: Value) -> TypeId {
        let mut types = [a, b].into_iter().filter_map(|value| match value {
            Value::Opaque(ty) => Some(ty),
            _ => None,
        });
        let first = types.next().unwrap_or_else(|| self.types.int());
        types.fold(first, |one, other| if self.types.size(other) > self.types.size(one) { other } else { one })
    }

    /// `a op b` for operands whose types agree.
    pub fn binary(&mut self, op: Binary, a: ExpressionId, b: ExpressionId) -> ExpressionId {
        let int = self.types.int();
        let ty = if op.is_truth() { int } else { self.ty(a) };
        if matches!(op, Binary::Add | Binary::Subtract | Binary::Multiply | Binary::ShiftLeft) {
            self.note_width(self.ty(a));
        }
        let integers = (self.types.as_integer(self.ty(a)), self.types.as_integer(self.ty(b)));
        if let ((Some(left), Some(right)), Some(x), Some(y)) = (integers, self.folded(a), self.folded(b))
            && let Some(bits) = self.computed(arithmetic::binary(op, left, x, right, y))
        {
            return self.terms.expression(ExpressionKind::Constant(bits), ty);
        }
        self.terms.expression(ExpressionKind::Binary(op, a, b), ty)
    }

    /// A scalar converted to a scalar type, as by assignment or cast (§6.3). Between integers and pointers only NULL and
    /// truth have a representation; all else is havocked.
    pub fn convert(&mut self, e: ExpressionId, ty: TypeId) -> Lowered<ExpressionId> {
        let from = self.ty(e);
        if from == ty {
            return Ok(e);
        }
        if self.types.as_float(from).is_some() || self.types.as_float(ty).is_some() {
            return self.convert_float(e, ty);
        }
        let (from_integer, to_integer) = (self.types.as_integer(from), self.types.as_integer(ty));
        match (from_integer, to_integer) {
            (Some(_), Some(_)) => Ok(self.convert_integer(e, ty)),
            (None, None) => match self.folded(e) {
                Some(_) if !self.is_numbered(e) => Ok(self.constant(0, ty)),
                _ => Ok(self.terms.expression(ExpressionKind::Convert(e), ty)),
            },
            // At the start, what holds such a value is not known: see `is_numbered`.
            (None, Some(_)) | (Some(_), None) if self.body.is_none() && self.folded(e) != Some(0) => {
                Ok(self.terms.expression(ExpressionKind::Convert(e), ty))
            }
            (None, Some(to)) => match self.folded(e) {
                Some(_) => Ok(self.constant(0, ty)),
                None if to.rank == Rank::Bool => Ok(self.terms.expression(ExpressionKind::Convert(e), ty)),
                None => {
                    self.evaluated(e)?;
                    let address = self.terms.expression(ExpressionKind::Convert(e), ty);
                    self.unknown_but_in_runs(address, "a pointer that is converted to an integer")
                }
            },
            (Some(_), None) => match self.folded(e) {
                Some(0) => Ok(self.constant(0, ty)),
                _ => {
                    self.evaluated(e)?;
                    let pointer = self.terms.expression(ExpressionKind::Convert(e), ty);
                    let pointer = self.unknown_but_in_runs(pointer, "an integer that is converted to a pointer")?;
                    self.note_numbered(pointer, self.folded(e).is_some());
                    Ok(pointer)
                }
            },
        }
    }

    /// Whether a pointer is made of a number in an expression, or a number of a pointer.
    pub fn is_numbered(&self, e: ExpressionId) -> bool {
        self.terms.postorder(Term::Expression(e)).into_iter().any(|term| {
            let Term::Expression(e) = term else { return false };
            let ExpressionKind::Convert(from) = self.terms.get(e).kind else { return false };
            let pointers = [e, from].map(|e| self.types.pointee(self.ty(e)).is_some());
            pointers[0] != pointers[1]
        })
    }

    /// An integer constant expression's value after lowering.
    pub fn is_null(&self, e: ExpressionId) -> bool {
        self.folded(e) == Some(0) && self.float(e).is_none()
    }
}
