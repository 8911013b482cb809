//! Partial (under-approximate) search, beside the search that leaves no run out: what is easily found is found soon, however much there is to
//! search.
//!
//! From time to time the search stands still for a saturation that goes on with parts only of what it finds
//! ([`crate::saturation::thinning`]). A look may spend a fixed share of what has been spent so far, and that grows by a fixed
//! factor from one look to the next; so all looks together cost a share, too. One more is taken when the search is about to
//! start over in another order. Work is counted, not timed.

use super::ground::Start;
use crate::bdd::{Relation, Space};
use crate::limits::Stop;
use crate::options::Options;
use crate::pds::HeadId;
use crate::saturation::thinning::{Distances, Thinning};
use crate::saturation::{PostStar, System};

/// A look may spend this part of what has been spent so far to find runs, and as much again to find something in them.
const SHARE: u64 = 16;

/// The same where all that work is about to be thrown away.
const LAST_SHARE: u64 = 3;

/// How many times as much has been spent before the next look.
const MORE: u64 = 2;

/// As long as there is something left of what a look may spend, it is begun anew with other parts. What is remembered costs
/// nothing, so that something may be left for ever.
const TRIES: usize = 4;

/// What the first of them may spend where it is to come before all else, and parts are to be small.
const MUCH: u64 = 1 << 16;

/// With how many paths of what is large looks go on, in turn, and of how many nodes for each level something is large. With
/// single values most is soon through; with some at a time what depends on few of them is.
const PARTS: [(usize, usize); 4] = [(1, 0), (1, 2), (1, 0), (2, 4)];

/// No look before so much was spent for each rule.
const FOR_EACH_RULE: u64 = 16;

/// When to look, and from where.
pub(super) struct Looks<'l, 's, 'a> {
    system: &'s System<'a>,
    start: &'l Start,
    options: &'l Options,
    watched: Option<Relation>,
    goals: Vec<HeadId>,
    /// How far it is to the goals, once somebody has looked.
    distances: Option<Distances>,
    /// What has been spent when the next one is due.
    next: u64,
    looks: usize,
}

/// What a look has seen: the saturation as far as it has come, and what was found in it.
pub(super) type Seen<'s, 'a, T> = (PostStar<'s, 'a>, T);

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
        Looks { system, start, options, watched, goals: Vec::new(), distances: None, next, looks: 0 }
    }

    /// From now on looks are to come to these heads; to none in particular if there are none.
    pub(super) fn towards(&mut self, goals: impl IntoIterator<Item = HeadId>) {
        self.goals = goals.into_iter().collect();
        self.distances = None;
    }

    /// Saturates until `done` says so or all is done, with looks from time to time: at each of them some runs are gone
    /// along until `done` says so of them, or they have spent their share; then `find` tells what has been found.
    ///
    /// # Errors
    /// If a limit is met.
    pub(super) fn beside<T>(
        &mut self,
        post: &mut PostStar<'s, 'a>,
        mut done: impl FnMut(&PostStar<'s, 'a>) -> bool,
        mut find: impl FnMut(&PostStar<'s, 'a>) -> Result<Option<T>, Stop>,
    ) -> Result<Option<Seen<'s, 'a, T>>, Stop> {
        loop {
            let mut is_done = false;
            let outcome = post.run(|post| {
                is_done = done(post);
                is_done || self.space().spent() >= self.next
            });
            match outcome {
                Err(Stop::Work) => {
                    let last = self.take(self.space().spent() / LAST_SHARE, done, find)?;
                    return if last.is_some() { Ok(last) } else { Err(Stop::Work) };
                }
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

    /// One look, if it is time for one or will soon be.
    ///
    /// # Errors
    /// If a limit is met.
    pub(super) fn look<T>(
        &mut self,
        done: impl FnMut(&PostStar<'s, 'a>) -> bool,
        find: impl FnMut(&PostStar<'s, 'a>) -> Result<Option<T>, Stop>,
    ) -> Result<Option<Seen<'s, 'a, T>>, Stop> {
        let spent = self.space().spent();
        let worth = if self.options.look_after == 0 { MUCH.max(spent / SHARE) } else { spent / SHARE };
        if spent < self.next / MORE { Ok(None) } else { self.take(worth, done, find) }
    }

    /// One look, begun anew as long as there is much left of what it may spend. It is no reason to start over.
    fn take<T>(
        &mut self,
        worth: u64,
        mut done: impl FnMut(&PostStar<'s, 'a>) -> bool,
        mut find: impl FnMut(&PostStar<'s, 'a>) -> Result<Option<T>, Stop>,
    ) -> Result<Option<Seen<'s, 'a, T>>, Stop> {
        let space = self.space();
        let until = space.spent().saturating_add(worth);
        let mut found = None;
        for _ in 0..TRIES {
            let left = until.saturating_sub(space.spent());
            if found.is_some() || left < worth / 4 {
                break;
            }
            found = space.without_starting_over(|| self.look_once(left, &mut done, &mut find))?;
        }
        self.next = space.spent().saturating_add(1).saturating_mul(MORE);
        Ok(found)
    }

    fn look_once<T>(
        &mut self,
        worth: u64,
        done: &mut impl FnMut(&PostStar<'s, 'a>) -> bool,
        find: &mut impl FnMut(&PostStar<'s, 'a>) -> Result<Option<T>, Stop>,
    ) -> Result<Option<Seen<'s, 'a, T>>, Stop> {
        let space = self.space();
        let until = space.spent().saturating_add(worth);
        let Some(mut post) = space.spend(worth, || self.begin())? else { return Ok(None) };
        // What has been found when it is given up has been found.
        space.spend(until.saturating_sub(space.spent()), || post.run(|post| done(post)))?;
        let Some(Some(found)) = space.spend(worth, || find(&post))? else { return Ok(None) };
        post.end_look()?;
        Ok(Some((post, found)))
    }

    /// Where a look begins, with other choices each time.
    fn begin(&mut self) -> Result<PostStar<'s, 'a>, Stop> {
        let space = self.space();
        // What is to come to some place begins with several values.
        let (paths, of_levels) = PARTS[(self.looks + usize::from(!self.goals.is_empty())) % PARTS.len()];
        self.looks += 1;
        let large = if self.options.look_after == 0 { paths } else { of_levels * space.level_count() };
        let thinning = Thinning::new(large, paths, space.spent(), self.distances());
        Ok(self.start.saturation(self.system, self.options, self.watched.clone())?.thinned(thinning))
    }

    fn distances(&mut self) -> Distances {
        let (system, start, goals) = (self.system, self.start, &self.goals);
        let distances = self.distances.get_or_insert_with(|| match goals.is_empty() {
            true => Distances::default(),
            false => Distances::new(system.control.graph.distances(goals.iter().copied()), start.head()),
        });
        distances.clone()
    }

    fn space(&self) -> &'s Space {
        self.system.space
    }
}
