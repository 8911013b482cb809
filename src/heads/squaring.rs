//! Cycles by squaring: what can come back to a head, as a relation between the values before and after.
//!
//! The edges of a component are transitions. Heads are taken out one after another ([`Elimination`]), inner loops first
//! and entries of recursive calls last. A cycle comes back to the head on it that is taken out last, so it is seen there:
//! R⁺ ∩ id.
//!
//! Transitions are not restricted to what is reached: what follows a reached value is reached. So it is enough to look
//! whether the values that come back are.

use std::collections::BTreeSet;

use super::{Cycles, HeadSets, Part, Way};
use crate::bdd::Relation;
use crate::limits::Stop;
use crate::pds::HeadId;
use crate::saturation::PostStar;
use crate::saturation::elimination::{Elimination, inner_loops_first};
use crate::saturation::preimages::Met;
use crate::saturation::transitions::{Dead, Transition};

/// Values that lie on cycles inside that part of the graph, all of them inside `within` if that is given: those of one
/// head. Empty if there is no cycle, `None` if the attempt was given up: after so much work (see
/// [`crate::bdd::Space::attempt`]), or because relations got too large.
///
/// # Errors
/// If a limit is met.
pub fn squaring(
    post: &PostStar<'_, '_>,
    part: &Part,
    within: Option<&Relation>,
    cycles: Cycles,
    work: u64,
) -> Result<Option<HeadSets>, Stop> {
    post.system().space.attempt(work, || {
        let graph = graph(post, part, within)?;
        let found = graph.run(|head, turning| {
            let found = coming_back(post, part, within, cycles, head, &turning.all)?;
            Ok(Some(found).filter(|found| !post.system().space.is_empty(found)).map(|found| (head, found)))
        })?;
        Ok(found.map_or_else(HeadSets::new, |(head, set)| HeadSets::one(post.system().space, head, set)))
    })
}

/// The values of a head that are reached and come back to it.
fn coming_back(
    post: &PostStar<'_, '_>,
    part: &Part,
    within: Option<&Relation>,
    cycles: Cycles,
    head: HeadId,
    turns: &Transition,
) -> Result<Relation, Stop> {
    let system = post.system();
    let Some(values) = part.values.get(&head) else { return Ok(system.space.bottom()) };
    let met = if cycles == Cycles::Marked { Met::OnTheWay } else { Met::Whatever };
    let found = system.space.and(&system.unchanged(turns, met)?, values)?;
    match within {
        Some(within) => system.space.and(&found, within),
        None => Ok(found),
    }
}

/// The transitions of a component. Hidden heads are taken out first: every cycle has a visible one, so none is found at a
/// hidden head.
fn graph<'s, 'a>(post: &PostStar<'s, 'a>, part: &Part, within: Option<&Relation>) -> Result<Elimination<'s, 'a>, Stop> {
    let system = post.system();
    let pds = &system.control.pds;
    let entries: BTreeSet<HeadId> =
        part.edges.iter().filter(|edge| matches!(edge.way, Way::Enter(_))).map(|edge| edge.to).collect();
    let others: Vec<HeadId> = part.heads.iter().copied().filter(|head| !entries.contains(head)).collect();
    let mut class = inner_loops_first(system, others, |head| part.edges_of(head).iter().map(|edge| edge.to).collect());
    for &head in &part.heads {
        if pds.rules_of(head).next().is_some_and(|rule| pds.rule_at(rule).silent) {
            class.insert(head, 0);
        } else if entries.contains(&head) {
            class.insert(head, u32::MAX);
        }
    }
    let mut graph = Elimination::new(system, class);
    for edge in &part.edges {
        let mut way = match edge.way {
            Way::Step => system.step_transition(edge.rule, edge.to, Dead::Forgotten)?,
            Way::Enter(_) => system.enter_transition(edge.rule, edge.to)?,
            Way::Through(callee, control) => match post.summary(callee, control) {
                Some(summary) => system.through_transition(edge.rule, callee, summary, edge.to)?,
                None => continue,
            },
        };
        if let Some(within) = within {
            way.relation = system.space.and(&way.relation, within)?;
        }
        graph.add(edge.from, edge.to, way)?;
    }
    Ok(graph)
}
