//! The smallest parts of the text: blanks, words, quoted names, numbers, signs; and what is said when one is missing.
//!
//! Every parser here takes a text that begins with something (not with blanks) and leaves such a text behind.

use std::borrow::Cow;

use nom::{Err, IResult, error::ErrorKind, error::ParseError};

use crate::reading::tokens::{Bytes, Table, run};

/// Words that are names only in quotes.
static KEYWORDS: Table<()> = Table::new(&[
    ("at", ()),
    ("atom", ()),
    ("control", ()),
    ("end", ()),
    ("fail", ()),
    ("false", ()),
    ("file", ()),
    ("frame", ()),
    ("global", ()),
    ("hidden", ()),
    ("in", ()),
    ("invariant", ()),
    ("label", ()),
    ("labels", ()),
    ("rule", ()),
    ("schoose", ()),
    ("silent", ()),
    ("start", ()),
    ("symbol", ()),
    ("true", ()),
    ("when", ()),
    ("with", ()),
]);

/// The words that are names only in quotes.
#[doc(hidden)]
pub fn keywords() -> Vec<&'static str> {
    KEYWORDS.all().collect()
}

pub(crate) fn is_keyword(word: &str) -> bool {
    KEYWORDS.word(word.as_bytes()).is_some()
}

pub(crate) type Parsed<'a, T> = IResult<&'a str, T, Trouble>;

/// A stretch of the text. Its ends are counted from the end of the text, which is what a parser of rests knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// From where `from` begins, `bytes` long. Texts are shorter than 4 GiB ([`crate::parse()`] sees to it).
    pub(crate) fn of(from: &str, bytes: usize) -> Span {
        Span { start: from.len() as u32, end: (from.len() - bytes) as u32 }
    }

    /// From the beginning of this to the end of a later one.
    pub(crate) fn to(self, later: Span) -> Span {
        Span { start: self.start, end: later.end }
    }

    /// As bytes of a text of that length.
    pub(crate) fn range(self, total: usize) -> std::ops::Range<usize> {
        total - self.start as usize..total - self.end as usize
    }
}

/// What keeps a text from being parsed.
#[derive(Clone, Debug)]
pub(crate) struct Trouble {
    pub(crate) span: Span,
    pub(crate) message: Cow<'static, str>,
    pub(crate) help: Option<Cow<'static, str>>,
    pub(crate) related: Option<(Span, &'static str)>,
}

impl Trouble {
    pub(crate) fn new(span: Span, message: impl Into<Cow<'static, str>>) -> Trouble {
        Trouble { span, message: message.into(), help: None, related: None }
    }

    pub(crate) fn with_help(mut self, help: impl Into<Cow<'static, str>>) -> Trouble {
        self.help = Some(help.into());
        self
    }

    /// Another alternative may fit.
    pub(crate) fn mild<'a, T>(input: &str) -> Parsed<'a, T> {
        Err(Err::Error(Trouble::new(Span::of(input, 0), "")))
    }

    /// No way back.
    pub(crate) fn fatal<'a, T>(self) -> Parsed<'a, T> {
        Err(Err::Failure(self))
    }

    /// `what` should stand where `input` begins.
    pub(crate) fn expected(input: &str, what: &str) -> Trouble {
        let (found, bytes) = found(input);
        Trouble::new(Span::of(input, bytes), format!("expected {what}, found {found}"))
    }
}

impl ParseError<&str> for Trouble {
    fn from_error_kind(input: &str, _: ErrorKind) -> Self {
        Trouble::new(Span::of(input, 0), "")
    }

