//! Forwards along a way, on full states.
//!
//! Ways carry values of live bits only. Here the rules are executed again from the start: live values as picked, dead and
//! passed-by ones as execution gives them, the least value where the choice is free. It cannot get stuck: what can block is
//! read, hence live (relations.md, Witness (e)). Calls with equal ways and equal full entry states share their part.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use spds_format::model::{self, FrameId, SymbolId};

use super::NoRun;
use super::rings::Node;
use super::unwind::{Move, Point, Way, Ways};
use super::valuation::{Picked, Valuation, least, with_values};
use crate::bdd::{At, Bit, Relation};
use crate::limits::Stop;
use crate::pds::layout::{Field, number};
use crate::pds::{Kind, RuleId, SetId};
use crate::run::{Call, Config, Ending, Run, Step, Then, Values};
use crate::saturation::System;

/// A run with more items than this many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overflow(pub u64);

/// The run that goes along those ways. `start` holds the start values by node (over Now), dead variables included.
///
/// # Errors
/// If it has more than `limit` items, or a limit of the computation is met.
pub fn run(
    system: &System<'_>,
    ways: &Ways,
    start: &[(Node, Relation)],
    ending: Ending,
    limit: u64,
) -> Result<Run, NoRun> {
    let mut completer = Completer { system, ways, calls: Vec::new(), known: FxHashMap::default(), items: 0, limit };
    let stem = completer.run(start)?;
    Ok(Run { stem, cycle: None, calls: completer.calls, ending })
}

/// A value for every bit of state; slots outside the frame are false.
type Full = Vec<bool>;

struct Completer<'c, 'a> {
    system: &'c System<'a>,
    ways: &'c Ways,
    calls: Vec<Call>,
    /// By way and full entry state: the number of the part, and the globals it returns.
    known: FxHashMap<(usize, Full), (usize, Full)>,
    items: u64,
    limit: u64,
}

/// A way being walked.
struct Walk<'c> {
    way: &'c Way,
    /// The number of the way and the state at its entry, for a call.
    call: Option<(usize, Full)>,
    at: usize,
    state: Full,
    depth: u32,
    steps: Vec<Step>,
    last: Option<(SymbolId, Values, Values)>,
}

