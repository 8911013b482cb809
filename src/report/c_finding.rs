//! The verdict about a C program, as text and as JSON: a violation with its inputs and the run in C statements with their values.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::answer::Run;
use crate::c::Program;
use crate::c::program::{Overflow, StatementKind};
use crate::interpreter::{self, Inputs, Outcome as Ran, execute};
use crate::limits;
use crate::nullness::PointerUse;
use crate::options::TraceWish;
use crate::question::Failures;
use crate::refinement::{Answer, Execution, Input, Onward, Proof, Verdict, undefined};
use crate::source::Source;
use crate::verdict::{self, Why};

use super::answered::Answered;
use super::c_run::{self, Length, Recorder, json_number};
use super::html::programs::too_long;
use super::json::value;
use super::null;
use super::present::{Asked, Finding, Unverified, Warning};
use super::reported::Reported;
#[cfg(feature = "cli")]
use super::sarif::Flow;
use super::text::Layout;

/// An answer about a program.
pub type CFinding<'s> = Finding<'s, Verdict, Executed<'s>>;

/// What shows an answer about a program: its runs are executed once more where they are told.
#[derive(Clone, Copy, Debug)]
pub struct Executed<'s> {
    /// The program, with the question written into it.
    pub program: &'s Program,
    /// What overflows are.
    pub overflow: Overflow,
    /// Whether it was proved again.
    pub proof: &'s Proof,
    /// Where NULL is asked about: what is known of each use of a pointer.
    pub uses: Option<&'s [PointerUse]>,
}

impl<'s> Executed<'s> {
    /// Of an answer.
    pub fn of(answer: &'s Answer) -> Executed<'s> {
        Executed { program: &answer.program, overflow: answer.overflow, proof: &answer.outcome.proof, uses: None }
    }
}

/// What should be known about an answer about a program whose first file has this name, if it is about these failures or something else.
pub fn warnings(answer: &Answer, name: &str, asked: Option<Failures>) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let is_asked = answer.overflow == Overflow::Check || has_failures(&answer.program);
    let what = match asked.filter(|_| !is_asked) {
        Some(Failures::All) => {
            Some("has no assertions: nothing was asked; `--overflow check` asks whether anything undefined is done")
        }
        Some(Failures::Null) => Some("uses no pointer that needs an object: nothing was asked"),
        _ => None,
    };
    warnings.extend(what.map(|what| Warning::NoAssertions(format!("`{name}` {what}"))));
    warnings.extend(undefined::told(&answer.program, &answer.outcome.undefined).map(Warning::Undefined));
    warnings
}

fn has_failures(program: &Program) -> bool {
    let mut statements = program.procedures.iter().flat_map(|procedure| procedure.body.iter().flatten());
    statements.any(|statement| matches!(statement.kind, StatementKind::Fail(_)))
}

/// What readers should know of a proof.
fn told(proof: &Proof) -> Option<String> {
    match proof {
        Proof::Once(why) => Some(format!("not proved a second time: {why}")),
        Proof::Nothing | Proof::Again(_) | Proof::Executed(_) => None,
    }
}

fn json(proof: &Proof) -> Value {
    match proof {
        Proof::Nothing => Value::Null,
        Proof::Again(count) => json!({"again": true, "implications": count, "reason": null}),
        Proof::Once(why) => json!({"again": false, "implications": null, "reason": why.to_string()}),
        Proof::Executed(steps) => {
            let reason = format!("no input is asked for, and the only run was executed: {steps} steps");
            json!({"again": true, "implications": null, "reason": reason})
        }
    }
}

impl<'s> CFinding<'s> {
    /// The run, executed again, and how it ended.
    pub fn ran(&self, run: &Execution, length: Length) -> (Recorder<'s>, Ran) {
        let mut recorder = Recorder::new(self.shown.program, length);
        let options = interpreter::Options::of(self.shown.overflow, run.steps);
        let numbers = Inputs::list(run.inputs.iter().map(|input| input.value));
        let stem = match run.onward {
            Onward::Repeats(stem) => stem,
            Onward::Over | Onward::Recurs(_) => u64::MAX,
        };
        let mut taken = 0;
        let outcome = execute(self.shown.program, &options, numbers, &mut |moment| {
            if taken == stem {
                recorder.repeats();
            }
            taken += 1;
            recorder.tell(moment);
        });
        (recorder, outcome)
    }

