//! From several marks to one: Gastin and Oddoux, *Fast LTL to Büchi automata translation* (CAV 2001), component by
//! component, with levels remembered (Babiak, Badie, Duret-Lutz, Křetínský and Strejček, *Compositional approach to
//! suspension and other improvements to LTL translation*, SPIN 2013).
//!
//! A state is split by how many marks, in some order, have been met since all were; outside of accepting components it is
//! not. All copies of a state accept the same words. So an edge into a component may lead to any copy, and leads to one
//! that is there already; and copies from which a copy in another component can be reached are left out.

use std::collections::BTreeMap;

use super::automaton::{Tgba, Transition};
use super::components::{Components, components, is_accepting};
use super::marks::Marks;

/// Where an edge leads from a level, and whether it is marked.
type Step<'a> = &'a dyn Fn(usize, &Marks) -> (usize, bool);

/// An automaton with one mark for the same language, marks in this order. Leaves automata with at most one mark as they
/// are.
pub(super) fn degeneralise(tgba: &Tgba, order: &[u32]) -> Tgba {
    if tgba.marks <= 1 {
        return tgba.clone();
    }
    levelled(tgba, &|level, marks| {
        let reached = advance(order, level, marks);
        if reached < order.len() {
            return (reached, false);
        }
        // What is on this edge counts for the next turn, too; but a turn takes at least one edge.
        (advance(order, 0, marks) % order.len(), true)
    })
}

/// The same with all edges of a state, inside its component, marked or none: those of states at which all marks have been
/// met.
pub(super) fn degeneralise_to_states(tgba: &Tgba, order: &[u32]) -> Tgba {
    levelled(tgba, &|level, marks| {
        let all = level == order.len();
        (advance(order, if all { 0 } else { level }, marks), all)
    })
}

/// The level after marks that are met at one.
fn advance(order: &[u32], level: usize, marks: &Marks) -> usize {
    level + order[level..].iter().take_while(|mark| marks.has(**mark)).count()
}

fn levelled(tgba: &Tgba, step: Step<'_>) -> Tgba {
    let Components { of, members } = components(tgba);
    let accepting: Vec<bool> = members.iter().map(|states| is_accepting(tgba, &of, states)).collect();
    let mut number: BTreeMap<(u32, usize), u32> = BTreeMap::from([((tgba.initial, 0), 0)]);
    let mut copies = vec![(tgba.initial, 0)];
    // The level of the first copy of each state.
    let mut first: BTreeMap<u32, usize> = BTreeMap::from([(tgba.initial, 0)]);
    let mut states = Vec::new();
    while let Some((state, level)) = copies.get(states.len()).copied() {
        let mut edges = Vec::new();
        for edge in &tgba.states[state as usize] {
            let here = of[state as usize];
            let inside = of[edge.to as usize] == here && accepting[here];
            let (next, marked) = match inside {
                true => step(level, &edge.marks),
                false => (first.get(&edge.to).copied().unwrap_or(0), false),
            };
            first.entry(edge.to).or_insert(next);
            let fresh = number.len() as u32;
            let to = *number.entry((edge.to, next)).or_insert(fresh);
            if to == fresh {
                copies.push((edge.to, next));
            }
            let marks = if marked { Marks::one(0) } else { Marks::default() };
            edges.push(Transition { to, marks, label: edge.label });
        }
        states.push(edges);
    }
    let mut result =
        Tgba { propositions: tgba.propositions.clone(), labels: tgba.labels.clone(), states, initial: 0, marks: 1 };
    lowest_only(&mut result, &copies);
    result
}

/// Leaves of all copies of a state only those in the lowest component that has some. Edges that are turned lead further
/// down than before, so no run takes them for ever.
fn lowest_only(tgba: &mut Tgba, copies: &[(u32, usize)]) {
    let Components { of, .. } = components(tgba);
    // Components are numbered downwards.
    let mut lowest: BTreeMap<u32, u32> = BTreeMap::new();
    for (copy, (state, _)) in (0..).zip(copies) {
        let known = lowest.entry(*state).or_insert(copy);
        if of[copy as usize] > of[*known as usize] {
            *known = copy;
        }
    }
    let turned = |copy: u32| {
        let down = lowest[&copies[copy as usize].0];
        if of[copy as usize] == of[down as usize] { copy } else { down }
    };
    for edge in tgba.states.iter_mut().flatten() {
        edge.to = turned(edge.to);
    }
    tgba.initial = turned(tgba.initial);
    tgba.trim();
}
