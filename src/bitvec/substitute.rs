//! Terms with terms in the place of variables.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::term::{Term, Terms};

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
}
