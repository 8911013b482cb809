//! What was found is executed: on the program with calls in place, and on the program as it is.

use std::ops::Range;

use crate::c::program::{Label, StatementId};
use crate::interpreter::{Doubt, End, Given, Inputs};

use super::super::{Defect, Reason, judge};
use super::atoms::Sample;
use super::region::Closed;
use super::turn::{Step, Turn, Way};
use super::{Found, Question, Recurrent, Run};

/// So many turns are executed.
const TURNS: usize = 24;

/// No more steps are taken to find out what has to be chosen.
const STEPS: usize = 1_000_000;

/// Turns that were taken.
pub(super) struct Taken {
    /// The states before each of them, and after the last.
    pub states: Vec<Sample>,
    /// Which ways they took.
    ways: Vec<usize>,
    /// Steps before each, and before what comes after the last; how many inputs were asked for up to there.
    begins: Vec<(usize, usize)>,
    /// All inputs.
    inputs: Vec<i128>,
    pub run: Run,
}

/// Why nobody has seen turns.
pub(super) enum Unseen {
    /// The run goes otherwise.
    Otherwise,
    /// It takes too many steps to find out what has to be chosen.
    TooLong,
}

/// How a run takes turns.
enum Turns {
    /// As it should: where they begin, and which ways they take.
    All(Vec<usize>, Vec<usize>),
    /// It asks for something, and this is chosen.
    Asks(i128),
    Otherwise,
}

impl Question<'_> {
    /// The turns of a run that takes them after so many steps, and goes on with them.
    pub(super) fn taken(&self, stem: &[Given], start: usize, (turn, ways): (&Turn, &[Way])) -> Result<Taken, Unseen> {
        let head = StatementId { procedure: turn.procedure, label: turn.way.path[0] };
        let longest = ways.iter().map(|way| way.path.len()).max().unwrap_or(0);
        let mut inputs: Vec<i128> = stem.iter().map(|given| given.value).collect();
        if let [_] = ways {
            inputs.extend(turn.inputs.iter().copied().cycle().take(turn.inputs.len() * TURNS));
        }
        let mut left = STEPS;
        loop {
            let steps = (start + TURNS * longest) as u64;
            let run = self.followed(&self.made.program, Inputs::list(inputs.iter().copied()), steps, Some(head));
            match taken(&run.steps, start, head, ways) {
                Turns::Asks(number) if ways.len() > 1 && run.outcome.end == End::Unknown(Doubt::NoInput) => {
                    inputs.push(number);
                }
                Turns::Otherwise | Turns::Asks(_) => return Err(Unseen::Otherwise),
                Turns::All(begins, ways) => {
                    let states: Option<Vec<Sample>> = begins.iter().map(|at| run.states.get(at).cloned()).collect();
                    let begins = begins.iter().map(|&at| (at, run.steps[at].inputs)).collect();
                    let taken = states.map(|states| Taken { states, ways, begins, inputs, run });
                    return taken.ok_or(Unseen::Otherwise);
                }
            }
            left = left.checked_sub(run.steps.len()).ok_or(Unseen::TooLong)?;
        }
    }

    /// The first state of a run that is in a closed set, and whether the program goes on from there as it should.
    pub(super) fn judged(&self, run: &Run, turn: &Turn, closed: &Closed) -> Result<Option<Found>, Reason> {
        let defect = |what| Err(Defect::Recurrent(what).into());
        let head = StatementId { procedure: turn.procedure, label: turn.way.path[0] };
        let given = &run.outcome.inputs;
        let inputs = Inputs::list(given.iter().map(|given| given.value));
        let again = self.followed(&self.made.program, inputs, turn.start as u64 + 1, Some(head));
        let Some((&start, _)) = again.states.iter().find(|(_, state)| closed.has(state)) else {
            return defect("sees no state in it");
        };
        let stem = &given[..again.steps[start].inputs];
        if !closed.ways.iter().all(|way| self.is_seen(turn.procedure, way)) {
            return Ok(None);
        }
        // What C leaves open is not chosen.
        let is_open = |given: &Given| !(given.is_own() || given.is_order() && given.value == 0);
        if stem.iter().any(is_open) {
            return Ok(None);
        }
        let taken = match self.taken(stem, start, (turn, &closed.ways)) {
            Ok(taken) if taken.states.iter().all(|state| closed.has(state)) => taken,
            Err(Unseen::TooLong) => return Ok(None),
            Ok(_) | Err(Unseen::Otherwise) => return defect("sees the run leave it"),
        };
        match self.as_it_is((turn, &closed.ways), &taken, closed.told()) {
            Ok(found) => Ok(found),
            Err(what) => defect(what),
        }
    }

    /// The turns of a run as the program takes them: none if they begin nowhere in it.
    ///
    /// # Errors
    /// How it goes otherwise.
    pub(super) fn as_it_is(
        &self,
        (turn, ways): (&Turn, &[Way]),
        taken: &Taken,
        condition: String,
    ) -> Result<Option<Found>, &'static str> {
        let head = StatementId { procedure: turn.procedure, label: turn.way.path[0] };
        let origins = &self.made.origins;
        let origin = |at: StatementId| origins[at.procedure.0 as usize].get(at.label.0 as usize).copied().flatten();
        let Some(own) = origin(head) else { return Ok(None) };
        let before = |at: usize| taken.run.steps[..at].iter().filter(|step| origin(step.at) == Some(own)).count();
        let last = taken.begins.last().map_or(0, |&(at, _)| at);
        let most = 1_000 + 4 * last as u64;
        let run = self.followed(self.own, Inputs::list(taken.inputs.iter().copied()), most, None);
        let passes: Vec<usize> = (0..run.steps.len()).filter(|&at| run.steps[at].at == own).collect();
        let begins: Option<Vec<usize>> = taken.begins.iter().map(|&(at, _)| passes.get(before(at)).copied()).collect();
        let Some(begins) = begins else { return Err("does not see the program go on") };
        let turns: Vec<Range<usize>> = begins.windows(2).map(|ends| ends[0]..ends[1]).collect();
        let part = |number: usize| run.steps[turns[number].clone()].iter().map(|step| (step.at, step.depth));
        let is_same = |number: usize| {
            let first = taken.ways.iter().position(|way| *way == taken.ways[number]);
            first.is_some_and(|first| part(number).eq(part(first)))
        };
        let asked = |(at, &(_, asked)): (&usize, &(usize, usize))| run.steps[*at].inputs == asked;
        if !(0..turns.len()).all(is_same) || !begins.iter().zip(&taken.begins).all(asked) {
            return Err("sees the program go on otherwise");
        }
        let body = self.own.procedure(own.procedure).body.as_ref();
        let Some(statement) = body.and_then(|body| body.get(own.label.0 as usize)) else { return Ok(None) };
        let recurrent = Recurrent { place: statement.place, procedure: own.procedure, condition };
        // What is seen in turns, but for how long.
        let seen = |turn: &Range<usize>| changes(run.steps[turn.clone()].iter().map(|step| &*step.holds));
        let is_seen_alike = turns.iter().all(|turn| seen(turn) == seen(&turns[0]))
            && ways.iter().all(|way| self.seen(turn, way) == self.seen(turn, &ways[0]));
        let asked = taken.begins[1].1;
        Ok(Some(Found {
            inputs: run.outcome.inputs[..asked].iter().map(judge::input).collect(),
            stem: begins[0] as u64,
            turn: (begins[1] - begins[0]) as u64,
            ways: ways.len(),
            is_seen_alike,
            recurrent,
        }))
    }

    /// What is seen on a way where the program is as it is, but for how long.
    fn seen(&self, turn: &Turn, way: &Way) -> Vec<Box<[bool]>> {
        let origins = &self.made.origins[turn.procedure.0 as usize];
        let mut all: Vec<Box<[bool]>> = Vec::new();
        for (&Label(label), holds) in way.path.iter().zip(&way.holds) {
            let Some(origin) = origins.get(label as usize).copied().flatten() else { continue };
            let is_seen = |scope: Option<_>| scope.is_none_or(|scope| scope == origin.procedure);
            all.push(self.watched.iter().zip(holds).map(|(watched, &holds)| holds && is_seen(watched.scope)).collect());
        }
        changes(all.iter().map(|holds| &**holds))
    }
}

