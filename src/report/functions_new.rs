//! What is new in a function of which two versions are known: for people and as JSON.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use super::functions::{Finding, Told};

/// Where procedures begin: the file and the line, by name.
pub type Begins = BTreeMap<String, (String, u32)>;

/// How bad it is, what is new.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum New {
    /// There is nothing.
    Nothing,
    /// Callers have to establish more.
    Obligations,
    /// Something is not known that was.
    Unknown,
    /// Something fails that did not.
    Fails,
}

/// What is told of a function that is not the same as before.
#[derive(Clone, Debug, Serialize)]
pub struct Changed {
    /// Of the new version; of what callers have to establish, of what fails and of what is not known, only what is new.
    #[serde(flatten)]
    pub told: Told,
    /// `changed`, or `new`.
    pub change: &'static str,
    /// How bad it is.
    pub new: New,
    /// What was said of the old version, and is not of the new one.
    pub no_longer: NoLonger,
    /// Whether nothing is known of it all, and something was.
    #[serde(skip)]
    is_open: bool,
}

/// What was said of an old version only.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct NoLonger {
    /// Conditions that callers had to establish.
    pub obligations: Vec<String>,
    /// Uses that failed, or of which it was not known.
    pub findings: Vec<Use>,
}

/// A use, wherever it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Use {
    /// What is used, in C.
    pub expression: String,
    /// The procedure.
    pub procedure: String,
    /// How it goes wrong.
    pub kind: String,
    /// The same, or `unknown`.
    pub verdict: String,
}

impl Changed {
    /// A function that was not there.
    pub fn new(told: Told) -> Changed {
        let is_open = told.reason_of_itself().is_some();
        let new = worst(&told, is_open);
        Changed { told, change: "new", new, no_longer: NoLonger::default(), is_open }
    }

    /// A function that was: what is known of the old version and of the new one, each with where procedures begin there.
    pub fn between((old, was): (&Told, &Begins), (mut told, is): (Told, &Begins)) -> Changed {
        let kept = |one: &str, all: &Told| all.obligations.iter().any(|other| other.condition == one);
        let gone = old.obligations.iter().filter(|one| !kept(&one.condition, &told));
        let obligations = gone.map(|one| one.condition.clone()).collect();
        let is_open = told.reason_of_itself().is_some() && old.reason_of_itself().is_none();
        told.obligations.retain(|one| !kept(&one.condition, old));
        let (new, rest) = unmatched((&old.findings, was), (&told.findings, is));
        let same = |one: &Finding, other: &Finding| subject(one) == subject(other);
        let gone = rest.into_iter().map(|at| &old.findings[at]);
        let gone = gone.filter(|one| !new.iter().any(|at| same(&told.findings[*at], one)));
        let findings = gone.map(Use::of).collect();
        let mut at = 0..;
        told.findings.retain(|_| at.next().is_some_and(|at| new.contains(&at)));
        let new = worst(&told, is_open);
        Changed { told, change: "changed", new, no_longer: NoLonger { obligations, findings }, is_open }
    }

    /// The same for who is told of nothing else: only why it is not known now, if it was.
    pub fn alone(&self) -> Told {
        let mut told = self.told.clone();
        if !self.is_open {
            (told.reason, told.reason_kind) = (None, None);
        }
        told
    }

    /// A line for the function, and under it what is new and what is no longer so; nothing if there is none.
    ///
    /// # Errors
    /// If writing fails.
    pub fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.change == "changed" && self.new == New::Nothing && self.no_longer == NoLonger::default() {
            return Ok(());
        }
        writeln!(out, "{}: {}, {}", self.told.property, self.change, self.told.verdict)?;
        if let Some(reason) = self.told.reason.as_ref().filter(|_| self.is_open) {
            writeln!(out, "  {reason}")?;
        }
        self.told.details(out)?;
        for condition in &self.no_longer.obligations {
            writeln!(out, "  no longer an obligation: {condition}")?;
        }
        for Use { expression, procedure, verdict, .. } in &self.no_longer.findings {
            writeln!(out, "  no longer {verdict}: `{expression}` in `{procedure}`")?;
        }
        Ok(())
    }
}

impl Use {
    fn of(finding: &Finding) -> Use {
        let Finding { expression, procedure, kind, verdict, .. } = finding.clone();
        Use { expression, procedure, kind, verdict }
    }
}

/// How bad what is told is; whether it is not known of all of it.
fn worst(told: &Told, is_open: bool) -> New {
    let of = |finding: &Finding| if is_failing(finding) { New::Fails } else { New::Unknown };
    let findings = told.findings.iter().map(of);
    let obligations = told.obligations.iter().map(|_| New::Obligations);
    findings.chain(obligations).chain(is_open.then_some(New::Unknown)).max().unwrap_or(New::Nothing)
}

fn is_failing(finding: &Finding) -> bool {
    finding.verdict != "unknown"
}

/// What a finding is about, wherever it stands.
fn subject(finding: &Finding) -> (&str, &str, &str) {
    (&finding.kind, &finding.procedure, &finding.expression)
}

