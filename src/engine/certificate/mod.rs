//! Certificates: why no run comes to a place, written so that somebody else can check it.
//!
//! A certificate has *summaries*: for each head ⟨p,γ⟩ and each *tag* (the entry of a call, or a place in the start stack) a set
//! A of pairs (values at the entry, values now), and for each tag and control location a set S of pairs (values at the entry,
//! globals at the return). They are inductive if what every rule leads to from them is in them again; then they have everything
//! that can be reached in them, and a head whose sets are empty is reached by no run. `spds-format/CERTIFICATES.md` has the rules,
//! and the notation.
//!
//! Here is what a certificate is, and its text. Who makes one and who checks one share this and nothing else.

mod read;
pub mod words;
mod write;

pub use read::{Malformed, read, read_each, subjects};
pub use write::{about, fingerprint, quoted, write};

use spds_format::model::{ControlId, Head};

use crate::options::Runs;

/// How it is said which runs count.
const RUNS: [(Runs, &str); 3] = [(Runs::Maximal, "maximal"), (Runs::Infinite, "infinite"), (Runs::Stutter, "stutter")];

/// What a certificate is to show of a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The question.
    pub kind: Kind,
    /// The heads that no run comes to, ascending.
    pub targets: Vec<Head>,
}

/// The question that a claim answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// This place cannot be reached, as it was asked for.
    Reach(String),
    /// No configuration of a set can be reached from any of another one, as they were given.
    Between {
        /// Where runs begin.
        from: String,
        /// Where they do not come to.
        to: String,
    },
    /// No assertion fails.
    Assertions,
    /// There is no infinite run but those that rest at the end.
    Termination,
    /// Every run satisfies a formula.
    Formula {
        /// The formula, as it is read whatever tool it was written for.
        formula: String,
        /// Which runs count.
        runs: Runs,
    },
    /// No run is accepted by an automaton, which is not in the certificate: who checks it has to be given the same.
    Automaton {
        /// The name of its file, as it was given.
        name: String,
        /// The [`fingerprint`] of its text as it is told apart.
        about: u64,
        /// Which runs count.
        runs: Runs,
    },
}

impl Kind {
    /// Whether it is about a system that is watched: only marked steps count.
    pub fn is_watched(&self) -> bool {
        matches!(self, Kind::Formula { .. } | Kind::Automaton { .. })
    }

    /// As in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Kind::Reach(_) | Kind::Between { .. } => "reach",
            Kind::Assertions => "assertions",
            Kind::Termination => "termination",
            Kind::Formula { .. } | Kind::Automaton { .. } => "ltl",
        }
    }
}

/// In which part of a stack a configuration is on top.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tag {
    /// In what is left of the start stack when so many of its symbols are gone; nothing is known of values before.
    Start(u32),
    /// In a call that was entered here; the values at the entry are those of this head.
    Entry(Head),
}

/// Which of the two values of a bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Moment {
    /// That at the entry of the call.
    Entry,
    /// That in the configuration, or after the return.
    Now,
}

/// A set: 0 is the empty one, 1 the full one, and from 2 on they are the nodes of the certificate.
pub type Set = u32;

/// A decision: where a bit is true it is the one set, elsewhere the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// The moment at which the bit is looked at.
    pub moment: Moment,
    /// The bit: globals first, then the locals of whichever frame it is about.
    pub bit: u32,
    /// The set if it is true; before this node.
    pub high: Set,
    /// The set if it is false; before this node.
    pub low: Set,
}

/// A certificate for one claim. The default shows nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// The fingerprint of the text that it is about ([`about`]).
    pub about: u64,
    /// What it shows.
    pub claim: Claim,
    /// All bits in the order in which decisions had better look at them. Of no meaning.
    pub order: Vec<u32>,
    /// Decisions, operands before those that use them.
    pub nodes: Vec<Node>,
    /// A: what may be on top. What is not listed is empty.
    pub reached: Vec<(Tag, Head, Set)>,
    /// S: what may be after the return. What is not listed is empty.
    pub returned: Vec<(Tag, ControlId, Set)>,
    /// Heads through one of which each circle of control goes, in the order in which they are taken out: what is said of one is about runs that
    /// do not come to those before it.
    pub cuts: Vec<Head>,
    /// T: pairs of values at a cut, which is named first, and of values with which a run from there may come to a head. What is not
    /// listed is empty.
    pub again: Vec<(Head, Head, Set)>,
    /// H and R: heads that may be on top, whatever the values, each with the control locations in which what lies there may be gone. If there
    /// are any, the certificate is about control alone, and has none of the sets above.
    pub tops: Vec<(Head, Box<[ControlId]>)>,
}
