//! Tokens of the Hanoi format.

use std::ops::Range;

use super::{Refused, refuse};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Range<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A name with a colon right behind it.
    Header(String),
    Identifier(String),
    /// `@name`
    Alias(String),
    /// With escapes undone.
    Text(String),
    Number(u32),
    /// `--BODY--`, `--END--`, `--ABORT--`
    Marker(String),
    Symbol(char),
}

/// The tokens, up to the end or to the first thing that is none.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, Refused> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(next) = text[at..].chars().next() {
        match next {
            c if c.is_ascii_whitespace() || c == '\u{feff}' => at += c.len_utf8(),
            '/' if text[at..].starts_with("/*") => at = comment(text, at)?,
            _ => {
                let (kind, end) = token(text, at, next)?;
                tokens.push(Token { kind, span: at..end });
                at = end;
            }
        }
    }
    Ok(tokens)
}

/// The token that begins there with that character, and where it ends.
fn token(text: &str, start: usize, next: char) -> Result<(TokenKind, usize), Refused> {
    let bytes = text.as_bytes();
    let run = |from: usize| bytes[from..].iter().position(|byte| !is_name(*byte)).map_or(bytes.len(), |n| from + n);
    match next {
        '"' => {
            let (string, end) = string(text, start)?;
            Ok((TokenKind::Text(string), end))
        }
        '0'..='9' => {
            let end = start + bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            let digits = &text[start..end];
            match digits.parse::<u32>() {
                Ok(number) if number <= i32::MAX as u32 => Ok((TokenKind::Number(number), end)),
                _ => refuse(format!("the number {digits} is too large"), start..end),
            }
        }
        '@' => {
            let end = run(start + 1);
            if end == start + 1 {
                return refuse("`@` needs the name of an alias behind it", start..end);
            }
            Ok((TokenKind::Alias(text[start + 1..end].to_owned()), end))
        }
        '-' if text[start..].starts_with("--") => {
            let Some(length) = text[start + 2..].find("--") else {
                return refuse("`--` begins no marker", start..start + 2);
            };
            let end = start + length + 4;
            Ok((TokenKind::Marker(text[start + 2..end - 2].to_owned()), end))
        }
        c if c.is_ascii_alphabetic() || c == '_' => {
            let end = run(start);
            let name = text[start..end].to_owned();
            match bytes.get(end) {
                Some(b':') => Ok((TokenKind::Header(name), end + 1)),
                _ => Ok((TokenKind::Identifier(name), end)),
            }
        }
        '!' | '&' | '|' | '(' | ')' | '[' | ']' | '{' | '}' => Ok((TokenKind::Symbol(next), start + 1)),
        other => refuse(format!("`{other}` has no meaning in the Hanoi format"), start..start + other.len_utf8()),
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// Where a comment ends; they may be nested.
fn comment(text: &str, start: usize) -> Result<usize, Refused> {
    let mut depth = 0u64;
    let mut at = start;
    loop {
        let rest = &text[at..];
        let (open, close) = (rest.find("/*"), rest.find("*/"));
        match (open, close) {
            (Some(open), Some(close)) if open < close => {
                depth += 1;
                at += open + 2;
            }
            (Some(open), None) if depth == 0 => {
                depth += 1;
                at += open + 2;
            }
            (_, Some(close)) => {
                depth -= 1;
                at += close + 2;
                if depth == 0 {
                    return Ok(at);
                }
            }
            _ => return refuse("this comment is never closed", start..start + 2),
        }
    }
}

/// A string with its escapes undone, and where it ends.
fn string(text: &str, start: usize) -> Result<(String, usize), Refused> {
    let mut string = String::new();
    let mut escaped = false;
    for (offset, c) in text[start + 1..].char_indices() {
        match c {
            _ if escaped => {
                string.push(c);
                escaped = false;
            }
            '\\' => escaped = true,
            '"' => return Ok((string, start + 1 + offset + 1)),
            _ => string.push(c),
        }
    }
    refuse("this string is never closed", start..start + 1)
}