    /// The run as readers are told of it, with all its statements; or why it is not shown: because they are more than the limit.
    pub fn told(&self, run: &Execution, sources: &[Source<'_>], limit: u64) -> (Result<Run, String>, Ran) {
        let (recorder, ran) = self.ran(run, Length::All);
        let lines = recorder.lines() as u64;
        if lines > limit {
            return (Err(too_long(lines, limit)), ran);
        }
        let cycle = recorder.cycle().and_then(|at| usize::try_from(at).ok());
        let steps = recorder.steps(sources).collect();
        (Ok(Run { steps, cycle, ..self.without_steps(run) }), ran)
    }

    /// The same without its statements.
    pub fn without_steps(&self, run: &Execution) -> Run {
        let recurrent = match &run.onward {
            Onward::Recurs(states) => Some(states.told(self.shown.program)),
            Onward::Over | Onward::Repeats(_) => None,
        };
        let own = run.inputs.iter().filter(|input| input.is_told()).map(|input| input.told(self.shown.program));
        Run { inputs: own.collect(), recurrent, ..Run::default() }
    }

    /// What is said, in the words of all formats. Every run that is shown was executed, and `holds` where nothing can run is no other answer.
    pub fn answered(&self) -> Answered<'_> {
        let trusted = self.trusted.iter().map(|one| Unverified { code: one.code, text: &one.text });
        Answered {
            asked: self.asked,
            verdict: self.verdict.as_ref().map(|_| (), Why::from),
            warnings: self.warnings,
            not_verified: trusted.collect(),
            verified: self.verified,
            remarks: told(self.shown.proof).into_iter().collect(),
        }
    }

