//! Which variables matter at statements, and why, as text and as JSON.

use std::borrow::Cow;
use std::io::{self, Write};

use rustc_hash::FxHashSet;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use spds_format::Spds;
use spds_format::model::{FrameId, Head, SymbolId, Var};

use crate::explain::Link;
use crate::influence::Influence;
use crate::influence::effect::How;
use crate::limits::Stop;
use crate::source::{Source, clip};

use super::json::{Header, Labels, Met, value, write_met};
use super::text::statement;

/// What is told.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The system.
    pub spds: &'a Spds,
    /// The text that places refer to, if there is one.
    pub source: Option<&'a Source<'a>>,
    /// What is preserved: `reach`, `assertions`, `termination`, `ltl`.
    pub preserve: &'a str,
    /// The statements to be listed, in their order.
    pub statements: &'a [SymbolId],
    /// What is known.
    pub influence: &'a Influence,
    /// The limit that was met before more was known.
    pub stop: Option<Stop>,
}

/// Why a variable matters at a place.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// As it was asked for: `x@PLACE`.
    pub asked: String,
    /// The chain to a use; `None` if it does not matter there.
    pub chain: Option<Vec<Link>>,
}

impl<'a> Subject<'a> {
    /// The variables in scope that users see, globals first.
    fn in_scope(&self, symbol: SymbolId) -> Vec<Var> {
        let (spds, frame) = (self.spds, self.spds.symbol(symbol).frame);
        let globals = (0..spds.globals.len() as u32).map(Var::Global);
        let locals = (0..spds.locals(symbol).len() as u32).map(Var::Local);
        globals.chain(locals).filter(|var| self.is_seen(frame, *var)).collect()
    }

    fn matters(&self, symbol: SymbolId) -> Vec<Var> {
        let frame = self.spds.symbol(symbol).frame;
        self.influence.matters_at(symbol).into_iter().filter(|var| self.is_seen(frame, *var)).collect()
    }

    fn is_seen(&self, frame: Option<FrameId>, var: Var) -> bool {
        self.spds.variable(frame, var).is_some_and(|variable| !variable.hidden)
    }

    fn name(&self, symbol: SymbolId, var: Var) -> Cow<'a, str> {
        self.spds.display_name(self.spds.symbol(symbol).frame, var)
    }

    fn names(&self, symbol: SymbolId, vars: &[Var]) -> Vec<Cow<'a, str>> {
        vars.iter().map(|var| self.name(symbol, *var)).collect()
    }

    /// The assignments to variables that users see which influence nothing.
    fn dead(&self) -> Vec<(SymbolId, Var)> {
        let mut dead = self.influence.dead_assignments(self.spds);
        dead.retain(|(symbol, var)| {
            // The variable assigned belongs to the frame of the statement, or is global.
            self.spds.symbol(*symbol).place.is_some() && self.is_seen(self.spds.symbol(*symbol).frame, *var)
        });
        dead
    }

    /// The chain as users see it: without registers, and without places that no run shows, unless there is the use.
    fn shown(&self, chain: &[Link]) -> Vec<Link> {
        let hidden: FxHashSet<Head> = self.spds.rules.iter().filter(|rule| rule.silent).map(|rule| rule.from).collect();
        let last = chain.len().saturating_sub(1);
        let shown = chain.iter().enumerate().filter(|(i, link)| {
            let frame = self.spds.symbol(link.head.symbol).frame;
            *i == last || self.is_seen(frame, link.var) && !hidden.contains(&link.head)
        });
        shown.map(|(_, link)| *link).collect()
    }

    fn line(&self, symbol: SymbolId) -> String {
        self.spds.symbol(symbol).place.map_or_else(String::new, |place| place.line.to_string())
    }
}

