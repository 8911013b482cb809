//! Reaching a regular set of configurations as reaching a symbol: every frame remembers what lies below it, as far as the
//! set asks for that.
//!
//! The set is a P-automaton, which reads stacks from the top. Read backwards, from the bottom up, it can run along with
//! calls: when a frame is made, everything below it is fixed until it returns. So each frame gets hidden variables that say
//! from which states of the automaton the stack below is accepted, with which carried values; a call computes those of the
//! callee from the caller's, the return site and the locals saved there. No step is added or lost: a configuration of the
//! system is in the set iff an edge of the automaton reads its topmost symbol into a state from which, says the frame, the
//! rest is accepted; then one further step leads to a goal. This is the reduction for regular valuations of J. Esparza,
//! A. Kučera and S. Schwoon, *Model checking LTL with regular valuations for pushdown systems* (Information and Computation
//! 186, 2003), with values.

mod expressions;

mod memory;

mod start;

use std::collections::BTreeMap;
use std::rc::Rc;

use spds_format::automaton::{Automaton, Edge, End};
use spds_format::expr::{Expr, Time};
use spds_format::model::{ControlId, Frame, Head, Rule, Spds, Stack, Symbol, SymbolId, Update};

use crate::run::{Config, Run, Step};
use expressions::{both, fresh, mapped};
use memory::Memory;

/// A system that comes to a goal exactly where another one comes to a set of configurations.
pub struct Watched {
    /// The system.
    pub spds: Spds,
    /// Its goal: a symbol of no frame without rules, one step after the configurations of the set.
    pub goal: SymbolId,
    /// For each of its symbols but the goal that of the original system, and the number of values that one's locals have.
    origins: Vec<(SymbolId, usize)>,
    /// The original number of frames.
    frames: usize,
    /// By how much depths are greater, because it has no `end`.
    deeper: u32,
}

/// The system that watches for a set of configurations of a valid one. The set must be valid as an input
/// ([`Automaton::check`]); configurations whose stack is empty, and those that no run shows because only silent rules leave
/// them, do not count.
///
/// Linear in the system and, for each symbol, in the edges that read it; each state of the automaton adds a bit, and what it
/// carries, to every frame.
pub fn watch(spds: &Spds, set: &Automaton) -> Watched {
    let mut memory = Memory::new(spds, set);
    let mut watched = spds.clone();
    let none = memory.none();
    for symbol in &mut watched.symbols {
        symbol.frame.get_or_insert(none);
    }
    // They would be special, and their loops all that may leave them.
    (watched.end, watched.fail) = (None, None);
    watched.atoms.clear();
    let cells = |symbol: SymbolId| spds.locals(symbol).iter().map(|local| local.ty.cells() as usize).sum();
    let all = (0..spds.symbols.len() as u32).map(SymbolId);
    let mut origins: Vec<(SymbolId, usize)> = all.map(|symbol| (symbol, cells(symbol))).collect();

    // What lies below the start is known; symbols of it that come to the top know it, too.
    let mut first: Vec<Rule> = Vec::new();
    for level in 1..spds.start.stack.len() {
        let original = spds.start.stack[level];
        let symbol = SymbolId(watched.symbols.len() as u32);
        let known = memory.below_start(level);
        let Symbol { invariant, .. } = watched.symbols[original.0 as usize].clone();
        let invariant = both(invariant, known);
        let name = fresh("start", |name| watched.symbols.iter().any(|symbol| *symbol.name == *name));
        watched.symbols.push(Symbol {
            name,
            place: None,
            labels: Box::default(),
            invariant,
            frame: watched.symbols[original.0 as usize].frame,
        });
        origins.push((original, cells(original)));
        let leaving = spds.rules.iter().filter(|rule| rule.from.symbol == original);
        first.extend(leaving.map(|rule| Rule { from: Head { symbol, ..rule.from }, ..rule.clone() }));
        watched.start.stack[level] = symbol;
    }
    let known = memory.below_start(0);
    watched.start.condition = both(watched.start.condition.take(), known);
    // The start may have added variables.
    watched.frames = memory.frames();

    watched.rules.append(&mut first);
    let original = |symbol: SymbolId| origins[symbol.0 as usize].0;
    for rule in &mut watched.rules {
        remember(&memory, rule, original(rule.from.symbol));
    }
    let goal = SymbolId(watched.symbols.len() as u32);
    let name = fresh("goal", |name| watched.symbols.iter().any(|symbol| *symbol.name == *name));
    watched.symbols.push(Symbol { name, frame: None, place: None, labels: Box::default(), invariant: None });
    let hits = hits(spds, set, &memory, &origins, goal);
    watched.rules.extend(hits);
    let bottom = spds.start.stack.last().copied();
    let deeper = u32::from(spds.start.stack.len() > 1 && bottom == spds.end && bottom.is_some());
    Watched { spds: watched, goal, origins, frames: spds.frames.len(), deeper }
}

