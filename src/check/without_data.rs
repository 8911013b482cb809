//! Places in systems without data: no relation is built, and control is not analysed either.

use rustc_hash::FxHashSet;
use spds_format::Spds;
use spds_format::model::{Head, SymbolId};

use super::{Answer, Property, Question, Stats, Target, Verdict};
use crate::explicit;
use crate::options::{Engine, Search, TraceWish};

/// Answers what asks about places, unless a run is wanted that shows one, or it was said how to search. If a limit is met
/// nothing is answered.
pub(super) fn answer(question: &Question<'_>, answers: &mut [Option<Answer>], stats: &mut Stats) {
    let Question { spds, properties, options, tell } = *question;
    let open = |i: usize, answers: &[Option<Answer>]| {
        answers[i].is_none() && matches!(properties[i], Property::Reach(_) | Property::Assertions)
    };
    let chosen = options.engine != Engine::Auto || options.search == Search::Pre;
    if chosen || !(0..properties.len()).any(|i| open(i, answers)) || !explicit::is_explicit(spds) {
        return;
    }
    let clock = std::time::Instant::now();
    let Ok(reached) = explicit::reached(spds, &options.limits) else { return };
    for (i, property) in properties.iter().enumerate() {
        if !open(i, answers) {
            continue;
        }
        let found = match property {
            Property::Reach(targets) => meets(&reached, targets),
            _ => meets(&reached, &failing(spds)),
        };
        if !found || options.trace == TraceWish::None {
            let answer = Answer::new(Verdict::of(property, found));
            tell(i, &answer);
            answers[i] = Some(answer);
        }
    }
    stats.seconds("seconds in explicit post*", clock);
}

/// The places at which assertions have failed.
fn failing(spds: &Spds) -> Vec<Target> {
    spds.fail.iter().map(|&symbol| Target { control: None, symbol }).collect()
}

fn meets(reached: &FxHashSet<Head>, targets: &[Target]) -> bool {
    let symbols: FxHashSet<SymbolId> = reached.iter().map(|head| head.symbol).collect();
    targets.iter().any(|&Target { control, symbol }| match control {
        None => symbols.contains(&symbol),
        Some(control) => reached.contains(&Head { control, symbol }),
    })
}
