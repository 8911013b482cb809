//! An abstraction that is refined: the predicates so far, what its rounds leave to each other, and what is learnt from traces that are no
//! runs.

use crate::abstraction::{Predicate, Reuse, Transition, Tuning, abstracted_again, boolean, influential};
use crate::c::Program;
use crate::c::program::Overflow;
use crate::concretise::Taken;

use super::Source;
use super::interpolate::Relations;
use super::learn::{Known, learn};

/// The state of a refinement.
pub(super) struct Refining {
    /// The program, to which expressions of predicates join.
    pub working: Program,
    pub known: Known,
    /// What rounds leave to those after them.
    pub reuse: Reuse,
    /// How many abstractions were made.
    pub count: usize,
    /// The predicates of the last abstraction.
    pub tracked: Vec<Predicate>,
}

impl Refining {
    /// Nothing is known of the program.
    pub fn new(program: &Program) -> Refining {
        let working = program.clone();
        let reuse = Reuse::new(&working);
        Refining { working, known: Known::default(), reuse, count: 0, tracked: Vec::new() }
    }

    /// The next abstraction: by all predicates that matter.
    pub fn abstracted(&mut self, overflow: Overflow, tuning: &Tuning) -> boolean::Program {
        self.count += 1;
        self.tracked = influential(&self.working, &self.known.predicates, overflow, &mut self.reuse);
        abstracted_again(&self.working, &self.tracked, overflow, tuning, &mut self.reuse)
    }

    /// Learns from a trace of which these steps cannot be together: predicates. From which sources there were new ones, and how many.
    pub fn learn(&mut self, steps: &[Taken], core: &[usize], relations: Relations) -> Vec<(Source, usize)> {
        learn(&mut self.working, &mut self.known, steps, core, relations)
    }

    /// Has the abstraction exclude steps that the program cannot take, because of the values before and after; how many are new.
    pub fn observe(&mut self, steps: Vec<Transition>) -> usize {
        self.reuse.observe(steps)
    }
}
