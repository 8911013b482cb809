//! Terms by themselves: copies in a collection of their own, numbered in the order in which they are met, with variables numbered
//! likewise. Questions that differ in the names of variables only are the same data.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::term::{Node, Term, Terms};

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
