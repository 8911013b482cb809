//! What facts speak of, and what may change it: by what is read, and how it is accessed.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::characters::{Characters, accessed};
use super::tables::Tables;
use super::writes::Writes;
use crate::c::effective::Access;
use crate::c::expression::{ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term};
use crate::c::program::{Program, VariableId};

/// What facts are about.
pub struct Scope {
    /// With the terms that are made on the way.
    pub program: Program,
    pub tables: Tables,
    /// If characters are taken to be written only where there are characters: where they are.
    characters: Option<Rc<Characters>>,
    /// What facts read, as far as that was asked.
    reads: RefCell<FxHashMap<ExpressionId, Rc<[LvalueId]>>>,
}

impl Scope {
    /// No term is made yet. Linear.
    pub fn of(program: &Program, characters: Option<Rc<Characters>>) -> Scope {
        Scope { program: program.clone(), tables: Tables::of(program), characters, reads: RefCell::default() }
    }

    /// What a fact reads.
    pub fn all_read(&self, fact: ExpressionId) -> Rc<[LvalueId]> {
        let mut reads = self.reads.borrow_mut();
        reads.entry(fact).or_insert_with(|| all_read(&self.program, fact).into()).clone()
    }

    /// The variables that occur in a fact.
    pub fn mentioned_in(&self, fact: ExpressionId) -> BTreeSet<VariableId> {
        let terms = &self.program.terms;
        let variables = terms.postorder(Term::Expression(fact)).into_iter().filter_map(|term| match term {
            Term::Lvalue(lvalue) => match terms.at(lvalue).kind {
                LvalueKind::Variable(id) => Some(id),
                _ => None,
            },
            Term::Expression(_) => None,
        });
        variables.collect()
    }

    /// What has to be read to get to an lvalue.
    pub fn path(&self, lvalue: LvalueId) -> Vec<LvalueId> {
        let parts = self.program.terms.parts(Term::Lvalue(lvalue));
        let parts = parts.flat_map(|part| self.program.terms.postorder(part));
        parts.filter_map(|term| read(&self.program, term)).collect()
    }

    /// Whether a fact speaks of a variable.
    pub fn is_of(&self, fact: ExpressionId, variable: VariableId) -> bool {
        let is_read = |read: &LvalueId| self.program.terms.variable_of(*read) == Some(variable);
        self.all_read(fact).iter().any(is_read)
            || self.program.variable(variable).address_taken && self.mentioned_in(fact).contains(&variable)
    }

    /// Whether what a fact reads may be what is written.
    pub fn may_change(&self, to: LvalueId, fact: ExpressionId) -> bool {
        self.all_read(fact).iter().any(|read| self.may_overlap(to, *read))
    }

    /// Whether what is written may be what is read.
    pub fn may_overlap(&self, to: LvalueId, read: LvalueId) -> bool {
        let variable = |lvalue: LvalueId| self.program.terms.variable_of(lvalue);
        match (variable(to), variable(read)) {
            (Some(to), Some(read)) => to == read,
            (Some(one), None) | (None, Some(one)) if self.program.is_private(one) => false,
            (Some(one), None) | (None, Some(one)) if !self.program.variable(one).address_taken => false,
            _ => !accessed(&self.program, to, self.characters.as_deref()).is_apart(Access::to(&self.program, read)),
        }
    }

    /// Whether a procedure that writes this may change what a fact speaks of.
    pub fn may_write(&self, writes: &Writes, fact: ExpressionId) -> bool {
        self.all_read(fact).iter().any(|read| match self.program.terms.variable_of(*read) {
            Some(variable) if self.program.is_private(variable) => false,
            Some(variable) => {
                let is_pointed_to = self.program.variable(variable).address_taken;
                writes.all || writes.variables.contains(&variable) || is_pointed_to && self.may_be(writes, *read)
            }
            None => {
                let is_pointed_to = |id: &VariableId| self.program.variable(*id).address_taken;
                writes.all || self.may_be(writes, *read) || writes.variables.iter().any(is_pointed_to)
            }
        })
    }

    /// Whether what is written behind pointers may be what is read.
    fn may_be(&self, writes: &Writes, read: LvalueId) -> bool {
        let own = Access::to(&self.program, read);
        writes.behind.iter().any(|access| !access.is_apart(own))
    }

    /// Whether others may change what a fact speaks of.
    pub fn is_shared(&self, fact: ExpressionId) -> bool {
        let variable = |read: LvalueId| self.program.terms.variable_of(read);
        self.all_read(fact).iter().any(|read| variable(*read).is_none_or(|id| !self.program.is_private(id)))
    }
}

/// What is read by a term itself.
fn read(program: &Program, term: Term) -> Option<LvalueId> {
    match term {
        Term::Expression(id) => match program.terms.get(id).kind {
            ExpressionKind::Read(lvalue) => Some(lvalue),
            _ => None,
        },
        Term::Lvalue(_) => None,
    }
}

/// What a fact reads.
fn all_read(program: &Program, fact: ExpressionId) -> Vec<LvalueId> {
    let terms = program.terms.postorder(Term::Expression(fact)).into_iter();
    terms.filter_map(|term| read(program, term)).collect()
}
