//! Fixpoints backwards over a part of the head graph: the values from which a run can go round for ever.
//!
//! νZ. Z ∧ pre(Z) for any cycle, νZ. μY. Z ∧ (pre_marked(Z) ∪ pre(Y)) for those that meet the mark (Emerson & Lei, LICS
//! 1986), with the sets trimmed to what has a successor before each round, as in the one-way-catch-them-young algorithm
//! (Fisler, Fraer, Kamhi, Vardi & Yang, TACAS 2001). What leads back along an edge is for others to say: steps and summaries
//! that post* or pre* found, or transitions without some of the variables.

use std::collections::{BTreeMap, BTreeSet};

use super::{Cycles, HeadSets};
use crate::bdd::{Relation, Space};
use crate::limits::Stop;
use crate::pds::HeadId;
use crate::saturation::preimages::Met;

type Result<T> = std::result::Result<T, Stop>;

/// Edges between heads, by number, and what leads into a set along each of them.
pub struct Arcs<'s, F> {
    space: &'s Space,
    ends: Vec<(HeadId, HeadId)>,
    from: BTreeMap<HeadId, Vec<usize>>,
    into: BTreeMap<HeadId, Vec<usize>>,
    /// The order of work: ends of ways first.
    order: BTreeMap<HeadId, usize>,
    before: F,
}

impl<'s, F: Fn(usize, &Relation, Met) -> Result<Relation>> Arcs<'s, F> {
    /// These edges between these heads, which stand as ways lead. `before` says from which values the edge with a number
    /// leads into a set.
    pub fn new(space: &'s Space, heads: &[HeadId], ends: Vec<(HeadId, HeadId)>, before: F) -> Self {
        let (mut from, mut into) = (BTreeMap::<HeadId, Vec<usize>>::new(), BTreeMap::<HeadId, Vec<usize>>::new());
        for (number, &(head, to)) in ends.iter().enumerate() {
            from.entry(head).or_default().push(number);
            into.entry(to).or_default().push(number);
        }
        let order = heads.iter().rev().enumerate().map(|(place, &head)| (head, place)).collect();
        Arcs { space, ends, from, into, order, before }
    }

    /// The values of `within` from which a run can go round for ever. Empty if there is no cycle.
    ///
    /// # Errors
    /// If a limit is met.
    pub fn hull(&self, within: HeadSets, cycles: Cycles) -> Result<HeadSets> {
        let mut all = self.going_on(within)?;
        while cycles == Cycles::Marked && !all.is_empty() {
            let some = self.going_on(self.leading_to_mark(&all)?)?;
            if some == all {
                break;
            }
            all = some;
        }
        Ok(all)
    }

    /// νZ. Z ∧ pre(Z)
    ///
    /// # Errors
    /// If a limit is met.
    pub fn going_on(&self, mut sets: HeadSets) -> Result<HeadSets> {
        let space = self.space;
        let mut work: BTreeSet<(usize, HeadId)> = self.order.iter().map(|(&head, &place)| (place, head)).collect();
        // What edges lead from, as long as the set that they lead into has not changed since.
        let mut known: BTreeMap<usize, Relation> = BTreeMap::new();
        let mut rounds = 0u32;
        while let Some((_, head)) = work.pop_first() {
            let Some(set) = sets.get(&head).cloned() else { continue };
            let mut left = space.bottom();
            for &edge in self.from.get(&head).into_iter().flatten() {
                let to = self.ends[edge].1;
                let Some(after) = sets.get(&to) else { continue };
                let some = match known.get(&edge).filter(|_| to != head) {
                    Some(some) => some.clone(),
                    None => {
                        let some = (self.before)(edge, after, Met::Whatever)?;
                        known.insert(edge, some.clone());
                        some
                    }
                };
                left = space.or(&left, &some)?;
            }
            let left = space.and(&set, &left)?;
            if left == set {
                continue;
            }
            sets.set(space, head, left);
            for &edge in self.into.get(&head).into_iter().flatten() {
                known.remove(&edge);
                let from = self.ends[edge].0;
                work.insert((self.order[&from], from));
            }
            rounds += 1;
            if rounds.is_multiple_of(64) {
                space.check()?;
            }
        }
        Ok(sets)
    }

    /// μY. Z ∧ (pre_marked(Z) ∪ pre(Y))
    fn leading_to_mark(&self, all: &HeadSets) -> Result<HeadSets> {
        let space = self.space;
        let mut found = HeadSets::new();
        let mut fresh = HeadSets::new();
        for (edge, (from, to)) in self.ends.iter().enumerate() {
            let (Some(set), Some(after)) = (all.get(from), all.get(to)) else { continue };
            fresh.add(space, *from, space.and(set, &(self.before)(edge, after, Met::OnTheWay)?)?)?;
        }
        let mut rounds = 0u32;
        loop {
            let next = fresh.keys().min_by_key(|head| self.order[head]);
            let Some((head, set)) = next.and_then(|head| Some((head, fresh.take(&head)?))) else { return Ok(found) };
            let Some(new) = found.grow(space, head, &set)? else { continue };
            for &edge in self.into.get(&head).into_iter().flatten() {
                let from = self.ends[edge].0;
                let Some(set) = all.get(&from) else { continue };
                fresh.add(space, from, space.and(set, &(self.before)(edge, &new, Met::Whatever)?)?)?;
            }
            rounds += 1;
            if rounds.is_multiple_of(64) {
                space.check()?;
            }
        }
    }
}
