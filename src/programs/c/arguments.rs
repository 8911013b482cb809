//! What is known of the arguments of a program: their number is not negative (C11, §5.1.2.2.1).

use super::edit;
use super::expression::{Binary, ExpressionKind, LvalueKind};
use super::program::{Callee, Program, StatementKind, VariableId};

/// Assumes it where `main` begins, if it is given a number and arguments, somebody looks at the number, and nobody calls `main` again.
pub(super) fn assume_not_negative(program: &mut Program) {
    let Some(count) = looked_at(program).filter(|_| !is_called(program)) else { return };
    let ty = program.variable(count).ty;
    let lvalue = program.terms.lvalue(LvalueKind::Variable(count), ty);
    let count = program.terms.expression(ExpressionKind::Read(lvalue), ty);
    let zero = program.terms.expression(ExpressionKind::Constant(0), ty);
    let int = program.types.int();
    let fine = program.terms.expression(ExpressionKind::Binary(Binary::GreaterEqual, count, zero), int);
    edit::put_first(program, program.main, vec![StatementKind::Assume(fine)]);
}

/// The number, if `main` has its two formals and something reads it.
fn looked_at(program: &Program) -> Option<VariableId> {
    let main = program.procedure(program.main);
    let [count, arguments] = main.formals[..] else { return None };
    let ty = program.variable(count).ty;
    program.types.as_integer(ty).filter(|integer| integer.signed)?;
    program.types.pointee(program.variable(arguments).ty)?;
    let lvalue = program.terms.known_lvalue(&LvalueKind::Variable(count), ty)?;
    let read = program.terms.expressions().any(|expression| expression.kind == ExpressionKind::Read(lvalue));
    (&*main.name == "main" && (read || program.variable(count).address_taken)).then_some(count)
}

/// Whether the program calls its first procedure, or may.
pub(super) fn is_called(program: &Program) -> bool {
    let main = program.main;
    let mut statements = program.procedures.iter().flat_map(|procedure| procedure.body.iter().flatten());
    statements.any(|statement| matches!(statement.kind, StatementKind::Call(_, Callee::Procedure(id), _) if id == main))
        || program.terms.expressions().any(|expression| expression.kind == ExpressionKind::Procedure(main))
}
