//! The schedule of several questions, in time slices that are counted in work: none that is easy waits for one that is hard.
//!
//! First every kind of question, and every formula, is asked by itself with little work, then with more, and only what is
//! still open after that is asked together and for as long as it takes. Once it is known what one formula takes, all others are asked
//! together with a share of what they would take ([`super::several`]). Work is counted, so answers are the same on every
//! machine; turns that come to nothing cost little beside those that follow.

use std::sync::Arc;

use super::effort::LITTLE_WORK;
use super::ground::{in_attempts, omitted};
use super::{
    Answer, CheckError, Outcome, Property, Question, Stats, Vacuity, Verdict, answered, several, without_data,
};
use crate::limits::{Reason, Stop};
use crate::ltl::Violations;
use crate::ltl::automaton::ComponentKind;
use crate::options::{Options, Search, TraceWish};

/// The work of a first turn; at least so much for each rule, that what is known of control comes for nothing.
const FIRST: u64 = 1 << 20;
const FOR_EACH_RULE: u64 = 64;

/// How many turns there are, and how many times the work of the one before each may take.
const TURNS: u32 = 3;
const MORE: u64 = 16;

/// So many formulas are worth being asked together.
const SEVERAL: usize = 3;

/// What is asked together may take this part of what it would take one by one, as far as that is known, and little work in any case:
/// there is much to be gained where what formulas share is most of the work, and nothing where it is not.
const SHARED: u64 = 8;

/// Answers all properties.
pub(super) fn in_turns(question: &Question<'_>) -> Result<Outcome, CheckError> {
    let mut table = Table::new(question);
    let groups = groups(question.properties);
    let first = FIRST.max(FOR_EACH_RULE.saturating_mul(question.spds.rules.len() as u64));
    if groups.len() > 1 {
        for turn in 0..TURNS {
            let work = first.saturating_mul(MORE.pow(turn)).min(question.options.work.unwrap_or(u64::MAX));
            let options = Options { work: Some(work), ..question.options.clone() };
            let mut estimated = false;
            for group in &groups {
                let (before, open) = (table.stats.work, table.open_formulas().contains(&group[0]));
                table.ask(group, &options)?;
                let known = !table.open_formulas().contains(&group[0]);
                if open && known && !std::mem::replace(&mut estimated, true) {
                    table.ask_jointly(&options, table.stats.work - before)?;
                }
            }
        }
    }
    table.rest()
}

/// Properties that are asked together: they share a search.
fn groups(properties: &[Property]) -> Vec<Vec<usize>> {
    let places = |wanted: fn(&Property) -> bool| -> Vec<usize> {
        (0..properties.len()).filter(|&i| wanted(&properties[i])).collect()
    };
    let mut groups = vec![
        places(|property| matches!(property, Property::Assertions)),
        places(|property| matches!(property, Property::Reach(_))),
        places(|property| matches!(property, Property::Termination)),
    ];
    let alone = places(|property| matches!(property, Property::Configurations(_) | Property::Ltl(_)));
    groups.extend(alone.into_iter().map(|i| vec![i]));
    groups.retain(|group| !group.is_empty());
    groups
}

/// What is known so far.
struct Table<'q> {
    question: &'q Question<'q>,
    settled: Vec<Option<Answer>>,
    /// Verdicts whose runs are still to be found.
    decided: Vec<Option<Answer>>,
    stats: Stats,
}

impl<'q> Table<'q> {
    fn new(question: &'q Question<'q>) -> Self {
        let nothing = vec![None; question.properties.len()];
        Table { question, settled: nothing.clone(), decided: nothing, stats: Stats::default() }
    }

    /// Asks for those of a group that are open.
    fn ask(&mut self, group: &[usize], options: &Options) -> Result<(), CheckError> {
        let late = || options.limits.met().is_some();
        let group: Vec<usize> = group.iter().copied().filter(|&i| self.settled[i].is_none()).collect();
        if group.is_empty() || late() {
            return Ok(());
        }
        let Question { spds, properties, tell, .. } = *self.question;
        let properties: Vec<Property> = group.iter().map(|&i| properties[i].clone()).collect();
        let told = |i: usize, answer: &Answer| tell(group[i], answer);
        let question = Question { spds, properties: &properties, options, tell: &told };
        let outcome = answered(&question, vec![None; properties.len()], Vacuity::Later)?;
        self.stats.add(outcome.stats);
        for (i, answer) in group.iter().copied().zip(outcome.answers) {
            self.keep(i, answer, options.trace);
        }
        Ok(())
    }

