//! What executions of a program have in common.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::around::Standard;
use super::known::Modelled;
use super::location::Planned;
use super::memory::Memory;
use crate::c::Program;
use crate::c::expression::Term;

/// What is the same in all executions of a program.
#[derive(Clone)]
pub struct Fixed {
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
        let modelled = program.procedures.iter().map(Modelled::of).collect();
        Fixed { slots: slots.into(), modelled, plans: Rc::default() }
    }
}

/// Globals with their values, where nobody was asked for any.
pub struct Start {
    pub memory: Memory,
    pub globals: Vec<u64>,
    pub streams: Vec<(u64, Standard)>,
}
