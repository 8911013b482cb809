//! Attributes as they stand in a text, in any of their syntaxes: read from its tokens before it is parsed, since parsers take
//! them at few of the places where compilers do.

use std::ops::Range;

use super::tokens::{Token, TokenKind};

/// An attribute at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// Its name, without underscores around it, and without `gnu::` before it.
    pub name: Box<str>,
    /// Where it stands, with its arguments.
    pub range: Range<usize>,
    /// Its arguments, as they are written.
    pub arguments: Vec<Box<str>>,
    /// How it is written.
    pub syntax: Syntax,
}

/// How an attribute is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// `__attribute__((…))`
    Gnu,
    /// `[[…]]`, which belongs to what stands before it
    Standard,
    /// `_Alignas(…)`
    Alignas,
}

/// Reads attributes among the tokens of a text.
pub struct Reader<'t> {
    text: &'t str,
    tokens: &'t [Token],
    /// For each token that opens something the one that closes it.
    closed: Vec<Option<usize>>,
}

impl<'t> Reader<'t> {
    /// Of these tokens. Linear.
    pub fn new(text: &'t str, tokens: &'t [Token]) -> Self {
        let mut closed = vec![None; tokens.len()];
        let mut open = Vec::new();
        for (at, token) in tokens.iter().enumerate() {
            match token.kind {
                TokenKind::Sign(b'(' | b'[' | b'{') => open.push(at),
                TokenKind::Sign(b')' | b']' | b'}') => {
                    if let Some(opened) = open.pop() {
                        closed[opened] = Some(at);
                    }
                }
                _ => {}
            }
        }
        Reader { text, tokens, closed }
    }

    /// Attributes that begin at a token: they, and the first token after them. Nothing if none begin there.
    pub fn attributes(&self, at: usize) -> Option<(Vec<Attribute>, usize)> {
        match self.word(at) {
            "__attribute__" | "__attribute" if self.is(at + 1, b'(') && self.is(at + 2, b'(') => {
                let (end, inner) = (self.closed(at + 1)?, self.closed(at + 2)?);
                // Between the two pairs of parentheses nothing else stands.
                (end == inner + 1).then(|| (self.list(at + 3..inner, Syntax::Gnu), end + 1))
            }
            word if is_clause(word) && self.is(at + 1, b'(') => {
                let end = self.closed(at + 1)?;
                let range = self.range(at..end + 1)?;
                let text = self.range(at + 2..end).map_or("", |range| &self.text[range]);
                let arguments = vec![text.into()];
                Some((vec![Attribute { name: word.into(), range, arguments, syntax: Syntax::Gnu }], end + 1))
            }
            "_Alignas" if self.is(at + 1, b'(') => {
                let end = self.closed(at + 1)?;
                let range = self.range(at..end + 1)?;
                let arguments = self.arguments(at + 2..end);
                Some((vec![Attribute { name: "aligned".into(), range, arguments, syntax: Syntax::Alignas }], end + 1))
            }
            "[" if self.is(at + 1, b'[') && self.range(at..at + 2)?.len() == 2 => {
                let (end, inner) = (self.closed(at)?, self.closed(at + 1)?);
                (end == inner + 1).then(|| (self.list(at + 2..inner, Syntax::Standard), end + 1))
            }
            _ => None,
        }
    }

    /// Assembly that stands for itself at a token, outside of procedures: whether it says something, and the first token
    /// after it.
    pub fn assembly(&self, at: usize) -> Option<(bool, usize)> {
        if !matches!(self.word(at), "asm" | "__asm" | "__asm__") {
            return None;
        }
        let open = (at + 1..at + 4).find(|at| self.is(*at, b'('))?;
        let end = self.closed(open)?;
        let says = |at: usize| !self.word(at).trim_matches('"').trim().is_empty();
        self.is(end + 1, b';').then(|| ((open + 1..end).any(says), end + 2))
    }

    /// What closes what a token opens.
    fn closed(&self, open: usize) -> Option<usize> {
        self.closed.get(open).copied().flatten()
    }

