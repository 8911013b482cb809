//! Reachability of sets of configurations: each is a question about one symbol of a system of its own.

use spds_format::Spds;

use super::{Answer, CheckError, Options, Outcome, Property, Stats, Target, Trace, Verdict};
use crate::below::watch;
use crate::replay::{self, Claim};

/// Answers all properties, of which some are about sets.
pub(super) fn check(spds: &Spds, properties: &[Property], options: &Options) -> Result<Outcome, CheckError> {
    let mut stats = Stats::default();
    let mut answers: Vec<Option<Answer>> = Vec::with_capacity(properties.len());
    let mut others = Vec::new();
    for property in properties {
        let Property::Configurations(set) = property else {
            others.push(property.clone());
            answers.push(None);
            continue;
        };
        let watched = watch(spds, set);
        let goal = [Property::Reach(vec![Target { control: None, symbol: watched.goal }])];
        let options = Options { trace_steps: options.trace_steps.saturating_add(1), ..options.clone() };
        let mut outcome = super::check(&watched.spds, &goal, &options)?;
        stats.figures.append(&mut outcome.stats.figures);
        let mut answer = outcome.answers.pop().expect("each property has an answer");
        debug_assert!(matches!(answer.verdict, Verdict::Reachable(_) | Verdict::Unreachable | Verdict::Unknown(_)));
        if let Verdict::Reachable(trace @ Some(_)) = &mut answer.verdict
            && let Some(Trace { run, .. }) = trace.take()
        {
            let run = watched.original(run);
            let claim = Claim::Belongs(set.clone());
            let replayed = replay::judge(spds, &run, &claim, options.replay_steps)
                .map_err(|objection| CheckError::WitnessRejected(objection.to_string()))?;
            *trace = Some(Trace { run, replayed });
        }
        answers.push(Some(answer));
    }
    let outcome = super::check(spds, &others, options)?;
    stats.figures.extend(outcome.stats.figures);
    let mut others = outcome.answers.into_iter();
    let answers = answers.into_iter().map(|answer| answer.or_else(|| others.next()));
    Ok(Outcome { answers: answers.map(|answer| answer.expect("each property has an answer")).collect(), stats })
}
