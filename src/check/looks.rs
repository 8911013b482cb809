//! Looks at some runs, beside the search that leaves none out: what is easily found is found soon, however much there is to
//! search.
//!
//! From time to time the search stands still for a saturation that goes on with parts only of what it finds
//! ([`crate::saturation::thinning`]). A look may take a fixed share of the work done so far, and that grows by a fixed factor
//! from one look to the next; so all looks together cost a share, too. One more is taken when another engine is about to start
//! over. Work is counted, not timed.

use super::ground::Start;
use crate::bdd::{Relation, Space};
use crate::limits::Stop;
use crate::options::Options;
use crate::saturation::thinning::Thinning;
use crate::saturation::{PostStar, System};

/// A look may take this part of the work done so far.
const SHARE: u64 = 16;

/// The same where all that work is about to be thrown away.
const LAST_SHARE: u64 = 3;

/// How many times as much work has been done before the next look.
const MORE: u64 = 2;

/// As long as there is something left of what a look may take, it is begun anew with other parts. What is remembered costs nothing, so
/// that something may be left for ever.
const TRIES: usize = 4;

/// What the first of them may take where it is to come before all else, and parts are to be small.
const MUCH: u64 = 1 << 16;

/// With how many paths of what is large looks go on, in turn.
const PATHS: [usize; 4] = [2, 1, 1, 1];

/// No look before so much work was done for each rule.
const FOR_EACH_RULE: u64 = 16;

/// When to look, and from where.
pub(super) struct Looks<'l, 's, 'a> {
    system: &'s System<'a>,
    start: &'l Start,
    options: &'l Options,
    watched: Option<Relation>,
    /// The work done at which the next one is due.
    next: u64,
    looks: usize,
}

impl<'l, 's, 'a> Looks<'l, 's, 'a> {
    /// None so far. Values to watch for (over Now), if there are some.
    pub(super) fn new(
        system: &'s System<'a>,
        start: &'l Start,
        options: &'l Options,
        watched: Option<Relation>,
    ) -> Looks<'l, 's, 'a> {
        let rules = system.control.pds.rules.count() as u64;
        let next = if options.look_after == 0 { 0 } else { options.look_after.max(FOR_EACH_RULE * rules) };
        Looks { system, start, options, watched, next, looks: 0 }
    }

    /// Saturates until `done` says so or all is done, with looks from time to time: at each of them some runs are gone
    /// along until `done` says so of them, or they have taken their share; then `find` tells what has been found.
    ///
    /// # Errors
    /// If a limit is met.
    pub(super) fn beside<T>(
        &mut self,
        post: &mut PostStar<'s, 'a>,
        mut done: impl FnMut(&PostStar<'s, 'a>) -> bool,
        mut find: impl FnMut(&mut PostStar<'s, 'a>) -> Result<Option<T>, Stop>,
    ) -> Result<Option<(PostStar<'s, 'a>, T)>, Stop> {
        loop {
            let mut is_done = false;
            let outcome = post.run(|post| {
                is_done = done(post);
                is_done || self.is_due()
            });
            match outcome {
                Err(Stop::Work) => return self.last(done, find),
                outcome => outcome?,
            }
            if is_done || post.is_complete() {
                return Ok(None);
            }
            if let Some(found) = self.look(&mut done, &mut find)? {
                return Ok(Some(found));
            }
        }
    }

    /// Before another engine starts over.
    fn last<T>(
        &mut self,
        done: impl FnMut(&PostStar<'s, 'a>) -> bool,
        find: impl FnMut(&mut PostStar<'s, 'a>) -> Result<Option<T>, Stop>,
    ) -> Result<Option<(PostStar<'s, 'a>, T)>, Stop> {
        let space = self.space();
        let worth = space.spent() / LAST_SHARE;
        match space.whatever_engine(|| self.take(worth, done, find))? {
            Some(found) => Ok(Some(found)),
            None => Err(Stop::Work),
        }
    }

    fn space(&self) -> &'s Space {
        self.system.space
    }

    fn is_due(&self) -> bool {
        self.space().spent() >= self.next
    }

    /// One look, if it is time for one or will soon be.
    ///
    /// # Errors
    /// If a limit is met.
    pub(super) fn look<T>(
        &mut self,
        done: impl FnMut(&PostStar<'s, 'a>) -> bool,
        find: impl FnMut(&mut PostStar<'s, 'a>) -> Result<Option<T>, Stop>,
    ) -> Result<Option<(PostStar<'s, 'a>, T)>, Stop> {
        let begun = self.space().spent();
        let worth = if self.options.look_after == 0 { MUCH.max(begun / SHARE) } else { begun / SHARE };
        if begun < self.next / MORE { Ok(None) } else { self.take(worth, done, find) }
    }

    /// One look that may take so much work, half of it to find runs and as much to find something in them.
    fn take<T>(
        &mut self,
        worth: u64,
        mut done: impl FnMut(&PostStar<'s, 'a>) -> bool,
        mut find: impl FnMut(&mut PostStar<'s, 'a>) -> Result<Option<T>, Stop>,
    ) -> Result<Option<(PostStar<'s, 'a>, T)>, Stop> {
        let space = self.space();
        let until = space.spent().saturating_add(worth);
        let mut found = None;
        // Another one where the first was soon through.
        for _ in 0..TRIES {
            if found.is_some() || space.spent().saturating_add(worth / 4) > until {
                break;
            }
            self.looks += 1;
            let paths = PATHS[self.looks % PATHS.len()];
            let large = if self.options.look_after == 0 { paths } else { paths * space.level_count() * 2 };
            let thinning = Thinning::new(large, paths, space.spent());
            let mut post = self.start.saturation(self.system, self.options, self.watched.clone())?.thinned(thinning);
            let left = until.saturating_sub(space.spent());
            let pause = space.spent().saturating_add(left / 4 * 3);
            // What has been found when it is given up has been found.
            space.attempt(left, || post.run(|post| done(post) || space.spent() >= pause))?;
            if let Some(something) = space.attempt(left, || find(&mut post))?.flatten() {
                post.end_look()?;
                found = Some((post, something));
            }
        }
        self.next = space.spent().saturating_add(1).saturating_mul(MORE);
        Ok(found)
    }
}
