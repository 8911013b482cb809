//! A text as tokens, one at a time, with one more to look at: the state that all readers of programs share.

use std::ops::Range;

use super::complaints::Complaints;
use crate::diagnostic::Diagnostic;

/// A syntax error has been reported; the reader goes on at the next point of recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broken;

/// The tokens of a language.
pub trait Lexis: Copy {
    /// The kinds of tokens.
    type Kind: Copy + PartialEq;

    /// What there is at the end of the text.
    const END: Self::Kind;

    /// Whether [`Cursor::ahead`] is wanted.
    const LOOKS_AHEAD: bool = true;

    /// How long the blanks and comments are with which a text begins.
    fn blank(self, rest: &[u8]) -> usize;

    /// The token with which a text begins that does not begin with blanks, and how long it is. If that is in the midst of a
    /// character, the whole character belongs to it.
    fn token(self, rest: &[u8]) -> (Self::Kind, usize);

    /// How a token is called in a message.
    fn described(token: Self::Kind, text: &str) -> String {
        if token == Self::END { "the end of the file".to_owned() } else { format!("`{}`", escaped(text)) }
    }

    /// The complaint about a token that should not be there, or a better one.
    fn about(_token: Self::Kind, _text: &str, complaint: Diagnostic) -> Diagnostic {
        complaint
    }
}

/// A text of one character as a message can show it; any other as it is.
fn escaped(text: &str) -> String {
    if text.chars().nth(1).is_none() { text.escape_debug().to_string() } else { text.to_owned() }
}

/// A range of bytes of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Span {
    /// As a range.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// From the beginning of this to the end of the other.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start, end: other.end.max(self.end) }
    }
}

impl<K> From<Token<K>> for Span {
    fn from(token: Token<K>) -> Span {
        Span { start: token.start, end: token.end }
    }
}

/// A token: what it is, and its range of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<K> {
    /// What it is.
    pub kind: K,
    /// Its first byte.
    pub start: u32,
    /// The byte after its last.
    pub end: u32,
}

impl<K> Token<K> {
    /// Its range of bytes.
    pub fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A place in a text. Texts are shorter than 4 GiB; who reads one sees to it.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'t, L: Lexis> {
    /// The text.
    pub text: &'t str,
    lexis: L,
    /// The token to be read next.
    pub token: Token<L::Kind>,
    /// The one after it, if [`Lexis::LOOKS_AHEAD`].
    pub ahead: Token<L::Kind>,
    /// Where the token before ended.
    pub previous_end: u32,
}

impl<'t, L: Lexis> Cursor<'t, L> {
    /// The beginning of a text.
    pub fn new(text: &'t str, lexis: L) -> Self {
        let none = Token { kind: L::END, start: 0, end: 0 };
        let mut cursor = Cursor { text, lexis, token: none, ahead: none, previous_end: 0 };
        cursor.seek(if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() as u32 } else { 0 });
        cursor
    }

    /// Goes on at another place of the text.
    pub fn seek(&mut self, offset: u32) {
        self.previous_end = offset;
        self.token = self.lex(offset);
        if L::LOOKS_AHEAD {
            self.ahead = self.lex(self.token.end);
        }
    }

    /// Goes on behind the token.
    #[inline]
    pub fn bump(&mut self) {
        self.previous_end = self.token.end;
        if L::LOOKS_AHEAD {
            self.token = self.ahead;
            self.ahead = self.lex(self.token.end);
        } else {
            self.token = self.lex(self.token.end);
        }
    }

    /// Takes the next token if it is of that kind.
    #[inline]
    pub fn take(&mut self, kind: L::Kind) -> bool {
        let there = self.is(kind);
        if there {
            self.bump();
        }
        there
    }

    /// The first token from there on.
    fn lex(&self, offset: u32) -> Token<L::Kind> {
        let bytes = self.text.as_bytes();
        let start = offset as usize + self.lexis.blank(&bytes[offset as usize..]);
        let (kind, length) = self.lexis.token(&bytes[start..]);
        let mut end = start + length;
        while !self.text.is_char_boundary(end) {
            end += 1;
        }
        Token { kind, start: start as u32, end: end as u32 }
    }

    /// What kind of token is next.
    #[inline]
    pub fn kind(&self) -> L::Kind {
        self.token.kind
    }

    /// Where the next token begins.
    #[inline]
    pub fn start(&self) -> u32 {
        self.token.start
    }

    /// Whether the next token is of that kind.
    #[inline]
    pub fn is(&self, kind: L::Kind) -> bool {
        self.token.kind == kind
    }

    /// The text of a token, or of another part.
    #[inline]
    pub fn text_of(&self, part: impl Into<Span>) -> &'t str {
        &self.text[part.into().range()]
    }

    /// The text of the next token.
    #[inline]
    pub fn word(&self) -> &'t str {
        self.text_of(self.token)
    }

    /// Where the next token stands.
    pub fn span(&self) -> Range<usize> {
        self.token.range()
    }

    /// What the next token is, for a message.
    pub fn described(&self) -> String {
        L::described(self.token.kind, self.word())
    }
}

