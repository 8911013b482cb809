//! Cycles by squaring: what can come back to a head, as a relation between the values before and after.
//!
//! The edges of a component are transitions. Heads are taken out one after another, inner loops first and entries of
//! recursive calls last: what went through the head becomes a transition from its predecessors to its successors, with
//! the closure of its own loop between them. That closure takes as many rounds as the number of turns has binary digits
//! (iterated squaring), where a search that goes step by step takes as many as there are turns. A cycle comes back to the
//! head on it that is taken out last, so it is seen there: R⁺ ∩ id.
//!
//! Transitions are not restricted to what is reached: what follows a reached value is reached. So it is enough to look
//! whether the values that come back are.
//!
//! Some relations have closures that are too large. Then the attempt is given up, and something else has to decide.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::kosaraju_scc;
use petgraph::graphmap::DiGraphMap;

use super::{Cycles, Part, Sets, Way};
use crate::bdd::Relation;
use crate::limits::Stop;
use crate::pds::HeadId;
use crate::saturation::PostStar;
use crate::saturation::preimages::Met;
use crate::saturation::transitions::{Dead, Transition};

type Result<T> = std::result::Result<T, Stop>;

/// A relation with more nodes than this is no longer squared.
const LARGEST: usize = 1 << 17;

/// Loops nested deeper than this are not taken apart further.
const DEEPEST_LOOP: u32 = 8;

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
) -> Result<Option<Sets>> {
    let space = post.system().space;
    space.attempt(work, || {
        let mut graph = Graph::new(post, part, within)?;
        while let Some(head) = graph.next() {
            let found = graph.take_out(head, cycles)?;
            let Some(values) = part.values.get(&head) else { continue };
            let mut found = space.and(&found, values)?;
            if let Some(within) = within {
                found = space.and(&found, within)?;
            }
            if !space.is_empty(&found) {
                return Ok(Sets::from([(head, found)]));
            }
            space.check()?;
        }
        Ok(Sets::new())
    })
}

/// When a head is taken out: hidden ones, then those of inner loops, then entries of calls. Every cycle has a visible
/// head, so none is found at a hidden one.
type Turn = (u32, usize, u32, HeadId);

struct Graph<'g, 's, 'a> {
    post: &'g PostStar<'s, 'a>,
    from: BTreeMap<HeadId, BTreeMap<HeadId, Transition>>,
    to: BTreeMap<HeadId, BTreeSet<HeadId>>,
    class: BTreeMap<HeadId, u32>,
    turns: BTreeSet<Turn>,
    turn_of: BTreeMap<HeadId, Turn>,
}

impl<'g, 's, 'a> Graph<'g, 's, 'a> {
    fn new(post: &'g PostStar<'s, 'a>, part: &Part, within: Option<&Relation>) -> Result<Self> {
        let system = post.system();
        let mut graph = Graph {
            post,
            from: BTreeMap::new(),
            to: BTreeMap::new(),
            class: classes(post, part),
            turns: BTreeSet::new(),
            turn_of: BTreeMap::new(),
        };
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
        for &head in &part.heads {
            graph.queue(head);
        }
        Ok(graph)
    }

    /// Remembers a further way from one head to another.
    fn add(&mut self, from: HeadId, to: HeadId, way: Transition) -> Result<()> {
        let system = self.post.system();
        if system.space.is_empty(&way.relation) {
            return Ok(());
        }
        let ways = self.from.entry(from).or_default();
        let all = match ways.get(&to) {
            Some(known) => system.either(known, &way)?,
            None => way,
        };
        small(self.post, &all.relation)?;
        ways.insert(to, all);
        self.to.entry(to).or_default().insert(from);
        Ok(())
    }

    /// Sets when a head is taken out, by what it is connected to now.
    fn queue(&mut self, head: HeadId) {
        let others = |ends: usize, own: bool| ends - usize::from(own);
        let own = self.from.get(&head).is_some_and(|ways| ways.contains_key(&head));
        let out = others(self.from.get(&head).map_or(0, BTreeMap::len), own);
        let into = others(self.to.get(&head).map_or(0, BTreeSet::len), own);
        let rank = self.post.system().control.rank[head.0 as usize];
        let turn = (self.class[&head], into * out, u32::MAX - rank, head);
        if let Some(before) = self.turn_of.insert(head, turn) {
            self.turns.remove(&before);
        }
        self.turns.insert(turn);
    }