    fn word(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| &self.text[token.range.clone()])
    }

    fn is(&self, at: usize, sign: u8) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == TokenKind::Sign(sign))
    }

    /// The bytes from the first of some tokens to the last.
    fn range(&self, tokens: Range<usize>) -> Option<Range<usize>> {
        let list = self.tokens.get(tokens)?;
        Some(list.first()?.range.start..list.last()?.range.end)
    }

    /// Pieces between commas that are inside no parentheses.
    fn pieces(&self, tokens: Range<usize>) -> Vec<Range<usize>> {
        let (mut pieces, mut level, mut from) = (Vec::new(), 0usize, tokens.start);
        for at in tokens.clone() {
            match self.tokens[at].kind {
                TokenKind::Sign(b'(' | b'[' | b'{') => level += 1,
                TokenKind::Sign(b')' | b']' | b'}') => level = level.saturating_sub(1),
                TokenKind::Sign(b',') if level == 0 => {
                    pieces.push(from..at);
                    from = at + 1;
                }
                _ => {}
            }
        }
        pieces.push(from..tokens.end);
        pieces.retain(|piece| !piece.is_empty());
        pieces
    }

    fn arguments(&self, tokens: Range<usize>) -> Vec<Box<str>> {
        let pieces = self.pieces(tokens).into_iter().filter_map(|piece| self.range(piece));
        pieces.map(|range| self.text[range].into()).collect()
    }

    fn list(&self, tokens: Range<usize>, syntax: Syntax) -> Vec<Attribute> {
        let attribute = |piece: Range<usize>| {
            let range = self.range(piece.clone())?;
            let open = piece.clone().find(|at| self.is(*at, b'(')).unwrap_or(piece.end);
            let arguments = self.arguments(open + 1..piece.end.saturating_sub(1).max(open + 1));
            let written: String = (piece.start..open).map(|at| self.word(at)).collect();
            let plain = written.rsplit_once("::").map(|(scope, name)| (bare(scope), name));
            let name = match plain {
                Some(("gnu", name)) => bare(name).to_owned(),
                Some((scope, name)) => format!("{scope}::{}", bare(name)),
                None => bare(&written).to_owned(),
            };
            Some(Attribute { name: name.into(), range, arguments, syntax })
        };
        self.pieces(tokens).into_iter().filter_map(attribute).collect()
    }
}

/// Whether a word is one with which CBMC's contracts begin: they stand where attributes do.
fn is_clause(word: &str) -> bool {
    matches!(
        word,
        "__CPROVER_requires"
            | "__CPROVER_ensures"
            | "__CPROVER_requires_contract"
            | "__CPROVER_ensures_contract"
            | "__CPROVER_assigns"
            | "__CPROVER_frees"
            | "__CPROVER_loop_invariant"
            | "__CPROVER_decreases"
    )
}

/// A name without two underscores on either side.
fn bare(name: &str) -> &str {
    name.strip_prefix("__").and_then(|name| name.strip_suffix("__")).filter(|name| !name.is_empty()).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c::tokens::tokens;

    fn read(text: &str) -> Vec<(String, Vec<String>)> {
        let (list, _) = Reader::new(text, &tokens(text)).attributes(0).unwrap_or_default();
        let one =
            |attribute: Attribute| (attribute.name.into(), attribute.arguments.into_iter().map(String::from).collect());
        list.into_iter().map(one).collect()
    }

    fn plain(name: &str, arguments: &[&str]) -> (String, Vec<String>) {
        (name.into(), arguments.iter().map(|argument| (*argument).into()).collect())
    }

    #[test]
    fn attributes_are_read_however_they_are_written() {
        assert_eq!(read("__attribute__( ( noreturn ) )"), [plain("noreturn", &[])]);
        assert_eq!(
            read("__attribute((__packed__,,aligned( sizeof(long), 2 ), __x))"),
            [plain("packed", &[]), plain("aligned", &["sizeof(long)", "2"]), plain("__x", &[])]
        );
        assert_eq!(read("[[gnu::packed, noreturn]]"), [plain("packed", &[]), plain("noreturn", &[])]);
        assert_eq!(
            read("[[ __gnu__ :: __aligned__ (8), clang::fun ]]"),
            [plain("aligned", &["8"]), plain("clang::fun", &[])]
        );
        assert_eq!(read("_Alignas(long long) int x;"), [plain("aligned", &["long long"])]);
        assert_eq!(read("__attribute__(())"), []);
    }

    #[test]
    fn what_is_no_attribute_is_none() {
        for text in
            ["__attribute__", "__attribute__(x)", "__attribute__((x)", "[ [x] ]", "[[x]y]", "_Alignas", "[[x", "a[[[["]
        {
            let all = tokens(text);
            let reader = Reader::new(text, &all);
            assert!((0..all.len()).all(|at| reader.attributes(at).is_none()), "{text}");
        }
    }
}
