//! Diagnostics with the lines they are about, in the manner of rustc, drawn by `annotate-snippets`.
//!
//! The work is bounded by what is shown, not by the length of lines: of a long line only a window is handed over to be drawn.

use std::io::{self, Write};
use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use spds_format::{Diagnostic, Severity};

use crate::source::{Source, clip};

/// How many characters of a line are shown at most.
const WINDOW: usize = 120;

/// How many characters are shown before the place in question, if the line is longer than the window.
const LEAD: usize = 40;

/// How many characters of a message are shown; a message can quote a token of many megabytes.
const MESSAGE: usize = 400;

/// How many further places of one diagnostic are shown; the others are counted.
const RELATED: usize = 8;

/// Places that are further apart stand in excerpts of their own.
const LINES: usize = 1000;

/// How many diagnostics are shown; the others are counted.
const SHOWN: usize = 100;

/// How it is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// In plain text.
    #[default]
    Plain,
    /// With the colours of a terminal.
    Coloured,
}

/// Writes the diagnostics, errors first, each followed by an empty line. After a hundred the others are only counted.
///
/// # Errors
/// If writing fails.
pub fn write(out: &mut dyn Write, source: &Source<'_>, diagnostics: &[Diagnostic], style: Style) -> io::Result<()> {
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Coloured => Renderer::styled().hyperlink(false),
    };
    // Lines are cut here: the renderer counts columns from where they were cut.
    let renderer = renderer.term_width(100 * WINDOW);
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.is_error());
    let warnings = diagnostics.iter().filter(|diagnostic| !diagnostic.is_error());
    for diagnostic in errors.chain(warnings).take(SHOWN) {
        writeln!(out, "{}\n", drawn(&renderer, source, diagnostic))?;
    }
    if diagnostics.len() > SHOWN {
        writeln!(out, "… and {} more\n", diagnostics.len() - SHOWN)?;
    }
    Ok(())
}

fn drawn(renderer: &Renderer, source: &Source<'_>, diagnostic: &Diagnostic) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = Group::with_title(level.primary_title(clip(&diagnostic.message, MESSAGE)));
    let excerpts = excerpts(source, diagnostic);
    let name = clip(source.name, MESSAGE);
    let group = match excerpts[..] {
        [] => title.element(Origin::path(name.clone())),
        _ => title.elements(excerpts.iter().map(|excerpt| excerpt.snippet(&name))),
    };
    let more = diagnostic.related.len().saturating_sub(RELATED);
    let more = (more > 0).then(|| Level::NOTE.message(format!("and {more} places more")));
    let help = diagnostic.help.as_ref().map(|help| Level::HELP.message(clip(help, MESSAGE)));
    let mut text = renderer.render(&[group.elements(more).elements(help)]);
    // Behind the message each excerpt says where it is from, in the order of excerpts.
    let mut after = text.find('\n').unwrap_or(text.len());
    for excerpt in excerpts {
        let (line, column, shown) = excerpt.place;
        let written = format!("{name}:{line}:{shown}\n");
        if let Some(at) = text[after..].find(&written) {
            let there = format!("{name}:{line}:{column}\n");
            text.replace_range(after + at..after + at + written.len(), &there);
            after += at + there.len();
        }
    }
    text
}

/// Lines, or windows of them, with marks below.
struct Excerpt {
    text: String,
    /// The number of the first one.
    line: usize,
    marks: Vec<(Range<usize>, AnnotationKind, String)>,
    /// The line and the column of the first mark, and the column in which it is shown.
    place: (usize, usize, usize),
}

impl Excerpt {
    fn snippet<'e>(&'e self, name: &'e str) -> Snippet<'e, Annotation<'e>> {
        let marks = self.marks.iter().map(|(span, kind, text)| {
            let mark = kind.span(span.clone());
            if text.is_empty() { mark } else { mark.label(text) }
        });
        Snippet::source(&self.text).path(name).line_start(self.line).annotations(marks)
    }
}

/// Something to say about a part of a line.
struct Mark {
    line: usize,
    span: Range<usize>,
    /// What is shown of the line.
    window: Range<usize>,
    kind: AnnotationKind,
    text: String,
}

/// What is shown of the text: around the place in question, and of what is too far from it.
fn excerpts(source: &Source<'_>, diagnostic: &Diagnostic) -> Vec<Excerpt> {
    let Some(span) = &diagnostic.span else { return Vec::new() };
    let mark = |span: &Range<usize>, kind, text: &str| {
        let (line, _) = source.position(span.start);
        let whole = source.line_range(line);
        let start = floor(source.text, span.start.clamp(whole.start, whole.end));
        let end = floor(source.text, span.end.clamp(start, whole.end));
        Mark { line, span: start..end, window: window(source.text, whole, start), kind, text: clip(text, MESSAGE) }
    };
    let mut together = vec![mark(span, AnnotationKind::Primary, &diagnostic.label)];
    let mut apart = Vec::new();
    for (span, text) in diagnostic.related.iter().take(RELATED) {
        let mut mark = mark(span, AnnotationKind::Context, text);
        let of_line = together.iter().find(|other| other.line == mark.line).map(|other| other.window.clone());
        let inside = |window: &Range<usize>| window.start <= mark.span.start && mark.span.start <= window.end;
        if mark.line.abs_diff(together[0].line) > LINES || of_line.as_ref().is_some_and(|window| !inside(window)) {
            apart.push(vec![mark]);
        } else {
            mark.window = of_line.unwrap_or(mark.window);
            mark.span.end = mark.span.end.min(mark.window.end);
            together.push(mark);
        }
    }
    std::iter::once(together).chain(apart).map(|marks| excerpt(source, marks)).collect()
}

