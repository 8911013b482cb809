//! `puch stack` of C programs.

use puch::stack::{Height, Why};

use super::Found;
use crate::cli::Failure;
use crate::cli::args::{CArgs, InputArgs, StackArgs};
use crate::cli::c_input::CInput;
use crate::cli::guard::Gate;

/// What is meant by what was typed: a program, which is read.
pub struct Job(CInput);

impl Job {
    /// What is meant.
    pub fn meant(args: StackArgs) -> Result<Job, Failure> {
        let files = std::iter::once(args.input.file).chain(args.further).collect();
        let InputArgs { input_format, define, .. } = args.input;
        let reading = CArgs { files, input_format, reading: args.c.reading, entry: None, define };
        Ok(Job(CInput::meant(reading)?))
    }

    /// That nothing is known of these entries.
    pub fn done(self, entries: &[String], gate: &Gate) -> Result<Found, Failure> {
        gate.stage("reading");
        self.0.load()?;
        let why = || Why { sentence: "stack bounds of C programs are not there yet".into(), kind: "unsupported" };
        let heights = entries.iter().map(|entry| Height::unknown(entry.clone(), why())).collect();
        Ok(Found { heights, ..Found::default() })
    }
}
