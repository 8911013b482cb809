//! Runs of a system, concrete and hierarchical: what a search hands to the judge and to the reports.
//!
//! A run can be exponentially long, so it is folded: the part of a call that returns is stored once and shared by equal
//! calls. Every configuration of the run is there in full, hidden ones (those in which a silent rule is taken) too.

use std::rc::Rc;

use serde::{Serialize, Serializer};
use spds_format::model::{ControlId, FrameId, SymbolId, Var};

use crate::limits::Stop;

/// The values of a list of variables: one number per scalar cell, in the order of declaration, arrays cell by cell;
/// Booleans as 0 and 1.
pub type Values = Rc<[u64]>;

/// A configuration as far as a run shows it: control location, topmost symbol, and the values in scope.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Config {
    /// The control location.
    #[serde(serialize_with = "control")]
    pub control: ControlId,
    /// The topmost stack symbol: the statement about to be executed.
    #[serde(serialize_with = "symbol")]
    pub symbol: SymbolId,
    /// All globals, hidden registers included.
    #[serde(serialize_with = "values")]
    pub globals: Values,
    /// The locals of the symbol's frame.
    #[serde(serialize_with = "values")]
    pub locals: Values,
}

/// An arbitrary value for which a run of a C program asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Input {
    /// The function that returns it, or what else it is; none where it is a value that nobody has assigned, or an argument of the
    /// first procedure.
    pub from: Option<String>,
    /// In that case, the variable or the part of it, as C writes it, if it has a name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variable: Option<String>,
    /// The file in which it is asked for.
    pub file: String,
    /// The line, counted from 1.
    pub line: u32,
    /// The column, counted from 1, in characters.
    pub column: u32,
    /// The value; of a pointer 0 for NULL and 1 for any other.
    pub value: i128,
}

/// States of a C program from each of which a run goes on to one of them again: those that satisfy a condition where a line is next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Recurrent {
    /// Its file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The function.
    pub procedure: String,
    /// The condition, in C's notation; sums are what is left of them in their types.
    pub condition: String,
}

impl Recurrent {
    /// What readers are told of how the run goes on.
    pub fn sentence(&self) -> String {
        let line = self.line;
        match &*self.condition {
            "1" => format!("and so on for ever: from line {line} to line {line} again, whatever holds there"),
            condition => format!("and so on for ever: whenever {condition} holds at line {line}, it does again later"),
        }
    }
}

/// Something on which every verdict about a program rests, and that nobody has verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trusted {
    /// `attribute`. The codes are a promise to scripts.
    pub code: &'static str,
    /// The sentence for readers.
    pub text: String,
}

/// A list of steps of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    /// [`Run::stem`]
    Stem,
    /// [`Run::cycle`]
    Cycle,
    /// An entry of [`Run::calls`].
    Call(usize),
}

/// How a run goes on from a configuration to the next one listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Then {
    /// By one rule, which may be a call that is not folded, a return, or silent; or not at all, at the end of the list.
    Step,
    /// By a call that returns, whose part is this entry of [`Run::calls`]. The next configuration listed is the one
    /// right after the return.
    Call(usize),
    /// By this many turns of one loop at once: the next configuration listed is that after the last turn.
    Leap(u64),
}

/// One item of a run.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Step {
    /// The configuration.
    pub config: Config,
    /// Frames below it: on the stack of the whole run in a stem or cycle, below the call's entry in a [`Call`].
    pub depth: u32,
    /// How it goes on.
    pub then: Then,
}

/// The part of a call from the callee's first configuration to the one whose rule returns.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Call {
    /// The procedure called.
    #[serde(serialize_with = "frame")]
    pub procedure: Option<FrameId>,
    /// Its configurations; never empty, the first at depth 0, the last (also at depth 0) the one that pops.
    pub steps: Vec<Step>,
}

/// How a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// The last step is at the label asked for.
    Reached,
    /// The last step is the failing assert.
    Failed,
    /// The last step is the entry procedure's return.
    Terminated,
    /// The last step has no successor.
    Stuck,
    /// The cycle repeats for ever.
    Loop,
}

/// A run of a system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Run {
    /// From the start on.
    pub stem: Vec<Step>,
    /// What then repeats for ever; its first configuration follows its last one (with the same globals and top-frame
    /// values), possibly on a higher stack.
    pub cycle: Option<Vec<Step>>,
    /// The variables in scope where the cycle begins that have the same values after each turn; the others may differ, and
    /// nothing in the cycle depends on them. `None`: all are the same.
    #[serde(serialize_with = "variables")]
    pub closes_on: Option<Vec<Var>>,
    /// Parts of folded calls. An entry refers only to entries before it.
    pub calls: Vec<Call>,
    /// How it ends.
    pub ending: Ending,
}

/// Why there is no run to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoRun {
    /// A limit was met while looking for it.
    Stopped(Stop),
    /// It has more items than were asked for.
    TooLong(Overflow),
}

/// A run with more items than this many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overflow(pub u64);

impl From<Stop> for NoRun {
    fn from(stop: Stop) -> Self {
        NoRun::Stopped(stop)
    }
}

// What the model numbers is written as its number.

fn control<S: Serializer>(control: &ControlId, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u32(control.0)
}

fn symbol<S: Serializer>(symbol: &SymbolId, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u32(symbol.0)
}

fn frame<S: Serializer>(frame: &Option<FrameId>, serializer: S) -> Result<S::Ok, S::Error> {
    frame.map(|frame| frame.0).serialize(serializer)
}

fn variables<S: Serializer>(variables: &Option<Vec<Var>>, serializer: S) -> Result<S::Ok, S::Error> {
    let named = |var: &Var| match *var {
        Var::Global(index) => ("global", index),
        Var::Local(index) => ("local", index),
    };
    variables.as_ref().map(|all| all.iter().map(named).collect::<Vec<_>>()).serialize(serializer)
}

fn values<S: Serializer>(values: &Values, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(values.iter())
}
