//! Why no run goes on for ever, or does so with steps that count: from the heads at which circles of control are cut, all values to which
//! runs lead, and never the same after such a step.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use petgraph::algo::kosaraju_scc;
use petgraph::graphmap::DiGraphMap;

use spds_format::model::Var;

use crate::bdd::{At, Bit, Relation};
use crate::check::control::is_end;
use crate::heads::graph::{Edge, Graph};
use crate::heads::reached;
use crate::heads::rough::{self, Rough};
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

/// With more work than this nobody asks whether fewer cuts would do.
const ENOUGH: usize = 1 << 20;

/// Which steps a run must not take for ever.
#[derive(Clone, Copy, Debug)]
pub(super) enum Counted {
    /// All.
    All,
    /// Those that may take this global, a Boolean, from false to true.
    Met(Var),
}

/// The edges of a circle of control, by where they begin.
type Circle = BTreeMap<HeadId, Vec<Edge>>;

/// The cuts of all circles; nothing if some run comes back to where it was by a step that counts.
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
        let members = rough.members(number);
        if members.iter().all(|head| is_end(system.spds, pds, *head)) {
            continue;
        }
        let mut circle = Circle::new();
        let mut counting = BTreeSet::new();
        for &head in members {
            let own = circle.entry(head).or_default();
            post.edges_from(head, &mut |edge| own.extend((rough.of(edge.to) == number).then_some(edge)));
            for edge in own {
                if counts(post, edge, values.get(&head), met)? {
                    counting.insert((head, edge.to));
                }
            }
        }
        if counting.is_empty() {
            continue;
        }
        for cut in cuts(post, &circle, &counting) {
            match round(post, cut, &circle, values.get(&cut), met)? {
                Some(round) => rounds.push(round),
                None => return Ok(None),
            }
        }
    }
    Ok(Some(rounds))
}

/// Whether an edge may be a step that counts, or have one in it.
fn counts(post: &PostStar<'_, '_>, edge: &Edge, values: Option<&Relation>, met: Option<Bit>) -> Result<bool, Stop> {
    let (Some(met), Some(values)) = (met, values) else { return Ok(true) };
    let space = post.system().space;
    let before = space.and(values, &space.literal((met, At::Now), false)?)?;
    let after = edge.after(post, &before)?;
    Ok(!space.is_empty(&space.and(&after, &space.literal((met, At::Now), true)?)?))
}

/// Heads without which no circle has an edge that counts.
fn cuts(post: &PostStar<'_, '_>, circle: &Circle, counting: &BTreeSet<(HeadId, HeadId)>) -> BTreeSet<HeadId> {
    let rank = &post.system().control.rank;
    let mut cuts = BTreeSet::new();
    let mut edges = 0;
    for (head, own) in circle {
        edges += own.len();
        let back = own.iter().filter(|edge| rank[edge.to.0 as usize] <= rank[head.0 as usize]);
        cuts.extend(back.map(|edge| edge.to));
    }
    if cuts.len() * edges > ENOUGH {
        return cuts;
    }
    for cut in cuts.clone() {
        cuts.remove(&cut);
        if !is_cut(circle, counting, &cuts) {
            cuts.insert(cut);
        }
    }
    cuts
}

/// Whether without these heads no circle has an edge that counts.
fn is_cut(circle: &Circle, counting: &BTreeSet<(HeadId, HeadId)>, cuts: &BTreeSet<HeadId>) -> bool {
    let mut graph = DiGraphMap::<HeadId, ()>::new();
    for edge in circle.values().flatten() {
        if !cuts.contains(&edge.from) && !cuts.contains(&edge.to) {
            graph.add_edge(edge.from, edge.to, ());
        }
    }
    kosaraju_scc(&graph).iter().all(|heads| {
        let heads: BTreeSet<HeadId> = heads.iter().copied().collect();
        let inside = |from: &HeadId, to: HeadId| heads.contains(&to) && counting.contains(&(*from, to));
        !heads.iter().any(|head| graph.neighbors(*head).any(|to| inside(head, to)))
    })
}

/// What runs lead to from a cut, at which these are the values; nothing if it is where they were, after a step that counts.
fn round(
    post: &PostStar<'_, '_>,
    cut: HeadId,
    circle: &Circle,
    values: Option<&Relation>,
    met: Option<Bit>,
) -> Result<Option<Round>, Stop> {
    let system = post.system();
    let (space, rank) = (system.space, &system.control.rank);
    let kept = system.bits(system.live(cut));
    let mut same = space.identity(kept.iter().copied(), At::Now, At::Entry)?;
    let mut excluded = same.clone();
    if let Some(met) = met {
        let [no, yes] = [space.literal((met, At::Entry), false)?, space.literal((met, At::Now), true)?];
        same = space.and(&same, &space.and(&no, &space.literal((met, At::Now), false)?)?)?;
        excluded = space.identity(kept.iter().copied().filter(|bit| *bit != met), At::Now, At::Entry)?;
        excluded = space.and(&excluded, &space.and(&no, &yes)?)?;
    }
    let values = values.cloned().unwrap_or_else(|| space.bottom());
    let mut sets: BTreeMap<HeadId, Relation> = BTreeMap::new();
    let mut pending = BTreeMap::from([(cut, space.and(&values, &same)?)]);
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
                if !space.is_empty(&space.and(&all, &excluded)?) {
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

/// First from the cut to the cut, then once more.
fn composed(post: &PostStar<'_, '_>, all: &Relation, kept: &[Bit]) -> Result<Relation, Stop> {
    let space = post.system().space;
    let moved = |from: At| space.renaming(kept.iter().map(|&bit| (bit, from, At::Next)));
    let [first, second] = [space.rename(all, moved(At::Now))?, space.rename(all, moved(At::Entry))?];
    space.and_exists(&first, &second, space.vars(kept.iter().map(|&bit| (bit, At::Next))))
}
