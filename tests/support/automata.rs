//! Random regular sets of configurations: small automata whose states carry values.

use fastrand::Rng;
use spds_format::Spds;
use spds_format::automaton::{Automaton, Edge, End, State, StateId};
use spds_format::expr::Time;
use spds_format::model::{ControlId, FrameId, SymbolId, Type, Var, Variable};

use super::systems::relation;
use super::{one_in, pick};

/// The random set of this seed, valid as an input.
pub fn automaton(seed: u64, spds: &Spds, carry: Carry) -> Automaton {
    let rng = &mut Rng::with_seed(seed ^ 0x0A07_03A7);
    let count = 1 + rng.u32(..3);
    let states = (0..count).map(|number| {
        let frame = (!one_in(rng, 3)).then(|| FrameId(rng.u32(..spds.frames.len() as u32)));
        let mut carries: Vec<Var> = Vec::new();
        if carry == Carry::Values && one_in(rng, 2) {
            let globals = (0..spds.globals.len() as u32).map(Var::Global);
            let locals = frame.map_or(0, |frame| spds.frame(frame).variables.len() as u32);
            carries.extend(globals.chain((0..locals).map(Var::Local)).filter(|_| one_in(rng, 3)));
        }
        carries.truncate(2);
        let frame = frame.filter(|_| carry == Carry::Values);
        State { name: format!("s{number}").into(), frame, carries: carries.into(), accepting: one_in(rng, 2) }
    });
    let mut automaton = Automaton { states: states.collect(), edges: Vec::new() };
    let last = automaton.states.len() - 1;
    automaton.states[last].accepting = true;
    let bottom: Vec<SymbolId> = spds.start.stack.iter().skip(1).copied().collect();
    for number in 0..rng.usize(4..14) {
        let from = match number {
            0..3 => End::Control(ControlId(rng.u32(..spds.controls.len() as u32))),
            _ if one_in(rng, 4) => End::Control(ControlId(rng.u32(..spds.controls.len() as u32))),
            _ => End::State(StateId(rng.u32(..count))),
        };
        let symbol = match bottom.is_empty() || !one_in(rng, 4) {
            true => SymbolId(rng.u32(..spds.symbols.len() as u32)),
            false => *pick(rng, &bottom),
        };
        let to = End::State(StateId(rng.u32(..count)));
        let mut edge = Edge { from, symbol: Some(symbol), to, condition: None };
        if !one_in(rng, 3) {
            let reads = readable(spds, &automaton, &edge);
            edge.condition = Some(relation(rng, reads));
        }
        automaton.edges.push(edge);
    }
    automaton
}

/// Whether states carry values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carry {
    Nothing,
    Values,
}

/// What the condition of an edge may read.
fn readable(spds: &Spds, automaton: &Automaton, edge: &Edge) -> Vec<(Var, Time, Type)> {
    fn all(variables: &[Variable], var: fn(u32) -> Var) -> Vec<(Var, Time, Type)> {
        (0..).zip(variables).map(|(number, variable)| (var(number), Time::Before, variable.ty)).collect()
    }
    let mut reads = edge.symbol.map_or_else(Vec::new, |symbol| all(spds.locals(symbol), Var::Local));
    if matches!(edge.from, End::Control(_)) {
        reads.extend(all(&spds.globals, Var::Global));
    }
    for (end, time) in [(edge.from, Time::Saved), (edge.to, Time::After)] {
        let End::State(id) = end else { continue };
        let state = automaton.state(id);
        let ty = |var: Var| spds.variable(state.frame, var).expect("a state carries what there is").ty;
        reads.extend(state.carries.iter().map(|var| (*var, time, ty(*var))));
    }
    reads
}
