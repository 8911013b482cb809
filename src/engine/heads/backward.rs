//! The head graph over all values, reachable or not: where runs can go round for ever, and whether one can come there.
//!
//! The other reduction of Esparza & Schwoon (CAV 2001, §2.2): c0 ∈ pre*(B Γ*), where B are the heads asked for, or those
//! from which an accepting run goes round for ever. The latter are found in the head graph, its calls summarised by pre* of
//! the empty stack (§3.3), as a hull in each component.

use std::collections::BTreeMap;

use spds_format::automaton::{End, StateId};
use spds_format::model::{Head, SymbolId};

use super::graph::{Edge, Graph, Way};
use super::part::Part;
use super::rough::Rough;
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

/// The head graph over all values.
pub struct Everywhere<'s, 'a> {
    system: &'s System<'a>,
    /// What leads through calls that can return, by where to: the rule, the values before in Now, globals after in Next, and in
    /// Saved what the rule changes in the frame that it leaves.
    returns: BTreeMap<(RuleId, HeadId), Relation>,
}

impl<'s, 'a> Everywhere<'s, 'a> {
    /// With all calls that can return.
    ///
    /// # Errors
    /// If a limit is met.
    pub fn new(system: &'s System<'a>) -> Result<Self, Stop> {
        let mut pre = PreStar::new(system, Vec::new());
        pre.run()?;
        let returns = pre.returns().map(|(rule, to, set)| ((rule, to), set.clone())).collect();
        Ok(Everywhere { system, returns })
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
        let space = self.system.space;
        let rough = Rough::of_graph(self, counts);
        let first = within.cloned().unwrap_or_else(|| space.top());
        let mut found = HeadSets::new();
        for number in 0..rough.count() {
            space.check()?;
            let part = Part::new(self, &rough, number);
            let mut all = HeadSets::new();
            part.heads.iter().for_each(|&head| all.set(space, head, first.clone()));
            found = found.union(space, &part.hull(self, all, cycles)?)?;
        }
        Ok(found)
    }
}

impl Graph for Everywhere<'_, '_> {
    fn system(&self) -> &System<'_> {
        self.system
    }

    fn edges_from(&self, from: HeadId, edge: &mut dyn FnMut(Edge)) {
        let pds = &self.system.control.pds;
        for rule in pds.rules_of(from).filter(|rule| self.system.relations.rule(*rule).is_some()) {
            match pds.kind_of(rule) {
                RuleKind::Step(to) => edge(Edge { from, to, rule, way: Way::Step }),
                RuleKind::Pop(_) => {}
                RuleKind::Call(to, _) => {
                    edge(Edge { from, to, rule, way: Way::Enter });
                    let returns = self.returns.range((rule, HeadId(0))..=(rule, HeadId(u32::MAX)));
                    returns.for_each(|(&(_, to), _)| edge(Edge { from, to, rule, way: Way::Through }));
                }
            }
        }
    }

    /// Of the mark what comes out says nothing.
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
        let before = match edge.way {
            Way::Step => system.before_swap(edge.rule, &after)?,
            Way::Enter => {
                let before = system.before_callee(edge.rule, &after)?;
                let saved = system.columns(row.saved, At::Saved);
                space.exists(&before, space.vars(saved.iter().copied()))?
            }
            Way::Through => {
                let Some(half) = self.returns.get(&(edge.rule, edge.to)) else { return Ok(space.bottom()) };
                let up = system.bits(system.globals()).into_iter().map(|bit| (bit, At::Now, At::Next));
                let below = space.rename(&after, space.renaming(up))?;
                system.before_site(edge.rule, system.globals(), half, &below)?
            }
        };
        let before = system.keep_invariant(row.from, before)?;
        match mark {
            Some(mark) => space.exists(&system.unmarked(&before)?, space.vars([(mark, At::Now)])),
            None => Ok(before),
        }
    }
}
