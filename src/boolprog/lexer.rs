//! Tokens of Boolean programs: the union of the dialects' lexical rules.
//!
//! Names begin with a letter, `_` or `$` and go on with these, digits and `#`; SATABS also has `-` in names, which only
//! `--dialect satabs` reads that way. `{x == y}` is a name, blanks and braces included. Comments are `// …` and `/* … */`.
//! A character that no dialect knows is a token of its own, never skipped.

use nom::branch::alt;
use nom::bytes::complete::{tag, take_until, take_while, take_while1};
use nom::character::complete::{char, digit1, multispace0};
use nom::combinator::{recognize, value};
use nom::sequence::delimited;
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
    Key(Key),
    Open,
    Close,
    OpenBracket,
    CloseBracket,
    Less,
    Greater,
    Comma,
    Semicolon,
    Colon,
    Colons,
    Dot,
    Assign,
    Star,
    Question,
    Quote,
    Not,
    And,
    Or,
    Xor,
    Implies,
    Eq,
    EqEq,
    Ne,
    /// A character that no dialect knows.
    Unknown,
    /// `/*` without its end.
    OpenComment,
    /// `{` without `}` on its line.
    OpenBrace,
    Eof,
}

/// Words that are reserved in every dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Decl,
    Begin,
    End,
    Void,
    Bool,
    If,
    Then,
    Else,
    Elsif,
    Fi,
    While,
    Do,
    Od,
    Goto,
    Return,
    Skip,
    Assert,
    Assume,
    Enforce,
    Constrain,
    Schoose,
}

fn key(word: &[u8]) -> Option<Key> {
    Some(match word {
        b"decl" => Key::Decl,
        b"begin" => Key::Begin,
        b"end" => Key::End,
        b"void" => Key::Void,
        b"bool" => Key::Bool,
        b"if" => Key::If,
        b"then" => Key::Then,
        b"else" => Key::Else,
        b"elsif" | b"elif" => Key::Elsif,
        b"fi" => Key::Fi,
        b"while" => Key::While,
        b"do" => Key::Do,
        b"od" => Key::Od,
        b"goto" => Key::Goto,
        b"return" => Key::Return,
        b"skip" => Key::Skip,
        b"assert" => Key::Assert,
        b"assume" => Key::Assume,
        b"enforce" => Key::Enforce,
        b"constrain" => Key::Constrain,
        b"schoose" => Key::Schoose,
        _ => return None,
    })
}

/// Whether names may contain `-`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hyphens {
    InNames,
    Nowhere,
}

/// A place in a text from which tokens are read one by one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lexer<'t> {
    text: &'t str,
    offset: usize,
    hyphens: Hyphens,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str, hyphens: Hyphens) -> Self {
        let offset = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Lexer { text, offset, hyphens }
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
        let (after, kind) = token(here, self.hyphens).unwrap_or((&[], Kind::Eof));
        let mut end = bytes.len() - after.len();
        if kind == Kind::Unknown {
            end = start + self.text[start..].chars().next().map_or(1, char::len_utf8);
        }
        if kind == Kind::OpenComment {
            end = bytes.len();
        }
        self.offset = end;
        // `read` refuses texts of 4 GiB and more.
        Token { kind, start: start as u32, end: end as u32 }
    }
}

type Tokens<'i, T> = IResult<&'i [u8], T>;

/// What follows blanks and comments. A comment that does not end is left as it is.
fn blank(mut input: &[u8]) -> &[u8] {
    loop {
        let skipped: Tokens<'_, &[u8]> = match input {
            [b' ' | b'\t' | b'\r' | b'\n', ..] => multispace0(input),
            [b'\x0b' | b'\x0c', rest @ ..] => Ok((rest, input)),
            [b'/', b'/', ..] => line(input),
            [b'/', b'*', ..] => recognize((tag("/*"), take_until("*/"), tag("*/"))).parse(input),
            _ => return input,
        };
        match skipped {
            Ok((rest, _)) => input = rest,
            Err(_) => return input,
        }
    }
}

/// Up to the end of the line.
fn line(input: &[u8]) -> Tokens<'_, &[u8]> {
    take_while(|byte| byte != b'\n')(input)
}

fn token(input: &[u8], hyphens: Hyphens) -> Tokens<'_, Kind> {
    match input.first() {
        None => Ok((input, Kind::Eof)),
        Some(b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$') => {
            let (mut rest, mut word) = take_while1(is_name)(input)?;
            if hyphens == Hyphens::InNames {
                while rest.first() == Some(&b'-') && rest.get(1) != Some(&b'>') {
                    (rest, _) = take_while(is_name)(&rest[1..])?;
                    word = &input[..input.len() - rest.len()];
                }
            }
            Ok((rest, key(word).map_or(Kind::Name, Kind::Key)))
        }
        Some(b'0'..=b'9') => value(Kind::Number, digit1).parse(input),
        Some(b'{') => {
            let inside = take_while1(|byte| !matches!(byte, b'}' | b'\n' | b'\r'));
            alt((value(Kind::Name, delimited(char('{'), inside, char('}'))), value(Kind::OpenBrace, tag("{"))))
                .parse(input)
        }
        Some(_) => punctuation(input),
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'#')
}

fn punctuation(input: &[u8]) -> Tokens<'_, Kind> {
    let (kind, length) = match input {
        [b':', b'=', ..] => (Kind::Assign, 2),
        [b':', b':', ..] => (Kind::Colons, 2),
        [b'=', b'>', ..] | [b'-', b'>', ..] => (Kind::Implies, 2),
        [b'=', b'=', ..] => (Kind::EqEq, 2),
        [b'!', b'=', ..] | [b'<', b'>', ..] => (Kind::Ne, 2),
        [b'&', b'&', ..] => (Kind::And, 2),
        [b'|', b'|', ..] => (Kind::Or, 2),
        [b'/', b'*', ..] => (Kind::OpenComment, 2),
        [first, ..] => (
            match first {
                b'(' => Kind::Open,
                b')' => Kind::Close,
                b'[' => Kind::OpenBracket,
                b']' => Kind::CloseBracket,
                b'<' => Kind::Less,
                b'>' => Kind::Greater,
                b',' => Kind::Comma,
                b';' => Kind::Semicolon,
                b':' => Kind::Colon,
                b'.' => Kind::Dot,
                b'*' => Kind::Star,
                b'?' => Kind::Question,
                b'\'' => Kind::Quote,
                b'!' | b'~' => Kind::Not,
                b'&' => Kind::And,
                b'|' => Kind::Or,
                b'^' => Kind::Xor,
                b'=' => Kind::Eq,
                _ => Kind::Unknown,
            },
            1,
        ),
        [] => (Kind::Eof, 0),
    };
    Ok((&input[length..], kind))
}
