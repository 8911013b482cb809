//! Whether a cycle that closes on some variables only goes round for ever: nothing that decides how it goes on may depend
//! on the others.
//!
//! A fixpoint over the rules between the heads that the cycle comes through, backwards, by their form alone: what must be the
//! same before a step for what matters after it to be the same, and for the step to be possible. If all that must be the same
//! where the cycle begins is what it closes on, the same rules can be taken in each turn. Returns are matched with the calls that
//! they can end, as control tells. Like everything here it owes nothing to the search, and so nothing to the analysis by which
//! that chose the variables.

use std::collections::{BTreeMap, BTreeSet};

use spds_format::Spds;
use spds_format::expr::{Expr, Time};
use spds_format::model::{Head, Rule, Stack, Update, Var};
use spds_format::total;

use super::matched::Matched;
use super::system::System;
use crate::ltl::atoms::{Meaning, Truth};

/// Variables in scope at a head.
pub(super) type Needs = BTreeSet<Var>;

/// What must be the same in each turn of a cycle, at each of the heads that it comes through, for it to go on in the same way:
/// `closes_on` are the variables on which it closes, by the heads where it begins; `meanings` are the propositions whose values
/// must be the same. What calls of the same entry need is not told apart.
pub(super) fn needs(
    system: &System<'_>,
    heads: &BTreeSet<Head>,
    closes_on: &BTreeMap<Head, Needs>,
    meanings: &[Meaning],
) -> BTreeMap<Head, Needs> {
    let rules: Vec<&Rule> = heads.iter().flat_map(|head| system.rules(*head)).collect();
    let mut at = closes_on.clone();
    for &head in heads {
        at.entry(head).or_default().extend(reads(system, head, meanings));
    }
    let mut fixpoint = Fixpoint { at, matched: Matched::new(&rules, heads) };
    loop {
        let mut grown = false;
        for rule in &rules {
            grown |= fixpoint.extend(system.spds, rule);
        }
        if !grown {
            return fixpoint.at;
        }
    }
}

/// What is read wherever a head is on top: its invariant, and what propositions say of it.
fn reads(system: &System<'_>, head: Head, meanings: &[Meaning]) -> Needs {
    let symbol = head.symbol;
    let mut needs: Needs = system.spds.symbol(symbol).invariant.iter().flat_map(read).collect();
    if !system.is_hidden(head) {
        for meaning in meanings {
            if let Truth::Condition(condition) = meaning.at(system.spds, symbol) {
                needs.extend(read(condition));
            }
        }
    }
    needs
}

struct Fixpoint {
    at: BTreeMap<Head, Needs>,
    /// Which returns end which calls.
    matched: Matched,
}

impl Fixpoint {
    /// Adds what a rule needs, if it leads to one of the heads; whether that is news.
    fn extend(&mut self, spds: &Spds, rule: &Rule) -> bool {
        let none = Needs::new();
        let to = |symbol| self.at.get(&Head { control: rule.to, symbol });
        let needs = match rule.stack {
            Stack::Swap(next) => to(next).map(|after| before(spds, rule, after, &none)),
            Stack::Push(entry, site) => to(entry).map(|top| {
                let entry = Head { control: rule.to, symbol: entry };
                let backs = self.matched.returns(entry).map(|control| Head { control, symbol: site });
                let backs = backs.filter_map(|back| self.at.get(&back)).flatten();
                before(spds, rule, top, &backs.copied().filter(|var| matches!(var, Var::Local(_))).collect())
            }),
            Stack::Pop => {
                let backs = self.matched.sites(rule.from).filter_map(to).flatten();
                let globals: Needs = backs.copied().filter(|var| matches!(var, Var::Global(_))).collect();
                Some(before(spds, rule, &globals, &none))
            }
        };
        let known = self.at.entry(rule.from).or_default();
        let size = known.len();
        known.extend(needs.into_iter().flatten());
        known.len() > size
    }
}

/// The heads on ways without calls from a head back to itself.
pub(super) fn on_the_loop(system: &System<'_>, first: Head) -> BTreeSet<Head> {
    let mut steps: Vec<(Head, Head)> = Vec::new();
    let mut seen = BTreeSet::from([first]);
    let mut open = vec![first];
    while let Some(from) = open.pop() {
        for rule in system.rules(from) {
            let Stack::Swap(symbol) = rule.stack else { continue };
            let to = Head { control: rule.to, symbol };
            steps.push((from, to));
            if seen.insert(to) {
                open.push(to);
            }
        }
    }
    let mut back = BTreeSet::from([first]);
    while steps.iter().any(|(from, to)| back.contains(to) && back.insert(*from)) {}
    back
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
