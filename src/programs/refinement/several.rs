//! One refinement for many questions: which of several statements some run gets to. What is easy is answered first: by predicates that the
//! asker knows, by runs that cost little, by invariants that are soon found, by rounds; and what these leave open by all that is tried where one
//! question is asked (`single`).

use std::collections::BTreeMap;

use crate::abstraction::{Edges, Predicate, Tuning};
use crate::analyses::Analyses;
use crate::c::Program;
use crate::c::program::{ProcedureId, StatementId};

use super::attempts::SOON;
use super::invariants::told::as_predicates;
use super::reason::Reason;
use super::refining::Refining;
pub use super::rounds::{Asker, Excluder, Excluding, Open, first_symbols};
use super::rounds::{Goal, Loop, Manner};

/// Statements that the entry may reach: where they are no more, invariants are looked for before the first round.
const SMALL: usize = 300;

/// How hard is tried.
#[derive(Clone)]
pub struct Effort {
    /// For the abstractions by predicates that were chosen before anything was asked.
    pub chosen: Tuning,
    /// For rounds of refinement.
    pub refined: super::Options,
}

/// Who asks about several statements.
pub trait Chooser: Asker {
    /// Predicates to begin with.
    fn first(&mut self, program: &mut Program, analyses: &Analyses) -> Vec<Predicate>;

    /// Those to end with, for what refinement has left open.
    fn last(&mut self, program: &mut Program, analyses: &Analyses) -> Vec<Predicate>;

    /// Some abstraction could not exclude these: runs that cost little are tried. To which of them they get.
    fn tried(&mut self, open: &[usize]) -> Vec<usize>;
}

/// The question which of several statements some run gets to, while it is asked. The asker is told of each that is answered.
pub struct Questions<'q> {
    rounds: Loop<'q>,
    effort: &'q Effort,
    /// How abstractions are made that are refined.
    refined: Tuning,
    /// How many rounds are left.
    left: usize,
    /// Whether these are fewer than whoever asks has granted.
    is_short: bool,
    /// Whether invariants were looked for.
    is_restricted: bool,
}

