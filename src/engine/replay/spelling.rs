//! The word of a recorded trace, as far as it is known: the letters of all states that fit each of its items.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::observed::{Observed, Seen};
use super::system::{Budget, Exhausted, State, System};
use super::violates::meanings;
use super::word::{Letter, Moment, Word, WordItem, letters};
use crate::ltl::Violations;
use crate::ltl::atoms::Meaning;
use crate::run::{Section, Then};

/// Letters of items, noted while a trace is walked.
pub(super) struct Spelling {
    violations: Arc<Violations>,
    letters: BTreeMap<(Section, usize), BTreeSet<Letter>>,
}

impl Spelling {
    pub(super) fn new(violations: Arc<Violations>) -> Spelling {
        Spelling { violations, letters: BTreeMap::new() }
    }

    pub(super) fn meanings(&self) -> &[Meaning] {
        meanings(&self.violations)
    }

    /// Notes the letters of a state that fits an item.
    pub(super) fn note(
        &mut self,
        system: &System<'_>,
        at: (Section, usize),
        state: &State,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let found = letters(system, meanings(&self.violations), state.clone(), Moment::Passed, budget)?;
        self.letters.entry(at).or_default().extend(found);
        Ok(())
    }

    /// The word of the trace; `None` if some item may have several letters, or stands for many.
    pub(super) fn word(&self, observed: &Observed) -> Option<Word> {
        let mut word = Word::default();
        for (number, call) in observed.calls.iter().enumerate() {
            let places = self.places(&mut word, Section::Call(number), &call.steps)?;
            word.calls.push(places);
        }
        word.stem = self.places(&mut word, Section::Stem, &observed.stem)?;
        word.cycle = self.places(&mut word, Section::Cycle, observed.cycle.as_deref().unwrap_or(&[]))?;
        Some(word)
    }

    fn places(&self, word: &mut Word, part: Section, items: &[Seen]) -> Option<Vec<WordItem>> {
        let mut places = Vec::with_capacity(items.len());
        for (number, seen) in items.iter().enumerate() {
            let letter = match self.letters.get(&(part, number)) {
                Some(letters) if letters.len() > 1 => return None,
                Some(letters) => letters.first().map(|letter| word.letter(letter.clone())),
                // A call that the trace does not make.
                None => None,
            };
            let call = match seen.then {
                Then::Step => None,
                Then::Call(call) => Some(call).filter(|call| *call < number_of_calls(part, word)),
                Then::Leap(_) => return None,
            };
            places.push(WordItem { letter, call });
        }
        Some(places)
    }
}

/// How many calls a list of that part can refer to.
fn number_of_calls(part: Section, word: &Word) -> usize {
    if let Section::Call(own) = part { own } else { word.calls.len() }
}
