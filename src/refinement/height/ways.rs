//! Ways between cut points, and how heavy those of a program can be where calls have weights: its strongly connected parts one after the
//! other, each as often as something falls in it.

use std::collections::BTreeSet;

use num_bigint::BigUint;

use crate::c::program::ProcedureId;

use super::super::ranking::components;
use super::super::ranking::synthesis::Ranks;

/// A way between cut points.
#[derive(Clone, Debug)]
pub(super) struct Way {
    /// None for the beginning of the program.
    pub from: Option<usize>,
    pub to: usize,
    /// The call at its end, if it ends with one.
    pub call: Option<Entered>,
}

/// A call that does not return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entered {
    pub callee: ProcedureId,
    /// Who calls it, if that is somebody who was handed a pointer to it.
    pub by: Option<ProcedureId>,
}

/// Some ways, and the strongly connected parts of the graph that they are: each after those to which ways lead from it.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    pub ways: Vec<usize>,
    pub all: Vec<Part>,
}

/// A strongly connected part.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub nodes: BTreeSet<usize>,
    /// What falls in it; none if nothing is called in it.
    pub falls: Option<Falls>,
}

/// Something that falls on some ways of a part and rises on none.
#[derive(Clone, Debug)]
pub(super) struct Falls {
    /// No more often than that.
    pub times: BigUint,
    /// On these.
    pub on: Vec<usize>,
    /// What is left without them.
    pub rest: Parts,
    pub measure: Measure,
}

/// What falls.
#[derive(Clone, Debug)]
pub(super) struct Measure {
    pub ranks: Ranks,
    /// Whether numbers are read as if they had no sign where they have one, and the other way round.
    pub flipped: bool,
    /// It falls only where it is at least so much, and `by`.
    pub bottom: i128,
    /// It falls so far at least.
    pub by: i128,
}

/// The ends of ways that have a beginning in the program.
pub(super) fn ends<'w>(ways: &'w [Way], inside: &'w [usize]) -> impl Iterator<Item = (usize, usize)> + 'w {
    inside.iter().filter_map(|&at| Some((ways[at].from?, ways[at].to)))
}

/// The strongly connected parts, each after those to which ways lead from it.
pub(super) fn strongly(count: usize, ways: &[Way], inside: &[usize]) -> Vec<BTreeSet<usize>> {
    components(count, ends(ways, inside)).into_iter().map(BTreeSet::from_iter).collect()
}

/// What calls weigh, and what a part may have on top of it.
pub(super) struct Weights<'w> {
    /// Of a call that does not return.
    pub call: &'w dyn Fn(Entered) -> BigUint,
    /// On top of a cut point: what is called there, returns and calls nothing.
    pub top: &'w dyn Fn(usize) -> BigUint,
}

impl Weights<'_> {
    /// The same with nothing on top.
    fn inside(&self) -> Weights<'_> {
        Weights { call: self.call, top: &|_| BigUint::ZERO }
    }
}

impl Parts {
    /// The greatest weight of what begins at a cut point; or anywhere.
    pub fn heaviest(&self, ways: &[Way], weights: &Weights<'_>, from: Option<usize>) -> BigUint {
        let mut best: Vec<BigUint> = Vec::with_capacity(self.all.len());
        let part_of = |node: usize| self.all.iter().position(|part| part.nodes.contains(&node));
        for (at, part) in self.all.iter().enumerate() {
            let mut on_top = part.nodes.iter().map(|&node| (weights.top)(node)).max().unwrap_or_default();
            for way in self.ways.iter().map(|&way| &ways[way]) {
                let leaves = way.from.is_some_and(|from| part.nodes.contains(&from));
                let Some(to) = part_of(way.to).filter(|&to| leaves && to < at) else { continue };
                let call = way.call.map(|call| (weights.call)(call)).unwrap_or_default();
                on_top = on_top.max(call + &best[to]);
            }
            best.push(on_top + part.weight(ways, weights));
        }
        match from {
            Some(node) => part_of(node).map(|at| best[at].clone()).unwrap_or_default(),
            None => best.into_iter().max().unwrap_or_default(),
        }
    }
}

impl Part {
    /// The greatest weight of a path in it.
    fn weight(&self, ways: &[Way], weights: &Weights<'_>) -> BigUint {
        let Some(Falls { times, rest, .. }) = &self.falls else { return BigUint::ZERO };
        times * self.each(ways, weights) + rest.heaviest(ways, &weights.inside(), None)
    }

    /// What is added each time that something falls.
    pub fn each(&self, ways: &[Way], weights: &Weights<'_>) -> BigUint {
        let Some(Falls { on, rest, .. }) = &self.falls else { return BigUint::ZERO };
        let falling = on.iter().filter_map(|&way| ways[way].call).map(|call| (weights.call)(call));
        rest.heaviest(ways, &weights.inside(), None) + falling.max().unwrap_or_default()
    }
}
