//! Sets of bits of state, interned: equal sets have equal numbers, and their unions and differences are remembered.
//!
//! Programs have many points but few different sets of live or written variables, so a point costs four bytes. The same few
//! operations are asked for at each of them: they are found in a small direct-mapped table in front of the one that holds all.

use std::cell::{Cell, RefCell};

use rustc_hash::FxHashMap;

use crate::bdd::Bit;

/// An interned set of bits; means something only together with its [`BitSets`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SetId(u32);

impl SetId {
    /// The empty set, in every [`BitSets`].
    pub const EMPTY: SetId = SetId(0);

    /// Its number, the same for equal sets.
    pub fn number(self) -> u32 {
        self.0
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Operation {
    Union = 1,
    Difference,
    Intersection,
}

/// Slots of the table in front; a power of two.
const SLOTS: usize = 1 << 9;

/// An operation with its operands, and its result. No operation has the number of the first one.
type Slot = Cell<(u32, SetId, SetId, SetId)>;

#[derive(Default)]
struct Table {
    sets: Vec<Box<[u64]>>,
    index: FxHashMap<Box<[u64]>, SetId>,
    memo: FxHashMap<(Operation, SetId, SetId), SetId>,
}

/// The sets over one universe of bits.
pub struct BitSets {
    words: usize,
    front: Box<[Slot]>,
    table: RefCell<Table>,
}

impl BitSets {
    /// For a universe of that many bits.
    pub fn new(bits: usize) -> Self {
        let sets =
            BitSets { words: bits.div_ceil(64), front: vec![Slot::default(); SLOTS].into(), table: RefCell::default() };
        sets.intern(vec![0; sets.words]);
        sets
    }

    fn intern(&self, words: Vec<u64>) -> SetId {
        let mut table = self.table.borrow_mut();
        if let Some(&id) = table.index.get(words.as_slice()) {
            return id;
        }
        let id = SetId(u32::try_from(table.sets.len()).expect("fewer than 2^32 different sets"));
        let words: Box<[u64]> = words.into();
        table.sets.push(words.clone());
        table.index.insert(words, id);
        id
    }

    /// The set of those bits.
    pub fn set(&self, bits: impl IntoIterator<Item = Bit>) -> SetId {
        let mut words = vec![0u64; self.words];
        for Bit(bit) in bits {
            words[bit as usize / 64] |= 1 << (bit % 64);
        }
        self.intern(words)
    }

    /// The bits of a set, ascending.
    pub fn bits(&self, set: SetId) -> Vec<Bit> {
        let table = self.table.borrow();
        let words = &table.sets[set.0 as usize];
        let mut bits = Vec::new();
        for (i, &word) in words.iter().enumerate() {
            let mut word = word;
            while word != 0 {
                bits.push(Bit(i as u32 * 64 + word.trailing_zeros()));
                word &= word - 1;
            }
        }
        bits
    }

    /// a ∪ b
    pub fn union(&self, a: SetId, b: SetId) -> SetId {
        if a == b || b == SetId::EMPTY {
            return a;
        }
        if a == SetId::EMPTY {
            return b;
        }
        self.operate(Operation::Union, a.min(b), a.max(b))
    }

    /// a ∖ b
    pub fn difference(&self, a: SetId, b: SetId) -> SetId {
        if a == SetId::EMPTY || b == SetId::EMPTY {
            return a;
        }
        self.operate(Operation::Difference, a, b)
    }

    /// a ∩ b
    pub fn intersection(&self, a: SetId, b: SetId) -> SetId {
        if a == b {
            return a;
        }
        if a == SetId::EMPTY || b == SetId::EMPTY {
            return SetId::EMPTY;
        }
        self.operate(Operation::Intersection, a.min(b), a.max(b))
    }

    /// Whether a ⊆ b.
    pub fn subset(&self, a: SetId, b: SetId) -> bool {
        self.difference(a, b) == SetId::EMPTY
    }

    #[inline]
    fn operate(&self, operation: Operation, a: SetId, b: SetId) -> SetId {
        let number = operation as u32;
        let mixed = (a.0.wrapping_mul(31) ^ b.0.wrapping_mul(0x9e37_79b1) ^ number << 7).wrapping_mul(0x85eb_ca6b);
        let slot = &self.front[(mixed >> 16) as usize % SLOTS];
        let (known, first, second, result) = slot.get();
        if (known, first, second) == (number, a, b) {
            return result;
        }
        let result = self.looked_up(operation, a, b);
        slot.set((number, a, b, result));
        result
    }

    fn looked_up(&self, operation: Operation, a: SetId, b: SetId) -> SetId {
        if let Some(&known) = self.table.borrow().memo.get(&(operation, a, b)) {
            return known;
        }
        let words = {
            let table = self.table.borrow();
            let pairs = table.sets[a.0 as usize].iter().zip(&table.sets[b.0 as usize]);
            pairs
                .map(|(&a, &b)| match operation {
                    Operation::Union => a | b,
                    Operation::Difference => a & !b,
                    Operation::Intersection => a & b,
                })
                .collect()
        };
        let id = self.intern(words);
        self.table.borrow_mut().memo.insert((operation, a, b), id);
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_agree_with_their_names() {
        let sets = BitSets::new(130);
        let a = sets.set([Bit(0), Bit(64), Bit(129)]);
        let b = sets.set([Bit(64), Bit(65)]);
        assert_eq!(sets.bits(sets.union(a, b)), [Bit(0), Bit(64), Bit(65), Bit(129)]);
        assert_eq!(sets.bits(sets.difference(a, b)), [Bit(0), Bit(129)]);
        assert_eq!(sets.bits(sets.intersection(a, b)), [Bit(64)]);
        assert_eq!(sets.union(a, b), sets.union(b, a));
        assert!(sets.subset(SetId::EMPTY, a) && !sets.subset(a, b));
        assert!(sets.bits(a).contains(&Bit(129)) && !sets.bits(a).contains(&Bit(128)));
    }
}
