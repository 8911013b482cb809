//! The report as one page that needs nothing else: readable as it stands, explorable where scripts run.
//!
//! What is fixed is in the text of the page: answers, sources with coverage, and, for who runs no scripts, the runs as the
//! terminal shows them. Runs are beside that as data: lists of numbers, values and symbols shared, calls that are equal
//! stored once, so that a page is as long as the run is when folded.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Value as Json, json};
use spds_format::model::{Spds, SymbolId, Variable};

use super::branch::Alternatives;
use super::expression::{Notation, written};
use super::json::Header;
use super::present::{self, Finding, Shown};
use super::source::{Source, clip};
use super::text::{self, Detail, ended, executed};
use super::view::{Value, View};
use super::walk::{self, At, growth};
use crate::check::{Trace, Verdict};
use crate::facts::{Described, Fact, Known};
use crate::places::Naming;
use crate::run::{Call, Run, Section, Step, Then};

const STYLE: &str = include_str!("html/page.css");
const SCRIPTS: [&str; 4] = [
    include_str!("html/model.js"),
    include_str!("html/watch.js"),
    include_str!("html/tree.js"),
    include_str!("html/explorer.js"),
];

/// Lines of a source that are drawn together or not at all.
const BLOCK: usize = 200;

/// The longest value of a variable that JavaScript holds as a number.
const EXACT: u64 = 1 << 53;

/// What is known of the statements of a program.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// What is known, if anything.
    pub facts: Vec<Fact>,
    /// The statements that every run comes to.
    pub always: Vec<SymbolId>,
    /// Why there is nothing, if so.
    pub unknown: Option<String>,
    /// Whether it is about an abstraction of the program, which has more runs.
    pub abstraction: bool,
}

/// What a page is about.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The system.
    pub view: &'a View<'a>,
    /// The sources that are at hand, the first of which is the input.
    pub sources: &'a [Source<'a>],
    /// How users write expressions.
    pub notation: Notation,
    /// What is known of its statements.
    pub coverage: &'a Coverage,
}

impl<'a> Subject<'a> {
    /// The source whose lines are statements. In texts of rules a line is one of several rules for a symbol.
    fn statements(self) -> Option<&'a Source<'a>> {
        self.sources.first().filter(|_| self.view.naming == Naming::Program)
    }

    /// The same for a symbol of any file.
    fn source_of(self, symbol: SymbolId) -> Option<&'a Source<'a>> {
        let spds = self.view.spds;
        let file = spds.files.get(spds.symbol(symbol).place?.file as usize)?;
        self.statements().and_then(|_| self.sources.iter().find(|source| *source.name == **file))
    }
}

/// Writes the page.
///
/// # Errors
/// If writing fails.
pub fn write(
    out: &mut dyn Write,
    subject: Subject<'_>,
    header: Header<'_>,
    findings: &[Finding<'_>],
) -> io::Result<()> {
    let title = escaped(header.input);
    writeln!(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">")?;
    writeln!(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")?;
    let policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";
    writeln!(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">")?;
    writeln!(out, "<title>{title} – puch</title>\n<style>\n{STYLE}</style>\n</head>\n<body>")?;
    let version = escaped(header.version);
    write!(out, "<header><h1>{title}</h1><p>checked by puch {version}</p>")?;
    writeln!(out, "<button id=\"theme\" type=\"button\">light or dark</button></header>\n<main>")?;
    write_answers(out, findings)?;
    writeln!(out, "<section id=\"explorer\" aria-label=\"Runs\"></section>")?;
    write_runs(out, subject, findings)?;
    write_sources(out, subject)?;
    writeln!(out, "</main>")?;
    write!(out, "<script type=\"application/json\" id=\"data\">")?;
    let mut tables = Tables::new(subject);
    let results: Vec<Json> = findings.iter().map(|finding| tables.result(finding)).collect();
    let data = tables.done(results, header);
    // Nothing in it ends the element.
    write!(out, "{}", data.to_string().replace('<', "\\u003c"))?;
    writeln!(out, "</script>\n<script>\n\"use strict\";\n{{\n{}}}\n</script>\n</body>\n</html>", SCRIPTS.join("\n"))
}

/// Text as HTML and XML have it.
pub fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(['&', '<', '>', '"']) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            '&' => safe += "&amp;",
            '<' => safe += "&lt;",
            '>' => safe += "&gt;",
            '"' => safe += "&quot;",
            other => safe.push(other),
        }
    }
    Cow::Owned(safe)
}

