//! Bit-vectors: exact relations over predicates, statement by statement, and single implications, as CSV. `README.md` beside this file
//! explains the columns.
//!
//! Under `cargo bench` everything; otherwise (`cargo test --bench bitvec`) a few small ones, to see that nothing takes long.

mod measured;

use fastrand::Rng;
use measured::Clock;
use puch::bitvec::{Bounds, Operator, Solver, Term, Terms, implied, relation};

fn main() {
    let full = std::env::args().any(|argument| argument == "--bench");
    println!("what,predicates,rounds,median_ms,slowest_ms,per_second");
    for predicates in if full { vec![3, 5, 7, 9, 11] } else { vec![3] } {
        relations(predicates, if full { 40 } else { 3 });
    }
    for predicates in if full { vec![5, 10, 20] } else { vec![5] } {
        cartesian(predicates, if full { 20 } else { 2 });
    }
    implications(if full { 30_000 } else { 300 });
}

/// Variables, and a random linear or simple non-linear expression over them, as programs have.
struct Statement {
    rng: Rng,
    terms: Terms,
    variables: Vec<Term>,
}

impl Statement {
    fn new(seed: u64) -> Statement {
        let mut terms = Terms::new();
        let variables = (0..4).map(|number| terms.variable(number, 32)).collect();
        Statement { rng: Rng::with_seed(seed), terms, variables }
    }

    fn variable(&mut self) -> Term {
        self.variables[self.rng.usize(..self.variables.len())]
    }

    fn operand(&mut self) -> Term {
        if self.rng.bool() {
            return self.variable();
        }
        let value = self.rng.u128(..10);
        self.terms.constant(value, 32)
    }

    fn expression(&mut self) -> Term {
        let (a, b) = (self.variable(), self.operand());
        match self.rng.u8(..8) {
            0..3 => self.terms.add(a, b),
            3..6 => self.terms.sub(a, b),
            6 => self.terms.binary(Operator::And, a, b),
            _ => {
                let three = self.terms.constant(3, 32);
                self.terms.mul(a, three)
            }
        }
    }

    fn predicate(&mut self) -> Term {
        let (a, b) = (self.variable(), if self.rng.u8(..4) == 0 { self.expression() } else { self.operand() });
        match self.rng.u8(..3) {
            0 => self.terms.eq(a, b),
            1 => self.terms.slt(a, b),
            _ => self.terms.sle(a, b),
        }
    }

    /// So many predicates, and those that `x := e` changes as they are after it.
    fn updates(&mut self, predicates: usize) -> Vec<Term> {
        let mut before: Vec<Term> = Vec::new();
        while before.len() < predicates {
            let predicate = self.predicate();
            if self.terms.as_constant(predicate).is_none() && !before.contains(&predicate) {
                before.push(predicate);
            }
        }
        let (to, value) = (self.variable(), self.expression());
        let mut by = [(to, value)].into_iter().collect();
        let after: Vec<Term> = before.iter().map(|&predicate| self.terms.substitute(predicate, &mut by)).collect();
        let changed = before.clone().into_iter().zip(after).filter(|(before, after)| before != after);
        let changed: Vec<Term> =
            changed.map(|(_, after)| after).filter(|&after| self.terms.as_constant(after).is_none()).collect();
        before.extend(changed);
        before
    }
}

fn row(what: &str, predicates: usize, mut times: Vec<f64>, each: usize) {
    times.sort_by(f64::total_cmp);
    let (median, slowest) = (times[times.len() / 2] * 1e3, times[times.len() - 1] * 1e3);
    let rate = (times.len() * each) as f64 / times.iter().sum::<f64>();
    println!("{what},{predicates},{},{median:.2},{slowest:.2},{rate:.0}", times.len());
}

fn relations(predicates: usize, rounds: u64) {
    let mut times = Vec::new();
    for seed in 0..rounds {
        let mut statement = Statement::new(seed);
        let conditions = statement.updates(predicates);
        let began = Clock::start();
        let mut solver = Solver::new(&Bounds::default());
        let found = relation(&mut solver, &mut statement.terms, &conditions, &[]);
        times.push(began.elapsed().as_secs_f64());
        if found.is_none() {
            eprintln!("seed {seed}: a query was given up");
        }
    }
    row("relation", predicates, times, 1);
}

fn cartesian(predicates: usize, rounds: u64) {
    let mut times = Vec::new();
    for seed in 0..rounds {
        let mut statement = Statement::new(seed);
        let conditions = statement.updates(predicates);
        let began = Clock::start();
        let mut solver = Solver::new(&Bounds::default());
        let (before, after) = conditions.split_at(predicates);
        for &goal in after {
            let refuted = statement.terms.not(goal);
            for goal in [goal, refuted] {
                implied(&mut solver, &mut statement.terms, before, goal, &[], 3);
            }
        }
        times.push(began.elapsed().as_secs_f64());
    }
    row("cartesian", predicates, times, 1);
}

/// Single implications between three predicates and a fourth, a solver for each fifty.
fn implications(count: usize) {
    const EACH: usize = 50;
    let mut times = Vec::new();
    for seed in 0..(count / EACH) as u64 {
        let mut statement = Statement::new(seed);
        let began = Clock::start();
        let mut solver = Solver::new(&Bounds::default());
        for _ in 0..EACH {
            let mut query: Vec<Term> = (0..3).map(|_| statement.predicate()).collect();
            let goal = statement.predicate();
            query.push(statement.terms.not(goal));
            solver.check(&mut statement.terms, &query);
        }
        times.push(began.elapsed().as_secs_f64());
    }
    row("implication", 4, times, EACH);
}
