//! From a set of values to a short formula: what is constant, what is equal, how integers compare, and of the rest a
//! sum of products or a product of sums, whichever is shorter.

use rustc_hash::{FxHashMap, FxHashSet};
use spds_format::model::{Scalar, Var};

use super::cover::{NoSum, cover};
use super::form::{Cell, Formula, Literal, OrEqual, Sum, weight};
use super::units::{Placed, Units, intervals, support};
use crate::bdd::{Column, Relation, Space, Vars};
use crate::limits::Stop;

/// What is being described: a set over the scalars of the scope, which must not be empty.
pub(super) struct Desk<'a> {
    pub space: &'a Space,
    pub scope: &'a [Placed],
    /// What is left to be said.
    pub set: Relation,
    /// What has been said.
    pub sums: Vec<Sum>,
    /// What that tells of the scalars that are left: an integer is not larger than the type of its equals allows.
    bounds: Relation,
}

/// Sums that all hold.
type Sums = Vec<Sum>;

impl<'a> Desk<'a> {
    pub fn new(space: &'a Space, scope: &'a [Placed], set: Relation) -> Self {
        Desk { space, scope, set, sums: Vec::new(), bounds: space.top() }
    }

    fn some_values(&self, set: &Relation) -> FxHashMap<Column, bool> {
        let columns = self.scope.iter().flat_map(|placed| placed.columns.iter().copied());
        let values = self.space.pick(set, self.space.vars(columns)).expect("the set is not empty");
        values.into_iter().collect()
    }

    /// The scalars that the set depends on, by their place in the scope.
    fn open(&self) -> Vec<usize> {
        let met = support(self.space, &self.set);
        let depends = |i: &usize| self.scope[*i].columns.iter().any(|column| met.contains(column));
        (0..self.scope.len()).filter(depends).collect()
    }

    /// ∃ these scalars.
    fn forget(&mut self, scalars: impl Iterator<Item = usize>) -> Result<(), Stop> {
        let columns = scalars.flat_map(|i| self.scope[i].columns.iter().copied());
        self.set = self.space.exists(&self.set, self.space.vars(columns))?;
        Ok(())
    }

    /// Scalars that have one value only.
    pub fn constants(&mut self) -> Result<Vec<(Cell, u64)>, Stop> {
        let values = self.some_values(&self.set);
        let mut found = Vec::new();
        let mut gone = Vec::new();
        for i in self.open() {
            let placed = &self.scope[i];
            let value = placed.value(&values);
            if self.space.subset(&self.set, &placed.is(self.space, value)?)? {
                gone.push(i);
                found.push((placed.cell, value));
            }
        }
        self.sums = Formula::of_constants(&found).sums;
        self.forget(gone.into_iter())?;
        Ok(found)
    }

    /// Variables that keep their value from one moment to a later one: x' = x.
    pub fn copies(&mut self) -> Result<(), Stop> {
        let mut of_variable: FxHashMap<(Var, Option<u32>, Scalar), Vec<usize>> = FxHashMap::default();
        let mut later = Vec::new();
        for i in self.open() {
            let Cell { var, index, scalar, .. } = self.scope[i].cell;
            later.push((i, of_variable.get(&(var, index, scalar)).cloned().unwrap_or_default()));
            of_variable.entry((var, index, scalar)).or_default().push(i);
        }
        let mut gone: FxHashSet<usize> = FxHashSet::default();
        for (i, before) in later {
            for j in before.into_iter().filter(|j| !gone.contains(j)) {
                let (a, b) = (&self.scope[i], &self.scope[j]);
                if self.unlike(a, b, true)?.is_none() {
                    self.sums.push(vec![vec![Literal::Same(a.cell, b.cell, true)]]);
                    gone.insert(i);
                    break;
                }
            }
        }
        let mut gone: Vec<usize> = gone.into_iter().collect();
        gone.sort_unstable();
        self.forget(gone.into_iter())
    }

