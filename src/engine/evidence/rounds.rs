//! Why no run goes on for ever, or does so with steps that count: from the heads at which circles of control are cut, all values to which
//! runs lead, and never the same after such a step.
//!
//! Cuts come in an order. What runs do from a cut to itself is asked only of runs that meet none of those before it: where a run goes on for
//! ever, one of the cuts that it meets for ever again is the first. So the heads of loops and of recursive calls are cuts, those of outer
//! loops first, and what all turns of each do is known where heads are taken out one after another, inner loops first
//! ([`crate::heads::squaring`]): there is nothing to go round step by step, however many turns there are.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use spds_format::model::Var;

use super::nest::{circles, nested};
use crate::bdd::{At, Bit, Relation, Space};
use crate::check::control::is_end;
use crate::heads::graph::Edge;
use crate::heads::part::Part;
use crate::heads::projection::projected;
use crate::heads::rough::{self, Rough};
use crate::heads::squaring::{Loops, loops};
use crate::heads::{HeadSets, reached};
use crate::limits::Stop;
use crate::pds::{HeadId, SetId};
use crate::saturation::transitions::Transition;
use crate::saturation::{PostStar, System};

/// What runs lead to from a cut.
pub(super) struct Round {
    pub cut: HeadId,
    /// The values at the cut in Entry, those at a head of the same circle in Now.
    pub sets: BTreeMap<HeadId, Relation>,
}

/// More heads than these are not gone through for one cut.
const MAX_CUT_HEADS: usize = 1 << 14;

/// With more work than this nobody asks whether fewer cuts would do.
const MAX_WORK: usize = 1 << 20;

/// Work that it is worth to know what loops do, beside some times what has been done.
const WORTH: u64 = 1 << 24;

/// Which steps a run must not take for ever.
#[derive(Clone, Copy, Debug)]
pub(super) enum Counted {
    /// All.
    All,
    /// Those that may take this global, a Boolean, from false to true.
    Met(Var),
}

/// The cuts of all circles, in their order; nothing if some run comes back to where it was by a step that counts.
///
/// # Errors
/// If a limit is met, or it takes too long.
pub(super) fn rounds(post: &PostStar<'_, '_>, counted: Counted) -> Result<Option<Vec<Round>>, Stop> {
    let system = post.system();
    let pds = &system.control.pds;
    let rough = Rough::of_reached(post);
    let met = match counted {
        Counted::All => None,
        Counted::Met(var) => Some(Bit(pds.layout.field(var, None).base)),
    };
    let values = reached(post, |head| rough.of(head) != rough::NONE)?;
    let mut rounds = Vec::new();
    for number in 0..rough.count() {
        if rough.members(number).iter().all(|head| is_end(system.spds, pds, *head)) {
            continue;
        }
        let part = Part::new(post, &rough, number);
        let mut counting = BTreeSet::new();
        for edge in &part.edges {
            if counts(post, edge, values.get(&edge.from), met)? {
                counting.insert((edge.from, edge.to));
            }
        }
        if counting.is_empty() {
            continue;
        }
        let circle = Circle { post, part: &part, values: &values, counting, met };
        let arrays = system.arrays();
        // Whether a loop or a recursion ends depends on indices more than on what arrays hold: without them relations are small.
        let without = match part.heads.iter().any(|head| system.meet(system.live(*head), arrays) != SetId::EMPTY) {
            true => circle.rounds(arrays)?,
            false => None,
        };
        match without.map_or_else(|| circle.rounds(SetId::EMPTY), |found| Ok(Some(found)))? {
            Some(found) => rounds.extend(found),
            None => return Ok(None),
        }
    }
    Ok(Some(rounds))
}

/// A part of control round which runs go.
struct Circle<'g, 's, 'a> {
    post: &'g PostStar<'s, 'a>,
    part: &'g Part,
    values: &'g HeadSets,
    /// Between which heads there are edges that count.
    counting: BTreeSet<(HeadId, HeadId)>,
    met: Option<Bit>,
}

