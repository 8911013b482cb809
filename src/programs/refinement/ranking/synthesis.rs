//! Ranking functions of the places of a component, a linear one for each: on no way of the component does it rise, and on some it
//! falls. By Farkas's lemma that is a system of linear constraints over the factors and over multipliers of what ways demand (Podelski and
//! Rybalchenko, *A complete method for the synthesis of linear ranking functions*, VMCAI 2004; Alias, Darte, Feautrier and Gonnord,
//! *Multi-dimensional rankings*, SAS 2010). Bounds from below are not needed: machine integers have finitely many values.
//!
//! Bit-vectors decide. Values for which what was found is wrong join the system.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::bitvec::{Answer, Term};

use super::super::invariants::edge::{Edge, Half, Number};
use super::super::rational::{Rational, gcd};
use super::super::simplex::{Comparison, Form, Solved, solve};
use super::forms::{cases, form};

/// Pivots of one system.
const PIVOTS: usize = 2_000;

/// Times that wrong values are learnt from.
const AGAIN: usize = 8;

/// So many numbers are brought into constraints in one unit of work.
const MADE: u64 = 2_000;

/// For each place factors of its variables, and a constant after them.
pub(in super::super) type Ranks = BTreeMap<usize, Vec<i128>>;

/// Variables that do not count: of a place, the one that stands there.
pub(in super::super) type Left = BTreeSet<(usize, usize)>;

/// Edges whose ends are places of a component, by their numbers.
pub(in super::super) struct Component<'a> {
    pub edges: Vec<(usize, &'a mut Edge)>,
    /// How many variables each place has.
    pub variables: BTreeMap<usize, usize>,
    /// Whether numbers are measured as if they had no sign where they have one, and the other way round.
    pub flipped: bool,
    cases: Vec<Rc<Vec<Case>>>,
}

/// What edges say, by their numbers, as far as somebody has asked. What is known at places may not change in between.
pub(in super::super) type Cases = BTreeMap<(usize, Given), Rc<Vec<Case>>>;

/// What ranking functions are looked for with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum Given {
    /// What edges demand themselves.
    Conditions,
    /// What is known at places, too.
    All,
}

/// What an edge says in one of its cases.
pub(in super::super) struct Case {
    /// Forms that are not positive.
    literals: Vec<Form>,
    before: Vec<Form>,
    after: Vec<Form>,
}

/// Values at both ends of an edge for which a ranking function was wrong.
struct Sample {
    edge: usize,
    before: Vec<i128>,
    after: Vec<i128>,
}

impl Case {
    /// How many numbers it is made of.
    fn size(&self) -> usize {
        let forms = self.literals.iter().chain(&self.before).chain(&self.after);
        forms.map(|form| form.parts.len() + 1).sum()
    }
}

impl<'a> Component<'a> {
    /// Of some edges; how many variables each place has.
    pub fn of(
        edges: &'a mut [Edge],
        is_own: impl Fn(usize) -> bool,
        (variables, cases, given): (&[usize], &mut Cases, Given),
        flipped: bool,
    ) -> Component<'a> {
        let edges = edges.iter_mut().enumerate().filter(|(at, _)| is_own(*at));
        let edges: Vec<(usize, &mut Edge)> = edges.collect();
        let nodes = edges.iter().flat_map(|(_, edge)| edge.from.into_iter().chain(edge.end.node()));
        let variables = nodes.map(|node| (node, variables[node])).collect();
        let own = edges.iter().map(|(at, edge)| {
            let one = cases.entry((*at, given)).or_insert_with(|| Rc::new(said(edge, &variables, given)));
            Rc::clone(one)
        });
        let cases = own.collect();
        Component { edges, variables, flipped, cases }
    }
}

