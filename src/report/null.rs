//! What is known of uses of pointers, for people and in the forms of other tools.

use std::io::{self, Write};

use quick_junit::TestCase;
use serde_json::{Value, json};
use serde_sarif::sarif::ResultLevel;
use spds_format::model::Place;

use super::json::Header;
use super::junit::{self, Case};
use super::sarif::{self, Counts, Event, Flow, Spot};
use crate::nullness::{Dereference, LeftOut, Step, Trace, Verdict};
use crate::verdict::{self, Why};

/// Whether some use has a verdict.
pub fn has(all: &[Dereference], verdict: Verdict) -> bool {
    all.iter().any(|dereference| dereference.verdict == verdict)
}

/// A line for each use, with the trace under those that can be NULL, and a line that counts.
///
/// # Errors
/// If writing fails.
pub fn text(out: &mut dyn Write, files: &[Box<str>], all: &[Dereference]) -> io::Result<()> {
    for one in all {
        let file = file(files, one.place.file);
        let (line, column, verdict) = (one.place.line, one.place.column, one.verdict.name());
        writeln!(out, "{file}:{line}:{column}: {verdict}: `{}` in `{}`: {}", one.expression, one.procedure, one.why)?;
        if let Some(trace) = one.trace.as_ref().filter(|_| one.verdict != Verdict::Safe) {
            steps(out, files, trace)?;
        }
    }
    let count = |verdict| all.iter().filter(|one| one.verdict == verdict).count();
    let (safe, null, unknown) = (count(Verdict::Safe), count(Verdict::Null), count(Verdict::Unknown));
    writeln!(out, "{} uses of pointers: {safe} safe, {null} null, {unknown} unknown", all.len())
}

fn steps(out: &mut dyn Write, files: &[Box<str>], trace: &Trace) -> io::Result<()> {
    if !trace.inputs.is_empty() {
        let inputs: Vec<String> = trace.inputs.iter().map(i128::to_string).collect();
        writeln!(out, "    inputs: {}", inputs.join(", "))?;
    }
    for (index, step) in trace.steps.iter().enumerate() {
        if let Some(left_out) = trace.left_out.filter(|left_out| left_out.at == index) {
            writeln!(out, "    … {} statements that are not shown", left_out.count)?;
        }
        let indent = "  ".repeat(step.depth + 2);
        writeln!(out, "{indent}{}:{}: {}", file(files, step.place.file), step.place.line, step.text)?;
    }
    Ok(())
}

fn file(files: &[Box<str>], number: u32) -> &str {
    files.get(number as usize).map_or("", |name| name)
}

/// A list of objects; the trace is `null` where there is none.
pub fn json(files: &[Box<str>], all: &[Dereference]) -> Vec<Value> {
    let place = |place: Place| (file(files, place.file).to_owned(), place.line, place.column);
    let trace = |trace: &Trace| {
        let steps: Vec<Value> = trace
            .steps
            .iter()
            .map(|step| {
                let (file, line, column) = place(step.place);
                json!({
                    "file": file, "line": line, "column": column,
                    "procedure": step.procedure, "depth": step.depth, "statement": step.text,
                })
            })
            .collect();
        // Numbers of C may be larger than those of JSON's readers.
        let inputs: Vec<String> = trace.inputs.iter().map(i128::to_string).collect();
        let mut told = json!({ "inputs": inputs, "steps": steps });
        if let Some(LeftOut { at, count }) = trace.left_out {
            told["left_out"] = json!({ "before": at, "statements": count });
        }
        told
    };
    all.iter()
        .map(|one| {
            let (file, line, column) = place(one.place);
            json!({
                "file": file, "line": line, "column": column,
                "expression": one.expression, "procedure": one.procedure,
                "verdict": one.verdict.name(), "reason": one.why.to_string(), "reason_kind": one.why.kind(), "trace": one.trace.as_ref().map(trace),
            })
        })
        .collect()
}

/// A log for code scanning: an entry for each use, where it stands, with the run to NULL as its code flow.
///
/// # Errors
/// If writing fails.
pub fn sarif(out: &mut dyn Write, header: Header<'_>, files: &[Box<str>], all: &[Dereference]) -> io::Result<()> {
    let spot = |place: Place| Spot { file: file(files, place.file), place };
    let flow = |trace: &Trace| {
        let event = |step: &Step| Event { spot: spot(step.place), text: step.text.clone(), depth: step.depth as u64 };
        let mut events: Vec<Event<'_>> = trace.steps.iter().map(event).collect();
        if let Some(LeftOut { at, count }) = trace.left_out
            && let Some(behind) = events.get_mut(at)
        {
            behind.text = format!("{} ({count} statements before it are not shown)", behind.text);
        }
        Flow { ended: String::new(), at: None, events }
    };
    let entry = |one: &Dereference| {
        let counts = match one.verdict {
            Verdict::Null => Counts::Fail(ResultLevel::Error),
            Verdict::Safe => Counts::Pass,
            Verdict::Unknown => Counts::Open,
        };
        // A trace of an abstraction is no run.
        let flow = one.trace.as_ref().filter(|_| one.verdict == Verdict::Null).map(flow);
        let text = format!("`{}` in `{}`: {}: {}", one.expression, one.procedure, one.verdict.name(), one.why);
        sarif::Said { rule: (sarif::NULL.0, 0), counts, text, at: Some(spot(one.place)), flow }.entry(header)
    };
    sarif::log(out, header, &[sarif::NULL], all.iter().map(entry).collect())
}

/// A suite: a test case for each use, with the run to NULL as the text of its failure.
///
/// # Errors
/// If writing fails.
pub fn junit(out: &mut dyn Write, header: Header<'_>, files: &[Box<str>], all: &[Dereference]) -> io::Result<()> {
    let case = |one: &Dereference| -> io::Result<TestCase> {
        let mut run = Vec::new();
        if let Some(trace) = one.trace.as_ref().filter(|_| one.verdict == Verdict::Null) {
            steps(&mut run, files, trace)?;
        }
        let run = String::from_utf8_lossy(&run);
        let (line, column) = (one.place.line, one.place.column);
        let at = format!("{}:{line}:{column}", file(files, one.place.file));
        let verdict = match one.verdict {
            Verdict::Safe => verdict::Verdict::Holds,
            Verdict::Null => verdict::Verdict::Violated(()),
            Verdict::Unknown => {
                let kind = one.why.kind().unwrap_or_default();
                verdict::Verdict::Unknown(Why { sentence: one.why.to_string(), kind })
            }
        };
        let (failure, run) = (Some(one.verdict.name()), (!run.is_empty()).then_some(&*run));
        let name = format!("null `{}` in `{}`, {at}", one.expression, one.procedure);
        let message = format!("`{}` in `{}`: {}", one.expression, one.procedure, one.verdict.name());
        Ok(Case { name, message, verdict, failure, run, warnings: Vec::new() }.test(header))
    };
    junit::suite(out, header, all.iter().map(case).collect::<io::Result<_>>()?)
}
