//! What can go round for ever when arrays are forgotten: a cheap first look.
//!
//! Whether a loop or a recursion ends depends on indices and counters more than on what arrays hold. With the values of
//! arrays forgotten in every edge (but not in what is reached) the hull is found on few bits; a cycle of the system is also
//! one of that projection. So what the projection rules out need not be looked at with arrays; mostly that is everything.

use std::collections::{BTreeMap, BTreeSet};

use super::{HeadSets, Part, Way};
use crate::bdd::At;
use crate::limits::Stop;
use crate::pds::{HeadId, SetId};
use crate::saturation::transitions::{Dead, Transition};
use crate::saturation::{PostStar, System};

type Result<T> = std::result::Result<T, Stop>;

/// Those of the values from which something could go round for ever if arrays held anything; `None` if there are no
/// arrays, or the attempt takes more than so much work.
///
/// # Errors
/// If a limit is met.
pub fn without_arrays(post: &PostStar<'_, '_>, part: &Part, within: &HeadSets, work: u64) -> Result<Option<HeadSets>> {
    let system = post.system();
    let arrays = arrays(system);
    if part.heads.iter().all(|head| system.meet(system.live(*head), arrays) == SetId::EMPTY) {
        return Ok(None);
    }
    let space = system.space;
    let sets = space.attempt(work, || {
        let edges = projected(post, part, within, system.union(arrays, system.mark()))?;
        let gone = space.vars(system.columns(arrays, At::Now).iter().copied());
        let sets = within.each(space, |_, set| space.exists(set, gone))?;
        trim(system, part, &edges, sets)
    })?;
    let Some(sets) = sets else { return Ok(None) };
    Ok(Some(sets.intersection(space, within)?))
}

/// The bits of arrays.
fn arrays(system: &System<'_>) -> SetId {
    let layout = &system.control.pds.layout;
    let fields = layout.globals().iter().chain(layout.shapes().flatten());
    let bits = fields.filter(|field| field.ty.range.is_some()).flat_map(|field| field.bits());
    system.control.pds.sets.set(bits)
}

/// The edges of the component, from the values that are reached, without these bits.
fn projected(
    post: &PostStar<'_, '_>,
    part: &Part,
    within: &HeadSets,
    gone: SetId,
) -> Result<Vec<(HeadId, HeadId, Transition)>> {
    let (system, space) = (post.system(), post.system().space);
    let columns = |at| system.columns(gone, at).to_vec();
    let (now, both) = (space.vars(columns(At::Now)), space.vars([columns(At::Now), columns(At::Next)].concat()));
    let mut edges = Vec::new();
    for edge in &part.edges {
        let Some(from) = within.get(&edge.from) else { continue };
        let way = match edge.way {
            Way::Step => system.step_transition(edge.rule, edge.to, Dead::Forgotten)?,
            Way::Enter(_) => system.enter_transition(edge.rule, edge.to)?,
            Way::Through(callee, control) => match post.summary(callee, control) {
                // Neither what the call finds in arrays nor what it leaves there.
                Some(summary) => {
                    let summary = space.exists(&space.exists(summary, both)?, now)?;
                    system.through_transition(edge.rule, callee, &summary, edge.to)?
                }
                None => continue,
            },
        };
        let relation = space.and_exists(&way.relation, from, both)?;
        edges.push((edge.from, edge.to, Transition { relation, writes: system.without(way.writes, gone) }));
    }
    Ok(edges)
}

/// νZ. Z ∧ pre(Z)
fn trim(
    system: &System<'_>,
    part: &Part,
    edges: &[(HeadId, HeadId, Transition)],
    mut sets: HeadSets,
) -> Result<HeadSets> {
    let space = system.space;
    // Ends of ways first.
    let order: BTreeMap<HeadId, usize> = part.heads.iter().rev().enumerate().map(|(at, &head)| (head, at)).collect();
    let mut work: BTreeSet<(usize, HeadId)> = sets.keys().map(|head| (order[&head], head)).collect();
    while let Some((_, head)) = work.pop_first() {
        let Some(set) = sets.get(&head).cloned() else { continue };
        let mut left = space.bottom();
        for (_, to, way) in edges.iter().filter(|(from, ..)| *from == head) {
            if let Some(after) = sets.get(to) {
                left = space.or(&left, &system.before(way, after)?)?;
            }
        }
        let left = space.and(&set, &left)?;
        if left == set {
            continue;
        }
        sets.set(space, head, left);
        work.extend(edges.iter().filter(|(_, to, _)| *to == head).map(|(from, ..)| (order[from], *from)));
    }
    Ok(sets)
}
