//! What is told apart in a formula: the scalars in scope, and for integers which of their values make a difference.

use rustc_hash::{FxHashMap, FxHashSet};
use spds_format::model::Scalar;

use super::form::{Cell, Interval, Literal, comparisons, largest, others};
use crate::bdd::{Column, Relation, Space, Vars};
use crate::limits::Stop;

/// A scalar in scope, and the columns of its bits, least significant first.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The scalar, at one moment.
    pub cell: Cell,
    /// As many as its type has bits.
    pub columns: Vec<Column>,
}

impl Placed {
    /// The value in a valuation.
    pub(super) fn value(&self, values: &FxHashMap<Column, bool>) -> u64 {
        let bits = self.columns.iter().enumerate();
        bits.fold(0, |value, (i, column)| value | u64::from(values.get(column).copied().unwrap_or(false)) << i)
    }

    /// The values under which it has this value.
    pub(super) fn is(&self, space: &Space, value: u64) -> Result<Relation, Stop> {
        let literals = self.columns.iter().enumerate().map(|(i, column)| (*column, value >> i & 1 == 1));
        space.cube(&literals.collect::<Vec<_>>())
    }
}

/// The columns that a set of values depends on.
pub(super) fn support(space: &Space, set: &Relation) -> FxHashSet<Column> {
    space.support(set).into_iter().collect()
}

/// More intervals than this, and an integer is told by its bits.
const MOST_INTERVALS: usize = 16;

/// The intervals are put together of at most so many whose length is a power of two.
const MOST_LEAVES: usize = 256;

/// Alternatives of a unit are numbered by the bits of a word.
const MOST_ALTERNATIVES: usize = 64;

/// Something with a few alternatives: a Boolean, an integer as far as its value makes a difference, or a bit of one.
pub(super) struct Unit {
    pub cell: Cell,
    kind: UnitKind,
    /// Its bits in relations.
    pub vars: Vars,
    pub alternatives: Vec<Alternative>,
    /// The alternatives, as bits of a word, with which values may belong to what is told or not, as is shorter.
    free: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UnitKind {
    Whole,
    /// The bit of this weight.
    Bit(u64),
}

/// One alternative: all its values make the same of the set.
pub(super) struct Alternative {
    intervals: Vec<Interval>,
    /// One of its values.
    pub one: Relation,
    /// All of them.
    pub all: Relation,
}

/// The units of the scalars that a set and another one that contains it depend on, in the order of the scalars, and the unit of
/// each column.
pub(super) struct Units {
    pub units: Vec<Unit>,
    of_column: FxHashMap<Column, usize>,
}

impl Units {
    pub fn new(space: &Space, scope: &[Placed], sets: [&Relation; 2]) -> Result<Units, Stop> {
        let mut met = support(space, sets[0]);
        met.extend(support(space, sets[1]));
        let mut all = Units { units: Vec::new(), of_column: FxHashMap::default() };
        for placed in scope.iter().filter(|placed| placed.columns.iter().any(|column| met.contains(column))) {
            let whole = match placed.cell.scalar {
                Scalar::Bool => None,
                Scalar::Unsigned(_) => alternatives(space, placed, sets)?,
            };
            match whole {
                Some(alternatives) => {
                    all.add(space, placed.cell, UnitKind::Whole, &placed.columns, alternatives);
                    let unit = all.units.last_mut().expect("one was added");
                    for (i, alternative) in unit.alternatives.iter().enumerate() {
                        let part = |set: &Relation| space.and_exists(set, &alternative.one, unit.vars);
                        if space.is_empty(&part(sets[0])?) && space.is_full(&part(sets[1])?) {
                            unit.free |= 1 << i;
                        }
                    }
                }
                None => {
                    for (i, column) in
                        placed.columns.iter().enumerate().rev().filter(|(_, column)| met.contains(column))
                    {
                        let value = |value: bool| -> Result<Alternative, Stop> {
                            let set = space.literal(*column, value)?;
                            let intervals = vec![(u64::from(value), u64::from(value))];
                            Ok(Alternative { intervals, one: set.clone(), all: set })
                        };
                        let both = vec![value(false)?, value(true)?];
                        all.add(space, placed.cell, UnitKind::Bit(1 << i), std::slice::from_ref(column), both);
                    }
                }
            }
        }
        Ok(all)
    }

    fn add(&mut self, space: &Space, cell: Cell, kind: UnitKind, columns: &[Column], alternatives: Vec<Alternative>) {
        self.of_column.extend(columns.iter().map(|column| (*column, self.units.len())));
        let vars = space.vars(columns.iter().copied());
        self.units.push(Unit { cell, kind, vars, alternatives, free: 0 });
    }

    /// The first unit that one of the sets depends on.
    pub fn first(&self, space: &Space, sets: [&Relation; 2]) -> Option<usize> {
        let met = sets.into_iter().flat_map(|set| space.support(set));
        met.filter_map(|column| self.of_column.get(&column).copied()).min()
    }

