//! Which candidates are tried at each stage, from what was seen in runs.

use std::collections::{BTreeMap, BTreeSet};

use crate::c::Program;
use crate::transition::graph::Graph;

use super::super::rational::gcd;
use super::bound::{Bound, sum};
use super::candidates::{distinct, intervals, octagons, of_returns, orders, seen};
use super::cells::under_indices;
use super::edge::MODULUS;
use super::fact::Congruence;
use super::facts::{Facts, Part};
use super::houdini::About;
use super::hull::Hull;
use super::samples::Samples;
use super::scope::Scope;

/// What is a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Equations that hold of all that was seen, and numbers against constants.
    Equations,
    /// Cells of arrays with indices between two numbers; numbers against each other.
    Cells,
    /// Numbers against each other.
    Orders,
    /// Sums and differences of two numbers against constants.
    Octagons,
    /// What comes of single arguments.
    Tables,
    /// Rests of numbers, and of sums and differences.
    Congruences,
    /// All but octagons where a number has one of few values, or a sign.
    Conditions,
    /// Numbers against each other, kept by two steps where one does not keep them.
    Twice,
}

impl Stage {
    /// All, as they are tried.
    pub const ALL: [Stage; 8] = [
        Stage::Equations,
        Stage::Cells,
        Stage::Orders,
        Stage::Octagons,
        Stage::Tables,
        Stage::Congruences,
        Stage::Conditions,
        Stage::Twice,
    ];

    /// What is added there, in reports.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Equations => "equations",
            Stage::Cells => "cells",
            Stage::Orders => "orders",
            Stage::Octagons => "octagons",
            Stage::Tables => "tables",
            Stage::Congruences => "congruences",
            Stage::Conditions => "conditions",
            Stage::Twice => "two steps",
        }
    }
}

/// The greatest rest that is looked for among divisors.
const DIVISORS: i128 = 16;

/// Of more numbers sums and differences are not divided.
const DIVIDED: usize = 8;

/// A number that has no more values than that is a mode.
const MODES: usize = 6;

/// The most conditions of one place.
const CONDITIONS: usize = 36;

/// The greatest number that was seen and is a bound though the program does not have it.
const EXTREME: i128 = 1 << 12;

/// The most arguments of which it is known what comes of them.
const ARGUMENTS: usize = 64;

/// What is known for guessing.
pub(super) struct Guess<'g> {
    pub program: &'g Program,
    pub graph: &'g Graph,
    pub scope: &'g Scope<'g>,
    pub constants: &'g [i128],
    pub samples: &'g Samples,
    /// What basic paths ask at each place.
    pub asked: &'g [Vec<Bound>],
}

/// What may hold of returns, whatever was seen.
pub(super) fn returned(graph: &Graph, scope: &Scope<'_>, constants: &[i128]) -> BTreeMap<About, Facts> {
    let mut facts = BTreeMap::new();
    for node in &graph.nodes {
        let given = scope.entered(node.procedure).len();
        let bounds = || Facts::bounded(of_returns(given, scope.of_return(node.procedure).0, constants));
        facts.entry(About::Return(node.procedure)).or_insert_with(bounds);
    }
    facts
}

impl Guess<'_> {
    /// The candidates of a stage.
    pub fn facts(&self, stage: Stage) -> BTreeMap<About, Facts> {
        let mut facts = returned(self.graph, self.scope, self.constants);
        for (about, facts) in &mut facts {
            let About::Return(procedure) = *about else { continue };
            let (given, (count, with)) = (self.scope.entered(procedure).len(), self.scope.of_return(procedure));
            // Of what nobody has seen anything may hold.
            let Some(values) = self.samples.returns.get(&procedure) else { continue };
            for part in &mut facts.parts {
                part.bounds = seen(std::mem::take(&mut part.bounds), values);
                part.hull = Hull::spanned(values);
            }
            match stage {
                Stage::Tables => facts.parts.extend(table(given, values)),
                _ => facts.parts.extend(self.more(stage, (count, with), values, of_arguments(given, values))),
            }
        }
        for (at, node) in self.graph.nodes.iter().enumerate() {
            let (count, with) = self.scope.of_place(node);
            let values = &self.samples.places[at];
            let all = distinct(count, values);
            let asked = &self.asked[at];
            let mut bounds: Vec<Bound> = intervals(&all, self.constants);
            bounds.extend(asked.iter().flat_map(passed));
            if stage != Stage::Equations {
                bounds.extend(orders(&all));
            }
            if stage == Stage::Octagons {
                bounds.extend(octagons(&all, self.constants));
            }
            let always = Part { bounds: seen(bounds, values), hull: Hull::spanned(values), ..Part::default() };
            let mut parts = vec![always];
            let conditions = asked.iter().map(|bound| vec![bound.clone()]).collect();
            parts.extend(self.more(stage, (count, with), values, conditions));
            facts.insert(About::Place(at), Facts { parts });
        }
        facts
    }

    /// Besides what always holds: rests, and what holds under conditions.
    fn more(
        &self,
        stage: Stage,
        (count, with): (usize, usize),
        values: &[Vec<i128>],
        given: Vec<Vec<Bound>>,
    ) -> Vec<Part> {
        let all = distinct(count, values);
        match stage {
            Stage::Congruences => {
                vec![Part { congruences: congruences(&all, values), ..Part::default() }]
            }
            Stage::Cells if with > count => {
                under_indices((self.program, self.scope), (count, with), self.constants, values)
            }
            Stage::Conditions => {
                let mut conditions = given;
                conditions.extend(modes(&all, values));
                conditions.truncate(ARGUMENTS + CONDITIONS);
                self.under(conditions, &all, values)
            }
            _ => Vec::new(),
        }
    }

    /// What holds where some conditions do, as far as was seen, and not always.
    fn under(&self, conditions: Vec<Vec<Bound>>, all: &[usize], values: &[Vec<i128>]) -> Vec<Part> {
        let bounds = || [intervals(all, self.constants), orders(all)].concat();
        let always: BTreeSet<Bound> = seen(bounds(), values).into_iter().collect();
        let mut parts = Vec::new();
        for when in conditions {
            let some: Vec<&Vec<i128>> =
                values.iter().filter(|values| when.iter().all(|one| one.holds(values))).collect();
            if some.is_empty() || some.len() == values.len() {
                continue;
            }
            let mut bounds = seen(bounds(), &some);
            bounds.extend(all.iter().flat_map(|&at| extremes(at, &some)).filter(|bound| bound.by.abs() <= EXTREME));
            bounds.retain(|bound| !always.contains(bound));
            let owned: Vec<Vec<i128>> = some.into_iter().cloned().collect();
            parts.push(Part { when, bounds, congruences: Vec::new(), hull: Hull::spanned(&owned) });
        }
        parts
    }
}

