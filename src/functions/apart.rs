//! Procedures that are called by name, told apart from the same procedures called through pointers, or by whoever is elsewhere: of the
//! latter nothing is asked where the function is looked at that leads there.

use std::collections::{BTreeSet, HashMap};

use crate::c::inline;
use crate::c::meaning::Meaning;
use crate::c::program::{Effect, Foreign, ProcedureId, Program, StatementKind};
use crate::c::reached::reached;

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
    let mut program = program.clone();
    let reached = leading_from(&program, &BTreeSet::from([program.main]));
    for (id, procedure) in (0..).map(ProcedureId).zip(&mut program.procedures) {
        if !reached.contains(&id) && procedure.body.take().is_some() {
            let (meaning, effect, result) = (Meaning::Input, Effect::Any, procedure.result);
            procedure.foreign = Some(Foreign { meaning, result, library: false, effect, taken: true });
        }
    }
    program
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
