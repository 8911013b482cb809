//! Reachability of sets of configurations: each is a question about one symbol of a system of its own.

use std::sync::Arc;

use spds_format::Automaton;

use super::{Answer, CheckError, Options, Property, Question, Stats, Target, Trace, Vacuity, answered};
use crate::regular_valuation::watch;
use crate::replay::{self, Claim};

/// Does some run come to one of these configurations?
pub(super) fn answer(question: &Question<'_>, set: &Arc<Automaton>, stats: &mut Stats) -> Result<Answer, CheckError> {
    let (spds, options) = (question.spds, question.options);
    let watched = watch(spds, set);
    let goal = [Property::Reach(vec![Target { control: None, symbol: watched.goal }])];
    let one_more = Options { trace_steps: options.trace_steps.saturating_add(1), ..options.clone() };
    let asked = Question { spds: &watched.spds, properties: &goal, options: &one_more, tell: &|_, _| () };
    let mut outcome = answered(&asked, vec![None], Vacuity::Later)?;
    stats.add(outcome.stats);
    let mut answer = outcome.answers.pop().expect("each property has an answer");
    if let Some(place) = answer.verdict.run_mut()
        && let Some(Trace { run, .. }) = place.take()
    {
        let run = watched.original(run);
        let replayed = replay::judge(spds, &run, &Claim::Belongs(set.clone()), options.replay_steps)
            .map_err(|objection| CheckError::WitnessRejected(objection.to_string()))?;
        *place = Some(Trace { run, replayed });
    }
    Ok(answer)
}
