//! Ways through calls of procedures that are equal up to names (`saturation::alike`): found in one of them, and told of the
//! others.
//!
//! Which way is found through a call depends on its body, on what it was entered with and returns with, and on what the calls in it
//! return with. Where all of that is the same, so is the way, place by place.

use rustc_hash::FxHashMap;
use spds_format::model::ControlId;

use super::rings::Node;
use super::valuation::Valuation;
use super::way::{Job, Move, Point, Way};
use crate::bdd::Relation;
use crate::flow::StateId;
use crate::pds::{RuleId, RuleKind, SetId};
use crate::saturation::PostStar;

/// What a way through a call depends on.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Key {
    class: u32,
    control: ControlId,
    entry: Valuation,
    exit: Valuation,
    /// What the calls in the body return with, in their order, and of which globals that is looked at afterwards.
    returned: Vec<(Option<Relation>, SetId)>,
}

/// A rule, as one of a head at a place of a body.
#[derive(Clone, Copy)]
struct Place {
    head: u32,
    rule: u32,
}

/// A move of a pattern.
enum Step {
    Rule(Place),
    /// Through a call by a rule, which returns in a control location, from entry to exit values.
    Through(Place, ControlId, Valuation, Valuation),
}

/// A way, by places of a body.
struct Pattern {
    points: Vec<(u32, Valuation)>,
    steps: Vec<Step>,
    pop: Place,
}

/// The ways that are known.
#[derive(Default)]
pub(super) struct Patterns(FxHashMap<Key, Pattern>);

impl Patterns {
    /// What the way through a call depends on, if its body is like others.
    pub(super) fn key(post: &PostStar<'_, '_>, job: &Job) -> Option<Key> {
        let system = post.system();
        let pds = &system.control.pds;
        let mut returned = Vec::new();
        let class = post.body_class(job.state)?;
        for head in post.heads_of_body(job.state) {
            for rule in pds.rules_of(*head) {
                if let RuleKind::Call(entry, site) = pds.kind_of(rule) {
                    let callee = system.control.flow.state_of_entry(entry)?;
                    let of = |p| (post.summary(callee, p).cloned(), system.live_out(callee, p));
                    returned.extend(system.return_heads(entry, site).map(|(p, _)| of(p)));
                }
            }
        }
        Some(Key { class, control: job.control, entry: job.entry.clone(), exit: job.exit.clone(), returned })
    }

    /// The way through a call, if one like it is known. Calls in it are numbered as `number` says.
    pub(super) fn way(
        &self,
        post: &PostStar<'_, '_>,
        key: &Key,
        state: StateId,
        mut number: impl FnMut(Job) -> usize,
    ) -> Option<Way> {
        let Pattern { points, steps, pop } = self.0.get(key)?;
        let control = &post.system().control;
        let heads = post.heads_of_body(state);
        let rule = |place: Place| control.pds.rules_of(heads[place.head as usize]).nth(place.rule as usize);
        let point = |(place, values): &(u32, Valuation)| Point {
            node: Node { head: heads[*place as usize], below: None },
            values: values.clone(),
        };
        let step = |step: &Step| match step {
            Step::Rule(place) => Some(Move::Step(rule(*place)?)),
            Step::Through(place, p, entry, exit) => {
                let id = rule(*place)?;
                let RuleKind::Call(called, _) = control.pds.kind_of(id) else { return None };
                let state = control.flow.state_of_entry(called)?;
                let (entry, exit) = (entry.clone(), exit.clone());
                Some(Move::Through(id, number(Job { state, control: *p, entry, exit })))
            }
        };
        // Calls are met from the end of a way on.
        let mut moves = steps.iter().rev().map(step).collect::<Option<Vec<Move>>>()?;
        moves.reverse();
        Some(Way { points: points.iter().map(point).collect(), moves, pop: rule(*pop), exit: key.exit.clone() })
    }

    /// From now on the way is known, if it stays in heads that no other body has.
    pub(super) fn remember(&mut self, post: &PostStar<'_, '_>, key: Key, way: &Way, jobs: &[Job]) {
        let pds = &post.system().control.pds;
        let place = |id: RuleId| {
            let from = pds.rule_at(id).from;
            let rule = pds.rules_of(from).position(|rule| rule == id)?;
            Some(Place { head: post.place_in_body(from)?, rule: rule as u32 })
        };
        let step = |step: &Move| match *step {
            Move::Step(id) => Some(Step::Rule(place(id)?)),
            Move::Through(id, number) => {
                let Job { control, entry, exit, .. } = jobs[number].clone();
                Some(Step::Through(place(id)?, control, entry, exit))
            }
            Move::Enter(_) | Move::Return(_) | Move::Leap => None,
        };
        let pattern = || {
            let points =
                way.points.iter().map(|point| Some((post.place_in_body(point.node.head)?, point.values.clone())));
            let (points, steps) = (points.collect::<Option<_>>()?, way.moves.iter().map(step).collect::<Option<_>>()?);
            Some(Pattern { points, steps, pop: place(way.pop?)? })
        };
        if let Some(pattern) = pattern() {
            self.0.insert(key, pattern);
        }
    }
}
