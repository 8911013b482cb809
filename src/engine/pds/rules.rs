//! The rules of a system, and what they do apart from where they lead.

use super::{HeadId, Rule, RuleId, RuleKind, SetId, Source};
use crate::product::Class;

/// The rules of a system. What many rules have in common is stored once: a rule costs 24 bytes.
#[derive(Default)]
pub struct Rules {
    pub(super) rows: Vec<Row>,
    pub(super) actions: Vec<Action>,
    pub(super) ties: Ties,
}

impl Rules {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.rows.len()
    }

    /// All of them, in order.
    pub fn ids(&self) -> impl Iterator<Item = RuleId> + use<> {
        (0..self.rows.len() as u32).map(RuleId)
    }

    /// The rule.
    #[inline]
    pub fn get(&self, rule: RuleId) -> Rule {
        let Row { from, kind, source, action } = self.rows[rule.0 as usize];
        let Action { reads, writes, formals, saved, silent, .. } = self.actions[action as usize];
        Rule { from, kind, reads, writes, formals, saved, silent, source: source.unpacked() }
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Rule> + '_ {
        (0..self.rows.len()).map(|i| self.get(RuleId(i as u32)))
    }

    /// Where each rule leads from, and what it does to the stack, in order.
    pub fn kinds(&self) -> impl ExactSizeIterator<Item = (HeadId, RuleKind)> + '_ {
        self.rows.iter().map(|row| (row.from, row.kind))
    }

    /// The sets of bits that meet in an action: each target with what its new value depends on, and the parts of conditions that
    /// relate several variables.
    pub fn ties_of(&self, action: usize) -> &[SetId] {
        self.ties.of(action)
    }

    /// How many rules do what each action does.
    pub fn uses(&self) -> Vec<u32> {
        let mut uses = vec![0; self.actions.len()];
        self.rows.iter().for_each(|row| uses[row.action as usize] += 1);
        uses
    }

    /// How many different things rules do.
    pub fn action_count(&self) -> usize {
        self.actions.len()
    }

    /// The number of what a rule does. Rules of one action do the same to the bits of state: they have one relation.
    #[inline]
    pub fn action_of(&self, rule: RuleId) -> usize {
        self.rows[rule.0 as usize].action as usize
    }
}

/// For each action the sets of bits that meet in it, side by side.
#[derive(Default)]
pub(super) struct Ties {
    sets: Vec<SetId>,
    ends: Vec<u32>,
}

impl Ties {
    /// Adds to the action that is not yet at its end.
    pub(super) fn extend(&mut self, sets: impl IntoIterator<Item = SetId>) {
        self.sets.extend(sets);
    }

    /// What follows is of the next action.
    pub(super) fn end(&mut self) {
        self.ends.push(self.sets.len() as u32);
    }

    fn of(&self, action: usize) -> &[SetId] {
        let start = if action == 0 { 0 } else { self.ends[action - 1] };
        &self.sets[start as usize..self.ends[action] as usize]
    }
}

#[derive(Clone, Copy)]
pub(super) struct Row {
    pub(super) from: HeadId,
    pub(super) kind: RuleKind,
    pub(super) source: Packed,
    pub(super) action: u32,
}

/// What a rule is made from, in four bytes.
#[derive(Clone, Copy)]
pub(super) struct Packed(u32);

impl Packed {
    /// Nothing.
    pub(super) const STUCK: Packed = Packed(u32::MAX);

    /// A rule of the system.
    pub(super) fn rule(number: usize) -> Packed {
        Packed(u32::try_from(number).ok().filter(|&number| number != u32::MAX).expect("fewer than 2^32 rules"))
    }

    pub(super) fn unpacked(self) -> Source {
        if self.0 == u32::MAX { Source::Stuck } else { Source::Rule(self.0) }
    }
}

/// What a rule does, apart from where it leads.
#[derive(Clone, Copy, Default)]
pub(super) struct Action {
    pub(super) reads: SetId,
    pub(super) writes: SetId,
    pub(super) formals: SetId,
    pub(super) saved: SetId,
    pub(super) silent: bool,
    /// Which letters the automaton reads, if there is one and it does.
    pub(super) letters: Option<Class>,
}
