//! What C leaves open, orders of evaluation and what the library chooses: which run shows what was found, and whether a compiler's program
//! shows it.
//!
//! Every order is a run. A run that also shows it from left to right is preferred; and of a program that asks for no input one order is the
//! compiler's, so that nothing is claimed of it where only another order than from left to right fails.

use crate::c::Program;
use crate::c::program::Overflow;
use crate::interpreter::forever::{Watch, watch};
use crate::interpreter::{self, End, Given, Inputs, Library, Outcome, execute};
use crate::limits::Limits;

use super::judge::{self, failing};
use super::{Execution, Input, Onward, Reason, Verdict};

/// Steps of a run of which only the orders matter.
const ORDERS_RUN_STEPS: u64 = 10_000_000;

/// No more runs of a program without inputs are looked at.
const RUNS: usize = 4_096;

/// Executes a program without inputs once for each of the orders that C leaves open and each way in which allocations fail, from left to right
/// and where none fails first, until some run says enough: `run` executes it, and gives back what was asked for. Whether all were executed.
pub(super) fn each(mut run: impl FnMut(Inputs) -> Option<Vec<Given>>) -> bool {
    let mut open: Vec<Vec<i128>> = vec![Vec::new()];
    let mut runs = 0;
    while let Some(orders) = open.pop() {
        runs += 1;
        let taken = orders.len();
        if runs > RUNS {
            return false;
        }
        let Some(given) = run(Inputs::list(orders.iter().copied())) else { return false };
        if given.iter().any(|given| !given.is_order() && !given.is_allocation()) {
            return false;
        }
        let chosen: Vec<i128> = given.iter().map(|given| given.value).collect();
        for (at, given) in given.iter().enumerate().skip(taken).rev() {
            let others = if given.is_allocation() { 0..=0 } else { 1..=given.others as i128 };
            open.extend(others.rev().map(|other| [&chosen[..at], &[other]].concat()));
        }
    }
    true
}

/// What is said of a program of which this was found: what a run from left to right shows as well is shown by that one, and otherwise
/// nothing is claimed of programs that ask for no input.
pub(super) fn told(program: &Program, overflow: Overflow, verdict: Verdict, steps: u64) -> Verdict {
    if let Verdict::Violated(Execution { onward: Onward::Recurs(_), .. }) = verdict {
        // It rests on nothing that is left open.
        return verdict;
    }
    let steps = steps.max(verdict.run().map_or(0, |run| run.steps.saturating_mul(2)));
    let fails = matches!(verdict, Verdict::Violated(Execution { onward: Onward::Over, .. }));
    let options = interpreter::Options::of(overflow, steps);
    let again = |inputs: Inputs| match fails {
        true => {
            let found = failing(program, &options.within(Limits::default()), inputs).ok();
            found.map(|(inputs, steps)| Verdict::Violated(Execution::over(inputs, steps)))
        }
        false => match watch(program, &options, inputs, &[], &mut |_| {}) {
            Watch::Forever(forever) => Some(Verdict::Violated(Execution::forever(&forever))),
            Watch::Ended(..) => None,
        },
    };
    let verdict = chosen(program, verdict, &|inputs| again(inputs).is_some());
    let Some(own) = own_inputs(program, overflow, &verdict) else { return verdict };
    match again(Inputs::list(own.inputs).left_to_right()) {
        Some(again) => again,
        None if own.is_closed => only_otherwise(&own.otherwise),
        None => verdict,
    }
}

/// So many runs are looked at in which the library chooses anything.
const SEEDS: u64 = 16;

