//! Automata whose condition speaks of `Fin`, but in which it makes no difference how a run goes round a component: either
//! all of its cycles are accepted or none is.
//!
//! Whether some cycle is accepted is found by leaving out sets that must be met finitely often: Baier, Blahoudek,
//! Duret-Lutz, Klein, Müller and Strejček, *Generic emptiness check for fun and profit* (ATVA 2019).

use std::collections::BTreeMap;

use crate::bdd::label::Labels;
use crate::limits::Stop;

use super::super::components::of_edges;
use super::super::marks::Marks;
use super::acceptance::{Acceptance, Atom, Truth};

/// An edge of a component: from, to, and the acceptance sets that it is in.
type Edge<'a> = (u32, u32, &'a Marks);

/// What a component means for acceptance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Whoever stays is accepted, or there is no cycle to stay on.
    Accepting,
    /// Nobody who stays is accepted.
    Rejecting,
    /// It depends on the cycle.
    Mixed,
}

/// The meaning of a component, given its edges. Exponential in the number of sets under `Fin`.
///
/// # Errors
/// If a limit that the labels know is met.
pub(super) fn meaning(edges: &[Edge<'_>], condition: &Acceptance, labels: &mut Labels) -> Result<Meaning, Stop> {
    if !has_accepted_cycle(edges, condition, labels)? {
        return Ok(Meaning::Rejecting);
    }
    let mixed = has_accepted_cycle(edges, &condition.negated(), labels)?;
    Ok(if mixed { Meaning::Mixed } else { Meaning::Accepting })
}

/// Whether some run that stays on these edges is accepted.
fn has_accepted_cycle(edges: &[Edge<'_>], condition: &Acceptance, labels: &mut Labels) -> Result<bool, Stop> {
    let mut open: Vec<(Vec<Edge<'_>>, BTreeMap<Atom, bool>)> = vec![(edges.to_vec(), BTreeMap::new())];
    while let Some((edges, decided)) = open.pop() {
        labels.checkpoint()?;
        for edges in split(edges) {
            let met = |atom: Atom| edges.iter().any(|(.., sets)| atom.met(sets));
            // `Fin` of a set that may still be met: no at first, then, with the set decided, yes.
            let all_met = |truth: Truth| match truth {
                Truth::Inf(atom) => met(atom),
                Truth::Fin(atom) => !met(atom),
            };
            if condition.holds(all_met) {
                return Ok(true);
            }
            let at_best = |truth: Truth| match truth {
                Truth::Inf(atom) => met(atom),
                Truth::Fin(atom) => !met(atom) || decided.get(&atom) != Some(&false),
            };
            if !condition.holds(at_best) {
                continue;
            }
            let choice = condition.finite().find(|atom| met(*atom) && !decided.contains_key(atom));
            let Some(atom) = choice else { continue };
            let without = edges.iter().copied().filter(|(.., sets)| !atom.met(sets)).collect();
            open.push((without, decided.clone()));
            let mut met_often = decided.clone();
            met_often.insert(atom, false);
            open.push((edges, met_often));
        }
    }
    Ok(false)
}

/// The edges inside of each strongly connected component of a graph.
pub(super) fn split(edges: Vec<Edge<'_>>) -> Vec<Vec<Edge<'_>>> {
    let mut number: BTreeMap<u32, u32> = BTreeMap::new();
    for (from, to, _) in &edges {
        for state in [from, to] {
            let fresh = number.len() as u32;
            number.entry(*state).or_insert(fresh);
        }
    }
    let mut successors: Vec<Vec<u32>> = vec![Vec::new(); number.len()];
    for (from, to, _) in &edges {
        successors[number[from] as usize].push(number[to]);
    }
    let components = of_edges(successors.len(), successors);
    let mut inside: BTreeMap<usize, Vec<Edge<'_>>> = BTreeMap::new();
    for edge in edges {
        let [from, to] = [edge.0, edge.1].map(|state| components.of[number[&state] as usize]);
        if from == to {
            inside.entry(from).or_default().push(edge);
        }
    }
    inside.into_values().collect()
}
