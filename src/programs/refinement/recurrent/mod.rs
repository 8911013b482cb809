//! Nontermination by recurrent sets: runs that go on for ever and never come back to a state.
//!
//! A run that was executed takes the same turn again and again ([`turn`]): the states in which it can be taken are a recurrent set if the turn,
//! with inputs that are chosen once and for all, leads from each of them into the set again, whatever else is in memory ([`region`]; Gupta,
//! Henzinger, Majumdar, Rybalchenko and Xu, *Proving non-termination*, POPL 2008); or other ways do ([`other`]), where the state decides which of
//! them is taken. What is found is executed once more, on the program as it is ([`judged`]).

mod atoms;
mod judged;
mod other;
mod region;
mod straight;
mod told;
mod turn;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use spds_format::model::Place;

use crate::analyses::{Analysed, Analyses};
use crate::bitvec::Bounds;
use crate::c::Program;
use crate::c::inline::{InPlace, Most, in_place_of};
use crate::c::program::{Label, Overflow, ProcedureId, StatementId, VariableId};
use crate::interpreter::forever::{Watched, follow};
use crate::interpreter::scene::{Part, Scene, Seen, parts};
use crate::interpreter::{self, Doubt, End, Inputs, Outcome};
use crate::limits::Limits;
use crate::run;

use super::invariants::work::Work;
use super::{Execution, Input, Onward, Reason, Verdict, judge};

use atoms::Sample;
use region::{Closed, Region};
use turn::{Step, Turn, Way, turns};

/// So many ways lead back into a set at most.
const WAYS: usize = 12;

/// So many turns are looked at in all, and of those with the same statements.
const TRIED: (usize, usize) = (48, 4);

/// Steps of each run that is drawn.
const STEPS: u64 = 4_000;

/// So many runs are drawn.
const DRAWN: u64 = 16;

/// So many constants of the program are inputs.
const CONSTANTS: usize = 24;

/// Units of work for all queries: about thousandths of a second.
const WORK: u64 = 1_500;

/// So many steps that are executed are one of them.
const EXECUTED: u64 = 2_000;

/// Conflicts of a query.
const CONFLICTS: u64 = 4_000;

/// Calls that are made in place, in statements.
const CALLS: Most = Most { small: 400, large: 4_000 };

/// States of a run that leads on for ever, from each of which it does: those that satisfy a condition where a statement is next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recurrent {
    /// The statement.
    pub place: Place,
    /// Its procedure.
    pub procedure: ProcedureId,
    /// The condition, in C's notation: sums are what is left of them in their types.
    pub condition: String,
}

impl Recurrent {
    /// As readers are told of it.
    pub fn told(&self, program: &Program) -> run::Recurrent {
        run::Recurrent {
            file: program.file(self.place).to_owned(),
            line: self.place.line,
            procedure: program.procedure(self.procedure).name.to_string(),
            condition: self.condition.clone(),
        }
    }
}

/// Where runs that go on for ever are looked for.
pub(super) struct Question<'p> {
    /// The program as it is.
    own: &'p Program,
    /// The same with calls in place.
    pub made: InPlace,
    analyses: Arc<Analyses>,
    pub overflow: Overflow,
    pub bounds: Bounds,
    /// For all turns together.
    pub work: Rc<Work>,
    limits: Limits,
    /// Conditions that have to be the same in each turn.
    pub watched: &'p [Watched],
    /// How often turns were looked at, by their statements.
    tried: RefCell<BTreeMap<(ProcedureId, Vec<Label>), usize>>,
}

/// A run into a recurrent set.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// What is asked for before the set and in the first turn, which may be asked for in each.
    pub inputs: Vec<Input>,
    /// Steps before the set.
    pub stem: u64,
    /// Steps of the first turn.
    pub turn: u64,
    /// How many ways there are of which each turn takes one.
    pub ways: usize,
    /// Whether what is watched changes in the same order in each turn.
    pub is_seen_alike: bool,
    pub recurrent: Recurrent,
}

impl Found {
    /// What is said then.
    pub fn verdict(self) -> Verdict {
        let (inputs, steps) = (self.inputs, self.stem + self.turn);
        Verdict::Violated(Execution { inputs, steps, onward: Onward::Recurs(self.recurrent) })
    }
}

/// A run that was followed.
struct Run {
    steps: Vec<Step>,
    outcome: Outcome,
    /// The states in which the statement was next of which they were wanted, by steps.
    states: BTreeMap<usize, Sample>,
}

