//! Sets by key: a set of values at each head of a graph, or at each of its nodes, with the algebra of sets.
//!
//! None that is stored is empty. So families are equal if they hold the same values, and one without keys is the empty
//! set: whoever asks whether there is anything left need not look into the sets.

use std::collections::{BTreeMap, btree_map};

use super::{Relation, Space};
use crate::limits::Stop;

type Result<T> = std::result::Result<T, Stop>;

/// Sets by key, none of them empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetsBy<K>(BTreeMap<K, Relation>);

impl<K> Default for SetsBy<K> {
    fn default() -> Self {
        SetsBy(BTreeMap::new())
    }
}

impl<K: Copy + Ord> SetsBy<K> {
    /// Nothing at any key.
    pub fn new() -> Self {
        SetsBy::default()
    }

    /// What is at one key.
    pub fn one(space: &Space, key: K, set: Relation) -> Self {
        let mut sets = SetsBy::new();
        sets.set(space, key, set);
        sets
    }

    /// Replaces what is at a key.
    pub fn set(&mut self, space: &Space, key: K, set: Relation) {
        if space.is_empty(&set) {
            self.0.remove(&key);
        } else {
            self.0.insert(key, set);
        }
    }

    /// Adds to what is at a key.
    pub fn add(&mut self, space: &Space, key: K, set: Relation) -> Result<()> {
        if space.is_empty(&set) {
            return Ok(());
        }
        match self.0.entry(key) {
            btree_map::Entry::Vacant(place) => {
                place.insert(set);
            }
            btree_map::Entry::Occupied(mut place) => {
                let all = space.or(place.get(), &set)?;
                place.insert(all);
            }
        }
        Ok(())
    }

    /// Adds to what is at a key; what of it was not there before, if anything.
    pub fn grow(&mut self, space: &Space, key: K, more: &Relation) -> Result<Option<Relation>> {
        let new = match self.0.get(&key) {
            Some(known) => space.and_not(more, known)?,
            None => more.clone(),
        };
        if space.is_empty(&new) {
            return Ok(None);
        }
        self.add(space, key, new.clone())?;
        Ok(Some(new))
    }

    /// Takes away what is at a key.
    pub fn take(&mut self, key: &K) -> Option<Relation> {
        self.0.remove(key)
    }

    /// Takes away what is at the first key.
    pub fn pop_first(&mut self) -> Option<(K, Relation)> {
        self.0.pop_first()
    }

    /// What is at a key, if anything is.
    pub fn get(&self, key: &K) -> Option<&Relation> {
        self.0.get(key)
    }

    /// Keys and sets, in the order of keys.
    pub fn iter(&self) -> impl Iterator<Item = (K, &Relation)> {
        self.0.iter().map(|(&key, set)| (key, set))
    }

    /// The same for the keys from one on.
    pub fn from(&self, first: K) -> impl Iterator<Item = (K, &Relation)> {
        self.0.range(first..).map(|(&key, set)| (key, set))
    }

    /// The keys at which there is something, in order.
    pub fn keys(&self) -> impl Iterator<Item = K> {
        self.0.keys().copied()
    }

    /// Whether there is nothing at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// a ∪ b
    pub fn union(&self, space: &Space, other: &Self) -> Result<Self> {
        let mut sum = self.clone();
        for (key, set) in other.iter() {
            sum.add(space, key, set.clone())?;
        }
        Ok(sum)
    }

    /// a ∖ b
    pub fn difference(&self, space: &Space, other: &Self) -> Result<Self> {
        self.each(space, |key, set| match other.get(&key) {
            Some(less) => space.and_not(set, less),
            None => Ok(set.clone()),
        })
    }

    /// a ∩ b
    pub fn intersection(&self, space: &Space, other: &Self) -> Result<Self> {
        self.each(space, |key, set| match other.get(&key) {
            Some(other) => space.and(set, other),
            None => Ok(space.bottom()),
        })
    }

    /// The image of each set.
    pub fn each(&self, space: &Space, mut image: impl FnMut(K, &Relation) -> Result<Relation>) -> Result<Self> {
        let mut images = SetsBy::new();
        for (key, set) in self.iter() {
            images.set(space, key, image(key, set)?);
        }
        Ok(images)
    }
}

impl<K> IntoIterator for SetsBy<K> {
    type Item = (K, Relation);
    type IntoIter = btree_map::IntoIter<K, Relation>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
