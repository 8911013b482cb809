//! Predicate files: lines `procedure: expression, expression` and `*: expression`, in the syntax of C, with `pre(x)` for the value of x
//! when the procedure was entered and `result` for what it returns. `//` begins a comment.

use std::ops::Range;

use spds_format::Diagnostic;

use crate::c::expression::ExpressionId;
use crate::c::program::{ProcedureId, Program};

use super::predicate::{Predicate, reads};
use super::typed::{Reader, quoted};

/// Reads a file of predicates over a program. Linear in it, but for names, which are looked up among those of the procedure.
///
/// # Errors
/// All that is wrong, with places in the text.
pub fn read(program: &mut Program, text: &str) -> Result<Vec<Predicate>, Vec<Diagnostic>> {
    let (mut predicates, mut wrong) = (Vec::new(), Vec::new());
    for (begin, code) in lines(text) {
        match scope(program, code, begin) {
            Ok((scope, rest)) => {
                for span in expressions(code, begin, rest) {
                    match one(program, scope, text, span) {
                        Ok(predicate) => predicates.push(predicate),
                        Err(complaint) => wrong.push(*complaint),
                    }
                }
            }
            Err(complaint) => wrong.push(*complaint),
        }
    }
    if wrong.is_empty() { Ok(predicates) } else { Err(wrong) }
}

/// The lines that say something, without comments, and where each begins.
pub fn lines(text: &str) -> Vec<(usize, &str)> {
    let (mut lines, mut begin) = (Vec::new(), 0);
    for line in text.split_inclusive('\n') {
        let code =
            plain(line).find(|&(at, _)| line.as_bytes()[at..].starts_with(b"//")).map_or(line, |(at, _)| &line[..at]);
        if !code.trim().is_empty() {
            lines.push((begin, code));
        }
        begin += line.len();
    }
    lines
}

/// Whose predicates a line lists (nobody's: global ones), and where its list begins.
fn scope(program: &Program, line: &str, begin: usize) -> Result<(Option<ProcedureId>, usize), Box<Diagnostic>> {
    let mut colons = line.match_indices(':').map(|(at, _)| at);
    for colon in colons.clone() {
        let name = line[..colon].trim();
        if name == "*" {
            return Ok((None, colon + 1));
        }
        if let Some(procedure) = program.procedure_named(name).filter(|&id| program.procedure(id).body.is_some()) {
            return Ok((Some(procedure), colon + 1));
        }
    }
    let indent = line.len() - line.trim_start().len();
    let Some(colon) = colons.next() else {
        let span = begin + indent..begin + line.trim_end().len();
        let message = "expected `procedure: expression, expression` or `*: expression`";
        return Err(Box::new(Diagnostic::error(message, span)));
    };
    let name = line[..colon].trim();
    let span = begin + indent..begin + indent + name.len().max(1);
    let defined =
        program.procedures.iter().filter(|procedure| procedure.body.is_some()).map(|procedure| &*procedure.name);
    let message = format!("the program defines no procedure `{name}`");
    let diagnostic = Diagnostic::error(message, span);
    Err(Box::new(match spds_format::reading::near::did_you_mean(name, defined) {
        Some(help) => diagnostic.with_help(help),
        None => diagnostic,
    }))
}

/// The bytes of a line that are in no quotes, with their places.
pub fn plain(line: &str) -> impl Iterator<Item = (usize, u8)> {
    let mut until = 0;
    line.bytes().enumerate().filter(move |&(at, byte)| {
        if at >= until && byte == b'\'' {
            until = at + quoted(&line[at..]).unwrap_or(1);
        }
        at >= until
    })
}

/// The expressions of a list that begins at a byte of a line, between commas that are in no brackets: their places in the text.
pub fn expressions(line: &str, begin: usize, from: usize) -> Vec<Range<usize>> {
    let (mut spans, mut start, mut depth) = (Vec::new(), from, 0usize);
    for (at, byte) in plain(line).filter(|&(at, _)| at >= from) {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                spans.push(start..at);
                start = at + 1;
            }
            _ => {}
        }
    }
    spans.push(start..line.len());
    let trimmed = |span: Range<usize>| {
        let text = &line[span.clone()];
        let first = span.start + text.len() - text.trim_start().len();
        begin + first..begin + first + text.trim().len()
    };
    spans.into_iter().map(trimmed).collect()
}

/// Reads one expression, over globals and what is visible in a procedure.
///
/// # Errors
/// What is wrong, with its place in the text.
pub fn expression(
    program: &mut Program,
    scope: Option<ProcedureId>,
    text: &str,
) -> Result<ExpressionId, Box<Diagnostic>> {
    Reader::new(program, scope, text, 0).read()
}

fn one(
    program: &mut Program,
    scope: Option<ProcedureId>,
    text: &str,
    span: Range<usize>,
) -> Result<Predicate, Box<Diagnostic>> {
    let source = &text[span.clone()];
    let mut reader = Reader::new(program, scope, source, span.start);
    let expression = reader.read()?;
    let reads = reads(program, expression);
    let scope = if reads.pre || reads.result || reads.now.iter().any(|&variable| !program.is_global(variable)) {
        scope
    } else {
        None
    };
    Ok(Predicate { text: source.split_whitespace().collect::<Vec<_>>().join(" "), expression, scope })
}