    fn append(_: &str, _: ErrorKind, other: Self) -> Self {
        other
    }
}

/// What the text begins with, in words, and how long that is.
fn found(input: &str) -> (String, usize) {
    let Some(first) = input.chars().next() else { return ("the end of the text".into(), 0) };
    let bytes = match first {
        '"' => quoted(input).map_or(1, |(_, name)| (name.span.start - name.span.end) as usize),
        _ if u8::try_from(first).is_ok_and(|byte| PARTS.has(byte)) => {
            input.bytes().take_while(|b| PARTS.has(*b)).count()
        }
        _ => ["<->", "->", ":=", "::", "..", "<=", ">=", "!=", "<<", ">>"]
            .iter()
            .find(|sign| input.starts_with(**sign))
            .map_or(first.len_utf8(), |sign| sign.len()),
    };
    let text = &input[..bytes];
    (if is_keyword(text) { format!("the keyword `{text}`") } else { shown(text) }, bytes)
}

/// A text in backticks, cut where it gets long.
pub(crate) fn shown(text: &str) -> String {
    format!("`{}`", short(text))
}

/// A text cut where it gets long, on one line.
pub(crate) fn short(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(60) {
        Some((cut, _)) => format!("{}…", text[..cut].escape_debug()).into(),
        None if text.chars().any(char::is_control) => text.escape_debug().to_string().into(),
        None => text.into(),
    }
}

/// `parser` must succeed; if it does not fit at all, `what` was expected.
pub(crate) fn expect<'a, T>(
    what: &'static str,
    mut parser: impl FnMut(&'a str) -> Parsed<'a, T>,
) -> impl FnMut(&'a str) -> Parsed<'a, T> {
    move |input| match parser(input) {
        Err(Err::Error(_)) => Trouble::expected(input, what).fatal(),
        other => other,
    }
}

/// Skips blanks and comments.
#[inline]
pub(crate) fn blank(input: &str) -> &str {
    match input.as_bytes().first() {
        Some(b' ' | b'\t' | b'\n' | b'\r' | b'/') => skip(input),
        _ => input,
    }
}

fn skip(mut input: &str) -> &str {
    loop {
        input = &input[run(input.as_bytes(), |byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))..];
        if !input.starts_with("//") {
            return input;
        }
        input = input.find('\n').map_or("", |end| &input[end..]);
    }
}

/// A sign.
pub(crate) fn sign<'a>(text: &'static str) -> impl Fn(&'a str) -> Parsed<'a, Span> {
    move |input| match input.strip_prefix(text) {
        Some(rest) => Ok((blank(rest), Span::of(input, text.len()))),
        None => Trouble::mild(input),
    }
}

/// A keyword, and nothing that only begins like it.
pub(crate) fn keyword<'a>(text: &'static str) -> impl Fn(&'a str) -> Parsed<'a, Span> {
    move |input| match input.strip_prefix(text) {
        Some(rest) if !rest.bytes().next().is_some_and(|b| PARTS.has(b)) => {
            Ok((blank(rest), Span::of(input, text.len())))
        }
        _ => Trouble::mild(input),
    }
}

/// A name and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Word<'a> {
    pub(crate) text: Cow<'a, str>,
    pub(crate) span: Span,
}

/// What the names of variables begin with.
static FIRST: Bytes = Bytes::letters_and(b"_$@");

/// What they go on with.
static PARTS: Bytes = Bytes::letters_and(b"_$@0123456789");

/// How many bytes of a plain variable name the text begins with.
pub(crate) fn plain_variable(text: &str) -> usize {
    if !text.bytes().next().is_some_and(|b| FIRST.has(b)) {
        return 0;
    }
    text.bytes().take_while(|b| PARTS.has(*b)).count()
}

/// The same for a name that is not a variable's: `/` and `.` may join its parts.
fn plain_name(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut end = plain_variable(text);
    while end > 0 && matches!(bytes.get(end), Some(b'/' | b'.')) && bytes.get(end + 1).is_some_and(|b| PARTS.has(*b)) {
        end += 1;
        end += bytes[end..].iter().take_while(|b| PARTS.has(**b)).count();
    }
    end
}

/// Whether a variable's name can be written without quotes.
pub(crate) fn is_plain_variable(name: &str) -> bool {
    !name.is_empty() && plain_variable(name) == name.len() && !is_keyword(name)
}

/// Whether any other name can be written without quotes.
pub(crate) fn is_plain_name(name: &str) -> bool {
    !name.is_empty() && plain_name(name) == name.len() && !is_keyword(name)
}

/// The name of a variable, followed by nothing skipped: primes stand right behind it.
pub(crate) fn variable(input: &str) -> Parsed<'_, Word<'_>> {
    written(input, plain_variable)
}

/// The name of anything else.
pub(crate) fn name(input: &str) -> Parsed<'_, Word<'_>> {
    let (rest, word) = written(input, plain_name)?;
    Ok((blank(rest), word))
}

fn written(input: &str, plain: fn(&str) -> usize) -> Parsed<'_, Word<'_>> {
    if input.starts_with('"') {
        return quoted(input);
    }
    let bytes = plain(input);
    if bytes == 0 {
        return Trouble::mild(input);
    }
    let (text, rest) = input.split_at(bytes);
    let span = Span::of(input, bytes);
    if is_keyword(text) {
        return Trouble::new(span, format!("expected a name, found the keyword `{text}`"))
            .with_help(format!("as a name it is written in quotes: `\"{text}\"`"))
            .fatal();
    }
    Ok((rest, Word { text: Cow::Borrowed(text), span }))
}

/// A name in quotes.
fn quoted(input: &str) -> Parsed<'_, Word<'_>> {
    let Some(inside) = input.strip_prefix('"') else { return Trouble::mild(input) };
    let mut text = String::new();
    let mut rest = inside;
    loop {
        let stop = rest.find(['"', '\\', '\n']).unwrap_or(rest.len());
        let (part, tail) = rest.split_at(stop);
        let Some(tail) = tail.strip_prefix('"') else {
            if !tail.starts_with('\\') {
                let begun = Span::of(input, 1);
                return Trouble::new(begun, "this quoted name does not end on its line")
                    .with_help("close it with `\"`; a line break in a name is written `\\n`")
                    .fatal();
            }
            text.push_str(part);
            let (after, c) = escape(tail)?;
            text.push(c);
            rest = after;
            continue;
        };
        let span = Span::of(input, input.len() - tail.len());
        let text = if text.is_empty() { Cow::Borrowed(part) } else { Cow::Owned(text + part) };
        return Ok((tail, Word { text, span }));
    }
}

