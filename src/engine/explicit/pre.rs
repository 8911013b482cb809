//! pre*

use rustc_hash::FxHashSet;
use spds_format::Spds;
use spds_format::automaton::{Automaton, Edge, End, State, StateId};
use spds_format::model::{ControlId, Head};

use super::heads::Rules;
use super::saturate::{Demand, Saturation, below, bits};
use crate::limits::{Limits, Stop};

/// All configurations from which one of the set can be reached. The states are those of the set; edges may lead into
/// control locations.
///
/// If the set has the empty stack, there is a further state for stacks that are popped empty.
///
/// [`super::applies`] must hold. With n heads that have rules or edges, r rules and k control locations and states: time
/// O(r · k · k/64) at worst, memory n · k/4 bytes.
///
/// # Errors
/// If a limit is met.
pub fn pre(spds: &Spds, set: &Automaton, limits: &Limits) -> Result<Automaton, Stop> {
    match pre_so_far(spds, set, limits)? {
        (known, None) => Ok(known),
        (_, Some(stop)) => Err(stop),
    }
}

/// The same; if a limit is met during the search, a part of it with which, and the limit.
///
/// # Errors
/// If a limit is met before or after the search.
pub fn pre_so_far(spds: &Spds, set: &Automaton, limits: &Limits) -> Result<(Automaton, Option<Stop>), Stop> {
    let rules = Rules::new(spds);
    let below = below(set);
    let mut all = Saturation::new(spds, &rules, &below, Demand::Given, *limits);
    let controls = spds.controls.len() as u32;
    let first = set.edges.iter().filter_map(|edge| match (edge.from, edge.symbol, edge.to) {
        (End::Control(control), Some(symbol), End::State(to)) => Some((Head { control, symbol }, to)),
        _ => None,
    });
    let first: Vec<(Head, StateId)> = first.collect();
    for head in spds.rules.iter().map(|rule| rule.from).chain(first.iter().map(|(head, _)| *head)) {
        all.reach(head);
    }
    for (head, to) in first {
        let node = all.reach(head);
        all.add(node, controls + to.0);
    }
    let stop = all.run().err();
    // Control locations whose configuration with the empty stack is in the set.
    let mut empty: Vec<u32> = Vec::new();
    for edge in set.edges.iter().filter(|edge| edge.symbol.is_none()) {
        if let End::Control(control) = edge.from {
            empty.push(control.0);
        }
    }
    let mut states = set.states.clone();
    let last = StateId(states.len() as u32);
    if !empty.is_empty() {
        states.push(last_state(set));
    }
    let mut heads: Vec<(Head, u32)> = all.heads.iter().collect();
    heads.sort_unstable();
    let count: u64 = heads.iter().flat_map(|(_, node)| all.row(*node)).map(|word| u64::from(word.count_ones())).sum();
    enough(limits, count)?;
    let mut edges: Vec<Edge> = Vec::with_capacity(count as usize + set.edges.len());
    for (Head { control, symbol }, node) in heads {
        edges.extend(bits(all.row(node)).map(|bit| {
            let to = match bit.checked_sub(controls) {
                None => End::Control(ControlId(bit)),
                Some(state) => End::State(StateId(state)),
            };
            Edge { from: End::Control(control), symbol: Some(symbol), to, condition: None }
        }));
        if empty.iter().any(|control| all.row(node)[*control as usize / 64] >> (control % 64) & 1 == 1) {
            let to = End::State(last);
            edges.push(Edge { from: End::Control(control), symbol: Some(symbol), to, condition: None });
        }
    }
    let old = set.edges.iter().filter(|edge| matches!(edge.from, End::State(_)) || edge.symbol.is_none());
    edges.extend(old.cloned());
    Ok((Automaton { states, edges }, stop))
}

/// An accepting state that no edge leaves.
fn last_state(set: &Automaton) -> State {
    let taken: FxHashSet<&str> = set.states.iter().map(|state| &*state.name).collect();
    let names = std::iter::once("end".to_owned()).chain((2..).map(|number: u64| format!("end/{number}")));
    let name = names.into_iter().find(|name| !taken.contains(&**name)).expect("there are enough numbers");
    State { name: name.into(), frame: None, carries: Box::default(), accepting: true }
}

/// Whether there is room for so many edges.
pub(super) fn enough(limits: &Limits, edges: u64) -> Result<(), Stop> {
    let bytes = edges.saturating_mul(size_of::<Edge>() as u64);
    if limits.memory.is_some_and(|memory| bytes > memory) { Err(Stop::Memory) } else { Ok(()) }
}
