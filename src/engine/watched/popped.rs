//! Whether a run comes to a regular set of configurations, as whether it comes to a place: at any time it may stop, and then its
//! stack is read, from the top, by being popped.
//!
//! Who reads is in a state of the automaton, which is a control location, and has what the state carries in globals of its own. Below the
//! start there is one symbol more, which is come to when everything has been read.

use std::collections::{BTreeMap, BTreeSet};

use spds_format::Spds;
use spds_format::automaton::{Automaton, Edge, End};
use spds_format::expr::{Binary, Expr, Op, Time};
use spds_format::model::{ControlId, Head, Name, Rule, Scalar, Stack, Symbol, SymbolId, Type, Var, Variable};

/// A system whose runs come to one of these heads if and only if those of the other come to a configuration of the set, which must be
/// valid as an input. Configurations with the empty stack, and those that no run shows because only silent rules leave them, do not count.
/// Nothing if a condition could not be written.
pub fn popped(spds: &Spds, set: &Automaton) -> Option<(Spds, Vec<Head>)> {
    read_off(spds, set, Read::Stacks)
}

/// Which configurations of a set are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Read {
    /// Those whose stack is not empty.
    Stacks,
    /// All.
    All,
}

/// The same, of these configurations.
pub(super) fn read_off(spds: &Spds, set: &Automaton, which: Read) -> Option<(Spds, Vec<Head>)> {
    let mut system = spds.clone();
    (system.end, system.fail) = (None, None);
    let below = uncovered(spds, &mut system);
    let first = spds.controls.len() as u32;
    let mut carried = BTreeMap::new();
    for (number, state) in (0..).zip(&set.states) {
        system.controls.push(unused(&spds.controls, format!("@state {number}")));
        for (place, var) in state.carries.iter().enumerate() {
            let ty = spds.variable(state.frame, *var)?.ty;
            carried.insert((number, *var), system.globals.len() as u32);
            let name = format!("@carried {number} {place}").as_str().into();
            system.globals.push(Variable { name, ty, hidden: false });
        }
    }
    let hidden: BTreeSet<Head> = spds.rules.iter().filter(|rule| rule.silent).map(|rule| rule.from).collect();
    let bottom = SymbolId(system.symbols.len() as u32);
    let symbols: Vec<Name> = system.symbols.iter().map(|symbol| symbol.name.clone()).collect();
    system.symbols.push(plain(unused(&symbols, "@bottom".into()), None));
    for edge in &set.edges {
        let End::State(to) = edge.to else { continue };
        let (symbol, stack) = match edge.symbol {
            Some(symbol) => (symbol, Stack::Pop),
            None if which == Read::All => (bottom, Stack::Swap(bottom)),
            None => continue,
        };
        let from = match edge.from {
            End::Control(control) => Head { control, symbol },
            End::State(state) => {
                let symbol = below.get(&symbol).copied().unwrap_or(symbol);
                Head { control: ControlId(first + state.0), symbol }
            }
        };
        if hidden.contains(&from) {
            continue;
        }
        let with = Some(condition(&system, edge, &carried)?);
        let to = ControlId(first + to.0);
        let updates = Vec::new().into();
        system.rules.push(Rule { from, to, stack, guard: None, updates, with, silent: false, label: None });
    }
    let mut stack = system.start.stack.to_vec();
    stack.push(bottom);
    system.start.stack = stack.into();
    let accepting = (0..).zip(&set.states).filter(|(_, state)| state.accepting);
    let goals = accepting.map(|(number, _): (u32, _)| Head { control: ControlId(first + number), symbol: bottom });
    Some((system, goals.collect()))
}

/// A symbol without a place.
pub(super) fn plain(name: Name, frame: Option<spds_format::model::FrameId>) -> Symbol {
    Symbol { name, frame, place: None, labels: Box::new([]), invariant: None }
}