fn write_answers(out: &mut dyn Write, findings: &[Finding<'_>]) -> io::Result<()> {
    writeln!(out, "<section class=\"answers\"><h2>Answers</h2><ul>")?;
    for finding in findings {
        let verdict = finding.verdict.name();
        let title = finding.asked.title();
        let property = escaped(&title);
        write!(out, "<li>{property}: <strong class=\"{verdict}\">{verdict}</strong>")?;
        for note in notes(finding) {
            write!(out, "; {}", escaped(&note))?;
        }
        writeln!(out, "</li>")?;
    }
    writeln!(out, "</ul></section>")
}

/// What is said beside a verdict.
fn notes(finding: &Finding<'_>) -> Vec<String> {
    let reason = match finding.verdict {
        Verdict::Unknown(reason) => Some(reason.to_string()),
        _ => None,
    };
    let warnings = finding.warnings.iter().map(|warning| warning.text().to_owned());
    let unverified = finding.not_verified().into_iter().map(|unverified| unverified.text.to_owned());
    let omitted = match &finding.shown {
        Shown::Omitted(why) => Some(format!("no trace: {why}")),
        _ => None,
    };
    reason.into_iter().chain(warnings).chain(unverified).chain(omitted).collect()
}

/// The runs as text, which browsers with scripts leave alone.
fn write_runs(out: &mut dyn Write, subject: Subject<'_>, findings: &[Finding<'_>]) -> io::Result<()> {
    let mut text = Vec::new();
    text::write(&mut text, subject.view, subject.statements(), findings, Detail::Brief)?;
    let text = String::from_utf8_lossy(&text);
    writeln!(out, "<noscript><section><h2>Runs</h2><pre>{}</pre></section></noscript>", escaped(&text))
}

// The sources.

/// What is known of a line.
#[derive(Default)]
struct Line {
    reached: usize,
    never: usize,
    always: bool,
    known: Vec<String>,
}

impl Line {
    fn class(&self) -> &'static str {
        match (self.reached, self.never) {
            (0, 0) => "line",
            (0, _) => "line never",
            (_, 0) if self.always => "line always",
            (_, 0) => "line reached",
            _ => "line partly",
        }
    }
}

fn lines(subject: Subject<'_>) -> BTreeMap<(u32, u32), Line> {
    let spds = subject.view.spds;
    let mut lines: BTreeMap<(u32, u32), Line> = BTreeMap::new();
    for fact in &subject.coverage.facts {
        let symbol = fact.target.symbol;
        let Some(place) = spds.symbol(symbol).place else { continue };
        let line = lines.entry((place.file, place.line)).or_default();
        match &fact.known {
            Known::Never => line.never += 1,
            Known::Reached { .. } => line.reached += 1,
        }
        line.always |= subject.coverage.always.binary_search(&symbol).is_ok();
        let words = known(subject, fact).unwrap_or_else(|| "reached".into());
        let statement = executed(spds, subject.source_of(symbol), symbol);
        let statement = statement.unwrap_or_else(|| spds.symbol(symbol).name.to_string());
        line.known.push(format!("{statement}  {words}"));
    }
    lines
}

/// What is known at a statement, in words.
fn known(subject: Subject<'_>, fact: &Fact) -> Option<String> {
    match &fact.known {
        Known::Never => Some("never reached".into()),
        Known::Reached { formula: Described::As(formula), .. } if formula.is_true() => Some("any values".into()),
        Known::Reached { formula: Described::As(formula), .. } => {
            let text = written(subject.view.spds, subject.notation, fact.target.symbol, formula);
            Some(clip(&text, usize::MAX))
        }
        Known::Reached { .. } => None,
    }
}

