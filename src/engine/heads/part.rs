//! The parts of a head graph round which control can go.

use std::collections::BTreeMap;
use std::ops::Range;

use super::fixpoint::Arcs;
use super::graph::{Edge, Graph};
use super::rough::Rough;
use super::{Cycles, HeadSets};
use crate::limits::Stop;
use crate::pds::HeadId;

/// The part of a head graph in one rough component.
pub struct Part {
    /// Its number.
    pub number: u32,
    /// Its heads, as ways lead.
    pub heads: Vec<HeadId>,
    /// The edges inside it, those of a head side by side.
    pub edges: Vec<Edge>,
    /// Where those of each head are.
    places: BTreeMap<HeadId, Range<usize>>,
}

impl Part {
    /// Collects a part.
    pub fn new(graph: &impl Graph, rough: &Rough, number: u32) -> Part {
        let rank = &graph.system().control.rank;
        let mut heads = rough.members(number).to_vec();
        heads.sort_unstable_by_key(|head| (rank[head.0 as usize], *head));
        let mut edges = Vec::new();
        let mut places = BTreeMap::new();
        for &head in &heads {
            let first = edges.len();
            graph.edges_from(head, &mut |edge| {
                if rough.of(edge.to) == number {
                    edges.push(edge);
                }
            });
            places.insert(head, first..edges.len());
        }
        Part { number, heads, edges, places }
    }

    /// The edges from a head.
    pub fn edges_of(&self, head: HeadId) -> &[Edge] {
        self.places.get(&head).map_or(&[], |place| &self.edges[place.clone()])
    }

    /// The hull: the values of `inside` from which a run can go round for ever in this part, found step by step ([`Arcs`]).
    ///
    /// # Errors
    /// If a limit is met.
    pub fn hull(&self, graph: &impl Graph, inside: HeadSets, cycles: Cycles) -> Result<HeadSets, Stop> {
        let ends = self.edges.iter().map(|edge| (edge.from, edge.to)).collect();
        let before = |edge: usize, after: &_, met| graph.before(&self.edges[edge], after, met);
        Arcs::new(graph.system().space, &self.heads, ends, before).hull(inside, cycles)
    }
}