/// Who reads tokens of a text, and complains about them.
pub trait Reader<'t> {
    /// The language's tokens.
    type Lexis: Lexis;

    /// Where it is.
    fn cursor(&mut self) -> &mut Cursor<'t, Self::Lexis>;

    /// What is wrong so far.
    fn complaints(&mut self) -> &mut Complaints;

    /// Goes on behind the next token.
    #[inline]
    fn bump(&mut self) {
        self.cursor().bump();
    }

    /// Takes the next token if it is of that kind.
    #[inline]
    fn take(&mut self, kind: Kind<'t, Self>) -> bool {
        self.cursor().take(kind)
    }

    /// Takes the next token, which must be of that kind.
    ///
    /// # Errors
    /// If it is not: complains that `what` was expected.
    #[inline]
    fn expect(&mut self, kind: Kind<'t, Self>, what: &str) -> Result<(), Broken> {
        if self.take(kind) { Ok(()) } else { self.unexpected(what) }
    }

    /// Takes the next token, which must be of that kind; and its text and where it begins.
    ///
    /// # Errors
    /// If it is not: complains that `what` was expected.
    #[inline]
    fn expect_word(&mut self, kind: Kind<'t, Self>, what: &str) -> Result<(&'t str, u32), Broken> {
        let (word, at) = (self.cursor().word(), self.cursor().start());
        self.expect(kind, what)?;
        Ok((word, at))
    }

    /// Complains about the next token.
    fn complain(&mut self, message: impl Into<String>) {
        let complaint = Diagnostic::error(message, self.cursor().span());
        self.complaints().push(complaint);
    }

    /// Complains that something else was expected than the next token.
    ///
    /// # Errors
    /// Always.
    #[cold]
    fn unexpected<T>(&mut self, expected: &str) -> Result<T, Broken> {
        let complaint = self.instead_of(expected);
        self.complain_about_token(complaint);
        Err(Broken)
    }

    /// Complains that what was opened there is not closed by the next token.
    ///
    /// # Errors
    /// Always.
    #[cold]
    fn unclosed<T>(&mut self, closing: &str, opened: Range<usize>) -> Result<T, Broken> {
        let complaint = self.instead_of(&format!("{closing} or an operator"));
        self.complain_about_token(complaint.with_related(opened, "opened here"));
        Err(Broken)
    }

    /// That something else was expected than the next token.
    #[cold]
    fn instead_of(&mut self, expected: &str) -> Diagnostic {
        let message = format!("expected {expected}, found {}", self.cursor().described());
        Diagnostic::error(message, self.cursor().span())
    }

    /// Makes a complaint about the next token, or a better one if that token is none.
    #[cold]
    fn complain_about_token(&mut self, complaint: Diagnostic) {
        let cursor = self.cursor();
        let complaint = <Self::Lexis as Lexis>::about(cursor.kind(), cursor.word(), complaint);
        self.complaints().push(complaint);
    }
}

/// What kind of token a reader reads.
pub type Kind<'t, R> = <<R as Reader<'t>>::Lexis as Lexis>::Kind;

/// Signs or words of a language, found by their first byte. Entries with the same first byte stand together, longer signs
/// before those that they begin with.
pub struct Table<K: 'static> {
    entries: &'static [(&'static str, K)],
    /// The first entry that begins with this byte, and the one after the last.
    alike: [(u8, u8); 256],
    /// The entry that is this byte, if no other begins with it.
    alone: [Option<K>; 256],
}

