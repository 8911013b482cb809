//! What is done to a C text before lang-c parses it, and how to find the way back.
//!
//! lang-c knows C11 with GNU's extensions, without comments, directives, `$` in names, `__int128`, or declarations without a
//! type. Comments and what says nothing are blanked, the rest is written as lang-c reads it. How deep the text can be
//! nested is found out here too: lang-c recurses.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use spds_format::Diagnostic;

use super::attributes::{Attribute, Reader};
use super::extensions::{Packing, Pragma, pragma};
use super::tokens::{Token, TokenKind, tokens};

/// The type specifier that stands for `__int128` in prepared texts: one of TS 18661-3 that no compiler has.
pub const INT128: (&str, usize) = ("_Float16x", 16);

/// The same for `__auto_type`.
pub const DEDUCED: (&str, usize) = ("_Float128x", 128);

/// A text as lang-c gets it.
#[derive(Debug, Default)]
pub struct Prepared {
    /// What is parsed.
    pub text: String,
    /// From which byte of [`Prepared::text`] on which byte of the given text is meant; ascending.
    edits: Vec<(usize, usize)>,
    /// Line markers: from which byte of the given text on (the line after the marker) which line of which file follows.
    pub markers: Vec<Marker>,
    /// Names with `$`, as they were written.
    pub dollars: HashMap<String, String>,
    /// Warnings, about the prepared text.
    pub warnings: Vec<Diagnostic>,
    /// All attributes, in order; what is parsed has none.
    pub attributes: Vec<Attribute>,
    /// How records are packed.
    pub packing: Packing,
    /// What stands outside of the language and is not represented.
    pub foreign: Vec<Foreign>,
    /// No tree of the text is deeper.
    pub depth: usize,
    /// The first directive that only a preprocessor can obey, or the first macro that it has from the beginning.
    pub directive: Option<Range<usize>>,
}

/// A line marker of a preprocessor, `# 12 "file.c"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marker {
    /// The byte after its line.
    pub from: usize,
    /// The line that begins there.
    pub line: u32,
    /// Of this file.
    pub file: Box<str>,
    /// Whether that is a header of the system.
    pub system: bool,
}

/// Something outside of the language that is not represented: a pragma, or assembly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// The word by which it can be ignored.
    pub name: Box<str>,
    /// What it is, in words.
    pub what: String,
    /// Why it is not represented.
    pub why: &'static str,
    /// Where it stands.
    pub range: Range<usize>,
}

impl Prepared {
    /// The byte of the given text that a byte of the prepared text stands for.
    pub fn given(&self, prepared: usize) -> usize {
        let index = self.edits.partition_point(|(from, _)| *from <= prepared);
        match index.checked_sub(1).map(|index| self.edits[index]) {
            Some((from, given)) => {
                let next = self.edits.get(index).map_or(usize::MAX, |(_, given)| *given);
                (given + (prepared - from)).min(next.max(given))
            }
            None => prepared,
        }
    }

    /// The first byte of the prepared text that stands for what is at a byte of the given text, after what was put in there.
    fn of_given(&self, given: usize) -> usize {
        let index = self.edits.partition_point(|(_, from)| *from <= given);
        match index.checked_sub(1).map(|index| self.edits[index]) {
            Some((prepared, from)) => prepared + (given - from),
            None => given,
        }
    }
}

