//! Sums over the integers: in so many bits that nothing wraps around.

use super::term::{Term, Terms};
use super::value::unsigned;

/// Integers of this many bits and more are not added.
const WIDE: u8 = 100;

/// Sums have fewer bits than this.
pub const WIDEST: u8 = 128;

/// A term that stands for an integer.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    /// The bits.
    pub term: Term,
    /// Whether the first one is the sign.
    pub signed: bool,
}

impl Terms {
    /// So many bits that a sum of numbers with factors, and a constant, does not wrap around in them; none if those are too many.
    pub fn exact_width(&self, parts: &[(Number, i128)], constant: i128) -> Option<u8> {
        let mut greatest: u128 = constant.unsigned_abs();
        for &(number, factor) in parts {
            let width = self.width(number.term);
            let one = 1u128.checked_shl(u32::from(width)).filter(|_| width < WIDE)?;
            greatest = greatest.checked_add(one.checked_mul(factor.unsigned_abs())?)?;
        }
        let width = u8::try_from(128 - greatest.leading_zeros()).ok()? + 2;
        (width < WIDEST).then_some(width)
    }

    /// Such a sum modulo 2^width.
    pub fn sum_of_width(&mut self, parts: &[(Number, i128)], constant: i128, width: u8) -> Term {
        let mut sum = self.constant(unsigned(constant, width), width);
        for &(number, factor) in parts {
            let wide = self.resize(number.term, width, number.signed);
            sum = self.linear(&[(sum, 1), (wide, unsigned(factor, width))], 0);
        }
        sum
    }

    /// That a term, as a number with a sign, is not positive.
    pub fn not_positive(&mut self, sum: Term) -> Term {
        let zero = self.constant(0, self.width(sum));
        let positive = self.slt(zero, sum);
        self.not(positive)
    }
}
