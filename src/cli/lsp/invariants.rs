//! What is known of a C program where the pointer is: the invariants of that cut point, or of the last one before.

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

use gen_lsp_types::{Contents, Hover, MarkupContent, MarkupKind};
use percent_encoding::percent_decode_str;
use puch::analyses::{Analysed, Analyses};
use puch::bitvec::Bounds;
use puch::c::program::Overflow;
use puch::c::{self, Program, Unit};
use puch::limits::Limits;
use puch::refinement::invariants::told::{Telling, Told, told};
use puch::refinement::invariants::{Effort, Reach, Search};
use puch::source::{Source, clip};

use super::super::c_input::preprocessed_in;
use super::super::memory;
use super::documents::Document;

/// As hard is tried as somebody waits with the pointer on a line: some tenths of a second. What is told does not depend on how fast the
/// machine is, unless it is so slow that the time below passes first.
const EFFORT: Effort = Effort { runs: 100, work: 1_000, reach: Reach::Near };

/// The longest that it may take whatever it does.
const MAX_SEARCH_TIME: Duration = Duration::from_secs(5);

/// No search takes more memory.
const MEMORY: u64 = 2 << 30;

/// Lines are not longer.
const WIDTH: usize = 400;

/// What to show there. Nothing where the text cannot be read, or no statement of it stands on the line.
pub fn hover(document: &Document, at: usize) -> Option<Hover> {
    let (line, _) = Source::new("", &document.text).position(at);
    let preprocessed = match c::needs_preprocessor(&document.text) {
        true => Some(preprocessed_in(&document.text, &folder(&document.uri)?)?),
        false => None,
    };
    let name = if preprocessed.is_some() { "<stdin>" } else { document.name() };
    let unit = Unit { name, text: &document.text, preprocessed: preprocessed.as_deref() };
    let program = c::read(&[unit], &c::Options::default()).ok()?.program;
    let procedure = procedure_on(&program, u32::try_from(line).ok()?)?;
    let memory = memory::default_limit().map_or(MEMORY, |limit| limit.min(MEMORY));
    let limits = Limits { deadline: Some(Instant::now() + MAX_SEARCH_TIME), memory: Some(memory), ..Limits::NONE };
    let bounds = Bounds { stop: Some(Rc::new(move || limits.met().is_some())), ..Bounds::default() };
    let analyses = Analyses::of(&program);
    let of = Analysed::of(&program, &analyses);
    let search = Search { of, overflow: Overflow::Wrap, bounds: &bounds, effort: EFFORT };
    let Telling { told, cut_short } = told(&search, limits);
    let own: Vec<&Told> = told.iter().filter(|told| *told.procedure == procedure).collect();
    let before = |told: &&&Told| !told.returned && told.place.line as usize <= line;
    let last = own.iter().filter(before).map(|told| told.place.line).max();
    let here = own.iter().filter(|told| !told.returned && Some(told.place.line) == last);
    let returns = own.iter().filter(|told| told.returned && told.place.line as usize == line);
    let of = |all: Vec<&&Told>| -> String { all.into_iter().map(|told| clip(&told.text, WIDTH) + "\n").collect() };
    let mut parts = Vec::new();
    match last {
        Some(at) if at as usize == line => parts.push(("Whenever a run comes here:".to_owned(), of(here.collect()))),
        Some(at) => parts.push((format!("Whenever a run comes to line {at}:"), of(here.collect()))),
        None => {}
    }
    parts.push((format!("Whenever `{procedure}` returns:"), of(returns.collect())));
    parts.retain(|(_, known)| !known.is_empty());
    let mut told: Vec<String> = parts.into_iter().map(|(when, known)| format!("{when}\n\n```c\n{known}```")).collect();
    if told.is_empty() && !cut_short.is_empty() {
        told.push("What is known here was not found out. `puch facts` takes its time.".to_owned());
    }
    if told.is_empty() {
        return None;
    }
    let value = told.join("\n\n");
    Some(Hover { contents: Contents::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value }), range: None })
}

/// The procedure that is defined on a line, or has a statement there.
fn procedure_on(program: &Program, line: u32) -> Option<String> {
    let mut own = program.procedures.iter().filter(|procedure| procedure.body.is_some());
    let is_here = |place: &spds_format::model::Place| (place.file, place.line) == (0, line);
    let found = own.find(|procedure| {
        let mut statements = procedure.body.iter().flatten();
        is_here(&procedure.place) || statements.any(|statement| is_here(&statement.place))
    })?;
    Some(found.name.to_string())
}

/// The folder of a document, if that is a file.
fn folder(uri: &str) -> Option<PathBuf> {
    let path = percent_decode_str(uri.strip_prefix("file://")?).decode_utf8().ok()?;
    Path::new(&*path).parent().map(Path::to_owned)
}
