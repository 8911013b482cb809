//! What holds at places and of returns whatever a run does: bounds of integers and of their differences. All that are candidates are
//! assumed, and those that some way does not keep are dropped, until all that is left is kept (Flanagan and Leino, *Houdini, an annotation
//! assistant for ESC/Java*, FME 2001).

use std::collections::{BTreeMap, BTreeSet};

use crate::bitvec::{Answer, Term};
use crate::c::Program;
use crate::c::expression::{Expression, ExpressionKind};
use crate::c::program::ProcedureId;

use super::edge::{Edge, Number, formals};
use crate::transition::graph::{End, Graph};

/// Constants of a program that are bounds, those next to 0 first.
const CONSTANTS: usize = 16;

/// Where there are more integers than that, they are not compared with each other.
const FEW: usize = 12;

/// That one number, less another one, is at most so much; without one of them it is compared with a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Bound {
    less: Option<usize>,
    more: Option<usize>,
    by: i128,
}

impl Bound {
    fn parts(self, numbers: &[Number]) -> Option<Vec<(Number, i128)>> {
        let one = |at: Option<usize>, factor| match at {
            Some(at) => numbers.get(at).map(|&number| Some((number, factor))),
            None => Some(None),
        };
        Some(one(self.less, 1)?.into_iter().chain(one(self.more, -1)?).collect())
    }

    fn term(self, edge: &mut Edge, numbers: &[Number]) -> Option<Term> {
        edge.not_positive(&self.parts(numbers)?, -self.by)
    }

    fn holds(self, values: &[i128]) -> bool {
        let value = |at: Option<usize>| at.map_or(0, |at| values.get(at).copied().unwrap_or(0));
        value(self.less).saturating_sub(value(self.more)) <= self.by
    }
}

/// What is known, or still assumed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum About {
    Place(usize),
    /// Returns: of what formals were, and the result.
    Return(ProcedureId),
}

struct Houdini<'a> {
    edges: &'a mut [Edge],
    graph: &'a Graph,
    bounds: BTreeMap<About, Vec<Bound>>,
    queries: usize,
}

/// Adds what holds to what edges know; how many queries said so, or none if it took too many.
pub(super) fn strengthen(program: &Program, graph: &Graph, edges: &mut [Edge]) -> Option<usize> {
    let constants = constants(program);
    let mut bounds = BTreeMap::new();
    for (at, node) in graph.nodes.iter().enumerate() {
        let count = node.variables.len() + formals(program, node.procedure).len();
        bounds.insert(About::Place(at), candidates(count, &constants));
        let given = formals(program, node.procedure).len();
        let returns = program.types.as_integer(program.procedure(node.procedure).result).is_some();
        bounds.entry(About::Return(node.procedure)).or_insert_with(|| of_result(given, returns, &constants));
    }
    let mut houdini = Houdini { edges, graph, bounds, queries: 0 };
    houdini.settle()?;
    for at in 0..houdini.edges.len() {
        let known = houdini.assumed(at);
        houdini.edges[at].learn(known);
    }
    Some(houdini.queries)
}

/// 0, what the program is written with, and what is next to those: `x < c` is a bound by the constant before.
fn constants(program: &Program) -> Vec<i128> {
    let mut all: BTreeSet<(u128, i128)> = BTreeSet::new();
    for Expression { kind, ty } in program.terms.expressions() {
        let (ExpressionKind::Constant(bits), Some(integer)) = (kind, program.types.as_integer(*ty)) else { continue };
        let number = integer.number(*bits);
        all.insert((number.unsigned_abs(), number));
    }
    let near = |number: i128| [-1, 0, 1].into_iter().filter_map(move |by| number.checked_add(by));
    let some = all.into_iter().take(CONSTANTS).map(|(_, number)| number).chain([0]).flat_map(near);
    some.collect::<BTreeSet<i128>>().into_iter().collect()
}

fn candidates(count: usize, constants: &[i128]) -> Vec<Bound> {
    let mut all = Vec::new();
    for at in 0..count {
        all.extend(constants.iter().map(|&by| Bound { less: Some(at), more: None, by }));
        all.extend(constants.iter().map(|&by| Bound { less: None, more: Some(at), by: -by }));
    }
    if count <= FEW {
        for less in 0..count {
            for more in (0..count).filter(|&more| more != less) {
                all.extend([-1, 0, 1].map(|by| Bound { less: Some(less), more: Some(more), by }));
            }
        }
    }
    all
}