fn write_sources(out: &mut dyn Write, subject: Subject<'_>) -> io::Result<()> {
    writeln!(out, "<section id=\"source\"><h2>Source</h2>")?;
    match &subject.coverage.unknown {
        Some(why) => writeln!(out, "<p class=\"legend\">What is reached is not known: {}.</p>", escaped(why))?,
        None => {
            let some = if subject.coverage.abstraction {
                "some run of the abstraction comes here"
            } else {
                "some run comes here"
            };
            let legend = [
                ("reached", some),
                ("always", "every run comes here"),
                ("partly", "a part of the line is never reached"),
                ("never", "no run comes here"),
            ];
            let legend = legend.map(|(class, text)| format!("<i class=\"{class}\"></i>{text}"));
            writeln!(out, "<p class=\"legend\">{}</p>", legend.join(" "))?;
        }
    }
    let lines = lines(subject);
    for source in subject.sources.iter().filter(|source| !source.text.is_empty()) {
        let file = subject.view.spds.files.iter().position(|file| **file == *source.name);
        let file = u32::try_from(file.unwrap_or(usize::MAX)).unwrap_or(u32::MAX);
        write_source(out, source, file, &lines)?;
    }
    writeln!(out, "</section>")
}

fn write_source(
    out: &mut dyn Write,
    source: &Source<'_>,
    file: u32,
    lines: &BTreeMap<(u32, u32), Line>,
) -> io::Result<()> {
    let name = escaped(source.name);
    write!(out, "<div class=\"file\"><h3>{name}</h3>")?;
    write!(out, "<div class=\"text\" tabindex=\"0\" role=\"region\" aria-label=\"{name}\">")?;
    for (index, text) in source.text.lines().enumerate() {
        if index % BLOCK == 0 {
            write!(out, "{}<div class=\"block\">", if index == 0 { "" } else { "</div>" })?;
        }
        let number = index + 1;
        let known = u32::try_from(number).ok().and_then(|number| lines.get(&(file, number)));
        let class = known.map_or("line", Line::class);
        write!(out, "<div class=\"{class}\" id=\"L{file}-{number}\"")?;
        if let Some(known) = known {
            write!(out, " title=\"{}\"", escaped(&known.known.join("\n")))?;
        }
        write!(out, "><a href=\"#L{file}-{number}\">{number}</a><code>{}</code></div>", escaped(&shown_line(text)))?;
    }
    writeln!(out, "{}</div></div>", if source.text.is_empty() { "" } else { "</div>" })
}

/// A line as it is shown: characters that would disturb the order of others are replaced.
fn shown_line(text: &str) -> String {
    text.chars().map(|character| if character == '\t' { '\t' } else { super::source::printable(character) }).collect()
}

// The runs as data.

/// Symbols and values that steps refer to by number.
struct Tables<'a> {
    subject: Subject<'a>,
    alternatives: Alternatives<'a>,
    facts: HashMap<SymbolId, &'a Fact>,
    numbers: HashMap<SymbolId, usize>,
    symbols: Vec<Json>,
    /// Globals have no frame's number.
    known: HashMap<(Option<u32>, &'a [u64]), usize>,
    rows: Vec<Json>,
}

/// A variable with the index at which its array begins.
#[derive(Serialize)]
struct Named<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<u32>,
}

fn named(variables: &[Variable]) -> Vec<Named<'_>> {
    let shown = variables.iter().filter(|variable| !variable.hidden);
    shown.map(|variable| Named { name: &variable.name, first: variable.ty.range.map(|(first, _)| first) }).collect()
}

impl<'a> Tables<'a> {
    fn new(subject: Subject<'a>) -> Self {
        let facts = subject.coverage.facts.iter().map(|fact| (fact.target.symbol, fact)).collect();
        let alternatives = Alternatives::new(subject.view.spds);
        let (numbers, known) = (HashMap::new(), HashMap::new());
        Tables { subject, alternatives, facts, numbers, symbols: Vec::new(), known, rows: Vec::new() }
    }

    fn done(self, results: Vec<Json>, header: Header<'_>) -> Json {
        let spds: &Spds = self.subject.view.spds;
        let frames =
            spds.frames.iter().map(|frame| json!({"name": &*frame.name, "variables": named(&frame.variables)}));
        json!({
            "tool": {"name": "puch", "version": header.version},
            "schema": super::json::SCHEMA,
            "input": header.input,
            "globals": named(&spds.globals),
            "frames": frames.collect::<Vec<_>>(),
            "symbols": self.symbols,
            "rows": self.rows,
            "results": results,
        })
    }

    fn result(&mut self, finding: &Finding<'a>) -> Json {
        let trace = match finding.shown {
            Shown::Trace(trace, _) => Some(self.trace(trace)),
            _ => None,
        };
        json!({
            "kind": finding.asked.kind.name(),
            "property": finding.asked.title(),
            "verdict": finding.verdict.name(),
            "notes": notes(finding),
            "trace": trace,
        })
    }

