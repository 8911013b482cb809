//! Never claims of Spin: automata as Promela text, as Spin (old and new), ltl2ba and Spot write them.
//!
//! A claim is a list of labelled statements. `if … fi` and `do … od` choose among options `:: condition -> goto label`;
//! `atomic { condition -> assert(!(condition)) }` and the end of the claim say that all is lost, and so does a state that
//! skips for ever. States with a label that begins with `accept` accept.

use std::collections::BTreeMap;
use std::ops::Range;

use rustc_hash::FxHashMap;
use spds_format::Diagnostic;
use spds_format::reading::tokens::{Bytes, Cursor, Lexis, Table, blank, run};

use crate::bdd::label::{Label, Labels};
use crate::limits::Limits;

use super::automaton::{Tgba, Transition};
use super::boolean::letters;
use super::hoa::ReadError;
use super::marks::Marks;
use super::parse::parse_boolean;
use super::proposition::{Proposition, PropositionKind};

/// Reads a never claim. Conditions are formulas without temporal operators; names in them are atomic propositions in the
/// syntax of formulas.
///
/// # Errors
/// What is wrong with the text, or a limit.
pub fn read(text: &str, limits: &Limits) -> Result<Tgba, ReadError> {
    if u32::try_from(text.len()).is_err() {
        return Err(Diagnostic::global("a claim of 4 GiB or more cannot be read").into());
    }
    let mut reader = Reader {
        cursor: Cursor::new(text, Claims),
        labels: Labels::new(limits),
        propositions: Vec::new(),
        by_kind: BTreeMap::new(),
        states: Vec::new(),
        named: BTreeMap::new(),
    };
    reader.claim()?;
    reader.labels.checkpoint()?;
    reader.finish()
}

type Wrong = Vec<Diagnostic>;

impl From<Wrong> for ReadError {
    fn from(wrong: Wrong) -> ReadError {
        ReadError::Diagnosed(wrong)
    }
}

fn wrong<T>(message: impl Into<String>, span: Range<usize>) -> Result<T, Wrong> {
    Err(vec![Diagnostic::error(message, span)])
}

/// What a token is outside of conditions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TokenKind {
    Word,
    Open,
    Close,
    /// `::`
    Option,
    Colon,
    Semicolon,
    Arrow,
    /// `/*` without its end.
    OpenComment,
    Other,
    End,
}

static SIGNS: Table<TokenKind> = Table::new(&[
    ("{", TokenKind::Open),
    ("}", TokenKind::Close),
    ("::", TokenKind::Option),
    (":", TokenKind::Colon),
    (";", TokenKind::Semicolon),
    ("->", TokenKind::Arrow),
    ("/*", TokenKind::OpenComment),
]);

/// What words consist of, beside all characters that are not of ASCII.
static IN_WORDS: Bytes = Bytes::letters_and(b"_0123456789");

/// The lexical rules.
#[derive(Clone, Copy)]
struct Claims;

impl Lexis for Claims {
    type Kind = TokenKind;

    const END: TokenKind = TokenKind::End;

    fn blank(self, rest: &[u8]) -> usize {
        blank(rest, &[("/*", "*/"), ("//", "\n")])
    }

    fn token(self, rest: &[u8]) -> (TokenKind, usize) {
        match run(rest, |byte| IN_WORDS.has(byte) || !byte.is_ascii()) {
            0 if rest.is_empty() => (TokenKind::End, 0),
            0 => SIGNS.sign(rest).unwrap_or((TokenKind::Other, 1)),
            length => (TokenKind::Word, length),
        }
    }
}

/// Where an option leads.
enum Target {
    Label(String, Range<usize>),
    /// Back to the state itself, in a loop.
    Here,
    /// To what comes after it.
    After,
    /// To the end of all.
    Lost,
}

struct State {
    accepting: bool,
    options: Vec<(Label, Target)>,
}

struct Reader<'a> {
    cursor: Cursor<'a, Claims>,
    labels: Labels,
    propositions: Vec<Proposition>,
    by_kind: BTreeMap<PropositionKind, u32>,
    states: Vec<State>,
    named: BTreeMap<String, usize>,
}

