//! Candidates of a place, or of returns, and how they are weakened until they hold.

use super::bound::{Bound, strongest};
use super::edge::Number;
use super::fact::{Congruence, Fact, Then};
use super::hull::{Equation, Hull};

/// Candidates under one condition.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Part {
    /// All of these; none if it is always.
    pub when: Vec<Bound>,
    pub bounds: Vec<Bound>,
    pub congruences: Vec<Congruence>,
    /// The smallest affine space that has all values which were seen there; its equations are candidates, too.
    pub hull: Option<Hull>,
}

/// All candidates.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Facts {
    pub parts: Vec<Part>,
}

impl Part {
    fn all_bounds(&self) -> Vec<Bound> {
        let equations = self.hull.iter().flat_map(Hull::equations);
        let both = equations.flat_map(|Equation { parts, constant }| {
            let opposite = parts.iter().map(|&(at, factor)| (at, -factor)).collect();
            [Bound { parts, by: constant }, Bound { parts: opposite, by: -constant }]
        });
        // What is the condition is nothing new.
        let new = both.filter(|bound| !self.when.contains(bound));
        strongest(&new.chain(self.bounds.iter().cloned()).collect::<Vec<_>>())
    }

    fn assumed(&self) -> impl Iterator<Item = Fact> {
        let bounds = self.all_bounds().into_iter().map(Then::Bound);
        let all = bounds.chain(self.congruences.iter().cloned().map(Then::Congruence));
        all.map(|then| Fact { when: self.when.clone(), then })
    }

    /// Drops what does not hold of values that are possible; whether that is anything.
    fn weaken(&mut self, values: &[i128]) -> bool {
        if !self.when.iter().all(|bound| bound.holds(values)) {
            return false;
        }
        let count = self.bounds.len() + self.congruences.len();
        self.bounds.retain(|bound| bound.holds(values));
        self.congruences.retain(|congruence| congruence.holds(values));
        let grows = match &mut self.hull {
            Some(hull) => {
                let joined = hull.join(values);
                if joined.is_none() {
                    self.hull = None;
                }
                joined != Some(false)
            }
            None => false,
        };
        grows || self.bounds.len() + self.congruences.len() < count
    }

    fn is_empty(&self) -> bool {
        self.bounds.is_empty() && self.congruences.is_empty() && self.hull.is_none()
    }
}

/// What came of asking about candidates one by one.
#[derive(Debug, Default)]
pub(super) struct Singly {
    /// What follows.
    pub kept: Vec<Fact>,
    /// What was not decided.
    pub open: Vec<Fact>,
    /// Values that are possible.
    pub possible: Vec<Vec<i128>>,
}

impl Facts {
    /// Bounds that always hold.
    pub fn bounded(bounds: Vec<Bound>) -> Facts {
        Facts { parts: vec![Part { bounds, ..Part::default() }] }
    }

    /// All that is assumed, of each sum under one condition the least bound.
    pub fn assumed(&self) -> Vec<Fact> {
        self.parts.iter().flat_map(Part::assumed).collect()
    }

    /// Drops what does not hold of values that are possible: something at least, since these contradict something.
    pub fn weaken(&mut self, values: &[i128]) {
        let mut dropped = false;
        for part in &mut self.parts {
            dropped |= part.weaken(values);
        }
        if !dropped {
            *self = Facts::default();
        }
        self.parts.retain(|part| !part.is_empty());
    }

    /// Drops one candidate.
    pub fn without(&mut self, fact: &Fact) {
        for part in self.parts.iter_mut().filter(|part| part.when == fact.when) {
            match &fact.then {
                Then::Bound(bound) => {
                    // Of the equations those are kept that hold.
                    part.bounds = part.all_bounds();
                    part.hull = None;
                    part.bounds.retain(|other| other.parts != bound.parts);
                }
                Then::Congruence(congruence) => part.congruences.retain(|other| other != congruence),
            }
        }
    }

    /// Drops what was not decided, or does not hold of values that are possible.
    pub(super) fn undecided(&mut self, singly: &Singly) {
        for part in &mut self.parts {
            part.bounds = part.all_bounds();
            part.hull = None;
        }
        singly.open.iter().for_each(|fact| self.without(fact));
        for part in &mut self.parts {
            for values in &singly.possible {
                part.weaken(values);
            }
        }
        self.parts.retain(|part| !part.is_empty());
    }
}

/// A fact with the numbers of which it is known.
pub(super) type Known = (Fact, std::rc::Rc<[Number]>);
