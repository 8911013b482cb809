//! `puch stack` of C programs.

use puch::c::program::Overflow;
use puch::limits::Limits;
use puch::refinement::height::{Options, height};

use super::Found;
use crate::cli::Failure;
use crate::cli::abstraction::overflow;
use crate::cli::args::{CArgs, InputArgs, StackArgs};
use crate::cli::c_input::CInput;
use crate::cli::guard::Gate;
use crate::cli::smt::Solving;

/// What is meant by what was typed.
pub struct Job {
    /// The program; its entry is to be said.
    input: CInput,
    solving: Solving,
    overflow: Overflow,
    limits: Limits,
}

impl Job {
    /// What is meant.
    pub fn meant(args: StackArgs, limits: Limits) -> Result<Job, Failure> {
        let files = std::iter::once(args.input.file).chain(args.further).collect();
        let InputArgs { input_format, define, .. } = args.input;
        let input = CInput::meant(CArgs { files, input_format, reading: args.c.reading, entry: None, define })?;
        let overflow = overflow(&args.c.predicates);
        let solving = Solving { second: args.c.predicates.smt, stats: args.stats };
        Ok(Job { input, solving, overflow, limits })
    }

    /// What is known of each of these entries.
    pub fn done(self, entries: &[String], gate: &Gate) -> Result<Found, Failure> {
        let bounds = self.solving.bounds(self.limits)?;
        let options = Options { overflow: self.overflow, bounds, limits: self.limits, ..Options::default() };
        let mut found = Found::default();
        for entry in entries {
            gate.stage("reading");
            let program = self.input.clone().entered(entry).load()?.program;
            gate.stage("searching");
            found.heights.push(height(&program, &options));
        }
        self.solving.concluded(&options.bounds)?;
        Ok(found)
    }
}
