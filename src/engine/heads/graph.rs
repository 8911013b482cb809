//! The head graph: an edge for each step, for each entry into a call, and for each call that returns.
//!
//! Where the search goes forwards it has what post* has reached, with post*'s summaries (`forward`); where it goes
//! backwards, all values, with the calls that pre* has found ([`super::backward`]).

use crate::bdd::Relation;
use crate::limits::Stop;
use crate::pds::{HeadId, RuleId};
use crate::saturation::System;
use crate::saturation::preimages::Met;

/// An edge of the head graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Where it begins.
    pub from: HeadId,
    /// Where it ends.
    pub to: HeadId,
    /// The rule.
    pub rule: RuleId,
    /// What becomes of the stack.
    pub way: Way,
}

/// What an edge does to the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// A step.
    Step,
    /// Into the call that the rule makes; it stays pending.
    Enter,
    /// Through that call, to where it has returned.
    Through,
}

/// A head graph.
pub trait Graph {
    /// The system of which it is.
    fn system(&self) -> &System<'_>;

    /// The edges from a head, in the order of rules.
    fn edges_from(&self, from: HeadId, edge: &mut dyn FnMut(Edge));

    /// The values (over Now) from which an edge leads into a set, with the mark met on it if it must be.
    ///
    /// # Errors
    /// If a limit is met.
    fn before(&self, edge: &Edge, after: &Relation, met: Met) -> Result<Relation, Stop>;
}
