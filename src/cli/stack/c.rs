//! `puch stack` of C programs.

use puch::limits::Limits;
use puch::stack::{Height, Why};

use super::Found;
use crate::cli::Failure;
use crate::cli::args::{CArgs, InputArgs, StackArgs};
use crate::cli::c_input::CInput;
use crate::cli::guard::Gate;

/// What is meant by what was typed.
pub struct Job {
    /// The program; its entry is to be said.
    input: CInput,
    limits: Limits,
}

impl Job {
    /// What is meant.
    pub fn meant(args: StackArgs, limits: Limits) -> Result<Job, Failure> {
        let files = std::iter::once(args.input.file).chain(args.further).collect();
        let InputArgs { input_format, define, .. } = args.input;
        let input = CInput::meant(CArgs { files, input_format, reading: args.c.reading, entry: None, define })?;
        Ok(Job { input, limits })
    }

    /// What is known of each of these entries.
    pub fn done(self, entries: &[String], gate: &Gate) -> Result<Found, Failure> {
        gate.stage("reading");
        let _ = (self.input.load()?, self.limits);
        let why = || Why { sentence: "stacks of C programs are not measured yet".into(), kind: "unsupported" };
        let heights = entries.iter().map(|entry| Height::unknown(entry.clone(), why())).collect();
        Ok(Found { heights, ..Found::default() })
    }
}
