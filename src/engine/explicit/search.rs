//! Breadth-first search in the graph of heads, a round for each step; a call that returns is one step.
//!
//! Rules that are silent cost nothing: what they lead to belongs to the round they start in.

use rustc_hash::{FxHashMap, FxHashSet};
use spds_format::Spds;
use spds_format::model::{ControlId, Head, Stack, SymbolId};

use super::heads::{Move, Rules};
use super::saturate::{Saturation, bits_of};
use crate::limits::Stop;

/// A call from its entry to one of the control locations in which it returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Job {
    pub entry: u32,
    pub control: ControlId,
    /// Whether the mark has to be met in it.
    pub marked: bool,
}

/// Where a search is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Place {
    pub node: u32,
    /// How many symbols of the start's stack have gone, if no call made since is pending.
    pub below: Option<u32>,
    /// Whether the mark has been met; never, if nobody asks.
    pub met: bool,
}

/// How a search came from one place to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// By a rule, or by none where a run is blocked.
    By(u32),
    /// Into a call that stays pending.
    Enter,
    /// Through a call.
    Through(Job),
    /// By a return into what was on the stack from the start.
    Return,
}

/// Where a search may go.
#[derive(Clone, Copy)]
pub(super) enum Scope<'c> {
    /// Everywhere: calls may stay pending.
    Run,
    /// Within one call: every call made has to return.
    Call,
    /// Within a component of the graph: calls may stay pending, and the start does not count as visited.
    Component(&'c [u32], u32),
}

/// Places with the steps between them: each step leads to the place behind its own.
pub(super) struct Way {
    pub places: Vec<Place>,
    pub steps: Vec<Step>,
}

/// What can be searched.
#[derive(Clone, Copy)]
pub(super) struct Space<'s, 'a> {
    pub spds: &'a Spds,
    pub rules: &'a Rules<'a>,
    pub all: &'s Saturation<'a>,
}

/// A place that was visited: from which one, and how.
struct Visit {
    place: Place,
    from: u32,
    by: Step,
}

/// A search under way.
struct Search<'s, 'a, 'c> {
    space: Space<'s, 'a>,
    scope: Scope<'c>,
    /// Whether it matters that the mark is met.
    marked: bool,
    visits: Vec<Visit>,
    visited: FxHashSet<Place>,
    /// In which control locations calls have come back above a symbol.
    back: FxHashMap<(SymbolId, Option<u32>, bool), Vec<u64>>,
}

impl<'s, 'a> Space<'s, 'a> {
    /// The head of a node.
    pub fn head(&self, node: u32) -> Head {
        self.all.heads.head(node).expect("searches come to heads only")
    }

    /// Whether configurations with that head are seen by no one: all its rules are silent or none is.
    pub fn is_hidden(&self, head: Head) -> bool {
        self.rules.of(head).next().is_some_and(|step| self.is_silent(step.rule))
    }

    fn is_silent(&self, rule: u32) -> bool {
        self.spds.rules.get(rule as usize).is_some_and(|rule| rule.silent)
    }

    /// A shortest way from a place to one that is a goal, the least of those that are met in the same round; `None` if there is
    /// none. Only summaries that are allowed are used. The number of a round and a place say whether it is a goal.
    ///
    /// # Errors
    /// If a limit is met.
    pub fn way(
        &self,
        start: Place,
        (scope, marked): (Scope<'_>, bool),
        allowed: &dyn Fn(Job) -> bool,
        goal: &dyn Fn(usize, Place) -> bool,
    ) -> Result<Option<Way>, Stop> {
        self.counted_way(start, (scope, marked), allowed, goal, &mut u64::MAX.clone())
    }

    /// The same with so many places to visit, of which those that were are taken off.
    ///
    /// # Errors
    /// [`Stop::Patience`] if there are more, or if a limit is met.
    pub fn counted_way(
        &self,
        start: Place,
        (scope, marked): (Scope<'_>, bool),
        allowed: &dyn Fn(Job) -> bool,
        goal: &dyn Fn(usize, Place) -> bool,
        most: &mut u64,
    ) -> Result<Option<Way>, Stop> {
        let (visits, visited, back) = (Vec::new(), FxHashSet::default(), FxHashMap::default());
        let mut search = Search { space: *self, scope, marked, visits, visited, back };
        search.visit(start, u32::MAX, Step::Enter);
        let (mut first, mut round) = (0, 0);
        while first < search.visits.len() {
            search.all.check_time()?;
            search.settle(first);
            if round == 0 && matches!(scope, Scope::Component(..)) {
                search.visited.clear();
            }
            let ring = first..search.visits.len();
            let key = |i: usize| {
                let place = search.visits[i].place;
                let head = self.head(place.node);
                (head.symbol, head.control, place.below.is_none(), place.below)
            };
            let goals = ring.clone().filter(|&i| goal(round, search.visits[i].place));
            if let Some(last) = goals.min_by_key(|&i| key(i)) {
                return Ok(Some(search.back_from(last)));
            }
            for i in ring.clone() {
                search.expand(i, allowed);
            }
            *most = most.checked_sub((search.visits.len() - ring.start) as u64).ok_or(Stop::Patience)?;
            (first, round) = (ring.end, round + 1);
        }
        Ok(None)
    }
}

impl<'s, 'a> std::ops::Deref for Search<'s, 'a, '_> {
    type Target = Space<'s, 'a>;

    fn deref(&self) -> &Self::Target {
        &self.space
    }
}

impl Search<'_, '_, '_> {
    fn visit(&mut self, place: Place, from: u32, by: Step) {
        if let Scope::Component(of, component) = self.scope
            && of[place.node as usize] != component
        {
            return;
        }
        if self.visited.insert(place) {
            self.visits.push(Visit { place, from, by });
        }
    }

