//! Where a frame ends: predicates that others see get their new values, since pointers to what was in it point to nothing.

use crate::c::expression::ExpressionId;

use super::procedure::{Abstraction, Making};
use super::query::{Named, update};

impl Abstraction<'_> {
    /// The frame ends, and returns this.
    pub fn frame_ends(&mut self, making: &mut Making, value: Option<ExpressionId>) {
        let Some((after, result)) = self.system.after_frame(&making.frame, value) else { return };
        let before = std::mem::replace(&mut making.frame.result, result);
        let after = self.named(making, &after);
        making.frame.result = before;
        let exit = &self.signatures[making.frame.id.0 as usize].exit;
        let is_seen = |at: &usize| self.tracked[*at].scope.is_none() || exit.contains(at);
        let changed: Vec<Named> = (making.indices.iter().zip(&making.known).zip(after))
            .filter(|((at, before), after)| is_seen(at) && before.term != after.term)
            .map(|(_, after)| after)
            .collect();
        if !changed.is_empty() {
            let found = update(&mut self.asker(), &making.known, &changed, &[]);
            let step = self.assignment(making, &changed, found);
            making.step(step);
        }
    }
}
