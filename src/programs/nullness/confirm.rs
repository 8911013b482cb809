//! Runs of the program in which a question fails: looked for with simple inputs, and then along the trace of the Boolean program.
//! The judge decides: a run counts only if it executes the program into the failing statement.

use std::sync::Arc;

use spds_format::model::Place;

use crate::c::Program;
use crate::c::expression::Term;
use crate::c::meaning::Kind;
use crate::c::program::{InputKind, Label, Overflow, StatementId, StatementKind};
use crate::concretise::Point;
use crate::interpreter::{self, Begun, End, Given, Inputs, Pointer, Value};

use super::{Failed, Options};
use crate::answer::{LeftOut, Run, Step};
use crate::question::uses::{Check, Instrumented};
use crate::refinement::{Exact, Execution, Onward, Reason, Verdict, confirmed, input};

/// Of how many first inputs all choices of 0 and 1 are tried.
const CHOICES: u32 = 6;

/// How many runs have arbitrary inputs.
const SEEDS: u64 = 24;

/// How many runs have inputs near numbers that matter.
const NEAR: u64 = 200;

/// Statements that are kept of the beginning and of the end of a long run; up to three times as many are no long run.
const ENDS: usize = 1_000;

/// Why a run does not show that a question fails.
pub(super) struct Missed {
    /// The question that fails in it all the same.
    pub at: Option<usize>,
    /// Why that says nothing.
    pub why: Reason,
}

/// A program with its questions, to be executed again and again.
pub(super) struct Executed<'a> {
    pub instrumented: &'a Instrumented,
    begun: Begun<'a>,
}

