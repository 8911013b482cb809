//! The judge of runs: walks a run through the system rule by rule, explicitly and naively, and says whether it is real.
//!
//! It shares nothing with the search that found the run but the types of [`crate::run`], so that no answer rests on the
//! search alone. [`judge()`] takes a run with every configuration in full; [`walk()`] takes a recorded trace, in which only
//! what a user sees is known, and looks for a run behind it.
//!
//! Depths: that of a configuration is the number of stack symbols below the topmost one, `@end` not counted (a program
//! runs at depth 0 although `@end` lies below it); in the part of a folded call, those below the callee's entry.

mod accepts;
mod closes;
mod ending;
pub(crate) mod eval;
mod judge;
mod leap;
mod matched;
mod member;
mod observed;
mod pattern;
mod satisfies;
mod simulate;
mod spelling;
mod step;
mod successors;
pub(crate) mod system;
mod violates;
mod walk;
mod word;

#[cfg(test)]
mod tests;

use crate::run::Section;
use std::fmt;
use std::sync::Arc;

use spds_format::Automaton;
use spds_format::model::{ControlId, SymbolId};

use crate::ltl::Violations;
use crate::options::Runs;

use word::{Word, WordItem};

pub use ending::failure;
pub use judge::{judge, left_open};
#[cfg(not(feature = "whole"))]
pub use member::{Configuration, contains};
pub use observed::{Observed, Seen, SeenCall, SeenValue};
pub use simulate::{Decided, Now, Simulation, Sought, Unset};
pub use walk::walk;

/// Whether the word that has these letters, and then for ever those, violates a property; each letter says of the propositions of the
/// formula, or of the automaton if there is none, whether they hold.
pub fn is_violation(stem: Vec<Box<[bool]>>, cycle: Vec<Box<[bool]>>, violations: &Violations) -> bool {
    let mut word = Word::default();
    let mut items = |letters: Vec<Box<[bool]>>| -> Vec<WordItem> {
        letters.into_iter().map(|letter| WordItem { letter: Some(word.letter(letter)), call: None }).collect()
    };
    let (stem, cycle) = (items(stem), items(cycle));
    (word.stem, word.cycle) = (stem, cycle);
    violates::violated(&word, violations)
}

/// What a run is said to show.
#[derive(Clone, Debug)]
pub enum Claim {
    /// It ends at one of these heads (`None` is any control location): its ending is `Reached`.
    Reaches(Vec<(Option<ControlId>, SymbolId)>),
    /// It ends in one of these configurations, stack and all: its ending is `Reached`.
    Belongs(Arc<Automaton>),
    /// It ends at an assertion that can fail there, by a rule to `@fail`: its ending is `Failed`.
    Fails,
    /// It is a whole run and ends as its own ending says: `Failed`, `Terminated`, `Stuck` or `Loop`.
    #[cfg_attr(feature = "whole", expect(dead_code, reason = "tests say it of runs that show nothing else"))]
    Whole,
    /// It goes on for ever, and not after the end of the program: its ending is `Loop`.
    Infinite,
    /// It is a whole run, it counts under the reading of `runs`, and it does what must not be done.
    ///
    /// A property given as a formula is judged by the formula itself, never by its automaton. The word of a run has one
    /// letter for each configuration that is not hidden. A run that terminates goes on for ever with the letter of `@end`
    /// on top, after the globals that the last return leaves; one that fails, with that of `@fail`. If there are several
    /// such returns or failures, one that makes the run a violation is enough. The last configuration of a run that is
    /// stuck is repeated for ever, from the first time on with `@stuck`.
    Violates {
        /// What must not be done.
        violations: Arc<Violations>,
        /// Which runs count.
        runs: Runs,
    },
}

/// How much of an accepted run was walked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replayed {
    /// All of it.
    Full,
    /// All but leaps longer than the limit.
    ExceptLeaps,
}

impl Replayed {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Replayed::Full => "full",
            Replayed::ExceptLeaps => "except leaps",
        }
    }
}

/// What became of a recorded trace to which there is no objection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walked {
    /// There is a run that looks like it.
    Real(Replayed),
    /// Too many states fit what was recorded; the limit was met first.
    Undecided,
}

/// Why a run is not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objection {
    /// The step objected to, or from which there is no way to the next; `None` for the run as a whole.
    pub at: Option<(Section, usize)>,
    /// The reason in words.
    pub why: String,
}

impl fmt::Display for Objection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            None => {}
            Some((Section::Stem, step)) => write!(f, "stem[{step}]: ")?,
            Some((Section::Cycle, step)) => write!(f, "cycle[{step}]: ")?,
            Some((Section::Call(call), step)) => write!(f, "calls[{call}].steps[{step}]: ")?,
        }
        f.write_str(&self.why)
    }
}

impl std::error::Error for Objection {}