impl<K: Copy> Table<K> {
    /// Made while compiling.
    pub const fn new(entries: &'static [(&'static str, K)]) -> Self {
        let (mut alike, mut alone) = ([(0, 0); 256], [None; 256]);
        let mut at = entries.len();
        while at > 0 {
            let (sign, kind) = entries[at - 1];
            let byte = sign.as_bytes()[0] as usize;
            let (first, end) = &mut alike[byte];
            let another = *end > 0;
            if !another {
                *end = at as u8;
            }
            at -= 1;
            *first = at as u8;
            alone[byte] = if another || sign.len() > 1 { None } else { Some(kind) };
        }
        Table { entries, alike, alone }
    }

    /// The entry that a text begins with, and how long it is.
    #[inline]
    pub fn sign(&self, rest: &[u8]) -> Option<(K, usize)> {
        let byte = *rest.first()?;
        if let Some(kind) = self.alone[usize::from(byte)] {
            return Some((kind, 1));
        }
        let mut fitting = self.alike(byte).iter().filter(|(sign, _)| begins(rest, sign.as_bytes()));
        fitting.next().map(|(sign, kind)| (*kind, sign.len()))
    }

    /// The entry that is this word.
    #[inline]
    pub fn word(&self, word: &[u8]) -> Option<K> {
        let alike = self.alike(*word.first()?).iter();
        let mut fitting = alike.filter(|(known, _)| known.len() == word.len() && begins(word, known.as_bytes()));
        fitting.next().map(|(_, kind)| *kind)
    }

    /// All entries.
    pub fn all(&self) -> impl Iterator<Item = &'static str> + use<K> {
        self.entries.iter().map(|(sign, _)| *sign)
    }

    /// The entries that begin with that byte.
    #[inline]
    fn alike(&self, byte: u8) -> &'static [(&'static str, K)] {
        let (first, end) = self.alike[usize::from(byte)];
        self.entries.get(usize::from(first)..usize::from(end)).unwrap_or_default()
    }
}

/// Whether a text begins with these few bytes; a call of the library's comparison costs more than comparing them.
#[inline]
fn begins(rest: &[u8], few: &[u8]) -> bool {
    rest.len() >= few.len() && rest.iter().zip(few).all(|(one, other)| one == other)
}

/// A set of bytes that is looked up.
pub struct Bytes([bool; 256]);

impl Bytes {
    /// The letters of ASCII, and these.
    pub const fn letters_and(others: &[u8]) -> Self {
        let mut bytes = [false; 256];
        let mut byte = 0;
        while byte < 128 {
            bytes[byte] = (byte as u8).is_ascii_alphabetic();
            byte += 1;
        }
        let mut at = 0;
        while at < others.len() {
            bytes[others[at] as usize] = true;
            at += 1;
        }
        Bytes(bytes)
    }

    /// Whether it is one of them.
    #[inline]
    pub fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte)]
    }
}

/// How long a text goes on with such bytes.
#[inline]
pub fn run(rest: &[u8], belongs: impl Fn(u8) -> bool) -> usize {
    let mut length = 0;
    while length < rest.len() && belongs(rest[length]) {
        length += 1;
    }
    length
}

/// How long the blanks and comments are with which a text begins. Comments are given by what begins and what ends them; a line's
/// end is no part of one. A comment that does not end is left as it is. (Most tokens follow one blank or none: what to do
/// then is written out at the place of the call.)
#[inline(always)]
pub fn blank(rest: &[u8], comments: &[(&str, &str)]) -> usize {
    let mut at = 0;
    while at < rest.len() {
        let byte = rest[at];
        if byte <= b' ' && matches!(byte, b' ' | b'\t'..=b'\r') {
            at += 1;
        } else if comments.iter().any(|(begin, _)| begin.as_bytes()[0] == byte) {
            match comment(&rest[at..], comments) {
                Some(length) => at += length,
                None => break,
            }
        } else {
            break;
        }
    }
    at
}

/// How long the comment is with which a text begins; `None` if there is none that ends.
#[inline(never)]
fn comment(rest: &[u8], comments: &[(&str, &str)]) -> Option<usize> {
    let (begin, end) = comments.iter().find(|(begin, _)| rest.starts_with(begin.as_bytes()))?;
    if *end == "\n" {
        return Some(run(rest, |byte| byte != b'\n'));
    }
    let inside = rest[begin.len()..].windows(end.len()).position(|window| window == end.as_bytes())?;
    Some(begin.len() + inside + end.len())
}
