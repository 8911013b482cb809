//! The sets of a certificate as relations: values now in Now, those at the entry in Entry.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use spds_format::Spds;
use spds_format::expr::Time;
use spds_format::model::{ControlId, Head, Stack};

use super::columns::Columns;
use crate::bdd::{At, Bit, EngineKind, Relation, Space, Universe};
use crate::certificate::{Certificate, Moment, Set, Tag};
use crate::limits::{Limits, Stop};

type Result<T> = std::result::Result<T, Stop>;

/// With more decisions than these, relations had better share them.
const FEW_DECISIONS: usize = 1_000;

/// The space of a check: its bits in the order that the certificate recommends.
pub(super) fn space(spds: &Spds, columns: &Columns, certificate: &Certificate, limits: &Limits) -> Result<Space> {
    let mut order = Vec::new();
    let mut seen = vec![false; columns.bits as usize];
    for bit in certificate.order.iter().copied().chain(0..columns.bits) {
        if seen.get_mut(bit as usize).is_some_and(|seen| !std::mem::replace(seen, true)) {
            order.push(Bit(bit));
        }
    }
    let mut saved = BTreeSet::new();
    for rule in spds.rules.iter().filter(|rule| matches!(rule.stack, Stack::Push(..))) {
        let [here, _, below] = spds.frames_of(rule);
        if here != below {
            saved.extend(columns.local_bits(below).chain(columns.local_bits(here)).map(Bit));
        }
        let updated = rule.updates.iter().map(|update| (update.var, update.time));
        let read = rule.with.iter().flat_map(|with| with.reads());
        for (var, _) in updated.chain(read).filter(|(_, time)| *time == Time::Saved) {
            saved.extend(columns.field(var, below).bits().map(Bit));
        }
    }
    let engine = match certificate.nodes.len() > FEW_DECISIONS {
        true => EngineKind::Shared,
        false => EngineKind::Biodivine,
    };
    Space::new(Universe { bits: columns.bits, order, saved }, engine, limits, None)
}

/// A family of sets, one for each head, that is closed under what rules do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// A: what is reached in a part of the stack.
    Part(Tag),
    /// T: what is reached from a cut.
    Round(Head),
}

/// Sets by two keys, as numbers of relations, in the order of the keys.
struct Numbered<K, L>(Box<[(K, L, Set)]>);

impl<K, L> Default for Numbered<K, L> {
    fn default() -> Self {
        Numbered(Box::default())
    }
}

impl<K: Ord + Copy, L: Ord + Copy> Numbered<K, L> {
    /// Sets with the same keys become one, which is a relation more.
    fn new(space: &Space, relations: &mut Vec<Relation>, of: &[(K, L, Set)]) -> Result<Self> {
        let mut all = of.to_vec();
        all.sort_by_key(|&(first, second, _)| (first, second));
        for i in 1..all.len() {
            let (before, this) = (all[i - 1], all[i]);
            if (before.0, before.1) == (this.0, this.1) {
                let both = space.or(&relations[before.2 as usize], &relations[this.2 as usize])?;
                all[i].2 = relations.len() as Set;
                relations.push(both);
            }
        }
        // The last one has them all.
        let is_last = |i: usize| all.get(i + 1).is_none_or(|next| (next.0, next.1) != (all[i].0, all[i].1));
        Ok(Numbered((0..all.len()).filter(|i| is_last(*i)).map(|i| all[i]).collect()))
    }

    fn get(&self, first: K, second: L) -> Option<Set> {
        let place = self.0.binary_search_by_key(&(first, second), |&(first, second, _)| (first, second));
        place.ok().map(|place| self.0[place].2)
    }

    /// Those with this first key.
    fn of(&self, first: K) -> &[(K, L, Set)] {
        let begin = self.0.partition_point(|(other, ..)| *other < first);
        let count = self.0[begin..].iter().take_while(|(other, ..)| *other == first).count();
        &self.0[begin..begin + count]
    }
}

/// The sets, by tag.
#[derive(Default)]
pub(super) struct Sets {
    /// By number.
    relations: Vec<Relation>,
    reached: Numbered<Tag, Head>,
    returned: Numbered<Tag, ControlId>,
    /// By cut.
    again: Numbered<Head, Head>,
    entered: FxHashMap<Head, Relation>,
    /// Places of what is reached, by head.
    everywhere: Box<[u32]>,
}

