//! Runs that begin in any configuration of a regular set, as runs that begin in one: first they build its stack, from the bottom.
//!
//! Who builds is in the state of the automaton in which the rest of the stack is accepted, which is a control location, and has what the
//! state carries in globals of its own.

use std::collections::BTreeMap;

use spds_format::Spds;
use spds_format::automaton::{Automaton, Edge, End};
use spds_format::expr::{Expr, Time};
use spds_format::model::{ControlId, Head, Name, Rule, Stack, Start, SymbolId, Var, Variable};

use super::popped::{Read, anything, plain, read_off, renamed, unused};

/// A system whose runs come to one of these heads if and only if those of the other that begin in a configuration of the first set, whichever, come
/// to one of the second, with whatever stack; but those that no run shows because only silent rules leave them do not count. Both sets must be valid as
/// inputs. Nothing if a condition could not be written.
pub fn between(spds: &Spds, from: &Automaton, to: &Automaton) -> Option<(Spds, Vec<Head>)> {
    read_off(&begun(spds, from)?, to, Read::All)
}

/// A system whose runs build the configurations of a set, and go on as those of the other.
fn begun(spds: &Spds, set: &Automaton) -> Option<Spds> {
    let mut system = spds.clone();
    (system.end, system.fail) = (None, None);
    let symbols: Vec<Name> = spds.symbols.iter().map(|symbol| symbol.name.clone()).collect();
    let top = SymbolId(system.symbols.len() as u32);
    system.symbols.push(plain(unused(&symbols, "@top".into()), None));
    let begin = ControlId(system.controls.len() as u32);
    system.controls.push(unused(&spds.controls, "@begin".into()));
    let mut carried = BTreeMap::new();
    for (number, state) in (0..).zip(&set.states) {
        system.controls.push(unused(&spds.controls, format!("@begin {number}")));
        for (place, var) in state.carries.iter().enumerate() {
            let ty = spds.variable(state.frame, *var)?.ty;
            carried.insert((number, *var), system.globals.len() as u32);
            let name = format!("@begun {number} {place}").as_str().into();
            system.globals.push(Variable { name, ty, hidden: false });
        }
    }
    let building = |number: u32| ControlId(begin.0 + 1 + number);
    let mut rule = |from: ControlId, to: ControlId, stack: Stack, with: Option<Expr>| {
        let (from, updates) = (Head { control: from, symbol: top }, Vec::new().into());
        system.rules.push(Rule { from, to, stack, guard: None, updates, with, silent: false, label: None });
    };
    for (number, _) in (0..).zip(&set.states).filter(|(_, state)| state.accepting) {
        rule(begin, building(number), Stack::Swap(top), None);
    }
    for edge in &set.edges {
        let End::State(to) = edge.to else { return None };
        let with = Some(condition(spds, set, edge, &carried)?);
        match (edge.from, edge.symbol) {
            (End::State(from), Some(symbol)) => {
                rule(building(to.0), building(from.0), Stack::Push(top, symbol), with);
            }
            (End::Control(control), Some(symbol)) => rule(building(to.0), control, Stack::Swap(symbol), with),
            (End::Control(control), None) => rule(begin, control, Stack::Pop, with),
            (End::State(_), None) => return None,
        }
    }
    system.start = Start { control: begin, stack: [top].into(), condition: None };
    Some(system)
}

/// What an edge says where the rule that stands for it is taken, which goes against the edge: what its end carries is there before, and what its
/// beginning carries is arbitrary beyond that.
fn condition(spds: &Spds, set: &Automaton, edge: &Edge, carried: &BTreeMap<(u32, Var), u32>) -> Option<Expr> {
    let own = |end: End, var: Var| match end {
        End::State(state) => carried.get(&(state.0, var)).map(|global| Var::Global(*global)),
        End::Control(_) => None,
    };
    let read = |var: Var, time: Time| {
        Some(match (time, var) {
            (Time::Before, Var::Global(_)) => (var, Time::Before),
            // Of the symbol that is read: it is on top after the last rule, and below after the others.
            (Time::Before, Var::Local(_)) => {
                (var, if matches!(edge.from, End::Control(_)) { Time::After } else { Time::Saved })
            }
            (Time::After, _) => (own(edge.to, var)?, Time::Before),
            (Time::Saved, _) => (own(edge.from, var)?, Time::After),
        })
    };
    let mut all = renamed(edge, &read)?;
    if let End::State(from) = edge.from {
        let state = &set.states[from.0 as usize];
        for var in &state.carries {
            let ty = spds.variable(state.frame, *var)?.ty;
            all = all.and(&anything(own(edge.from, *var)?, ty));
        }
    }
    Some(all)
}
