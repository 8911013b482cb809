//! Data-flow equations backwards along [`Dependence`], solved in sweeps.
//!
//! Facts go backwards through a body, from an entry to the callers, and from a return site into the callee. So bodies are swept
//! callees first, then callers first, and so on, and each body from its end to its beginning, until nothing changes: on programs
//! without recursion most bodies are looked at once in each of a few sweeps (Kildall, POPL 1973, with the order of work of
//! [`super::rank`]).

use super::rank::Order;
use super::{Dependence, Flow, NONE};
use crate::pds::{HeadId, Pds, SetId};

/// What the equations are about.
#[derive(Clone, Copy)]
pub struct Parts<'p> {
    /// Heads and rules.
    pub pds: &'p Pds,
    /// Control reachability.
    pub flow: &'p Flow,
    /// The dependence graph.
    pub graph: &'p Dependence,
    /// The order of work.
    pub order: &'p Order,
}

/// The least solution at all heads: at a head at least what `first` says, and whatever `before` makes of what is live behind it.
/// Heads of which `first` says nothing are left out.
///
/// Increments are whole sets: they are interned, and a union costs one look-up.
pub(super) fn backwards(
    parts: Parts<'_>,
    mut first: impl FnMut(HeadId) -> Option<SetId>,
    before: impl FnMut(super::Via, SetId) -> SetId,
) -> Vec<SetId> {
    let Parts { pds, flow, graph, order } = parts;
    let mut at = vec![SetId::EMPTY; graph.node_count()];
    let mut left_out = vec![false; pds.head_count()];
    let mut head_at = vec![NONE; order.count() as usize];
    let mut waiting = Waiting::new(head_at.len());
    for &head in flow.bodies.items() {
        let (i, rank) = (head.0 as usize, order.rank[head.0 as usize]);
        // Several bodies may have it.
        if std::mem::replace(&mut head_at[rank as usize], head.0) != NONE {
            continue;
        }
        match first(head) {
            Some(live) => {
                at[i] = live;
                waiting.insert(rank);
            }
            None => left_out[i] = true,
        }
    }
    let mut solver = Solver { parts, before, at, left_out, waiting };
    loop {
        // Callees first.
        let mut from = 0;
        let Some(lowest) = solver.waiting.next(from) else { break };
        let mut next = Some(lowest);
        while let Some(place) = next {
            from = solver.body(&head_at, order.body(place));
            next = solver.waiting.next(from);
        }
        // Callers first.
        let mut next = solver.waiting.previous(head_at.len() as u32);
        while let Some(place) = next {
            let body = order.body(place);
            solver.body(&head_at, body.clone());
            next = solver.waiting.previous(body.start);
        }
    }
    let mut at = solver.at;
    at.truncate(pds.head_count());
    at
}

struct Solver<'p, F> {
    parts: Parts<'p>,
    before: F,
    /// By node.
    at: Vec<SetId>,
    left_out: Vec<bool>,
    /// Heads whose facts have changed, by rank.
    waiting: Waiting,
}

impl<F: FnMut(super::Via, SetId) -> SetId> Solver<'_, F> {
    /// One body, from its end to its beginning, until nothing waits in it. Where the next one begins.
    fn body(&mut self, head_at: &[u32], body: std::ops::Range<u32>) -> u32 {
        while let Some(place) = self.waiting.previous(body.end).filter(|place| *place >= body.start) {
            self.waiting.remove(place);
            self.pass_on(head_at[place as usize]);
        }
        body.end
    }

    /// What is live at a node becomes part of what is live before it.
    fn pass_on(&mut self, node: u32) {
        let graph = self.parts.graph;
        let live = self.at[node as usize];
        for (dependent, via) in graph.dependents(node) {
            let head = graph.head(dependent);
            if head.is_some_and(|head| self.left_out[head.0 as usize]) {
                continue;
            }
            let i = dependent as usize;
            let all = self.parts.pds.sets.union(self.at[i], (self.before)(via, live));
            if all != self.at[i] {
                self.at[i] = all;
                match head {
                    Some(_) => self.waiting.insert(self.parts.order.rank[i]),
                    // A return: heads come next.
                    None => self.pass_on(dependent),
                }
            }
        }
    }
}

/// Numbers below a bound, a bit for each, and a bit for each word of these.
struct Waiting {
    words: Vec<u64>,
    summary: Vec<u64>,
}

impl Waiting {
    /// None of so many.
    fn new(bound: usize) -> Waiting {
        let words = bound.div_ceil(64);
        Waiting { words: vec![0; words], summary: vec![0; words.div_ceil(64)] }
    }

    fn insert(&mut self, number: u32) {
        let word = number as usize / 64;
        self.words[word] |= 1 << (number % 64);
        self.summary[word / 64] |= 1 << (word % 64);
    }

    fn remove(&mut self, number: u32) {
        let word = number as usize / 64;
        self.words[word] &= !(1 << (number % 64));
        if self.words[word] == 0 {
            self.summary[word / 64] &= !(1 << (word % 64));
        }
    }

    /// The least one that is at least so large.
    fn next(&self, from: u32) -> Option<u32> {
        let word = from as usize / 64;
        let rest = self.words.get(word)? & !0 << (from % 64);
        if rest != 0 {
            return Some(word as u32 * 64 + rest.trailing_zeros());
        }
        let after = word + 1;
        let some = self.summary.get(after / 64)? & !0 << (after % 64);
        let above = (after / 64 + 1..self.summary.len()).map(|i| (i, self.summary[i]));
        let (i, words) = std::iter::once((after / 64, some)).chain(above).find(|(_, words)| *words != 0)?;
        let word = i * 64 + words.trailing_zeros() as usize;
        Some(word as u32 * 64 + self.words[word].trailing_zeros())
    }

    /// The greatest one that is smaller.
    fn previous(&self, before: u32) -> Option<u32> {
        let word = before as usize / 64;
        let rest = self.words.get(word).map_or(0, |bits| bits & ((1 << (before % 64)) - 1));
        if rest != 0 {
            return Some(word as u32 * 64 + rest.ilog2());
        }
        let some = self.summary.get(word / 64).map_or(0, |bits| bits & ((1 << (word % 64)) - 1));
        let below = (0..(word / 64).min(self.summary.len())).rev().map(|i| (i, self.summary[i]));
        let (i, words) = std::iter::once((word / 64, some)).chain(below).find(|(_, words)| *words != 0)?;
        let word = i * 64 + words.ilog2() as usize;
        Some(word as u32 * 64 + self.words[word].ilog2())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::Waiting;

    #[test]
    fn numbers_that_wait_are_found_in_both_directions() {
        let bound = 10_000;
        let mut seed = 7;
        let mut random = |below: u32| (crate::random::next(&mut seed) % u64::from(below)) as u32;
        let (mut waiting, mut all) = (Waiting::new(bound as usize), BTreeSet::new());
        for _ in 0..2000 {
            let number = random(bound);
            if all.remove(&number) {
                waiting.remove(number);
            } else {
                all.insert(number);
                waiting.insert(number);
            }
            let asked = random(bound + 1);
            assert_eq!(waiting.next(asked), all.range(asked..).next().copied(), "from {asked}");
            assert_eq!(waiting.previous(asked), all.range(..asked).next_back().copied(), "before {asked}");
            if all.len() > 40 {
                all.iter().for_each(|number| waiting.remove(*number));
                all.clear();
                assert_eq!((waiting.next(0), waiting.previous(bound)), (None, None));
            }
        }
    }
}
