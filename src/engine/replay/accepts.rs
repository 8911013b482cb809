//! Whether a Büchi automaton accepts a word: from the beginning to the end, by the sets of states in which it may be.

use std::collections::{BTreeMap, BTreeSet};

use super::word::{Word, WordItem};
use crate::ltl::Buchi;
use crate::ltl::automaton::StateId;

/// Whether the automaton accepts the word.
///
/// A folded call is walked at most once for each state of the automaton, and so is the cycle.
pub(super) fn accepts(word: &Word, automaton: &Buchi) -> bool {
    let mut runner = Runner { word, automaton, steps: BTreeMap::new(), calls: BTreeMap::new() };
    let begin = runner.after(&word.stem, States::from([(automaton.initial, false)]));
    // What one turn of the cycle leads to, from each state in which one can begin.
    let mut turns: BTreeMap<StateId, States> = BTreeMap::new();
    let mut open: Vec<StateId> = begin.into_keys().collect();
    while let Some(state) = open.pop() {
        turns.entry(state).or_insert_with(|| {
            let next = runner.after(&word.cycle, States::from([(state, false)]));
            open.extend(next.keys());
            next
        });
    }
    let marked = |state: &StateId| turns[state].iter().filter(|(_, marked)| **marked).map(|(to, _)| *to);
    turns.keys().any(|state| marked(state).any(|to| leads(&turns, to, *state)))
}

/// Whether turns lead from one state to another.
fn leads(turns: &BTreeMap<StateId, States>, from: StateId, to: StateId) -> bool {
    let mut met = BTreeSet::new();
    let mut open = vec![from];
    while let Some(state) = open.pop() {
        if state == to {
            return true;
        }
        if met.insert(state) {
            open.extend(turns[&state].keys());
        }
    }
    false
}

/// The states in which the automaton may be, and whether it may have met the mark on its way there.
type States = BTreeMap<StateId, bool>;

struct Runner<'w> {
    word: &'w Word,
    automaton: &'w Buchi,
    /// Where a letter leads from a state.
    steps: BTreeMap<(u32, StateId), States>,
    /// Where a call leads from a state at its entry.
    calls: BTreeMap<(usize, StateId), States>,
}

/// A list being walked.
struct Walk<'w> {
    places: &'w [WordItem],
    states: States,
    /// Whether the letter of the first place has been read.
    read: bool,
    /// For a call: its number, and the state at its entry.
    call: Option<(usize, StateId)>,
}

impl<'w> Runner<'w> {
    /// The states after the places, from those before them.
    fn after(&mut self, places: &'w [WordItem], states: States) -> States {
        let word = self.word;
        let mut walks = vec![Walk { places, states, read: false, call: None }];
        loop {
            let walk = walks.last_mut().expect("the first list is the last to be finished");
            let Some((place, rest)) = walk.places.split_first() else {
                let (states, call) = (std::mem::take(&mut walk.states), walk.call);
                walks.pop();
                match call {
                    Some(call) => self.calls.insert(call, states),
                    None => return states,
                };
                continue;
            };
            if let Some(letter) = place.letter.filter(|_| !walk.read) {
                walk.states = compose(&walk.states, |state| self.read(letter, state));
            }
            if let Some(call) = place.call {
                let unknown = |state: &&StateId| !self.calls.contains_key(&(call, **state));
                let unknown: Vec<StateId> = walk.states.keys().filter(unknown).copied().collect();
                if !unknown.is_empty() {
                    walk.read = true;
                    walks.extend(unknown.into_iter().map(|state| Walk {
                        places: &word.calls[call],
                        states: States::from([(state, false)]),
                        read: false,
                        call: Some((call, state)),
                    }));
                    continue;
                }
                walk.states = compose(&walk.states, |state| self.calls[&(call, state)].clone());
            }
            (walk.places, walk.read) = (rest, false);
        }
    }

    /// Where the letter leads from a state.
    fn read(&mut self, letter: u32, state: StateId) -> States {
        if let Some(known) = self.steps.get(&(letter, state)) {
            return known.clone();
        }
        let holds = |proposition: u32| self.word.letters[letter as usize][proposition as usize];
        let mut states = States::new();
        for edge in self.automaton.from(state) {
            if self.automaton.labels.contains(edge.label, holds) {
                *states.entry(edge.to).or_default() |= edge.marked;
            }
        }
        self.steps.insert((letter, state), states.clone());
        states
    }
}

/// What comes of states if each leads on.
fn compose(states: &States, mut lead: impl FnMut(StateId) -> States) -> States {
    let mut all = States::new();
    for (state, before) in states {
        for (to, marked) in lead(*state) {
            *all.entry(to).or_default() |= *before || marked;
        }
    }
    all
}
