//! Constant expressions: sizes, bounds, and what `define` defines.

use spds_format::Diagnostic;
use spds_format::expr::Binary;
use spds_format::reading::constants::{self, Constants};
use spds_format::reading::tokens::{Broken, Reader, Span};

use super::lexer::TokenKind;
use super::parser::Parser;

impl<'t> Constants<'t> for Parser<'t> {
    const PARENTHESES: [TokenKind; 2] = [TokenKind::Open, TokenKind::Close];

    fn operator(token: TokenKind) -> Option<(Binary, u8)> {
        match token {
            TokenKind::Shl => Some((Binary::Shl, 1)),
            TokenKind::Plus => Some((Binary::Add, 2)),
            TokenKind::Minus => Some((Binary::Sub, 2)),
            TokenKind::Star => Some((Binary::Mul, 3)),
            TokenKind::Slash => Some((Binary::Div, 3)),
            _ => None,
        }
    }

    fn number_or_name(&mut self, what: &str) -> Result<Option<u64>, Broken> {
        let value = match self.cursor.kind() {
            TokenKind::Number => self.number(),
            TokenKind::Name => {
                let name = self.cursor.word();
                let value = self.defines.get(name).copied();
                if value.is_none() {
                    let complaint = Diagnostic::error(format!("`{name}` is not defined"), self.cursor.span());
                    let help = format!("a constant is defined by `define {name} 3`, before its use");
                    self.complaints.push(complaint.with_help(help));
                }
                value
            }
            _ => return self.unexpected(what),
        };
        self.bump();
        Ok(value)
    }
}

impl Parser<'_> {
    /// Reads a constant expression: its value, or `None` after a complaint.
    pub(super) fn constant(&mut self) -> Result<(Option<u64>, Span), Broken> {
        let (value, span) = constants::constant(self, "a constant")?;
        Ok((value, Span { start: span.start as u32, end: span.end as u32 }))
    }

    /// The value of the next token, a number.
    pub(super) fn number(&mut self) -> Option<u64> {
        let value = self.cursor.word().parse().ok();
        if value.is_none() {
            self.complain("this number is larger than 2^64 - 1");
        }
        value
    }
}
