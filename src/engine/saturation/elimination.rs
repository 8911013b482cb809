//! Heads taken out of a graph of transitions, one after another, until it is known what comes back to each.
//!
//! When a head is taken out, what went through it becomes transitions from its predecessors to its successors, with the
//! closure of its own loop between them. That closure takes as many rounds as the number of turns has binary digits
//! (iterated squaring), where a search that goes step by step takes as many as there are turns. Inner loops come first.
//!
//! Some relations have closures that are too large. Then the attempt is given up with [`Stop::Patience`].

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::kosaraju_scc;
use petgraph::graphmap::DiGraphMap;

use super::images::System;
use super::transitions::Transition;
use crate::bdd::Relation;
use crate::limits::Stop;
use crate::pds::HeadId;

type Result<T> = std::result::Result<T, Stop>;

/// A relation with more nodes than this is no longer composed.
const LARGEST: usize = 1 << 17;

/// Nor squared if it has more than this to begin with, or by more than this and twice as many as the round before.
/// Closures worth having grow slowly: counters by some hundred nodes a round; arrays threefold. With many columns even what is
/// simple has many nodes.
const LARGE: usize = 1 << 13;
const LARGE_FOR_EACH_LEVEL: usize = 1 << 5;

/// Loops nested deeper than this are not taken apart further.
const DEEPEST_LOOP: u32 = 8;

/// A graph of transitions between heads.
pub struct Elimination<'s, 'a> {
    system: &'s System<'a>,
    from: BTreeMap<HeadId, BTreeMap<HeadId, Transition>>,
    to: BTreeMap<HeadId, BTreeSet<HeadId>>,
    class: BTreeMap<HeadId, u32>,
    turns: BTreeSet<Turn>,
    turn_of: BTreeMap<HeadId, Turn>,
}

/// What the loop of a head does.
#[derive(Clone, Debug)]
pub struct Turning {
    /// One turn.
    pub one: Transition,
    /// One turn or more.
    pub all: Transition,
}

/// When a head is taken out: by class, then those with few ways through them.
type Turn = (u32, usize, u32, HeadId);

impl<'s, 'a> Elimination<'s, 'a> {
    /// Without transitions. Heads of smaller classes are taken out first.
    pub fn new(system: &'s System<'a>, class: BTreeMap<HeadId, u32>) -> Self {
        let (from, to) = (BTreeMap::new(), BTreeMap::new());
        Elimination { system, from, to, class, turns: BTreeSet::new(), turn_of: BTreeMap::new() }
    }

    /// A further way from one head to another.
    ///
    /// # Errors
    /// If the relation gets too large, or a limit is met.
    pub fn add(&mut self, from: HeadId, to: HeadId, way: Transition) -> Result<()> {
        if self.system.space.is_empty(&way.relation) {
            return Ok(());
        }
        let ways = self.from.entry(from).or_default();
        let all = match ways.get(&to) {
            Some(known) => self.system.either(known, &way)?,
            None => way,
        };
        small(self.system, &all.relation)?;
        ways.insert(to, all);
        self.to.entry(to).or_default().insert(from);
        Ok(())
    }

    /// Takes out the heads that have a class, and tells of each that has a loop what one turn does and what turns do,
    /// one or more, through heads that were taken out before. Goes on while the answer is `None`.
    ///
    /// # Errors
    /// If a relation gets too large, or a limit is met.
    pub fn run<T>(&mut self, mut looping: impl FnMut(HeadId, Turning) -> Result<Option<T>>) -> Result<Option<T>> {
        let heads: Vec<HeadId> = self.class.keys().copied().collect();
        heads.into_iter().for_each(|head| self.queue(head));
        while let Some((.., head)) = self.turns.pop_first() {
            self.turn_of.remove(&head);
            if let Some(turning) = self.take_out(head)?
                && let Some(answer) = looping(head, turning)?
            {
                return Ok(Some(answer));
            }
            self.system.space.check()?;
        }
        Ok(None)
    }

    /// What leads from one head to another, if anything does, through heads that were taken out only.
    pub fn way(&self, from: HeadId, to: HeadId) -> Option<&Transition> {
        self.from.get(&from)?.get(&to)
    }

