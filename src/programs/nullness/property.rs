//! The question whether no pointer is NULL where it is used, answered with what is known of each use: what is easy does not wait for what is
//! hard. All uses together are one question, which is asked first, because it is answered soon where it is easy; each by itself is asked
//! as far as that leaves something open.

use std::ops::ControlFlow;

use crate::abstraction::{Predicate, Reuse, Tuning};
use crate::analyses::Analyses;
use crate::c::Program;
use crate::question::{null_uses, of_runs};
use crate::refinement::several::{Excluder, first_symbols};
use crate::refinement::undefined::undefined;
use crate::refinement::{self, Answer, Failing, Held, Outcome, Proof, Round, Unproved, Verdict};

use super::{Asking, Each, Grounds, Options, PointerUse, ROUNDS, confirm, explained, statements, summed};

/// Rounds about all uses together before each is asked about by itself.
const SOON: usize = 4;

/// Rounds about all uses together before much work is done for those that are open.
const LATER: usize = 16;

/// What is to be told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Told {
    /// The answer. Nothing is asked that does not help to find it.
    Answer,
    /// What is known of each use, too. Where one was seen to be NULL, long searches are not made for what is open of others.
    Uses,
}

/// Answers it, and says of each use whether the pointer can be NULL there. What each round about all uses together did is told. Ends within the
/// limits of the check.
pub fn decided(
    program: &Program,
    given: &[Predicate],
    options: &refinement::Options,
    told: Told,
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
    let options = refinement::Options { overflow, ..options.clone() };
    let instrumented = null_uses(program);
    let (statements, effort) = (statements(&instrumented), own.effort());
    let mut each = Each::of(&instrumented, &statements, &effort, &own);
    let outcome = asked(&mut each, given, &options, told, tell);
    let found = each.found();
    let uses = match told {
        Told::Answer => Vec::new(),
        Told::Uses => summed(program, &instrumented, found),
    };
    (Answer::of(instrumented.program, overflow, outcome), uses)
}

/// The one question and the questions about each use by turns, until the one is answered, or nothing is left to be tried.
fn asked<'e>(
    each: &mut Each<'e>,
    given: &[Predicate],
    options: &refinement::Options,
    told: Told,
    tell: &mut dyn FnMut(&Round<'_>),
) -> Outcome {
    let instrumented = each.asking.runs.instrumented;
    let mut together = Failing::of(&instrumented.program, given, options);
    let mut is_asked = false;
    for (rounds, ask) in [(SOON, Each::<'e>::ask as fn(&mut Each<'e>)), (LATER, Each::search)] {
        together = match together {
            ControlFlow::Continue(asked) => asked.go_on(rounds, tell),
            ended => ended,
        };
        if let ControlFlow::Break(outcome) = &together
            && outcome.verdict.unknown().is_none()
        {
            break;
        }
        ask(each);
        is_asked = true;
        if let Some(failed) = each.failed() {
            let seen = Outcome::at_once(Verdict::Violated(failed.execution.clone()));
            if told == Told::Uses {
                each.relate();
            }
            return seen;
        }
    }
    let outcome = match together {
        ControlFlow::Continue(asked) => asked.ended(tell),
        ControlFlow::Break(outcome) => outcome,
    };
    match &outcome.verdict {
        Verdict::Violated(run) => {
            if let Some((at, came)) = confirm::again(&each.asking.runs, run, each.asking.options) {
                each.fails(at, came.failed(instrumented));
            }
            if told == Told::Uses && !is_asked {
                each.ask_briefly();
            }
            outcome
        }
        Verdict::Unknown(_) if each.is_answered() => apart(&instrumented.program, options, outcome),
        Verdict::Unknown(_) => outcome,
        _ => {
            if told == Told::Uses {
                each.excluded(|open, asking| grounds(&outcome, open, asking));
            }
            outcome
        }
    }
}

/// Why uses are safe where an outcome excludes NULL at all of them.
fn grounds(outcome: &Outcome, open: &[usize], asking: &Asking<'_>) -> Vec<Grounds> {
    if let Some(held) = &outcome.held {
        let symbols = first_symbols(&held.system);
        let Held { program, predicates, system, .. } = &**held;
        let by = Excluder { program, predicates, system, symbols: &symbols };
        return explained(asking.runs.instrumented, open, &by, &asking.options.check);
    }
    let grounds = if outcome.invariants.is_some() { Grounds::Invariants } else { Grounds::Together };
    vec![grounds; open.len()]
}

/// That each use is safe by itself, though nothing shows it of all of them together: which places may be undefined is known without predicates.
fn apart(program: &Program, options: &refinement::Options, open: Outcome) -> Outcome {
    let mut reuse = Reuse::with(Analyses::of(program));
    match undefined(program, &[], options.overflow, (&options.tuning, &options.check), &mut reuse) {
        Ok(undefined) => {
            let proof = Proof::Once(Unproved::Apart);
            Outcome { undefined, proof, rounds: open.rounds, ..Outcome::at_once(Verdict::Holds) }
        }
        Err(_) => open,
    }
}
