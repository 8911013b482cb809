//! Questions of all kinds about a C program, each by the loop.

use std::ops::ControlFlow;

use crate::c::Program;
use crate::c::program::{Overflow, StatementId};
use crate::limits;
use crate::question::{self, Failures};

use super::formula::{Temporal, satisfies};
use super::frames::trusted_frames;
use super::only_run::trusted_output;
use super::rounds::Goal;
use super::single::Single;
use super::terminates::{Ranks, terminates};
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

    /// An outcome, with what it takes on trust.
    pub fn of(mut program: Program, overflow: Overflow, outcome: Outcome) -> Answer {
        if outcome.verdict.excludes_run() {
            let output = matches!(outcome.proof, Proof::Executed(_)).then(|| trusted_output(&program)).flatten();
            let trusted = output.into_iter().chain(trusted_frames(&program)).collect::<Vec<_>>();
            program.unverified.extend(trusted);
        }
        Answer { program, overflow, outcome }
    }
}

/// The question whether a program fails in which a question is written, while it is asked: it can be left between rounds for what may be
/// answered sooner.
pub struct Failing<'p> {
    program: &'p Program,
    overflow: Overflow,
    asked: Single<'p>,
}

impl<'p> Failing<'p> {
    /// What is seen at once, or the question.
    pub fn of(program: &'p Program, given: &[Predicate], options: &'p Options) -> ControlFlow<Outcome, Self> {
        let overflow = options.overflow;
        match Single::begun(program, given, options, Goal::Fails) {
            ControlFlow::Break(outcome) => ControlFlow::Break(told(program, overflow, outcome)),
            ControlFlow::Continue(asked) => ControlFlow::Continue(Failing { program, overflow, asked }),
        }
    }

    /// What is known after so many rounds, or before; or the question, which can be gone on with.
    pub fn go_on(self, most: usize, tell: &mut dyn FnMut(&Round<'_>)) -> ControlFlow<Outcome, Self> {
        let Failing { program, overflow, asked } = self;
        match asked.go_on(most, tell) {
            ControlFlow::Break(outcome) => ControlFlow::Break(told(program, overflow, outcome)),
            ControlFlow::Continue(asked) => ControlFlow::Continue(Failing { program, overflow, asked }),
        }
    }

    /// What is known after as many rounds as are granted.
    pub fn ended(self, tell: &mut dyn FnMut(&Round<'_>)) -> Outcome {
        told(self.program, self.overflow, self.asked.ended(tell))
    }
}

/// An outcome of which a run is one whatever C leaves open.
fn told(program: &Program, overflow: Overflow, mut outcome: Outcome) -> Outcome {
    outcome.verdict = orders::told(program, overflow, outcome.verdict, STEPS);
    outcome
}

/// What is said of a program of which the judge has seen this run fail: nothing, where only what C leaves open lets it.
pub fn confirmed(program: &Program, overflow: Overflow, run: Execution) -> Verdict {
    orders::told(program, overflow, Verdict::Violated(run), STEPS)
}

/// Answers a question; what each round did is told. Ends as [`super::refine`] does.
#[cfg_attr(feature = "whole", expect(dead_code, reason = "only tests ask so"))]
pub fn decide(program: &Program, question: &Question, options: &Options, tell: &mut dyn FnMut(&Round<'_>)) -> Answer {
    decide_from(program, question, &[], options, tell)
}

/// Answers whether all runs of a program end, where it may be known what decreases.
pub fn ends_from(program: &Program, known: &Ranks, options: &Options) -> Answer {
    let overflow = question::of_runs(options.overflow);
    let outcome = told(program, overflow, terminates(program, known, options, &mut |_| {}));
    Answer::of(program.clone(), overflow, outcome)
}

/// The same where predicates are known from the beginning; questions about whole runs begin without them.
pub fn decide_from(
    program: &Program,
    question: &Question,
    given: &[Predicate],
    options: &Options,
    tell: &mut dyn FnMut(&Round<'_>),
) -> Answer {
    let Answer { program, overflow, outcome } = answered(program, question, given, options, tell);
    Answer::of(program, overflow, outcome)
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
            let overflow = question::of_runs(options.overflow);
            let outcome = told(program, overflow, terminates(program, &Ranks::default(), options, tell));
            return Answer { program: program.clone(), overflow, outcome };
        }
    };
    let options = Options { overflow, ..options.clone() };
    let mut outcome = match Failing::of(&program, given, &options) {
        ControlFlow::Break(outcome) => outcome,
        ControlFlow::Continue(asked) => asked.ended(tell),
    };
    if let Question::Places(_) = question {
        outcome.verdict = outcome.verdict.of_places();
    }
    Answer { program, overflow, outcome }
}
