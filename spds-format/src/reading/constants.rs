//! Constant expressions: numbers that are known while a text is read.

use std::ops::Range;

use super::precedence::{Expressions, Next, Taken, expression};
use super::tokens::{Broken, Kind, Reader};
use crate::expr::Binary;

/// A language with constant expressions.
pub trait Constants<'t>: Reader<'t> {
    /// What opens and closes a parenthesis.
    const PARENTHESES: [Kind<'t, Self>; 2];

    /// Which operator between constants a token is, and how tightly it binds; all group from the left.
    fn operator(token: Kind<'t, Self>) -> Option<(Binary, u8)>;

    /// Takes a number or the name of one; `None` if it has no value, which has been complained about.
    ///
    /// # Errors
    /// If there is neither.
    fn number_or_name(&mut self, what: &str) -> Result<Option<u64>, Broken>;
}

/// Reads a constant; its value, or `None` after a complaint; and where it stands.
///
/// # Errors
/// After a syntax error; the complaint has been made.
pub fn constant<'t, R: Constants<'t>>(reader: &mut R, what: &str) -> Result<(Option<u64>, Range<usize>), Broken> {
    let begin = reader.cursor().start() as usize;
    let mut evaluation = Evaluation { reader, what, values: Vec::new(), complained: false, text: Default::default() };
    expression(&mut evaluation, &mut Vec::new())?;
    let Evaluation { reader, values, complained, .. } = evaluation;
    let span = begin..reader.cursor().previous_end as usize;
    let value = values.last().copied().flatten().and_then(|value| u64::try_from(value).ok());
    if value.is_none() && !complained {
        reader.complaints().error("this constant has no value between 0 and 2^64 - 1", span.clone());
    }
    Ok((value, span))
}

struct Evaluation<'r, 't, R> {
    reader: &'r mut R,
    what: &'r str,
    /// `None` where there is no value.
    values: Vec<Option<i128>>,
    complained: bool,
    text: std::marker::PhantomData<&'t str>,
}

impl<'t, R: Constants<'t>> Expressions for Evaluation<'_, 't, R> {
    type Operator = (Binary, u8);
    /// Where the parenthesis was opened.
    type Bracket = Range<usize>;
    type Broken = Broken;

    fn operand(&mut self) -> Result<Taken<(Binary, u8), Range<usize>>, Broken> {
        let here = self.reader.cursor().span();
        if self.reader.take(R::PARENTHESES[0]) {
            return Ok(Taken::Open(here));
        }
        let value = self.reader.number_or_name(self.what)?;
        self.complained |= value.is_none();
        self.values.push(value.map(i128::from));
        Ok(Taken::Operand)
    }

    fn operator(&mut self, _: bool) -> Result<Next<(Binary, u8), Range<usize>>, Broken> {
        let Some(operator) = R::operator(self.reader.cursor().kind()) else { return Ok(Next::End) };
        self.reader.bump();
        Ok(Next::Infix(operator))
    }

    fn takes(&mut self, (_, before): &mut (Binary, u8), (_, next): &mut (Binary, u8)) -> bool {
        before >= next
    }

    fn apply(&mut self, (operator, _): (Binary, u8)) {
        let (right, left) = (self.values.pop().flatten(), self.values.pop().flatten());
        self.values.push(left.zip(right).and_then(|(left, right)| compute(operator, left, right)));
    }

    fn close(&mut self, opened: Range<usize>) -> Result<Taken<(Binary, u8), Range<usize>>, Broken> {
        if self.reader.take(R::PARENTHESES[1]) { Ok(Taken::Operand) } else { self.reader.unclosed("`)`", opened) }
    }
}

/// The value, if there is one that is not too large to go on with.
fn compute(operator: Binary, left: i128, right: i128) -> Option<i128> {
    let value = match operator {
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
