//! What a name is, and what is known at a statement.

use std::time::{Duration, Instant};

use gen_lsp_types::{Contents, Hover, MarkupContent, MarkupKind};
use puch::check::{Options, Target};
use puch::facts::{Question, facts, statements};
use puch::limits::Limits;
use puch::places::Naming;
use puch::problem::Language;
use puch::report::facts::{Listing, Subject, words};
use puch::report::text::statement;
use puch::source::{Source, clip};
use spds_format::Spds;
use spds_format::reading::outline::Kind;

use super::super::memory;
use super::about::{About, described};
use super::documents::range;

/// As much work as is done while somebody waits with the pointer on a line: some tenths of a second. What is told does not
/// depend on how fast the machine is, unless it is so slow that the time below passes first.
const WORK: u64 = 1 << 24;

/// The longest that a search may take whatever it does.
const MAX_SEARCH_TIME: Duration = Duration::from_secs(5);

/// No search for facts takes more memory.
const MEMORY: u64 = 2 << 30;

/// Formulas are not longer.
const TERMS: usize = 40;

/// Lines are not longer.
const WIDTH: usize = 400;

/// The statements of one line that are told of.
const STATEMENTS: usize = 20;

/// What to show there.
pub fn hover(about: &About<'_>, language: &Language, at: usize) -> Option<Hover> {
    let text = &about.document.text;
    let meant = about.outline.meant(text, at);
    let index = &about.index;
    let mut parts: Vec<String> = Vec::new();
    for declaration in meant.iter().take(STATEMENTS) {
        let (line, _) = index.position(declaration.at.start);
        parts.push(format!("`{}`, line {}", clip(&described(declaration), WIDTH).replace('`', "'"), line + 1));
    }
    let symbol = meant.iter().find(|declaration| declaration.kind == Kind::Symbol);
    if let Ok(parsed) = language.read(text, about.document.name()) {
        let spds = &parsed.spds;
        let asked = match (language.naming(), symbol) {
            (Naming::Program, _) => on_line(spds, text, at),
            (Naming::System, Some(symbol)) => named(spds, &symbol.name),
            (Naming::System, None) => Vec::new(),
        };
        if !asked.is_empty() {
            parts.push(known(about, language, spds, asked));
        }
    }
    if parts.is_empty() {
        return None;
    }
    let contents = Contents::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value: parts.join("\n\n") });
    Some(Hover { contents, range: about.outline.name_at(at).map(|name| range(index, &name)) })
}

/// The statement on whose text the pointer is: of those that begin on its line the last before it, and what begins there, too.
fn on_line(spds: &Spds, text: &str, at: usize) -> Vec<Target> {
    let source = Source::new("", text);
    let (line, column) = source.position(at);
    let here = |target: &Target| {
        let place = spds.symbol(target.symbol).place?;
        (place.line as usize == line).then_some(place.column as usize)
    };
    let all = statements(spds);
    let columns = all.iter().filter_map(here);
    let first = columns.clone().min();
    let Some(chosen) = columns.filter(|begin| *begin <= column).max().or(first) else { return Vec::new() };
    all.into_iter().filter(|target| here(target) == Some(chosen)).collect()
}

fn named(spds: &Spds, name: &str) -> Vec<Target> {
    statements(spds).into_iter().filter(|target| *spds.symbol(target.symbol).name == *name).collect()
}

/// What is known there, as Markdown.
fn known(about: &About<'_>, language: &Language, spds: &Spds, mut targets: Vec<Target>) -> String {
    targets.truncate(STATEMENTS);
    let memory = memory::default_limit().map_or(MEMORY, |limit| limit.min(MEMORY));
    let limits = Limits { deadline: Some(Instant::now() + MAX_SEARCH_TIME), memory: Some(memory), ..Limits::NONE };
    let options = Options { limits, work: Some(WORK), ..Options::default() };
    let facts = match facts(spds, &Question::Values(targets, TERMS), &options).facts {
        Ok(facts) => facts,
        Err(stop) => return format!("What is known here was not found out: {stop}. `puch facts` takes its time."),
    };
    let source = Source::new(about.document.name(), &about.document.text);
    let source = Some(&source).filter(|_| language.naming() == Naming::Program);
    let subject = Subject { spds, notation: language.notation(), source, listing: Listing::Values };
    let lines: Vec<String> = facts
        .iter()
        .map(|fact| {
            let code = clip(&statement(spds, subject.source, fact.target.symbol), WIDTH);
            format!("{code}  // {}", clip(&words(subject, fact), WIDTH))
        })
        .collect();
    format!("Whenever a run comes here:\n\n```\n{}\n```", lines.join("\n").replace("```", "'''"))
}
