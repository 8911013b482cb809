//! BDD subsetting (Ravi and Somenzi, *High-density reachability analysis*, ICCAD 1995) for partial search: a saturation that goes on with a
//! part of what is large, and goes everywhere before it goes anywhere again.
//!
//! What such a saturation finds is found by rules from what it has found: every path edge and every summary is one of the
//! whole saturation. So whatever it comes to can be come to, and a cycle among its values is one. What it does not find says
//! nothing.
//!
//! Where it is to come to certain heads it goes to what is near to them first, and what has been visited counts as further away:
//! best-first search by the distance in control (Pearl, *Heuristics*, 1984), which knows nothing of values.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::images::System;
use crate::bdd::{At, Choices, Relation, SetsBy, Space};
use crate::flow::StateId;
use crate::limits::Stop;
use crate::pds::HeadId;

/// How far it is from each head to where a look is to come, as far as control tells.
#[derive(Clone, Debug, Default)]
pub struct Distances {
    /// By head; empty if it is to come nowhere in particular.
    by_head: Rc<[u32]>,
    /// By how much more a visit makes a head further away.
    visit: u32,
}

impl Distances {
    /// These, for a look that begins at a head: a visit counts as much as the whole way.
    pub fn new(by_head: Vec<u32>, start: HeadId) -> Distances {
        let visit = by_head[start.0 as usize].max(1);
        Distances { by_head: by_head.into(), visit }
    }

    fn of(&self, head: HeadId, visits: u32) -> u32 {
        let distance = self.by_head.get(head.0 as usize).copied().unwrap_or(0);
        visits.saturating_mul(self.visit.max(1)).saturating_add(distance)
    }
}

/// How much of what is found a look goes on with, and how often it has come where.
#[derive(Debug)]
pub struct Thinning {
    /// Sets of more nodes than this are thinned to so many paths.
    nodes: usize,
    paths: usize,
    choices: Choices,
    distances: Distances,
    visits: FxHashMap<(HeadId, StateId), u32>,
}

impl Thinning {
    /// Sets of more nodes than this are thinned to so many paths, by choices with this number.
    pub fn new(nodes: usize, paths: usize, number: u64, distances: Distances) -> Thinning {
        Thinning { nodes, paths, choices: Choices::new(number), distances, visits: FxHashMap::default() }
    }

    /// How long an edge has to wait that is visited once more.
    pub(super) fn visit(&mut self, head: HeadId, state: StateId) -> u32 {
        let visits = self.visits.entry((head, state)).or_default();
        let before = std::mem::replace(visits, visits.saturating_add(1));
        self.distances.of(head, before)
    }

    /// A part of a set, if it is large.
    pub(super) fn thin(&mut self, space: &Space, set: Relation) -> Result<Relation, Stop> {
        if space.size(&set) <= self.nodes { Ok(set) } else { space.some_paths(&set, self.paths, &mut self.choices) }
    }
}

/// What a look has found at each head whose set is kept (over Now, without the mark).
#[derive(Debug)]
pub struct Found(SetsBy<HeadId>);

impl Found {
    /// All these sets of path edges together.
    pub(super) fn new<'r>(
        system: &System<'_>,
        edges: impl Iterator<Item = (HeadId, [&'r Relation; 2])>,
    ) -> Result<Found, Stop> {
        let space = system.space;
        let tags = system.columns(system.union(system.globals(), system.slots()), At::Entry);
        let marks = system.columns(system.mark(), At::Now);
        let gone = space.vars(tags.iter().chain(marks.iter()).copied());
        let mut found = SetsBy::new();
        for (head, sets) in edges {
            for set in sets {
                found.add(space, head, space.exists(set, gone)?)?;
            }
        }
        Ok(Found(found))
    }

    /// Those of these values that are among what was found at the head.
    pub(super) fn among(&self, space: &Space, head: HeadId, values: &Relation) -> Result<Relation, Stop> {
        self.0.get(&head).map_or_else(|| Ok(space.bottom()), |found| space.and(values, found))
    }
}
