//! Results of operations that may be asked for again. A place has one of them, the last one that fell there.

use super::{BOTTOM, ITE, Id};

/// The operation, its operands and its result.
pub(super) type Entry = [u32; 4];

/// No operation has the number 0.
const NONE: Entry = [0; 4];

/// The fewest results that are remembered.
const FEWEST: usize = 1 << 10;

/// As many as there are nodes, but no more than this, which the processor has at hand: with 2^20 sorting an array of six elements took 1.3
/// times as long as with 2^17, with 2^14 as long.
const AT_HAND: usize = 1 << 16;

/// More are remembered where one operation takes more steps, but never more than this.
const MOST: u64 = 1 << 24;

/// A table that grows.
pub(super) struct Cache {
    entries: Vec<Entry>,
    most: usize,
}

impl Cache {
    /// So many results at most, rounded down to a power of two.
    pub(super) fn new(most: u64) -> Cache {
        let most = most.clamp(FEWEST as u64, MOST);
        let most = 1 << most.ilog2();
        Cache { entries: vec![NONE; FEWEST], most }
    }

    /// How many it may ever be.
    pub(super) fn most(&self) -> u64 {
        self.most as u64
    }

    /// Where a result may be, whatever the size.
    #[inline(always)]
    pub(super) fn hash(operation: u32, a: Id, b: Id) -> u32 {
        let key = (u64::from(a) << 32 | u64::from(b)) ^ u64::from(operation).wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
    }

    #[inline(always)]
    fn place(&self, hash: u32) -> usize {
        hash as usize & (self.entries.len() - 1)
    }

    #[inline(always)]
    pub(super) fn get(&self, hash: u32, operation: u32, a: Id, b: Id) -> Option<Id> {
        let entry = &self.entries[self.place(hash)];
        (entry[0] == operation && entry[1] == a && entry[2] == b).then_some(entry[3])
    }

    #[inline(always)]
    pub(super) fn put(&mut self, hash: u32, entry: Entry) {
        let place = self.place(hash);
        self.entries[place] = entry;
    }

    /// There are so many nodes now.
    pub(super) fn suit(&mut self, nodes: usize) {
        self.hold(nodes.min(AT_HAND));
    }

    /// From now on at least so many results are remembered, if that is allowed. Where an operation comes to more than are remembered it may not
    /// take a little longer but for ever.
    pub(super) fn hold(&mut self, results: usize) {
        let size = results.next_power_of_two().min(self.most);
        if size <= self.entries.len() {
            return;
        }
        for entry in std::mem::replace(&mut self.entries, vec![NONE; size]) {
            let [operation, a, b, _] = entry;
            if operation != 0 {
                self.put(Cache::hash(operation, a, b), entry);
            }
        }
    }

    /// Forgets all about nodes that are not alive.
    pub(super) fn retain(&mut self, is_alive: impl Fn(Id) -> bool) {
        for entry in &mut self.entries {
            let [operation, a, b, result] = *entry;
            let beside = if operation & ITE == 0 { BOTTOM } else { operation & !ITE };
            if operation != 0 && !(is_alive(result) && is_alive(a) && is_alive(b) && is_alive(beside)) {
                *entry = NONE;
            }
        }
    }
}
