//! Contracts that are written about a program: files with lines `procedure: requires expression, expression` and `procedure: ensures …`, in the
//! syntax of predicate files ([`crate::abstraction::read`]), and conditions that stand in the program, as CBMC has them.

use spds_format::Diagnostic;
use spds_format::model::Place;
use spds_format::reading::near::did_you_mean;

use crate::abstraction::outside::read_condition;
use crate::abstraction::predicate::reads;
use crate::abstraction::read::{expressions, lines, plain};
use crate::c::contract::{Clause, Written};
use crate::c::program::{ProcedureId, Program};

/// Whether a condition is demanded or promised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Requires,
    Ensures,
}

const WORDS: [(&str, Kind); 2] = [("requires", Kind::Requires), ("ensures", Kind::Ensures)];

/// The procedures that a file has lines about. Linear.
pub fn names(text: &str) -> Vec<String> {
    lines(text).into_iter().filter_map(|(_, line)| Some(line[..head(line)?.1].trim().to_owned())).collect()
}

/// The same file with blanks for lines about functions that a program does not have. Linear, but for names.
pub fn of_those_there(program: &Program, text: &str) -> String {
    let mut there = text.as_bytes().to_vec();
    for (begin, line) in lines(text) {
        let about = head(line).map(|(_, colon, _)| line[..colon].trim());
        if about.is_some_and(|name| program.procedure_named(name).is_none()) {
            there[begin..begin + line.trim_end().len()].fill(b' ');
        }
    }
    // Lines are whole characters.
    String::from_utf8(there).unwrap_or_else(|_| text.to_owned())
}

/// The keyword of a line, where the colon before it is, and where what follows it begins.
fn head(line: &str) -> Option<(Kind, usize, usize)> {
    plain(line).filter(|(_, byte)| *byte == b':').find_map(|(colon, _)| {
        let rest = &line[colon + 1..];
        let word = rest.trim_start();
        let at = colon + 1 + rest.len() - word.len();
        let is_end = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let (name, kind) = WORDS.into_iter().find(|(name, _)| word.strip_prefix(name).is_some_and(is_end))?;
        Some((kind, colon, at + name.len()))
    })
}

/// Reads a file of contracts into a program; `name` is what the file is called. Linear, but for names, which are looked up among those of the
/// procedure.
///
/// # Errors
/// All that is wrong, with places in the text.
pub fn read(program: &mut Program, name: &str, text: &str) -> Result<(), Vec<Diagnostic>> {
    let file = program.files.len() as u32;
    program.files.push(name.into());
    let mut wrong = Vec::new();
    for (begin, line) in lines(text) {
        let (procedure, kind, rest) = match procedure(program, line, begin) {
            Ok(found) => found,
            Err(complaint) => {
                wrong.push(*complaint);
                continue;
            }
        };
        for span in expressions(line, begin, rest) {
            let place = place(text, span.start, file);
            match clause(program, procedure, kind, &text[span.clone()], span.start, place) {
                Ok(clause) => add(program, procedure, kind, clause),
                Err(complaint) => wrong.push(*complaint),
            }
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

/// Reads the conditions that stand in the program.
///
/// # Errors
/// All that is wrong, each with the index of the file it is about.
pub fn read_written(program: &mut Program) -> Result<(), Vec<(usize, Diagnostic)>> {
    let mut all: Vec<(ProcedureId, Written)> = Vec::new();
    for (id, contract) in &mut program.contracts {
        all.extend(std::mem::take(&mut contract.written).into_iter().map(|written| (*id, written)));
    }
    let mut wrong = Vec::new();
    for (id, written) in all {
        let kind = if written.ensures { Kind::Ensures } else { Kind::Requires };
        let begin = written.span.as_ref().map_or(0, |span| span.start);
        match clause(program, id, kind, &written.text, begin, written.place) {
            Ok(clause) => add(program, id, kind, clause),
            Err(complaint) => {
                let Diagnostic { message, .. } = &*complaint;
                let Place { line, column, .. } = written.place;
                let complaint = match &written.span {
                    Some(whole) => {
                        let span = complaint.span.clone().unwrap_or_else(|| whole.clone());
                        let span = span.start.min(whole.end)..span.end.min(whole.end);
                        Diagnostic { span: Some(span), ..*complaint }
                    }
                    None => {
                        let message = format!("{}:{line}:{column}: {message}", program.file(written.place));
                        Diagnostic { span: None, message, ..*complaint }
                    }
                };
                wrong.push((written.unit, complaint));
            }
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

fn add(program: &mut Program, procedure: ProcedureId, kind: Kind, clause: Clause) {
    let contract = program.contracts.entry(procedure).or_default();
    match kind {
        Kind::Requires => contract.requires.push(clause),
        Kind::Ensures => contract.ensures.push(clause),
    }
}

/// Of which procedure a line is, what it says, and where its list begins.
fn procedure(program: &Program, line: &str, begin: usize) -> Result<(ProcedureId, Kind, usize), Box<Diagnostic>> {
    let indent = line.len() - line.trim_start().len();
    let Some((kind, colon, rest)) = head(line) else {
        let span = begin + indent..begin + line.trim_end().len();
        let message = "expected `function: requires expression, expression` or `function: ensures expression`";
        return Err(Box::new(Diagnostic::error(message, span)));
    };
    let name = line[..colon].trim();
    let has_contract = |id: &ProcedureId| program.procedure(*id).body.is_some();
    if let Some(id) = program.procedure_named(name).filter(has_contract) {
        return Ok((id, kind, rest));
    }
    let span = begin + indent..begin + indent + name.len().max(1);
    let message = match program.procedure_named(name) {
        Some(_) => format!("`{name}` has no body, and its contract cannot be known where it is called"),
        None => format!("the program has no function `{name}`"),
    };
    let known = program.procedures.iter().filter(|procedure| procedure.body.is_some());
    let diagnostic = Diagnostic::error(message, span);
    Err(Box::new(match did_you_mean(name, known.map(|procedure| &*procedure.name)) {
        Some(help) => diagnostic.with_help(help),
        None => diagnostic,
    }))
}

/// Reads a condition.
fn clause(
    program: &mut Program,
    procedure: ProcedureId,
    kind: Kind,
    text: &str,
    begin: usize,
    place: Place,
) -> Result<Clause, Box<Diagnostic>> {
    let read = read_condition(program, Some(procedure), text, begin)?;
    let said = reads(program, read);
    if kind == Kind::Requires && (said.result || said.pre) {
        let what = if said.result { "what a function returns" } else { "the state before" };
        let message = format!("{what} is not known where it is called");
        let diagnostic = Diagnostic::error(message, begin..begin + text.len().max(1));
        return Err(Box::new(diagnostic.with_help("`ensures` says what holds when it returns")));
    }
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    Ok(Clause { condition: read, text: text.into(), place })
}

/// Where a byte of a text is.
fn place(text: &str, at: usize, file: u32) -> Place {
    let before = &text[..at];
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let column = before[start..].chars().count() + 1;
    Place { file, line: line as u32, column: column as u32 }
}
