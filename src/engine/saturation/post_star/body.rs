//! One turn of a search inside one body: from what has arrived there until it makes calls or has nothing more to do.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;
use spds_format::model::ControlId;

use super::super::alike::Bodies;
use super::super::images::System;
use super::Result;
use crate::bdd::{Growing, Relation};
use crate::flow::StateId;
use crate::pds::{HeadId, RuleId, RuleKind};

/// How a search goes on at heads.
#[derive(Clone, Copy)]
pub(super) struct Habits<'h> {
    /// Where it keeps what has come.
    pub(super) keep: &'h [bool],
    /// Where something comes round.
    pub(super) comes_round: &'h [bool],
    /// How often, until it looks at what leads there as a whole.
    pub(super) looks_after: u32,
}

/// A body, and what it is a part of.
#[derive(Clone, Copy)]
pub(super) struct Of<'o, 'a> {
    pub(super) system: &'o System<'a>,
    pub(super) bodies: &'o Bodies,
    pub(super) state: StateId,
    pub(super) habits: Habits<'o>,
}

/// What comes of a turn outside of the body.
#[derive(Clone)]
pub(super) enum Event {
    /// A call by the rule with this number at the head at this place.
    Call(u32, u32, Relation),
    /// Returns in a control location.
    Return(ControlId, Relation),
    /// A step to a head that several bodies have.
    Leave(HeadId, Relation),
}

/// What is known at a place of a body.
#[derive(Clone)]
pub(super) struct Known {
    pub(super) set: Growing,
    pub(super) pending: Relation,
    /// How often something new has come round to it.
    pub(super) visits: u32,
}

/// What a turn has changed in its body, and what comes of it.
#[derive(Default)]
pub(super) struct Made {
    /// The places at which it differs from what was known before.
    pub(super) changed: Box<[(u32, Known)]>,
    /// Those among them to which nothing had come before.
    pub(super) reached: Box<[u32]>,
    pub(super) events: Box<[Event]>,
    pub(super) rounds: u32,
    /// The first place at which something waits.
    pub(super) next: Option<u32>,
    /// What follows there depends on more than the body.
    pub(super) is_last: bool,
}

/// A body while a turn is made.
#[derive(Default)]
pub(super) struct Body {
    places: FxHashMap<u32, Known>,
    /// Places at which something waits, or did.
    waits: BinaryHeap<Reverse<u32>>,
    changed: Vec<u32>,
    /// Of those, the ones to which nothing had come before.
    new: Vec<u32>,
    events: Vec<Event>,
    rounds: u32,
    is_last: bool,
}

impl Body {
    /// As far as it is known.
    pub(super) fn new(system: &System<'_>, known: Vec<(u32, Known)>) -> Body {
        let waits = known.iter().filter(|(_, known)| !system.space.is_empty(&known.pending));
        let waits = waits.map(|(place, _)| Reverse(*place)).collect();
        Body { waits, places: known.into_iter().collect(), ..Body::default() }
    }

    /// Goes on from what has arrived, until calls are made or nothing waits, or what follows depends on more than the body.
    pub(super) fn turn(&mut self, arrived: &[(u32, Relation)], of: Of<'_, '_>) -> Result<()> {
        for (place, values) in arrived {
            self.arrive(of.system, *place, values)?;
        }
        let mut goes_on = true;
        while let Some(&Reverse(place)) = self.waits.peek() {
            if of.system.space.is_empty(&self.places[&place].pending) {
                self.waits.pop();
            } else if goes_on {
                goes_on = self.round(place, of)? && !self.events.iter().any(|event| matches!(event, Event::Call(..)));
            } else {
                break;
            }
        }
        Ok(())
    }

    fn arrive(&mut self, system: &System<'_>, place: u32, values: &Relation) -> Result<()> {
        let space = system.space;
        if space.is_empty(values) {
            return Ok(());
        }
        let new = &mut self.new;
        let known = self.places.entry(place).or_insert_with(|| {
            new.push(place);
            Known { set: Growing::new(space), pending: space.bottom(), visits: 0 }
        });
        if space.is_empty(&known.pending) {
            known.pending = values.clone();
            self.waits.push(Reverse(place));
        } else {
            known.pending = space.or(&known.pending, values)?;
        }
        self.changed.push(place);
        Ok(())
    }

    /// One difference, one union and one image per rule for what waits at a place; whether that depends on the body alone.
    fn round(&mut self, place: u32, of: Of<'_, '_>) -> Result<bool> {
        let Of { system, bodies, state, habits } = of;
        let (space, head) = (system.space, bodies.head(state, place));
        let known = self.places.get_mut(&place).expect("something waits there");
        self.changed.push(place);
        let fresh = if habits.keep[head.0 as usize] {
            let Some(new) = known.set.news(space, &known.pending)? else {
                known.pending = space.bottom();
                self.rounds += 1;
                return Ok(true);
            };
            let comes_round = habits.comes_round[head.0 as usize];
            if comes_round && known.visits + 1 >= habits.looks_after {
                self.is_last = true;
                return Ok(false);
            }
            known.visits += u32::from(comes_round);
            known.set.take_in(space, &new)?;
            known.pending = space.bottom();
            space.smaller(&new, known.set.all()).clone()
        } else {
            std::mem::replace(&mut known.pending, space.bottom())
        };
        self.rounds += 1;
        for (number, id) in (0..).zip(system.control.pds.rules_of(head)) {
            self.take(place, (number, id), of, &fresh)?;
        }
        Ok(true)
    }

    /// The rule with this number at a place, from these values on.
    fn take(&mut self, place: u32, (number, id): (u32, RuleId), of: Of<'_, '_>, fresh: &Relation) -> Result<()> {
        let Of { system, bodies, state, .. } = of;
        if system.relations.rule(id).is_none() {
            return Ok(());
        }
        match system.control.pds.kind_of(id) {
            RuleKind::Step(to) => {
                let image = system.step(id, to, fresh)?;
                match bodies.place(to) {
                    Some(place) => self.arrive(system, place, &image)?,
                    None => self.events.push(Event::Leave(to, image)),
                }
            }
            RuleKind::Pop(control) => {
                let image = system.pop(id, state, fresh)?;
                self.events.push(Event::Return(control, image));
            }
            RuleKind::Call(entry, _) => {
                let Some(callee) = system.control.flow.state_of_entry(entry) else { return Ok(()) };
                let calls = system.call(id, callee, fresh)?;
                if !system.space.is_empty(&calls) {
                    self.events.push(Event::Call(place, number, calls));
                }
            }
        }
        Ok(())
    }

    /// The places that have been reached in this turn for the first time.
    pub(super) fn reached(&self) -> impl Iterator<Item = u32> {
        self.new.iter().copied()
    }

    /// What has come of the turn.
    pub(super) fn into_made(mut self) -> Made {
        self.changed.sort_unstable();
        self.changed.dedup();
        let places = &self.places;
        let changed = self.changed.iter().map(|place| (*place, places[place].clone())).collect();
        let next = self.waits.peek().map(|next| next.0);
        let Body { new, events, rounds, is_last, .. } = self;
        Made { changed, reached: new.into(), events: events.into(), rounds, next, is_last }
    }
}
