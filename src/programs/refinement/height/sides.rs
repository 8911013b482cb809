//! Where nothing falls from call to call in one sense, places have two sides: where a condition of the calls holds, and where it does not,
//! with a ranking function of its own each. A stack is as high as what falls on one side and what falls on the other, as often as it comes
//! from one to the other (conditional ranking functions: Cook, Gulwani, Lev-Ami, Rybalchenko and Sagiv, *Proving conditional termination*,
//! CAV 2008).

use std::collections::BTreeSet;

use super::super::invariants::edge::{Edge, Half};
use super::super::ranking::synthesis::{Cases, Given};
use super::plan::{Planner, Side, Stuck};
use super::ways::{Parts, Way};

/// So many times places get sides.
const TIMES: usize = 4;

/// Parts of more ways get none, and so many conditions are tried.
const MAX_SPLITS: usize = 12;

/// The parts of all ways that can be taken, some places being two if that is needed.
///
/// # Errors
/// A part in which nothing was found that falls, with the places as they were.
pub(super) fn parts(planner: &mut Planner) -> Result<Parts, Stuck> {
    let first = match planner.parts(&planner.alive.clone()) {
        Ok(parts) => return Ok(parts),
        Err(stuck) => stuck,
    };
    let Some(mut sided) = with_sides(planner, &first.own) else { return Err(first) };
    for _ in 1..TIMES {
        match sided.parts(&sided.alive.clone()) {
            Ok(parts) => {
                *planner = sided;
                return Ok(parts);
            }
            Err(stuck) => match with_sides(&mut sided, &stuck.own) {
                Some(more) => sided = more,
                None => return Err(first),
            },
        }
    }
    match sided.parts(&sided.alive.clone()) {
        Ok(parts) => {
            *planner = sided;
            Ok(parts)
        }
        Err(_) => Err(first),
    }
}

/// The same with sides of a place of a part, so that something falls on each of its calls.
fn with_sides(planner: &mut Planner, own: &BTreeSet<usize>) -> Option<Planner> {
    if own.len() > MAX_SPLITS || planner.edges.is_empty() {
        return None;
    }
    let mut halves = planner.component(own, false, Given::Conditions).halves();
    for half in planner.component(own, false, Given::All).halves() {
        if !halves.contains(&half) {
            halves.push(half);
        }
    }
    // The program begins in one place.
    halves.retain(|&(node, _)| node != 0);
    halves.into_iter().take(MAX_SPLITS).find_map(|(node, half)| {
        let (mut sided, inside) = sided(planner, own, node, &half)?;
        sided.parts(&inside).ok().map(|_| sided)
    })
}

/// Ways on which a place is two: that where a condition holds has its number, the other one a new one. And those of them that come from
/// some ways.
fn sided(planner: &Planner, own: &BTreeSet<usize>, node: usize, half: &Half) -> Option<(Planner, Vec<usize>)> {
    let other = planner.variables.len();
    let both = |at: usize| if at == node { vec![(Some(true), at), (Some(false), other)] } else { vec![(None, at)] };
    let (mut edges, mut ways, mut inside): (Vec<Edge>, Vec<Way>, Vec<usize>) = (Vec::new(), Vec::new(), Vec::new());
    for &at in &planner.alive {
        let (edge, way) = (&planner.edges[at], &planner.ways[at]);
        let from = way.from.map_or_else(
            || vec![(None, None)],
            |from| both(from).into_iter().map(|(holds, at)| (holds, Some(at))).collect(),
        );
        for &(before, from) in &from {
            for (after, to) in both(way.to) {
                let mut part = edge.part(half, (before, after), (from, to))?;
                if (before.is_some() || after.is_some()) && part.possible(&[]).is_unsat() {
                    continue;
                }
                if own.contains(&at) {
                    inside.push(edges.len());
                }
                edges.push(part);
                ways.push(Way { from, to, call: way.call });
            }
        }
    }
    let variables = planner.variables.iter().copied().chain([planner.variables[node]]).collect();
    let mut sides = planner.sides.clone();
    let known = sides.get(&node).cloned().unwrap_or(Side { of: node, conditions: Vec::new() });
    for (at, holds) in [(node, true), (other, false)] {
        let mut side = known.clone();
        side.conditions.push((half.clone(), holds));
        sides.insert(at, side);
    }
    let alive = (0..edges.len()).collect();
    Some((Planner { variables, edges, ways, alive, cases: Cases::new(), sides }, inside))
}

impl Planner {
    /// Of each place, its sides included, what is said of those of the graph.
    pub fn on_places<T: Clone>(&self, of: &[T]) -> Vec<T> {
        (0..self.variables.len()).map(|at| of[self.sides.get(&at).map_or(at, |side| side.of)].clone()).collect()
    }
}
