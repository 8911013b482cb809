//! How a search for a witness goes round loops: step by step, or where that takes too long, all turns at once.
//!
//! Loops that the saturation squared may take exponentially many turns. A way that passes one of them *leaps*: from values
//! of the loop's head to other values of it. Leaps of few turns are walked in the end; of others a run only says how many
//! turns they take. Such a way is some way, no shortest one.

use super::{NoRun, Overflow};
use crate::limits::Stop;
use crate::saturation::PostStar;

/// Whether a run may show many turns of a loop as one item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaps {
    /// It may, if a search step by step has not come to its end after so many rounds.
    After(u64),
    /// It may not: what holds between the turns matters.
    Never,
}

/// How a search goes round loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Whether loops that have been squared are passed at once.
    pub(super) leaping: bool,
    /// The most rounds of a search: a run has as many items.
    pub(super) rounds: u64,
    /// The most items of a run, calls included.
    pub(super) items: u64,
}

/// Work that a search step by step is worth, beside some times that of the saturation.
const MUCH_WORK: u64 = 1 << 24;

/// Searches step by step, and if that takes too long and may be done, by leaps. `limit` is the most items of a run. Calls are
/// unwound along the summaries in the order in which they were derived, so if some were not, all of them are derived anew.
///
/// # Errors
/// If a limit is met, or the run would have more items than that.
pub fn at_some_pace<'s, 'a, T>(
    post: &PostStar<'s, 'a>,
    leaps: Leaps,
    limit: u64,
    mut search: impl FnMut(&PostStar<'s, 'a>, Pace) -> Result<T, Stop>,
) -> Result<T, NoRun> {
    let derived = if post.has_supposed() { Some(post.derived_in_order()?) } else { None };
    let post = derived.as_ref().unwrap_or(post);
    let space = post.system().space;
    let mut pace = Pace { leaping: false, rounds: limit, items: limit };
    if let Leaps::After(rounds) = leaps
        && post.squared_some()
    {
        let patient = Pace { rounds: limit.min(rounds), ..pace };
        let worth = MUCH_WORK.saturating_add(space.spent().saturating_mul(2));
        if let Some(found) = space.attempt(worth, || search(post, patient))? {
            return Ok(found);
        }
        pace.leaping = true;
    }
    match search(post, pace) {
        Err(Stop::Patience) => Err(NoRun::TooLong(Overflow(limit))),
        outcome => Ok(outcome?),
    }
}
