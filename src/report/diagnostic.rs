//! Diagnostics with the lines they are about, in the manner of rustc.
//!
//! The work is bounded by what is shown, not by the length of lines: of a long line only a window is rendered.

use std::io::{self, Write};

use spds_format::{Diagnostic, Severity};
use unicode_width::UnicodeWidthChar;

use super::source::{Source, clip, printable};

/// How many columns of a line are shown at most.
const WINDOW: usize = 120;

/// How many columns are shown before the place in question, if the line is longer than the window.
const LEAD: usize = 40;

/// How many characters of a message are shown; a message can quote a token of many megabytes.
const MESSAGE: usize = 400;

/// How many further places of one diagnostic are shown; the others are counted.
const RELATED: usize = 8;

/// How many diagnostics are shown; the others are counted.
const SHOWN: usize = 100;

/// Writes the diagnostics, errors first, each followed by an empty line. After a hundred the others are only counted.
///
/// # Errors
/// If writing fails.
pub fn write(out: &mut dyn Write, source: &Source<'_>, diagnostics: &[Diagnostic]) -> io::Result<()> {
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.is_error());
    let warnings = diagnostics.iter().filter(|diagnostic| !diagnostic.is_error());
    for diagnostic in errors.chain(warnings).take(SHOWN) {
        write_one(out, source, diagnostic)?;
    }
    if diagnostics.len() > SHOWN {
        writeln!(out, "… and {} more\n", diagnostics.len() - SHOWN)?;
    }
    Ok(())
}

fn write_one(out: &mut dyn Write, source: &Source<'_>, diagnostic: &Diagnostic) -> io::Result<()> {
    let kind = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    writeln!(out, "{kind}: {}", clip(&diagnostic.message, MESSAGE))?;
    let Some(span) = &diagnostic.span else {
        writeln!(out, " --> {}", source.name)?;
        return help(out, diagnostic, 1);
    };
    let related = &diagnostic.related[..diagnostic.related.len().min(RELATED)];
    let related = related.iter().map(|(span, text)| Remark { span: span.clone(), mark: '-', text });
    let mut remarks = vec![Remark { span: span.clone(), mark: '^', text: &diagnostic.label }];
    remarks.extend(related);
    remarks.sort_by_key(|remark| source.position(remark.span.start).0);
    let gutter = remarks.iter().map(|remark| source.position(remark.span.start).0).max().unwrap_or(1);
    let gutter = gutter.to_string().len();
    let (line, column) = source.position(span.start);
    writeln!(out, "{:gutter$}--> {}:{line}:{column}", "", source.name)?;
    writeln!(out, "{:gutter$} |", "")?;
    let mut last: Option<(usize, (usize, usize))> = None;
    for remark in &remarks {
        let line = source.position(remark.span.start).0;
        if let Some((last, _)) = last
            && line > last + 1
        {
            writeln!(out, "{}", if line == last + 2 { format!("{:gutter$} |", "") } else { "...".into() })?;
        }
        let shown = window(source.text, source.line_range(line), floor(source.text, remark.span.start));
        let again = last == Some((line, shown));
        excerpt(out, source, remark, shown, gutter, if again { Line::Shown } else { Line::New })?;
        last = Some((line, shown));
    }
    if diagnostic.related.len() > RELATED {
        writeln!(out, "{:gutter$} = note: and {} places more", "", diagnostic.related.len() - RELATED)?;
    }
    help(out, diagnostic, gutter)
}

/// Something to say about a place.
struct Remark<'a> {
    span: std::ops::Range<usize>,
    mark: char,
    text: &'a str,
}

/// Whether the line of a remark stands there already.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    New,
    Shown,
}

fn help(out: &mut dyn Write, diagnostic: &Diagnostic, gutter: usize) -> io::Result<()> {
    if let Some(help) = &diagnostic.help {
        writeln!(out, "{:gutter$} = help: {}", "", clip(help, MESSAGE))?;
    }
    writeln!(out)
}

/// The shown part of a line, and below it the span underlined as far as it lies in that line.
fn excerpt(
    out: &mut dyn Write,
    source: &Source<'_>,
    remark: &Remark<'_>,
    (from, to): (usize, usize),
    gutter: usize,
    shown: Line,
) -> io::Result<()> {
    let (line, _) = source.position(remark.span.start);
    let whole = source.line_range(line);
    let start = floor(source.text, remark.span.start.clamp(whole.start, whole.end));
    let end = floor(source.text, remark.span.end.clamp(start, whole.end));
    let mut text = String::new();
    let mut before = 0;
    let mut under = 0;
    if from > whole.start {
        text.push('…');
        before += 1;
    }
    for (offset, character) in source.text[from..to].char_indices() {
        let at = from + offset;
        let (shown, width) = match character {
            '\t' => ("    ".to_string(), 4),
            other => {
                let shown = printable(other);
                (shown.to_string(), shown.width().unwrap_or(1))
            }
        };
        text += &shown;
        if at < start {
            before += width;
        } else if at < end {
            under += width;
        }
    }
    if to < whole.end {
        text.push('…');
    }
    let marks = remark.mark.to_string().repeat(under.max(1));
    if shown == Line::New {
        writeln!(out, "{line:>gutter$} | {}", text.trim_end())?;
    }
    writeln!(out, "{}", format!("{:gutter$} | {:before$}{marks} {}", "", "", clip(remark.text, MESSAGE)).trim_end())
}

/// The part of a line to show so that `start` is in it.
fn window(text: &str, line: std::ops::Range<usize>, start: usize) -> (usize, usize) {
    let start = start.clamp(line.start, line.end);
    let short = text[line.clone()].chars().nth(WINDOW).is_none();
    if short {
        return (line.start, line.end);
    }
    let lead = text[line.start..start].char_indices().rev().take(LEAD).last().map_or(0, |(offset, _)| offset);
    let from = if text[line.start..start].chars().nth(LEAD).is_none() { line.start } else { line.start + lead };
    let to = text[from..line.end].char_indices().nth(WINDOW).map_or(line.end, |(offset, _)| from + offset);
    (from, to)
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
        write(&mut out, &Source::new("lock.bp", text), diagnostics).expect("a vector takes everything");
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
        assert_eq!(
            rendered(text, &[diagnostic]),
            "error: `x` is declared twice\n \
             --> lock.bp:3:11\n  \
             |\n\
             3 |   decl x, x;\n  \
             |           ^ declared again\n  \
             |        - first declared here\n  \
             = help: remove one of them\n\n"
        );
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
