//! The satisfiable minterms of some conditions: exactly which combinations of them can be.
//!
//! The conditions are decided one after the other; a model shows a whole combination, and a contradiction cuts off all that have its core; many
//! are seen by trying values before anything is searched. What cannot be is then said by prime cubes, made from the cores by looking at the
//! combinations that can.

use super::answer::Answer;
use super::cubes::Cube;
use super::sample::Combinations;
use super::solver::Solver;
use super::term::{Term, Terms};

/// The greatest number of conditions of a relation.
const WIDEST: usize = 64;

/// The combinations of some conditions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Minterms {
    /// Those that can be, sorted: bit i is the value of condition i.
    pub feasible: Vec<u64>,
    /// Cubes that together hold in exactly the other combinations: prime, none of them superfluous, sorted by length.
    pub infeasible: Vec<Cube>,
}

/// Which combinations of the conditions can be where `context` holds. `None` if a query was given up, or there are more than 64
/// conditions: then nothing is known. As many queries as there are combinations and cores.
pub fn relation(solver: &mut Solver, terms: &mut Terms, conditions: &[Term], context: &[Term]) -> Option<Minterms> {
    if conditions.len() > WIDEST {
        return None;
    }
    let negated = conditions.iter().map(|&condition| terms.not(condition)).collect();
    let mut samples = Combinations::new(terms, conditions, context);
    let feasible = samples.more(terms, usize::MAX).iter().map(|truths| packed(truths)).collect();
    let mut search = Search { solver, terms, conditions, negated, context, samples, feasible, cores: Vec::new() };
    search.decide_all()?;
    let Search { mut feasible, cores, .. } = search;
    feasible.sort_unstable();
    feasible.dedup();
    let infeasible = primes(cores, &feasible);
    let mut infeasible: Vec<Cube> = infeasible.into_iter().map(Pair::into_cube).collect();
    infeasible.sort_by(|a, b| (a.0.len(), a).cmp(&(b.0.len(), b)));
    Some(Minterms { feasible, infeasible })
}

/// A cube: which conditions it speaks of, and their values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Pair {
    care: u64,
    values: u64,
}

impl Pair {
    fn holds(self, combination: u64) -> bool {
        (combination ^ self.values) & self.care == 0
    }

    fn into_cube(self) -> Cube {
        let literal = |at: usize| (self.care >> at & 1 == 1).then(|| (at, self.values >> at & 1 == 1));
        Cube((0..WIDEST).filter_map(literal).collect())
    }

    /// `None` if the cube speaks of conditions beyond the widest relation.
    fn of_cube(cube: &Cube) -> Option<Pair> {
        let mut pair = Pair { care: 0, values: 0 };
        for &(at, value) in &cube.0 {
            if at >= WIDEST {
                return None;
            }
            pair.care |= 1 << at;
            pair.values |= u64::from(value) << at;
        }
        Some(pair)
    }

    fn implies(self, weaker: Pair) -> bool {
        weaker.care & !self.care == 0 && (self.values ^ weaker.values) & weaker.care == 0
    }
}

struct Search<'a> {
    solver: &'a mut Solver,
    terms: &'a mut Terms,
    conditions: &'a [Term],
    negated: Vec<Term>,
    context: &'a [Term],
    samples: Combinations,
    feasible: Vec<u64>,
    cores: Vec<Pair>,
}

impl Search<'_> {
    fn decide_all(&mut self) -> Option<()> {
        let mut stack = vec![(0, 0)];
        while let Some((decided, values)) = stack.pop() {
            if self.is_feasible(decided, values)? && decided < self.conditions.len() {
                stack.push((decided + 1, values | 1 << decided));
                stack.push((decided + 1, values));
            }
        }
        Some(())
    }

    /// Whether the first conditions can have these values.
    fn is_feasible(&mut self, decided: usize, values: u64) -> Option<bool> {
        let prefix = Pair { care: low_bits(decided), values };
        if self.feasible.iter().rev().any(|&combination| prefix.holds(combination)) {
            return Some(true);
        }
        if self.cores.iter().any(|&core| prefix.implies(core)) {
            return Some(false);
        }
        let mut query = self.context.to_vec();
        query.extend((0..decided).map(|at| if values >> at & 1 == 1 { self.conditions[at] } else { self.negated[at] }));
        match self.solver.check_combination(self.terms, &query) {
            Answer::Sat(model) => {
                self.feasible.push(packed(&model.truths(self.terms, self.conditions)));
                let near = self.samples.around(self.terms, &|number| model.variable(number), usize::MAX);
                self.feasible.extend(near.iter().map(|truths| packed(truths)));
                Some(true)
            }
            Answer::Unsat(core) => {
                let used = core.iter().filter_map(|&at| at.checked_sub(self.context.len()));
                let care = used.map(|at| 1 << at).fold(0, |care, bit: u64| care | bit);
                self.cores.push(Pair { care, values: values & care });
                Some(false)
            }
            Answer::Unknown => None,
        }
    }
}

fn packed(truths: &[bool]) -> u64 {
    truths.iter().enumerate().map(|(at, &truth)| u64::from(truth) << at).sum()
}

fn low_bits(count: usize) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}

/// Each core without the literals that it does not need, and without those that the others make superfluous.
fn primes(cores: Vec<Pair>, feasible: &[u64]) -> Vec<Pair> {
    let mut primes: Vec<Pair> = cores.into_iter().map(|core| prime(core, feasible)).collect();
    primes.sort_unstable_by_key(|&pair| (pair.care.count_ones(), pair));
    primes.dedup();
    // The longest are the first to go.
    for at in (0..primes.len()).rev() {
        let pair = primes.remove(at);
        if !is_covered(pair, &primes) {
            primes.insert(at, pair);
        }
    }
    primes
}

fn prime(mut core: Pair, feasible: &[u64]) -> Pair {
    let mut rest = core.care;
    while rest != 0 {
        let bit = 1 << (63 - rest.leading_zeros());
        rest &= !bit;
        let shorter = Pair { care: core.care & !bit, values: core.values & !bit };
        if !feasible.iter().any(|&combination| shorter.holds(combination)) {
            core = shorter;
        }
    }
    core
}

/// Whether each combination of conditions is in one of the cubes. (`false` if some are wider than relations are.)
pub fn is_everything(cubes: &[Cube]) -> bool {
    let pairs: Option<Vec<Pair>> = cubes.iter().map(Pair::of_cube).collect();
    pairs.is_some_and(|pairs| is_covered(Pair { care: 0, values: 0 }, &pairs))
}

/// Whether each combination of the cube is in one of the others.
fn is_covered(pair: Pair, others: &[Pair]) -> bool {
    let mut stack = vec![pair];
    while let Some(pair) = stack.pop() {
        if others.iter().any(|&other| pair.implies(other)) {
            continue;
        }
        let meets = |other: &&Pair| (pair.values ^ other.values) & pair.care & other.care == 0;
        let Some(other) = others.iter().find(meets) else { return false };
        let open = other.care & !pair.care;
        let bit = open & open.wrapping_neg();
        stack.push(Pair { care: pair.care | bit, values: pair.values });
        stack.push(Pair { care: pair.care | bit, values: pair.values | bit });
    }
    true
}
