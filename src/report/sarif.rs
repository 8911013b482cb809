//! The report in the Static Analysis Results Interchange Format, SARIF 2.1.0: what code scanning reads. Runs are code
//! flows, complaints about the input are notifications of the tool.

use std::fmt::Write as _;
use std::io::{self, Write};

use serde_sarif::sarif::{
    ArtifactLocation, CodeFlow, Invocation, Location, Message, Notification, NotificationLevel, PhysicalLocation,
    Region, ReportingDescriptor, Result as Entry, ResultKind, ResultLevel, Run as Log, SCHEMA_URL, Sarif, ThreadFlow,
    ThreadFlowLocation, Tool, ToolComponent, Version,
};
use spds_format::model::{Place, Spds};

use super::json::Header;
use super::notice::Notice;
use super::present::{Finding, PropertyKind, Shown};
use super::source::Source;
use super::text::{ended, statement};
use super::view::View;
use super::walk::{Direction, Form, Met, Walk};
use crate::check::{Trace, Verdict};
use crate::run::{Ending, Section};

/// The kinds of properties, and what a result of that kind means.
const RULES: [(PropertyKind, &str); 4] = [
    (PropertyKind::Reach, "A statement that was asked for can be reached"),
    (PropertyKind::Assertions, "An assertion can fail"),
    (PropertyKind::Termination, "A run does not end"),
    (PropertyKind::Ltl, "A run violates a property of linear temporal logic"),
];

