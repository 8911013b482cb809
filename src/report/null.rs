//! What is known of uses of pointers, for people and as JSON.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::nullness::{Dereference, LeftOut, Trace, Verdict};

/// The exit code of the command: 0 none can be NULL, 1 some can, 3 of some it is not known.
pub fn exit_code(all: &[Dereference]) -> u8 {
    let has = |verdict| all.iter().any(|dereference| dereference.verdict == verdict);
    if has(Verdict::Null) {
        1
    } else if has(Verdict::Unknown) {
        3
    } else {
        0
    }
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
    let place = |place: spds_format::model::Place| (file(files, place.file).to_owned(), place.line, place.column);
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
