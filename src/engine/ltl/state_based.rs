//! Marks on states in place of edges, for tools that know no others.

use std::collections::BTreeMap;

use super::automaton::{Tgba, Transition};
use super::components::{Components, components, is_accepting};
use super::marks::Marks;

/// An automaton for the same language in which all edges of a state bear the same mark or none, from one with at most
/// one mark. A state is split in two only if what its edges bear and what those into it bear do not tell.
pub fn state_based(tgba: &Tgba) -> Tgba {
    let Components { of, members } = components(tgba);
    let accepting: Vec<bool> = members.iter().map(|states| is_accepting(tgba, &of, states)).collect();
    let inside =
        |from: u32, edge: &Transition| of[from as usize] == of[edge.to as usize] && accepting[of[from as usize]];
    let marked = |edge: &Transition| tgba.marks == 0 || edge.marks.has(0);
    let states = tgba.states.len();
    // Whether all edges inside a component that leave a state, or that enter it, are marked, and there are some.
    let (mut leaving, mut entering) = (vec![None; states], vec![None; states]);
    for (from, edges) in (0..).zip(&tgba.states) {
        for edge in edges.iter().filter(|edge| inside(from, edge)) {
            for all in [&mut leaving[from as usize], &mut entering[edge.to as usize]] {
                *all = Some(all.unwrap_or(true) && marked(edge));
            }
        }
    }
    let always = |state: u32| leaving[state as usize] == Some(true) || entering[state as usize] == Some(true);
    // The copy of a state in which the mark of the edge just taken is remembered.
    let target = |from: u32, edge: &Transition| {
        let remembered = inside(from, edge) && marked(edge) && leaving[from as usize] != Some(true) && !always(edge.to);
        (edge.to, remembered)
    };
    let mut number: BTreeMap<(u32, bool), u32> = BTreeMap::from([((tgba.initial, false), 0)]);
    let mut order = vec![(tgba.initial, false)];
    let mut result = Vec::new();
    while let Some((state, remembered)) = order.get(result.len()).copied() {
        let marks = if remembered || always(state) { Marks::one(0) } else { Marks::default() };
        let mut edges = Vec::new();
        for edge in &tgba.states[state as usize] {
            let next = target(state, edge);
            let fresh = number.len() as u32;
            let to = *number.entry(next).or_insert(fresh);
            if to == fresh {
                order.push(next);
            }
            edges.push(Transition { to, marks: marks.clone(), label: edge.label });
        }
        result.push(edges);
    }
    let mut result = Tgba {
        propositions: tgba.propositions.clone(),
        labels: tgba.labels.clone(),
        states: result,
        initial: 0,
        marks: 1,
    };
    result.tidy();
    result
}