/// Writes the log of a call: an entry for each property, whatever its verdict.
///
/// # Errors
/// If writing fails.
pub fn write(out: &mut dyn Write, view: &View<'_>, header: Header<'_>, findings: &[Finding<'_>]) -> io::Result<()> {
    let results = findings.iter().map(|finding| result(view, header, finding)).collect();
    log(out, header, results)
}

/// Writes the log of a call that has no answer, because the input or the call is wrong.
///
/// # Errors
/// If writing fails.
pub fn refused(out: &mut dyn Write, header: Header<'_>) -> io::Result<()> {
    log(out, header, Vec::new())
}

fn log(out: &mut dyn Write, header: Header<'_>, results: Vec<Entry>) -> io::Result<()> {
    let rules: Vec<ReportingDescriptor> = RULES
        .iter()
        .map(|(kind, text)| {
            let text = serde_sarif::sarif::MultiformatMessageString::builder().text(*text).build();
            ReportingDescriptor::builder().id(kind.name()).short_description(text).build()
        })
        .collect();
    let driver = ToolComponent::builder().name("puch").version(header.version).rules(rules).build();
    let refused = header.diagnostics.iter().any(Notice::is_error);
    let told: Vec<Notification> = header.diagnostics.iter().map(notification).collect();
    let invocation = Invocation::builder().execution_successful(!refused).tool_execution_notifications(told).build();
    let run = Log::builder()
        .tool(Tool::builder().driver(driver).build())
        .invocations(vec![invocation])
        .column_kind(serde_json::json!("unicodeCodePoints"))
        .results(results)
        .build();
    let sarif = Sarif::builder().version(Version::V2_1_0.to_string()).schema(SCHEMA_URL).runs(vec![run]).build();
    serde_json::to_writer_pretty(&mut *out, &sarif).map_err(io::Error::from)?;
    writeln!(out)
}

fn message(text: impl Into<String>) -> Message {
    Message::builder().text(text.into()).build()
}

fn notification(notice: &Notice) -> Notification {
    let level = if notice.is_error() { NotificationLevel::Error } else { NotificationLevel::Warning };
    let mut text = notice.text.clone();
    if let Some(help) = &notice.help {
        let _ = write!(text, "; {help}");
    }
    let locations = notice.file.iter().filter(|file| !file.starts_with("--")).map(|file| {
        let number = |number: Option<usize>| number.and_then(|number| i64::try_from(number).ok()).unwrap_or(1);
        let region = Region::builder()
            .start_line(number(notice.line))
            .start_column(number(notice.column))
            .end_line(number(notice.end_line))
            .end_column(number(notice.end_column))
            .build();
        location(file, region, None)
    });
    let locations: Vec<Location> = locations.collect();
    Notification::builder().level(serde_json::json!(level)).message(message(text)).locations(locations).build()
}

fn location(file: &str, region: Region, text: Option<String>) -> Location {
    let artifact = ArtifactLocation::builder().uri(uri(file)).build();
    let place = PhysicalLocation::builder().artifact_location(artifact).region(region).build();
    match text {
        Some(text) => Location::builder().physical_location(place).message(message(text)).build(),
        None => Location::builder().physical_location(place).build(),
    }
}

/// The name of a file as a reference: what may not stand in one is written as its bytes.
fn uri(file: &str) -> String {
    let mut uri = String::new();
    for byte in file.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

fn result(view: &View<'_>, header: Header<'_>, finding: &Finding<'_>) -> Entry {
    let (kind, level) = match finding.verdict {
        Verdict::Violated(_) => (ResultKind::Fail, ResultLevel::Error),
        Verdict::Reachable(_) => (ResultKind::Fail, ResultLevel::Warning),
        Verdict::Holds | Verdict::Unreachable => (ResultKind::Pass, ResultLevel::None),
        Verdict::Unknown(_) => (ResultKind::Open, ResultLevel::None),
    };
    let mut text = format!("{}: {}", finding.asked.title(), finding.verdict.name());
    if let Verdict::Unknown(reason) = finding.verdict {
        let _ = write!(text, " ({reason})");
    }
    for warning in finding.warnings {
        let _ = write!(text, "; {}", warning.text());
    }
    let trace = match finding.shown {
        Shown::Trace(trace, form) => Some((trace, form)),
        _ => None,
    };
    if let Some((trace, _)) = trace {
        let _ = write!(text, "; {}", ended(view, header.source, &trace.run));
    }
    let index = RULES.iter().position(|(other, _)| *other == finding.asked.kind).unwrap_or(0);
    let whole = || vec![location(header.input, Region::builder().start_line(1i64).build(), None)];
    let places = trace.and_then(|(trace, form)| last_place(view, trace, form)).map(|place| vec![place]);
    let flows: Vec<CodeFlow> = trace.map(|(trace, form)| flow(view, header.source, trace, form)).into_iter().collect();
    Entry::builder()
        .rule_id(finding.asked.kind.name())
        .rule_index(index as i64)
        .kind(kind)
        .level(level)
        .message(message(text))
        .locations(places.unwrap_or_else(whole))
        .code_flows(flows)
        .build()
}

fn place_of(spds: &Spds, place: Place, text: Option<String>) -> Option<Location> {
    let file = spds.files.get(place.file as usize)?;
    let region = Region::builder().start_line(i64::from(place.line)).start_column(i64::from(place.column)).build();
    Some(location(file, region, text))
}

/// Where something happens: at the end of a run, or where it begins to repeat.
fn last_place(view: &View<'_>, trace: &Trace, form: Form) -> Option<Location> {
    let part = if trace.run.ending == Ending::Loop { Section::Cycle } else { Section::Stem };
    let mut walk = Walk::new(view, &trace.run, part, form, Direction::Backward);
    let mut steps = walk.by_ref().filter_map(|met| view.spds.symbol(met.step.config.symbol).place);
    let place = steps.next()?;
    place_of(view.spds, place, None)
}

fn flow(view: &View<'_>, source: Option<&Source<'_>>, trace: &Trace, form: Form) -> CodeFlow {
    let run = &trace.run;
    let stem = Walk::new(view, run, Section::Stem, form, Direction::Forward).map(|met| (met, ""));
    let cycle = Walk::new(view, run, Section::Cycle, form, Direction::Forward).map(|met| (met, "for ever: "));
    let steps = (1..).zip(stem.chain(cycle));
    let steps = steps.filter_map(|(order, (met, prefix))| step(view, source, &met, order, prefix));
    let thread = ThreadFlow::builder().locations(steps.collect::<Vec<_>>()).build();
    CodeFlow::builder().thread_flows(vec![thread]).build()
}

fn step(
    view: &View<'_>,
    source: Option<&Source<'_>>,
    met: &Met<'_>,
    order: i64,
    prefix: &str,
) -> Option<ThreadFlowLocation> {
    let config = &met.step.config;
    let place = view.spds.symbol(config.symbol).place?;
    let mut text = format!("{prefix}{}", statement(view.spds, source, config.symbol));
    for shown in view.values(config) {
        let _ = write!(text, "  {}={}", shown.name, shown.value);
    }
    let location = place_of(view.spds, place, Some(text))?;
    let depth = i64::try_from(met.depth).unwrap_or(i64::MAX);
    Some(ThreadFlowLocation::builder().location(location).nesting_level(depth).execution_order(order).build())
}
