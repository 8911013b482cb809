//! The head graph over all values, reachable or not: where runs can go round for ever, and whether one can come there.
//!
//! The other reduction of Esparza & Schwoon (CAV 2001, §2.2): c0 ∈ pre*(B Γ*), where B are the heads asked for, or those
//! from which an accepting run goes round for ever. The latter are found in the head graph, its calls summarised by pre* of
//! the empty stack (§3.3), as a hull in each component.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use spds_format::automaton::{End, StateId};
use spds_format::model::{Head, SymbolId};

use super::fixpoint::Arcs;
use super::{Cycles, HeadSets};
use crate::bdd::{At, Relation};
use crate::limits::Stop;
use crate::pds::{HeadId, RuleId, RuleKind, SetId};
use crate::saturation::preimages::Met;
use crate::saturation::{PreStar, System};

/// Whether the start configuration, its head with these values (over Now), is in pre*(B Γ*).
///
/// # Errors
/// If a limit is met.
pub fn comes_to(system: &System<'_>, (start, values): (HeadId, Relation), bad: &HeadSets) -> Result<bool, Stop> {
    if bad.is_empty() {
        return Ok(false);
    }
    let (spds, space) = (system.spds, system.space);
    let anything = StateId(0);
    let mut pre = PreStar::new(system, vec![SetId::EMPTY]);
    for symbol in (0..spds.symbols.len() as u32).map(SymbolId) {
        pre.inner(anything, symbol, anything, space.top());
    }
    for (head, set) in bad.iter() {
        pre.edge(head, anything, set)?;
    }
    pre.run()?;
    let mut edges: BTreeMap<HeadId, Vec<(End, &Relation)>> = BTreeMap::new();
    for (head, to, set) in pre.edges() {
        edges.entry(head).or_default().push((to, set));
    }
    let mut here = HeadSets::one(space, start, values);
    for place in 1..=spds.start.stack.len() {
        let mut next = HeadSets::new();
        for (head, values) in here {
            for &(to, set) in edges.get(&head).into_iter().flatten() {
                let both = space.and(&values, set)?;
                let End::Control(control) = to else { if space.is_empty(&both) { continue } else { return Ok(true) } };
                let Some(&symbol) = spds.start.stack.get(place) else { continue };
                let Some(back) = system.control.pds.find(Head { control, symbol }) else { continue };
                let old = system.columns(system.union(system.globals(), system.slots()), At::Now);
                let globals = system.bits(system.globals()).into_iter().map(|bit| (bit, At::Entry, At::Now));
                let after = space.exists(&both, space.vars(old.iter().copied()))?;
                let after = space.rename(&after, space.renaming(globals))?;
                next.add(space, back, after)?;
            }
        }
        here = next;
    }
    Ok(false)
}

/// An edge of the head graph.
struct Edge {
    from: HeadId,
    to: HeadId,
    rule: RuleId,
    /// For a call that returns: what leads through it.
    through: Option<Relation>,
}

/// The head graph over all values.
pub struct Graph<'s, 'a> {
    system: &'s System<'a>,
    edges: Vec<Edge>,
}

impl<'s, 'a> Graph<'s, 'a> {
    /// With all calls that can return.
    ///
    /// # Errors
    /// If a limit is met.
    pub fn new(system: &'s System<'a>) -> Result<Self, Stop> {
        let mut pre = PreStar::new(system, Vec::new());
        pre.run()?;
        let pds = &system.control.pds;
        let mut edges: Vec<Edge> = Vec::new();
        for rule in pds.rules.ids().filter(|rule| system.relations.rule(*rule).is_some()) {
            let row = pds.rule_at(rule);
            if let RuleKind::Step(to) | RuleKind::Call(to, _) = row.kind {
                edges.push(Edge { from: row.from, to, rule, through: None });
            }
        }
        for (rule, to, set) in pre.returns() {
            edges.push(Edge { from: pds.rule_at(rule).from, to, rule, through: Some(set.clone()) });
        }
        Ok(Graph { system, edges })
    }

