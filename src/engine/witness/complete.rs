//! Forwards along a way, on full states.
//!
//! Ways carry values of live bits only. Here the rules are executed again from the start: live values as picked, dead and
//! passed-by ones as execution gives them, the least value where the choice is free. It cannot get stuck: what can block is
//! read, hence live (see [`crate::saturation`], "Witnesses"). Calls with equal ways and equal full entry states share their
//! part.

use std::collections::hash_map::Entry;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use spds_format::model::{self, FrameId, Type, Var};

use super::leap::Powers;
use super::rings::Node;
use super::turns::{Closed, Full, Turns, Wanted};
use super::valuation::{Picked, Valuation, least};
use super::way::{Move, Point, Way, Ways};
use super::{NoRun, Overflow};
use crate::bdd::{At, Bit, Column, Relation};
use crate::limits::Stop;
use crate::pds::encode::Encoder;
use crate::pds::layout::{Field, number};
use crate::pds::{HeadId, RuleId, RuleKind, Source};
use crate::run::{Call, Config, Ending, Run, Step, Then, Values};
use crate::saturation::System;

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
    let full = in_full(system, ways)?;
    let mut completer = Completer::new(full.as_ref().unwrap_or(system), &ways.calls, limit);
    let Walked { steps, .. } = completer.run(&ways.run, None, start)?;
    Ok(Run { stem: steps, cycle: None, closes_on: None, calls: completer.calls, ending })
}

/// The whole run that goes along the ways of a lasso: `@end`, `@fail` and the repetition of a blocked configuration are
/// endings, not cycles.
///
/// The head of a cycle comes back with the same live values; dead ones may differ at first. Under plain liveness they do
/// so no more after one turn, which then belongs to the stem (see [`crate::saturation`], "Witnesses"). If values are forgotten
/// that are read yet and come to no condition, they may differ after each turn: then the first turn closes on what matters, which
/// `others` belong to, however many turns that takes.
///
/// # Errors
/// As those of [`run`].
pub fn lasso(
    system: &System<'_>,
    ways: &Ways,
    start: &[(Node, Relation)],
    others: &[Var],
    limit: u64,
) -> Result<Run, NoRun> {
    let Some(cycle) = &ways.cycle else { return run(system, ways, start, Ending::Stuck, limit) };
    let mut whole = ways.run.clone();
    let first = whole.moves.len();
    let turns = Turns::new(first, Wanted::at(system, &whole.points[first], others));
    whole.points.extend(cycle.points.iter().skip(1).cloned());
    whole.moves.extend_from_slice(&cycle.moves);
    let full = in_full(system, ways)?;
    let mut completer = Completer::new(full.as_ref().unwrap_or(system), &ways.calls, limit);
    if let Some((last, ending)) = cut(system, &whole) {
        whole.points.truncate(last + 1);
        whole.moves.truncate(last);
        let Walked { steps, .. } = completer.run(&whole, None, start)?;
        return Ok(Run { stem: steps, cycle: None, closes_on: None, calls: completer.calls, ending });
    }
    let Walked { mut steps, cycle, closes_on } = completer.run(&whole, Some(turns), start)?;
    let last = steps.iter().filter_map(|step| if let Then::Call(call) = step.then { Some(call) } else { None }).max();
    completer.calls.truncate(last.map_or(0, |last| last + 1));
    let cycle = steps.split_off(cycle);
    Ok(Run { stem: steps, cycle: Some(cycle), closes_on, calls: completer.calls, ending: Ending::Loop })
}

/// The system with all that its rules do, if a loop is leapt through: a run shows full values, and a way tells nothing of the
/// rules of such a loop. `None` if it takes the steps only that it shows, or the search has all.
fn in_full<'a>(system: &System<'a>, ways: &Ways) -> Result<Option<System<'a>>, Stop> {
    let mut all = ways.calls.iter().chain([&ways.run]).chain(&ways.cycle);
    if all.any(|way| way.moves.contains(&Move::Leap)) { system.in_full(|_| true) } else { Ok(None) }
}

