//! Smaller automata by simulation: states that do the same become one, and edges that another one outdoes go away.
//!
//! Direct simulation of generalised Büchi automata and the same against the direction of the edges, by signatures:
//! Babiak, Badie, Duret-Lutz, Křetínský and Strejček, *Compositional approach to suspension and other improvements to LTL
//! translation* (SPIN 2013); on leaving out edges also Clemente and Mayr, *Advanced automata minimization* (POPL 2013).

use std::collections::BTreeMap;

use crate::bdd::label::Label;
use crate::limits::Stop;

use super::automaton::{Tgba, Transition};
use super::components::{Components, components};
use super::order::{Classes, Preorder};

/// Larger automata are not looked at by [`reduce_downwards`], which compares each state with each and their edges.
const EDGES: usize = 4000;

/// Edges of states that have more are not compared with each other.
const COMPARED: usize = 1 << 10;

/// Which runs are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// Those that begin in the states.
    Forward,
    /// Those that come from the initial state.
    Backward,
}

/// States with the same edges become one, again and again: cheap, and what the largest automata must be content with.
///
/// # Errors
/// If a limit is met.
pub(super) fn join_equal(tgba: &mut Tgba) -> Result<(), Stop> {
    loop {
        let mut first: BTreeMap<&[Transition], u32> = BTreeMap::new();
        let same: Vec<u32> =
            tgba.states.iter().zip(0..).map(|(edges, state)| *first.entry(edges).or_insert(state)).collect();
        if first.len() == tgba.states.len() {
            return Ok(());
        }
        redirect(tgba, &same);
        tgba.labels.checkpoint()?;
    }
}

/// Reduces by simulation in one direction. Forwards, states whose edges are all marked or all not stay such states.
///
/// # Errors
/// If a limit is met.
pub(super) fn reduce(tgba: &mut Tgba, direction: Direction) -> Result<(), Stop> {
    // The far ends of the edges at each state, in one direction or in the other, in place of their targets.
    let mut edges = match direction {
        Direction::Forward => tgba.states.clone(),
        Direction::Backward => reversed(&tgba.states),
    };
    let begins = |state: u32| direction == Direction::Backward && state == tgba.initial;
    let Some(classes) = Classes::greatest(&edges, &mut tgba.labels, begins)? else { return Ok(()) };
    // One of each class stays, with its own edges, their ends replaced.
    let mut first: BTreeMap<u32, u32> = BTreeMap::new();
    let same: Vec<u32> = (0..).zip(&classes.of).map(|(state, class)| *first.entry(*class).or_insert(state)).collect();
    for (state, edges) in edges.iter_mut().enumerate() {
        if same[state] != state as u32 {
            edges.clear();
        }
        for edge in edges.iter_mut() {
            edge.to = same[edge.to as usize];
        }
        outdone(tgba, edges, &classes);
    }
    tgba.states = match direction {
        Direction::Forward => edges,
        Direction::Backward => reversed(&edges),
    };
    tgba.initial = same[tgba.initial as usize];
    tgba.trim();
    tgba.labels.checkpoint()
}

fn reversed(states: &[Vec<Transition>]) -> Vec<Vec<Transition>> {
    let mut reversed = vec![Vec::new(); states.len()];
    for (from, edges) in (0..).zip(states) {
        for edge in edges {
            reversed[edge.to as usize].push(Transition { to: from, ..edge.clone() });
        }
    }
    reversed
}

/// Takes from each edge the letters with which another edge of the same state leads to something better.
fn outdone(tgba: &mut Tgba, edges: &mut Vec<Transition>, classes: &Classes) {
    let class = |state: u32| classes.of[state as usize];
    let before = edges.clone();
    // With so many edges the comparison of each with each would take longer than all the rest.
    if before.len() > COMPARED {
        return;
    }
    for edge in edges.iter_mut() {
        for other in &before {
            let better = edge.marks.is_within(&other.marks) && classes.outdoes(class(edge.to), class(other.to));
            if better && (edge.to != other.to || edge.marks != other.marks) {
                edge.label = tgba.labels.minus(edge.label, other.label);
            }
        }
    }
    edges.retain(|edge| edge.label != Label::FALSE);
}

