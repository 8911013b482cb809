//! Addresses as numbers: of a pointer that was converted to an integer it is known what it points to, and not which number that is. Where
//! the answer is the same for all numbers that it may be, it is given; all else is not known.

use super::evaluate::compared;
use super::location::moved;
use super::step::Machine;
use super::{Pointer, Value};
use crate::c::expression::{Binary, Unary};
use crate::c::types::{Integer, Rank};

/// No object is so large, and no address so far from those of objects, that sums with numbers below this one leave the type.
const NEAR: i128 = 1 << 46;

/// An allocated object begins at a multiple of this.
const ALLOCATED: u64 = 16;

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
            Some(bits) if to.rank != Rank::Bool => Value::Bits(bits),
            _ => self.address(pointer, to),
        }
    }

    /// An operator with an address on one side, in a type of integers.
    pub(super) fn with_address(&self, op: Binary, a: Value, b: Value) -> Value {
        match (op, a, b) {
            (Binary::Add, Value::Pointer(pointer), Value::Bits(by)) | (Binary::Add, Value::Bits(by), Value::Pointer(pointer)) => {
                shifted(pointer, by as i64 as i128)
            }
            (Binary::Subtract, Value::Pointer(pointer), Value::Bits(by)) => shifted(pointer, -(by as i64 as i128)),
            (
                Binary::Subtract,
                Value::Pointer(Pointer::Object { object: p, offset: x }),
                Value::Pointer(Pointer::Object { object: q, offset: y }),
            ) if p == q => Value::Bits((x as i128 - y as i128) as u64 as u128),
            (Binary::Equal | Binary::Unequal, Value::Pointer(a), Value::Pointer(b)) => match self.are_same(a, b) {
                Some(same) => Value::Bits(u128::from(same == (op == Binary::Equal))),
                None => Value::Bytes,
            },
            (Binary::Equal | Binary::Unequal, Value::Pointer(pointer), Value::Bits(0))
            | (Binary::Equal | Binary::Unequal, Value::Bits(0), Value::Pointer(pointer)) => match self.is_inside(pointer) {
                true => Value::Bits(u128::from(op == Binary::Unequal)),
                false => Value::Bytes,
            },
            (
                Binary::Less | Binary::LessEqual | Binary::Greater | Binary::GreaterEqual,
                Value::Pointer(x @ Pointer::Object { object: p, .. }),
                Value::Pointer(y @ Pointer::Object { object: q, .. }),
            ) if p == q && self.is_inside(x) && self.is_inside(y) => compared(op, x, y).unwrap_or(Value::Bytes),
            (Binary::And, Value::Pointer(pointer), Value::Bits(mask)) | (Binary::And, Value::Bits(mask), Value::Pointer(pointer)) => {
                self.masked(pointer, mask as u64)
            }
            (Binary::Or, Value::Pointer(pointer), Value::Bits(bits)) | (Binary::Or, Value::Bits(bits), Value::Pointer(pointer)) => {
                self.tagged(pointer, bits as u64, |low, bits| low | bits)
            }
            (Binary::Xor, Value::Pointer(pointer), Value::Bits(bits)) | (Binary::Xor, Value::Bits(bits), Value::Pointer(pointer)) => {
                self.tagged(pointer, bits as u64, |low, bits| low ^ bits)
            }
            (Binary::Remainder, Value::Pointer(pointer), Value::Bits(by)) if (by as u64).is_power_of_two() => {
                self.masked(pointer, by as u64 - 1)
            }
            _ => Value::Bytes,
        }
    }

    /// `!a`, and what else there is.
    pub(super) fn of_address(&self, op: Unary, pointer: Pointer) -> Value {
        match op {
            Unary::Not if pointer == Pointer::NULL || self.is_inside(pointer) => Value::Bits(u128::from(pointer == Pointer::NULL)),
            _ => Value::Bytes,
        }
    }

    /// Whether it is an object or the place just behind it, or a procedure: then its address is not 0.
    fn is_inside(&self, pointer: Pointer) -> bool {
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
            (Pointer::Object { object: p, offset: x }, Pointer::Object { object: q, offset: y }) if p == q => Some(x == y),
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

    fn masked(&self, pointer: Pointer, mask: u64) -> Value {
        match self.aligned(pointer) {
            Some((alignment, offset)) if mask < alignment => Value::Bits(u128::from(offset as u64 & mask)),
            // All of the higher bits stay.
            Some((alignment, offset)) if !mask < alignment => shifted(pointer, -i128::from(offset as u64 & !mask)),
            _ => Value::Bytes,
        }
    }

    fn tagged(&self, pointer: Pointer, bits: u64, with: fn(u64, u64) -> u64) -> Value {
        match self.aligned(pointer) {
            Some((alignment, offset)) if bits < alignment => {
                let low = offset as u64 & (alignment - 1);
                shifted(pointer, i128::from(with(low, bits)) - i128::from(low))
            }
            _ => Value::Bytes,
        }
    }

    /// A number of which the address of an object is a multiple, and how far into the object a pointer is.
    fn aligned(&self, pointer: Pointer) -> Option<(u64, i64)> {
        let Pointer::Object { object, offset } = pointer else { return None };
        let program = self.program;
        let own = self.variables().find(|(_, other)| *other == object);
        let alignment = match own {
            Some((id, _)) => program.types.layout(program.variable(id).ty)?.1,
            None if self.memory.allocated().any(|other| other == object) => ALLOCATED,
            None => return None,
        };
        Some((alignment, offset))
    }
}

/// An address so many bytes further.
fn shifted(pointer: Pointer, by: i128) -> Value {
    match pointer {
        Pointer::Object { object: 1.., .. } if by.abs() < NEAR => Value::Pointer(moved(pointer, by)),
        _ if by == 0 => Value::Pointer(pointer),
        _ => Value::Bytes,
    }
}
