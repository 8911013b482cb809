//! Recursion of one procedure without a round for each call of it.
//!
//! A chain of calls, from entry to entry, is a loop and squared as loops are. What its calls return with is supposed, and
//! proved: from the summaries of some calls, those of all others are guessed, and what the body makes of them is taken in
//! their place, again and again. If the body makes of them what they are, and calls among the entries come round to none of
//! them, they are the summaries: by induction over the calls that a call contains. What is guessed wrongly is never taken in,
//! and whatever is taken in is derived from like all else, so nothing that is found changes, only how soon.

use std::collections::BTreeMap;

use super::PostStar;
use crate::bdd::{At, Relation, SetsBy};
use crate::flow::{State, StateId};
use crate::limits::Stop;
use crate::options::{Loops, Switch};
use crate::pds::{HeadId, RuleKind};
use crate::saturation::System;
use crate::saturation::attempts::{Attempts, Worth};
use crate::saturation::images::{Callers, Control};
use crate::saturation::preimages::Met;
use crate::saturation::transitions::Transition;
use crate::saturation::turning::Turning;
use spds_format::model::ControlId;

type Result<T> = std::result::Result<T, Stop>;

/// What calls return with, by control location.
type Summaries = SetsBy<ControlId>;

/// What a guess is worth.
const GUESS: Worth = Worth { little: 1 << 17, eighths: 1 };

/// How often what the body makes of a guess is taken in its place. A guess that is wrong about a few calls only is right soon.
const TRIES: usize = 6;

/// Procedures that call themselves, as far as they have been looked at.
pub(super) struct Recursion {
    chains: Turning,
    guesses: Attempts<StateId>,
    /// Whether summaries were taken in that had not been derived one after another.
    supposed: bool,
}

impl Recursion {
    /// None has been looked at.
    pub(super) fn new(control: &Control, choice: Loops) -> Recursion {
        let choice = if control.callers == Callers::All { Loops::Step } else { choice };
        Recursion { chains: Turning::of_calls(control, choice), guesses: Attempts::new(choice, GUESS), supposed: false }
    }
}

impl<'s, 'a> PostStar<'s, 'a> {
    /// The same saturation, going through recursion as said (without this, step by step).
    pub fn with_recursion(mut self, choice: Loops) -> Self {
        self.recursion = Recursion::new(self.system.control, choice);
        self
    }

    /// Whether some summaries were not derived one after another, so that their numbers tell nothing of how.
    pub fn has_supposed(&self) -> bool {
        self.recursion.supposed
    }

    /// The same, as far as it has come, with summaries derived one after another.
    ///
    /// # Errors
    /// If a limit is met.
    pub fn derived_in_order(&self) -> Result<PostStar<'s, 'a>> {
        let system = self.system;
        let loops = Turning::of_loops(system.control, self.turning.choice());
        let mut post =
            PostStar { turning: loops, keep: self.keep.clone(), ..PostStar::new(system, Switch::On, self.log) };
        for (head, state, values) in &self.started {
            post.start(*head, *state, values)?;
        }
        for state in system.control.flow.state_ids() {
            for (site, below, values) in self.below(state) {
                post.suspend(state, site, below, values)?;
            }
        }
        let mut heads =
            (0..).zip(&self.reached).filter(|(_, reached)| **reached).map(|(head, _)| HeadId(head)).peekable();
        let complete = self.is_complete();
        post.run(|post| {
            while heads.next_if(|head| post.reaches(*head)).is_some() {}
            !complete && heads.peek().is_none()
        })?;
        Ok(post)
    }

