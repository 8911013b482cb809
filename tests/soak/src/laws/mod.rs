//! The laws: what must be so whatever the input, each with a way to draw cases.

mod automata;
mod c;
mod calls;
mod corners;
mod formulas;
mod heights;
mod influence;
mod notations;
mod places;
mod positive;
mod reading;
mod remopla;
mod runs;
mod sets;
mod words;

use fastrand::Rng;

use crate::case::Case;

/// What must be so.
pub struct Law {
    pub name: &'static str,
    /// In words.
    pub says: &'static str,
    pub kind: Kind,
    /// How often it is asked, in comparison with the others.
    pub weight: u32,
    /// A random case.
    pub draw: fn(&mut Rng) -> Case,
    /// How many answers were compared, or what is wrong with one.
    pub holds: fn(&Case) -> Result<u64, String>,
}

/// What a check of the law is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An answer compared with what something independent says.
    Answer,
    /// A text given to a reader.
    Reading,
}

/// All of them.
pub fn all() -> Vec<&'static Law> {
    const ANSWERS: &[&Law] = &[
        &places::SYSTEMS,
        &places::PROGRAMS,
        &formulas::SYSTEMS,
        &formulas::PROGRAMS,
        &automata::SYSTEMS,
        &positive::CERTIFIED,
        &positive::PLACES,
        &positive::FORMULAS,
        &remopla::LOOPS,
        &remopla::PROGRAMS,
        &sets::REACHED,
        &sets::HEADS,
        &sets::TOLD,
        &sets::TOLD_OF_PROGRAMS,
        &runs::JUDGE,
        &heights::SYSTEMS,
        &heights::PROGRAMS,
        &words::WORDS,
        &calls::TOGETHER,
        &calls::ASSUMED,
        &calls::BEGUN,
        &notations::SYSTEMS,
        &notations::PROGRAMS,
        &notations::RELATIONS,
        &influence::ON_OR_OFF,
        &influence::ROTATIONS,
        &influence::FIXPOINTS,
        &influence::CHANGED,
        &influence::CHAINS,
        &c::VERDICTS,
        &corners::SHAPES,
        &corners::ABSTRACTIONS,
        &corners::ORDERS,
        &corners::DECLARATIONS,
    ];
    [ANSWERS, reading::ALL].concat()
}

/// The law with that name.
pub fn named(name: &str) -> Option<&'static Law> {
    all().into_iter().find(|law| law.name == name)
}
