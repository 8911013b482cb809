//! Simplification of formulas over predicates, by what is said anyhow: predicates hang together, which nobody sees who only knows which they are.

use crate::bitvec::{Solver, Term};
use crate::c::program::{Overflow, ProcedureId, Program};

use super::Tuning;
use super::predicate::{Predicate, PredicateId};
use super::procedure::{Abstraction, Making};
use super::reuse::Reuse;

/// That a predicate has a value, or whether it has the same value as another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Test {
    /// The predicate.
    pub predicate: PredicateId,
    /// The other one.
    pub other: Option<PredicateId>,
    /// The value, or whether they have the same.
    pub value: bool,
}

/// Products, one of which holds; of a product all tests hold.
pub type Sum = Vec<Vec<Test>>;

/// The same formula, all of whose sums hold in a procedure, with fewer tests. A query for each test and each product.
pub fn shorter(
    (program, predicates): (&Program, &[Predicate]),
    overflow: Overflow,
    tuning: &Tuning,
    reuse: &mut Reuse,
    procedure: ProcedureId,
    sums: Vec<Sum>,
) -> Vec<Sum> {
    let Reuse { analyses, memo, .. } = reuse.of(program);
    let mut abstraction = Abstraction::new(program, analyses, predicates, overflow, tuning, memo);
    let making = abstraction.begin(procedure);
    let solver = Solver::new(&tuning.bounds);
    Shortening { abstraction, making, solver }.all(sums)
}

struct Shortening<'a> {
    abstraction: Abstraction<'a>,
    making: Making,
    solver: Solver,
}

impl Shortening<'_> {
    fn all(&mut self, mut sums: Vec<Sum>) -> Vec<Sum> {
        for at in (0..sums.len()).rev() {
            let sum = sums.remove(at);
            let others: Vec<Term> = sums.iter().map(|other| self.sum(other)).collect();
            let whole = self.sum(&sum);
            if !self.implies(others.clone(), whole) {
                sums.insert(at, self.one(sum, whole, &others));
            }
        }
        sums
    }

    /// A sum with fewer tests and products that is the same where all others hold.
    fn one(&mut self, mut sum: Sum, whole: Term, others: &[Term]) -> Sum {
        for product in &mut sum {
            for at in (0..product.len()).rev() {
                let test = product.remove(at);
                let rest = self.product(product);
                if product.is_empty() || !self.implies([others, &[rest]].concat(), whole) {
                    product.insert(at, test);
                }
            }
        }
        for at in (0..sum.len()).rev() {
            let product = sum.remove(at);
            let (part, rest) = (self.product(&product), self.sum(&sum));
            if !self.implies([others, &[part]].concat(), rest) {
                sum.insert(at, product);
            }
        }
        sum
    }

    fn sum(&mut self, sum: &Sum) -> Term {
        let products: Vec<Term> = sum.iter().map(|product| self.product(product)).collect();
        self.abstraction.system.machine.terms.any(&products)
    }

    fn product(&mut self, product: &[Test]) -> Term {
        let tests: Vec<Term> = product.iter().map(|test| self.test(test)).collect();
        self.abstraction.system.machine.terms.all(&tests)
    }

    fn test(&mut self, test: &Test) -> Term {
        let first = self.predicate(test.predicate);
        let holds = match test.other {
            Some(other) => {
                let other = self.predicate(other);
                self.abstraction.system.machine.terms.eq(first, other)
            }
            None => first,
        };
        if test.value { holds } else { self.abstraction.system.machine.terms.not(holds) }
    }

    /// Whoever is no predicate of the procedure is different from all others.
    fn predicate(&mut self, id: PredicateId) -> Term {
        let tracked = self.making.indices.iter().map(|&at| self.abstraction.tracked[at].id);
        let known = tracked.zip(&self.making.known).find(|(other, _)| *other == id).map(|(_, named)| named.term);
        known.unwrap_or_else(|| self.abstraction.system.machine.fresh(1))
    }

    fn implies(&mut self, mut conditions: Vec<Term>, goal: Term) -> bool {
        let machine = &mut self.abstraction.system.machine;
        conditions.push(machine.terms.not(goal));
        conditions.extend(machine.axioms(&conditions.clone()));
        self.solver.check_combination(&mut machine.terms, &conditions).is_unsat()
    }
}
