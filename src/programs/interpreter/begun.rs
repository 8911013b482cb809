//! A program as it is before its first statement, made once for whoever executes it again and again.

use std::cell::OnceCell;

use super::around::Environment;
use super::execute::{Told, run};
use super::fixed::{Fixed, Start};
use super::inputs::Inputs;
use super::step::{Machine, Moment};
use super::{Options, Outcome};
use crate::c::Program;

/// A program, and what globals are before its first statement.
pub struct Begun<'p> {
    program: &'p Program,
    fixed: Fixed,
    /// None where values of globals depend on inputs, or there is not enough memory for them: then each execution begins by itself.
    start: OnceCell<Option<Start>>,
}

impl<'p> Begun<'p> {
    /// Nothing is computed before something is executed.
    pub fn of(program: &'p Program) -> Begun<'p> {
        Begun { program, fixed: Fixed::of(program), start: OnceCell::new() }
    }

    /// Executes the program as [`super::execute()`] does; of the values of globals only what is written is computed anew.
    pub fn execute(&self, options: &Options, inputs: Inputs, tell: &mut dyn FnMut(&Moment<'_>)) -> Outcome {
        let machine =
            |inputs| Machine::fixed(self.program, options, inputs, Environment::default(), self.fixed.clone());
        let start = self.start.get_or_init(|| machine(Inputs::list([])).started());
        run(machine(inputs).from(start.as_ref()), options, &mut Told(tell))
    }
}
