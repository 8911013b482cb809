//! What no run of a system may do: a Büchi automaton of the violations, its propositions understood.

use crate::limits::{Limits, Stop};

use super::atoms::Meaning;
use super::automaton::Buchi;
use super::formula::Ltl;
use super::translate::{Passes, translate};

/// A property of runs, by its violations.
#[derive(Clone, Debug)]
pub struct Violations {
    /// Accepts the words that violate it.
    pub automaton: Buchi,
    /// What the automaton's propositions mean, in their order.
    pub meanings: Vec<Meaning>,
    /// The formula that runs are to satisfy, if the automaton was made from one.
    pub formula: Option<Specified>,
}

/// A formula over a system.
#[derive(Clone, Debug)]
pub struct Specified {
    /// The formula.
    pub formula: Ltl,
    /// What its propositions mean, in their order.
    pub meanings: Vec<Meaning>,
}

impl Violations {
    /// Those of a formula whose propositions mean this, in their order.
    ///
    /// # Errors
    /// If a limit is met in the translation.
    ///
    /// # Panics
    /// If there are not as many meanings as propositions.
    pub fn of(formula: Ltl, meanings: Vec<Meaning>, passes: &Passes, limits: &Limits) -> Result<Violations, Stop> {
        assert_eq!(formula.formulas.propositions().len(), meanings.len(), "every proposition has a meaning");
        let automaton = translate(&formula.clone().negated(), passes, limits)?;
        let known = formula.formulas.propositions();
        let meaning = |kind| {
            let place = known.iter().position(|proposition| proposition.kind == kind);
            meanings[place.expect("the automaton speaks about what the formula speaks about")].clone()
        };
        let of_automaton = automaton.propositions.iter().map(|proposition| meaning(proposition.kind.clone())).collect();
        Ok(Violations { automaton, meanings: of_automaton, formula: Some(Specified { formula, meanings }) })
    }

    /// Those that an automaton accepts whose propositions mean this, in their order.
    ///
    /// # Panics
    /// If there are not as many meanings as propositions.
    pub fn accepted(automaton: Buchi, meanings: Vec<Meaning>) -> Violations {
        assert_eq!(automaton.propositions.len(), meanings.len(), "every proposition has a meaning");
        Violations { automaton, meanings, formula: None }
    }
}
