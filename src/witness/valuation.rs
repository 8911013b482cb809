//! Values of some bits of state.

use crate::bdd::{At, Bit, Column, Relation, Space};
use crate::limits::Stop;

/// Values of bits, sorted by bit.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Valuation(Vec<(Bit, bool)>);

impl Valuation {
    /// Of these values, each bit once.
    pub fn new(values: impl IntoIterator<Item = (Bit, bool)>) -> Self {
        let mut values: Vec<_> = values.into_iter().collect();
        values.sort_unstable();
        Valuation(values)
    }

    /// The value of a bit, if it has one.
    pub fn get(&self, bit: Bit) -> Option<bool> {
        self.0.binary_search_by_key(&bit, |&(bit, _)| bit).ok().map(|i| self.0[i].1)
    }

    /// The values of those bits that have one, in that copy.
    pub fn columns(&self, bits: impl IntoIterator<Item = Bit>, at: At) -> Vec<(Column, bool)> {
        bits.into_iter().filter_map(|bit| self.get(bit).map(|value| ((bit, at), value))).collect()
    }
}

/// The tuples of a relation with these values.
pub fn with_values(space: &Space, relation: &Relation, values: &[(Column, bool)]) -> Result<Relation, Stop> {
    space.and(relation, &space.cube(values)?)
}

/// The least tuple of a relation on these columns, or `None` if it is empty.
pub fn least(space: &Space, relation: &Relation, columns: impl IntoIterator<Item = Column>) -> Option<Picked> {
    space.pick(relation, space.vars(columns)).map(Picked)
}

/// A tuple.
pub struct Picked(Vec<(Column, bool)>);

impl Picked {
    /// Its values in one copy.
    pub fn at(&self, at: At) -> impl Iterator<Item = (Bit, bool)> + '_ {
        self.0.iter().filter(move |((_, copy), _)| *copy == at).map(|&((bit, _), value)| (bit, value))
    }
}
