//! Several automata as one, which accepts from the initial state of each what that one accepts.

use std::ops::Range;

use super::automaton::{Buchi, Component, Edge, StateId};
use super::violations::Violations;
use crate::bdd::label::Labels;

/// What several automata accept, each by itself: one automaton whose parts do not lead to each other.
#[derive(Clone, Debug)]
pub struct Union {
    /// All of them. The initial state is that of the first.
    pub violations: Violations,
    /// The parts, in the order in which they were given.
    pub parts: Vec<Part>,
}

/// One of the automata.
#[derive(Clone, Debug)]
pub struct Part {
    /// The state in which its runs begin.
    pub initial: StateId,
    /// The indices of its components.
    pub components: Range<usize>,
}

impl Union {
    /// Of at least one. What several ask for is asked once. Linear in their sizes, but for the propositions, each of which is compared
    /// with those before it.
    ///
    /// # Panics
    /// If there is none.
    pub fn new<'v>(all: impl IntoIterator<Item = &'v Violations>) -> Union {
        let mut meanings = Vec::new();
        let mut parts = Vec::new();
        let mut one = Buchi {
            propositions: Vec::new(),
            labels: Labels::default(),
            initial: StateId(0),
            states: Vec::new(),
            edges: Vec::new(),
            components: Vec::new(),
            component_of: Vec::new(),
        };
        for Violations { automaton, meanings: own, .. } in all {
            let asked = automaton.propositions.iter().zip(own).map(|(proposition, meaning)| {
                let known = meanings.iter().position(|known| known == meaning);
                known.unwrap_or_else(|| {
                    one.propositions.push(proposition.clone());
                    meanings.push(meaning.clone());
                    meanings.len() - 1
                }) as u32
            });
            let number: Vec<u32> = asked.collect();
            let (state, edge, component) = (one.states.len() as u32, one.edges.len(), one.components.len());
            let moved = |StateId(own): StateId| StateId(state + own);
            for Edge { from, label, to, marked } in &automaton.edges {
                let label = one.labels.import(&automaton.labels, *label);
                let label = one.labels.rename(label, |proposition| number[proposition as usize]);
                one.edges.push(Edge { from: moved(*from), label, to: moved(*to), marked: *marked });
            }
            one.states.extend(automaton.states.iter().map(|range| edge + range.start..edge + range.end));
            one.components.extend(automaton.components.iter().map(|component| Component {
                states: component.states.iter().copied().map(moved).collect(),
                kind: component.kind,
            }));
            one.component_of.extend(automaton.component_of.iter().map(|own| component + own));
            parts.push(Part { initial: moved(automaton.initial), components: component..one.components.len() });
        }
        one.initial = parts.first().expect("there is one").initial;
        Union { violations: Violations { automaton: one, meanings, formula: None, given: None }, parts }
    }
}
