//! Frame conditions: what a call left as it was along a trace, though it may write it: who relies on that has to know when it is so.

use std::collections::{HashMap, HashSet};

use crate::c::Program;
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueId, LvalueKind};
use crate::c::program::{Callee, ProcedureId, StatementKind};

use super::transport::Local;

/// Globals that calls have left as they were, by their values then.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// By the value: of which global, and by which procedures.
    by: HashMap<usize, (LvalueId, Vec<ProcedureId>)>,
    /// What procedures and those that they call write by its name.
    writes: HashMap<ProcedureId, HashSet<LvalueId>>,
}

impl Kept {
    /// A call of a procedure has ended, and a global still has the value that it had before.
    pub fn keeps(&mut self, program: &Program, procedure: ProcedureId, global: LvalueId, value: usize) {
        let writes = self.writes.entry(procedure).or_insert_with(|| writes(program, procedure));
        if writes.contains(&global) {
            let (_, by) = self.by.entry(value).or_insert_with(|| (global, Vec::new()));
            if !by.contains(&procedure) {
                by.push(procedure);
            }
        }
    }

    /// Who relies on this value relies on that: that procedures left it as it was.
    pub fn relied(&self, program: &mut Program, value: usize) -> Vec<Local> {
        let Some((global, by)) = self.by.get(&value) else { return Vec::new() };
        let same = unchanged(program, *global);
        by.iter().map(|&procedure| (procedure, same)).collect()
    }
}

/// That an lvalue is what it was at the entry.
pub(super) fn unchanged(program: &mut Program, lvalue: LvalueId) -> ExpressionId {
    let (int, ty) = (program.types.int(), program.terms.at(lvalue).ty);
    let now = program.terms.expression(ExpressionKind::Read(lvalue), ty);
    let before = program.terms.expression(ExpressionKind::Pre(lvalue), ty);
    program.terms.expression(ExpressionKind::Binary(Binary::Equal, now, before), int)
}

fn writes(program: &Program, procedure: ProcedureId) -> HashSet<LvalueId> {
    let (mut written, mut met, mut open) = (HashSet::new(), HashSet::from([procedure]), vec![procedure]);
    while let Some(procedure) = open.pop() {
        for statement in program.procedure(procedure).body.iter().flatten() {
            written.extend(statement.kind.target());
            if let StatementKind::Call(_, Callee::Procedure(callee), _) = &statement.kind
                && met.insert(*callee)
            {
                open.push(*callee);
            }
        }
    }
    written.retain(|lvalue| matches!(program.terms.at(*lvalue).kind, LvalueKind::Variable(_)));
    written
}