impl Reader<'_> {
    fn expect(&mut self, kind: TokenKind, sign: &str) -> Result<(), Wrong> {
        if self.cursor.take(kind) { Ok(()) } else { self.wrong_here(format!("`{sign}` is expected here")) }
    }

    fn is_word(&self, wanted: &str) -> bool {
        self.cursor.is(TokenKind::Word) && self.cursor.word() == wanted
    }

    fn take_word(&mut self, wanted: &str) -> bool {
        let there = self.is_word(wanted);
        if there {
            self.cursor.bump();
        }
        there
    }

    /// Complains about what begins here.
    fn wrong_here<T>(&self, message: impl Into<String>) -> Result<T, Wrong> {
        let start = self.cursor.start() as usize;
        if self.cursor.is(TokenKind::OpenComment) {
            return wrong("this comment is never closed", start..start + 2);
        }
        let length = self.cursor.text[start..].chars().next().map_or(0, char::len_utf8);
        wrong(message, start..start + length)
    }

    fn claim(&mut self) -> Result<(), Wrong> {
        if !self.take_word("never") {
            return self.wrong_here("a never claim begins with `never {`");
        }
        self.cursor.take(TokenKind::Word);
        self.expect(TokenKind::Open, "{")?;
        loop {
            while self.cursor.take(TokenKind::Semicolon) {}
            if self.cursor.take(TokenKind::Close) {
                break;
            }
            self.statement()?;
        }
        if !self.cursor.is(TokenKind::End) {
            return self.wrong_here("nothing is expected after the claim");
        }
        if self.states.is_empty() {
            return wrong("the claim is empty", 0..self.cursor.previous_end as usize);
        }
        Ok(())
    }

    fn statement(&mut self) -> Result<(), Wrong> {
        let mut accepting = false;
        while self.cursor.is(TokenKind::Word) && self.cursor.ahead.kind == TokenKind::Colon {
            let (label, place) = (self.cursor.word(), self.cursor.span());
            self.cursor.bump();
            self.cursor.bump();
            accepting |= label.starts_with("accept");
            if self.named.insert(label.to_owned(), self.states.len()).is_some() {
                return wrong(format!("the label `{label}` occurs twice"), place);
            }
        }
        let begin = self.cursor.span();
        let options = if self.take_word("if") {
            self.options("fi", || Target::After)?
        } else if self.take_word("do") {
            self.options("od", || Target::Here)?
        } else if self.take_word("skip") {
            vec![(Label::TRUE, Target::After)]
        } else if self.take_word("goto") {
            return wrong("a claim cannot jump without taking a step", begin);
        } else {
            let condition = self.condition()?;
            vec![(condition, Target::After)]
        };
        self.states.push(State { accepting, options });
        Ok(())
    }

    fn options(&mut self, end: &str, otherwise: fn() -> Target) -> Result<Vec<(Label, Target)>, Wrong> {
        let mut options: Vec<(Label, Target)> = Vec::new();
        let mut rest: Option<Target> = None;
        loop {
            while self.cursor.take(TokenKind::Semicolon) {}
            if self.take_word(end) {
                break;
            }
            if !self.cursor.take(TokenKind::Option) {
                return self.wrong_here(format!("`::` or `{end}` is expected here"));
            }
            if self.take_word("else") {
                rest = Some(self.target(otherwise)?);
            } else if self.take_word("atomic") {
                self.expect(TokenKind::Open, "{")?;
                let condition = self.condition()?;
                self.expect(TokenKind::Arrow, "->")?;
                self.lost()?;
                self.expect(TokenKind::Close, "}")?;
                options.push((condition, Target::Lost));
            } else {
                let condition = self.condition()?;
                let target = self.target(otherwise)?;
                options.push((condition, target));
            }
        }
        if let Some(target) = rest {
            let any = options.iter().fold(Label::FALSE, |any, (label, _)| self.labels.or(any, *label));
            options.push((self.labels.not(any), target));
        }
        Ok(options)
    }

    /// What follows the condition of an option.
    fn target(&mut self, otherwise: fn() -> Target) -> Result<Target, Wrong> {
        if !self.cursor.take(TokenKind::Arrow) && !self.cursor.take(TokenKind::Semicolon) {
            return Ok(otherwise());
        }
        if self.take_word("goto") {
            let (label, place) = (self.cursor.word(), self.cursor.span());
            if !self.cursor.take(TokenKind::Word) {
                return self.wrong_here("`goto` needs a label behind it");
            }
            return Ok(Target::Label(label.to_owned(), place));
        }
        if self.take_word("skip") || self.take_word("true") {
            return Ok(otherwise());
        }
        if self.is_word("assert") {
            self.lost()?;
            return Ok(Target::Lost);
        }
        match self.cursor.is(TokenKind::Option) || self.is_word("fi") || self.is_word("od") {
            true => Ok(otherwise()),
            false => self.wrong_here("`goto`, `skip` or `assert` is expected here"),
        }
    }

    /// `assert(…)`, of whatever has just been found to be false.
    fn lost(&mut self) -> Result<(), Wrong> {
        if !self.take_word("assert") {
            return self.wrong_here("`assert` is expected here");
        }
        self.condition().map(|_| ())
    }

    /// A condition: up to `->`, `;`, `::`, `fi`, `od`, a closing brace or the end of the line outside of parentheses. It is
    /// read as a formula, which has tokens of its own.
    fn condition(&mut self) -> Result<Label, Wrong> {
        let place = self.extent();
        if place.is_empty() || self.cursor.is(TokenKind::OpenComment) {
            return self.wrong_here("a condition is missing here");
        }
        self.cursor.seek(place.end as u32);
        let ltl = parse_boolean(self.cursor.text, place)?;
        let mut names = Vec::new();
        for proposition in ltl.formulas.propositions() {
            let fresh = self.propositions.len() as u32;
            let index = *self.by_kind.entry(proposition.kind.clone()).or_insert(fresh);
            if index == fresh {
                self.propositions.push(proposition.clone());
            }
            names.push(index);
        }
        let mut known = FxHashMap::default();
        Ok(letters(&ltl.formulas, ltl.root, &mut self.labels, &mut known, &|index| names[index as usize]))
    }

    /// Where the condition stands that begins here.
    fn extent(&self) -> Range<usize> {
        let begin = self.cursor.start() as usize;
        let text = &self.cursor.text[begin..];
        let (mut depth, mut braces, mut quoted) = (0u64, 0u64, false);
        let mut end = text.len();
        for (offset, c) in text.char_indices() {
            let rest = &text[offset..];
            let ends = rest.starts_with("->") || rest.starts_with("::") || matches!(c, ';' | '\n' | '}');
            match c {
                _ if !quoted && depth == 0 && braces == 0 && ends => {
                    end = offset;
                    break;
                }
                '"' => quoted = !quoted,
                _ if quoted => {}
                '{' => braces += 1,
                '}' => braces = braces.saturating_sub(1),
                '(' if braces == 0 => depth += 1,
                ')' if braces == 0 => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        let text = text[..end].trim_end();
        // `:: (p) fi` on one line
        let before =
            ["fi", "od"].iter().find_map(|end| text.strip_suffix(end).filter(|rest| rest.ends_with([' ', ')'])));
        begin..begin + before.unwrap_or(text).trim_end().len()
    }

    fn finish(mut self) -> Result<Tgba, ReadError> {
        // One state more, where all is lost.
        let lost = self.states.len() as u32;
        let mut unknown = Vec::new();
        let mut states: Vec<Vec<Transition>> = Vec::new();
        for (state, State { accepting, options }) in (0..).zip(&self.states) {
            // A claim that stays in `skip` at its end has ended.
            let marks = if *accepting { Marks::one(0) } else { Marks::default() };
            let mut edges = Vec::new();
            for (label, target) in options {
                let to = match target {
                    Target::Here => state,
                    Target::After => state + 1,
                    Target::Lost => lost,
                    Target::Label(name, place) => match self.named.get(name) {
                        Some(state) => *state as u32,
                        None => {
                            unknown.push(Diagnostic::error(format!("there is no label `{name}`"), place.clone()));
                            lost
                        }
                    },
                };
                if *label != Label::FALSE {
                    edges.push(Transition { to, marks: marks.clone(), label: *label });
                }
            }
            states.push(edges);
        }
        if !unknown.is_empty() {
            return Err(unknown.into());
        }
        states.push(vec![Transition { to: lost, marks: Marks::one(0), label: Label::TRUE }]);
        let mut tgba = Tgba { propositions: self.propositions, labels: self.labels, states, initial: 0, marks: 1 };
        tgba.trim();
        self.labels = Labels::default();
        tgba.labels.checkpoint()?;
        Ok(tgba)
    }
}
