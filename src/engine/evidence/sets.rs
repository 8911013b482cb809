//! What the search knows, as sets of a certificate.

use spds_format::model::{ControlId, Head};

use super::nodes::Nodes;
use super::rounds::Round;
use crate::bdd::{At, Column, Relation};
use crate::certificate::{Set, Tag};
use crate::flow::{State, StateId};
use crate::limits::Stop;
use crate::pds::RuleKind;
use crate::saturation::{PostStar, System};

/// Sets in the making, and the decisions that they are made of.
pub(super) struct Sets<'m, 's> {
    system: &'m System<'s>,
    pub nodes: Nodes,
}

impl<'m, 's> Sets<'m, 's> {
    pub fn new(system: &'m System<'s>) -> Self {
        Sets { system, nodes: Nodes::default() }
    }

    /// What may be on top, where the search has looked.
    pub fn reached(&mut self, post: &PostStar<'_, '_>) -> Result<Vec<(Tag, Head, Set)>, Stop> {
        let mut reached = Vec::new();
        for (head, state, relation) in post.path_edges() {
            let head = self.system.control.pds.head(head);
            let relation = self.within(relation, self.width(head), self.known(state))?;
            reached.push((self.tag(state), head, self.nodes.add(self.system.space, &relation, At::Entry)));
        }
        Ok(reached)
    }

    /// What may be after returns, where the search has looked.
    pub fn returned(&mut self, post: &PostStar<'_, '_>) -> Result<Vec<(Tag, ControlId, Set)>, Stop> {
        let control = self.system.control;
        let globals = control.pds.layout.global_bits().len() as u32;
        let mut returned = Vec::new();
        for state in control.flow.state_ids() {
            for (control, relation) in post.summaries_of(state) {
                let relation = self.within(relation, globals, self.known(state))?;
                returned.push((self.tag(state), control, self.nodes.add(self.system.space, &relation, At::Next)));
            }
        }
        Ok(returned)
    }

    /// Everything, where the search has not looked: on top, and after returns.
    pub fn unvisited(&self, reached: &mut Vec<(Tag, Head, Set)>, returned: &mut Vec<(Tag, ControlId, Set)>) {
        let (pds, flow) = (&self.system.control.pds, &self.system.control.flow);
        for state in flow.state_ids() {
            let tag = self.tag(state);
            for &head in flow.bodies[state.0 as usize].iter().filter(|head| !self.system.needs(**head)) {
                reached.push((tag, pds.head(head), 1));
                let rules = pds.rules_of(head).map(|rule| pds.kind_of(rule));
                returned.extend(rules.filter_map(|kind| match kind {
                    RuleKind::Pop(control) => Some((tag, control, 1)),
                    _ => None,
                }));
            }
        }
    }

    /// What a run from the cut of each round may come to.
    pub fn again(&mut self, rounds: &[Round]) -> Result<Vec<(Head, Head, Set)>, Stop> {
        let (system, pds) = (self.system, &self.system.control.pds);
        let mut again = Vec::new();
        for Round { cut, sets } in rounds {
            let cut = pds.head(*cut);
            for (head, relation) in sets {
                let head = pds.head(*head);
                let relation = self.within(relation, self.width(head), self.width(cut))?;
                again.push((cut, head, self.nodes.add(system.space, &relation, At::Entry)));
            }
        }
        Ok(again)
    }

    fn tag(&self, state: StateId) -> Tag {
        match self.system.control.flow.states[state.0 as usize] {
            State::User => Tag::Start(state.0),
            State::Entry(entry) => Tag::Entry(self.system.control.pds.head(entry)),
        }
    }

    /// Below which number bits mean something at a head.
    fn width(&self, head: Head) -> u32 {
        let bits = self.system.control.pds.layout.scope(self.system.spds, head.symbol);
        bits.map(|bit| bit.0 + 1).max().unwrap_or(0)
    }

    /// Below which number bits mean something at an entry.
    fn known(&self, state: StateId) -> u32 {
        match self.tag(state) {
            Tag::Start(_) => 0,
            Tag::Entry(entry) => self.width(entry),
        }
    }

    /// The relation without what it says of columns that mean nothing: below these numbers bits mean something, now and at the entry.
    fn within(&self, relation: &Relation, now: u32, entry: u32) -> Result<Relation, Stop> {
        let space = self.system.space;
        let means = |(bit, at): Column| bit.0 < if at == At::Now { now } else { entry };
        let gone: Vec<Column> = space.support(relation).into_iter().filter(|column| !means(*column)).collect();
        if gone.is_empty() {
            return Ok(relation.clone());
        }
        space.exists(relation, space.vars(gone))
    }
}
