//! Whether a cycle that closes on some variables only goes round for ever: nothing that decides how it goes on may depend
//! on the others.
//!
//! A fixpoint over the cycle's own rules, backwards, by their form alone: what must be the same before a step for what matters
//! after it to be the same, and for the step to be possible. If all that must be the same where the cycle begins is what it
//! closes on, the same rules can be taken in each turn. Like everything here it owes nothing to the search, and so nothing to
//! the analysis by which that chose the variables.

use std::collections::{BTreeMap, BTreeSet};

use spds_format::Spds;
use spds_format::expr::{Expr, Time};
use spds_format::model::{Head, Rule, Stack, Update, Var};
use spds_format::total;

use super::system::System;
use crate::ltl::atoms::{Meaning, Truth};
use crate::run::{Config, Run, Step};

/// Variables in scope at a configuration.
type Needs = BTreeSet<Var>;

/// How a link of a run was taken.
#[derive(Clone, Copy)]
pub(super) enum Taken<'r> {
    /// By a rule.
    Rule(&'r Rule),
    /// By a folded call, with the rules that make it and return from it.
    Folded { number: usize, call: &'r Rule, back: &'r Rule },
    /// By turns of a loop.
    Leap,
}

/// The links of a run that matter for its cycle.
#[derive(Default)]
pub(super) struct Trails<'r> {
    /// For each folded call the links of its part.
    pub(super) calls: Vec<Vec<Taken<'r>>>,
    /// Those of the cycle, the one that closes it included.
    pub(super) cycle: Vec<Taken<'r>>,
}

/// The variables that must be the same in each turn, beyond those that the cycle closes on; `meanings` are the propositions
/// whose values must be the same.
pub(super) fn missing(
    system: &System<'_>,
    run: &Run,
    trails: &Trails<'_>,
    closes_on: &Needs,
    meanings: &[Meaning],
) -> Needs {
    let none = vec![Needs::new(); run.calls.len()];
    let mut fixpoint = Fixpoint { system, run, trails, meanings, entries: none.clone(), exits: none, grown: true };
    let cycle = run.cycle.as_deref().unwrap_or_default();
    let mut first = Needs::new();
    while std::mem::take(&mut fixpoint.grown) {
        first = fixpoint.list(cycle, &trails.cycle, closes_on.clone());
        for (number, call) in run.calls.iter().enumerate().rev() {
            let Some(last) = call.steps.last() else { continue };
            let mut exit = fixpoint.exits[number].clone();
            exit.extend(fixpoint.reads(&last.config));
            let entry = fixpoint.list(&call.steps, &trails.calls[number], exit);
            fixpoint.grown |= entry.len() > fixpoint.entries[number].len();
            fixpoint.entries[number] = entry;
        }
    }
    first.difference(closes_on).copied().collect()
}

struct Fixpoint<'f, 'r> {
    system: &'f System<'r>,
    run: &'f Run,
    trails: &'f Trails<'r>,
    meanings: &'f [Meaning],
    /// What is needed where each folded call begins, and where it returns.
    entries: Vec<Needs>,
    exits: Vec<Needs>,
    grown: bool,
}

