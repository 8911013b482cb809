//! Strongly connected components of the call graph, the parts in which control can come round: without values.

use std::collections::BTreeMap;

use petgraph::algo::kosaraju_scc;
use petgraph::graphmap::DiGraphMap;

use crate::flow::StateId;

/// Components of a graph of states.
pub(super) struct Parts {
    /// The states of each, those that are called before those that call.
    pub members: Vec<Vec<StateId>>,
    /// Whether control can come round in it.
    pub cyclic: Vec<bool>,
    of: BTreeMap<StateId, usize>,
}

impl Parts {
    /// Of these edges between these states. Linear.
    pub fn new(states: impl Iterator<Item = StateId>, edges: impl Iterator<Item = (StateId, StateId)>) -> Parts {
        let mut graph = DiGraphMap::<StateId, ()>::new();
        states.for_each(|state| {
            graph.add_node(state);
        });
        edges.for_each(|(from, to)| {
            graph.add_edge(from, to, ());
        });
        let mut members = kosaraju_scc(&graph);
        members.iter_mut().for_each(|part| part.sort_unstable());
        let cyclic = members.iter().map(|part| part.len() > 1 || graph.contains_edge(part[0], part[0])).collect();
        let numbered = members.iter().enumerate();
        let of = numbered.flat_map(|(number, part)| part.iter().map(move |state| (*state, number))).collect();
        Parts { members, cyclic, of }
    }

    /// The component of a state.
    pub fn of(&self, state: StateId) -> usize {
        self.of[&state]
    }
}
