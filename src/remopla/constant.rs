//! Constant expressions: numbers that are known while the text is read.

use spds_format::Diagnostic;
use spds_format::expr::Binary;

use super::lexer::Kind;
use super::operator::Operator;
use super::parser::{Broken, Parser};

enum Waiting {
    Operator(Operator),
    Paren(u32),
}

impl Parser<'_> {
    /// A constant: numbers, names of constants, operators and parentheses. Not negative.
    pub(super) fn constant(&mut self, what: &str) -> Result<u64, Broken> {
        let begin = self.token.start;
        let mut waiting: Vec<Waiting> = Vec::new();
        let mut values: Vec<Option<i128>> = Vec::new();
        loop {
            // In the position of an operand.
            match self.token.kind {
                Kind::Open => {
                    waiting.push(Waiting::Paren(self.token.start));
                    self.bump();
                    continue;
                }
                Kind::Number => {
                    values.push(Some(i128::from(self.number())));
                    self.bump();
                }
                Kind::Name => {
                    let name = self.text_of(self.token);
                    let Some((value, _)) = self.declarations().constants.get(name) else {
                        let complaint = Diagnostic::error(format!("`{name}` is no constant"), self.span())
                            .with_help(format!("{what} is made of numbers and of names by `define` or `enum`"));
                        self.complaints.push(complaint);
                        return Err(Broken);
                    };
                    values.push(Some(i128::from(*value)));
                    self.bump();
                }
                _ => return self.unexpected(what),
            }
            // In the position of an operator.
            loop {
                let operator = Operator::of(self.token.kind).filter(|operator| operator.is_arithmetic());
                while let Some(Waiting::Operator(before)) = waiting.last() {
                    if operator.is_some_and(|next| next.tightness() > before.tightness()) {
                        break;
                    }
                    let (right, left) = (values.pop().flatten(), values.pop().flatten());
                    values.push(left.zip(right).and_then(|(left, right)| compute(*before, left, right)));
                    waiting.pop();
                }
                if let Some(operator) = operator {
                    waiting.push(Waiting::Operator(operator));
                    self.bump();
                    break;
                }
                match waiting.last() {
                    Some(Waiting::Paren(_)) if self.token.kind == Kind::Close => {
                        waiting.pop();
                        self.bump();
                    }
                    Some(Waiting::Paren(at)) => {
                        let opened = *at as usize..*at as usize + 1;
                        let message = format!("expected `)` or an operator, found {}", self.described());
                        let complaint = Diagnostic::error(message, self.span()).with_related(opened, "opened here");
                        self.complain_about_token(complaint);
                        return Err(Broken);
                    }
                    _ => {
                        let value = values.pop().flatten().and_then(|value| u64::try_from(value).ok());
                        return Ok(value.unwrap_or_else(|| {
                            let span = begin as usize..self.previous_end as usize;
                            let message = "this constant has no value between 0 and 2^64 - 1";
                            self.complaints.error(message, span);
                            1
                        }));
                    }
                }
            }
        }
    }

    /// The value of the present token, a number.
    pub(super) fn number(&mut self) -> u64 {
        self.text_of(self.token).parse().unwrap_or_else(|_| {
            let span = self.span();
            self.complaints.error("numbers are below 2^64", span);
            1
        })
    }
}

/// The value, if there is one that is not too large to go on with.
fn compute(operator: Operator, left: i128, right: i128) -> Option<i128> {
    let value = match operator.integer()? {
        Binary::Add => left.checked_add(right),
        Binary::Sub => left.checked_sub(right),
        Binary::Mul => left.checked_mul(right),
        Binary::Div => left.checked_div(right),
        Binary::Shl => u32::try_from(right).ok().filter(|by| *by <= 64).and_then(|by| left.checked_mul(1 << by)),
        Binary::Shr => u32::try_from(right).ok().map(|by| left >> by.min(127)),
        Binary::BitAnd => (left >= 0 && right >= 0).then_some(left & right),
        Binary::BitOr => (left >= 0 && right >= 0).then_some(left | right),
        Binary::BitXor => (left >= 0 && right >= 0).then_some(left ^ right),
        _ => None,
    };
    value.filter(|value| value.unsigned_abs() < 1 << 100)
}