impl Component<'_> {
    /// Edges on which some ranking function falls that rises on none; and how many implications say so.
    pub fn falling(&mut self) -> (BTreeSet<usize>, usize) {
        let (mut falling, mut implications, mut samples) = (BTreeSet::new(), 0, Vec::new());
        for target in 0..self.edges.len() {
            if falling.contains(&self.edges[target].0) {
                continue;
            }
            if let Some((_, falls)) = self.found(&mut samples, &[target], &Left::new()) {
                implications += self.edges.len();
                falling.extend(falls.iter().map(|&at| self.edges[at].0));
            }
        }
        (falling, implications)
    }

    /// Ranking functions that fall on each of some edges and rise on none, in which as few variables count as can be; and the edges on which they fall. The last variables are the first to be
    /// tried without, or the first ones.
    pub fn ranks(&mut self, targets: &BTreeSet<usize>, last: bool) -> Option<(Ranks, BTreeSet<usize>)> {
        let positions = self.positions(targets);
        let (mut samples, mut left) = (Vec::new(), Left::new());
        let mut found = self.found(&mut samples, &positions, &left)?;
        let mut variables: Vec<(usize, usize)> =
            self.variables.iter().flat_map(|(&node, &count)| (0..count).map(move |at| (node, at))).collect();
        if last {
            variables.reverse();
        }
        for variable in variables {
            if found.0[&variable.0][variable.1] == 0 {
                continue;
            }
            left.insert(variable);
            match self.found(&mut samples, &positions, &left) {
                Some(simpler) => found = simpler,
                None => drop(left.remove(&variable)),
            }
        }
        let falls = found.1.iter().map(|&at| self.edges[at].0).collect();
        Some((found.0, falls))
    }

    /// Whether some ranking functions fall on each of some edges and rise on none.
    pub fn falls_on(&mut self, targets: &BTreeSet<usize>) -> bool {
        self.found(&mut Vec::new(), &self.positions(targets), &Left::new()).is_some()
    }

    /// Where edges stand here.
    fn positions(&self, targets: &BTreeSet<usize>) -> Vec<usize> {
        (0..self.edges.len()).filter(|&at| targets.contains(&self.edges[at].0)).collect()
    }

    /// Ranking functions that fall on some edges, without some variables; bit-vectors have decided that.
    fn found(&mut self, samples: &mut Vec<Sample>, targets: &[usize], left: &Left) -> Option<(Ranks, Vec<usize>)> {
        for _ in 0..AGAIN {
            let (ranks, falls) = self.solved(samples, targets, left)?;
            match self.wrong(&ranks, &falls)? {
                Some(sample) => samples.push(sample),
                None => return Some((ranks, falls)),
            }
        }
        None
    }

    /// What ways demand of the values at their beginning, where it is linear: conditions by which places can be told apart, each once.
    pub fn halves(&self) -> Vec<(usize, Half)> {
        let mut all: Vec<(usize, Half)> = Vec::new();
        for at in 0..self.edges.len() {
            let (from, _) = self.ends(at);
            let edge = &self.edges[at].1;
            let place = |leaf: usize| edge.before.iter().position(|number| number.term.index() == leaf);
            let half = |literal: &Form| {
                let whole = |number: Rational| (number.below == 1).then_some(number.above);
                let part = |(&leaf, &by): (&usize, &Rational)| {
                    let at = place(leaf).filter(|&at| at < self.variables[&from])?;
                    Some((at, whole(by)?))
                };
                let parts = literal.parts.iter().map(part).collect::<Option<Vec<_>>>()?;
                Some(Half { parts, constant: whole(literal.rest())? })
            };
            for literal in self.cases[at].iter().flat_map(|case| &case.literals) {
                if let Some(half) = half(literal).filter(|half| !half.parts.is_empty())
                    && !all.contains(&(from, half.clone()))
                {
                    all.push((from, half));
                }
            }
        }
        all
    }

    fn ends(&self, at: usize) -> (usize, usize) {
        ends(self.edges[at].1)
    }

    /// Ranking functions that fall on the targets, and the edges on which they fall.
    fn solved(&self, samples: &[Sample], targets: &[usize], left: &Left) -> Option<(Ranks, Vec<usize>)> {
        let first = *targets.first()?;
        // Units of work for making the constraints.
        let long: usize = self.cases.iter().flat_map(|cases| cases.iter()).map(Case::size).sum();
        if !self.edges[first].1.spend(long as u64 / MADE) {
            return None;
        }
        let mut system = System::new(&self.variables, self.edges.len());
        for (at, cases) in self.cases.iter().enumerate() {
            system.falls(at, targets.contains(&at))?;
            for case in cases.iter() {
                system.implied(self.ends(at), at, case)?;
            }
        }
        for sample in samples {
            system.sampled(self.ends(sample.edge), sample)?;
        }
        for &(node, at) in left {
            system.constraints.push((Form::variable(system.first[&node] + at), Comparison::Zero));
        }
        let size = system.constraints.len() as u64;
        if !self.edges[first].1.afford(size * size / 1_000) {
            return None;
        }
        let Solved::Feasible(values) = solve(&system.constraints, PIVOTS)? else { return None };
        let value = |name: usize| values.get(&name).copied().unwrap_or(Rational::ZERO);
        let falls: Vec<usize> = (0..self.edges.len()).filter(|&at| value(system.falls + at).sign() > 0).collect();
        let mut scale: i128 = 1;
        for name in 0..system.falls {
            let below = value(name).below;
            scale = scale.checked_mul(below / gcd(scale, below).max(1))?;
        }
        let mut ranks = Ranks::new();
        for (&node, &first) in &system.first {
            let names = first..=first + self.variables[&node];
            let whole = |name| value(name).times(Rational::integer(scale)).map(|number| number.above);
            ranks.insert(node, names.map(whole).collect::<Option<_>>()?);
        }
        Some((ranks, falls))
    }

    /// Values for which ranking functions rise, or do not fall where they should; none if nobody knows.
    fn wrong(&mut self, ranks: &Ranks, falls: &[usize]) -> Option<Option<Sample>> {
        for at in 0..self.edges.len() {
            let (from, to) = self.ends(at);
            let view = View { ranks, flipped: self.flipped };
            let edge = &mut *self.edges[at].1;
            let (before, after) = (view.numbers(&edge.before), view.numbers(&edge.after));
            let mut fall = view.sum(from, &edge.before, 1)?;
            fall.add(view.sum(to, &edge.after, -1)?)?;
            let constant = fall.constant + 1 - i128::from(falls.contains(&at));
            let rises = edge.not_positive(&fall.parts, constant)?;
            match edge.possible(&[rises]) {
                Answer::Unsat(_) => {}
                Answer::Unknown => return None,
                Answer::Sat(model) => {
                    let (before, after) = (edge.values(&model, &before), edge.values(&model, &after));
                    return Some(Some(Sample { edge: at, before, after }));
                }
            }
        }
        Some(None)
    }
}

