//! Conditions over integers as C writes them.

use crate::bitvec::value::signed;
use crate::bitvec::{Node, Operator, Term, Terms};
use crate::c::program::VariableId;

/// No longer text is of use.
const LONGEST: usize = 120;

/// An integer of the frame, or one that all see.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub id: VariableId,
    pub name: String,
    pub width: u8,
    pub signed: bool,
    /// A variable, and its number.
    pub term: Term,
    pub number: u32,
}

/// A condition over these integers in C's notation, where a sum is what is left of it in its type; none where that would be too long.
pub(super) fn told(terms: &Terms, named: &[&Named], condition: Term) -> Option<String> {
    let text = Teller { terms, named }.condition(condition, true)?;
    (text.len() <= LONGEST).then_some(text)
}

struct Teller<'t> {
    terms: &'t Terms,
    named: &'t [&'t Named],
}

impl Teller<'_> {
    /// A term of one bit, or that it is 0.
    fn condition(&self, term: Term, holds: bool) -> Option<String> {
        match *self.terms.node(term) {
            Node::Constant(value) => Some(u8::from((value == 1) == holds).to_string()),
            Node::Not(of) => self.condition(of, !holds),
            Node::Binary(operator, a, b) if self.terms.width(a) > 1 => {
                let (sign, is_signed) = match (operator, holds) {
                    (Operator::Eq, true) => ("==", None),
                    (Operator::Eq, false) => ("!=", None),
                    (Operator::Ult, true) => ("<", Some(false)),
                    (Operator::Ult, false) => (">=", Some(false)),
                    (Operator::Slt, true) => ("<", Some(true)),
                    (Operator::Slt, false) => (">=", Some(true)),
                    _ => return None,
                };
                Some(format!("{} {sign} {}", self.side(a, is_signed)?, self.side(b, is_signed)?))
            }
            Node::Binary(Operator::And, a, b) if self.terms.width(a) == 1 => {
                let (a, b) = (self.condition(a, holds)?, self.condition(b, holds)?);
                Some(format!("({a} {} {b})", if holds { "&&" } else { "||" }))
            }
            _ => None,
        }
    }

    /// A side of a comparison that is one of signed or of unsigned numbers.
    fn side(&self, term: Term, is_signed: Option<bool>) -> Option<String> {
        let width = self.terms.width(term);
        if let &Node::Constant(value) = self.terms.node(term) {
            let number = if is_signed == Some(false) { value as i128 } else { signed(value, width) };
            return Some(number.to_string());
        }
        let (text, own) = self.sum(term)?;
        // Narrow sums are wide in C.
        match is_signed {
            Some(wanted) if own != Some(wanted) => None,
            _ => Some(text),
        }
    }

    /// A sum, and whether its variables have signs, if that is the same of all of them.
    fn sum(&self, term: Term) -> Option<(String, Option<bool>)> {
        let width = self.terms.width(term);
        let (parts, constant) = match self.terms.node(term) {
            Node::Sum(parts, constant) if width >= 32 => (parts.to_vec(), *constant),
            Node::Sum(..) => return None,
            _ => (vec![(term, 1)], 0),
        };
        let (mut text, mut sign) = (String::new(), None);
        for (part, factor) in parts {
            let named = self.named.iter().find(|named| named.term == part)?;
            if sign.is_some_and(|sign| sign != named.signed) {
                return None;
            }
            sign = Some(named.signed);
            let factor = signed(factor, width);
            let by = match factor.unsigned_abs() {
                1 => String::new(),
                by => format!("{by} * "),
            };
            match (text.is_empty(), factor < 0) {
                (true, true) => text.push('-'),
                (true, false) => {}
                (false, true) => text.push_str(" - "),
                (false, false) => text.push_str(" + "),
            }
            text.push_str(&by);
            text.push_str(&named.name);
        }
        match signed(constant, width) {
            0 => {}
            constant @ 1.. => text.push_str(&format!(" + {constant}")),
            constant => text.push_str(&format!(" - {}", constant.unsigned_abs())),
        }
        Some((text, sign))
    }
}
