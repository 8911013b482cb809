//! Loops that make no calls: what all their turns together do, found by squaring.
//!
//! A search that goes step by step takes as many rounds as a loop has turns. With the closure of the loop's body at hand it
//! takes one. Whether that closure is small enough to be found cannot be known beforehand, so finding it is an attempt.
//! The same for procedures that call themselves, from entry to entry.

use std::collections::{BTreeMap, BTreeSet};

use super::elimination::{Elimination, Turning, inner_loops_first};
use super::images::System;
use super::transitions::Dead;
use crate::limits::Stop;
use crate::pds::{HeadId, RuleId, RuleKind, SetId};

/// The loop of a head: from it to itself, through heads of larger rank.
pub struct Loop {
    first: HeadId,
    steps: Vec<Edge>,
}

/// A rule that leads from one head to another within a call, or into a call.
type Edge = (RuleId, HeadId, HeadId);

impl Loop {
    /// The loop that begins at a head, if there is one and no call is made in it.
    pub fn of(system: &System<'_>, first: HeadId) -> Option<Loop> {
        let rank = &system.control.rank;
        let inner = |head: HeadId| rank[head.0 as usize] >= rank[first.0 as usize];
        let edges = round(system, first, inner, |rule, head, kind| match kind {
            RuleKind::Step(to) => vec![(Some(rule), head, to)],
            RuleKind::Pop(_) => Vec::new(),
            RuleKind::Call(entry, site) => {
                system.return_heads(entry, site).map(|(_, back)| (None, head, back)).collect()
            }
        });
        let steps: Option<Vec<_>> = edges.into_iter().map(|(rule, from, to)| Some((rule?, from, to))).collect();
        steps.filter(|steps| !steps.is_empty()).map(|steps| Loop { first, steps })
    }

    /// From the entry of a procedure to the entry of a call of itself, if there is a way without other calls. Such ways are not
    /// all, if other calls are made.
    pub fn of_calls(system: &System<'_>, entry: HeadId) -> Option<Loop> {
        let steps = round(
            system,
            entry,
            |_| true,
            |rule, head, kind| match kind {
                RuleKind::Step(to) => Some((rule, head, to)),
                RuleKind::Call(callee, _) => Some((rule, head, callee)).filter(|_| callee == entry),
                RuleKind::Pop(_) => None,
            },
        );
        Some(Loop { first: entry, steps }).filter(|calls| calls.makes_calls(system))
    }

    /// Whether some of these bits are read or written in it.
    pub fn touches(&self, system: &System<'_>, bits: SetId) -> bool {
        let rules = self.steps.iter().map(|&(rule, ..)| system.control.pds.rule_at(rule));
        let mut touched = rules.flat_map(|rule| [rule.reads, rule.writes]);
        touched.any(|touched| system.meet(touched, bits) != SetId::EMPTY)
    }

    /// Whether calls are made in it.
    fn makes_calls(&self, system: &System<'_>) -> bool {
        self.steps.iter().any(|&(rule, ..)| is_call(system, rule))
    }

    /// What its turns do. `None` if none is ever taken.
    ///
    /// # Errors
    /// [`Stop::Patience`] if a relation gets too large, or if a limit is met.
    pub fn turning(&self, system: &System<'_>, dead: Dead) -> Result<Option<Turning>, Stop> {
        let heads: BTreeSet<HeadId> = self.steps.iter().flat_map(|&(_, from, to)| [from, to]).collect();
        let mut successors: BTreeMap<HeadId, Vec<HeadId>> = BTreeMap::new();
        self.steps.iter().for_each(|&(_, from, to)| successors.entry(from).or_default().push(to));
        let mut class = inner_loops_first(system, heads.into_iter().collect(), |head| {
            successors.get(&head).cloned().unwrap_or_default()
        });
        // Who steps back to the entry has not called: what is called is a place of its own.
        let called = HeadId(system.control.pds.head_count() as u32);
        let calls = self.makes_calls(system);
        if calls {
            class.remove(&self.first);
        }
        let mut graph = Elimination::new(system, class);
        for &(rule, from, to) in &self.steps {
            if is_call(system, rule) {
                graph.add(from, called, system.enter_transition(rule, to)?)?;
            } else {
                graph.add(from, to, system.step_transition(rule, to, dead)?)?;
            }
        }
        if !calls {
            return graph.run(|head, turning| Ok(Some(turning).filter(|_| head == self.first)));
        }
        graph.run(|_, _| Ok(None::<Turning>))?;
        let Some(mut one) = graph.way(self.first, called).cloned() else { return Ok(None) };
        if let Some(around) = graph.way(self.first, self.first) {
            let around = system.turning(self.first, around.clone())?;
            one = system.then(&system.or_nothing(&around.all)?, &one)?;
        }
        system.turning(self.first, one).map(Some)
    }
}

fn is_call(system: &System<'_>, rule: RuleId) -> bool {
    matches!(system.control.pds.kind_of(rule), RuleKind::Call(..))
}

/// The edges on ways from a head back to it, through inner heads that the search needs.
fn round<R: Copy, I: IntoIterator<Item = (R, HeadId, HeadId)>>(
    system: &System<'_>,
    first: HeadId,
    inner: impl Fn(HeadId) -> bool,
    edges_of: impl Fn(RuleId, HeadId, RuleKind) -> I,
) -> Vec<(R, HeadId, HeadId)> {
    let mut edges: Vec<(R, HeadId, HeadId)> = Vec::new();
    let mut seen = BTreeSet::from([first]);
    let mut work = vec![first];
    while let Some(head) = work.pop() {
        let known = edges.len();
        for id in system.control.pds.rules_of(head).filter(|id| system.relations.rule(*id).is_some()) {
            edges.extend(edges_of(id, head, system.control.pds.kind_of(id)));
        }
        for &(.., to) in edges[known..].iter().filter(|(.., to)| inner(*to) && system.needs(*to)) {
            if seen.insert(to) {
                work.push(to);
            }
        }
    }
    // Of what can be reached, what leads back.
    let mut into: BTreeMap<HeadId, Vec<HeadId>> = BTreeMap::new();
    edges.iter().for_each(|(_, from, to)| into.entry(*to).or_default().push(*from));
    let mut members = BTreeSet::new();
    let mut work = vec![first];
    while let Some(head) = work.pop() {
        for &from in into.get(&head).into_iter().flatten() {
            if members.insert(from) {
                work.push(from);
            }
        }
    }
    edges.retain(|(_, from, to)| members.contains(from) && members.contains(to));
    edges
}