fn ends(edge: &Edge) -> (usize, usize) {
    (edge.from.unwrap_or(0), edge.end.node().unwrap_or(0))
}

/// What an edge says, case by case.
fn said(edge: &Edge, variables: &BTreeMap<usize, usize>, given: Given) -> Vec<Case> {
    let (from, to) = ends(edge);
    let terms = &edge.relation.terms;
    let forms = |numbers: &[Number], count: usize| -> Vec<Form> {
        let one = |number: &Number| form(terms, number.term).unwrap_or_else(|| Form::variable(number.term.index()));
        numbers.iter().take(count).map(one).collect()
    };
    let (before, after) = (forms(&edge.before, variables[&from]), forms(&edge.after, variables[&to]));
    let known = if given == Given::All { &edge.known[..] } else { &[] };
    let conditions: Vec<Term> = [&edge.relation.conditions[..], &edge.relation.facts, known].concat();
    let case = |literals| Case { literals, before: before.clone(), after: after.clone() };
    let numbers = edge.before.iter().take(variables[&from]).chain(edge.after.iter().take(variables[&to]));
    let numbers: Vec<Term> = numbers.map(|number| number.term).collect();
    cases(terms, &edge.relation.softened, &conditions, &numbers).into_iter().map(case).collect()
}

/// Ranking functions, and how numbers are read in them.
#[derive(Clone, Copy)]
pub(in super::super) struct View<'r> {
    pub ranks: &'r Ranks,
    /// As in [`Component`].
    pub flipped: bool,
}

/// A sum of numbers with factors, none of which is 0, and a constant.
pub(in super::super) struct Total {
    pub parts: Vec<(Number, i128)>,
    pub constant: i128,
}

impl Total {
    /// Adds another one; none if the constant gets too large.
    pub fn add(&mut self, other: Total) -> Option<()> {
        self.parts.extend(other.parts);
        self.constant = self.constant.checked_add(other.constant)?;
        Some(())
    }
}

