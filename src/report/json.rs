//! The report as one JSON object, one step to a line. Its shape is a promise to scripts: see the manual.

use std::io::{self, Write};

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::check::{Replayed, Trace};
use crate::limits::Reason;
use crate::places::Naming;
use crate::replay;
use crate::run::{Ending, Run, Section, Step, Then};
use crate::source::Source;

use super::answered::Answered;
use super::branch::Alternatives;
use super::notice::Notice;
use super::present::Shown;
use super::text::executed;
use super::view::View;
use super::walk::{At, Direction, Form, Walk};

/// The number of the shape of the objects; it changes when a script that reads them would have to.
pub const SCHEMA: u32 = 1;

/// What a report says beside its findings.
#[derive(Clone, Copy, Debug, Default)]
pub struct Header<'a> {
    /// The version of the tool.
    pub version: &'a str,
    /// The name of the input as given.
    pub input: &'a str,
    /// How long the computation took, if that is to be told.
    pub seconds: Option<f64>,
    /// What was told about the input.
    pub diagnostics: &'a [Notice],
}

/// What was granted, for those who read that it was not enough.
#[derive(Clone, Copy, Debug, Default)]
pub struct Granted {
    /// Seconds.
    pub timeout: Option<f64>,
    /// MiB of memory.
    pub memory: Option<u64>,
}

impl Granted {
    /// Why an answer is not whole, and how much was granted of what would have been needed.
    pub fn met(self, reason: Reason) -> Met {
        let limit = match reason {
            Reason::Timeout => self.timeout,
            Reason::Memory => self.memory.map(|mib| mib as f64),
            _ => None,
        };
        Met { why: reason.to_string(), kind: reason.kind(), limit }
    }
}

/// Why an answer is not whole.
#[derive(Clone, Debug)]
pub struct Met {
    /// A sentence.
    pub why: String,
    /// A word.
    pub kind: &'static str,
    /// The number that was granted, if it is one that was met.
    pub limit: Option<f64>,
}

/// Why an answer is not whole, as a sentence, a word and a number; or that it is.
pub fn write_met(out: &mut dyn Write, met: Option<&Met>) -> io::Result<()> {
    write!(out, ",\n \"reason\": ")?;
    value(out, &met.map(|met| &*met.why))?;
    write!(out, ", \"reason_kind\": ")?;
    value(out, &met.map(|met| met.kind))?;
    write!(out, ", \"limit\": ")?;
    match met.and_then(|met| met.limit) {
        // Whole numbers as such.
        Some(limit) if limit.fract() == 0.0 && limit < 1e15 => value(out, &(limit as i64)),
        other => value(out, &other),
    }
}

/// Writes the object of a call that was stopped before there was an answer.
///
/// # Errors
/// If writing fails.
pub fn stopped(out: &mut dyn Write, header: Header<'_>, met: &Met) -> io::Result<()> {
    begin(out, header)?;
    write_met(out, Some(met))?;
    writeln!(out, "}}")
}

/// Begins an object: the tool, the shape, the input, and what was told about it.
///
/// # Errors
/// If writing fails.
pub fn begin(out: &mut dyn Write, header: Header<'_>) -> io::Result<()> {
    write!(out, "{{\"tool\": {{\"name\": \"puch\", \"version\": ")?;
    value(out, header.version)?;
    write!(out, "}}, \"schema\": {SCHEMA}, \"input\": ")?;
    value(out, header.input)?;
    write!(out, ",\n \"diagnostics\": [")?;
    for (index, notice) in header.diagnostics.iter().enumerate() {
        write!(out, "{}", if index == 0 { "" } else { ",\n                 " })?;
        value(out, notice)?;
    }
    write!(out, "]")
}

/// Writes the object of a call that has no answer, because the input or the call is wrong.
///
/// # Errors
/// If writing fails.
pub fn refused(out: &mut dyn Write, header: Header<'_>) -> io::Result<()> {
    begin(out, header)?;
    writeln!(out, "}}")
}