impl Sets {
    /// Makes them; or says why they are not about this system.
    pub fn new(
        spds: &Spds,
        columns: &Columns,
        space: &Space,
        certificate: &Certificate,
    ) -> Result<std::result::Result<Sets, String>> {
        let mut relations = relations(space, certificate)?;
        let width = |head: Head| columns.width(spds.symbol(head.symbol).frame);
        let means = |tag: Tag, now: u32, set: Set| {
            let entry = match tag {
                Tag::Start(_) => 0,
                Tag::Entry(head) => width(head),
            };
            let support = space.support(&relations[set as usize]);
            support.iter().all(|(bit, at)| bit.0 < if *at == At::Entry { entry } else { now })
        };
        let at = |head: Head| {
            let name = &spds.symbol(head.symbol).name;
            Ok(Err(format!("a set at `{name}` looks at bits that it does not have")))
        };
        if let Some(&(_, head, _)) =
            certificate.reached.iter().find(|(tag, head, set)| !means(*tag, width(*head), *set))
        {
            return at(head);
        }
        let returned = &certificate.returned;
        if let Some((_, control, _)) = returned.iter().find(|(tag, _, set)| !means(*tag, columns.global_bits, *set)) {
            let name = &spds.controls[control.0 as usize];
            return Ok(Err(format!("a set of returns in `{name}` looks at bits that it does not have")));
        }
        let again = &certificate.again;
        if let Some(&(_, head, _)) = again.iter().find(|(cut, head, set)| !means(Tag::Entry(*cut), width(*head), *set))
        {
            return at(head);
        }
        let reached = Numbered::new(space, &mut relations, &certificate.reached)?;
        let returned = Numbered::new(space, &mut relations, returned)?;
        let again = Numbered::new(space, &mut relations, again)?;
        let mut everywhere: Box<[u32]> = (0..reached.0.len() as u32).collect();
        everywhere.sort_unstable_by_key(|place| (reached.0[*place as usize].1, *place));
        Ok(Ok(Sets { relations, reached, returned, again, entered: FxHashMap::default(), everywhere }))
    }

    /// The number of sets in A, which come by part and head.
    pub fn count(&self) -> usize {
        self.reached.0.len()
    }

    /// One of them, and where it is.
    pub fn nth(&self, place: usize) -> (Tag, Head, Relation) {
        let (tag, head, set) = self.reached.0[place];
        (tag, head, self.relations[set as usize].clone())
    }

    fn or_nothing(&self, space: &Space, set: Option<Set>) -> Relation {
        set.map_or_else(|| space.bottom(), |set| self.relations[set as usize].clone())
    }

    /// A, or T.
    pub fn of(&self, space: &Space, family: Family, head: Head) -> Relation {
        match family {
            Family::Part(tag) => self.at(space, tag, head),
            Family::Round(cut) => self.or_nothing(space, self.again.get(cut, head)),
        }
    }

    /// A.
    pub fn at(&self, space: &Space, tag: Tag, head: Head) -> Relation {
        self.or_nothing(space, self.reached.get(tag, head))
    }

    /// What A has at a head, for all tags.
    pub fn everywhere(&self, head: Head) -> impl Iterator<Item = &Relation> {
        let at = |place: u32| self.reached.0[place as usize];
        let begin = self.everywhere.partition_point(|place| at(*place).1 < head);
        let here = self.everywhere[begin..].iter().map(move |place| at(*place));
        here.take_while(move |(_, other, _)| *other == head).map(|(.., set)| &self.relations[set as usize])
    }

    /// The heads at which A has something, in ascending order.
    pub fn heads(&self, space: &Space) -> Vec<Head> {
        let all = self.everywhere.iter().map(|place| self.reached.0[*place as usize]);
        let mut heads: Vec<Head> =
            all.filter(|(.., set)| !space.is_empty(&self.relations[*set as usize])).map(|(_, head, _)| head).collect();
        heads.dedup();
        heads.shrink_to_fit();
        heads
    }

    /// Whether A, or T, has everything.
    pub fn is_full(&self, space: &Space, family: Family, head: Head) -> bool {
        let set = match family {
            Family::Part(tag) => self.reached.get(tag, head),
            Family::Round(cut) => self.again.get(cut, head),
        };
        set.is_some_and(|set| space.is_full(&self.relations[set as usize]))
    }

    /// S.
    pub fn returned(&self, space: &Space, tag: Tag, control: ControlId) -> Relation {
        self.or_nothing(space, self.returned.get(tag, control))
    }

    /// S, for all control locations.
    pub fn all_returned(&self, tag: Tag) -> Vec<(ControlId, Relation)> {
        let all = self.returned.of(tag).iter();
        all.map(|&(_, control, set)| (control, self.relations[set as usize].clone())).collect()
    }

    /// T, from a cut.
    pub fn all_again(&self, cut: Head) -> Vec<(Head, Relation)> {
        self.again.of(cut).iter().map(|&(_, head, set)| (head, self.relations[set as usize].clone())).collect()
    }

    /// The values with which a call may be entered: those of which A has that they are the same at the entry and now.
    pub fn entered(&mut self, width: u32, space: &Space, entry: Head) -> Result<Relation> {
        if let Some(known) = self.entered.get(&entry) {
            return Ok(known.clone());
        }
        let all = self.at(space, Tag::Entry(entry), entry);
        let same = space.identity((0..width).map(Bit), At::Now, At::Entry)?;
        let entered = space.and_exists(&all, &same, space.vars((0..width).map(|bit| (Bit(bit), At::Entry))))?;
        self.entered.insert(entry, entered.clone());
        Ok(entered)
    }
}

/// The relations of all sets, by number.
fn relations(space: &Space, certificate: &Certificate) -> Result<Vec<Relation>> {
    let mut all = vec![space.bottom(), space.top()];
    for node in &certificate.nodes {
        let at = match node.moment {
            Moment::Entry => At::Entry,
            Moment::Now => At::Now,
        };
        let bit = space.literal((Bit(node.bit), at), true)?;
        let relation = space.ite(&bit, &all[node.high as usize], &all[node.low as usize])?;
        all.push(relation);
    }
    Ok(all)
}
