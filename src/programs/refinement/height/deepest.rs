//! The deepest stack of runs that were executed: what is never more than a bound, and what shows that one is exact.

use num_bigint::BigUint;

use crate::c::Program;
use crate::c::program::{Overflow, ProcedureId, StatementId};
use crate::interpreter::forever::{Watch, watch};
use crate::interpreter::scene::Scene;
use crate::interpreter::{self, Given, Inputs, Moment, Observer, observe};
use crate::limits::Limits;

use super::super::judge::constants;
use super::scales::Scales;

/// Steps of each run.
const STEPS: u64 = 50_000;

/// Steps of all runs.
const ALL: u64 = 1_000_000;

/// Steps of runs that may go on for ever.
const ENDLESS_RUN_STEPS: u64 = 4_000;

/// Arbitrary inputs of such runs.
const FEWER: u64 = 16;

/// So many inputs are the same.
const SAME: usize = 1_000;

/// A frame: its procedure, and the statement that called it.
pub(super) type Opened = (ProcedureId, Option<StatementId>);

/// A stack that some run has.
#[derive(Clone, Debug, Default)]
pub(super) struct Deepest {
    /// Its frames, the entry's first.
    pub frames: Vec<Opened>,
    /// The inputs that were asked for up to there.
    pub inputs: Vec<Given>,
}

/// The inputs of some runs: none, the same constant again and again, arbitrary ones.
fn runs(program: &Program, runs: u64) -> impl Iterator<Item = Inputs> {
    let constants = constants(program);
    let near: std::sync::Arc<[i128]> = constants.as_slice().into();
    let same = constants.clone().into_iter().rev().map(|number| Inputs::list(std::iter::repeat_n(number, SAME)));
    let drawn = (1..=runs).map(move |seed| Inputs::near(&near, seed));
    let seeded = (1..=runs).map(Inputs::Seeded);
    std::iter::once(Inputs::list([])).chain(same).chain(drawn.zip(seeded).flat_map(|(drawn, seeded)| [drawn, seeded]))
}

/// The highest stacks of many runs.
#[derive(Clone, Debug, Default)]
pub(super) struct Highest {
    /// So many frames some have.
    pub frames: usize,
    /// So many bytes some take.
    pub bytes: u64,
    /// One of those that take most, or of those with most frames if nothing is weighed.
    pub shown: Deepest,
}

/// The highest stacks of many runs; no more are looked at once one is as high as may be.
pub(super) fn highest(
    program: &Program,
    overflow: Overflow,
    (count, limits): (u64, Limits),
    (scales, most): (Option<&Scales<'_>>, Option<(BigUint, Option<BigUint>)>),
) -> Highest {
    let (mut best, mut highest, mut all, mut left) = (None, (0, 0), Highest::default(), ALL);
    for inputs in runs(program, count) {
        let is_enough = most.as_ref().is_some_and(|(frames, bytes)| {
            BigUint::from(all.frames) >= *frames
                && bytes.as_ref().is_none_or(|bytes| BigUint::from(all.bytes) >= *bytes)
        });
        if is_enough || left == 0 || limits.met().is_some() {
            break;
        }
        let options = interpreter::Options::of(overflow, STEPS.min(left)).within(limits);
        let mut measure = Measure { scales, ..Measure::default() };
        observe(program, &options, inputs.clone(), &mut measure);
        left = left.saturating_sub(measure.steps);
        if best.is_none() || measure.highest > highest {
            (best, highest) = (Some((inputs, measure.at)), measure.highest);
        }
        all.frames = all.frames.max(measure.depth);
        all.bytes = all.bytes.max(measure.highest.0);
    }
    let shown = best.map(|(inputs, steps)| seen(program, overflow, inputs, steps)).unwrap_or_default();
    Highest { shown, ..all }
}

/// The stack of a run after so many steps.
fn seen(program: &Program, overflow: Overflow, inputs: Inputs, steps: u64) -> Deepest {
    let mut stack = Stack::default();
    let outcome = observe(program, &interpreter::Options::of(overflow, steps), inputs, &mut stack);
    Deepest { frames: stack.frames, inputs: outcome.inputs }
}

/// How high the stack of a run gets.
#[derive(Default)]
struct Measure<'s> {
    scales: Option<&'s Scales<'s>>,
    steps: u64,
    depth: usize,
    /// The greatest weight, 0 if nothing is weighed, and the most frames with it.
    highest: (u64, usize),
    /// After how many steps it is so high for the first time.
    at: u64,
    /// The frames that are open, each with what those below it weigh.
    open: Vec<(ProcedureId, u64)>,
    last: Option<StatementId>,
}

impl Observer for Measure<'_> {
    fn before(&mut self, scene: &Scene<'_, '_>) {
        self.steps += 1;
        let Some((procedure, below, statement)) = scene.next() else { return };
        self.depth = self.depth.max(below + 1);
        let mut weight = 0;
        if let Some(scales) = self.scales {
            if self.open.len() == below {
                let under = match (self.open.last(), self.last) {
                    (Some(&(caller, weight)), Some(call)) => weight + scales.below((caller, below == 1), call),
                    _ => 0,
                };
                self.open.push((procedure, under));
            }
            self.open.truncate(below + 1);
            self.last = scene.at();
            weight = self.open.last().map_or(0, |&(_, weight)| weight) + scales.above(procedure, below, statement);
        }
        if (weight, below + 1) > self.highest {
            (self.highest, self.at) = ((weight, below + 1), self.steps);
        }
    }

    fn after(&mut self, _: &Moment<'_>) {}
}

/// Which frames are open.
#[derive(Default)]
struct Stack {
    frames: Vec<Opened>,
    last: Option<StatementId>,
}

impl Observer for Stack {
    fn before(&mut self, scene: &Scene<'_, '_>) {
        let Some((procedure, below, _)) = scene.next() else { return };
        if self.frames.len() == below {
            self.frames.push((procedure, self.last));
        }
        self.frames.truncate(below + 1);
        self.last = scene.at();
    }

    fn after(&mut self, _: &Moment<'_>) {}
}

/// A run that calls for ever, without returning: a state recurs above itself.
#[derive(Clone, Debug)]
pub(super) struct Endless {
    /// The frames where it is met for the first time.
    pub stem: Deepest,
    /// Those that are open where it is met again.
    pub again: Vec<Opened>,
    /// How many inputs were asked for before it was met for the first time.
    pub before: usize,
}

/// A run with simple inputs in which a state recurs above itself.
pub(super) fn endless(program: &Program, overflow: Overflow, limits: Limits) -> Option<Endless> {
    for inputs in runs(program, FEWER) {
        if limits.met().is_some() {
            return None;
        }
        let options = interpreter::Options::of(overflow, ENDLESS_RUN_STEPS).within(limits);
        let Watch::Forever(forever) = watch(program, &options, inputs.clone(), &[], &mut |_| {}) else { continue };
        let stem = seen(program, overflow, inputs.clone(), forever.stem + 1);
        let turn = seen(program, overflow, inputs, forever.steps + 1);
        if turn.frames.len() > stem.frames.len() && turn.frames.starts_with(&stem.frames) {
            let again = turn.frames[stem.frames.len()..].to_vec();
            let before = stem.inputs.len();
            return Some(Endless { stem: Deepest { inputs: turn.inputs, ..stem }, again, before });
        }
    }
    None
}
