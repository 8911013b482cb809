//! Labels: expressions over propositions and aliases, sets of marks, and the letters of edges without labels.

use std::ops::Range;

use crate::bdd::label::Label;

use super::super::super::marks::Marks;
use super::super::lex::TokenKind;
use super::{Reader, Refused, refuse};

impl Reader<'_> {
    pub(super) fn label_expression(&mut self, what: &str) -> Result<Label, Refused> {
        /// What waits for an operand.
        #[derive(Clone, Copy, PartialEq)]
        enum Waiting {
            Not,
            And(Label),
            Or(Label),
            Open,
        }
        let mut waiting: Vec<Waiting> = Vec::new();
        loop {
            let place = self.here();
            let mut value = match self.next() {
                Some(TokenKind::Symbol('!')) => {
                    waiting.push(Waiting::Not);
                    continue;
                }
                Some(TokenKind::Symbol('(')) => {
                    waiting.push(Waiting::Open);
                    continue;
                }
                Some(TokenKind::Identifier(name)) if name == "t" => Label::TRUE,
                Some(TokenKind::Identifier(name)) if name == "f" => Label::FALSE,
                Some(TokenKind::Number(index)) => {
                    let known = self.announced;
                    if index >= known {
                        let message = format!("there is no proposition {index}: `AP:` announces {known}");
                        return refuse(message, place);
                    }
                    self.labels.proposition(index)
                }
                Some(TokenKind::Alias(alias)) => match self.aliases.get(&alias) {
                    Some(label) => *label,
                    None => return refuse(format!("the alias `@{alias}` is not declared before this"), place),
                },
                _ => return refuse(format!("{what} is missing here"), place),
            };
            loop {
                while waiting.last() == Some(&Waiting::Not) {
                    waiting.pop();
                    value = self.labels.not(value);
                }
                if let Some(Waiting::And(left)) = waiting.last().copied() {
                    waiting.pop();
                    value = self.labels.and(left, value);
                }
                if self.eat('&') {
                    waiting.push(Waiting::And(value));
                    break;
                }
                if let Some(Waiting::Or(left)) = waiting.last().copied() {
                    waiting.pop();
                    value = self.labels.or(left, value);
                }
                if self.eat('|') {
                    waiting.push(Waiting::Or(value));
                    break;
                }
                if waiting.pop_if(|last| *last == Waiting::Open).is_none() {
                    return Ok(value);
                }
                self.expect(')', "after this expression")?;
            }
        }
    }

    /// `[label]`, if there is one.
    pub(super) fn label(&mut self) -> Result<Option<Label>, Refused> {
        if !self.eat('[') {
            return Ok(None);
        }
        let label = self.label_expression("a label")?;
        self.expect(']', "after the label")?;
        Ok(Some(label))
    }

    /// `{0 1}`, if there are any.
    pub(super) fn sets(&mut self) -> Result<Marks, Refused> {
        let mut marks = Marks::default();
        if self.eat('{') {
            let sets = self.acceptance.as_ref().map_or(0, |(sets, ..)| *sets);
            while !self.eat('}') {
                let place = self.here();
                let set = self.number("the number of an acceptance set, or `}`,")?;
                if set >= sets {
                    return refuse(format!("there is no acceptance set {set}: `Acceptance:` announces {sets}"), place);
                }
                marks.insert(set);
            }
        }
        Ok(marks)
    }

    /// How many letters there are.
    pub(super) fn letters(&self) -> u64 {
        1u64.checked_shl(self.announced).unwrap_or(u64::MAX)
    }

    /// The letter of the n-th edge without a label.
    pub(super) fn letter(&mut self, number: u64, place: &Range<usize>) -> Result<Label, Refused> {
        if number >= self.letters() {
            let message = format!("without labels a state has one edge for each of the {} letters", self.letters());
            return refuse(format!("{message}; this is one more"), place.clone());
        }
        let mut letter = Label::TRUE;
        for proposition in (0..self.announced).rev() {
            let holds = number.checked_shr(proposition).unwrap_or(0) & 1 == 1;
            let literal = self.labels.literal(proposition, holds);
            letter = self.labels.and(literal, letter);
        }
        Ok(letter)
    }
}
