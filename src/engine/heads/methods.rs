//! The ways in which cycles are looked for inside a component: a table. A new one is a file and a line.
//!
//! Each is a function from what is looked for to values of `inside` that lead to such cycles, or lie on them: not all, but
//! none only if there is no such cycle.

use super::closure::closure;
use super::hull::hull;
use super::lockstep::lockstep;
use super::projection::without_arrays;
use super::squaring::{attempt, squaring};
use super::{HeadSets, Search};
use crate::limits::Stop;
use crate::options::Scc;

/// A way to look for cycles.
///
/// # Errors
/// If a limit is met.
pub type Method = fn(&Search<'_, '_, '_>) -> Result<HeadSets, Stop>;

/// The method of that name.
pub fn method(scc: Scc) -> Method {
    match scc {
        Scc::Auto => in_turn,
        Scc::Hull => hull,
        Scc::Closure => closure,
        Scc::Lockstep => lockstep,
        Scc::Squaring => squaring,
    }
}

/// Work after which the hull, which goes step by step, is given up for the time being.
const LITTLE_WORK: u64 = 1 << 18;

/// Work that squaring is worth, beside some times what has been done.
const MUCH_WORK: u64 = 1 << 24;

/// First without arrays, then the hull if it is found soon, else by squaring if that is possible, else the hull. Where the
/// saturation had to square a loop it is not found soon.
fn in_turn(search: &Search<'_, '_, '_>) -> Result<HeadSets, Stop> {
    let space = search.post.system().space;
    let worth = MUCH_WORK.saturating_add(space.spent().saturating_mul(4));
    let projected = without_arrays(search, worth)?;
    let search = Search { inside: projected.as_ref().unwrap_or(search.inside), ..*search };
    if search.inside.is_empty() {
        return Ok(HeadSets::new());
    }
    if !search.component.part.heads.iter().any(|head| search.post.squared(*head).is_some())
        && let Some(sets) = space.attempt(LITTLE_WORK, || hull(&search))?
    {
        return Ok(sets);
    }
    match attempt(&search, worth)? {
        Some(sets) => Ok(sets),
        None => hull(&search),
    }
}