impl<'p> Question<'p> {
    /// About a program; calls are made in place once.
    pub fn of(
        Analysed { program, analyses }: Analysed<'p>,
        overflow: Overflow,
        watched: &'p [Watched],
        (bounds, limits): (&Bounds, Limits),
    ) -> Question<'p> {
        let made = in_place_of(program, CALLS);
        let analyses = analyses.shared(&made.program);
        let bounds = Bounds { conflicts: CONFLICTS, ..bounds.clone() };
        let tried = RefCell::default();
        let work = Rc::new(Work::new(WORK));
        Question { own: program, made, analyses, overflow, bounds, work, limits, watched, tried }
    }

    /// A recurrent set into which some run with drawn inputs leads that `suits`, if one is found.
    ///
    /// # Errors
    /// If what was found is wrong.
    pub fn drawn(&self, suits: &dyn Fn(&Found) -> bool) -> Result<Option<Found>, Reason> {
        let constants = judge::constants(self.own);
        let numbers = [0, 1, -1].into_iter().chain(constants.iter().copied().take(CONSTANTS));
        let near: Arc<[i128]> = constants.as_slice().into();
        let drawn = (1..=DRAWN).flat_map(|seed| [Inputs::Seeded(seed), Inputs::near(&near, seed)]);
        for inputs in numbers.map(Inputs::steady).chain(drawn) {
            if self.limits.met().is_some() {
                break;
            }
            if let Some(found) = self.found(&inputs, STEPS, suits)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// A recurrent set into which the run with these inputs leads in so many steps, if one is found that `suits`.
    ///
    /// # Errors
    /// If what was found is wrong.
    pub fn found(&self, inputs: &Inputs, steps: u64, suits: &dyn Fn(&Found) -> bool) -> Result<Option<Found>, Reason> {
        let run = self.followed(&self.made.program, inputs.clone(), steps, None);
        if !matches!(run.outcome.end, End::Unknown(Doubt::Steps | Doubt::NoInput)) {
            return Ok(None);
        }
        for turn in turns(&self.made.program, &run.steps, &run.outcome.inputs) {
            if self.limits.met().is_some() || !self.work.spend(0) || !self.tries(&turn) {
                continue;
            }
            let Some(closed) = self.closed(&run, &turn, suits) else { continue };
            if let Some(found) = self.judged(&run, &turn, &closed)?.filter(suits) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Whether a turn is still looked at.
    fn tries(&self, turn: &Turn) -> bool {
        let mut tried = self.tried.borrow_mut();
        let all: usize = tried.values().sum();
        let own = tried.entry((turn.procedure, turn.way.path.clone())).or_default();
        *own += 1;
        *own <= TRIED.1 && all < TRIED.0 && self.is_seen(turn.procedure, &turn.way)
    }

    /// Whether what is watched is seen on a way as it is in the program: not if it speaks of locals of a call that was made in place.
    fn is_seen(&self, procedure: ProcedureId, way: &Way) -> bool {
        let origins = &self.made.origins[procedure.0 as usize];
        let from = |label: &Label| origins.get(label.0 as usize).copied().flatten().map(|origin| origin.procedure);
        let placed: BTreeSet<ProcedureId> = way.path.iter().filter_map(from).filter(|&of| of != procedure).collect();
        !self.watched.iter().any(|watched| watched.scope.is_some_and(|scope| placed.contains(&scope)))
    }

    fn followed(&self, program: &Program, inputs: Inputs, steps: u64, wanted: Option<StatementId>) -> Run {
        let options = interpreter::Options::of(self.overflow, steps).within(self.limits);
        let integers: Vec<(VariableId, Part)> = wanted.map(|at| integers(program, at.procedure)).unwrap_or_default();
        let (mut all, mut states) = (Vec::new(), BTreeMap::new());
        let outcome = follow(program, &options, inputs, self.watched, &mut |passed, scene| {
            let at = StatementId::of(passed.procedure, passed.label);
            if wanted == Some(at) {
                states.insert(all.len(), sample(&integers, scene));
            }
            let depth = scene.next().map_or(0, |(_, depth, _)| depth);
            all.push(Step { at, depth, inputs: scene.inputs(), holds: passed.holds.into() });
        });
        Run { steps: all, outcome, states }
    }

    /// A closed set for a turn at the end of a run, if that is what is looked for.
    fn closed(&self, run: &Run, turn: &Turn, suits: &dyn Fn(&Found) -> bool) -> Option<Closed> {
        let stem = &run.outcome.inputs[..turn.of_stem];
        let ways = (turn, std::slice::from_ref(&turn.way));
        let taken = self.taken(stem, turn.start, ways).ok()?;
        // Most turns show nothing to a formula, and that is soon seen.
        if !self.watched.is_empty() {
            self.work.spend(taken.run.steps.len() as u64 / EXECUTED);
            let found = self.as_it_is(ways, &taken, String::new()).ok()??;
            if !suits(&found) {
                return None;
            }
        }
        let region = |unnamed: bool, most: usize| Region::of(self, turn, unnamed)?.closed(&taken.states, most);
        region(false, WAYS).or_else(|| region(true, 1))
    }
}

/// The integers that have names in a procedure.
fn integers(program: &Program, procedure: ProcedureId) -> Vec<(VariableId, Part)> {
    let ids = region::seen(program, procedure).into_iter();
    ids.filter_map(|id| Some((id, parts(program, id).into_iter().next()?))).collect()
}

fn sample(integers: &[(VariableId, Part)], scene: &Scene<'_, '_>) -> Sample {
    let number = |(id, part): &(VariableId, Part)| match scene.value(part) {
        Seen::Number(number) => Some((*id, number)),
        _ => None,
    };
    integers.iter().filter_map(number).collect()
}
