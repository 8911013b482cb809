//! A program as it is before its first statement, made once for whoever executes it again and again.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::around::{Environment, Standard};
use super::execute::{Told, run};
use super::inputs::Inputs;
use super::known::Modelled;
use super::location::Planned;
use super::memory::Memory;
use super::step::{Machine, Moment};
use super::{Options, Outcome};
use crate::c::Program;
use crate::c::expression::Term;

/// What is the same in all executions of a program.
#[derive(Clone)]
pub(super) struct Fixed {
    /// For each local its slot in the frames of its procedure.
    pub slots: Rc<[u32]>,
    /// For each procedure what it models.
    pub modelled: Rc<[Modelled]>,
    /// The parts of terms in the order of their evaluation, as far as some were evaluated.
    pub plans: Rc<RefCell<FxHashMap<Term, Rc<[Planned]>>>>,
}

impl Fixed {
    pub fn of(program: &Program) -> Fixed {
        let mut slots = vec![0; program.variables.len()];
        for procedure in &program.procedures {
            for (slot, id) in (0..).zip(procedure.formals.iter().chain(&procedure.locals)) {
                slots[id.0 as usize] = slot;
            }
        }
        let modelled = program.procedures.iter().map(|procedure| Modelled::named(&procedure.name)).collect();
        Fixed { slots: slots.into(), modelled, plans: Rc::default() }
    }
}

/// Globals with their values, where nobody was asked for any.
pub(super) struct Start {
    pub memory: Memory,
    pub globals: Vec<u64>,
    pub streams: Vec<(u64, Standard)>,
}

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

    /// Executes the program as [`super::execute`] does; of the values of globals only what is written is computed anew.
    pub fn execute(&self, options: &Options, inputs: Inputs, tell: &mut dyn FnMut(&Moment<'_>)) -> Outcome {
        let machine =
            |inputs| Machine::fixed(self.program, options, inputs, Environment::default(), self.fixed.clone());
        let start = self.start.get_or_init(|| machine(Inputs::list([])).started());
        run(machine(inputs).from(start.as_ref()), options, &mut Told(tell))
    }
}