    fn trace(&mut self, trace: &'a Trace) -> Json {
        let (view, run) = (self.subject.view, &trace.run);
        let size = walk::configurations(view, run);
        let mut leaps = Vec::new();
        let stem = self.part(run, Section::Stem, &mut leaps);
        let cycle = run.cycle.as_ref().map(|_| self.part(run, Section::Cycle, &mut leaps));
        let sizes = walk::configurations_of_calls(view, run);
        let calls: Vec<Json> =
            run.calls.iter().zip(sizes).enumerate().map(|(n, call)| self.call(run, n, call, &mut leaps)).collect();
        json!({
            "size": size as f64,
            "steps": present::amount(size),
            "end": ended(view, self.subject.statements(), run),
            "growth": growth(view, run),
            "closes_on": view.closes_on(run),
            "stem": stem,
            "cycle": cycle,
            "calls": calls,
            "leaps": leaps,
        })
    }

    fn call(&mut self, run: &'a Run, index: usize, (call, size): (&Call, u128), leaps: &mut Vec<String>) -> Json {
        let procedure = call.procedure.map(|frame| &*self.subject.view.spds.frame(frame).name);
        let steps = self.part(run, Section::Call(index), leaps);
        json!({"procedure": procedure, "size": present::amount(size), "steps": steps})
    }

    /// Seven numbers to a step: symbol, control, depth, globals, locals, how it goes on, which way it takes.
    fn part(&mut self, run: &'a Run, part: Section, leaps: &mut Vec<String>) -> Vec<i64> {
        let mut flat = Vec::new();
        for (index, step) in self.subject.view.seen_at(walk::steps(run, part), run) {
            let then = match step.then {
                Then::Step => 0,
                Then::Call(call) => call as i64 + 1,
                Then::Leap(times) => {
                    leaps.push(times.to_string());
                    -(leaps.len() as i64)
                }
            };
            let branch = self.alternatives.taken(run, At { part, index }).map_or(0, |branch| branch.taken as i64);
            let symbol = self.symbol(step.config.symbol) as i64;
            let (globals, locals) = self.values(step);
            let control = i64::from(step.config.control.0);
            flat.extend([symbol, control, i64::from(step.depth), globals as i64, locals as i64, then, branch]);
        }
        flat
    }

    fn symbol(&mut self, id: SymbolId) -> usize {
        if let Some(&number) = self.numbers.get(&id) {
            return number;
        }
        let symbol = self.subject.view.spds.symbol(id);
        let labels: Vec<&str> = symbol.labels.iter().map(|label| &**label).collect();
        self.symbols.push(json!({
            "file": symbol.place.map(|place| place.file),
            "line": symbol.place.map(|place| place.line),
            "column": symbol.place.map(|place| place.column),
            "frame": symbol.frame.map(|frame| frame.0),
            "labels": labels,
            "name": &*symbol.name,
            "statement": executed(self.subject.view.spds, self.subject.source_of(id), id),
            "fact": self.facts.get(&id).and_then(|fact| known(self.subject, fact)),
        }));
        self.numbers.insert(id, self.symbols.len() - 1);
        self.symbols.len() - 1
    }

    fn values(&mut self, step: &'a Step) -> (usize, usize) {
        let (view, config) = (self.subject.view, &step.config);
        let frame = view.spds.symbol(config.symbol).frame;
        let keys = [(None, &*config.globals), (Some(frame.map_or(u32::MAX, |frame| frame.0)), &*config.locals)];
        let [globals, locals] = keys.map(|key| {
            *self.known.entry(key).or_insert_with(|| {
                let shown = view.values(config).filter(|shown| shown.local == key.0.is_some());
                self.rows.push(Json::Array(shown.map(|shown| exact(&shown.value)).collect()));
                self.rows.len() - 1
            })
        });
        (globals, locals)
    }
}

/// A value that JavaScript reads without rounding it.
fn exact(value: &Value<'_>) -> Json {
    let cell = |cell: Json| match cell.as_u64() {
        Some(number) if number > EXACT => Json::String(number.to_string()),
        _ => cell,
    };
    match json!(value) {
        Json::Array(cells) => Json::Array(cells.into_iter().map(cell).collect()),
        other => cell(other),
    }
}