/// An escape in a quoted name: `\" \\ \n \r \t \u{…}`.
fn escape(input: &str) -> Parsed<'_, char> {
    let wrong = |bytes: usize| {
        Trouble::new(Span::of(input, bytes.min(input.len())), "unknown escape in a quoted name")
            .with_help(
                "the escapes are `\\\"`, `\\\\`, `\\n`, `\\r`, `\\t` and `\\u{…}` with the number of a character",
            )
            .fatal()
    };
    let Some(c) = input.chars().nth(1) else { return wrong(1) };
    let rest = &input[1 + c.len_utf8()..];
    let plain = match c {
        '"' | '\\' => c,
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'u' => {
            let digits = rest.strip_prefix('{').map_or(0, |r| r.bytes().take_while(u8::is_ascii_hexdigit).count());
            let end = 1 + digits;
            let code = if (1..=6).contains(&digits) && rest[end..].starts_with('}') {
                u32::from_str_radix(&rest[1..end], 16).ok().and_then(char::from_u32)
            } else {
                None
            };
            return match code {
                Some(c) => Ok((&rest[end + 1..], c)),
                None => wrong(2),
            };
        }
        _ => return wrong(1 + c.len_utf8()),
    };
    Ok((rest, plain))
}

/// A number that fits 64 bits.
pub(crate) fn number(input: &str) -> Parsed<'_, (u64, Span)> {
    let bytes = input.bytes().take_while(u8::is_ascii_digit).count();
    if bytes == 0 {
        return Trouble::mild(input);
    }
    let span = Span::of(input, bytes);
    let rest = &input[bytes..];
    if rest.bytes().next().is_some_and(|b| PARTS.has(b)) {
        let all = input.bytes().take_while(|b| PARTS.has(*b)).count();
        return Trouble::new(Span::of(input, all), format!("{} is neither a number nor a name", shown(&input[..all])))
            .with_help("numbers are decimal; a name that begins with a digit is written in quotes")
            .fatal();
    }
    match input[..bytes].parse() {
        Ok(value) => Ok((blank(rest), (value, span))),
        Err(_) => Trouble::new(span, format!("{} is too large", shown(&input[..bytes])))
            .with_help(format!("numbers go up to {}", u64::MAX))
            .fatal(),
    }
}

/// Writes a name so that [`variable`] reads it.
pub(crate) fn write_variable(out: &mut impl std::fmt::Write, name: &str) -> std::fmt::Result {
    if is_plain_variable(name) { out.write_str(name) } else { write_quoted(out, name) }
}

/// Writes a name so that [`name`] reads it.
pub(crate) fn write_name(out: &mut impl std::fmt::Write, name: &str) -> std::fmt::Result {
    if is_plain_name(name) { out.write_str(name) } else { write_quoted(out, name) }
}

/// Writes any string in quotes.
pub(crate) fn write_quoted(out: &mut impl std::fmt::Write, name: &str) -> std::fmt::Result {
    out.write_char('"')?;
    let mut rest = name;
    while let Some((at, c)) = rest.char_indices().find(|(_, c)| needs_escape(*c)) {
        out.write_str(&rest[..at])?;
        match c {
            '"' => out.write_str("\\\"")?,
            '\\' => out.write_str("\\\\")?,
            '\n' => out.write_str("\\n")?,
            '\r' => out.write_str("\\r")?,
            '\t' => out.write_str("\\t")?,
            _ => write!(out, "\\u{{{:x}}}", c as u32)?,
        }
        rest = &rest[at + c.len_utf8()..];
    }
    out.write_str(rest)?;
    out.write_char('"')
}

/// Characters that would break a line, or the order in which a line is read.
fn needs_escape(c: char) -> bool {
    matches!(c, '"' | '\\' | '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
        || c.is_control()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_string_can_be_a_name() {
        for text in [
            "",
            "x",
            "a/b",
            "a.b",
            "{x==y}",
            "a\"b\\c\n\r\t\u{0}\u{7f}é∀\u{2028}\u{202e}",
            "end",
            "with",
            "0",
            "x'",
            "//",
            "a//b",
            "a/",
        ] {
            let mut as_variable = String::new();
            write_variable(&mut as_variable, text).unwrap();
            let (rest, word) = variable(&as_variable).unwrap();
            assert_eq!((rest, &*word.text), ("", text));
            let mut as_name = String::new();
            write_name(&mut as_name, text).unwrap();
            let (rest, word) = name(&as_name).unwrap();
            assert_eq!((rest, &*word.text), ("", text));
        }
    }

    #[test]
    fn names_of_variables_do_not_swallow_divisions() {
        assert_eq!(variable("x/2").unwrap().0, "/2");
        assert_eq!(name("main/0 ").unwrap().0, "");
        assert_eq!(name("main//0\n>").unwrap().0, ">");
    }
}
