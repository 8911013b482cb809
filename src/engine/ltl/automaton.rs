//! Büchi automata over letters: the general kind that translation works with, and the kind that products need.

use std::fmt::Write as _;
use std::ops::Range;

use crate::bdd::label::{Branch, Label, Labels};

use super::components::{Components, components};
use super::marks::Marks;
use super::proposition::Proposition;

/// A generalised Büchi automaton with marks on its edges: a word is accepted if some run on it meets every mark
/// infinitely often.
#[derive(Clone, Debug)]
pub struct Tgba {
    /// What the letters speak about; labels number them by their places in this list.
    pub propositions: Vec<Proposition>,
    /// Where the labels of the edges live.
    pub labels: Labels,
    /// For each state the edges that leave it.
    pub states: Vec<Vec<Transition>>,
    /// The state in which runs begin.
    pub initial: u32,
    /// How many marks there are.
    pub marks: u32,
}

/// An edge of a [`Tgba`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Transition {
    /// The target.
    pub to: u32,
    /// The marks that it bears.
    pub marks: Marks,
    /// The letters with which it can be taken, at least one.
    pub label: Label,
}

impl Tgba {
    /// The number of edges.
    pub fn edges(&self) -> usize {
        self.states.iter().map(Vec::len).sum()
    }

    /// Whether for each letter a state has at most one edge.
    pub fn is_deterministic(&mut self) -> bool {
        let Tgba { states, labels, .. } = self;
        states.iter().all(|edges| {
            let mut seen = Label::FALSE;
            edges.iter().all(|edge| {
                let fresh = labels.disjoint(seen, edge.label);
                seen = labels.or(seen, edge.label);
                fresh
            })
        })
    }

    /// The letters of a label, as something that is made of truth values and tests of propositions: what there is if the
    /// proposition holds, and if it does not.
    pub fn letters<T: Clone>(
        &self,
        label: Label,
        constant: &mut dyn FnMut(bool) -> T,
        test: &mut dyn FnMut(u32, [T; 2]) -> T,
    ) -> T {
        let both = [constant(false), constant(true)];
        let mut made: Vec<T> = Vec::new();
        for one in self.labels.diagram(label) {
            let branches = [one.high, one.low].map(|branch| match branch {
                Branch::Decided(value) => both[usize::from(value)].clone(),
                Branch::Test(number) => made[number].clone(),
            });
            made.push(test(one.proposition, branches));
        }
        made.pop().unwrap_or_else(|| both[usize::from(label == Label::TRUE)].clone())
    }

    /// As a text by which automata are told apart: a line with the initial state and the number of marks, one for each proposition,
    /// and one for each edge, with the states, the letters as tests, and the marks.
    pub fn written(&self) -> String {
        let mut text = format!("{} {}\n", self.initial, self.marks);
        for proposition in &self.propositions {
            let _ = writeln!(text, "{}", proposition.kind);
        }
        for (state, edges) in self.states.iter().enumerate() {
            for edge in edges {
                let mut tests = String::new();
                let mut number = 0;
                let root = self.letters(edge.label, &mut |value| value.to_string(), &mut |proposition, [high, low]| {
                    number += 1;
                    let _ = write!(tests, " {number} = {proposition} ? {high} : {low}");
                    number.to_string()
                });
                let _ = write!(text, "{state} {}{tests} : {root}", edge.to);
                for mark in edge.marks.iter() {
                    let _ = write!(text, " {mark}");
                }
                text.push('\n');
            }
        }
        text
    }

    /// Sorts edges and joins those that differ in their labels alone.
    pub(super) fn tidy(&mut self) {
        for edges in &mut self.states {
            edges.sort_unstable();
            let mut joined: Vec<Transition> = Vec::with_capacity(edges.len());
            for edge in edges.drain(..) {
                match joined.last_mut() {
                    Some(last) if last.to == edge.to && last.marks == edge.marks => {
                        last.label = self.labels.or(last.label, edge.label);
                    }
                    _ if edge.label == Label::FALSE => {}
                    _ => joined.push(edge),
                }
            }
            *edges = joined;
        }
    }

    /// The part that the initial state reaches, states numbered in the order in which a search through the edges, as they
    /// stand, meets them.
    pub(super) fn trim(&mut self) {
        let mut number: Vec<Option<u32>> = vec![None; self.states.len()];
        let mut order = vec![self.initial];
        number[self.initial as usize] = Some(0);
        let mut next = 0;
        while next < order.len() {
            for edge in &self.states[order[next] as usize] {
                if number[edge.to as usize].is_none() {
                    number[edge.to as usize] = Some(order.len() as u32);
                    order.push(edge.to);
                }
            }
            next += 1;
        }
        let mut states = std::mem::take(&mut self.states);
        self.states = order.iter().map(|state| std::mem::take(&mut states[*state as usize])).collect();
        for edge in self.states.iter_mut().flatten() {
            edge.to = number[edge.to as usize].expect("targets of edges that are reached are reached");
        }
        self.initial = 0;
        self.tidy();
    }
}

/// A state of a [`Buchi`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId(pub u32);

/// An edge of a [`Buchi`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Where it begins.
    pub from: StateId,
    /// The letters with which it can be taken, at least one.
    pub label: Label,
    /// Where it ends.
    pub to: StateId,
    /// Whether it counts for acceptance. Only edges inside an accepting component are marked, and in a terminal or weak
    /// one all of them are.
    pub marked: bool,
}

