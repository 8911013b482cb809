//! Bodies of procedures that are equal up to names: in calls of them a search does the same.
//!
//! What a search does inside a call, from what arrives at heads of its body to what it calls and returns, depends on the relations
//! of the rules there, on where they lead within the body, on what is live, kept and needed at its heads, and on which values its
//! callees are told apart by. All of that is spelled as one word; bodies are alike if their words are equal. Whom they call is no
//! part of it: what comes back from there is something that arrives.

use rustc_hash::FxHashMap;
use spds_format::model::SymbolId;

use super::images::{Callers, System};
use crate::flow::{State, StateId};
use crate::pds::{HeadId, RuleId, RuleKind};

/// What belongs to no body that is like another one.
pub(super) const NONE: u32 = u32::MAX;

/// The bodies of a system, and which of them are alike.
pub(super) struct Bodies {
    /// The class of each state's body; `NONE` if there is no other one in it.
    class: Vec<u32>,
    /// Where each state's heads begin in the order of work.
    base: Vec<u32>,
    /// The heads in the order of work.
    heads: Vec<HeadId>,
}

impl Bodies {
    /// Those of calls that cannot contain another call of the same procedure. `keep` and `comes_round` say what a search does at
    /// heads. Linear in the number of rules.
    pub(super) fn new(system: &System<'_>, keep: &[bool], comes_round: impl Fn(HeadId) -> bool) -> Option<Bodies> {
        let (flow, rank) = (&system.control.flow, &system.control.rank);
        let is_simple = system.control.callers == Callers::Returning && !system.relations.has_invariants();
        let count = rank.iter().filter(|&&rank| rank != NONE).count();
        // A head in several bodies would make one depend on the other.
        if !is_simple || flow.bodies.items().len() != count {
            return None;
        }
        let mut heads = vec![HeadId(NONE); count];
        for (head, &rank) in (0..).zip(rank).filter(|(_, rank)| **rank != NONE) {
            *heads.get_mut(rank as usize)? = HeadId(head);
        }
        let base = flow.bodies.iter().map(|body| body.iter().map(|head| rank[head.0 as usize]).min().unwrap_or(NONE));
        let mut bodies = Bodies { class: Vec::new(), base: base.collect(), heads };
        let mut known: FxHashMap<Box<[u32]>, u32> = FxHashMap::default();
        let (mut members, mut word) = (Vec::new(), Vec::new());
        for state in flow.state_ids() {
            let is_entry = matches!(flow.states[state.0 as usize], State::Entry(_));
            let class = if is_entry && !system.control.modref.is_recursive(state) {
                word.clear();
                bodies.spell(system, state, (keep, &comes_round), &mut word)?;
                let class = known.get(word.as_slice()).copied().unwrap_or_else(|| {
                    members.push(0u32);
                    known.insert(word.as_slice().into(), members.len() as u32 - 1);
                    members.len() as u32 - 1
                });
                members[class as usize] += 1;
                class
            } else {
                NONE
            };
            bodies.class.push(class);
        }
        for class in bodies.class.iter_mut().filter(|class| **class != NONE) {
            if members[*class as usize] < 2 {
                *class = NONE;
            }
        }
        bodies.class.iter().any(|class| *class != NONE).then_some(bodies)
    }

    /// The class of a state's body; `NONE` if no other one is like it.
    pub(super) fn class(&self, state: StateId) -> u32 {
        self.class[state.0 as usize]
    }

    /// From now on this one is treated by itself.
    pub(super) fn take_out(&mut self, state: StateId) {
        self.class[state.0 as usize] = NONE;
    }

    /// How many classes there are numbers for.
    pub(super) fn class_count(&self) -> usize {
        self.class.iter().filter(|class| **class != NONE).max().map_or(0, |class| *class as usize + 1)
    }

    /// Where a state's heads begin in the order of work.
    pub(super) fn base(&self, state: StateId) -> u32 {
        self.base[state.0 as usize]
    }

    /// The head at a place of a state's body.
    pub(super) fn head(&self, state: StateId, place: u32) -> HeadId {
        self.heads[(self.base(state) + place) as usize]
    }

    /// The place of a head in its body.
    pub(super) fn place(&self, system: &System<'_>, state: StateId, head: HeadId) -> u32 {
        system.control.rank[head.0 as usize].wrapping_sub(self.base(state))
    }

    /// Spells a body; `None` if its heads do not lie side by side.
    fn spell(
        &self,
        system: &System<'_>,
        state: StateId,
        (keep, comes_round): (&[bool], &impl Fn(HeadId) -> bool),
        word: &mut Vec<u32>,
    ) -> Option<()> {
        let (pds, body) = (&system.control.pds, &system.control.flow.bodies[state.0 as usize]);
        let places = body.len() as u32;
        word.extend([places, system.tag(state).number()]);
        for place in 0..places {
            let head = *self.heads.get((self.base(state) + place) as usize)?;
            if system.control.flow.owner(head) != Some(state) {
                return None;
            }
            let flags = [keep[head.0 as usize], comes_round(head), system.needs(head)];
            let flags = flags.into_iter().fold(0, |flags, flag| flags << 1 | u32::from(flag));
            let rules = pds.rules_of(head);
            word.extend([flags, system.live(head).number(), rules.clone().count() as u32]);
            rules.for_each(|rule| self.spell_rule(system, state, rule, word));
        }
        Some(())
    }

    fn spell_rule(&self, system: &System<'_>, state: StateId, rule: RuleId, word: &mut Vec<u32>) {
        let pds = &system.control.pds;
        if system.relations.rule(rule).is_none() {
            return word.push(NONE);
        }
        word.push(pds.rules.action_of(rule) as u32);
        match pds.rule_at(rule).kind {
            RuleKind::Step(to) => word.extend([0, self.place(system, state, to)]),
            RuleKind::Pop(control) => word.extend([1, control.0, system.live_out(state, control).number()]),
            RuleKind::Call(entry, site) => {
                word.push(2);
                self.spell_call(system, state, (entry, site), word);
            }
        }
    }

    /// What of a callee shows in the caller: by which values its calls are told apart, and where they come back.
    fn spell_call(
        &self,
        system: &System<'_>,
        state: StateId,
        (entry, site): (HeadId, SymbolId),
        word: &mut Vec<u32>,
    ) {
        let Some(callee) = system.control.flow.state_of_entry(entry) else { return word.push(NONE) };
        let touched = system.control.modref.touched(callee).number();
        word.extend([touched, system.tag(callee).number(), u32::from(system.needs(entry))]);
        let backs = system.return_heads(entry, site);
        let begin = word.len();
        word.push(0);
        for (control, head) in backs {
            word.extend([control.0, self.place(system, state, head), u32::from(system.needs(head))]);
            word[begin] += 1;
        }
    }
}
