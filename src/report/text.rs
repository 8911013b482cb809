//! The report for human readers: the verdict, then the run forward in time beside the source.
//!
//! One line per step: the line number, the statement (indented by the depth of the stack), the values. A `*` marks what
//! the step before has changed.

use std::fmt::{self, Write as _};
use std::io::{self, Write};
use std::rc::Rc;

use rustc_hash::FxHashMap;
use spds_format::model::{ControlId, FrameId, Spds, Symbol, SymbolId};

use crate::check::{Replayed, Trace};
use crate::replay;
use crate::run::{Config, Ending, Run, Section, Then, Values};
use crate::source::{Source, clip, push_clipped};

use super::diagnostic::Style;
use super::present::{self, Shown};
use super::view::View;
use super::walk::{self, Direction, Form, Met, Sight, Walk};

/// How many of the values in scope a line shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// All if there are few; else all at both ends, and between them those that are new or changed.
    #[default]
    Brief,
    /// All.
    All,
}

/// With at most this many variables in scope, a line shows all of them.
const MAX_SHOWN_VARIABLES: usize = 8;

/// The depth at which indentation stops growing.
const DEEPEST: u64 = 20;

/// The widest column of indented statements; what is longer is cut.
const WIDEST: usize = 64;

/// The longest text that says why a run has failed.
const LONGEST_FAILURE: usize = 160;

/// The fewest characters that are left of a statement, however far it is indented.
const MIN_STATEMENT_CHARACTERS: usize = 32;

/// How text is laid out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layout {
    /// How many values a line shows.
    pub detail: Detail,
    /// The longest that lines should be, if it matters: values go on below.
    pub columns: Option<usize>,
    /// Whether verdicts are coloured.
    pub style: Style,
}

/// Writes what there is to see below an answer. `source` is the text that places refer to, where there is one.
pub(super) fn write_shown(
    out: &mut dyn Write,
    view: &View<'_>,
    source: Option<&Source<'_>>,
    shown: &Shown<'_>,
    layout: Layout,
) -> io::Result<()> {
    match shown {
        Shown::Nothing | Shown::Unwanted(_) => Ok(()),
        Shown::Omitted(why) => writeln!(out, "  (no trace: {why})"),
        Shown::Trace(trace, form) => write_trace(out, view, source, (trace, *form), layout),
    }
}

fn write_trace(
    out: &mut dyn Write,
    view: &View<'_>,
    source: Option<&Source<'_>>,
    (trace, form): (&Trace, Form),
    layout: Layout,
) -> io::Result<()> {
    let run = &trace.run;
    writeln!(out)?;
    if form == Form::Folded {
        let length = present::amount(walk::configurations(view, run));
        writeln!(out, "  {length} configurations, each call shown once")?;
    }
    let Layout { detail, columns, .. } = layout;
    let mut page = Page {
        view,
        source,
        run,
        detail,
        columns,
        before: Before::default(),
        number_width: 0,
        code_width: 0,
        codes: FxHashMap::default(),
        labels: FxHashMap::default(),
        indent: (0, String::new()),
        line: String::new(),
        pieces: Pieces::default(),
    };
    page.measure(form);
    let last = page.walk(out, form)?;
    let Some(last) = last else { return Ok(()) };
    if run.ending == Ending::Reached {
        return note(out, trace);
    }
    let end = ended(view, source, run);
    writeln!(out, "  {:page$}  {}{end}", "", Indent(last), page = page.number_width)?;
    note(out, trace)
}

/// How a run ends, in words.
pub(super) fn ended(view: &View<'_>, source: Option<&Source<'_>>, run: &Run) -> String {
    let end = match run.ending {
        Ending::Reached => "the statement is reached".into(),
        Ending::Failed => match replay::failure(view.spds, run) {
            Some(why) => clip(why, LONGEST_FAILURE),
            None => "the assertion fails".into(),
        },
        Ending::Terminated => "the program ends".into(),
        Ending::Stuck => "no step leads on".into(),
        Ending::Loop => {
            let again = match run.cycle.as_deref().and_then(|cycle| view.seen(cycle, run).next()) {
                Some(first) => format!("and again from {}", name_of(view.spds, source, &first.config)),
                None => "and so on for ever".into(),
            };
            match walk::growth(view, run) {
                None | Some(0) => again,
                Some(1) => again + "; each turn leaves the stack a frame higher",
                Some(frames) => format!("{again}; each turn leaves the stack {frames} frames higher"),
            }
        }
    };
    match view.closes_on(run) {
        None => end,
        Some(names) if names.is_empty() => {
            end + "; variables may differ in each turn: nothing in the cycle depends on them"
        }
        Some(names) => {
            let same = clip(&names.join(", "), usize::MAX);
            format!(
                "{end}, with the same {same}; other variables may differ in each turn: nothing in the cycle depends on them"
            )
        }
    }
}

