//! An abstraction that is refined: the predicates so far, what its rounds leave to each other, and what is learnt from traces that are no
//! runs.

use std::sync::Arc;

use crate::abstraction::{Predicate, Reuse, Transition, Tuning, abstracted_again, boolean, influential, remembered};
use crate::analyses::Analyses;
use crate::c::Program;
use crate::c::program::Overflow;
use crate::concretise::{Further, Taken};

use super::Source;
use super::interpolate::Relations;
use super::learn::{Known, learn, learn_plainly};

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
    /// Whether those that tell no caller anything are tracked too.
    all: bool,
    /// Whether some were left out of the last abstraction.
    left_out: bool,
}

impl Refining {
    /// Nothing is known of the program but what these tell.
    pub fn new(program: &Program, analyses: Arc<Analyses>) -> Refining {
        let working = program.clone();
        let reuse = Reuse::with(analyses);
        Refining { working, known: Known::default(), reuse, count: 0, tracked: Vec::new(), all: false, left_out: false }
    }

    /// The next abstraction: by all predicates that matter.
    pub fn abstracted(&mut self, overflow: Overflow, tuning: &Tuning) -> boolean::Program {
        self.count += 1;
        self.tracked = influential(&self.working, &self.known.predicates, overflow, &mut self.reuse);
        if !self.all {
            let remembered = remembered(&self.working, &self.tracked, &mut self.reuse);
            self.left_out = remembered.len() < self.tracked.len();
            self.tracked = remembered;
        }
        abstracted_again(&self.working, &self.tracked, overflow, tuning, &mut self.reuse)
    }

    /// Learns from a trace of which these steps cannot be together: predicates. From which sources there were new ones, and how many.
    pub fn learn(&mut self, steps: &[Taken], core: &[usize], relations: Relations) -> Vec<(Source, usize)> {
        learn(&mut self.working, &mut self.known, steps, core, relations)
    }

    /// The same from all reasons why a trace is no run.
    pub fn learn_further(&mut self, further: &Further, relations: Relations) -> Vec<(Source, usize)> {
        let Refining { working, known, .. } = self;
        let cores = further.cores.iter();
        cores.flat_map(|core| learn_plainly(working, known, &further.steps, core, relations)).collect()
    }

    /// From now on those predicates are tracked too that tell no caller anything; whether some were left out.
    pub fn track_all(&mut self) -> bool {
        self.all = true;
        std::mem::take(&mut self.left_out)
    }

    /// Has the abstraction exclude steps that the program cannot take, because of the values before and after; how many are new.
    pub fn observe(&mut self, steps: Vec<Transition>) -> usize {
        self.reuse.observe(steps)
    }
}
