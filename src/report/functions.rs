//! What is known of functions by themselves, for people and as JSON.

use std::io::{self, Write};

use serde_json::{Value, json};
use spds_format::model::Place;

use super::null;
use crate::functions::{Answer, Class, Verdict};
use crate::nullness::Dereference;

/// Answers that were given, counted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    /// Functions, by verdict: hold, violated, unknown.
    pub functions: [usize; 3],
    /// Uses, by class: safe, by an obligation, failing, unknown.
    pub uses: [usize; 4],
}

const CLASSES: [(Class, &str); 4] =
    [(Class::Safe, "safe"), (Class::Obligation, "obligation"), (Class::Fails, "fails"), (Class::Unknown, "unknown")];

impl Count {
    /// Counts one more.
    pub fn add(&mut self, answer: &Answer) {
        self.functions[match answer.verdict {
            Verdict::Holds => 0,
            Verdict::Violated => 1,
            Verdict::Unknown => 2,
        }] += 1;
        for (of, (class, _)) in self.uses.iter_mut().zip(CLASSES) {
            *of += answer.count(class);
        }
    }

    /// The last line of a text.
    ///
    /// # Errors
    /// If writing fails.
    pub fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let ([hold, violated, unknown], [safe, obligation, fails, open]) = (self.functions, self.uses);
        let (functions, uses) = (hold + violated + unknown, safe + obligation + fails + open);
        writeln!(
            out,
            "{functions} functions: {hold} hold, {violated} violated, {unknown} unknown; \
             {uses} uses of pointers: {safe} safe, {obligation} by an obligation, {fails} null, {open} unknown"
        )
    }
}

/// A line for a function, and under it what callers have to establish, what fails, and what is not known.
///
/// # Errors
/// If writing fails.
pub fn text(out: &mut dyn Write, files: &[Box<str>], name: &str, answer: &Answer) -> io::Result<()> {
    writeln!(out, "{name}: {}", answer.verdict.name())?;
    if let Some(reason) = &answer.reason {
        writeln!(out, "  {reason}")?;
    }
    for obligation in &answer.obligations {
        let Some((used, _)) = answer.uses.get(obligation.needed_by) else { continue };
        let shown =
            if obligation.shown { "else NULL is used in a run that was executed" } else { "not shown to be needed" };
        writeln!(out, "  obligation: {}  ({}: {shown})", obligation.condition, at(files, used))?;
    }
    for (one, class) in &answer.uses {
        match class {
            Class::Safe | Class::Obligation => continue,
            Class::Fails => writeln!(out, "  {}: null: `{}` in `{}`", at(files, one), one.expression, one.procedure)?,
            Class::Unknown => {
                writeln!(
                    out,
                    "  {}: unknown: `{}` in `{}`: {}",
                    at(files, one),
                    one.expression,
                    one.procedure,
                    one.why
                )?;
            }
        }
        if let Some(trace) = one.trace.as_ref().filter(|_| *class == Class::Fails) {
            null::steps(out, files, trace)?;
        }
    }
    Ok(())
}

fn at(files: &[Box<str>], one: &Dereference) -> String {
    format!("{}:{}:{}", file(files, one.place), one.place.line, one.place.column)
}

fn file(files: &[Box<str>], place: Place) -> &str {
    files.get(place.file as usize).map_or("", |name| name)
}

/// The object of a function.
pub fn json(files: &[Box<str>], name: &str, answer: &Answer) -> Value {
    let count = |class| answer.count(class);
    let obligations: Vec<Value> = answer
        .obligations
        .iter()
        .filter_map(|one| {
            let place = answer.uses.get(one.needed_by)?.0.place;
            Some(json!({
                "condition": one.condition, "kind": "null", "file": file(files, place), "line": place.line,
                "column": place.column, "shown": one.shown,
            }))
        })
        .collect();
    let open = answer.uses.iter().filter(|(_, class)| matches!(class, Class::Fails | Class::Unknown));
    let open: Vec<Dereference> = open.map(|(one, _)| one.clone()).collect();
    let findings = null::json(files, &open);
    json!({
        "kind": "function", "property": name, "verdict": answer.verdict.name(), "reason": reason(answer),
        "uses": {"null": {
            "safe": count(Class::Safe), "obligation": count(Class::Obligation), "fails": count(Class::Fails),
            "up_to": 0, "unknown": count(Class::Unknown),
        }},
        "obligations": obligations, "findings": findings, "assumptions": answer.assumptions,
    })
}

/// Why a verdict is unknown, if it is.
fn reason(answer: &Answer) -> Option<String> {
    if answer.verdict != Verdict::Unknown {
        return None;
    }
    let open = || answer.uses.iter().find(|(_, class)| *class == Class::Unknown).map(|(one, _)| one.why.to_string());
    answer.reason.clone().or_else(open)
}
