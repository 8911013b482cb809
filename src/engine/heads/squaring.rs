//! Cycles by squaring: what can come back to a head, as a relation between the values before and after.
//!
//! The edges of a component are transitions. Heads are taken out one after another ([`Elimination`]), inner loops first
//! and entries of recursive calls last. A cycle comes back to the head on it that is taken out last, so it is seen there:
//! R⁺ ∩ id.
//!
//! Transitions are not restricted to what is reached: what follows a reached value is reached. So it is enough to look
//! whether the values that come back are.

use std::collections::{BTreeMap, BTreeSet};

use super::graph::Way;
use super::hull::hull;
use super::part::Part;
use super::{Cycles, HeadSets, Search};
use crate::bdd::Relation;
use crate::limits::Stop;
use crate::pds::HeadId;
use crate::saturation::System;
use crate::saturation::elimination::{Elimination, inner_loops_first};
use crate::saturation::preimages::Met;
use crate::saturation::transitions::Transition;

/// See [`super::methods`]: all values of some head that lie on cycles; where relations get too large, the hull.
pub fn squaring(search: &Search<'_, '_, '_>) -> Result<HeadSets, Stop> {
    match attempt(search, u64::MAX)? {
        Some(sets) => Ok(sets),
        None => hull(search),
    }
}

/// The same; `None` if the attempt was given up: after so much work (see [`crate::bdd::Space::attempt`]), or because
/// relations got too large.
///
/// # Errors
/// If a limit is met.
pub fn attempt(search: &Search<'_, '_, '_>, work: u64) -> Result<Option<HeadSets>, Stop> {
    let space = search.post.system().space;
    space.attempt(work, || {
        let mut graph = graph(search)?;
        let found = graph.run(|head, turning| {
            let found = coming_back(search, head, &turning.all)?;
            Ok(Some(found).filter(|found| !space.is_empty(found)).map(|found| (head, found)))
        })?;
        Ok(found.map_or_else(HeadSets::new, |(head, set)| HeadSets::one(space, head, set)))
    })
}

/// What is known of the loops of a part.
pub struct Loops {
    /// The heads to which something comes back, and what all turns do, one or more, through heads that were taken out before: those
    /// of inner loops come first.
    pub turns: Vec<(HeadId, Transition)>,
    /// Whether these are all, so that without them there is no circle.
    pub complete: bool,
}

/// What the loops of a part do, of which these are the transitions, as far as that can be known with so much work, and relations do
/// not get too large.
///
/// # Errors
/// If a limit is met.
pub fn loops(
    system: &System<'_>,
    part: &Part,
    ways: &[(HeadId, HeadId, Transition)],
    work: u64,
) -> Result<Loops, Stop> {
    let mut turns = Vec::new();
    let complete = system.space.attempt(work, || {
        let mut graph = Elimination::new(system, classes(system, part));
        for (from, to, way) in ways {
            graph.add(*from, *to, way.clone())?;
        }
        graph.run(|head, turning| {
            turns.push((head, turning.all));
            Ok(None::<()>)
        })
    })?;
    Ok(Loops { turns, complete: complete.is_some() })
}

/// The values of a head that are reached and come back to it.
fn coming_back(search: &Search<'_, '_, '_>, head: HeadId, turns: &Transition) -> Result<Relation, Stop> {
    let system = search.post.system();
    let Some(values) = search.component.values.get(&head) else { return Ok(system.space.bottom()) };
    let met = if search.cycles == Cycles::Marked { Met::OnTheWay } else { Met::Whatever };
    let found = system.space.and(&system.unchanged(turns, met)?, values)?;
    match search.region {
        Some(region) => system.space.and(&found, region),
        None => Ok(found),
    }
}

/// The transitions of a component.
fn graph<'s, 'a>(search: &Search<'_, 's, 'a>) -> Result<Elimination<'s, 'a>, Stop> {
    let (system, part) = (search.post.system(), &search.component.part);
    let mut graph = Elimination::new(system, classes(system, part));
    for edge in &part.edges {
        let Some(mut way) = edge.transition(search.post, |summary| Ok(summary.clone()))? else { continue };
        if let Some(region) = search.region {
            way.relation = system.space.and(&way.relation, region)?;
        }
        graph.add(edge.from, edge.to, way)?;
    }
    Ok(graph)
}

/// When heads are taken out. Hidden heads are first: every cycle has a visible one, so none is found at a hidden head.
fn classes(system: &System<'_>, part: &Part) -> BTreeMap<HeadId, u32> {
    let pds = &system.control.pds;
    let entries: BTreeSet<HeadId> =
        part.edges.iter().filter(|edge| matches!(edge.way, Way::Enter)).map(|edge| edge.to).collect();
    let others: Vec<HeadId> = part.heads.iter().copied().filter(|head| !entries.contains(head)).collect();
    let mut class = inner_loops_first(system, others, |head| part.edges_of(head).iter().map(|edge| edge.to).collect());
    for &head in &part.heads {
        if pds.is_hidden(head) {
            class.insert(head, 0);
        } else if entries.contains(&head) {
            class.insert(head, u32::MAX);
        }
    }
    class
}
