//! Places where a run may do something undefined, which are asked about.

use spds_format::model::Place;

use crate::c::program::StatementId;
use crate::transition::undefined::Undefined;

/// Where a run may do something undefined: if control can get to a line of the Boolean program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndefinedPoint {
    /// Of which statement that line was made.
    pub statement: StatementId,
    /// Which of the lines made of it.
    pub line: usize,
    /// Where that is in the C program.
    pub place: Place,
    /// What is done there.
    pub kind: Undefined,
}