    /// Scalars that are always equal, or Booleans that never are: all but the first of them need no more words. Classes
    /// of scalars that might be equal are split by counterexamples, so there are at most twice as many tests as scalars.
    pub fn equalities(&mut self) -> Result<(), Stop> {
        let space = self.space;
        let first = self.some_values(&self.set);
        let mut classes: Vec<Vec<usize>> = vec![Vec::new()];
        let mut class_of: FxHashMap<u64, usize> = FxHashMap::default();
        for i in self.open() {
            let placed = &self.scope[i];
            let class = match placed.cell.scalar {
                Scalar::Bool => 0,
                Scalar::Unsigned(_) => *class_of.entry(placed.value(&first)).or_insert_with(|| {
                    classes.push(Vec::new());
                    classes.len() - 1
                }),
            };
            classes[class].push(i);
        }
        let mut found = Vec::new();
        while let Some(mut class) = classes.pop() {
            let mut at = 1;
            while let (Some(&a), Some(&b)) = (class.first(), class.get(at)) {
                let (a, b) = (&self.scope[a], &self.scope[b]);
                let same = a.value(&first) == b.value(&first);
                let Some(others) = self.unlike(a, b, same)? else {
                    found.push((class[0], class[at], same));
                    at += 1;
                    continue;
                };
                let values = self.some_values(&others);
                let changed = |i: &usize| {
                    let placed = &self.scope[*i];
                    match placed.cell.scalar {
                        Scalar::Bool => placed.value(&first) ^ placed.value(&values),
                        Scalar::Unsigned(_) => placed.value(&values),
                    }
                };
                let wanted = changed(&class[0]);
                let (stay, leave): (Vec<usize>, Vec<usize>) = class[at..].iter().partition(|i| changed(i) == wanted);
                class.truncate(at);
                class.extend(stay);
                classes.push(leave);
            }
        }
        found.sort_unstable();
        for &(a, b, same) in &found {
            let (a, b) = (&self.scope[a], &self.scope[b]);
            self.sums.push(vec![vec![Literal::Same(a.cell, b.cell, same)]]);
            for column in a.columns.iter().skip(b.columns.len()) {
                self.bounds = space.and(&self.bounds, &space.literal(*column, false)?)?;
            }
        }
        self.forget(found.into_iter().map(|(_, b, _)| b))
    }

    /// Where in the set two scalars are not the same (or, if they should differ, where they are the same), as far as one
    /// bit shows it. None if there is no such place. Bit by bit, because the relation `a = b` can be large where `a` and
    /// `b` lie far apart in the order of the BDD.
    fn unlike(&self, a: &Placed, b: &Placed, same: bool) -> Result<Option<Relation>, Stop> {
        let space = self.space;
        for i in 0..a.columns.len().max(b.columns.len()) {
            let alike = space.iff(&digit(space, a, i)?, &digit(space, b, i)?)?;
            let others = if same { space.and_not(&self.set, &alike)? } else { space.and(&self.set, &alike)? };
            if !space.is_empty(&others) {
                return Ok(Some(others));
            }
        }
        Ok(None)
    }

    /// What is left, in the shorter of two ways: with what can be said of single integers and of pairs of them before
    /// everything else, or without.
    ///
    /// None if it would have a sum with more products than that.
    pub fn finish(mut self, most: usize) -> Result<Option<Formula>, Stop> {
        let (said, care) = self.comparisons()?;
        let compared = match said.is_empty() {
            true => None,
            false => self.rest(&care, most)?.map(|rest| said.into_iter().chain(rest).collect::<Sums>()),
        };
        // Nothing with more products than that could be shorter.
        let fewer = compared.as_ref().map_or(most, |compared| most.min(weight(compared)));
        let plain = self.rest(&self.bounds, fewer)?;
        let rest = match (plain, compared) {
            (Some(a), Some(b)) => Some(if weight(&b) < weight(&a) { b } else { a }),
            (a, b) => a.or(b),
        };
        Ok(rest.map(|rest| {
            self.sums.extend(rest);
            Formula { sums: std::mem::take(&mut self.sums) }
        }))
    }

