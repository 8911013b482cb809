//! A program that begins in a function with an arbitrary state: what a caller of whom nothing is known may hand over.
//!
//! Parameters and all variables that live as long as the program are arbitrary, whatever they are initialised with, but for those that are
//! `const`. A pointer among them is NULL, points into one of these variables, or into what the program did not make, of which nothing is
//! known, its size neither ([`crate::points_to::Object::Outside`]), so that all ways in which they may overlap are there. Procedures that
//! the program does not define, and those that are called through pointers, may leave all of it with any other contents.

use std::collections::BTreeSet;

use crate::c::bodiless;
use crate::c::edit::{self, Body};
use crate::c::expression::{ExpressionId, ExpressionKind, LvalueId, LvalueKind};
use crate::c::meaning::{InputKind, Meaning};
use crate::c::program::{
    Callee, Effect, Foreign, Procedure, ProcedureId, Program, StatementKind, Storage, Variable, VariableId,
};

use super::condition::{Condition, arbitrary};
use super::{contract, lengths};

/// What the procedure is called that calls the function. No source has that name.
pub const ENTRY: &str = ".entry";

/// What is called where anything may happen to the state.
const ELSEWHERE: &str = ".elsewhere";

/// What leads to all that other files have.
const WORLD: &str = ".world";

/// The program that calls its first procedure in an arbitrary state in which these conditions hold. Linear.
pub fn entered(program: &Program, conditions: &[Condition]) -> Program {
    let mut program = program.clone();
    program.effective = true;
    let void = program.types.void();
    let anything = program.types.pointer(void);
    let globals = arbitrary(&program);
    let known: BTreeSet<VariableId> = globals.iter().copied().collect();
    let terms = &program.terms;
    let stays = |to: LvalueId| terms.variable_of(to).is_some_and(|id| !known.contains(&id));
    program.initial.retain(|(to, _)| stays(*to));
    program.unrepresented.retain(|one| stays(one.to));
    for id in &globals {
        program.variables[id.0 as usize].address_taken = true;
        if !program.external.contains(id) {
            program.external.push(*id);
        }
    }
    // Nothing leads to it: what is stored there would be anybody's.
    let world = edit::global(&mut program, WORLD, anything);
    program.external.extend(program.terms.variable_of(world));
    elsewhere(&mut program, &globals, world);
    let id = procedure(&mut program, ENTRY, false);
    let mut given = Vec::new();
    for formal in program.procedure(program.main).formals.clone() {
        let own = Variable { storage: Storage::Local(id), address_taken: false, ..program.variable(formal).clone() };
        given.push(VariableId(program.variables.len() as u32));
        program.variables.push(own);
    }
    program.procedures[id.0 as usize].formals.clone_from(&given);
    let there = lengths::assumed(&mut program, &given);
    begin(&mut program, id, there, (&given, conditions));
    program
}

/// The program begins in a procedure that does this, then goes on if the conditions hold of what is in these variables, and what the contract
/// demands of the procedure in which the program began, which it calls with that.
pub fn begin(
    program: &mut Program,
    id: ProcedureId,
    first: Vec<StatementKind>,
    (given, conditions): (&[VariableId], &[Condition]),
) {
    let function = program.main;
    let place = program.procedure(function).place;
    let mut body = Body::default();
    for kind in first {
        body.push(kind, place);
    }
    for (kind, place) in contract::demanded(program, function, given, body.next().0) {
        body.push(kind, place);
    }
    for condition in conditions {
        for kind in condition.assumed(program, given, body.next().0) {
            body.push(kind, place);
        }
    }
    let mut arguments = Vec::new();
    for &variable in given {
        let ty = program.variable(variable).ty;
        let lvalue = program.terms.lvalue(LvalueKind::Variable(variable), ty);
        arguments.push(program.terms.expression(ExpressionKind::Read(lvalue), ty));
    }
    let result = program.procedure(function).result;
    let returned = program.types.is_scalar(result).then(|| edit::local(program, id, ".returned", result));
    body.push(StatementKind::Call(returned, Callee::Procedure(function), arguments), place);
    body.push(StatementKind::Return(None), place);
    program.procedures[id.0 as usize].body = Some(body.finish());
    program.main = id;
}

/// The procedure in which the question begins, without a body yet.
pub fn first(program: &mut Program) -> ProcedureId {
    procedure(program, ENTRY, false)
}

/// A procedure without a body that returns nothing, of this program or of another.
fn procedure(program: &mut Program, name: &str, foreign: bool) -> ProcedureId {
    let id = ProcedureId(program.procedures.len() as u32);
    let (place, result) = (program.procedure(program.main).place, program.types.void());
    let (meaning, effect) = (Meaning::Input, Effect::Any);
    let foreign = foreign.then_some(Foreign { meaning, result, library: false, effect, taken: false, left_out: false });
    program.procedures.push(Procedure {
        name: name.into(),
        place,
        formals: Vec::new(),
        locals: Vec::new(),
        result,
        result_in: None,
        foreign,
        outside: BTreeSet::new(),
        internal: false,
        body: None,
    });
    id
}

/// Behind calls that leave the program these variables have any value, and so has all that is reached from there, and from what leads to all
/// that other files have.
fn elsewhere(program: &mut Program, globals: &[VariableId], world: LvalueId) {
    let id = procedure(program, ELSEWHERE, true);
    let mut arguments: Vec<ExpressionId> = globals.iter().map(|global| address(program, *global)).collect();
    let ty = program.terms.at(world).ty;
    arguments.push(program.terms.expression(ExpressionKind::Read(world), ty));
    for at in 0..id.0 as usize {
        let Some(old) = program.procedures[at].body.take() else { continue };
        let mut body = Body::default();
        for statement in &old {
            body.begin();
            let copied = body.copy(statement);
            body.statements[copied.0 as usize].labels.clone_from(&statement.labels);
            if leaves(program, &statement.kind) {
                body.push(StatementKind::External(None, id, arguments.clone(), Effect::Any), statement.place);
            }
        }
        program.procedures[at].body = Some(body.finish());
    }
}

/// The address of a variable.
pub fn address(program: &mut Program, variable: VariableId) -> ExpressionId {
    let ty = program.variable(variable).ty;
    let pointer = program.types.pointer(ty);
    let lvalue = program.terms.lvalue(LvalueKind::Variable(variable), ty);
    program.terms.expression(ExpressionKind::AddressOf(lvalue), pointer)
}

/// Whether a statement may execute what is not in the program and may call what is.
pub fn leaves(program: &Program, kind: &StatementKind) -> bool {
    let is_library = |id: ProcedureId| {
        let procedure = program.procedure(id);
        procedure.foreign.as_ref().is_some_and(|foreign| foreign.library)
    };
    match kind {
        StatementKind::Call(_, Callee::Pointer(_), _) => true,
        StatementKind::External(_, callee, _, effect) => effect.writes() && !is_library(*callee),
        // What the library calls itself is among what it is given.
        StatementKind::Input(_, InputKind::Returned(name)) => bodiless::library(name).is_none(),
        _ => false,
    }
}
