//! Sets of bits of state, interned: equal sets have equal numbers.
//!
//! Programs have many points but few different sets of live or written variables, so a point costs four bytes. The words of all sets
//! lie side by side, and nothing is allocated for one of them. The same few operations are asked for at each point: the last
//! ones are found in a small direct-mapped table; others are computed again, which costs a look-up more.

use std::cell::{Cell, RefCell};

use hashbrown::HashTable;

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

#[derive(Clone, Copy)]
enum Operation {
    Union = 1,
    Difference,
    Intersection,
}

/// Slots of the table of operations; a power of two.
const SLOTS: usize = 1 << 9;

/// An operation with its operands, and its result. No operation has the number of the first one.
type Slot = Cell<(u32, SetId, SetId, SetId)>;

struct Table {
    /// How many words a set has.
    width: usize,
    /// The words of all sets, in the order of their numbers.
    words: Vec<u64>,
    count: u32,
    /// The numbers, by words.
    index: HashTable<u32>,
}

/// The sets over one universe of bits.
pub struct BitSets {
    width: usize,
    /// The last operations.
    last: Box<[Slot]>,
    table: RefCell<Table>,
    /// Words of the set that is being made.
    made: Cell<Vec<u64>>,
}

impl BitSets {
    /// For a universe of that many bits.
    pub fn new(bits: usize) -> Self {
        let width = bits.div_ceil(64);
        let mut table = Table { width, words: Vec::new(), count: 0, index: HashTable::new() };
        table.intern(&vec![0; width]);
        let last = vec![Slot::default(); SLOTS].into();
        BitSets { width, last, table: RefCell::new(table), made: Cell::default() }
    }

    /// The set of those bits.
    pub fn set(&self, bits: impl IntoIterator<Item = Bit>) -> SetId {
        if self.width == 1 {
            let word = bits.into_iter().fold(0, |word, Bit(bit)| word | 1 << bit);
            return if word == 0 { SetId::EMPTY } else { self.table.borrow_mut().intern(&[word]) };
        }
        let mut words = self.made.take();
        words.clear();
        words.resize(self.width, 0);
        for Bit(bit) in bits {
            words[bit as usize / 64] |= 1 << (bit % 64);
        }
        let id = self.table.borrow_mut().intern(&words);
        self.made.set(words);
        id
    }

    /// How many there are so far; their numbers lie below that.
    pub fn count(&self) -> usize {
        self.table.borrow().count as usize
    }

    /// The bits of a set, ascending.
    pub fn bits(&self, set: SetId) -> Vec<Bit> {
        let table = self.table.borrow();
        let mut bits = Vec::new();
        for (i, &word) in table.of(set.0).iter().enumerate() {
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
        if a == b || a == SetId::EMPTY {
            return true;
        }
        let table = self.table.borrow();
        table.of(a.0).iter().zip(table.of(b.0)).all(|(a, b)| a & !b == 0)
    }

    /// Whether a ∩ b is not empty.
    pub fn meet(&self, a: SetId, b: SetId) -> bool {
        if a == SetId::EMPTY || b == SetId::EMPTY {
            return false;
        }
        let table = self.table.borrow();
        table.of(a.0).iter().zip(table.of(b.0)).any(|(a, b)| a & b != 0)
    }

    #[inline]
    fn operate(&self, operation: Operation, a: SetId, b: SetId) -> SetId {
        let number = operation as u32;
        let mixed = (a.0.wrapping_mul(31) ^ b.0.wrapping_mul(0x9e37_79b1) ^ number << 7).wrapping_mul(0x85eb_ca6b);
        let slot = &self.last[(mixed >> 16) as usize % SLOTS];
        let (known, first, second, result) = slot.get();
        if (known, first, second) == (number, a, b) {
            return result;
        }
        let result = self.table.borrow_mut().computed(operation, a, b);
        slot.set((number, a, b, result));
        result
    }
}

impl Table {
    /// The words of a set.
    fn of(&self, number: u32) -> &[u64] {
        let start = number as usize * self.width;
        &self.words[start..start + self.width]
    }

    fn intern(&mut self, words: &[u64]) -> SetId {
        let start = self.words.len();
        self.words.extend_from_slice(words);
        self.numbered(start)
    }

    /// The number of the set whose words have been put behind all others; they stay there if it is a new one.
    fn numbered(&mut self, start: usize) -> SetId {
        let (words, width) = (&self.words, self.width);
        let of = |number: u32| &words[number as usize * width..][..width];
        let new = &words[start..];
        let hash = hash(new);
        if let Some(&number) = self.index.find(hash, |number| of(*number) == new) {
            self.words.truncate(start);
            return SetId(number);
        }
        let number = self.count;
        self.index.insert_unique(hash, number, |number| self::hash(of(*number)));
        self.count = number.checked_add(1).expect("fewer than 2^32 different sets");
        SetId(number)
    }

    fn computed(&mut self, operation: Operation, a: SetId, b: SetId) -> SetId {
        let (start, width) = (self.words.len(), self.width);
        let (first, second) = (a.0 as usize * width, b.0 as usize * width);
        self.words.reserve(width);
        for i in 0..width {
            let (a, b) = (self.words[first + i], self.words[second + i]);
            self.words.push(match operation {
                Operation::Union => a | b,
                Operation::Difference => a & !b,
                Operation::Intersection => a & b,
            });
        }
        self.numbered(start)
    }
}

/// Of the words of a set. The upper bits are mixed as well as the lower ones.
fn hash(words: &[u64]) -> u64 {
    let mixed = words.iter().fold(0u64, |hash, word| (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95));
    mixed ^ mixed >> 32
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
        assert!(sets.subset(SetId::EMPTY, a) && sets.subset(a, a) && !sets.subset(a, b));
        assert!(sets.meet(a, b) && !sets.meet(b, sets.set([Bit(0)])) && !sets.meet(a, SetId::EMPTY));
        assert!(sets.bits(a).contains(&Bit(129)) && !sets.bits(a).contains(&Bit(128)));
    }
}
