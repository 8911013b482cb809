//! Integers as relations: one for each binary digit, in two's complement, and one that says where there is a value. They are as
//! wide as it takes, because integers of the model are those of mathematics.

use super::logic::Logic;
use crate::limits::Stop;

type Result<T> = std::result::Result<T, Stop>;

/// An integer.
#[derive(Clone)]
pub(super) struct Number<T> {
    /// From the least significant one on; the last one is the sign, and says the same of all that would follow.
    digits: Vec<T>,
    /// Where it has a value.
    pub defined: T,
}

/// A shift to the left by more has no value.
const WIDEST_SHIFT: usize = 64;

impl<T: Clone + PartialEq> Number<T> {
    /// Without a sign: these digits, the least significant one first.
    pub fn unsigned(space: &impl Logic<Term = T>, mut digits: Vec<T>) -> Number<T> {
        digits.push(space.bottom());
        Number { digits, defined: space.top() }
    }

    pub fn constant(space: &impl Logic<Term = T>, value: u64) -> Number<T> {
        let digit = |i: u32| if value >> i & 1 == 1 { space.top() } else { space.bottom() };
        Number::unsigned(space, (0..64 - value.leading_zeros()).map(digit).collect())
    }

    /// Without a value.
    pub fn nothing(space: &impl Logic<Term = T>) -> Number<T> {
        Number { digits: vec![space.bottom()], defined: space.bottom() }
    }

    fn sign(&self) -> &T {
        self.digits.last().expect("a number has a sign")
    }

    /// The digits of this number, so many.
    fn wide(&self, width: usize) -> impl Iterator<Item = &T> {
        self.digits.iter().chain(std::iter::repeat(self.sign())).take(width)
    }

    fn made(mut digits: Vec<T>, defined: T) -> Number<T> {
        while digits.len() > 1 && digits[digits.len() - 1] == digits[digits.len() - 2] {
            digits.pop();
        }
        Number { digits, defined }
    }

    /// The one where a condition holds, the other elsewhere; each has a value only where it is taken.
    pub fn choose(
        space: &impl Logic<Term = T>,
        [then, otherwise]: [&T; 2],
        a: &Number<T>,
        b: &Number<T>,
    ) -> Result<Number<T>> {
        let width = a.digits.len().max(b.digits.len());
        let mut digits = Vec::with_capacity(width);
        for (a, b) in a.wide(width).zip(b.wide(width)) {
            digits.push(space.ite(then, a, b)?);
        }
        let [a, b] = [space.and(then, &a.defined)?, space.and(otherwise, &b.defined)?];
        Ok(Number::made(digits, space.or(&a, &b)?))
    }

    /// Where the digits are the same.
    pub fn equals(&self, space: &impl Logic<Term = T>, other: &Number<T>) -> Result<T> {
        let width = self.digits.len().max(other.digits.len());
        let mut all = space.top();
        for (a, b) in self.wide(width).zip(other.wide(width)) {
            all = space.and(&all, &space.iff(a, b)?)?;
        }
        Ok(all)
    }

    /// Where it has this value.
    pub fn is(&self, space: &impl Logic<Term = T>, value: u64) -> Result<T> {
        space.and(&self.defined, &self.equals(space, &Number::constant(space, value))?)
    }

    /// Where it is less.
    pub fn less(&self, space: &impl Logic<Term = T>, other: &Number<T>) -> Result<T> {
        Ok(self.minus(space, other)?.sign().clone())
    }

    /// Where it is this unsigned number of a fixed width, given by its digits.
    pub fn fits(&self, space: &impl Logic<Term = T>, digits: &[T]) -> Result<T> {
        let mut all = space.and_not(&self.defined, self.sign())?;
        let width = self.digits.len().max(digits.len());
        let none = space.bottom();
        let stored = digits.iter().chain(std::iter::repeat(&none)).take(width);
        for (own, stored) in self.wide(width).zip(stored) {
            all = space.and(&all, &space.iff(own, stored)?)?;
        }
        Ok(all)
    }

    fn both_defined(&self, space: &impl Logic<Term = T>, other: &Number<T>) -> Result<T> {
        space.and(&self.defined, &other.defined)
    }

    pub fn plus(&self, space: &impl Logic<Term = T>, other: &Number<T>) -> Result<Number<T>> {
        self.added(space, other, space.bottom(), |b| Ok(b.clone()))
    }

    pub fn minus(&self, space: &impl Logic<Term = T>, other: &Number<T>) -> Result<Number<T>> {
        self.added(space, other, space.top(), |b| space.not(b))
    }

    fn added(
        &self,
        space: &impl Logic<Term = T>,
        other: &Number<T>,
        mut carry: T,
        turned: impl Fn(&T) -> Result<T>,
    ) -> Result<Number<T>> {
        let width = self.digits.len().max(other.digits.len()) + 1;
        let mut digits = Vec::with_capacity(width);
        for (a, b) in self.wide(width).zip(other.wide(width)) {
            let b = turned(b)?;
            let half = space.xor(a, &b)?;
            digits.push(space.xor(&half, &carry)?);
            carry = space.ite(&half, &carry, a)?;
        }
        Ok(Number::made(digits, self.both_defined(space, other)?))
    }

