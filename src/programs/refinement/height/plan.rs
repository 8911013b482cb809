//! How often calls can be made before one of them returns: ranking functions of the strongly connected parts, with both ends.
//!
//! A function that rises on no way of a part, and falls by δ at least on some of its calls, falls on these no more often than
//! K = ⌊(most − least) / δ⌋ + 1 times: most is its greatest value where the part is entered, least its least value before such a call.
//! Machine integers have ends, so no bound is needed for it to be a ranking function; both ends are found by bit-vectors. What is left
//! without these calls is taken in the same way, and is entered K + 1 times (lexicographic ranking functions: Alias, Darte, Feautrier and
//! Gonnord, *Multi-dimensional rankings*, SAS 2010), each with its ends over all entries, those after what fell included.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigUint;

use crate::c::program::ProcedureId;

use super::super::invariants::edge::{Edge, Half};
use super::super::ranking::synthesis::{Cases, Component, Given, Ranks, View};
use super::extreme::{Extreme, most};
use super::ways::{Falls, Measure, Part, Parts, Way, Weights, strongly};

/// In what sense numbers are measured, and what ranking functions are looked for with: where much is known, they are hard to find.
const TRIED: [(bool, Given); 4] =
    [(false, Given::Conditions), (true, Given::Conditions), (false, Given::All), (true, Given::All)];

/// A bound of so many frames is large: a better one is looked for, with what falls on some of the calls.
const LARGE: u32 = 1_000;

/// On so many sets of calls at most.
const MAX_CALL_SETS: usize = 8;

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
    /// Of cut points that are a side of one of the graph ([`super::sides`]): that one, and what holds on that side.
    pub sides: BTreeMap<usize, Side>,
}

/// A side of a cut point.
#[derive(Clone, Debug, Default)]
pub(super) struct Side {
    /// The cut point of the graph.
    pub of: usize,
    /// What holds there, or does not.
    pub conditions: Vec<(Half, bool)>,
}

/// A part of which nothing is known.
#[derive(Clone, Debug)]
pub(super) struct Stuck {
    /// Its ways.
    pub own: BTreeSet<usize>,
    /// Those of them that are calls.
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
        if !found.is_empty() && found.iter().all(|falls| self.weight(falls) > BigUint::from(LARGE)) {
            // What falls on each call may have to fall where little is known: on those that every round has to make, it is enough.
            for some in self.rounds(&calls).into_iter().take(MAX_CALL_SETS) {
                found.extend(self.measured(own, &some));
            }
        }
        let least = (0..found.len()).min_by_key(|&at| self.weight(&found[at]));
        least.map(|at| found.swap_remove(at)).ok_or(Stuck { own: own.clone(), calls: calls.into_iter().collect() })
    }

    /// Calls that may be in every round, by who makes them and by who is called; and single ones.
    fn rounds(&self, calls: &BTreeSet<usize>) -> Vec<BTreeSet<usize>> {
        let mut by: BTreeMap<(bool, ProcedureId), BTreeSet<usize>> = BTreeMap::new();
        for &at in calls {
            let Some(call) = self.ways[at].call else { continue };
            by.entry((true, call.callee)).or_default().insert(at);
            if let Some(caller) = call.at {
                by.entry((false, caller.procedure)).or_default().insert(at);
            }
        }
        let mut all: Vec<BTreeSet<usize>> = Vec::new();
        for some in by.into_values().chain(calls.iter().map(|&at| BTreeSet::from([at]))) {
            if some != *calls && !all.contains(&some) {
                all.push(some);
            }
        }
        all
    }

    /// How many frames a part may have, if something falls in it so often.
    fn weight(&self, falls: &Falls) -> BigUint {
        let weights = Weights { call: &|_| BigUint::from(1u8), top: &|_| BigUint::ZERO };
        (&falls.times + 1u8) * (falls.rest.heaviest(&self.ways, &weights, None) + 1u8)
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
        let Ends { top, bottom, by, highest, lowest } = self.ends(own, on, view)?;
        let times = u128::try_from(top.checked_sub(bottom)?).unwrap_or(0) / u128::try_from(by).ok()?.max(1);
        let left: Vec<usize> = own.difference(on).copied().collect();
        let rest = self.parts(&left).ok()?;
        let measure = Measure { ranks: view.ranks.clone(), flipped: view.flipped, bottom, by, top, highest, lowest };
        Some(Falls { times: BigUint::from(times), on: on.iter().copied().collect(), rest, measure })
    }

    /// The ends of something that falls.
    fn ends(&mut self, own: &BTreeSet<usize>, on: &BTreeSet<usize>, view: &View<'_>) -> Option<Ends> {
        let nodes: BTreeSet<usize> = own.iter().map(|&at| self.ways[at].to).collect();
        let (mut entering, mut before) = ((i128::MIN, None), (i128::MIN, None));
        let (mut least, mut by) = ((i128::MAX, None), i128::MAX);
        for at in self.alive.clone() {
            if nodes.contains(&self.ways[at].to) && !own.contains(&at) {
                entering = entering.max((self.most_after(at, view, 1)?.unwrap_or(i128::MIN), Some(at)));
            }
        }
        for &at in on {
            let (from, to) = (self.ways[at].from?, self.ways[at].to);
            let edge = &mut self.edges[at];
            let (sum, negated) = (view.sum(from, &edge.before, 1)?, view.sum(from, &edge.before, -1)?);
            before = before.max((found(most(edge, &sum)?).unwrap_or(i128::MIN), Some(at)));
            least = least.min((found(most(edge, &negated)?).map_or(i128::MAX, |most| -most), Some(at)));
            let mut rise = view.sum(to, &edge.after, 1)?;
            rise.add(view.sum(from, &edge.before, -1)?)?;
            by = by.min(found(most(edge, &rise)?).map_or(i128::MAX, |most| -most));
        }
        if by < 1 {
            return None;
        }
        let (top, highest) = if entering.0 <= before.0 { entering } else { before };
        Some(Ends { top, bottom: least.0.checked_sub(by)?, by, highest, lowest: least.1 })
    }

    /// The greatest value of so many times a ranking function at the end of a way; inner none if the way cannot be taken.
    fn most_after(&mut self, at: usize, view: &View<'_>, times: i128) -> Option<Option<i128>> {
        let edge = &mut self.edges[at];
        let sum = view.sum(self.ways[at].to, &edge.after, times)?;
        Some(found(most(edge, &sum)?))
    }

    pub fn component(&mut self, own: &BTreeSet<usize>, flipped: bool, given: Given) -> Component<'_> {
        let told = (&self.variables[..], &mut self.cases, given);
        Component::of(&mut self.edges, |at| own.contains(&at), told, flipped)
    }
}

/// The ends of something that falls.
struct Ends {
    /// The greatest value where a part is entered, or before something falls.
    top: i128,
    /// What is `by` less than the least value before it falls.
    bottom: i128,
    /// By how much it falls at least.
    by: i128,
    /// The ways from which the ends come.
    highest: Option<usize>,
    lowest: Option<usize>,
}

fn found(extreme: Extreme) -> Option<i128> {
    match extreme {
        Extreme::Impossible => None,
        Extreme::Most(most) => Some(most),
    }
}
