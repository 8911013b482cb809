//! How much a run is worth: all that the options allow where it is to be shown, else what is next to nothing.
//!
//! A verdict that claims a run is better for a run that was judged, also where nobody wants to see it. Costs are counted,
//! not timed, so that it does not depend on the machine whether there was one. They do not grow with the search: a part of
//! what a search of a large program has cost would go into a run that is given up in the end.

use std::borrow::Cow;

use crate::bdd::Space;
use crate::limits::Stop;
use crate::options::{Options, TraceWish};
use crate::run::Run;
use crate::saturation::PostStar;
use crate::witness::NoRun;

/// Work that is next to nothing, and steps of a run that are.
pub(super) const LITTLE_WORK: u64 = 1 << 16;
pub(super) const FEW_STEPS: u64 = 1 << 10;

/// What may still be spent on runs.
pub(super) struct Effort<'s, 'o> {
    space: &'s Space,
    /// How much may have been spent (see [`Space::spent`]) when no more is spent; `None` if all of them are to be shown.
    until: Option<u64>,
    /// The options, with the numbers of steps that may be made and walked.
    pub(super) options: Cow<'o, Options>,
}

impl<'s, 'o> Effort<'s, 'o> {
    /// After a search.
    pub(super) fn after(post: &PostStar<'s, '_>, options: &'o Options) -> Effort<'s, 'o> {
        let space = post.system().space;
        if options.trace != TraceWish::None {
            return Effort { space, until: None, options: Cow::Borrowed(options) };
        }
        let options = Options {
            trace_steps: FEW_STEPS.min(options.trace_steps),
            replay_steps: FEW_STEPS.min(options.replay_steps),
            ..options.clone()
        };
        Effort { space, until: Some(space.spent() + LITTLE_WORK), options: Cow::Owned(options) }
    }

    /// Does what leads to a run; `None` if that is not worth while.
    ///
    /// # Errors
    /// If a limit is met and runs are to be shown.
    pub(super) fn spend<T>(&self, something: impl FnOnce() -> Result<T, Stop>) -> Result<Option<T>, Stop> {
        match self.until {
            None => something().map(Some),
            Some(until) => Ok(self.space.attempt(until.saturating_sub(self.space.spent()), something).unwrap_or(None)),
        }
    }

    /// The same for the run itself.
    pub(super) fn run(&self, find: impl FnOnce(&Options) -> Result<Run, NoRun>) -> Option<Result<Run, NoRun>> {
        let found = self.spend(|| match find(&self.options) {
            Err(NoRun::Stopped(stop)) => Err(stop),
            found => Ok(found),
        });
        match (found, self.until) {
            (Ok(Some(Err(NoRun::TooLong(_)))), Some(_)) => None,
            (Ok(found), _) => found,
            (Err(stop), _) => Some(Err(NoRun::Stopped(stop))),
        }
    }
}
