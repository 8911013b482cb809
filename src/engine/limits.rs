//! Limits on a computation, and running into one: an answer (`unknown`) with its reason, never a crash.

use std::fmt;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};
use std::time::Instant;

use serde::Serialize;

/// What a computation may use.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Stop at this moment.
    pub deadline: Option<Instant>,
    /// Stop before the process holds more than about this many bytes.
    pub memory: Option<u64>,
    /// Stop when somebody rings it.
    pub bell: Option<&'static Bell>,
}

impl Limits {
    /// None.
    pub const NONE: Limits = Limits { deadline: None, memory: None, bell: None };

    /// Why a computation is to stop now: somebody has rung, or the deadline has passed.
    pub fn met(&self) -> Option<Stop> {
        let late = || self.deadline.is_some_and(|deadline| Instant::now() >= deadline).then_some(Stop::Timeout);
        self.bell.and_then(Bell::rung).or_else(late)
    }

    /// The same as an error.
    ///
    /// # Errors
    /// If there is a reason.
    pub fn check(&self) -> Result<(), Stop> {
        self.met().map_or(Ok(()), Err)
    }
}

/// By which somebody outside stops a computation, from another thread or from a signal handler: whoever computes within
/// limits that have it hears it where the clock is looked at.
#[derive(Debug, Default)]
pub struct Bell {
    /// Why it was rung; 0 before.
    code: AtomicU8,
    /// How many times it is still listened to before it rings by itself; 0 if never.
    left: AtomicU32,
}

impl Bell {
    /// Silent.
    pub const fn new() -> Bell {
        Bell::after(0)
    }

    /// One that rings by itself ([`Stop::Interrupt`]) when it was listened to so many times, if that is not 0: a computation that hears it
    /// stops at the same point each time.
    pub const fn after(times: u32) -> Bell {
        Bell { code: AtomicU8::new(0), left: AtomicU32::new(times) }
    }

    /// Asks for a stop, because of this. The first reason counts; there is no way back.
    pub fn ring(&self, why: Stop) {
        let code = RUNG.iter().position(|known| *known == why).unwrap_or(0) as u8 + 1;
        // It was rung before.
        let _ = self.code.compare_exchange(0, code, Ordering::SeqCst, Ordering::SeqCst);
    }

    /// Why to stop, if it was rung.
    pub fn rung(&self) -> Option<Stop> {
        if self.left.load(Ordering::Relaxed) > 0 && self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.ring(Stop::Interrupt);
        }
        RUNG.get(usize::from(self.code.load(Ordering::Relaxed)).wrapping_sub(1)).copied()
    }
}

/// For what a bell is rung; for anything else it means the first.
const RUNG: [Stop; 3] = [Stop::Interrupt, Stop::Memory, Stop::Timeout];

/// Steps that are counted one by one, outside relations: no more than are allowed, and limits are looked at on the way.
#[derive(Clone, Debug)]
pub struct Tally {
    limits: Limits,
    left: u64,
    /// Steps until limits are looked at again.
    until: u64,
}

/// So many steps are taken between two looks at limits.
const STEPS: u64 = 1 << 14;

impl Tally {
    /// So many steps are allowed; any number if that is not said.
    pub fn new(limits: &Limits, allowed: Option<u64>) -> Tally {
        Tally { limits: *limits, left: allowed.unwrap_or(u64::MAX), until: 0 }
    }

    /// How many steps are left.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// Takes so many steps.
    ///
    /// # Errors
    /// If they are more than are left, or a limit is met.
    #[inline]
    pub fn take(&mut self, steps: u64) -> Result<(), Stop> {
        self.left = self.left.checked_sub(steps).ok_or(Stop::Allowance)?;
        match self.until.checked_sub(steps) {
            Some(until) => self.until = until,
            None => {
                self.until = STEPS;
                self.limits.check()?;
            }
        }
        Ok(())
    }
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
    /// Large operations took more work than an attempt is worth (deterministic); the search should start over.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bell_rings_once_and_for_one_reason() {
        static BELL: Bell = Bell::new();
        let limits = Limits { bell: Some(&BELL), ..Limits::NONE };
        assert_eq!(limits.met(), None);
        BELL.ring(Stop::Memory);
        BELL.ring(Stop::Interrupt);
        assert_eq!(limits.check(), Err(Stop::Memory));
    }

    #[test]
    fn who_rings_is_heard_before_the_clock() {
        static BELL: Bell = Bell::new();
        let late = Limits { deadline: Some(Instant::now()), ..Limits::NONE };
        assert_eq!(late.met(), Some(Stop::Timeout));
        BELL.ring(Stop::Interrupt);
        assert_eq!(Limits { bell: Some(&BELL), ..late }.met(), Some(Stop::Interrupt));
    }
}
