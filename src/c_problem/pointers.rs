//! What is known of each use of a pointer, as data.

use serde::Serialize;

use super::answer::Step;
use crate::c::Program;
use crate::nullness::{self, Dereference, Trace};

/// A use of a pointer that needs an object, and what is known of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PointerUse {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The column of the statement.
    pub column: u32,
    /// The function.
    pub function: String,
    /// The pointer, in C.
    pub pointer: String,
    /// Whether it can be NULL there.
    pub nullness: Nullness,
}

/// Whether a pointer can be NULL where it is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Nullness {
    /// In no run that has done nothing undefined before. Whether the object is still there, or large enough, is not asked.
    Safe {
        /// What excludes it, as a sentence.
        why: String,
    },
    /// In this run, which was executed.
    Null(NullRun),
    /// It is not known.
    Unknown {
        /// Why, as a sentence.
        reason: String,
        /// Why, as a word: `timeout`, `memory`, `abstraction`, …
        kind: &'static str,
    },
}

/// A run that ends where NULL is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NullRun {
    /// The arbitrary values for which it asks, in order: of a pointer 0 for NULL, 1 where an allocation fails, else numbers.
    pub inputs: Vec<i128>,
    /// Its statements; of calls that have returned only the call.
    pub steps: Vec<Step>,
    /// Of a long run: before which of the steps some are left out, and how many.
    pub left_out: Option<(usize, u64)>,
}

/// Uses as data.
pub(super) fn told(program: &Program, found: Vec<Dereference>) -> Vec<PointerUse> {
    let told = |one: Dereference| PointerUse {
        file: program.file(one.place).to_owned(),
        line: one.place.line,
        column: one.place.column,
        nullness: match (one.verdict, one.trace) {
            (nullness::Verdict::Safe, _) => Nullness::Safe { why: one.why.to_string() },
            (nullness::Verdict::Null, trace) => Nullness::Null(run(program, trace.unwrap_or_default())),
            (nullness::Verdict::Unknown, _) => {
                Nullness::Unknown { reason: one.why.to_string(), kind: one.why.kind().unwrap_or_default() }
            }
        },
        function: one.procedure,
        pointer: one.expression,
    };
    found.into_iter().map(told).collect()
}

fn run(program: &Program, Trace { inputs, steps, left_out }: Trace) -> NullRun {
    let step = |one: nullness::Step| Step {
        file: program.file(one.place).to_owned(),
        line: one.place.line,
        function: one.procedure,
        depth: one.depth as u64,
        text: one.text,
    };
    let left_out = left_out.map(|left_out| (left_out.at, left_out.count));
    NullRun { inputs, steps: steps.into_iter().map(step).collect(), left_out }
}
