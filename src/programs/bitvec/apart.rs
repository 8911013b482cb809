//! Terms by themselves: copies in a collection of their own, numbered in the order in which they are met, with variables numbered
//! likewise. Questions that differ in the names of variables only are the same data.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::substitute::Replacement;
use super::term::{Node, Term, Terms};

impl Terms {
    /// The copy of a term of another collection here, in which variables are replaced by terms of this one; `by` remembers what was built on
    /// the way, and all others stay. Linear in what is below it and was not yet copied.
    pub fn copied(&mut self, from: &Terms, term: Term, by: &mut Replacement) -> Term {
        for next in from.postorder(&[term], |next| !by.contains_key(&next)) {
            let copy = self.built(from.node(next), from.width(next), |operand| by[&operand]);
            by.insert(next, copy);
        }
        by[&term]
    }
}

/// Copies of terms of another collection.
pub struct Apart<'t> {
    from: &'t Terms,
    /// The copies.
    pub terms: Terms,
    copies: HashMap<Term, Term, FxBuildHasher>,
    variables: u32,
}

impl<'t> Apart<'t> {
    /// None yet.
    pub fn new(from: &'t Terms) -> Apart<'t> {
        Apart { from, terms: Terms::new(), copies: HashMap::default(), variables: 0 }
    }

    /// The copy of a term. Linear in what is below it and was not yet copied.
    pub fn copy(&mut self, term: Term) -> Term {
        for next in self.from.postorder(&[term], |next| !self.copies.contains_key(&next)) {
            let width = self.from.width(next);
            let copy = match self.from.node(next) {
                Node::Variable(_) => {
                    self.variables += 1;
                    self.terms.variable(self.variables - 1, width)
                }
                node => self.terms.built(node, width, |operand| self.copies[&operand]),
            };
            self.copies.insert(next, copy);
        }
        self.copies[&term]
    }

    /// The copies of several.
    pub fn all(&mut self, terms: &[Term]) -> Vec<Term> {
        terms.iter().map(|&term| self.copy(term)).collect()
    }
}