/// The lines from the first of these marks to the last. Those that will not be drawn, being far from all marks, are empty.
fn excerpt(source: &Source<'_>, marks: Vec<Mark>) -> Excerpt {
    let first = marks.iter().map(|mark| mark.line).min().unwrap_or(1);
    let last = marks.iter().map(|mark| mark.line).max().unwrap_or(1);
    let mut text = String::new();
    let mut shown = vec![None; marks.len()];
    for line in first..=last {
        if marks.iter().all(|mark| mark.line.abs_diff(line) > 2) {
            text.push('\n');
            continue;
        }
        let whole = source.line_range(line);
        let of_line = marks.iter().find(|mark| mark.line == line).map(|mark| mark.window.clone());
        let window = of_line.unwrap_or_else(|| window(source.text, whole.clone(), whole.start));
        let begin = text.len();
        if window.start > whole.start {
            text.push('…');
        }
        let offset = text.len();
        text += &source.text[window.clone()];
        if window.end < whole.end {
            text.push('…');
        }
        for (place, mark) in shown.iter_mut().zip(&marks).filter(|(_, mark)| mark.line == line) {
            let start = offset + (mark.span.start - window.start);
            let end = offset + (mark.span.end.min(window.end).max(mark.span.start) - window.start);
            *place = Some((start..end, text[begin..start].chars().count() + 1));
        }
        text.push('\n');
    }
    let (line, column) = source.position(marks[0].span.start);
    let shown: Vec<(Range<usize>, usize)> = shown.into_iter().map(Option::unwrap_or_default).collect();
    let place = (line, column, shown[0].1);
    let marks = marks.into_iter().zip(shown).map(|(mark, (span, _))| (span, mark.kind, mark.text)).collect();
    Excerpt { text, line: first, marks, place }
}

/// The part of a line to show so that `start` is in it.
fn window(text: &str, line: Range<usize>, start: usize) -> Range<usize> {
    let start = start.clamp(line.start, line.end);
    let short = text[line.clone()].chars().nth(WINDOW).is_none();
    if short {
        return line;
    }
    let lead = text[line.start..start].char_indices().rev().take(LEAD).last().map_or(0, |(offset, _)| offset);
    let from = if text[line.start..start].chars().nth(LEAD).is_none() { line.start } else { line.start + lead };
    let to = text[from..line.end].char_indices().nth(WINDOW).map_or(line.end, |(offset, _)| from + offset);
    from..to
}

