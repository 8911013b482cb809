//! The names of a text in the notation `spds 1`.

use std::ops::Range;

use crate::lexis::{Span, Word, blank, name, variable};
use crate::model::{Scalar, Type};
use crate::reading::outline::{Kind, Outline, Role};
use crate::statement::{Text, Variable, read};

/// The names that a text declares, and where names stand in it, also if it is wrong. Linear in the text.
#[doc(hidden)]
pub fn outline(source: &str) -> Outline {
    let mut outline = Outline::default();
    let reading = read(source);
    declared(&mut outline, &reading.text, source);
    outline.declarations.sort_by_key(|declaration| declaration.at.start);
    let mut sorted = Outline::default();
    for declaration in outline.declarations {
        let at = declaration.at.clone();
        let (whole, scope) = (declaration.whole, declaration.scope);
        let new = sorted.declare(declaration.kind, &declaration.name, at, &declaration.detail);
        (new.whole, new.scope) = (whole, scope);
    }
    mentioned(&mut sorted, source);
    sorted
}

fn declared(outline: &mut Outline, text: &Text<'_>, source: &str) {
    let total = source.len();
    let range = |word: &Word<'_>| word.span.range(total);
    for global in &text.globals {
        outline.declare(Kind::Variable, &global.name.text, range(&global.name), &type_of(global));
    }
    for frame in &text.frames {
        let at = range(&frame.name);
        let end = source[at.end..].find('}').map_or(total, |end| at.end + end + 1);
        outline.declare(Kind::Procedure, &frame.name.text, at.clone(), "").whole = at.start..end;
        for local in &frame.variables {
            // A rule does not say of which frame it is before its symbol is looked up.
            outline.declare(Kind::Variable, &local.name.text, range(&local.name), &type_of(local));
        }
    }
    for control in &text.controls {
        outline.declare(Kind::Control, &control.text, range(control), "");
    }
    for symbol in &text.symbols {
        let frame = symbol.frame.as_ref().map_or_else(String::new, |frame| format!("in {}", frame.text));
        outline.declare(Kind::Symbol, &symbol.name.text, range(&symbol.name), &frame);
        for label in &symbol.labels {
            outline.declare(Kind::Label, &label.text, range(label), &format!("of {}", symbol.name.text));
        }
    }
    for atom in &text.atoms {
        outline.declare(Kind::Proposition, &atom.name.text, range(&atom.name), "");
    }
}

fn type_of(variable: &Variable<'_>) -> String {
    let Type { scalar, range } = variable.ty;
    let scalar = match scalar {
        Scalar::Bool => "bool".to_owned(),
        Scalar::Unsigned(bits) => format!("u{bits}"),
    };
    range.map_or(scalar.clone(), |(first, last)| format!("{scalar}[{first}..{last}]"))
}

/// Finds all words that can be names. Between `<` and `,` stands a control location, from there to `>` stack symbols; in
/// expressions variables, and in braces nothing but expressions.
fn mentioned(outline: &mut Outline, source: &str) {
    let mut rest = blank(source);
    let mut role = Role::Any;
    let mut braces = false;
    while let Some(first) = rest.chars().next() {
        let begun = if role == Role::Value { variable(rest) } else { name(rest) };
        match begun {
            Ok((after, word)) => {
                mention(outline, source, &word, role);
                rest = blank(after);
            }
            Err(_) => {
                let length = skipped(rest, first);
                braces = (braces || first == '{') && first != '}';
                role = match (&rest[..length], role) {
                    ("<", Role::Any) if configuration(rest) => Role::Control,
                    (",", Role::Control) => Role::Symbol,
                    (">", Role::Control | Role::Symbol) => Role::Any,
                    ("when" | "with" | "invariant", _) => Role::Value,
                    _ if braces => Role::Value,
                    ("}" | ";" | "in" | "at" | "label" | "labels", _) => Role::Any,
                    _ => role,
                };
                rest = blank(&rest[length..]);
            }
        }
    }
}

/// Whether a configuration begins here, not a comparison.
fn configuration(rest: &str) -> bool {
    name(blank(&rest[1..])).is_ok_and(|(after, _)| after.starts_with([',', '>']))
}

/// How long what stands here is: a word with a digit first or a keyword, an arrow, a character.
fn skipped(rest: &str, first: char) -> usize {
    let word = rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '@'))).unwrap_or(rest.len());
    if rest.starts_with("->") { 2 } else { word.max(first.len_utf8()) }
}

fn mention(outline: &mut Outline, source: &str, word: &Word<'_>, role: Role) {
    let at: Range<usize> = Span::range(word.span, source.len());
    if source[at.clone()].starts_with('"') {
        outline.mention_quoted(at, role, &word.text);
    } else {
        outline.mention(at, role);
    }
}
