//! Invariants first guessed, then proved: candidates at cut points from runs and from the constants of the program, of which the greatest set
//! that every basic path keeps is an invariant. If it excludes all failures, the program holds, and nothing has to be abstracted.
//!
//! Numbers are the integers in variables that have names. What a call may write is arbitrary after it, but for what is known of what it
//! returns. Each inequality is meant over the integers, in terms so wide that nothing wraps around.

pub(super) mod bound;
pub(super) mod edge;
pub(super) mod houdini;
pub(super) mod work;

mod candidates;
mod hull;
mod linear;
pub(super) mod samples;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use spds_format::model::Place;

use crate::analyses::Analyses;
use crate::bitvec::{Answer, Bounds};
use crate::c::Program;
use crate::c::program::{Overflow, StatementId};
use crate::limits::Limits;
use crate::transition::graph::{Graph, graph};
use crate::transition::path::{Demanded, Paths};
use crate::transition::undefined::Undefined;

use bound::Bound;
use candidates::{constants, distinct, intervals, octagons, of_globals, of_result, orders, seen, since_entry};
use edge::{Edge, edges};
use houdini::{About, Facts, Houdini};
use hull::Hull;
use samples::Samples;
use work::Work;

/// Conflicts of one query: what takes more is left to others.
const CONFLICTS: u64 = 2_000;

/// Units of work that a basic path takes at least.
const EACH_PATH: u64 = 25;

/// How hard is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Runs that are drawn.
    pub runs: u64,
    /// Units of work: about thousandths of a second.
    pub work: u64,
}

/// What was proved: that nothing fails.
pub struct Excluded {
    /// How many implications show it.
    pub implications: usize,
    /// Where runs may do what is undefined, past which none goes.
    pub undefined: Vec<(Undefined, Place)>,
}

/// What is a candidate; later stages have what earlier ones have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    /// Equations that hold of all that was seen, and numbers against constants.
    Equations,
    /// Numbers against each other.
    Orders,
    /// Sums and differences of two numbers against constants.
    Octagons,
}

/// Adds what holds to what edges know, without runs; how many queries said so, or none if it took too many.
pub(super) fn strengthen(program: &Program, graph: &Graph, edges: &mut [Edge]) -> Option<usize> {
    let constants = constants(program);
    let bounds = |count: usize| {
        let all: Vec<usize> = (0..count).collect();
        [intervals(&all, &constants), orders(&all)].concat()
    };
    let mut facts = of_returns(program, graph, &constants);
    for (at, node) in graph.nodes.iter().enumerate() {
        let remembered = graph.remembered(program, node.procedure);
        let mut all = bounds(node.variables.len() + remembered.len());
        if !graph.kept.is_empty() {
            all.extend(since_entry(&node.variables, &remembered));
        }
        facts.insert(About::Place(at), Facts { bounds: all, hull: None });
    }
    let mut houdini = Houdini::new(edges, graph, facts);
    houdini.settle()?;
    for at in 0..houdini.edges.len() {
        let known = houdini.assumed(at);
        houdini.edges[at].learn(known);
    }
    Some(houdini.queries)
}

fn of_returns(program: &Program, graph: &Graph, constants: &[i128]) -> BTreeMap<About, Facts> {
    let mut facts = BTreeMap::new();
    for node in &graph.nodes {
        let remembered = graph.remembered(program, node.procedure).len();
        let returns = program.types.as_integer(program.procedure(node.procedure).result).is_some();
        let bounds = || {
            let mut bounds = of_result(remembered, returns, constants);
            bounds.extend(of_globals(remembered, returns, (graph.kept.len(), constants)));
            Facts { bounds, hull: None }
        };
        facts.entry(About::Return(node.procedure)).or_insert_with(bounds);
    }
    facts
}

