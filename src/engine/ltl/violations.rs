//! What no run of a system may do: a Büchi automaton of the violations, its propositions understood.

use crate::limits::{Limits, Stop};

use super::atoms::Meaning;
use super::automaton::{Buchi, Tgba};
use super::formula::Ltl;
use super::translate::{Passes, translate, with_one_mark};

/// A property of runs, by its violations.
#[derive(Clone, Debug)]
pub struct Violations {
    /// Accepts the words that violate it.
    pub automaton: Buchi,
    /// What the automaton's propositions mean, in their order.
    pub meanings: Vec<Meaning>,
    /// The formula that runs are to satisfy, if the automaton was made from one.
    pub formula: Option<Specified>,
    /// The automaton as it was given, if it was not made from a formula; its propositions are the same.
    pub given: Option<Tgba>,
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
        Ok(Violations {
            automaton,
            meanings: of_automaton,
            formula: Some(Specified { formula, meanings }),
            given: None,
        })
    }

    /// Those that an automaton accepts whose propositions mean this, in their order.
    ///
    /// # Panics
    /// If there are not as many meanings as propositions.
    pub fn accepted(automaton: Buchi, meanings: Vec<Meaning>) -> Violations {
        assert_eq!(automaton.propositions.len(), meanings.len(), "every proposition has a meaning");
        let given = Some(Tgba::from(&automaton));
        Violations { automaton, meanings, formula: None, given }
    }

    /// Those that an automaton accepts, however many marks it has.
    ///
    /// # Errors
    /// If a limit is met in the reduction.
    ///
    /// # Panics
    /// If there are not as many meanings as propositions.
    pub fn given(automaton: Tgba, meanings: Vec<Meaning>, passes: &Passes) -> Result<Violations, Stop> {
        // The reduction keeps the list of propositions as it is.
        let one_mark = with_one_mark(&automaton, passes)?;
        Ok(Violations { given: Some(automaton), ..Violations::accepted(one_mark, meanings) })
    }
}
