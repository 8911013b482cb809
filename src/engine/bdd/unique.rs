//! One copy of every relation: equal BDDs are the same object, so that equality is a comparison of ids.

use std::cell::OnceCell;
use std::rc::{Rc, Weak};

use biodivine_lib_bdd::Bdd;
use hashbrown::HashTable;

use super::budget::Meter;

/// A BDD that exists once. Its id is never used again for another.
#[derive(Debug)]
pub(super) struct Unique {
    pub(super) bdd: Bdd,
    pub(super) id: u64,
    /// The levels that it depends on, sorted; found when first asked for.
    support: OnceCell<Box<[u16]>>,
    meter: Rc<Meter>,
}

impl Unique {
    /// Inner nodes.
    pub(super) fn nodes(&self) -> usize {
        self.bdd.size().saturating_sub(2)
    }

    /// Bytes held, about.
    pub(super) fn bytes(&self) -> u64 {
        bytes(&self.bdd)
    }

    /// Was this made with that meter, that is, in that space?
    pub(super) fn is_of(&self, meter: &Rc<Meter>) -> bool {
        Rc::ptr_eq(&self.meter, meter)
    }

    /// The levels that the BDD depends on, sorted.
    pub(super) fn support(&self) -> &[u16] {
        self.support.get_or_init(|| support(&self.bdd))
    }
}

impl Drop for Unique {
    fn drop(&mut self) {
        self.meter.remove(self.nodes() as u64, self.bytes());
    }
}

/// The levels that a BDD depends on, sorted. Linear.
pub(super) fn support(bdd: &Bdd) -> Box<[u16]> {
    let mut seen = vec![0u64; usize::from(bdd.num_vars()) / 64 + 1];
    for node in bdd.pointers().skip(2) {
        let level = bdd.var_of(node).to_index();
        seen[level / 64] |= 1 << (level % 64);
    }
    let mut levels = Vec::new();
    for (word, &bits) in seen.iter().enumerate() {
        let mut bits = bits;
        while bits != 0 {
            levels.push((word * 64) as u16 + bits.trailing_zeros() as u16);
            bits &= bits - 1;
        }
    }
    levels.into_boxed_slice()
}

/// Bytes of one relation: the nodes, the object around them, its place in the table.
fn bytes(bdd: &Bdd) -> u64 {
    12 * bdd.size() as u64 + 144
}

/// All BDDs that are alive, and some that no longer are: those are swept out when the table has doubled.
#[derive(Debug, Default)]
pub(super) struct UniqueTable {
    table: HashTable<(u64, Weak<Unique>)>,
    sweep_at: usize,
    next_id: u64,
}

impl UniqueTable {
    /// The one object for this BDD, which must be canonical (nodes in the library's order).
    pub(super) fn intern(&mut self, bdd: Bdd, meter: &Rc<Meter>) -> Rc<Unique> {
        let hash = hash(&bdd);
        let (mut found, mut gone) = (None, false);
        self.table.find(hash, |(known, weak)| {
            *known == hash
                && match weak.upgrade() {
                    None => {
                        gone = true;
                        false
                    }
                    Some(unique) => {
                        found = Some(unique).filter(|unique| unique.bdd == bdd);
                        found.is_some()
                    }
                }
        });
        if let Some(unique) = found {
            return unique;
        }
        if !gone && self.table.len() >= self.sweep_at {
            self.table.retain(|(_, weak)| weak.strong_count() > 0);
            self.sweep_at = (2 * self.table.len()).max(1 << 10);
        }
        // A result is grown by doubling; its copy is not.
        let bdd = if bdd.size() > 64 { bdd.clone() } else { bdd };
        let id = self.next_id;
        self.next_id += 1;
        meter.add(bdd.size().saturating_sub(2) as u64, bytes(&bdd));
        let unique = Rc::new(Unique { bdd, id, support: OnceCell::new(), meter: Rc::clone(meter) });
        let entry = (hash, Rc::downgrade(&unique));
        // What is made again and again, and let go, has one place: else there would be a chain of those that are no longer alive.
        match self.table.find_mut(hash, |(known, weak)| gone && *known == hash && weak.strong_count() == 0) {
            Some(place) => *place = entry,
            None => {
                self.table.insert_unique(hash, entry, |(hash, _)| *hash);
            }
        }
        unique
    }

    /// Entries, dead ones included.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.table.len()
    }
}

/// Linear, about a nanosecond for each node.
fn hash(bdd: &Bdd) -> u64 {
    let mut hash = bdd.size() as u64;
    for node in bdd.pointers().skip(2) {
        let links = (bdd.low_link_of(node).to_index() as u64) << 32 | bdd.high_link_of(node).to_index() as u64;
        let mixed = (links ^ (bdd.var_of(node).to_index() as u64) << 16).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash = (hash.rotate_left(5) ^ mixed ^ mixed >> 29).wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
    }
    hash ^ hash >> 32
}

impl PartialEq for Unique {
    fn eq(&self, other: &Unique) -> bool {
        self.id == other.id
    }
}

impl Eq for Unique {}

impl std::hash::Hash for Unique {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}