    /// What is true of single integers, and of pairs of them; and the set of values of which all that is true.
    fn comparisons(&self) -> Result<(Sums, Relation), Stop> {
        let space = self.space;
        let open = self.open();
        let integers: Vec<usize> =
            open.iter().copied().filter(|i| self.scope[*i].cell.scalar != Scalar::Bool).collect();
        let mut said: Vec<(Literal, Relation)> = Vec::new();
        let mut care = self.bounds.clone();
        for &i in &integers {
            let placed = &self.scope[i];
            let own = space.exists(&self.set, self.others(&[placed]))?;
            if space.subset(&care, &own)? {
                continue;
            }
            if let Some(intervals) = intervals(space, placed, &own)? {
                care = space.and(&care, &own)?;
                said.push((Literal::Within(placed.cell, intervals), own));
            }
        }
        for (n, &a) in integers.iter().enumerate() {
            for &b in &integers[n + 1..] {
                let (a, b) = (&self.scope[a], &self.scope[b]);
                let both = space.exists(&self.set, self.others(&[a, b]))?;
                let [only_a, only_b] = [a, b].map(|one| space.exists(&both, self.others(&[one])));
                // Nothing is known beside what is known of each.
                if space.equal(&both, &space.and(&only_a?, &only_b?)?) {
                    continue;
                }
                let Some(literal) = ordered(space, &both, a, b)? else { continue };
                let relation = meaning(space, &literal, a, b)?;
                if !space.subset(&care, &relation)? {
                    care = space.and(&care, &relation)?;
                    said.push((literal, relation));
                }
            }
        }
        Ok((self.needed(said)?, care))
    }

    /// The columns of the set that do not belong to these scalars.
    fn others(&self, these: &[&Placed]) -> Vars {
        let own = |column: &Column| these.iter().any(|placed| placed.columns.contains(column));
        self.space.vars(self.space.support(&self.set).into_iter().filter(|column| !own(column)))
    }

    /// Without those that follow from the others: n < m says that n is not the largest number.
    fn needed(&self, said: Vec<(Literal, Relation)>) -> Result<Sums, Stop> {
        let space = self.space;
        let mut behind = vec![self.bounds.clone()];
        for (_, relation) in said.iter().rev() {
            let last = behind.last().expect("there is one to begin with");
            behind.push(space.and(last, relation)?);
        }
        let mut before = space.top();
        let mut needed = Sums::new();
        for (i, (literal, relation)) in said.iter().enumerate() {
            let others = space.and(&before, &behind[said.len() - 1 - i])?;
            if !space.subset(&others, relation)? {
                before = space.and(&before, relation)?;
                needed.push(vec![vec![literal.clone()]]);
            }
        }
        Ok(needed)
    }

    /// The set, as far as it is within `care`: a product of sums, each group of them that shares scalars as a sum of
    /// products where that is shorter. None if there are too many products either way.
    fn rest(&self, care: &Relation, most: usize) -> Result<Option<Sums>, Stop> {
        let space = self.space;
        let upper = space.or(&self.set, &space.not(care)?)?;
        if space.is_full(&upper) {
            return Ok(Some(Sums::new()));
        }
        let units = Units::new(space, self.scope, [&self.set, &upper])?;
        let sum = |lower: &Relation, upper: &Relation, most| match cover(space, &units, (lower, upper), most) {
            Ok(cover) => Ok(Some(cover)),
            Err(NoSum::TooLong) => Ok(None),
            Err(NoSum::Stopped(stop)) => Err(stop),
        };
        let Some(outside) = sum(&space.not(&upper)?, &space.not(&self.set)?, most)? else {
            return Ok(sum(&self.set, &upper, most)?.map(|cover| split(cover.products(&units))));
        };
        let mut sums = Sums::new();
        let groups = groups(outside.cubes.iter().map(|(cube, _)| cube.iter().map(|(unit, _)| *unit)));
        for group in groups {
            let mut clauses = Sums::new();
            let mut within = space.top();
            for (cube, holds) in group.iter().map(|i| &outside.cubes[*i]) {
                clauses.push(units.literals(cube).iter().map(|literal| vec![literal.negated()]).collect());
                within = space.and_not(&within, holds)?;
            }
            let may = space.or(&within, &space.not(care)?)?;
            let products = sum(&within, &may, most.min(weight(&clauses)))?.map(|cover| split(cover.products(&units)));
            sums.extend(match products {
                Some(products) if weight(&products) <= weight(&clauses) => products,
                _ => clauses,
            });
        }
        Ok(Some(sums))
    }
}