/// Writes the object of a text in another notation.
///
/// # Errors
/// If writing fails.
pub fn text(out: &mut dyn Write, header: Header<'_>, met: Option<&Met>, notation: &str, text: &str) -> io::Result<()> {
    begin(out, header)?;
    write_met(out, met)?;
    write!(out, ",\n \"notation\": ")?;
    value(out, notation)?;
    write!(out, ",\n \"text\": ")?;
    value(out, text)?;
    writeln!(out, "}}")
}

/// What steps are written with.
pub(super) struct Page<'a> {
    pub view: &'a View<'a>,
    pub source: Option<&'a Source<'a>>,
    pub alternatives: &'a Alternatives<'a>,
}

/// Writes the member of a trace, and what is said where there is none.
pub(super) fn write_shown(out: &mut dyn Write, page: &Page<'_>, shown: &Shown<'_>) -> io::Result<()> {
    write!(out, ",\n              \"trace\": ")?;
    match shown {
        Shown::Nothing => write!(out, "null"),
        Shown::Unwanted(judged) => write!(out, "null, \"replayed\": \"{}\"", judged.map_or("no", Replayed::name)),
        Shown::Omitted(why) => {
            write!(out, "null, \"trace_omitted\": ")?;
            value(out, why)
        }
        Shown::Trace(trace, form) => write_trace(out, page, trace, *form),
    }
}

/// Writes the first members of the object of an answer, those that it has whatever shows it; the object is left open.
pub(super) fn members(out: &mut dyn Write, answer: &Answered<'_>) -> io::Result<()> {
    write!(out, "{{\"kind\": \"{}\", \"property\": ", answer.asked.kind.name())?;
    value(out, &answer.asked.property)?;
    if let Some(name) = &answer.asked.name {
        write!(out, ", \"name\": ")?;
        value(out, name)?;
    }
    let unknown = answer.verdict.unknown();
    write!(out, ", \"verdict\": \"{}\", \"reason\": ", answer.verdict.name())?;
    value(out, &unknown.map(|why| &why.sentence))?;
    write!(out, ", \"reason_kind\": ")?;
    value(out, &unknown.map(|why| why.kind))?;
    write!(out, ", \"warnings\": [")?;
    for (index, warning) in answer.warnings.iter().enumerate() {
        write!(out, "{}{{\"code\": \"{}\", \"text\": ", if index == 0 { "" } else { ", " }, warning.code())?;
        value(out, warning.text())?;
        write!(out, "}}")?;
    }
    let vacuous = answer.warnings.iter().any(|warning| warning.code() == "vacuous");
    write!(out, "], \"vacuous\": {vacuous}, \"not_verified\": ")?;
    value(out, &answer.not_verified)?;
    write!(out, ", \"verified\": ")?;
    value(out, &answer.verified)
}

/// Why something is unknown, as a sentence and as a word; or that it is not.
pub(super) fn write_reason(out: &mut dyn Write, reason: Option<Reason>) -> io::Result<()> {
    write!(out, ", \"reason\": ")?;
    value(out, &reason.map(|reason| reason.to_string()))?;
    write!(out, ", \"reason_kind\": ")?;
    value(out, &reason.map(Reason::kind))
}

fn write_trace(out: &mut dyn Write, page: &Page<'_>, trace: &Trace, form: Form) -> io::Result<()> {
    let view = page.view;
    let run = &trace.run;
    let ending = match run.ending {
        Ending::Reached => "reached",
        Ending::Failed => "failed",
        Ending::Terminated => "terminated",
        Ending::Stuck => "stuck",
        Ending::Loop => "loop",
    };
    write!(out, "{{\"ending\": \"{ending}\", ")?;
    if let Some(why) = replay::failure(view.spds, run) {
        write!(out, "\"failure\": ")?;
        value(out, why)?;
        write!(out, ", ")?;
    }
    write!(out, "\"cycle\": ")?;
    match run.cycle {
        Some(_) => {
            write_part(out, page, run, Section::Cycle, form)?;
            write!(out, ",\n                        \"closes_on\": ")?;
            value(out, &view.closes_on(run))?;
        }
        None => write!(out, "null")?,
    }
    write!(out, ",\n                        \"stem\": ")?;
    write_part(out, page, run, Section::Stem, form)?;
    if form == Form::Folded {
        write!(out, ",\n                        \"folded\": true,\n                        \"calls\": [")?;
        for (index, call) in run.calls.iter().enumerate() {
            write!(out, "{}", if index == 0 { "" } else { ",\n                         " })?;
            write!(out, "{{\"procedure\": ")?;
            value(out, &call.procedure.map(|frame| &*view.spds.frame(frame).name))?;
            write!(out, ", \"steps\": ")?;
            write_part(out, page, run, Section::Call(index), form)?;
            write!(out, "}}")?;
        }
        write!(out, "]")?;
    }
    write!(out, ",\n                        \"replayed\": \"{}\"}}", trace.replayed.name())
}