/// What the judge did not walk.
fn note(out: &mut dyn Write, trace: &Trace) -> io::Result<()> {
    match trace.replayed {
        Replayed::Full => Ok(()),
        Replayed::ExceptLeaps => {
            writeln!(out, "  (replayed except for the turns of loops, which are more than --replay-steps)")
        }
    }
}

/// A trace being written.
struct Page<'a> {
    view: &'a View<'a>,
    source: Option<&'a Source<'a>>,
    run: &'a Run,
    detail: Detail,
    columns: Option<usize>,
    before: Before<'a>,
    number_width: usize,
    code_width: usize,
    /// Statements that have been written before, by how many characters there was room for.
    codes: FxHashMap<(ControlId, SymbolId, usize), Rc<Code>>,
    /// What stands before the values in a frame.
    labels: FxHashMap<Option<FrameId>, Rc<[String]>>,
    /// A depth and its indentation.
    indent: (u64, String),
    /// Room for a line, and for what is in it.
    line: String,
    pieces: Pieces,
}

/// What was shown last: the globals, and the locals of each open frame.
#[derive(Default)]
struct Before<'a> {
    globals: Option<&'a Values>,
    frames: Vec<Option<&'a Config>>,
}

impl<'a> Page<'a> {
    /// Finds how wide the columns have to be.
    fn measure(&mut self, form: Form) {
        let (mut number_width, mut code_width) = (0, 0);
        for met in self.all(form) {
            let place = self.view.spds.symbol(met.step.config.symbol).place;
            let digits = place.map_or(0, |place| place.line.max(1).ilog10() as usize + 1);
            number_width = number_width.max(digits);
            let indent = self.indent(met.depth).len();
            code_width = code_width.max(indent + self.code(&met.step.config, indent).width);
        }
        (self.number_width, self.code_width) = (number_width, code_width);
    }

    /// The indentation of a depth. Most steps are as deep as the one before.
    fn indent(&mut self, depth: u64) -> &str {
        if self.indent.0 != depth {
            self.indent.1.clear();
            Indent(depth).push(&mut self.indent.1);
            self.indent.0 = depth;
        }
        &self.indent.1
    }

    fn all(&self, form: Form) -> impl Iterator<Item = Met<'a>> + use<'a> {
        let (view, run) = (self.view, self.run);
        let stem = Walk::new(view, run, Section::Stem, form, Direction::Forward);
        let cycle = Walk::new(view, run, Section::Cycle, form, Direction::Forward);
        stem.chain(cycle)
    }

    /// Writes the steps; the depth of the last one.
    fn walk(&mut self, out: &mut dyn Write, form: Form) -> io::Result<Option<u64>> {
        let mut walk = Walk::new(self.view, self.run, Section::Stem, form, Direction::Forward);
        let mut depth = None;
        let mut next = walk.next();
        while let Some(met) = next {
            next = walk.next();
            self.line(out, &met, if depth.is_none() || next.is_none() { Detail::All } else { self.detail })?;
            depth = Some(met.depth);
        }
        if self.run.cycle.is_some() {
            let then = if depth.is_some() { "then for ever:" } else { "for ever:" };
            writeln!(out, "  {:width$}  {then}", "", width = self.number_width)?;
            walk.then(Section::Cycle);
            for met in walk {
                self.line(out, &met, self.detail)?;
                depth = Some(met.depth);
            }
        }
        Ok(depth)
    }

