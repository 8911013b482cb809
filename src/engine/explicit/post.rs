//! post*

use petgraph::graph::NodeIndex;
use rustc_hash::{FxHashMap, FxHashSet};
use spds_format::Spds;
use spds_format::automaton::{Automaton, Edge, End, State, StateId};
use spds_format::model::{ControlId, Head, Name, Stack, SymbolId};

use super::graph::{Entries, Graph};
use super::heads::{Move, Rules};
use super::pre::enough;
use super::saturate::{Demand, Saturation, below, bits};
use super::set::Set;
use crate::limits::{Limits, Stop};

/// All configurations that can be reached from one of the set. The states are those of the set, then new ones, each named
/// for the symbol that it reads.
///
/// [`super::applies`] must hold. Only what is reached costs: with n heads and k control locations time O(r · k · k/64) at
/// worst for the returns of calls, and then in proportion to the graph of heads and to the resulting edges.
///
/// # Errors
/// If a limit is met.
pub fn post(spds: &Spds, set: &Automaton, limits: &Limits) -> Result<Automaton, Stop> {
    let rules = Rules::new(spds);
    let below = below(set);
    let mut all = Saturation::new(spds, &rules, &below, Demand::Reached, *limits);
    for edge in &set.edges {
        if let (End::Control(control), Some(symbol), End::State(to)) = (edge.from, edge.symbol, edge.to) {
            all.begin(Head { control, symbol }, to);
        }
    }
    all.run()?;
    let graph = Graph::new(&rules, &all, Entries::Apart);
    let frames = Frames::new(&rules, &all, &graph, set.states.len());
    automaton(spds, set, &all, &graph, &frames, limits)
}

/// What lies below the heads of each component.
struct Frames {
    /// The new states: the symbol that lies below, and the component in which the call was made.
    calls: Vec<(SymbolId, u32)>,
    /// For each component the states that lie below it: those of the set, then the new ones.
    below: Vec<Set>,
}

impl Frames {
    fn new(rules: &Rules<'_>, all: &Saturation<'_>, graph: &Graph, states: usize) -> Frames {
        let component = |node: u32| graph.component_of[node as usize] as usize;
        let mut calls: Vec<(SymbolId, u32)> = Vec::new();
        let mut state_of: FxHashMap<(SymbolId, u32), u32> = FxHashMap::default();
        let mut begin: Vec<(usize, u32)> = all.firsts.iter().map(|(node, state)| (component(*node), state.0)).collect();
        for (head, node) in all.heads.iter() {
            for Move { to, stack, .. } in rules.of(head) {
                let Stack::Push(symbol, below) = stack else { continue };
                let entry = all.heads.get(Head { control: to, symbol }).expect("what is called is reached");
                let call = (below, graph.component_of[node as usize]);
                let state = *state_of.entry(call).or_insert_with(|| {
                    calls.push(call);
                    (states + calls.len() - 1) as u32
                });
                begin.push((component(entry), state));
            }
        }
        begin.sort_unstable();
        begin.dedup();
        let bound = states + calls.len();
        let mut below = vec![Set::new(); graph.components.len()];
        for (component, state) in begin {
            below[component].insert(state, bound);
        }
        for (number, members) in graph.components.iter().enumerate() {
            let own = std::mem::replace(&mut below[number], Set::new());
            let next = members.iter().flat_map(|member| graph.edges.neighbors(NodeIndex::new(*member as usize)));
            let next = next.map(|node| component(node.index() as u32)).filter(|next| *next != number);
            let next: FxHashSet<usize> = next.collect();
            next.into_iter().for_each(|next| below[next].join(&own, bound));
            below[number] = own;
        }
        Frames { calls, below }
    }
}

fn automaton(
    spds: &Spds,
    set: &Automaton,
    all: &Saturation<'_>,
    graph: &Graph,
    frames: &Frames,
    limits: &Limits,
) -> Result<Automaton, Stop> {
    let mut states = set.states.clone();
    let mut names: FxHashSet<Name> = states.iter().map(|state| state.name.clone()).collect();
    let mut numbers: FxHashMap<SymbolId, u64> = FxHashMap::default();
    for (symbol, _) in &frames.calls {
        let stem = &spds.symbol(*symbol).name;
        let number = numbers.entry(*symbol).or_default();
        let name = loop {
            *number += 1;
            let name: Name = if *number == 1 { stem.clone() } else { format!("{stem}/{number}").into() };
            if names.insert(name.clone()) {
                break name;
            }
        };
        states.push(State { name, frame: None, carries: Box::default(), accepting: false });
    }
    let mut heads: Vec<(Head, u32)> = all.heads.iter().collect();
    heads.sort_unstable();
    let of_head = |node: u32| &frames.below[graph.component_of[node as usize] as usize];
    let count: u64 = heads.iter().map(|(_, node)| of_head(*node).len() as u64).sum::<u64>()
        + frames.calls.iter().map(|(_, component)| frames.below[*component as usize].len() as u64).sum::<u64>();
    enough(limits, count)?;
    let mut edges: Vec<Edge> = Vec::with_capacity(count as usize);
    let mut add = |from: End, symbol: SymbolId, below: &Set| {
        let edge = |state| Edge { from, symbol: Some(symbol), to: End::State(StateId(state)), condition: None };
        edges.extend(below.iter().map(edge));
    };
    for (Head { control, symbol }, node) in heads {
        add(End::Control(control), symbol, of_head(node));
    }
    for ((symbol, component), state) in frames.calls.iter().zip(set.states.len() as u32..) {
        add(End::State(StateId(state)), *symbol, &frames.below[*component as usize]);
    }
    edges.extend(set.edges.iter().filter(|edge| matches!(edge.from, End::State(_))).cloned());
    // The empty stack.
    let mut empty: FxHashSet<(ControlId, StateId)> = FxHashSet::default();
    let kept = set.edges.iter().filter(|edge| edge.symbol.is_none());
    let kept = kept.filter_map(|edge| match (edge.from, edge.to) {
        (End::Control(control), End::State(to)) => Some((control, to)),
        _ => None,
    });
    let accepting = (set.states.iter().zip(0..)).filter(|(state, _)| state.accepting).map(|(_, number)| number);
    let popped = accepting.flat_map(|state| bits(all.row(state)).map(move |bit| (ControlId(bit), StateId(state))));
    for (control, to) in kept.chain(popped).filter(|pair| empty.insert(*pair)) {
        edges.push(Edge { from: End::Control(control), symbol: None, to: End::State(to), condition: None });
    }
    Ok(Automaton { states, edges })
}
