//! An incremental solver of conditions over bit-vectors, which are asked about again and again: can these all be true?
//!
//! What can be decided by rewriting never reaches the solver; circuits that were built stay, and so does what the solver learnt.

use std::cell::Cell;
use std::rc::Rc;

use super::answer::{Answer, Model};
use super::blast::Blaster;
use super::circuit::{Circuit, Ended, Stop};
use super::evaluate::Evaluation;
use super::gauss::Elimination;
use super::sample;
use super::second::SecondOpinion;
use super::term::{Node, Term, Terms};

/// What a query may cost.
#[derive(Clone)]
pub struct Bounds {
    /// Conflicts for each query.
    pub conflicts: u64,
    /// Asked now and then whether to give up.
    pub stop: Option<Stop>,
    /// Another solver that is asked the same.
    pub second: Option<Rc<SecondOpinion>>,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { conflicts: 20_000, stop: None, second: None }
    }
}

impl Bounds {
    /// Whether it is time to give up.
    pub fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop())
    }

    /// The same for so many looks at whether it is, after which it is (deterministic): a measure of work.
    pub fn within(&self, looks: u64) -> Bounds {
        let (stop, left) = (self.stop.clone(), Cell::new(looks));
        let is_over =
            move || left.replace(left.get().saturating_sub(1)) == 0 || stop.as_ref().is_some_and(|stop| stop());
        Bounds { stop: Some(Rc::new(is_over)), ..self.clone() }
    }
}

/// Conflicts after which a combination of conditions is rewritten.
const REWRITTEN_AFTER_CONFLICTS: u64 = 1_000;

/// An incremental solver for conditions. One for each statement is faster than one for a whole program.
pub struct Solver {
    blaster: Blaster,
    conflicts: u64,
    second: Option<Rc<SecondOpinion>>,
    /// How often the solver was asked.
    pub queries: u64,
}

impl Solver {
    /// Nothing is asserted yet.
    pub fn new(bounds: &Bounds) -> Solver {
        let blaster = Blaster::new(Circuit::new(bounds.stop.clone()));
        Solver { blaster, conflicts: bounds.conflicts, second: bounds.second.clone(), queries: 0 }
    }

    /// Whether it is time to give up.
    pub fn is_stopped(&self) -> bool {
        self.blaster.circuit.is_stopped()
    }

    /// What all queries so far have cost, in propagations of the solver: some millions take a second.
    pub fn cost(&self) -> u64 {
        self.blaster.circuit.propagations()
    }

    /// Whether these conditions can all be true.
    pub fn check(&mut self, terms: &mut Terms, conditions: &[Term]) -> Answer {
        let answer = self.decide(terms, conditions);
        self.confirmed(terms, conditions, answer)
    }

    fn decide(&mut self, terms: &mut Terms, conditions: &[Term]) -> Answer {
        match Elimination::new(terms, conditions) {
            Err(core) => Answer::Unsat(core),
            Ok(elimination) => self.search_left(terms, &elimination),
        }
    }

    /// The same, for conditions of which many combinations are asked about: each has one circuit, whatever it is asked with.
    /// Only what is not decided soon that way is rewritten first.
    pub fn check_combination(&mut self, terms: &mut Terms, conditions: &[Term]) -> Answer {
        let answer = match self.search(terms, conditions, self.conflicts.min(REWRITTEN_AFTER_CONFLICTS)) {
            Answer::Unknown => self.decide(terms, conditions),
            answer => answer,
        };
        self.confirmed(terms, conditions, answer)
    }

    fn confirmed(&self, terms: &Terms, conditions: &[Term], answer: Answer) -> Answer {
        match &self.second {
            Some(second) => second.confirmed(terms, conditions, answer),
            None => answer,
        }
    }

    fn search_left(&mut self, terms: &Terms, elimination: &Elimination) -> Answer {
        let left: Vec<Term> = elimination.left.iter().map(|item| item.term).collect();
        if left.is_empty() {
            return Answer::Sat(completed(terms, elimination, Model::default()));
        }
        if let Some(values) = sample::witness(terms, &left) {
            let model = Model { values: values.into_iter().collect() };
            return Answer::Sat(completed(terms, elimination, model));
        }
        match self.search(terms, &left, self.conflicts) {
            Answer::Sat(model) => Answer::Sat(completed(terms, elimination, model)),
            Answer::Unsat(core) => Answer::Unsat(elimination.origins(core.into_iter().map(|at| &elimination.left[at]))),
            Answer::Unknown => Answer::Unknown,
        }
    }

    fn search(&mut self, terms: &Terms, conditions: &[Term], conflicts: u64) -> Answer {
        let literals: Vec<_> = conditions.iter().map(|&condition| self.blaster.condition(terms, condition)).collect();
        self.queries += 1;
        match self.blaster.circuit.solve(&literals, conflicts) {
            Ended::Sat => Answer::Sat(self.model(terms, conditions)),
            Ended::Unsat => {
                let used = |&at: &usize| self.blaster.circuit.in_core(literals[at]);
                Answer::Unsat((0..literals.len()).filter(used).collect())
            }
            Ended::Limit | Ended::Stopped => Answer::Unknown,
        }
    }

    /// The values of all variables in these terms.
    fn model(&self, terms: &Terms, roots: &[Term]) -> Model {
        let mut model = Model::default();
        for term in terms.postorder(roots, |_| true) {
            if let (&Node::Variable(number), Some(bits)) = (terms.node(term), self.blaster.known(term)) {
                let bit = |(at, &literal)| u128::from(self.blaster.circuit.value(literal)) << at;
                model.values.insert(number, bits.iter().enumerate().map(bit).fold(0, |sum, bit| sum | bit));
            }
        }
        model
    }
}

/// The model with what rewriting defined.
fn completed(terms: &Terms, elimination: &Elimination, mut model: Model) -> Model {
    for (variable, value) in elimination.definitions() {
        let known = std::mem::take(&mut model.values);
        let lookup = |number: u32| known.get(&number).copied().unwrap_or(0);
        let value = Evaluation::new(terms, &lookup).value(value);
        model.values = known;
        model.values.insert(variable, value);
    }
    model
}