    fn line(&mut self, out: &mut dyn Write, met: &Met<'a>, detail: Detail) -> io::Result<()> {
        let config = &met.step.config;
        let mut line = std::mem::take(&mut self.line);
        line.clear();
        push_blanks(&mut line, 2);
        match self.view.spds.symbol(config.symbol).place {
            Some(place) => push_number(&mut line, place.line.into(), self.number_width),
            None => push_blanks(&mut line, self.number_width),
        }
        push_blanks(&mut line, 2);
        line.push_str(self.indent(met.depth));
        let indent = self.indent.1.len();
        let code = self.code(config, indent);
        line.push_str(&code.text);
        push_blanks(&mut line, self.code_width.saturating_sub(indent + code.width));
        self.values(met, detail);
        if let Some((number, sight)) = met.call {
            let call = match sight {
                Sight::First => "call",
                Sight::Again => "as call",
            };
            let _ = write!(self.pieces.next(), "  [{call} {number}]");
        }
        match self.columns {
            None => self.pieces.all().for_each(|piece| line.push_str(piece)),
            Some(columns) => line = wrapped(line, self.pieces.all(), columns),
        }
        line.truncate(line.trim_end().len());
        line.push('\n');
        out.write_all(line.as_bytes())?;
        self.line = line;
        if let Then::Leap(times) = met.step.then {
            let indent = Indent(met.depth);
            writeln!(out, "  {:width$}  {indent}… {times} turns of this loop", "", width = self.number_width)?;
        }
        Ok(())
    }

    /// The statement about to be executed, which is indented so far.
    fn code(&mut self, config: &Config, indent: usize) -> Rc<Code> {
        let (view, source) = (self.view, self.source);
        let room = widest(self.columns, WIDEST).saturating_sub(indent).max(MIN_STATEMENT_CHARACTERS);
        let code = self.codes.entry((config.control, config.symbol, room)).or_insert_with(|| {
            let symbol = view.spds.symbol(config.symbol);
            let statement = match text_at(view.spds, source, config.symbol) {
                Some(text) => labelled(symbol, text, room),
                None => name_of(view.spds, source, config),
            };
            let text = clip(statement.trim_end(), room);
            Rc::new(Code { width: text.chars().count(), text })
        });
        Rc::clone(code)
    }

    /// What stands before each of the values in scope.
    fn labels(&mut self, config: &Config) -> Rc<[String]> {
        let view = self.view;
        let label = |name: &str| {
            let mut label = String::with_capacity(name.len() + 1);
            push_clipped(&mut label, name, WIDEST);
            label.push('=');
            label
        };
        let frame = view.spds.symbol(config.symbol).frame;
        let labels = self.labels.entry(frame);
        Rc::clone(labels.or_insert_with(|| view.values(config).map(|shown| label(&shown.name())).collect()))
    }

    /// The values, each with a mark if the step before changed it.
    fn values(&mut self, met: &Met<'a>, detail: Detail) {
        let (view, config) = (self.view, &met.step.config);
        let depth = usize::try_from(met.depth).unwrap_or(usize::MAX);
        self.before.frames.truncate(depth.saturating_add(1));
        // A frame is the same activation if it was shown since it was entered, and nothing below it was.
        let same_frame = (self.before.frames.get(depth).copied().flatten())
            .filter(|earlier| view.spds.symbol(earlier.symbol).frame == view.spds.symbol(config.symbol).frame);
        let scope = view.scope(config.symbol);
        let mut left_out = false;
        let earlier_globals = self.before.globals.map(|globals| view.globals(config.symbol, globals));
        let mut globals_then = earlier_globals.into_iter().flatten();
        let mut locals_then = same_frame.iter().flat_map(|config| view.locals(config));
        self.pieces.clear();
        let labels = self.labels(config);
        for (label, shown) in labels.iter().zip(view.values(config)) {
            let then = if shown.local { locals_then.next() } else { globals_then.next() };
            let changed = then.as_ref().is_some_and(|then| then.value != shown.value);
            let new = then.is_none();
            if detail == Detail::All || scope <= MAX_SHOWN_VARIABLES || changed || new {
                let mark = if changed { '*' } else { ' ' };
                let piece = self.pieces.next();
                piece.push(' ');
                piece.push(mark);
                piece.push_str(label);
                match shown.value.scalar() {
                    Some(value @ 0..10) => piece.push(char::from(b'0' + value as u8)),
                    Some(value) => push_number(piece, value, 0),
                    None => {
                        let _ = write!(piece, "{}", shown.value);
                    }
                }
            } else {
                left_out = true;
            }
        }
        if left_out {
            self.pieces.next().push_str("  …");
        }
        self.before.globals = Some(&config.globals);
        if depth < usize::MAX {
            self.before.frames.resize(depth + 1, None);
            self.before.frames[depth] = Some(config);
        }
    }
}

