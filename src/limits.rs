//! Limits on a computation, and running into one: an answer (`unknown`) with its reason, never a crash.

use std::fmt;
use std::time::Instant;

/// What a computation may use.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Stop at this moment.
    pub deadline: Option<Instant>,
    /// Stop before the process holds more than about this many bytes.
    pub memory: Option<u64>,
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
            Stop::Formula => "an exact formula would have more than twenty million operations",
            Stop::Width => "too many bits of state for this engine",
            Stop::Patience => "more work than an attempt was worth",
        })
    }
}

impl std::error::Error for Stop {}