/// That no run fails, if that was proved. Ends by itself after so much work; what is cut short says nothing.
pub fn excluded(
    (program, analyses): (&Program, &Analyses),
    overflow: Overflow,
    (bounds, effort): (&Bounds, Effort),
    limits: Limits,
) -> Option<Excluded> {
    let bounds = &Bounds { conflicts: bounds.conflicts.min(CONFLICTS), ..bounds.clone() };
    let graph = graph(program, analyses, true)?;
    if graph.paths.len() as u64 * EACH_PATH > effort.work {
        return None;
    }
    let paths = Paths::of(program, overflow, analyses);
    let constants = constants(program);
    let seen = samples::samples((program, overflow), &graph, &constants, (effort.runs, limits));
    let guess = Guess { program, graph: &graph, constants: &constants, samples: &seen };
    let work = Rc::new(Work::new(effort.work));
    let mut edges = edges(program, &paths, &graph, (bounds, &work));
    let mut implications = 0;
    for stage in [Stage::Equations, Stage::Orders, Stage::Octagons] {
        if limits.met().is_some() {
            return None;
        }
        edges.iter_mut().for_each(|edge| edge.partial = false);
        let mut houdini = Houdini::new(&mut edges, &graph, guess.facts(stage));
        if houdini.settle().is_none() {
            continue;
        }
        implications += houdini.queries;
        if let Some(undefined) = left(program, &graph, overflow, &mut houdini) {
            return Some(Excluded { implications, undefined });
        }
    }
    None
}

struct Guess<'g> {
    program: &'g Program,
    graph: &'g Graph,
    constants: &'g [i128],
    samples: &'g Samples,
}

impl Guess<'_> {
    /// The candidates of a stage.
    fn facts(&self, stage: Stage) -> BTreeMap<About, Facts> {
        let mut facts = of_returns(self.program, self.graph, self.constants);
        for (&procedure, values) in &self.samples.returns {
            if let Some(facts) = facts.get_mut(&About::Return(procedure)) {
                facts.bounds = seen(std::mem::take(&mut facts.bounds), values);
                facts.hull = Hull::spanned(values);
            }
        }
        for (at, node) in self.graph.nodes.iter().enumerate() {
            let count = node.variables.len() + self.graph.remembered(self.program, node.procedure).len();
            let values = &self.samples.places[at];
            let all = distinct(count, values);
            let mut bounds: Vec<Bound> = intervals(&all, self.constants);
            if stage >= Stage::Orders {
                bounds.extend(orders(&all));
            }
            if stage >= Stage::Octagons {
                bounds.extend(octagons(&all, self.constants));
            }
            facts.insert(About::Place(at), Facts { bounds: seen(bounds, values), hull: Hull::spanned(values) });
        }
        facts
    }
}

/// Where runs may do what is undefined and no failure, if no failure can be; none if one may be.
fn left(
    program: &Program,
    graph: &Graph,
    overflow: Overflow,
    houdini: &mut Houdini<'_>,
) -> Option<Vec<(Undefined, Place)>> {
    let mut met: BTreeSet<(Undefined, Place)> = BTreeSet::new();
    for at in 0..houdini.edges.len() {
        houdini.edges[at].partial = true;
        let assumed = houdini.assumed(at);
        // The first edge is that of the beginning.
        let Some(path) = at.checked_sub(1).map(|at| &graph.paths[at]) else { continue };
        let demanded: Vec<Demanded> = houdini.edges[at].relation.demanded.clone();
        for demanded in &demanded {
            let kind = demanded.kind.filter(|kind| !kind.fails(overflow));
            let id = StatementId::of(graph.nodes[path.from].procedure, path.path[demanded.step]);
            let place = program.statement(id)?.place;
            if kind.is_some_and(|kind| met.contains(&(kind, place))) {
                continue;
            }
            houdini.queries += 1;
            if houdini.excludes(at, demanded) {
                continue;
            }
            let answer = houdini.edges[at].wrong(demanded, &assumed);
            match (kind, answer) {
                (_, Answer::Unsat(_)) => {}
                (Some(kind), _) => drop(met.insert((kind, place))),
                (None, _) => return None,
            }
        }
    }
    Some(met.into_iter().collect())
}