/// What is said of a program of which this was found if the library has chosen something on the way: nothing, unless other choices show it as
/// well. `shows` tells whether a run shows it.
pub(super) fn chosen(program: &Program, verdict: Verdict, shows: &dyn Fn(Inputs) -> bool) -> Verdict {
    let Some(Execution { inputs, .. }) = verdict.run() else { return verdict };
    let Some(first) = inputs.iter().find(|input| input.unspecified().is_some()) else { return verdict };
    let own: Vec<i128> = inputs.iter().filter(|input| input.is_own()).map(|input| input.value).collect();
    let orders: Vec<i128> = inputs.iter().filter(|input| input.is_order()).map(|input| input.value).collect();
    let (least, most) = (i128::from(i32::MIN), i128::from(i32::MAX));
    let numbers = [0, 1, -1, least, most].into_iter().chain(judge::constants(program)).map(Library::Always);
    let mut all = numbers.chain((1..=SEEDS).map(Library::Seeded));
    // Whatever is asked for besides does not matter.
    let own = || Inputs::list(own.iter().copied().chain(std::iter::repeat_n(0, 1_000)));
    if all.all(|library| shows(own().with_choices(orders.iter().copied(), library))) {
        return verdict;
    }
    let (name, line) = (first.unspecified().unwrap_or_default(), first.place.line);
    Verdict::Unknown(Reason::LeftOpen { name: name.into(), line })
}

/// The inputs of a run without its orders of evaluation, and what it does otherwise than from left to right; none if that is nothing.
pub(super) fn own_inputs(program: &Program, overflow: Overflow, verdict: &Verdict) -> Option<Own> {
    let Execution { inputs, steps, .. } = verdict.run()?;
    if !inputs.iter().any(|input| input.is_order() && input.value != 0) {
        return None;
    }
    let own = || inputs.iter().filter(|input| input.is_own());
    let is_closed = own().all(Input::is_allocation);
    let otherwise = otherwise(&ran(program, overflow, inputs, *steps));
    Some(Own { inputs: own().map(|input| input.value).collect(), is_closed, otherwise })
}

/// What a run takes otherwise than from left to right.
pub(super) struct Own {
    /// Its inputs without its orders of evaluation.
    pub inputs: Vec<i128>,
    /// Whether these say only which allocations fail.
    pub is_closed: bool,
    /// What it does otherwise.
    pub otherwise: Vec<String>,
}

/// The run with these inputs.
fn ran(program: &Program, overflow: Overflow, inputs: &[Input], steps: u64) -> Outcome {
    let options = interpreter::Options::of(overflow, steps);
    execute(program, &options, Inputs::list(inputs.iter().map(|input| input.value)), &mut |_| {})
}

fn otherwise(outcome: &Outcome) -> Vec<String> {
    let told = outcome.orders.iter().filter_map(|order| Some((order.told.as_ref()?, order.place.line)));
    told.map(|(told, line)| format!("{told} in line {line}")).collect()
}

/// Nothing is claimed of a program without inputs that fails only in such an order.
pub(super) fn only_otherwise(told: &[String]) -> Verdict {
    let first = told.first().map(|first| (&**first).into());
    Verdict::Unknown(Reason::Otherwise { first, more: told.len() > 1 })
}

/// The comments of a harness about the orders of evaluation of the run that it makes.
pub(super) fn comments(program: &Program, inputs: &[Input]) -> Vec<String> {
    if !inputs.iter().any(Input::is_order) {
        return Vec::new();
    }
    // What overflows are does not matter up to there.
    ran(program, Overflow::Wrap, inputs, ORDERS_RUN_STEPS).told_orders()
}

/// What a run of a program without inputs that was executed in some order says: what is the verdict if it is the last word.
pub(super) fn failed(outcome: &Outcome) -> Option<Verdict> {
    let otherwise_ordered = outcome.inputs.iter().any(|given| given.is_order() && given.value != 0);
    match outcome.end {
        End::Failed(_) | End::Wrong(_) if !otherwise_ordered => Some(Verdict::Violated(Execution::ended(outcome))),
        End::Failed(_) | End::Wrong(_) => Some(only_otherwise(&otherwise(outcome))),
        _ => None,
    }
}
