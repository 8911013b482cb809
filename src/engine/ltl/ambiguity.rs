//! Whether a word can be accepted by two runs.

use std::collections::BTreeMap;

use super::automaton::{Tgba, Transition};
use super::components::{Components, components, is_accepting};
use super::marks::Marks;

/// So many pairs of edges are compared; an automaton that would need more is not called unambiguous.
const EFFORT: usize = 1 << 20;

/// Whether every word that is accepted is accepted by one run only, runs being sequences of edges. Looks for two runs that
/// part somewhere in the product of the automaton with itself. Quadratic in its edges; gives up, with a no, on large ones.
pub(super) fn is_unambiguous(tgba: &mut Tgba) -> bool {
    if tgba.is_deterministic() {
        return true;
    }
    // Two states, and whether the runs have parted.
    let begin = (tgba.initial, tgba.initial, false);
    let mut number: BTreeMap<(u32, u32, bool), u32> = BTreeMap::from([(begin, 0)]);
    let mut nodes = vec![begin];
    let mut product: Vec<Vec<Transition>> = Vec::new();
    let mut effort = 0;
    while let Some((a, b, parted)) = nodes.get(product.len()).copied() {
        let mut edges = Vec::new();
        effort += tgba.states[a as usize].len() * tgba.states[b as usize].len();
        if effort > EFFORT {
            return false;
        }
        for (i, one) in tgba.states[a as usize].iter().enumerate() {
            for (j, other) in tgba.states[b as usize].iter().enumerate() {
                // Runs that have not parted are one; of two that part now it does not matter which is which.
                if !parted && j < i || tgba.labels.disjoint(one.label, other.label) {
                    continue;
                }
                let next = (one.to, other.to, parted || i != j);
                let fresh = nodes.len() as u32;
                let to = *number.entry(next).or_insert(fresh);
                if to == fresh {
                    nodes.push(next);
                }
                let marks: Marks = one.marks.iter().chain(other.marks.iter().map(|mark| mark + tgba.marks)).collect();
                edges.push(Transition { to, marks, label: one.label });
            }
        }
        product.push(edges);
    }
    let product = Tgba {
        propositions: Vec::new(),
        labels: tgba.labels.clone(),
        states: product,
        initial: 0,
        marks: 2 * tgba.marks,
    };
    let Components { of, members } = components(&product);
    !members.iter().any(|states| nodes[states[0] as usize].2 && is_accepting(&product, &of, states))
}
