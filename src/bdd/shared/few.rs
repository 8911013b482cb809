//! A small set of nodes that is emptied at once.

use super::Id;

/// How many places there are; a set had better have half as many nodes at most.
const PLACES: usize = 1 << 12;

/// Nodes, each with the time at which it came. Takes no room before it is first emptied.
#[derive(Default)]
pub(super) struct Few {
    places: Box<[(u32, Id)]>,
    now: u32,
}

impl Few {
    /// Forgets all.
    pub(super) fn clear(&mut self) {
        match self.now.checked_add(1) {
            Some(now) if !self.places.is_empty() => self.now = now,
            _ => *self = Few { places: vec![(0, 0); PLACES].into(), now: 1 },
        }
    }

    /// Whether a node was not in the set since it was last emptied; from now on it is. With [`PLACES`] others in it there is no end.
    pub(super) fn insert(&mut self, id: Id) -> bool {
        let mut place = (id.wrapping_mul(0x9e37_79b1) >> (32 - PLACES.trailing_zeros())) as usize;
        while self.places[place].0 == self.now {
            if self.places[place].1 == id {
                return false;
            }
            place = (place + 1) % PLACES;
        }
        self.places[place] = (self.now, id);
        true
    }
}
