//! Objects that a run makes, and allocations that fail.

use super::memory::{Byte, Origin};
use super::step::Machine;
use super::{Doubt, End, Given, Pointer, Value};
use crate::c::expression::{ExpressionId, LvalueId};
use crate::c::program::{InputKind, Room};

impl Machine<'_> {
    /// An object of so many bytes, or NULL where that is asked for.
    pub(super) fn allocate(
        &mut self,
        to: LvalueId,
        size: ExpressionId,
        room: Room,
    ) -> Result<Option<(LvalueId, Value)>, End> {
        let location = self.location(to)?;
        let size = self.number(size)?.and_then(|size| u64::try_from(size).ok());
        if self.options.lacking && room.may_lack() && self.lacks(to) {
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

    /// Whether the next allocation fails: it does if the other of two is chosen. What is asked for is of a type of pointers, as no order of
    /// evaluation is.
    fn lacks(&mut self, to: LvalueId) -> bool {
        let value = self.inputs.order(1);
        let (ty, place) = (self.program.terms.at(to).ty, self.place);
        self.memory.claim(size_of::<Given>() as u64);
        self.asked.push(Given { value, ty, place, call: Some(InputKind::Order), variable: None, others: 1 });
        self.lacked |= value != 0;
        value != 0
    }
}
