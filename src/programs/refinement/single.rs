//! One question about a program, answered by a verdict: the loop of refinement for it, and what shows the verdict.

use std::ops::ControlFlow;
use std::sync::Arc;

use spds_format::model::Place;

use crate::abstraction::Predicate;
use crate::analyses::{Analysed, Analyses};
use crate::c::Program;
use crate::c::program::StatementId;
use crate::concretise::Followed;
use crate::interpreter::{self, Inputs};
use crate::transition::undefined::Undefined;

use super::judge::failing;
use super::only_run::only_run;
use super::refining::Refining;
use super::reproof::{Holding, proof};
use super::rounds::{Asker, Excluding, Goal, Loop, Manner, Marks};
use super::undefined::undefined;
use super::{Execution, Held, Options, Outcome, Proof, Reason, Round, Unproved, Verdict};

/// Steps that the judge takes at least, before it gives up.
const STEPS: u64 = 1_000_000;

/// Whether some run of a program fails; what each round did is told.
///
/// Within the limits of the options it ends with a verdict or a reason. Of a program whose abstractions are refined for ever it needs
/// a limit: of time, or of rounds.
#[cfg_attr(feature = "whole", expect(dead_code, reason = "only tests ask so"))]
pub fn refine(program: &Program, options: &Options, tell: &mut dyn FnMut(&Round<'_>)) -> Outcome {
    refine_failures(program, options, Goal::Fails, tell)
}

/// The same of a program that fails where nothing decreases ([`crate::question::decreasing`]).
pub(super) fn refine_decreasing(program: &Program, options: &Options, tell: &mut dyn FnMut(&Round<'_>)) -> Outcome {
    refine_failures(program, options, Goal::Decreases, tell)
}

fn refine_failures(program: &Program, options: &Options, goal: Goal<'_>, tell: &mut dyn FnMut(&Round<'_>)) -> Outcome {
    match Single::begun(program, &[], options, goal) {
        ControlFlow::Break(outcome) => outcome,
        ControlFlow::Continue(single) => single.ended(tell),
    }
}

/// Whether some run of a program passes marked statements again and again, for ever; what each round did is told.
pub(super) fn refine_repeated(
    Analysed { program, analyses }: Analysed<'_>,
    options: &Options,
    marks: &Marks<'_>,
    tell: &mut dyn FnMut(&Round<'_>),
) -> Outcome {
    let mut rounds = Loop::new(program, analyses.clone(), options, Goal::Repeats(marks));
    for &(procedure, condition) in &marks.conditions {
        rounds.refining.known.add(&mut rounds.refining.working, (procedure, condition));
    }
    let asker = Sole::of(&rounds);
    Single { rounds, asker }.ended(tell)
}

/// Who asks one question.
struct Sole<'p> {
    program: &'p Program,
    options: &'p Options,
    goal: Goal<'p>,
    verdict: Option<Verdict>,
}

impl<'p> Sole<'p> {
    fn of(rounds: &Loop<'p>) -> Self {
        Sole { program: rounds.program, options: rounds.options, goal: rounds.goal, verdict: None }
    }
}

impl Asker for Sole<'_> {
    fn excluded(&mut self, which: &[usize], _by: &Excluding<'_>) {
        if !which.is_empty() {
            self.verdict = Some(Verdict::Holds);
        }
    }

    fn ran(&mut self, inputs: Inputs, most: u64) -> Result<usize, Reason> {
        let running = interpreter::Options::of(self.options.overflow, most).within(self.options.check.limits);
        let (inputs, steps) = failing(self.program, &running, inputs)?;
        self.verdict = Some(Verdict::Violated(Execution::over(inputs, steps)));
        Ok(0)
    }

    fn followed(&mut self, trace: &Followed, numbers: &[i128]) -> Result<usize, Reason> {
        if let Goal::Repeats(marks) = self.goal {
            let path: Vec<StatementId> =
                trace.steps.iter().map(|step| StatementId::of(step.procedure, step.label)).collect();
            self.verdict = Some((marks.judged)(&path));
            return Ok(0);
        }
        // Whatever is asked for besides does not matter.
        let numbers = numbers.iter().copied().chain(std::iter::repeat_n(0, 1_000));
        self.ran(Inputs::list(numbers), STEPS.max(10 * trace.steps.len() as u64))
    }
}

/// A question that is being asked.
pub(super) struct Single<'p> {
    rounds: Loop<'p>,
    asker: Sole<'p>,
}