/// What a strongly connected component contributes to acceptance, the easier kinds first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ComponentKind {
    /// No run that stays here is accepted.
    Rejecting,
    /// Every word can be read on for ever inside it, and is accepted: who comes here has won.
    Terminal,
    /// Every run that stays here is accepted.
    Weak,
    /// A run that stays here is accepted if it meets the mark infinitely often.
    Strong,
}

/// A strongly connected component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// Its states, in ascending order.
    pub states: Vec<StateId>,
    /// What staying there means.
    pub kind: ComponentKind,
}

/// A Büchi automaton with one mark, on edges: a word is accepted if some run on it takes marked edges infinitely often.
///
/// Every state is reachable, and, but for the initial state of an automaton that accepts nothing, some word is accepted
/// from it.
#[derive(Clone, Debug)]
pub struct Buchi {
    /// What the letters speak about; labels number them by their places in this list. Not all need occur in labels.
    pub propositions: Vec<Proposition>,
    /// Where the labels of the edges live.
    pub labels: Labels,
    /// The state in which runs begin.
    pub initial: StateId,
    /// The edges, sorted by where they begin; each state's are those in this range.
    pub states: Vec<Range<usize>>,
    /// See `states`.
    pub edges: Vec<Edge>,
    /// The strongly connected components, each after those that lead to it.
    pub components: Vec<Component>,
    /// For each state the index of its component.
    pub component_of: Vec<usize>,
}

impl Buchi {
    /// The edges that leave a state.
    pub fn from(&self, state: StateId) -> &[Edge] {
        &self.edges[self.states[state.0 as usize].clone()]
    }

    /// The kind of the most difficult component: `Rejecting` if no word is accepted.
    pub fn strength(&self) -> ComponentKind {
        self.components.iter().map(|component| component.kind).max().unwrap_or(ComponentKind::Rejecting)
    }

    /// The indices of the accepting components.
    pub fn accepting(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.components.len()).filter(|index| self.components[*index].kind != ComponentKind::Rejecting)
    }

    /// Whether for each letter a state has at most one edge.
    pub fn is_deterministic(&self) -> bool {
        Tgba::from(self).is_deterministic()
    }

    /// The automaton with its analysis; `tgba` has at most one mark, no state from which nothing is accepted, and none
    /// that is not reached.
    pub(super) fn analysed(mut tgba: Tgba) -> Buchi {
        let Components { of, members } = components(&tgba);
        let kinds: Vec<ComponentKind> = (0..members.len()).map(|c| kind(&mut tgba, &of, &members, c)).collect();
        let mut labels = Labels::default();
        let (mut states, mut edges) = (Vec::with_capacity(tgba.states.len()), Vec::with_capacity(tgba.edges()));
        for (state, transitions) in (0..).zip(&tgba.states) {
            let begin = edges.len();
            for transition in transitions {
                let here = of[state as usize];
                let inside = here == of[transition.to as usize];
                let marked = inside
                    && match kinds[here] {
                        ComponentKind::Rejecting => false,
                        ComponentKind::Terminal | ComponentKind::Weak => true,
                        ComponentKind::Strong => transition.marks.has(0),
                    };
                let label = labels.import(&tgba.labels, transition.label);
                edges.push(Edge { from: StateId(state), label, to: StateId(transition.to), marked });
            }
            states.push(begin..edges.len());
        }
        let component = |(states, kind): (&Vec<u32>, ComponentKind)| Component {
            states: states.iter().copied().map(StateId).collect(),
            kind,
        };
        let components = members.iter().zip(kinds).map(component).collect();
        let initial = StateId(tgba.initial);
        Buchi { propositions: tgba.propositions, labels, initial, states, edges, components, component_of: of }
    }
}

impl From<&Buchi> for Tgba {
    fn from(buchi: &Buchi) -> Tgba {
        let transition = |edge: &Edge| Transition {
            to: edge.to.0,
            marks: if edge.marked { Marks::one(0) } else { Marks::default() },
            label: edge.label,
        };
        Tgba {
            propositions: buchi.propositions.clone(),
            labels: buchi.labels.clone(),
            states: buchi
                .states
                .iter()
                .map(|range| buchi.edges[range.clone()].iter().map(transition).collect())
                .collect(),
            initial: buchi.initial.0,
            marks: 1,
        }
    }
}

fn kind(tgba: &mut Tgba, of: &[usize], members: &[Vec<u32>], component: usize) -> ComponentKind {
    use super::components::{has_cycle, is_accepting};
    let every_mark = |marks: &Marks| marks.has(0) || tgba.marks == 0;
    let marked = |_: u32, edge: &Transition| every_mark(&edge.marks);
    if !is_accepting(tgba, of, &members[component]) {
        return ComponentKind::Rejecting;
    }
    if has_cycle(tgba, of, &members[component], &|from, edge| !marked(from, edge)) {
        return ComponentKind::Strong;
    }
    for state in &members[component] {
        let mut read = Label::FALSE;
        for edge in &tgba.states[*state as usize] {
            if of[edge.to as usize] == component {
                read = tgba.labels.or(read, edge.label);
            }
        }
        if read != Label::TRUE {
            return ComponentKind::Weak;
        }
    }
    ComponentKind::Terminal
}