impl<'a> Executed<'a> {
    pub fn of(instrumented: &'a Instrumented) -> Executed<'a> {
        Executed { instrumented, begun: Begun::of(&instrumented.program) }
    }
}

/// Runs with simple inputs in which some of the open questions fail.
pub(super) fn tried(runs: &Executed<'_>, open: &[usize], options: &Options) -> Vec<(usize, Failed)> {
    let mut open = open.to_vec();
    let mut shown = Vec::new();
    for inputs in simple() {
        if open.is_empty() || options.check.limits.met().is_some() {
            break;
        }
        if let Ok((at, came)) = executed(runs, inputs, options.steps, options)
            && let Some(index) = open.iter().position(|&other| other == at)
        {
            open.remove(index);
            shown.push((at, came.failed(runs.instrumented)));
        }
    }
    shown
}

/// For each question a run in which it fails with simple inputs, or some near these numbers, if one is found.
pub(super) fn tried_with(instrumented: &Instrumented, numbers: &Arc<[i128]>, options: &Options) -> Vec<Option<Failed>> {
    let runs = Executed::of(instrumented);
    let inputs = simple().chain((1..=NEAR).map(|seed| Inputs::near(numbers, seed)));
    let mut found: Vec<Option<Failed>> = instrumented.checks.iter().map(|_| None).collect();
    for inputs in inputs {
        if found.iter().all(Option::is_some) || options.check.limits.met().is_some() {
            break;
        }
        if let Ok((at, came)) = executed(&runs, inputs, options.steps, options)
            && found[at].is_none()
        {
            found[at] = Some(simplified(&runs, at, came, options).failed(instrumented));
        }
    }
    found
}

/// A run in which the same question fails, with 0 for each input that does not matter by itself. So many runs as there are inputs.
fn simplified(runs: &Executed<'_>, at: usize, mut came: Came, options: &Options) -> Came {
    let mut index = 0;
    while let Some(input) = came.execution.inputs.get(index) {
        if input.value != 0 && options.check.limits.met().is_none() {
            let numbers = came.execution.inputs.iter().enumerate();
            let numbers = numbers.map(|(other, input)| if other == index { 0 } else { input.value });
            if let Ok((there, simpler)) = executed(runs, Inputs::list(numbers), options.steps, options)
                && there == at
            {
                came = simpler;
            }
        }
        index += 1;
    }
    came
}

/// The question that fails in the run with these inputs, or in one that is preferred to it, and the run.
///
/// # Errors
/// If none does; or if it does because of what C leaves open only.
pub(super) fn executed(
    runs: &Executed<'_>,
    inputs: Inputs,
    steps: u64,
    options: &Options,
) -> Result<(usize, Came), Missed> {
    let (at, came) = ran(runs, inputs, steps, options).map_err(|why| Missed { at: None, why })?;
    match confirmed(&runs.instrumented.program, options.overflow, came.execution.clone()) {
        Verdict::Violated(run) if run != came.execution => {
            again(runs, &run, options).ok_or(Missed { at: None, why: Reason::OtherRun })
        }
        Verdict::Unknown(why) => Err(Missed { at: Some(at), why }),
        _ => Ok((at, came)),
    }
}

/// The question that fails in a run that was executed before, and the run.
pub(super) fn again(runs: &Executed<'_>, run: &Execution, options: &Options) -> Option<(usize, Came)> {
    let inputs = Inputs::list(run.inputs.iter().map(|input| input.value));
    ran(runs, inputs, run.steps, options).ok()
}

/// The trace for readers; not known to be a run.
pub(super) fn abstract_run(instrumented: &Instrumented, points: &[Point]) -> Run {
    let mut steps: Vec<Step> = Vec::new();
    let mut last = None;
    for (at, point) in points.iter().enumerate() {
        while steps.last().is_some_and(|step| step.depth > point.depth as u64) {
            steps.pop();
            last = None;
        }
        let id = StatementId::of(point.procedure, point.label);
        let here = (id, point.depth);
        if last != Some(here) {
            let next = points[at..].iter().find(|next| StatementId::of(next.procedure, next.label) != id);
            let described = described(instrumented, id, point.depth, next.map(|next| next.label));
            let repeated = described.is_none() || steps.last() == described.as_ref();
            steps.extend(described.filter(|_| !repeated));
        }
        last = Some(here);
    }
    Run { steps, ..Run::default() }
}

/// Inputs that are worth trying before anything is computed.
fn simple() -> impl Iterator<Item = Inputs> {
    let choices = (0..1u32 << CHOICES).map(|bits| {
        let of = move |at: u32| i128::from(if at < CHOICES { bits >> at & 1 } else { bits & 1 });
        Inputs::list((0..1_000).map(of))
    });
    choices.chain((1..=SEEDS).map(Inputs::Seeded))
}

/// A statement that was executed, as far as a trace tells it.
struct Told {
    statement: StatementId,
    depth: usize,
    wrote: Option<Value>,
}

/// The statements of a run, but for calls that have returned, of which only the call stays; of a long one its beginning and its end.
#[derive(Default)]
struct Recorder {
    /// Those before what is left out, no more than [`ENDS`] if something is; and those behind it.
    told: Vec<Told>,
    /// How many are left out, and the least number of calls that are open at one of them.
    left_out: Option<(u64, usize)>,
}

impl Recorder {
    fn tell(&mut self, new: Told) {
        loop {
            match self.left_out {
                Some((_, least)) if self.told.len() == ENDS => {
                    // What is left out comes next.
                    if least <= new.depth {
                        break;
                    }
                    self.left_out = None;
                }
                _ if self.told.last().is_some_and(|last| last.depth > new.depth) => drop(self.told.pop()),
                _ => break,
            }
        }
        self.told.push(new);
        if self.told.len() > 3 * ENDS {
            let out = self.told.drain(ENDS..2 * ENDS);
            let least = out.map(|told| told.depth).min().unwrap_or(0);
            let (before, outermost) = self.left_out.unwrap_or((0, least));
            self.left_out = Some((before + ENDS as u64, outermost.min(least)));
        }
    }
}

/// A run that came to a question that fails.
pub(super) struct Came {
    pub execution: Execution,
    recorder: Recorder,
    inputs: Vec<Given>,
}

impl Came {
    /// As readers are told of it. Linear in its statements, which are written.
    pub fn failed(self, instrumented: &Instrumented) -> Failed {
        let Recorder { told, left_out } = self.recorder;
        let shown = |range: std::ops::Range<usize>| range.filter_map(|index| step(instrumented, &told, index));
        let before = if left_out.is_some() { ENDS } else { told.len() };
        let mut steps: Vec<Step> = shown(0..before).collect();
        let left_out = left_out.map(|(count, _)| LeftOut { at: steps.len(), count });
        steps.extend(shown(before..told.len()));
        let is_own = |given: &&Given| given.is_own() && given.call != Some(InputKind::Choice);
        let own = self.inputs.iter().filter(is_own);
        let inputs = own.map(|given| input(given).told(&instrumented.program)).collect();
        Failed { execution: self.execution, run: Run { inputs, steps, left_out, ..Run::default() } }
    }
}

/// Where a run goes on for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endless {
    /// The first statement that comes again and again.
    pub at: StatementId,
    /// The same as a trace shows it, if it does.
    pub statement: Option<String>,
}

