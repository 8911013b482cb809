//! The report as one page that needs nothing else: readable as it stands, explorable where scripts run.
//!
//! What is fixed is in the text of the page: answers, sources with coverage, and, for who runs no scripts, the runs as the
//! terminal shows them. Runs are beside that as data: lists of numbers, values and symbols shared, calls that are equal
//! stored once, so that a page is as long as the run is when folded.

mod systems;

#[cfg(feature = "c")]
pub mod programs;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::{Map, Value as Json, json};
use spds_format::model::SymbolId;

use crate::facts::{Described, Fact, Known};
use crate::places::Naming;
use crate::source::{Source, clip};

use super::answered::Answered;
use super::expression::{Notation, written};
use super::json::Header;
use super::present::Finding;
use super::reported::{self, Form, Reported, listed};
use super::system::SystemReport;
use super::text::{Layout, executed};
use super::view::View;

const STYLE: &str = include_str!("html/page.css");
const SCRIPTS: [&str; 4] = [
    include_str!("html/model.js"),
    include_str!("html/watch.js"),
    include_str!("html/tree.js"),
    include_str!("html/explorer.js"),
];

/// Lines of a source that are drawn together or not at all.
const BLOCK: usize = 200;

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

/// Writes the page about answers of which a system is asked.
///
/// # Errors
/// If writing fails.
pub fn write(
    out: &mut dyn Write,
    subject: Subject<'_>,
    header: Header<'_>,
    findings: &[Finding<'_>],
) -> io::Result<()> {
    let report = SystemReport::new(subject.view, subject.statements(), findings);
    let mut tables = systems::Tables::new(subject);
    let reported = report.reported();
    let page = Page::new(header, &listed(&reported), findings, |finding| tables.shown(finding).map(Ok))?;
    page.write(out, subject, tables.done())
}

/// A page about answers, whatever they are about.
pub(super) struct Page<'a> {
    header: Header<'a>,
    answers: Vec<Answered<'a>>,
    /// For those who run no scripts.
    text: Vec<u8>,
    /// The run of each answer, or null.
    traces: Vec<Json>,
}

impl<'a> Page<'a> {
    /// Of answers, each of which is also told as a finding: of that its run as data, if it is shown, or why it is not.
    pub fn new<F>(
        header: Header<'a>,
        reported: &[&'a dyn Reported],
        findings: &[F],
        mut shown: impl FnMut(&F) -> Option<Result<Json, String>>,
    ) -> io::Result<Page<'a>> {
        let mut text = Vec::new();
        reported::write(&mut text, Form::Text(Layout::default()), header, reported)?;
        let mut answers: Vec<Answered<'_>> = reported.iter().map(|answer| answer.answered()).collect();
        let mut traces = Vec::new();
        for (finding, answer) in findings.iter().zip(&mut answers) {
            let trace = shown(finding).transpose();
            let trace = trace.map_err(|why| answer.remarks.push(format!("no trace: {why}")));
            traces.push(trace.ok().flatten().unwrap_or(Json::Null));
        }
        Ok(Page { header, answers, text, traces })
    }

    /// Writes it. What all runs share are `globals`, `frames`, `symbols` and `rows`.
    pub fn write(&self, out: &mut dyn Write, subject: Subject<'_>, shared: Map<String, Json>) -> io::Result<()> {
        begun(out, self.header, "")?;
        writeln!(out, "<button id=\"theme\" type=\"button\">light or dark</button></header>\n<main>")?;
        write_answers(out, &self.answers)?;
        writeln!(out, "<section id=\"explorer\" aria-label=\"Runs\"></section>")?;
        // Browsers with scripts leave it alone.
        let text = String::from_utf8_lossy(&self.text);
        writeln!(out, "<noscript><section><h2>Runs</h2><pre>{}</pre></section></noscript>", escaped(&text))?;
        write_sources(out, subject)?;
        writeln!(out, "</main>")?;
        write!(out, "<script type=\"application/json\" id=\"data\">")?;
        // Nothing in it ends the element.
        write!(out, "{}", self.told(shared, subject.coverage.abstraction).to_string().replace('<', "\\u003c"))?;
        writeln!(out, "</script>\n<script>\n\"use strict\";\n{{\n{}}}\n</script>\n</body>\n</html>", SCRIPTS.join("\n"))
    }

    /// What scripts are told.
    fn told(&self, mut data: Map<String, Json>, abstraction: bool) -> Json {
        let result = |(answer, trace): (&Answered<'_>, &Json)| {
            json!({
                "kind": answer.asked.kind.name(),
                "property": answer.asked.title(),
                "verdict": answer.verdict.name(),
                "notes": answer.notes(),
                "trace": trace,
            })
        };
        let results = self.answers.iter().zip(&self.traces).map(result).collect();
        data.insert("abstraction".into(), abstraction.into());
        data.insert("tool".into(), json!({"name": "puch", "version": self.header.version}));
        data.insert("schema".into(), super::json::SCHEMA.into());
        data.insert("input".into(), self.header.input.into());
        data.insert("results".into(), results);
        Json::Object(data)
    }
}

/// A page up to the end of its title, with more style than every page has.
pub(super) fn begun(out: &mut dyn Write, header: Header<'_>, style: &str) -> io::Result<()> {
    let title = escaped(header.input);
    writeln!(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">")?;
    writeln!(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")?;
    let policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";
    writeln!(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">")?;
    writeln!(out, "<title>{title} – puch</title>\n<style>\n{STYLE}{style}</style>\n</head>\n<body>")?;
    let version = escaped(header.version);
    write!(out, "<header><h1>{title}</h1><p>checked by puch {version}</p>")
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

fn write_answers(out: &mut dyn Write, answers: &[Answered<'_>]) -> io::Result<()> {
    writeln!(out, "<section class=\"answers\"><h2>Answers</h2><ul>")?;
    for answer in answers {
        let verdict = answer.verdict.name();
        let title = answer.asked.title();
        let property = escaped(&title);
        write!(out, "<li>{property}: <strong class=\"{verdict}\">{verdict}</strong>")?;
        for note in answer.notes() {
            write!(out, "; {}", escaped(&note))?;
        }
        writeln!(out, "</li>")?;
    }
    writeln!(out, "</ul></section>")
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
        // Of an abstraction that says nothing of the program.
        Known::Reached { formula: Described::As(formula), .. } if formula.is_true() => {
            (!subject.coverage.abstraction).then(|| "any values".into())
        }
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
            let mut legend = vec![
                ("reached", some),
                ("always", "every run comes here"),
                ("partly", "a part of the line is never reached"),
                ("never", "no run comes here"),
            ];
            legend.retain(|(class, _)| *class != "always" || !subject.coverage.abstraction);
            let legend = legend.into_iter().map(|(class, text)| format!("<i class=\"{class}\"></i>{text}"));
            writeln!(out, "<p class=\"legend\">{}</p>", legend.collect::<Vec<_>>().join(" "))?;
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
    text.chars().map(|character| if character == '\t' { '\t' } else { crate::source::printable(character) }).collect()
}
