//! A recorded trace: what a user sees of a run.
//!
//! Hidden configurations and hidden registers are not in it; control locations and the names of stack symbols only where the
//! input itself names them.

use crate::run::{Ending, Then};

/// A value as a trace shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeenValue {
    /// Of a `bool`.
    Bool(bool),
    /// Of an integer.
    Number(u64),
    /// Of an array, from its first index on.
    Array(Vec<SeenValue>),
}

/// What is seen of one configuration. What is `None`, or not among the values, may be anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The name of the source file.
    pub file: Option<String>,
    /// The line on which the statement begins.
    pub line: Option<u32>,
    /// The procedure: the name of the frame.
    pub procedure: Option<String>,
    /// The name of the control location.
    pub control: Option<String>,
    /// The name of the stack symbol.
    pub symbol: Option<String>,
    /// All labels of the statement, in any order.
    pub labels: Option<Vec<String>>,
    /// Frames below, as in [`crate::run::Step::depth`].
    pub depth: Option<u32>,
    /// Values of variables in scope by name; `::g` is the global `g` where a local of that name hides it.
    pub values: Vec<(String, SeenValue)>,
    /// How the run goes on.
    pub then: Then,
}

/// What is seen of the part of a folded call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenCall {
    /// The procedure called.
    pub procedure: Option<String>,
    /// From its first configuration to the one that returns.
    pub steps: Vec<Seen>,
}

/// A recorded trace; the parts are as in [`crate::run::Run`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observed {
    /// From the start on.
    pub stem: Vec<Seen>,
    /// What then repeats for ever.
    pub cycle: Option<Vec<Seen>>,
    /// The names of the variables that are the same after each turn; `None` if all are.
    pub closes_on: Option<Vec<String>>,
    /// Parts of folded calls; an entry refers only to entries before it.
    pub calls: Vec<SeenCall>,
    /// How it ends.
    pub ending: Ending,
}
