//! How often calls can be made before one of them returns: ranking functions of the strongly connected parts, with both ends.
//!
//! A function that rises on no way of a part, and falls by δ at least on some of its calls, falls on these no more often than
//! K = ⌊(most − least) / δ⌋ + 1 times: most is its greatest value where the part is entered, least its least value before such a call.
//! Machine integers have ends, so no bound is needed for it to be a ranking function; both ends are found by bit-vectors. What is left
//! without these calls is taken in the same way, and is entered K + 1 times (lexicographic ranking functions: Alias, Darte, Feautrier and
//! Gonnord, *Multi-dimensional rankings*, SAS 2010), each with its ends over all entries, those after what fell included.

use std::collections::BTreeSet;

use num_bigint::BigUint;

use super::super::invariants::edge::Edge;
use super::super::ranking::synthesis::{Cases, Component, Given, Ranks, View};
use super::extreme::{Extreme, most};
use super::ways::{Falls, Measure, Part, Parts, Way, Weights, strongly};

/// In what sense numbers are measured, and what ranking functions are looked for with: where much is known, they are hard to find.
const TRIED: [(bool, Given); 4] =
    [(false, Given::Conditions), (true, Given::Conditions), (false, Given::All), (true, Given::All)];

/// What is looked for.
pub(super) struct Planner {
    /// How many variables each cut point has.
    pub variables: Vec<usize>,
    /// The relation of each way.
    pub edges: Vec<Edge>,
    pub ways: Vec<Way>,
    /// The ways that can be taken.
    pub alive: Vec<usize>,
    /// What ways say.
    pub cases: Cases,
}

/// A part of which nothing is known: its calls.
#[derive(Clone, Debug)]
pub(super) struct Stuck {
    pub calls: Vec<usize>,
}

impl Planner {
    /// Of ways that can be taken their parts, with what falls in them.
    ///
    /// # Errors
    /// A part in which nothing was found that falls.
    pub fn parts(&mut self, inside: &[usize]) -> Result<Parts, Stuck> {
        let mut all = Vec::new();
        for nodes in strongly(self.variables.len(), &self.ways, inside) {
            let is_own = |way: &Way| nodes.contains(&way.to) && way.from.is_some_and(|from| nodes.contains(&from));
            let own: BTreeSet<usize> = inside.iter().copied().filter(|&at| is_own(&self.ways[at])).collect();
            let calls = own.iter().any(|&at| self.ways[at].call.is_some());
            let falls = if calls { Some(self.falls(&own)?) } else { None };
            all.push(Part { nodes, falls });
        }
        Ok(Parts { ways: inside.to_vec(), all })
    }

    /// What falls in a part, the tightest of what is found.
    fn falls(&mut self, own: &BTreeSet<usize>) -> Result<Falls, Stuck> {
        let calls: BTreeSet<usize> = own.iter().copied().filter(|&at| self.ways[at].call.is_some()).collect();
        let mut found = self.measured(own, &calls);
        if found.is_empty() {
            found = self.on_some(own, &calls);
        }
        let weights = Weights { call: &|_| BigUint::from(1u8), top: &|_| BigUint::ZERO };
        let weight = |falls: &Falls| (&falls.times + 1u8) * (falls.rest.heaviest(&self.ways, &weights, None) + 1u8);
        found.into_iter().min_by_key(weight).ok_or(Stuck { calls: calls.into_iter().collect() })
    }

    /// What falls on all of some calls of a part, with what is left.
    fn measured(&mut self, own: &BTreeSet<usize>, targets: &BTreeSet<usize>) -> Vec<Falls> {
        let mut all = Vec::new();
        for (flipped, given) in TRIED {
            let mut known: Vec<Ranks> = Vec::new();
            for last in [true, false] {
                let Some((ranks, falling)) = self.component(own, flipped, given).ranks(targets, last) else { break };
                if known.contains(&ranks) {
                    continue;
                }
                let on: BTreeSet<usize> = falling.into_iter().filter(|&at| self.ways[at].call.is_some()).collect();
                all.extend(self.counted(own, &on, &View { ranks: &ranks, flipped }));
                known.push(ranks);
            }
            if !all.is_empty() {
                break;
            }
        }
        all
    }

