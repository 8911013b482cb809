//! The pipeline as one function: a system and properties in, answers out.

use spds_format::model::{ControlId, SymbolId};

use crate::limits::Limits;
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

/// Which BDD engine does the work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// biodivine first; OxiDD from the start when the work gets large (decided deterministically).
    #[default]
    Auto,
    /// biodivine-lib-bdd.
    Biodivine,
    /// OxiDD.
    Oxidd,
}

/// How the bits of variables are ordered in relations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Locals above globals, each group arranged by FORCE so that variables that meet lie together.
    #[default]
    Force,
    /// Locals above globals, each group as declared.
    Declared,
}

/// Which trace is wanted for a property that is reachable or violated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TraceWish {
    /// None: only the verdict.
    None,
    /// Some real run.
    Any,
    /// One with the fewest steps when a call that returns counts as one.
    #[default]
    Shortest,
}

/// An optimisation, on unless switched off; never changes an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Switch {
    /// In use.
    #[default]
    On,
    /// Not in use.
    Off,
}

/// How to go about it.
#[derive(Clone, Debug)]
pub struct Options {
    /// The BDD engine.
    pub engine: Engine,
    /// The variable order.
    pub order: Order,
    /// The trace wanted.
    pub trace: TraceWish,
    /// Entry tags and summaries mention only globals that the callee reads or writes (MOD/REF).
    pub modref: Switch,
    /// Forget dead variables (live ranges).
    pub live: Switch,
    /// Keep sets only where control can come round or together (blocks).
    pub blocks: Switch,
    /// Leave out control that cannot reach any query (slicing).
    pub slice: Switch,
    /// Time and memory.
    pub limits: Limits,
    /// A trace with more items than this is left out as a whole.
    pub trace_steps: u64,
    /// Leaps of more steps in total than this are not walked by the judge.
    pub replay_steps: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            engine: Engine::default(),
            order: Order::default(),
            trace: TraceWish::default(),
            modref: Switch::On,
            live: Switch::On,
            blocks: Switch::On,
            slice: Switch::On,
            limits: Limits::default(),
            trace_steps: 1_000_000,
            replay_steps: 10_000_000,
        }
    }
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
