//! Which summaries a way may use: all that a saturation has stored, or, within a recursion, those that were stored before one.

use std::cell::RefCell;

use rustc_hash::FxHashMap;
use spds_format::model::{ControlId, SymbolId};

use super::pace::Pace;
use super::rings::Summaries;
use crate::bdd::Relation;
use crate::flow::StateId;
use crate::limits::Stop;
use crate::pds::HeadId;
use crate::saturation::PostStar;
use crate::saturation::transitions::Transition;

type Result<T> = std::result::Result<T, Stop>;

/// Every summary there is.
pub(super) struct All<'u, 's, 'a>(pub(super) &'u PostStar<'s, 'a>, pub(super) Pace);

impl Summaries for All<'_, '_, '_> {
    fn summary(&self, state: StateId, control: ControlId) -> Result<Option<Relation>> {
        Ok(self.0.summary(state, control).cloned())
    }

    fn below(&self, state: StateId) -> Vec<(SymbolId, StateId, Relation)> {
        self.0.below(state)
    }

    fn turns(&self, head: HeadId) -> Option<&Transition> {
        if self.1.leaping { self.0.squared(head) } else { None }
    }

    fn rounds(&self) -> u64 {
        self.1.rounds
    }

    fn confined(&self, head: HeadId, values: Relation) -> Result<Relation> {
        self.0.confined(head, values)
    }
}

/// Of the recursion of one state, only summaries stored before a number.
pub(super) struct Before<'u, 's, 'a> {
    pub(super) post: &'u PostStar<'s, 'a>,
    pub(super) pace: Pace,
    pub(super) component: u32,
    pub(super) number: u32,
    pub(super) known: RefCell<FxHashMap<(StateId, ControlId), Option<Relation>>>,
}

impl Summaries for Before<'_, '_, '_> {
    fn summary(&self, state: StateId, control: ControlId) -> Result<Option<Relation>> {
        let modref = &self.post.system().control.modref;
        if !modref.is_recursive(state) || modref.component(state) != self.component {
            return All(self.post, self.pace).summary(state, control);
        }
        if let Some(known) = self.known.borrow().get(&(state, control)) {
            return Ok(known.clone());
        }
        let space = self.post.system().space;
        let log = self.post.summary_log(state, control);
        let union = log.map_or(Ok(None), |log| log.before(space, self.number))?;
        self.known.borrow_mut().insert((state, control), union.clone());
        Ok(union)
    }

    fn below(&self, state: StateId) -> Vec<(SymbolId, StateId, Relation)> {
        self.post.below(state)
    }

    fn turns(&self, head: HeadId) -> Option<&Transition> {
        if self.pace.leaping { self.post.squared(head) } else { None }
    }

    fn rounds(&self) -> u64 {
        self.pace.rounds
    }

    fn confined(&self, head: HeadId, values: Relation) -> Result<Relation> {
        self.post.confined(head, values)
    }
}