    pub(super) fn text(
        &self,
        out: &mut dyn Write,
        sources: &[Source<'_>],
        trace: TraceWish,
        layout: Layout,
    ) -> io::Result<()> {
        self.run_text(out, sources, trace, layout)?;
        match self.shown.uses {
            Some(uses) if !uses.is_empty() => {
                writeln!(out)?;
                null::text(out, uses, trace)
            }
            _ => Ok(()),
        }
    }

    /// The verdict with its run.
    fn run_text(
        &self,
        out: &mut dyn Write,
        sources: &[Source<'_>],
        trace: TraceWish,
        layout: Layout,
    ) -> io::Result<()> {
        self.answered().line(out, layout.style)?;
        if let Some(told) = told(self.shown.proof) {
            writeln!(out, "  {told}")?;
        }
        for one in self.trusted {
            writeln!(out, "  not verified: {}", one.text)?;
        }
        let Some(run) = self.verdict.run() else { return Ok(()) };
        if trace != TraceWish::None {
            writeln!(out)?;
            let (recorder, outcome) = self.ran(run, Length::Ends);
            let recorder = recorder.within(layout.columns);
            match &run.onward {
                Onward::Repeats(_) => c_run::endless(out, sources, &recorder, (&outcome, None))?,
                Onward::Recurs(recurrent) => {
                    let told = recurrent.told(self.shown.program).sentence();
                    c_run::endless(out, sources, &recorder, (&outcome, Some(&told)))?;
                }
                Onward::Over => c_run::lines(out, sources, &recorder, &outcome)?,
            }
        }
        let mut own = run.inputs.iter().filter(|input| input.is_told()).peekable();
        if own.peek().is_some() {
            writeln!(out, "\n  inputs:")?;
            for input in own {
                let value = if input.is_allocation() { "NULL".to_owned() } else { input.value.to_string() };
                writeln!(out, "  line {}: {} = {value}", input.place.line, input.origin(self.shown.program))?;
            }
        }
        Ok(())
    }

    /// Writes the members of its JSON object behind those that all answers have.
    pub(super) fn members(
        &self,
        out: &mut dyn Write,
        sources: &[Source<'_>],
        trace: TraceWish,
        seconds: Option<f64>,
    ) -> io::Result<()> {
        self.run_json(out, sources, trace, seconds)?;
        let Some(uses) = self.shown.uses else { return Ok(()) };
        write!(out, ",\n              \"uses\": [")?;
        for (index, one) in null::json(uses).iter().enumerate() {
            write!(out, "{}", if index == 0 { "" } else { ",\n                       " })?;
            value(out, one)?;
        }
        write!(out, "]")
    }

    /// Those of them that are there whatever was asked.
    fn run_json(
        &self,
        out: &mut dyn Write,
        sources: &[Source<'_>],
        trace: TraceWish,
        seconds: Option<f64>,
    ) -> io::Result<()> {
        write!(out, ", \"proof\": {}", json(self.shown.proof))?;
        if let Some(seconds) = seconds {
            write!(out, ", \"seconds\": {seconds}")?;
        }
        write!(out, ",\n              \"inputs\": ")?;
        let Some(run) = self.verdict.run() else {
            return write!(out, "null, \"notes\": [], \"trace\": null");
        };
        // Who replays the run needs all of them if one fails.
        let fails = run.inputs.iter().any(|input| input.is_allocation() && input.is_told());
        let own = |input: &&Input| input.is_own() && (fails || !input.is_allocation());
        let listed = run.inputs.iter().filter(own).map(|input| {
            let file = self.shown.program.file(input.place);
            let call = input.call.as_ref().map(ToString::to_string);
            let mut told =
                json!({"call": call, "file": file, "line": input.place.line, "value": json_number(input.value)});
            if let Some(variable) = input.variable(self.shown.program) {
                told["variable"] = variable.into();
            }
            told
        });
        write!(out, "{}", Value::Array(listed.collect()))?;
        let (recorder, outcome) = self.ran(run, Length::Ends);
        let wraps = outcome.wrapped.map(|place| format!("signed arithmetic wraps around in line {}", place.line));
        write!(
            out,
            ",\n              \"notes\": {}",
            json!(wraps.into_iter().chain(outcome.told_orders()).collect::<Vec<_>>())
        )?;
        if trace == TraceWish::None {
            return write!(out, ",\n              \"trace\": null");
        }
        let recurrent = match &run.onward {
            Onward::Recurs(recurrent) => Some(recurrent.told(self.shown.program)),
            _ => None,
        };
        let goes_on = recorder.cycle().is_some() || recurrent.is_some();
        let ending = if goes_on { "loop" } else { outcome.end.name() };
        write!(out, ",\n              \"trace\": {{\"ending\": \"{ending}\", \"cycle\": ")?;
        c_run::cycle(out, sources, &recorder)?;
        if let Some(recurrent) = recurrent {
            write!(out, ", \"recurrent\": ")?;
            value(out, &recurrent)?;
        }
        write!(out, ", \"stem\": [")?;
        c_run::stem(out, sources, &recorder)?;
        write!(out, "]}}")
    }
}

/// That a limit was met before a question about a program was answered.
pub struct Stopped<'a> {
    /// What was asked.
    pub asked: &'a Asked,
    /// Which limit.
    pub reason: limits::Reason,
}

impl Reported for Stopped<'_> {
    fn answered(&self) -> Answered<'_> {
        let (verdict, remarks) = (verdict::Verdict::Unknown(self.reason.into()), Vec::new());
        Answered { asked: self.asked, verdict, warnings: &[], not_verified: Vec::new(), verified: None, remarks }
    }

    fn text(&self, out: &mut dyn Write, layout: Layout) -> io::Result<()> {
        self.answered().line(out, layout.style)
    }

    fn is_long(&self) -> bool {
        false
    }

    fn members(&self, out: &mut dyn Write, _: Option<f64>) -> io::Result<()> {
        write!(out, ", \"proof\": null, \"inputs\": null, \"notes\": [], \"trace\": null")
    }

    fn has_run(&self) -> bool {
        false
    }

    #[cfg(feature = "cli")]
    fn flow(&self) -> Option<Result<Flow<'_>, String>> {
        None
    }
}
