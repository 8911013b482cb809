//! Sets of small numbers, which are lists while they are small.

/// A set of numbers below a bound that is known to who uses it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Set {
    /// Ascending.
    List(Vec<u32>),
    Bits(Box<[u64]>),
}

impl Set {
    pub fn new() -> Set {
        Set::List(Vec::new())
    }

    /// Bits as soon as a list would be larger.
    fn settle(&mut self, bound: usize) {
        if let Set::List(list) = self
            && list.len() > bound.div_ceil(32)
        {
            let mut bits = vec![0u64; bound.div_ceil(64)].into_boxed_slice();
            list.iter().for_each(|number| bits[*number as usize / 64] |= 1 << (number % 64));
            *self = Set::Bits(bits);
        }
    }

    pub fn insert(&mut self, number: u32, bound: usize) {
        match self {
            Set::Bits(bits) => bits[number as usize / 64] |= 1 << (number % 64),
            Set::List(list) => {
                if let Err(place) = list.binary_search(&number) {
                    list.insert(place, number);
                    self.settle(bound);
                }
            }
        }
    }

    pub fn join(&mut self, other: &Set, bound: usize) {
        match (&mut *self, other) {
            (Set::Bits(bits), Set::Bits(others)) => bits.iter_mut().zip(others).for_each(|(a, b)| *a |= b),
            (Set::Bits(_), Set::List(list)) => list.iter().for_each(|number| self.insert(*number, bound)),
            (Set::List(_), Set::Bits(_)) => {
                let list = std::mem::replace(self, other.clone());
                self.join(&list, bound);
            }
            (Set::List(list), Set::List(others)) => {
                if others.iter().any(|number| list.binary_search(number).is_err()) {
                    list.extend(others);
                    list.sort_unstable();
                    list.dedup();
                    self.settle(bound);
                }
            }
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Set::List(list) => list.len(),
            Set::Bits(bits) => bits.iter().map(|word| word.count_ones() as usize).sum(),
        }
    }

    /// Ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let (list, row) = match self {
            Set::List(list) => (&list[..], &[][..]),
            Set::Bits(bits) => (&[][..], &bits[..]),
        };
        list.iter().copied().chain(super::saturate::bits(row))
    }
}

#[cfg(test)]
mod tests {
    use super::Set;

    #[test]
    fn lists_and_bits_are_the_same_sets() {
        for bound in [10, 200, 5000] {
            let (mut all, mut expected) = (Set::new(), std::collections::BTreeSet::new());
            for round in 0..40u32 {
                let mut some = Set::new();
                for i in 0..round {
                    let number = (i * i * 7 + round * 13) % bound;
                    some.insert(number, bound as usize);
                    expected.insert(number);
                }
                all.join(&some, bound as usize);
                assert!(all.iter().eq(expected.iter().copied()));
                assert_eq!(all.len(), expected.len());
            }
        }
    }
}
