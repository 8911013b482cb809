//! Bodies of procedures that are equal up to names: in calls of them a search does the same.
//!
//! What a search does inside a call, from what arrives at heads of its body to what it calls and returns, depends on the relations
//! of the rules there, on where they lead within the body, on what is live, kept, needed and enforced at its heads, and on which
//! values its callees are told apart by. All of that is spelled as one word; bodies are alike if their words are equal. Whom they
//! call is no part of it: what comes back from there is something that arrives. Heads that several bodies have, as `@fail`, are part
//! of none.

use rustc_hash::FxHashMap;
use spds_format::model::SymbolId;

use super::images::{Callers, System};
use crate::bdd::Relation;
use crate::flow::{Flow, State, StateId};
use crate::packed::Rows;
use crate::pds::{HeadId, RuleId, RuleKind};

/// What belongs to no body that is like another one.
pub(super) const NONE: u32 = u32::MAX;

/// Where there are so many rules for each action most bodies are alike anyway.
const RULES_OF_ACTION: usize = 8;

/// The bodies of a system, and which of them are alike.
pub(super) struct Bodies {
    /// The class of each state's body; `NONE` if there is no other one in it.
    class: Vec<u32>,
    /// The heads that no other state has, by state, in the order of work.
    heads: Rows<HeadId>,
    /// The place of each head among them; `NONE` if several states have it.
    place: Vec<u32>,
}

/// Words, and what has been numbered for them.
struct Spelling<'w> {
    keep: &'w [bool],
    comes_round: &'w [bool],
    word: Vec<u32>,
    /// What is enforced at heads.
    invariants: FxHashMap<Relation, u32>,
}

