//! How deep the calls of a C program go: bounds that no run exceeds, by what falls from entry to entry, and the deepest stack that was seen.
//!
//! The ways of termination (`refinement::ranking`) are taken once more: a stack is a path of the graph of cut points on which each call is one
//! that does not return. Loops inside a frame are ways, too, on which nothing may rise, and count nothing.

mod answer;
mod bytes;
mod callers;
mod deepest;
mod explained;
mod extreme;
mod plan;
mod scales;
mod sides;
mod teller;
mod terms;
mod ways;
mod weigh;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use num_bigint::BigUint;

use crate::analyses::{Analysed, Analyses};
use crate::bitvec::Bounds;
use crate::c::Program;
use crate::c::program::{Callee, Label, Overflow, ProcedureId, StatementId, StatementKind, VariableId};
use crate::limits::Limits;
use crate::question::of_runs;
use crate::stack::{Calls, Height, Why};
use crate::stack_usage::Frames;
use crate::transition::graph::{End, Graph, graph};
use crate::transition::path::Paths;

use super::Input;
use super::invariants::edge::{Edge, edges};
use super::invariants::scope::{Scope, Scoped};
use super::invariants::strengthen;
use super::invariants::work::Work;
use super::ranking::synthesis::Cases;
pub use bytes::{names, sizes};
use deepest::{endless, highest};
use plan::{Planner, Side, Stuck};
use ways::{Entered, Parts, Way, Weights};

/// Conflicts of one query: what takes more is not known.
const CONFLICTS: u64 = 10_000;

/// How hard is tried, and in what sense.
#[derive(Clone)]
pub struct Options {
    /// What happens where signed arithmetic leaves its type.
    pub overflow: Overflow,
    /// Of one query.
    pub bounds: Bounds,
    /// Of all.
    pub limits: Limits,
    /// Runs that are drawn.
    pub runs: u64,
    /// Units of work, for what holds at places, and as many for what falls: about thousandths of a second.
    pub work: u64,
    /// How many bytes frames take, if bytes are asked for ([`sizes`]).
    pub bytes: Option<Frames>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            overflow: Overflow::Wrap,
            bounds: Bounds::default(),
            limits: Limits::NONE,
            runs: 200,
            work: 20_000,
            bytes: None,
        }
    }
}

/// What is known of a program.
#[derive(Clone, Debug)]
pub struct Known {
    /// How high its stack gets.
    pub height: Height,
    /// Who calls whom.
    pub calls: Calls,
    /// The inputs of the run that is shown, those included of which readers are not told.
    pub inputs: Vec<Input>,
}

/// What was found.
struct Bound {
    ways: Vec<Way>,
    parts: Parts,
    /// The procedures of the places.
    procedures: Vec<ProcedureId>,
    /// The integers that have names at the places.
    variables: Vec<Vec<VariableId>>,
    /// Where the program begins.
    start: usize,
    /// In terms of the entry's arguments.
    expression: Option<terms::InArguments>,
    /// Places that are a side of one.
    sides: BTreeMap<usize, Side>,
}

/// Why nothing was found.
struct Open {
    why: Why,
    /// The calls of which nothing is known.
    calls: Vec<(ProcedureId, Entered)>,
}

/// How high the stack of a program gets, and who calls whom. Within the limits it ends with what is known then.
pub fn height(Analysed { program, analyses }: Analysed<'_>, options: &Options) -> Known {
    let options = Options { overflow: of_runs(options.overflow), ..options.clone() };
    let answering = answer::Answering { program, analyses, options: &options };
    if let Some(run) = endless(program, options.overflow, options.limits) {
        return answering.unbounded(&run);
    }
    let found = bound(program, analyses, &options);
    let most = found.as_ref().ok().map(|bound| answering.most(bound));
    let scales = answering.scales();
    let seen = highest(program, options.overflow, (options.runs, options.limits), (scales.as_ref(), most));
    answering.height(found, &seen)
}

/// What bounds the stack.
///
/// # Errors
/// Why nothing is known.
fn bound(program: &Program, analyses: &Analyses, options: &Options) -> Result<Bound, Open> {
    let Some(graph) = graph(program, analyses, false) else { return by_calls(program, analyses) };
    let scope = Scope::of(program, analyses, false);
    let bounds = &Bounds { conflicts: options.bounds.conflicts.min(CONFLICTS), ..options.bounds.clone() };
    let paths = Paths::of(program, options.overflow, analyses).watching(scope.watched());
    let work = Rc::new(Work::new(options.work));
    let mut edges = edges(program, &paths, Scoped { graph: &graph, scope: &scope }, (bounds, &work));
    // If that takes too much, nothing is known at places.
    let _ = strengthen((program, &scope), &graph, &mut edges);
    work.grant(options.work);
    let ways = of_graph(program, &graph, &edges);
    let alive: Vec<(usize, Way)> = (0..edges.len())
        .filter_map(|at| ways[at].clone().map(|way| (at, way)))
        .filter(|&(at, _)| !edges[at].possible(&[]).is_unsat())
        .collect();
    let mut kept: Vec<Option<Edge>> = edges.into_iter().map(Some).collect();
    let edges: Vec<Edge> = alive.iter().filter_map(|&(at, _)| kept[at].take()).collect();
    let ways: Vec<Way> = alive.into_iter().map(|(_, way)| way).collect();
    let variables = graph.nodes.iter().map(|node| node.variables.len()).collect();
    let all: Vec<usize> = (0..ways.len()).collect();
    let mut planner = Planner { variables, edges, ways, alive: all, cases: Cases::new(), sides: BTreeMap::new() };
    let places: Vec<ProcedureId> = graph.nodes.iter().map(|node| node.procedure).collect();
    let parts = sides::parts(&mut planner)
        .map_err(|stuck| open(program, (&planner.ways, &planner.on_places(&places)), &stuck, !work.spend(0)))?;
    let expression = terms::in_arguments(program, &graph, &mut planner, &parts);
    let variables: Vec<Vec<VariableId>> = graph.nodes.iter().map(|node| node.variables.clone()).collect();
    Ok(Bound {
        procedures: planner.on_places(&places),
        variables: planner.on_places(&variables),
        ways: planner.ways,
        parts,
        start: 0,
        expression,
        sides: planner.sides,
    })
}

