//! From relations on edges back to an automaton with formulas.

use std::collections::{BTreeMap, BTreeSet};

use spds_format::Spds;
use spds_format::automaton::{Automaton, Edge, End, State, StateId};
use spds_format::expr::{Binary, Expr, Op, Time};
use spds_format::model::{ControlId, FrameId, Head, Var};

use super::symbolic::{self, Symbolic};
use super::{fresh, names};
use crate::bdd::At;
use crate::formula::form::Cell;
use crate::formula::{Placed, describe_relation, spell_relation};
use crate::limits::Stop;

impl Symbolic<'_> {
    /// The same set with formulas: short ones if no sum in them has more than so many products, else decision trees.
    pub fn in_words(&self, most: usize) -> Result<Automaton, Stop> {
        let mut edges = Vec::with_capacity(self.edges.len());
        for edge in &self.edges {
            self.space.check()?;
            let condition = if self.space.is_full(&edge.set) { None } else { Some(self.condition(edge, most)?) };
            edges.push(Edge { from: edge.from, symbol: edge.symbol, to: edge.to, condition });
        }
        let order = |edge: &Edge| (edge.from, edge.symbol, edge.to);
        edges.sort_by_key(order);
        // Conditions of parallel edges are alternatives.
        let mut merged: Vec<Edge> = Vec::with_capacity(edges.len());
        for edge in edges {
            match merged.last_mut().filter(|last| order(last) == order(&edge)) {
                Some(last) => last.condition = either(last.condition.take(), edge.condition),
                None => merged.push(edge),
            }
        }
        Ok(Automaton { states: self.states.clone(), edges: merged })
    }

    fn condition(&self, edge: &symbolic::Edge, most: usize) -> Result<Expr, Stop> {
        let mut scope = Vec::new();
        if matches!(edge.from, End::Control(_)) {
            self.globals(&mut scope, Time::Before, At::Now);
        }
        let frame = edge.symbol.and_then(|symbol| self.spds.symbol(symbol).frame);
        let locals = frame.map_or(0, |frame| self.spds.frame(frame).variables.len() as u32);
        (0..locals).for_each(|i| self.place(&mut scope, Var::Local(i), frame, Time::Before, At::Now));
        for (end, time, at) in [(edge.from, Time::Saved, At::Next), (edge.to, Time::After, At::Entry)] {
            match end {
                End::Control(_) if time == Time::After => self.globals(&mut scope, time, at),
                End::Control(_) => {}
                End::State(id) => {
                    let state = &self.states[id.0 as usize];
                    state.carries.iter().for_each(|&var| self.place(&mut scope, var, state.frame, time, at));
                }
            }
        }
        match describe_relation(self.space, &scope, &edge.set, most)? {
            Some(short) => Ok(short),
            None => spell_relation(self.space, &scope, &edge.set),
        }
    }

    fn globals(&self, scope: &mut Vec<Placed>, time: Time, at: At) {
        (0..self.spds.globals.len() as u32).for_each(|i| self.place(scope, Var::Global(i), None, time, at));
    }

    fn place(&self, scope: &mut Vec<Placed>, var: Var, frame: Option<FrameId>, time: Time, at: At) {
        let field = self.layout.field(var, frame);
        for n in 0..field.ty.cells() {
            let index = field.ty.range.map(|(first, _)| first + n);
            let cell = Cell { time, var, index, scalar: field.ty.scalar };
            scope.push(Placed { cell, columns: field.cell(n).map(|bit| (bit, at)).collect() });
        }
    }
}

fn either(a: Option<Expr>, b: Option<Expr>) -> Option<Expr> {
    Some(Expr::binary(&a?, Binary::Or, &b?))
}

/// The same set without edges into control locations, so that it can be an input again: a control location that edges lead
/// into gets a state beside it, which carries all globals. Edges that read one of these heads first are left out.
pub(super) fn separated(spds: &Spds, mut set: Automaton, left_out: impl Fn(Head) -> bool) -> Automaton {
    let into = |edge: &Edge| match edge.to {
        End::Control(control) => Some(control),
        End::State(_) => None,
    };
    let entered: BTreeSet<ControlId> = set.edges.iter().filter_map(into).collect();
    let mut beside = BTreeMap::new();
    let mut taken = names(&set.states);
    for control in entered {
        let name = fresh(&mut taken, &spds.controls[control.0 as usize]);
        let carries = (0..spds.globals.len() as u32).map(Var::Global).collect();
        beside.insert(control, End::State(StateId(set.states.len() as u32)));
        set.states.push(State { name, frame: None, carries, accepting: false });
    }
    let mut edges = Vec::with_capacity(set.edges.len());
    for mut edge in set.edges {
        if let End::Control(control) = edge.to {
            edge.to = beside[&control];
        }
        let (End::Control(control), Some(symbol)) = (edge.from, edge.symbol) else {
            edges.push(edge);
            continue;
        };
        if let Some(&from) = beside.get(&control) {
            let condition = edge.condition.as_ref().map(carried);
            edges.push(Edge { from, condition, ..edge.clone() });
        }
        if !left_out(Head { control, symbol }) {
            edges.push(edge);
        }
    }
    edges.sort_by_key(|edge| (edge.from, edge.symbol, edge.to));
    Automaton { edges, ..set }
}

impl<'a> Symbolic<'a> {
    /// The same as [`separated`], on relations.
    pub fn separated(&self, left_out: impl Fn(Head) -> bool) -> Result<Symbolic<'a>, Stop> {
        let mut set = Symbolic { edges: Vec::with_capacity(self.edges.len()), ..self.clone() };
        let mut beside: BTreeMap<End, End> = BTreeMap::new();
        for to in self.edges.iter().map(|edge| edge.to).filter(|to| matches!(to, End::Control(_))) {
            beside.entry(to).or_insert_with(|| {
                let carries = (0..self.spds.globals.len() as u32).map(Var::Global).collect();
                set.states.push(State { name: "".into(), frame: None, carries, accepting: false });
                End::State(StateId(set.states.len() as u32 - 1))
            });
        }
        let globals = self.layout.global_bits().map(|bit| (bit, At::Now, At::Next));
        let carried = self.space.renaming(globals);
        for edge in &self.edges {
            let edge = symbolic::Edge { to: *beside.get(&edge.to).unwrap_or(&edge.to), ..edge.clone() };
            if let (Some(&from), Some(_)) = (beside.get(&edge.from), edge.symbol) {
                let moved = self.space.rename(&edge.set, carried)?;
                set.edges.push(symbolic::Edge { from, set: moved, ..edge.clone() });
            }
            match (edge.from, edge.symbol) {
                (End::Control(control), Some(symbol)) if left_out(Head { control, symbol }) => {}
                _ => set.edges.push(edge),
            }
        }
        Ok(set)
    }
}

/// What is read of globals is read of what the source carries.
fn carried(condition: &Expr) -> Expr {
    let moved = |&op: &Op| match op {
        Op::Read(Var::Global(i), Time::Before) => Op::Read(Var::Global(i), Time::Saved),
        Op::Cell(Var::Global(i), Time::Before) => Op::Cell(Var::Global(i), Time::Saved),
        other => other,
    };
    Expr::from_postorder(condition.ops().iter().map(moved).collect::<Vec<_>>()).expect("as many operands as before")
}
