//! The closure: which values of a head can come back to it, as a relation between both.
//!
//! The saturation of the paper's →ʳ restricted to one component (Esparza & Schwoon, CAV 2001, §3.3), semi-naive: from the
//! values of one head, each remembered in copy Entry, forward along the edges until nothing is new. If no value comes back
//! to itself, no cycle passes through the head; without it the component falls apart into smaller ones.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::kosaraju_scc;
use petgraph::graphmap::DiGraphMap;

use super::{Component, Cycles, HeadSets, Search};
use crate::bdd::{At, Bit, Relation, SetsBy};
use crate::limits::Stop;
use crate::pds::HeadId;

type Result<T> = std::result::Result<T, Stop>;

/// See [`super::methods`]: all values of some head that lie on cycles.
pub fn closure(search: &Search<'_, '_, '_>) -> Result<HeadSets> {
    let (component, space) = (search.component, search.post.system().space);
    let pds = &search.post.system().control.pds;
    let mut open = vec![component.part.heads.clone()];
    while let Some(members) = open.pop() {
        // Every cycle passes through a visible head.
        let Some(&cut) = members.iter().find(|head| !pds.is_hidden(**head)) else { continue };
        let found = through(search, &members.iter().copied().collect(), cut)?;
        if !space.is_empty(&found) {
            return Ok(HeadSets::one(space, cut, found));
        }
        open.extend(without(component, &members, cut));
    }
    Ok(HeadSets::new())
}

/// The components into which the rest falls apart, their heads in the same order.
fn without(component: &Component, members: &[HeadId], cut: HeadId) -> Vec<Vec<HeadId>> {
    let rest: BTreeSet<HeadId> = members.iter().copied().filter(|head| *head != cut).collect();
    let mut graph = DiGraphMap::<HeadId, ()>::new();
    for edge in component.part.edges.iter().filter(|edge| rest.contains(&edge.from) && rest.contains(&edge.to)) {
        graph.add_edge(edge.from, edge.to, ());
    }
    let components = kosaraju_scc(&graph).into_iter();
    let cyclic = components.filter(|heads| heads.len() > 1 || graph.contains_edge(heads[0], heads[0]));
    let sorted = cyclic.map(|heads| {
        let heads: BTreeSet<HeadId> = heads.into_iter().collect();
        members.iter().copied().filter(|head| heads.contains(head)).collect()
    });
    sorted.collect()
}

/// The values of a head that come back to it within these heads.
fn through(search: &Search<'_, '_, '_>, members: &BTreeSet<HeadId>, cut: HeadId) -> Result<Relation> {
    let Search { post, component, inside, cycles, .. } = *search;
    let system = post.system();
    let space = system.space;
    let Some(start) = inside.get(&cut) else { return Ok(space.bottom()) };
    let origin: Vec<Bit> = system.bits(system.without(system.live(cut), system.mark()));
    let same = space.identity(origin.iter().copied(), At::Now, At::Entry)?;
    let mut found = HeadSets::new();
    let order: BTreeMap<HeadId, usize> =
        component.part.heads.iter().enumerate().map(|(place, &head)| (head, place)).collect();
    let mut fresh = SetsBy::<(usize, HeadId)>::new();
    let mut pending = Some((cut, space.and(&system.unmarked(start)?, &same)?));
    loop {
        let (head, new) = match pending.take() {
            Some(first) => first,
            None => {
                let Some(((_, head), set)) = fresh.pop_first() else { break };
                let Some(new) = found.grow(space, head, &set)? else { continue };
                (head, new)
            }
        };
        for edge in component.part.edges_of(head).iter().filter(|edge| members.contains(&edge.to)) {
            let Some(bound) = inside.get(&edge.to) else { continue };
            let set = space.and(&edge.after(post, &new)?, bound)?;
            fresh.add(space, (order[&edge.to], edge.to), set)?;
        }
        space.check()?;
    }
    let Some(back) = found.get(&cut) else { return Ok(space.bottom()) };
    let mut back = space.and(back, &same)?;
    if let (Cycles::Marked, Some(mark)) = (cycles, system.control.pds.layout.mark()) {
        back = space.and(&back, &space.literal((mark, At::Now), true)?)?;
    }
    let gone = origin.into_iter().map(|bit| (bit, At::Entry));
    let gone = gone.chain(system.control.pds.layout.mark().map(|mark| (mark, At::Now)));
    space.exists(&back, space.vars(gone))
}