/// A run that goes on for ever, as readers are told of it, and where it does; nothing of one that does not.
pub fn endless(program: &Program, run: &Execution, overflow: Overflow) -> Option<(Run, Endless)> {
    let instrumented = Instrumented { program: program.clone(), checks: Vec::new(), apart: Vec::new() };
    let stem = match run.onward {
        Onward::Repeats(stem) => Some(stem),
        Onward::Recurs(_) => None,
        Onward::Over => return None,
    };
    let running = interpreter::Options::of(overflow, run.steps);
    let inputs = Inputs::list(run.inputs.iter().map(|input| input.value));
    let (mut recorder, mut taken, mut repeated) = (Recorder::default(), 0, None);
    let outcome = interpreter::execute(program, &running, inputs, &mut |moment| {
        let statement = StatementId::of(moment.procedure, moment.label);
        let wrote = moment.wrote.map(|(_, value)| value);
        recorder.tell(Told { statement, depth: moment.depth, wrote });
        let last = recorder.told.len() - 1;
        repeated = match repeated {
            // What a call that has returned did is not told.
            Some((first, at)) => Some((last.min(first), at)),
            None if Some(taken) == stem => Some((last, statement)),
            None => None,
        };
        taken += 1;
    });
    let recurs = |place: &Place, procedure| {
        let is_there = |told: &&Told| {
            let statement = program.statement(told.statement);
            told.statement.procedure == procedure && statement.is_some_and(|statement| statement.place == *place)
        };
        recorder.told.iter().rfind(is_there).or(recorder.told.last()).map(|told| told.statement)
    };
    let at = match &run.onward {
        Onward::Recurs(states) => recurs(&states.place, states.procedure)?,
        _ => repeated?.1,
    };
    let statement = described(&instrumented, at, 0, None).map(|step| step.statement);
    // Where something is left out it is not counted.
    let first = repeated.filter(|_| recorder.left_out.is_none());
    let cycle = first.map(|(first, _)| (0..first).filter_map(|at| step(&instrumented, &recorder.told, at)).count());
    let recurrent = match &run.onward {
        Onward::Recurs(states) => Some(states.told(program)),
        _ => None,
    };
    let told = Came { execution: run.clone(), recorder, inputs: outcome.inputs }.failed(&instrumented).run;
    let cycle = cycle.filter(|at| *at < told.steps.len());
    Some((Run { cycle, recurrent, ..told }, Endless { at, statement }))
}