/// The greatest relation within `order` such that whatever edge the one state has, the other has edges for the same
/// letters that are as good (`matches`) and lead to related states.
fn simulation(
    tgba: &mut Tgba,
    edges: &[Vec<Transition>],
    order: &mut Preorder,
    matches: &dyn Fn(u32, &Transition, u32, &Transition) -> bool,
) -> Result<(), Stop> {
    let states = edges.len();
    let mut changed = true;
    while changed {
        changed = false;
        for a in 0..states as u32 {
            tgba.labels.checkpoint()?;
            for b in 0..states as u32 {
                if a == b || !order.has(a, b) {
                    continue;
                }
                let simulated = edges[a as usize].iter().all(|edge| {
                    let mut left = edge.label;
                    for other in &edges[b as usize] {
                        if left == Label::FALSE {
                            break;
                        }
                        if order.has(edge.to, other.to) && matches(a, edge, b, other) {
                            left = tgba.labels.minus(left, other.label);
                        }
                    }
                    left == Label::FALSE
                });
                if !simulated {
                    order.remove(a, b);
                    changed = true;
                }
            }
        }
    }
    Ok(())
}

fn redirect(tgba: &mut Tgba, to: &[u32]) {
    for edge in tgba.states.iter_mut().flatten() {
        edge.to = to[edge.to as usize];
    }
    tgba.initial = to[tgba.initial as usize];
    tgba.trim();
}

/// Uses that marks on edges between components mean nothing: states are compared as if those had any marks, which still
/// shows that one accepts what the other does. A state gives way to an equal one from which it cannot be reached, and an
/// edge to another one for the same letters that leads to a better state from which its own source cannot be reached: so
/// what those accept does not depend on what is taken away.
///
/// # Errors
/// If a limit is met.
pub(super) fn reduce_downwards(tgba: &mut Tgba) -> Result<(), Stop> {
    if tgba.edges() > EDGES {
        return Ok(());
    }
    let Components { of, .. } = components(tgba);
    let edges = tgba.states.clone();
    let states = edges.len();
    let mut order = Preorder::everything(states);
    let inside = |from: u32, edge: &Transition| of[from as usize] == of[edge.to as usize];
    simulation(tgba, &edges, &mut order, &|a, edge, b, other| {
        edge.marks.is_within(&other.marks) || !inside(a, edge) || !inside(b, other)
    })?;
    // Components are numbered downwards.
    for state in 0..states as u32 {
        let here = of[state as usize];
        let mut edges = std::mem::take(&mut tgba.states[state as usize]);
        for worse in 0..edges.len() {
            for better in 0..edges.len() {
                let (edge, other) = (&edges[worse], &edges[better]);
                if worse != better
                    && of[other.to as usize] > here
                    && order.has(edge.to, other.to)
                    && edge.to != other.to
                {
                    edges[worse].label = tgba.labels.minus(edges[worse].label, edges[better].label);
                }
            }
        }
        edges.retain(|edge| edge.label != Label::FALSE);
        tgba.states[state as usize] = edges;
    }
    let lowest =
        |a: u32| (0..states as u32).filter(|b| order.both(a, *b)).max_by_key(|b| (of[*b as usize], u32::MAX - b));
    let mut to: Vec<u32> =
        (0..states as u32).map(|a| lowest(a).filter(|b| of[*b as usize] > of[a as usize]).unwrap_or(a)).collect();
    // Targets of redirections may be redirected themselves; the lowest states stay.
    let mut downwards: Vec<u32> = (0..states as u32).collect();
    downwards.sort_by_key(|state| std::cmp::Reverse(of[*state as usize]));
    for state in downwards {
        to[state as usize] = to[to[state as usize] as usize];
    }
    redirect(tgba, &to);
    tgba.labels.checkpoint()
}
