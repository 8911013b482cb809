//! JSON, piece by piece and with places: what a reader of 300,000 rules, or of an automaton, needs to keep nothing else, and
//! to point at every mistake in them at once. (`serde_json` stops at the first and tells the line only.)

use std::borrow::Cow;
use std::ops::Range;

use serde::de::IgnoredAny;
use spds_format::Diagnostic;

/// The text is no JSON from there on; boxed, to keep results small.
pub(crate) type Broken = Box<Diagnostic>;

/// A piece of JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    OpenBrace,
    CloseBrace,
    OpenBracket,
    CloseBracket,
    Colon,
    Comma,
    Text,
    Number,
    /// `true`, `false`, `null`
    Word,
    Eof,
}

/// A place in a text.
pub(crate) struct Json<'t> {
    text: &'t str,
    offset: usize,
}

impl<'t> Json<'t> {
    pub fn new(text: &'t str) -> Self {
        Json { text, offset: text.len() - text.trim_start_matches('\u{feff}').len() }
    }

    pub fn text_of(&self, span: &Range<usize>) -> &'t str {
        &self.text[span.clone()]
    }

    /// Whether the next piece, already looked at, begins so.
    pub fn starts_with(&self, text: &str) -> bool {
        self.text[self.offset..].starts_with(text)
    }

    /// What the next piece is; blanks before it are gone.
    pub fn peek(&mut self) -> Result<Kind, Broken> {
        let bytes = self.text.as_bytes();
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = bytes.get(self.offset) {
            self.offset += 1;
        }
        Ok(match bytes.get(self.offset) {
            None => Kind::Eof,
            Some(b'{') => Kind::OpenBrace,
            Some(b'}') => Kind::CloseBrace,
            Some(b'[') => Kind::OpenBracket,
            Some(b']') => Kind::CloseBracket,
            Some(b':') => Kind::Colon,
            Some(b',') => Kind::Comma,
            Some(b'"') => Kind::Text,
            Some(b'-' | b'0'..=b'9') => Kind::Number,
            Some(b't' | b'f' | b'n') => Kind::Word,
            Some(_) => {
                let character = self.text[self.offset..].chars().next().unwrap_or(' ');
                let message = format!("`{}` begins nothing in JSON", character.escape_default());
                return Err(Box::new(Diagnostic::error(message, self.here())));
            }
        })
    }

    /// The next character.
    pub fn here(&self) -> Range<usize> {
        let length = self.text[self.offset..].chars().next().map_or(0, char::len_utf8);
        self.offset..self.offset + length
    }

    /// Takes a bracket, a colon or a comma.
    pub fn take(&mut self, kind: Kind) -> Result<bool, Broken> {
        let there = self.peek()? == kind;
        self.offset += usize::from(there);
        Ok(there)
    }

    pub fn expect(&mut self, kind: Kind, what: &str) -> Result<(), Broken> {
        if self.take(kind)? { Ok(()) } else { Err(self.expected(what)) }
    }

    pub fn expected(&self, what: &str) -> Broken {
        let here = self.here();
        let found =
            if here.is_empty() { "the end of the file".to_owned() } else { format!("`{}`", self.text_of(&here)) };
        Box::new(Diagnostic::error(format!("expected {what}, found {found}"), here))
    }

    /// Takes a text, with its place (the quotes included).
    pub fn string(&mut self) -> Result<(Cow<'t, str>, Range<usize>), Broken> {
        if self.peek()? != Kind::Text {
            return Err(self.expected("a text in quotes"));
        }
        let start = self.offset;
        let inside = &self.text.as_bytes()[start + 1..];
        let mut escaped = false;
        let mut at = 0;
        loop {
            match inside.get(at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    escaped = true;
                    at += 2;
                }
                Some(0x20..) => at += 1,
                _ => {
                    let message = "this text in quotes does not end on its line";
                    return Err(Box::new(Diagnostic::error(message, start..start + 1)));
                }
            }
        }
        let span = start..start + at + 2;
        self.offset = span.end;
        if !escaped {
            return Ok((Cow::Borrowed(&self.text[start + 1..span.end - 1]), span));
        }
        match serde_json::from_str(&self.text[span.clone()]) {
            Ok(text) => Ok((Cow::Owned(text), span)),
            Err(_) => Err(Box::new(Diagnostic::error("this text has an escape that JSON does not know", span))),
        }
    }

    /// Goes over a value, whatever it is. Returns its place.
    pub fn skip(&mut self) -> Result<Range<usize>, Broken> {
        self.peek()?;
        let start = self.offset;
        let mut values = serde_json::Deserializer::from_str(&self.text[start..]).into_iter::<IgnoredAny>();
        match values.next() {
            Some(Ok(_)) => {
                self.offset += values.byte_offset();
                Ok(start..self.offset)
            }
            None => Err(self.expected("a value")),
            Some(Err(error)) => {
                let at = start + offset_of(&self.text[start..], error.line(), error.column());
                let full = error.to_string();
                let reason = full.split(" at line ").next().unwrap_or("");
                Err(Box::new(Diagnostic::error(format!("this is no JSON: {reason}"), at..at)))
            }
        }
    }
}

/// The byte that is counted so, both from 1.
fn offset_of(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let mut at = (before + column.saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
