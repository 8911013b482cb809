//! Strongly connected components of automata, and what can be left out because of them.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use super::automaton::{Tgba, Transition};
use super::marks::Marks;

/// The components, each after those that lead to it.
pub(super) struct Components {
    /// For each state the index of its component.
    pub(super) of: Vec<usize>,
    /// For each component its states, in ascending order.
    pub(super) members: Vec<Vec<u32>>,
}

/// The strongly connected components.
pub(super) fn components(tgba: &Tgba) -> Components {
    of_edges(tgba.states.len(), tgba.states.iter().map(|edges| edges.iter().map(|edge| edge.to)))
}

/// The components of the graph in which the n-th item lists the successors of the n-th state.
pub(super) fn of_edges<E: IntoIterator<Item = u32>>(states: usize, edges: impl IntoIterator<Item = E>) -> Components {
    let mut graph: DiGraph<(), ()> = DiGraph::with_capacity(states, 0);
    for _ in 0..states {
        graph.add_node(());
    }
    for (from, targets) in edges.into_iter().enumerate() {
        for to in targets {
            graph.add_edge(NodeIndex::new(from), NodeIndex::new(to as usize), ());
        }
    }
    let mut of = vec![0; states];
    let mut members: Vec<Vec<u32>> = Vec::new();
    // The library lists a component before those that lead to it.
    for component in kosaraju_scc(&graph).into_iter().rev() {
        let mut states: Vec<u32> = component.into_iter().map(|node| node.index() as u32).collect();
        states.sort_unstable();
        for state in &states {
            of[*state as usize] = members.len();
        }
        members.push(states);
    }
    Components { of, members }
}

/// The edges inside of a component.
fn inside<'a>(tgba: &'a Tgba, of: &'a [usize], states: &'a [u32]) -> impl Iterator<Item = (u32, &'a Transition)> + 'a {
    let edges = states.iter().flat_map(|state| tgba.states[*state as usize].iter().map(move |edge| (*state, edge)));
    edges.filter(|(from, edge)| of[*from as usize] == of[edge.to as usize])
}

/// Whether some run stays in the component and meets all marks infinitely often.
pub(super) fn is_accepting(tgba: &Tgba, of: &[usize], states: &[u32]) -> bool {
    let mut met = Marks::default();
    let mut edges = 0;
    for (_, edge) in inside(tgba, of, states) {
        met.extend(&edge.marks);
        edges += 1;
    }
    edges > 0 && Marks::below(tgba.marks).is_within(&met)
}

/// Whether some cycle in the component uses only chosen edges.
pub(super) fn has_cycle(tgba: &Tgba, of: &[usize], states: &[u32], chosen: &dyn Fn(u32, &Transition) -> bool) -> bool {
    let place = |state: u32| states.binary_search(&state).expect("edges inside a component stay there") as u32;
    let mut edges: Vec<Vec<u32>> = vec![Vec::new(); states.len()];
    for (from, edge) in inside(tgba, of, states).filter(|(from, edge)| chosen(*from, edge)) {
        if from == edge.to {
            return true;
        }
        edges[place(from) as usize].push(place(edge.to));
    }
    let components = of_edges(states.len(), edges);
    components.members.len() < states.len()
}

/// Leaves out states from which nothing is accepted and those that are not reached; takes away marks where they mean
/// nothing, and marks that another mark or all edges make superfluous.
pub(super) fn filter(tgba: &mut Tgba) {
    let Components { of, members } = components(tgba);
    let accepting: Vec<bool> = members.iter().map(|states| is_accepting(tgba, &of, states)).collect();
    // Components come after those that lead to them, so backwards successors are known.
    let mut useful = vec![false; members.len()];
    for component in (0..members.len()).rev() {
        useful[component] = accepting[component]
            || members[component].iter().any(|s| tgba.states[*s as usize].iter().any(|e| useful[of[e.to as usize]]));
    }
    for state in 0..tgba.states.len() {
        let here = of[state];
        let mut edges = std::mem::take(&mut tgba.states[state]);
        edges.retain(|edge| useful[here] && useful[of[edge.to as usize]]);
        for edge in &mut edges {
            if of[edge.to as usize] != here || !accepting[here] {
                edge.marks = Marks::default();
            }
        }
        tgba.states[state] = edges;
    }
    reduce_marks(tgba, &of, &members, &accepting);
    tgba.trim();
}

/// In each accepting component leaves only marks that matter there, numbered from 0; the others are put on every edge.
/// Where one mark is left that every cycle meets, it is put on every edge.
fn reduce_marks(tgba: &mut Tgba, of: &[usize], members: &[Vec<u32>], accepting: &[bool]) {
    let mut needed = vec![Vec::new(); members.len()];
    for component in (0..members.len()).filter(|component| accepting[*component]) {
        let states = &members[component];
        let edges: Vec<&Transition> = inside(tgba, of, states).map(|(_, edge)| edge).collect();
        let mut kept: Vec<u32> = (0..tgba.marks).filter(|m| edges.iter().any(|edge| !edge.marks.has(*m))).collect();
        // A mark that is on every edge that bears some other needs no watching; of equal ones the first is kept.
        let implied = |a: u32, b: u32| edges.iter().all(|edge| !edge.marks.has(a) || edge.marks.has(b));
        let mut index = 0;
        while index < kept.len() {
            let mark = kept[index];
            if kept
                .iter()
                .any(|other| *other != mark && implied(*other, mark) && (*other < mark || !implied(mark, *other)))
            {
                kept.remove(index);
            } else {
                index += 1;
            }
        }
        // Every cycle meets it anyway.
        kept.retain(|mark| has_cycle(tgba, of, states, &|_, edge| !edge.marks.has(*mark)));
        needed[component] = kept;
    }
    let marks = needed.iter().map(Vec::len).max().unwrap_or(0) as u32;
    for (component, kept) in needed.iter().enumerate().filter(|(component, _)| accepting[*component]) {
        for state in &members[component] {
            for edge in &mut tgba.states[*state as usize] {
                if of[edge.to as usize] == component {
                    let kept_here = kept.iter().zip(0..).filter(|(mark, _)| edge.marks.has(**mark)).map(|(_, new)| new);
                    edge.marks = kept_here.chain(kept.len() as u32..marks).collect();
                }
            }
        }
    }
    tgba.marks = marks;
    // With no mark at all every run is accepted: a component that should not be must say so.
    if marks == 0 && (0..members.len()).any(|c| !accepting[c] && has_cycle(tgba, of, &members[c], &|_, _| true)) {
        tgba.marks = 1;
        for component in (0..members.len()).filter(|component| accepting[*component]) {
            for state in &members[component] {
                for edge in &mut tgba.states[*state as usize] {
                    if of[edge.to as usize] == component {
                        edge.marks = Marks::one(0);
                    }
                }
            }
        }
    }
}