impl Fixpoint<'_, '_> {
    /// What is needed at the first configuration of a list if that is needed after its last link.
    fn list(&mut self, steps: &[Step], trail: &[Taken<'_>], mut needs: Needs) -> Needs {
        let spds = self.system.spds;
        // Locals of frames below, for calls that the list has yet to come to, backwards.
        let mut below: Vec<Needs> = Vec::new();
        let none = Needs::new();
        for (step, taken) in steps.iter().zip(trail).rev() {
            needs = match *taken {
                Taken::Rule(rule) => match rule.stack {
                    Stack::Swap(_) => before(spds, rule, &needs, &none),
                    Stack::Pop => {
                        let (globals, locals) = split(needs);
                        below.push(locals);
                        before(spds, rule, &globals, &none)
                    }
                    Stack::Push(..) => before(spds, rule, &needs, &below.pop().unwrap_or_default()),
                },
                Taken::Folded { number, call, back } => {
                    let (globals, locals) = split(needs);
                    let exit = before(spds, back, &globals, &none);
                    let known = self.exits[number].len();
                    self.exits[number].extend(exit);
                    self.grown |= self.exits[number].len() > known;
                    before(spds, call, &self.entries[number], &locals)
                }
                Taken::Leap => self.turns(&step.config, needs),
            };
            needs.extend(self.reads(&step.config));
        }
        debug_assert!(self.trails.calls.len() == self.run.calls.len());
        needs
    }

    /// What is read wherever a configuration is on top: its invariant, and what propositions say of it.
    fn reads(&self, config: &Config) -> Needs {
        let spds = self.system.spds;
        let mut needs: Needs = spds.symbol(config.symbol).invariant.iter().flat_map(read).collect();
        if !self.system.is_hidden(Head { control: config.control, symbol: config.symbol }) {
            for meaning in self.meanings {
                if let Truth::Condition(condition) = meaning.at(spds, config.symbol) {
                    needs.extend(read(condition));
                }
            }
        }
        needs
    }

    /// What is needed before any number of turns of a loop within the frame, whatever way they take.
    fn turns(&self, config: &Config, needs: Needs) -> Needs {
        let spds = self.system.spds;
        let first = Head { control: config.control, symbol: config.symbol };
        let rules = self.on_the_loop(first);
        let mut at: BTreeMap<Head, Needs> = BTreeMap::from([(first, needs)]);
        loop {
            let mut grown = false;
            for (from, rule, to) in &rules {
                let after = at.get(to).cloned().unwrap_or_default();
                let mut all = before(spds, rule, &after, &Needs::new());
                all.extend(spds.symbol(from.symbol).invariant.iter().flat_map(read));
                let known = at.entry(*from).or_default();
                let size = known.len();
                known.extend(all);
                grown |= known.len() > size;
            }
            if !grown {
                return at.remove(&first).unwrap_or_default();
            }
        }
    }

    /// The rules on ways from a head back to itself within the frame.
    fn on_the_loop(&self, first: Head) -> Vec<(Head, &Rule, Head)> {
        let spds = self.system.spds;
        let frame = |head: Head| spds.symbol(head.symbol).frame;
        let mut rules: Vec<(Head, &Rule, Head)> = Vec::new();
        let mut seen = BTreeSet::from([first]);
        let mut open = vec![first];
        while let Some(from) = open.pop() {
            for rule in self.system.rules(from) {
                let Stack::Swap(symbol) = rule.stack else { continue };
                let to = Head { control: rule.to, symbol };
                if frame(to) == frame(from) {
                    rules.push((from, rule, to));
                    if seen.insert(to) {
                        open.push(to);
                    }
                }
            }
        }
        let mut back = BTreeSet::from([first]);
        while rules.iter().any(|(from, _, to)| back.contains(to) && back.insert(*from)) {}
        rules.retain(|(from, _, to)| back.contains(from) && back.contains(to));
        rules
    }
}

fn split(needs: Needs) -> (Needs, Needs) {
    needs.into_iter().partition(|var| matches!(var, Var::Global(_)))
}

fn read(expr: &Expr) -> impl Iterator<Item = Var> + '_ {
    expr.reads().filter(|(_, time)| *time == Time::Before).map(|(var, _)| var)
}

/// What must be the same before a rule for it to be possible, and for these to be the same after it: on top, and of the
/// locals below.
fn before(spds: &Spds, rule: &Rule, top: &Needs, below: &Needs) -> Needs {
    let frame = |symbol| spds.symbol(symbol).frame;
    let here = frame(rule.from.symbol);
    let wanted = |(var, time): (Var, Time)| if time == Time::Saved { below.contains(&var) } else { top.contains(&var) };
    let with: Vec<(Var, Time)> = rule.with.iter().flat_map(|with| with.reads()).collect();
    let of = |update: &Update| read(&update.value).chain(update.index.iter().flat_map(read)).collect::<Vec<_>>();
    let mut needs: Needs = rule.guard.iter().flat_map(read).collect();
    if let Some(relation) = &rule.with {
        let asked = with.iter().any(|at| at.1 != Time::Before && wanted(*at));
        if asked || !total::relation_is_total(spds, rule) {
            needs.extend(read(relation));
            let coupled = rule.updates.iter().filter(|update| with.contains(&(update.var, update.time)));
            needs.extend(coupled.flat_map(of));
        }
    }
    for (number, update) in rule.updates.iter().enumerate() {
        let others = rule.updates.iter().enumerate().filter(|(other, _)| *other != number);
        let meets = others.into_iter().any(|(_, other)| total::updates_may_meet(update, other));
        if meets || wanted((update.var, update.time)) {
            needs.extend(of(update));
        }
        if !total::value_is_total(spds, rule, update) {
            needs.extend(read(&update.value));
        }
        if !total::index_is_total(spds, rule, update) {
            needs.extend(update.index.iter().flat_map(read));
        }
    }
    let (on_top, saved) = match rule.stack {
        Stack::Pop => (false, false),
        Stack::Swap(next) => (frame(next) == here, false),
        Stack::Push(_, site) => (false, frame(site) == here),
    };
    let stays = |at: (Var, Time)| {
        let whole = |update: &Update| (update.var, update.time) == at && update.index.is_none();
        let related = with.contains(&at);
        !related && !rule.updates.iter().any(whole)
    };
    let kept_on_top = |var: &&Var| (on_top || matches!(var, Var::Global(_))) && stays((**var, Time::After));
    needs.extend(top.iter().filter(kept_on_top));
    needs.extend(below.iter().filter(|var| saved && stays((**var, Time::Saved))));
    needs
}
