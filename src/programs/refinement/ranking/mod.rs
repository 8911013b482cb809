//! Termination by ranking functions of the basic paths between cut points: before anything is abstracted, and without.
//!
//! Each way is a relation over bit-vectors. What cannot be taken at all is left out; then ways on which a linear ranking function falls
//! that rises on no way of its component, again and again, until no component is left or nothing falls (lexicographic ranking functions:
//! Bradley, Manna and Sipma, *Linear ranking with reachability*, CAV 2005). What is left is tried once more with bounds that hold at the
//! places, and with ranking functions that differ where a condition of the ways holds and where it does not; at last with invariants that are
//! guessed from runs. Each answer is an implication that bit-vectors have decided.

pub(super) mod forms;
pub(super) mod synthesis;

mod wrapped;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use crate::analyses::Analysed;
use crate::analyses::cut_points::Cut;
use crate::bitvec::Bounds;
use crate::c::Program;
use crate::c::program::{Overflow, ProcedureId, StatementId};
use crate::transition::graph::{End, Graph, graph};
use crate::transition::path::Paths;

use super::invariants::claims::Invariant;
use super::invariants::edge::{Edge, Half, edges};
use super::invariants::scope::{Scope, Scoped};
use super::invariants::work::Work;
use super::invariants::{self, Reach, learn, strengthen};
use synthesis::{Cases, Component, Given};

/// Conflicts of one query: what takes more is left to others.
const CONFLICTS: u64 = 10_000;

/// Components of more ways are not split, and none more often than that.
const MAX_SPLITS: usize = 12;

/// So many statements of ways are executed over terms in one unit of work.
const STATEMENTS: u64 = 10;

/// So hard invariants are looked for where nothing else helps.
const KNOWN: invariants::Effort = invariants::Effort { runs: 80, work: 600, reach: Reach::Near };

/// How hard is tried.
#[derive(Clone, Copy)]
pub(super) enum Effort<'k> {
    /// Before others have a try that may be short.
    Little,
    /// Before others have one that is long; with what holds of all runs, which is asked for where nothing else helps.
    Much(&'k dyn Fn(invariants::Effort) -> Vec<Invariant>),
}

impl Effort<'_> {
    /// In units of work.
    fn work(self) -> u64 {
        match self {
            Effort::Little => 300,
            Effort::Much(_) => 1_500,
        }
    }
}

/// What is left to show.
pub(super) struct Ranked {
    /// Places of which it is not known that each run passes them only finitely often.
    pub left: Vec<Cut>,
    /// So many implications show it of the others.
    pub implications: usize,
}