/// Where a way comes to its end although it could go on repeating that for ever: its last point, and how it ends.
fn cut(system: &System<'_>, way: &Way) -> Option<(usize, Ending)> {
    let (spds, pds) = (system.spds, &system.control.pds);
    let symbol = |at: usize| Some(pds.head(way.points[at].node.head).symbol);
    (0..way.moves.len()).find_map(|at| match way.moves[at] {
        Move::Step(rule) if pds.rule_at(rule).source == Source::Stuck => Some((at, Ending::Stuck)),
        _ if symbol(at + 1) == spds.end => Some((at, Ending::Terminated)),
        _ if symbol(at + 1) == spds.fail => Some((at, Ending::Failed)),
        _ => None,
    })
}

/// The steps of a run, where its cycle begins, and on what that closes if not on all.
struct Walked {
    steps: Vec<Step>,
    cycle: usize,
    closes_on: Option<Vec<Var>>,
}

struct Completer<'c, 'a> {
    system: &'c System<'a>,
    /// Ways through calls.
    ways: &'c [Way],
    calls: Vec<Call>,
    /// By way and full entry state: the number of the part, and the globals it returns.
    known: FxHashMap<(usize, Full), (usize, Full)>,
    /// Of loops that are leapt through, by head.
    powers: FxHashMap<HeadId, Powers>,
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
    /// The values listed last.
    last: Option<(Values, Values)>,
}

impl<'c, 'a> Completer<'c, 'a> {
    fn new(system: &'c System<'a>, ways: &'c [Way], limit: u64) -> Self {
        Completer {
            system,
            ways,
            calls: Vec::new(),
            known: FxHashMap::default(),
            powers: FxHashMap::default(),
            items: 0,
            limit,
        }
    }

    /// Walks the run, and every call on it once for each entry state, with a stack of its own.
    fn run(&mut self, way: &'c Way, mut turns: Option<Turns>, start: &[(Node, Relation)]) -> Result<Walked, NoRun> {
        let first = &way.points[0];
        let state = self.started(first, start)?;
        let mut stack = vec![self.walk(way, None, state)];
        // What the call that was just finished left: its number and the globals.
        let mut returned: Option<(usize, Full)> = None;
        loop {
            let walk = stack.last_mut().expect("the run itself is at the bottom");
            if let Some(turns) = turns.as_mut().filter(|_| walk.call.is_none())
                && let Some(Closed { begin, end, on }) = self.turn(turns, walk)
            {
                let mut steps = std::mem::take(&mut walk.steps);
                steps.truncate(end);
                return Ok(Walked { steps, cycle: begin, closes_on: turns.closed(on) });
            }
            let Some(&step) = walk.way.moves.get(walk.at) else {
                self.note(walk, &walk.way.points[walk.at], Then::Step)?;
                let walk = stack.pop().expect("it was there");
                let Some((way, entry)) = walk.call else {
                    return Ok(Walked { steps: walk.steps, cycle: 0, closes_on: None });
                };
                let exit = self.exit(&walk.state, walk.way)?;
                let procedure = self.frame(&walk.way.points[0]);
                self.calls.push(Call { procedure, steps: walk.steps });
                let result = (self.calls.len() - 1, exit);
                self.known.insert((way, entry), result.clone());
                returned = Some(result);
                continue;
            };
            if let Some(callee) = self.moved(walk, step, &mut returned)? {
                stack.push(callee);
            }
        }
    }

    /// Makes one move of a way; or none yet, and says what is to be walked before: the callee of a call. `returned` is what the call
    /// that was just finished left.
    fn moved(
        &mut self,
        walk: &mut Walk<'c>,
        step: Move,
        returned: &mut Option<(usize, Full)>,
    ) -> Result<Option<Walk<'c>>, NoRun> {
        let (point, next) = (&walk.way.points[walk.at], &walk.way.points[walk.at + 1]);
        match step {
            Move::Step(rule) => {
                self.note(walk, point, Then::Step)?;
                self.step(rule, &mut walk.state, next)?;
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
            Move::Leap => {
                let (turns, state) = self.leap(&walk.state, next)?;
                self.note(walk, point, Then::Leap(turns))?;
                walk.state = state;
                self.clear_outside(&mut walk.state, next);
            }
            Move::Through(rule, way) => {
                let inner = &self.ways[way];
                let (entry, saved) = self.entered(rule, &walk.state, &inner.points[0], Some(next))?;
                let known = returned.take().or_else(|| self.known.get(&(way, entry.clone())).cloned());
                let Some((call, globals)) = known else {
                    return Ok(Some(self.walk(inner, Some((way, entry.clone())), entry)));
                };
                self.note(walk, point, Then::Call(call))?;
                for bit in self.system.control.pds.layout.global_bits() {
                    walk.state[bit.0 as usize] = globals[bit.0 as usize];
                }
                for (bit, value) in saved {
                    walk.state[bit.0 as usize] = value;
                }
                self.clear_outside(&mut walk.state, next);
            }
        }
        // Whether the caller or the callee met the mark, the point knows.
        if let Some(mark) = self.system.control.pds.layout.mark() {
            walk.state[mark.0 as usize] = next.values.get(mark).unwrap_or(false);
        }
        walk.at += 1;
        Ok(None)
    }

