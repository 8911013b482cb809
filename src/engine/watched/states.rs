//! What an automaton does that reads a run: from state to state, by letters.

use spds_format::expr::Time;

use super::terms::{Term, Terms};
use super::{Literal, Watched};
use crate::ltl::automaton::{Tgba, Transition};

/// How many bits its state has.
pub(super) fn bits(automaton: &Tgba) -> u8 {
    let last = automaton.states.len().max(2) as u32 - 1;
    (u32::BITS - last.leading_zeros()) as u8
}

impl Watched<'_> {
    /// What a step does to the state; where it bears each mark. Of several edges with the same states and letter each may be meant:
    /// whose turn it is, of the marks, is one at a time.
    pub(super) fn read(
        &self,
        automaton: &Tgba,
        literal: &Literal<'_>,
        terms: &mut Terms,
        all: &mut Vec<Term>,
    ) -> Option<Vec<Term>> {
        let mut edges = Vec::new();
        let mut marked: Vec<Vec<Term>> = vec![Vec::new(); automaton.marks as usize];
        for (state, leaving) in (0..).zip(&automaton.states) {
            for edge in leaving {
                let letters = letters(automaton, edge, literal, terms)?;
                let [from, to] = [(state, Time::Before), (edge.to, Time::After)];
                let [from, to] = [from, to].map(|(state, time)| terms.leaf(self.is_in(state, time)));
                let taken = terms.all(&[from, letters, to]);
                edges.push(taken);
                for mark in edge.marks.iter() {
                    marked[mark as usize].push(taken);
                }
            }
        }
        all.push(terms.any(&edges));
        Some(marked.into_iter().map(|edges| terms.any(&edges)).collect())
    }
}

/// The letters with which an edge can be taken.
fn letters(automaton: &Tgba, edge: &Transition, literal: &Literal<'_>, terms: &mut Terms) -> Option<Term> {
    let constants = [false, true].map(|value| terms.constant(value));
    let mut constant = |value: bool| Some(constants[usize::from(value)]);
    let mut test = |proposition: u32, [high, low]: [Option<Term>; 2]| {
        let [yes, no] = [literal(terms, proposition, true)?, literal(terms, proposition, false)?];
        let either = [terms.all(&[yes, high?]), terms.all(&[no, low?])];
        Some(terms.any(&either))
    };
    automaton.letters(edge.label, &mut constant, &mut test)
}
