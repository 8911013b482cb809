//! What is assumed of the state in which a program begins: a condition over globals and the parameters of its first procedure.

use spds_format::Diagnostic;

use crate::abstraction::outside::read_condition;
use crate::abstraction::predicate::reads;
use crate::c::decided::{Guards, assumed};
use crate::c::edit;
use crate::c::expression::{ExpressionId, ExpressionKind};
use crate::c::program::{Callee, Label, Program, StatementKind};
use crate::run::Trusted;

/// Reads such a condition, and notes that it is taken on trust.
///
/// # Errors
/// What is wrong with it, with its place in the text.
pub fn read(program: &mut Program, text: &str) -> Result<ExpressionId, Box<Diagnostic>> {
    let condition = read_condition(program, Some(program.main), text, 0)?;
    let said = reads(program, condition);
    if said.pre || said.result {
        let message = "before a program begins and after it has ended there is nothing to assume";
        return Err(Box::new(Diagnostic::error(message, 0..text.len().max(1))));
    }
    let name = &program.procedure(program.main).name;
    let text = format!("`{}` holds where `{name}` is entered", text.trim());
    program.unverified.push(Trusted { code: "assume", text });
    Ok(condition)
}

/// The program of which only those runs are left that begin in a state in which the condition holds. Linear.
///
/// # Errors
/// What is wrong with it, with its place in the text.
pub fn at_start(program: &mut Program, text: &str) -> Result<(), Box<Diagnostic>> {
    let condition = read(program, text)?;
    let mut first = Vec::new();
    if is_called(program) {
        // Only the first call begins the program.
        let int = program.types.int();
        let begun = edit::global(program, ".begun", int);
        let read = program.terms.expression(ExpressionKind::Read(begun), int);
        let one = program.terms.expression(ExpressionKind::Constant(1), int);
        first.push(StatementKind::Branch(read, Label(0), Label(1)));
        first.push(StatementKind::Assign(begun, one));
    }
    first.extend(assumed(program, condition, &Guards::new(), first.len() as u32));
    let end = Label(first.len() as u32);
    if let Some(StatementKind::Branch(_, yes @ Label(0), _)) = first.first_mut() {
        *yes = end;
    }
    edit::put_first(program, program.main, first);
    Ok(())
}

/// Whether something may call the first procedure.
fn is_called(program: &Program) -> bool {
    let statements = program.procedures.iter().flat_map(|procedure| procedure.body.iter().flatten());
    statements.into_iter().any(|statement| match statement.kind {
        StatementKind::Call(_, Callee::Procedure(callee), _) => callee == program.main,
        StatementKind::Call(_, Callee::Pointer(_), _) | StatementKind::External(..) => true,
        _ => false,
    })
}
