//! Addresses as numbers: of a pointer that was converted to an integer it is known what it points to, and not which number that is. Where
//! the answer is the same for all numbers that it may be, it is given; all else is not known.

use super::evaluate::compared;
use super::location::moved;
use super::step::Machine;
use super::{Pointer, Value};
use crate::c::expression::{Binary, Unary};
use crate::c::types::{Integer, Rank};

/// An allocated object begins at a multiple of this, in bytes for each byte of a pointer.
const ALLOCATED: u64 = 2;

impl Machine<'_> {
    /// The address of a pointer as an integer.
    pub(super) fn address(&self, pointer: Pointer, to: Integer) -> Value {
        let width = self.program.types.model.pointer;
        match pointer {
            Pointer::Object { object: 0, offset } => Value::Bits(offset as u64 as u128 & to.mask()),
            _ if to.rank == Rank::Bool => Value::Bits(1),
            _ if to.width == width => Value::Pointer(pointer),
            _ => Value::Bytes,
        }
    }

    /// An address as an integer of another type.
    pub(super) fn readdressed(&self, pointer: Pointer, to: Integer) -> Value {
        match self.low_bits(pointer, to.width) {
            _ if to.rank == Rank::Bool && !self.is_inside(pointer) => Value::Bytes,
            Some(bits) if to.rank != Rank::Bool => Value::Bits(bits),
            _ => self.address(pointer, to),
        }
    }

    /// An operator with an address on one side, in a type of integers that is as wide as pointers are.
    pub(super) fn with_address(&self, ty: Integer, op: Binary, a: Value, b: Value) -> Value {
        // What is narrower may have any sign, and may overflow.
        let of_any_sign = ty.signed && ty.width < u64::BITS;
        let by = |bits: u128| Integer { signed: true, ..ty }.number(bits);
        match (op, a, b) {
            (Binary::Add, Value::Pointer(pointer), Value::Bits(bits))
            | (Binary::Add, Value::Bits(bits), Value::Pointer(pointer))
                if !of_any_sign =>
            {
                self.shifted(pointer, by(bits))
            }
            (Binary::Subtract, Value::Pointer(pointer), Value::Bits(bits)) if !of_any_sign => {
                self.shifted(pointer, -by(bits))
            }
            (
                Binary::Subtract,
                Value::Pointer(Pointer::Object { object: p, offset: x }),
                Value::Pointer(Pointer::Object { object: q, offset: y }),
            ) if p == q && !of_any_sign => Value::Bits((i128::from(x) - i128::from(y)) as u128 & ty.mask()),
            (Binary::Equal | Binary::Unequal, Value::Pointer(a), Value::Pointer(b)) => match self.are_same(a, b) {
                Some(same) => Value::Bits(u128::from(same == (op == Binary::Equal))),
                None => Value::Bytes,
            },
            (Binary::Equal | Binary::Unequal, Value::Pointer(pointer), Value::Bits(0))
            | (Binary::Equal | Binary::Unequal, Value::Bits(0), Value::Pointer(pointer)) => {
                match self.is_inside(pointer) {
                    true => Value::Bits(u128::from(op == Binary::Unequal)),
                    false => Value::Bytes,
                }
            }
            (
                Binary::Less | Binary::LessEqual | Binary::Greater | Binary::GreaterEqual,
                Value::Pointer(x @ Pointer::Object { object: p, .. }),
                Value::Pointer(y @ Pointer::Object { object: q, .. }),
            ) if p == q && !of_any_sign && self.is_inside(x) && self.is_inside(y) => {
                compared(op, x, y).unwrap_or(Value::Bytes)
            }
            _ => self.of_bits(ty, op, a, b),
        }
    }

    /// An operator on the bits of an address.
    fn of_bits(&self, ty: Integer, op: Binary, a: Value, b: Value) -> Value {
        let (pointer, bits) = match (op, a, b) {
            (Binary::Remainder, Value::Pointer(pointer), Value::Bits(bits)) if !ty.signed || ty.width == u64::BITS => {
                (pointer, bits)
            }
            (Binary::And | Binary::Or | Binary::Xor, Value::Pointer(pointer), Value::Bits(bits))
            | (Binary::And | Binary::Or | Binary::Xor, Value::Bits(bits), Value::Pointer(pointer)) => (pointer, bits),
            _ => return Value::Bytes,
        };
        let bits = bits as u64;
        match op {
            Binary::And => self.masked(ty, pointer, bits),
            Binary::Or => self.tagged(pointer, bits, |low, bits| low | bits),
            Binary::Xor => self.tagged(pointer, bits, |low, bits| low ^ bits),
            _ if bits.is_power_of_two() => self.masked(ty, pointer, bits - 1),
            _ => Value::Bytes,
        }
    }

    /// `!a`, and what else there is.
    pub(super) fn of_address(&self, op: Unary, pointer: Pointer) -> Value {
        match op {
            Unary::Not if self.is_inside(pointer) => Value::Bits(0),
            _ => Value::Bytes,
        }
    }

    /// Whether it is an object or the place just behind it, or a procedure: then its address is not 0.
    pub(super) fn is_inside(&self, pointer: Pointer) -> bool {
        match pointer {
            Pointer::Object { object, offset } => {
                let size = self.memory.object(object).map(|known| known.size());
                size.is_some_and(|size| u64::try_from(offset).is_ok_and(|offset| offset <= size))
            }
            Pointer::Procedure(_) | Pointer::Arbitrary => true,
        }
    }

    /// Whether two addresses are the same number: those in different objects that live are not, if each is that of a byte.
    fn are_same(&self, a: Pointer, b: Pointer) -> Option<bool> {
        let within = |pointer: Pointer| match pointer {
            Pointer::Object { object, offset } => {
                let size = self.memory.object(object).map(|known| known.size());
                size.is_some_and(|size| u64::try_from(offset).is_ok_and(|offset| offset < size))
            }
            Pointer::Procedure(_) => true,
            Pointer::Arbitrary => false,
        };
        match (a, b) {
            (Pointer::Object { object: p, offset: x }, Pointer::Object { object: q, offset: y }) if p == q => {
                Some(x == y)
            }
            (Pointer::Procedure(p), Pointer::Procedure(q)) => Some(p == q),
            _ if within(a) && within(b) => Some(false),
            _ => None,
        }
    }

    /// The lowest bits of an address, if it is known at a multiple of what its object begins.
    fn low_bits(&self, pointer: Pointer, width: u32) -> Option<u128> {
        let (alignment, offset) = self.aligned(pointer)?;
        (width < 64 && alignment >= 1 << width).then(|| u128::from(offset as u64 & ((1 << width) - 1)))
    }

    fn masked(&self, ty: Integer, pointer: Pointer, mask: u64) -> Value {
        let cleared = !mask & ty.mask() as u64;
        match self.aligned(pointer) {
            Some((alignment, offset)) if mask < alignment => Value::Bits(u128::from(offset as u64 & mask)),
            // All of the higher bits stay.
            Some((alignment, offset)) if cleared < alignment => {
                self.shifted(pointer, -i128::from(offset as u64 & cleared))
            }
            _ => Value::Bytes,
        }
    }

    fn tagged(&self, pointer: Pointer, bits: u64, with: fn(u64, u64) -> u64) -> Value {
        match self.aligned(pointer) {
            Some((alignment, offset)) if bits < alignment => {
                let low = offset as u64 & (alignment - 1);
                self.shifted(pointer, i128::from(with(low, bits)) - i128::from(low))
            }
            _ => Value::Bytes,
        }
    }

    /// A number of which the address of an object is a multiple, and how far into the object a pointer is.
    fn aligned(&self, pointer: Pointer) -> Option<(u64, i64)> {
        let Pointer::Object { object, offset } = pointer else { return None };
        let program = self.program;
        let own = self.variable_of(object);
        let alignment = match own {
            Some(id) if program.loose.contains(&id) => return None,
            Some(id) => program.types.layout(program.variable(id).ty)?.1,
            None if self.memory.allocated().any(|other| other == object) => {
                ALLOCATED * u64::from(program.types.model.pointer / 8)
            }
            None => return None,
        };
        Some((alignment, offset))
    }

    /// An address so many bytes further, if that is near the object: sums further away may have left the type.
    fn shifted(&self, pointer: Pointer, by: i128) -> Value {
        let near = 1i128 << (self.program.types.model.pointer - 2);
        match pointer {
            Pointer::Object { object: 1.., offset } if (i128::from(offset) + by).abs() < near => {
                Value::Pointer(moved(pointer, by))
            }
            _ if by == 0 => Value::Pointer(pointer),
            _ => Value::Bytes,
        }
    }
}
