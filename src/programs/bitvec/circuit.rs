//! Gates in a SAT solver, each built once.
//!
//! All variables stay decision variables: without the gates among them, single implications are twice as fast and enumerating a
//! relation takes minutes in place of a fifth of a second.

use std::cell::Cell;
use std::rc::Rc;

use batsat::{Callbacks, ClauseKind, Lit, Solver, SolverInterface, SolverOpts, lbool};
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

/// Asked now and then whether to give up.
pub type Stop = Rc<dyn Fn() -> bool>;

/// How often the solver asks before [`Stop`] is asked.
const CALLBACKS_PER_STOP: u32 = 256;

/// Counts conflicts and says when there were enough.
struct Watch {
    conflicts: u64,
    limit: u64,
    asked: Cell<u32>,
    stop: Option<Stop>,
    stopped: Cell<bool>,
}

impl Callbacks for Watch {
    fn on_new_clause(&mut self, _: &[Lit], kind: ClauseKind) {
        self.conflicts += u64::from(kind == ClauseKind::Learnt);
    }

    fn stop(&self) -> bool {
        if self.conflicts >= self.limit || self.stopped.get() {
            return true;
        }
        self.asked.set(self.asked.get().wrapping_add(1));
        if self.asked.get().is_multiple_of(CALLBACKS_PER_STOP) && self.stop.as_ref().is_some_and(|stop| stop()) {
            self.stopped.set(true);
        }
        self.stopped.get()
    }
}

#[derive(PartialEq, Eq, Hash)]
enum Gate {
    And(Lit, Lit),
    Xor(Lit, Lit),
    Mux(Lit, Lit, Lit),
    Majority(Lit, Lit, Lit),
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// With a model.
    Sat,
    /// No model.
    Unsat,
    /// Too many conflicts.
    Limit,
    /// The stop callback said so.
    Stopped,
}

/// Gates in a solver.
pub(super) struct Circuit {
    solver: Solver<Watch>,
    truth: Lit,
    gates: HashMap<Gate, Lit, FxBuildHasher>,
    clause: Vec<Lit>,
}

impl Circuit {
    pub fn new(stop: Option<Stop>) -> Circuit {
        let watch = Watch { conflicts: 0, limit: 0, asked: Cell::new(0), stop, stopped: Cell::new(false) };
        let mut solver = Solver::new(SolverOpts::default(), watch);
        let truth = Lit::new(solver.new_var_default(), true);
        let mut circuit = Circuit { solver, truth, gates: HashMap::default(), clause: Vec::new() };
        circuit.clause(&[truth]);
        circuit
    }

    /// A literal that is true, or false.
    pub fn constant(&self, value: bool) -> Lit {
        if value { self.truth } else { !self.truth }
    }

    /// How many literals searches have made true because of others, so far: what they cost.
    pub fn propagations(&self) -> u64 {
        self.solver.num_propagations()
    }

    pub fn fresh(&mut self) -> Lit {
        Lit::new(self.solver.new_var_default(), true)
    }

    pub fn clause(&mut self, literals: &[Lit]) {
        self.clause.clear();
        self.clause.extend_from_slice(literals);
        // What it returns, whether the clauses are still satisfiable, every search finds out again.
        self.solver.add_clause_reuse(&mut self.clause);
    }

    fn is(&self, literal: Lit) -> Option<bool> {
        (literal.var() == self.truth.var()).then(|| literal == self.truth)
    }