/// Which of these places each run passes only finitely often.
pub(super) fn ranked(
    Analysed { program, analyses }: Analysed<'_>,
    overflow: Overflow,
    cuts: Vec<Cut>,
    (bounds, effort): (&Bounds, Effort<'_>),
) -> Ranked {
    let bounds = &Bounds { conflicts: bounds.conflicts.min(CONFLICTS), ..bounds.clone() };
    let paths = Paths::of(program, overflow, analyses);
    let Some(graph) = graph(program, analyses, false) else { return Ranked { left: cuts, implications: 0 } };
    let work = Rc::new(Work::new(effort.work()));
    let long: usize = graph.paths.iter().map(|path| path.path.len()).sum();
    if !work.spend(long as u64 / STATEMENTS) {
        return Ranked { left: cuts, implications: 0 };
    }
    let scope = Scope::of_formals(program);
    let edges = edges(program, &paths, Scoped { graph: &graph, scope: &scope }, (bounds, &work));
    let visits = Visits { program, paths: &paths, graph: &graph };
    let variables = graph.nodes.iter().map(|node| node.variables.len()).collect();
    let procedures = graph.nodes.iter().map(|node| node.procedure).collect();
    let mut ranking = Ranking::new((procedures, variables), edges);
    ranking.possible();
    let mut left = visits.left(&cuts, &ranking);
    if !left.is_empty() {
        ranking.eliminate();
        left = visits.left(&cuts, &ranking);
    }
    if !left.is_empty()
        && let Some(queries) = strengthen((program, &scope), &graph, &mut ranking.edges)
    {
        ranking.implications += queries;
        ranking.again();
        left = visits.left(&cuts, &ranking);
    }
    if let Effort::Much(known) = effort
        && !left.is_empty()
    {
        let known = known(KNOWN);
        if !known.is_empty() {
            learn(Scoped { graph: &graph, scope: &scope }, &mut ranking.edges, &known);
            ranking.again();
            left = visits.left(&cuts, &ranking);
        }
    }
    Ranked { left, implications: ranking.implications }
}

/// The strongly connected components of a graph of so many nodes, each after those to which edges lead from it.
pub(super) fn components(nodes: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> Vec<Vec<usize>> {
    let mut graph: DiGraph<(), ()> = DiGraph::new();
    let nodes: Vec<NodeIndex> = (0..nodes).map(|_| graph.add_node(())).collect();
    for (from, to) in edges {
        graph.add_edge(nodes[from], nodes[to], ());
    }
    let of = |component: Vec<NodeIndex>| component.into_iter().map(NodeIndex::index).collect();
    kosaraju_scc(&graph).into_iter().map(of).collect()
}

struct Ranking {
    /// Where each place is.
    procedures: Vec<ProcedureId>,
    /// How many variables each place has.
    variables: Vec<usize>,
    edges: Vec<Edge>,
    /// Edges that a run may take infinitely often.
    alive: Vec<bool>,
    implications: usize,
}

impl Ranking {
    fn new((procedures, variables): (Vec<ProcedureId>, Vec<usize>), edges: Vec<Edge>) -> Ranking {
        Ranking { procedures, variables, alive: vec![true; edges.len()], edges, implications: 0 }
    }

    /// Leaves out what no run can take.
    fn possible(&mut self) {
        for (edge, alive) in self.edges.iter_mut().zip(&mut self.alive) {
            if *alive && edge.possible(&[]).is_unsat() {
                *alive = false;
                self.implications += 1;
            }
        }
    }

    /// All that can be tried, once edges know more.
    fn again(&mut self) {
        self.possible();
        self.eliminate();
        self.split();
    }

    /// The edges that are part of a cycle, by component.
    fn components(&self) -> Vec<Vec<usize>> {
        let ends = |at: usize| Some((self.edges[at].from?, self.edges[at].end.node()?));
        let alive: Vec<usize> = (0..self.edges.len()).filter(|&at| self.alive[at]).collect();
        let mut of = vec![0; self.variables.len()];
        for (number, component) in components(of.len(), alive.iter().filter_map(|&at| ends(at))).iter().enumerate() {
            component.iter().for_each(|&node| of[node] = number);
        }
        let mut components: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for at in alive {
            if let Some((from, to)) = ends(at)
                && of[from] == of[to]
            {
                components.entry(of[from]).or_default().push(at);
            }
        }
        components.into_values().collect()
    }

    /// Leaves out edges on which something falls, until no component loses any.
    fn eliminate(&mut self) {
        let mut stuck: BTreeSet<Vec<usize>> = BTreeSet::new();
        while let Some(component) = self.components().into_iter().find(|component| !stuck.contains(component)) {
            let (mut falling, mut implications) = self.component(&component, false).falling();
            if falling.is_empty() {
                (falling, implications) = self.component(&component, true).falling();
            }
            if falling.is_empty()
                && let Some(variables) = self.shared(&component)
            {
                (falling, implications) = wrapped::falling(&mut self.edges, &component, variables);
            }
            self.implications += implications;
            if falling.is_empty() {
                stuck.insert(component);
            }
            falling.into_iter().for_each(|at| self.alive[at] = false);
        }
    }

    /// How many variables each place of a component has, if they are the same ones.
    fn shared(&self, component: &[usize]) -> Option<usize> {
        let nodes = component.iter().flat_map(|&at| self.edges[at].from.into_iter().chain(self.edges[at].end.node()));
        let procedures: BTreeSet<ProcedureId> = nodes.clone().map(|node| self.procedures[node]).collect();
        nodes.map(|node| self.variables[node]).next().filter(|_| procedures.len() == 1)
    }

    fn component(&mut self, component: &[usize], flipped: bool) -> Component<'_> {
        let told = (&self.variables[..], &mut Cases::new(), Given::All);
        Component::of(&mut self.edges, |at| component.contains(&at), told, flipped)
    }

    /// Tells apart where a condition of the ways holds and where it does not: each side of a place has a ranking function of its own.
    fn split(&mut self) {
        for component in self.components() {
            if component.len() > MAX_SPLITS {
                continue;
            }
            let halves = self.component(&component, false).halves();
            for (node, half) in halves.into_iter().take(MAX_SPLITS) {
                let Some(mut parts) = self.parts(&component, node, &half) else { continue };
                parts.possible();
                parts.eliminate();
                if parts.components().is_empty() {
                    self.implications += parts.implications;
                    component.iter().for_each(|&at| self.alive[at] = false);
                    break;
                }
            }
        }
    }

    /// A component in which a place is two: that where a condition holds has its number, the other one a new one.
    fn parts(&self, component: &[usize], node: usize, half: &Half) -> Option<Ranking> {
        let other = self.variables.len();
        let sides =
            |at: usize| if at == node { vec![(Some(true), at), (Some(false), other)] } else { vec![(None, at)] };
        let mut edges = Vec::new();
        for &at in component {
            let edge = &self.edges[at];
            for (holds_before, from) in sides(edge.from?) {
                for (holds_after, to) in sides(edge.end.node()?) {
                    edges.push(edge.part(half, (holds_before, holds_after), (Some(from), to))?);
                }
            }
        }
        let variables = self.variables.iter().copied().chain([self.variables[node]]).collect();
        let procedures = self.procedures.iter().copied().chain([self.procedures[node]]).collect();
        Some(Ranking::new((procedures, variables), edges))
    }
}

/// Where places lie in the graph.
struct Visits<'a> {
    program: &'a Program,
    paths: &'a Paths<'a>,
    graph: &'a Graph,
}

