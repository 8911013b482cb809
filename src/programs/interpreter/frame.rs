//! Frames: what a procedure has that has begun and not returned.

use crate::c::expression::LvalueId;
use crate::c::program::{Label, ProcedureId, VariableId};

/// An activation of a procedure.
#[derive(Debug)]
pub(super) struct Frame {
    pub procedure: ProcedureId,
    pub at: Label,
    /// The object of each local, by its slot; 0 before there is one.
    pub objects: Vec<u64>,
    /// What lives no longer than the frame, and the variable that got to know where it is.
    pub allocated: Vec<(Option<VariableId>, u64)>,
    /// Where the caller wants the result.
    pub result: Option<LvalueId>,
}

/// Bytes of the machine that a frame with so many objects takes beside them, while the list of frames grows, too.
pub(super) fn taken(objects: usize) -> u64 {
    (3 * size_of::<Frame>() + objects * size_of::<u64>()) as u64
}
