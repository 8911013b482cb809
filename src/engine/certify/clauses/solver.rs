//! Whether conditions can hold: gates as clauses (Tseitin 1968), each once, in one solver that is asked again and again; and as text.

use std::cell::Cell;
use std::io::{self, Write};

use batsat::{Callbacks, Lit, Solver, SolverInterface, SolverOpts, lbool};
use rustc_hash::FxHashMap;

use super::gates::{Gate, Gates, Input, Wire};
use crate::limits::{Limits, Stop};

/// How often the solver asks before limits are looked at.
const CALLBACKS_PER_STOP: u32 = 256;

/// Says when limits are met.
struct Watch {
    limits: Limits,
    asked: Cell<u32>,
    met: Cell<Option<Stop>>,
}

impl Callbacks for Watch {
    fn stop(&self) -> bool {
        self.asked.set(self.asked.get().wrapping_add(1));
        if self.met.get().is_none() && self.asked.get().is_multiple_of(CALLBACKS_PER_STOP) {
            self.met.set(self.limits.met());
        }
        self.met.get().is_some()
    }
}

/// A solver.
pub(super) struct Clauses {
    solver: Solver<Watch>,
    literals: FxHashMap<u32, Lit>,
    clause: Vec<Lit>,
}

impl Clauses {
    pub fn new(limits: &Limits) -> Clauses {
        let watch = Watch { limits: *limits, asked: Cell::new(0), met: Cell::new(None) };
        let mut clauses = Clauses {
            solver: Solver::new(SolverOpts::default(), watch),
            literals: FxHashMap::default(),
            clause: Vec::new(),
        };
        let truth = Lit::new(clauses.solver.new_var_default(), true);
        clauses.literals.insert(Wire::FALSE.gate(), !truth);
        clauses.clause(&[truth]);
        clauses
    }

    fn clause(&mut self, literals: &[Lit]) {
        self.clause.clear();
        self.clause.extend_from_slice(literals);
        // What it returns, whether the clauses are still satisfiable, every search finds out again.
        self.solver.add_clause_reuse(&mut self.clause);
    }

    fn literal(&self, wire: Wire) -> Lit {
        let literal = self.literals[&wire.gate()];
        if wire.is_negated() { !literal } else { literal }
    }

    /// Whether a condition can hold. What cannot is remembered.
    ///
    /// # Errors
    /// If a limit is met.
    pub fn can_hold(&mut self, gates: &Gates, wire: Wire) -> Result<bool, Stop> {
        if wire == Wire::FALSE {
            return Ok(false);
        }
        for number in gates.below(&[wire], |gate| self.literals.contains_key(&gate)) {
            let own = Lit::new(self.solver.new_var_default(), true);
            self.literals.insert(number, own);
            if let Gate::And(a, b) = gates.gate(number) {
                let [a, b] = [self.literal(a), self.literal(b)];
                self.clause(&[!own, a]);
                self.clause(&[!own, b]);
                self.clause(&[own, !a, !b]);
            }
        }
        let literal = self.literal(wire);
        let result = self.solver.solve_limited(&[literal]);
        if result == lbool::FALSE {
            self.clause(&[!literal]);
        }
        match result == lbool::TRUE || result == lbool::FALSE {
            true => Ok(result == lbool::TRUE),
            false => Err(self.solver.cb().met.get().unwrap_or(Stop::Work)),
        }
    }

    /// What a bit is where the last condition held that can; what is left open is false.
    pub fn value(&self, gates: &Gates, input: Input) -> bool {
        let wire = gates.input(input);
        let literal = wire.ok().and_then(|wire| self.literals.get(&wire.gate()));
        literal.is_some_and(|literal| self.solver.value_lit(*literal) == lbool::TRUE)
    }
}

/// Questions as one formula, which can be satisfied if and only if the answer to one of them is that it can hold.
#[derive(Clone, Debug, Default)]
pub struct Formula {
    variables: i32,
    clauses: Vec<Vec<i32>>,
    /// The literals of the questions.
    questions: Vec<i32>,
}

impl Formula {
    /// More questions.
    pub(super) fn add(&mut self, gates: &Gates, questions: &[Wire]) {
        let mut literals: FxHashMap<u32, i32> = FxHashMap::default();
        let literal = |literals: &FxHashMap<u32, i32>, wire: Wire| {
            let own = literals[&wire.gate()];
            if wire.is_negated() { -own } else { own }
        };
        for number in gates.below(questions, |_| false) {
            self.variables += 1;
            let own = self.variables;
            literals.insert(number, own);
            match gates.gate(number) {
                Gate::False => self.clauses.push(vec![-own]),
                Gate::Input(_) => {}
                Gate::And(a, b) => {
                    let [a, b] = [literal(&literals, a), literal(&literals, b)];
                    self.clauses.extend([vec![-own, a], vec![-own, b], vec![own, -a, -b]]);
                }
            }
        }
        self.questions.extend(questions.iter().map(|wire| literal(&literals, *wire)));
    }

    /// In the format of DIMACS. Cannot be satisfied if and only if everything that was asked is as it should be.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let Formula { variables, clauses, questions } = self;
        writeln!(out, "c one clause says that one of {} conditions holds, none of which should", questions.len())?;
        writeln!(out, "p cnf {variables} {}", clauses.len() + 1)?;
        for clause in clauses.iter().chain([questions]) {
            for literal in clause {
                write!(out, "{literal} ")?;
            }
            writeln!(out, "0")?;
        }
        Ok(())
    }
}
