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
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(next) = text[at..].chars().next() {
        let start = at;
        let run = |from: usize| bytes[from..].iter().position(|byte| !is_name(*byte)).map_or(bytes.len(), |n| from + n);
        let kind = match next {
            c if c.is_ascii_whitespace() || c == '\u{feff}' => {
                at += c.len_utf8();
                continue;
            }
            '/' if text[at..].starts_with("/*") => {
                at = comment(text, at)?;
                continue;
            }
            '"' => {
                let (string, end) = string(text, at)?;
                at = end;
                TokenKind::Text(string)
            }
            '0'..='9' => {
                at += bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                let digits = &text[start..at];
                match digits.parse::<u32>() {
                    Ok(number) if number <= i32::MAX as u32 => TokenKind::Number(number),
                    _ => return refuse(format!("the number {digits} is too large"), start..at),
                }
            }
            '@' => {
                at = run(at + 1);
                if at == start + 1 {
                    return refuse("`@` needs the name of an alias behind it", start..at);
                }
                TokenKind::Alias(text[start + 1..at].to_owned())
            }
            '-' if text[at..].starts_with("--") => {
                let Some(length) = text[at + 2..].find("--") else {
                    return refuse("`--` begins no marker", start..start + 2);
                };
                at += length + 4;
                TokenKind::Marker(text[start + 2..at - 2].to_owned())
            }
            c if c.is_ascii_alphabetic() || c == '_' => {
                at = run(at);
                let name = text[start..at].to_owned();
                if bytes.get(at) == Some(&b':') {
                    at += 1;
                    TokenKind::Header(name)
                } else {
                    TokenKind::Identifier(name)
                }
            }
            '!' | '&' | '|' | '(' | ')' | '[' | ']' | '{' | '}' => {
                at += 1;
                TokenKind::Symbol(next)
            }
            other => {
                at += other.len_utf8();
                return refuse(format!("`{other}` has no meaning in the Hanoi format"), start..at);
            }
        };
        tokens.push(Token { kind, span: start..at });
    }
    Ok(tokens)
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
