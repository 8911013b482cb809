//! Terms as circuits: bits from the lowest to the highest.
//!
//! Sums are ripple-carry adders, factors constant or not are shifts and additions (constants in non-adjacent form), division is
//! restoring division, shifts are barrel shifters.

use batsat::Lit;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::circuit::Circuit;
use super::term::{Node, Term, Terms};
use super::value::Operator;
use super::value::mask;

/// The bits of two terms.
type Two = (Vec<Lit>, Vec<Lit>);

/// Circuits of terms, each built once.
pub(super) struct Blaster {
    pub circuit: Circuit,
    built: HashMap<Term, Box<[Lit]>, FxBuildHasher>,
    /// Quotients and remainders, by the first bits of what is divided: a division has both.
    divided: HashMap<Two, Two, FxBuildHasher>,
}

impl Blaster {
    pub fn new(circuit: Circuit) -> Blaster {
        Blaster { circuit, built: HashMap::default(), divided: HashMap::default() }
    }

    /// The literal of a condition.
    pub fn condition(&mut self, terms: &Terms, condition: Term) -> Lit {
        self.bits(terms, condition);
        self.built[&condition][0]
    }

    /// The circuits of the term and all that it is built from.
    fn bits(&mut self, terms: &Terms, term: Term) {
        for next in terms.postorder(&[term], |next| !self.built.contains_key(&next)) {
            let bits = self.operation(terms, next);
            self.built.insert(next, bits.into());
        }
    }

    /// The bits of a variable, if it has a circuit.
    pub fn known(&self, term: Term) -> Option<&[Lit]> {
        self.built.get(&term).map(|bits| &bits[..])
    }

    fn of(&self, term: Term) -> Vec<Lit> {
        self.built[&term].to_vec()
    }

    fn number(&self, value: u128, width: u8) -> Vec<Lit> {
        (0..width).map(|bit| self.circuit.constant(value >> bit & 1 == 1)).collect()
    }

    fn operation(&mut self, terms: &Terms, term: Term) -> Vec<Lit> {
        let width = terms.width(term);
        match terms.node(term) {
            // Nobody builds such terms; if somebody does, they may be anything.
            _ if !terms.is_typed(term) => (0..width).map(|_| self.circuit.fresh()).collect(),
            Node::Variable(_) => (0..width).map(|_| self.circuit.fresh()).collect(),
            Node::Constant(value) => self.number(*value, width),
            Node::Sum(parts, constant) => self.sum(parts, *constant, width),
            Node::Product(factors) => {
                let mut product = self.of(factors[0]);
                for &factor in &factors[1..] {
                    let factor = self.of(factor);
                    product = self.product(&product, &factor);
                }
                product
            }
            &Node::Binary(operator, a, b) => {
                let (a, b) = (self.of(a), self.of(b));
                self.binary(operator, &a, &b)
            }
            &Node::Not(of) => self.of(of).into_iter().map(|bit| !bit).collect(),
            &Node::Ite(condition, yes, no) => {
                let condition = self.built[&condition][0];
                let (yes, no) = (self.of(yes), self.of(no));
                self.choice(condition, &yes, &no)
            }
            &Node::Extend { signed, of } => {
                let mut bits = self.of(of);
                let fill = if signed { bits[bits.len() - 1] } else { self.circuit.constant(false) };
                bits.resize(usize::from(width), fill);
                bits
            }
            &Node::Extract { of, low } => {
                let low = usize::from(low);
                self.built[&of][low..low + usize::from(width)].to_vec()
            }
        }
    }

    fn binary(&mut self, operator: Operator, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        match operator {
            Operator::And => a.iter().zip(b).map(|(&a, &b)| self.circuit.and(a, b)).collect(),
            Operator::Xor => a.iter().zip(b).map(|(&a, &b)| self.circuit.xor(a, b)).collect(),
            Operator::Eq => {
                let same: Vec<Lit> = a.iter().zip(b).map(|(&a, &b)| !self.circuit.xor(a, b)).collect();
                vec![self.circuit.all(&same)]
            }
            Operator::Ult => vec![self.less(a, b)],
            Operator::Slt => {
                // With the signs exchanged, the order is that of unsigned numbers.
                let (mut a, mut b) = (a.to_vec(), b.to_vec());
                let top = a.len() - 1;
                (a[top], b[top]) = (!a[top], !b[top]);
                vec![self.less(&a, &b)]
            }
            Operator::Udiv => self.divide(a, b).0,
            Operator::Urem => self.divide(a, b).1,
            Operator::Sdiv => self.divide_signed(a, b).0,
            Operator::Srem => self.divide_signed(a, b).1,
            Operator::Shl => {
                let reversed: Vec<Lit> = a.iter().rev().copied().collect();
                let mut shifted = self.shift_right(&reversed, b, self.circuit.constant(false));
                shifted.reverse();
                shifted
            }
            Operator::Lshr => self.shift_right(a, b, self.circuit.constant(false)),
            Operator::Ashr => self.shift_right(a, b, a[a.len() - 1]),
        }
    }

    fn choice(&mut self, condition: Lit, yes: &[Lit], no: &[Lit]) -> Vec<Lit> {
        yes.iter().zip(no).map(|(&yes, &no)| self.circuit.mux(condition, yes, no)).collect()
    }

    /// a < b: where they last differ, b has the bit.
    fn less(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let mut less = self.circuit.constant(false);
        for (&a, &b) in a.iter().zip(b) {
            less = self.circuit.majority(!a, b, less);
        }
        less
    }