    /// With the entry values to which chains of calls lead from new ones, if they can be gone along at once.
    pub(super) fn with_further_entries(&mut self, callee: StateId, entry: HeadId, new: Relation) -> Result<Relation> {
        let (system, space) = (self.system, self.system.space);
        if self.thinning.is_some() {
            return Ok(new);
        }
        let Some(chains) = self.recursion.chains.at(system, entry)? else { return Ok(new) };
        let all = system.union(system.globals(), system.slots());
        let gone = system.columns(system.without(all, system.tag(callee)), At::Now);
        let begun = system.keep_invariant(entry, system.unmarked(&new)?)?;
        let further = space.exists(&system.after(&begun, &chains)?, space.vars(gone.iter().copied()))?;
        match self.entries[callee.0 as usize].grow(space, &further)? {
            Some(more) => space.or(&new, &more),
            None => Ok(new),
        }
    }

    /// Calls that began at a state have returned with something new: guesses what all of them return with, if that is worth
    /// while, and takes it in if it is true.
    pub(super) fn suppose(&mut self, state: StateId) -> Result<()> {
        let system = self.system;
        let modref = &system.control.modref;
        if self.thinning.is_some() || !modref.is_recursive(state) || !self.recursion.guesses.are_due(state) {
            return Ok(());
        }
        let begun = system.space.spent();
        let mut guesses = std::mem::replace(&mut self.recursion.guesses, Attempts::new(Loops::Step, GUESS));
        let proved = guesses.make(system, state, || system.supposing(|| self.proved(state)));
        let proved = proved.map(|proved| {
            if proved == Some(None) {
                guesses.in_vain(system, state, begun);
            }
            proved.flatten()
        });
        self.recursion.guesses = guesses;
        for (control, set) in proved?.iter().flat_map(Summaries::iter) {
            self.recursion.supposed = true;
            self.come_back(state, control, set.clone())?;
        }
        Ok(())
    }

    /// What calls of the entries so far return with, if a guess turns out to be true.
    fn proved(&self, state: StateId) -> Result<Option<Summaries>> {
        let (system, space) = (self.system, self.system.space);
        let guess = self.guess(state)?;
        let entries = self.entries[state.0 as usize].all();
        let entered = system.as_tags(state, entries)?;
        // What is wrong for a few entries makes others wrong that lead to them, if all others are left out; so with all of them, too.
        for among in [entries, &space.top()] {
            let mut supposed = guess.each(space, |_, set| space.and(set, &system.as_tags(state, among)?))?;
            for _ in 0..TRIES {
                let so_far = supposed.each(space, |_, set| space.and(set, &entered))?;
                supposed = self.body(state, among, &supposed)?.0;
                if so_far == supposed.each(space, |_, set| space.and(set, &entered))? {
                    let (returned, calls) = self.body(state, entries, &so_far)?;
                    let is_true = returned == so_far && !self.come_round(state, calls)?;
                    return Ok(Some(so_far).filter(|_| is_true));
                }
            }
        }
        Ok(None)
    }

    /// Summaries of all calls from those of some: bits of the entry values count only if the known ones differ in them, and entry
    /// values that are still unlike all known ones are taken for such that differ from them in few bits.
    fn guess(&self, state: StateId) -> Result<Summaries> {
        let (system, space) = (self.system, self.system.space);
        let known: Vec<(ControlId, &Relation)> = self.summaries_of(state).collect();
        let exits = system.columns(system.union(system.globals(), system.slots()), At::Now);
        let gone = space.vars(exits.iter().copied().chain(system.columns(system.mark(), At::Next).iter().copied()));
        let mut calls = space.bottom();
        for (_, set) in &known {
            calls = space.or(&calls, &space.exists(set, gone)?)?;
        }
        let bits = system.columns(system.tag(state), At::Next);
        let mut guesses = Summaries::new();
        for (control, set) in known {
            let (mut guess, mut calls) = (set.clone(), calls.clone());
            for &bit in bits.iter() {
                let more = space.exists(&guess, space.vars([bit]))?;
                if space.and(&more, &calls)? == guess {
                    guess = more;
                    calls = space.exists(&calls, space.vars([bit]))?;
                }
            }
            for &bit in bits.iter() {
                let alike = space.exists(&guess, space.vars([bit]))?;
                guess = space.or(&guess, &space.and_not(&alike, &calls)?)?;
                calls = space.exists(&calls, space.vars([bit]))?;
            }
            guesses.set(space, control, guess);
        }
        Ok(guesses)
    }