/// A sum that has one product only, as a product of sums.
fn split(mut sum: Sum) -> Sums {
    match (sum.pop(), sum.is_empty()) {
        (None, _) => Sums::new(),
        (Some(product), true) => product.into_iter().map(|literal| vec![vec![literal]]).collect(),
        (Some(product), false) => {
            sum.push(product);
            vec![sum]
        }
    }
}

/// Numbers of items, those together that share something, directly or through others; in the order of the first of each.
fn groups(items: impl Iterator<Item = impl Iterator<Item = usize>>) -> Vec<Vec<usize>> {
    let mut groups: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
    for (number, parts) in items.enumerate() {
        let parts: Vec<usize> = parts.collect();
        let (touched, apart): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|(_, own)| own.iter().any(|part| parts.contains(part)));
        let mut merged = (vec![number], parts);
        for (numbers, own) in touched {
            merged.0.extend(numbers);
            merged.1.extend(own.into_iter().filter(|part| !merged.1.contains(part)).collect::<Vec<_>>());
        }
        merged.0.sort_unstable();
        groups = apart;
        groups.push(merged);
    }
    let mut groups: Vec<Vec<usize>> = groups.into_iter().map(|(numbers, _)| numbers).collect();
    groups.sort();
    groups
}

/// What is always true of two integers, if anything.
fn ordered(space: &Space, set: &Relation, a: &Placed, b: &Placed) -> Result<Option<Literal>, Stop> {
    let mut alike = set.clone();
    let (mut less, mut greater) = (false, false);
    for i in (0..a.columns.len().max(b.columns.len())).rev() {
        let (x, y) = (digit(space, a, i)?, digit(space, b, i)?);
        less |= !space.is_empty(&space.and(&alike, &space.and_not(&y, &x)?)?);
        greater |= !space.is_empty(&space.and(&alike, &space.and_not(&x, &y)?)?);
        alike = space.and(&alike, &space.iff(&x, &y)?)?;
        if space.is_empty(&alike) {
            break;
        }
    }
    let equal = if space.is_empty(&alike) { OrEqual::No } else { OrEqual::Yes };
    Ok(match (less, greater, equal) {
        (true, false, _) => Some(Literal::Less(a.cell, b.cell, equal)),
        (false, true, _) => Some(Literal::Less(b.cell, a.cell, equal)),
        (true, true, OrEqual::No) => Some(Literal::Same(a.cell, b.cell, false)),
        // Equal ones have been told.
        (true, true, OrEqual::Yes) | (false, false, _) => None,
    })
}

/// The pairs of which a test made by [`ordered`] is true.
fn meaning(space: &Space, literal: &Literal, a: &Placed, b: &Placed) -> Result<Relation, Stop> {
    let (mut less, mut greater) = (space.bottom(), space.bottom());
    for i in 0..a.columns.len().max(b.columns.len()) {
        let (x, y) = (digit(space, a, i)?, digit(space, b, i)?);
        let alike = space.iff(&x, &y)?;
        less = space.ite(&alike, &less, &y)?;
        greater = space.ite(&alike, &greater, &x)?;
    }
    match literal {
        Literal::Less(first, _, or_equal) => {
            let (yes, no) = if *first == a.cell { (less, greater) } else { (greater, less) };
            if *or_equal == OrEqual::Yes { space.not(&no) } else { Ok(yes) }
        }
        _ => space.or(&less, &greater),
    }
}

/// A bit of a number, false beyond its width.
fn digit(space: &Space, placed: &Placed, i: usize) -> Result<Relation, Stop> {
    match placed.columns.get(i) {
        Some(column) => space.literal(*column, true),
        None => Ok(space.bottom()),
    }
}