    /// Follows silent rules to their ends.
    fn settle(&mut self, first: usize) {
        let mut next = first;
        while next < self.visits.len() {
            let place = self.visits[next].place;
            let space = self.space;
            for step in space.rules.of(space.head(place.node)).filter(|step| space.is_silent(step.rule)) {
                if let Stack::Swap(symbol) = step.stack
                    && let Some(node) = self.all.heads.get(Head { control: step.to, symbol })
                {
                    self.visit(Place { node, ..place }, next as u32, Step::By(step.rule));
                }
            }
            next += 1;
        }
    }

    fn expand(&mut self, number: usize, allowed: &dyn Fn(Job) -> bool) {
        let (place, rules, all) = (self.visits[number].place, self.space.rules, self.space.all);
        let from = number as u32;
        for Move { to, stack, rule, marked } in rules.of(self.head(place.node)) {
            if self.is_silent(rule) {
                return;
            }
            let met = self.marked && (place.met || marked);
            match stack {
                Stack::Swap(symbol) => {
                    if let Some(node) = all.heads.get(Head { control: to, symbol }) {
                        self.visit(Place { node, met, ..place }, from, Step::By(rule));
                    }
                }
                Stack::Pop => {
                    let below = place.below.map(|gone| gone + 1);
                    let site = below.and_then(|gone| self.spds.start.stack.get(gone as usize).copied());
                    let node = site.and_then(|symbol| all.heads.get(Head { control: to, symbol }));
                    if let Some(node) = node {
                        self.visit(Place { node, below, met }, from, Step::Return);
                    }
                }
                Stack::Push(symbol, site) => {
                    let Some(entry) = all.heads.get(Head { control: to, symbol }) else { continue };
                    if !matches!(self.scope, Scope::Call) {
                        self.visit(Place { node: entry, below: None, met }, from, Step::Enter);
                    }
                    self.through((number, Place { met, ..place }), (entry, site, false), allowed);
                    if self.marked && !met {
                        self.through((number, Place { met: true, ..place }), (entry, site, true), allowed);
                    }
                }
            }
        }
    }

    /// To where a call comes back.
    fn through(
        &mut self,
        (from, place): (usize, Place),
        (entry, symbol, marked): (u32, SymbolId, bool),
        allowed: &dyn Fn(Job) -> bool,
    ) {
        let all = self.space.all;
        let row = if marked { all.marked_row(entry) } else { all.row(entry) };
        let key = (symbol, place.below, place.met);
        let mut back = self.back.remove(&key).unwrap_or_else(|| vec![0; row.len()]);
        for (word, (&known, back)) in row.iter().zip(&mut back).enumerate() {
            for bit in bits_of(word, known & !*back) {
                let control = ControlId(bit);
                let job = Job { entry, control, marked };
                if !allowed(job) {
                    continue;
                }
                *back |= 1 << (bit % 64);
                if let Some(node) = all.heads.get(Head { control, symbol }) {
                    self.visit(Place { node, ..place }, from as u32, Step::Through(job));
                }
            }
        }
        self.back.insert(key, back);
    }

    fn back_from(&self, last: usize) -> Way {
        let (mut places, mut steps) = (Vec::new(), Vec::new());
        let mut at = last as u32;
        while let Some(Visit { place, from, by }) = self.visits.get(at as usize) {
            places.push(*place);
            if *from != u32::MAX {
                steps.push(*by);
            }
            at = *from;
        }
        places.reverse();
        steps.reverse();
        Way { places, steps }
    }
}
