//! What a formula sees of a run: a letter for each configuration that is not hidden.

use std::collections::{BTreeMap, BTreeSet};

use super::eval::evaluate;
use super::system::{Budget, Exhausted, State, System};
use crate::ltl::atoms::{Meaning, Truth};

/// For each proposition whether it holds.
pub(super) type Letter = Box<[bool]>;

/// One configuration, and what is between it and the next one listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WordItem {
    /// Its letter, by its index in [`Word::letters`]; `None` if it is hidden.
    pub(super) letter: Option<u32>,
    /// The folded call whose part comes before the next configuration.
    pub(super) call: Option<usize>,
}

/// An infinite word: the letters of a stem and those of a cycle that repeats. Folded as the run is: a call refers only to
/// calls before it.
#[derive(Clone, Debug, Default)]
pub(super) struct Word {
    pub(super) letters: Vec<Letter>,
    pub(super) stem: Vec<WordItem>,
    pub(super) cycle: Vec<WordItem>,
    pub(super) calls: Vec<Vec<WordItem>>,
    known: BTreeMap<Letter, u32>,
}

impl Word {
    /// The index of a letter, which is added if it is new.
    pub(super) fn letter(&mut self, letter: Letter) -> u32 {
        let next = self.letters.len() as u32;
        *self.known.entry(letter).or_insert_with_key(|letter| {
            self.letters.push(letter.clone());
            next
        })
    }

    /// Lets this letter repeat for ever after the stem.
    pub(super) fn repeat(&mut self, letter: Letter) {
        let letter = Some(self.letter(letter));
        self.cycle = vec![WordItem { letter, call: None }];
    }
}

/// Whether a configuration is passed, or repeated because nothing leads on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    Passed,
    Blocked,
}

/// The letters that a state may have: one if it has no open values.
///
/// # Errors
/// If the budget does not suffice to decide the open values that the propositions read.
pub(super) fn letters(
    system: &System<'_>,
    meanings: &[Meaning],
    state: State,
    moment: Moment,
    budget: &mut Budget,
) -> Result<BTreeSet<Letter>, Exhausted> {
    let symbol = state.symbol;
    let mut decided = vec![state];
    for meaning in meanings {
        if let Truth::Condition(condition) = meaning.at(system.spds, symbol) {
            for state in std::mem::take(&mut decided) {
                system.decide(state, condition, budget, &mut decided)?;
            }
        }
    }
    Ok(decided.iter().map(|state| letter(system, meanings, state, moment)).collect())
}

/// The letter of a state without open values.
pub(super) fn letter(system: &System<'_>, meanings: &[Meaning], state: &State, moment: Moment) -> Letter {
    let holds = |meaning: &Meaning| match meaning.at(system.spds, state.symbol) {
        Truth::Constant(value) => value,
        Truth::Condition(condition) => evaluate(condition, &system.scene(state)).may_hold(),
        Truth::Stuck => moment == Moment::Blocked,
    };
    meanings.iter().map(holds).collect()
}