/// Which of the new findings are none of the old ones, and which of the old ones are none of the new ones: each answers to one about the same that is
/// at least as bad, first to what stands at the same place in its procedure.
fn unmatched((old, was): (&[Finding], &Begins), (new, is): (&[Finding], &Begins)) -> (Vec<usize>, Vec<usize>) {
    let place = |finding: &Finding, begins: &Begins| {
        let (_, line) = begins.get(&finding.procedure)?;
        Some((i64::from(finding.line) - i64::from(*line), finding.column))
    };
    let mut open: Vec<usize> = (0..new.len()).collect();
    let mut rest: Vec<usize> = (0..old.len()).collect();
    let answers = |rest: &mut Vec<usize>, at: &usize, is_so: &dyn Fn(&Finding, &Finding) -> bool| {
        let found = rest.iter().position(|other| {
            let (one, other) = (&new[*at], &old[*other]);
            subject(one) == subject(other) && is_so(one, other)
        });
        found.map(|found| rest.remove(found)).is_some()
    };
    let as_bad = |one: &Finding, other: &Finding| is_failing(one) == is_failing(other);
    let is_there = |one: &Finding, other: &Finding| as_bad(one, other) && place(one, is) == place(other, was);
    let is_worse = |one: &Finding, other: &Finding| !is_failing(one) && is_failing(other);
    open.retain(|at| !answers(&mut rest, at, &is_there));
    open.retain(|at| !answers(&mut rest, at, &as_bad));
    open.retain(|at| !answers(&mut rest, at, &is_worse));
    (open, rest)
}

/// What was told of all functions, counted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    unchanged: usize,
    changed: usize,
    new: usize,
    gone: usize,
    fails: usize,
    unknown: usize,
    obligations: usize,
    no_longer: usize,
    no_obligations: usize,
    worst: Option<New>,
}

impl Count {
    /// Counts one more; nothing for one that is as it was.
    pub fn add(&mut self, one: Option<&Changed>) {
        let Some(one) = one else {
            self.unchanged += 1;
            return;
        };
        if one.change == "new" {
            self.new += 1
        } else {
            self.changed += 1
        }
        let fails = one.told.findings.iter().filter(|finding| is_failing(finding)).count();
        self.fails += fails;
        self.unknown += one.told.findings.len() - fails + usize::from(one.is_open);
        self.obligations += one.told.obligations.len();
        self.no_longer += one.no_longer.findings.len();
        self.no_obligations += one.no_longer.obligations.len();
        self.worst = self.worst.max(Some(one.new));
    }

    /// Counts functions that are gone.
    pub fn gone(&mut self, count: usize) {
        self.gone += count;
    }

    /// How many functions are as they were.
    pub fn unchanged(&self) -> usize {
        self.unchanged
    }

    /// How bad it is, what is new.
    pub fn worst(&self) -> New {
        self.worst.unwrap_or(New::Nothing)
    }

    /// The last lines of a text.
    ///
    /// # Errors
    /// If writing fails.
    pub fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let Count { unchanged, changed, new, gone, fails, unknown, obligations, no_longer, no_obligations, .. } = self;
        writeln!(out, "new: {fails} fail, {unknown} unknown, {obligations} obligations")?;
        writeln!(out, "no longer: {no_longer} that failed or were unknown, {no_obligations} obligations")?;
        let all = unchanged + changed + new;
        writeln!(out, "{all} functions: {unchanged} unchanged, {changed} changed, {new} new; {gone} gone")
    }
}

#[cfg(test)]
mod tests {
    use super::{Begins, unmatched};
    use crate::report::functions::Finding;

    fn finding(expression: &str, line: u32, verdict: &str) -> Finding {
        Finding {
            file: "a.c".into(),
            line,
            column: 1,
            expression: expression.into(),
            procedure: "f".into(),
            kind: "null".into(),
            verdict: verdict.into(),
            reason: String::new(),
            reason_kind: None,
            trace: None,
        }
    }

    #[test]
    fn findings_answer_to_those_about_the_same_that_are_as_bad() {
        let begins = |line: u32| Begins::from([("f".to_owned(), ("a.c".to_owned(), line))]);
        let between = |old: &[Finding], new: &[Finding]| unmatched((old, &begins(1)), (new, &begins(11)));
        let old = [finding("p", 2, "null"), finding("p", 3, "unknown"), finding("q", 4, "unknown")];
        // Moved as a whole; changed places.
        let moved: Vec<Finding> = old.iter().map(|one| Finding { line: one.line + 10, ..one.clone() }).collect();
        assert_eq!(between(&old, &moved), (vec![], vec![]));
        let swapped = [finding("p", 13, "null"), finding("p", 12, "unknown")];
        assert_eq!(between(&old, &swapped), (vec![], vec![2]));
        // Of two that fail, the one that stands elsewhere is new.
        let more = [finding("p", 12, "null"), finding("p", 15, "null"), finding("p", 13, "unknown")];
        assert_eq!(between(&old, &more), (vec![1], vec![2]));
        // What is not known now and failed before is not new, what fails now and was not known is.
        assert_eq!(between(&old[..1], &[finding("p", 19, "unknown")]), (vec![], vec![]));
        assert_eq!(between(&old[2..], &[finding("q", 14, "null")]), (vec![0], vec![0]));
        assert_eq!(between(&[], &[finding("p", 12, "null")]), (vec![0], vec![]));
    }
}
