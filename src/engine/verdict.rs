//! What is known of a property: one type for systems and C programs, whatever shows that there is a run.

use std::fmt;

use serde::Serialize;

use crate::limits::{Reason, Stop};

/// What is known of a property: `R` shows that there is a run, `W` why nothing is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict<R, W> {
    /// Some run comes there: this one.
    Reachable(R),
    /// No run does.
    Unreachable,
    /// Every run satisfies it.
    Holds,
    /// Some run does not: this one.
    Violated(R),
    /// It is not known, because of this.
    Unknown(W),
}

/// Why something is not known, as readers and scripts are told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Why {
    /// A sentence.
    #[serde(rename = "reason")]
    pub sentence: String,
    /// The word by which scripts know it: `timeout`, `memory`, `rounds`, `havoc`, `abstraction`, …
    pub kind: &'static str,
}

impl From<Reason> for Why {
    fn from(reason: Reason) -> Why {
        Why { sentence: reason.to_string(), kind: reason.kind() }
    }
}

impl From<Stop> for Why {
    fn from(stop: Stop) -> Why {
        Reason::from(stop).into()
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

impl<R, W> Verdict<R, W> {
    /// Its name in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Reachable(_) => "reachable",
            Verdict::Unreachable => "unreachable",
            Verdict::Holds => "holds",
            Verdict::Violated(_) => "violated",
            Verdict::Unknown(_) => "unknown",
        }
    }

    /// Whether it says that there is a run.
    pub fn claims_run(&self) -> bool {
        self.run().is_some()
    }

    /// Whether it says that there is none.
    pub fn excludes_run(&self) -> bool {
        matches!(self, Verdict::Holds | Verdict::Unreachable)
    }

    /// What shows that there is a run.
    pub fn run(&self) -> Option<&R> {
        match self {
            Verdict::Reachable(run) | Verdict::Violated(run) => Some(run),
            Verdict::Unreachable | Verdict::Holds | Verdict::Unknown(_) => None,
        }
    }

    /// The same, to be changed.
    pub fn run_mut(&mut self) -> Option<&mut R> {
        match self {
            Verdict::Reachable(run) | Verdict::Violated(run) => Some(run),
            Verdict::Unreachable | Verdict::Holds | Verdict::Unknown(_) => None,
        }
    }

    /// Why nothing is known.
    pub fn unknown(&self) -> Option<&W> {
        match self {
            Verdict::Unknown(why) => Some(why),
            _ => None,
        }
    }

    /// The same by references.
    pub fn as_ref(&self) -> Verdict<&R, &W> {
        match self {
            Verdict::Reachable(run) => Verdict::Reachable(run),
            Verdict::Unreachable => Verdict::Unreachable,
            Verdict::Holds => Verdict::Holds,
            Verdict::Violated(run) => Verdict::Violated(run),
            Verdict::Unknown(why) => Verdict::Unknown(why),
        }
    }

    /// The same with something else that shows it, and another form of why it is unknown.
    pub fn map<S, X>(self, run: impl FnOnce(R) -> S, why: impl FnOnce(W) -> X) -> Verdict<S, X> {
        match self {
            Verdict::Reachable(shown) => Verdict::Reachable(run(shown)),
            Verdict::Unreachable => Verdict::Unreachable,
            Verdict::Holds => Verdict::Holds,
            Verdict::Violated(shown) => Verdict::Violated(run(shown)),
            Verdict::Unknown(unknown) => Verdict::Unknown(why(unknown)),
        }
    }

    /// The same of a question whether some run comes to a place, which is violated by those that do.
    pub fn of_places(self) -> Verdict<R, W> {
        match self {
            Verdict::Holds => Verdict::Unreachable,
            Verdict::Violated(run) => Verdict::Reachable(run),
            other => other,
        }
    }
}
