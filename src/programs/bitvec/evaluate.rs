//! The value of terms under values of variables: the reference for everything else in this room.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::term::{Node, Term, Terms};
use super::value::{apply, mask, signed};

/// Values of terms under one assignment, each computed once.
pub struct Evaluation<'a> {
    terms: &'a Terms,
    variables: &'a dyn Fn(u32) -> u128,
    known: HashMap<Term, u128, FxBuildHasher>,
}

impl<'a> Evaluation<'a> {
    /// Under these values of variables (their low bits count).
    pub fn new(terms: &'a Terms, variables: &'a dyn Fn(u32) -> u128) -> Evaluation<'a> {
        Evaluation { terms, variables, known: HashMap::default() }
    }

    /// The value of a term.
    pub fn value(&mut self, term: Term) -> u128 {
        for next in self.terms.postorder(&[term], |next| !self.known.contains_key(&next)) {
            let value = self.computed(next);
            self.known.insert(next, value);
        }
        self.known[&term]
    }

    /// Whether a condition is true.
    pub fn is_true(&mut self, condition: Term) -> bool {
        self.value(condition) == 1
    }

    fn computed(&self, term: Term) -> u128 {
        match self.terms.node(term) {
            Node::Variable(number) => (self.variables)(*number) & mask(self.terms.width(term)),
            _ => operation(self.terms, term, |_, operand| self.known[&operand]),
        }
    }
}

/// The value of a term that is no variable, by those of its operands: each with its number in the order of [`Terms::operands`].
pub(super) fn operation(terms: &Terms, term: Term, of: impl Fn(usize, Term) -> u128) -> u128 {
    let value = match terms.node(term) {
        Node::Variable(_) => 0,
        Node::Constant(value) => *value,
        Node::Sum(parts, constant) => parts
            .iter()
            .enumerate()
            .fold(*constant, |sum, (at, &(part, by))| sum.wrapping_add(of(at, part).wrapping_mul(by))),
        Node::Product(factors) => {
            factors.iter().enumerate().fold(1, |product, (at, &factor)| of(at, factor).wrapping_mul(product))
        }
        &Node::Binary(operator, a, b) => apply(operator, of(0, a), of(1, b), terms.width(a)),
        &Node::Not(a) => !of(0, a),
        &Node::Ite(condition, yes, no) => {
            if of(0, condition) == 1 {
                of(1, yes)
            } else {
                of(2, no)
            }
        }
        &Node::Extend { signed: true, of: a } => signed(of(0, a), terms.width(a)) as u128,
        &Node::Extend { signed: false, of: a } => of(0, a),
        &Node::Extract { of: a, low } => of(0, a) >> low,
    };
    value & mask(terms.width(term))
}