impl Circle<'_, '_, '_> {
    /// Its cuts in their order, and what runs lead to from each if these bits may be anything at any time; nothing if that comes back by a
    /// step that counts.
    fn rounds(&self, gone: SetId) -> Result<Option<Vec<Round>>, Stop> {
        let system = self.post.system();
        let inside = Some(self.values).filter(|_| gone != SetId::EMPTY);
        let ways = projected(self.post, self.part, inside, gone)?;
        let worth = WORTH.saturating_add(system.space.spent().saturating_mul(4));
        let known = loops(system, self.part, &ways, worth)?;
        let order = self.order(&known)?;
        let mut from: BTreeMap<HeadId, Vec<(HeadId, Transition)>> = BTreeMap::new();
        for (head, to, way) in ways {
            from.entry(head).or_default().push((to, way));
        }
        let turns = known.turns.into_iter().collect();
        let circles = nested(self.part, &order);
        let mut rounds = Vec::new();
        for (cut, inside) in order.iter().filter_map(|cut| Some((*cut, circles.get(cut)?))) {
            match (Going { system, from: &from, turns: &turns, met: self.met, gone, cut, inside }).round(self.values)? {
                Some(round) => rounds.push(round),
                None => return Ok(None),
            }
        }
        Ok(Some(rounds))
    }

    /// Heads without which no circle has an edge that counts: those whose loops are known, the outermost ones first, and what it takes besides:
    /// before them where other loops are not known, after them where no values go round. Loops without steps that count are left out, but
    /// where others of which something is known would then be larger.
    fn order(&self, known: &Loops) -> Result<Vec<HeadId>, Stop> {
        let mut order: Vec<HeadId> = known.turns.iter().rev().map(|(head, _)| *head).collect();
        let others = self.cuts(&order);
        let place = if known.complete { order.len() } else { 0 };
        order.splice(place..place, others);
        if order.len() * self.part.edges.len() > MAX_WORK {
            return Ok(order);
        }
        let circles = nested(self.part, &order);
        let mut kept: BTreeSet<HeadId> = BTreeSet::new();
        for (head, turns) in &known.turns {
            let alone = circles.get(head).is_none_or(|inside| kept.is_disjoint(inside));
            if alone && !self.may_count(turns)? {
                let others: Vec<HeadId> = order.iter().copied().filter(|own| own != head).collect();
                if self.is_cut(&others.iter().copied().collect()) {
                    order = others;
                    continue;
                }
            }
            kept.insert(*head);
        }
        Ok(order)
    }

    /// Whether turns may have a step in them that counts.
    fn may_count(&self, turns: &Transition) -> Result<bool, Stop> {
        let (space, sets) = (self.post.system().space, &self.post.system().control.pds.sets);
        let Some(met) = self.met else { return Ok(true) };
        if !sets.subset(sets.set([met]), turns.writes) {
            return Ok(false);
        }
        let rises = space.cube(&[((met, At::Now), false), ((met, At::Next), true)])?;
        Ok(!space.is_empty(&space.and(&turns.relation, &rises)?))
    }

    /// Heads without which, and without those of which something is known, no circle has an edge that counts.
    fn cuts(&self, known: &[HeadId]) -> BTreeSet<HeadId> {
        let (part, rank) = (self.part, &self.post.system().control.rank);
        let back = part.edges.iter().filter(|edge| rank[edge.to.0 as usize] <= rank[edge.from.0 as usize]);
        let mut cuts: BTreeSet<HeadId> = back.map(|edge| edge.to).chain(known.iter().copied()).collect();
        let fewer = cuts.len() * part.edges.len() <= MAX_WORK;
        for cut in cuts.clone().into_iter().filter(|cut| fewer && !known.contains(cut)) {
            cuts.remove(&cut);
            if !self.is_cut(&cuts) {
                cuts.insert(cut);
            }
        }
        cuts.retain(|cut| !known.contains(cut));
        cuts
    }

    /// Whether without these heads no circle has an edge that counts.
    fn is_cut(&self, cuts: &BTreeSet<HeadId>) -> bool {
        let rest = self.part.heads.iter().copied().filter(|head| !cuts.contains(head)).collect();
        circles(self.part, &rest).iter().all(|heads| {
            let inside = |edge: &Edge| heads.contains(&edge.to) && self.counting.contains(&(edge.from, edge.to));
            !heads.iter().any(|head| self.part.edges_of(*head).iter().any(inside))
        })
    }
}

/// Whether an edge may be a step that counts, or have one in it.
fn counts(post: &PostStar<'_, '_>, edge: &Edge, values: Option<&Relation>, met: Option<Bit>) -> Result<bool, Stop> {
    let (Some(met), Some(values)) = (met, values) else { return Ok(true) };
    let space = post.system().space;
    let before = space.and(values, &space.literal((met, At::Now), false)?)?;
    let after = edge.after(post, &before)?;
    Ok(!space.is_empty(&space.and(&after, &space.literal((met, At::Now), true)?)?))
}

/// What is asked about a cut.
struct Going<'g, 'a> {
    system: &'g System<'a>,
    /// What edges do, by where they begin.
    from: &'g BTreeMap<HeadId, Vec<(HeadId, Transition)>>,
    /// What is known of loops.
    turns: &'g BTreeMap<HeadId, Transition>,
    met: Option<Bit>,
    /// What may be anything at any time.
    gone: SetId,
    cut: HeadId,
    /// The heads on circles with it that meet no cut before it.
    inside: &'g BTreeSet<HeadId>,
}