/// What may hold of a result and what formals were.
fn of_result(given: usize, returns: bool, constants: &[i128]) -> Vec<Bound> {
    let mut all = Vec::new();
    if returns {
        for &by in constants {
            all.push(Bound { less: Some(given), more: None, by });
            all.push(Bound { less: None, more: Some(given), by: -by });
            for formal in 0..given.min(FEW) {
                for by in [by, -by] {
                    all.push(Bound { less: Some(given), more: Some(formal), by });
                    all.push(Bound { less: Some(formal), more: Some(given), by });
                }
            }
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// Of bounds that differ in how much only the least: it implies the others.
fn strongest(bounds: &[Bound]) -> Vec<Bound> {
    let mut least: BTreeMap<(Option<usize>, Option<usize>), i128> = BTreeMap::new();
    for bound in bounds {
        let by = least.entry((bound.less, bound.more)).or_insert(bound.by);
        *by = bound.by.min(*by);
    }
    least.into_iter().map(|((less, more), by)| Bound { less, more, by }).collect()
}

/// Whether a bound of a difference follows from bounds of its parts.
fn is_implied(bounds: &[Bound], bound: Bound) -> bool {
    let by = |less, more| bounds.iter().find(|other| (other.less, other.more) == (less, more)).map(|other| other.by);
    let (Some(_), Some(_)) = (bound.less, bound.more) else { return false };
    let sum = by(bound.less, None).zip(by(None, bound.more)).and_then(|(most, least)| most.checked_add(least));
    sum.is_some_and(|sum| sum <= bound.by)
}

impl Houdini<'_> {
    fn settle(&mut self) -> Option<()> {
        let mut open: BTreeSet<usize> = (0..self.edges.len()).collect();
        while let Some(at) = open.pop_first() {
            let about = self.target(at);
            if self.kept(at, &about)? {
                continue;
            }
            open.extend((0..self.edges.len()).filter(|&edge| match about {
                About::Place(node) => self.edges[edge].from == Some(node),
                About::Return(procedure) => self.edges[edge].passed.iter().any(|(callee, _)| *callee == procedure),
            }));
        }
        Some(())
    }

    fn target(&self, at: usize) -> About {
        let edge = &self.edges[at];
        match (edge.end, edge.from) {
            (End::Here(node) | End::Called(node), _) => About::Place(node),
            (End::Returns, from) => About::Return(self.graph.nodes[from.unwrap_or(0)].procedure),
        }
    }

    /// What an edge may assume.
    fn assumed(&mut self, at: usize) -> Vec<Term> {
        let edge = &mut self.edges[at];
        let mut all = Vec::new();
        let place = edge.from.and_then(|from| self.bounds.get(&About::Place(from)));
        let before = edge.before.clone();
        let bounds = strongest(place.map_or(&[], |bounds| bounds));
        for &bound in &bounds {
            if !is_implied(&bounds, bound) {
                all.extend(bound.term(edge, &before));
            }
            // What is equal can be replaced.
            if let Some((less, more)) = bound.less.zip(bound.more)
                && bounds.contains(&Bound { less: Some(more), more: Some(less), by: -bound.by })
            {
                all.extend(edge.apart(before[less], before[more], bound.by));
            }
        }
        for (callee, numbers) in edge.passed.clone() {
            let bounds = self.bounds.get(&About::Return(callee));
            for bound in strongest(bounds.map_or(&[], |bounds| bounds)) {
                all.extend(bound.term(edge, &numbers));
            }
        }
        all
    }

    /// Whether an edge keeps all that is assumed where it ends; what it does not keep is dropped.
    fn kept(&mut self, at: usize, about: &About) -> Option<bool> {
        let assumed = self.assumed(at);
        let mut kept = true;
        loop {
            let bounds = self.bounds.remove(about).unwrap_or_default();
            let edge = &mut self.edges[at];
            let after = edge.after.clone();
            let wanted = strongest(&bounds);
            let terms: Vec<Option<Term>> = wanted.iter().map(|bound| bound.term(edge, &after)).collect();
            // What cannot be said is not known.
            let said = |bound: &Bound| {
                wanted
                    .iter()
                    .zip(&terms)
                    .any(|(one, term)| term.is_some() && (one.less, one.more) == (bound.less, bound.more))
            };
            let mut left: Vec<Bound> = bounds.iter().copied().filter(said).collect();
            let terms: Vec<Term> = terms.into_iter().flatten().collect();
            if terms.is_empty() {
                kept &= bounds.is_empty();
                return Some(kept);
            }
            let all = edge.relation.terms.all(&terms);
            let some_not = edge.relation.terms.not(all);
            let conditions = [&assumed[..], &[some_not]].concat();
            self.queries += 1;
            if !edge.spend(terms.len() as u64 / 20) {
                return None;
            }
            match edge.possible(&conditions) {
                Answer::Unsat(_) => {
                    kept &= left.len() == bounds.len();
                    self.bounds.insert(about.clone(), left);
                    return Some(kept);
                }
                Answer::Sat(model) => {
                    let values = edge.values(&model, &after);
                    let count = left.len();
                    left.retain(|bound| bound.holds(&values));
                    if left.len() == count {
                        left.clear();
                    }
                }
                Answer::Unknown => left.clear(),
            }
            kept = false;
            self.bounds.insert(about.clone(), left);
        }
    }
}