impl View<'_> {
    /// Numbers as they are measured.
    pub fn numbers(&self, numbers: &[Number]) -> Vec<Number> {
        numbers.iter().map(|number| Number { signed: number.signed != self.flipped, ..*number }).collect()
    }

    /// So many times the ranking function of a place, of the numbers there.
    pub fn sum(&self, node: usize, numbers: &[Number], times: i128) -> Option<Total> {
        let (constant, factors) = self.ranks.get(&node)?.split_last()?;
        let scaled = |(number, &factor): (Number, &i128)| Some((number, factor.checked_mul(times)?));
        let parts = self.numbers(numbers).into_iter().zip(factors).filter(|(_, factor)| **factor != 0);
        let parts = parts.map(scaled).collect::<Option<_>>()?;
        Some(Total { parts, constant: constant.checked_mul(times)? })
    }
}

/// The linear constraints. Unknowns are factors and a constant of each place, by how much ranking functions fall on each edge, and
/// multipliers.
struct System {
    first: BTreeMap<usize, usize>,
    variables: BTreeMap<usize, usize>,
    falls: usize,
    next: usize,
    constraints: Vec<(Form, Comparison)>,
}

impl System {
    fn new(variables: &BTreeMap<usize, usize>, edges: usize) -> System {
        let mut next = 0;
        let mut first = BTreeMap::new();
        for (&node, count) in variables {
            first.insert(node, next);
            next += count + 1;
        }
        System { first, variables: variables.clone(), falls: next, next: next + edges, constraints: Vec::new() }
    }

    /// How far they fall is between 0 and 1, and 1 on the target.
    fn falls(&mut self, edge: usize, target: bool) -> Option<()> {
        let falls = Form::variable(self.falls + edge);
        let mut most = falls.clone();
        most.add(&Form::constant(Rational::ONE), Rational::integer(-1))?;
        let mut least = Form::default();
        least.add(&falls, Rational::integer(-1))?;
        self.constraints.push((most, if target { Comparison::Zero } else { Comparison::NotPositive }));
        self.constraints.push((least, Comparison::NotPositive));
        Some(())
    }

    /// That the literals of a case imply how far they fall.
    fn implied(&mut self, (from, to): (usize, usize), edge: usize, case: &Case) -> Option<()> {
        let mut leaves: BTreeMap<usize, Form> = BTreeMap::new();
        let mut rest = Form::default();
        let (from_first, to_first) = (self.first[&from], self.first[&to]);
        let before = case.before.iter().enumerate().map(|(at, form)| (from_first + at, form, 1));
        let after = case.after.iter().enumerate().map(|(at, form)| (to_first + at, form, -1));
        let next = self.next;
        let literals = case.literals.iter().enumerate().map(|(at, form)| (next + at, form, 1));
        for (name, form, sign) in before.chain(after).chain(literals) {
            let unknown = Form::variable(name);
            for (&leaf, &by) in &form.parts {
                leaves.entry(leaf).or_default().add(&unknown, by.times(Rational::integer(sign))?)?;
            }
            rest.add(&unknown, form.rest().times(Rational::integer(sign))?)?;
        }
        self.next += case.literals.len();
        for name in next..self.next {
            let mut negative = Form::default();
            negative.add(&Form::variable(name), Rational::integer(-1))?;
            self.constraints.push((negative, Comparison::NotPositive));
        }
        self.constraints.extend(leaves.into_values().map(|form| (form, Comparison::Zero)));
        rest.add(&Form::variable(from_first + self.variables[&from]), Rational::ONE)?;
        rest.add(&Form::variable(to_first + self.variables[&to]), Rational::integer(-1))?;
        rest.add(&Form::variable(self.falls + edge), Rational::integer(-1))?;
        let mut negative = Form::default();
        negative.add(&rest, Rational::integer(-1))?;
        self.constraints.push((negative, Comparison::NotPositive));
        Some(())
    }

    /// That they fall so far for these values.
    fn sampled(&mut self, (from, to): (usize, usize), sample: &Sample) -> Option<()> {
        let mut sum = Form::variable(self.falls + sample.edge);
        for (node, values, sign) in [(from, &sample.before, -1), (to, &sample.after, 1)] {
            let (first, count) = (self.first[&node], self.variables[&node]);
            for (at, &value) in values.iter().take(count).enumerate() {
                sum.add(&Form::variable(first + at), Rational::integer(value.checked_mul(sign)?))?;
            }
            sum.add(&Form::variable(first + count), Rational::integer(sign))?;
        }
        self.constraints.push((sum, Comparison::NotPositive));
        Some(())
    }
}