impl<'p> Single<'p> {
    /// Whether some run of a program fails, if that is not answered by the only run, or by runs that cost little, at once.
    pub fn begun(
        program: &'p Program,
        given: &[Predicate],
        options: &'p Options,
        goal: Goal<'p>,
    ) -> ControlFlow<Outcome, Self> {
        let mut rounds = Loop::new(program, Analyses::of(program), options, goal);
        rounds.refining.known.give(given);
        if let Some(run) = only_run(program, options.overflow, options.check.limits, false) {
            let undefined = run.undefined.into_iter().collect();
            let holds = || Outcome { undefined, ..Outcome::executed(run.steps) };
            return ControlFlow::Break(run.failed.map_or_else(holds, Outcome::at_once));
        }
        let mut asker = Sole::of(&rounds);
        rounds.looked(&mut asker);
        match asker.verdict {
            Some(found) => ControlFlow::Break(Outcome::at_once(found)),
            None => ControlFlow::Continue(Single { rounds, asker }),
        }
    }

    /// Goes round until there is a verdict, or nothing is left to be tried, or so many rounds have been made.
    pub fn go_on(mut self, most: usize, tell: &mut dyn FnMut(&Round<'_>)) -> ControlFlow<Outcome, Self> {
        let Single { rounds, asker } = &mut self;
        let options = rounds.options;
        let manner = Manner { tuning: &options.tuning, learns: true };
        loop {
            if options.rounds.is_some_and(|granted| rounds.refining.count >= granted) {
                rounds.leave_all(&Reason::Rounds(rounds.refining.count));
                break;
            }
            if let Some(stop) = rounds.stopped() {
                rounds.leave_all(&stop);
                break;
            }
            if rounds.refining.count >= most {
                return ControlFlow::Continue(self);
            }
            if rounds.round(asker, manner, tell) == 0 || asker.verdict.is_some() {
                break;
            }
            if let Some(outcome) = rounds.attempted(asker) {
                return ControlFlow::Break(outcome);
            }
            if asker.verdict.is_some() {
                break;
            }
        }
        let Single { rounds, asker } = self;
        ControlFlow::Break(ended(rounds, asker))
    }

    /// The same with as many rounds as are granted.
    pub fn ended(mut self, tell: &mut dyn FnMut(&Round<'_>)) -> Outcome {
        loop {
            match self.go_on(usize::MAX, tell) {
                ControlFlow::Break(outcome) => return outcome,
                ControlFlow::Continue(left) => self = left,
            }
        }
    }
}

/// What is known once rounds are over.
fn ended(mut rounds: Loop<'_>, mut asker: Sole<'_>) -> Outcome {
    let is_stuck = |why: &Reason| !matches!(why, Reason::Rounds(_) | Reason::Stopped(_));
    if asker.verdict.is_none()
        && rounds.open.values().any(|open| is_stuck(&open.why))
        && let Some(outcome) = rounds.at_last(&mut asker)
    {
        return outcome;
    }
    let open = rounds.open.values().next().map_or(Reason::NoAnswer(None), |open| open.why.clone());
    let (verdict, proof) = match asker.verdict.unwrap_or(Verdict::Unknown(open)) {
        Verdict::Holds => reproved(&mut rounds),
        other => (other, Proof::Nothing),
    };
    let (verdict, undefined) = match verdict {
        Verdict::Holds => passed_over(&mut rounds),
        other => (other, Vec::new()),
    };
    let Loop { refining: Refining { known, working, reuse, count, tracked, .. }, last, goal, .. } = rounds;
    let told = known.text(&working);
    let held = last.filter(|_| verdict == Verdict::Holds && matches!(goal, Goal::Fails));
    let analyses = reuse.shared();
    let held = held.map(|system| Held { program: working, predicates: tracked, system, analyses });
    let held = held.map(Arc::new);
    Outcome { verdict, rounds: count, predicates: told, undefined, proof, held, invariants: None }
}

/// What the last abstraction knows at each statement is proved about the C program: what cannot be is no proof, and a defect.
fn reproved(rounds: &mut Loop<'_>) -> (Verdict, Proof) {
    if let Goal::Repeats(_) = rounds.goal {
        return (Verdict::Holds, Proof::Once(Unproved::Endless));
    }
    let Some(system) = &rounds.last else { return (Verdict::Holds, Proof::Nothing) };
    let Options { overflow, tuning, check, .. } = rounds.options;
    let predicates = &rounds.refining.tracked;
    let holding = Holding { program: &rounds.refining.working, predicates, overflow: *overflow, tuning, system };
    match proof(&holding, check, &mut rounds.refining.reuse) {
        Ok(proof) => (Verdict::Holds, proof),
        Err(defect) => (Verdict::Unknown(defect), Proof::Nothing),
    }
}

/// Where runs may do what is undefined, past which none goes, once it holds.
fn passed_over(rounds: &mut Loop<'_>) -> (Verdict, Vec<(Undefined, Place)>) {
    let Options { overflow, tuning, check, .. } = rounds.options;
    let Refining { working, known, reuse, .. } = &mut rounds.refining;
    match undefined(working, &known.predicates, *overflow, (tuning, check), reuse) {
        Ok(met) => (Verdict::Holds, met),
        Err(why) => (Verdict::Unknown(why), Vec::new()),
    }
}
