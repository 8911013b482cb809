//! Ways between cut points, and how heavy those of a program can be where calls have weights: its strongly connected parts one after the
//! other, each as often as something falls in it.

use std::collections::BTreeSet;

use num_bigint::BigUint;

use crate::c::program::{ProcedureId, StatementId};

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
    /// The statement that makes the call.
    pub at: Option<StatementId>,
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
    /// It is never more where it begins to fall.
    pub top: i128,
    /// The way on which it may be so much: one that enters the part, or else one on which it falls.
    pub highest: Option<usize>,
    /// The way on which it may fall from least.
    pub lowest: Option<usize>,
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

/// A piece of what stacks are made of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Piece {
    /// A frame.
    Call(Entered),
    /// Frames of a part in which something falls.
    Part(usize),
}

impl Parts {
    /// The greatest weight of what begins at a cut point; or anywhere.
    pub fn heaviest(&self, ways: &[Way], weights: &Weights<'_>, from: Option<usize>) -> BigUint {
        let best = self.best(ways, weights);
        match from {
            Some(node) => self.part_of(node).map(|at| best[at].0.clone()).unwrap_or_default(),
            None => best.into_iter().map(|(weight, _)| weight).max().unwrap_or_default(),
        }
    }

    /// What the heaviest of what begins at a cut point is made of, from the bottom of the stack.
    pub fn pieces(&self, ways: &[Way], weights: &Weights<'_>, from: usize) -> Vec<Piece> {
        let best = self.best(ways, weights);
        let mut pieces = Vec::new();
        let mut at = self.part_of(from);
        while let Some(part) = at {
            if self.all[part].falls.is_some() {
                pieces.push(Piece::Part(part));
            }
            let way = best[part].1.map(|way| &ways[way]);
            pieces.extend(way.and_then(|way| way.call).map(Piece::Call));
            at = way.and_then(|way| self.part_of(way.to));
        }
        pieces
    }

    fn part_of(&self, node: usize) -> Option<usize> {
        self.all.iter().position(|part| part.nodes.contains(&node))
    }

    /// For each part the greatest weight of what begins in it, and the way by which that leaves it, if it does.
    fn best(&self, ways: &[Way], weights: &Weights<'_>) -> Vec<(BigUint, Option<usize>)> {
        let mut best: Vec<(BigUint, Option<usize>)> = Vec::with_capacity(self.all.len());
        for (at, part) in self.all.iter().enumerate() {
            let mut on_top = (part.nodes.iter().map(|&node| (weights.top)(node)).max().unwrap_or_default(), None);
            for &number in &self.ways {
                let way = &ways[number];
                let leaves = way.from.is_some_and(|from| part.nodes.contains(&from));
                let Some(to) = self.part_of(way.to).filter(|&to| leaves && to < at) else { continue };
                let weight = way.call.map(|call| (weights.call)(call)).unwrap_or_default() + &best[to].0;
                if weight > on_top.0 {
                    on_top = (weight, Some(number));
                }
            }
            best.push((on_top.0 + part.weight(ways, weights), on_top.1));
        }
        best
    }
}

impl Part {
    /// The greatest weight of a path in it.
    fn weight(&self, ways: &[Way], weights: &Weights<'_>) -> BigUint {
        let Some(Falls { times, rest, .. }) = &self.falls else { return BigUint::ZERO };
        times * self.each(ways, weights) + rest.heaviest(ways, &weights.inside(), None)
    }

    /// What may come once more, after what fell last.
    pub fn between(&self, ways: &[Way], weights: &Weights<'_>) -> BigUint {
        self.falls.as_ref().map(|falls| falls.rest.heaviest(ways, &weights.inside(), None)).unwrap_or_default()
    }

    /// What is added each time that something falls.
    pub fn each(&self, ways: &[Way], weights: &Weights<'_>) -> BigUint {
        let Some(Falls { on, rest, .. }) = &self.falls else { return BigUint::ZERO };
        let falling = on.iter().filter_map(|&way| ways[way].call).map(|call| (weights.call)(call));
        rest.heaviest(ways, &weights.inside(), None) + falling.max().unwrap_or_default()
    }
}
