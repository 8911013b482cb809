//! What lies below the symbols of the start stack. Locals below the top of the start are arbitrary: further hidden variables,
//! which nothing ever changes, stand for them.

use std::collections::BTreeMap;

use spds_format::automaton::StateId;
use spds_format::expr::{Binary, Expr, Time};
use spds_format::model::{FrameId, Type, Var};

use super::expressions::{is_total, joined, mapped};
use super::memory::{Memory, constant};

/// For each state whether what lies below a level is accepted: a constant or a variable, and the carried values.
struct Level {
    bits: Vec<Expr>,
    carried: BTreeMap<(StateId, Var), Var>,
}

impl Memory<'_> {
    /// The condition that the frame on that level of the start stack, when it is on top, knows what lies below. As long as
    /// that has not been on top itself, it can be whatever the set asks for.
    pub(super) fn below_start(&mut self, level: usize) -> Option<Expr> {
        let stack = self.spds.start.stack.clone();
        let frame = self.frame_of(stack[level]);
        let states = || (0..self.set.states.len() as u32).map(StateId);
        let bits = states().map(|state| Expr::constant(self.set.state(state).accepting)).collect();
        let mut below = Level { bits, carried: BTreeMap::new() };
        let mut conditions = Vec::new();
        for at in (level..stack.len() - 1).rev() {
            below = self.above(frame, stack[at + 1], at == level, &below, &mut conditions);
        }
        if level + 1 == stack.len() {
            // Nothing lies below.
            for (state, bit) in states().zip(&below.bits) {
                let own = Expr::read(self.bit(frame, state), Time::Before);
                conditions.push(if constant(bit) == Some(true) { own } else { own.not() });
            }
        }
        (!conditions.is_empty()).then(|| joined(Binary::And, &conditions))
    }

    /// What lies below the level above a symbol; `own` says that this level's frame remembers it.
    fn above(
        &mut self,
        frame: FrameId,
        symbol: spds_format::model::SymbolId,
        own: bool,
        below: &Level,
        conditions: &mut Vec<Expr>,
    ) -> Level {
        let mut locals: BTreeMap<Var, Var> = BTreeMap::new();
        let mut carried_below = below.carried.clone();
        let mut level = Level { bits: Vec::new(), carried: BTreeMap::new() };
        for state in (0..self.set.states.len() as u32).map(StateId) {
            let edges: Vec<_> = self.reading(symbol, state).collect();
            let mut total = true;
            let mut ways = Vec::new();
            for (edge, to) in edges {
                let bit = &below.bits[to.0 as usize];
                if constant(bit) == Some(false) {
                    continue;
                }
                let mut parts: Vec<Expr> = Vec::new();
                if let Some(condition) = &edge.condition {
                    total &= is_total(condition);
                    parts.push(mapped(condition, |var, time| {
                        let known = match time {
                            Time::Before => {
                                let local = locals.get(&var).copied();
                                local.unwrap_or_else(|| {
                                    let ty = self.type_of(self.spds.symbol(symbol).frame, var);
                                    let fresh = self.for_start(frame, ty);
                                    locals.insert(var, fresh);
                                    fresh
                                })
                            }
                            Time::After => self.carried_there(frame, to, var, &mut carried_below),
                            Time::Saved if own => self.carried(frame, state, var),
                            Time::Saved => self.carried_there(frame, state, var, &mut level.carried),
                        };
                        (known, Time::Before)
                    }));
                }
                parts.extend((constant(bit) != Some(true)).then(|| bit.clone()));
                ways.push(joined(Binary::And, &parts));
            }
            let value = one_of(&ways);
            if let (false, Some(_)) = (own, constant(&value)) {
                level.bits.push(value);
                continue;
            }
            let bit = if own { self.bit(frame, state) } else { self.for_start(frame, Type::BOOL) };
            let bit = Expr::read(bit, Time::Before);
            let carries = !self.set.state(state).carries.is_empty();
            conditions.push(said(&bit, &value, total && !carries));
            level.bits.push(bit);
        }
        level
    }

    fn carried_there(
        &mut self,
        frame: FrameId,
        state: StateId,
        var: Var,
        known: &mut BTreeMap<(StateId, Var), Var>,
    ) -> Var {
        if let Some(there) = known.get(&(state, var)) {
            return *there;
        }
        let ty = self.type_of(self.set.state(state).frame, var);
        let fresh = self.for_start(frame, ty);
        known.insert((state, var), fresh);
        fresh
    }

    fn type_of(&self, frame: Option<FrameId>, var: Var) -> Type {
        self.spds.variable(frame, var).map_or(Type::BOOL, |variable| variable.ty)
    }
}

/// That one of the ways is there.
fn one_of(ways: &[Expr]) -> Expr {
    match ways.iter().any(|way| constant(way) == Some(true)) {
        true => Expr::constant(true),
        false => joined(Binary::Or, ways),
    }
}

/// That a bit has a value; if that is not exact, that it is not true where the value is false.
fn said(bit: &Expr, value: &Expr, exact: bool) -> Expr {
    match constant(value) {
        Some(true) => bit.clone(),
        Some(false) => bit.not(),
        None => bit.binary(if exact { Binary::Iff } else { Binary::Implies }, value),
    }
}
