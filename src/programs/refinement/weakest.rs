//! The weakest precondition of a command that stays in its frame, for a condition in C's syntax (Dijkstra, CACM 1975; Ball, Majumdar, Millstein
//! and Rajamani, PLDI 2001, §4.1). What pointers write is not heeded here: who carries conditions only looks for candidates.

use crate::abstraction::predicate::reads;
use crate::c::Program;
use crate::c::command::{Action, Command};
use crate::c::expression::{ExpressionId, LvalueId, Term};

use super::build::{Exchange, exchanged};

/// What has to hold before a command so that a condition holds after it; none if there is no such condition, since it gets any value. Linear in
/// the condition.
pub(super) fn before(program: &mut Program, command: Command<'_>, condition: ExpressionId) -> Option<ExpressionId> {
    let lost = match command {
        Command::Does(Action::Assigns(to, source), _) => match source.expression() {
            Some(value) => return Some(replaced(program, condition, to, value)),
            None => reads_lvalue(program, condition, to),
        },
        Command::Does(Action::Begins(variable), _) => reads(program, condition).now.contains(&variable),
        Command::Calls(call, _) => call.to.is_some_and(|to| reads_lvalue(program, condition, to)),
        _ => false,
    };
    (!lost).then_some(condition)
}

/// A condition in which something stands for an lvalue.
pub(super) fn replaced(program: &mut Program, condition: ExpressionId, to: LvalueId, by: ExpressionId) -> ExpressionId {
    exchanged(program, condition, &Exchange { reads: [(to, by)].into(), ..Exchange::default() })
}

/// Whether a condition has an lvalue in it.
pub(super) fn reads_lvalue(program: &Program, condition: ExpressionId, lvalue: LvalueId) -> bool {
    program.terms.postorder(Term::Expression(condition)).contains(&Term::Lvalue(lvalue))
}
