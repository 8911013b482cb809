//! The report in the Static Analysis Results Interchange Format, SARIF 2.1.0: what code scanning reads. Runs are code
//! flows, complaints about the input are notifications of the tool.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

use serde_sarif::sarif::{
    ArtifactLocation, CodeFlow, Invocation, Location, Message, Notification, NotificationLevel, PhysicalLocation,
    Region, ReportingDescriptor, Result as Entry, ResultKind, ResultLevel, Run as Log, SCHEMA_URL, Sarif, ThreadFlow,
    ThreadFlowLocation, Tool, ToolComponent, Version,
};
use spds_format::model::{Place, Spds};

use crate::answer;
use crate::check::Trace;
use crate::run::{Ending, Section};
use crate::source::Source;
use crate::verdict::Verdict;

use super::answered::Answered;
use super::json::Header;
use super::notice::Notice;
use super::present::{Finding, PropertyKind, Shown};
use super::text::{ended, statement};
use super::view::View;
use super::walk::{Direction, Form, Met, Walk};

/// The rule about NULL, also of each use by itself.
pub(super) const NULL: (&str, &str) = ("null", "A pointer can be NULL where it is used");

/// The kinds of properties, and what a result of that kind means.
const RULES: [(PropertyKind, &str); 5] = [
    (PropertyKind::Reach, "A statement that was asked for can be reached"),
    (PropertyKind::Assertions, "An assertion can fail"),
    (PropertyKind::Termination, "A run does not end"),
    (PropertyKind::Ltl, "A run violates a property of linear temporal logic"),
    (PropertyKind::Null, NULL.1),
];

/// A run as a list of events with places.
#[derive(Clone, Debug)]
pub struct Flow<'a> {
    /// How it ends, in words.
    pub ended: String,
    /// Where that is, if it has a place.
    pub at: Option<Spot<'a>>,
    /// What happens, in order.
    pub events: Vec<Event<'a>>,
}

/// A place by the name of its file.
#[derive(Clone, Debug)]
pub struct Spot<'a> {
    /// The file.
    pub file: Cow<'a, str>,
    /// The line, counted from 1.
    pub line: u32,
    /// The column, counted from 1, in characters.
    pub column: u32,
}

/// A step of a run.
#[derive(Clone, Debug)]
pub struct Event<'a> {
    /// Where.
    pub spot: Spot<'a>,
    /// What, in words.
    pub text: String,
    /// Frames below.
    pub depth: u64,
}

/// Writes a log with an entry for each answer, whatever its verdict, and more of them.
///
/// # Errors
/// If writing fails.
pub fn logged<'a>(
    out: &mut dyn Write,
    header: Header<'_>,
    answers: impl Iterator<Item = (Answered<'a>, Option<Flow<'a>>)>,
    more: Vec<Entry>,
) -> io::Result<()> {
    let (kinds, mut results): (Vec<PropertyKind>, Vec<Entry>) =
        answers.map(|(answer, flow)| (answer.asked.kind, result(header, &answer, flow))).unzip();
    results.extend(more);
    log(out, header, &rules(kinds.contains(&PropertyKind::Null)), results)
}

/// Which rule of a log is about such properties.
pub(super) fn number(kind: PropertyKind) -> usize {
    RULES.iter().position(|(other, _)| *other == kind).unwrap_or(0)
}

/// The rules of a log, and the last one only if it is about one.
fn rules(of_null: bool) -> Vec<(&'static str, &'static str)> {
    let rules = RULES.iter().filter(|(kind, _)| of_null || *kind != PropertyKind::Null);
    rules.map(|&(kind, text)| (kind.name(), text)).collect()
}

/// Writes the log of a call that has no answer, because the input or the call is wrong.
///
/// # Errors
/// If writing fails.
pub fn refused(out: &mut dyn Write, header: Header<'_>) -> io::Result<()> {
    log(out, header, &rules(false), Vec::new())
}

/// Writes a log with these results of these rules.
pub(super) fn log(
    out: &mut dyn Write,
    header: Header<'_>,
    rules: &[(&str, &str)],
    results: Vec<Entry>,
) -> io::Result<()> {
    let rule = |(name, text): &(&str, &str)| {
        let text = serde_sarif::sarif::MultiformatMessageString::builder().text(*text).build();
        ReportingDescriptor::builder().id(*name).short_description(text).build()
    };
    let rules: Vec<ReportingDescriptor> = rules.iter().map(rule).collect();
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

/// How a result counts.
#[derive(Clone, Copy, Debug)]
pub(super) enum Counts {
    /// An error, or what is worth a look.
    Fail(ResultLevel),
    /// Nothing to be done.
    Pass,
    /// Nobody knows.
    Open,
}

/// An entry of a log in the making.
pub(super) struct Said<'a> {
    /// The rule, and which one it is of those of the log.
    pub rule: (&'a str, usize),
    /// How it counts.
    pub counts: Counts,
    /// What it says.
    pub text: String,
    /// What it is about; none for all of the input.
    pub at: Option<Spot<'a>>,
    /// The run that shows it.
    pub flow: Option<Flow<'a>>,
}

impl Said<'_> {
    /// As it stands in the log.
    pub(super) fn entry(self, header: Header<'_>) -> Entry {
        let (kind, level) = match self.counts {
            Counts::Fail(level) => (ResultKind::Fail, level),
            Counts::Pass => (ResultKind::Pass, ResultLevel::None),
            Counts::Open => (ResultKind::Open, ResultLevel::None),
        };
        let whole = || location(header.input, Region::builder().start_line(1i64).build(), None);
        Entry::builder()
            .rule_id(self.rule.0)
            .rule_index(self.rule.1 as i64)
            .kind(kind)
            .level(level)
            .message(message(self.text))
            .locations(vec![self.at.map_or_else(whole, |spot| spot.location(None))])
            .code_flows(self.flow.map(code_flow).into_iter().collect::<Vec<_>>())
            .build()
    }
}

