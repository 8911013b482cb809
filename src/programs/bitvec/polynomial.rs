//! Sums and products in one normal form, polynomials modulo 2ʷ: x + 1 + y − 1 and y + x are one term, and so are x·(y·z) and (x·y)·z.
//!
//! Products of sums are multiplied out while the result is short; what would be long stays a product of sums, which is as exact, but
//! has more than one form.

use super::term::{Node, Term, Terms};
use super::value::Operator;
use super::value::mask;

/// The longest product that is multiplied out, in monomials.
const LONGEST: usize = 24;

/// A polynomial while it is being computed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Polynomial {
    /// Sorted by monomial; no coefficient is 0.
    pub parts: Vec<(Term, u128)>,
    pub constant: u128,
}

impl Terms {
    /// The sum.
    pub fn add(&mut self, a: Term, b: Term) -> Term {
        self.linear(&[(a, 1), (b, 1)], 0)
    }

    /// The difference.
    pub fn sub(&mut self, a: Term, b: Term) -> Term {
        let minus = u128::MAX;
        self.linear(&[(a, 1), (b, minus)], 0)
    }

    /// The term with the other sign.
    pub fn neg(&mut self, a: Term) -> Term {
        self.linear(&[(a, u128::MAX)], 0)
    }

    /// Terms of one width, at least one, times constants, and a constant.
    pub fn linear(&mut self, parts: &[(Term, u128)], constant: u128) -> Term {
        let width = self.width(parts[0].0);
        let mut sum = Polynomial { parts: Vec::new(), constant };
        for &(term, factor) in parts {
            sum = sum.plus(&self.polynomial(term), factor, width);
        }
        self.of_polynomial(sum, width)
    }

    /// The product.
    pub fn mul(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        let (p, q) = (self.polynomial(a), self.polynomial(b));
        if p.parts.is_empty() {
            return self.linear(&[(b, p.constant)], 0);
        }
        if q.parts.is_empty() {
            return self.linear(&[(a, q.constant)], 0);
        }
        if (p.parts.len() + 1) * (q.parts.len() + 1) > LONGEST {
            let monomial = self.monomial(a, b, width);
            return self.of_polynomial(Polynomial { parts: vec![(monomial, 1)], constant: 0 }, width);
        }
        let mut product = Polynomial::default().plus(&p, q.constant, width);
        for &(right, by) in &q.parts {
            let mut row = Polynomial { parts: vec![(right, p.constant.wrapping_mul(by))], constant: 0 };
            row.parts.extend(
                p.parts.iter().map(|&(left, times)| (self.monomial(left, right, width), times.wrapping_mul(by))),
            );
            row.parts.sort_unstable();
            product = product.plus(&row.merged(width), 1, width);
        }
        self.of_polynomial(product, width)
    }

    /// The product of two monomials.
    fn monomial(&mut self, a: Term, b: Term, width: u8) -> Term {
        let mut factors = Vec::new();
        for term in [a, b] {
            match self.node(term) {
                Node::Product(of) => factors.extend_from_slice(of),
                _ => factors.push(term),
            }
        }
        factors.sort_unstable();
        self.intern(Node::Product(factors.into()), width)
    }

    /// A term as a polynomial. ~x is −x − 1, and a condition made wider, negated, one less it.
    pub(super) fn polynomial(&self, term: Term) -> Polynomial {
        let width = self.width(term);
        match self.node(term) {
            Node::Sum(parts, constant) => Polynomial { parts: parts.to_vec(), constant: *constant },
            Node::Constant(constant) => Polynomial { parts: Vec::new(), constant: *constant },
            &Node::Not(of) if width > 1 => {
                Polynomial { parts: Vec::new(), constant: mask(width) }.plus(&self.polynomial(of), mask(width), width)
            }
            _ => Polynomial { parts: vec![(term, 1)], constant: 0 },
        }
    }

    pub(super) fn of_polynomial(&mut self, polynomial: Polynomial, width: u8) -> Term {
        let Polynomial { parts, constant } = polynomial;
        let constant = constant & mask(width);
        match &parts[..] {
            [] => self.constant(constant, width),
            &[(term, 1)] if constant == 0 => term,
            // ~x is the shorter form of −x − 1.
            &[(term, factor)] if width > 1 && factor == mask(width) && constant == mask(width) => {
                self.intern(Node::Not(term), width)
            }
            _ => self.intern(Node::Sum(parts.into(), constant), width),
        }
    }

    /// The operands of an equality in normal form, or its truth: what is left of the difference, positive parts on the left.
    pub(super) fn balanced(&mut self, a: Term, b: Term) -> Result<(Term, Term), bool> {
        let width = self.width(a);
        let mut difference = self.polynomial(a).plus(&self.polynomial(b), mask(width), width);
        let Some(&(_, leading)) = difference.parts.first() else { return Err(difference.constant == 0) };
        if leading > mask(width) >> 1 {
            difference = Polynomial::default().plus(&difference, mask(width), width);
        }
        // 2x + 4y = 1 has no solution modulo 2ʷ.
        let even = difference.parts.iter().map(|&(_, factor)| factor.trailing_zeros()).min().unwrap_or(0);
        if difference.constant != 0 && difference.constant.trailing_zeros() < even {
            return Err(false);
        }
        let (mut left, mut right) = (Polynomial::default(), Polynomial::default());
        for (term, factor) in difference.parts {
            if factor <= mask(width) >> 1 || factor == 1 << (width - 1) {
                left.parts.push((term, factor));
            } else {
                right.parts.push((term, factor.wrapping_neg() & mask(width)));
            }
        }
        right.constant = difference.constant.wrapping_neg() & mask(width);
        Ok((self.of_polynomial(left, width), self.of_polynomial(right, width)))
    }
}

impl Polynomial {
    /// This one and another times a factor.
    pub(super) fn plus(&self, other: &Polynomial, factor: u128, width: u8) -> Polynomial {
        let constant = self.constant.wrapping_add(other.constant.wrapping_mul(factor)) & mask(width);
        let mut parts = Vec::with_capacity(self.parts.len() + other.parts.len());
        parts.extend_from_slice(&self.parts);
        parts.extend(other.parts.iter().map(|&(term, times)| (term, times.wrapping_mul(factor))));
        parts.sort_by_key(|&(term, _)| term);
        Polynomial { parts, constant }.merged(width)
    }

    /// Sorted parts with equal monomials made one.
    fn merged(self, width: u8) -> Polynomial {
        let mut parts: Vec<(Term, u128)> = Vec::with_capacity(self.parts.len());
        for (term, factor) in self.parts {
            match parts.last_mut() {
                Some((last, sum)) if *last == term => *sum = sum.wrapping_add(factor),
                _ => parts.push((term, factor)),
            }
        }
        parts.retain_mut(|(_, factor)| {
            *factor &= mask(width);
            *factor != 0
        });
        Polynomial { parts, constant: self.constant & mask(width) }
    }
}

impl Terms {
    /// Shifts by constants are products; all others stay.
    pub(super) fn shifted_left(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        match self.as_constant(b) {
            Some(amount) if amount >= u128::from(width) => self.constant(0, width),
            Some(amount) => self.linear(&[(a, 1 << amount)], 0),
            None => self.intern(Node::Binary(Operator::Shl, a, b), width),
        }
    }
}
