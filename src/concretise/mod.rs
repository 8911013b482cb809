//! From a trace of the Boolean program to a run of the C program: the statements of the trace are executed with inputs as variables
//! of bit-vectors, and one query finds values for them, or says which conditions of the trace cannot be together (Newton:
//! Ball and Rajamani, *Generating abstract explanations of spurious counterexamples in C programs*, MSR-TR-2002-09).
//!
//! What is found is only a proposal: the judge executes the program with it. So what is hard to say here may be refused.
//!
//! Traces refer to statements: the program of which the Boolean program was made has been numbered ([`number`]).

mod symbolic;

mod follow;

mod along;

mod segment;

mod trace;

use spds_format::model::Place;

use crate::c::Program;
use crate::c::program::{Label, ProcedureId, Statement};

pub use along::{Along, Relation, along};
pub use follow::{Ended, Followed, Taken, follow};
pub use segment::{Passed, Segment, Segments};
pub use trace::{Point, points, transitions, turned};

/// The place that stands for a statement in a numbered program.
pub fn numbered(procedure: ProcedureId, label: Label) -> Place {
    Place { file: procedure.0, line: label.0 + 1, column: 1 }
}

/// The statement for which a place stands in a numbered program.
pub fn statement(place: Place) -> Option<(ProcedureId, Label)> {
    Some((ProcedureId(place.file), Label(place.line.checked_sub(1)?)))
}

/// Each statement of a body gets its number as its place.
pub fn number_body(procedure: ProcedureId, body: &mut [Statement]) {
    for (at, statement) in (0..).zip(body) {
        statement.place = numbered(procedure, Label(at));
    }
}

/// Each statement of a program gets its number as its place, so that whatever is made of the program leads back to it.
pub fn number(program: &mut Program) {
    for (id, procedure) in (0..).zip(&mut program.procedures) {
        if let Some(body) = &mut procedure.body {
            number_body(ProcedureId(id), body);
            // What labels are called need not be a name of the Boolean program.
            body.iter_mut().for_each(|statement| statement.labels.clear());
        }
        // No statement has this number.
        procedure.place = Place { file: id, line: 0, column: 1 };
    }
}
