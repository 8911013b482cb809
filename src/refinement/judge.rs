//! Whether the program fails with some inputs: the judge executes it.

use crate::c::Program;
use crate::c::program::Overflow;
use crate::interpreter::{self, End, Given, Inputs, execute};

use super::Input;

/// The inputs that are asked for in a run that fails, and its steps.
///
/// # Errors
/// Why it does not fail.
pub(super) fn failing(
    program: &Program,
    overflow: Overflow,
    inputs: Inputs,
    steps: u64,
) -> Result<(Vec<Input>, u64), String> {
    let options = interpreter::Options { overflow, steps };
    let outcome = execute(program, &options, inputs, &mut |_| {});
    match &outcome.end {
        End::Failed(_) | End::Wrong(_) => Ok((outcome.inputs.iter().map(input).collect(), outcome.steps)),
        End::Unknown(doubt) => Err(doubt.told(program)),
        _ => Err("the program does not follow the trace with the inputs that were found for it".to_owned()),
    }
}

fn input(given: &Given) -> Input {
    Input { call: given.call.as_deref().map(str::to_owned), place: given.place, value: given.value, ty: given.ty }
}