/// The name, or one that is like it and that nothing has.
pub(super) fn unused(names: &[Name], name: String) -> Name {
    let mut name = name;
    while names.iter().any(|known| **known == *name) {
        name.push('\'');
    }
    name.as_str().into()
}

/// What lies below need not satisfy its invariant until it is uncovered, by whoever runs. So each symbol with an invariant lies
/// below as another one, that has none and becomes it.
fn uncovered(spds: &Spds, system: &mut Spds) -> BTreeMap<SymbolId, SymbolId> {
    let mut below = BTreeMap::new();
    let names: Vec<Name> = spds.symbols.iter().map(|symbol| symbol.name.clone()).collect();
    let mut lies = |system: &mut Spds, symbol: SymbolId| {
        let Symbol { name, frame, invariant: Some(_), .. } = spds.symbol(symbol) else { return symbol };
        *below.entry(symbol).or_insert_with(|| {
            system.symbols.push(plain(unused(&names, format!("@below {name}")), *frame));
            SymbolId(system.symbols.len() as u32 - 1)
        })
    };
    for number in 0..system.rules.len() {
        if let Stack::Push(entry, site) = system.rules[number].stack {
            system.rules[number].stack = Stack::Push(entry, lies(system, site));
        }
    }
    let stack = spds.start.stack.iter().enumerate();
    let stack = stack.map(|(place, symbol)| if place == 0 { *symbol } else { lies(system, *symbol) });
    system.start.stack = stack.collect::<Vec<_>>().into();
    for control in (0..spds.controls.len() as u32).map(ControlId) {
        for (&symbol, &own) in &below {
            let (from, stack) = (Head { control, symbol: own }, Stack::Swap(symbol));
            let updates = Vec::new().into();
            system.rules.push(Rule {
                from,
                to: control,
                stack,
                guard: None,
                updates,
                with: None,
                silent: true,
                label: None,
            });
        }
    }
    below
}

/// What an edge says, of the globals in which there is what states carry; those of the state that it leads to are arbitrary otherwise.
fn condition(system: &Spds, edge: &Edge, carried: &BTreeMap<(u32, Var), u32>) -> Option<Expr> {
    let read = |var: Var, time: Time| {
        let (end, time) = match time {
            Time::Before => return Some((var, time)),
            Time::After => (edge.to, Time::After),
            Time::Saved => (edge.from, Time::Before),
        };
        let End::State(state) = end else { return None };
        Some((Var::Global(*carried.get(&(state.0, var))?), time))
    };
    let mut all = renamed(edge, &read)?;
    let End::State(to) = edge.to else { return None };
    for ((_, _), global) in carried.iter().filter(|((state, _), _)| *state == to.0) {
        all = all.and(&anything(Var::Global(*global), system.globals[*global as usize].ty));
    }
    Some(all)
}

/// What an edge says, of other variables.
pub(super) fn renamed(edge: &Edge, read: &dyn Fn(Var, Time) -> Option<(Var, Time)>) -> Option<Expr> {
    let Some(condition) = &edge.condition else { return Some(Expr::constant(true)) };
    let mut ops = Vec::new();
    for op in condition.ops() {
        ops.push(match *op {
            Op::Read(var, time) => read(var, time).map(|(var, time)| Op::Read(var, time))?,
            Op::Cell(var, time) => read(var, time).map(|(var, time)| Op::Cell(var, time))?,
            other => other,
        });
    }
    Expr::from_postorder(ops)
}

/// A condition that is always true and mentions a variable after the step, which would keep its value else.
pub(super) fn anything(var: Var, ty: Type) -> Expr {
    let value = match ty.range {
        Some((first, _)) => Expr::apply(Op::Cell(var, Time::After), &[&Expr::number(first.into())]),
        None => Expr::read(var, Time::After),
    };
    match ty.scalar {
        Scalar::Bool => value.binary(Binary::Or, &value.not()),
        Scalar::Unsigned(_) => value.binary(Binary::Eq, &value),
    }
}