    /// At the beginning of a turn no mark has been met, and each begins where the last has ended. Says where the cycle begins and
    /// ends once it has closed.
    fn turn(&self, turns: &mut Turns, walk: &mut Walk<'_>) -> Option<Closed> {
        let ended = walk.at == walk.way.moves.len();
        if !ended && (turns.begun() || walk.at != turns.first) {
            return None;
        }
        if let Some(mark) = self.system.control.pds.layout.mark() {
            walk.state[mark.0 as usize] = false;
        }
        walk.at = turns.first;
        turns.begin(walk.steps.len(), &walk.state)
    }

    /// The least start state with the values of a point: what is dead may yet be constrained at the start.
    fn started(&self, first: &Point, start: &[(Node, Relation)]) -> Result<Full, Stop> {
        let system = self.system;
        let all = system.columns(system.union(system.globals(), system.slots()), At::Now);
        let mut state = self.widened(first, &[]);
        for (_, set) in start.iter().filter(|(node, _)| *node == first.node) {
            if let Some(picked) = least(system.space, &[set], first.values.columns(&all), &all)? {
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
        // Neighbouring configurations mostly have equal values: they share them.
        let last = walk.last.take();
        let (old_globals, old_locals) = last.map_or((None, None), |(globals, locals)| (Some(globals), Some(locals)));
        let globals = shared(layout.globals(), &walk.state, old_globals);
        let locals = shared(layout.locals(self.frame(point)), &walk.state, old_locals);
        walk.last = Some((Rc::clone(&globals), Rc::clone(&locals)));
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
        let fields = layout.locals(self.frame(point));
        let used = fields.last().map_or(layout.global_bits().len(), |last| last.base as usize + last.bits().len());
        state[used..].fill(false);
    }

    /// The least that a rule can lead to from a full state if these columns get these values.
    fn outcome(
        &self,
        rule: RuleId,
        state: &Full,
        wanted: impl Iterator<Item = (Column, bool)>,
        free: &[Column],
    ) -> Result<Picked, Stop> {
        let system = self.system;
        let reads = system.columns(system.control.pds.rule_at(rule).reads, At::Now);
        // Configurations do not depend on the mark.
        let reads = reads.iter().filter(|(bit, _)| Some(*bit) != system.control.pds.layout.mark());
        let values = reads.map(|&column| (column, state[column.0.0 as usize])).chain(wanted);
        let relation = system.relations.rule(rule).expect("the search used this rule");
        // What is dead after the rule is not in its relation, and too much to say for all states it may be taken in.
        let rest = match system.control.pds.rule_at(rule).source {
            Source::Rule(number) if system.relations.leaves_out(rule) => {
                let encoder = Encoder::new(system.spds, &system.control.pds.layout, system.space);
                Some(encoder.rule_from(&system.spds.rules[number as usize], state)?)
            }
            _ => None,
        };
        let of = [relation, rest.as_ref().unwrap_or(relation)];
        let of = if rest.is_some() { &of[..] } else { &of[..1] };
        Ok(least(system.space, of, values, free)?.expect("what can block is read, hence live"))
    }

    fn step(&self, rule: RuleId, state: &mut Full, next: &Point) -> Result<(), Stop> {
        let system = self.system;
        let free = system.columns(system.control.pds.rule_at(rule).writes, At::Next);
        let picked = self.outcome(rule, state, next.values.columns(&free), &free)?;
        picked.at(At::Next).for_each(|(bit, value)| state[bit.0 as usize] = value);
        self.clear_outside(state, next);
        Ok(())
    }

    /// How many turns of the loop of a head lead to the values of a point of it, and to which state.
    fn leap(&mut self, state: &Full, next: &Point) -> Result<(u64, Full), Stop> {
        let (system, head) = (self.system, next.node.head);
        let powers = match self.powers.entry(head) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(Powers::new(system, head)?),
        };
        let all = system.columns(system.union(system.globals(), system.slots()), At::Now);
        let here: Vec<_> = all.iter().map(|&column| (column, state[column.0.0 as usize])).collect();
        // Of what passes by, a point knows nothing.
        let there: Vec<_> = next.values.columns(&system.columns(powers.writes(), At::Now)).collect();
        let (from, to) = (system.space.cube(&here)?, system.space.cube(&there)?);
        let (turns, set) = powers.between(system, &from, &to)?;
        let picked = least(system.space, &[&set], [], &all)?.expect("turns lead there");
        let mut after = state.clone();
        picked.at(At::Now).for_each(|(bit, value)| after[bit.0 as usize] = value);
        Ok((turns, after))
    }

    /// The state at the entry of a call, and the caller's locals as they are saved; `back` is where it will return.
    fn entered(
        &self,
        rule: RuleId,
        state: &Full,
        entry: &Point,
        back: Option<&Point>,
    ) -> Result<(Full, Vec<(Bit, bool)>), Stop> {
        let system = self.system;
        let row = system.control.pds.rule_at(rule);
        let assigned = system.union(row.writes, row.formals);
        let (assigned, saved) = (system.columns(assigned, At::Next), system.columns(row.saved, At::Saved));
        let free: Vec<Column> = assigned.iter().chain(saved.iter()).copied().collect();
        let kept = back.into_iter().flat_map(|back| back.values.columns(&saved));
        // In a call that returns, the callee begins without a mark, whatever the step into it bears.
        let mark = system.control.pds.layout.mark().filter(|_| back.is_some());
        let wanted = entry.values.columns(&assigned).filter(|((bit, _), _)| Some(*bit) != mark);
        let picked = self.outcome(rule, state, wanted.chain(kept), &free)?;
        let mut after = self.widened(entry, &state[..]);
        for bit in system.control.pds.layout.global_bits() {
            after[bit.0 as usize] = state[bit.0 as usize];
        }
        picked.at(At::Next).for_each(|(bit, value)| after[bit.0 as usize] = value);
        if let Some(mark) = mark {
            after[mark.0 as usize] = false;
        }
        let RuleKind::Call(..) = row.kind else { unreachable!("only calls enter") };
        let mut saved: Vec<(Bit, bool)> =
            system.control.pds.layout.slots().map(|bit| (bit, state[bit.0 as usize])).collect();
        for (bit, value) in picked.at(At::Saved) {
            saved[(bit.0 - system.control.pds.layout.global_bits().len() as u32) as usize].1 = value;
        }
        Ok((after, saved))
    }

    /// The globals after the return of a way through a call.
    fn exit(&self, state: &Full, way: &Way) -> Result<Full, Stop> {
        let rule = way.pop.expect("a way through a call returns");
        self.popped(rule, state, &way.exit)
    }

    fn popped(&self, rule: RuleId, state: &Full, after: &Valuation) -> Result<Full, Stop> {
        let free = self.system.columns(self.system.control.pds.rule_at(rule).writes, At::Next);
        let picked = self.outcome(rule, state, after.columns(&free), &free)?;
        let count = self.system.control.pds.layout.global_bits().len();
        let mut globals: Full = state[..count].to_vec();
        picked.at(At::Next).for_each(|(bit, value)| globals[bit.0 as usize] = value);
        Ok(globals)
    }
}

/// The values of fields, cell by cell; those given if they are equal.
fn shared(fields: &[Field], state: &[bool], old: Option<Values>) -> Values {
    // Of Booleans alone nothing has to be put together.
    if let Some(old) = &old
        && fields.len() == old.len()
        && fields
            .iter()
            .zip(old.iter())
            .all(|(field, old)| field.ty == Type::BOOL && u64::from(state[field.base as usize]) == *old)
    {
        return Rc::clone(old);
    }
    let cells = fields.iter().flat_map(|field| (0..field.ty.cells()).map(move |cell| field.cell(cell)));
    let values = cells.map(|bits| number(bits.map(|bit| state[bit.0 as usize])));
    match old {
        Some(old) if values.clone().eq(old.iter().copied()) => old,
        _ => values.collect(),
    }
}
