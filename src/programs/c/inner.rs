//! Procedures inside procedures (GNU C), which lang-c does not read, as changes of the text after which it does: `int f(int x) { … }` in a
//! body becomes the declaration of `f` and a block with a label, `int f(int x); LABEL: { … }`.

use std::ops::Range;

use super::tokens::{Token, TokenKind};

/// The label of a block that is the body of the procedure declared before it.
pub const BODY: &str = "__inner_procedure_body";

/// An open brace.
struct Level {
    /// Whether statements are in it.
    body: bool,
    /// The token with which the statement begins that is being read in it.
    start: usize,
    /// How many parentheses are open in it.
    parentheses: usize,
}

/// What is written where. Linear, but for looking back over brackets.
pub fn changes(text: &str, kept: &[Token]) -> Vec<(Range<usize>, String)> {
    let word = |index: usize| kept.get(index).map_or("", |token: &Token| &text[token.range.clone()]);
    let mut levels = vec![Level { body: false, start: 0, parentheses: 0 }];
    let mut all = Vec::new();
    for (index, token) in kept.iter().enumerate() {
        let TokenKind::Sign(sign) = token.kind else { continue };
        let Some(level) = levels.last_mut() else { break };
        match sign {
            b'(' => level.parentheses += 1,
            b')' => level.parentheses = level.parentheses.saturating_sub(1),
            b';' if level.parentheses == 0 => level.start = index + 1,
            b'{' => {
                if level.body && level.parentheses == 0 && begins_body(text, kept, level.start..index) {
                    all.push((token.range.start..token.range.start, format!("; {BODY}: ")));
                }
                let body = match index.checked_sub(1).map_or("", word) {
                    ")" | ";" | "}" | "else" | "do" | ":" | "(" => true,
                    "{" => level.body,
                    _ => false,
                };
                levels.push(Level { body, start: index + 1, parentheses: 0 });
            }
            b'}' if levels.len() > 1 => {
                levels.pop();
                // What follows the braces of a record or a list goes on with the same statement.
                let ends = levels.last().is_some_and(|level| level.parentheses == 0) && !goes_on(word(index + 1));
                if let (Some(level), true) = (levels.last_mut(), ends) {
                    level.start = index + 1;
                }
            }
            _ => {}
        }
    }
    all
}

/// Whether a word after a closing brace belongs to what was before it.
fn goes_on(next: &str) -> bool {
    matches!(next, ";" | "," | ")" | "." | "[" | "=")
}

/// Words with which no declaration of a procedure begins.
const STATEMENTS: [&str; 12] =
    ["if", "while", "for", "switch", "return", "sizeof", "else", "do", "case", "default", "goto", "asm"];

/// Whether tokens before a brace declare a procedure: specifiers, its name, and its parameters.
fn begins_body(text: &str, kept: &[Token], tokens: Range<usize>) -> bool {
    let word = |index: usize| &text[kept[index].range.clone()];
    let Some(close) = tokens.clone().last().filter(|close| word(*close) == ")") else { return false };
    let mut level = 0usize;
    let open = tokens.clone().rev().find(|&at| {
        level += usize::from(word(at) == ")");
        level = level.saturating_sub(usize::from(word(at) == "("));
        level == 0
    });
    let Some(name) = open.and_then(|open| open.checked_sub(1)).filter(|name| *name > tokens.start) else {
        return false;
    };
    let named = |at: usize| kept[at].kind == TokenKind::Name && !STATEMENTS.contains(&word(at));
    let declares =
        named(tokens.start) && named(name) && (kept[name - 1].kind == TokenKind::Name || word(name - 1) == "*");
    declares && close > name && (tokens.start..name).all(|at| !matches!(word(at), "=" | "(" | ":" | "?" | "," | "."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c::tokens::tokens;

    #[test]
    fn bodies_inside_bodies_are_found() {
        for text in [
            "void f(void) { int g(int x) { return x; } }",
            "void f(void) { int y; struct s *g(void) { return 0; } }",
            "void f(void) { if (1) { } void g(void) { } }",
            "void f(void) { int x = ({ int h(void) { return 1; } h(); }); }",
            "void f(void) { struct s { int x; } y; int g(void) { return 2; } }",
        ] {
            assert_eq!(changes(text, &tokens(text)).len(), 1, "{text}");
        }
        let twice = "void f(void) { int g(int x) { int h(void) { return x; } return h(); } }";
        assert_eq!(changes(twice, &tokens(twice)).len(), 2);
    }

    #[test]
    fn other_braces_are_no_bodies() {
        for text in [
            "int f(int x) { return x; } int g(void) { return 1; }",
            "void f(void) { if (x) { } else if (y) { } for (;;) { } while (x) { } do { } while (x); }",
            "void f(void) { x = (struct s){ 1 }; struct s y = (struct s) { 1 }; g(sizeof (int[]){ 1 }); }",
            "void f(void) { struct s { int (*g)(int); } x; enum e { A } y; int a[] = { 1, 2 }; }",
            "int f(a) int a; { return a; }",
            "void f(void) { l: { } case 1: { } default: { } }",
        ] {
            assert!(changes(text, &tokens(text)).is_empty(), "{text}");
        }
    }
}