    fn add(&mut self, a: &[Lit], b: &[Lit], carry: bool) -> Vec<Lit> {
        let mut carry = self.circuit.constant(carry);
        let mut sum = Vec::with_capacity(a.len());
        for (at, (&a, &b)) in a.iter().zip(b).enumerate() {
            sum.push(self.circuit.parity(a, b, carry));
            if at + 1 < sum.capacity() {
                carry = self.circuit.majority(a, b, carry);
            }
        }
        sum
    }

    /// Multiples of terms and a constant. What is negative is added as its complement, with 1 in the constant.
    fn sum(&mut self, parts: &[(Term, u128)], constant: u128, width: u8) -> Vec<Lit> {
        let mut constant = constant;
        let mut addends = Vec::new();
        for &(term, factor) in parts {
            let bits = self.of(term);
            for (shift, negative) in digits(factor, width) {
                let mut addend = vec![self.circuit.constant(false); usize::from(shift)];
                addend.extend_from_slice(&bits[..bits.len() - usize::from(shift)]);
                if negative {
                    addend.iter_mut().for_each(|bit| *bit = !*bit);
                    constant = constant.wrapping_add(1);
                }
                addends.push(addend);
            }
        }
        constant &= mask(width);
        let carry = constant == 1 && addends.len() > 1;
        if constant != 0 && !carry {
            addends.push(self.number(constant, width));
        }
        let mut addends = addends.into_iter();
        let Some(mut sum) = addends.next() else { return self.number(0, width) };
        let mut carry = carry;
        for addend in addends {
            sum = self.add(&sum, &addend, std::mem::take(&mut carry));
        }
        sum
    }

    fn product(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        let zero = self.circuit.constant(false);
        let mut sum = vec![zero; a.len()];
        for (shift, &bit) in b.iter().enumerate() {
            let mut row = vec![zero; shift];
            row.extend(a[..a.len() - shift].iter().map(|&a| self.circuit.and(a, bit)));
            sum = self.add(&sum, &row, false);
        }
        sum
    }

    /// Quotient and remainder, bit by bit from the highest. Division by 0 comes out as SMT-LIB has it: every difference is not
    /// negative, so the quotient is all ones, and nothing is ever subtracted.
    fn divide(&mut self, a: &[Lit], b: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
        let key = (a.to_vec(), b.to_vec());
        if let Some(known) = self.divided.get(&key) {
            return known.clone();
        }
        let zero = self.circuit.constant(false);
        let mut divisor = b.to_vec();
        divisor.push(zero);
        let mut quotient = vec![zero; a.len()];
        let mut remainder = vec![zero; a.len()];
        for at in (0..a.len()).rev() {
            let mut shifted = vec![a[at]];
            shifted.extend_from_slice(&remainder);
            let smaller = self.less(&shifted, &divisor);
            let complement: Vec<Lit> = divisor.iter().map(|&bit| !bit).collect();
            let difference = self.add(&shifted, &complement, true);
            quotient[at] = !smaller;
            remainder = self.choice(smaller, &shifted[..a.len()], &difference[..a.len()]);
        }
        self.divided.insert(key, (quotient.clone(), remainder.clone()));
        (quotient, remainder)
    }

    /// By the magnitudes; the quotient is negative if the signs differ, the remainder if the dividend is.
    fn divide_signed(&mut self, a: &[Lit], b: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
        let (sign_a, sign_b) = (a[a.len() - 1], b[b.len() - 1]);
        let (magnitude_a, magnitude_b) = (self.negated_if(sign_a, a), self.negated_if(sign_b, b));
        let (quotient, remainder) = self.divide(&magnitude_a, &magnitude_b);
        let differ = self.circuit.xor(sign_a, sign_b);
        (self.negated_if(differ, &quotient), self.negated_if(sign_a, &remainder))
    }

    fn negated_if(&mut self, condition: Lit, a: &[Lit]) -> Vec<Lit> {
        let flipped: Vec<Lit> = a.iter().map(|&bit| self.circuit.xor(bit, condition)).collect();
        let mut carry = condition;
        let mut negated = Vec::with_capacity(a.len());
        for bit in flipped {
            negated.push(self.circuit.xor(bit, carry));
            carry = self.circuit.and(bit, carry);
        }
        negated
    }

    fn shift_right(&mut self, a: &[Lit], amount: &[Lit], fill: Lit) -> Vec<Lit> {
        let mut bits = a.to_vec();
        let mut beyond = self.circuit.constant(false);
        for (stage, &select) in amount.iter().enumerate() {
            // The first stage that moves everything out, and all after it.
            if stage >= 7 || 1usize << stage >= a.len() {
                beyond = self.circuit.or(beyond, select);
                continue;
            }
            let by = 1 << stage;
            let moved: Vec<Lit> = (0..bits.len()).map(|at| bits.get(at + by).copied().unwrap_or(fill)).collect();
            bits = self.choice(select, &moved, &bits);
        }
        let filled = vec![fill; a.len()];
        self.choice(beyond, &filled, &bits)
    }
}

/// A factor as a sum of few powers of two with signs (non-adjacent form), modulo 2ʷ: shifts, and whether each is negative.
fn digits(factor: u128, width: u8) -> Vec<(u8, bool)> {
    let mut digits = Vec::new();
    let mut rest = factor;
    let mut shift = 0;
    while rest != 0 && shift < width {
        if rest & 1 == 1 {
            // 3 modulo 4 is 4 − 1. A carry out of the width is nothing.
            let negative = rest & 3 == 3 && shift + 1 < width;
            digits.push((shift, negative));
            rest = if negative { rest.wrapping_add(1) } else { rest - 1 };
        }
        rest >>= 1;
        shift += 1;
        rest &= mask(width - shift.min(width - 1));
    }
    digits
}
