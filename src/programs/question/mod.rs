//! Instrumentation: questions about C programs, written into them: what is asked is then whether the program fails.
//!
//! `--reach` asks whether control gets to a statement: that one fails, and whatever failed before ends the program instead
//! ([`reaching`]). Files of properties say which failures count ([`property`], [`Failures`]).

mod place;

pub mod assumed;

pub mod atoms;

pub mod product;

pub mod decreasing;

pub mod demands;

pub mod freed;

pub mod initialised;

pub mod property;

pub mod uses;

pub mod wrong;

use std::collections::BTreeSet;

use crate::c::meaning::Kind;
use crate::c::program::{Failure, Overflow, Program, StatementId, StatementKind};

pub use place::{names, places};

/// Which failures of a program count; all others end it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failures {
    /// All that there are.
    All,
    /// Errors that are reached, no assertions.
    Errors,
    /// Signed arithmetic that leaves its type, and nothing that the program says.
    Overflows,
    /// Pointers that are NULL where they are used, and nothing that the program says.
    Null,
}

impl Failures {
    /// What overflows are if these failures count.
    pub fn overflow(self, overflow: Overflow) -> Overflow {
        match self {
            Failures::All | Failures::Errors => overflow,
            Failures::Overflows => Overflow::Fails,
            Failures::Null => of_runs(overflow),
        }
    }
}

/// The program in which only some failures are failures; where all that is undefined is one, also what calls of the library are given that
/// they may not be given. Linear.
pub fn chosen(program: &Program, failures: Failures, overflow: Overflow) -> Program {
    if failures == Failures::Null {
        return null_uses(program).program;
    }
    let mut program = match failures.overflow(overflow) {
        Overflow::Check => demands::demanded(program),
        _ => program.clone(),
    };
    end_at_failures(&mut program, |failure| match failures {
        Failures::All => false,
        Failures::Errors => failure == Failure::Assertion,
        Failures::Overflows | Failures::Null => true,
    });
    program
}

/// The program in which only pointers that are NULL where they are used are failures, with these. Linear.
pub fn null_uses(program: &Program) -> uses::Instrumented {
    let kinds = BTreeSet::from([Kind::Null]);
    let asked = uses::Asked { kinds: &kinds, uses: None, malloc: None };
    let mut instrumented = uses::instrument(program, asked);
    end_at_failures(&mut instrumented.program, |failure| failure != Failure::Used(Kind::Null));
    instrumented
}

/// The program that fails exactly where it gets to one of these statements. Linear.
pub fn reaching(program: &Program, places: &[StatementId]) -> Program {
    let mut program = program.clone();
    end_at_failures(&mut program, |_| true);
    for &StatementId { procedure, label } in places {
        let body = program.procedures[procedure.0 as usize].body.as_mut();
        if let Some(statement) = body.and_then(|body| body.get_mut(label.0 as usize)) {
            statement.kind = StatementKind::Fail(Failure::Asked);
        }
    }
    program
}

/// What overflows are where it is asked what is reached, or what goes on for ever: an error ends the run, as whatever is undefined does.
pub fn of_runs(overflow: Overflow) -> Overflow {
    match overflow {
        Overflow::Check | Overflow::Fails => Overflow::Assume,
        other => other,
    }
}

/// Failures become ends of the program.
fn end_at_failures(program: &mut Program, which: impl Fn(Failure) -> bool) {
    for statement in program.procedures.iter_mut().flat_map(|procedure| procedure.body.iter_mut().flatten()) {
        if let StatementKind::Fail(failure) = statement.kind
            && which(failure)
        {
            statement.kind = StatementKind::Exit(None);
        }
    }
}
