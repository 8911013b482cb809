//! All procedures of some files, before it is said with which of them the program begins.

use std::collections::BTreeSet;

use spds_format::Diagnostic;

use super::{Complained, names};
use crate::c::arguments;
use crate::c::program::{ProcedureId, Program};
use crate::c::reached::reached_from;

/// A program that begins nowhere yet.
#[derive(Debug)]
pub struct Whole {
    /// It, with any beginning.
    pub(super) program: Program,
    /// What is called before it begins.
    pub(super) first: Vec<ProcedureId>,
    /// What is refused where the program may reach it, with the index of the file.
    pub(super) deferred: Vec<(ProcedureId, (usize, Diagnostic))>,
    /// Warnings, each with the index of the file it is about.
    pub(super) complained: Complained,
    /// Procedures that are others where the program begins with them.
    pub(super) entries: BTreeSet<ProcedureId>,
}

impl Whole {
    /// The program that begins with a procedure.
    ///
    /// # Errors
    /// What is refused because that may reach it.
    pub fn beginning(self, main: ProcedureId) -> Result<(Program, Complained), Complained> {
        let Whole { program, first, deferred, mut complained, .. } = self;
        let mut program = Program { main, ..program };
        if let Err(message) = names::call_first(&mut program, &first) {
            return Err(vec![(0, Diagnostic::global(message))]);
        }
        let refused = super::deferred::those_reached(&program, deferred);
        if !refused.is_empty() {
            complained.extend(refused);
            return Err(complained);
        }
        arguments::assume_not_negative(&mut program);
        Ok((program, complained))
    }

    /// The same, of the program with no more bodies and initial values than may matter then; none where it would be read otherwise, or there is
    /// no procedure of that name with a body. Linear in the program.
    pub fn only(&self, main: &str) -> Option<Result<(Program, Complained), Complained>> {
        let is = |one: &crate::c::program::Procedure| &*one.name == main && one.body.is_some();
        let main = ProcedureId(self.program.procedures.iter().position(is)? as u32);
        if self.entries.contains(&main) {
            return None;
        }
        let roots: Vec<ProcedureId> = self.first.iter().copied().chain([main]).collect();
        let only = Whole {
            program: part(&self.program, &roots),
            first: self.first.clone(),
            deferred: self.deferred.clone(),
            complained: self.complained.clone(),
            entries: BTreeSet::new(),
        };
        Some(only.beginning(main))
    }
}

/// A program without what nobody who begins with these procedures comes to, whatever is called from elsewhere; all of it keeps its identifiers.
fn part(program: &Program, roots: &[ProcedureId]) -> Program {
    let reached = reached_from(program, roots, true);
    let matters = |to| program.terms.variable_of(to).is_none_or(|variable| reached.variables[variable.0 as usize]);
    let procedures = program
        .procedures
        .iter()
        .zip(&reached.procedures)
        .map(|(procedure, is_reached)| if *is_reached { procedure.clone() } else { procedure.without_body() });
    Program {
        files: program.files.clone(),
        types: program.types.clone(),
        terms: program.terms.clone(),
        variables: program.variables.clone(),
        procedures: procedures.collect(),
        initial: program.initial.iter().copied().filter(|(to, _)| matters(*to)).collect(),
        unrepresented: program.unrepresented.iter().copied().filter(|one| matters(one.to)).collect(),
        external: program.external.clone(),
        unknown: program.unknown.clone(),
        main: program.main,
        reasons: program.reasons.clone(),
        orders: program.orders.clone(),
        unverified: program.unverified.clone(),
        loose: program.loose.clone(),
        constant: program.constant.clone(),
        vocabulary: program.vocabulary.clone(),
        assumed: program.assumed.clone(),
        effective: program.effective,
        behind: program.behind.clone(),
        contracts: program.contracts.clone(),
    }
}
