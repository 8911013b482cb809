//! From values that repeat to a lasso: a way to one of them, and a way from it back to itself.
//!
//! Both are found breadth first, so each is as short as its end allows. A hull holds values that only *lead* to a cycle,
//! too: then the search goes on from the last of them that it has come to, which lies further down, until one comes back.

use rustc_hash::FxHashMap;

use super::pace::Pace;
use super::rings::{Node, Ring, Rings, Scope};
use super::stored::All;
use super::unwind::Unwinder;
use super::valuation::{Valuation, least};
use super::way::{Point, Way, Ways};
use crate::bdd::{At, Relation};
use crate::heads::rough::Rough;
use crate::heads::{Cycles, HeadSets};
use crate::limits::Stop;
use crate::pds::HeadId;
use crate::saturation::{PostStar, System};

type Result<T> = std::result::Result<T, Stop>;

/// Values from each of which a cycle inside one rough component can be reached.
pub struct Recurrent {
    /// The component.
    pub component: u32,
    /// The values.
    pub sets: HeadSets,
    /// Which cycles.
    pub cycles: Cycles,
}

/// A place to go on from: the round in which it was reached, and its values.
struct Last {
    round: usize,
    node: Node,
    set: Relation,
}

/// The ways of a lasso with a short stem, into one of these sets and round.
///
/// `start` holds the start values by head (over Now).
///
/// # Errors
/// [`Stop::Patience`] if the pace does not allow to find them, or if a limit is met.
pub fn lasso(
    post: &PostStar<'_, '_>,
    start: &[(Node, Relation)],
    rough: &Rough,
    goals: &[Recurrent],
    pace: Pace,
) -> Result<Ways> {
    let system = post.system();
    let space = system.space;
    let mut by_head: FxHashMap<HeadId, Vec<&Recurrent>> = FxHashMap::default();
    for goal in goals {
        goal.sets.keys().filter(|head| !system.control.pds.is_hidden(*head)).for_each(|head| {
            by_head.entry(head).or_default().push(goal);
        });
    }
    let mut unwinder = Unwinder::new(post, pace);
    let (rings, found) = Rings::search(system, &All(post, pace), Scope::Run, start, |ring| {
        for (node, set) in ring.iter() {
            for goal in by_head.get(&node.head).into_iter().flatten() {
                let Some(wanted) = goal.sets.get(&node.head) else { continue };
                let both = space.and(set, wanted)?;
                if !space.is_empty(&both) {
                    return Ok(Some((node, both, *goal)));
                }
            }
        }
        Ok(None)
    })?;
    let (node, set, goal) = found.expect("what was reached by the saturation is reached by the search");
    let point = Point { node, values: values(system, &set, node.head)? };
    let mut run = unwinder.back(&All(post, pace), &rings, Scope::Run, rings.count() - 1, point)?;
    loop {
        let here = run.points.last().expect("a way has a point");
        let first = around(system, here);
        let scope = Scope::Component(rough.all(), goal.component);
        let start = [(first.node, cube(system, &first)?)];
        let mut round = 0;
        let mut last: Option<Last> = None;
        let (rings, found) = Rings::search(system, &All(post, pace), scope, &start, |ring| {
            let back = if round > 0 { comes_back(system, ring, &first, goal.cycles)? } else { None };
            if round > 0 {
                last = further(system, ring, goal, round)?.or(last.take());
            }
            round += 1;
            Ok(back)
        })?;
        if let Some(point) = found {
            let cycle = unwinder.back(&All(post, pace), &rings, scope, rings.count() - 1, point)?;
            let calls = unwinder.finish()?;
            return Ok(Ways { run, cycle: Some(cycle), calls });
        }
        let Last { round, node, set } = last.expect("from each of the values a cycle can be reached");
        let point = Point { node, values: values(system, &set, node.head)? };
        let more = unwinder.back(&All(post, pace), &rings, scope, round, point)?;
        append(&mut run, more);
    }
}

/// Goes on from the end of a way.
fn append(run: &mut Way, more: Way) {
    run.points.extend(more.points.into_iter().skip(1));
    run.moves.extend(more.moves);
}

/// The least values of a set.
fn values(system: &System<'_>, set: &Relation, head: HeadId) -> Result<Valuation> {
    let picked = least(system.space, &[set], [], &system.columns(system.live(head), At::Now))?;
    Ok(Valuation::new(picked.expect("rounds hold no empty sets").at(At::Now)))
}

/// The same point as the beginning of a cycle: nothing below it is known, and no mark has been met.
fn around(system: &System<'_>, point: &Point) -> Point {
    let mark = system.control.pds.layout.mark();
    let live = system.bits(system.live(point.node.head)).into_iter();
    let values = live.filter_map(|bit| Some((bit, point.values.get(bit)? && Some(bit) != mark)));
    Point { node: Node { head: point.node.head, below: None }, values: Valuation::new(values) }
}

fn cube(system: &System<'_>, point: &Point) -> Result<Relation> {
    let columns = system.columns(system.live(point.node.head), At::Now);
    system.space.cube(&point.values.columns(&columns).collect::<Vec<_>>())
}

/// The point that closes a cycle, if a ring has it.
fn comes_back(system: &System<'_>, ring: &Ring, first: &Point, cycles: Cycles) -> Result<Option<Point>> {
    let Some(set) = ring.get(&first.node) else { return Ok(None) };
    let live = system.live(first.node.head);
    let columns = system.columns(system.without(live, system.mark()), At::Now);
    let mut same: Vec<_> = first.values.columns(&columns).collect();
    if cycles == Cycles::Marked {
        same.extend(system.columns(system.mark(), At::Now).iter().map(|&column| (column, true)));
    }
    let picked = least(system.space, &[set], same.iter().copied(), &system.columns(live, At::Now))?;
    Ok(picked.map(|picked| Point { node: first.node, values: Valuation::new(picked.at(At::Now)) }))
}

/// A place in a ring from which a cycle can be reached, with the mark met on the way there if cycles have to meet it.
fn further(system: &System<'_>, ring: &Ring, goal: &Recurrent, round: usize) -> Result<Option<Last>> {
    let space = system.space;
    for (node, set) in ring.iter().filter(|(node, _)| !system.control.pds.is_hidden(node.head)) {
        let Some(wanted) = goal.sets.get(&node.head) else { continue };
        let mut both = space.and(set, wanted)?;
        if let (Cycles::Marked, Some(mark)) = (goal.cycles, system.control.pds.layout.mark()) {
            both = space.and(&both, &space.literal((mark, At::Now), true)?)?;
        }
        if !space.is_empty(&both) {
            return Ok(Some(Last { round, node, set: both }));
        }
    }
    Ok(None)
}