impl Visits<'_> {
    /// The places that some run may pass infinitely often, as far as the edges tell.
    fn left(&self, cuts: &[Cut], ranking: &Ranking) -> Vec<Cut> {
        let left: Vec<usize> = ranking.components().into_iter().flatten().collect();
        let nodes: BTreeSet<usize> = left.iter().filter_map(|&at| ranking.edges[at].from).collect();
        let at = |node: usize| StatementId::of(self.graph.nodes[node].procedure, self.graph.nodes[node].label);
        let passed = |cut: &&Cut| match **cut {
            Cut::Inside(id) => nodes.iter().any(|&node| at(node) == id),
            // A procedure may be called without having a place here only if it is not looked at.
            Cut::Entry(procedure) => left.iter().any(|&edge| match ranking.edges[edge].end {
                End::Called(node) => self.graph.nodes[node].procedure == procedure,
                _ => false,
            }),
            Cut::Anywhere(id) => left.iter().any(|&edge| self.visits(edge, id)),
        };
        cuts.iter().filter(passed).copied().collect()
    }

    /// Whether a statement may be passed on a way, or in what it calls.
    fn visits(&self, edge: usize, StatementId { procedure, label }: StatementId) -> bool {
        let Some(path) = edge.checked_sub(1).and_then(|at| self.graph.paths.get(at)) else { return true };
        let own = self.graph.nodes[path.from].procedure;
        if own == procedure && path.path.contains(&label) {
            return true;
        }
        let body = self.program.procedure(own).body.as_ref();
        let statements = path.path.iter().filter_map(|at| body.and_then(|body| body.get(at.0 as usize)));
        statements.flat_map(|statement| self.paths.calls(&statement.kind)).any(|callee| callee == procedure)
    }
}