/// Why nothing is known.
fn open(program: &Program, (ways, procedures): (&[Way], &[ProcedureId]), stuck: &Stuck, spent: bool) -> Open {
    let made = |&at: &usize| Some((procedures[ways[at].from?], ways[at].call?));
    let mut calls: Vec<(ProcedureId, Entered)> = stuck.calls.iter().filter_map(made).collect();
    calls.sort_unstable_by_key(|&(from, call)| (from, call.callee, call.at));
    calls.dedup();
    let names: BTreeSet<&str> = calls.iter().map(|(_, call)| &*program.procedure(call.callee).name).collect();
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    let what = format!("nothing was found that falls from call to call of {}", names.join(", "));
    let why = match spent {
        true => Why { sentence: format!("{what}, as far as was tried"), kind: "rounds" },
        false => Why { sentence: what, kind: "recursion" },
    };
    Open { why, calls }
}

/// The ways that are a stack's: not those that return.
fn of_graph(program: &Program, graph: &Graph, edges: &[Edge]) -> Vec<Option<Way>> {
    let way = |(at, edge): (usize, &Edge)| {
        let (to, called) = match edge.end {
            End::Here(node) => (node, false),
            End::Called(node) => (node, true),
            End::Returns | End::Stops => return None,
        };
        let path = at.checked_sub(1).and_then(|at| graph.paths.get(at));
        let call = path.filter(|_| called).map(|path| {
            let procedure = graph.nodes[path.from].procedure;
            let at = path.path.last().map(|&label| StatementId { procedure, label });
            let last = at.and_then(|at| program.statement(at));
            Entered { callee: graph.nodes[to].procedure, by: last.and_then(|last| hands(program, &last.kind)), at }
        });
        Some(Way { from: edge.from, to, call })
    };
    edges.iter().enumerate().map(way).collect()
}

/// The procedure without a body that a statement calls.
fn hands(program: &Program, kind: &StatementKind) -> Option<ProcedureId> {
    match kind {
        StatementKind::External(_, procedure, ..) => Some(*procedure),
        StatementKind::Call(_, Callee::Procedure(procedure), _) => {
            Some(*procedure).filter(|&procedure| program.procedure(procedure).body.is_none())
        }
        _ => None,
    }
}

/// Where there are too many ways: by who calls whom alone.
fn by_calls(program: &Program, analyses: &Analyses) -> Result<Bound, Open> {
    let mut ways = vec![Way { from: None, to: program.main.0 as usize, call: None }];
    for id in (0..program.procedures.len() as u32).map(ProcedureId).filter(|&id| analyses.is_reached(id)) {
        for (label, statement) in program.procedure(id).body.iter().flatten().enumerate() {
            for callee in analyses.points_to().called(program, &statement.kind) {
                if program.procedure(callee).body.is_some() {
                    let at = Some(StatementId { procedure: id, label: Label(label as u32) });
                    let call = Some(Entered { callee, by: hands(program, &statement.kind), at });
                    ways.push(Way { from: Some(id.0 as usize), to: callee.0 as usize, call });
                }
            }
        }
    }
    let alive: Vec<usize> = (0..ways.len()).collect();
    let mut planner = Planner {
        variables: vec![0; program.procedures.len()],
        edges: Vec::new(),
        ways,
        alive: alive.clone(),
        cases: Cases::new(),
        sides: BTreeMap::new(),
    };
    let procedures: Vec<ProcedureId> = (0..program.procedures.len() as u32).map(ProcedureId).collect();
    match planner.parts(&alive) {
        Ok(parts) => Ok(Bound {
            ways: planner.ways,
            parts,
            variables: vec![Vec::new(); procedures.len()],
            procedures,
            start: program.main.0 as usize,
            expression: None,
            sides: BTreeMap::new(),
        }),
        Err(stuck) => {
            let Open { why: Why { sentence, .. }, calls } = open(program, (&planner.ways, &procedures), &stuck, false);
            let sentence = format!("{sentence}: there are too many paths between calls");
            Err(Open { why: Why { sentence, kind: "rounds" }, calls })
        }
    }
}

impl Bound {
    /// The same if nothing fell in a part.
    fn without(&self, part: usize) -> Bound {
        let mut parts = self.parts.clone();
        parts.all[part].falls.iter_mut().for_each(|falls| falls.times = BigUint::ZERO);
        Bound {
            ways: self.ways.clone(),
            parts,
            procedures: self.procedures.clone(),
            variables: self.variables.clone(),
            start: self.start,
            expression: None,
            sides: self.sides.clone(),
        }
    }

    /// The greatest weight of a stack, without the entry's own frame.
    fn heaviest(&self, weights: &Weights<'_>) -> BigUint {
        self.parts.heaviest(&self.ways, weights, Some(self.start))
    }

    /// Frames, the entry's own included.
    fn frames(&self) -> BigUint {
        let one = Weights { call: &|_| BigUint::from(1u8), top: &|_| BigUint::ZERO };
        self.heaviest(&one) + 1u8
    }
}
