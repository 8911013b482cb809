//! Tokens of Remopla.
//!
//! Names begin with a letter or `_`. Comments begin with `#`, `%` or `//` and end with the line. A character that Remopla
//! does not know is a token of its own, never skipped.

use nom::bytes::complete::{take_while, take_while1};
use nom::{IResult, Parser};

/// A token: what it is, and its range of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub kind: Kind,
    pub start: u32,
    pub end: u32,
}

/// Kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Name,
    Number,
    /// `"…"`
    Text,
    Key(Key),
    Open,
    Close,
    OpenBracket,
    CloseBracket,
    OpenBrace,
    CloseBrace,
    Comma,
    Semicolon,
    Colon,
    Colons,
    Dot,
    Prime,
    /// `=`
    Assign,
    /// `->`
    Then,
    /// `-->`
    Arrow,
    Not,
    AndAnd,
    OrOr,
    XorXor,
    Iff,
    And,
    Or,
    Xor,
    EqEq,
    Ne,
    Less,
    LessEq,
    Greater,
    GreaterEq,
    ShiftLeft,
    ShiftRight,
    Plus,
    Minus,
    Star,
    Slash,
    /// A character that Remopla does not know.
    Unknown,
    /// `"` without the other one on its line.
    OpenText,
    Eof,
}

/// Reserved words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Define,
    DefaultIntBits,
    DefaultSignedIntBits,
    Bool,
    Int,
    Enum,
    Struct,
    Void,
    Init,
    Module,
    If,
    Fi,
    Do,
    Od,
    Else,
    Return,
    Break,
    Skip,
    Goto,
    True,
    False,
    Undef,
    Fork,
    Shared,
    All,
    Exists,
}

fn key(word: &[u8]) -> Option<Key> {
    Some(match word {
        b"define" => Key::Define,
        b"DEFAULT_INT_BITS" => Key::DefaultIntBits,
        b"DEFAULT_SIGNED_INT_BITS" => Key::DefaultSignedIntBits,
        b"bool" => Key::Bool,
        b"int" => Key::Int,
        b"enum" => Key::Enum,
        b"struct" => Key::Struct,
        b"void" => Key::Void,
        b"init" => Key::Init,
        b"module" => Key::Module,
        b"if" => Key::If,
        b"fi" => Key::Fi,
        b"do" => Key::Do,
        b"od" => Key::Od,
        b"else" => Key::Else,
        b"return" => Key::Return,
        b"break" => Key::Break,
        b"skip" => Key::Skip,
        b"goto" => Key::Goto,
        b"true" => Key::True,
        b"false" => Key::False,
        b"undef" => Key::Undef,
        b"fork" => Key::Fork,
        b"shared" => Key::Shared,
        b"A" => Key::All,
        b"E" => Key::Exists,
        _ => return None,
    })
}

/// A place in a text from which tokens are read one by one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lexer<'t> {
    text: &'t str,
    offset: usize,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let offset = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Lexer { text, offset }
    }

    /// The same text, from there on.
    pub(super) fn at(self, offset: u32) -> Self {
        Lexer { offset: offset as usize, ..self }
    }

    /// The next token.
    pub(super) fn next(&mut self) -> Token {
        let bytes = self.text.as_bytes();
        let rest = &bytes[self.offset..];
        let here = blank(rest);
        let start = self.offset + (rest.len() - here.len());
        let (after, kind) = token(here).unwrap_or((&[], Kind::Eof));
        let mut end = bytes.len() - after.len();
        if kind == Kind::Unknown {
            end = start + self.text[start..].chars().next().map_or(1, char::len_utf8);
        }
        self.offset = end;
        // `read` refuses texts of 4 GiB and more.
        Token { kind, start: start as u32, end: end as u32 }
    }
}

type Tokens<'i, T> = IResult<&'i [u8], T>;

/// What follows blanks and comments.
fn blank(mut input: &[u8]) -> &[u8] {
    loop {
        match input {
            [b' ' | b'\t' | b'\r' | b'\n' | b'\x0b' | b'\x0c', rest @ ..] => input = rest,
            [b'#' | b'%', ..] | [b'/', b'/', ..] => {
                let end = input.iter().position(|byte| *byte == b'\n');
                input = end.map_or(&[], |end| &input[end..]);
            }
            _ => return input,
        }
    }
}

fn token(input: &[u8]) -> Tokens<'_, Kind> {
    match input.first() {
        None => Ok((input, Kind::Eof)),
        Some(b'a'..=b'z' | b'A'..=b'Z' | b'_') => take_while1(|byte: u8| byte.is_ascii_alphanumeric() || byte == b'_')
            .map(|word| key(word).map_or(Kind::Name, Kind::Key))
            .parse(input),
        Some(b'0'..=b'9') => take_while1(|byte: u8| byte.is_ascii_digit()).map(|_| Kind::Number).parse(input),
        Some(b'"') => {
            let (rest, _) = take_while(|byte| !matches!(byte, b'"' | b'\n'))(&input[1..])?;
            Ok(match rest {
                [b'"', rest @ ..] => (rest, Kind::Text),
                _ => (rest, Kind::OpenText),
            })
        }
        Some(_) => punctuation(input),
    }
}

fn punctuation(input: &[u8]) -> Tokens<'_, Kind> {
    let (kind, length) = match input {
        [b'-', b'-', b'>', ..] => (Kind::Arrow, 3),
        [b'<', b'=', b'>', ..] => (Kind::Iff, 3),
        [b'-', b'>', ..] => (Kind::Then, 2),
        [b':', b':', ..] => (Kind::Colons, 2),
        [b'&', b'&', ..] => (Kind::AndAnd, 2),
        [b'|', b'|', ..] => (Kind::OrOr, 2),
        [b'^', b'^', ..] => (Kind::XorXor, 2),
        [b'=', b'=', ..] => (Kind::EqEq, 2),
        [b'!', b'=', ..] => (Kind::Ne, 2),
        [b'<', b'=', ..] => (Kind::LessEq, 2),
        [b'>', b'=', ..] => (Kind::GreaterEq, 2),
        [b'<', b'<', ..] => (Kind::ShiftLeft, 2),
        [b'>', b'>', ..] => (Kind::ShiftRight, 2),
        [first, ..] => (
            match first {
                b'(' => Kind::Open,
                b')' => Kind::Close,
                b'[' => Kind::OpenBracket,
                b']' => Kind::CloseBracket,
                b'{' => Kind::OpenBrace,
                b'}' => Kind::CloseBrace,
                b',' => Kind::Comma,
                b';' => Kind::Semicolon,
                b':' => Kind::Colon,
                b'.' => Kind::Dot,
                b'\'' => Kind::Prime,
                b'=' => Kind::Assign,
                b'!' => Kind::Not,
                b'&' => Kind::And,
                b'|' => Kind::Or,
                b'^' => Kind::Xor,
                b'<' => Kind::Less,
                b'>' => Kind::Greater,
                b'+' => Kind::Plus,
                b'-' => Kind::Minus,
                b'*' => Kind::Star,
                b'/' => Kind::Slash,
                _ => Kind::Unknown,
            },
            1,
        ),
        [] => (Kind::Eof, 0),
    };
    Ok((&input[length..], kind))
}
