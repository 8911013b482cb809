//! What is known of functions by themselves, for code scanning: an entry for each use that fails or of which it is not known, with its run as a
//! code flow; a note for each obligation; and an entry for each function of which there is nothing else to say.

use std::fmt::Write as _;
use std::io::{self, Write};

use serde_sarif::sarif::{Result as Entry, ResultLevel};

use super::functions::{Finding, Obligation, Step, TERMINATION, Told, Trace};
use super::json::Header;
use super::sarif::{Counts, Event, Flow, Said, Spot, log};
use crate::nullness::Kind;

/// The rules: of functions, of obligations, and of each way to go wrong.
const FUNCTION: (&str, &str) = ("function", "A function fails although its callers establish what they have to");
const OBLIGATION: (&str, &str) = ("obligation", "Callers have to establish a condition");
const ENDLESS: (&str, &str) = (TERMINATION, "A function goes on for ever");

fn rules() -> Vec<(&'static str, &'static str)> {
    let kinds = Kind::ALL.into_iter().chain([Kind::Contract]).map(|kind| (kind.name(), kind.told()));
    [FUNCTION, OBLIGATION, ENDLESS].into_iter().chain(kinds).collect()
}

/// Writes the log.
///
/// # Errors
/// If writing fails.
pub fn write(out: &mut dyn Write, header: Header<'_>, all: &[Told]) -> io::Result<()> {
    let rules = rules();
    let entries = all.iter().flat_map(|told| entries(header, &rules, told));
    log(out, header, &rules, entries.collect())
}

fn entries(header: Header<'_>, rules: &[(&'static str, &'static str)], told: &Told) -> Vec<Entry> {
    let rule = |name: &str| {
        let at = rules.iter().position(|(other, _)| *other == name).unwrap_or(0);
        (rules[at].0, at)
    };
    let name = &told.property;
    let findings = told.findings.iter().map(|finding| {
        let Finding { file, line, column, expression, procedure, kind, verdict, reason, trace, .. } = finding;
        let counts = if verdict == "unknown" { Counts::Open } else { Counts::Fail(ResultLevel::Error) };
        let text = format!("{name}: `{expression}` in `{procedure}`: {verdict}: {reason}");
        let at = Spot { file: file.into(), line: *line, column: *column };
        Said { rule: rule(kind), counts, text, at: Some(at), flow: trace.as_ref().map(flow) }.entry(header)
    });
    let obligations = told.obligations.iter().map(|obligation| {
        let Obligation { condition, file, line, column, .. } = obligation;
        let text = format!("{name}: callers have to establish `{condition}`: {}", obligation.why());
        let at = Spot { file: file.into(), line: *line, column: *column };
        Said { rule: rule(OBLIGATION.0), counts: Counts::Fail(ResultLevel::Note), text, at: Some(at), flow: None }
            .entry(header)
    });
    let is_known = told.verdict == "holds" || told.reason_of_itself().is_some();
    let whole = (told.findings.is_empty() && is_known).then(|| {
        let reason = told.reason.as_ref().map_or_else(String::new, |reason| format!(" ({reason})"));
        let counts = if told.verdict == "holds" { Counts::Pass } else { Counts::Open };
        let text = format!("{name}: {}{reason}", told.verdict);
        Said { rule: rule(FUNCTION.0), counts, text, at: None, flow: None }.entry(header)
    });
    findings.chain(obligations).chain(whole).collect()
}

/// The run of a use that fails.
fn flow(trace: &Trace) -> Flow<'_> {
    let events = trace.steps.iter().enumerate().map(|(index, step)| {
        let Step { file, line, column, statement, values, depth, .. } = step;
        let mut text = statement.clone();
        for (name, value) in values {
            let _ = write!(text, "  {name}={value}");
        }
        if let Some(left_out) = trace.left_out.filter(|left_out| left_out.before == index) {
            let _ = write!(text, " ({} statements before it are not shown)", left_out.statements);
        }
        Event { spot: Spot { file: file.into(), line: *line, column: *column }, text, depth: *depth }
    });
    let events: Vec<Event<'_>> = events.collect();
    Flow { ended: String::new(), at: events.last().map(|event| event.spot.clone()), events }
}