    /// The formulas of which it is not even known whether they are violated, but for those that nothing violates.
    fn open_formulas(&self) -> Vec<usize> {
        let open = self.question.properties.iter().enumerate().filter(|(i, property)| match property {
            Property::Ltl(violations) => {
                let known = self.settled[*i].is_some() || self.decided[*i].is_some();
                !known && violations.automaton.strength() != ComponentKind::Rejecting
            }
            _ => false,
        });
        open.map(|(i, _)| i).collect()
    }

    /// Asks which of the open formulas are violated, over as few saturations as that takes, if they are several: one of them has
    /// taken so much work. What can be asked without any relation is not: it is as fast by itself.
    fn ask_jointly(&mut self, options: &Options, one: u64) -> Result<(), CheckError> {
        let Question { spds, properties, tell, .. } = *self.question;
        let open = self.open_formulas();
        let by_itself = options.search == Search::Pre || without_data::applies(spds, options);
        // What is known of control counts, too.
        let one = one.saturating_add(FOR_EACH_RULE.saturating_mul(spds.rules.len() as u64));
        let all = one.saturating_mul(open.len() as u64);
        if by_itself || open.len() < SEVERAL {
            return Ok(());
        }
        let options = Options { work: Some(LITTLE_WORK.max(all / SHARED)), ..options.clone() };
        let formulas = open.iter().filter_map(|&i| match &properties[i] {
            Property::Ltl(violations) => Some(Arc::clone(violations)),
            _ => None,
        });
        let formulas: Vec<Arc<Violations>> = formulas.collect();
        for union in several::unions(&formulas) {
            if options.limits.met().is_some() {
                return Ok(());
            }
            let formulas: Vec<Arc<Violations>> = union.iter().map(|&i| Arc::clone(&formulas[i])).collect();
            let mut answers = vec![None; formulas.len()];
            in_attempts(spds, &options, |attempt| {
                several::check(spds, &formulas, &options, attempt, &mut self.stats, &mut answers)
            })?;
            for (i, answer) in union.into_iter().map(|i| open[i]).zip(answers) {
                if let Some(answer) = answer {
                    tell(i, &answer);
                    self.keep(i, answer, options.trace);
                }
            }
        }
        Ok(())
    }

    /// What is known of a property.
    fn keep(&mut self, i: usize, answer: Answer, wish: TraceWish) {
        match answer.verdict {
            Verdict::Unknown(_) => {}
            _ if is_settled(&answer, wish) => self.settled[i] = Some(answer),
            _ => self.decided[i] = Some(answer),
        }
    }

    /// Asks for what is open, together and without more limits than there are.
    fn rest(mut self) -> Result<Outcome, CheckError> {
        let mut outcome = answered(self.question, self.settled, Vacuity::Asked)?;
        self.stats.add(outcome.stats);
        for (answer, decided) in outcome.answers.iter_mut().zip(self.decided) {
            if let (Verdict::Unknown(reason), Some(mut decided)) = (&answer.verdict, decided) {
                if self.question.options.trace != TraceWish::None {
                    decided.trace_omitted = Some(omitted(reason));
                }
                *answer = decided;
            }
        }
        Ok(Outcome { answers: outcome.answers, stats: self.stats })
    }
}

/// Whether more work could not make the answer better: what lacks a trace because the turn was over may yet get one.
fn is_settled(answer: &Answer, wish: TraceWish) -> bool {
    let for_good = |why: &String| *why != omitted(Reason::from(Stop::Allowance));
    !answer.verdict.claims_run()
        || wish == TraceWish::None
        || answer.verdict.trace().is_some()
        || answer.trace_omitted.as_ref().is_some_and(for_good)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_that_a_turn_was_too_short_for_is_looked_for_again() {
        let without = |why: String| Answer { trace_omitted: Some(why), ..Answer::new(Verdict::Violated(None)) };
        assert!(!is_settled(&without(omitted(Reason::from(Stop::Allowance))), TraceWish::Any));
        assert!(is_settled(&without(omitted(Reason::from(Stop::Memory))), TraceWish::Any));
        assert!(is_settled(&without(omitted(Reason::from(Stop::Allowance))), TraceWish::None));
    }
}
