//! Conditions on the state where a procedure is entered, and where it returns: what those can say who call it.

use std::ops::Range;

use spds_format::Diagnostic;

use super::read::plain;
use super::typed::Reader;
use crate::c::expression::{ExpressionId, ExpressionKind, LvalueKind, Term};
use crate::c::program::{ProcedureId, Program};

/// Reads a condition over globals and the formals of a procedure.
///
/// # Errors
/// What is wrong, with its place in the file, in which the text begins at a byte.
pub fn read_condition(
    program: &mut Program,
    procedure: Option<ProcedureId>,
    text: &str,
    begin: usize,
) -> Result<ExpressionId, Box<Diagnostic>> {
    if let Some((span, what)) = effect(program, text) {
        let span = begin + span.start..begin + span.end;
        let diagnostic = Diagnostic::error(format!("{what}, and conditions change nothing"), span);
        return Err(Box::new(diagnostic.with_help("say what holds in a state, as in `x == 1`")));
    }
    let read = Reader::new(program, procedure, text, begin).outside().read()?;
    let formals = procedure.map_or(&[][..], |id| &program.procedure(id).formals);
    for term in program.terms.postorder(Term::Expression(read)) {
        let Term::Expression(id) = term else { continue };
        let (ExpressionKind::AddressOf(of) | ExpressionKind::Read(of) | ExpressionKind::Pre(of)) =
            program.terms.get(id).kind
        else {
            continue;
        };
        let is_plain = matches!(program.terms.at(of).kind, LvalueKind::Variable(_));
        let is_read = !matches!(program.terms.get(id).kind, ExpressionKind::AddressOf(_));
        if let Some(variable) = program.terms.variable_of(of).filter(|id| formals.contains(id))
            && !(is_plain && is_read)
        {
            let name = &program.variable(variable).name;
            let message = format!("callers do not know where the parameter `{name}` is");
            return Err(Box::new(Diagnostic::error(message, begin..begin + text.len().max(1))));
        }
    }
    Ok(read)
}

/// The first thing in a text that would change something: where, and what it is.
fn effect(program: &Program, text: &str) -> Option<(Range<usize>, String)> {
    let bytes: Vec<(usize, u8)> = plain(text).collect();
    let mut at = 0;
    while at < bytes.len() {
        let (start, byte) = bytes[at];
        let next = bytes.get(at + 1).filter(|(next, _)| *next == start + 1).map(|(_, byte)| *byte);
        match (byte, next) {
            (b'=' | b'<' | b'>' | b'!', Some(b'=')) => at += 1,
            (b'<' | b'>', Some(again)) if again == byte => {
                at += 1;
                if bytes.get(at + 1).is_some_and(|(_, byte)| *byte == b'=') {
                    return Some((start..start + 3, format!("`{}` assigns", &text[start..start + 3])));
                }
            }
            (b'=', _) => return Some((start..start + 1, "`=` assigns".to_owned())),
            (b'+', Some(b'+')) | (b'-', Some(b'-')) => {
                return Some((start..start + 2, format!("`{}` counts", &text[start..start + 2])));
            }
            (b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^', Some(b'=')) => {
                return Some((start..start + 2, format!("`{}` assigns", &text[start..start + 2])));
            }
            (byte, _) if byte.is_ascii_alphabetic() || byte == b'_' => {
                let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
                let length = text[start..].find(|c| !is_word(c)).unwrap_or(text.len() - start);
                let name = &text[start..start + length];
                let is_called = text[start + length..].trim_start().starts_with('(');
                if is_called && program.procedure_named(name).is_some() {
                    return Some((start..start + length, format!("`{name}` is called")));
                }
                at += length - 1;
            }
            _ => {}
        }
        at += 1;
    }
    None
}
