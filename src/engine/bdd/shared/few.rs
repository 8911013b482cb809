//! A small set of nodes that is emptied at once.

use super::Id;

/// How many places there are at first; twice as many as soon as half of them are taken.
const PLACES: usize = 1 << 6;

/// Nodes, each with the time at which it came.
pub(super) struct Few {
    places: Vec<(u32, Id)>,
    now: u32,
    count: usize,
}

impl Default for Few {
    fn default() -> Few {
        Few { places: vec![(0, 0); PLACES], now: 1, count: 0 }
    }
}

impl Few {
    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.count = 0;
        match self.now.checked_add(1) {
            Some(now) => self.now = now,
            None => *self = Few::default(),
        }
    }

    /// Whether a node was not in the set; from now on it is.
    pub(super) fn insert(&mut self, id: Id) -> bool {
        let bits = self.places.len().trailing_zeros();
        let mut place = (id.wrapping_mul(0x9e37_79b1) >> (32 - bits)) as usize;
        while self.places[place].0 == self.now {
            if self.places[place].1 == id {
                return false;
            }
            place = (place + 1) % self.places.len();
        }
        self.places[place] = (self.now, id);
        self.count += 1;
        if 2 * self.count > self.places.len() {
            self.grow();
        }
        true
    }

    #[cold]
    fn grow(&mut self) {
        let places = vec![(0, 0); 2 * self.places.len()];
        self.count = 0;
        for (time, id) in std::mem::replace(&mut self.places, places) {
            if time == self.now {
                self.insert(id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Few, PLACES};

    #[test]
    fn a_set_grows_and_is_emptied_at_once() {
        let mut few = Few::default();
        for _ in 0..3 {
            for id in 0..10 * PLACES as u32 {
                assert!(few.insert(7 * id), "{id}");
                assert!(!few.insert(7 * (id / 2)), "{id}");
            }
            few.clear();
        }
    }
}
