//! Onion rings: breadth-first search in the graph of heads, over summary edges, a ring for each step.
//!
//! The graph has an edge for each step, for each entry into a call, and one from a call to its return sites for each
//! summary; a way in it is a run. Sets need no entry tags: a call that is entered here is one that never returns. Rules
//! that are silent cost nothing (unless they fail): what they reach belongs to the round they start in.

use rustc_hash::FxHashMap;
use spds_format::model::{self, ControlId, SymbolId};

use crate::bdd::{Growing, Relation, SetsBy};
use crate::flow::StateId;
use crate::limits::Stop;
use crate::pds::{HeadId, RuleId, RuleKind};
use crate::saturation::System;
use crate::saturation::transitions::Transition;

/// A place in the graph: a head, and what lies below its call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node {
    /// The head.
    pub head: HeadId,
    /// The state of the start automaton that the stack below is read from, or `None` within a call made since the start.
    pub below: Option<StateId>,
}

/// Which calls a search may use as one step: E\[p',t\], or nothing.
pub trait Summaries {
    /// What calls that began at the state return with in that control location.
    fn summary(&self, state: StateId, control: ControlId) -> Result<Option<Relation>, Stop>;

    /// The edges of the start automaton from one of its states that is not initial: symbol, next state, values.
    fn below(&self, state: StateId) -> Vec<(SymbolId, StateId, Relation)>;

    /// What the turns of a head's loop do, if they may be taken as one step.
    fn turns(&self, head: HeadId) -> Option<&Transition>;

    /// The most rounds of a search.
    fn rounds(&self) -> u64;

    /// Those of the values at a head through which a search may go.
    fn confined(&self, head: HeadId, values: Relation) -> Result<Relation, Stop>;
}

/// Where a search may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope<'c> {
    /// Everywhere: calls may stay pending.
    Run,
    /// Within one call: every call made must return.
    Call,
    /// Within a component of the graph: calls may stay pending, and the start does not count as visited, so that it can
    /// be come back to.
    Component(&'c [u32], u32),
}

impl Scope<'_> {
    fn admits(self, head: HeadId) -> bool {
        match self {
            Scope::Run | Scope::Call => true,
            Scope::Component(of, component) => of[head.0 as usize] == component,
        }
    }
}

/// What is first reached in one round.
pub type Ring = SetsBy<Node>;

/// The rounds of a search: what is first reached in each.
pub struct Rings {
    rings: Vec<Ring>,
}

impl Rings {
    /// Searches from these values until a round after which `found` has an answer, or nothing is new.
    ///
    /// # Errors
    /// [`Stop::Patience`] if it takes more rounds than it may, or if a limit is met.
    pub fn search<T>(
        system: &System<'_>,
        summaries: &impl Summaries,
        scope: Scope<'_>,
        start: &[(Node, Relation)],
        mut found: impl FnMut(&Ring) -> Result<Option<T>, Stop>,
    ) -> Result<(Rings, Option<T>), Stop> {
        let mut visited: FxHashMap<Node, Growing> = FxHashMap::default();
        let mut rings = Rings { rings: Vec::new() };
        let mut arrived = Ring::new();
        for (node, set) in start {
            merge(system, summaries, &mut arrived, *node, set.clone())?;
        }
        while !arrived.is_empty() {
            if rings.rings.len() as u64 > summaries.rounds() {
                return Err(Stop::Patience);
            }
            let ring = settle(system, summaries, &mut visited, arrived)?;
            if matches!(scope, Scope::Component(..)) && rings.rings.is_empty() {
                visited.clear();
            }
            let answer = found(&ring)?;
            arrived = Ring::new();
            if answer.is_none() {
                for (node, set) in ring.iter() {
                    expand(system, summaries, scope, node, set, &mut arrived)?;
                }
            }
            rings.rings.push(ring);
            if answer.is_some() {
                return Ok((rings, answer));
            }
            system.space.check()?;
        }
        Ok((rings, None))
    }

    /// The number of rounds.
    pub fn count(&self) -> usize {
        self.rings.len()
    }

    /// What is first reached at a node in a round.
    pub fn at(&self, round: usize, node: Node) -> Option<&Relation> {
        self.rings[round].get(&node)
    }