    fn gate(&mut self, gate: Gate, clauses: impl FnOnce(&mut Circuit, Lit)) -> Lit {
        if let Some(&known) = self.gates.get(&gate) {
            return known;
        }
        let output = self.fresh();
        clauses(self, output);
        self.gates.insert(gate, output);
        output
    }

    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        match (self.is(a), self.is(b)) {
            (Some(false), _) | (_, Some(true)) => return a,
            (Some(true), _) | (_, Some(false)) => return b,
            _ if a == b => return a,
            _ if a == !b => return self.constant(false),
            _ => {}
        }
        self.gate(Gate::And(a.min(b), a.max(b)), |this, output| {
            this.clause(&[!output, a]);
            this.clause(&[!output, b]);
            this.clause(&[output, !a, !b]);
        })
    }

    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        match (self.is(a), self.is(b)) {
            (Some(value), _) => return if value { !b } else { b },
            (_, Some(value)) => return if value { !a } else { a },
            _ if a == b => return self.constant(false),
            _ if a == !b => return self.constant(true),
            _ => {}
        }
        // Signs are outside.
        let odd = a.sign() != b.sign();
        let (a, b) = (positive(a), positive(b));
        let gate = self.gate(Gate::Xor(a.min(b), a.max(b)), |this, output| {
            this.clause(&[!output, a, b]);
            this.clause(&[!output, !a, !b]);
            this.clause(&[output, !a, b]);
            this.clause(&[output, a, !b]);
        });
        if odd { !gate } else { gate }
    }

    /// If `condition` then a, else b.
    pub fn mux(&mut self, condition: Lit, a: Lit, b: Lit) -> Lit {
        match (self.is(condition), self.is(a), self.is(b)) {
            (Some(true), ..) => return a,
            (Some(false), ..) => return b,
            _ if a == b => return a,
            (_, Some(true), _) => return self.or(condition, b),
            (_, Some(false), _) => return self.and(!condition, b),
            (_, _, Some(true)) => return self.or(!condition, a),
            (_, _, Some(false)) => return self.and(condition, a),
            _ if a == !b => return !self.xor(condition, a),
            _ => {}
        }
        self.gate(Gate::Mux(condition, a, b), |this, output| {
            this.clause(&[!condition, !a, output]);
            this.clause(&[!condition, a, !output]);
            this.clause(&[condition, !b, output]);
            this.clause(&[condition, b, !output]);
            this.clause(&[!a, !b, output]);
            this.clause(&[a, b, !output]);
        })
    }

    /// At least two of three.
    pub fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        for [x, y, z] in [[a, b, c], [b, c, a], [c, a, b]] {
            match self.is(x) {
                Some(true) => return self.or(y, z),
                Some(false) => return self.and(y, z),
                None if y == z => return y,
                None if y == !z => return x,
                None => {}
            }
        }
        let mut inputs = [a, b, c];
        inputs.sort_unstable();
        let [a, b, c] = inputs;
        self.gate(Gate::Majority(a, b, c), |this, output| {
            for [x, y] in [[a, b], [b, c], [a, c]] {
                this.clause(&[!x, !y, output]);
                this.clause(&[x, y, !output]);
            }
        })
    }

    /// The sum bit of three.
    pub fn parity(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let half = self.xor(a, b);
        self.xor(half, c)
    }

    /// All of many.
    pub fn all(&mut self, literals: &[Lit]) -> Lit {
        let mut inputs: Vec<Lit> = literals.iter().copied().filter(|&literal| self.is(literal) != Some(true)).collect();
        inputs.sort_unstable();
        inputs.dedup();
        if inputs.iter().any(|&literal| self.is(literal) == Some(false)) || inputs.windows(2).any(|w| w[0] == !w[1]) {
            return self.constant(false);
        }
        match inputs[..] {
            [] => self.constant(true),
            [one] => one,
            [a, b] => self.and(a, b),
            _ => {
                let output = self.fresh();
                for &input in &inputs {
                    self.clause(&[!output, input]);
                }
                let mut long: Vec<Lit> = inputs.iter().map(|&input| !input).collect();
                long.push(output);
                self.clause(&long);
                output
            }
        }
    }

    /// Whether it is time to give up.
    pub fn is_stopped(&self) -> bool {
        self.solver.cb().stop.as_ref().is_some_and(|stop| stop())
    }

    /// Searches for a model in which the assumptions hold, for at most so many conflicts.
    pub fn solve(&mut self, assumptions: &[Lit], conflicts: u64) -> Ended {
        let watch = self.solver.cb_mut();
        watch.limit = watch.conflicts.saturating_add(conflicts);
        watch.stopped.set(false);
        let result = self.solver.solve_limited(assumptions);
        if result == lbool::TRUE {
            Ended::Sat
        } else if result == lbool::FALSE {
            Ended::Unsat
        } else if self.solver.cb().stopped.get() {
            Ended::Stopped
        } else {
            Ended::Limit
        }
    }

    /// In the last model; what the model leaves open is false.
    pub fn value(&self, literal: Lit) -> bool {
        self.solver.value_lit(literal) == lbool::TRUE
    }

    /// Whether the last contradiction used this assumption.
    pub fn in_core(&self, assumption: Lit) -> bool {
        self.solver.unsat_core().contains(&!assumption) || self.solver.unsat_core().contains(&assumption)
    }
}

fn positive(literal: Lit) -> Lit {
    Lit::new(literal.var(), true)
}
