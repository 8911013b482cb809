//! The graph of heads, its components, and which of them runs can stay in for ever.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::FxHashMap;
use spds_format::model::{ControlId, Head, Stack, SymbolId};

use super::heads::{Move, Rules};
use super::saturate::{Saturation, bits};

/// Whether to enter a call is an edge, beside coming back from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entries {
    /// It is not: this is about what happens inside one call.
    Apart,
    /// It is: calls may stay pending.
    Edges,
}

/// A call that returns is one edge. Nodes are those of the saturation, then one for each set of control locations in which
/// calls return above the same symbol; components come after those that lead to them. Edges tell whether the mark is met.
pub(super) struct Graph {
    pub component_of: Vec<u32>,
    pub components: Vec<Vec<u32>>,
    pub edges: DiGraph<(), bool>,
}

/// The nodes for calls that return.
struct Joints<'s, 'a> {
    all: &'s Saturation<'a>,
    /// Calls return in few different sets of control locations.
    set_of: FxHashMap<&'s [u64], u32>,
    known: FxHashMap<(u32, SymbolId), NodeIndex>,
}

impl<'s> Joints<'s, '_> {
    /// Those that return with a row, above this symbol.
    fn of(&mut self, edges: &mut DiGraph<(), bool>, row: &'s [u64], symbol: SymbolId) -> NodeIndex {
        let sets = self.set_of.len() as u32;
        let set = *self.set_of.entry(row).or_insert(sets);
        let all = self.all;
        *self.known.entry((set, symbol)).or_insert_with(|| {
            let next = edges.add_node(());
            for bit in bits(row) {
                edges.add_edge(next, node(all, Head { control: ControlId(bit), symbol }), false);
            }
            next
        })
    }
}

fn node(all: &Saturation<'_>, head: Head) -> NodeIndex {
    NodeIndex::new(all.heads.get(head).expect("what a reached head leads to is reached") as usize)
}

impl Graph {
    pub fn new(rules: &Rules<'_>, all: &Saturation<'_>, entries: Entries) -> Graph {
        let mut edges: DiGraph<(), bool> = DiGraph::with_capacity(all.len(), 0);
        (0..all.len()).for_each(|_| {
            edges.add_node(());
        });
        let mut joints = Joints { all, set_of: FxHashMap::default(), known: FxHashMap::default() };
        for (head, number) in all.heads.iter() {
            let from = NodeIndex::new(number as usize);
            for Move { to, stack, marked, .. } in rules.of(head) {
                match stack {
                    Stack::Pop => {}
                    Stack::Swap(symbol) => {
                        edges.add_edge(from, node(all, Head { control: to, symbol }), marked);
                    }
                    Stack::Push(symbol, below) => {
                        let entry = node(all, Head { control: to, symbol });
                        if entries == Entries::Edges {
                            edges.add_edge(from, entry, marked);
                        }
                        let next = joints.of(&mut edges, all.row(entry.index() as u32), below);
                        edges.add_edge(from, next, marked);
                        if rules.marked() && !marked && entries == Entries::Edges {
                            let next = joints.of(&mut edges, all.marked_row(entry.index() as u32), below);
                            edges.add_edge(from, next, true);
                        }
                    }
                }
            }
        }
        let mut component_of = vec![0; edges.node_count()];
        let mut components = Vec::new();
        // The library lists a component before those that lead to it.
        for component in kosaraju_scc(&edges).into_iter().rev() {
            let members: Vec<u32> = component.into_iter().map(|node| node.index() as u32).collect();
            members.iter().for_each(|member| component_of[*member as usize] = components.len() as u32);
            components.push(members);
        }
        Graph { component_of, components, edges }
    }

    /// The component of a node.
    pub fn component(&self, node: u32) -> u32 {
        self.component_of[node as usize]
    }

    /// For each component whether it has an edge of this kind, which begins at a node and may bear the mark: then there is a
    /// cycle through that edge.
    pub fn cyclic(&self, heads: usize, counts: impl Fn(u32, bool) -> bool) -> Vec<bool> {
        let mut cyclic = vec![false; self.components.len()];
        for edge in self.edges.raw_edges() {
            let (from, to) = (edge.source().index(), edge.target().index());
            if from < heads && self.component_of[from] == self.component_of[to] && counts(from as u32, edge.weight) {
                cyclic[self.component_of[from] as usize] = true;
            }
        }
        cyclic
    }
}
