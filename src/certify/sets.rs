//! The sets of a certificate as relations: values now in Now, those at the entry in Entry.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

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

/// The sets, by tag.
#[derive(Default)]
pub(super) struct Sets {
    pub reached: Rc<BTreeMap<Tag, BTreeMap<Head, Relation>>>,
    pub returned: BTreeMap<Tag, BTreeMap<ControlId, Relation>>,
    /// By cut.
    pub again: BTreeMap<Head, BTreeMap<Head, Relation>>,
    entered: FxHashMap<Head, Relation>,
    /// What A has at each head, for all tags; by head.
    everywhere: Vec<(Head, Relation)>,
}

impl Sets {
    /// Makes them; or says why they are not about this system.
    pub fn new(
        spds: &Spds,
        columns: &Columns,
        space: &Space,
        certificate: &Certificate,
    ) -> Result<std::result::Result<Sets, String>> {
        let relations = relations(space, certificate)?;
        let relation = |set: Set| &relations[set as usize];
        let mut reached: BTreeMap<Tag, BTreeMap<Head, Relation>> = BTreeMap::new();
        let mut sets = Sets::default();
        let width = |head: Head| columns.width(spds.symbol(head.symbol).frame);
        let means = |tag: Tag, now: u32, set: &Relation| {
            let entry = match tag {
                Tag::Start(_) => 0,
                Tag::Entry(head) => width(head),
            };
            let support = space.support(set);
            support.iter().all(|(bit, at)| bit.0 < if *at == At::Entry { entry } else { now })
        };
        for &(tag, head, set) in &certificate.reached {
            if !means(tag, width(head), relation(set)) {
                let name = &spds.symbol(head.symbol).name;
                return Ok(Err(format!("a set at `{name}` looks at bits that it does not have")));
            }
            put(space, reached.entry(tag).or_default(), head, relation(set))?;
        }
        for &(tag, control, set) in &certificate.returned {
            if !means(tag, columns.global_bits, relation(set)) {
                let name = &spds.controls[control.0 as usize];
                return Ok(Err(format!("a set of returns in `{name}` looks at bits that it does not have")));
            }
            put(space, sets.returned.entry(tag).or_default(), control, relation(set))?;
        }
        for &(cut, head, set) in &certificate.again {
            if !means(Tag::Entry(cut), width(head), relation(set)) {
                let name = &spds.symbol(head.symbol).name;
                return Ok(Err(format!("a set at `{name}` looks at bits that it does not have")));
            }
            put(space, sets.again.entry(cut).or_default(), head, relation(set))?;
        }
        sets.everywhere = reached.values().flatten().map(|(head, set)| (*head, set.clone())).collect();
        sets.everywhere.sort_by_key(|(head, _)| *head);
        sets.reached = Rc::new(reached);
        Ok(Ok(sets))
    }

    /// A, or T.
    pub fn of(&self, space: &Space, family: Family, head: Head) -> Relation {
        match family {
            Family::Part(tag) => self.at(space, tag, head),
            Family::Round(cut) => {
                self.again.get(&cut).and_then(|all| all.get(&head)).cloned().unwrap_or_else(|| space.bottom())
            }
        }
    }

    /// A.
    pub fn at(&self, space: &Space, tag: Tag, head: Head) -> Relation {
        self.reached.get(&tag).and_then(|heads| heads.get(&head)).cloned().unwrap_or_else(|| space.bottom())
    }

    /// What A has at a head, for all tags.
    pub fn everywhere(&self, head: Head) -> impl Iterator<Item = &Relation> {
        let begin = self.everywhere.partition_point(|(other, _)| *other < head);
        self.everywhere[begin..].iter().take_while(move |(other, _)| *other == head).map(|(_, set)| set)
    }

    /// The heads at which A has something, in ascending order.
    pub fn heads(&self, space: &Space) -> Vec<Head> {
        let mut heads: Vec<Head> =
            self.everywhere.iter().filter(|(_, set)| !space.is_empty(set)).map(|(head, _)| *head).collect();
        heads.dedup();
        heads
    }

    /// Whether A, or T, has everything.
    pub fn is_full(&self, space: &Space, family: Family, head: Head) -> bool {
        let heads = match family {
            Family::Part(tag) => self.reached.get(&tag),
            Family::Round(cut) => self.again.get(&cut),
        };
        heads.and_then(|heads| heads.get(&head)).is_some_and(|set| space.is_full(set))
    }

    /// S.
    pub fn returned(&self, space: &Space, tag: Tag, control: ControlId) -> Relation {
        self.returned.get(&tag).and_then(|all| all.get(&control)).cloned().unwrap_or_else(|| space.bottom())
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

/// Adds to what is there.
fn put<K: Ord>(space: &Space, all: &mut BTreeMap<K, Relation>, key: K, set: &Relation) -> Result<()> {
    let known = all.entry(key).or_insert_with(|| space.bottom());
    *known = space.or(known, set)?;
    Ok(())
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
