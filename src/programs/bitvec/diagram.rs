//! Shared decisions as one term.

use super::term::{Term, Terms};
use crate::decisions::Diagram;

/// The condition that a diagram is, where its tests are these. Linear.
pub fn condition<T>(diagram: &Diagram<T>, terms: &mut Terms, mut of: impl FnMut(&T) -> Term) -> Term {
    let mut made = vec![terms.truth(false), terms.truth(true)];
    for decision in &diagram.decisions {
        let (low, high) = (made[decision.low as usize], made[decision.high as usize]);
        let test = of(&decision.test);
        made.push(terms.ite(test, high, low));
    }
    made[diagram.root as usize]
}
