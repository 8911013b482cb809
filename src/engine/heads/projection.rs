//! What can go round for ever when arrays are forgotten: a cheap first look.
//!
//! Whether a loop or a recursion ends depends on indices and counters more than on what arrays hold. With the values of
//! arrays forgotten in every edge (but not in what is reached) the hull is found on few bits; a cycle of the system is also
//! one of that projection. So what the projection rules out need not be looked at with arrays; mostly that is everything.

use super::fixpoint::Arcs;
use super::part::Part;
use super::{HeadSets, Search};
use crate::bdd::{At, Relation};
use crate::limits::Stop;
use crate::pds::{HeadId, SetId};
use crate::saturation::PostStar;
use crate::saturation::transitions::Transition;

type Result<T> = std::result::Result<T, Stop>;

/// Those of the values from which something could go round for ever if arrays held anything; `None` if there are no
/// arrays, or the attempt takes more than so much work.
///
/// # Errors
/// If a limit is met.
pub fn without_arrays(search: &Search<'_, '_, '_>, work: u64) -> Result<Option<HeadSets>> {
    let Search { component, inside, .. } = *search;
    let system = search.post.system();
    let arrays = system.arrays();
    if component.part.heads.iter().all(|head| system.meet(system.live(*head), arrays) == SetId::EMPTY) {
        return Ok(None);
    }
    let space = system.space;
    let sets = space.attempt(work, || {
        let edges = projected(search.post, &component.part, Some(inside), system.union(arrays, system.mark()))?;
        let gone = space.vars(system.columns(arrays, At::Now).iter().copied());
        let sets = inside.each(space, |_, set| space.exists(set, gone))?;
        let ends = edges.iter().map(|(from, to, _)| (*from, *to)).collect();
        let before = |edge: usize, after: &Relation, _| system.before(&edges[edge].2, after);
        Arcs::new(space, &component.part.heads, ends, before).going_on(sets)
    })?;
    sets.map(|sets| sets.intersection(space, inside)).transpose()
}

/// The edges of a part as transitions without these bits, from the values that are given only, if some are.
///
/// # Errors
/// If a limit is met.
pub fn projected(
    post: &PostStar<'_, '_>,
    part: &Part,
    inside: Option<&HeadSets>,
    gone: SetId,
) -> Result<Vec<(HeadId, HeadId, Transition)>> {
    let (system, space) = (post.system(), post.system().space);
    let columns = |at| system.columns(gone, at).to_vec();
    let (now, both) = (space.vars(columns(At::Now)), space.vars([columns(At::Now), columns(At::Next)].concat()));
    let mut edges = Vec::new();
    for edge in &part.edges {
        let from = inside.map(|inside| inside.get(&edge.from));
        if from == Some(None) {
            continue;
        }
        // Neither what a call finds in arrays nor what it leaves there.
        let summary = |summary: &Relation| space.exists(&space.exists(summary, both)?, now);
        let Some(way) = edge.transition(post, summary)? else { continue };
        let relation = match from.flatten() {
            Some(from) => space.and_exists(&way.relation, from, both)?,
            None => space.exists(&way.relation, both)?,
        };
        edges.push((edge.from, edge.to, Transition { relation, writes: system.without(way.writes, gone) }));
    }
    Ok(edges)
}
