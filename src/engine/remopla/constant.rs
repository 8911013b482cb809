//! Constant expressions: numbers that are known while the text is read.

use spds_format::Diagnostic;
use spds_format::expr::Binary;
use spds_format::reading::constants::{self, Constants};
use spds_format::reading::tokens::{Broken, Reader};

use super::lexer::TokenKind;
use super::operator::Operator;
use super::parser::Parser;

impl<'t> Constants<'t> for Parser<'t> {
    const PARENTHESES: [TokenKind; 2] = [TokenKind::Open, TokenKind::Close];

    fn operator(token: TokenKind) -> Option<(Binary, u8)> {
        let operator = Operator::of(token).filter(|operator| operator.is_arithmetic())?;
        Some((operator.integer()?, operator.tightness()))
    }

    fn number_or_name(&mut self, what: &str) -> Result<Option<u64>, Broken> {
        let value = match self.cursor.kind() {
            TokenKind::Number => self.number(),
            TokenKind::Name => {
                let name = self.cursor.word();
                let Some((value, _)) = self.declarations().constants.get(name) else {
                    let complaint = Diagnostic::error(format!("`{name}` is no constant"), self.cursor.span())
                        .with_help(format!("{what} is made of numbers and of names by `define` or `enum`"));
                    self.complaints.push(complaint);
                    return Err(Broken);
                };
                Some(*value)
            }
            _ => return self.unexpected(what),
        };
        self.bump();
        Ok(value)
    }
}

impl Parser<'_> {
    /// A constant: numbers, names of constants, operators and parentheses. Not negative.
    pub(super) fn constant(&mut self, what: &str) -> Result<u64, Broken> {
        constants::constant(self, what).map(|(value, _)| value.unwrap_or(1))
    }

    /// The value of the present token, a number.
    pub(super) fn number(&mut self) -> Option<u64> {
        let value = self.cursor.word().parse().ok();
        if value.is_none() {
            self.complain("numbers are below 2^64");
        }
        value
    }
}
