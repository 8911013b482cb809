//! Whether runs come to a regular set of configurations, on concrete values: for each frame in which a run can be, from which
//! states of the automaton what lies below it is accepted.

use std::collections::{BTreeMap, BTreeSet};

use spds_format::Spds;
use spds_format::automaton::{Automaton, Edge, End};
use spds_format::model::{Symbol, SymbolId, Var};

use super::semantics::{domains, holds_on_edge, product};
use super::{Context, Explored, Next, State, locals, successors};

/// A state of the automaton with the values that it carries; all others are 0.
type Carrying = (u32, Vec<u64>, Vec<u64>);

/// Whether some configuration of the set is reached, and not hidden.
pub fn reaches(spds: &Spds, explored: &Explored, set: &Automaton) -> bool {
    let world = World::new(spds, set);
    let below = world.below(explored);
    let empty = BTreeSet::new();
    explored.edges.iter().any(|(context, state)| {
        let head = (state.control, state.symbol);
        let hidden = spds.rules.iter().any(|rule| rule.silent && (rule.from.control, rule.from.symbol) == head);
        let accepted = below.get(context).unwrap_or(&empty);
        !hidden && accepted.iter().any(|after| world.reads(End::Control(state.control), state, after, None))
    })
}

struct World<'a> {
    /// The system with a further symbol for each frame, and one for none.
    spds: Spds,
    set: &'a Automaton,
    first: u32,
    all: Vec<Carrying>,
}

impl<'a> World<'a> {
    fn new(spds: &Spds, set: &'a Automaton) -> World<'a> {
        let mut more = spds.clone();
        let first = more.symbols.len() as u32;
        let frames = (0..spds.frames.len() as u32).map(|frame| Some(spds_format::model::FrameId(frame)));
        more.symbols.extend(frames.chain([None]).map(|frame| Symbol {
            name: "of a frame".into(),
            frame,
            place: None,
            labels: Box::default(),
            invariant: None,
        }));
        let mut world = World { spds: more, set, first, all: Vec::new() };
        for (id, state) in (0..).zip(&set.states) {
            let carried = |var: Var| state.carries.contains(&var);
            let lists = |variables: &[spds_format::model::Variable], var: fn(u32) -> Var| -> Vec<Vec<u64>> {
                let per = (0..).zip(variables).map(|(number, variable)| {
                    let all = domains(std::slice::from_ref(variable));
                    if carried(var(number)) { all } else { vec![vec![0]; all.len()] }
                });
                per.flatten().collect()
            };
            let frame = state.frame.map_or(&[][..], |frame| &spds.frame(frame).variables);
            for globals in product(&lists(&spds.globals, Var::Global)) {
                for locals in product(&lists(frame, Var::Local)) {
                    world.all.push((id, globals.clone(), locals));
                }
            }
        }
        world
    }

    fn symbol(&self, state: u32) -> SymbolId {
        let frames = self.spds.frames.len() as u32;
        SymbolId(self.first + self.set.states[state as usize].frame.map_or(frames, |frame| frame.0))
    }

    /// Whether some edge from there reads the symbol with its values into that state.
    fn reads(&self, from: End, read: &State, after: &Carrying, before: Option<&Carrying>) -> bool {
        let fits = |edge: &&Edge| {
            let to = matches!(edge.to, End::State(id) if id.0 == after.0);
            to && edge.from == from && edge.symbol == Some(read.symbol)
        };
        let before = before.unwrap_or(after);
        self.set.edges.iter().filter(fits).any(|edge| {
            edge.condition.as_ref().is_none_or(|condition| {
                let after = (&after.1[..], &after.2[..], self.symbol(after.0));
                let before = (&before.1[..], &before.2[..], self.symbol(before.0));
                holds_on_edge(&self.spds, condition, read, after, before)
            })
        })
    }

    /// From which states the stack that begins with the symbol is accepted, if what lies below is from those.
    fn above(&self, symbol: SymbolId, locals: &[u64], below: &BTreeSet<Carrying>) -> BTreeSet<Carrying> {
        let read = State {
            control: self.spds.start.control,
            symbol,
            globals: vec![0; domains(&self.spds.globals).len()],
            locals: locals.to_vec(),
        };
        let from = |carrying: &Carrying| End::State(spds_format::automaton::StateId(carrying.0));
        let accepted =
            |before: &&Carrying| below.iter().any(|after| self.reads(from(before), &read, after, Some(before)));
        self.all.iter().filter(accepted).cloned().collect()
    }

    fn below(&self, explored: &Explored) -> BTreeMap<Context, BTreeSet<Carrying>> {
        let spds = &self.spds;
        let accepting = |carrying: &&Carrying| self.set.states[carrying.0 as usize].accepting;
        let mut below: BTreeMap<Context, BTreeSet<Carrying>> = BTreeMap::new();
        let mut here: BTreeSet<Carrying> = self.all.iter().filter(accepting).cloned().collect();
        for level in (0..spds.start.stack.len()).rev() {
            below.insert(Context::Start(level), here.clone());
            let symbol = spds.start.stack[level];
            here = locals(spds, symbol).iter().flat_map(|locals| self.above(symbol, locals, &here)).collect();
        }
        let mut calls: BTreeSet<(&Context, Context, SymbolId, Vec<u64>)> = BTreeSet::new();
        for (context, state) in &explored.edges {
            for (_, next) in successors(spds, state) {
                if let Next::Push(entry, site, saved) = next {
                    calls.insert((context, Context::Call(entry), site, saved));
                }
            }
        }
        loop {
            let mut changed = false;
            for (caller, callee, site, saved) in &calls {
                let Some(accepted) = below.get(*caller) else { continue };
                let more = self.above(*site, saved, accepted);
                let known = below.entry(callee.clone()).or_default();
                let before = known.len();
                known.extend(more);
                changed |= known.len() > before;
            }
            if !changed {
                return below;
            }
        }
    }
}
