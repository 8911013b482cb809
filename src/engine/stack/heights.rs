//! The greatest number of calls that lie in one another, by one of three ways: an order of the graph where values do not matter,
//! level by level, or by squaring.
//!
//! Level by level: the calls that are n deep, from those that are n − 1 deep, until there are none. By squaring: Rⁿ relates calls to
//! those n deep in them; if no call comes back to itself, R to the power 2ᵏ is empty from some k on, and then the digits of the
//! greatest n are found one by one, the first one first, as what can still be done from what has been reached.

use std::collections::BTreeMap;

use num_bigint::BigUint;

use super::calls::{Graph, Layer, Ways};
use super::parts::Parts;
use crate::bdd::{At, Relation, SetsBy};
use crate::flow::StateId;
use crate::heads::HeadSets;
use crate::heads::fixpoint::Arcs;
use crate::limits::Stop;
use crate::options::Loops;
use crate::pds::HeadId;

type Result<T> = std::result::Result<T, Stop>;

/// What it is worth to see that recursion comes to an end step by step.
const WORTH: u64 = 1 << 17;

/// So many levels are gone through one by one.
const LEVELS: usize = 1 << 12;

/// What is known of the greatest depth.
pub(super) enum Depth {
    /// These are the calls at each depth, none deeper.
    Levels(Vec<Layer>),
    /// It was found by squaring.
    Squared(Squared),
    /// There are calls of this state, with these values, that come back to themselves.
    Endless(StateId, Relation),
}

/// What squaring tells.
pub(super) struct Squared {
    /// The calls in one another, 2ᵏ deep: for each k until there are none.
    pub powers: Vec<Ways>,
    /// The digits of the greatest depth, the first one first: k, and what is reached by going 2ᵏ deeper from what was reached before.
    pub digits: Vec<(usize, Layer)>,
}

impl Squared {
    /// The greatest depth.
    pub fn depth(&self) -> BigUint {
        self.digits.iter().map(|(power, _)| BigUint::from(1u8) << *power).sum()
    }
}

/// How deep calls go from these. Recursion is followed step by step, or squared; or whichever suits it.
///
/// # Errors
/// If a limit is met.
pub(super) fn depth(graph: &Graph<'_, '_>, parts: &Parts, start: &Layer, loops: Loops) -> Result<Depth> {
    let recursive = || parts.members.iter().enumerate().filter(|(number, _)| parts.cyclic[*number]);
    if loops == Loops::Square {
        return squared(graph, parts, &recursive().map(|(number, _)| number).collect::<Vec<_>>(), start);
    }
    let mut open = Vec::new();
    for (number, part) in recursive() {
        match going_on(graph, part)? {
            Some(sets) if sets.is_empty() => {}
            Some(sets) => {
                // Of those that go on for ever, some come back to themselves; those that do soon are shown.
                if let Some((state, set)) = coming_back(graph, &sets)? {
                    return Ok(Depth::Endless(state, set));
                }
                open.push(number);
            }
            None => open.push(number),
        }
    }
    if open.is_empty()
        && let Some(levels) = levels(graph, start)?
    {
        return Ok(Depth::Levels(levels));
    }
    squared(graph, parts, &open, start)
}

/// Those calls of a part that can go on for ever in it: νZ. Z ∧ pre(Z); none if that takes too much.
fn going_on(graph: &Graph<'_, '_>, part: &[StateId]) -> Result<Option<Layer>> {
    let space = graph.system.space;
    let inside = |state: &StateId| part.binary_search(state).is_ok();
    let Some(heads) = part.iter().map(|state| graph.entry(*state)).collect::<Option<Vec<HeadId>>>() else {
        return Ok(Some(Layer::new()));
    };
    let head = |state: StateId| heads[part.partition_point(|other| *other < state)];
    let calls: Vec<usize> = part.iter().flat_map(|state| graph.made_in(*state)).copied().collect();
    let calls: Vec<usize> = calls.into_iter().filter(|call| inside(&graph.calls[*call].to)).collect();
    let ends = calls.iter().map(|call| (head(graph.calls[*call].from), head(graph.calls[*call].to))).collect();
    let mut all = HeadSets::new();
    for state in part {
        if let Some(set) = graph.entered.get(state) {
            all.set(space, head(*state), set.clone());
        }
    }
    let before = |edge: usize, after: &Relation, _| {
        let call = &graph.calls[calls[edge]];
        graph.outer((call.from, call.to), &call.relation, after)
    };
    let found = space.attempt(WORTH, || Arcs::new(space, &heads, ends, before).going_on(all))?;
    Ok(found.map(|found| {
        let mut sets = Layer::new();
        let states = part.iter().zip(&heads);
        states.for_each(|(state, head)| found.get(head).iter().for_each(|set| sets.set(space, *state, (*set).clone())));
        sets
    }))
}

/// Some of these calls that come back to themselves, if some do after few others, or if not, none.
fn coming_back(graph: &Graph<'_, '_>, sets: &Layer) -> Result<Option<(StateId, Relation)>> {
    let space = graph.system.space;
    let found = space.attempt(WORTH, || {
        let once = confined(graph, sets)?;
        let mut ways = once.clone();
        loop {
            if let Some(found) = round(graph, &ways)? {
                return Ok(found);
            }
            let twice = graph.then(&ways, &ways)?;
            ways = ways.union(space, &twice)?;
        }
    })?;
    Ok(found)
}

