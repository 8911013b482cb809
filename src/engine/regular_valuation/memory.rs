//! The hidden variables of every frame: from which states the stack below is accepted, and with which carried values.

use std::collections::{BTreeMap, BTreeSet};

use spds_format::automaton::{Automaton, Edge, End, StateId};
use spds_format::expr::{Binary, Expr, Op, Time};
use spds_format::model::{Frame, FrameId, Rule, Scalar, Spds, SymbolId, Type, Update, Var, Variable};

use super::expressions::{both, is_total, joined, mapped};
use super::widened;

/// Where they are. Each frame has its own variables first, then all of these, then perhaps some for the start.
pub(super) struct Memory<'a> {
    pub(super) spds: &'a Spds,
    pub(super) set: &'a Automaton,
    variables: Vec<Variable>,
    /// For each state where its bit is among them; what it carries follows.
    first: Vec<u32>,
    /// For each frame, the last of which is that of symbols that had none, how many variables it has of its own.
    base: Vec<u32>,
    /// For each frame what the start needs in it.
    pub(super) start: Vec<Vec<Variable>>,
    /// A beginning that no variable's name has.
    pub(super) prefix: String,
    /// By the symbol that they read, the edges between states.
    edges: BTreeMap<SymbolId, Vec<&'a Edge>>,
}

/// What a call adds to its rule.
pub(super) struct Call {
    pub(super) updates: Vec<Update>,
    pub(super) with: Vec<Expr>,
}

impl<'a> Memory<'a> {
    pub(super) fn new(spds: &'a Spds, set: &'a Automaton) -> Memory<'a> {
        let mut prefix = String::from("$below");
        let all = || spds.globals.iter().chain(spds.frames.iter().flat_map(|frame| &frame.variables));
        while all().any(|variable| variable.name.starts_with(&prefix)) {
            prefix.insert(0, '$');
        }
        let mut variables = Vec::new();
        let mut first = Vec::new();
        let hidden = |name: String, ty: Type| Variable { name: name.into(), ty, hidden: true };
        for (number, state) in set.states.iter().enumerate() {
            first.push(variables.len() as u32);
            variables.push(hidden(format!("{prefix}{number}"), Type::BOOL));
            for (index, var) in state.carries.iter().enumerate() {
                let ty = spds.variable(state.frame, *var).map_or(Type::BOOL, |variable| variable.ty);
                variables.push(hidden(format!("{prefix}{number}_{index}"), ty));
            }
        }
        let own = spds.frames.iter().map(|frame| frame.variables.len() as u32);
        let base: Vec<u32> = own.chain([0]).collect();
        let mut edges: BTreeMap<SymbolId, Vec<&Edge>> = BTreeMap::new();
        for edge in &set.edges {
            if let (End::State(_), Some(symbol)) = (edge.from, edge.symbol) {
                edges.entry(symbol).or_default().push(edge);
            }
        }
        let start = vec![Vec::new(); base.len()];
        Memory { spds, set, variables, first, base, start, prefix, edges }
    }

    /// The frame of symbols that had none.
    pub(super) fn none(&self) -> FrameId {
        FrameId(self.spds.frames.len() as u32)
    }

    /// All frames.
    pub(super) fn frames(&self) -> Vec<Frame> {
        let taken = |name: &str| self.spds.frames.iter().any(|frame| *frame.name == *name);
        let none = Frame { name: super::fresh("none", taken), variables: Box::default() };
        let frames = self.spds.frames.iter().chain([&none]).zip(&self.start);
        frames.map(|(frame, start)| widened(&widened(frame, &self.variables), start)).collect()
    }

    /// The frame of a symbol of the original system.
    pub(super) fn frame_of(&self, symbol: SymbolId) -> FrameId {
        self.spds.symbol(symbol).frame.unwrap_or(self.none())
    }

    /// Where variables for the start begin in a frame.
    pub(super) fn start_of(&self, frame: FrameId) -> u32 {
        self.base[frame.0 as usize] + self.variables.len() as u32
    }

    /// Whether the stack below a frame is accepted from that state.
    pub(super) fn bit(&self, frame: FrameId, state: StateId) -> Var {
        Var::Local(self.base[frame.0 as usize] + self.first[state.0 as usize])
    }

    /// The value of a variable that the state carries then.
    pub(super) fn carried(&self, frame: FrameId, state: StateId, var: Var) -> Var {
        let position = self.set.state(state).carries.binary_search(&var).unwrap_or(0) as u32;
        Var::Local(self.base[frame.0 as usize] + self.first[state.0 as usize] + 1 + position)
    }

    /// The edges between states that read a symbol, from one state.
    pub(super) fn reading(&self, symbol: SymbolId, from: StateId) -> impl Iterator<Item = (&'a Edge, StateId)> + '_ {
        let all = self.edges.get(&symbol).into_iter().flatten().copied();
        all.filter(move |edge| edge.from == End::State(from)).filter_map(|edge| match edge.to {
            End::State(to) => Some((edge, to)),
            End::Control(_) => None,
        })
    }

    /// Assigns to the frame of `to` what that of `from` remembers.
    pub(super) fn copy(&self, from: SymbolId, to: SymbolId, time: Time, updates: &mut Vec<Update>) {
        let base = |symbol: SymbolId| self.base[self.frame_of(symbol).0 as usize];
        for (offset, variable) in (0..).zip(&self.variables) {
            let (var, source) = (Var::Local(base(to) + offset), Var::Local(base(from) + offset));
            let Some((first, last)) = variable.ty.range else {
                updates.push(Update { var, time, index: None, value: Expr::read(source, Time::Before) });
                continue;
            };
            for index in (first..=last).map(|index| Expr::number(u64::from(index))) {
                let value = Expr::cell(source, Time::Before, &index);
                updates.push(Update { var, time, index: Some(index), value });
            }
        }
    }

    /// What a call lets its callee remember, from what the caller remembers and what is left below.
    pub(super) fn call(&self, rule: &Rule, from: SymbolId, callee: SymbolId, site: SymbolId) -> Call {
        let (here, there) = (self.frame_of(from), self.frame_of(callee));
        let mut call = Call { updates: Vec::new(), with: Vec::new() };
        let mut saved = Saved::new(rule, self.frame_of(site) == here);
        for state in (0..self.set.states.len() as u32).map(StateId) {
            let bit = self.bit(there, state);
            let mut ways = Vec::new();
            let (mut total, mut now) = (true, true);
            for (edge, to) in self.reading(site, state) {
                let condition = edge.condition.as_ref().map(|condition| {
                    total &= is_total(condition);
                    mapped(condition, |var, time| match time {
                        Time::Before => saved.read(self.spds, site, var),
                        Time::After => (self.carried(here, to, var), Time::Before),
                        Time::Saved => (self.carried(there, state, var), Time::After),
                    })
                });
                now &= condition.iter().all(|c| c.reads().all(|(_, time)| time == Time::Before));
                ways.extend(both(condition, Some(Expr::read(self.bit(here, to), Time::Before))));
            }
            let value = joined(Binary::Or, &ways);
            if total && now {
                call.updates.push(Update { var: bit, time: Time::After, index: None, value });
                continue;
            }
            // A condition without a value is false; all that can be said is that the bit needs one that is true.
            let carries = !self.set.state(state).carries.is_empty();
            let op = if total && !carries { Binary::Iff } else { Binary::Implies };
            call.with.push(Expr::read(bit, Time::After).binary(op, &value));
        }
        call.with.append(&mut saved.kept);
        call
    }
}