impl Going<'_, '_> {
    /// What runs lead to, at which these are the values; nothing if it is where they were, after a step that counts.
    fn round(&self, values: &HeadSets) -> Result<Option<Round>, Stop> {
        let Going { system, cut, .. } = *self;
        let space = system.space;
        let kept = system.bits(system.without(system.live(cut), self.gone));
        let (same, excluded) = self.same(&kept)?;
        let values = values.get(&cut).cloned().unwrap_or_else(|| space.bottom());
        let values = space.exists(&values, space.vars(system.columns(self.gone, At::Now).iter().copied()))?;
        let begin = space.and(&values, &same)?;
        let mut sets: BTreeMap<HeadId, Relation> = BTreeMap::new();
        let mut first = begin.clone();
        if let Some(turns) = self.turns.get(&cut) {
            let back = system.after(&begin, turns)?;
            if !space.is_empty(&space.and(&back, &excluded)?) {
                return Ok(None);
            }
            first = space.or(&first, &back)?;
            sets.insert(cut, back);
        }
        let mut pending = BTreeMap::new();
        let mut queue = BinaryHeap::new();
        self.on(cut, &first, &mut pending, &mut queue)?;
        let mut visits = 0;
        while let Some(Reverse((_, head))) = queue.pop() {
            let Some(mut fresh) = pending.remove(&head) else { continue };
            visits += 1;
            if visits > MAX_CUT_HEADS {
                return Err(Stop::Patience);
            }
            space.check()?;
            let known = sets.entry(head).or_insert_with(|| space.bottom());
            fresh = space.and_not(&fresh, known)?;
            if space.is_empty(&fresh) {
                continue;
            }
            if head != cut
                && let Some(turns) = self.turns.get(&head)
            {
                fresh = space.or(&fresh, &system.after(&fresh, turns)?)?;
            }
            let mut all = space.or(known, &fresh)?;
            if head == cut {
                // What comes round comes round twice: as many visits as the number of turns has digits.
                all = space.or(&all, &composed(space, &all, &kept)?)?;
                if !space.is_empty(&space.and(&all, &excluded)?) {
                    return Ok(None);
                }
            }
            fresh = space.and_not(&all, known)?;
            *known = all;
            self.on(head, &fresh, &mut pending, &mut queue)?;
        }
        Ok(Some(Round { cut, sets }))
    }

    /// What edges inside make of a set.
    fn on(
        &self,
        head: HeadId,
        set: &Relation,
        pending: &mut BTreeMap<HeadId, Relation>,
        queue: &mut BinaryHeap<Reverse<(u32, HeadId)>>,
    ) -> Result<(), Stop> {
        let (space, rank) = (self.system.space, &self.system.control.rank);
        let gone = || space.vars(self.system.columns(self.gone, At::Now).iter().copied());
        for (to, way) in self.from.get(&head).into_iter().flatten().filter(|(to, _)| self.inside.contains(to)) {
            // What is dead there a transition leaves as it was.
            let image = self.system.arrive(*to, &self.system.after(set, way)?)?;
            // An invariant may be about what is gone, which edges are not seen to write.
            let image = if self.gone == SetId::EMPTY { image } else { space.exists(&image, gone())? };
            if space.is_empty(&image) {
                continue;
            }
            let waiting = pending.entry(*to).or_insert_with(|| space.bottom());
            *waiting = space.or(waiting, &image)?;
            queue.push(Reverse((rank[to.0 as usize], *to)));
        }
        Ok(())
    }

    /// That values are those at the cut, before any step that counts; and that they are so again, after one.
    fn same(&self, kept: &[Bit]) -> Result<(Relation, Relation), Stop> {
        let space = self.system.space;
        let same = space.identity(kept.iter().copied(), At::Now, At::Entry)?;
        let Some(met) = self.met else { return Ok((same.clone(), same)) };
        let [no, yes] = [space.literal((met, At::Entry), false)?, space.literal((met, At::Now), true)?];
        let same = space.and(&same, &space.and(&no, &space.literal((met, At::Now), false)?)?)?;
        let others = space.identity(kept.iter().copied().filter(|bit| *bit != met), At::Now, At::Entry)?;
        Ok((same, space.and(&others, &space.and(&no, &yes)?)?))
    }
}

/// First from the cut to the cut, then once more.
fn composed(space: &Space, all: &Relation, kept: &[Bit]) -> Result<Relation, Stop> {
    let moved = |from: At| space.renaming(kept.iter().map(|&bit| (bit, from, At::Next)));
    let [first, second] = [space.rename(all, moved(At::Now))?, space.rename(all, moved(At::Entry))?];
    space.and_exists(&first, &second, space.vars(kept.iter().map(|&bit| (bit, At::Next))))
}
