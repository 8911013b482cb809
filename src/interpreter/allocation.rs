//! Objects that a run makes, and allocations that fail.

use super::memory::{Byte, Origin};
use super::step::Machine;
use super::{Doubt, End, Given, Pointer, Value};
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
        if lacks && self.lacks(location.ty, room) {
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

    /// Whether the next allocation fails: an input like others, so that a run with the same inputs is the same run.
    fn lacks(&mut self, ty: TypeId, room: Room) -> bool {
        let works = self.inputs.allocation();
        let name = self.called_model().unwrap_or(if room == Room::Zeros { "calloc" } else { "malloc" });
        let (place, call) = (self.own_place().0, Some(InputKind::Allocated(name.into())));
        self.memory.claim(size_of::<Given>() as u64);
        self.asked.push(Given { value: i128::from(works), ty, place, call, variable: None, others: 0 });
        self.lacked |= !works;
        !works
    }
}