    /// The nodes of a head that are reached in a round.
    pub fn nodes(&self, round: usize, head: HeadId) -> impl Iterator<Item = (Node, &Relation)> {
        let first = Node { head, below: None };
        self.rings[round].from(first).take_while(move |(node, _)| node.head == head)
    }
}

/// What is new of the values that arrived in a round, silent rules followed to their ends.
fn settle(
    system: &System<'_>,
    summaries: &impl Summaries,
    visited: &mut FxHashMap<Node, Growing>,
    mut arrived: Ring,
) -> Result<Ring, Stop> {
    let mut ring = Ring::new();
    while let Some((node, set)) = arrived.pop_first() {
        let known = visited.entry(node).or_insert_with(|| Growing::new(system.space));
        let Some(fresh) = known.grow(system.space, &set)? else { continue };
        for id in system.control.pds.rules_of(node.head) {
            if let (true, RuleKind::Step(to)) = (costs_nothing(system, id), system.control.pds.kind_of(id)) {
                let image = system.step(id, to, &fresh)?;
                merge(system, summaries, &mut arrived, Node { head: to, ..node }, image)?;
            }
        }
        merge(system, summaries, &mut ring, node, fresh)?;
    }
    Ok(ring)
}

/// Whether taking a rule begins no new round: if it is silent, but for one that fails. Of a run that fails the configuration before
/// `@fail` is the last one shown, by whatever rule it fails.
pub(super) fn costs_nothing(system: &System<'_>, rule: RuleId) -> bool {
    let row = system.control.pds.rule_at(rule);
    let fails = |to: HeadId| Some(system.control.pds.head(to).symbol) == system.spds.fail;
    row.silent && !matches!(row.kind, RuleKind::Step(to) if fails(to))
}

fn expand(
    system: &System<'_>,
    summaries: &impl Summaries,
    scope: Scope<'_>,
    node: Node,
    set: &Relation,
    arrived: &mut Ring,
) -> Result<(), Stop> {
    if let Some(turns) = summaries.turns(node.head) {
        merge(system, summaries, arrived, node, system.after(set, turns)?)?;
    }
    let control = system.control;
    for id in control.pds.rules_of(node.head) {
        let rule = control.pds.rule_at(id);
        if costs_nothing(system, id) || system.relations.rule(id).is_none() {
            continue;
        }
        match rule.kind {
            RuleKind::Step(to) => {
                if scope.admits(to) {
                    let image = system.step(id, to, set)?;
                    merge(system, summaries, arrived, Node { head: to, ..node }, image)?;
                }
            }
            RuleKind::Pop(p) => {
                let Some(state) = node.below else { continue };
                let exits = system.pop(id, state, set)?;
                for (symbol, below, values) in summaries.below(state) {
                    if let Some(back) = control.pds.find(model::Head { control: p, symbol }) {
                        let image = system.join(state, &exits, &values, back)?;
                        merge(system, summaries, arrived, Node { head: back, below: Some(below) }, image)?;
                    }
                }
            }
            RuleKind::Call(entry, site) => {
                let Some(callee) = control.flow.state_of_entry(entry) else { continue };
                let calls = system.call(id, callee, set)?;
                if system.space.is_empty(&calls) {
                    continue;
                }
                if scope != Scope::Call && scope.admits(entry) && system.needs(entry) {
                    let entries = system.enter(callee, entry, &calls)?;
                    merge(system, summaries, arrived, Node { head: entry, below: None }, entries)?;
                }
                for (p, back) in system.return_heads(entry, site).filter(|&(_, back)| system.needs(back)) {
                    if !scope.admits(back) {
                        continue;
                    }
                    if let Some(summary) = summaries.summary(callee, p)? {
                        let image = system.join(callee, &summary, &calls, back)?;
                        merge(system, summaries, arrived, Node { head: back, ..node }, image)?;
                    }
                }
            }
        }
    }
    Ok(())
}

fn merge(
    system: &System<'_>,
    summaries: &impl Summaries,
    into: &mut Ring,
    node: Node,
    set: Relation,
) -> Result<(), Stop> {
    if !system.needs(node.head) {
        return Ok(());
    }
    into.add(system.space, node, summaries.confined(node.head, set)?)
}
