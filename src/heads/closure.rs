//! The closure: which values of a head can come back to it, as a relation between both.
//!
//! The saturation of the paper's →ʳ restricted to one component (Esparza & Schwoon, CAV 2001, §3.3), semi-naive: from the
//! values of one head, each remembered in copy Entry, forward along the edges until nothing is new. If no value comes back
//! to itself, no cycle passes through the head; without it the component falls apart into smaller ones.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::kosaraju_scc;
use petgraph::graphmap::DiGraphMap;

use super::{Cycles, Edge, HeadSets, Part, Way};
use crate::bdd::{At, Bit, Relation, SetsBy};
use crate::limits::Stop;
use crate::pds::HeadId;
use crate::saturation::{PostStar, System};

type Result<T> = std::result::Result<T, Stop>;

/// Values of `within` that lie on cycles inside that part of the graph: all those of some head. Empty if there is no cycle.
///
/// # Errors
/// If a limit is met.
pub fn closure(post: &PostStar<'_, '_>, part: &Part, within: &HeadSets, cycles: Cycles) -> Result<HeadSets> {
    let mut open = vec![part.heads.clone()];
    while let Some(members) = open.pop() {
        // Every cycle passes through a visible head.
        let Some(&cut) = members.iter().find(|head| !is_hidden(post.system(), **head)) else { continue };
        let found = through(post, part, &members.iter().copied().collect(), within, cut, cycles)?;
        if !post.system().space.is_empty(&found) {
            return Ok(HeadSets::one(post.system().space, cut, found));
        }
        open.extend(without(part, &members, cut));
    }
    Ok(HeadSets::new())
}

fn is_hidden(system: &System<'_>, head: HeadId) -> bool {
    let pds = &system.control.pds;
    pds.rules_of(head).next().is_some_and(|rule| pds.rule_at(rule).silent)
}

/// The components into which the rest falls apart, their heads in the same order.
fn without(part: &Part, members: &[HeadId], cut: HeadId) -> Vec<Vec<HeadId>> {
    let rest: BTreeSet<HeadId> = members.iter().copied().filter(|head| *head != cut).collect();
    let mut graph = DiGraphMap::<HeadId, ()>::new();
    for edge in part.edges.iter().filter(|edge| rest.contains(&edge.from) && rest.contains(&edge.to)) {
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
fn through(
    post: &PostStar<'_, '_>,
    part: &Part,
    members: &BTreeSet<HeadId>,
    within: &HeadSets,
    cut: HeadId,
    cycles: Cycles,
) -> Result<Relation> {
    let system = post.system();
    let space = system.space;
    let Some(start) = within.get(&cut) else { return Ok(space.bottom()) };
    let origin: Vec<Bit> = system.bits(system.without(system.live(cut), system.mark()));
    let same = space.identity(origin.iter().copied(), At::Now, At::Entry)?;
    let mut found = HeadSets::new();
    let order: BTreeMap<HeadId, usize> = part.heads.iter().enumerate().map(|(place, &head)| (head, place)).collect();
    let mut fresh = SetsBy::<(usize, HeadId)>::new();
    let mut pending = Some((cut, space.and(&system.unmarked(start)?, &same)?));
    loop {
        let (head, new) = match pending.take() {
            Some(first) => first,
            None => {
                let Some(((_, head), set)) = fresh.pop_first() else { break };
                let known = found.get(&head).cloned().unwrap_or_else(|| space.bottom());
                let new = space.and_not(&set, &known)?;
                if space.is_empty(&new) {
                    continue;
                }
                found.add(space, head, new.clone())?;
                (head, new)
            }
        };
        for edge in part.edges_of(head).iter().filter(|edge| members.contains(&edge.to)) {
            let Some(bound) = within.get(&edge.to) else { continue };
            let set = space.and(&after(post, edge, &new)?, bound)?;
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

/// What an edge leads to; copy Entry and the mark go along.
fn after(post: &PostStar<'_, '_>, edge: &Edge, set: &Relation) -> Result<Relation> {
    let system = post.system();
    match edge.way {
        Way::Step => system.step(edge.rule, edge.to, set),
        Way::Enter(callee) => system.enter(callee, edge.to, &system.call(edge.rule, callee, set)?),
        Way::Through(callee, control) => match post.summary(callee, control) {
            Some(summary) => system.join(callee, summary, &system.call(edge.rule, callee, set)?, edge.to),
            None => Ok(system.space.bottom()),
        },
    }
}
