//! Memory: objects of bytes, each of which is a number, a part of a pointer, arbitrary, or unknown.

use rustc_hash::FxHashMap;

use super::{Doubt, End, Fault, Pointer, Value};
use crate::c::program::ReasonId;

/// A byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Byte {
    /// A number.
    Bits(u8),
    /// A byte of a pointer, counted from the lowest.
    Pointer(Pointer, u8),
    /// Only these bits are known, because a bit-field was written: the bits, and which.
    Partly(u8, u8),
    /// Nothing was written: any value, the same from the first time on that it is read.
    Arbitrary,
    /// The front end does not represent what was written.
    Unrepresented(ReasonId),
    /// A part of what is not known.
    Unknown,
}

/// How an object came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A variable.
    Variable,
    /// A literal: nobody may write to it.
    Constant,
    /// `malloc`
    Allocated,
}

/// An object.
#[derive(Clone, Debug)]
struct Object {
    bytes: Vec<Byte>,
    origin: Origin,
}

/// All objects that live.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    objects: FxHashMap<u64, Object>,
    made: u64,
    /// Bytes in all objects.
    used: u64,
}

/// More bytes than this are not executed.
const MOST: u64 = 1 << 28;

impl Memory {
    /// A new object; its number.
    pub fn make(&mut self, size: u64, fill: Byte, origin: Origin) -> Result<u64, End> {
        self.used = self.used.saturating_add(size);
        if self.used > MOST {
            return Err(End::Unknown(Doubt::Memory));
        }
        self.made += 1;
        let length = usize::try_from(size).map_err(|_| End::Unknown(Doubt::Memory))?;
        self.objects.insert(self.made, Object { bytes: vec![fill; length], origin });
        Ok(self.made)
    }

    /// An object is no more.
    pub fn end(&mut self, object: u64) {
        if let Some(gone) = self.objects.remove(&object) {
            self.used -= gone.bytes.len() as u64;
        }
    }

    /// All bytes of an object become this.
    pub fn fill(&mut self, object: u64, fill: Byte) {
        if let Some(object) = self.objects.get_mut(&object) {
            object.bytes.fill(fill);
        }
    }

    /// How an object came to be, and its bytes; none if it is no more.
    pub fn object(&self, object: u64) -> Option<(Origin, &[Byte])> {
        self.objects.get(&object).map(|known| (known.origin, &*known.bytes))
    }

    /// All objects that were allocated.
    pub fn allocated(&self) -> impl Iterator<Item = u64> {
        let objects = self.objects.iter().filter(|(_, object)| object.origin == Origin::Allocated);
        objects.map(|(number, _)| *number)
    }

    /// `free`
    pub fn free(&mut self, pointer: Pointer) -> Result<(), Fault> {
        match pointer {
            Pointer::NULL => Ok(()),
            Pointer::Object { object, offset: 0 } => match self.objects.get(&object) {
                Some(Object { origin: Origin::Allocated, .. }) => {
                    self.end(object);
                    Ok(())
                }
                None => Err(Fault::Dead),
                Some(_) => Err(Fault::BadFree),
            },
            _ => Err(Fault::BadFree),
        }
    }

    /// The bytes at a pointer.
    pub fn at(&self, object: u64, offset: i64, size: usize) -> Result<&[Byte], Fault> {
        if object == 0 {
            return Err(Fault::Null);
        }
        let found = self.objects.get(&object).ok_or(Fault::Dead)?;
        let from = usize::try_from(offset).map_err(|_| Fault::OutOfBounds)?;
        let to = from.checked_add(size).ok_or(Fault::OutOfBounds)?;
        found.bytes.get(from..to).ok_or(Fault::OutOfBounds)
    }

    /// The same to be written; `start` is whether the program has not yet begun, so that constants get their values.
    pub fn at_mut(&mut self, object: u64, offset: i64, size: usize, start: bool) -> Result<&mut [Byte], Fault> {
        self.at(object, offset, size)?;
        let found = self.objects.get_mut(&object).ok_or(Fault::Dead)?;
        if found.origin == Origin::Constant && !start {
            return Err(Fault::Constant);
        }
        let from = usize::try_from(offset).map_err(|_| Fault::OutOfBounds)?;
        found.bytes.get_mut(from..from + size).ok_or(Fault::OutOfBounds)
    }
}

/// What bytes are as a number, lowest first; none of them is arbitrary.
pub fn number(bytes: &[Byte]) -> Value {
    let mut bits = 0u128;
    for (index, byte) in bytes.iter().enumerate() {
        match byte {
            Byte::Bits(byte) => bits |= u128::from(*byte) << (8 * index as u32),
            Byte::Unrepresented(reason) => return Value::Unrepresented(*reason),
            Byte::Pointer(..) | Byte::Unknown | Byte::Arbitrary | Byte::Partly(..) => return Value::Bytes,
        }
    }
    Value::Bits(bits)
}

/// Which bits of each byte a field has that begins at a bit and is so wide.
pub fn masks(bit: u32, width: u32, bytes: usize) -> impl Iterator<Item = u8> {
    let all = (if width >= 128 { u128::MAX } else { (1 << width) - 1 }) << bit;
    (0..bytes).map(move |index| (all >> (8 * index as u32)) as u8)
}

/// Writes a field into the bytes around it.
pub fn field(bytes: &mut [Byte], bit: u32, width: u32, value: Value) {
    let count = bytes.len();
    for ((index, byte), mask) in (0u32..).zip(bytes).zip(masks(bit, width, count)).filter(|(_, mask)| *mask != 0) {
        let new = match value {
            Value::Bits(bits) => ((bits << bit) >> (8 * index)) as u8 & mask,
            Value::Unrepresented(reason) => {
                *byte = Byte::Unrepresented(reason);
                continue;
            }
            Value::Pointer(_) | Value::Bytes => {
                *byte = Byte::Unknown;
                continue;
            }
        };
        let (old, known) = match *byte {
            Byte::Bits(old) => (old, 0xff),
            Byte::Partly(old, known) => (old, known),
            Byte::Arbitrary => (0, 0),
            // What is around it stays unknown, and so does it.
            _ if mask != 0xff => continue,
            _ => (0, 0),
        };
        let (bits, known) = (old & !mask | new, known | mask);
        *byte = if known == 0xff { Byte::Bits(bits) } else { Byte::Partly(bits, known) };
    }
}

/// What bytes are as a pointer; none of them is arbitrary.
pub fn pointer(bytes: &[Byte]) -> Value {
    if let Some(Byte::Pointer(pointer, 0)) = bytes.first() {
        let whole = (0u8..).zip(bytes).all(|(index, byte)| *byte == Byte::Pointer(*pointer, index));
        return if whole { Value::Pointer(*pointer) } else { Value::Bytes };
    }
    match number(bytes) {
        Value::Bits(0) => Value::Pointer(Pointer::NULL),
        Value::Bits(_) => Value::Bytes,
        other => other,
    }
}

/// A value as bytes.
pub fn bytes(value: Value, out: &mut [Byte]) {
    for (index, byte) in (0u8..).zip(out.iter_mut()) {
        *byte = match value {
            Value::Bits(bits) => Byte::Bits((bits >> (8 * u32::from(index))) as u8),
            Value::Pointer(Pointer::NULL) => Byte::Bits(0),
            Value::Pointer(pointer) => Byte::Pointer(pointer, index),
            Value::Unrepresented(reason) => Byte::Unrepresented(reason),
            Value::Bytes => Byte::Unknown,
        };
    }
}
