//! Runs that go on for ever and never come back to a state.
//!
//! A run that was executed takes the same turn again and again ([`turn`]): the states in which it can be taken are a recurrent set if the turn,
//! with inputs that are chosen once and for all, leads from each of them into the set again, whatever else is in memory ([`region`]; Gupta,
//! Henzinger, Majumdar, Rybalchenko and Xu, *Proving non-termination*, POPL 2008). What is found is executed once more, on the program as it is.

mod region;
mod told;
mod turn;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use spds_format::model::Place;

use crate::analyses::Analyses;
use crate::bitvec::Bounds;
use crate::c::Program;
use crate::c::inline::{InPlace, Most, in_place_of};
use crate::c::program::{Label, Overflow, ProcedureId, StatementId, VariableId};
use crate::interpreter::forever::{Watched, follow};
use crate::interpreter::scene::{Part, Scene, Seen, parts};
use crate::interpreter::{self, Doubt, End, Given, Inputs, Outcome};
use crate::limits::Limits;

use super::invariants::work::Work;
use super::{Input, Unknown, Verdict, judge};

use region::{Closed, Region, Sample};
use turn::{Step, Turn, turns};

/// So many turns are executed.
const TURNS: usize = 24;

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

/// Where runs that go on for ever are looked for.
pub(super) struct Question<'p> {
    /// The program as it is.
    own: &'p Program,
    /// The same with calls in place.
    pub made: InPlace,
    analyses: Analyses,
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
    /// Steps of a turn.
    pub turn: u64,
    pub recurrent: Recurrent,
}

