//! What a saturation has found: heads that are reached, path edges, callers and summaries.

use spds_format::model::{self, ControlId};

use super::PostStar;
use crate::bdd::Relation;
use crate::flow::{State, StateId};
use crate::pds::HeadId;
use crate::saturation::System;
use crate::saturation::increments::Increments;
use crate::saturation::transitions::Transition;

impl<'s, 'a> PostStar<'s, 'a> {
    /// Whether nothing is left to be done.
    pub fn is_complete(&self) -> bool {
        self.queue.is_empty()
    }

    /// Whether some run comes to the head.
    pub fn reaches(&self, head: HeadId) -> bool {
        self.reached[head.0 as usize]
    }

    /// Whether some run comes to one of the watched values at a visible head.
    pub fn has_met(&self) -> bool {
        self.met
    }

    /// Watches for values (over Now).
    pub fn watch(&mut self, values: Relation) {
        self.watched = Some(values);
    }

    /// Whether the set of a head is kept.
    pub fn keeps(&self, head: HeadId) -> bool {
        self.keep[head.0 as usize]
    }

    /// What all turns of a head's loop do, if they were taken at once.
    pub fn squared(&self, head: HeadId) -> Option<&Transition> {
        self.turning.squared(head).filter(|_| !self.system.control.pds.is_hidden(head))
    }

    /// Whether that was so at some head.
    pub fn squared_some(&self) -> bool {
        self.turning.squared_heads().any(|head| !self.system.control.pds.is_hidden(head))
    }

    /// The path edges of heads that are kept: head, and values as far as they have been processed.
    pub fn edges(&self) -> impl Iterator<Item = (HeadId, &Relation)> {
        let kept = self.edges.iter().filter(|edge| self.keep[edge.head.0 as usize]);
        kept.filter(|edge| !self.system.space.is_empty(edge.set.all())).map(|edge| (edge.head, edge.set.all()))
    }

    /// p –γ→ t: every path edge of a head that is kept, as far as it has been processed.
    pub fn path_edges(&self) -> impl Iterator<Item = (HeadId, StateId, &Relation)> {
        let kept = self.edges.iter().filter(|edge| self.keep[edge.head.0 as usize]);
        kept.map(|edge| (edge.head, edge.state, edge.set.all()))
    }

    /// t' –γ''→ t: callers, and edges of the start automaton (the tag of t' in Next, that of t in Entry).
    pub fn callers_of(&self, state: StateId) -> impl Iterator<Item = (model::SymbolId, StateId, &Relation)> {
        self.suspended.iter(state.0 as usize).map(|caller| (caller.site, caller.state, caller.set.all()))
    }

    /// Summary edges p' –ε→ t: every summary of a state (exit values in Now, the tag of t in Next).
    pub fn summaries_of(&self, state: StateId) -> impl Iterator<Item = (ControlId, &Relation)> {
        self.summaries.iter(state.0 as usize).map(|summary| (summary.control, summary.set.all()))
    }

    /// E\[p',t\]: what calls return with (exit values in Now, entry tag in Next).
    pub fn summary(&self, state: StateId, control: ControlId) -> Option<&Relation> {
        self.summary_of(state, control).map(|place| self.summaries.get(place).set.all())
    }

    /// The edges of the start automaton from one of its states that is not initial: symbol, next state, values.
    pub fn below(&self, state: StateId) -> Vec<(model::SymbolId, StateId, Relation)> {
        if self.system.control.flow.states[state.0 as usize] != State::User {
            return Vec::new();
        }
        let edges = self.suspended.iter(state.0 as usize);
        edges.map(|edge| (edge.site, edge.state, edge.set.all().clone())).collect()
    }

    /// The numbered increments of a summary, if they were logged.
    pub fn summary_log(&self, state: StateId, control: ControlId) -> Option<&Increments> {
        self.summary_of(state, control).and_then(|place| self.logs.get(&place))
    }

    /// The system it is saturated for.
    pub fn system(&self) -> &'s System<'a> {
        self.system
    }

    /// The number of heads reached, of edges kept, of summaries, of rounds of the worklist, and of what was done in a body without
    /// doing it again.
    pub fn figures(&self) -> [(&'static str, f64); 5] {
        let reached = self.reached.iter().filter(|&&reached| reached).count();
        let edges = self.edges.len() - self.free.len();
        let summaries = self.summaries.item_count();
        [
            ("heads", reached as f64),
            ("edges", edges as f64),
            ("summaries", summaries as f64),
            ("rounds", self.rounds as f64),
            ("turns remembered", self.memoised.as_ref().map_or(0.0, |memoised| memoised.met_again() as f64)),
        ]
    }
}