/// Prepares a text. Linear.
pub fn prepare(text: &str) -> Prepared {
    let all = tokens(text);
    let mut prepared = Prepared::default();
    let mut changes: Vec<(Range<usize>, Change)> = Vec::new();
    let mut kept: Vec<Token> = Vec::with_capacity(all.len());
    let mut pragmas: Vec<(Range<usize>, String)> = Vec::new();
    for token in all {
        match token.kind {
            TokenKind::Comment | TokenKind::Splice => changes.push((token.range, Change::Blank)),
            TokenKind::Directive => {
                match directive(text, &token.range) {
                    Directive::Marker(marker) => prepared.mark(marker),
                    Directive::Pragma(said) => pragmas.push((token.range.clone(), said)),
                    Directive::Idle => {}
                    Directive::Work => {
                        prepared.directive.get_or_insert(token.range.clone());
                    }
                }
                changes.push((token.range, Change::Blank));
            }
            kind => {
                if kind == TokenKind::Name && is_predefined(&text[token.range.clone()]) {
                    prepared.directive.get_or_insert(token.range.clone());
                }
                kept.push(token);
            }
        }
    }
    prepared.depth = depth(text, &kept);
    prepared.extensions(text, &mut kept, &mut changes, &mut pragmas);
    pragmas.sort_by_key(|(range, _)| range.start);
    for (range, said) in pragmas {
        prepared.pragma(&said, range);
    }
    let gnu = super::gnu::changes(text, &kept).into_iter().chain(super::inner::changes(text, &kept));
    changes.extend(gnu.map(|(range, new)| (range, Change::Write(new))));
    names(text, &kept, &mut changes, &mut prepared.dollars);
    for added in super::declarations::added(text, &kept) {
        changes.push((added.at..added.at, Change::Write(added.word.into())));
        prepared.warnings.extend(added.warning);
    }
    changes.sort_by_key(|(range, _)| (range.start, range.end));
    apply(text, changes, &mut prepared);
    prepared.renumber();
    prepared
}

enum Change {
    /// Blanks instead, ends of lines stay.
    Blank,
    /// This instead.
    Write(String),
}

