//! The loop: abstract, check, make the trace concrete, learn.

use std::collections::BTreeSet;

use crate::abstraction::boolean::reading;
use crate::abstraction::{Reuse, Text, abstracted_again};
use crate::boolprog;
use crate::c::Program;
use crate::c::expression::{ExpressionKind, Term};
use crate::c::program::StatementKind;
use crate::check::{self, Property, TraceWish};
use crate::concretise::{self, Ended, Followed, Taken, follow, points};
use crate::interpreter::Inputs;
use crate::limits::Reason;

use super::judge::failing;
use super::learn::{Known, learn};
use super::{Options, Outcome, Round, Source, Verdict};

/// Steps that the judge takes at least, before it gives up.
const STEPS: u64 = 1_000_000;

/// How many runs with arbitrary inputs are looked at.
const SEEDS: u64 = 64;

/// Steps of each.
const FEW: u64 = 4_000;

/// Whether some run of a program fails; what each round did is told.
///
/// Within the limits of the options it ends with a verdict or a reason. Of a program whose abstractions are refined for ever it needs
/// a limit: of time, or of rounds.
pub fn refine(program: &Program, options: &Options, tell: &mut dyn FnMut(&Round<'_>)) -> Outcome {
    let mut numbered = program.clone();
    concretise::number(&mut numbered);
    let reuse = Reuse::new(&numbered);
    let mut rounds = Loop { program, numbered, options, known: Known::default(), reuse, count: 0 };
    if let Some(found) = rounds.looked() {
        return Outcome { verdict: found, rounds: 0, predicates: String::new() };
    }
    let verdict = loop {
        if let Some(verdict) = rounds.round(tell) {
            break verdict;
        }
    };
    let Loop { known, numbered, count, .. } = rounds;
    Outcome { verdict, rounds: count, predicates: known.text(&numbered) }
}

struct Loop<'p> {
    program: &'p Program,
    /// The same program; places are numbers of statements.
    numbered: Program,
    options: &'p Options,
    known: Known,
    /// What rounds leave to those after them.
    reuse: Reuse,
    count: usize,
}

/// What the check of an abstraction says.
enum Checked {
    /// That is the verdict.
    Verdict(Verdict),
    /// This trace fails.
    Trace(Vec<concretise::Point>),
}

