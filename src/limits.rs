//! Limits on a computation, and running into one: an answer (`unknown`) with its reason, never a crash.

use std::fmt;
use std::time::Instant;

use serde::Serialize;

/// What a computation may use.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Stop at this moment.
    pub deadline: Option<Instant>,
    /// Stop before the process holds more than about this many bytes.
    pub memory: Option<u64>,
}

impl Limits {
    /// Whether the deadline has passed.
    pub fn is_late(&self) -> bool {
        has_passed(self.deadline)
    }
}

/// Whether a moment, if there is one, has passed.
pub(crate) fn has_passed(moment: Option<Instant>) -> bool {
    moment.is_some_and(|moment| Instant::now() >= moment)
}

/// The one clock, for what is measured. Where the platform has none (WebAssembly without a system) no time passes; there
/// nobody can name a moment either, so that there are no deadlines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock(Option<Instant>);

impl Clock {
    /// It begins to run.
    pub(crate) fn start() -> Clock {
        let none = cfg!(all(target_family = "wasm", target_os = "unknown"));
        Clock(if none { None } else { Some(Instant::now()) })
    }

    /// How long it has been running.
    pub(crate) fn seconds(self) -> f64 {
        self.0.map_or(0.0, |began| began.elapsed().as_secs_f64())
    }
}

/// Why a computation stopped before it knew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The deadline passed.
    Timeout,
    /// The memory limit was met.
    Memory,
    /// The engine did more work than it is good at (deterministic); another engine should start over.
    Work,
    /// As much work was done as was allowed (deterministic).
    Allowance,
    /// Somebody asked for it.
    Interrupt,
    /// A formula that says exactly what is known would be longer than any that is written.
    Formula,
    /// More BDD variables than the engine can number.
    Width,
    /// An attempt took more work than it was worth; something else is tried. Never the reason of an answer.
    Patience,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stop::Timeout => "time limit reached",
            Stop::Memory => "memory limit reached",
            Stop::Work => "work limit of the engine reached",
            Stop::Allowance => "work limit reached",
            Stop::Interrupt => "interrupted",
            Stop::Formula => "an exact formula would have more than twenty million operations",
            Stop::Width => "too many bits of state for this engine",
            Stop::Patience => "more work than an attempt was worth",
        })
    }
}

impl std::error::Error for Stop {}

/// Why something is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Reason {
    /// The deadline passed.
    Timeout,
    /// The memory limit was met.
    Memory,
    /// The engine that was asked for cannot number so many bits.
    Width,
    /// A formula that says exactly what is known would be longer than any that is written.
    Formula,
    /// More work than what is unknown was worth.
    Work,
    /// Somebody asked for it.
    Interrupt,
    /// Under `--runs stutter`: a return is refused by what its caller demands.
    Return,
    /// An abstraction does so, and whether the program does was not decided.
    Abstraction,
}

impl Reason {
    /// The word by which scripts know it.
    pub fn kind(self) -> &'static str {
        match self {
            Reason::Timeout => "timeout",
            Reason::Memory => "memory",
            Reason::Width => "width",
            Reason::Formula => "formula",
            Reason::Work => "work",
            Reason::Interrupt => "interrupt",
            Reason::Return => "return",
            Reason::Abstraction => "abstraction",
        }
    }
}

impl From<Stop> for Reason {
    fn from(stop: Stop) -> Reason {
        match stop {
            Stop::Timeout => Reason::Timeout,
            Stop::Memory => Reason::Memory,
            Stop::Width => Reason::Width,
            Stop::Formula => Reason::Formula,
            Stop::Work | Stop::Patience | Stop::Allowance => Reason::Work,
            Stop::Interrupt => Reason::Interrupt,
        }
    }
}

/// A sentence.
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Timeout => Stop::Timeout.fmt(f),
            Reason::Memory => Stop::Memory.fmt(f),
            Reason::Width => Stop::Width.fmt(f),
            Reason::Formula => Stop::Formula.fmt(f),
            Reason::Work => Stop::Allowance.fmt(f),
            Reason::Interrupt => Stop::Interrupt.fmt(f),
            Reason::Abstraction => f.write_str("only on the abstraction"),
            Reason::Return => f.write_str(
                "a return is refused by what its caller demands, and whether the run is stuck there is not decided",
            ),
        }
    }
}
