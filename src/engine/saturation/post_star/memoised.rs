//! What a search did in one body it does in all that are like it ([`super::super::alike`]), without doing it again.
//!
//! A search goes on in a body from what has arrived there until it makes a call or has nothing more to do: a *turn*. Turns are
//! remembered as a tree: what was known in the body before, and what has arrived since, say what is known after it and which calls
//! and returns come of it. Calls and returns themselves are made anew each time, for each caller has callees of its own.
//! The order of work is that of a search without this, and so are all sets.

use std::cmp::Reverse;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::super::alike::{Bodies, NONE};
use super::super::images::System;
use super::body::{Body, Event, Habits, Known, Made, Of};
use super::{Item, PostStar, Result};
use crate::bdd::{Growing, Relation};
use crate::flow::StateId;
use crate::pds::{HeadId, RuleKind};

/// So many turns are remembered before any of them has to be met again.
const TURNS_AT_FIRST: usize = 64;

/// What has arrived at places of a body, in their order.
type Arrived = Vec<(u32, Relation)>;

/// A turn, and the one before it in the same body.
struct Turn {
    before: u32,
    made: Made,
}

/// The turns of a search so far, and where each body stands.
pub(super) struct Memoised {
    pub(super) bodies: Bodies,
    turns: Vec<Turn>,
    after: FxHashMap<(u32, Arrived), u32>,
    met_again: usize,
    /// By state: the last turn, the first place at which something waits, what has arrived since the last turn.
    stands: Vec<u32>,
    due: Vec<u32>,
    arrived: Vec<Arrived>,
    /// States in which something happened since they were written out.
    moved: Vec<StateId>,
}

/// What comes of a turn outside of the body.
pub(super) struct Outcome {
    pub(super) events: Box<[Event]>,
    pub(super) rounds: u32,
    /// What follows depends on more than the body.
    pub(super) is_last: bool,
}

/// What is known at heads of a body, and what has arrived there since.
struct Places {
    known: Vec<(HeadId, Known)>,
    arrived: Vec<(HeadId, Relation)>,
}

impl Memoised {
    /// Nothing so far.
    pub(super) fn new(system: &System<'_>, bodies: Bodies) -> Memoised {
        let states = system.control.flow.state_count();
        let first = |_| Turn { before: NONE, made: Made::default() };
        Memoised {
            // What is known in each class before its first turn.
            turns: (0..bodies.class_count()).map(first).collect(),
            after: FxHashMap::default(),
            met_again: 0,
            stands: (0..states as u32).map(|state| bodies.class(StateId(state))).collect(),
            due: vec![NONE; states],
            arrived: vec![Vec::new(); states],
            moved: Vec::new(),
            bodies,
        }
    }

    /// How many turns were met again.
    pub(super) fn met_again(&self) -> usize {
        self.met_again
    }

    /// Whether a state's body is like another one.
    pub(super) fn has(&self, state: StateId) -> bool {
        self.bodies.class(state) != NONE
    }

    /// Something arrives at a place: where in the order of work that is, if the state was not to be looked at by then.
    pub(super) fn arrive(
        &mut self,
        system: &System<'_>,
        state: StateId,
        place: u32,
        values: Relation,
    ) -> Result<Option<u32>> {
        let arrived = &mut self.arrived[state.0 as usize];
        match arrived.iter_mut().find(|(at, _)| *at == place) {
            Some((_, known)) => *known = system.space.or(known, &values)?,
            None => arrived.push((place, values)),
        }
        Ok(self.wait(system, state, place))
    }

    /// Something waits at a place.
    fn wait(&mut self, system: &System<'_>, state: StateId, place: u32) -> Option<u32> {
        let due = &mut self.due[state.0 as usize];
        let sooner = place < *due;
        *due = place.min(*due);
        sooner.then(|| self.rank(system, state, place))
    }

    /// Where a place is in the order of work.
    fn rank(&self, system: &System<'_>, state: StateId, place: u32) -> u32 {
        system.control.rank[self.bodies.head(state, place).0 as usize]
    }

    /// Whether a state is to be looked at, at this place in the order of work. If it is, nothing waits any more.
    pub(super) fn is_due(&mut self, system: &System<'_>, state: StateId, rank: u32) -> bool {
        let due = self.due[state.0 as usize];
        let is_due = due != NONE && self.rank(system, state, due) == rank;
        if is_due {
            self.due[state.0 as usize] = NONE;
        }
        is_due
    }

