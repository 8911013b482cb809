//! Never claims of Spin: automata as Promela text, as Spin (old and new), ltl2ba and Spot write them.
//!
//! A claim is a list of labelled statements. `if … fi` and `do … od` choose among options `:: condition -> goto label`;
//! `atomic { condition -> assert(!(condition)) }` and the end of the claim say that all is lost, and so does a state that
//! skips for ever. States with a label that begins with `accept` accept.

use std::collections::BTreeMap;
use std::ops::Range;

use rustc_hash::FxHashMap;
use spds_format::Diagnostic;

use crate::bdd::label::{Label, Labels};
use crate::limits::Limits;

use super::automaton::{Tgba, Transition};
use super::boolean::letters;
use super::hoa::ReadError;
use super::marks::Marks;
use super::parse::parse_boolean;
use super::proposition::{Kind, Proposition};

/// Reads a never claim. Conditions are formulas without temporal operators; names in them are atomic propositions in the
/// syntax of formulas.
///
/// # Errors
/// What is wrong with the text, or a limit.
pub fn read(text: &str, limits: &Limits) -> Result<Tgba, ReadError> {
    let mut reader = Reader {
        text,
        at: 0,
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
    text: &'a str,
    at: usize,
    labels: Labels,
    propositions: Vec<Proposition>,
    by_kind: BTreeMap<Kind, u32>,
    states: Vec<State>,
    named: BTreeMap<String, usize>,
}

impl<'a> Reader<'a> {
    // ---- words

    /// Goes on to the next thing that is neither space nor comment.
    fn skip(&mut self) -> Result<(), Wrong> {
        loop {
            let rest = &self.text[self.at..];
            let blank = rest.len() - rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}').len();
            self.at += blank;
            let rest = &self.text[self.at..];
            if rest.starts_with("/*") {
                let Some(length) = rest.find("*/") else {
                    return wrong("this comment is never closed", self.at..self.at + 2);
                };
                self.at += length + 2;
            } else if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if blank == 0 {
                return Ok(());
            }
        }
    }

    fn eat(&mut self, symbol: &str) -> Result<bool, Wrong> {
        self.skip()?;
        let found = self.text[self.at..].starts_with(symbol);
        self.at += if found { symbol.len() } else { 0 };
        Ok(found)
    }

    fn expect(&mut self, symbol: &str) -> Result<(), Wrong> {
        if self.eat(symbol)? {
            return Ok(());
        }
        wrong(format!("`{symbol}` is expected here"), self.here())
    }

    /// The place of the next character.
    fn here(&self) -> Range<usize> {
        let length = self.text[self.at..].chars().next().map_or(0, char::len_utf8);
        self.at..self.at + length
    }

    /// The next word, without taking it.
    fn word(&mut self) -> Result<&'a str, Wrong> {
        self.skip()?;
        let rest = &self.text[self.at..];
        let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        Ok(&rest[..length])
    }

    fn eat_word(&mut self, wanted: &str) -> Result<bool, Wrong> {
        let found = self.word()? == wanted;
        self.at += if found { wanted.len() } else { 0 };
        Ok(found)
    }

    // ---- the claim

    fn claim(&mut self) -> Result<(), Wrong> {
        if !self.eat_word("never")? {
            self.skip()?;
            return wrong("a never claim begins with `never {`", self.here());
        }
        let name = self.word()?;
        self.at += name.len();
        self.expect("{")?;
        loop {
            while self.eat(";")? {}
            if self.eat("}")? {
                break;
            }
            self.statement()?;
        }
        self.skip()?;
        if self.at < self.text.len() {
            return wrong("nothing is expected after the claim", self.here());
        }
        if self.states.is_empty() {
            return wrong("the claim is empty", 0..self.at);
        }
        Ok(())
    }

    fn statement(&mut self) -> Result<(), Wrong> {
        let mut accepting = false;
        // Labels
        loop {
            let word = self.word()?;
            let place = self.at..self.at + word.len();
            self.at = place.end;
            self.skip()?;
            let is_label = !word.is_empty() && self.eat(":")? && !self.text[self.at..].starts_with(':');
            if !is_label {
                self.at = place.start;
                break;
            }
            accepting |= word.starts_with("accept");
            if self.named.insert(word.to_owned(), self.states.len()).is_some() {
                return wrong(format!("the label `{word}` occurs twice"), place);
            }
        }
        let begin = self.at;
        let options = if self.eat_word("if")? {
            self.options("fi", || Target::After)?
        } else if self.eat_word("do")? {
            self.options("od", || Target::Here)?
        } else if self.eat_word("skip")? {
            vec![(Label::TRUE, Target::After)]
        } else if self.eat_word("goto")? {
            return wrong("a claim cannot jump without taking a step", begin..self.at);
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
            while self.eat(";")? {}
            if self.eat_word(end)? {
                break;
            }
            if !self.eat("::")? {
                return wrong(format!("`::` or `{end}` is expected here"), self.here());
            }
            if self.eat_word("else")? {
                rest = Some(self.target(otherwise)?);
            } else if self.eat_word("atomic")? {
                self.expect("{")?;
                let condition = self.condition()?;
                self.expect("->")?;
                self.lost()?;
                self.expect("}")?;
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
        if !self.eat("->")? && !self.eat(";")? {
            return Ok(otherwise());
        }
        if self.eat_word("goto")? {
            let label = self.word()?;
            let place = self.at..self.at + label.len();
            if label.is_empty() {
                return wrong("`goto` needs a label behind it", self.here());
            }
            self.at = place.end;
            return Ok(Target::Label(label.to_owned(), place));
        }
        if self.eat_word("skip")? || self.eat_word("true")? {
            return Ok(otherwise());
        }
        if self.word()? == "assert" {
            self.lost()?;
            return Ok(Target::Lost);
        }
        self.skip()?;
        match self.text[self.at..].starts_with("::") || matches!(self.word()?, "fi" | "od") {
            true => Ok(otherwise()),
            false => wrong("`goto`, `skip` or `assert` is expected here", self.here()),
        }
    }

    /// `assert(…)`, of whatever has just been found to be false.
    fn lost(&mut self) -> Result<(), Wrong> {
        if !self.eat_word("assert")? {
            return wrong("`assert` is expected here", self.here());
        }
        self.condition().map(|_| ())
    }

    /// A condition: up to `->`, `;`, `::`, `fi`, `od`, a closing brace or the end of the line outside of parentheses.
    fn condition(&mut self) -> Result<Label, Wrong> {
        self.skip()?;
        let begin = self.at;
        let mut depth = 0u64;
        let mut quoted = false;
        let mut braces = 0u64;
        for (offset, c) in self.text[begin..].char_indices() {
            let rest = &self.text[begin + offset..];
            let ends = rest.starts_with("->") || rest.starts_with("::") || matches!(c, ';' | '\n' | '}');
            match c {
                _ if !quoted && depth == 0 && braces == 0 && ends => break,
                '"' => quoted = !quoted,
                _ if quoted => {}
                '{' => braces += 1,
                '}' => braces = braces.saturating_sub(1),
                '(' if braces == 0 => depth += 1,
                ')' if braces == 0 => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.at = begin + offset + c.len_utf8();
        }
        let text = self.text[begin..self.at].trim_end();
        // `:: (p) fi` on one line
        let text = ["fi", "od"].iter().find_map(|end| text.strip_suffix(end).filter(|rest| rest.ends_with([' ', ')'])));
        if let Some(text) = text {
            self.at = begin + text.len();
        }
        let place = begin..begin + self.text[begin..self.at].trim_end().len();
        if place.is_empty() {
            return wrong("a condition is missing here", self.here());
        }
        let ltl = parse_boolean(self.text, place)?;
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
