//! The hull: the values from which a run can go round for ever inside a component, found step by step ([`Arcs`]). Every value
//! left leads to a cycle, and is one that post* has reached.

use super::fixpoint::Arcs;
use super::{HeadSets, Search};
use crate::limits::Stop;

/// See [`super::methods`].
pub fn hull(search: &Search<'_, '_, '_>) -> Result<HeadSets, Stop> {
    let Search { post, component, .. } = *search;
    let ends = component.edges.iter().map(|edge| (edge.from, edge.to)).collect();
    let before = |edge: usize, after: &_, met| component.edges[edge].before(post, after, met);
    Arcs::new(post.system().space, &component.heads, ends, before).hull(search.inside.clone(), search.cycles)
}
