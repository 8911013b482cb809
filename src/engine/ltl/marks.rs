//! Sets of acceptance marks.

/// A set of small numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Marks(Vec<u64>);

impl Marks {
    /// That mark alone.
    pub fn one(mark: u32) -> Marks {
        let mut marks = Marks::default();
        marks.insert(mark);
        marks
    }

    /// The marks below a number.
    pub fn below(number: u32) -> Marks {
        let mut marks = Marks::default();
        for mark in 0..number {
            marks.insert(mark);
        }
        marks
    }

    /// Whether the mark is in the set.
    pub fn has(&self, mark: u32) -> bool {
        self.0.get(mark as usize / 64).is_some_and(|word| word >> (mark % 64) & 1 == 1)
    }

    /// Adds a mark.
    pub fn insert(&mut self, mark: u32) {
        let index = mark as usize / 64;
        if self.0.len() <= index {
            self.0.resize(index + 1, 0);
        }
        self.0[index] |= 1 << (mark % 64);
    }

    /// Adds all of another set.
    pub fn extend(&mut self, other: &Marks) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (word, more) in self.0.iter_mut().zip(&other.0) {
            *word |= more;
        }
    }

    /// Whether each mark is in the other set, too.
    pub fn is_within(&self, other: &Marks) -> bool {
        self.0.iter().enumerate().all(|(index, word)| word & !other.0.get(index).copied().unwrap_or(0) == 0)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The marks, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.0.len() as u32 * 64).filter(|mark| self.has(*mark))
    }
}

impl FromIterator<u32> for Marks {
    fn from_iter<I: IntoIterator<Item = u32>>(marks: I) -> Marks {
        let mut set = Marks::default();
        for mark in marks {
            set.insert(mark);
        }
        set
    }
}
