//! Labels: expressions over propositions and aliases, sets of marks, and the letters of edges without labels.

use std::ops::Range;

use spds_format::reading::precedence::{Expressions, Next, Taken, expression};

use crate::bdd::label::Label;

use super::super::super::marks::Marks;
use super::super::lex::TokenKind;
use super::{Reader, Refused, refuse};

/// Operators of labels, the loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Operator {
    Or,
    And,
    Not,
}

/// A label that is being read, and the values of its parts.
struct LabelExpression<'r, 't> {
    reader: &'r mut Reader<'t>,
    what: &'r str,
    values: Vec<Label>,
}

impl LabelExpression<'_, '_> {
    fn pop(&mut self) -> Label {
        self.values.pop().expect("operands and operators alternate")
    }
}

impl Expressions for LabelExpression<'_, '_> {
    type Operator = Operator;
    type Bracket = ();
    type Broken = Refused;

    fn operand(&mut self) -> Result<Taken<Operator, ()>, Refused> {
        let reader = &mut *self.reader;
        let place = reader.here();
        let value = match reader.next() {
            Some(TokenKind::Symbol('!')) => return Ok(Taken::Prefix(Operator::Not)),
            Some(TokenKind::Symbol('(')) => return Ok(Taken::Open(())),
            Some(TokenKind::Identifier(name)) if name == "t" => Label::TRUE,
            Some(TokenKind::Identifier(name)) if name == "f" => Label::FALSE,
            Some(TokenKind::Number(index)) => {
                let known = reader.announced;
                if index >= known {
                    let message = format!("there is no proposition {index}: `AP:` announces {known}");
                    return refuse(message, place);
                }
                reader.labels.proposition(index)
            }
            Some(TokenKind::Alias(alias)) => match reader.aliases.get(&alias) {
                Some(label) => *label,
                None => return refuse(format!("the alias `@{alias}` is not declared before this"), place),
            },
            _ => return refuse(format!("{} is missing here", self.what), place),
        };
        self.values.push(value);
        Ok(Taken::Operand)
    }

    fn operator(&mut self, _: bool) -> Result<Next<Operator, ()>, Refused> {
        let operators = [('&', Operator::And), ('|', Operator::Or)];
        let found = operators.into_iter().find(|(sign, _)| self.reader.eat(*sign));
        Ok(found.map_or(Next::End, |(_, operator)| Next::Infix(operator)))
    }

    fn takes(&mut self, before: &mut Operator, next: &mut Operator) -> bool {
        before >= next
    }

    fn apply(&mut self, operator: Operator) {
        let right = self.pop();
        let value = match operator {
            Operator::Not => self.reader.labels.not(right),
            Operator::And => {
                let left = self.pop();
                self.reader.labels.and(left, right)
            }
            Operator::Or => {
                let left = self.pop();
                self.reader.labels.or(left, right)
            }
        };
        self.values.push(value);
    }

    fn close(&mut self, (): ()) -> Result<Taken<Operator, ()>, Refused> {
        self.reader.expect(')', "after this expression").map(|()| Taken::Operand)
    }
}

impl Reader<'_> {
    pub(super) fn label_expression(&mut self, what: &str) -> Result<Label, Refused> {
        let mut label = LabelExpression { reader: self, what, values: Vec::new() };
        expression(&mut label, &mut Vec::new())?;
        Ok(label.pop())
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