/// How the locals that a call saves are read: `x` where the call keeps them, else `x''`.
struct Saved {
    /// Whether the frame of the return site is that of the caller.
    same: bool,
    /// Locals that the rule assigns as a whole or relates.
    mentioned: BTreeSet<u32>,
    /// Arrays of which the rule assigns cells only, with the indices.
    partly: BTreeMap<u32, Vec<Expr>>,
    /// That the other cells of such arrays keep their values.
    kept: Vec<Expr>,
}

impl Saved {
    fn new(rule: &Rule, same: bool) -> Saved {
        let mut saved = Saved { same, mentioned: BTreeSet::new(), partly: BTreeMap::new(), kept: Vec::new() };
        for (var, time) in rule.with.iter().flat_map(Expr::reads) {
            if let (Var::Local(index), Time::Saved) = (var, time) {
                saved.mentioned.insert(index);
            }
        }
        let assigned: Vec<&Update> = rule.updates.iter().filter(|update| update.time == Time::Saved).collect();
        for update in &assigned {
            if let (Var::Local(index), None) = (update.var, &update.index) {
                saved.mentioned.insert(index);
            }
        }
        for update in assigned {
            if let (Var::Local(local), Some(index)) = (update.var, &update.index)
                && !saved.mentioned.contains(&local)
            {
                saved.partly.entry(local).or_default().push(index.clone());
            }
        }
        saved
    }

    fn read(&mut self, spds: &Spds, site: SymbolId, var: Var) -> (Var, Time) {
        let Var::Local(local) = var else { return (var, Time::Before) };
        if !self.same || self.mentioned.contains(&local) {
            return (var, Time::Saved);
        }
        let Some(indices) = self.partly.remove(&local) else { return (var, Time::Before) };
        // Once `with` reads the array, only what the rule says of its cells is so.
        self.mentioned.insert(local);
        let ty = spds.locals(site)[local as usize].ty;
        let op = if ty.scalar == Scalar::Bool { Binary::Iff } else { Binary::Eq };
        for cell in ty.range.into_iter().flat_map(|(first, last)| first..=last) {
            let cell = Expr::number(u64::from(cell));
            let same = Expr::cell(var, Time::Saved, &cell).binary(op, &Expr::cell(var, Time::Before, &cell));
            let mut ways: Vec<Expr> = indices.iter().map(|index| index.binary(Binary::Eq, &cell)).collect();
            ways.push(same);
            self.kept.push(joined(Binary::Or, &ways));
        }
        (var, Time::Saved)
    }
}

impl Memory<'_> {
    /// A further variable for the start in a frame.
    pub(super) fn for_start(&mut self, frame: FrameId, ty: Type) -> Var {
        let index = self.start_of(frame) + self.start[frame.0 as usize].len() as u32;
        let name = format!("{}_start{}", self.prefix, self.start[frame.0 as usize].len());
        self.start[frame.0 as usize].push(Variable { name: name.into(), ty, hidden: true });
        Var::Local(index)
    }
}

/// Whether an expression is a constant.
pub(super) fn constant(expr: &Expr) -> Option<bool> {
    match expr.ops() {
        [Op::Bool(value)] => Some(*value),
        _ => None,
    }
}