impl Bodies {
    /// Those of calls that cannot contain another call of the same procedure. `keep` and `comes_round` say what a search does at
    /// heads. Linear in the number of rules.
    pub(super) fn new(system: &System<'_>, keep: &[bool], comes_round: &[bool]) -> Option<Bodies> {
        let flow = &system.control.flow;
        if system.control.callers != Callers::Returning {
            return None;
        }
        let (heads, place) = own_heads(flow, &system.control.rank);
        let mut bodies = Bodies { class: Vec::with_capacity(flow.state_count()), heads, place };
        let similar = bodies.similar(system);
        let mut spelling = Spelling { keep, comes_round, word: Vec::new(), invariants: FxHashMap::default() };
        let mut known: FxHashMap<Box<[u32]>, u32> = FxHashMap::default();
        let mut members = Vec::new();
        // Neighbours are often alike.
        let (mut last, mut last_class) = (Vec::new(), NONE);
        for state in flow.state_ids() {
            let is_entry = matches!(flow.states[state.0 as usize], State::Entry(_));
            let is_similar = similar.get(state.0 as usize).is_none_or(|similar| *similar);
            let class = if is_entry && is_similar && !system.control.modref.is_recursive(state) {
                bodies.spell(system, state, &mut spelling);
                if spelling.word != last {
                    last_class = known.get(spelling.word.as_slice()).copied().unwrap_or_else(|| {
                        members.push(0u32);
                        known.insert(spelling.word.as_slice().into(), members.len() as u32 - 1);
                        members.len() as u32 - 1
                    });
                    std::mem::swap(&mut last, &mut spelling.word);
                }
                members[last_class as usize] += 1;
                last_class
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

    /// By state, whether rules do the same in its body as in another one, as far as a number tells; nothing where that is not worth
    /// while.
    fn similar(&self, system: &System<'_>) -> Vec<bool> {
        let pds = &system.control.pds;
        if pds.rules.count() > RULES_OF_ACTION * pds.rules.action_count() {
            return Vec::new();
        }
        let number = |heads: &[HeadId]| {
            let rules = heads.iter().flat_map(|head| pds.rules_of(*head));
            rules.fold(heads.len() as u64, |number, rule| {
                let action = system.relations.rule(rule).map_or(NONE, |_| pds.rules.action_of(rule) as u32);
                (number.rotate_left(5) ^ u64::from(action)).wrapping_mul(0x517c_c1b7_2722_0a95)
            })
        };
        let numbers: Vec<u64> = self.heads.iter().map(number).collect();
        let mut several: FxHashMap<u64, bool> = FxHashMap::default();
        for number in &numbers {
            several.entry(*number).and_modify(|several| *several = true).or_insert(false);
        }
        numbers.iter().map(|number| several[number]).collect()
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

    /// The heads that no other state has, in the order of work.
    pub(super) fn heads(&self, state: StateId) -> &[HeadId] {
        &self.heads[state.0 as usize]
    }

    /// The head at a place of a state's body.
    pub(super) fn head(&self, state: StateId, place: u32) -> HeadId {
        self.heads[state.0 as usize][place as usize]
    }

    /// The place of a head in the body that it is part of, if it is part of one.
    pub(super) fn place(&self, head: HeadId) -> Option<u32> {
        self.place.get(head.0 as usize).copied().filter(|place| *place != NONE)
    }

    /// Spells a body.
    fn spell(&self, system: &System<'_>, state: StateId, spelling: &mut Spelling<'_>) {
        let (pds, heads) = (&system.control.pds, &self.heads[state.0 as usize]);
        spelling.word.clear();
        spelling.word.extend([heads.len() as u32, system.tag(state).number()]);
        for &head in heads {
            let flags = [spelling.keep[head.0 as usize], spelling.comes_round[head.0 as usize], system.needs(head)];
            let flags = flags.into_iter().fold(0, |flags, flag| flags << 1 | u32::from(flag));
            let enforced = system.relations.invariant(pds, head).map_or(NONE, |invariant| {
                let next = spelling.invariants.len() as u32;
                *spelling.invariants.entry(invariant.clone()).or_insert(next)
            });
            let rules = pds.rules_of(head);
            spelling.word.extend([flags, enforced, system.live(head).number(), rules.clone().count() as u32]);
            rules.for_each(|rule| self.spell_rule(system, state, rule, &mut spelling.word));
        }
    }

    /// A head as others of the same body see it.
    fn spell_head(&self, head: HeadId, word: &mut Vec<u32>) {
        match self.place(head) {
            Some(place) => word.extend([0, place]),
            None => word.extend([1, head.0]),
        }
    }

    fn spell_rule(&self, system: &System<'_>, state: StateId, rule: RuleId, word: &mut Vec<u32>) {
        let pds = &system.control.pds;
        if system.relations.rule(rule).is_none() {
            return word.push(NONE);
        }
        word.push(pds.rules.action_of(rule) as u32);
        match pds.kind_of(rule) {
            RuleKind::Step(to) => {
                word.push(0);
                self.spell_head(to, word);
            }
            RuleKind::Pop(control) => word.extend([1, control.0, system.live_out(state, control).number()]),
            RuleKind::Call(entry, site) => {
                word.push(2);
                self.spell_call(system, entry, site, word);
            }
        }
    }

    /// What of a callee shows in the caller: by which values its calls are told apart, and where they come back.
    fn spell_call(&self, system: &System<'_>, entry: HeadId, site: SymbolId, word: &mut Vec<u32>) {
        let Some(callee) = system.control.flow.state_of_entry(entry) else { return word.push(NONE) };
        let touched = system.control.modref.touched(callee).number();
        word.extend([touched, system.tag(callee).number(), u32::from(system.needs(entry)), 0]);
        let count = word.len() - 1;
        for (control, head) in system.return_heads(entry, site) {
            word.extend([control.0, u32::from(system.needs(head))]);
            self.spell_head(head, word);
            word[count] += 1;
        }
    }
}

/// For each state the heads that no other one has, in the order of work, and the place of each head among them.
fn own_heads(flow: &Flow, rank: &[u32]) -> (Rows<HeadId>, Vec<u32>) {
    let mut owner = vec![NONE; rank.len()];
    let mut in_order = vec![HeadId(NONE); flow.bodies.items().len()];
    for state in flow.state_ids() {
        for &head in &flow.bodies[state.0 as usize] {
            let i = head.0 as usize;
            in_order[rank[i] as usize] = head;
            owner[i] = if flow.owner(head) == Some(state) { state.0 } else { NONE };
        }
    }
    let own = in_order.into_iter().filter(|head| *head != HeadId(NONE));
    let own: Vec<HeadId> = own.filter(|head| owner[head.0 as usize] != NONE).collect();
    let heads =
        Rows::collect(flow.state_count(), |pair| own.iter().for_each(|head| pair(owner[head.0 as usize], *head)));
    let mut place = vec![NONE; rank.len()];
    for own in heads.iter() {
        (0..).zip(own).for_each(|(number, head)| place[head.0 as usize] = number);
    }
    (heads, place)
}
