//! What is reported of each answer, decided before a word is written: the form of the trace, or why there is none.

use std::borrow::Cow;

use serde::Serialize;

use super::view::View;
use super::walk::{self, Form};
use crate::check::{Answer, Replayed, Trace, Verdict};
use crate::options::Runs;
use crate::run::{Run, Then};

/// What kind of property was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyKind {
    /// `--reach`
    Reach,
    /// `--assertions`
    Assertions,
    /// `--check null`
    Null,
    /// `--termination`
    Termination,
    /// `--ltl`, `--automaton`, `--never`
    Ltl,
}

impl PropertyKind {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            PropertyKind::Reach => "reach",
            PropertyKind::Assertions => "assertions",
            PropertyKind::Null => "null",
            PropertyKind::Termination => "termination",
            PropertyKind::Ltl => "ltl",
        }
    }
}

/// A property as the user gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Its kind.
    pub kind: PropertyKind,
    /// The label as given, else the name of the kind.
    pub property: String,
    /// What the user calls it, if that is something else.
    pub name: Option<String>,
}

impl Asked {
    /// A property without a name.
    pub fn new(kind: PropertyKind, property: impl Into<String>) -> Asked {
        Asked { kind, property: property.into(), name: None }
    }

    /// What reports call it: its name, and what it says.
    pub fn title(&self) -> Cow<'_, str> {
        match &self.name {
            Some(name) => Cow::Owned(format!("{name} ({})", self.property)),
            None => Cow::Borrowed(&self.property),
        }
    }
}

/// How the user wants calls that return to be shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Calls {
    /// In full while the whole run has at most [`FULL_BY_DEFAULT`] configurations.
    #[default]
    Auto,
    /// In full.
    Full,
    /// Folded.
    Folded,
}

/// Up to this many configurations are shown in full unless something else is asked for.
pub const FULL_BY_DEFAULT: u128 = 10_000;

/// How traces are to be shown.
#[derive(Clone, Copy, Debug)]
pub struct Wish {
    /// Calls that return.
    pub calls: Calls,
    /// A trace with more items than this is left out.
    pub limit: u64,
}

/// What there is to show of a trace.
#[derive(Clone, Debug)]
pub enum Shown<'a> {
    /// No trace belongs to the verdict.
    Nothing,
    /// None was wanted; how much of some run the judge has walked all the same.
    Unwanted(Option<Replayed>),
    /// There would be one, but.
    Omitted(Cow<'a, str>),
    /// The trace.
    Trace(&'a Trace, Form),
}

/// What a user should know about an answer. The codes are a promise to scripts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Warning {
    /// Nothing could violate the property: there is no run at all, for that reason.
    Vacuous(String),
    /// There is no assertion that could fail.
    NoAssertions(String),
    /// A variable that the question names influences nothing.
    NoInfluence(String),
    /// It holds for runs that do nothing undefined; some may.
    Undefined(String),
    /// It holds in the abstraction of a C program, and that was not proved a second time.
    Unproved(String),
}

impl Warning {
    /// What should be known about an answer: that it is vacuous, or that there are no assertions in this file.
    pub fn of(asked: &Asked, answer: &Answer, runs: Runs, without_assertions: Option<&str>) -> Vec<Warning> {
        let vacuous = answer.vacuous.then(|| Warning::Vacuous(vacuous(&asked.property, runs)));
        let none = without_assertions
            .map(|name| Warning::NoAssertions(format!("`{name}` has no assertions: nothing was asked")));
        vacuous.into_iter().chain(none).collect()
    }

    /// Which kind of warning it is.
    pub fn code(&self) -> &'static str {
        match self {
            Warning::Vacuous(_) => "vacuous",
            Warning::NoAssertions(_) => "no-assertions",
            Warning::NoInfluence(_) => "no-influence",
            Warning::Undefined(_) => "undefined",
            Warning::Unproved(_) => "unproved",
        }
    }

    /// The sentence for readers.
    pub fn text(&self) -> &str {
        match self {
            Warning::Vacuous(text)
            | Warning::NoAssertions(text)
            | Warning::NoInfluence(text)
            | Warning::Undefined(text)
            | Warning::Unproved(text) => text,
        }
    }
}

/// What is said where a property holds because nothing could violate it.
fn vacuous(property: &str, runs: Runs) -> String {
    let why = match runs {
        Runs::Maximal => "there is no run under `--runs maximal`: every run is blocked",
        Runs::Infinite => "there is no run under `--runs infinite`: every run ends",
        Runs::Stutter => "there is no run: nothing is as a start must be",
    };
    format!("`{property}` holds, but the answer is vacuous: {why}")
}

