//! Whether places can be reached and assertions can fail: what the search says against what the oracle says.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use puch::check::{Answer, Property, Target, Verdict, check};
use puch::options::{Options, TraceWish};
use puch::run::{Ending, Run, Then};
use spds_format::model::SymbolId;
use spds_format::{Automaton, Spds};

use super::runs;
use crate::oracle::Explored;
use crate::oracle::sets::reaches;

/// What is wrong with the answers on a system that the oracle has explored, if anything.
pub fn differs(spds: &Spds, explored: &Explored, targets: &[SymbolId], options: &Options) -> Option<String> {
    let distances = [explored.distance(targets), explored.failing(spds)];
    let targets = targets.iter().map(|symbol| Target { control: None, symbol: *symbol }).collect();
    let properties = [Property::Reach(targets), Property::Assertions];
    let outcome = match catch_unwind(AssertUnwindSafe(|| check(spds, &properties, options))) {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(error)) => return Some(error.to_string()),
        Err(panic) => return Some(said(&*panic)),
    };
    let verdicts = [[Verdict::Unreachable, Verdict::Reachable(None)], [Verdict::Holds, Verdict::Violated(None)]];
    (0..2).find_map(|i| {
        let verdict = verdicts[i][usize::from(distances[i].is_some())].clone();
        complaint(spds, &outcome.answers[i], verdict, distances[i], options.trace)
    })
}

/// The same for a set of configurations, stack and all.
pub fn set_differs(spds: &Spds, explored: &Explored, set: &Automaton, options: &Options) -> Option<String> {
    let expected = reaches(spds, explored, set);
    let outcome = match check(spds, &[Property::Configurations(Arc::new(set.clone()))], options) {
        Ok(outcome) => outcome,
        Err(error) => return Some(error.to_string()),
    };
    let answer = &outcome.answers[0];
    let verdict = if expected { Verdict::Reachable(None) } else { Verdict::Unreachable };
    if answer.verdict.bare() != verdict {
        return Some(format!("{:?}, but the oracle says {verdict:?}", answer.verdict));
    }
    if expected && options.trace != TraceWish::None {
        let Some(trace) = answer.verdict.trace() else { return Some("there is no trace".into()) };
        if trace.run.ending != Ending::Reached {
            return Some("the trace does not end where it should".into());
        }
    }
    None
}

/// What a panic said.
pub fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(|text| &**text);
    format!("it panics: {}", text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("in no words"))
}

fn complaint(spds: &Spds, answer: &Answer, verdict: Verdict, distance: Option<u64>, wish: TraceWish) -> Option<String> {
    if answer.verdict.bare() != verdict {
        return Some(format!("the answer is {:?}, but the oracle says {verdict:?}", answer.verdict));
    }
    let wanted = wish != TraceWish::None && distance.is_some();
    match (answer.verdict.trace(), distance) {
        (Some(_), _) if !wanted => Some("there is a trace that no one asked for".into()),
        (None, _) if wanted => Some(format!("there is no trace: {:?}", answer.trace_omitted)),
        (Some(trace), Some(distance)) if wish == TraceWish::Shortest && !leaps(&trace.run) => {
            let steps = runs::length(spds, &trace.run);
            (steps != distance)
                .then(|| format!("the trace has {steps} steps, the shortest {distance}: {:?}", trace.run))
        }
        _ => None,
    }
}

/// Whether many turns of a loop are one item of the run.
fn leaps(run: &Run) -> bool {
    let lists = run.calls.iter().map(|call| &call.steps).chain([&run.stem]).chain(&run.cycle);
    lists.flatten().any(|step| matches!(step.then, Then::Leap(_)))
}
