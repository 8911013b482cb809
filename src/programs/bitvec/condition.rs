//! Conditions in normal form: comparisons (x ≤ 4 and x < 5 are one term), equalities by the difference of their sides, negation,
//! conjunction.

use super::term::{Node, Term, Terms};
use super::value::Operator;
use super::value::{mask, signed, signed_maximum, signed_minimum};

impl Terms {
    /// Bitwise negation.
    pub fn not(&mut self, a: Term) -> Term {
        let width = self.width(a);
        match *self.node(a) {
            Node::Not(of) => of,
            Node::Constant(value) => self.constant(!value, width),
            _ => self.intern(Node::Not(a), width),
        }
    }

    /// Bitwise and.
    pub fn and(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = (a.min(b), a.max(b));
        let width = self.width(a);
        if a == b {
            return a;
        }
        if self.are_opposite(a, b) {
            return self.constant(0, width);
        }
        match (self.as_constant(a), self.as_constant(b)) {
            (Some(x), Some(y)) => self.constant(x & y, width),
            (Some(0), _) => a,
            (_, Some(0)) => b,
            (Some(x), _) if x == mask(width) => b,
            (_, Some(y)) if y == mask(width) => a,
            _ => self.intern(Node::Binary(Operator::And, a, b), width),
        }
    }

    /// Bitwise or.
    pub fn or(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = (self.not(a), self.not(b));
        let both = self.and(a, b);
        self.not(both)
    }

    /// Bitwise exclusive or.
    pub fn xor(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        // Negations are outside.
        let (mut operands, mut negated) = ([a, b], false);
        for operand in &mut operands {
            if let &Node::Not(of) = self.node(*operand) {
                (*operand, negated) = (of, !negated);
            }
        }
        operands.sort_unstable();
        let [a, b] = operands;
        let plain = match (self.as_constant(a), self.as_constant(b)) {
            _ if a == b => self.constant(0, width),
            (Some(x), Some(y)) => self.constant(x ^ y, width),
            (Some(0), _) => b,
            (_, Some(0)) => a,
            (Some(x), _) if x == mask(width) => self.not(b),
            (_, Some(y)) if y == mask(width) => self.not(a),
            _ => self.intern(Node::Binary(Operator::Xor, a, b), width),
        };
        if negated { self.not(plain) } else { plain }
    }

    fn are_opposite(&self, a: Term, b: Term) -> bool {
        *self.node(a) == Node::Not(b) || *self.node(b) == Node::Not(a)
    }

    /// All of some conditions.
    pub fn all(&mut self, conditions: &[Term]) -> Term {
        let mut all = self.truth(true);
        for &condition in conditions {
            all = self.and(all, condition);
        }
        all
    }

    /// Some of some conditions.
    pub fn any(&mut self, conditions: &[Term]) -> Term {
        let mut any = self.truth(false);
        for &condition in conditions {
            any = self.or(any, condition);
        }
        any
    }

    /// If the first condition holds, so does the second.
    pub fn implies(&mut self, a: Term, b: Term) -> Term {
        let a = self.not(a);
        self.or(a, b)
    }