fn result(header: Header<'_>, answer: &Answered<'_>, flow: Option<Flow<'_>>) -> Entry {
    let counts = match answer.verdict {
        Verdict::Violated(()) => Counts::Fail(ResultLevel::Error),
        Verdict::Reachable(()) => Counts::Fail(ResultLevel::Warning),
        Verdict::Holds | Verdict::Unreachable => Counts::Pass,
        Verdict::Unknown(_) => Counts::Open,
    };
    let mut text = format!("{}: {}", answer.asked.title(), answer.verdict.name());
    if let Verdict::Unknown(why) = &answer.verdict {
        let _ = write!(text, " ({why})");
    }
    for warning in answer.warnings {
        let _ = write!(text, "; {}", warning.text());
    }
    if let Some(flow) = &flow {
        let _ = write!(text, "; {}", flow.ended);
    }
    let index = number(answer.asked.kind);
    let at = flow.as_ref().and_then(|flow| flow.at.clone());
    Said { rule: (answer.asked.kind.name(), index), counts, text, at, flow }.entry(header)
}

impl Flow<'static> {
    /// The flow of a run that ends so.
    pub(super) fn of(run: answer::Run, ended: String) -> Flow<'static> {
        let (cycle, left_out) = (run.cycle.unwrap_or(usize::MAX), run.left_out);
        let event = |(index, step): (usize, answer::Step)| {
            let mut text = format!("{}{step}", if index >= cycle { "for ever: " } else { "" });
            if let Some(answer::LeftOut { count, .. }) = left_out.filter(|left_out| left_out.at == index) {
                let _ = write!(text, " ({count} statements before it are not shown)");
            }
            let spot = Spot { file: step.file.into(), line: step.line, column: step.column };
            Event { spot, text, depth: step.depth }
        };
        let events: Vec<Event<'_>> =
            run.steps.into_iter().enumerate().filter(|(_, step)| !step.file.is_empty()).map(event).collect();
        Flow { ended, at: events.last().map(|event| event.spot.clone()), events }
    }
}

impl Spot<'_> {
    fn location(self, text: Option<String>) -> Location {
        let line = Region::builder().start_line(i64::from(self.line));
        location(&self.file, line.start_column(i64::from(self.column)).build(), text)
    }
}

fn code_flow(flow: Flow<'_>) -> CodeFlow {
    let steps = (1i64..).zip(flow.events).map(|(order, event)| {
        let depth = i64::try_from(event.depth).unwrap_or(i64::MAX);
        let location = event.spot.location(Some(event.text));
        ThreadFlowLocation::builder().location(location).nesting_level(depth).execution_order(order).build()
    });
    let thread = ThreadFlow::builder().locations(steps.collect::<Vec<_>>()).build();
    CodeFlow::builder().thread_flows(vec![thread]).build()
}

// The runs of systems.

/// The run of an answer.
pub(super) fn flow<'a>(view: &View<'a>, source: Option<&Source<'_>>, finding: &Finding<'_>) -> Option<Flow<'a>> {
    let Shown::Trace(trace, form) = finding.shown else { return None };
    let run = &trace.run;
    let stem = Walk::new(view, run, Section::Stem, form, Direction::Forward).map(|met| (met, ""));
    let cycle = Walk::new(view, run, Section::Cycle, form, Direction::Forward).map(|met| (met, "for ever: "));
    let events = stem.chain(cycle).filter_map(|(met, prefix)| event(view, source, &met, prefix));
    Some(Flow { ended: ended(view, source, run), at: last_place(view, trace, form), events: events.collect() })
}

fn spot_of(spds: &Spds, place: Place) -> Option<Spot<'_>> {
    let file = (**spds.files.get(place.file as usize)?).into();
    Some(Spot { file, line: place.line, column: place.column })
}

/// Where something happens: at the end of a run, or where it begins to repeat.
fn last_place<'a>(view: &View<'a>, trace: &Trace, form: Form) -> Option<Spot<'a>> {
    let part = if trace.run.ending == Ending::Loop { Section::Cycle } else { Section::Stem };
    let mut walk = Walk::new(view, &trace.run, part, form, Direction::Backward);
    let mut steps = walk.by_ref().filter_map(|met| view.spds.symbol(met.step.config.symbol).place);
    spot_of(view.spds, steps.next()?)
}

fn event<'a>(view: &View<'a>, source: Option<&Source<'_>>, met: &Met<'_>, prefix: &str) -> Option<Event<'a>> {
    let config = &met.step.config;
    let spot = spot_of(view.spds, view.spds.symbol(config.symbol).place?)?;
    let mut text = format!("{prefix}{}", statement(view.spds, source, config.symbol));
    for shown in view.values(config) {
        let _ = write!(text, "  {}={}", shown.name(), shown.value);
    }
    Some(Event { spot, text, depth: met.depth })
}
