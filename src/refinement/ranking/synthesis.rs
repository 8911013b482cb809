//! Ranking functions of the places of a component, a linear one for each: on no way of the component does it rise, and on some it
//! falls. By Farkas's lemma that is a system of linear constraints over the factors and over multipliers of what ways demand (Podelski and
//! Rybalchenko, *A complete method for the synthesis of linear ranking functions*, VMCAI 2004; Alias, Darte, Feautrier and Gonnord,
//! *Multi-dimensional rankings*, SAS 2010). Bounds from below are not needed: machine integers have finitely many values.
//!
//! Bit-vectors decide. Values for which what was found is wrong join the system.

use std::collections::{BTreeMap, BTreeSet};

use crate::bitvec::{Answer, Term};

use super::super::invariants::edge::{Edge, Half, Number};
use super::super::rational::{Rational, gcd};
use super::super::simplex::{Form, Relation, Solved, solve};
use super::forms::{cases, form};

/// Pivots of one system.
const PIVOTS: usize = 2_000;

/// Times that wrong values are learnt from.
const AGAIN: usize = 8;

/// For each place factors of its variables, and a constant after them.
type Ranks = BTreeMap<usize, Vec<i128>>;

/// Edges whose ends are places of a component, by their numbers.
pub(super) struct Component<'a> {
    pub edges: Vec<(usize, &'a mut Edge)>,
    /// How many variables each place has.
    pub variables: BTreeMap<usize, usize>,
    /// Whether numbers are measured as if they had no sign where they have one, and the other way round.
    pub flipped: bool,
}

/// What an edge says in one of its cases.
struct Case {
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

impl Component<'_> {
    /// Edges on which some ranking function falls that rises on none; and how many implications say so.
    pub fn falling(&mut self) -> (BTreeSet<usize>, usize) {
        let cases: Vec<Vec<Case>> = (0..self.edges.len()).map(|at| self.cases(at)).collect();
        let (mut falling, mut implications, mut samples) = (BTreeSet::new(), 0, Vec::new());
        for target in 0..self.edges.len() {
            if falling.contains(&self.edges[target].0) {
                continue;
            }
            for _ in 0..AGAIN {
                let Some((ranks, falls)) = self.solved(&cases, &samples, target) else { break };
                match self.wrong(&ranks, &falls) {
                    None => break,
                    Some(Some(sample)) => samples.push(sample),
                    Some(None) => {
                        implications += self.edges.len();
                        falling.extend(falls.iter().map(|&at| self.edges[at].0));
                        break;
                    }
                }
            }
        }
        (falling, implications)
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
            for literal in self.cases(at).iter().flat_map(|case| &case.literals) {
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
        let edge = &self.edges[at].1;
        (edge.from.unwrap_or(0), edge.end.node().unwrap_or(0))
    }

    fn cases(&self, at: usize) -> Vec<Case> {
        let (from, to) = self.ends(at);
        let edge = &self.edges[at].1;
        let terms = &edge.relation.terms;
        let forms = |numbers: &[Number], count: usize| -> Vec<Form> {
            let one = |number: &Number| form(terms, number.term).unwrap_or_else(|| Form::variable(number.term.index()));
            numbers.iter().take(count).map(one).collect()
        };
        let (before, after) = (forms(&edge.before, self.variables[&from]), forms(&edge.after, self.variables[&to]));
        let conditions: Vec<Term> = [&edge.relation.conditions[..], &edge.relation.facts, &edge.known].concat();
        let case = |literals| Case { literals, before: before.clone(), after: after.clone() };
        cases(terms, &edge.relation.softened, &conditions).into_iter().map(case).collect()
    }

    /// Ranking functions that fall on the target, and the edges on which they fall.
    fn solved(&self, cases: &[Vec<Case>], samples: &[Sample], target: usize) -> Option<(Ranks, Vec<usize>)> {
        let mut system = System::new(&self.variables, self.edges.len());
        for (at, cases) in cases.iter().enumerate() {
            system.falls(at, at == target)?;
            for case in cases {
                system.implied(self.ends(at), at, case)?;
            }
        }
        for sample in samples {
            system.sampled(self.ends(sample.edge), sample)?;
        }
        let size = system.constraints.len() as u64;
        if !self.edges[target].1.afford(size * size / 1_000) {
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
            let flipped = self.flipped;
            let edge = &mut *self.edges[at].1;
            let (source, target) = (&ranks[&from], &ranks[&to]);
            let view = |number: &Number| Number { signed: number.signed != flipped, ..*number };
            let before: Vec<Number> = edge.before.iter().map(view).collect();
            let after: Vec<Number> = edge.after.iter().map(view).collect();
            let mut parts: Vec<(Number, i128)> =
                before.iter().copied().zip(source[..source.len() - 1].iter().copied()).collect();
            parts.extend(after.iter().copied().zip(target[..target.len() - 1].iter().map(|factor| -factor)));
            parts.retain(|&(_, factor)| factor != 0);
            let constant = source.last()? - target.last()? + 1 - i128::from(falls.contains(&at));
            let rises = edge.not_positive(&parts, constant)?;
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

/// The linear constraints. Unknowns are factors and a constant of each place, by how much ranking functions fall on each edge, and
/// multipliers.
struct System {
    first: BTreeMap<usize, usize>,
    variables: BTreeMap<usize, usize>,
    falls: usize,
    next: usize,
    constraints: Vec<(Form, Relation)>,
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
        self.constraints.push((most, if target { Relation::Zero } else { Relation::NotPositive }));
        self.constraints.push((least, Relation::NotPositive));
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
            self.constraints.push((negative, Relation::NotPositive));
        }
        self.constraints.extend(leaves.into_values().map(|form| (form, Relation::Zero)));
        rest.add(&Form::variable(from_first + self.variables[&from]), Rational::ONE)?;
        rest.add(&Form::variable(to_first + self.variables[&to]), Rational::integer(-1))?;
        rest.add(&Form::variable(self.falls + edge), Rational::integer(-1))?;
        let mut negative = Form::default();
        negative.add(&rest, Rational::integer(-1))?;
        self.constraints.push((negative, Relation::NotPositive));
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
        self.constraints.push((sum, Relation::NotPositive));
        Some(())
    }
}
