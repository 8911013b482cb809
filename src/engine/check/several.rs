//! Several formulas over one saturation: the product with the union of their automata, and which of them have an accepting run.
//!
//! What is reached is reached in each part of the union as it would be in the product with that part alone; relations, control
//! and whatever the automata do not look at is shared.

use std::ops::Range;
use std::sync::Arc;

use spds_format::Spds;

use super::effort::Effort;
use super::formula::{accepting, control, ends_of, may_be_stuck_at_return};
use super::ground::{Attempt, Failure, Start, space};
use super::repeating::{Number, Wanted, going_round, repeating_each};
use super::{Answer, Options, Stats, Verdict};
use crate::heads::rough::Rough;
use crate::limits::Clock;
use crate::ltl::Violations;
use crate::ltl::automaton::ComponentKind;
use crate::ltl::union::Union;
use crate::options::{Runs, TraceWish};
use crate::product::Product;
use crate::replay::Claim;
use crate::saturation::System;
use crate::witness::Leaps;

/// Unions have at most about so many states: their number takes bits in each relation.
const STATES: usize = 256;

/// Which of these are asked together, by their numbers: unions that are not too large, those with a mark apart from those that need none.
pub(super) fn unions(formulas: &[Arc<Violations>]) -> Vec<Vec<usize>> {
    let mut unions: Vec<Vec<usize>> = Vec::new();
    for strong in [false, true] {
        let mut states = STATES;
        for (i, violations) in formulas.iter().enumerate() {
            let automaton = &violations.automaton;
            if (automaton.strength() == ComponentKind::Strong) != strong {
                continue;
            }
            states += automaton.states.len();
            if states > STATES {
                states = automaton.states.len();
                unions.push(Vec::new());
            }
            unions.last_mut().expect("the first one is begun at once").push(i);
        }
    }
    unions.retain(|union| union.len() > 1);
    unions
}

/// Does no run do this, asked of each formula? One attempt. Answers are set as soon as they are known. Runs are found
/// where nobody wants to see them only, and where they cost next to nothing; for the others it is known that there are some.
pub(super) fn check(
    spds: &Spds,
    formulas: &[Arc<Violations>],
    options: &Options,
    attempt: Attempt,
    stats: &mut Stats,
    answers: &mut [Option<Answer>],
) -> Result<(), Failure> {
    let clock = Clock::start();
    let union = Union::new(formulas.iter().map(|violations| &**violations));
    let product = Product::of_union(spds, &union, options.runs, options.strength);
    let control = control(spds, &product, options);
    stats.seconds("seconds in control analyses", clock);
    stats.variables(spds, &control);
    let clock = Clock::start();
    let space = space(spds, &control, Some(&product), options, attempt)?;
    let system = System::new(spds, &control, Some(&product), &space)?;
    stats.seconds("seconds in encoding", clock);
    let clock = Clock::start();
    let start = Start::new(&system, Some(&product))?;
    let mut post = start.saturation(&system, options, None)?;
    post.run(|_| false)?;
    stats.seconds("seconds in post*", clock);
    stats.measured(&post);
    let clock = Clock::start();
    let rough = Rough::of_reached(&post);
    let wanted = accepting(&system, &union.violations.automaton, options)?;
    let questions: Vec<&[Wanted]> = ranges(&union).map(|range| &wanted[range]).collect();
    let methods = (options.scc, options.one_way);
    let found = repeating_each(&post, &rough, &questions, ends_of(options), Number::One, methods)?;
    let sound = options.runs != Runs::Stutter || !may_be_stuck_at_return(&post, system.refused())?;
    for (answer, found) in answers.iter_mut().zip(&found) {
        let verdict = if found.is_empty() { Verdict::Holds } else { Verdict::Violated(None) };
        if sound || !found.is_empty() {
            *answer = Some(Answer::new(verdict));
        }
    }
    if options.trace == TraceWish::None {
        for (((answer, found), part), violations) in answers.iter_mut().zip(&found).zip(&union.parts).zip(formulas) {
            let Some(answer) = answer.as_mut().filter(|answer| answer.verdict.claims_run()) else { continue };
            let claim = Claim::Violates { violations: Arc::clone(violations), runs: options.runs };
            let start = start.in_state(&system, part.initial)?;
            let effort = Effort::after(&post, options);
            let run = effort.run(|options| {
                going_round(&post, &start, (&rough, found), (Leaps::Never, options.trace_steps), &claim)
            });
            if let Some(run) = run {
                answer.shown(spds, run, &claim, &effort.options)?;
            }
        }
    }
    stats.seconds("seconds in cycles and traces", clock);
    stats.ended(&space);
    Ok(())
}

/// Which of the accepting components of a union are those of each part.
fn ranges(union: &Union) -> impl Iterator<Item = Range<usize>> {
    let accepting: Vec<usize> = union.violations.automaton.accepting().collect();
    union.parts.iter().map(move |part| {
        let before = |end: usize| accepting.partition_point(|component| *component < end);
        before(part.components.start)..before(part.components.end)
    })
}
