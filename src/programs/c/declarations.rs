//! Declarations that lang-c does not read without a word more: those without a type (C89), `main() { … }`, `static x;`, and those at the
//! beginning of a loop that might be expressions if one did not know which names are types, `for (T *x; …)`.

use std::collections::HashSet;

use spds_format::Diagnostic;

use super::tokens::{Token, TokenKind};

/// Words with which a declaration can begin and that are no type.
const SPECIFIERS: [&str; 10] =
    ["static", "extern", "register", "auto", "const", "volatile", "inline", "__inline", "__inline__", "__const"];

/// Words that are no names.
const WORDS: [&str; 46] = [
    "break",
    "case",
    "char",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "float",
    "for",
    "goto",
    "if",
    "int",
    "long",
    "return",
    "short",
    "signed",
    "sizeof",
    "struct",
    "switch",
    "typedef",
    "union",
    "unsigned",
    "void",
    "while",
    "_Bool",
    "_Static_assert",
    "_Noreturn",
    "_Thread_local",
    "_Alignas",
    "_Atomic",
    "_Complex",
    "typeof",
    "__typeof",
    "__typeof__",
    "__signed__",
    "asm",
    "__asm",
    "__asm__",
    "__thread",
    "restrict",
    "__restrict",
    "__attribute__",
    "__int128",
    "__volatile__",
];

/// A word that is to be written.
pub struct Added {
    /// Before this byte.
    pub at: usize,
    /// What, with a blank.
    pub word: &'static str,
    /// What is said of it.
    pub warning: Option<Diagnostic>,
}

/// What is to be written where. Linear, but for looking for the end of brackets.
pub fn added(text: &str, kept: &[Token]) -> Vec<Added> {
    let mut found = Vec::new();
    let mut at = Place {
        text,
        kept,
        types: HashSet::new(),
        braces: Vec::new(),
        records: Vec::new(),
        parentheses: 0,
        begins: true,
    };
    for index in 0..kept.len() {
        if at.begins && at.word(index) == "typedef" {
            at.types.extend(defined(text, kept, index));
        }
        if (at.word(index), at.word(index + 1), at.word(index + 3)) == ("for", "(", "*")
            && at.types.contains(at.word(index + 2))
        {
            found.push(Added { at: kept[index + 2].range.start, word: "auto ", warning: None });
        }
        found.extend(at.without_type(index));
        at.pass(index);
    }
    found
}

/// Where a text is being read: in which brackets, and what the names before mean.
struct Place<'t> {
    text: &'t str,
    kept: &'t [Token],
    types: HashSet<&'t str>,
    /// For each open brace whether a body of statements or a record is in it, and not initialisers.
    braces: Vec<bool>,
    /// For each open brace whether a record is in it.
    records: Vec<bool>,
    parentheses: usize,
    /// Whether a declaration may begin here.
    begins: bool,
}

impl<'t> Place<'t> {
    fn word(&self, index: usize) -> &'t str {
        self.kept.get(index).map_or("", |token| &self.text[token.range.clone()])
    }

    fn is_name(&self, index: usize) -> bool {
        let name = self.kept.get(index).is_some_and(|token| token.kind == TokenKind::Name);
        name && !SPECIFIERS.contains(&self.word(index)) && !WORDS.contains(&self.word(index))
    }

    /// Whether what is in brackets is a declarator of its own: a list of parameters follows it.
    fn declarator_follows(&self, open: usize) -> bool {
        closing(self.text, self.kept, open).is_some_and(|close| self.word(close + 1) == "(")
    }

    /// The type of a declaration that begins at a token and has none.
    fn without_type(&self, index: usize) -> Option<Added> {
        if !self.begins || self.parentheses != 0 || self.braces.last() == Some(&false) {
            return None;
        }
        let mut at = index;
        while SPECIFIERS.contains(&self.word(at)) {
            at += 1;
        }
        let outside = self.braces.is_empty();
        let next = self.word(at + 1);
        let called = next == "(" && self.word(at + 2) != "*" && !self.declarator_follows(at + 1);
        let declares = match (at > index, outside) {
            (true, _) => matches!(next, ";" | "=" | "," | "[") || called,
            (false, true) => matches!(next, ";" | "=" | "," | "["),
            (false, false) => false,
        };
        let defines = outside && at == index && called;
        if !self.is_name(at) || !(declares || defines) || next == "(" && self.types.contains(self.word(at)) {
            return None;
        }
        let name = self.kept[at].range.clone();
        let warning = Diagnostic::warning(format!("`{}` is declared without a type", self.word(at)), name.clone());
        let warning = Some(warning.with_help("`int` is taken, as in C89"));
        Some(Added { at: name.start, word: "int ", warning })
    }

    /// Goes past a token.
    fn pass(&mut self, index: usize) {
        self.begins = false;
        match self.kept[index].kind {
            TokenKind::Sign(b'(') => self.parentheses += 1,
            TokenKind::Sign(b')') => self.parentheses = self.parentheses.saturating_sub(1),
            TokenKind::Sign(b'{') => {
                let before = index.checked_sub(1).map_or(";", |before| self.word(before));
                let body = !matches!(before, "=" | "," | "{") || self.braces.last() == Some(&true) && before == "{";
                self.braces.push(body);
                let is_record =
                    |at: Option<usize>| at.is_some_and(|at| matches!(self.word(at), "struct" | "union" | "enum"));
                let is_record = is_record(index.checked_sub(1)) || is_record(index.checked_sub(2));
                self.records.push(is_record);
                self.begins = true;
            }
            TokenKind::Sign(b'}') => {
                self.braces.pop();
                // What follows the body of a procedure is a declaration; what follows that of a record is a name.
                let is_record = self.records.pop() == Some(true);
                self.begins = !is_record
                    && (self.braces.is_empty()
                        && self.word(index + 1) != ";"
                        && !matches!(self.word(index + 2), ";" | "," | "[" | "=")
                        || self.braces.last() == Some(&true));
            }
            TokenKind::Sign(b';') => self.begins = true,
            _ => {}
        }
    }
}

