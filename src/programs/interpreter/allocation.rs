//! Objects that a run makes, and allocations that fail.

use super::memory::{Byte, Origin};
use super::step::Machine;
use super::{Doubt, End, Fault, Given, Pointer, Value};
use crate::c::expression::{ExpressionId, LvalueId};
use crate::c::program::{InputKind, Room};
use crate::c::types::TypeId;

impl Machine<'_> {
    /// An object of so many bytes, or NULL where it may fail and an input says so.
    pub(super) fn allocate(
        &mut self,
        to: LvalueId,
        size: ExpressionId,
        room: Room,
        lacks: bool,
    ) -> Result<Option<(LvalueId, Value)>, End> {
        let location = self.location(to)?;
        let size = self.number(size)?.and_then(|size| u64::try_from(size).ok());
        let name = if room == Room::Zeros { "calloc" } else { "malloc" };
        if lacks && self.lacks(location.ty, name) {
            let value = Value::Pointer(Pointer::NULL);
            self.write(location, value)?;
            return Ok(Some((to, value)));
        }
        let size = size.ok_or(End::Unknown(Doubt::Memory))?;
        let (fill, origin) = match room {
            Room::Heap => (Byte::Arbitrary, Origin::Allocated),
            Room::Zeros => (Byte::Bits(0), Origin::Allocated),
            Room::Frame => (Byte::Arbitrary, Origin::Variable),
        };
        let object = self.memory.make(size, fill, origin)?;
        if let (Room::Frame, Some(frame)) = (room, self.frames.last_mut()) {
            frame.allocated.push((self.program.terms.variable_of(to), object));
        }
        let value = Value::Pointer(Pointer::Object { object, offset: 0 });
        self.write(location, value)?;
        Ok(Some((to, value)))
    }

    /// `realloc` (C11 §7.22.3.5); the front end adds whether it may fail.
    pub(super) fn reallocated(
        &mut self,
        name: &str,
        arguments: &[ExpressionId],
        to: Option<TypeId>,
    ) -> Result<Option<Value>, End> {
        let (&[old, size, lacks], Some(ty)) = (arguments, to) else { return Ok(None) };
        if name.strip_prefix("__builtin_").unwrap_or(name) != "realloc" {
            return Ok(None);
        }
        let (old, size, lacks) = (self.value(old)?, self.value(size)?, self.value(lacks)?);
        let (Value::Pointer(old), Value::Bits(size)) = (self.known(old)?, self.known(size)?) else {
            return Err(End::Unknown(Doubt::Bytes));
        };
        let null = Ok(Some(Value::Pointer(Pointer::NULL)));
        let known = match old {
            Pointer::NULL => None,
            Pointer::Object { object, offset: 0 } => match self.memory.object(object) {
                Some(known) if known.origin == Origin::Allocated => Some((object, known.size())),
                Some(_) => return Err(self.fault(Fault::BadFree)),
                None => return Err(self.fault(Fault::Dead)),
            },
            Pointer::Object { .. } | Pointer::Procedure(_) => return Err(self.fault(Fault::BadFree)),
            Pointer::Arbitrary => return Err(End::Unknown(Doubt::ArbitraryPointer)),
        };
        if let (Some((object, _)), 0) = (known, size) {
            // The GNU C library frees it.
            self.memory.end(object);
            return null;
        }
        if lacks != Value::Bits(0) && self.lacks(ty, "realloc") {
            return null;
        }
        let size = u64::try_from(size).map_err(|_| End::Unknown(Doubt::Memory))?;
        let object = self.memory.make(size, Byte::Arbitrary, Origin::Allocated)?;
        if let Some((old, before)) = known {
            let moved = self.memory.copy((object, 0), (old, 0), before.min(size));
            moved.map_err(|refusal| self.refused(refusal))?;
            self.memory.end(old);
        }
        Ok(Some(Value::Pointer(Pointer::Object { object, offset: 0 })))
    }

    /// Whether the next allocation fails: an input like others, so that a run with the same inputs is the same run.
    fn lacks(&mut self, ty: TypeId, name: &str) -> bool {
        let works = self.inputs.allocation();
        let name = self.called_model().unwrap_or(name);
        let (place, call) = (self.own_place().0, Some(InputKind::Allocated(name.into())));
        self.memory.claim(size_of::<Given>() as u64);
        self.asked.push(Given { value: i128::from(works), ty, place, call, scalar: None, life: 0, others: 0 });
        self.lacked |= !works;
        !works
    }
}
