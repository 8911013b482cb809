//! Minimal deterministic weak automata, for obligations: Löding, *Efficient minimization of deterministic weak
//! ω-automata* (IPL 2001); Dax, Eisinger and Klaedtke, *Mechanizing the powerset construction for restricted classes of
//! ω-automata* (ATVA 2007).

use std::collections::BTreeMap;

use crate::bdd::label::Label;
use crate::limits::Stop;

use super::automaton::{Tgba, Transition};
use super::components::{Components, components, is_accepting};
use super::conjunction::product;
use super::marks::Marks;

/// The minimal deterministic automaton, weak, with one mark, for an automaton without useless states whose language is
/// an obligation; some automaton if it is not. `None` if the powerset has more than so many states.
///
/// # Errors
/// If a limit is met.
pub(super) fn minimal(tgba: &mut Tgba, most: usize) -> Result<Option<Tgba>, Stop> {
    let Some((mut powerset, sets)) = powerset(tgba, most)? else { return Ok(None) };
    let Components { of, members } = components(&powerset);
    // The colours of Löding's normal form: even inside accepting components, odd inside rejecting ones, and never
    // growing downwards; those of states on no cycle are as low as possible. Equal states then have colours of equal
    // parity.
    let top = (members.len() | 1) + 1;
    let mut colours = vec![top; members.len()];
    for component in (0..members.len()).rev() {
        let states = &members[component];
        let below = states.iter().flat_map(|state| &powerset.states[*state as usize]).map(|edge| of[edge.to as usize]);
        let mut least = below.filter(|other| *other != component).map(|other| colours[other]).min().unwrap_or(top);
        // Letters without an edge lead to a rejecting end.
        for state in states {
            let edges = &powerset.states[*state as usize];
            let read = edges.iter().fold(Label::FALSE, |read, edge| powerset.labels.or(read, edge.label));
            if read != Label::TRUE {
                least = least.min(top - 1);
            }
        }
        colours[component] = match cycle(&powerset, &of, states[0]) {
            None => least,
            Some(cycle) if accepts(tgba, &sets[states[0] as usize], &powerset, &cycle) => least & !1,
            Some(_) => (least - 1) | 1,
        };
        powerset.labels.checkpoint()?;
    }
    let is_final: Vec<bool> = of.iter().map(|component| colours[*component] % 2 == 0).collect();
    minimise(&mut powerset, &is_final)?;
    Ok(Some(powerset))
}

/// An automaton whose states are sets of states of another one, and these sets.
type Powerset = (Tgba, Vec<Vec<u32>>);

/// The automaton whose states are the sets of states that runs on the same prefix can be in.
fn powerset(tgba: &mut Tgba, most: usize) -> Result<Option<Powerset>, Stop> {
    let mut sets = vec![vec![tgba.initial]];
    let mut number: BTreeMap<Vec<u32>, u32> = BTreeMap::from([(sets[0].clone(), 0)]);
    let mut states: Vec<Vec<Transition>> = Vec::new();
    while states.len() < sets.len() {
        tgba.labels.checkpoint()?;
        let mut reads: BTreeMap<u32, Label> = BTreeMap::new();
        for edge in sets[states.len()].iter().flat_map(|state| &tgba.states[*state as usize]) {
            let read = reads.entry(edge.to).or_insert(Label::FALSE);
            *read = tgba.labels.or(*read, edge.label);
        }
        // Letters that lead to the same set.
        let mut parts: Vec<(Label, Vec<u32>)> = vec![(Label::TRUE, Vec::new())];
        for (target, read) in reads {
            let mut split = Vec::with_capacity(parts.len());
            for (letters, set) in parts {
                let (with, without) = (tgba.labels.and(letters, read), tgba.labels.minus(letters, read));
                if without != Label::FALSE {
                    split.push((without, set.clone()));
                }
                if with != Label::FALSE {
                    let mut set = set;
                    set.push(target);
                    split.push((with, set));
                }
            }
            parts = split;
            // Each leads to a set of its own.
            if parts.len() > most.saturating_add(1) {
                return Ok(None);
            }
        }
        let mut edges = Vec::new();
        for (label, set) in parts.into_iter().filter(|(_, set)| !set.is_empty()) {
            let fresh = sets.len() as u32;
            let to = *number.entry(set.clone()).or_insert(fresh);
            if to == fresh {
                sets.push(set);
            }
            edges.push(Transition { to, marks: Marks::default(), label });
        }
        states.push(edges);
        if sets.len() > most {
            return Ok(None);
        }
    }
    let mut powerset =
        Tgba { propositions: tgba.propositions.clone(), labels: tgba.labels.clone(), states, initial: 0, marks: 1 };
    powerset.tidy();
    Ok(Some((powerset, sets)))
}

