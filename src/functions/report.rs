//! What is known of functions, for people and as JSON.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use super::{Function, Kind, Verdict};

/// The exit code of the command: 1 some function fails, 3 of some it is not known, else 0.
pub fn exit_code(all: &[Function]) -> u8 {
    match all.iter().map(Function::verdict).max() {
        Some(Verdict::Fails) => 1,
        Some(Verdict::Unknown) => 3,
        _ => 0,
    }
}

/// The verdict of a function as that of a property.
fn verdict(function: &Function) -> &'static str {
    match function.verdict() {
        Verdict::Safe | Verdict::Obligation => "holds",
        Verdict::Fails => "violated",
        Verdict::Unknown => "unknown",
    }
}

/// How many findings of a kind have a verdict.
fn count(function: &Function, kind: Kind, verdict: Verdict) -> usize {
    function.findings.iter().filter(|finding| finding.kind == kind && finding.verdict == verdict).count()
}

/// A paragraph for each function: its verdict, what callers owe, what is not known; and a line for each kind that counts.
///
/// # Errors
/// If writing fails.
pub fn text(out: &mut dyn Write, files: &[Box<str>], all: &[Function], kinds: &[Kind]) -> io::Result<()> {
    let file = |number: u32| files.get(number as usize).map_or("", |name| &**name);
    for function in all {
        let (place, name) = (function.place, &function.name);
        writeln!(out, "{}:{}: {}: `{name}`", file(place.file), place.line, verdict(function))?;
        for owed in &function.obligations {
            writeln!(out, "    callers owe {} ({}, line {})", owed.condition, owed.kind.name(), owed.place.line)?;
        }
        let open = function.findings.iter().filter(|finding| finding.verdict >= Verdict::Unknown);
        for finding in open {
            let (place, kind, word) = (finding.place, finding.kind.name(), finding.verdict.name());
            let reason = finding.reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
            let file = file(place.file);
            writeln!(out, "    {file}:{}:{}: {kind} {word}: `{}`{reason}", place.line, place.column, finding.text)?;
        }
    }
    assumptions(out, all)?;
    let verdicts = |word: &str| all.iter().filter(|function| verdict(function) == word).count();
    let (fine, bad, open) = (verdicts("holds"), verdicts("violated"), verdicts("unknown"));
    writeln!(out, "{} functions: {fine} hold, {bad} violated, {open} unknown", all.len())?;
    for &kind in kinds {
        let sum = |verdict| all.iter().map(|function| count(function, kind, verdict)).sum::<usize>();
        let [safe, owed, fails, open] =
            [Verdict::Safe, Verdict::Obligation, Verdict::Fails, Verdict::Unknown].map(sum);
        if safe + owed + fails + open > 0 {
            writeln!(out, "{}: {safe} safe, {owed} obligation, {fails} fails, {open} unknown", kind.name())?;
        }
    }
    Ok(())
}

/// What is taken for granted, each once, with how many functions rest on it.
fn assumptions(out: &mut dyn Write, all: &[Function]) -> io::Result<()> {
    let mut known: Vec<(&String, usize)> = Vec::new();
    for text in all.iter().flat_map(|function| &function.assumptions) {
        match known.iter_mut().find(|(other, _)| *other == text) {
            Some((_, count)) => *count += 1,
            None => known.push((text, 1)),
        }
    }
    for (text, count) in known {
        let functions = if count == 1 { "function" } else { "functions" };
        writeln!(out, "assumed of {count} {functions}: {text}")?;
    }
    Ok(())
}

/// A list of results; of kinds of which a function has nothing there is nothing in its `uses`.
pub fn json(files: &[Box<str>], all: &[Function], kinds: &[Kind]) -> Vec<Value> {
    let file = |number: u32| files.get(number as usize).map_or("", |name| &**name).to_owned();
    all.iter()
        .map(|function| {
            let mut uses = Map::new();
            for &kind in kinds {
                let of = |verdict| count(function, kind, verdict);
                let numbers = json!({
                    "safe": of(Verdict::Safe), "obligation": of(Verdict::Obligation), "fails": of(Verdict::Fails),
                    "up_to": 0, "unknown": of(Verdict::Unknown),
                });
                if function.findings.iter().any(|finding| finding.kind == kind) {
                    uses.insert(kind.name().to_owned(), numbers);
                }
            }
            let obligations: Vec<Value> = function
                .obligations
                .iter()
                .map(|owed| {
                    json!({
                        "condition": owed.condition, "kind": owed.kind.name(), "file": file(owed.place.file),
                        "line": owed.place.line, "column": owed.place.column,
                    })
                })
                .collect();
            let findings: Vec<Value> = function
                .findings
                .iter()
                .filter(|finding| finding.verdict >= Verdict::Unknown)
                .map(|finding| {
                    json!({
                        "kind": finding.kind.name(), "verdict": finding.verdict.name(), "expression": finding.text,
                        "reason": finding.reason, "file": file(finding.place.file),
                        "line": finding.place.line, "column": finding.place.column,
                    })
                })
                .collect();
            let open = function.findings.iter().find(|finding| finding.verdict == Verdict::Unknown);
            let unknown = open.filter(|_| function.verdict() == Verdict::Unknown);
            json!({
                "kind": "function", "property": function.name, "verdict": verdict(function),
                "reason": unknown.and_then(|finding| finding.reason.clone()),
                "file": file(function.place.file), "line": function.place.line,
                "uses": uses, "obligations": obligations, "findings": findings, "assumptions": function.assumptions,
            })
        })
        .collect()
}