/// An answer, ready to be reported, with what shows it: the trace of a system, or what executes a C program once more
/// ([`super::c_finding::Executed`]).
#[derive(Clone, Copy, Debug)]
pub struct Finding<'a, V = Verdict, S = Shown<'a>> {
    /// What was asked.
    pub asked: &'a Asked,
    /// What is known.
    pub verdict: &'a V,
    /// What should be known about the answer.
    pub warnings: &'a [Warning],
    /// What it takes on trust.
    pub trusted: &'a [crate::run::Trusted],
    /// Whether a certificate of it was made and checked, if that was asked for and it says that there is no run.
    pub verified: Option<bool>,
    /// What shows it.
    pub shown: S,
}

/// Something that stands behind a verdict and was not walked by the judge. The codes are a promise to scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Unverified<'a> {
    /// `run` or `leaps`; or what the program says of itself.
    pub code: &'static str,
    /// The sentence for readers.
    pub text: &'a str,
}

impl<'a> Finding<'a> {
    /// Why there is no trace, though there would be one.
    pub fn omitted(&self) -> Option<&str> {
        match &self.shown {
            Shown::Omitted(why) => Some(why),
            _ => None,
        }
    }

    /// What the judge has not walked of the run that the verdict claims, and what the verdict takes on trust.
    pub fn not_verified(&self) -> Vec<Unverified<'a>> {
        let leaps = Unverified {
            code: "leaps",
            text: "turns of loops were not walked one by one: they are more than --replay-steps",
        };
        let run = Unverified { code: "run", text: "no run was made and walked by the judge" };
        let walked = match &self.shown {
            Shown::Trace(trace, _) => Some(trace.replayed),
            Shown::Unwanted(walked) => *walked,
            Shown::Omitted(_) | Shown::Nothing => self.verdict.trace().map(|trace| trace.replayed),
        };
        let walked = match walked {
            Some(Replayed::Full) => None,
            Some(Replayed::ExceptLeaps) => Some(leaps),
            None => self.verdict.claims_run().then_some(run),
        };
        let trusted = self.trusted.iter().map(|one| Unverified { code: one.code, text: &one.text });
        walked.into_iter().chain(trusted).collect()
    }

    /// What to report of an answer.
    pub fn new(view: &View<'_>, asked: &'a Asked, answer: &'a Answer, wish: Wish) -> Self {
        let shown = match (answer.verdict.trace(), &answer.trace_omitted) {
            (Some(trace), _) => shown(view, trace, wish),
            (None, Some(why)) => Shown::Omitted(Cow::Borrowed(why)),
            (None, None) if answer.verdict.claims_run() => Shown::Unwanted(answer.judged),
            (None, None) => Shown::Nothing,
        };
        Finding { asked, verdict: &answer.verdict, warnings: &[], trusted: &[], verified: None, shown }
    }
}

fn shown<'a>(view: &View<'_>, trace: &'a Trace, wish: Wish) -> Shown<'a> {
    let full = walk::configurations(view, &trace.run);
    let folded = walk::items(view, &trace.run);
    let form = match wish.calls {
        Calls::Full => Form::Full,
        Calls::Folded => Form::Folded,
        Calls::Auto if full <= FULL_BY_DEFAULT.min(u128::from(wish.limit)) && !leaps(&trace.run) => Form::Full,
        Calls::Auto => Form::Folded,
    };
    let (length, unit) = match form {
        Form::Full => (full, "configurations"),
        Form::Folded => (u128::from(folded), "items in folded form"),
    };
    if length > u128::from(wish.limit) {
        let folds = form == Form::Full && folded <= wish.limit;
        let hint = if folds { format!("; folded it has {folded} items") } else { String::new() };
        let why = format!("the trace has {} {unit}, more than {}{hint}", amount(length), wish.limit);
        return Shown::Omitted(Cow::Owned(why));
    }
    Shown::Trace(trace, form)
}

/// A number of configurations in words: exact up to a million million.
pub(super) fn amount(number: u128) -> String {
    const EXACT: u128 = 1_000_000_000_000;
    match number {
        u128::MAX => "more than 10^38".into(),
        0..=EXACT => number.to_string(),
        _ => format!("about 10^{}", number.ilog10()),
    }
}

/// Whether many turns of a loop are taken at once somewhere.
fn leaps(run: &Run) -> bool {
    let lists = run.calls.iter().map(|call| &call.steps).chain([&run.stem]).chain(&run.cycle);
    lists.flatten().any(|step| matches!(step.then, Then::Leap(_)))
}