/// A statement, and how many characters that is.
struct Code {
    text: String,
    width: usize,
}

/// Pieces of text, with room that is used again.
#[derive(Default)]
struct Pieces {
    texts: Vec<String>,
    count: usize,
}

impl Pieces {
    fn clear(&mut self) {
        self.count = 0;
    }

    /// One more, empty.
    fn next(&mut self) -> &mut String {
        if self.count == self.texts.len() {
            self.texts.push(String::new());
        }
        self.count += 1;
        let text = &mut self.texts[self.count - 1];
        text.clear();
        text
    }

    fn all(&self) -> impl Iterator<Item = &str> {
        self.texts[..self.count].iter().map(String::as_str)
    }
}

/// How wide statements may be where lines may be so wide.
pub(super) fn widest(columns: Option<usize>, most: usize) -> usize {
    columns.map_or(most, |columns| (columns / 2).clamp(MIN_STATEMENT_CHARACTERS, most))
}

/// A line with values, which go on below where it is full, under the first of them; those of long arrays at a comma.
pub(super) fn wrapped<'p>(mut line: String, pieces: impl IntoIterator<Item = &'p str>, columns: usize) -> String {
    let indent = line.chars().count().min(columns / 2);
    let mut width = line.chars().count();
    let mut put = |line: &mut String, piece: &str| {
        let long = piece.chars().count();
        if width + long > columns && width > indent {
            *line = format!("{}\n{:indent$}", line.trim_end(), "");
            width = indent;
        }
        *line += piece;
        width += long;
    };
    for piece in pieces {
        if piece.chars().count() + indent <= columns {
            put(&mut line, piece);
        } else {
            piece.split_inclusive(',').for_each(|cell| put(&mut line, cell));
        }
    }
    line
}

/// The configuration's place in words.
fn name_of(spds: &Spds, source: Option<&Source<'_>>, config: &Config) -> String {
    let symbol = spds.symbol(config.symbol);
    if let (Some(place), Some(_)) = (symbol.place, text_at(spds, source, config.symbol)) {
        return format!("line {}", place.line);
    }
    match spds.controls.len() {
        0 | 1 => symbol.name.to_string(),
        _ => format!("{}:{}", spds.controls[config.control.0 as usize], symbol.name),
    }
}

/// The text from a statement on, if its source is at hand.
fn text_at<'a>(spds: &Spds, source: Option<&'a Source<'a>>, symbol: SymbolId) -> Option<&'a str> {
    let (place, source) = spds.symbol(symbol).place.zip(source)?;
    let file = spds.files.get(place.file as usize)?;
    let text = (**file == *source.name).then(|| source.rest_of_line(place.line as usize, place.column as usize));
    text.filter(|text| !text.is_empty())
}

/// The statement with its labels, where the text begins with it.
fn labelled(symbol: &Symbol, text: &str, room: usize) -> String {
    if symbol.labels.is_empty() {
        return clip(statement_of(text), room + 1);
    }
    let mut statement = String::new();
    for label in &symbol.labels {
        let _ = write!(statement, "{label}: ");
    }
    statement + &clip(statement_of(text), room + 1)
}

/// A statement as one line shows it; the name of its symbol if its source is not at hand.
pub fn statement(spds: &Spds, source: Option<&Source<'_>>, symbol: SymbolId) -> String {
    match text_at(spds, source, symbol) {
        Some(text) => clip(labelled(spds.symbol(symbol), text, WIDEST).trim_end(), WIDEST),
        None => clip(&spds.symbol(symbol).name, WIDEST),
    }
}