/// Rows under the names of their procedures: number, statement, words.
fn table(out: &mut dyn Write, subject: Subject<'_>, rows: &[(SymbolId, String)]) -> io::Result<()> {
    let spds = subject.spds;
    let code = |symbol: SymbolId| statement(spds, subject.source, symbol);
    let number_width = rows.iter().map(|(symbol, _)| subject.line(*symbol).len()).max().unwrap_or(0);
    let code_width = rows.iter().map(|(symbol, _)| code(*symbol).chars().count()).max().unwrap_or(0);
    let mut frame_before = None;
    for (index, (symbol, words)) in rows.iter().enumerate() {
        let frame = spds.symbol(*symbol).frame;
        if index == 0 || frame_before != frame {
            let blank = if index == 0 { "" } else { "\n" };
            match frame {
                Some(frame) => writeln!(out, "{blank}{}", clip(&spds.frame(frame).name, usize::MAX))?,
                None => write!(out, "{blank}")?,
            }
            frame_before = frame;
        }
        let line = format!("  {:>number_width$}  {:code_width$}  {words}", subject.line(*symbol), code(*symbol));
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

/// Writes per statement the variables that matter of those in scope, and a summary.
///
/// # Errors
/// If writing fails.
pub fn text(out: &mut dyn Write, subject: Subject<'_>) -> io::Result<()> {
    let rows: Vec<(SymbolId, String)> = subject
        .statements
        .iter()
        .map(|&symbol| {
            let scope = subject.in_scope(symbol);
            let matters = subject.matters(symbol);
            let others: Vec<Var> = scope.iter().copied().filter(|var| !matters.contains(var)).collect();
            let words = match (subject.influence.reaches(symbol), matters.is_empty(), others.is_empty()) {
                (true, true, false) if subject.stop.is_some() => "nothing so far".into(),
                (true, false, false) if subject.stop.is_some() => {
                    format!("{} so far", list(&subject.names(symbol, &matters)))
                }
                (false, ..) => "never reached".into(),
                (_, true, true) => "no variable is in scope".into(),
                (_, true, false) => format!("nothing; not {}", list(&subject.names(symbol, &others))),
                (_, false, true) => list(&subject.names(symbol, &matters)),
                (_, false, false) => {
                    let [yes, no] = [&matters, &others].map(|vars| list(&subject.names(symbol, vars)));
                    format!("{yes}; not {no}")
                }
            };
            (symbol, words)
        })
        .collect();
    table(out, subject, &rows)?;
    if let Some(stop) = subject.stop {
        return writeln!(out, "\nunknown ({stop}): other variables may matter, too");
    }
    let most = |count: &dyn Fn(SymbolId) -> usize| subject.statements.iter().map(|s| count(*s)).max().unwrap_or(0);
    let in_scope = most(&|symbol| subject.in_scope(symbol).len());
    let matter = most(&|symbol| subject.matters(symbol).len());
    let dead = subject.dead().len();
    writeln!(
        out,
        "\nvariables in scope: at most {in_scope}; that matter: at most {matter}; assignments that influence nothing: {dead}"
    )
}

fn list(names: &[Cow<'_, str>]) -> String {
    clip(&names.join(", "), usize::MAX)
}

/// Writes the assignments that influence nothing.
///
/// # Errors
/// If writing fails.
pub fn dead_text(out: &mut dyn Write, subject: Subject<'_>) -> io::Result<()> {
    let wanted: FxHashSet<SymbolId> = subject.statements.iter().copied().collect();
    let mut rows: Vec<(SymbolId, Vec<Cow<'_, str>>)> = Vec::new();
    for (symbol, var) in subject.dead().into_iter().filter(|(symbol, _)| wanted.contains(symbol)) {
        let name = subject.name(symbol, var);
        match rows.last_mut() {
            Some((last, names)) if *last == symbol => names.push(name),
            _ => rows.push((symbol, vec![name])),
        }
    }
    if rows.is_empty() {
        return writeln!(out, "every assignment influences something");
    }
    let rows: Vec<(SymbolId, String)> = rows.into_iter().map(|(symbol, names)| (symbol, list(&names))).collect();
    table(out, subject, &rows)
}

/// Writes why a variable matters, a place where something becomes of its value to a line.
///
/// # Errors
/// If writing fails.
pub fn explanation_text(out: &mut dyn Write, subject: Subject<'_>, explanation: &Explanation) -> io::Result<()> {
    let Some(chain) = &explanation.chain else {
        return writeln!(out, "{} does not matter", clip(&explanation.asked, usize::MAX));
    };
    writeln!(out, "{} matters:", clip(&explanation.asked, usize::MAX))?;
    let chain: Vec<Link> = subject.shown(chain).into_iter().filter(|link| link.how != How::Survives).collect();
    let rows: Vec<(SymbolId, String)> = chain
        .iter()
        .map(|link| {
            let name = clip(&subject.name(link.head.symbol, link.var), usize::MAX);
            let words = match link.how {
                How::Survives => format!("{name} stays"),
                How::Assigned => format!("{name} goes into what is assigned"),
                How::Argument => format!("{name} goes into an argument"),
                How::Returned => format!("{name} goes into what is returned"),
                How::Condition => format!("{name} decides whether the run goes on"),
                How::Assertion => format!("{name} is read by the assertion"),
                How::Formula => format!("{name} is read by the formula"),
                How::Relation => format!("{name} is read by a relation"),
                How::Index => format!("{name} is an index"),
            };
            (link.head.symbol, words)
        })
        .collect();
    table(out, subject, &rows)
}

/// Writes one JSON object, a statement to a line.
///
/// # Errors
/// If writing fails.
pub fn json(
    out: &mut dyn Write,
    subject: Subject<'_>,
    header: Header<'_>,
    met: Option<&Met>,
    explanation: Option<&Explanation>,
    dead: bool,
) -> io::Result<()> {
    begin(out, header, subject.preserve)?;
    write_met(out, met)?;
    write!(out, ",\n \"statements\": [")?;
    for (index, &symbol) in subject.statements.iter().enumerate() {
        write!(out, "{}", if index == 0 { "" } else { ",\n  " })?;
        value(out, &Item { subject, symbol })?;
    }
    write!(out, "]")?;
    if dead {
        let wanted: FxHashSet<SymbolId> = subject.statements.iter().copied().collect();
        write!(out, ",\n \"dead_assignments\": [")?;
        let dead = subject.dead().into_iter().filter(|(symbol, _)| wanted.contains(symbol));
        for (index, (symbol, var)) in dead.enumerate() {
            write!(out, "{}", if index == 0 { "" } else { ",\n  " })?;
            value(out, &Assignment { subject, symbol, var })?;
        }
        write!(out, "]")?;
    }
    write!(out, ",\n \"explanation\": ")?;
    match explanation.and_then(|explanation| explanation.chain.as_ref()) {
        None => write!(out, "null")?,
        Some(chain) => {
            write!(out, "[")?;
            for (index, link) in subject.shown(chain).into_iter().enumerate() {
                write!(out, "{}", if index == 0 { "" } else { ",\n  " })?;
                value(out, &ChainLink { subject, link })?;
            }
            write!(out, "]")?;
        }
    }
    if let Some(seconds) = header.seconds {
        write!(out, ",\n \"seconds\": ")?;
        value(out, &seconds)?;
    }
    writeln!(out, "}}")
}

/// Writes the object of a computation that was stopped.
///
/// # Errors
/// If writing fails.
pub fn stopped_json(out: &mut dyn Write, header: Header<'_>, preserve: &str, met: &Met) -> io::Result<()> {
    begin(out, header, preserve)?;
    write_met(out, Some(met))?;
    writeln!(out, ",\n \"statements\": null,\n \"explanation\": null}}")
}

fn begin(out: &mut dyn Write, header: Header<'_>, preserve: &str) -> io::Result<()> {
    super::json::begin(out, header)?;
    write!(out, ", \"preserve\": ")?;
    value(out, preserve)
}

/// A statement as an object.
struct Item<'a> {
    subject: Subject<'a>,
    symbol: SymbolId,
}

impl Serialize for Item<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let subject = self.subject;
        let symbol = subject.spds.symbol(self.symbol);
        let mut map = serializer.serialize_map(None)?;
        at(&mut map, subject.spds, self.symbol, true)?;
        map.serialize_entry("labels", &Labels(&symbol.labels))?;
        map.serialize_entry("symbol", &*symbol.name)?;
        map.serialize_entry("in_scope", &subject.names(self.symbol, &subject.in_scope(self.symbol)))?;
        map.serialize_entry("matters", &subject.names(self.symbol, &subject.matters(self.symbol)))?;
        map.end()
    }
}

/// The place of a statement.
fn at<M: SerializeMap>(map: &mut M, spds: &Spds, id: SymbolId, column: bool) -> Result<(), M::Error> {
    let symbol = spds.symbol(id);
    let file = symbol.place.and_then(|place| spds.files.get(place.file as usize));
    map.serialize_entry("file", &file.map(|file| &**file))?;
    map.serialize_entry("line", &symbol.place.map(|place| place.line))?;
    if column {
        map.serialize_entry("column", &symbol.place.map(|place| place.column))?;
    }
    map.serialize_entry("procedure", &symbol.frame.map(|frame| &*spds.frame(frame).name))
}

/// A link of an explanation as an object.
struct ChainLink<'a> {
    subject: Subject<'a>,
    link: Link,
}

impl Serialize for ChainLink<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let symbol = self.link.head.symbol;
        at(&mut map, self.subject.spds, symbol, false)?;
        map.serialize_entry("variable", &self.subject.name(symbol, self.link.var))?;
        map.serialize_entry("how", self.link.how.name())?;
        map.end()
    }
}

/// An assignment that influences nothing as an object.
struct Assignment<'a> {
    subject: Subject<'a>,
    symbol: SymbolId,
    var: Var,
}

impl Serialize for Assignment<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        at(&mut map, self.subject.spds, self.symbol, true)?;
        map.serialize_entry("symbol", &*self.subject.spds.symbol(self.symbol).name)?;
        map.serialize_entry("variable", &self.subject.name(self.symbol, self.var))?;
        map.end()
    }
}
