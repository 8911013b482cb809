//! Procedures of the C library that move bytes (C11 §7.24): what they do is known, whether a model stands for them or they have no body.

use super::known::Library;
use super::memory::{Byte, Origin};
use super::step::Machine;
use super::{Doubt, End, Fault, Pointer, Value};
use crate::c::expression::ExpressionId;

impl Machine<'_> {
    /// Calls one of them; what it returns, if the arguments fit.
    pub(super) fn library(&mut self, which: Library, arguments: &[ExpressionId]) -> Result<Option<Value>, End> {
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(self.defined(*argument)?);
        }
        match (which, &values[..]) {
            (Library::Set, &[Value::Pointer(to), Value::Bits(byte), Value::Bits(length)]) => {
                let (at, count) = (self.object_at(to)?, self.count(length)?);
                let filled = self.memory.fill_part(at, count, Byte::Bits(byte as u8), false);
                filled.map_err(|refusal| self.refused(refusal))?;
                Ok(Some(values[0]))
            }
            (Library::Copy | Library::Move, &[Value::Pointer(to), Value::Pointer(from), Value::Bits(length)]) => {
                let (source, target, count) = (self.object_at(from)?, self.object_at(to)?, self.count(length)?);
                self.memory.found(source.0, source.1, count).map_err(|fault| self.fault(fault))?;
                if which == Library::Copy && overlap(to, from, length) {
                    return Err(self.fault(Fault::OutOfBounds));
                }
                self.memory.copy(target, source, count).map_err(|refusal| self.refused(refusal))?;
                Ok(Some(values[0]))
            }
            (Library::Apart, &[Value::Pointer(a), Value::Pointer(b), Value::Bits(length)]) => {
                if overlap(a, b, length) {
                    return Err(self.fault(Fault::OutOfBounds));
                }
                Ok(Some(values[0]))
            }
            (Library::Exchange, &[Value::Pointer(a), Value::Pointer(b), Value::Bits(length)]) => {
                self.exchange(a, b, length)?;
                Ok(Some(values[0]))
            }
            (Library::Length, &[Value::Pointer(text)]) => self.length(text).map(Some),
            _ => Ok(None),
        }
    }

    /// The value of an expression that is known.
    fn defined(&mut self, e: ExpressionId) -> Result<Value, End> {
        let value = self.value(e)?;
        value.doubt().map_or(Ok(value), |doubt| Err(End::Unknown(doubt)))
    }

    fn object_at(&self, pointer: Pointer) -> Result<(u64, i64), End> {
        match pointer {
            Pointer::Object { object, offset } => Ok((object, offset)),
            Pointer::Procedure(_) => Err(self.fault(Fault::OutOfBounds)),
            Pointer::Arbitrary => Err(End::Unknown(Doubt::ArbitraryPointer)),
        }
    }

    fn count(&self, length: u128) -> Result<u64, End> {
        u64::try_from(length).map_err(|_| self.fault(Fault::OutOfBounds))
    }

    fn exchange(&mut self, a: Pointer, b: Pointer, length: u128) -> Result<(), End> {
        let (a, b, count) = (self.object_at(a)?, self.object_at(b)?, self.count(length)?);
        for at in [a, b] {
            self.memory.found(at.0, at.1, count).map_err(|fault| self.fault(fault))?;
        }
        let between = (self.memory.make(count, Byte::Arbitrary, Origin::Variable)?, 0);
        for (to, from) in [(between, a), (a, b), (b, between)] {
            self.memory.copy(to, from, count).map_err(|refusal| self.refused(refusal))?;
        }
        self.memory.end(between.0);
        Ok(())
    }

    fn length(&self, text: Pointer) -> Result<Value, End> {
        let (object, offset) = self.object_at(text)?;
        match self.memory.length(object, offset).map_err(|fault| self.fault(fault))? {
            length @ Value::Bits(_) => Ok(length),
            other => Err(End::Unknown(other.doubt().unwrap_or(Doubt::Bytes))),
        }
    }
}

/// Whether so many bytes at two places are the same in part; a copy of an object onto itself changes nothing, and nobody minds.
fn overlap(a: Pointer, b: Pointer, length: u128) -> bool {
    match (a, b) {
        (Pointer::Object { object: p, offset: x }, Pointer::Object { object: q, offset: y }) => {
            p == q && x != y && u128::from(x.abs_diff(y)) < length
        }
        _ => false,
    }
}
