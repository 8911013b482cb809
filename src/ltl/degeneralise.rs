//! From several marks to one: Gastin and Oddoux, *Fast LTL to Büchi automata translation* (CAV 2001), component by
//! component (Babiak, Badie, Duret-Lutz, Křetínský and Strejček, *Compositional approach to suspension and other
//! improvements to LTL translation*, SPIN 2013).

use std::collections::BTreeMap;

use super::automaton::{Tgba, Transition};
use super::components::{Components, components, is_accepting};
use super::marks::Marks;

/// An automaton with one mark for the same language. A state is split by how many marks, in this order, have been met
/// since all were; outside of accepting components it is not. Leaves automata with at most one mark as they are.
pub(super) fn degeneralise(tgba: &Tgba, order: &[u32]) -> Tgba {
    if tgba.marks <= 1 {
        return tgba.clone();
    }
    let Components { of, members } = components(tgba);
    let accepting: Vec<bool> = members.iter().map(|states| is_accepting(tgba, &of, states)).collect();
    let mut number: BTreeMap<(u32, usize), u32> = BTreeMap::from([((tgba.initial, 0), 0)]);
    let mut order_met = vec![(tgba.initial, 0)];
    let mut states = Vec::new();
    while let Some((state, level)) = order_met.get(states.len()).copied() {
        let mut edges = Vec::new();
        for edge in &tgba.states[state as usize] {
            let here = of[state as usize];
            let inside = of[edge.to as usize] == here && accepting[here];
            let (next, marked) = if inside { step(level, &edge.marks, order) } else { (0, false) };
            let fresh = number.len() as u32;
            let to = *number.entry((edge.to, next)).or_insert(fresh);
            if to == fresh {
                order_met.push((edge.to, next));
            }
            let marks = if marked { Marks::one(0) } else { Marks::default() };
            edges.push(Transition { to, marks, label: edge.label });
        }
        states.push(edges);
    }
    let mut result =
        Tgba { propositions: tgba.propositions.clone(), labels: tgba.labels.clone(), states, initial: 0, marks: 1 };
    result.tidy();
    result
}

/// The level after an edge, and whether all marks have been met.
fn step(level: usize, marks: &Marks, order: &[u32]) -> (usize, bool) {
    let advance = |from: usize| order[from..].iter().take_while(|mark| marks.has(**mark)).count() + from;
    let reached = advance(level);
    if reached < order.len() {
        return (reached, false);
    }
    // What is on this edge counts for the next turn, too; but a turn takes at least one edge.
    (advance(0) % order.len(), true)
}
