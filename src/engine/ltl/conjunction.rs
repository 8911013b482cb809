//! Automata that accept what two others accept: products.

use std::collections::BTreeMap;

use crate::limits::Stop;

use super::automaton::{Tgba, Transition};
use super::components::{Components, components, is_accepting};
use super::marks::Marks;

/// An automaton that accepts the words which both accept, about what the first one speaks about; the second one must
/// speak about the same.
///
/// # Errors
/// If a limit is met.
pub(super) fn product(a: &Tgba, b: &Tgba) -> Result<Tgba, Stop> {
    followed(a, b, |_| true)
}

/// The same if the language of the second one does not depend on where a word begins: it is followed in accepting
/// components of the first one alone (*suspension*: Babiak, Badie, Duret-Lutz, Křetínský and Strejček, SPIN 2013).
///
/// # Errors
/// If a limit is met.
pub(super) fn product_with_suspended(a: &Tgba, b: &Tgba) -> Result<Tgba, Stop> {
    let Components { of, members } = components(a);
    let accepting: Vec<bool> = members.iter().map(|states| is_accepting(a, &of, states)).collect();
    followed(a, b, |state| accepting[of[state as usize]])
}

/// The product in which the second automaton begins anew whenever the first one comes to states in which it is followed,
/// and waits elsewhere.
fn followed(a: &Tgba, b: &Tgba, follow: impl Fn(u32) -> bool) -> Result<Tgba, Stop> {
    let mut labels = a.labels.clone();
    let imported: Vec<Vec<Transition>> = b
        .states
        .iter()
        .map(|edges| {
            let copy = |edge: &Transition| Transition { label: labels.import(&b.labels, edge.label), ..edge.clone() };
            edges.iter().map(copy).collect()
        })
        .collect();
    let entered = |to: u32| (to, follow(to).then_some(b.initial));
    let mut number: BTreeMap<(u32, Option<u32>), u32> = BTreeMap::from([(entered(a.initial), 0)]);
    let mut pairs = vec![entered(a.initial)];
    let mut states = Vec::new();
    while let Some((left, right)) = pairs.get(states.len()).copied() {
        labels.checkpoint()?;
        let mut edges = Vec::new();
        let mut add = |pair: (u32, Option<u32>), marks: Marks, label| {
            let fresh = pairs.len() as u32;
            let to = *number.entry(pair).or_insert(fresh);
            if to == fresh {
                pairs.push(pair);
            }
            edges.push(Transition { to, marks, label });
        };
        for one in &a.states[left as usize] {
            let Some(right) = right.filter(|_| follow(one.to)) else {
                add(entered(one.to), Marks::default(), one.label);
                continue;
            };
            for other in &imported[right as usize] {
                if !labels.disjoint(one.label, other.label) {
                    let marks = one.marks.iter().chain(other.marks.iter().map(|mark| mark + a.marks)).collect();
                    add((one.to, Some(other.to)), marks, labels.and(one.label, other.label));
                }
            }
        }
        states.push(edges);
    }
    let mut result =
        Tgba { propositions: a.propositions.clone(), labels, states, initial: 0, marks: a.marks + b.marks };
    result.tidy();
    Ok(result)
}
