//! Expressions and lvalues under a state: every part once, from left to right, without recursion.

use std::rc::Rc;

use super::inputs::Asked;
use super::location::{Location, Planned, moved};
use super::memory::{self, Byte};
use super::step::Machine;
use super::{Doubt, End, Fault, Pointer, Value, float as real};
use crate::c::arithmetic::{self, Outcome};
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term, Unary};
use crate::c::program::Overflow;
use crate::c::types::{Integer, Rank, Type, TypeId};

/// That a scalar is arbitrary so far: who reads it gets an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Undecided;

/// What a term comes to.
#[derive(Clone, Copy, Debug)]
enum Slot {
    Value(Value),
    Location(Location),
    /// Why the address is not known.
    Nowhere(Value),
}

impl Machine<'_> {
    /// The value of an expression.
    pub fn value(&mut self, e: ExpressionId) -> Result<Value, End> {
        match self.run(Term::Expression(e))? {
            Slot::Value(value) => Ok(value),
            _ => Ok(Value::Bytes),
        }
    }

    /// Where an lvalue is.
    pub fn location(&mut self, l: LvalueId) -> Result<Location, End> {
        match self.run(Term::Lvalue(l))? {
            Slot::Location(location) => Ok(location),
            Slot::Value(value) | Slot::Nowhere(value) => {
                Err(End::Unknown(value.doubt().unwrap_or(Doubt::ArbitraryPointer)))
            }
        }
    }

    /// The parts of a term in the order of their evaluation; made once.
    fn plan(&mut self, root: Term) -> Rc<[Planned]> {
        if let Some(plan) = self.fixed.plans.borrow().get(&root) {
            return plan.clone();
        }
        let terms = &self.program.terms;
        let order = terms.postorder(root);
        let place: std::collections::HashMap<Term, u32> = order.iter().copied().zip(0..).collect();
        let planned = order.iter().map(|&term| {
            let mut parts = terms.parts(term).map(|part| place[&part]);
            Planned { term, parts: [parts.next().unwrap_or(0), parts.next().unwrap_or(0)] }
        });
        let plan: Rc<[Planned]> = planned.collect();
        self.fixed.plans.borrow_mut().insert(root, plan.clone());
        plan
    }

    fn run(&mut self, root: Term) -> Result<Slot, End> {
        let plan = self.plan(root);
        let mut slots: Vec<Slot> = Vec::with_capacity(plan.len());
        for planned in plan.iter() {
            let parts =
                planned.parts.map(|part| slots.get(part as usize).copied().unwrap_or(Slot::Value(Value::Bytes)));
            let slot = match planned.term {
                Term::Expression(e) => self.expression(e, parts)?,
                Term::Lvalue(l) => self.lvalue(l, parts),
            };
            slots.push(slot);
        }
        slots.pop().ok_or(End::Unknown(Doubt::Bytes))
    }

    fn lvalue(&self, l: LvalueId, parts: [Slot; 2]) -> Slot {
        let lvalue = self.program.terms.at(l);
        let ty = lvalue.ty;
        match (&lvalue.kind, parts[0]) {
            (LvalueKind::Variable(id), _) => {
                let pointer = Pointer::Object { object: self.object(*id), offset: 0 };
                Slot::Location(Location { pointer, bit: None, outside: false, ty })
            }
            (LvalueKind::Deref(_), Slot::Value(Value::Pointer(pointer))) => {
                Slot::Location(Location { pointer, bit: None, outside: false, ty })
            }
            (LvalueKind::Deref(_), Slot::Value(value)) => Slot::Nowhere(value),
            (LvalueKind::Field(of, index), Slot::Location(base)) => {
                let record = self.program.types.as_record(self.program.terms.at(*of).ty);
                let Some(field) = record.and_then(|record| record.fields.get(*index as usize)) else {
                    return Slot::Nowhere(Value::Bytes);
                };
                let pointer = moved(base.pointer, i128::from(field.offset));
                Slot::Location(Location { pointer, bit: field.bit, outside: base.outside, ty })
            }
            (LvalueKind::Element(of, index), Slot::Location(base)) => match parts[1] {
                Slot::Value(Value::Bits(bits)) => {
                    let integer = self.integer(self.program.terms.get(*index).ty);
                    let at = integer.number(bits);
                    let size = i128::from(self.program.types.size(ty).unwrap_or(1));
                    let length = match self.program.types.get(self.program.terms.at(*of).ty) {
                        Type::Array(_, length) if *length > 0 => i128::from(*length),
                        _ => i128::MAX,
                    };
                    let outside = base.outside || !(0..length).contains(&at);
                    let pointer = moved(base.pointer, at.saturating_mul(size));
                    Slot::Location(Location { pointer, bit: None, outside, ty })
                }
                Slot::Value(value) => Slot::Nowhere(value),
                other => other,
            },
            (_, Slot::Value(value)) => Slot::Nowhere(value),
            (_, nowhere) => nowhere,
        }
    }

    fn integer(&self, ty: TypeId) -> Integer {
        self.program.types.as_integer(ty).unwrap_or_else(|| self.program.types.integer_of(Rank::Int, true))
    }

    fn expression(&mut self, e: ExpressionId, parts: [Slot; 2]) -> Result<Slot, End> {
        let program = self.program;
        let expression = program.terms.get(e);
        let ty = expression.ty;
        let value = |slot: Slot| match slot {
            Slot::Value(value) | Slot::Nowhere(value) => value,
            Slot::Location(_) => Value::Bytes,
        };
        let (a, b) = (value(parts[0]), value(parts[1]));
        let result = match &expression.kind {
            ExpressionKind::Constant(bits) => match program.types.pointee(ty) {
                None => Value::Bits(*bits),
                Some(_) => Value::Pointer(Pointer::NULL),
            },
            ExpressionKind::Procedure(id) => Value::Pointer(Pointer::Procedure(*id)),
            ExpressionKind::Read(_) => match parts[0] {
                Slot::Location(location) => self.read(location)?,
                Slot::Value(value) | Slot::Nowhere(value) => {
                    return Err(End::Unknown(value.doubt().unwrap_or(Doubt::ArbitraryPointer)));
                }
            },
            ExpressionKind::AddressOf(_) => match parts[0] {
                Slot::Location(location) => Value::Pointer(location.pointer),
                Slot::Value(value) | Slot::Nowhere(value) => value,
            },
            ExpressionKind::Unary(op, of) => self.unary(*op, program.terms.get(*of).ty, a)?,
            ExpressionKind::Binary(op, x, y) => {
                self.binary(*op, program.terms.get(*x).ty, a, program.terms.get(*y).ty, b)?
            }
            ExpressionKind::Convert(of) => self.converted(program.terms.get(*of).ty, ty, a)?,
            ExpressionKind::Offset(_, index) => {
                let size = program.types.pointee(ty).and_then(|to| program.types.size(to)).unwrap_or(1);
                let integer = self.integer(program.terms.get(*index).ty);
                match (a, b) {
                    (Value::Pointer(pointer), Value::Bits(bits)) => {
                        let by = integer.number(bits).saturating_mul(i128::from(size));
                        Value::Pointer(moved(pointer, by))
                    }
                    (Value::Pointer(_), unknown) | (unknown, _) => unknown,
                }
            }
            ExpressionKind::Distance(x, _) => {
                let pointee = program.types.pointee(program.terms.get(*x).ty);
                let size = pointee.and_then(|to| program.types.size(to)).unwrap_or(1).max(1);
                match (a, b) {
                    (
                        Value::Pointer(Pointer::Object { object: p, offset: x }),
                        Value::Pointer(Pointer::Object { object: q, offset: y }),
                    ) if p == q => {
                        let distance = (i128::from(x) - i128::from(y)) / i128::from(size);
                        Value::Bits(distance as u128 & self.integer(ty).mask())
                    }
                    (Value::Pointer(_), Value::Pointer(_)) => return Err(End::Unknown(Doubt::Unrelated)),
                    (Value::Pointer(_), unknown) | (unknown, _) => unknown,
                }
            }
            // In programs there are none of these.
            ExpressionKind::Pre(_) | ExpressionKind::Result => Value::Bytes,
        };
        Ok(Slot::Value(result))
    }

    fn unary(&mut self, op: Unary, ty: TypeId, a: Value) -> Result<Value, End> {
        if op == Unary::Elements {
            let size = self.program.types.pointee(ty).and_then(|to| self.program.types.size(to)).unwrap_or(0);
            let Value::Pointer(Pointer::Object { object, offset }) = a else { return Ok(Value::Bits(0)) };
            let all = self.memory.object(object).map_or(0, |object| object.size());
            let rest = (i128::from(all) - i128::from(offset)).checked_div(i128::from(size)).unwrap_or(0);
            let own = self.program.types.difference();
            return Ok(Value::Bits(rest as u128 & own.mask()));
        }
        if op == Unary::Freed {
            let freed = matches!(a, Value::Pointer(pointer) if self.memory.is_freed(pointer));
            return Ok(if freed { a } else { Value::Pointer(Pointer::NULL) });
        }
        if let Some(kind) = self.program.types.as_float(ty) {
            return Ok(real::unary(op, kind, a));
        }
        match a {
            Value::Bits(bits) => {
                let integer = self.integer(ty);
                self.outcome(arithmetic::unary(op, integer, bits))
            }
            Value::Pointer(pointer) if self.program.types.pointee(ty).is_some() => {
                Ok(Value::Bits(u128::from(pointer == Pointer::NULL)))
            }
            other => {
                let unknown = match other {
                    Value::Pointer(pointer) => self.of_address(op, pointer),
                    other => other,
                };
                let overflows = op == Unary::Negate && self.may_overflow(ty);
                self.if_defined(unknown, !overflows)
            }
        }
    }

    /// Whether arithmetic in a type may end a run.
    fn may_overflow(&self, ty: TypeId) -> bool {
        self.options.overflow != Overflow::Wrap && self.integer(ty).signed
    }

    /// What comes of a value that is not known: nor is whether the run goes on, unless the operation is defined for all values.
    fn if_defined(&self, unknown: Value, defined: bool) -> Result<Value, End> {
        match unknown.doubt().filter(|_| !defined) {
            Some(doubt) => Err(End::Unknown(doubt)),
            None => Ok(unknown),
        }
    }

    /// Whether an operator has a value for any left operand, and this right one, if it is known.
    fn is_always_defined(&self, op: Binary, left: TypeId, right: (TypeId, Value)) -> bool {
        let known = match right {
            (ty, Value::Bits(bits)) if self.program.types.as_integer(ty).is_some() => {
                Some(self.integer(ty).number(bits))
            }
            _ => None,
        };
        match op {
            Binary::Add | Binary::Subtract | Binary::Multiply => !self.may_overflow(left),
            Binary::Divide | Binary::Remainder => {
                known.is_some_and(|by| by != 0 && !(by == -1 && self.integer(left).signed))
            }
            Binary::ShiftLeft | Binary::ShiftRight => {
                let width = i128::from(self.integer(left).width);
                let fits = known.is_some_and(|by| (0..width).contains(&by));
                fits && (op == Binary::ShiftRight || !self.may_overflow(left))
            }
            Binary::Length => false,
            _ => true,
        }
    }

    fn binary(&mut self, op: Binary, left: TypeId, a: Value, right: TypeId, b: Value) -> Result<Value, End> {
        if let Some(kind) = self.program.types.as_float(left) {
            return Ok(real::binary(op, kind, a, b));
        }
        match (a, b) {
            (Value::Bits(a), Value::Bits(b)) => {
                let (left, right) = (self.integer(left), self.integer(right));
                self.outcome(arithmetic::binary(op, left, a, right, b))
            }
            (Value::Pointer(_), Value::Bits(_) | Value::Pointer(_)) | (Value::Bits(_), Value::Pointer(_))
                if self.program.types.as_integer(left).is_some() =>
            {
                match self.with_address(self.integer(left), op, a, b) {
                    Value::Bytes => self.if_defined(Value::Bytes, self.is_always_defined(op, left, (right, b))),
                    known => Ok(known),
                }
            }
            (Value::Pointer(a), Value::Pointer(b)) => compared(op, a, b),
            (Value::Bits(_) | Value::Pointer(_), unknown) => {
                let defined = self.is_always_defined(op, left, (right, unknown));
                self.if_defined(unknown, defined)
            }
            (unknown, b) => {
                let defined = self.is_always_defined(op, left, (right, b));
                self.if_defined(unknown, defined)
            }
        }
    }

    fn outcome(&mut self, outcome: Outcome) -> Result<Value, End> {
        match (outcome, self.options.overflow) {
            (Outcome::Value(bits), _) => Ok(Value::Bits(bits)),
            (Outcome::Overflow(bits), Overflow::Wrap) => {
                self.wrapped();
                Ok(Value::Bits(bits))
            }
            (Outcome::Overflow(_), _) => Err(self.fault(Fault::Overflow)),
            (Outcome::Undefined(why), _) => Err(self.fault(Fault::Arithmetic(why))),
        }
    }

    fn converted(&self, from: TypeId, to: TypeId, value: Value) -> Result<Value, End> {
        let types = &self.program.types;
        if let Some(converted) = real::converted(types, from, to, value) {
            return converted.map_err(|fault| self.fault(fault));
        }
        Ok(match (value, types.as_integer(from), types.as_integer(to)) {
            (Value::Bits(bits), Some(from), Some(to)) => Value::Bits(arithmetic::convert(from, to, bits)),
            (Value::Pointer(pointer), _, Some(to)) => self.readdressed(pointer, to),
            (Value::Bits(0), Some(_), None) => Value::Pointer(Pointer::NULL),
            (Value::Bits(_), Some(_), None) => Value::Bytes,
            (Value::Part(..), _, Some(to)) if to.width != 8 => Value::Bytes,
            (value, ..) => value,
        })
    }

    /// How many bytes a scalar has, and for a bit-field the bits in them.
    fn extent(&self, location: Location) -> (usize, Option<(u32, Integer)>) {
        if let (Some(bit), Some(integer)) = (location.bit, self.program.types.as_integer(location.ty)) {
            return ((bit + integer.width).div_ceil(8) as usize, Some((bit, integer)));
        }
        let size = self.program.types.size(location.ty).unwrap_or(0);
        (usize::try_from(size).unwrap_or(usize::MAX), None)
    }

    /// The object and the byte in it, unless the access is invalid.
    pub(super) fn target(&self, location: Location) -> Result<(u64, i64), End> {
        match location.pointer {
            Pointer::Object { object, .. } if location.outside && object != 0 => Err(self.fault(Fault::OutOfBounds)),
            Pointer::Object { object, offset } => Ok((object, offset)),
            Pointer::Procedure(_) => Err(self.fault(Fault::OutOfBounds)),
            Pointer::Arbitrary => Err(End::Unknown(Doubt::ArbitraryPointer)),
        }
    }

    /// The scalar at a location. What is arbitrary is decided now.
    pub fn read(&mut self, location: Location) -> Result<Value, End> {
        let (object, offset) = self.target(location)?;
        if let Some(kind) = self.program.types.as_float(location.ty) {
            return self.float_at(kind, location, (object, offset)).map_err(|fault| self.fault(fault));
        }
        if let Some(value) = self.plainly(location, (object, offset)).map_err(|fault| self.fault(fault))? {
            return Ok(value);
        }
        let mut bytes = [Byte::Arbitrary; 24];
        let bytes = self.scalar_bytes(location, (object, offset), &mut bytes).map_err(|fault| self.fault(fault))?;
        if self.is_open(location, bytes) {
            let before = self.given().len();
            if self.decide(location, bytes)? {
                self.belong(before, (object, offset), location.bit);
            }
            self.memory.put(object, offset, bytes, true).map_err(|fault| self.fault(fault))?;
        }
        Ok(self.decoded(location, bytes))
    }

    /// The integer at a location, if all its bytes are those of a number: what is read most.
    fn plainly(&self, location: Location, (object, offset): (u64, i64)) -> Result<Option<Value>, Fault> {
        let (size, bits) = self.extent(location);
        if bits.is_some() || size > 16 {
            return Ok(None);
        }
        let Some(integer) = self.program.types.as_integer(location.ty) else { return Ok(None) };
        Ok(self.memory.number(object, offset, size)?.map(|bits| Value::Bits(bits & integer.mask())))
    }

    /// The scalar at a location, if it has a value; nothing is decided.
    pub fn glimpse(&self, location: Location) -> Option<Result<Value, Undecided>> {
        let mut bytes = [Byte::Arbitrary; 24];
        let target = self.target(location).ok()?;
        if let Some(kind) = self.program.types.as_float(location.ty) {
            return self.float_at(kind, location, target).ok().map(Ok);
        }
        let bytes = self.scalar_bytes(location, target, &mut bytes).ok()?;
        Some(if self.is_open(location, bytes) { Err(Undecided) } else { Ok(self.decoded(location, bytes)) })
    }

    /// The bytes of a scalar, copied.
    fn scalar_bytes<'b>(
        &self,
        location: Location,
        (object, offset): (u64, i64),
        bytes: &'b mut [Byte; 24],
    ) -> Result<&'b mut [Byte], Fault> {
        let (size, _) = self.extent(location);
        let bytes = &mut bytes[..size.min(24)];
        self.memory.at(object, offset, bytes)?;
        Ok(bytes)
    }

    /// Whether something of a scalar is arbitrary.
    fn is_open(&self, location: Location, bytes: &[Byte]) -> bool {
        let (size, bits) = self.extent(location);
        match bits {
            Some((bit, field)) => memory::masks(bit, field.width, size).zip(bytes).any(|(mask, byte)| match byte {
                Byte::Partly(_, known) => mask & !known != 0,
                Byte::Arbitrary => mask != 0,
                _ => false,
            }),
            None => bytes.iter().any(|byte| matches!(byte, Byte::Arbitrary | Byte::Partly(..))),
        }
    }

    /// What the bytes of a scalar are.
    fn decoded(&self, location: Location, bytes: &mut [Byte]) -> Value {
        if self.program.types.pointee(location.ty).is_some() {
            return memory::pointer(bytes);
        }
        let (_, bits) = self.extent(location);
        let integer = self.integer(location.ty);
        if bits.is_some() {
            // Bits that are still open are not those of the field.
            for byte in bytes.iter_mut() {
                match *byte {
                    Byte::Partly(known, _) => *byte = Byte::Bits(known),
                    Byte::Arbitrary => *byte = Byte::Bits(0),
                    _ => {}
                }
            }
        }
        if bits.is_none()
            && let Some(&Byte::Pointer(pointer, at)) = bytes.first()
        {
            return match memory::pointer(bytes) {
                _ if bytes.len() == 1 => Value::Part(pointer, at),
                whole if bytes.len() as u64 == u64::from(self.program.types.model.pointer / 8) => whole,
                _ => Value::Bytes,
            };
        }
        match (memory::number(bytes), bits) {
            (Value::Bits(bits), Some((bit, field))) => Value::Bits(bits >> bit & field.mask()),
            (Value::Bits(bits), None) => Value::Bits(bits & integer.mask()),
            (other, _) => other,
        }
    }

    /// Gives what is arbitrary of a scalar a value: as a whole, and then it says so, if all of it is; else byte by byte.
    fn decide(&mut self, location: Location, bytes: &mut [Byte]) -> Result<bool, End> {
        match self.extent(location).1 {
            None if bytes.iter().all(|byte| *byte == Byte::Arbitrary) => {
                let value = self.arbitrary(location.ty)?;
                memory::bytes(value, bytes);
                return Ok(true);
            }
            Some((bit, field)) if is_blank(bytes, bit, field.width) => {
                let number = self.ask(Asked::Integer(field), location.ty)?;
                memory::field(bytes, bit, field.width, Value::Bits(number as u128 & field.mask()));
                return Ok(true);
            }
            _ => {}
        }
        let byte_type = Integer { rank: Rank::Char, signed: false, width: 8 };
        for byte in bytes {
            let (bits, known) = match *byte {
                Byte::Arbitrary => (0, 0),
                Byte::Partly(bits, known) => (bits, known),
                _ => continue,
            };
            let number = self.ask(Asked::Integer(byte_type), location.ty)?;
            *byte = Byte::Bits(bits & known | number as u8 & !known);
        }
        Ok(false)
    }

    /// An arbitrary value of a scalar type.
    pub fn arbitrary(&mut self, ty: TypeId) -> Result<Value, End> {
        match self.program.types.as_integer(ty) {
            Some(integer) => {
                let number = self.ask(Asked::Integer(integer), ty)?;
                Ok(Value::Bits(number as u128 & integer.mask()))
            }
            None => match self.ask(Asked::Pointer, ty)? {
                0 => Ok(Value::Pointer(Pointer::NULL)),
                _ => Ok(Value::Pointer(Pointer::Arbitrary)),
            },
        }
    }

    /// Writes a scalar.
    pub fn write(&mut self, location: Location, value: Value) -> Result<(), End> {
        let (object, offset) = self.target(location)?;
        if let Some(kind) = self.program.types.as_float(location.ty) {
            return self.put_float(kind, location, (object, offset), value).map_err(|refusal| self.refused(refusal));
        }
        let (size, bits) = self.extent(location);
        let start = self.starting();
        if let (Value::Bits(number), None, 0..=16) = (value, bits, size) {
            let written = self.memory.put_number((object, offset), size, number, start);
            return written.map_err(|fault| self.fault(fault));
        }
        let mut new = [Byte::Arbitrary; 24];
        let new = &mut new[..size.min(24)];
        match bits {
            None => memory::bytes(value, new),
            Some((bit, field)) => {
                self.memory.at(object, offset, new).map_err(|fault| self.fault(fault))?;
                memory::field(new, bit, field.width, value);
            }
        }
        self.memory.put(object, offset, new, start).map_err(|fault| self.fault(fault))
    }

    /// All bytes of an lvalue become this.
    pub fn blur(&mut self, location: Location, byte: Byte) -> Result<(), End> {
        let (object, offset) = self.target(location)?;
        let (size, _) = self.extent(location);
        let filled = self.memory.fill_part((object, offset), size as u64, byte, self.starting());
        filled.map_err(|refusal| self.refused(refusal))
    }
}

