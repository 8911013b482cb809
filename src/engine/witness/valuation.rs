//! Values of some bits of state.

use crate::bdd::{At, Bit, Column, Relation, Space};
use crate::limits::Stop;

/// Values of bits, sorted by bit.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Valuation(Vec<(Bit, bool)>);

impl Valuation {
    /// Of these values, each bit once.
    pub fn new(values: impl IntoIterator<Item = (Bit, bool)>) -> Self {
        let values = values.into_iter();
        // At most so many: growing would take longer than all else here.
        let mut sorted = Vec::with_capacity(values.size_hint().1.unwrap_or(0));
        sorted.extend(values);
        sorted.sort_unstable();
        Valuation(sorted)
    }

    /// The number of bits that have a value.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The value of a bit, if it has one.
    pub fn get(&self, bit: Bit) -> Option<bool> {
        self.0.binary_search_by_key(&bit, |&(bit, _)| bit).ok().map(|i| self.0[i].1)
    }

    /// The values of those columns whose bits have one.
    pub fn columns<'v>(&'v self, columns: &'v [Column]) -> impl Iterator<Item = (Column, bool)> + 'v {
        // Both are sorted by bit.
        let mut rest = &self.0[..];
        columns.iter().filter_map(move |&(bit, at)| {
            while let Some((&(first, value), more)) = rest.split_first() {
                if first > bit {
                    break;
                }
                rest = more;
                if first == bit {
                    return Some(((bit, at), value));
                }
            }
            None
        })
    }
}

/// The tuples of a relation with these values.
pub fn with_values(space: &Space, relation: &Relation, values: &[(Column, bool)]) -> Result<Relation, Stop> {
    space.and(relation, &space.cube(values)?)
}

/// The least tuple on these columns that all relations and the values allow, or `None` if there is none.
pub fn least(
    space: &Space,
    of: &[&Relation],
    values: impl IntoIterator<Item = (Column, bool)>,
    columns: &[Column],
) -> Result<Option<Picked>, Stop> {
    Ok(space.least(of, values, columns)?.map(Picked))
}

/// A tuple.
pub struct Picked(Vec<(Column, bool)>);

impl Picked {
    /// Its values in one copy.
    pub fn at(&self, at: At) -> impl Iterator<Item = (Bit, bool)> + '_ {
        self.0.iter().filter(move |((_, copy), _)| *copy == at).map(|&((bit, _), value)| (bit, value))
    }
}
