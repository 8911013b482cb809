//! A look at some runs: a saturation that goes on with a part of what is large, and goes everywhere before it goes anywhere again.
//!
//! What such a saturation finds is found by rules from what it has found: every path edge and every summary is one of the
//! whole saturation. So whatever it comes to can be come to, and a cycle among its values is one. What it does not find says
//! nothing.

use rustc_hash::FxHashMap;

use crate::bdd::{Choices, Relation, Space};
use crate::flow::StateId;
use crate::limits::Stop;
use crate::pds::HeadId;

/// How much of what is found a look goes on with, and how often it has come where.
#[derive(Debug)]
pub struct Thinning {
    /// Sets of more nodes than this are thinned to so many paths.
    nodes: usize,
    paths: usize,
    choices: Choices,
    visits: FxHashMap<(HeadId, StateId), u32>,
}

impl Thinning {
    /// Sets of more nodes than this are thinned to so many paths, by choices with this number.
    pub fn new(nodes: usize, paths: usize, number: u64) -> Thinning {
        Thinning { nodes, paths, choices: Choices::new(number), visits: FxHashMap::default() }
    }

    /// How often an edge has been visited before. What is no edge does not wait.
    pub(super) fn visit(&mut self, edge: Option<(HeadId, StateId)>) -> u32 {
        let Some(edge) = edge else { return 0 };
        let visits = self.visits.entry(edge).or_default();
        std::mem::replace(visits, visits.saturating_add(1))
    }

    /// A part of a set, if it is large.
    pub(super) fn thin(&mut self, space: &Space, set: Relation) -> Result<Relation, Stop> {
        if space.size(&set) <= self.nodes { Ok(set) } else { space.some_paths(&set, self.paths, &mut self.choices) }
    }
}
