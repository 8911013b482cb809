//! Questions of all kinds about a C program, each by the loop.

use crate::c::Program;
use crate::c::program::{Overflow, StatementId};
use crate::limits;
use crate::question::{self, Failures};

use super::formula::{Temporal, satisfies};
use super::only_run::trusted_output;
use super::single::refine_from;
use super::terminates::terminates;
use super::{Execution, Options, Outcome, Proof, Reason, Round, Verdict, orders};
use crate::abstraction::Predicate;

/// Steps that the judge takes at least to see whether a run from left to right shows the same.
const STEPS: u64 = 1_000_000;

/// What is asked about a program.
#[derive(Clone, Debug)]
pub enum Question {
    /// Whether no failure of that kind can be.
    Failures(Failures),
    /// Whether some run comes to one of these statements.
    Places(Vec<StatementId>),
    /// Whether every run ends.
    Termination,
    /// Whether every run satisfies a property of runs.
    Temporal(Box<Temporal>),
}

/// What is known.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The program with the question written into it: what runs that show something are runs of.
    pub program: Program,
    /// What overflows are in it.
    pub overflow: Overflow,
    /// The verdict, and what it took.
    pub outcome: Outcome,
}

impl Answer {
    /// That a limit was met before anything was done.
    pub fn stopped(program: &Program, overflow: Overflow, reason: limits::Reason) -> Answer {
        let verdict = Verdict::Unknown(Reason::Stopped(reason));
        Answer { program: program.clone(), overflow, outcome: Outcome::at_once(verdict) }
    }
}

/// What is said of a program of which the judge has seen this run fail: nothing, where only what C leaves open lets it.
pub fn confirmed(program: &Program, overflow: Overflow, run: Execution) -> Verdict {
    orders::told(program, overflow, Verdict::Violated(run), STEPS)
}

/// Answers a question; what each round did is told. Ends as [`super::refine`] does.
#[cfg_attr(all(feature = "cli", not(feature = "internals")), expect(dead_code, reason = "only tests ask so"))]
pub fn decide(program: &Program, question: &Question, options: &Options, tell: &mut dyn FnMut(&Round<'_>)) -> Answer {
    decide_from(program, question, &[], options, tell)
}

/// The same where predicates are known from the beginning; questions about whole runs begin without them.
pub fn decide_from(
    program: &Program,
    question: &Question,
    given: &[Predicate],
    options: &Options,
    tell: &mut dyn FnMut(&Round<'_>),
) -> Answer {
    let mut answer = answered(program, question, given, options, tell);
    if answer.outcome.verdict.excludes_run()
        && let Proof::Executed(_) = answer.outcome.proof
    {
        answer.program.unverified.extend(trusted_output(&answer.program));
    }
    answer
}

fn answered(
    program: &Program,
    question: &Question,
    given: &[Predicate],
    options: &Options,
    tell: &mut dyn FnMut(&Round<'_>),
) -> Answer {
    let (program, overflow) = match question {
        Question::Failures(failures) => {
            (question::chosen(program, *failures, options.overflow), failures.overflow(options.overflow))
        }
        Question::Places(places) => (question::reaching(program, places), question::of_runs(options.overflow)),
        Question::Temporal(temporal) => {
            let options = Options { overflow: question::of_runs(options.overflow), ..options.clone() };
            let outcome = satisfies(temporal, &options, tell);
            return Answer { program: temporal.program.clone(), overflow: options.overflow, outcome };
        }
        Question::Termination => {
            let mut outcome = terminates(program, options, tell);
            outcome.verdict = orders::told(program, question::of_runs(options.overflow), outcome.verdict, STEPS);
            return Answer { program: program.clone(), overflow: question::of_runs(options.overflow), outcome };
        }
    };
    let mut outcome = refine_from(&program, given, &Options { overflow, ..options.clone() }, tell);
    outcome.verdict = orders::told(&program, overflow, outcome.verdict, STEPS);
    if let Question::Places(_) = question {
        outcome.verdict = outcome.verdict.of_places();
    }
    Answer { program, overflow, outcome }
}
