//! Constant expressions: sizes, bounds, and what `define` defines.

use spds_format::Diagnostic;

use super::lexer::{Kind, Span};
use super::parser::{Broken, Parser};

#[derive(Clone, Copy)]
enum Waiting {
    Paren(Span),
    Operator(Kind),
}

fn priority(operator: Kind) -> Option<u8> {
    match operator {
        Kind::Shl => Some(1),
        Kind::Plus | Kind::Minus => Some(2),
        Kind::Star | Kind::Slash => Some(3),
        _ => None,
    }
}

/// `None` if the result is no integer of a sensible size.
fn apply(operator: Kind, a: i128, b: i128) -> Option<i128> {
    match operator {
        Kind::Shl => u32::try_from(b).ok().filter(|by| *by <= 64).and_then(|by| a.checked_mul(1 << by)),
        Kind::Plus => a.checked_add(b),
        Kind::Minus => a.checked_sub(b),
        Kind::Star => a.checked_mul(b),
        _ => a.checked_div(b),
    }
}

impl Parser<'_> {
    /// Reads a constant expression, with what is wrong with its value in the place of the value. After a syntax error the
    /// complaint has been made.
    pub(super) fn constant(&mut self) -> Result<(Option<u64>, Span), Broken> {
        let begin = self.lexer.peek().span;
        let mut waiting: Vec<Waiting> = Vec::new();
        // `None` where the value makes no sense.
        let mut values: Vec<Option<i128>> = Vec::new();
        let mut complained = false;
        let mut end;
        loop {
            let token = self.lexer.peek();
            end = token.span;
            match token.kind {
                Kind::Open => {
                    waiting.push(Waiting::Paren(token.span));
                    self.lexer.skip(token);
                    continue;
                }
                Kind::Number => {
                    let number = self.number(token.span);
                    complained |= number.is_none();
                    values.push(number.map(i128::from));
                }
                Kind::Name => {
                    let name = self.lexer.text_of(token.span);
                    let value = self.defines.get(name).copied();
                    if value.is_none() {
                        complained = true;
                        let mut complaint = Diagnostic::error(format!("`{name}` is not defined"), token.span.range());
                        complaint.help = Some(format!("a constant is defined by `define {name} 3`, before its use"));
                        self.complaints.push(complaint);
                    }
                    values.push(value.map(i128::from));
                }
                _ => return self.unexpected("a constant"),
            }
            self.lexer.skip(token);
            loop {
                let token = self.lexer.peek();
                let level = priority(token.kind);
                while let Some(&Waiting::Operator(operator)) = waiting.last()
                    && priority(operator) >= level
                {
                    waiting.pop();
                    let (b, a) = (values.pop().flatten(), values.pop().flatten());
                    values.push(a.zip(b).and_then(|(a, b)| apply(operator, a, b)));
                }
                if level.is_some() {
                    waiting.push(Waiting::Operator(token.kind));
                    self.lexer.skip(token);
                    break;
                }
                match (token.kind, waiting.last()) {
                    (Kind::Close, Some(Waiting::Paren(_))) => {
                        waiting.pop();
                        end = token.span;
                        self.lexer.skip(token);
                    }
                    (_, Some(&Waiting::Paren(opened))) => return self.unclosed("`)`", opened),
                    _ => {
                        let span = begin.to(end);
                        let value = values.pop().flatten();
                        let fits = value.and_then(|value| u64::try_from(value).ok());
                        if fits.is_none() && !complained {
                            let message = "this constant has no value between 0 and 2^64 - 1";
                            self.complaints.error(message, span.range());
                        }
                        return Ok((fits, span));
                    }
                }
            }
        }
    }

    /// The value of a number.
    pub(super) fn number(&mut self, span: Span) -> Option<u64> {
        let value = self.lexer.text_of(span).parse().ok();
        if value.is_none() {
            self.complaints.error("this number is larger than 2^64 - 1", span.range());
        }
        value
    }
}