    /// The values from which a run can go round for ever at these heads: inside these values, if any are named, and meeting
    /// the mark again and again if it has to.
    ///
    /// # Errors
    /// If a limit is met.
    pub fn repeating(
        &self,
        counts: impl Fn(HeadId) -> bool,
        within: Option<&Relation>,
        cycles: Cycles,
    ) -> Result<HeadSets, Stop> {
        let (pds, space) = (&self.system.control.pds, self.system.space);
        let mut graph = DiGraph::<(), usize>::with_capacity(pds.head_count(), self.edges.len());
        (0..pds.head_count()).for_each(|_| {
            graph.add_node(());
        });
        for (number, edge) in self.edges.iter().enumerate().filter(|(_, edge)| counts(edge.from) && counts(edge.to)) {
            graph.add_edge(NodeIndex::new(edge.from.0 as usize), NodeIndex::new(edge.to.0 as usize), number);
        }
        let first = within.cloned().unwrap_or_else(|| space.top());
        let mut found = HeadSets::new();
        for component in kosaraju_scc(&graph) {
            let heads: BTreeSet<HeadId> = component.iter().map(|node| HeadId(node.index() as u32)).collect();
            let edges = component.iter().flat_map(|&node| graph.edges(node).map(|edge| *edge.weight()));
            let mut edges: Vec<&Edge> =
                edges.map(|number| &self.edges[number]).filter(|edge| heads.contains(&edge.to)).collect();
            if edges.is_empty() {
                continue;
            }
            space.check()?;
            edges.sort_by_key(|edge| (edge.from, edge.to, edge.rule));
            let mut all = HeadSets::new();
            heads.iter().for_each(|&head| all.set(space, head, first.clone()));
            let ends = edges.iter().map(|edge| (edge.from, edge.to)).collect();
            let heads: Vec<HeadId> = heads.into_iter().collect();
            let arcs = Arcs::new(space, &heads, ends, |edge, after, met| self.before(edges[edge], after, met));
            found = found.union(space, &arcs.hull(all, cycles)?)?;
        }
        Ok(found)
    }

    /// The values before an edge; of the mark they say nothing.
    fn before(&self, edge: &Edge, after: &Relation, met: Met) -> Result<Relation, Stop> {
        let (system, space) = (self.system, self.system.space);
        let pds = &system.control.pds;
        let mark = pds.layout.mark();
        let (row, marked) = (pds.rule_at(edge.rule), met == Met::OnTheWay);
        let after = match system.relations.invariant(pds, edge.to) {
            Some(invariant) => space.and(after, invariant)?,
            None => after.clone(),
        };
        // What is met is met in Now after the edge, from not having been met before it.
        let after = match (mark, marked) {
            (Some(mark), true) => space.and(&after, &space.literal((mark, At::Now), true)?)?,
            (None, true) => return Ok(space.bottom()),
            (_, false) => after,
        };
        let before = match (&edge.through, row.kind) {
            (Some(half), _) => {
                let up = system.bits(system.globals()).into_iter().map(|bit| (bit, At::Now, At::Next));
                let below = space.rename(&after, space.renaming(up))?;
                system.before_site(edge.rule, system.globals(), half, &below)?
            }
            (None, RuleKind::Step(_)) => system.before_swap(edge.rule, &after)?,
            (None, _) => {
                let before = system.before_callee(edge.rule, &after)?;
                let saved = system.columns(row.saved, At::Saved);
                space.exists(&before, space.vars(saved.iter().copied()))?
            }
        };
        let before = system.keep_invariant(row.from, before)?;
        match mark {
            Some(mark) => space.exists(&system.unmarked(&before)?, space.vars([(mark, At::Now)])),
            None => Ok(before),
        }
    }
}
