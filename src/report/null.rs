//! What is known of uses of pointers, for people and in the forms of other tools.

use std::io::{self, Write};

#[cfg(feature = "cli")]
use quick_junit::TestCase;
use serde_json::{Value, json};
#[cfg(feature = "cli")]
use serde_sarif::sarif::{Result as Entry, ResultLevel};

#[cfg(feature = "cli")]
use super::json::Header;
#[cfg(feature = "cli")]
use super::junit::{self, Case, Known};
#[cfg(feature = "cli")]
use super::sarif::{self, Counts, Flow, Spot};
#[cfg(feature = "cli")]
use crate::answer::Verdict;
use crate::answer::{LeftOut, Run};
use crate::nullness::PointerUse;
use crate::options::TraceWish;

/// A line for each use, with the trace under those that can be NULL unless none is wanted, and a line that counts.
///
/// # Errors
/// If writing fails.
pub fn text(out: &mut dyn Write, all: &[PointerUse], trace: TraceWish) -> io::Result<()> {
    for one in all {
        let (line, column, word) = (one.line, one.column, one.word());
        writeln!(
            out,
            "{}:{line}:{column}: {word}: `{}` in `{}`: {}",
            one.file, one.pointer, one.procedure, one.grounds
        )?;
        if let Some(run) = one.run().filter(|_| trace != TraceWish::None) {
            steps(out, run)?;
        }
    }
    let count = |word: &str| all.iter().filter(|one| one.word() == word).count();
    let (safe, null, unknown) = (count("safe"), count("null"), count("unknown"));
    writeln!(out, "{} uses of pointers: {safe} safe, {null} null, {unknown} unknown", all.len())
}

fn steps(out: &mut dyn Write, run: &Run) -> io::Result<()> {
    if !run.inputs.is_empty() {
        let inputs: Vec<String> = run.inputs.iter().map(|input| input.value.to_string()).collect();
        writeln!(out, "    inputs: {}", inputs.join(", "))?;
    }
    for (index, step) in run.steps.iter().enumerate() {
        if let Some(left_out) = run.left_out.filter(|left_out| left_out.at == index) {
            writeln!(out, "    … {} statements that are not shown", left_out.count)?;
        }
        let indent = "  ".repeat(step.depth as usize + 2);
        writeln!(out, "{indent}{}:{}: {step}", step.file, step.line)?;
    }
    Ok(())
}

/// A list of objects; the trace is `null` where there is none.
pub fn json(all: &[PointerUse]) -> Vec<Value> {
    let trace = |run: &Run| {
        let step = |step: &crate::answer::Step| {
            json!({
                "file": step.file, "line": step.line, "column": step.column,
                "procedure": step.procedure, "depth": step.depth, "statement": step.statement,
            })
        };
        let steps: Vec<Value> = run.steps.iter().map(step).collect();
        // Numbers of C may be larger than those of JSON's readers.
        let inputs: Vec<String> = run.inputs.iter().map(|input| input.value.to_string()).collect();
        let mut told = json!({ "inputs": inputs, "steps": steps });
        if let Some(LeftOut { at, count }) = run.left_out {
            told["left_out"] = json!({ "before": at, "statements": count });
        }
        told
    };
    let object = |one: &PointerUse| {
        json!({
            "file": one.file, "line": one.line, "column": one.column,
            "expression": one.pointer, "procedure": one.procedure,
            "verdict": one.word(), "reason": one.grounds.to_string(), "reason_kind": one.grounds.kind(),
            "trace": one.run().map(trace),
        })
    };
    all.iter().map(object).collect()
}

/// A log for code scanning: an entry for each use, where it stands, with the run to NULL as its code flow.
///
/// # Errors
/// If writing fails.
#[cfg(feature = "cli")]
pub fn sarif(out: &mut dyn Write, header: Header<'_>, all: &[PointerUse]) -> io::Result<()> {
    sarif::log(out, header, &[sarif::NULL], entries(header, 0, all))
}

/// An entry for each use, of a rule with this number.
#[cfg(feature = "cli")]
pub(super) fn entries(header: Header<'_>, rule: usize, all: &[PointerUse]) -> Vec<Entry> {
    let entry = |one: &PointerUse| {
        let counts = match one.verdict {
            Verdict::Violated(_) | Verdict::Reachable(_) => Counts::Fail(ResultLevel::Error),
            Verdict::Holds | Verdict::Unreachable => Counts::Pass,
            Verdict::Unknown(_) => Counts::Open,
        };
        // A trace of an abstraction is no run.
        let flow = one.verdict.run().map(|run| Flow::of((**run).clone(), String::new()));
        let text = format!("`{}` in `{}`: {}: {}", one.pointer, one.procedure, one.word(), one.grounds);
        let at = Spot { file: (&*one.file).into(), line: one.line, column: one.column };
        sarif::Said { rule: (sarif::NULL.0, rule), counts, text, at: Some(at), flow }.entry(header)
    };
    all.iter().map(entry).collect()
}

/// A suite: a test case for each use, with the run to NULL as the text of its failure.
///
/// # Errors
/// If writing fails.
#[cfg(feature = "cli")]
pub fn junit(out: &mut dyn Write, header: Header<'_>, all: &[PointerUse]) -> io::Result<()> {
    junit::suite(out, header, cases(header, all)?)
}

/// A test case for each use.
#[cfg(feature = "cli")]
pub(super) fn cases(header: Header<'_>, all: &[PointerUse]) -> io::Result<Vec<TestCase>> {
    let case = |one: &PointerUse| -> io::Result<TestCase> {
        let mut run = Vec::new();
        if let Some(shown) = one.verdict.run() {
            steps(&mut run, shown)?;
        }
        let run = String::from_utf8_lossy(&run);
        let at = format!("{}:{}:{}", one.file, one.line, one.column);
        let verdict = one.verdict.as_ref().map(|_| (), Clone::clone);
        let (known, run) = (Known::of(&verdict, Some(one.word())), (!run.is_empty()).then_some(&*run));
        let name = format!("null `{}` in `{}`, {at}", one.pointer, one.procedure);
        let message = format!("`{}` in `{}`: {}", one.pointer, one.procedure, one.word());
        Ok(Case { name, message, known, run, warnings: Vec::new() }.test(header))
    };
    all.iter().map(case).collect()
}