/// The bracket that closes the one at a token.
fn closing(text: &str, kept: &[Token], open: usize) -> Option<usize> {
    let mut level = 0usize;
    (open..kept.len()).find(|&at| {
        match &text[kept[at].range.clone()] {
            "(" => level += 1,
            ")" => level = level.saturating_sub(1),
            _ => {}
        }
        level == 0
    })
}

/// The names that a `typedef` at a token defines: outside of brackets, or alone in them behind stars.
fn defined<'t>(text: &'t str, kept: &[Token], from: usize) -> Vec<&'t str> {
    let word = |index: usize| kept.get(index).map_or("", |token: &Token| &text[token.range.clone()]);
    let (mut names, mut open) = (Vec::new(), Vec::new());
    for (at, token) in kept.iter().enumerate().skip(from + 1) {
        match word(at) {
            ";" if open.is_empty() => break,
            "(" | "{" | "[" => open.push(at),
            ")" | "}" | "]" => drop(open.pop()),
            _ if token.kind == TokenKind::Name => {
                let alone = |open: &usize| word(*open) == "(" && (open + 1..at).all(|at| word(at) == "*");
                let ends = matches!(word(at + 1), ";" | "," | "[" | "(" | ")");
                if ends && open.iter().all(alone) {
                    names.push(word(at));
                }
            }
            _ => {}
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c::tokens::tokens;

    fn names(text: &str) -> Vec<&str> {
        let name = |one: Added| text[one.at..].split(|c: char| !c.is_ascii_alphanumeric()).next();
        added(text, &tokens(text)).into_iter().filter_map(name).collect()
    }

    #[test]
    fn declarations_without_a_type_are_found() {
        assert_eq!(
            names("main() { static x; } int z; y = 1; static f(a) { } extern g(), h;"),
            ["main", "x", "y", "f", "g"]
        );
        assert_eq!(names("typedef struct s { int (*f)(int f); } s; f(x) { }"), ["f"]);
    }

    #[test]
    fn declarations_at_the_beginning_of_loops_are_told_from_products() {
        let written = |text: &str| added(text, &tokens(text)).iter().map(|one| one.word).collect::<Vec<_>>();
        assert_eq!(written("typedef struct s T; void f(void) { for (T *x, *y; ;) { } }"), ["auto "]);
        assert_eq!(written("void f(int a, int b) { for (a * b; ;) { } }"), [""; 0]);
    }

    #[test]
    fn types_before_declarators_in_brackets_are_types() {
        for text in [
            "typedef int T; T (f)(T x) { return x; }",
            "typedef struct { int x; } T, U; U (x); static T (y);",
            "typedef int (*T)(int); const T (f)(T x);",
            "T (f)(int); extern T (g)(void);",
            "typedef int T; int main(void) { static T (x) = 3; }",
        ] {
            assert!(names(text).is_empty(), "{text}");
        }
    }
}
