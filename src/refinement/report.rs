//! The verdict about a C program, as text and as JSON: a violation with its inputs and the run in C statements with their values.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::c::Program;
use crate::interpreter::{self, Inputs, Outcome as Ran, execute};
use crate::limits::Reason;
use crate::options::TraceWish;
use crate::report::c_run::{self, Length, Recorder, json_number};
use crate::report::json::{Header, begin};
use crate::report::source::Source;

use super::{Input, Options, Verdict};

/// What is reported about.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'s> {
    /// The program.
    pub program: &'s Program,
    /// Its texts.
    pub sources: &'s [Source<'s>],
    /// What was asked: `assertions`.
    pub property: &'s str,
    /// Which kind of question that is.
    pub kind: &'s str,
}

impl Verdict {
    /// Its name in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Violated(..) => "violated",
            Verdict::Stopped(_) | Verdict::Unknown(_) => "unknown",
        }
    }

    /// Why it is unknown, as a sentence and as a word.
    fn reason(&self) -> Option<(String, &'static str)> {
        match self {
            Verdict::Holds | Verdict::Violated(..) => None,
            Verdict::Stopped(reason) => Some((reason.to_string(), reason.kind())),
            Verdict::Unknown(why) => Some((why.clone(), Reason::Abstraction.kind())),
        }
    }
}

fn ran<'p>(program: &'p Program, inputs: &[Input], options: &Options, steps: u64) -> (Recorder<'p>, Ran) {
    let mut recorder = Recorder::new(program, Length::Ends);
    let options = interpreter::Options { overflow: options.overflow, steps };
    let numbers = Inputs::list(inputs.iter().map(|input| input.value));
    let outcome = execute(program, &options, numbers, &mut |moment| recorder.tell(moment));
    (recorder, outcome)
}

/// What an input is, in words.
fn origin(input: &Input) -> String {
    input.call.as_ref().map_or_else(|| "a value that nobody has assigned".to_owned(), |call| format!("{call}()"))
}

/// Writes the verdict for readers.
///
/// # Errors
/// If writing fails.
pub fn text(out: &mut dyn Write, subject: Subject<'_>, verdict: &Verdict, options: &Options) -> io::Result<()> {
    write!(out, "{}: {}", subject.property, verdict.name())?;
    match verdict.reason() {
        Some((why, _)) => writeln!(out, " ({why})")?,
        None => writeln!(out)?,
    }
    let Verdict::Violated(inputs, steps) = verdict else { return Ok(()) };
    if options.check.trace != TraceWish::None {
        writeln!(out)?;
        let (recorder, outcome) = ran(subject.program, inputs, options, *steps);
        c_run::lines(out, subject.sources, &recorder, &outcome)?;
    }
    if !inputs.is_empty() {
        writeln!(out, "\n  inputs:")?;
        for input in inputs {
            writeln!(out, "  line {}: {} = {}", input.place.line, origin(input), input.value)?;
        }
    }
    Ok(())
}

fn header<'h>(version: &'h str, input: &'h str) -> Header<'h> {
    Header { version, input, seconds: None, diagnostics: &[], source: None }
}

/// Writes that a limit was met before there was a verdict, as one JSON object.
///
/// # Errors
/// If writing fails.
pub fn stopped(out: &mut dyn Write, version: &str, name: &str, reason: Reason) -> io::Result<()> {
    let result = json!({"kind": "assertions", "property": "assertions", "verdict": "unknown", "reason": reason.to_string(),
        "reason_kind": reason.kind(), "warnings": [], "inputs": null, "notes": [], "trace": null});
    begin(out, header(version, name))?;
    writeln!(out, ",\n \"results\": [{result}]}}")
}

/// Writes the verdict as one JSON object, one step of a run to a line.
///
/// # Errors
/// If writing fails.
pub fn json(
    out: &mut dyn Write,
    version: &str,
    subject: Subject<'_>,
    verdict: &Verdict,
    options: &Options,
) -> io::Result<()> {
    let name = subject.sources.first().map_or("", |source| source.name);
    begin(out, header(version, name))?;
    let (reason, word) = verdict.reason().map_or((Value::Null, Value::Null), |(why, word)| (why.into(), word.into()));
    write!(out, ",\n \"results\": [{{\"kind\": {}, \"property\": {}", json!(subject.kind), json!(subject.property))?;
    write!(out, ", \"verdict\": \"{}\", \"reason\": {reason}, \"reason_kind\": {word}", verdict.name())?;
    write!(out, ", \"warnings\": [],\n              \"inputs\": ")?;
    let Verdict::Violated(inputs, steps) = verdict else {
        return writeln!(out, "null, \"notes\": [], \"trace\": null}}]}}");
    };
    let listed = inputs.iter().map(|input| {
        let file = &*subject.program.files[input.place.file as usize];
        json!({"call": input.call, "file": file, "line": input.place.line, "value": json_number(input.value)})
    });
    write!(out, "{}", Value::Array(listed.collect()))?;
    let (recorder, outcome) = ran(subject.program, inputs, options, *steps);
    let wraps = outcome.wrapped.map(|place| format!("signed arithmetic wraps around in line {}", place.line));
    write!(out, ",\n              \"notes\": {}", json!(wraps.into_iter().collect::<Vec<_>>()))?;
    if options.check.trace == TraceWish::None {
        return writeln!(out, ",\n              \"trace\": null}}]}}");
    }
    write!(out, ",\n              \"trace\": {{\"ending\": \"{}\", \"cycle\": null, \"stem\": [", outcome.end.name())?;
    c_run::steps(out, subject.sources, &recorder)?;
    writeln!(out, "]}}}}]}}")
}