    /// Sets when a head is taken out, by what it is connected to now.
    fn queue(&mut self, head: HeadId) {
        let own = self.from.get(&head).is_some_and(|ways| ways.contains_key(&head));
        let out = self.from.get(&head).map_or(0, BTreeMap::len) - usize::from(own);
        let into = self.to.get(&head).map_or(0, BTreeSet::len) - usize::from(own);
        let rank = self.system.control.rank[head.0 as usize];
        let turn = (self.class[&head], into * out, u32::MAX - rank, head);
        if let Some(before) = self.turn_of.insert(head, turn) {
            self.turns.remove(&before);
        }
        self.turns.insert(turn);
    }

    fn take_out(&mut self, head: HeadId) -> Result<Option<Turning>> {
        let system = self.system;
        let mut after = self.from.remove(&head).unwrap_or_default();
        let mut before = self.to.remove(&head).unwrap_or_default();
        let own = after.remove(&head).filter(|_| before.remove(&head));
        for next in after.keys() {
            self.to.get_mut(next).expect("edges are known at both ends").remove(&head);
        }
        let mut ways = BTreeMap::new();
        for earlier in &before {
            let way = self.from.get_mut(earlier).and_then(|ways| ways.remove(&head));
            ways.insert(*earlier, way.expect("edges are known at both ends"));
        }
        let turning = own.map(|one| system.turning(head, one)).transpose()?;
        if let Some(Turning { all, .. }) = &turning
            && !ways.is_empty()
            && !after.is_empty()
        {
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
                self.add(*earlier, *later, system.then(way, on)?)?;
            }
        }
        for &neighbour in before.iter().chain(after.keys()) {
            if self.turn_of.contains_key(&neighbour) {
                self.queue(neighbour);
            }
        }
        Ok(turning)
    }
}

impl System<'_> {
    /// What turns of the loop of a head do, given what one does.
    ///
    /// # Errors
    /// [`Stop::Patience`] if that gets too large, or if a limit is met.
    pub(super) fn turning(&self, head: HeadId, one: Transition) -> Result<Turning> {
        let levels = self.space.level_count();
        let all = self.closure(head, &one, |size, before| too_large(levels, size, before))?;
        Ok(Turning { one, all })
    }
}

/// Whether a relation that is being squared, or has been, is not worth going on with.
fn too_large(levels: usize, size: usize, before: usize) -> bool {
    let large = LARGE.max(LARGE_FOR_EACH_LEVEL * levels);
    size > LARGEST || size > large && (size == before || size > 2 * before)
}

/// Gives up if a relation is too large to go on with.
fn small(system: &System<'_>, relation: &Relation) -> Result<()> {
    if system.space.size(relation) > LARGEST { Err(Stop::Patience) } else { Ok(()) }
}

/// In which order heads are taken out, as far as control tells: those of the deepest loops first, in each loop the head
/// of the least rank last. Classes are between 1 and 99.
pub fn inner_loops_first(
    system: &System<'_>,
    heads: Vec<HeadId>,
    successors: impl Fn(HeadId) -> Vec<HeadId>,
) -> BTreeMap<HeadId, u32> {
    let mut class: BTreeMap<HeadId, u32> = BTreeMap::new();
    let mut work: Vec<(Vec<HeadId>, u32)> = vec![(heads, 0)];
    while let Some((members, depth)) = work.pop() {
        let inside: BTreeSet<HeadId> = members.into_iter().collect();
        let mut graph = DiGraphMap::<HeadId, ()>::new();
        for &head in &inside {
            class.insert(head, 2 * (DEEPEST_LOOP - depth) + 2);
            for to in successors(head).into_iter().filter(|to| inside.contains(to)) {
                graph.add_edge(head, to, ());
            }
        }
        if depth == DEEPEST_LOOP {
            continue;
        }
        for mut component in kosaraju_scc(&graph) {
            if component.len() == 1 && !graph.contains_edge(component[0], component[0]) {
                continue;
            }
            component.sort_unstable_by_key(|head| (system.control.rank[head.0 as usize], *head));
            let first = component.remove(0);
            work.push((component, depth + 1));
            class.insert(first, 2 * (DEEPEST_LOOP - depth) + 1);
        }
    }
    class
}