/// Comparisons of pointers; an order exists within one object only.
pub(super) fn compared(op: Binary, a: Pointer, b: Pointer) -> Result<Value, End> {
    let truth = |holds: bool| Ok(Value::Bits(u128::from(holds)));
    let known = |pointer: Pointer| pointer != Pointer::Arbitrary;
    match op {
        Binary::Equal | Binary::Unequal => {
            // An arbitrary pointer is not NULL; of all else it may be any.
            let null = a == Pointer::NULL || b == Pointer::NULL;
            if !(null || known(a) && known(b)) {
                return Err(End::Unknown(Doubt::ArbitraryPointer));
            }
            truth((a == b) == (op == Binary::Equal))
        }
        _ => match (a, b) {
            (Pointer::Object { object: p, offset: x }, Pointer::Object { object: q, offset: y }) if p == q => {
                truth(match op {
                    Binary::Less => x < y,
                    Binary::LessEqual => x <= y,
                    Binary::Greater => x > y,
                    _ => x >= y,
                })
            }
            _ => Err(End::Unknown(Doubt::Unrelated)),
        },
    }
}

/// Whether no bit of a field has a value, among these bytes.
fn is_blank(bytes: &[Byte], bit: u32, width: u32) -> bool {
    memory::masks(bit, width, bytes.len()).zip(bytes).all(|(mask, byte)| match byte {
        Byte::Partly(_, known) => mask & known == 0,
        Byte::Arbitrary => true,
        _ => mask == 0,
    })
}
