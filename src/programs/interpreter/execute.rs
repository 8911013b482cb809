//! From the beginning of a program to the end of its run.

use super::around::Environment;
use super::inputs::Inputs;
use super::scene::Scene;
use super::step::{Machine, Moment};
use super::{Options, Outcome};
use crate::c::Program;
use crate::c::program::VariableId;

/// Executes a program from its beginning, and tells every statement.
///
/// Time and memory are linear in the steps taken (and in what the program allocates).
pub fn execute(program: &Program, options: &Options, inputs: Inputs, tell: &mut dyn FnMut(&Moment<'_>)) -> Outcome {
    observe(program, options, inputs, &mut Told(tell))
}

/// The same with what the user says that the program finds around itself.
pub fn execute_in(
    program: &Program,
    options: &Options,
    inputs: Inputs,
    around: Environment,
    tell: &mut dyn FnMut(&Moment<'_>),
) -> Outcome {
    run(Machine::new(program, options, inputs, around), options, &mut Told(tell))
}

/// Somebody who looks on.
pub trait Observer {
    /// What is there before a statement is executed.
    fn before(&mut self, _scene: &Scene<'_, '_>) {}

    /// Numbers that variables get before it, as if steps had been taken that are passed over. What is seen after that may be no run.
    fn leaps(&mut self) -> Vec<(VariableId, i128)> {
        Vec::new()
    }

    /// Whether the frame returns at once, after that, and what: as if the steps to its end had been taken.
    fn answers(&mut self) -> Option<Option<i128>> {
        None
    }

    /// What it has done.
    fn after(&mut self, moment: &Moment<'_>);
}

/// One who is told only what was done.
pub(super) struct Told<'f>(pub &'f mut dyn FnMut(&Moment<'_>));

impl Observer for Told<'_> {
    fn after(&mut self, moment: &Moment<'_>) {
        (self.0)(moment);
    }
}

/// Executes a program before an observer, as [`execute`] does.
pub fn observe(program: &Program, options: &Options, inputs: Inputs, observer: &mut dyn Observer) -> Outcome {
    run(Machine::new(program, options, inputs, Environment::default()), options, observer)
}

/// Executes what a machine has before it.
pub(super) fn run(mut machine: Machine<'_>, options: &Options, observer: &mut dyn Observer) -> Outcome {
    let mut steps = 0;
    let end = machine.begin().err().unwrap_or_else(|| {
        loop {
            if let Err(end) = options.check(steps) {
                break end;
            }
            steps += 1;
            observer.before(&Scene::of(&machine));
            if let Err(end) =
                observer.leaps().into_iter().try_for_each(|(variable, number)| machine.put(variable, number))
            {
                break end;
            }
            if let Some(result) = observer.answers() {
                match machine.answer(result) {
                    Ok(()) => continue,
                    Err(end) => break end,
                }
            }
            if let Err(end) = machine.step(&mut |moment| observer.after(moment)) {
                break end;
            }
        }
    });
    machine.ended(end, steps)
}