    /// What calls with these entry values return with if the calls of this procedure in them return as supposed and others as
    /// they are known to, and who calls whom: the tag of the callee in Next, that of the caller in Entry.
    fn body(&self, state: StateId, among: &Relation, supposed: &Summaries) -> Result<(Summaries, Relation)> {
        let (system, space) = (self.system, self.system.space);
        let control = system.control;
        let (mut returned, mut calls) = (Summaries::new(), space.bottom());
        let State::Entry(entry) = control.flow.states[state.0 as usize] else {
            return Ok((returned, calls));
        };
        let mut waiting: BTreeMap<(u32, HeadId), Relation> = BTreeMap::new();
        let arrive = |waiting: &mut BTreeMap<_, Relation>, head: HeadId, values: Relation| {
            if system.needs(head) && !space.is_empty(&values) {
                let place = waiting.entry((control.rank[head.0 as usize], head)).or_insert_with(|| space.bottom());
                *place = space.or(place, &values)?;
            }
            Ok::<_, Stop>(())
        };
        arrive(&mut waiting, entry, system.tagged(state, entry, among)?)?;
        let mut visited: SetsBy<HeadId> = SetsBy::new();
        while let Some(((_, head), values)) = waiting.pop_first() {
            let turned = match self.turning.squared(head) {
                Some(turns) => space.or(&values, &system.after(&values, turns)?)?,
                None => values,
            };
            let Some(fresh) = visited.grow(space, head, &turned)? else { continue };
            for rule in control.pds.rules_of(head).filter(|rule| system.relations.rule(*rule).is_some()) {
                match control.pds.kind_of(rule) {
                    RuleKind::Step(to) => arrive(&mut waiting, to, system.step(rule, to, &fresh)?)?,
                    RuleKind::Pop(p) => returned.add(space, p, system.pop(rule, state, &fresh)?)?,
                    RuleKind::Call(entry, site) => {
                        let Some(callee) = control.flow.state_of_entry(entry) else { continue };
                        let suspended = system.call(rule, callee, &fresh)?;
                        if callee == state {
                            calls = space.or(&calls, &suspended)?;
                        }
                        for (p, back) in system.return_heads(entry, site).filter(|(_, back)| system.needs(*back)) {
                            let summary = if callee == state { supposed.get(&p) } else { self.summary(callee, p) };
                            if let Some(summary) = summary {
                                arrive(&mut waiting, back, system.join(callee, summary, &suspended, back)?)?;
                            }
                        }
                    }
                }
            }
        }
        Ok((returned, calls))
    }

    /// Whether some entry comes round to itself, call by call.
    fn come_round(&self, state: StateId, calls: Relation) -> Result<bool> {
        let (system, space) = (self.system, self.system.space);
        let all = system.columns(system.union(system.globals(), system.slots()), At::Now);
        let tag = system.tag(state);
        let State::Entry(entry) = system.control.flow.states[state.0 as usize] else { return Ok(true) };
        let down = system.bits(tag).into_iter().flat_map(|bit| [(bit, At::Next, At::Now), (bit, At::Entry, At::Next)]);
        let gone = space.vars(all.iter().copied());
        let back = space.and_exists_rename(&calls, &calls, gone, space.renaming(down))?;
        let back = space.and(&back, self.entries[state.0 as usize].all())?;
        if space.is_empty(&back) {
            return Ok(false);
        }
        let turns = system.turning(entry, Transition { relation: back, writes: tag })?;
        Ok(!space.is_empty(&system.unchanged(&turns.all, Met::Whatever)?))
    }
}

impl System<'_> {
    /// Entry values where summaries have them.
    fn as_tags(&self, state: StateId, entries: &Relation) -> Result<Relation> {
        let up = self.bits(self.tag(state)).into_iter().map(|bit| (bit, At::Now, At::Next));
        self.space.rename(entries, self.space.renaming(up))
    }
}