impl Loop<'_> {
    /// A run with simple inputs that fails: it costs little to look before anything is computed.
    fn looked(&self) -> Option<Verdict> {
        let same = constants(self.program).into_iter().map(|number| Inputs::list(std::iter::repeat_n(number, 1_000)));
        for inputs in (1..=SEEDS).map(Inputs::Seeded).chain(same) {
            if self.options.check.limits.is_late() {
                break;
            }
            let found = failing(self.program, self.options.overflow, inputs, FEW);
            if let Ok((inputs, steps)) = found {
                return Some(Verdict::Violated(inputs, steps));
            }
        }
        None
    }

    fn round(&mut self, tell: &mut dyn FnMut(&Round<'_>)) -> Option<Verdict> {
        if self.options.rounds.is_some_and(|most| self.count >= most) {
            return Some(Verdict::Unknown(match self.count {
                1 => "1 round did not decide it (--rounds)".to_owned(),
                count => format!("{count} rounds did not decide it (--rounds)"),
            }));
        }
        if self.options.check.limits.is_late() {
            return Some(Verdict::Stopped(Reason::Timeout));
        }
        self.count += 1;
        let predicates = self.known.text(&self.numbered);
        let count = self.known.predicates.len();
        let overflow = self.options.overflow;
        let (predicates_now, tuning) = (&self.known.predicates, &self.options.tuning);
        let text = abstracted_again(&self.numbered, predicates_now, overflow, tuning, &mut self.reuse).text();
        let mut nodes = 0;
        let checked = self.checked(&text, &mut nodes);
        let (mut learnt, mut followed) = (Vec::new(), None);
        let verdict = match checked {
            Checked::Verdict(verdict) => Some(verdict),
            Checked::Trace(points) => {
                let trace = follow(&self.numbered, &points, overflow, &self.options.tuning.bounds);
                let verdict = self.concluded(&trace, &mut learnt);
                followed = Some(trace);
                verdict
            }
        };
        let steps = followed.map(|trace| trace.steps).unwrap_or_default();
        tell(&Round {
            number: self.count,
            predicates: &predicates,
            count,
            text: &text.text,
            nodes,
            trace: steps.len(),
            steps: &self.told(&steps),
            learnt: &learnt,
        });
        verdict
    }

    /// The statements of a trace, a line each.
    fn told(&self, steps: &[Taken]) -> String {
        let mut text = String::new();
        for step in steps {
            let procedure = self.program.procedure(step.procedure);
            let Some(statement) = procedure.body.as_ref().and_then(|body| body.get(step.label.0 as usize)) else {
                continue;
            };
            let side = match step.branch {
                Some(true) => ": yes",
                Some(false) => ": no",
                None => "",
            };
            let place = statement.place;
            let said = self.program.statement_text(statement);
            text += &format!("{}{}:{}: {said}{side}\n", "  ".repeat(step.depth.min(20)), procedure.name, place.line);
        }
        text
    }

    fn checked(&self, text: &Text, nodes: &mut u64) -> Checked {
        let unknown = |why: String| Checked::Verdict(Verdict::Unknown(why));
        let read = match boolprog::read(&text.text, "abstraction.bp", &reading(text)) {
            Ok(read) => read,
            Err(mistakes) => {
                let first = mistakes.first().map(|mistake| mistake.message.clone()).unwrap_or_default();
                return unknown(format!("the Boolean program cannot be read: {first}"));
            }
        };
        let options = check::Options { trace: TraceWish::Shortest, ..self.options.check.clone() };
        let outcome = match check::check(&read.spds, &[Property::Assertions], &options) {
            Ok(outcome) => outcome,
            Err(error) => return unknown(error.to_string()),
        };
        let peak = outcome.stats.figures.iter().filter(|(name, _)| *name == "peak nodes").map(|&(_, figure)| figure);
        *nodes = peak.fold(0.0, f64::max) as u64;
        let Some(answer) = outcome.answers.into_iter().next() else { return unknown("there is no answer".to_owned()) };
        match answer.verdict {
            check::Verdict::Holds | check::Verdict::Unreachable => Checked::Verdict(Verdict::Holds),
            check::Verdict::Unknown(reason) => Checked::Verdict(Verdict::Stopped(reason)),
            check::Verdict::Violated(Some(trace)) | check::Verdict::Reachable(Some(trace)) => {
                Checked::Trace(points(&read.spds, text, &trace.run))
            }
            check::Verdict::Violated(None) | check::Verdict::Reachable(None) => {
                let why = answer.trace_omitted.unwrap_or_else(|| "none was found".to_owned());
                unknown(format!("the abstraction fails, but there is no trace: {why}"))
            }
        }
    }

    /// The verdict of a trace, if it gives one; otherwise there are new predicates.
    fn concluded(&mut self, trace: &Followed, learnt: &mut Vec<(Source, usize)>) -> Option<Verdict> {
        match &trace.ended {
            Ended::Unknown(why) => Some(Verdict::Unknown(why.clone())),
            Ended::Inputs(numbers) => {
                let steps = STEPS.max(10 * trace.steps.len() as u64);
                // Whatever is asked for besides does not matter.
                let numbers = numbers.iter().copied().chain(std::iter::repeat_n(0, 1_000));
                match failing(self.program, self.options.overflow, Inputs::list(numbers), steps) {
                    Ok((inputs, steps)) => Some(Verdict::Violated(inputs, steps)),
                    Err(why) => Some(Verdict::Unknown(why)),
                }
            }
            Ended::Infeasible(core) => {
                *learnt = learn(&mut self.numbered, &mut self.known, &trace.steps, core);
                if !learnt.is_empty() {
                    return None;
                }
                Some(Verdict::Unknown("its trace is no run of the program, and no new predicate shows it".to_owned()))
            }
        }
    }
}

/// The numbers that a program compares with, and those beside them.
fn constants(program: &Program) -> Vec<i128> {
    let mut numbers = BTreeSet::new();
    for statement in program.procedures.iter().flat_map(|procedure| procedure.body.iter().flatten()) {
        let (StatementKind::Branch(condition, ..) | StatementKind::Assume(condition)) = statement.kind else {
            continue;
        };
        for term in program.terms.postorder(Term::Expression(condition)) {
            let Term::Expression(id) = term else { continue };
            let expression = program.terms.get(id);
            if let (ExpressionKind::Constant(bits), Some(integer)) =
                (&expression.kind, program.types.as_integer(expression.ty))
            {
                let number = integer.number(*bits);
                numbers.extend([number.saturating_sub(1), number, number.saturating_add(1)]);
            }
        }
    }
    numbers.into_iter().collect()
}