/// A sequence without what is the same as before it.
fn changes<'s>(all: impl Iterator<Item = &'s [bool]>) -> Vec<Box<[bool]>> {
    let mut changes: Vec<Box<[bool]>> = Vec::new();
    for holds in all {
        if changes.last().is_none_or(|last| **last != *holds) {
            changes.push(holds.into());
        }
    }
    changes
}

fn taken(steps: &[Step], start: usize, head: StatementId, ways: &[Way]) -> Turns {
    let (mut begins, mut all) = (Vec::new(), Vec::new());
    let Some(first) = steps.get(start) else { return Turns::Otherwise };
    let mut at = start;
    while all.len() < TURNS {
        begins.push(at);
        let rest = &steps[at..];
        let follows = |way: &&Way| {
            rest.iter().zip(way.path.iter().zip(&way.holds)).all(|(step, (&label, holds))| {
                step.at == StatementId { label, ..head } && step.depth == first.depth && step.holds == *holds
            })
        };
        let comes_back = |way: &&Way| {
            let next = rest.get(way.path.len());
            next.is_some_and(|step| step.at == head && step.depth == first.depth) && follows(way)
        };
        if let Some(number) = ways.iter().position(|way| comes_back(&way)) {
            all.push(number);
            at += ways[number].path.len();
            continue;
        }
        let begun = ways.iter().find(|way| rest.len() <= way.path.len() && follows(way));
        let Some(way) = begun else { return Turns::Otherwise };
        return Turns::Asks(rest.len().checked_sub(1).and_then(|last| way.fixed[last]).unwrap_or(0));
    }
    begins.push(at);
    Turns::All(begins, all)
}