/// The statement itself, without its labels, if its source is at hand; what is longer than 256 characters ends with `…`.
pub(super) fn executed(spds: &Spds, source: Option<&Source<'_>>, symbol: SymbolId) -> Option<String> {
    text_at(spds, source, symbol).map(|text| clip(statement_of(text).trim_end(), 4 * WIDEST))
}

/// Two blanks per frame; from [`DEEPEST`] on the depth in words.
struct Indent(u64);

impl Indent {
    fn push(&self, line: &mut String) {
        match self.0 {
            0..DEEPEST => push_blanks(line, 2 * self.0 as usize),
            depth => {
                line.push_str("[depth ");
                push_number(line, depth, 0);
                line.push_str("] ");
            }
        }
    }
}

impl fmt::Display for Indent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.push(&mut text);
        f.write_str(&text)
    }
}

/// So many blanks. What is said of each of a million lines is not formatted, which takes ten times as long.
fn push_blanks(line: &mut String, mut count: usize) {
    if count <= 2 {
        (0..count).for_each(|_| line.push(' '));
        return;
    }
    const SOME: &str = "                                                                ";
    while count > SOME.len() {
        line.push_str(SOME);
        count -= SOME.len();
    }
    line.push_str(&SOME[..count]);
}

/// A number, with blanks in front up to that width.
fn push_number(line: &mut String, number: u64, width: usize) {
    let mut digits = [b'0'; 20];
    let (mut rest, mut first) = (number, digits.len());
    while first == digits.len() || rest > 0 {
        first -= 1;
        digits[first] += (rest % 10) as u8;
        rest /= 10;
    }
    push_blanks(line, width.saturating_sub(digits.len() - first));
    line.push_str(str::from_utf8(&digits[first..]).unwrap_or_default());
}

/// The statement with which a text begins, as far as one line shows it: up to the first `;`, or to `then` or `do` if it
/// is a test. What it misjudges is only shown a little longer or shorter.
fn statement_of(text: &str) -> &str {
    // Only so much can be shown at all.
    let most = 4 * WIDEST + 1;
    let text = match text.len() > most {
        true => text.char_indices().nth(most).map_or(text, |(end, _)| &text[..end]),
        false => text,
    };
    let test = ["if", "elsif", "elif", "while"].iter().any(|word| begins_with(text, word));
    let end = match test {
        true => ends_of_words(text).find(|end| text[..*end].ends_with("then") || text[..*end].ends_with("do")),
        false => text.find(';').map(|at| at + 1),
    };
    &text[..end.unwrap_or(text.len())]
}

fn begins_with(text: &str, word: &str) -> bool {
    text.strip_prefix(word).is_some_and(|rest| !rest.starts_with(in_word))
}

/// Where the words of a text end.
fn ends_of_words(text: &str) -> impl Iterator<Item = usize> {
    let mut words = text.char_indices().peekable();
    std::iter::from_fn(move || {
        loop {
            let (at, character) = words.next()?;
            if in_word(character) && !words.peek().is_some_and(|(_, next)| in_word(*next)) {
                return Some(at + character.len_utf8());
            }
        }
    })
}

fn in_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || character == '$'
}

#[cfg(test)]
mod tests {
    use super::{statement_of, wrapped};

    #[test]
    fn values_go_on_below_where_a_line_is_full() {
        let pieces = ["  a=1", " *b=[1,2,3,4,5,6]", "  c=0"].map(String::from);
        let line = wrapped("  12  x := y;".into(), pieces.iter().map(String::as_str), 22);
        assert_eq!(line, "  12  x := y;  a=1\n            *b=[1,2,3,\n           4,5,6]  c=0");
        assert!(line.lines().all(|line| line.chars().count() <= 22));
    }

    #[test]
    fn statements_are_told_from_what_follows_on_the_line() {
        assert_eq!(statement_of("x := y; z := x;"), "x := y;");
        assert_eq!(statement_of("if (g & done) then R: skip; else skip; fi"), "if (g & done) then");
        assert_eq!(statement_of("while(*)do skip; od"), "while(*)do");
        assert_eq!(statement_of("iffy := 1; then"), "iffy := 1;");
        assert_eq!(statement_of("while x"), "while x");
        assert_eq!(statement_of("end"), "end");
        assert_eq!(statement_of(""), "");
    }
}
