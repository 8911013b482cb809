//! Why no run goes on for ever: from the heads at which circles of control are cut, all values to which runs lead, and never the same.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use crate::bdd::{At, Bit, Relation};
use crate::check::control::is_end;
use crate::heads::graph::{Edge, Graph};
use crate::heads::rough::Rough;
use crate::limits::Stop;
use crate::pds::HeadId;
use crate::saturation::PostStar;

/// What runs lead to from a cut.
pub(super) struct Round {
    pub cut: HeadId,
    /// The values at the cut in Entry, those at a head of the same circle in Now.
    pub sets: BTreeMap<HeadId, Relation>,
}

/// More heads than these are not gone through for one cut.
const PATIENCE: usize = 1 << 14;

/// The edges of a circle of control, by where they begin.
type Circle = BTreeMap<HeadId, Vec<Edge>>;

/// The cuts of all circles; nothing if some run comes back to where it was.
///
/// # Errors
/// If a limit is met, or it takes too long.
pub(super) fn rounds(post: &PostStar<'_, '_>) -> Result<Option<Vec<Round>>, Stop> {
    let system = post.system();
    let (pds, rank) = (&system.control.pds, &system.control.rank);
    let rough = Rough::of_reached(post);
    let mut rounds = Vec::new();
    for number in 0..rough.count() {
        let members = rough.members(number);
        if members.iter().all(|head| is_end(system.spds, pds, *head)) {
            continue;
        }
        let mut circle = Circle::new();
        let mut cuts = BTreeSet::new();
        for &head in members {
            let own = circle.entry(head).or_default();
            post.edges_from(head, &mut |edge| own.extend((rough.of(edge.to) == number).then_some(edge)));
            let back = own.iter().filter(|edge| rank[edge.to.0 as usize] <= rank[head.0 as usize]);
            cuts.extend(back.map(|edge| edge.to));
        }
        for cut in cuts {
            match round(post, cut, &circle)? {
                Some(round) => rounds.push(round),
                None => return Ok(None),
            }
        }
    }
    Ok(Some(rounds))
}

/// What runs lead to from a cut; nothing if it is where they were.
fn round(post: &PostStar<'_, '_>, cut: HeadId, circle: &Circle) -> Result<Option<Round>, Stop> {
    let system = post.system();
    let (space, rank) = (system.space, &system.control.rank);
    let kept = system.bits(system.live(cut));
    let same = space.identity(kept.iter().copied(), At::Now, At::Entry)?;
    let mut sets: BTreeMap<HeadId, Relation> = BTreeMap::new();
    let mut pending = BTreeMap::from([(cut, space.and(&values(post, cut)?, &same)?)]);
    let mut queue = BinaryHeap::from([Reverse((rank[cut.0 as usize], cut))]);
    let mut visits = 0;
    while let Some(Reverse((_, head))) = queue.pop() {
        let Some(mut fresh) = pending.remove(&head) else { continue };
        visits += 1;
        if visits > PATIENCE {
            return Err(Stop::Patience);
        }
        space.check()?;
        // The first visit is to the cut itself, from which nothing has gone round yet.
        if visits > 1 {
            let known = sets.entry(head).or_insert_with(|| space.bottom());
            let mut all = space.or(known, &fresh)?;
            if head == cut {
                // What comes round comes round twice: as many visits as the number of turns has digits.
                all = space.or(&all, &composed(post, &all, &kept)?)?;
                if !space.is_empty(&space.and(&all, &same)?) {
                    return Ok(None);
                }
            }
            fresh = space.and_not(&all, known)?;
            *known = all;
        }
        for edge in circle.get(&head).into_iter().flatten() {
            let image = edge.after(post, &fresh)?;
            if space.is_empty(&image) {
                continue;
            }
            let waiting = pending.entry(edge.to).or_insert_with(|| space.bottom());
            *waiting = space.or(waiting, &image)?;
            queue.push(Reverse((rank[edge.to.0 as usize], edge.to)));
        }
    }
    Ok(Some(Round { cut, sets }))
}

/// The values with which a head is reached, in whatever call.
fn values(post: &PostStar<'_, '_>, head: HeadId) -> Result<Relation, Stop> {
    let system = post.system();
    let tags = system.columns(system.union(system.globals(), system.slots()), At::Entry);
    let tags = system.space.vars(tags.iter().copied());
    let mut values = system.space.bottom();
    for (_, relation) in post.edges().filter(|(own, _)| *own == head) {
        values = system.space.or(&values, &system.space.exists(relation, tags)?)?;
    }
    Ok(values)
}

/// First from the cut to the cut, then once more.
fn composed(post: &PostStar<'_, '_>, all: &Relation, kept: &[Bit]) -> Result<Relation, Stop> {
    let space = post.system().space;
    let moved = |from: At| space.renaming(kept.iter().map(|&bit| (bit, from, At::Next)));
    let [first, second] = [space.rename(all, moved(At::Now))?, space.rename(all, moved(At::Entry))?];
    space.and_exists(&first, &second, space.vars(kept.iter().map(|&bit| (bit, At::Next))))
}
