//! Whether a function ends, whoever calls it: every run from a state that a caller may leave, as [`crate::refinement`] asks it of programs. That all do
//! is proved where it begins in any state ([`super::entry`]); that one does not is seen where a state is made object by object
//! ([`super::objects`]).
//!
//! What a run does that is undefined ends it, and so does what breaks a contract. What leads back to itself, or to what another pointer leads to,
//! is nothing that a caller is said to hand over: a list is walked for ever that is a ring, and that says nothing of the function. Neither
//! do runs call through pointers that callers hand over, or that lie in what they do.

use std::rc::Rc;
use std::time::Instant;

use crate::answer::{Run, Verdict};
use crate::c::Program;
use crate::nullness::{self, Options};
use crate::refinement::{self, Ranks, ends_from};
use crate::verdict::{self, Why};

use super::begun::begun;
use super::entry::entered;
use super::harness::Does;
use super::objects::made_apart;
use super::search::is_entered;
use super::{Answer, Endless, apart, contract};

/// Of the time that is left the proof gets one part in so many.
const SHARES: u32 = 2;

/// What is taken on trust of what is not looked at.
const RETURNS: &str = "what is called elsewhere returns";

/// What is taken on trust of every run.
const DEFINED: &str = "runs that do something undefined, or break a contract, end there";

/// Looks at the function in which a program begins, as long as the limits of the options allow; with what was found to decrease in another version, as
/// its answer has it.
pub fn ends(program: &Program, former: &[String], deep: usize, options: &Options) -> Answer {
    let ranks = Ranks::of(former);
    let program = contract::woven(&apart::told_apart(program));
    let mut assumptions = vec![super::HANDED.to_owned(), super::ACCESSED.to_owned(), DEFINED.to_owned()];
    if apart::leaves_anywhere(&program) {
        assumptions.push(RETURNS.to_owned());
    }
    assumptions.extend(contract::assumptions(&program));
    assumptions.extend(program.unverified.iter().map(|trusted| trusted.text.clone()));
    let is_said = program.contracts.contains_key(&program.main) || !program.assumed.is_empty();
    if is_said && !is_entered(&program, &[], deep, options) {
        assumptions.push(super::never_entered(&program));
    }
    let (verdict, endless) = match proved(&program, &ranks, options) {
        None => (Verdict::Holds, None),
        Some(why) => match shown(&program, deep, options) {
            Some((run, endless)) => (Verdict::Violated(Box::new(run)), Some(endless)),
            None => (Verdict::Unknown(why), None),
        },
    };
    let is_stopped = verdict.unknown().is_some() && options.check.limits.met().is_some();
    Answer { assumptions, endless, is_stopped, proved_by: ranks.found(), ..Answer::of(verdict) }
}

/// Why it is not proved that all runs end, if it is not.
fn proved(program: &Program, ranks: &Ranks, options: &Options) -> Option<Why> {
    // What is called through a pointer belongs to the function: whether it ends nobody else is asked.
    let program = entered(program, &[]);
    let mut options = asking(options);
    let now = Instant::now();
    let limits = &mut options.check.limits;
    limits.deadline = limits.deadline.map(|deadline| now + deadline.saturating_duration_since(now) / SHARES);
    let limits = *limits;
    options.tuning.bounds.stop = Some(Rc::new(move || limits.met().is_some()));
    match ends_from(&program, ranks, &options).outcome.verdict {
        verdict::Verdict::Holds | verdict::Verdict::Unreachable => None,
        verdict::Verdict::Unknown(why) => Some(Why::from(&why)),
        // A run of the question is none of the function.
        verdict::Verdict::Violated(_) | verdict::Verdict::Reachable(_) => {
            Some(Why { sentence: "it does not end on the abstraction only".to_owned(), kind: "abstraction" })
        }
    }
}

fn asking(options: &Options) -> refinement::Options {
    options.effort().refined
}

/// A run that does not end, from a state that was made, and where it goes on for ever.
fn shown(program: &Program, deep: usize, options: &Options) -> Option<(Run, Endless)> {
    if options.check.limits.met().is_some() {
        return None;
    }
    let made = made_apart(program, deep);
    let answer = ends_from(&made.program, &Ranks::default(), &asking(options));
    let verdict::Verdict::Violated(found) = answer.outcome.verdict else { return None };
    let (run, at) = nullness::endless(&made.program, &found, answer.overflow)?;
    let run = begun((&made, program), &contract::places(program), run, (&found.inputs, Does::GoOn));
    Some((run, Endless::of(&made.program, &at)))
}
