//! What is known of functions by themselves, for people and as JSON.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::null;
use crate::answer::Verdict;
use crate::functions::{Answer, Class};
use crate::nullness::PointerUse;

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
            Verdict::Holds | Verdict::Unreachable => 0,
            Verdict::Violated(_) | Verdict::Reachable(_) => 1,
            Verdict::Unknown(_) => 2,
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
pub fn text(out: &mut dyn Write, name: &str, answer: &Answer) -> io::Result<()> {
    writeln!(out, "{name}: {}", answer.verdict.name())?;
    if let (Some(why), 0) = (answer.verdict.unknown(), answer.count(Class::Unknown)) {
        writeln!(out, "  {why}")?;
    }
    for obligation in &answer.obligations {
        let Some((used, _)) = answer.uses.get(obligation.needed_by) else { continue };
        let shown = if obligation.shown { "else NULL is used in a run that was executed" } else { "not shown to be needed" };
        writeln!(out, "  obligation: {}  ({}: {shown})", obligation.condition, at(used))?;
    }
    for (one, class) in &answer.uses {
        let word = match class {
            Class::Safe | Class::Obligation => continue,
            Class::Fails => "null",
            Class::Unknown => "unknown",
        };
        writeln!(out, "  {}: {word}: `{}` in `{}`: {}", at(one), one.pointer, one.procedure, one.grounds)?;
        if let Some(run) = one.verdict.run() {
            null::steps(out, run)?;
        }
    }
    Ok(())
}

fn at(one: &PointerUse) -> String {
    format!("{}:{}:{}", one.file, one.line, one.column)
}

/// The object of a function.
pub fn json(name: &str, answer: &Answer) -> Value {
    let count = |class| answer.count(class);
    let obligations = answer.obligations.iter().filter_map(|one| {
        let (used, _) = answer.uses.get(one.needed_by)?;
        Some(json!({
            "condition": one.condition, "kind": "null", "file": used.file, "line": used.line, "column": used.column,
            "shown": one.shown,
        }))
    });
    let obligations: Vec<Value> = obligations.collect();
    let open = answer.uses.iter().filter(|(_, class)| matches!(class, Class::Fails | Class::Unknown));
    let open: Vec<PointerUse> = open.map(|(one, _)| one.clone()).collect();
    let (why, findings) = (answer.verdict.unknown(), null::json(&open));
    json!({
        "kind": "function", "property": name, "verdict": answer.verdict.name(),
        "reason": why.map(|why| why.sentence.as_str()), "reason_kind": why.map(|why| why.kind),
        "uses": {"null": {
            "safe": count(Class::Safe), "obligation": count(Class::Obligation), "fails": count(Class::Fails),
            "up_to": 0, "unknown": count(Class::Unknown),
        }},
        "obligations": obligations, "findings": findings,
        "assumptions": answer.assumptions,
    })
}
