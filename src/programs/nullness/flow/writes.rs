//! What procedures may write, by what control follows: variables by name, and what pointers lead to by how it is accessed, so that it is not asked where
//! pointers point ([`crate::analyses::modified`] does ask, which is dearer and tells more).

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use super::characters::{Characters, accessed};
use crate::c::effective::Access;
use crate::c::program::{Callee, ProcedureId, Program, Statement, StatementKind, VariableId};

/// What a procedure, and what it calls, may write that others see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Writes {
    /// Anything.
    pub all: bool,
    /// Variables that live as long as the program, or whose address is taken.
    pub variables: BTreeSet<VariableId>,
    /// What pointers lead to.
    pub behind: HashSet<Access>,
}

impl Writes {
    /// More are not told apart.
    const MOST: usize = 64;

    fn join(&mut self, other: &Writes) {
        self.all |= other.all;
        self.variables.extend(&other.variables);
        self.behind.extend(&other.behind);
        self.all |= self.behind.len() > Writes::MOST;
    }
}

/// What each procedure may write: the least fixed point over calls.
pub fn written(
    program: &Program,
    bodies: &HashMap<ProcedureId, &[Statement]>,
    characters: Option<&Characters>,
) -> HashMap<ProcedureId, Rc<Writes>> {
    let mut all: HashMap<ProcedureId, Writes> = HashMap::new();
    let mut calls: HashMap<ProcedureId, BTreeSet<ProcedureId>> = HashMap::new();
    for (&id, body) in bodies {
        let mut own = Writes::default();
        for statement in *body {
            match &statement.kind {
                StatementKind::Call(_, Callee::Procedure(callee), _) => {
                    calls.entry(id).or_default().insert(*callee);
                }
                StatementKind::Call(_, Callee::Pointer(_), _) => own.all = true,
                StatementKind::External(_, _, _, effect) => own.all |= effect.writes(),
                _ => {}
            }
            let Some(to) = statement.kind.target() else { continue };
            match program.terms.variable_of(to) {
                Some(variable) if program.is_private(variable) => {}
                Some(variable) => drop(own.variables.insert(variable)),
                None => drop(own.behind.insert(accessed(program, to, characters))),
            }
        }
        own.all |= own.behind.len() > Writes::MOST;
        all.insert(id, own);
    }
    loop {
        let mut is_changed = false;
        for (id, callees) in &calls {
            let mut own = all[id].clone();
            for callee in callees {
                match all.get(callee) {
                    Some(other) => own.join(&other.clone()),
                    None => own.all = true,
                }
            }
            if own != all[id] {
                all.insert(*id, own);
                is_changed = true;
            }
        }
        if !is_changed {
            return all.into_iter().map(|(id, writes)| (id, Rc::new(writes))).collect();
        }
    }
}