impl<'c> Completer<'c, '_> {
    /// Walks the run, and every call on it once for each entry state, with a stack of its own.
    fn run(&mut self, start: &[(Node, Relation)]) -> Result<Vec<Step>, NoRun> {
        let first = &self.ways.run.points[0];
        let state = self.started(first, start)?;
        let mut stack = vec![self.walk(&self.ways.run, None, state)];
        // What the call that was just finished left: its number and the globals.
        let mut returned: Option<(usize, Full)> = None;
        loop {
            let walk = stack.last_mut().expect("the run itself is at the bottom");
            let point = &walk.way.points[walk.at];
            let Some(&step) = walk.way.moves.get(walk.at) else {
                self.note(walk, point, Then::Step)?;
                let walk = stack.pop().expect("it was there");
                let Some((way, entry)) = walk.call else { return Ok(walk.steps) };
                let exit = self.exit(&walk.state, walk.way)?;
                let procedure = self.frame(&walk.way.points[0]);
                self.calls.push(Call { procedure, steps: walk.steps });
                let result = (self.calls.len() - 1, exit);
                self.known.insert((way, entry), result.clone());
                returned = Some(result);
                continue;
            };
            let next = &walk.way.points[walk.at + 1];
            match step {
                Move::Step(rule) => {
                    self.note(walk, point, Then::Step)?;
                    walk.state = self.stepped(rule, &walk.state, next)?;
                }
                Move::Enter(rule) => {
                    self.note(walk, point, Then::Step)?;
                    walk.state = self.entered(rule, &walk.state, next, None)?.0;
                    walk.depth += 1;
                }
                Move::Return(rule) => {
                    self.note(walk, point, Then::Step)?;
                    let globals = self.popped(rule, &walk.state, &next.values)?;
                    walk.state = self.widened(next, &globals);
                    walk.depth = walk.depth.saturating_sub(1);
                }
                Move::Through(rule, way) => {
                    let inner = &self.ways.calls[way];
                    let (entry, saved) = self.entered(rule, &walk.state, &inner.points[0], Some(next))?;
                    let known = returned.take().or_else(|| self.known.get(&(way, entry.clone())).cloned());
                    let Some((call, globals)) = known else {
                        let callee = self.walk(inner, Some((way, entry.clone())), entry);
                        stack.push(callee);
                        continue;
                    };
                    self.note(walk, point, Then::Call(call))?;
                    for bit in self.system.control.pds.layout.global_bits() {
                        walk.state[bit.0 as usize] = globals[bit.0 as usize];
                    }
                    for (bit, value) in saved.columns(self.system.bits(self.system.slots()), At::Now) {
                        walk.state[bit.0.0 as usize] = value;
                    }
                    self.clear_outside(&mut walk.state, next);
                }
            }
            walk.at += 1;
        }
    }

    /// The least start state with the values of a point: what is dead may yet be constrained at the start.
    fn started(&self, first: &Point, start: &[(Node, Relation)]) -> Result<Full, Stop> {
        let layout = &self.system.control.pds.layout;
        let all: Vec<Bit> = layout.global_bits().chain(layout.slots()).collect();
        let values = first.values.columns(all.iter().copied(), At::Now);
        let mut state = self.widened(first, &[]);
        for (_, set) in start.iter().filter(|(node, _)| *node == first.node) {
            let set = with_values(self.system.space, set, &values)?;
            if let Some(picked) = least(self.system.space, &set, columns(all.clone(), At::Now)) {
                picked.at(At::Now).for_each(|(bit, value)| state[bit.0 as usize] = value);
                break;
            }
        }
        self.clear_outside(&mut state, first);
        Ok(state)
    }

    fn walk(&self, way: &'c Way, call: Option<(usize, Full)>, state: Full) -> Walk<'c> {
        let stack = &self.system.spds.start.stack;
        let deepest = (stack.len() as u32).saturating_sub(1);
        // The bottom symbol @end lies below main, yet main's configurations have no frame below them.
        let ends = stack.last().copied() == self.system.spds.end;
        let depth = if call.is_some() { 0 } else { deepest.saturating_sub(u32::from(ends)) };
        Walk { way, call, at: 0, state, depth, steps: Vec::new(), last: None }
    }

    /// Lists the configuration of a point.
    fn note(&mut self, walk: &mut Walk<'_>, point: &Point, then: Then) -> Result<(), NoRun> {
        self.items += 1;
        if self.items > self.limit {
            return Err(NoRun::TooLong(Overflow(self.limit)));
        }
        if self.items.is_multiple_of(1024) {
            self.system.space.check()?;
        }
        let head = self.system.control.pds.head(point.node.head);
        let layout = &self.system.control.pds.layout;
        let mut globals: Values = values(layout.globals(), &walk.state).into();
        let mut locals: Values = values(layout.locals(self.frame(point)), &walk.state).into();
        // Neighbouring configurations mostly have equal values: they share them.
        if let Some((_, old_globals, old_locals)) = &walk.last {
            if *old_globals == globals {
                globals = Rc::clone(old_globals);
            }
            if *old_locals == locals {
                locals = Rc::clone(old_locals);
            }
        }
        walk.last = Some((head.symbol, Rc::clone(&globals), Rc::clone(&locals)));
        let config = Config { control: head.control, symbol: head.symbol, globals, locals };
        walk.steps.push(Step { config, depth: walk.depth, then });
        Ok(())
    }

    fn frame(&self, point: &Point) -> Option<FrameId> {
        let model::Head { symbol, .. } = self.system.control.pds.head(point.node.head);
        self.system.spds.symbol(symbol).frame
    }

    /// A full state with the values of a point; globals without a value there are as given, or false.
    fn widened(&self, point: &Point, globals: &[bool]) -> Full {
        let layout = &self.system.control.pds.layout;
        let mut state = vec![false; layout.bits() as usize];
        for bit in layout.global_bits() {
            state[bit.0 as usize] = globals.get(bit.0 as usize).copied().unwrap_or(false);
        }
        for bit in layout.global_bits().chain(layout.slots()) {
            if let Some(value) = point.values.get(bit) {
                state[bit.0 as usize] = value;
            }
        }
        self.clear_outside(&mut state, point);
        state
    }

    /// Makes slots outside the frame of a point false.
    fn clear_outside(&self, state: &mut Full, point: &Point) {
        let layout = &self.system.control.pds.layout;
        let used = layout.locals(self.frame(point)).iter().map(|field| field.bits().len()).sum::<usize>();
        let slots: Vec<Bit> = layout.slots().collect();
        for bit in &slots[used..] {
            state[bit.0 as usize] = false;
        }
    }

    /// What a rule can lead to from a full state if these bits get these values.
    fn outcome(
        &self,
        rule: RuleId,
        state: &Full,
        wanted: &[((Bit, At), bool)],
        free: &[(Bit, At)],
    ) -> Result<Picked, Stop> {
        let system = self.system;
        let reads = system.bits(system.control.pds.rule_at(rule).reads);
        let mut values: Vec<_> = reads.into_iter().map(|bit| ((bit, At::Now), state[bit.0 as usize])).collect();
        values.extend_from_slice(wanted);
        let relation = system.relations.rule(rule).expect("the search used this rule");
        let outcome = with_values(system.space, relation, &values)?;
        Ok(least(system.space, &outcome, free.iter().copied()).expect("what can block is read, hence live"))
    }

    fn stepped(&self, rule: RuleId, state: &Full, next: &Point) -> Result<Full, Stop> {
        let system = self.system;
        let writes = system.control.pds.rule_at(rule).writes;
        let free = columns(system.bits(writes), At::Next);
        let wanted = next.values.columns(system.bits(writes), At::Next);
        let picked = self.outcome(rule, state, &wanted, &free)?;
        let mut after = state.clone();
        picked.at(At::Next).for_each(|(bit, value)| after[bit.0 as usize] = value);
        self.clear_outside(&mut after, next);
        Ok(after)
    }

    /// The state at the entry of a call, and the caller's locals as they are saved; `back` is where it will return.
    fn entered(
        &self,
        rule: RuleId,
        state: &Full,
        entry: &Point,
        back: Option<&Point>,
    ) -> Result<(Full, Valuation), Stop> {
        let system = self.system;
        let row = system.control.pds.rule_at(rule);
        let assigned = system.union(row.writes, row.formals);
        let mut free = columns(system.bits(assigned), At::Next);
        free.extend(columns(system.bits(row.saved), At::Saved));
        let mut wanted = entry.values.columns(system.bits(assigned), At::Next);
        if let Some(back) = back {
            wanted.extend(back.values.columns(system.bits(row.saved), At::Saved));
        }
        let picked = self.outcome(rule, state, &wanted, &free)?;
        let mut after = self.widened(entry, &state[..]);
        for bit in system.control.pds.layout.global_bits() {
            after[bit.0 as usize] = state[bit.0 as usize];
        }
        picked.at(At::Next).for_each(|(bit, value)| after[bit.0 as usize] = value);
        let Kind::Call(..) = row.kind else { unreachable!("only calls enter") };
        let changed: Valuation = Valuation::new(picked.at(At::Saved));
        let slots = system.bits(system.slots()).into_iter();
        let saved = slots.map(|bit| (bit, changed.get(bit).unwrap_or(state[bit.0 as usize])));
        Ok((after, Valuation::new(saved)))
    }

    /// The globals after the return of a way through a call.
    fn exit(&self, state: &Full, way: &Way) -> Result<Full, Stop> {
        let rule = way.pop.expect("a way through a call returns");
        self.popped(rule, state, &way.exit)
    }

    fn popped(&self, rule: RuleId, state: &Full, after: &Valuation) -> Result<Full, Stop> {
        let writes: SetId = self.system.control.pds.rule_at(rule).writes;
        let free = columns(self.system.bits(writes), At::Next);
        let wanted = after.columns(self.system.bits(writes), At::Next);
        let picked = self.outcome(rule, state, &wanted, &free)?;
        let count = self.system.control.pds.layout.global_bits().count();
        let mut globals: Full = state[..count].to_vec();
        picked.at(At::Next).for_each(|(bit, value)| globals[bit.0 as usize] = value);
        Ok(globals)
    }
}

fn columns(bits: Vec<Bit>, at: At) -> Vec<(Bit, At)> {
    bits.into_iter().map(|bit| (bit, at)).collect()
}

/// The values of fields, cell by cell.
fn values(fields: &[Field], state: &[bool]) -> Vec<u64> {
    let cells = fields.iter().flat_map(|field| (0..field.ty.cells()).map(move |cell| field.cell(cell)));
    cells.map(|bits| number(bits.map(|bit| state[bit.0 as usize]))).collect()
}