    /// Whether two terms are equal.
    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        if a == b {
            return self.truth(true);
        }
        if self.width(a) == 1 {
            let differ = self.xor(a, b);
            return self.not(differ);
        }
        if let Some(same) = self.eq_of_extended(a, b).or_else(|| self.eq_of_choice(a, b)) {
            return same;
        }
        match self.balanced(a, b) {
            Err(truth) => self.truth(truth),
            // What is left may be two extended terms, or a choice.
            Ok((left, right)) if (left, right) != (a, b) && (left, right) != (b, a) => {
                let same = self.eq_of_extended(left, right).or_else(|| self.eq_of_choice(left, right));
                same.unwrap_or_else(|| self.intern_eq(left, right))
            }
            Ok((left, right)) => self.intern_eq(left, right),
        }
    }

    fn intern_eq(&mut self, left: Term, right: Term) -> Term {
        self.intern(Node::Binary(Operator::Eq, left, right), 1)
    }

    /// Equality of a term that was made wider with a constant, or with another that was made wider likewise.
    fn eq_of_extended(&mut self, a: Term, b: Term) -> Option<Term> {
        let (a, b) = if self.as_constant(a).is_some() { (b, a) } else { (a, b) };
        let &Node::Extend { signed: with_sign, of } = self.node(a) else { return None };
        let narrow = self.width(of);
        if let Some(value) = self.as_constant(b) {
            let back =
                if with_sign { signed(value, narrow) as u128 & mask(self.width(a)) } else { value & mask(narrow) };
            if back != value {
                return Some(self.truth(false));
            }
            let value = self.constant(value, narrow);
            return Some(self.eq(of, value));
        }
        match self.node(b) {
            &Node::Extend { signed, of: other } if signed == with_sign && self.width(other) == narrow => {
                Some(self.eq(of, other))
            }
            _ => None,
        }
    }

    /// `(c ? 1 : 0) = 1` is c: equality of a choice between constants with a constant.
    fn eq_of_choice(&mut self, a: Term, b: Term) -> Option<Term> {
        let (a, b) = if self.as_constant(a).is_some() { (b, a) } else { (a, b) };
        let value = self.as_constant(b)?;
        let &Node::Ite(condition, yes, no) = self.node(a) else { return None };
        match (self.as_constant(yes)? == value, self.as_constant(no)? == value) {
            (true, false) => Some(condition),
            (false, true) => Some(self.not(condition)),
            _ => Some(self.truth(false)),
        }
    }

    /// Whether two terms differ.
    pub fn ne(&mut self, a: Term, b: Term) -> Term {
        let same = self.eq(a, b);
        self.not(same)
    }

    /// Less, unsigned.
    pub fn ult(&mut self, a: Term, b: Term) -> Term {
        self.less(Operator::Ult, a, b)
    }

    /// Less or equal, unsigned.
    pub fn ule(&mut self, a: Term, b: Term) -> Term {
        let greater = self.ult(b, a);
        self.not(greater)
    }

    /// Less, signed.
    pub fn slt(&mut self, a: Term, b: Term) -> Term {
        self.less(Operator::Slt, a, b)
    }

    /// Less or equal, signed.
    pub fn sle(&mut self, a: Term, b: Term) -> Term {
        let greater = self.slt(b, a);
        self.not(greater)
    }

    /// A constant is always on the right, and x < least + 1 is an equality.
    fn less(&mut self, operator: Operator, a: Term, b: Term) -> Term {
        let width = self.width(a);
        let (least, greatest) = match operator {
            Operator::Slt => (signed_minimum(width), signed_maximum(width)),
            _ => (0, mask(width)),
        };
        let (left, right) = (self.as_constant(a), self.as_constant(b));
        match (left, right) {
            _ if a == b => self.truth(false),
            (Some(x), Some(y)) => {
                let value = super::value::apply(operator, x, y, width);
                self.constant(value, 1)
            }
            (Some(x), _) if x == greatest => self.truth(false),
            (Some(x), _) => {
                let next = self.constant(x.wrapping_add(1), width);
                let at_most = self.less(operator, b, next);
                self.not(at_most)
            }
            (_, Some(y)) if y == least => self.truth(false),
            (_, Some(y)) if y == least.wrapping_add(1) & mask(width) => {
                let least = self.constant(least, width);
                self.eq(a, least)
            }
            (_, Some(y)) if y == greatest => self.ne(a, b),
            _ => self.less_of_extended(operator, a, b),
        }
    }

    /// Terms that were made wider in the same way compare as they did; with zeros, they are not negative.
    fn less_of_extended(&mut self, operator: Operator, a: Term, b: Term) -> Term {
        let wide = self.width(a);
        let extended = |terms: &Terms, term: Term| match *terms.node(term) {
            Node::Extend { signed, of } => Some((signed, of, terms.width(of))),
            _ => None,
        };
        if let (Some((false, of, narrow)), Some(value)) = (extended(self, a), self.as_constant(b)) {
            // Both are numbers from 0 on, but for a negative constant.
            if operator == Operator::Slt && value > signed_maximum(wide) {
                return self.truth(false);
            }
            if value > mask(narrow) {
                return self.truth(true);
            }
            let value = self.constant(value, narrow);
            return self.less(Operator::Ult, of, value);
        }
        if let (Some((true, of, narrow)), Some(value), Operator::Slt) =
            (extended(self, a), self.as_constant(b), operator)
        {
            let value = signed(value, wide);
            if value > signed(signed_maximum(narrow), narrow) {
                return self.truth(true);
            }
            if value <= signed(signed_minimum(narrow), narrow) {
                return self.truth(false);
            }
            let value = self.constant(value as u128, narrow);
            return self.less(Operator::Slt, of, value);
        }
        if let (Some((how, x, narrow)), Some((likewise, y, other))) = (extended(self, a), extended(self, b))
            && (how, narrow) == (likewise, other)
        {
            // Extension with the sign keeps both orders, extension with zeros makes both the unsigned one.
            let operator = if how { operator } else { Operator::Ult };
            return self.less(operator, x, y);
        }
        self.intern(Node::Binary(operator, a, b), 1)
    }
}