/// The nearest boundary of a character at or before a byte.
fn floor(text: &str, byte: usize) -> usize {
    let mut byte = byte.min(text.len());
    while !text.is_char_boundary(byte) {
        byte -= 1;
    }
    byte
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(text: &str, diagnostics: &[Diagnostic]) -> String {
        let mut out = Vec::new();
        let source = Source::new("lock.bp", text);
        write(&mut out, &source, diagnostics, Style::Plain).expect("a vector takes everything");
        String::from_utf8(out).expect("what was written is text")
    }

    #[test]
    fn the_place_the_remarks_and_the_advice_are_shown() {
        let text = "decl g;\nvoid main() begin\n  decl x, x;\nend\n";
        let again = text.rfind('x').expect("it is there");
        let diagnostic = Diagnostic::error("`x` is declared twice", again..again + 1)
            .with_label("declared again")
            .with_related(again - 3..again - 2, "first declared here")
            .with_help("remove one of them");
        let lines = [
            "error: `x` is declared twice",
            " --> lock.bp:3:11",
            "  |",
            "3 |   decl x, x;",
            "  |        -  ^ declared again",
            "  |        |",
            "  |        first declared here",
            "  |",
            "  = help: remove one of them",
            "",
            "",
        ];
        assert_eq!(rendered(text, &[diagnostic]), lines.join("\n"));
    }

    #[test]
    fn the_line_between_two_places_is_shown() {
        let text = "if (a)\n  b := 1;\nod";
        let complaint = Diagnostic::error("expected `fi`, found `od`", text.len() - 2..text.len());
        let lines = [
            "error: expected `fi`, found `od`",
            " --> lock.bp:3:1",
            "  |",
            "1 | if (a)",
            "  | -- opened here",
            "2 |   b := 1;",
            "3 | od",
            "  | ^^",
            "",
            "",
        ];
        assert_eq!(rendered(text, &[complaint.with_related(0..2, "opened here")]), lines.join("\n"));
    }

    #[test]
    fn letters_beyond_ascii_are_shown_as_they_are_also_between_two_labels() {
        let text = "do\n  größe := ö;\nfi";
        let complaint = Diagnostic::error("expected `od`, found `fi`", text.len() - 2..text.len());
        let lines = [
            "error: expected `od`, found `fi`",
            " --> lock.bp:3:1",
            "  |",
            "1 | do",
            "  | -- ö",
            "2 |   größe := ö;",
            "3 | fi",
            "  | ^^",
            "",
            "",
        ];
        assert_eq!(rendered(text, &[complaint.with_related(0..2, "ö")]), lines.join("\n"));
        assert!(rendered("ö", &[Diagnostic::error("`ö` is no name", 0..2)]).starts_with("error: `ö` is no name\n"));
    }

    #[test]
    fn places_far_apart_stand_in_excerpts_of_their_own_with_true_columns() {
        let long = "y".repeat(1000);
        let text = format!("{long}x{long}z\n{}{long}x\n", "\n".repeat(100_000));
        let (x, z) = (1000, 2001);
        let far = text.rfind('x').expect("it is there");
        let complaint =
            Diagnostic::error("x", x..x + 1).with_related(z..z + 1, "on this line").with_related(far..far + 1, "far");
        let rendered = rendered(&text, &[complaint]);
        for place in ["--> lock.bp:1:1001\n", "::: lock.bp:1:2002\n", "::: lock.bp:100002:1001\n"] {
            assert!(rendered.contains(place), "{place} in {rendered}");
        }
        assert!(rendered.lines().count() < 25, "{rendered}");
    }

    #[test]
    fn only_who_wants_colours_gets_them() {
        let complaints = [Diagnostic::error("odd", 0..1).with_help("nothing")];
        let mut out = Vec::new();
        write(&mut out, &Source::new("lock.bp", "x"), &complaints, Style::Coloured).expect("a vector takes everything");
        let coloured = String::from_utf8(out).expect("what was written is text");
        let plain: String = coloured
            .split("\x1b[")
            .enumerate()
            .map(|(piece, text)| if piece == 0 { text } else { text.split_once('m').map_or("", |(_, rest)| rest) })
            .collect();
        assert!(coloured.contains('\x1b'));
        assert_eq!(plain, rendered("x", &complaints));
    }

    #[test]
    fn carets_stand_under_wide_characters_and_after_tabs() {
        let text = "\t漢字 x y";
        let x = text.find('x').expect("it is there");
        let rendered = rendered(text, &[Diagnostic::warning("look", x..x + 1)]);
        assert!(rendered.contains("1 |     漢字 x y\n  |          ^\n"), "{rendered}");
    }

    #[test]
    fn of_a_line_of_many_megabytes_a_window_is_shown_and_quickly() {
        let text = "x".repeat(20 << 20);
        let middle = 10 << 20;
        let many: Vec<_> = (0..100).map(|i| Diagnostic::error("here", middle - i..middle + 1000)).collect();
        let began = std::time::Instant::now();
        let rendered = rendered(&text, &many);
        assert!(began.elapsed().as_secs() < 5, "{:?}", began.elapsed());
        assert!(rendered.len() < 100 * 600, "{}", rendered.len());
        assert!(rendered.contains("lock.bp:1:10485761"), "{}", &rendered[..500]);
    }

    #[test]
    fn spans_beyond_the_text_inside_characters_or_over_lines_are_no_trouble() {
        let text = "é\nlast";
        let backward = std::ops::Range { start: 100, end: 90 };
        for span in [0..usize::MAX, 1..2, 1..1, 7..7, backward, usize::MAX..usize::MAX, 3..3] {
            assert!(rendered(text, &[Diagnostic::error("odd", span)]).contains('^'));
        }
        assert!(rendered("", &[Diagnostic::error("empty", 0..0)]).contains("1:1"));
        assert!(rendered("", &[Diagnostic::global("empty")]).contains("--> lock.bp\n"));
    }

    #[test]
    fn a_message_that_quotes_a_huge_token_is_cut() {
        let token = "x".repeat(1 << 20);
        let diagnostic = Diagnostic::error(format!("unknown `{token}`"), 0..1).with_label(&*token).with_help(&*token);
        assert!(rendered(&token, &[diagnostic]).len() < 3000);
    }

    #[test]
    fn nothing_reaches_the_terminal_that_could_disturb_it() {
        let rendered = rendered("a \x1b[31m \u{202e} b", &[Diagnostic::error("odd", 0..1)]);
        assert!(!rendered.contains('\x1b') && !rendered.contains('\u{202e}'), "{rendered}");
    }

    #[test]
    fn after_a_hundred_the_others_are_counted_and_errors_come_first() {
        let mut many: Vec<_> = (0..150).map(|_| Diagnostic::warning("w", 0..1)).collect();
        many.push(Diagnostic::error("e", 0..1));
        let rendered = rendered("abc", &many);
        assert!(rendered.starts_with("error: e\n"));
        assert!(rendered.ends_with("… and 51 more\n\n"));
    }
}
