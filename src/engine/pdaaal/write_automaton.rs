//! Writing a set of configurations of a system without data as a P-automaton.

use std::collections::BTreeSet;
use std::fmt::Write;

use spds_format::Spds;
use spds_format::automaton::{Automaton, End, StateId};
use spds_format::model::ControlId;

use super::States;
use super::write::{data, text};

/// A set of configurations in PDAAAL's notation: the control locations are the initial states; other states have the numbers
/// after theirs.
///
/// # Errors
/// What the notation cannot say, each construct with its place: data.
pub fn write(spds: &Spds, states: States, automaton: &Automaton) -> Result<String, Vec<String>> {
    let refused = refused(spds, automaton);
    if !refused.is_empty() {
        return Err(refused);
    }
    let numbers = spds.controls.iter().filter_map(|name| name.parse::<u64>().ok());
    let first = match states {
        States::Named => spds.controls.len() as u64,
        States::Numbered => numbers.max().map_or(0, |last| last.saturating_add(1)),
    };
    let edges = || automaton.edges.iter().filter_map(|edge| Some((edge.from, edge.symbol?, edge.to)));
    // The others are left out; only the empty stack can come there.
    let entered = entered(automaton);
    let mut numbers = vec![0; entered.len()];
    for (number, (own, _)) in (first..).zip(numbers.iter_mut().zip(&entered).filter(|(_, entered)| **entered)) {
        *own = number;
    }
    let there = |end: &End| matches!(end, End::Control(_)) || matches!(end, End::State(id) if entered[id.0 as usize]);
    let end = |out: &mut String, end: End| match (end, states) {
        (End::Control(id), States::Named) => text(out, &spds.controls[id.0 as usize]),
        (End::Control(id), States::Numbered) => out.push_str(&spds.controls[id.0 as usize]),
        (End::State(id), _) => write!(out, "{}", numbers[id.0 as usize]).expect("a string takes everything"),
    };
    let list = |out: &mut String, ends: &mut dyn Iterator<Item = End>| {
        for (number, one) in ends.enumerate() {
            out.push_str(if number == 0 { "" } else { ", " });
            end(out, one);
        }
    };
    let mut out = String::from("{\n  \"P-automaton\": {\n    \"initial\": [");
    list(&mut out, &mut (0..spds.controls.len() as u32).map(|id| End::Control(ControlId(id))));
    out.push_str("],\n    \"accepting\": [");
    let empty: BTreeSet<End> =
        automaton.edges.iter().filter(|edge| edge.symbol.is_none()).map(|edge| edge.from).collect();
    let ids = (0..automaton.states.len() as u32).map(|id| End::State(StateId(id)));
    list(&mut out, &mut empty.into_iter().chain(ids.filter(|end| there(end) && automaton.is_accepting(*end))));
    out.push_str("],\n    \"edges\": [");
    for (number, (from, symbol, to)) in edges().filter(|(from, ..)| there(from)).enumerate() {
        out.push_str(if number == 0 { "\n      [" } else { ",\n      [" });
        end(&mut out, from);
        out.push_str(", ");
        text(&mut out, &spds.symbol(symbol).name);
        out.push_str(", ");
        end(&mut out, to);
        out.push(']');
    }
    out.push_str("\n    ]\n  }\n}\n");
    Ok(out)
}

/// What the notation cannot say.
fn refused(spds: &Spds, automaton: &Automaton) -> Vec<String> {
    let mut refused = data(spds);
    let carrying = automaton.states.iter().filter(|state| !state.carries.is_empty());
    refused
        .extend(carrying.map(|state| format!("there is no data in this notation, and `{}` carries some", state.name)));
    if automaton.edges.iter().any(|edge| edge.condition.is_some()) {
        refused.push("there are no conditions in this notation, and edges have some".into());
    }
    refused
}

/// The states to which edges lead from a control location that all read something.
fn entered(automaton: &Automaton) -> Vec<bool> {
    let mut leaving: Vec<Vec<StateId>> = vec![Vec::new(); automaton.states.len()];
    let mut open = Vec::new();
    for (from, to) in automaton.edges.iter().filter(|edge| edge.symbol.is_some()).map(|edge| (edge.from, edge.to)) {
        match (from, to) {
            (End::Control(_), End::State(to)) => open.push(to),
            (End::State(from), End::State(to)) => leaving[from.0 as usize].push(to),
            _ => {}
        }
    }
    let mut entered = vec![false; automaton.states.len()];
    while let Some(state) = open.pop() {
        if !std::mem::replace(&mut entered[state.0 as usize], true) {
            open.append(&mut leaving[state.0 as usize]);
        }
    }
    entered
}
