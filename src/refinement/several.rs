//! One refinement for many questions: which of several statements some run gets to. Each round answers all that are open by one
//! saturation, and learns from the traces of those that it leaves open; what is decided is not asked again.

use std::collections::{HashMap, HashSet};

use spds_format::model::SymbolId;

use crate::abstraction::{Edges, Predicate, System, Transition, Tuning};
use crate::analyses::cut_points::Cut;
use crate::analyses::{Analysed, Analyses};
use crate::c::Program;
use crate::c::program::{Overflow, StatementId};
use crate::check::{self, Property, Target, TraceWish};
use crate::concretise::{Ended, Extent, Lost, Point, follow, points, transitions};
use crate::options;

use super::interpolate::Relations;
use super::invariants::{self, Reach, Search, known};
use super::reason::Reason;
use super::refining::Refining;

/// After so many rounds of refinement, or once they learn nothing, invariants are looked for, which restrict those to come: where predicates
/// are many, paths are short, and less is excluded.
const RESTRICTED: usize = 1;

/// So hard.
const INVARIANTS: invariants::Effort = invariants::Effort { runs: 80, work: 600, reach: Reach::Near };

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
}

/// An abstraction in which nothing gets to some statements.
pub struct Excluding<'e> {
    /// The program, with the expressions of the predicates.
    pub program: &'e Program,
    /// The predicates.
    pub predicates: &'e [Predicate],
    /// The abstraction.
    pub system: &'e System,
    /// With which symbol each statement begins, of those that the entry reaches.
    pub symbols: &'e HashMap<StatementId, SymbolId>,
    /// Others that it reaches: what is known where they come next is not said.
    pub passed: &'e HashSet<StatementId>,
}

/// Who asks.
pub trait Asker {
    /// Predicates to begin with.
    fn first(&mut self, program: &mut Program, analyses: &Analyses) -> Vec<Predicate>;

    /// Those to end with, for what refinement has left open.
    fn last(&mut self, program: &mut Program, analyses: &Analyses) -> Vec<Predicate>;

    /// No run gets to these statements.
    fn excluded(&mut self, statements: &[usize], by: &Excluding<'_>);

    /// Some abstraction could not exclude these: runs that cost little are tried. To which of them they get.
    fn tried(&mut self, open: &[usize]) -> Vec<usize>;

    /// The program should get to one of them with these inputs, in about so many steps: to which one it does.
    fn executed(&mut self, inputs: Vec<i128>, steps: usize) -> Option<usize>;
}

/// A question that is still open.
#[derive(Clone, Debug)]
pub struct Open {
    /// Why.
    pub why: Reason,
    /// A trace of an abstraction that gets there; empty if there is none.
    pub points: Vec<Point>,
}

/// Asks which of these statements some run gets to. Of each that is still open in the end it says why; of the others the asker has
/// been told.
///
/// It ends within the rounds that are granted.
pub fn ask(program: &Program, statements: &[StatementId], effort: &Effort, asker: &mut dyn Asker) -> Vec<Option<Open>> {
    let unasked = Open { why: Reason::NoRun(None), points: Vec::new() };
    let open = vec![Some(unasked); statements.len()];
    let mut questions = Questions {
        statements,
        effort,
        refining: Refining::new(program, Analyses::of(program)),
        open,
        restricted: None,
    };
    questions.chosen(asker, true);
    let tried = if questions.is_open() { asker.tried(&questions.still()) } else { Vec::new() };
    tried.into_iter().for_each(|at| questions.open[at] = None);
    questions.refined(asker);
    questions.chosen(asker, false);
    questions.open
}

struct Questions<'q> {
    statements: &'q [StatementId],
    effort: &'q Effort,
    refining: Refining,
    /// What is open.
    open: Vec<Option<Open>>,
    /// Once invariants were looked for: how abstractions are made that these restrict.
    restricted: Option<Tuning>,
}

