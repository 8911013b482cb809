//! Runs of programs that make a state, told as runs of the function that begins in it.

use std::collections::BTreeSet;

use spds_format::model::Place;

use crate::answer::{Harness, Run, Step};
use crate::c::Program;
use crate::refinement::Input;

use super::copied;
use super::entry::ENTRY;
use super::harness::{Does, harness};
use super::objects::Made;

/// The run that is given this, as one of the first procedure of a program, which begins in a state and does that. Where something is assumed is
/// nothing for readers.
pub fn begun(
    (made, program): (&Made, &Program),
    assumed: &BTreeSet<Place>,
    mut run: Run,
    (given, does): (&[Input], Does),
) -> Run {
    let main = program.procedure(program.main);
    let of_contract = |step: &Step| {
        let place = |place: &Place| (program.file(*place), place.line, place.column);
        assumed.iter().any(|assumed| place(assumed) == (&*step.file, step.line, step.column))
    };
    let is_own = |step: &Step| step.procedure != ENTRY && !of_contract(step);
    // The call comes first.
    let moved = |at: usize, steps: &[Step]| steps.iter().take(at).filter(|step| is_own(step)).count() + 1;
    if let Some(left_out) = &mut run.left_out {
        left_out.at = moved(left_out.at, &run.steps);
    }
    run.cycle = run.cycle.map(|at| moved(at, &run.steps));
    run.steps.retain(is_own);
    run.steps.iter_mut().for_each(|step| step.procedure = copied::written(&step.procedure).to_owned());
    run.harness = harness(made, given, does).map(|text| Harness { text, copies: Vec::new() });
    let state = made.state(given.get(..made.inputs()).unwrap_or(given));
    run.inputs.drain(..made.inputs().min(run.inputs.len()));
    let first = Step {
        file: program.file(main.place).to_owned(),
        line: main.place.line,
        column: main.place.column,
        procedure: main.name.to_string(),
        depth: 0,
        statement: format!("{}(…)", main.name),
        values: state,
    };
    run.steps.insert(0, first);
    run
}