/// The labels on some cycle through a state.
fn cycle(tgba: &Tgba, of: &[usize], start: u32) -> Option<Vec<Label>> {
    let mut came: BTreeMap<u32, (u32, Label)> = BTreeMap::new();
    let mut open = std::collections::VecDeque::from([start]);
    while let Some(state) = open.pop_front() {
        for edge in tgba.states[state as usize].iter().filter(|edge| of[edge.to as usize] == of[start as usize]) {
            if edge.to == start {
                let mut labels = vec![edge.label];
                let mut here = state;
                while here != start {
                    let (before, label) = came[&here];
                    labels.push(label);
                    here = before;
                }
                labels.reverse();
                return Some(labels);
            }
            came.entry(edge.to).or_insert_with(|| {
                open.push_back(edge.to);
                (state, edge.label)
            });
        }
    }
    None
}

/// Whether the automaton, begun in some state of the set, accepts a word that repeats letters of these labels.
fn accepts(tgba: &Tgba, set: &[u32], of_labels: &Tgba, cycle: &[Label]) -> bool {
    let letters: Vec<_> =
        cycle.iter().map(|label| of_labels.labels.letter(*label).expect("labels of edges are not empty")).collect();
    let holds = |place: usize, proposition: u32| letters[place].contains(&(proposition, true));
    let places = letters.len() as u32;
    // The product with the word; node 0 leads to the states of the set.
    let mut product: Vec<Vec<Transition>> = vec![Vec::new(); 1 + tgba.states.len() * letters.len()];
    for state in set {
        product[0].push(Transition { to: 1 + state * places, marks: Marks::default(), label: Label::TRUE });
    }
    for (state, edges) in (0..).zip(&tgba.states) {
        for place in 0..places {
            let readable = edges.iter().filter(|edge| tgba.labels.contains(edge.label, |p| holds(place as usize, p)));
            let after = (place + 1) % places;
            let moved = readable.map(|edge| Transition { to: 1 + edge.to * places + after, ..edge.clone() });
            product[(1 + state * places + place) as usize] = moved.collect();
        }
    }
    let mut product =
        Tgba { propositions: Vec::new(), labels: Default::default(), states: product, initial: 0, marks: tgba.marks };
    product.trim();
    let Components { of, members } = components(&product);
    members.iter().any(|states| is_accepting(&product, &of, states))
}

/// The quotient by equality of languages (Moore's algorithm), for a deterministic automaton in which the runs that end up
/// in final states are accepted. Marks edges that leave final states.
fn minimise(tgba: &mut Tgba, is_final: &[bool]) -> Result<(), Stop> {
    let mut class: Vec<u32> = is_final.iter().map(|is_final| u32::from(*is_final)).collect();
    let mut classes = 0;
    loop {
        tgba.labels.checkpoint()?;
        let mut number: BTreeMap<(u32, Vec<(u32, Label)>), u32> = BTreeMap::new();
        let mut next = Vec::with_capacity(class.len());
        for (state, edges) in tgba.states.iter().enumerate() {
            let mut reads: BTreeMap<u32, Label> = BTreeMap::new();
            for edge in edges {
                let read = reads.entry(class[edge.to as usize]).or_insert(Label::FALSE);
                *read = tgba.labels.or(*read, edge.label);
            }
            let fresh = number.len() as u32;
            next.push(*number.entry((class[state], reads.into_iter().collect())).or_insert(fresh));
        }
        class = next;
        if number.len() == classes {
            break;
        }
        classes = number.len();
    }
    let mut states: Vec<Vec<Transition>> = vec![Vec::new(); classes];
    for (state, edges) in tgba.states.iter().enumerate() {
        let merged = &mut states[class[state] as usize];
        if merged.is_empty() {
            let marks = if is_final[state] { Marks::one(0) } else { Marks::default() };
            let moved = |edge: &Transition| Transition { to: class[edge.to as usize], marks: marks.clone(), ..*edge };
            *merged = edges.iter().map(moved).collect();
        }
    }
    tgba.initial = class[tgba.initial as usize];
    tgba.states = states;
    tgba.marks = 1;
    tgba.trim();
    Ok(())
}

/// Whether no word is accepted by both.
///
/// # Errors
/// If a limit is met.
pub(super) fn disjoint(a: &Tgba, b: &Tgba) -> Result<bool, Stop> {
    let product = product(a, b)?;
    let Components { of, members } = components(&product);
    Ok(!members.iter().any(|states| is_accepting(&product, &of, states)))
}

/// The complement of a deterministic weak automaton with one mark.
pub(super) fn complement(tgba: &Tgba) -> Tgba {
    let mut complement = tgba.clone();
    let Components { of, members } = components(tgba);
    let accepting: Vec<bool> = members.iter().map(|states| is_accepting(tgba, &of, states)).collect();
    let end = complement.states.len() as u32;
    for (state, edges) in complement.states.iter_mut().enumerate() {
        let mut read = Label::FALSE;
        for edge in edges.iter_mut() {
            let inside = of[edge.to as usize] == of[state];
            edge.marks = if inside && !accepting[of[state]] { Marks::one(0) } else { Marks::default() };
            read = complement.labels.or(read, edge.label);
        }
        let rest = complement.labels.not(read);
        if rest != Label::FALSE {
            edges.push(Transition { to: end, marks: Marks::default(), label: rest });
        }
    }
    complement.states.push(vec![Transition { to: end, marks: Marks::one(0), label: Label::TRUE }]);
    complement.marks = 1;
    complement
}