/// The question that fails in a run, and the run.
///
/// # Errors
/// Why none does.
fn ran(runs: &Executed<'_>, inputs: Inputs, steps: u64, options: &Options) -> Result<(usize, Came), Reason> {
    let running = interpreter::Options::of(options.overflow, steps).within(options.check.limits);
    let (mut recorder, mut exact) = (Recorder::default(), Exact::default());
    let outcome = runs.begun.execute(&running, inputs, &mut |moment| {
        exact.see(moment);
        let wrote = moment.wrote.map(|(_, value)| value);
        let statement = StatementId::of(moment.procedure, moment.label);
        recorder.tell(Told { statement, depth: moment.depth, wrote });
    });
    if !matches!(outcome.end, End::Failed(_)) {
        return Err(exact.why(&runs.instrumented.program, &outcome.end));
    }
    let last = recorder.told.last();
    let asked = |last: &Told| runs.instrumented.checks.iter().position(|check| check.fails() == last.statement);
    let at = last.and_then(asked).ok_or(Reason::OtherRun)?;
    Ok((at, Came { execution: Execution::ended(&outcome), recorder, inputs: outcome.inputs }))
}

fn step(instrumented: &Instrumented, told: &[Told], index: usize) -> Option<Step> {
    let Told { statement: id, depth, wrote } = &told[index];
    let next = told.get(index + 1).map(|next| next.statement.label);
    let mut step = described(instrumented, *id, *depth, next)?;
    let program = &instrumented.program;
    let statement = program.statement(*id)?;
    let (StatementKind::Assign(to, _) | StatementKind::Input(to, _)) = statement.kind else { return Some(step) };
    let value = match wrote {
        Some(Value::Bits(bits)) => program.constant_text(*bits, program.terms.at(to).ty),
        Some(Value::Pointer(Pointer::NULL)) => "NULL".to_owned(),
        _ => return Some(step),
    };
    if !step.statement.ends_with(&format!("= {value}")) {
        step.statement += &format!(" (that is {value})");
    }
    Some(step)
}

/// What goes wrong.
fn failing(program: &Program, check: &Check) -> String {
    match (check.subject, check.kind) {
        (Some(Term::Expression(pointer)), Kind::Null) => format!("{} is NULL", program.expression_text(pointer)),
        (Some(Term::Expression(id)), Kind::Contract) => format!("{} does not hold", program.expression_text(id)),
        (Some(Term::Expression(id)), kind) => format!("{}: {}", program.expression_text(id), kind.told()),
        (Some(Term::Lvalue(id)), kind) => format!("{}: {}", program.lvalue_text(id), kind.told()),
        (None, kind) => kind.told().to_owned(),
    }
}

/// A statement as a trace shows it; nothing for those that are there for the questions only.
fn described(instrumented: &Instrumented, id: StatementId, depth: usize, next: Option<Label>) -> Option<Step> {
    let program = &instrumented.program;
    let statement = program.statement(id)?;
    if instrumented.apart.contains(&id) {
        return None;
    }
    let asks = instrumented.checks.iter().any(|check| check.asks() == id);
    let text = match &statement.kind {
        StatementKind::Skip | StatementKind::Goto(_) | StatementKind::Assume(_) | StatementKind::Dead(_) => {
            return None;
        }
        StatementKind::Branch(..) if asks => return None,
        StatementKind::Assign(to, _) if program.terms.variable_of(*to).is_some_and(|id| program.is_count(id)) => {
            return None;
        }
        StatementKind::Branch(condition, yes, no) => {
            let condition = program.expression_text(*condition);
            match next {
                Some(next) if yes != no && next == *yes => format!("if ({condition}): yes"),
                Some(next) if yes != no && next == *no => format!("if ({condition}): no"),
                _ => format!("if ({condition})"),
            }
        }
        StatementKind::Fail(_) => failing(program, instrumented.checks.iter().find(|check| check.fails() == id)?),
        _ => program.statement_text(statement),
    };
    Some(Step {
        file: program.file(statement.place).to_owned(),
        line: statement.place.line,
        column: statement.place.column,
        procedure: program.procedure(id.procedure).name.to_string(),
        depth: depth as u64,
        statement: text,
        values: Vec::new(),
    })
}
