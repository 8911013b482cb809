//! When to look for a shortcut, and how much that may cost.
//!
//! Whether what a shortcut needs is small enough to be found cannot be known beforehand, so looking for it is an attempt: where
//! the search has come by often, with work that is counted, and after one in vain not until it has come by much more often.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::images::System;
use crate::limits::Stop;
use crate::options::Loops;

/// To come by so often step by step is nothing to worry about.
const FEW_VISITS: u32 = 16;

/// How many times as often it has to come by before there is another attempt.
const MORE_OFTEN: u32 = 8;

/// How much may be spent on attempts in vain: so much, and some part of everything else (see [`crate::bdd::Space::spent`]).
#[derive(Clone, Copy, Debug)]
pub(super) struct Worth {
    pub(super) little: u64,
    /// Parts of everything else, in eighths.
    pub(super) eighths: u64,
}

/// Attempts by what they are about.
pub(super) struct Attempts<K> {
    choice: Loops,
    worth: Worth,
    /// How often the search has come by, and when the next attempt is due.
    visits: FxHashMap<K, (u32, u32)>,
    /// What was spent on attempts in vain.
    wasted: u64,
}

impl<K: Copy + Eq + Hash> Attempts<K> {
    /// None so far.
    pub(super) fn new(choice: Loops, worth: Worth) -> Self {
        Attempts { choice, worth, visits: FxHashMap::default(), wasted: 0 }
    }

    /// When to look.
    pub(super) fn choice(&self) -> Loops {
        self.choice
    }

    /// With how many visits the first one is due.
    pub(super) fn first(&self) -> u32 {
        match self.choice {
            Loops::Step => u32::MAX,
            Loops::Auto => FEW_VISITS,
            Loops::Square => 1,
        }
    }

    /// The search has come by so often, and none was due.
    pub(super) fn came_by(&mut self, key: K, visits: u32) {
        self.visits.insert(key, (visits, self.first()));
    }

    /// The search has come by: whether it is time for an attempt.
    pub(super) fn are_due(&mut self, key: K) -> bool {
        let first = self.first();
        if self.choice == Loops::Step {
            return false;
        }
        let (visits, next) = self.visits.entry(key).or_insert((0, first));
        *visits += 1;
        visits >= next
    }

    /// The first attempt that comes by itself is not worth while: whether it is that one, and not due until the search has come by
    /// much more often.
    pub(super) fn put_off(&mut self, key: K) -> bool {
        let Some((_, next)) = self.visits.get_mut(&key).filter(|(_, next)| *next == FEW_VISITS) else { return false };
        *next = next.saturating_mul(MORE_OFTEN);
        true
    }

    /// One attempt; `None` if it was given up.
    ///
    /// # Errors
    /// If a limit is met.
    pub(super) fn make<T>(
        &mut self,
        system: &System<'_>,
        key: K,
        something: impl FnOnce() -> Result<T, Stop>,
    ) -> Result<Option<T>, Stop> {
        // Attempts that fail must not cost more than all else does.
        let begun = system.space.spent();
        let useful = begun.saturating_sub(self.wasted);
        let worth = self.worth.little.saturating_add((useful / 8).saturating_mul(self.worth.eighths));
        let left = worth.saturating_sub(self.wasted);
        // What gets too large is given up in the midst of what may be spent.
        let made = system.space.attempt(u64::MAX, || system.space.spend(left, something))?.flatten();
        if made.is_none() {
            self.in_vain(system, key, begun);
        }
        Ok(made)
    }

    /// The attempt that began when so much had been spent came to nothing.
    pub(super) fn in_vain(&mut self, system: &System<'_>, key: K, begun: u64) {
        self.wasted += system.space.spent() - begun;
        if let Some((visits, next)) = self.visits.get_mut(&key) {
            *next = visits.saturating_mul(MORE_OFTEN);
        }
    }
}