    fn negative(&self, space: &impl Logic<Term = T>) -> Result<Number<T>> {
        Number { defined: self.defined.clone(), ..Number::constant(space, 0) }.minus(space, self)
    }

    fn magnitude(&self, space: &impl Logic<Term = T>) -> Result<Number<T>> {
        let negative = self.negative(space)?;
        self.signed_as(space, self.sign(), &negative)
    }

    /// Its negation where that is asked for.
    fn signed_as(&self, space: &impl Logic<Term = T>, minus: &T, negative: &Number<T>) -> Result<Number<T>> {
        let plus = space.not(minus)?;
        Number::choose(space, [minus, &plus], negative, self)
    }

    pub fn times(&self, space: &impl Logic<Term = T>, other: &Number<T>) -> Result<Number<T>> {
        let [a, b] = [self.magnitude(space)?, other.magnitude(space)?];
        let mut sum = Number::constant(space, 0);
        for (place, digit) in b.digits.iter().enumerate() {
            if space.is_empty(digit) {
                continue;
            }
            let mut digits = vec![space.bottom(); place];
            for own in &a.digits {
                digits.push(space.and(own, digit)?);
            }
            sum = sum.plus(space, &Number { digits, defined: space.top() })?;
        }
        let minus = space.xor(self.sign(), other.sign())?;
        let negative = sum.negative(space)?;
        let product = sum.signed_as(space, &minus, &negative)?;
        Ok(Number { defined: self.both_defined(space, other)?, ..product })
    }

    /// Quotient, rounded towards zero, and remainder.
    pub fn divided(&self, space: &impl Logic<Term = T>, other: &Number<T>) -> Result<(Number<T>, Number<T>)> {
        let [a, b] = [self.magnitude(space)?, other.magnitude(space)?];
        let mut quotient = vec![space.bottom(); a.digits.len()];
        let mut rest = Number::constant(space, 0);
        for (place, digit) in a.digits.iter().enumerate().rev() {
            let digits = std::iter::once(digit).chain(&rest.digits).cloned().collect();
            rest = Number { digits, defined: space.top() };
            let less = rest.minus(space, &b)?;
            let enough = space.not(less.sign())?;
            rest = Number::choose(space, [&enough, less.sign()], &less, &rest)?;
            rest.defined = space.top();
            quotient[place] = enough;
        }
        quotient.push(space.bottom());
        let quotient = Number { digits: quotient, defined: space.top() };
        let defined =
            space.and_not(&self.both_defined(space, other)?, &other.equals(space, &Number::constant(space, 0))?)?;
        let minus = space.xor(self.sign(), other.sign())?;
        let [lesser, lower] = [quotient.negative(space)?, rest.negative(space)?];
        let quotient = quotient.signed_as(space, &minus, &lesser)?;
        let rest = rest.signed_as(space, self.sign(), &lower)?;
        Ok((Number { defined: defined.clone(), ..quotient }, Number { defined, ..rest }))
    }

    /// Times two to a power.
    pub fn shifted_left(&self, space: &impl Logic<Term = T>, by: &Number<T>) -> Result<Number<T>> {
        let mut all = Number::nothing(space);
        for places in 0..=WIDEST_SHIFT {
            let here = by.is(space, places as u64)?;
            if space.is_empty(&here) {
                continue;
            }
            let digits = vec![space.bottom(); places].into_iter().chain(self.digits.iter().cloned()).collect();
            let shifted = Number { digits, defined: self.defined.clone() };
            all = Number::choose(space, [&here, &space.not(&here)?], &shifted, &all)?;
        }
        Ok(all)
    }

    /// Divided by two to a power, rounded down.
    pub fn shifted_right(&self, space: &impl Logic<Term = T>, by: &Number<T>) -> Result<Number<T>> {
        let defined = space.and_not(&self.both_defined(space, by)?, by.sign())?;
        let mut all = Number { digits: vec![self.sign().clone()], defined: space.top() };
        for places in 0..self.digits.len() - 1 {
            let here = by.is(space, places as u64)?;
            let shifted = Number { digits: self.digits[places..].to_vec(), defined: space.top() };
            all = Number::choose(space, [&here, &space.not(&here)?], &shifted, &all)?;
        }
        Ok(Number { defined, ..all })
    }

    /// Bit by bit, of two numbers that are not negative.
    pub fn bitwise(
        &self,
        space: &impl Logic<Term = T>,
        other: &Number<T>,
        digit: impl Fn(&T, &T) -> Result<T>,
    ) -> Result<Number<T>> {
        let width = self.digits.len().max(other.digits.len());
        let mut digits = Vec::with_capacity(width);
        for (a, b) in self.wide(width).zip(other.wide(width)) {
            digits.push(digit(a, b)?);
        }
        let negative = space.or(self.sign(), other.sign())?;
        Ok(Number::made(digits, space.and_not(&self.both_defined(space, other)?, &negative)?))
    }
}
