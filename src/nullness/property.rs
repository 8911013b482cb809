//! The question whether no pointer is NULL where it is used, answered with what is known of each use: what is easy does not wait for what is
//! hard.

use crate::abstraction::{Predicate, Reuse, Tuning};
use crate::analyses::Analyses;
use crate::c::Program;
use crate::c::program::Overflow;
use crate::interpreter::Inputs;
use crate::question::uses::Instrumented;
use crate::question::{Failures, null_uses, of_runs};
use crate::refinement::several::Open;
use crate::refinement::undefined::undefined;
use crate::refinement::{
    self, Answer, Execution, Outcome, Proof, Question, Reason, Round, Unproved, Verdict, confirmed, decide_from,
};

use super::{Failed, Finding, Grounds, Options, PointerUse, ROUNDS, confirm, found, summed};

/// Answers it, and says of each use whether the pointer can be NULL there. What each round about all uses together did is told: there are some
/// where none was seen to be NULL. Ends within the limits of the check.
pub fn decided(
    program: &Program,
    given: &[Predicate],
    options: &refinement::Options,
    tell: &mut dyn FnMut(&Round<'_>),
) -> (Answer, Vec<PointerUse>) {
    let overflow = of_runs(options.overflow);
    let usual = Options::default();
    let own = Options {
        tuning: Tuning { bounds: options.tuning.bounds.clone(), ..usual.tuning.clone() },
        check: options.check.clone(),
        rounds: options.rounds.unwrap_or(ROUNDS),
        overflow,
        ..usual
    };
    let instrumented = null_uses(program);
    let mut all = confirmed_each(&instrumented, found(&instrumented, &own), &own);
    let seen = all.iter().find_map(|finding| match finding {
        Finding::Fails(failed) => Some(failed.execution.clone()),
        _ => None,
    });
    let mut answer = match seen {
        Some(run) => {
            let program = instrumented.program.clone();
            Answer { program, overflow, outcome: Outcome::at_once(Verdict::Violated(run)) }
        }
        None => decide_from(program, &Question::Failures(Failures::Null), given, options, tell),
    };
    told_together(&instrumented, &answer, &mut all, &own);
    let is_open = |finding: &Finding| matches!(finding, Finding::Open(_));
    if let (Verdict::Unknown(_), false) = (&answer.outcome.verdict, all.iter().any(is_open)) {
        answer.outcome = apart(&instrumented.program, overflow, options, answer.outcome);
    }
    (answer, summed(program, &instrumented, all))
}

/// Runs that count: not those that only what C leaves open makes fail.
fn confirmed_each(instrumented: &Instrumented, found: Vec<Finding>, options: &Options) -> Vec<Finding> {
    let confirmed = |(at, finding): (usize, Finding)| {
        let Finding::Fails(failed) = finding else { return finding };
        match confirmed(&instrumented.program, options.overflow, failed.execution.clone()) {
            Verdict::Unknown(why) => Finding::Open(Open { why, points: Vec::new() }),
            Verdict::Violated(run) if run == failed.execution => Finding::Fails(failed),
            Verdict::Violated(run) => match executed(instrumented, &run, options) {
                Some((there, failed)) if there == at => Finding::Fails(Box::new(failed)),
                _ => Finding::Open(Open { why: Reason::Otherwise { first: None, more: false }, points: Vec::new() }),
            },
            _ => Finding::Fails(failed),
        }
    };
    found.into_iter().enumerate().map(confirmed).collect()
}

/// The question that fails in a run, and the run.
fn executed(instrumented: &Instrumented, run: &Execution, options: &Options) -> Option<(usize, Failed)> {
    let inputs = Inputs::list(run.inputs.iter().map(|input| input.value));
    confirm::executed(instrumented, inputs, run.steps, options)
}

/// What an answer about all uses says of each of those that are open.
fn told_together(instrumented: &Instrumented, answer: &Answer, all: &mut [Finding], options: &Options) {
    match &answer.outcome.verdict {
        verdict if verdict.excludes_run() => {
            for finding in all.iter_mut().filter(|finding| matches!(finding, Finding::Open(_))) {
                *finding = Finding::Safe(Grounds::Together);
            }
        }
        Verdict::Violated(run) if !all.iter().any(|finding| matches!(finding, Finding::Fails(_))) => {
            if let Some((at, failed)) = executed(instrumented, run, options) {
                all[at] = Finding::Fails(Box::new(failed));
            }
        }
        _ => {}
    }
}

/// That each use is safe by itself, though nothing shows it of all of them together: which places may be undefined is known without predicates.
fn apart(program: &Program, overflow: Overflow, options: &refinement::Options, open: Outcome) -> Outcome {
    let mut reuse = Reuse::with(Analyses::of(program));
    match undefined(program, &[], overflow, (&options.tuning, &options.check), &mut reuse) {
        Ok(undefined) => {
            let proof = Proof::Once(Unproved::Apart);
            Outcome { undefined, proof, rounds: open.rounds, ..Outcome::at_once(Verdict::Holds) }
        }
        Err(_) => open,
    }
}
