//! Many short lists in a few long vectors.
//!
//! A program has a hundred thousand procedures and each a handful of callers: a vector for each would be mostly headers and
//! spare room. [`Chains`] are lists that grow, [`Rows`] are lists that no longer do.

use std::ops::{Index, Range};

/// Lists side by side in one vector, numbered from 0.
#[derive(Clone, Debug)]
pub struct Rows<T> {
    first: Vec<u32>,
    items: Vec<T>,
}

impl<T> Rows<T> {
    /// The number of lists.
    pub fn count(&self) -> usize {
        self.first.len() - 1
    }

    /// The lists, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &[T]> + ExactSizeIterator + Clone {
        (0..self.count()).map(|row| &self[row])
    }

    /// All elements, list by list.
    pub fn items(&self) -> &[T] {
        &self.items
    }

    /// Where the elements of a list lie among [`Rows::items`], for vectors that go along with them.
    pub fn range(&self, row: usize) -> Range<usize> {
        self.first[row] as usize..self.first[row + 1] as usize
    }
}

impl<T: Copy> Rows<T> {
    /// So many lists, made of pairs of a list's number and an element. `each` is called twice, and must give the same
    /// pairs both times; those of one list keep their order.
    pub fn collect(rows: usize, each: impl Fn(&mut dyn FnMut(u32, T))) -> Rows<T> {
        let mut first = vec![0u32; rows + 1];
        let mut some = None;
        each(&mut |row, item| {
            first[row as usize] += 1;
            some.get_or_insert(item);
        });
        // Each entry becomes the end of its list, and goes back to its beginning as the list is filled from behind.
        let mut end = 0;
        for count in &mut first {
            end += std::mem::replace(count, end);
        }
        let mut items = some.map_or_else(Vec::new, |item| vec![item; end as usize]);
        each(&mut |row, item| {
            items[first[row as usize] as usize] = item;
            first[row as usize] += 1;
        });
        // Now each entry is the beginning of the next list.
        first.rotate_right(1);
        first[0] = 0;
        Rows { first, items }
    }
}

impl<T> Index<usize> for Rows<T> {
    type Output = [T];

    fn index(&self, row: usize) -> &[T] {
        &self.items[self.range(row)]
    }
}

/// Lists that grow, numbered from 0, with their elements linked in one vector: what is in them keeps its place.
#[derive(Clone, Debug)]
pub struct Chains<T> {
    ends: Vec<Ends>,
    items: Vec<(T, u32)>,
}

#[derive(Clone, Copy, Debug)]
struct Ends {
    first: u32,
    last: u32,
}

const NONE: u32 = u32::MAX;

impl<T> Chains<T> {
    /// So many empty lists, with room for so many elements in all.
    pub fn new(lists: usize, room: usize) -> Chains<T> {
        Chains { ends: vec![Ends { first: NONE, last: NONE }; lists], items: Vec::with_capacity(room) }
    }

    /// One more list, empty.
    pub fn add_list(&mut self) {
        self.ends.push(Ends { first: NONE, last: NONE });
    }

    /// Appends to a list. The place of the element.
    pub fn push(&mut self, list: usize, item: T) -> u32 {
        let place = u32::try_from(self.items.len()).ok().filter(|&place| place != NONE);
        let place = place.expect("fewer than 2^32 elements fit into memory");
        self.items.push((item, NONE));
        let ends = &mut self.ends[list];
        match std::mem::replace(&mut ends.last, place) {
            NONE => ends.first = place,
            last => self.items[last as usize].1 = place,
        }
        place
    }

    /// The place of a list's first element.
    pub fn first(&self, list: usize) -> Option<u32> {
        Some(self.ends[list].first).filter(|&place| place != NONE)
    }

    /// The place of the element that follows the one at a place.
    pub fn next(&self, place: u32) -> Option<u32> {
        Some(self.items[place as usize].1).filter(|&place| place != NONE)
    }

    /// The places of a list's elements, in order.
    pub fn places(&self, list: usize) -> impl Iterator<Item = u32> {
        std::iter::successors(self.first(list), |&place| self.next(place))
    }

    /// The elements of a list, in order.
    pub fn iter(&self, list: usize) -> impl Iterator<Item = &T> {
        self.places(list).map(|place| self.get(place))
    }

    /// The element at a place.
    pub fn get(&self, place: u32) -> &T {
        &self.items[place as usize].0
    }

    /// The element at a place.
    pub fn get_mut(&mut self, place: u32) -> &mut T {
        &mut self.items[place as usize].0
    }

    /// How many elements there are in all.
    pub fn item_count(&self) -> usize {
        self.items.len()
    }
}

impl<T: Clone> Chains<T> {
    /// The same lists, which no longer grow.
    pub fn into_rows(self) -> Rows<T> {
        let mut first = Vec::with_capacity(self.ends.len() + 1);
        let mut items = Vec::with_capacity(self.items.len());
        for list in 0..self.ends.len() {
            first.push(items.len() as u32);
            items.extend(self.iter(list).cloned());
        }
        first.push(items.len() as u32);
        Rows { first, items }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAIRS: [(u32, char); 6] = [(2, 'a'), (0, 'b'), (2, 'c'), (2, 'd'), (0, 'e'), (4, 'f')];
    const LISTS: [&[char]; 5] = [&['b', 'e'], &[], &['a', 'c', 'd'], &[], &['f']];

    #[test]
    fn elements_keep_their_order_in_each_list() {
        let rows = Rows::collect(5, |pair| PAIRS.iter().for_each(|&(row, item)| pair(row, item)));
        assert!(rows.iter().eq(LISTS));
        assert_eq!((rows.range(2), rows.range(3), rows.count()), (2..5, 5..5, 5));
        assert_eq!(Rows::<u8>::collect(0, |_| ()).count(), 0);
    }

    #[test]
    fn chains_become_the_same_rows() {
        let mut chains = Chains::new(4, 0);
        chains.add_list();
        for (list, item) in PAIRS {
            let place = chains.push(list as usize, item);
            assert_eq!(*chains.get(place), item);
        }
        for (list, items) in LISTS.iter().enumerate() {
            assert!(chains.iter(list).eq(*items));
        }
        assert_eq!(chains.item_count(), PAIRS.len());
        assert!(chains.into_rows().iter().eq(LISTS));
    }
}