/// A list of steps: in full form with the parts of all calls, in folded form as it stands.
fn write_part(out: &mut dyn Write, page: &Page<'_>, run: &Run, part: Section, form: Form) -> io::Result<()> {
    let mut first = true;
    let mut item = |out: &mut dyn Write, step: &Step, depth: u64, at: At| {
        let separator = if first { "" } else { ",\n                                 " };
        first = false;
        write!(out, "{separator}")?;
        value(out, &Item { page, run, step, depth, form, at })
    };
    write!(out, "[")?;
    match form {
        Form::Full => {
            for met in Walk::new(page.view, run, part, form, Direction::Forward) {
                item(out, met.step, met.depth, met.at)?;
            }
        }
        Form::Folded => {
            for (index, step) in page.view.seen_at(super::walk::steps(run, part), run) {
                item(out, step, u64::from(step.depth), At { part, index })?;
            }
        }
    }
    write!(out, "]")
}

/// A step as an object.
struct Item<'a, 's> {
    page: &'a Page<'s>,
    run: &'a Run,
    step: &'a Step,
    depth: u64,
    form: Form,
    at: At,
}

impl Serialize for Item<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let view = self.page.view;
        let spds = view.spds;
        let config = &self.step.config;
        let symbol = spds.symbol(config.symbol);
        let mut map = serializer.serialize_map(None)?;
        match symbol.place {
            Some(place) => {
                map.serialize_entry("file", &spds.files.get(place.file as usize).map(|file| &**file))?;
                map.serialize_entry("line", &place.line)?;
                map.serialize_entry("column", &place.column)?;
            }
            None => {
                map.serialize_entry("file", &None::<&str>)?;
                map.serialize_entry("line", &None::<u32>)?;
                map.serialize_entry("column", &None::<u32>)?;
            }
        }
        map.serialize_entry("procedure", &view.procedure(config))?;
        if view.naming == Naming::System {
            map.serialize_entry("control", &*spds.controls[config.control.0 as usize])?;
        }
        map.serialize_entry("symbol", &*symbol.name)?;
        map.serialize_entry("labels", &Labels(&symbol.labels))?;
        map.serialize_entry("depth", &self.depth)?;
        map.serialize_entry("values", &Values(self))?;
        match (self.step.then, self.form) {
            (Then::Call(call), Form::Folded) => map.serialize_entry("call", &call)?,
            (Then::Leap(times), _) => map.serialize_entry("times", &times)?,
            _ => {}
        }
        map.serialize_entry("statement", &executed(spds, self.page.source, config.symbol))?;
        map.serialize_entry("branch", &self.page.alternatives.taken(self.run, self.at))?;
        map.end()
    }
}

pub(super) struct Labels<'a>(pub(super) &'a [spds_format::model::Name]);

impl Serialize for Labels<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|label| &**label))
    }
}

struct Values<'a, 's>(&'a Item<'a, 's>);

impl Serialize for Values<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let item = self.0;
        serializer.collect_map(item.page.view.values(&item.step.config).map(|shown| (shown.name(), shown.value)))
    }
}

/// A value with a blank after each comma and colon, like everything around it.
pub(crate) fn value<T: Serialize + ?Sized>(out: &mut dyn Write, value: &T) -> io::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(out, Spaced);
    value.serialize(&mut serializer).map_err(io::Error::from)
}

/// JSON on one line, with blanks.
struct Spaced;

impl serde_json::ser::Formatter for Spaced {
    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}
