//! From a saturation to the values from which runs go round for ever.

use super::control::is_end;
use crate::bdd::Relation;
use crate::heads::closure::closure;
use crate::heads::hull::hull;
use crate::heads::lockstep::lockstep;
use crate::heads::projection::without_arrays;
use crate::heads::rough::{NONE, Rough};
use crate::heads::squaring::squaring;
use crate::heads::{Cycles, HeadSets, Part, reached};
use crate::limits::Stop;
use crate::options::{Options, Scc};
use crate::pds::HeadId;
use crate::saturation::PostStar;
use crate::witness::lasso::Recurrent;

/// Which cycles are looked for: inside these values, if any are named.
pub(super) struct Wanted {
    pub(super) within: Option<Relation>,
    pub(super) cycles: Cycles,
}

/// Whether the loops at `@end` and `@fail` count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ends {
    Count,
    Ignored,
}

/// How many are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    /// One tells that there are some.
    One,
    /// One for each rough component and each kind of cycle.
    All,
}

/// The values that lead to such cycles, by rough component. The saturation must be complete.
///
/// Small components first: a loop at `@end` costs nothing.
pub(super) fn repeating(
    post: &PostStar<'_, '_>,
    rough: &Rough,
    wanted: &[Wanted],
    ends: Ends,
    number: Number,
    options: &Options,
) -> Result<Vec<Recurrent>, Stop> {
    let system = post.system();
    let counts = |head: HeadId| ends == Ends::Count || !is_end(system.spds, &system.control.pds, head);
    let is_wanted = |head: HeadId| rough.of(head) != NONE && counts(head);
    let values = reached(post, is_wanted)?;
    let mut components: Vec<u32> =
        (0..rough.count()).filter(|component| rough.members(*component).iter().any(|head| counts(*head))).collect();
    components.sort_by_key(|component| rough.members(*component).len());
    let mut found = Vec::new();
    for component in components {
        let part = Part::new(post, rough, component, &values)?;
        for Wanted { within, cycles } in wanted {
            let inside = match within {
                Some(within) => part.within(system, within)?,
                None => part.values.clone(),
            };
            if inside.is_empty() {
                continue;
            }
            let sets = match options.scc {
                Scc::Auto => in_turn(post, &part, within.as_ref(), inside, *cycles)?,
                Scc::Hull => hull(post, &part, inside, *cycles)?,
                Scc::Closure => closure(post, &part, &inside, *cycles)?,
                Scc::Lockstep => lockstep(post, &part, &inside, *cycles, options.one_way)?,
                Scc::Squaring => match squaring(post, &part, within.as_ref(), *cycles, u64::MAX)? {
                    Some(sets) => sets,
                    None => hull(post, &part, inside, *cycles)?,
                },
            };
            if !sets.is_empty() {
                found.push(Recurrent { component, sets, cycles: *cycles });
                if number == Number::One {
                    return Ok(found);
                }
            }
        }
        system.space.check()?;
    }
    Ok(found)
}

/// Work after which the hull, which goes step by step, is given up for the time being.
const LITTLE_WORK: u64 = 1 << 18;

/// Work that squaring is worth, beside some times what has been done.
const MUCH_WORK: u64 = 1 << 24;

/// First without arrays, then the hull if it is found soon, else by squaring if that is possible, else the hull. Where the
/// saturation had to square a loop it is not found soon.
fn in_turn(
    post: &PostStar<'_, '_>,
    part: &Part,
    within: Option<&Relation>,
    inside: HeadSets,
    cycles: Cycles,
) -> Result<HeadSets, Stop> {
    let space = post.system().space;
    let worth = MUCH_WORK.saturating_add(space.work().saturating_mul(4));
    let inside = without_arrays(post, part, &inside, worth)?.unwrap_or(inside);
    if inside.is_empty() {
        return Ok(inside);
    }
    if !part.heads.iter().any(|head| post.squared(*head).is_some())
        && let Some(sets) = space.attempt(LITTLE_WORK, || hull(post, part, inside.clone(), cycles))?
    {
        return Ok(sets);
    }
    match squaring(post, part, within, cycles, worth)? {
        Some(sets) => Ok(sets),
        None => hull(post, part, inside, cycles),
    }
}
