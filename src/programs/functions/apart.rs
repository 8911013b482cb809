//! Procedures that are called by name, told apart from the same procedures called through pointers, or by whoever is elsewhere: of the
//! latter nothing is asked where the function is looked at that leads there.

use std::collections::{BTreeSet, HashMap};

use crate::c::expression::ExpressionId;
use crate::c::inline;
use crate::c::meaning::Meaning;
use crate::c::program::{Callee, Effect, Foreign, ProcedureId, Program, StatementKind};
use crate::c::reached::{reached, reached_from};
use crate::c::types::{Type, TypeId};

use super::copied::copied;
use super::entry::leaves;
use super::summary::leading_from;

/// The program in which procedures whose address is taken, or that other files can name, are copies: they do the same, and call copies. If
/// nothing leaves the program, it is the program. Linear.
pub fn told_apart(program: &Program) -> Program {
    let mut program = program.clone();
    if !leaves_anywhere(&program) {
        return program;
    }
    let count = program.procedures.len() as u32;
    let originals: Vec<ProcedureId> = (0..count).map(ProcedureId).collect();
    let own: Vec<ProcedureId> = originals.into_iter().filter(|id| program.procedure(*id).body.is_some()).collect();
    let copies: HashMap<ProcedureId, ProcedureId> = own.iter().copied().zip((count..).map(ProcedureId)).collect();
    let copy = |id: ProcedureId| copies.get(&id).copied().unwrap_or(id);
    for &id in &own {
        let name = copied(&program.procedure(id).name);
        inline::copy(&mut program, id, &name, copy);
    }
    program.terms.redirect(copy);
    for &id in &own {
        program.procedures[id.0 as usize].internal = true;
    }
    program
}

/// The program without the bodies of procedures that its first procedure does not lead to by name: whoever takes it that calls through pointers may
/// do anything need not know them. Linear.
pub fn named(program: &Program) -> Program {
    let reached = leading_from(program, &BTreeSet::from([program.main]));
    with_bodies(program, |id| reached.contains(&id))
}

/// The program without the bodies that nobody looks at who asks about its first procedure: those are left that it leads to by name, or by an address
/// that is mentioned on the way, and those that runs may call through pointers ([`fitting`]). Linear, times the bodies of the last kind.
pub fn needed(program: &Program) -> Program {
    let mut roots = vec![program.main];
    let mut is_reached = reached_from(program, &roots, false).procedures;
    loop {
        let before = roots.len();
        for ty in called_through_pointers(program, &is_reached) {
            roots.extend(fitting(program, ty).take(FITTING).filter(|id| !is_reached[id.0 as usize]));
        }
        if roots.len() == before {
            return with_bodies(program, |id| is_reached[id.0 as usize]);
        }
        is_reached = reached_from(program, &roots, false).procedures;
    }
}

/// The types of functions that some procedures call through pointers.
fn called_through_pointers(program: &Program, procedures: &[bool]) -> BTreeSet<TypeId> {
    let some = program.procedures.iter().zip(procedures).filter(|(_, is_one)| **is_one);
    let statements = some.flat_map(|(procedure, _)| procedure.body.iter().flatten());
    let pointee = |pointer: ExpressionId| program.types.pointee(program.terms.get(pointer).ty);
    let called = statements.filter_map(|statement| match statement.kind {
        StatementKind::Call(_, Callee::Pointer(pointer), _) => pointee(pointer),
        _ => None,
    });
    called.collect()
}

/// The program with the bodies of these procedures only: the others do anything.
fn with_bodies(program: &Program, is_kept: impl Fn(ProcedureId) -> bool) -> Program {
    let mut program = program.clone();
    for (id, procedure) in (0..).map(ProcedureId).zip(&mut program.procedures) {
        if !is_kept(id) && procedure.body.take().is_some() {
            let (meaning, effect, result) = (Meaning::Input, Effect::Any, procedure.result);
            procedure.foreign = Some(Foreign { meaning, result, library: false, effect, taken: true, left_out: true });
            (procedure.locals, procedure.outside) = (Vec::new(), BTreeSet::new());
        }
    }
    program
}

/// Of the procedures that a pointer may lead to runs choose among so many.
pub const FITTING: usize = 2;

/// Procedures with a body that other files can name and that have a type.
pub fn fitting(program: &Program, of: TypeId) -> impl Iterator<Item = ProcedureId> + '_ {
    let (result, parameters) = match program.types.get(of) {
        Type::Function(result, parameters, false) => (Some(*result), &parameters[..]),
        _ => (None, &[][..]),
    };
    let fits = move |id: &ProcedureId| {
        let procedure = program.procedure(*id);
        let types = procedure.formals.iter().map(|formal| program.variable(*formal).ty);
        // Those whose address nobody has are not led to.
        procedure.body.is_some()
            && !procedure.internal
            && Some(procedure.result) == result
            && procedure.result_in.is_none()
            && types.eq(parameters.iter().copied())
    };
    (0..program.procedures.len() as u32).map(ProcedureId).filter(fits)
}

/// Whether what the first procedure may lead to calls procedures of the program that it does not name.
pub fn leaves_anywhere(program: &Program) -> bool {
    let reached = program.procedures.iter().zip(reached(program, false).procedures);
    let bodies = reached.filter(|(_, reached)| *reached).flat_map(|(procedure, _)| procedure.body.iter().flatten());
    bodies.map(|statement| &statement.kind).any(|kind| may_call(program, kind))
}

/// Whether a statement may call procedures of the program that it does not name.
fn may_call(program: &Program, kind: &StatementKind) -> bool {
    leaves(program, kind) || matches!(kind, StatementKind::External(_, _, _, effect) if effect.writes())
}
