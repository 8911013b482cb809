//! Live ranges (Bebop, §3.3): the bits whose value at a head can still be read.
//!
//! Plain liveness: whatever a guard, an argument, a right-hand side, a relation or an invariant reads is used, whether or
//! not its target is live, so that every lasso closes on all values. Values flow backwards along
//! [`super::Dependence`]: through a callee and out of its entry, so a global is live at a call if it is live at the entry.

use spds_format::Spds;

use super::Via;
use super::backwards::{Parts, backwards};
use super::strong::strong;
use crate::pds::{HeadId, Pds, SetId};

/// What is live at each head.
pub struct Live {
    at: Vec<SetId>,
}

impl Live {
    /// Everything is live everywhere (`--live off`).
    pub fn all(pds: &Pds) -> Live {
        let all = pds.sets.set(pds.layout.global_bits().chain(pds.layout.slots()));
        Live { at: vec![all; pds.head_count()] }
    }

    /// What is live, and wherever anything is all bits but these (which no user sees).
    pub fn with_all_but(self, pds: &Pds, hidden: SetId) -> Live {
        let all = pds.sets.set(pds.layout.global_bits().chain(pds.layout.slots()));
        let shown = pds.sets.difference(all, hidden);
        Live { at: self.at.into_iter().map(|live| pds.sets.union(live, shown)).collect() }
    }

    /// Solves the data-flow equations. `invariant` gives the bits that the invariant of a head's symbol reads.
    pub fn new(parts: Parts<'_>, invariant: impl Fn(HeadId) -> SetId) -> Live {
        let pds = parts.pds;
        let sets = &pds.sets;
        let globals = sets.set(pds.layout.global_bits());
        let slots = sets.set(pds.layout.slots());
        let first = |head: HeadId| {
            let reads = pds.rules_of(head).map(|id| pds.rule_at(id).reads);
            Some(reads.fold(invariant(head), |live, reads| sets.union(live, reads)))
        };
        let before = |via, live| match via {
            Via::Rule(id) => sets.difference(live, pds.writes_of(id)),
            Via::Enter(id) => sets.difference(sets.intersection(live, globals), pds.writes_of(id)),
            Via::Back(id) => sets.difference(sets.intersection(live, slots), pds.rule_at(id).saved),
            Via::Return => sets.intersection(live, globals),
        };
        Live { at: backwards(parts, first, before) }
    }

    /// What can come to a condition of a head that is needed (`super::strong`): what matters. Arrays count as a whole there, and
    /// here cell by cell, so that both are asked where there are arrays.
    pub fn that_matters(
        spds: &Spds,
        parts: Parts<'_>,
        needed: &[bool],
        invariant: impl Fn(HeadId) -> SetId,
        plain: impl FnOnce() -> Live,
    ) -> Live {
        let matters = strong(spds, parts, needed, invariant);
        let mut variables = spds.globals.iter().chain(spds.frames.iter().flat_map(|frame| &frame.variables));
        if !variables.any(|variable| variable.ty.range.is_some()) {
            return Live { at: matters };
        }
        let both = |(live, matters): (SetId, SetId)| parts.pds.sets.intersection(live, matters);
        Live { at: plain().at.into_iter().zip(matters).map(both).collect() }
    }

    /// The bits live at a head.
    pub fn at(&self, head: HeadId) -> SetId {
        self.at[head.0 as usize]
    }
}
