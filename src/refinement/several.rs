//! One refinement for many questions: which of several statements some run gets to. What is easy is answered first: by predicates that the
//! asker knows, by runs that cost little, by invariants that are soon found, by rounds; and what these leave open by all that is tried where one
//! question is asked (`single`).

use crate::abstraction::{Edges, Predicate, Tuning};
use crate::analyses::Analyses;
use crate::c::Program;
use crate::c::program::{Overflow, ProcedureId, StatementId};
use crate::options;

use super::attempts::SOON;
use super::reason::Reason;
pub use super::rounds::{Asker, Excluder, Excluding, Open};
use super::rounds::{Goal, Loop, Manner};

/// Statements that the entry may reach: where they are no more, invariants are looked for before the first round.
const SMALL: usize = 300;

/// How hard is tried.
#[derive(Clone)]
pub struct Effort {
    /// For the abstractions by predicates that were chosen before anything was asked.
    pub chosen: Tuning,
    /// For those that are refined.
    pub refined: Tuning,
    /// For the checks of the Boolean programs; its limits are those of the whole.
    pub check: options::Options,
    /// No more rounds of refinement than that.
    pub rounds: usize,
    /// What happens where signed arithmetic leaves its type.
    pub overflow: Overflow,
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

/// Asks which of these statements some run gets to. Of each that is still open in the end it says why; of the others the asker has
/// been told.
///
/// It ends within the rounds that are granted.
pub fn ask(
    program: &Program,
    statements: &[StatementId],
    effort: &Effort,
    asker: &mut dyn Chooser,
) -> Vec<Option<Open>> {
    let options = super::Options {
        overflow: effort.overflow,
        tuning: effort.refined.clone(),
        check: effort.check.clone(),
        rounds: Some(effort.rounds),
        donor: None,
    };
    let rounds = Loop::new(program, Analyses::of(program), &options, Goal::Each(statements));
    let (refined, left) = (effort.refined.clone(), effort.rounds);
    let mut questions = Questions { rounds, effort, refined, left, is_restricted: false };
    questions.chosen(asker, true);
    if !questions.rounds.open.is_empty() {
        let tried = asker.tried(&questions.rounds.still());
        tried.iter().for_each(|at| drop(questions.rounds.open.remove(at)));
    }
    if questions.is_small() && questions.goes_on() {
        questions.restrict(asker);
    }
    questions.refine(asker);
    questions.chosen(asker, false);
    questions.persist(asker);
    let mut open = questions.rounds.open;
    (0..statements.len()).map(|at| open.remove(&at)).collect()
}

struct Questions<'q> {
    rounds: Loop<'q>,
    effort: &'q Effort,
    /// How abstractions are made that are refined.
    refined: Tuning,
    /// How many rounds are left.
    left: usize,
    /// Whether invariants were looked for.
    is_restricted: bool,
}

impl Questions<'_> {
    /// Whether something is open and no limit met, which would be said of all that is.
    fn goes_on(&mut self) -> bool {
        if let Some(reason) = self.rounds.stopped() {
            self.rounds.leave_all(&reason);
            return false;
        }
        !self.rounds.open.is_empty()
    }

    /// One abstraction by predicates that the asker chooses.
    fn chosen(&mut self, asker: &mut dyn Chooser, first: bool) {
        if !self.goes_on() {
            return;
        }
        let analyses = self.rounds.refining.reuse.shared();
        let program = &mut self.rounds.refining.working;
        let predicates = if first { asker.first(program, &analyses) } else { asker.last(program, &analyses) };
        let before = self.rounds.refining.known.predicates.len();
        self.rounds.refining.known.give(&predicates);
        if first || self.rounds.refining.known.predicates.len() > before {
            let manner = Manner { tuning: &self.effort.chosen, learns: false };
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
                let why = Reason::NoRun(Some(self.effort.rounds));
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

    /// What is still open is worth some work: long runs, and invariants that are harder to find, with which rounds go on.
    fn persist(&mut self, asker: &mut dyn Chooser) {
        if self.effort.rounds == 0 || !self.goes_on() {
            return;
        }
        self.rounds.drawn_for_each(asker);
        if self.goes_on() && self.rounds.at_last_for_each(asker) {
            self.refined.edges = Edges::Path;
            self.refine(asker);
        }
        self.goes_on();
    }
}
