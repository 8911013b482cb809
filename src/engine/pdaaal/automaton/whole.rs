//! The set that the pieces of a P-automaton make: one without edges that read nothing.

use std::collections::{BTreeSet, HashSet};

use spds_format::automaton::{Automaton, Edge, End, State, StateId};
use spds_format::model::{ControlId, Name, SymbolId};

/// What a text says.
pub(super) struct Pieces {
    pub accepting: HashSet<End>,
    pub edges: Vec<(End, SymbolId, StateId)>,
    /// Edges that read nothing.
    pub silent: Vec<(End, StateId)>,
}

/// The set; what ends without a stack goes to a state with the last name, if anything does.
///
/// A state that is followed by another one without reading has the edges of that one, and accepts if that one does.
pub(super) fn whole(names: Vec<Name>, bottom: Name, pieces: Pieces) -> Automaton {
    let Pieces { accepting, mut edges, mut silent } = pieces;
    let mut ends = vec![false; names.len()];
    let mut empty: BTreeSet<ControlId> = BTreeSet::new();
    let mut accept = |end: End| match end {
        End::Control(control) => drop(empty.insert(control)),
        End::State(state) => ends[state.0 as usize] = true,
    };
    accepting.iter().for_each(|end| accept(*end));
    edges.sort_unstable();
    edges.dedup();
    silent.sort_unstable();
    silent.dedup();
    let mut copies = Vec::new();
    for group in silent.chunk_by(|one, other| one.0 == other.0) {
        let from = group[0].0;
        let mut seen: HashSet<StateId> = HashSet::new();
        let mut open: Vec<StateId> = group.iter().map(|(_, to)| *to).collect();
        while let Some(state) = open.pop() {
            let end = End::State(state);
            if end == from || !seen.insert(state) {
                continue;
            }
            if accepting.contains(&end) {
                accept(from);
            }
            copies.extend(leaving(&edges, end, |edge| edge.0).iter().map(|(_, symbol, to)| (from, *symbol, *to)));
            open.extend(leaving(&silent, end, |edge| edge.0).iter().map(|(_, to)| *to));
        }
    }
    edges.extend(copies);
    edges.sort_unstable();
    edges.dedup();
    let state = |(name, accepting)| State { name, frame: None, carries: Box::default(), accepting };
    let mut states: Vec<State> = names.into_iter().zip(ends).map(state).collect();
    let edge = |from, symbol, to| Edge { from, symbol, to: End::State(to), condition: None };
    let mut all: Vec<Edge> = edges.into_iter().map(|(from, symbol, to)| edge(from, Some(symbol), to)).collect();
    if !empty.is_empty() {
        let to = StateId(states.len() as u32);
        states.push(state((bottom, true)));
        all.extend(empty.into_iter().map(|control| edge(End::Control(control), None, to)));
    }
    Automaton { states, edges: all }
}

/// The edges from there, of a list in the order of where edges begin.
fn leaving<T>(edges: &[T], from: End, source: impl Fn(&T) -> End) -> &[T] {
    let first = edges.partition_point(|edge| source(edge) < from);
    let rest = &edges[first..];
    &rest[..rest.partition_point(|edge| source(edge) == from)]
}
