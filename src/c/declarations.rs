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
    let word = |index: usize| kept.get(index).map_or("", |token: &Token| &text[token.range.clone()]);
    let is_name = |index: usize| {
        let name = kept.get(index).is_some_and(|token| token.kind == TokenKind::Name);
        name && !SPECIFIERS.contains(&word(index)) && !WORDS.contains(&word(index))
    };
    // What is in brackets is a declarator of its own if a list of parameters follows it.
    let declarator_follows = |open: usize| closing(text, kept, open).is_some_and(|close| word(close + 1) == "(");
    let mut found = Vec::new();
    let mut types: HashSet<&str> = HashSet::new();
    // For each open brace whether a body of statements or a record is in it, and not initialisers.
    let mut braces: Vec<bool> = Vec::new();
    let mut records: Vec<bool> = Vec::new();
    let (mut parentheses, mut begins) = (0usize, true);
    for index in 0..kept.len() {
        if begins && word(index) == "typedef" {
            types.extend(defined(text, kept, index));
        }
        if (word(index), word(index + 1), word(index + 3)) == ("for", "(", "*") && types.contains(word(index + 2)) {
            found.push(Added { at: kept[index + 2].range.start, word: "auto ", warning: None });
        }
        if begins && parentheses == 0 && braces.last() != Some(&false) {
            let mut at = index;
            while SPECIFIERS.contains(&word(at)) {
                at += 1;
            }
            let outside = braces.is_empty();
            let next = word(at + 1);
            let called = next == "(" && word(at + 2) != "*" && !declarator_follows(at + 1);
            let declares = match (at > index, outside) {
                (true, _) => matches!(next, ";" | "=" | "," | "[") || called,
                (false, true) => matches!(next, ";" | "=" | "," | "["),
                (false, false) => false,
            };
            let defines = outside && at == index && called;
            if is_name(at) && (declares || defines) && !(next == "(" && types.contains(word(at))) {
                let name = kept[at].range.clone();
                let warning = Diagnostic::warning(format!("`{}` is declared without a type", word(at)), name.clone());
                let warning = Some(warning.with_help("`int` is taken, as in C89"));
                found.push(Added { at: name.start, word: "int ", warning });
            }
        }
        begins = false;
        match kept[index].kind {
            TokenKind::Sign(b'(') => parentheses += 1,
            TokenKind::Sign(b')') => parentheses = parentheses.saturating_sub(1),
            TokenKind::Sign(b'{') => {
                let before = index.checked_sub(1).map_or(";", word);
                let body = !matches!(before, "=" | "," | "{") || braces.last() == Some(&true) && before == "{";
                braces.push(body);
                let is_record =
                    |at: Option<usize>| at.is_some_and(|at| matches!(word(at), "struct" | "union" | "enum"));
                records.push(is_record(index.checked_sub(1)) || is_record(index.checked_sub(2)));
                begins = true;
            }
            TokenKind::Sign(b'}') => {
                braces.pop();
                // What follows the body of a procedure is a declaration; what follows that of a record is a name.
                let is_record = records.pop() == Some(true);
                begins = !is_record
                    && (braces.is_empty()
                        && word(index + 1) != ";"
                        && !matches!(word(index + 2), ";" | "," | "[" | "=")
                        || braces.last() == Some(&true));
            }
            TokenKind::Sign(b';') => begins = true,
            _ => {}
        }
    }
    found
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
