//! Choices, extension, extraction, shifts and division: what is simplified when a term is built.

use super::term::{Node, Term, Terms};
use super::value::Operator;
use super::value::{apply, mask, signed};

impl Terms {
    /// If the condition is true `yes`, else `no`.
    pub fn ite(&mut self, condition: Term, yes: Term, no: Term) -> Term {
        if yes == no {
            return yes;
        }
        match *self.node(condition) {
            Node::Constant(value) => return if value == 1 { yes } else { no },
            Node::Not(of) => return self.ite(of, no, yes),
            _ => {}
        }
        let width = self.width(yes);
        if width == 1 {
            let then = self.implies(condition, yes);
            let otherwise = self.or(condition, no);
            return self.and(then, otherwise);
        }
        self.intern(Node::Ite(condition, yes, no), width)
    }

    /// A condition as a number, 0 or 1, of that width.
    pub fn number(&mut self, condition: Term, width: u8) -> Term {
        self.extend(condition, width, false)
    }

    /// Made wider, with its sign or with zeros; narrower by leaving out the high bits; or left as it is.
    pub fn resize(&mut self, a: Term, width: u8, signed: bool) -> Term {
        if width < self.width(a) { self.extract(a, 0, width) } else { self.extend(a, width, signed) }
    }

    /// Made wider, to `width` bits.
    pub fn extend(&mut self, a: Term, width: u8, with_sign: bool) -> Term {
        let narrow = self.width(a);
        if width == narrow {
            return a;
        }
        match *self.node(a) {
            Node::Constant(value) if with_sign => self.constant(signed(value, narrow) as u128, width),
            Node::Constant(value) => self.constant(value, width),
            // Zeros above make a number whose sign is 0.
            Node::Extend { signed, of } if signed == with_sign || !signed => self.extend(of, width, signed),
            _ => self.intern(Node::Extend { signed: with_sign, of: a }, width),
        }
    }

    /// The bits from `low` on, `width` of them.
    pub fn extract(&mut self, a: Term, low: u8, width: u8) -> Term {
        if low == 0 && width == self.width(a) {
            return a;
        }
        match self.node(a).clone() {
            Node::Constant(value) => self.constant(value >> low, width),
            Node::Extract { of, low: lower } => self.extract(of, low + lower, width),
            Node::Extend { of, signed } => {
                let narrow = self.width(of);
                if low + width <= narrow {
                    self.extract(of, low, width)
                } else if low == 0 {
                    self.extend(of, width, signed)
                } else if low >= narrow && !signed {
                    self.constant(0, width)
                } else {
                    self.intern(Node::Extract { of: a, low }, width)
                }
            }
            // The low bits of sums and products depend on low bits only. (This recurses over widths, not over the term.)
            Node::Sum(parts, constant) if low == 0 => {
                let parts: Vec<_> = parts.iter().map(|&(part, by)| (self.extract(part, 0, width), by)).collect();
                self.linear(&parts, constant)
            }
            Node::Product(factors) if low == 0 && !factors.iter().any(|&factor| self.is_sum(factor)) => {
                let mut product = self.constant(1, width);
                for &factor in &factors {
                    let factor = self.extract(factor, 0, width);
                    product = self.mul(product, factor);
                }
                product
            }
            Node::Ite(condition, yes, no) if self.as_constant(yes).is_some() && self.as_constant(no).is_some() => {
                let (yes, no) = (self.extract(yes, low, width), self.extract(no, low, width));
                self.ite(condition, yes, no)
            }
            _ => self.intern(Node::Extract { of: a, low }, width),
        }
    }

    fn is_sum(&self, term: Term) -> bool {
        matches!(self.node(term), Node::Sum(..))
    }

    /// The operator applied to two terms of one width, in normal form.
    pub fn binary(&mut self, operator: Operator, a: Term, b: Term) -> Term {
        let width = self.width(a);
        match operator {
            Operator::And => return self.and(a, b),
            Operator::Xor => return self.xor(a, b),
            Operator::Eq => return self.eq(a, b),
            Operator::Ult => return self.ult(a, b),
            Operator::Slt => return self.slt(a, b),
            _ => {}
        }
        match (operator, self.as_constant(a), self.as_constant(b)) {
            (_, Some(x), Some(y)) => self.constant(apply(operator, x, y, width), width),
            (Operator::Shl, ..) => self.shifted_left(a, b),
            (Operator::Lshr, _, Some(amount)) if amount >= u128::from(width) => self.constant(0, width),
            (Operator::Lshr | Operator::Ashr, _, Some(0)) => a,
            (Operator::Udiv | Operator::Sdiv, _, Some(1)) => a,
            (Operator::Urem | Operator::Srem, _, Some(1)) => self.constant(0, width),
            (Operator::Udiv, _, Some(by)) if by.is_power_of_two() => {
                let amount = self.constant(u128::from(by.trailing_zeros()), width);
                self.binary(Operator::Lshr, a, amount)
            }
            (Operator::Urem, _, Some(by)) if by.is_power_of_two() => {
                let low = self.extract(a, 0, by.trailing_zeros() as u8);
                self.extend(low, width, false)
            }
            _ => self.intern(Node::Binary(operator, a, b), width),
        }
    }

    /// A term of the same form with other operands: `of` says by what each is replaced.
    pub(super) fn rebuilt(&mut self, term: Term, of: impl Fn(Term) -> Term) -> Term {
        let (node, width) = (self.node(term).clone(), self.width(term));
        self.built(&node, width, of)
    }

    /// The term of a form, which may be that of a term of another collection, with these operands.
    pub(super) fn built(&mut self, node: &Node, width: u8, of: impl Fn(Term) -> Term) -> Term {
        match node {
            &Node::Variable(number) => self.variable(number, width),
            &Node::Constant(value) => self.constant(value, width),
            Node::Sum(parts, constant) => {
                let parts: Vec<_> = parts.iter().map(|&(part, by)| (of(part), by)).collect();
                self.linear(&parts, *constant & mask(width))
            }
            Node::Product(factors) => {
                let mut product = of(factors[0]);
                for &factor in &factors[1..] {
                    product = self.mul(product, of(factor));
                }
                product
            }
            &Node::Binary(operator, a, b) => self.binary(operator, of(a), of(b)),
            &Node::Not(a) => self.not(of(a)),
            &Node::Ite(condition, yes, no) => self.ite(of(condition), of(yes), of(no)),
            &Node::Extend { signed, of: a } => self.extend(of(a), width, signed),
            &Node::Extract { of: a, low } => self.extract(of(a), low, width),
        }
    }
}
