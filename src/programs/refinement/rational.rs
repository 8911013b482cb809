//! Rational numbers, exact: what does not fit 128 bits is an answer of its own.

use std::cmp::Ordering;

/// A fraction in lowest terms; the denominator is positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rational {
    /// The numerator.
    pub above: i128,
    /// The denominator.
    pub below: i128,
}

/// The greatest common divisor, positive unless both are 0.
pub fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        if let (Ok(short), Ok(other)) = (u64::try_from(a), u64::try_from(b)) {
            return i128::from(short_gcd(short, other));
        }
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(1)
}

/// The same of numbers that a machine divides at once.
fn short_gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Rational {
    /// 0
    pub const ZERO: Rational = Rational { above: 0, below: 1 };
    /// 1
    pub const ONE: Rational = Rational { above: 1, below: 1 };

    /// A fraction; none if the denominator is 0 or the terms do not fit.
    pub fn new(above: i128, below: i128) -> Option<Rational> {
        if below == 0 {
            return None;
        }
        let divisor = gcd(above, below).max(1);
        let (above, below) = (above / divisor, below / divisor);
        if below < 0 {
            return Some(Rational { above: above.checked_neg()?, below: below.checked_neg()? });
        }
        Some(Rational { above, below })
    }

    /// An integer.
    pub fn integer(number: i128) -> Rational {
        Rational { above: number, below: 1 }
    }

    /// Less than, equal to, or greater than 0: -1, 0, 1.
    pub fn sign(self) -> i128 {
        self.above.signum()
    }

    /// Whether it is 0.
    pub fn is_zero(self) -> bool {
        self.above == 0
    }

    /// The sum, if it fits.
    pub fn plus(self, other: Rational) -> Option<Rational> {
        if self.below == 1 && other.below == 1 {
            return Some(Rational::integer(self.above.checked_add(other.above)?));
        }
        let divisor = gcd(self.below, other.below);
        let (mine, others) = (other.below / divisor, self.below / divisor);
        let above = self.above.checked_mul(mine)?.checked_add(other.above.checked_mul(others)?)?;
        Rational::new(above, self.below.checked_mul(mine)?)
    }

    /// The difference, if it fits.
    pub fn minus(self, other: Rational) -> Option<Rational> {
        self.plus(other.negated()?)
    }

    /// The negation, if it fits.
    pub fn negated(self) -> Option<Rational> {
        Some(Rational { above: self.above.checked_neg()?, below: self.below })
    }

    /// The product, if it fits.
    pub fn times(self, other: Rational) -> Option<Rational> {
        if self.below == 1 && other.below == 1 {
            return Some(Rational::integer(self.above.checked_mul(other.above)?));
        }
        let (one, two) = (gcd(self.above, other.below).max(1), gcd(other.above, self.below).max(1));
        let above = (self.above / one).checked_mul(other.above / two)?;
        let below = (self.below / two).checked_mul(other.below / one)?;
        Rational::new(above, below)
    }

    /// The quotient, if it fits and the divisor is not 0.
    pub fn over(self, other: Rational) -> Option<Rational> {
        self.times(Rational::new(other.below, other.above)?)
    }

    /// Which is greater, if that can be told.
    pub fn compared(self, other: Rational) -> Option<Ordering> {
        Some(self.minus(other)?.sign().cmp(&0))
    }
}
