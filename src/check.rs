//! The pipeline as one function: a system and properties in, answers out.

use spds_format::model::{ControlId, SymbolId};

pub use crate::options::{Engine, Options, Order, Switch, TraceWish};
use crate::run::Run;

/// A question about a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Property {
    /// Does some run come to one of these places?
    Reach(Vec<Target>),
    /// Does no assertion fail: is the symbol `@fail` unreachable?
    Assertions,
}

/// A place that runs may come to: a topmost symbol, under any control location or under one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target {
    /// The control location; `None` is any.
    pub control: Option<ControlId>,
    /// The topmost symbol.
    pub symbol: SymbolId,
}

/// What is known of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Some run comes there.
    Reachable,
    /// No run does.
    Unreachable,
    /// Every run satisfies it.
    Holds,
    /// Some run does not.
    Violated,
    /// A limit was met first.
    Unknown,
}

/// How much of a trace the judge walked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replayed {
    /// All of it.
    Full,
    /// All but leaps longer than the limit.
    ExceptLeaps,
}

/// A run that witnesses a verdict, accepted by the judge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The run.
    pub run: Run,
    /// How much of it the judge walked.
    pub replayed: Replayed,
}

/// The answer to one property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The verdict.
    pub verdict: Verdict,
    /// Why the verdict is unknown.
    pub reason: Option<String>,
    /// The witness, if there is one and it was wanted.
    pub trace: Option<Trace>,
    /// Why there is no trace although one was wanted and the verdict calls for one.
    pub trace_omitted: Option<String>,
}

/// Sizes and times of a computation, for `--stats` and benches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stats {
    /// Named figures in the order in which they were taken.
    pub figures: Vec<(&'static str, f64)>,
}

/// All answers, in the order of the properties.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// One for each property.
    pub answers: Vec<Answer>,
    /// What was measured.
    pub stats: Stats,
}

/// Why there are no answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckError {
    /// The judge rejected a run that the search found: a defect of puch. The text says what it objects to.
    WitnessRejected(String),
}

impl std::fmt::Display for CheckError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CheckError::WitnessRejected(objection) => {
                write!(
                    f,
                    "internal error: the search found a run that its judge rejects ({objection}); please report this"
                )
            }
        }
    }
}

impl std::error::Error for CheckError {}
