//! Where lvalues are in memory, and the order in which terms are evaluated.

use super::Pointer;
use crate::c::expression::Term;
use crate::c::types::TypeId;

/// Where an lvalue is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// Its first byte.
    pub pointer: Pointer,
    /// For a bit-field: its first bit in that byte.
    pub bit: Option<u32>,
    /// Whether an index on the way was out of the bounds of its array.
    pub outside: bool,
    /// The type of the object there.
    pub ty: TypeId,
}

impl Location {
    /// The object of a type at a pointer.
    pub fn of(pointer: Pointer, ty: TypeId) -> Self {
        Location { pointer, bit: None, outside: false, ty }
    }

    /// A part of it, so many bytes further; a bit-field if its first bit is said.
    pub(super) fn part(self, offset: u64, bit: Option<u32>, ty: TypeId) -> Self {
        Location { pointer: moved(self.pointer, i128::from(offset)), bit, ty, ..self }
    }
}

/// A term with the places of its parts in a plan.
#[derive(Clone, Copy, Debug)]
pub struct Planned {
    /// The term.
    pub term: Term,
    /// Where its parts are.
    pub parts: [u32; 2],
}

/// A pointer so many bytes further.
pub(super) fn moved(pointer: Pointer, by: i128) -> Pointer {
    match pointer {
        Pointer::Object { object, offset } => {
            let far = i128::from(offset).saturating_add(by);
            let offset = i64::try_from(far).unwrap_or(if far < 0 { i64::MIN } else { i64::MAX });
            Pointer::Object { object, offset }
        }
        other => other,
    }
}