impl<'q> Questions<'q> {
    /// Nothing is asked yet.
    pub fn of(program: &'q Program, statements: &'q [StatementId], effort: &'q Effort) -> Questions<'q> {
        let rounds = Loop::new(program, Analyses::of(program), &effort.refined, Goal::Each(statements));
        let refined = effort.refined.tuning.clone();
        let left = effort.refined.rounds.unwrap_or(usize::MAX);
        Questions { rounds, effort, refined, left, is_short: false, is_restricted: false }
    }

    /// What is still open, and why.
    pub fn open(&self) -> &BTreeMap<usize, Open> {
        &self.rounds.open
    }

    /// All predicates, and the invariants that were proved, as a file of predicates: who asks the same of a program that is nearly the same may begin
    /// with them.
    pub fn predicates(&self) -> String {
        let Refining { working, known, .. } = &self.rounds.refining;
        known.text(working) + &as_predicates(self.rounds.program, &self.rounds.invariants)
    }

    /// This one is answered elsewhere.
    pub fn close(&mut self, at: usize) {
        self.rounds.open.remove(&at);
    }

    /// No more rounds than that, from now on.
    pub fn shorten(&mut self, rounds: usize) {
        self.is_short |= rounds < self.left;
        self.left = self.left.min(rounds);
    }

    /// What does not take long: predicates that the asker knows, runs that cost little, invariants that are soon found, and as many rounds as
    /// are granted.
    pub fn ask(&mut self, asker: &mut dyn Chooser) {
        let effort = self.effort;
        self.chosen(asker, true, &effort.chosen);
        if !self.rounds.open.is_empty() {
            let tried = asker.tried(&self.rounds.still());
            tried.iter().for_each(|at| drop(self.rounds.open.remove(at)));
        }
        if self.is_small() && self.goes_on() {
            self.restrict(asker);
        }
        self.refine(asker);
        self.goes_on();
    }

    /// All other predicates that the asker knows, of which there are many in large procedures, as far as so many looks at limits get.
    pub fn relate(&mut self, asker: &mut dyn Chooser, looks: u64) {
        let chosen = &self.effort.chosen;
        self.chosen(asker, false, &Tuning { bounds: chosen.bounds.within(looks), ..chosen.clone() });
        self.goes_on();
    }

    /// Long runs, and invariants that are harder to find; whether these restrict abstractions to come.
    pub fn search(&mut self, asker: &mut dyn Chooser) -> bool {
        if self.effort.refined.rounds == Some(0) || !self.goes_on() {
            return false;
        }
        self.rounds.drawn_for_each(asker);
        let restricts = self.goes_on() && self.rounds.at_last_for_each(asker);
        self.goes_on();
        restricts
    }

    /// Whether something is open and no limit met, which would be said of all that is.
    fn goes_on(&mut self) -> bool {
        if let Some(reason) = self.rounds.stopped() {
            self.rounds.leave_all(&reason);
            return false;
        }
        !self.rounds.open.is_empty()
    }

    /// One abstraction by predicates that the asker chooses.
    fn chosen(&mut self, asker: &mut dyn Chooser, first: bool, tuning: &Tuning) {
        if !self.goes_on() {
            return;
        }
        let analyses = self.rounds.refining.reuse.shared();
        let program = &mut self.rounds.refining.working;
        let predicates = if first { asker.first(program, &analyses) } else { asker.last(program, &analyses) };
        let before = self.rounds.refining.known.predicates.len();
        self.rounds.refining.known.give(&predicates);
        if first || self.rounds.refining.known.predicates.len() > before {
            let manner = Manner { tuning, learns: false };
            self.rounds.round(asker, manner, &mut |_| {});
        }
    }

    /// Whether there are loops, and rounds to come, in a program so small that invariants are looked for at once.
    fn is_small(&self) -> bool {
        let analyses = self.rounds.refining.reuse.analyses();
        let procedures = (0..).map(ProcedureId).zip(&self.rounds.program.procedures);
        let reached = procedures.filter(|(id, _)| analyses.is_reached(*id));
        let statements: usize = reached.map(|(_, procedure)| procedure.body.as_ref().map_or(0, Vec::len)).sum();
        self.left > 0 && statements <= SMALL && self.rounds.has_loops()
    }

    /// Rounds of refinement, as long as there is something to learn. Invariants restrict all but the first.
    fn refine(&mut self, asker: &mut dyn Chooser) {
        for is_first in std::iter::once(true).chain(std::iter::repeat(false)) {
            if self.left == 0 || !self.goes_on() {
                return;
            }
            if !is_first && self.rounds.has_loops() {
                self.restrict(asker);
            }
            if self.rounds.open.is_empty() {
                return;
            }
            self.left -= 1;
            let manner = Manner { tuning: &self.refined, learns: true };
            let new = self.rounds.round(asker, manner, &mut |_| {});
            if self.left == 0 {
                let no_run = |open: &&mut Open| matches!(open.why, Reason::NoRun(_));
                let why = Reason::NoRun(self.effort.refined.rounds.filter(|_| !self.is_short));
                self.rounds.open.values_mut().filter(no_run).for_each(|open| open.why = why.clone());
            }
            if new == 0 && !(self.goes_on() && self.restrict(asker)) {
                return;
            }
        }
    }

    /// Invariants, once, which exclude what they can, and restrict the abstractions by paths to come; whether there are any.
    fn restrict(&mut self, asker: &mut dyn Chooser) -> bool {
        if self.is_restricted {
            return false;
        }
        self.is_restricted = true;
        let restricts = self.rounds.excluded_each(asker, SOON.1);
        if restricts {
            self.refined.edges = Edges::Path;
        }
        restricts
    }

    /// All that is known to help, whatever it takes: rounds go on with the invariants that were found.
    pub fn persist(&mut self, asker: &mut dyn Chooser) {
        let effort = self.effort;
        self.chosen(asker, false, &effort.chosen);
        if self.search(asker) {
            self.refined.edges = Edges::Path;
            self.refine(asker);
        }
        self.goes_on();
    }
}
