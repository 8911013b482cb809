//! Certificates of C programs: what shows that no run fails, so that it can be proved again from the text and from nothing else.
//!
//! There are three ways to show it: invariants at cut points, which each basic path keeps ([`claims`](super::invariants::claims)); what is said of each statement over
//! some predicates, which each statement keeps ([`induction`](crate::abstraction::induction)); and that the only run is executed. Whoever checks believes in how C is read, in
//! `memory`, in points-to analysis and in the solver, and in nothing that has found it. `spds-format/CERTIFICATES.md` has the text.

mod made;
mod proved;
mod read;
mod terms;
mod write;

use std::collections::BTreeMap;

use crate::c::Program;
use crate::c::program::{Overflow, ProcedureId, StatementId};
use crate::certificate::fingerprint;
use crate::decisions::Diagram;

use super::invariants::claims::Invariant;

pub use made::{NotMade, certificate};
pub use proved::{Found, proved};
pub use read::{Subject, read, subjects};
pub use write::write;

/// What a certificate says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// What it is about.
    pub subject: Subject,
    /// Why no run fails.
    pub way: Way,
}

/// What is claimed: that no run fails, in one of these senses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// No assertion fails, and no error is reached.
    Assertions,
    /// This place is not reached, in the words of the question.
    Reach(String),
    /// This property, as files of properties have it.
    Property(String),
}

/// Why no run fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Way {
    /// The only run is executed, or all that differ in orders of evaluation and in allocations that fail.
    Executed,
    /// These hold at cut points.
    CutPoints(Vec<Invariant>),
    /// These hold at statements.
    Statements(Statements),
}

/// A predicate of a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spoken {
    /// The procedure of which it is, unless it speaks of globals only.
    pub scope: Option<ProcedureId>,
    /// As C writes it, as far as C can; a remark.
    pub told: String,
    /// The operands of each operator before it.
    pub text: String,
}

/// What is said of statements over some predicates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statements {
    /// The predicates.
    pub predicates: Vec<Spoken>,
    /// What is said, of those of which something is.
    pub said: BTreeMap<(Moment, StatementId), Diagram<Test>>,
}

/// When something is said of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Moment {
    /// Before it.
    Before,
    /// When it has decided what a procedure returns.
    Returned,
}

/// A predicate, by its place, at the entry of the procedure or now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Test {
    /// Its place among the predicates.
    pub predicate: u32,
    /// Whether it is about the entry.
    pub entry: bool,
}

/// What tells programs apart: types of variables and statements, of all procedures. What a certificate proves does not depend on it. Linear.
pub fn about(program: &Program) -> u64 {
    let mut text = String::new();
    for variable in &program.variables {
        text += &format!("{} {:?}\n", variable.name, program.types.get(variable.ty));
    }
    for procedure in &program.procedures {
        text += &format!("{} {:?}\n", procedure.name, procedure.formals);
        for statement in procedure.body.iter().flatten() {
            text += &program.statement_text(statement);
            text.push('\n');
        }
    }
    fingerprint(&text)
}

/// The readings of overflows, and how they are written.
const OVERFLOWS: [(Overflow, &str); 4] =
    [(Overflow::Wrap, "wrap"), (Overflow::Assume, "assume"), (Overflow::Check, "check"), (Overflow::Fails, "fails")];