/// Lets a rule carry on what its frames remember. Its symbols on the right are those of the original system.
fn remember(memory: &Memory<'_>, rule: &mut Rule, from: SymbolId) {
    let mut updates: Vec<Update> = rule.updates.to_vec();
    match rule.stack {
        Stack::Pop => return,
        Stack::Swap(to) => {
            if memory.frame_of(to) == memory.frame_of(from) {
                return;
            }
            memory.copy(from, to, Time::After, &mut updates);
        }
        Stack::Push(callee, site) => {
            let calls = memory.call(rule, from, callee, site);
            if memory.frame_of(site) != memory.frame_of(from) {
                memory.copy(from, site, Time::Saved, &mut updates);
            }
            updates.extend(calls.updates);
            rule.with = calls.with.into_iter().fold(rule.with.take(), |all, one| both(all, Some(one)));
        }
    }
    rule.updates = updates.into();
}

/// The rules to the goal.
fn hits(spds: &Spds, set: &Automaton, memory: &Memory<'_>, origins: &[(SymbolId, usize)], goal: SymbolId) -> Vec<Rule> {
    let mut tops: BTreeMap<SymbolId, Vec<(ControlId, &Edge)>> = BTreeMap::new();
    for edge in &set.edges {
        if let (End::Control(control), Some(symbol)) = (edge.from, edge.symbol) {
            tops.entry(symbol).or_default().push((control, edge));
        }
    }
    let rules = spds_format::RulesByHead::new(spds);
    let mut hits = Vec::new();
    for (number, (original, _)) in (0..).zip(origins) {
        for (control, edge) in tops.get(original).into_iter().flatten() {
            let End::State(to) = edge.to else { continue };
            if rules.is_silent(Head { control: *control, symbol: *original }) {
                continue;
            }
            let frame = memory.frame_of(*original);
            let accepted = Expr::read(memory.bit(frame, to), Time::Before);
            let condition = edge.condition.as_ref().map(|condition| {
                mapped(condition, |var, time| match time {
                    Time::After => (memory.carried(frame, to, var), Time::Before),
                    _ => (var, time),
                })
            });
            hits.push(Rule {
                from: Head { control: *control, symbol: SymbolId(number) },
                to: *control,
                stack: Stack::Swap(goal),
                guard: both(condition, Some(accepted)),
                updates: Vec::new().into(),
                with: None,
                silent: false,
                label: None,
            });
        }
    }
    hits
}

impl Watched {
    /// A run to the goal as the run of the original system to the set.
    pub fn original(&self, run: Run) -> Run {
        let Run { mut stem, cycle, closes_on, mut calls, ending } = run;
        if stem.last().is_some_and(|step| step.config.symbol == self.goal) {
            stem.pop();
        }
        for step in &mut stem {
            self.restore(step);
            step.depth = step.depth.saturating_sub(self.deeper);
        }
        for call in &mut calls {
            call.procedure = call.procedure.filter(|frame| (frame.0 as usize) < self.frames);
            call.steps.iter_mut().for_each(|step| self.restore(step));
        }
        Run { stem, cycle, closes_on, calls, ending }
    }

    fn restore(&self, step: &mut Step) {
        let Config { symbol, locals, .. } = &mut step.config;
        let Some((original, cells)) = self.origins.get(symbol.0 as usize) else { return };
        *symbol = *original;
        *locals = Rc::from(&locals[..*cells]);
    }
}

/// A frame of the original system with further variables.
fn widened(frame: &Frame, more: &[spds_format::model::Variable]) -> Frame {
    Frame { name: frame.name.clone(), variables: frame.variables.iter().chain(more).cloned().collect() }
}