    /// The next turn of a state; `None` if it is not known and not worth to be remembered. `reached` hears of heads that are reached.
    pub(super) fn turn(
        &mut self,
        system: &System<'_>,
        state: StateId,
        habits: Habits<'_>,
        mut reached: impl FnMut(HeadId),
    ) -> Result<Option<Outcome>> {
        let i = state.0 as usize;
        let mut arrived = std::mem::take(&mut self.arrived[i]);
        arrived.sort_unstable_by_key(|(place, _)| *place);
        let key = (self.stands[i], arrived);
        let turn = match self.after.get(&key) {
            Some(&turn) => {
                self.met_again += 1;
                turn
            }
            None if self.turns.len() > TURNS_AT_FIRST + 2 * self.met_again => {
                self.arrived[i] = key.1;
                return Ok(None);
            }
            None => {
                let mut body = Body::new(system, self.known(state));
                let made = body.turn(&key.1, Of { system, bodies: &self.bodies, state, habits });
                body.reached().for_each(|place| reached(self.bodies.head(state, place)));
                if let Err(stop) = made {
                    self.arrived[i] = key.1;
                    return Err(stop);
                }
                self.turns.push(Turn { before: key.0, made: body.into_made() });
                let turn = self.turns.len() as u32 - 1;
                self.after.insert((key.0, key.1.clone()), turn);
                turn
            }
        };
        // The room is used again.
        let mut room = key.1;
        room.clear();
        self.arrived[i] = room;
        self.stands[i] = turn;
        self.moved.push(state);
        let Made { reached: new, events, rounds, is_last, .. } = &self.turns[turn as usize].made;
        new.iter().for_each(|&place| reached(self.bodies.head(state, place)));
        Ok(Some(Outcome { events: events.clone(), rounds: *rounds, is_last: *is_last }))
    }

    /// Where the state is to be looked at again after a limit was met, in the order of work.
    pub(super) fn stay(&mut self, system: &System<'_>, state: StateId, rank: u32) {
        let heads = (0..).take_while(|place| self.rank(system, state, *place) < rank);
        self.due[state.0 as usize] = heads.count() as u32;
    }

    /// A turn is over: where in the order of work the state is to be looked at again.
    pub(super) fn go_on(&mut self, system: &System<'_>, state: StateId) -> Option<u32> {
        let next = self.turns[self.stands[state.0 as usize] as usize].made.next?;
        self.wait(system, state, next)
    }

    /// What is known at the places of a state's body to which something has come, in their order.
    fn known(&self, state: StateId) -> Vec<(u32, Known)> {
        let mut known: FxHashMap<u32, Known> = FxHashMap::default();
        let mut turn = self.stands[state.0 as usize];
        while turn != NONE {
            let Turn { before, made } = &self.turns[turn as usize];
            for (place, at) in &made.changed {
                known.entry(*place).or_insert_with(|| at.clone());
            }
            turn = *before;
        }
        let mut known: Vec<(u32, Known)> = known.into_iter().collect();
        known.sort_unstable_by_key(|(place, _)| *place);
        known
    }

    /// The heads of bodies in which something happened since this was asked for last, with what has come to them as far as it has
    /// been gone on from; only where that is kept.
    pub(super) fn written(&mut self, keep: &[bool]) -> Vec<(HeadId, StateId, Growing)> {
        let mut moved = std::mem::take(&mut self.moved);
        moved.retain(|state| self.has(*state));
        moved.sort_unstable();
        moved.dedup();
        let mut after: FxHashMap<u32, Rc<[(u32, Growing)]>> = FxHashMap::default();
        let mut written = Vec::new();
        for state in moved {
            let known = Rc::clone(after.entry(self.stands[state.0 as usize]).or_insert_with(|| {
                let known = self.known(state).into_iter();
                let is_kept = |place: u32| keep[self.bodies.head(state, place).0 as usize];
                known.filter(|(place, _)| is_kept(*place)).map(|(place, known)| (place, known.set)).collect()
            }));
            written.extend(known.iter().map(|(place, set)| (self.bodies.head(state, *place), state, set.clone())));
        }
        written
    }

    /// From now on a state is treated by itself: what is known in it, and what has arrived since the last turn.
    fn take_out(&mut self, state: StateId) -> Places {
        let known = self.known(state).into_iter();
        let known = known.map(|(place, known)| (self.bodies.head(state, place), known)).collect();
        let arrived = std::mem::take(&mut self.arrived[state.0 as usize]).into_iter();
        let arrived = arrived.map(|(place, values)| (self.bodies.head(state, place), values)).collect();
        self.bodies.take_out(state);
        Places { known, arrived }
    }
}

impl PostStar<'_, '_> {
    /// The class of a state's body, if others are like it (`saturation::alike`).
    pub fn body_class(&self, state: StateId) -> Option<u32> {
        let bodies = &self.memoised.as_ref()?.bodies;
        Some(bodies.class(state)).filter(|class| *class != NONE)
    }

