//! Floating-point values under a state: their bytes, and operators on values of which some are not known.

use super::location::Location;
use super::memory::{self, Byte, Refusal};
use super::step::Machine;
use super::{Fault, Value};
use crate::c::expression::{Binary, Unary};
use crate::c::float::{self, Real};
use crate::c::types::{FloatKind, TypeId, Types};

/// A value that is known, as a number.
pub(super) fn real(value: Value) -> Result<Real, Value> {
    match value {
        Value::Bits(bits) => Ok(Real::Bits(bits)),
        Value::Nan => Ok(Real::Nan),
        Value::Pointer(_) => Err(Value::Bytes),
        unknown => Err(unknown),
    }
}

/// A number as a value.
pub(super) fn value(number: Real) -> Value {
    match number {
        Real::Bits(bits) => Value::Bits(bits),
        Real::Nan => Value::Nan,
    }
}

/// `op a`
pub(super) fn unary(op: Unary, kind: FloatKind, a: Value) -> Value {
    match (real(a), op) {
        (Ok(a), Unary::Not) => Value::Bits(u128::from(!float::is_true(kind, a))),
        (Ok(a), _) => float::unary(op, kind, a).map_or(Value::Float, value),
        (Err(unknown), _) => unknown,
    }
}

/// `a op b`
pub(super) fn binary(op: Binary, kind: FloatKind, a: Value, b: Value) -> Value {
    match (real(a), real(b)) {
        (Ok(a), Ok(b)) if op.is_truth() => {
            float::compared(op, kind, a, b).map_or(Value::Float, |holds| Value::Bits(u128::from(holds)))
        }
        (Ok(a), Ok(b)) => float::binary(op, kind, a, b).map_or(Value::Float, value),
        (Err(unknown), _) | (_, Err(unknown)) => unknown,
    }
}

/// A value of one type as one of another, if one of them is a floating type.
pub(super) fn converted(types: &Types, from: TypeId, to: TypeId, a: Value) -> Option<Result<Value, Fault>> {
    let (source, target) = (types.as_float(from), types.as_float(to));
    if source.is_none() && target.is_none() {
        return None;
    }
    let number = match real(a) {
        Ok(number) => number,
        Err(unknown) => return Some(Ok(unknown)),
    };
    match (source, target, number) {
        (Some(source), Some(target), _) => Some(Ok(value(float::converted(source, target, number)))),
        (Some(source), None, _) => {
            let bits = float::to_integer(source, types.as_integer(to)?, number);
            Some(bits.map(Value::Bits).ok_or(Fault::Conversion))
        }
        (None, Some(target), Real::Bits(bits)) => {
            Some(Ok(value(float::from_integer(types.as_integer(from)?, target, bits))))
        }
        (None, ..) => Some(Ok(Value::Float)),
    }
}

/// How many bytes of an object are those of the number.
fn count(kind: FloatKind) -> usize {
    kind.width() as usize / 8
}

impl Machine<'_> {
    /// The number in an object; nothing is decided.
    pub(super) fn float_at(
        &self,
        kind: FloatKind,
        location: Location,
        (object, at): (u64, i64),
    ) -> Result<Value, Fault> {
        self.memory.found(object, at, self.program.types.size(location.ty).unwrap_or(0))?;
        if let Some(bits) = self.memory.number(object, at, count(kind))? {
            return Ok(if float::is_value(kind, bits) { Value::Bits(bits) } else { Value::Float });
        }
        let mut bytes = [Byte::Unknown; 10];
        let bytes = &mut bytes[..count(kind)];
        self.memory.at(object, at, bytes)?;
        let size = bytes.len() as u8;
        if (0u8..).zip(&*bytes).all(|(index, byte)| *byte == Byte::Nan(index, size)) {
            return Ok(Value::Nan);
        }
        let reason = bytes.iter().find_map(|byte| match byte {
            Byte::Unrepresented(reason) => Some(*reason),
            _ => None,
        });
        match memory::number(bytes) {
            Value::Bits(bits) if float::is_value(kind, bits) => Ok(Value::Bits(bits)),
            _ => Ok(reason.map_or(Value::Float, Value::Unrepresented)),
        }
    }

    /// Puts a number into an object. What fills it up is not known after that (C11 §6.2.6.1 p6).
    pub(super) fn put_float(
        &mut self,
        kind: FloatKind,
        location: Location,
        (object, at): (u64, i64),
        value: Value,
    ) -> Result<(), Refusal> {
        let size = self.program.types.size(location.ty).unwrap_or(0) as usize;
        let mut bytes = [Byte::Unknown; 16];
        let (number, start) = (count(kind), self.starting());
        memory::bytes(value, &mut bytes[..number]);
        if start {
            bytes[number..].fill(Byte::Bits(0));
        }
        Ok(self.memory.put(object, at, &bytes[..size.clamp(number, 16)], start)?)
    }
}