    /// The tests that a cube stands for; alternatives are given by a mask for each unit, units ascend.
    pub fn literals(&self, cube: &[(usize, u64)]) -> Vec<Literal> {
        let mut literals: Vec<Literal> = Vec::new();
        for &(number, mask) in cube {
            let unit = &self.units[number];
            let literal = match (unit.kind, unit.cell.scalar) {
                (UnitKind::Bit(_), Scalar::Bool) => Literal::Is(unit.cell, mask == 2),
                (UnitKind::Bit(weight), Scalar::Unsigned(_)) => {
                    let value = if mask == 2 { weight } else { 0 };
                    match literals.last_mut() {
                        Some(Literal::Masked(cell, mask, bits, true)) if *cell == unit.cell => {
                            *mask |= weight;
                            *bits |= value;
                            continue;
                        }
                        _ => Literal::Masked(unit.cell, weight, value, true),
                    }
                }
                (UnitKind::Whole, _) => Literal::Within(unit.cell, unit.intervals(mask)),
            };
            literals.push(literal);
        }
        literals.into_iter().map(whole).collect()
    }
}

impl Unit {
    /// The values of these alternatives, with or without the free ones.
    fn intervals(&self, mask: u64) -> Vec<Interval> {
        let values = |mask: u64| {
            let chosen = self.alternatives.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1);
            joined(chosen.flat_map(|(_, alternative)| alternative.intervals.iter().copied()).collect())
        };
        let says_something =
            |intervals: &Vec<Interval>| !intervals.is_empty() && !others(self.cell.scalar, intervals).is_empty();
        let ways = [values(mask | self.free), values(mask & !self.free)].into_iter().filter(says_something);
        let shortest = ways.min_by_key(|intervals| comparisons(self.cell.scalar, intervals).count());
        shortest.unwrap_or_else(|| values(mask))
    }
}

/// All bits of an integer are its value: `n = 5`.
fn whole(literal: Literal) -> Literal {
    match literal {
        Literal::Masked(cell, mask, bits, true) if mask == largest(cell.scalar) => {
            Literal::Within(cell, vec![(bits, bits)])
        }
        other => other,
    }
}

/// Intervals in order, those that touch as one.
fn joined(mut intervals: Vec<Interval>) -> Vec<Interval> {
    intervals.sort_unstable();
    let mut all: Vec<Interval> = Vec::new();
    for (first, last) in intervals {
        match all.last_mut() {
            Some(before) if before.1.checked_add(1) == Some(first) => before.1 = last,
            _ => all.push((first, last)),
        }
    }
    all
}

/// Values of an integer, grouped by what they make of the two sets. None if there are too many groups or intervals.
fn alternatives(space: &Space, placed: &Placed, sets: [&Relation; 2]) -> Result<Option<Vec<Alternative>>, Stop> {
    let mut groups: Vec<Alternative> = Vec::new();
    let mut kinds: Vec<[Relation; 2]> = Vec::new();
    let own = |set: &Relation, below: &[Column]| space.support(set).iter().any(|column| below.contains(column));
    // What is left to split: the sets, the value of the bits so far, how many bits are left.
    let mut open = vec![([sets[0].clone(), sets[1].clone()], 0u64, placed.columns.len())];
    let mut leaves = 0;
    while let Some((sets, prefix, left)) = open.pop() {
        let below = &placed.columns[..left];
        if left == 0 || !sets.iter().any(|set| own(set, below)) {
            leaves += 1;
            if leaves > MOST_LEAVES {
                return Ok(None);
            }
            let first = if left == 64 { 0 } else { prefix << left };
            let interval = (first, first | u64::MAX.checked_shr(64 - left as u32).unwrap_or(0));
            let literals = placed.columns[left..].iter().enumerate();
            let literals = literals.map(|(i, column)| (*column, prefix >> i & 1 == 1));
            let values = space.cube(&literals.collect::<Vec<_>>())?;
            match kinds.iter().position(|kind| *kind == sets) {
                Some(group) => {
                    let group = &mut groups[group];
                    group.intervals.push(interval);
                    group.all = space.or(&group.all, &values)?;
                }
                None if groups.len() == MOST_ALTERNATIVES => return Ok(None),
                None => {
                    kinds.push(sets);
                    let one = placed.is(space, interval.0)?;
                    groups.push(Alternative { intervals: vec![interval], one, all: values });
                }
            }
            continue;
        }
        let column = below[left - 1];
        for value in [true, false] {
            let literal = space.literal(column, value)?;
            let half = |set: &Relation| space.and_exists(set, &literal, space.vars([column]));
            open.push(([half(&sets[0])?, half(&sets[1])?], prefix << 1 | u64::from(value), left - 1));
        }
    }
    for group in &mut groups {
        group.intervals = joined(std::mem::take(&mut group.intervals));
    }
    let intervals: usize = groups.iter().map(|group| group.intervals.len()).sum();
    Ok((intervals <= MOST_INTERVALS).then_some(groups))
}

/// The values that an integer takes in a set that depends on nothing else. None if there are too many intervals.
pub(super) fn intervals(space: &Space, placed: &Placed, set: &Relation) -> Result<Option<Vec<Interval>>, Stop> {
    let groups = alternatives(space, placed, [set, set])?;
    let Some(groups) = groups else { return Ok(None) };
    for group in groups {
        if !space.is_empty(&space.and(&group.one, set)?) {
            return Ok(Some(group.intervals));
        }
    }
    Ok(Some(Vec::new()))
}