    /// The heads that only a state's body has, in the order of work: the same places in all that are like it.
    pub fn heads_of_body(&self, state: StateId) -> &[HeadId] {
        self.memoised.as_ref().map_or(&[], |memoised| memoised.bodies.heads(state))
    }

    /// The place of a head among those of its body, if no other body has it.
    pub fn place_in_body(&self, head: HeadId) -> Option<u32> {
        self.memoised.as_ref()?.bodies.place(head)
    }

    /// The same, doing in bodies that are like others what was done in those. What waits, and in which order it was found, cannot be told
    /// then.
    pub fn memoising(mut self) -> Self {
        let bodies = Bodies::new(self.system, &self.keep, self.turning.comes_round());
        self.memoised = bodies.map(|bodies| Memoised::new(self.system, bodies));
        self
    }

    /// New path edges, where some bodies are like others.
    pub(super) fn arrive_in_body(&mut self, head: HeadId, state: StateId, values: Relation) -> Result<()> {
        let memoised = self.memoised.as_mut().filter(|memoised| memoised.has(state));
        match memoised.and_then(|memoised| Some((memoised.bodies.place(head)?, memoised))) {
            Some((place, memoised)) => {
                let rank = memoised.arrive(self.system, state, place, values)?;
                self.wait_in_body(state, rank);
                Ok(())
            }
            None => self.arrive_at_edge(head, state, values),
        }
    }

    fn wait_in_body(&mut self, state: StateId, rank: Option<u32>) {
        if let Some(rank) = rank {
            self.queue.push(Reverse((u64::from(rank.saturating_mul(2)), Item::Body(state.0))));
        }
    }

    /// One turn in a body, if it is to be looked at, at this place in the order of work.
    pub(super) fn go_through(&mut self, state: StateId, rank: u32) -> Result<()> {
        let system = self.system;
        let Some(memoised) = self.memoised.as_mut().filter(|memoised| memoised.has(state)) else { return Ok(()) };
        if !memoised.is_due(system, state, rank) {
            return Ok(());
        }
        let turning = &self.turning;
        let habits =
            Habits { keep: &self.keep, comes_round: turning.comes_round(), looks_after: turning.looks_after() };
        let reached = &mut self.reached;
        let outcome = match memoised.turn(system, state, habits, |head| reached[head.0 as usize] = true) {
            Ok(Some(outcome)) => outcome,
            Ok(None) => return self.go_by_itself(state),
            Err(stop) => {
                memoised.stay(system, state, rank);
                self.wait_in_body(state, Some(rank));
                return Err(stop);
            }
        };
        self.came_round(outcome.rounds);
        for event in outcome.events {
            match event {
                Event::Return(control, values) => self.come_back(state, control, values)?,
                Event::Leave(head, values) => self.arrive(head, state, values)?,
                Event::Call(place, number, calls) => self.call_from_body(state, (place, number), &calls)?,
            }
        }
        if outcome.is_last {
            return self.go_by_itself(state);
        }
        let rank = self.memoised.as_mut().and_then(|memoised| memoised.go_on(system, state));
        self.wait_in_body(state, rank);
        Ok(())
    }

    fn call_from_body(&mut self, state: StateId, (place, number): (u32, u32), calls: &Relation) -> Result<()> {
        let control = self.system.control;
        let Some(memoised) = &self.memoised else { return Ok(()) };
        let head = memoised.bodies.head(state, place);
        let Some(rule) = control.pds.rules_of(head).nth(number as usize) else { return Ok(()) };
        let RuleKind::Call(entry, site) = control.pds.kind_of(rule) else { return Ok(()) };
        let Some(callee) = control.flow.state_of_entry(entry) else { return Ok(()) };
        self.enter_with(rule, callee, (entry, site), state, calls)
    }

    /// From now on a state is treated by itself.
    fn go_by_itself(&mut self, state: StateId) -> Result<()> {
        let Some(memoised) = &mut self.memoised else { return Ok(()) };
        let places = memoised.take_out(state);
        for (head, Known { set, pending, visits }) in places.known {
            if visits > 0 {
                self.turning.came_by(head, visits);
            }
            let index = self.edge(head, state);
            self.edges[index as usize].set = set;
            if !self.system.space.is_empty(&pending) {
                self.arrive_at_edge(head, state, pending)?;
            } else if !self.keep[head.0 as usize] {
                self.forget(index, head, state);
            }
        }
        for (head, values) in places.arrived {
            self.arrive(head, state, values)?;
        }
        Ok(())
    }

    /// What has come to heads of bodies, as edges like all others.
    pub(super) fn write_out(&mut self) {
        let Some(memoised) = &mut self.memoised else { return };
        for (head, state, set) in memoised.written(&self.keep) {
            let index = self.edge(head, state);
            self.edges[index as usize].set = set;
        }
    }
}