/// The calls within these.
fn confined(graph: &Graph<'_, '_>, sets: &Layer) -> Result<Ways> {
    let space = graph.system.space;
    let mut ways = Ways::new();
    for call in &graph.calls {
        let (Some(outer), Some(inner)) = (sets.get(&call.from), sets.get(&call.to)) else { continue };
        let up = graph.system.bits(graph.system.tag(call.from)).into_iter().map(|bit| (bit, At::Now, At::Next));
        let outer = space.rename(outer, space.renaming(up))?;
        let relation = space.and(&space.and(&call.relation, inner)?, &outer)?;
        ways.add(space, (call.from, call.to), relation)?;
    }
    Ok(ways)
}

/// Calls that come back to themselves along these ways, of the first state that has some.
fn round(graph: &Graph<'_, '_>, ways: &Ways) -> Result<Option<(StateId, Relation)>> {
    for ((from, to), way) in ways.iter().filter(|((from, to), _)| from == to) {
        let found = graph.unchanged(to, way)?;
        if !graph.system.space.is_empty(&found) {
            return Ok(Some((from, found)));
        }
    }
    Ok(None)
}

/// The calls at each depth, if they are not too many; no call comes back to itself.
fn levels(graph: &Graph<'_, '_>, start: &Layer) -> Result<Option<Vec<Layer>>> {
    let mut levels = vec![start.clone()];
    while levels.len() <= LEVELS.max(graph.entered.keys().count()) {
        let next = graph.after(&levels[levels.len() - 1])?;
        if next.is_empty() {
            return Ok(Some(levels));
        }
        levels.push(next);
        graph.system.space.check()?;
    }
    Ok(None)
}

/// The same by squaring. In all but these parts no call is known to come back to itself.
fn squared(graph: &Graph<'_, '_>, parts: &Parts, open: &[usize], start: &Layer) -> Result<Depth> {
    let space = graph.system.space;
    let is_open = |state: StateId| open.contains(&parts.of(state));
    let within = |ways: &Ways| {
        let mut own = Ways::new();
        for ((from, to), way) in
            ways.iter().filter(|((from, to), _)| is_open(*from) && parts.of(*from) == parts.of(*to))
        {
            own.set(space, (from, to), way.clone());
        }
        own
    };
    let mut powers = vec![graph.ways()?];
    // All ways inside the open parts that are at most as long as the last power.
    let mut shorter = within(&powers[0]);
    loop {
        let last = &powers[powers.len() - 1];
        if last.is_empty() {
            break;
        }
        if let Some((state, set)) = round(graph, &shorter)? {
            return Ok(Depth::Endless(state, set));
        }
        let more = graph.then(&shorter, &within(last))?;
        shorter = shorter.union(space, &more)?;
        powers.push(graph.then(last, last)?);
        space.check()?;
    }
    powers.pop();
    let mut digits = Vec::new();
    let mut reached = start.clone();
    for power in (0..powers.len()).rev() {
        let further = graph.along(&reached, &powers[power])?;
        if !further.is_empty() {
            digits.push((power, further.clone()));
            reached = further;
        }
    }
    Ok(Depth::Squared(Squared { powers, digits }))
}

/// The longest ways inside each part, in calls: 0 where control cannot come round.
///
/// # Errors
/// If a limit is met.
pub(super) fn inside(graph: &Graph<'_, '_>, parts: &Parts, number: usize) -> Result<BigUint> {
    if !parts.cyclic[number] {
        return Ok(BigUint::ZERO);
    }
    let space = graph.system.space;
    let mut own = Ways::new();
    for ((from, to), way) in graph.ways()?.iter() {
        if parts.of(from) == number && parts.of(to) == number {
            own.set(space, (from, to), way.clone());
        }
    }
    let mut powers = vec![own];
    while !powers[powers.len() - 1].is_empty() {
        let last = &powers[powers.len() - 1];
        powers.push(graph.then(last, last)?);
    }
    let mut reached: Layer = SetsBy::new();
    for state in &parts.members[number] {
        if let Some(set) = graph.entered.get(state) {
            reached.set(space, *state, set.clone());
        }
    }
    let mut depth = BigUint::ZERO;
    for (power, ways) in powers.iter().enumerate().rev() {
        let further = graph.along(&reached, ways)?;
        if !further.is_empty() {
            reached = further;
            depth += BigUint::from(1u8) << power;
        }
    }
    Ok(depth)
}

/// How deep calls go in one another where values do not matter, and in which call of each state they go deepest: by weight. None if
/// control comes round. Linear.
pub(super) fn ordered(
    graph: &Graph<'_, '_>,
    parts: &Parts,
    own: impl Fn(StateId) -> BigUint,
    weight: impl Fn(usize) -> BigUint,
) -> Option<BTreeMap<StateId, (BigUint, Option<usize>)>> {
    let mut known: BTreeMap<StateId, (BigUint, Option<usize>)> = BTreeMap::new();
    for (number, part) in parts.members.iter().enumerate() {
        if parts.cyclic[number] {
            return None;
        }
        let state = part[0];
        let mut best = (own(state), None);
        for &call in graph.made_in(state) {
            let through = weight(call) + &known[&graph.calls[call].to].0;
            if through > best.0 {
                best = (through, Some(call));
            }
        }
        known.insert(state, best);
    }
    Some(known)
}
