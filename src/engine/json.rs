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
pub(crate) enum JsonToken {
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

    /// From a place on where a piece begins.
    pub fn from(text: &'t str, offset: usize) -> Self {
        Json { text, offset }
    }

    pub fn text_of(&self, span: &Range<usize>) -> &'t str {
        &self.text[span.clone()]
    }

    /// Whether the next piece, already looked at, begins so.
    pub fn starts_with(&self, text: &str) -> bool {
        self.text[self.offset..].starts_with(text)
    }

    /// What the next piece is; blanks before it are gone.
    pub fn peek(&mut self) -> Result<JsonToken, Broken> {
        let bytes = self.text.as_bytes();
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = bytes.get(self.offset) {
            self.offset += 1;
        }
        Ok(match bytes.get(self.offset) {
            None => JsonToken::Eof,
            Some(b'{') => JsonToken::OpenBrace,
            Some(b'}') => JsonToken::CloseBrace,
            Some(b'[') => JsonToken::OpenBracket,
            Some(b']') => JsonToken::CloseBracket,
            Some(b':') => JsonToken::Colon,
            Some(b',') => JsonToken::Comma,
            Some(b'"') => JsonToken::Text,
            Some(b'-' | b'0'..=b'9') => JsonToken::Number,
            Some(b't' | b'f' | b'n') => JsonToken::Word,
            Some(_) => {
                let character = self.text[self.offset..].chars().next().unwrap_or(' ');
                let message = format!("`{}` begins nothing in JSON", character.escape_debug());
                return Err(Box::new(Diagnostic::error(message, self.here())));
            }
        })
    }

    /// Where the next piece begins, if it was looked at, or the blanks before it.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The next character.
    pub fn here(&self) -> Range<usize> {
        let length = self.text[self.offset..].chars().next().map_or(0, char::len_utf8);
        self.offset..self.offset + length
    }

    /// Takes a bracket, a colon or a comma.
    pub fn take(&mut self, kind: JsonToken) -> Result<bool, Broken> {
        let there = self.peek()? == kind;
        self.offset += usize::from(there);
        Ok(there)
    }

    pub fn expect(&mut self, kind: JsonToken, what: &str) -> Result<(), Broken> {
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
        if self.peek()? != JsonToken::Text {
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

/// A reader of JSON that complains about values of the wrong kind and goes on behind them.
pub(crate) trait Reads<'t>: Sized {
    /// The text.
    fn json(&mut self) -> &mut Json<'t>;

    /// Takes note of a mistake.
    fn complain(&mut self, message: String, span: Range<usize>);

    /// The members of an object: the name, its place; the value is to be taken.
    fn members(
        &mut self,
        mut each: impl FnMut(&mut Self, Cow<'t, str>, Range<usize>) -> Result<(), Broken>,
    ) -> Result<(), Broken> {
        self.json().expect(JsonToken::OpenBrace, "`{`")?;
        if self.json().take(JsonToken::CloseBrace)? {
            return Ok(());
        }
        loop {
            let (key, span) = self.json().string()?;
            self.json().expect(JsonToken::Colon, "`:`")?;
            each(self, key, span)?;
            if !self.json().take(JsonToken::Comma)? {
                return self.json().expect(JsonToken::CloseBrace, "`,` or `}`");
            }
        }
    }

    /// The elements of an array, with their numbers; how many there are.
    fn elements(&mut self, mut each: impl FnMut(&mut Self, u64) -> Result<(), Broken>) -> Result<u64, Broken> {
        self.json().expect(JsonToken::OpenBracket, "`[`")?;
        let mut count = 0;
        if self.json().take(JsonToken::CloseBracket)? {
            return Ok(0);
        }
        loop {
            each(self, count)?;
            count += 1;
            if !self.json().take(JsonToken::Comma)? {
                self.json().expect(JsonToken::CloseBracket, "`,` or `]`")?;
                return Ok(count);
            }
        }
    }

    /// Complains about a value that is not what is needed, and goes over it.
    fn needed(&mut self, what: &str) -> Result<(), Broken> {
        let span = self.json().skip()?;
        let span = if span.len() > 60 { span.start..span.start + 1 } else { span };
        self.complain(format!("{what} is needed here"), span);
        Ok(())
    }

    /// A text in quotes and its place; or a complaint about what is there.
    fn word(&mut self, what: &str) -> Result<Option<Word<'t>>, Broken> {
        if self.json().peek()? == JsonToken::Text {
            return self.json().string().map(Some);
        }
        self.needed(what).map(|()| None)
    }

    /// `true` or `false`; or a complaint about what is there.
    fn truth(&mut self) -> Result<Option<bool>, Broken> {
        if self.json().peek()? == JsonToken::Word {
            let span = self.json().skip()?;
            match self.json().text_of(&span) {
                "null" => self.complain("`true` or `false` is needed here".into(), span),
                word => return Ok(Some(word == "true")),
            }
            return Ok(None);
        }
        self.needed("`true` or `false`").map(|()| None)
    }
}

/// A text in quotes and its place.
pub(crate) type Word<'t> = (Cow<'t, str>, Range<usize>);

/// The byte that is counted so, both from 1.
fn offset_of(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let mut at = (before + column.saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