    /// What falls on some calls of a part, on as many as can be, where something falls in what is left.
    fn on_some(&mut self, own: &BTreeSet<usize>, calls: &BTreeSet<usize>) -> Vec<Falls> {
        let (mut all, mut tried) = (Vec::new(), BTreeSet::new());
        for &first in calls {
            let mut targets = BTreeSet::from([first]);
            for &other in calls.iter().filter(|&&other| other != first) {
                targets.insert(other);
                if !TRIED.iter().any(|&(flipped, given)| self.component(own, flipped, given).falls_on(&targets)) {
                    targets.remove(&other);
                }
            }
            if tried.insert(targets.clone()) {
                all.extend(self.measured(own, &targets));
            }
        }
        all
    }

    /// How often something can fall, with what is left; none if that is not known.
    fn counted(&mut self, own: &BTreeSet<usize>, on: &BTreeSet<usize>, view: &View<'_>) -> Option<Falls> {
        let (top, bottom, by) = self.ends(own, on, view)?;
        let times = u128::try_from(top.checked_sub(bottom)?).unwrap_or(0) / u128::try_from(by).ok()?.max(1);
        let left: Vec<usize> = own.difference(on).copied().collect();
        let rest = self.parts(&left).ok()?;
        let measure = Measure { ranks: view.ranks.clone(), flipped: view.flipped, bottom, by };
        Some(Falls { times: BigUint::from(times), on: on.iter().copied().collect(), rest, measure })
    }

    /// The greatest value where a part is entered, or before something falls; by how much that falls at least; and what is so much less than the
    /// least value before it.
    fn ends(&mut self, own: &BTreeSet<usize>, on: &BTreeSet<usize>, view: &View<'_>) -> Option<(i128, i128, i128)> {
        let nodes: BTreeSet<usize> = own.iter().map(|&at| self.ways[at].to).collect();
        let (mut entering, mut before) = (i128::MIN, i128::MIN);
        let (mut least, mut by) = (i128::MAX, i128::MAX);
        for at in self.alive.clone() {
            if nodes.contains(&self.ways[at].to) && !own.contains(&at) {
                entering = entering.max(self.most_after(at, view, 1)?.unwrap_or(i128::MIN));
            }
        }
        for &at in on {
            let (from, to) = (self.ways[at].from?, self.ways[at].to);
            let edge = &mut self.edges[at];
            let (sum, negated) = (view.sum(from, &edge.before, 1)?, view.sum(from, &edge.before, -1)?);
            before = before.max(found(most(edge, &sum)?).unwrap_or(i128::MIN));
            least = least.min(found(most(edge, &negated)?).map_or(i128::MAX, |most| -most));
            let mut rise = view.sum(to, &edge.after, 1)?;
            rise.add(view.sum(from, &edge.before, -1)?)?;
            by = by.min(found(most(edge, &rise)?).map_or(i128::MAX, |most| -most));
        }
        if by < 1 {
            return None;
        }
        Some((entering.min(before), least.checked_sub(by)?, by))
    }

    /// The greatest value of so many times a ranking function at the end of a way; inner none if the way cannot be taken.
    fn most_after(&mut self, at: usize, view: &View<'_>, times: i128) -> Option<Option<i128>> {
        let edge = &mut self.edges[at];
        let sum = view.sum(self.ways[at].to, &edge.after, times)?;
        Some(found(most(edge, &sum)?))
    }

    fn component(&mut self, own: &BTreeSet<usize>, flipped: bool, given: Given) -> Component<'_> {
        let told = (&self.variables[..], &mut self.cases, given);
        Component::of(&mut self.edges, |at| own.contains(&at), told, flipped)
    }
}

fn found(extreme: Extreme) -> Option<i128> {
    match extreme {
        Extreme::Impossible => None,
        Extreme::Most(most) => Some(most),
    }
}