/// What a path asks, and what is true until one more turn is taken.
fn passed(bound: &Bound) -> [Bound; 2] {
    [bound.clone(), Bound { by: bound.by.saturating_add(1), ..bound.clone() }]
}

/// The least and the greatest value of a number that was seen.
fn extremes(at: usize, values: &[&Vec<i128>]) -> Vec<Bound> {
    let all = || values.iter().map(|values| values[at]);
    let least = all().min().map(|least| Bound::below(at, least));
    least.into_iter().chain(all().max().map(|most| Bound::above(at, most))).collect()
}

/// That a number has a value.
fn is(at: usize, value: i128) -> Vec<Bound> {
    vec![Bound::above(at, value), Bound::below(at, value)]
}

/// So many of the smallest values of a number that was given.
fn smallest(at: usize, values: &[Vec<i128>], count: usize) -> Vec<i128> {
    let mut known: Vec<i128> = values.iter().map(|values| values[at]).collect();
    known.sort_unstable_by_key(|value| (value.unsigned_abs(), *value));
    known.dedup();
    known.truncate(count);
    known
}

/// The equations that hold where a number that was given has one value, or a sign.
fn table(given: usize, values: &[Vec<i128>]) -> Vec<Part> {
    let each = |at: usize| {
        let single = smallest(at, values, ARGUMENTS / given.max(1)).into_iter().map(move |value| is(at, value));
        single.chain(signs(at))
    };
    let part = |when: Vec<Bound>| {
        let is_there = |values: &&Vec<i128>| when.iter().all(|one| one.holds(values));
        let hull = Hull::spanned(&values.iter().filter(is_there).cloned().collect::<Vec<_>>());
        Part { when, hull, ..Part::default() }
    };
    (0..given).flat_map(each).map(part).filter(|part| part.hull.is_some()).collect()
}

/// Conditions on what was given: small values, and what is beyond them.
fn of_arguments(given: usize, values: &[Vec<i128>]) -> Vec<Vec<Bound>> {
    let mut all = Vec::new();
    for at in 0..given {
        let known = smallest(at, values, ARGUMENTS / given.max(1) / 3);
        all.extend(known.iter().map(|&value| is(at, value)));
        all.extend(known.iter().flat_map(|&value| [vec![Bound::below(at, value)], vec![Bound::above(at, value)]]));
    }
    all
}

/// That a number has a sign.
fn signs(at: usize) -> [Vec<Bound>; 4] {
    [Bound::below(at, 0), Bound::above(at, -1), Bound::below(at, 1), Bound::above(at, 0)].map(|bound| vec![bound])
}

/// Where numbers that have few values have one of them; signs.
fn modes(all: &[usize], values: &[Vec<i128>]) -> Vec<Vec<Bound>> {
    let mut conditions = Vec::new();
    for &at in all {
        let known: BTreeSet<i128> = values.iter().map(|values| values[at]).collect();
        if (2..=MODES).contains(&known.len()) {
            conditions.extend(known.into_iter().map(|value| is(at, value)));
        }
    }
    conditions.extend(all.iter().flat_map(|&at| signs(at)));
    conditions.truncate(CONDITIONS);
    conditions
}

/// Rests of numbers, and of sums and differences of two, that were always the same.
fn congruences(all: &[usize], values: &[Vec<i128>]) -> Vec<Congruence> {
    let mut sums: Vec<Vec<(usize, i128)>> = all.iter().map(|&at| vec![(at, 1)]).collect();
    if all.len() <= DIVIDED {
        for (at, &first) in all.iter().enumerate() {
            let pairs = all[at + 1..].iter().flat_map(|&second| [1, -1].map(|sign| vec![(first, 1), (second, sign)]));
            sums.extend(pairs);
        }
    }
    sums.into_iter().flat_map(|parts| rests(parts, values)).collect()
}

fn rests(parts: Vec<(usize, i128)>, values: &[Vec<i128>]) -> Vec<Congruence> {
    let sums: Option<Vec<i128>> = values.iter().map(|values| sum(&parts, values)).collect();
    let sums = sums.unwrap_or_default();
    let Some(&first) = sums.first() else { return Vec::new() };
    let common = sums.iter().try_fold(0i128, |common, sum| Some(gcd(common, sum.checked_sub(first)?)));
    let Some(common) = common.map(i128::abs).filter(|&common| common > 1) else { return Vec::new() };
    let divisors = (2..=DIVISORS).filter(|by| common % by == 0);
    let all = divisors.chain(Some(common).filter(|&by| by > DIVISORS && by.unsigned_abs() <= MODULUS));
    all.map(|modulus| Congruence { parts: parts.clone(), modulus, rest: first.rem_euclid(modulus) }).collect()
}