impl Found {
    /// What is said then.
    pub fn verdict(self) -> Verdict {
        Verdict::Recurrent(self.inputs, self.stem + self.turn, self.recurrent)
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
        program: &'p Program,
        overflow: Overflow,
        watched: &'p [Watched],
        (bounds, limits): (&Bounds, Limits),
    ) -> Question<'p> {
        let made = in_place_of(program, CALLS);
        let analyses = Analyses::of(&made.program);
        let bounds = Bounds { conflicts: CONFLICTS, ..bounds.clone() };
        let tried = RefCell::default();
        let work = Rc::new(Work::new(WORK));
        Question { own: program, made, analyses, overflow, bounds, work, limits, watched, tried }
    }

    /// A recurrent set into which some run with drawn inputs leads that `suits`, if one is found.
    ///
    /// # Errors
    /// If what was found is wrong.
    pub fn drawn(&self, suits: &dyn Fn(&Found) -> bool) -> Result<Option<Found>, Unknown> {
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
    pub fn found(&self, inputs: &Inputs, steps: u64, suits: &dyn Fn(&Found) -> bool) -> Result<Option<Found>, Unknown> {
        let run = self.followed(&self.made.program, inputs.clone(), steps, None);
        if !matches!(run.outcome.end, End::Unknown(Doubt::Steps | Doubt::NoInput)) {
            return Ok(None);
        }
        for turn in turns(&self.made.program, &run.steps, &run.outcome.inputs) {
            if self.limits.met().is_some() || !self.work.spend(0) || !self.tries(&turn) {
                continue;
            }
            let Some(closed) = self.closed(&run, &turn) else { continue };
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
        let own = tried.entry((turn.procedure, turn.path.clone())).or_default();
        *own += 1;
        *own <= TRIED.1 && all < TRIED.0 && self.is_seen(turn)
    }

    /// Whether what is watched is seen in a turn as it is in the program: not if it speaks of locals of a call that was made in place.
    fn is_seen(&self, turn: &Turn) -> bool {
        let origins = &self.made.origins[turn.procedure.0 as usize];
        let from = |label: &Label| origins.get(label.0 as usize).copied().flatten().map(|origin| origin.procedure);
        let placed: BTreeSet<ProcedureId> =
            turn.path.iter().filter_map(from).filter(|&of| of != turn.procedure).collect();
        !self.watched.iter().any(|watched| watched.scope.is_some_and(|scope| placed.contains(&scope)))
    }

    fn followed(&self, program: &Program, inputs: Inputs, steps: u64, wanted: Option<StatementId>) -> Run {
        let options = interpreter::Options::of(self.overflow, steps).within(self.limits);
        let integers: Vec<(VariableId, Part)> = wanted.map(|at| integers(program, at.procedure)).unwrap_or_default();
        let (mut all, mut states) = (Vec::new(), BTreeMap::new());
        let watched = if std::ptr::eq(program, self.own) { &[] } else { self.watched };
        let outcome = follow(program, &options, inputs, watched, &mut |passed, scene| {
            let at = StatementId::of(passed.procedure, passed.label);
            if wanted == Some(at) {
                states.insert(all.len(), sample(&integers, scene));
            }
            let depth = scene.next().map_or(0, |(_, depth, _)| depth);
            all.push(Step { at, depth, inputs: scene.inputs(), holds: passed.holds.into() });
        });
        Run { steps: all, outcome, states }
    }

    /// The inputs of the first steps of a run, and then those of a turn again and again.
    fn again(given: &[Given], turn: &Turn) -> Inputs {
        let stem = given.iter().map(|given| given.value);
        Inputs::list(stem.chain(turn.inputs.iter().copied().cycle().take(turn.inputs.len() * TURNS)))
    }

    /// A closed set for a turn at the end of a run.
    fn closed(&self, run: &Run, turn: &Turn) -> Option<Closed> {
        let inputs = Self::again(&run.outcome.inputs[..turn.of_stem], turn);
        let states = self.taken(inputs, turn.start, turn)?;
        let region = |unnamed: bool| Region::of(self, &self.analyses, turn, unnamed)?.closed(&states);
        region(false).or_else(|| region(true))
    }

    /// The states before the turns of a run that takes them after so many steps, and goes on with them.
    fn taken(&self, inputs: Inputs, start: usize, turn: &Turn) -> Option<Vec<Sample>> {
        let head = StatementId { procedure: turn.procedure, label: turn.path[0] };
        let length = turn.path.len();
        let run = self.followed(&self.made.program, inputs, (start + TURNS * length) as u64, Some(head));
        let steps = run.steps.get(start..=start + TURNS * length)?;
        let depth = steps[0].depth;
        let follows = steps.iter().enumerate().all(|(at, step)| {
            let here = step.at == StatementId { procedure: turn.procedure, label: turn.path[at % length] };
            here && step.depth == depth && step.holds == turn.holds[at % length]
        });
        let states = (0..=TURNS).map(|number| run.states.get(&(start + number * length)).cloned());
        states.collect::<Option<Vec<_>>>().filter(|_| follows)
    }

    /// The first state of a run that is in a closed set, and whether the program goes on from there as it should.
    fn judged(&self, run: &Run, turn: &Turn, closed: &Closed) -> Result<Option<Found>, Unknown> {
        let defect = |what: &str| Err(Unknown::Defect(format!("a recurrent set was found, and the judge {what}")));
        let head = StatementId { procedure: turn.procedure, label: turn.path[0] };
        let given = &run.outcome.inputs;
        let inputs = Inputs::list(given.iter().map(|given| given.value));
        let again = self.followed(&self.made.program, inputs, turn.start as u64 + 1, Some(head));
        let Some((&start, _)) = again.states.iter().find(|(_, state)| closed.has(state)) else {
            return defect("sees no state in it");
        };
        let stem = &given[..again.steps[start].inputs];
        // What C leaves open is not chosen.
        let is_open = |given: &Given| !(given.is_own() || given.is_order() && given.value == 0);
        if stem.iter().any(is_open) {
            return Ok(None);
        }
        let inputs = Self::again(stem, turn);
        match self.taken(inputs.clone(), start, turn) {
            Some(states) if states.iter().all(|state| closed.has(state)) => {}
            _ => return defect("sees the run leave it"),
        }
        // The same of the program as it is.
        let origins = &self.made.origins;
        let origin = |at: StatementId| origins[at.procedure.0 as usize].get(at.label.0 as usize).copied().flatten();
        let Some(own) = origin(head) else { return Ok(None) };
        let is_own = |at: StatementId| origin(at) == Some(own);
        let before = again.steps[..start].iter().filter(|step| is_own(step.at)).count();
        let each = turn.path.iter().filter(|&&label| is_own(StatementId { label, ..head })).count();
        let most = 1_000 + 4 * (start + TURNS * turn.path.len()) as u64;
        let run = self.followed(self.own, inputs, most, None);
        let passes: Vec<usize> = (0..run.steps.len()).filter(|&at| run.steps[at].at == own).collect();
        let begins: Option<Vec<usize>> =
            (0..=TURNS).map(|number| passes.get(before + number * each).copied()).collect();
        let Some(begins) = begins else { return defect("does not see the program go on") };
        let part =
            |number: usize| run.steps[begins[number]..begins[number + 1]].iter().map(|step| (step.at, step.depth));
        let asked = |number: usize| run.steps[begins[number]].inputs == stem.len() + number * turn.inputs.len();
        if !(1..TURNS).all(|number| part(number).eq(part(0))) || !(0..=TURNS).all(asked) {
            return defect("sees the program go on otherwise");
        }
        let body = self.own.procedure(own.procedure).body.as_ref();
        let Some(statement) = body.and_then(|body| body.get(own.label.0 as usize)) else { return Ok(None) };
        let recurrent = Recurrent { place: statement.place, procedure: own.procedure, condition: closed.told() };
        Ok(Some(Found {
            inputs: run.outcome.inputs[..stem.len() + turn.inputs.len()].iter().map(judge::input).collect(),
            stem: begins[0] as u64,
            turn: (begins[1] - begins[0]) as u64,
            recurrent,
        }))
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
