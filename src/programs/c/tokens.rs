//! The tokens of a C text, as far as one must know them before it is parsed: where names, literals, signs, directives are.
//!
//! Total: every text has tokens, wrong ones too.

use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A name or word.
    Name,
    /// A number.
    Number,
    /// A string or character literal.
    Literal,
    /// A sign; of signs of several characters each is a token.
    Sign(u8),
    /// A line that begins with `#`, without its end.
    Directive,
    /// A comment: no token of the language.
    Comment,
    /// A backslash at the end of a line, which joins it with the next.
    Splice,
}

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where, in bytes.
    pub range: Range<usize>,
}

/// All tokens of a text in order. Linear.
pub fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut list = Vec::with_capacity(bytes.len() / 4);
    let mut at = 0;
    let mut fresh_line = true;
    while at < bytes.len() {
        let byte = bytes[at];
        if byte.is_ascii_whitespace() {
            fresh_line |= byte == b'\n';
            at += 1;
            continue;
        }
        let start = at;
        let kind = match byte {
            b'#' if fresh_line => {
                at = end_of_directive(bytes, at);
                TokenKind::Directive
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at = end_of_directive(bytes, at);
                TokenKind::Comment
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                at = text[at + 2..].find("*/").map_or(bytes.len(), |end| at + 2 + end + 2);
                TokenKind::Comment
            }
            b'\\' if matches!(bytes.get(at + 1), Some(b'\n' | b'\r')) => {
                at += 1;
                TokenKind::Splice
            }
            b'"' | b'\'' => {
                at = end_of_literal(bytes, at);
                TokenKind::Literal
            }
            b'0'..=b'9' => {
                at = end_of_number(bytes, at);
                TokenKind::Number
            }
            b'.' if bytes.get(at + 1).is_some_and(u8::is_ascii_digit) => {
                at = end_of_number(bytes, at);
                TokenKind::Number
            }
            _ if in_name(byte) => {
                while at < bytes.len() && in_name(bytes[at]) {
                    at += 1;
                }
                TokenKind::Name
            }
            _ => {
                at += 1;
                TokenKind::Sign(byte)
            }
        };
        fresh_line &= kind == TokenKind::Comment;
        list.push(Token { kind, range: start..at });
    }
    list
}

/// Bytes beyond ASCII count as letters, so that no token ends inside a character.
fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || !byte.is_ascii()
}

/// The end of a line, where a backslash does not join it with the next; a block comment may hide further ends of lines.
fn end_of_directive(bytes: &[u8], mut at: usize) -> usize {
    let line_comment = bytes[at] == b'/';
    while at < bytes.len() && bytes[at] != b'\n' {
        if !line_comment && bytes[at..].starts_with(b"/*") {
            let rest = &bytes[at + 2..];
            at += 2 + rest.windows(2).position(|two| two == b"*/").map_or(rest.len(), |end| end + 2);
            continue;
        }
        let joined = bytes[at] == b'\\' && matches!(bytes.get(at + 1), Some(b'\n'));
        let joined_cr = bytes[at] == b'\\' && bytes[at + 1..].starts_with(b"\r\n");
        at += 1 + usize::from(joined) + 2 * usize::from(joined_cr);
    }
    at.min(bytes.len())
}

/// The end of a literal: its closing quote, or the end of the line.
fn end_of_literal(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != bytes[start] && bytes[at] != b'\n' {
        at += if bytes[at] == b'\\' && at + 1 < bytes.len() { 2 } else { 1 };
    }
    // An escape may have led beyond the end of the text, or into a character.
    let mut at = (at + 1).min(bytes.len());
    while at < bytes.len() && !bytes[at].is_ascii() && bytes[at] & 0xC0 == 0x80 {
        at += 1;
    }
    at
}

fn end_of_number(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() {
        let signed_exponent =
            matches!(bytes[at], b'+' | b'-') && matches!(bytes[at - 1], b'e' | b'E' | b'p' | b'P') && {
                let hexadecimal = bytes[..at].iter().rev().take_while(|byte| byte.is_ascii_alphanumeric()).last();
                !(hexadecimal == Some(&b'0') && matches!(bytes[at - 1], b'e' | b'E') && is_hexadecimal(bytes, at))
            };
        if !(in_name(bytes[at]) || bytes[at] == b'.' || signed_exponent) {
            break;
        }
        at += 1;
    }
    at
}

/// Whether the number that ends before a byte begins with `0x`.
fn is_hexadecimal(bytes: &[u8], end: usize) -> bool {
    let start = bytes[..end].iter().rposition(|byte| !byte.is_ascii_alphanumeric()).map_or(0, |at| at + 1);
    matches!(bytes.get(start..start + 2), Some(b"0x" | b"0X"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<&str> {
        tokens(text).into_iter().map(|token| &text[token.range]).collect()
    }

    #[test]
    fn a_text_is_cut_into_names_numbers_literals_signs() {
        assert_eq!(cut("x+=0x1e+1.5e-3f;"), ["x", "+", "=", "0x1e", "+", "1.5e-3f", ";"]);
        assert_eq!(cut("a /* b\n c */ d // e\nf"), ["a", "/* b\n c */", "d", "// e", "f"]);
        assert_eq!(cut(r#"'\'' "a\"b" é$1"#), [r"'\''", r#""a\"b""#, "é$1"]);
        assert_eq!(cut("# 1 \"f\"\n #define a \\\n b\nc"), ["# 1 \"f\"", "#define a \\\n b", "c"]);
    }

    #[test]
    fn texts_that_end_early_have_tokens() {
        for text in ["\"", "'\\", "/*", "//", "#", "\\", "\"\\é", "1e", "1e+", "/* é"] {
            assert_eq!(cut(text).concat(), text);
        }
    }
}
