//! What shows an answer to others than puch: a run, or what is known where loops turn and where procedures begin.

use crate::limits::Stop;
use crate::options::Options;
use crate::source::Source;

use super::correctness::{Invariant, correctness, invariants, of_cut_points};
use super::decide::Answer;
use super::witness_file::{Witness, violation};
use super::{Execution, Onward, Proof};

/// A witness, and what it says of each place, if it is one of a program that holds.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The witness.
    pub witness: Witness,
    /// What is known.
    pub invariants: Vec<Invariant>,
}

/// What shows an answer; none if it is not known, or only a run that goes on for ever, or the way in which it was found has no witnesses.
///
/// # Errors
/// If a limit is met.
pub fn shown(answer: &Answer, sources: &[Source<'_>], options: &Options) -> Result<Option<Shown>, Stop> {
    let (program, outcome) = (&answer.program, &answer.outcome);
    let known = match (outcome.verdict.run(), &outcome.proof, &outcome.invariants, &outcome.held) {
        (Some(Execution { inputs, onward: Onward::Over, .. }), ..) => {
            let witness = violation(program, sources, answer.overflow, inputs);
            return Ok(Some(Shown { witness, invariants: Vec::new() }));
        }
        // Whoever executes it has the proof.
        (_, Proof::Executed(_), ..) => Vec::new(),
        (_, _, Some(shown), _) => of_cut_points(program, &shown.invariants, sources),
        (_, _, None, Some(held)) => invariants(program, held, sources, options)?,
        (_, _, None, None) => return Ok(None),
    };
    Ok(Some(Shown { witness: correctness(program, &known), invariants: known }))
}
