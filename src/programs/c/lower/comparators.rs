//! What is handed to `qsort` and `bsearch`: C leaves open which elements they compare, and in which order (C11 §7.22.5), so a model that
//! chooses one stands for all only where nobody can tell.

use std::collections::BTreeSet;

use super::Lowering;
use crate::c::library::modelled;
use crate::c::program::{Callee, Effect, InputKind, ProcedureId, StatementKind, Storage};

/// The models that call what they are given.
const CALLERS: [&str; 2] = ["qsort", "bsearch"];

impl Lowering<'_> {
    /// Takes it as unknown what models do that call procedures of the program of which it can be told how often, or with what, they are called.
    pub fn check_comparators(&mut self) {
        let is_caller = |name: &str| modelled(name).is_some_and(|name| CALLERS.contains(&name));
        let callers: Vec<ProcedureId> =
            self.ids().filter(|id| is_caller(&self.procedures[id.0 as usize].name)).collect();
        let told = self.ids().any(|id| self.is_comparator(id) && !self.is_silent(id));
        if !told {
            return;
        }
        for id in self.ids() {
            let Some(mut body) = self.procedures[id.0 as usize].body.take() else { continue };
            for statement in &mut body {
                let StatementKind::Call(to, Callee::Procedure(called), arguments) = &mut statement.kind else {
                    continue;
                };
                if callers.contains(called) {
                    let name = self.procedures[called.0 as usize].name.clone();
                    let name = modelled(&name).unwrap_or_default();
                    let reason = self.reason_at(&format!("what `{name}` compares"), statement.place);
                    let arguments = std::mem::take(arguments);
                    statement.kind = StatementKind::External(*to, *called, arguments, Effect::Unknown(reason));
                }
            }
            self.procedures[id.0 as usize].body = Some(body);
        }
        for id in callers {
            self.procedures[id.0 as usize].body = None;
        }
    }

    fn ids(&self) -> impl Iterator<Item = ProcedureId> + use<> {
        (0..self.procedures.len() as u32).map(ProcedureId)
    }

    /// Whether a procedure of the program may be one that compares: there are pointers to it, and it takes two.
    fn is_comparator(&self, id: ProcedureId) -> bool {
        let (known, procedure) = (&self.known[id.0 as usize], &self.procedures[id.0 as usize]);
        let is_pointer = |ty| self.types.pointee(ty).is_some();
        known.taken.is_some()
            && procedure.formals.len() == 2
            && procedure.formals.iter().all(|formal| is_pointer(self.variables[formal.0 as usize].ty))
    }

    /// Whether nobody can tell how often a procedure is called: it and what it calls only compute.
    fn is_silent(&self, id: ProcedureId) -> bool {
        let (mut seen, mut open) = (BTreeSet::new(), vec![id]);
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            let Some(body) = &self.procedures[id.0 as usize].body else { continue };
            for statement in body {
                match &statement.kind {
                    StatementKind::Call(_, Callee::Procedure(called), _) => open.push(*called),
                    StatementKind::External(.., effect) if !effect.writes() => {}
                    StatementKind::Input(_, InputKind::Unspecified(_)) => {}
                    StatementKind::Call(..)
                    | StatementKind::External(..)
                    | StatementKind::Allocate { .. }
                    | StatementKind::Free(_)
                    | StatementKind::Fail(_)
                    | StatementKind::Exit(_)
                    | StatementKind::Input(..) => return false,
                    _ => {}
                }
                let own = statement.kind.target().is_none_or(|to| {
                    let variable = self.terms.variable_of(to).map(|id| self.variables[id.0 as usize].storage);
                    matches!(variable, Some(Storage::Local(_)))
                });
                if !own {
                    return false;
                }
            }
        }
        true
    }
}
