//! Terms with terms in the place of variables.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::term::{Node, Term, Terms};

/// Which terms are replaced, and by what; grows to remember what has been rebuilt.
pub type Replacement = HashMap<Term, Term, FxBuildHasher>;

impl Terms {
    /// The term in which each term that `by` replaces is replaced, all at once, in normal form. `by` remembers what was built
    /// on the way, so that further terms cost only what is new in them.
    pub fn substitute(&mut self, term: Term, by: &mut Replacement) -> Term {
        for next in self.postorder(&[term], |next| !by.contains_key(&next)) {
            let built = self.rebuilt(next, |operand| by[&operand]);
            by.insert(next, built);
        }
        by[&term]
    }

    /// A term of another collection in this one, where `by` says what its variables are here; of others each gets a number that `other` gives. `by`
    /// remembers what was built on the way.
    pub fn imported(&mut self, from: &Terms, term: Term, by: &mut Replacement, other: &mut dyn FnMut() -> u32) -> Term {
        for next in from.postorder(&[term], |next| !by.contains_key(&next)) {
            let built = match from.node(next) {
                Node::Variable(_) => self.variable(other(), from.width(next)),
                node => self.built(node, from.width(next), |operand| by[&operand]),
            };
            by.insert(next, built);
        }
        by[&term]
    }
}
