//! What is known of a program before there are predicates.

use crate::c::program::Program;
use crate::points_to::{PointsTo, points_to};

use super::modified::{Modified, modified};

/// What does not depend on predicates.
pub(super) struct Ground {
    /// The program, as it was when this was computed.
    program: Program,
    pub points_to: PointsTo,
    pub modified: Modified,
}

impl Ground {
    /// As long as points-to analysis takes.
    pub fn new(program: &Program) -> Ground {
        let points_to = points_to(program);
        let modified = modified(program, &points_to);
        Ground { program: program.clone(), points_to, modified }
    }

    /// Whether this is still that program, to which at most expressions have joined.
    pub fn is_of(&self, program: &Program) -> bool {
        program.extends(&self.program)
    }
}
