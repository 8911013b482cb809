//! The frames of procedures that a program does not define: what they are taken to leave alone.

use std::collections::BTreeSet;

use crate::c::Program;
use crate::c::bodiless::{Meaning, is_input, is_lender};
use crate::c::program::{InputKind, Label, Procedure, ProcedureId, Statement, StatementKind, VariableId};
use crate::c::reached::reached;
use crate::run::Trusted;

/// That procedures which the program does not define write only what their arguments lead to, where they may know of more: of what was handed to an
/// earlier call, of what one has returned, of variables of other files. What the library does is known, but that some of its procedures return
/// where they write again. Linear.
pub fn trusted_frames(program: &Program) -> Option<Trusted> {
    let reached = reached(program, false);
    let is_reached = |(procedure, reached): &(&Procedure, &bool)| **reached && procedure.body.is_some();
    let all = program.procedures.iter().zip(&reached.procedures).filter(is_reached).map(|(procedure, _)| procedure);
    let all: Vec<&Procedure> = all.collect();
    let outside = all.iter().flat_map(|procedure| &procedure.outside).copied();
    let strange: BTreeSet<ProcedureId> = outside.filter(|id| is_strange(program.procedure(*id))).collect();
    let (mut calls, mut is_lent) = (0, false);
    for procedure in all {
        for (at, statement) in (0..).zip(procedure.body.iter().flatten()) {
            if let Some(lends) = lends(program, &strange, statement) {
                // Once more where control comes back.
                calls += if is_repeated(procedure, Label(at)) { 2 } else { 1 };
                is_lent |= lends;
            }
        }
    }
    let is_shared = |id: &VariableId| reached.variables[id.0 as usize];
    let is_lent = is_lent && (calls > 1 || strange.len() > 1);
    if strange.is_empty() || !is_lent && !program.external.iter().any(is_shared) {
        return None;
    }
    let names: Vec<String> = strange.iter().map(|id| format!("`{}`", program.procedure(*id).name)).collect();
    let text = format!(
        "calls of {} are taken to write only what they are given, not what an earlier call was given or has returned, nor variables of other files",
        names.join(", ")
    );
    Some(Trusted { code: "frames", text })
}

/// Whether nobody knows what a procedure writes, or where it writes again.
fn is_strange(procedure: &Procedure) -> bool {
    let Some(foreign) = &procedure.foreign else { return false };
    let is_unknown = !foreign.library && matches!(foreign.meaning, Meaning::Input | Meaning::Unknown(_));
    !is_input(&procedure.name) && (is_unknown || is_lender(&procedure.name))
}

/// Whether a call of such a procedure hands something over, or returns where something is; nothing if it is none.
fn lends(program: &Program, strange: &BTreeSet<ProcedureId>, statement: &Statement) -> Option<bool> {
    let is_pointer = |ty| program.types.pointee(ty).is_some();
    let is_returned = |to| is_pointer(program.terms.at(to).ty);
    match &statement.kind {
        StatementKind::External(to, callee, arguments, _) if strange.contains(callee) => {
            let is_given = arguments.iter().any(|argument| is_pointer(program.terms.get(*argument).ty));
            Some(is_given || to.is_some_and(is_returned))
        }
        StatementKind::Input(to, InputKind::Returned(name))
            if strange.iter().any(|id| program.procedure(*id).name == *name) =>
        {
            Some(is_returned(*to))
        }
        _ => None,
    }
}

/// Whether control may come back to a statement within the procedure.
fn is_repeated(procedure: &Procedure, at: Label) -> bool {
    let all = (0..).map(Label).zip(procedure.body.iter().flatten());
    let mut targets = all.skip_while(|(label, _)| *label < at).flat_map(|(_, statement)| match statement.kind {
        StatementKind::Goto(to) => vec![to],
        StatementKind::Branch(_, yes, no) => vec![yes, no],
        _ => Vec::new(),
    });
    targets.any(|to| to <= at)
}
