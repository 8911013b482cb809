//! A program that begins in a function with an arbitrary state: what a caller of whom nothing is known may hand over.
//!
//! Parameters and all variables that live as long as the program are arbitrary, whatever they are initialised with. A pointer among them is
//! NULL, points into one of these variables, or into what the program did not make, of which nothing is known, its size neither
//! ([`crate::points_to::Object::Outside`]), so that all ways in which they may overlap are there. Procedures that the program does
//! not define, and those that are called through pointers, may leave all of it with any other contents.

use std::collections::BTreeSet;

use crate::c::bodiless;
use crate::c::edit::{self, Body};
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term};
use crate::c::meaning::{InputKind, Meaning};
use crate::c::program::{Callee, Effect, Foreign, Procedure, ProcedureId, Program, StatementKind, Storage, VariableId};
use crate::c::types::Type;

/// What the procedure is called that calls the function. No source has that name.
pub const ENTRY: &str = ".entry";

/// What is called where anything may happen to the state.
const ELSEWHERE: &str = ".elsewhere";

/// A condition on the state with which a function is entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// The pointer in a parameter, counted from 0, is not NULL.
    Parameter(usize),
    /// The pointer in a global variable is not NULL.
    Global(VariableId),
}

/// What can be demanded of the state with which the program's first procedure is entered: of the pointers in parameters, and in global
/// variables that it may read.
pub fn conditions(program: &Program) -> Vec<Condition> {
    let is_pointer = |id: VariableId| matches!(program.types.get(program.variable(id).ty), Type::Pointer(_));
    let formals = program.procedure(program.main).formals.iter().enumerate();
    let formals = formals.filter(|(_, id)| is_pointer(**id)).map(|(at, _)| Condition::Parameter(at));
    let read = read_by_name(program);
    let globals = (0..program.variables.len() as u32).map(VariableId);
    let globals = globals.filter(|id| is_arbitrary(program, *id) && is_pointer(*id) && read.contains(id));
    formals.chain(globals.map(Condition::Global)).collect()
}

/// The variables that occur in statements which the first procedure may reach.
fn read_by_name(program: &Program) -> BTreeSet<VariableId> {
    let reached = crate::c::reached::reached(program, false).procedures;
    let bodies = program.procedures.iter().zip(reached).filter(|(_, reached)| *reached);
    let statements = bodies.flat_map(|(procedure, _)| procedure.body.iter().flatten());
    let terms = statements.flat_map(|statement| statement.kind.terms()).flat_map(|root| program.terms.postorder(root));
    let named = terms.filter_map(|term| match term {
        Term::Lvalue(lvalue) => match program.terms.at(lvalue).kind {
            LvalueKind::Variable(id) => Some(id),
            _ => None,
        },
        Term::Expression(_) => None,
    });
    named.collect()
}

/// A condition as C writes it.
pub fn told(program: &Program, condition: Condition) -> String {
    let variable = match condition {
        Condition::Parameter(at) => program.procedure(program.main).formals.get(at).copied(),
        Condition::Global(id) => Some(id),
    };
    variable.map_or_else(String::new, |id| format!("{} != NULL", program.variable(id).name))
}

/// Whether a caller may leave anything in a variable.
fn is_arbitrary(program: &Program, id: VariableId) -> bool {
    matches!(program.variable(id).storage, Storage::Global | Storage::Static(_))
}

/// The program that calls its first procedure in an arbitrary state in which these conditions hold. Linear.
pub fn entered(program: &Program, conditions: &[Condition]) -> Program {
    let mut program = program.clone();
    let globals: Vec<VariableId> =
        (0..program.variables.len() as u32).map(VariableId).filter(|id| is_arbitrary(&program, *id)).collect();
    let arbitrary: BTreeSet<VariableId> = globals.iter().copied().collect();
    let terms = &program.terms;
    let stays = |to: LvalueId| terms.variable_of(to).is_some_and(|id| !arbitrary.contains(&id));
    program.initial.retain(|(to, _)| stays(*to));
    program.unrepresented.retain(|one| stays(one.to));
    for id in &globals {
        program.variables[id.0 as usize].address_taken = true;
        if !program.external.contains(id) {
            program.external.push(*id);
        }
    }
    elsewhere(&mut program, &globals);
    call(&mut program, conditions);
    program
}

/// A procedure of which nothing is known.
fn procedure(program: &mut Program, name: &str, foreign: bool) -> ProcedureId {
    let id = ProcedureId(program.procedures.len() as u32);
    let (place, result) = (program.procedure(program.main).place, program.types.void());
    let foreign = foreign.then_some(Foreign {
        meaning: Meaning::Input,
        result,
        library: false,
        effect: Effect::Any,
        taken: false,
    });
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

/// Behind calls that leave the program any variable has any value, and so has all that is reached from there.
fn elsewhere(program: &mut Program, globals: &[VariableId]) {
    if globals.is_empty() {
        return;
    }
    let id = procedure(program, ELSEWHERE, true);
    let arguments: Vec<ExpressionId> = globals.iter().map(|global| address(program, *global)).collect();
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

fn address(program: &mut Program, variable: VariableId) -> ExpressionId {
    let ty = program.variable(variable).ty;
    let pointer = program.types.pointer(ty);
    let lvalue = program.terms.lvalue(LvalueKind::Variable(variable), ty);
    program.terms.expression(ExpressionKind::AddressOf(lvalue), pointer)
}

/// Whether a statement may execute what is not in the program and may call what is.
fn leaves(program: &Program, kind: &StatementKind) -> bool {
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

/// The procedure that calls the function.
fn call(program: &mut Program, conditions: &[Condition]) {
    let function = program.main;
    let id = procedure(program, ENTRY, false);
    let place = program.procedure(function).place;
    let mut arguments = Vec::new();
    for formal in program.procedure(function).formals.clone() {
        let (ty, name) = (program.variable(formal).ty, program.variable(formal).name.clone());
        let given = VariableId(program.variables.len() as u32);
        let own = crate::c::program::Variable {
            storage: Storage::Local(id),
            address_taken: false,
            ..program.variable(formal).clone()
        };
        program.variables.push(crate::c::program::Variable { name, ..own });
        program.procedures[id.0 as usize].formals.push(given);
        let lvalue = program.terms.lvalue(LvalueKind::Variable(given), ty);
        arguments.push(program.terms.expression(ExpressionKind::Read(lvalue), ty));
    }
    let mut body = Body::default();
    for condition in conditions {
        let pointer = match *condition {
            Condition::Parameter(at) => arguments.get(at).copied(),
            Condition::Global(variable) => {
                let ty = program.variable(variable).ty;
                let lvalue = program.terms.lvalue(LvalueKind::Variable(variable), ty);
                Some(program.terms.expression(ExpressionKind::Read(lvalue), ty))
            }
        };
        let Some(pointer) = pointer else { continue };
        let ty = program.terms.get(pointer).ty;
        let zero = program.terms.expression(ExpressionKind::Constant(0), ty);
        let int = program.types.int();
        let there = program.terms.expression(ExpressionKind::Binary(Binary::Unequal, pointer, zero), int);
        body.push(StatementKind::Assume(there), place);
    }
    let result = program.procedure(function).result;
    let returned = program.types.is_scalar(result).then(|| edit::local(program, id, ".returned", result));
    body.push(StatementKind::Call(returned, Callee::Procedure(function), arguments), place);
    body.push(StatementKind::Return(None), place);
    program.procedures[id.0 as usize].body = Some(body.finish());
    program.main = id;
}
