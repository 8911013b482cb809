//! What is known about conditions: whether they can be true together, and for which values.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::evaluate::Evaluation;
use super::term::{Term, Terms};

/// What is known about a conjunction.
#[derive(Clone, Debug)]
pub enum Answer {
    /// It can be true: so.
    Sat(Model),
    /// It cannot, and these of its literals suffice for that: indices, sorted.
    Unsat(Vec<usize>),
    /// Nobody knows: the search was given up. Never to be read as [`Answer::Unsat`].
    Unknown,
}

impl Answer {
    /// Whether it is known that the conjunction cannot be true.
    pub fn is_unsat(&self) -> bool {
        matches!(self, Answer::Unsat(_))
    }
}

/// Values of variables. Those that do not matter are 0.
#[derive(Clone, Debug, Default)]
pub struct Model {
    pub(super) values: HashMap<u32, u128, FxBuildHasher>,
}

impl Model {
    /// The value of a variable.
    pub fn variable(&self, number: u32) -> u128 {
        self.values.get(&number).copied().unwrap_or(0)
    }

    /// Whether these conditions are true, in their order.
    pub fn truths(&self, terms: &Terms, conditions: &[Term]) -> Vec<bool> {
        let variables = |number| self.variable(number);
        let mut evaluation = Evaluation::new(terms, &variables);
        conditions.iter().map(|&condition| evaluation.is_true(condition)).collect()
    }
}
