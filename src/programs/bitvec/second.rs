//! Another solver, asked what was decided here: a differential check that users can switch on.

use std::cell::{Cell, RefCell};
use std::fmt;

use super::answer::Answer;
use super::smt::script;
use super::term::{Term, Terms};

/// What a solver says of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Said {
    /// It can be.
    Sat,
    /// It cannot.
    Unsat,
    /// It does not know.
    Unknown,
}

/// How a solver is asked: it gets an SMT-LIB script with one `check-sat`, and may fail.
type Ask = dyn Fn(&str) -> Result<Said, String>;

/// What was asked, and what came of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Opinions {
    /// Queries that both decided alike.
    pub agreed: u64,
    /// Queries that one of them, or both, gave up.
    pub undecided: u64,
}

impl fmt::Display for Opinions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} agreed, {} undecided", self.agreed, self.undecided)
    }
}

/// A second solver. Once it has contradicted, or failed, it is asked no more, and what came of it says [`SecondOpinion::opinions`].
pub struct SecondOpinion {
    ask: Box<Ask>,
    opinions: Cell<Opinions>,
    objection: RefCell<Option<String>>,
}

impl SecondOpinion {
    /// By a function that asks it.
    pub fn new(ask: impl Fn(&str) -> Result<Said, String> + 'static) -> SecondOpinion {
        SecondOpinion { ask: Box::new(ask), opinions: Cell::default(), objection: RefCell::default() }
    }

    /// What came of it.
    ///
    /// # Errors
    /// What it objects to, with the script, or why it could not be asked.
    pub fn opinions(&self) -> Result<Opinions, String> {
        match &*self.objection.borrow() {
            Some(objection) => Err(objection.clone()),
            None => Ok(self.opinions.get()),
        }
    }

    /// What is known once it has been asked: nothing, where it contradicts. Of what cannot be, it is asked about the core.
    pub(super) fn confirmed(&self, terms: &Terms, conditions: &[Term], answer: Answer) -> Answer {
        if self.objection.borrow().is_some() {
            return answer;
        }
        let (ours, asked) = match &answer {
            Answer::Sat(_) => (Said::Sat, conditions.to_vec()),
            Answer::Unsat(core) => (Said::Unsat, core.iter().map(|&at| conditions[at]).collect()),
            Answer::Unknown => (Said::Unknown, conditions.to_vec()),
        };
        let script = script(terms, &asked);
        let mut opinions = self.opinions.get();
        match (self.ask)(&script) {
            Err(why) => *self.objection.borrow_mut() = Some(why),
            Ok(theirs) if theirs == Said::Unknown || ours == Said::Unknown => opinions.undecided += 1,
            Ok(theirs) if theirs == ours => opinions.agreed += 1,
            Ok(theirs) => {
                let objection = format!("solvers disagree: {ours:?} here, {theirs:?} there, about\n{script}");
                *self.objection.borrow_mut() = Some(objection);
                return Answer::Unknown;
            }
        }
        self.opinions.set(opinions);
        answer
    }
}
