//! Copies of the program's files in which locals start with the values that a run needs and that nobody assigns: no other file can give
//! them any.

use std::collections::{BTreeMap, BTreeSet};

use super::types::number;
use crate::c::Program;
use crate::c::program::{Storage, Variable, VariableId};
use crate::c::subobject::Subobject;
use crate::c::{LineMarker, line_markers};
use crate::refinement::Input;
use crate::source::Source;

/// More lives of a local are not told apart.
const LIVES: u32 = 10_000;

/// What is to be compiled in place of files of the program.
#[derive(Clone, Debug, Default)]
pub struct Copies {
    /// The names of the files, and the texts of their copies.
    pub files: Vec<(String, String)>,
    given: BTreeSet<VariableId>,
}

impl Copies {
    /// Those for a run with these inputs. A local gets no value where the run looks at single bytes of a scalar, and where its declaration
    /// is not found in its file as it is.
    pub fn new(program: &Program, inputs: &[Input], sources: &[Source<'_>]) -> Self {
        let mut initial: BTreeMap<VariableId, BTreeMap<String, Lives<'_>>> = BTreeMap::new();
        for (input, scalar) in inputs.iter().filter_map(|input| Some((input, local(program, input)?))) {
            let known = &program.variable(scalar.variable).name;
            let name = scalar.name(program);
            let within = name.strip_prefix(&**known).unwrap_or_default().to_owned();
            initial.entry(scalar.variable).or_default().entry(within).or_default().insert(input.life, input);
        }
        let mut copies = Copies::default();
        for source in sources {
            let mut put: BTreeMap<usize, (VariableId, String)> = BTreeMap::new();
            for (&id, scalars) in &initial {
                let variable = program.variable(id);
                let file = program.file(variable.place);
                if let Some(text) = initialiser(program, scalars)
                    && let Some(line) = line_of(source, file, variable.place.line as usize)
                    && let Some(at) = end_of_declarator(source, line, variable)
                {
                    put.insert(at, (id, text));
                }
            }
            if put.is_empty() {
                continue;
            }
            let (mut text, mut from) = (String::new(), 0);
            for (at, (id, value)) in put {
                text = text + &source.text[from..at] + &value;
                from = at;
                copies.given.insert(id);
            }
            copies.files.push((source.name.to_owned(), text + &source.text[from..]));
        }
        copies
    }

    /// Whether a scalar has its value in a copy.
    pub fn give(&self, scalar: Subobject) -> bool {
        self.given.contains(&scalar.variable)
    }
}

/// The scalar of a local that has this value though nobody has assigned it.
fn local(program: &Program, input: &Input) -> Option<Subobject> {
    let scalar = input.scalar.filter(|_| input.call.is_none())?;
    let variable = program.variable(scalar.variable);
    let Storage::Local(procedure) = variable.storage else { return None };
    let is_formal = program.procedure(procedure).formals.contains(&scalar.variable);
    (!is_formal && !variable.is_made_up && program.types.size(variable.ty).is_some()).then_some(scalar)
}

/// The values of a scalar in the lives of its variable.
type Lives<'i> = BTreeMap<u32, &'i Input>;

/// What is to be written after a declarator, if there are not too many lives.
fn initialiser(program: &Program, scalars: &BTreeMap<String, Lives<'_>>) -> Option<String> {
    if let Some(lives) = scalars.get("") {
        return (scalars.len() == 1).then(|| value(program, lives)).flatten().map(|value| format!(" = {value}"));
    }
    let parts: Option<Vec<String>> =
        scalars.iter().map(|(within, lives)| Some(format!("{within} = {}", value(program, lives)?))).collect();
    Some(format!(" = {{{}}}", parts?.join(", ")))
}

/// The values one after the other, of which some are not asked for (GNU C: a statement as an expression); or the one that it is always.
fn value(program: &Program, lives: &Lives<'_>) -> Option<String> {
    let texts: BTreeMap<u32, String> = lives.iter().map(|(life, input)| (*life, number(program, input))).collect();
    let (last, first) = (*texts.last_key_value()?.0, texts.first_key_value()?.1);
    if texts.values().all(|text| text == first) {
        return Some(first.clone());
    }
    let input = lives.first_key_value()?.1;
    // Wide enough for all values; bit-fields have no types of their own.
    let ty = match program.types.as_integer(input.ty) {
        None => "void *",
        Some(integer) if integer.width > 64 => "unsigned __int128",
        Some(integer) if integer.signed => "long long",
        Some(_) => "unsigned long long",
    };
    let values: Vec<&str> = (0..=last).map(|life| texts.get(&life).map_or("0", String::as_str)).collect();
    (last < LIVES).then(|| {
        let (count, values) = (last + 1, values.join(", "));
        format!(
            "({{ static {ty} values[] = {{{values}}}; static unsigned next; next < {count} ? values[next++] : 0; }})"
        )
    })
}

/// Which line of a text is meant by one of a file: directives (`#line 4 "file.c"`) may give lines other numbers and files other names.
fn line_of(source: &Source<'_>, file: &str, line: usize) -> Option<usize> {
    let own = LineMarker { from: 0, line: 1, file: source.name.into(), system: false };
    let markers: Vec<LineMarker> = std::iter::once(own).chain(line_markers(source.text)).collect();
    let ends = markers.iter().skip(1).map(|next| next.from).chain([source.text.len() + 1]);
    markers.iter().zip(ends).find_map(|(marker, end)| {
        let first = source.position(marker.from).0;
        let at = first + line.checked_sub(marker.line as usize)?;
        let name = if marker.file.is_empty() { source.name } else { &*marker.file };
        (name == file && source.line_range(at).start < end.min(source.text.len())).then_some(at)
    })
}

/// The byte after the declarator of a local without an initialiser, in a text that declares it in so many words in a line.
fn end_of_declarator(source: &Source<'_>, line: usize, variable: &Variable) -> Option<usize> {
    let start = source.line_range(line).end - source.rest_of_line(line, variable.place.column as usize).len();
    let rest = &source.text[start..];
    let (mut depth, mut is_named) = (0u32, false);
    let mut at = 0;
    while let Some(next) = rest[at..].chars().next() {
        match next {
            ';' | ',' if depth == 0 => return is_named.then_some(start + at),
            '=' if depth == 0 => return None,
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.checked_sub(1)?,
            '{' | '}' | '"' | '\'' | '#' => return None,
            '/' if rest[at..].starts_with("/*") => {
                at += rest[at..].find("*/")? + 2;
                continue;
            }
            '/' if rest[at..].starts_with("//") => {
                at += rest[at..].find('\n')?;
                continue;
            }
            _ if next.is_alphanumeric() || next == '_' => {
                let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
                let length = rest[at..].find(|c| !is_word(c)).unwrap_or(rest.len() - at);
                is_named |= rest[at..at + length] == *variable.name;
                at += length;
                continue;
            }
            _ => {}
        }
        at += next.len_utf8();
    }
    None
}
