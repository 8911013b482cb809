//! What is kept between abstractions of one program by more and more predicates: what does not depend on predicates, the answers
//! about statements, and whole procedures whose predicates, and those of whom they call, are the same.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use crate::analyses::Analyses;
use crate::bitvec::{Counts, Memo};
use crate::c::expression::ExpressionId;
use crate::c::program::{Overflow, ProcedureId, Program};
use crate::transition::claims::Invariant;

use super::boolean;
use super::known::Known;
use super::observed::{Observed, Transition};
use super::procedure::Abstraction;
use super::{Edges, Method, Tuning};

/// What is kept. It is of one program, to which expressions may join; told of another one, it forgets all.
pub struct Reuse {
    pub(super) analyses: Arc<Analyses>,
    pub(super) memo: Memo,
    pub(super) procedures: Made,
    pub(super) observed: Observed,
    pub(super) known: Known,
}

impl Reuse {
    /// Nothing is known but the program.
    pub fn new(program: &Program) -> Reuse {
        Reuse::with(Analyses::of(program))
    }

    /// Nothing is known but the program of these analyses, and what they are asked.
    pub fn with(analyses: Arc<Analyses>) -> Reuse {
        let (memo, procedures) = (Memo::default(), Made::default());
        Reuse { analyses, memo, procedures, observed: Observed::default(), known: Known::default() }
    }

    /// What is known of the program before there are predicates.
    pub fn analyses(&self) -> &Arc<Analyses> {
        &self.analyses
    }

    /// The same, to be kept beside.
    pub fn shared(&self) -> Arc<Analyses> {
        self.analyses.clone()
    }

    /// What is known of this program, to be kept beside.
    pub fn of_program(&mut self, program: &Program) -> Arc<Analyses> {
        self.of(program).analyses.clone()
    }

    /// What is known of this program.
    pub(super) fn of(&mut self, program: &Program) -> &mut Reuse {
        if !self.analyses.is_of(program) {
            *self = Reuse::new(program);
        }
        self
    }

    /// Steps of a trace are asked about from now on; how many are new.
    pub fn observe(&mut self, transitions: impl IntoIterator<Item = Transition>) -> usize {
        transitions.into_iter().filter(|transition| self.observed.add(transition.clone())).count()
    }

    /// These invariants restrict what paths do from now on, in place of others: each was proved of all runs of the program, in the sense of
    /// overflows in which it is abstracted.
    pub fn know(&mut self, invariants: &[Invariant]) {
        self.known = Known::of(invariants);
    }

    /// How many questions about statements there were so far, and how many had been asked before.
    #[cfg_attr(feature = "whole", expect(dead_code, reason = "tests count"))]
    pub fn counts(&self) -> Counts {
        self.memo.counts
    }

    /// How many procedures were abstracted so far; others were taken as they had been.
    #[cfg_attr(feature = "whole", expect(dead_code, reason = "tests count"))]
    pub fn procedures(&self) -> u64 {
        self.procedures.made
    }
}

/// Boolean procedures, and what they were made from.
#[derive(Default)]
pub(super) struct Made {
    latest: HashMap<ProcedureId, (Key, boolean::Procedure)>,
    made: u64,
}

impl Made {
    /// The Boolean procedure of one that has a body.
    pub fn procedure(&mut self, abstraction: &mut Abstraction<'_>, id: ProcedureId) -> boolean::Procedure {
        let key = Key::of(abstraction, id);
        // Labels of places that are asked for are counted through the program.
        let asked = abstraction.asked.is_some();
        match self.latest.get(&id) {
            Some((known, made)) if *known == key && !asked => return made.clone(),
            _ => self.made += 1,
        }
        let made = abstraction.procedure(id);
        let is_whole = !abstraction.tuning.bounds.is_stopped();
        if is_whole && !asked {
            self.latest.insert(id, (key, made.clone()));
        }
        made
    }
}

/// All that an abstracted procedure depends on, beside the program.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Key {
    /// Global predicates and its own.
    own: Vec<Named>,
    /// Of each procedure that it may call the predicates that are passed and those that are returned.
    called: Vec<[Vec<Named>; 2]>,
    /// How many steps were observed in it.
    observed: usize,
    /// What is known in it.
    known: Vec<Invariant>,
    overflow: Overflow,
    method: Method,
    cubes: usize,
    conflicts: u64,
    blocking: bool,
    edges: Edges,
}

/// A predicate, by its name and its meaning.
type Named = (Rc<str>, ExpressionId, Option<ProcedureId>);

impl Key {
    fn of(abstraction: &Abstraction<'_>, id: ProcedureId) -> Key {
        let named = |&at: &usize| {
            let tracked = &abstraction.tracked[at];
            (tracked.name.clone(), tracked.expression, tracked.scope)
        };
        let own = (0..abstraction.tracked.len()).filter(|&at| abstraction.tracked[at].scope.is_none_or(|of| of == id));
        let signature = |callee: &usize| {
            let signature = &abstraction.signatures[*callee];
            [&signature.entry, &signature.exit].map(|list| list.iter().map(named).collect())
        };
        let Tuning { method, cubes, bounds, blocking, edges } = abstraction.tuning;
        Key {
            own: own.map(|at| named(&at)).collect(),
            called: abstraction.system.modified.calls[id.0 as usize].iter().map(signature).collect(),
            observed: abstraction.observed.map_or(0, |observed| observed.count(id)),
            known: abstraction.known.map(|known| known.within(id)).unwrap_or_default(),
            overflow: abstraction.system.overflow,
            method: *method,
            cubes: *cubes,
            conflicts: bounds.conflicts,
            blocking: *blocking,
            edges: *edges,
        }
    }
}