impl Questions<'_> {
    fn is_open(&self) -> bool {
        self.open.iter().any(Option::is_some)
    }

    fn still(&self) -> Vec<usize> {
        (0..self.open.len()).filter(|&at| self.open[at].is_some()).collect()
    }

    fn stopped(&self) -> Option<Reason> {
        self.effort.check.limits.met().map(Reason::from)
    }

    fn leave(&mut self, at: usize, why: Reason, points: Vec<Point>) {
        self.open[at] = Some(Open { why, points });
    }

    /// What is open stays so, because of this.
    fn leave_all(&mut self, why: &Reason) {
        self.open.iter_mut().flatten().for_each(|open| open.why = why.clone());
    }

    /// One abstraction by predicates that the asker chooses.
    fn chosen(&mut self, asker: &mut dyn Asker, first: bool) {
        if !self.is_open() {
            return;
        }
        if let Some(reason) = self.stopped() {
            return self.leave_all(&reason);
        }
        let analyses = self.refining.reuse.shared();
        let program = &mut self.refining.working;
        let predicates = if first { asker.first(program, &analyses) } else { asker.last(program, &analyses) };
        let before = self.refining.known.predicates.len();
        self.refining.known.give(&predicates);
        if first || self.refining.known.predicates.len() > before {
            let effort = self.effort;
            self.round(asker, &effort.chosen, false);
        }
    }

    /// Rounds of refinement, as long as there is something to learn.
    fn refined(&mut self, asker: &mut dyn Asker) {
        let effort = self.effort;
        for count in 1..=effort.rounds {
            if !self.is_open() {
                return;
            }
            if let Some(reason) = self.stopped() {
                return self.leave_all(&reason);
            }
            if count > RESTRICTED && self.has_loops() {
                self.restrict();
            }
            let tuning = self.restricted.clone().unwrap_or_else(|| effort.refined.clone());
            if self.round(asker, &tuning, true) == 0 && !(self.is_open() && self.restrict()) {
                return;
            }
            if count == effort.rounds {
                let no_run = |open: &&mut Open| matches!(open.why, Reason::NoRun(_));
                self.open.iter_mut().flatten().filter(no_run).for_each(|open| open.why = Reason::NoRun(Some(count)));
            }
        }
    }

    fn has_loops(&self) -> bool {
        self.refining.reuse.analyses().cuts().iter().any(|cut| matches!(cut, Cut::Inside(..)))
    }

    /// What holds of all runs is looked for, once, to restrict abstractions by paths from now on; whether there is any.
    fn restrict(&mut self) -> bool {
        let refined = &self.effort.refined;
        if self.restricted.is_some() {
            return false;
        }
        let Refining { working, reuse, .. } = &mut self.refining;
        let analyses = reuse.shared();
        let limits = self.effort.check.limits;
        let (of, bounds) = (Analysed::of(working, &analyses), &refined.bounds);
        let known = known(&Search { of, overflow: Overflow::Wrap, bounds, effort: INVARIANTS }, limits);
        let edges = if known.is_empty() { refined.edges } else { Edges::Path };
        reuse.know(&known);
        self.restricted = Some(Tuning { edges, ..refined.clone() });
        !known.is_empty()
    }

    /// One abstraction answers all that is open; from traces that are no runs it is learnt, if it shall be. How much is new.
    fn round(&mut self, asker: &mut dyn Asker, tuning: &Tuning, learns: bool) -> usize {
        let made = self.refining.abstracted(Overflow::Wrap, tuning);
        let system = match System::of(&made, &self.refining.working.files) {
            Ok(system) => system,
            Err(mistakes) => {
                self.leave_all(&mistakes.into());
                return 0;
            }
        };
        let symbols = first_symbols(&system);
        let passed =
            system.origins().map(|(_, origin)| origin.statement).filter(|at| !symbols.contains_key(at)).collect();
        let asked = self.still();
        // A procedure that the entry does not reach has no symbols.
        let target = |&at: &usize| symbols.get(&self.statements[at]).map(|&symbol| Target { control: None, symbol });
        let properties: Vec<Property> =
            asked.iter().map(|at| Property::Reach(target(at).into_iter().collect())).collect();
        let options = check::Options { trace: TraceWish::Shortest, ..self.effort.check.clone() };
        let outcome = match check::check(&system.spds, &properties, &options) {
            Ok(outcome) => outcome,
            Err(error) => {
                self.leave_all(&error.into());
                return 0;
            }
        };
        let (mut excluded, mut traces) = (Vec::new(), Vec::new());
        for (&at, answer) in asked.iter().zip(outcome.answers) {
            match answer.verdict {
                check::Verdict::Unreachable => {
                    self.open[at] = None;
                    excluded.push(at);
                }
                check::Verdict::Reachable(Some(trace)) => {
                    traces.push((at, points(&system, &trace.run), transitions(&system, &trace.run)));
                }
                check::Verdict::Reachable(None) => {
                    let why = answer.trace_omitted.map(|why| Reason::Omitted(why.into()));
                    self.leave(at, why.unwrap_or(Reason::Lost(Lost::NoTrace)), Vec::new());
                }
                check::Verdict::Unknown(reason) => self.leave(at, Reason::Stopped(reason), Vec::new()),
                other => {
                    self.leave(at, Reason::NoAnswer(Some(other.name())), Vec::new());
                }
            }
        }
        let Refining { working: program, tracked: predicates, .. } = &self.refining;
        let by = Excluding { program, predicates, system: &system, symbols: &symbols, passed: &passed };
        asker.excluded(&excluded, &by);
        traces.into_iter().map(|trace| self.follow(asker, trace, learns)).sum()
    }

    /// Follows the trace of a question, which is answered then, or teaches something; how much is new.
    fn follow(
        &mut self,
        asker: &mut dyn Asker,
        (at, points, steps): (usize, Vec<Point>, Vec<Transition>),
        learns: bool,
    ) -> usize {
        if self.open[at].is_none() {
            return 0;
        }
        if let Some(reason) = self.stopped() {
            self.leave(at, reason, points);
            return 0;
        }
        let followed =
            follow(&self.refining.working, &points, Overflow::Wrap, (&self.effort.refined.bounds, Extent::First));
        match followed.ended {
            Ended::Inputs(inputs) => {
                let gets_to = asker.executed(inputs, points.len());
                self.leave(at, Reason::OtherRun, points);
                if let Some(there) = gets_to {
                    self.open[there] = None;
                }
                0
            }
            Ended::Unknown(lost) => {
                self.leave(at, self.stopped().unwrap_or(lost.into()), points);
                0
            }
            Ended::Infeasible(core) => {
                self.leave(at, Reason::NoRun(None), points);
                if !learns {
                    return 0;
                }
                let learnt = self.refining.learn(&followed.steps, &core, Relations::Equations);
                let new: usize = learnt.iter().map(|(_, new)| new).sum();
                if new > 0 {
                    new
                } else if self.refining.track_all() {
                    1
                } else {
                    self.refining.observe(steps)
                }
            }
        }
    }
}

/// With which symbol each statement begins.
fn first_symbols(system: &System) -> HashMap<StatementId, SymbolId> {
    let begins = system.origins().filter(|(_, origin)| origin.begins());
    begins.map(|(symbol, origin)| (origin.statement, symbol)).collect()
}
