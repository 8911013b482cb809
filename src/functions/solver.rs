//! Whether conditions can hold together, with what is known of their variables; within what may be spent on a function.

use crate::bitvec::{Answer, Bounds, Evaluation, Model, Session, Term};
use crate::limits::Limits;

use super::machine::Machine;

/// Conflicts of the solver for one question.
const CONFLICTS: u64 = 3_000;

/// Decides questions about one function.
pub struct Solver {
    session: Session,
    bounds: Bounds,
    limits: Limits,
    /// How many questions may still be asked: the same on every machine.
    left: u64,
    stopped: bool,
}

impl Solver {
    /// So many questions, within limits.
    pub fn new(limits: Limits, questions: u64) -> Solver {
        let stop = std::rc::Rc::new(move || limits.met().is_some());
        let bounds = Bounds { conflicts: CONFLICTS, stop: Some(stop), second: None };
        Solver { session: Session::new(&bounds), bounds, limits, left: questions, stopped: false }
    }

    /// Whether no more is done for this function.
    pub fn is_stopped(&mut self) -> bool {
        self.stopped |= self.left == 0 || self.limits.met().is_some();
        self.stopped
    }

    /// Values with which some conditions hold together; nothing if there are none.
    pub fn possible(&mut self, machine: &mut Machine<'_>, conditions: &[Term]) -> Possible {
        if conditions.iter().any(|&term| machine.terms.as_constant(term) == Some(0)) {
            return Possible::Never;
        }
        if self.is_stopped() {
            return Possible::Unknown;
        }
        self.left -= 1;
        let mut all = conditions.to_vec();
        all.extend(machine.axioms(conditions));
        all.retain(|&term| machine.terms.as_constant(term).is_none());
        match self.session.check_combination(&mut machine.terms, &all) {
            Answer::Sat(model) => Possible::So(model),
            Answer::Unsat(_) => Possible::Never,
            Answer::Unknown => {
                // What the solver has learnt of other questions is of no use to this one.
                self.session = Session::new(&self.bounds);
                Possible::Unknown
            }
        }
    }

    /// Whether some conditions never hold together.
    pub fn never(&mut self, machine: &mut Machine<'_>, conditions: &[Term]) -> bool {
        matches!(self.possible(machine, conditions), Possible::Never)
    }
}

/// What is known of conditions.
pub enum Possible {
    /// They hold together for these values.
    So(Model),
    /// They never do.
    Never,
    /// That is not known.
    Unknown,
}

/// Whether a condition holds for the values of a model.
pub fn holds(machine: &Machine<'_>, model: &Model, condition: Term) -> bool {
    let variables = |number| model.variable(number);
    Evaluation::new(&machine.terms, &variables).is_true(condition)
}