fn apply(text: &str, changes: Vec<(Range<usize>, Change)>, prepared: &mut Prepared) {
    let out = &mut prepared.text;
    out.reserve(text.len());
    let mut at = 0;
    for (range, change) in changes {
        if range.start < at {
            continue;
        }
        out.push_str(&text[at..range.start]);
        match change {
            Change::Blank => {
                out.extend(text[range.clone()].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
            }
            Change::Write(new) => {
                prepared.edits.push((out.len(), range.start));
                out.push_str(&new);
                prepared.edits.push((out.len(), range.end));
            }
        }
        at = range.end;
    }
    out.push_str(&text[at..]);
}

/// Endings of names of macros that compilers have from the beginning.
const PREDEFINED_ENDINGS: [&str; 4] = ["_TYPE__", "_MAX__", "_MIN__", "_WIDTH__"];

/// Other such names; and those that begin with the last ones.
const PREDEFINED: [&str; 12] = [
    "__LINE__",
    "__FILE__",
    "__BASE_FILE__",
    "__COUNTER__",
    "__DATE__",
    "__TIME__",
    "__TIMESTAMP__",
    "__CHAR_BIT__",
    "__BYTE_ORDER__",
    "__INCLUDE_LEVEL__",
    "__VERSION__",
    "__OPTIMIZE__",
];
const PREDEFINED_BEGINNINGS: [&str; 4] = ["__SIZEOF_", "__ORDER_", "__STDC_", "__GNUC_"];

/// Whether a name is one of the macros that a compiler has from the beginning, as far as programs use them: it stands for a type or a
/// number that only a preprocessor knows.
fn is_predefined(name: &str) -> bool {
    let is_macro = name.starts_with("__")
        && name.ends_with("__")
        && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    is_macro
        && (PREDEFINED.contains(&name)
            || PREDEFINED_ENDINGS.iter().any(|ending| name.ends_with(ending))
            || PREDEFINED_BEGINNINGS.iter().any(|beginning| name.starts_with(beginning)))
}

impl Prepared {
    /// Lines follow that a marker counts. Without a name, the file is that of the marker before (§6.10.4).
    fn mark(&mut self, mut marker: Marker) {
        if let Some(before) = self.markers.last().filter(|_| marker.file.is_empty()) {
            (marker.file, marker.system) = (before.file.clone(), before.system);
        }
        self.markers.push(marker);
    }
}

enum Directive {
    Marker(Marker),
    /// A pragma, without that word.
    Pragma(String),
    /// It says nothing that matters here.
    Idle,
    /// A preprocessor is needed.
    Work,
}

fn directive(text: &str, range: &Range<usize>) -> Directive {
    let line = text[range.clone()].trim_start_matches('#').trim_start();
    let (word, rest) = line.split_once(|c: char| c.is_ascii_whitespace()).unwrap_or((line, ""));
    let (number, rest) = match word {
        "pragma" => return Directive::Pragma(uncommented(rest)),
        "ident" | "" => return Directive::Idle,
        "line" => rest.trim_start().split_once(|c: char| c.is_ascii_whitespace()).unwrap_or((rest, "")),
        _ => (word, rest),
    };
    let Ok(line) = number.trim().parse() else { return Directive::Work };
    let quoted = rest.trim_start().strip_prefix('"').and_then(|rest| rest.split_once('"'));
    let (file, flags) = quoted.unwrap_or(("", ""));
    let from = (range.end + 1).min(text.len());
    Directive::Marker(Marker { from, line, file: file.into(), system: is_system(file, flags) })
}

/// Whether what follows a line marker is from a header of the system: preprocessors say so with a 3; where somebody else has written
/// the marker, the path does.
fn is_system(file: &str, flags: &str) -> bool {
    let places = ["/usr/include/", "/usr/lib/gcc", "/usr/lib/clang", "/usr/lib/llvm"];
    flags.split_ascii_whitespace().any(|flag| flag == "3") || places.iter().any(|place| file.contains(place))
}

/// An upper bound of the depth of every tree of the text: what is open, and how many tokens came since the last point where
/// nothing is. Such a point is the end of a statement unless `else` follows, and a comma between initialisers.
fn depth(text: &str, kept: &[Token]) -> usize {
    let mut open: Vec<(u8, usize)> = Vec::new();
    let (mut here, mut below, mut deepest) = (0usize, 0usize, 0usize);
    for (index, token) in kept.iter().enumerate() {
        here += 1;
        deepest = deepest.max(below + here);
        let TokenKind::Sign(sign) = token.kind else { continue };
        let else_follows = || kept.get(index + 1).is_some_and(|next| &text[next.range.clone()] == "else");
        match sign {
            b'(' | b'[' | b'{' => {
                open.push((sign, here));
                below += here;
                here = 0;
            }
            b')' | b']' | b'}' => {
                if let Some((opened, before)) = open.pop() {
                    below -= before;
                    here = before;
                    if opened == b'{' && !else_follows() {
                        here = 0;
                    }
                }
            }
            b';' if !else_follows() && !matches!(open.last(), Some((b'(', _))) => here = 0,
            b',' if matches!(open.last(), None | Some((b'{', _))) => here = 0,
            _ => {}
        }
    }
    deepest
}

/// A line of a directive without comments and joints.
fn uncommented(line: &str) -> String {
    let end = line.find("/*").into_iter().chain(line.find("//")).min().unwrap_or(line.len());
    line[..end].replace("\\\n", " ").replace("\\\r\n", " ").trim().to_owned()
}

/// What the literal of `_Pragma` says.
fn unquoted(literal: &str) -> String {
    let inside = literal.trim_start_matches('L').trim_matches('"');
    inside.replace("\\\"", "\"").replace("\\\\", "\\").trim().to_owned()
}

impl Prepared {
    /// Obeys a pragma.
    fn pragma(&mut self, said: &str, range: Range<usize>) {
        let refused = match pragma(said) {
            Pragma::Idle => return,
            Pragma::Unknown => {
                let word = said.split_ascii_whitespace().next().unwrap_or("");
                let message = format!("`#pragma {word}` is ignored, as compilers ignore what they do not know");
                if !self.warnings.iter().any(|warning| warning.message == message) {
                    self.warnings.push(Diagnostic::warning(message, range));
                }
                return;
            }
            Pragma::Pack(pack) if self.packing.obey(range.start, &pack) => return,
            Pragma::Pack(_) => "there is nothing to take back",
            Pragma::Refused(why) => why,
        };
        let mut words = said.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let name = words.find(|word| !matches!(*word, "" | "GCC" | "STDC")).unwrap_or("pragma");
        self.foreign.push(Foreign { name: name.into(), what: format!("`#pragma {said}`"), why: refused, range });
    }

    /// Takes out `__extension__`, attributes, `_Pragma`, and assembly outside of procedures.
    fn extensions(
        &mut self,
        text: &str,
        kept: &mut Vec<Token>,
        changes: &mut Vec<(Range<usize>, Change)>,
        pragmas: &mut Vec<(Range<usize>, String)>,
    ) {
        let reader = Reader::new(text, kept);
        let mut out: Vec<Token> = Vec::with_capacity(kept.len());
        let (mut index, mut level) = (0, 0usize);
        while index < kept.len() {
            let token = &kept[index];
            let word = &text[token.range.clone()];
            let (mut end, blank) = (index + 1, word == "__extension__");
            if let Some((list, next)) = reader.attributes(index) {
                self.attributes.extend(list);
                end = next;
            } else if let ("_Pragma", Some([_, literal, _])) = (word, kept.get(index + 1..index + 4)) {
                let said = unquoted(&text[literal.range.clone()]);
                end = index + 4;
                pragmas.push((token.range.start..kept[end - 1].range.end, said));
            } else if level == 0
                && out.last().is_none_or(|before| matches!(before.kind, TokenKind::Sign(b';' | b'}')))
                && let Some((says, next)) = reader.assembly(index)
            {
                end = next;
                let range = token.range.start..kept[end - 1].range.end;
                let (what, why) = ("assembly outside of procedures".to_owned(), "what it does is not known");
                self.foreign.extend(says.then(|| Foreign { name: "asm".into(), what, why, range }));
            } else if !blank {
                match token.kind {
                    TokenKind::Sign(b'(' | b'[' | b'{') => level += 1,
                    TokenKind::Sign(b')' | b']' | b'}') => level = level.saturating_sub(1),
                    _ => {}
                }
                out.push(token.clone());
                index = end;
                continue;
            }
            changes.push((token.range.start..kept[end - 1].range.end, Change::Blank));
            index = end;
        }
        *kept = out;
    }

    /// Gives places in the prepared text in place of those in the given one.
    fn renumber(&mut self) {
        let mut warnings = std::mem::take(&mut self.warnings);
        for warning in &mut warnings {
            warning.span = warning.span.take().map(|span| self.of_given(span.start)..self.of_given(span.end));
        }
        let mut attributes = std::mem::take(&mut self.attributes);
        for attribute in &mut attributes {
            attribute.range = self.of_given(attribute.range.start)..self.of_given(attribute.range.end);
        }
        let mut foreign = std::mem::take(&mut self.foreign);
        for one in &mut foreign {
            one.range = self.of_given(one.range.start)..self.of_given(one.range.end);
        }
        let packing = std::mem::take(&mut self.packing);
        self.packing = packing.moved(|byte| self.of_given(byte));
        (self.warnings, self.attributes, self.foreign) = (warnings, attributes, foreign);
    }
}

/// Writes names with `$` and `__int128` so that lang-c reads them.
fn names(text: &str, kept: &[Token], changes: &mut Vec<(Range<usize>, Change)>, dollars: &mut HashMap<String, String>) {
    let mut written: HashMap<&str, String> = HashMap::new();
    let mut taken: HashSet<&str> = HashSet::new();
    if text.contains('$') {
        taken =
            kept.iter().filter(|token| token.kind == TokenKind::Name).map(|token| &text[token.range.clone()]).collect();
    }
    for token in kept.iter().filter(|token| token.kind == TokenKind::Name) {
        let name = &text[token.range.clone()];
        let new = match name {
            "__int128" | "__int128_t" => INT128.0.to_owned(),
            "__auto_type" => DEDUCED.0.to_owned(),
            "__thread" => "_Thread_local".to_owned(),
            // Else a statement of it alone would be a call.
            "asm" => "__asm__".to_owned(),
            "__float128" => "_Float128".to_owned(),
            "__uint128_t" => format!("unsigned {}", INT128.0),
            _ if name.contains('$') => {
                let fresh = || {
                    let plain = name.replace('$', "_");
                    let tried = std::iter::successors(Some(plain), |last| Some(format!("{last}_")));
                    let mut free = tried.filter(|new| !taken.contains(new.as_str()) && !dollars.contains_key(new));
                    free.next().unwrap_or_default()
                };
                let new = written.get(name).cloned().unwrap_or_else(fresh);
                dollars.insert(new.clone(), name.to_owned());
                written.insert(name, new.clone());
                new
            }
            _ => continue,
        };
        changes.push((token.range.clone(), Change::Write(new)));
    }
}