    fn next(&mut self) -> Option<HeadId> {
        let (.., head) = self.turns.pop_first()?;
        self.turn_of.remove(&head);
        Some(head)
    }

    /// Takes out a head; the values (over Now) with which it can be come back to, through what was taken out before.
    fn take_out(&mut self, head: HeadId, cycles: Cycles) -> Result<Relation> {
        let system = self.post.system();
        let mut after = self.from.remove(&head).unwrap_or_default();
        let mut before = self.to.remove(&head).unwrap_or_default();
        let (own, _) = (after.remove(&head), before.remove(&head));
        for next in after.keys() {
            self.to.get_mut(next).expect("edges are known at both ends").remove(&head);
        }
        let mut ways = BTreeMap::new();
        for earlier in &before {
            let way = self.from.get_mut(earlier).and_then(|ways| ways.remove(&head));
            ways.insert(*earlier, way.expect("edges are known at both ends"));
        }
        let mut back = system.space.bottom();
        if let Some(own) = own {
            let ladder = system.ladder(&own, |relation| small(self.post, relation))?;
            let all = ladder.last().expect("one turn is there");
            let met = if cycles == Cycles::Marked { Met::OnTheWay } else { Met::Whatever };
            back = system.unchanged(all, met)?;
            // Between the ways into the head and those out of it, on the side with fewer of them.
            let turns = system.or_nothing(all)?;
            if ways.len() <= after.len() {
                for way in ways.values_mut() {
                    *way = system.then(way, &turns)?;
                }
            } else {
                for way in after.values_mut() {
                    *way = system.then(&turns, way)?;
                }
            }
        }
        for (earlier, way) in &ways {
            for (later, on) in &after {
                let whole = system.then(way, on)?;
                self.add(*earlier, *later, whole)?;
            }
        }
        for &neighbour in before.iter().chain(after.keys()) {
            if self.turn_of.contains_key(&neighbour) {
                self.queue(neighbour);
            }
        }
        Ok(back)
    }
}

/// Gives up if a relation is too large to go on with.
fn small(post: &PostStar<'_, '_>, relation: &Relation) -> Result<()> {
    if post.system().space.size(relation) > LARGEST {
        return Err(Stop::Patience);
    }
    Ok(())
}

/// In which order heads are taken out, as far as control tells: hidden heads, then the deepest loops, in each of them its
/// first head last, and entries of calls last of all.
fn classes(post: &PostStar<'_, '_>, part: &Part) -> BTreeMap<HeadId, u32> {
    let system = post.system();
    let entries: BTreeSet<HeadId> =
        part.edges.iter().filter(|edge| matches!(edge.way, Way::Enter(_))).map(|edge| edge.to).collect();
    let mut class: BTreeMap<HeadId, u32> = BTreeMap::new();
    let mut work: Vec<(Vec<HeadId>, u32)> = vec![(part.heads.clone(), 0)];
    while let Some((members, depth)) = work.pop() {
        let inside: BTreeSet<HeadId> = members.iter().copied().filter(|head| !entries.contains(head)).collect();
        let mut graph = DiGraphMap::<HeadId, ()>::new();
        for &head in &inside {
            class.insert(head, 2 * (DEEPEST_LOOP - depth) + 1);
            for edge in part.edges_of(head).iter().filter(|edge| inside.contains(&edge.to)) {
                graph.add_edge(head, edge.to, ());
            }
        }
        if depth == DEEPEST_LOOP {
            continue;
        }
        for component in kosaraju_scc(&graph) {
            if component.len() == 1 && !graph.contains_edge(component[0], component[0]) {
                continue;
            }
            let mut rest: Vec<HeadId> = component;
            rest.sort_unstable_by_key(|head| (system.control.rank[head.0 as usize], *head));
            let first = rest.remove(0);
            work.push((rest, depth + 1));
            class.insert(first, 2 * (DEEPEST_LOOP - depth));
        }
    }
    let pds = &system.control.pds;
    for &head in &part.heads {
        if pds.rules_of(head).next().is_some_and(|rule| pds.rule_at(rule).silent) {
            class.insert(head, 0);
        } else if entries.contains(&head) {
            class.insert(head, u32::MAX);
        }
    }
    class
}
