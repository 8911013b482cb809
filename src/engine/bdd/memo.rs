//! What was computed before: a bounded, direct-mapped table from operations on relations to their results.
//!
//! Thousands of equal procedures then cost one look-up for each operation. Small results are kept alive, up to a bound
//! in bytes; large ones are found again as long as someone else holds them.

use std::rc::{Rc, Weak};

use super::unique::Unique;

/// Slots at first, and at most; powers of two.
const SLOTS: (usize, usize) = (1 << 10, 1 << 18);

/// Results with more nodes than this are not kept alive.
const MODERATE: usize = 1 << 12;

/// An operation and its operands. Operands are ids that are never used again for another relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key {
    /// Which operation.
    pub(super) operation: u32,
    /// The first operand.
    pub(super) a: u64,
    /// The second operand.
    pub(super) b: u64,
    /// The third operand, or the names of a set of columns and of a renaming.
    pub(super) c: u64,
}

#[derive(Debug)]
enum Result {
    Kept(Rc<Unique>),
    Seen(Weak<Unique>),
}

/// The table.
#[derive(Debug)]
pub(super) struct Memo {
    slots: Vec<Option<(Key, Result)>>,
    /// Results entered since the table had its present size.
    entered: usize,
    /// Bytes kept alive, and their bound.
    kept: u64,
    bound: u64,
}

impl Memo {
    /// An empty table that keeps at most so many bytes of relations alive.
    pub(super) fn new(bound: u64) -> Memo {
        Memo { slots: empty(SLOTS.0), entered: 0, kept: 0, bound }
    }

    /// The result of an operation, if it is remembered and still there.
    #[inline]
    pub(super) fn get(&self, key: &Key) -> Option<Rc<Unique>> {
        match &self.slots[self.slot(key)] {
            Some((known, Result::Kept(result))) if known == key => Some(Rc::clone(result)),
            Some((known, Result::Seen(result))) if known == key => result.upgrade(),
            _ => None,
        }
    }

    /// Remembers a result, in the place of another perhaps.
    pub(super) fn put(&mut self, key: Key, result: &Rc<Unique>) {
        if 2 * self.entered >= self.slots.len() && self.slots.len() < SLOTS.1 {
            self.grow();
        }
        self.entered += 1;
        let value = if result.nodes() <= MODERATE {
            if self.kept >= self.bound {
                self.let_go();
            }
            self.kept += result.bytes();
            Result::Kept(Rc::clone(result))
        } else {
            Result::Seen(Rc::downgrade(result))
        };
        let slot = self.slot(&key);
        if let Some((_, Result::Kept(before))) = self.slots[slot].replace((key, value)) {
            self.kept -= before.bytes();
        }
    }

    /// Bytes of the table itself.
    pub(super) fn bytes(&self) -> u64 {
        (self.slots.len() * size_of::<Option<(Key, Result)>>()) as u64
    }

    /// Keeps nothing alive any more; what others hold is still found.
    fn let_go(&mut self) {
        for (_, result) in self.slots.iter_mut().flatten() {
            if let Result::Kept(kept) = result {
                *result = Result::Seen(Rc::downgrade(kept));
            }
        }
        self.kept = 0;
    }

    fn grow(&mut self) {
        let wider = empty(self.slots.len() * 4);
        for (key, result) in std::mem::replace(&mut self.slots, wider).into_iter().flatten() {
            let slot = self.slot(&key);
            if let Some((_, Result::Kept(before))) = self.slots[slot].replace((key, result)) {
                self.kept -= before.bytes();
            }
        }
        self.entered = 0;
    }

    #[inline]
    fn slot(&self, key: &Key) -> usize {
        let hash = folded(key.a ^ u64::from(key.operation) << 48, 0x9e37_79b9_7f4a_7c15);
        let hash = folded(hash ^ key.b, 0xc2b2_ae3d_27d4_eb4f);
        folded(hash ^ key.c, 0x1656_67b1_9e37_79f9) as usize & (self.slots.len() - 1)
    }
}

/// A product whose every bit depends on every bit of the factors.
#[inline]
fn folded(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

fn empty(slots: usize) -> Vec<Option<(Key, Result)>> {
    std::iter::repeat_with(|| None).take(slots).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn operations_on_the_same_operands_have_slots_of_their_own() {
        let memo = Memo { slots: empty(1 << 12), entered: 0, kept: 0, bound: 0 };
        let keys = (0..4).flat_map(|operation| {
            (0..8).flat_map(move |a| (0..8).flat_map(move |b| (0..4).map(move |c| Key { operation, a, b, c: c << 32 })))
        });
        let slots: HashSet<usize> = keys.map(|key| memo.slot(&key)).collect();
        // 1024 keys at random in 4096 slots fill about 906.
        assert!(slots.len() > 850, "{} slots", slots.len());
    }
}
