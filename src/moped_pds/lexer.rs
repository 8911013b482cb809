//! Tokens of `.pds` texts, read on demand: the same characters are a name of a stack symbol in one place and a term in
//! another, so the parser says which it expects.
//!
//! `#` and `%` begin comments, and so do `{` and `}`, each to the end of its line. Names of control locations and stack
//! symbols are taken more liberally than in Moped (whatever is no punctuation of the notation), because people patch it for
//! names such as `a@b` or `12:5`.

use std::ops::Range;

/// A range of bytes of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Span {
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// From the beginning of this to the end of the other.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start, end: other.end.max(self.end) }
    }
}

/// A token inside expressions and declarations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub kind: Kind,
    pub span: Span,
}

/// Kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Name,
    Number,
    Open,
    Close,
    OpenBracket,
    CloseBracket,
    Comma,
    Semicolon,
    Quote,
    Dot,
    Colons,
    Not,
    And,
    Or,
    Xor,
    /// `==`, `<=>`
    Iff,
    /// `=`
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Plus,
    Minus,
    Star,
    Slash,
    Shl,
    /// `-->`
    Arrow,
    /// `"…"` on one line, the quotes included.
    Text,
    /// A character without meaning here, or a `"` without its end.
    Unknown,
    Eof,
}

/// A place in a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lexer<'t> {
    pub text: &'t str,
    pub offset: u32,
}

impl<'t> Lexer<'t> {
    pub fn new(text: &'t str) -> Self {
        let offset = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() as u32 } else { 0 };
        Lexer { text, offset }
    }

    pub fn text_of(&self, span: Span) -> &'t str {
        &self.text[span.range()]
    }

    fn rest(&self) -> &'t [u8] {
        &self.text.as_bytes()[self.offset as usize..]
    }

    /// Goes over blanks and comments. Returns where the first comment begins that a brace opens.
    pub fn blank(&mut self) -> Option<u32> {
        let mut brace = None;
        loop {
            match self.rest() {
                [b' ' | b'\t' | b'\r' | b'\n' | b'\x0b' | b'\x0c', ..] => self.offset += 1,
                [first @ (b'#' | b'%' | b'{' | b'}'), rest @ ..] => {
                    if matches!(first, b'{' | b'}') {
                        brace.get_or_insert(self.offset);
                    }
                    let length = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
                    self.offset += 1 + length as u32;
                }
                _ => return brace,
            }
        }
    }

    /// The next token, left where it is; blanks and comments before it are gone.
    pub fn peek(&mut self) -> Token {
        self.blank();
        let (kind, length) = token(self.rest());
        let length = match kind {
            Kind::Unknown if length == 1 => {
                self.text[self.offset as usize..].chars().next().map_or(1, char::len_utf8) as u32
            }
            _ => length,
        };
        Token { kind, span: Span { start: self.offset, end: self.offset + length } }
    }

    /// Goes to the end of that token.
    pub fn skip(&mut self, token: Token) {
        self.offset = token.span.end;
    }

    /// Takes the next token if it is of that kind.
    pub fn take(&mut self, kind: Kind) -> Option<Span> {
        let token = self.peek();
        (token.kind == kind).then(|| {
            self.skip(token);
            token.span
        })
    }

    /// Takes the name of a control location or a stack symbol; `None` if there is none.
    pub fn word(&mut self) -> Option<Span> {
        let span = self.peek_word();
        self.offset = span.end;
        (span.start < span.end).then_some(span)
    }

    /// The same without taking it; empty if there is none.
    pub fn peek_word(&mut self) -> Span {
        self.blank();
        let rest = self.rest();
        let end = (0..rest.len()).find(|&at| !in_word(rest[at]) || rest[at..].starts_with(b"-->"));
        Span { start: self.offset, end: self.offset + end.unwrap_or(rest.len()) as u32 }
    }
}

fn in_word(byte: u8) -> bool {
    !byte.is_ascii_control() && !b" <>(),;\"'#%{}".contains(&byte)
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'@')
}

/// The token here, and its length.
fn token(rest: &[u8]) -> (Kind, u32) {
    let run = |of: fn(u8) -> bool| rest.iter().position(|byte| !of(*byte)).unwrap_or(rest.len()) as u32;
    match rest {
        [] => (Kind::Eof, 0),
        [b'0'..=b'9', ..] => (Kind::Number, run(|byte| byte.is_ascii_digit())),
        [first, ..] if is_name(*first) => (Kind::Name, run(is_name)),
        [b'"', inside @ ..] => match inside.iter().position(|byte| matches!(byte, b'"' | b'\n')) {
            Some(length) if inside[length] == b'"' => (Kind::Text, length as u32 + 2),
            length => (Kind::Unknown, length.unwrap_or(inside.len()) as u32 + 1),
        },
        [b'-', b'-', b'>', ..] => (Kind::Arrow, 3),
        [b'<', b'=', b'>', ..] => (Kind::Iff, 3),
        [b'=', b'=', ..] => (Kind::Iff, 2),
        [b'!', b'=', ..] => (Kind::Ne, 2),
        [b'<', b'=', ..] => (Kind::Le, 2),
        [b'>', b'=', ..] => (Kind::Ge, 2),
        [b'<', b'<', ..] => (Kind::Shl, 2),
        [b'&', b'&', ..] => (Kind::And, 2),
        [b'|', b'|', ..] => (Kind::Or, 2),
        [b':', b':', ..] => (Kind::Colons, 2),
        [first, ..] => {
            let kind = match first {
                b'(' => Kind::Open,
                b')' => Kind::Close,
                b'[' => Kind::OpenBracket,
                b']' => Kind::CloseBracket,
                b',' => Kind::Comma,
                b';' => Kind::Semicolon,
                b'\'' => Kind::Quote,
                b'.' => Kind::Dot,
                b'!' => Kind::Not,
                b'&' => Kind::And,
                b'|' => Kind::Or,
                b'^' => Kind::Xor,
                b'=' => Kind::Eq,
                b'<' => Kind::Lt,
                b'>' => Kind::Gt,
                b'+' => Kind::Plus,
                b'-' => Kind::Minus,
                b'*' => Kind::Star,
                b'/' => Kind::Slash,
                _ => Kind::Unknown,
            };
            (kind, 1)
        }
    }
}
