//! The graph of cut points (entries of procedures and heads of loops) and of the basic paths between them.
//!
//! A basic path passes calls that return, and another one enters what is called. So a run that goes on for ever, without its calls that
//! return (its unmatched-call suffix), is a path of this graph: if the graph has no infinite path that is possible, every run ends.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::analyses::Analyses;
use crate::analyses::cut_points::Cut;
use crate::c::Program;
use crate::c::program::{Label, ProcedureId, StatementId, StatementKind, Storage, VariableId};
use crate::points_to::PointsTo;

/// The most basic paths of a graph.
const MOST_PATHS: usize = 400;

/// The most statements of a basic path.
const LONGEST_PATH: usize = 4_000;

/// A cut point.
#[derive(Clone, Debug)]
pub struct Node {
    /// In this procedure.
    pub procedure: ProcedureId,
    /// Before this statement.
    pub label: Label,
    /// The integers that have names there; the formals come first.
    pub variables: Vec<VariableId>,
}

/// Where a basic path ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum End {
    /// At a cut point of the same frame.
    Here(usize),
    /// In a procedure that is called.
    Called(usize),
    /// With a return.
    Returns,
    /// With a failure, or where the run ends. Only where that is asked for.
    Stops,
}

impl End {
    /// The cut point at its end.
    pub fn node(self) -> Option<usize> {
        match self {
            End::Here(node) | End::Called(node) => Some(node),
            End::Returns | End::Stops => None,
        }
    }
}

/// A basic path.
#[derive(Clone, Debug)]
pub struct BasicPath {
    /// At this cut point.
    pub from: usize,
    /// Where it ends.
    pub end: End,
    /// Its statements.
    pub path: Vec<Label>,
}

/// Cut points and basic paths; the first cut point is where the program begins.
#[derive(Debug)]
pub struct Graph {
    /// The cut points.
    pub nodes: Vec<Node>,
    /// The basic paths.
    pub paths: Vec<BasicPath>,
}

/// The graph of a program, with the basic paths that end with the run if those are asked for; none if it has too many basic paths even if every statement to which several lead is a place.
pub fn graph(program: &Program, analyses: &Analyses, stops: bool) -> Option<Graph> {
    let points_to = analyses.points_to();
    let mut places: BTreeMap<ProcedureId, BTreeSet<Label>> = BTreeMap::new();
    for cut in analyses.cuts() {
        if let &Cut::Inside(StatementId { procedure, label }) = cut {
            places.entry(procedure).or_default().insert(label);
        }
    }
    Builder::new(program, points_to, &places, stops).built().or_else(|| {
        for id in (0..program.procedures.len() as u32).map(ProcedureId) {
            places.entry(id).or_default().extend(joins(program, id));
        }
        Builder::new(program, points_to, &places, stops).built()
    })
}

/// Statements to which several lead.
fn joins(program: &Program, procedure: ProcedureId) -> BTreeSet<Label> {
    let (mut once, mut joins) = (BTreeSet::new(), BTreeSet::new());
    for (at, statement) in program.procedure(procedure).body.iter().flatten().enumerate() {
        for to in statement.kind.successors(Label(at as u32)).collect::<BTreeSet<_>>() {
            if !once.insert(to) {
                joins.insert(to);
            }
        }
    }
    joins
}

struct Builder<'p> {
    program: &'p Program,
    points_to: &'p PointsTo,
    places: &'p BTreeMap<ProcedureId, BTreeSet<Label>>,
    stops: bool,
    nodes: Vec<Node>,
    numbers: HashMap<StatementId, usize>,
    paths: Vec<BasicPath>,
}

impl<'p> Builder<'p> {
    fn new(
        program: &'p Program,
        points_to: &'p PointsTo,
        places: &'p BTreeMap<ProcedureId, BTreeSet<Label>>,
        stops: bool,
    ) -> Builder<'p> {
        Builder { program, points_to, places, stops, nodes: Vec::new(), numbers: HashMap::new(), paths: Vec::new() }
    }

    fn built(mut self) -> Option<Graph> {
        self.node(self.program.main, Label(0));
        let mut done = 0;
        while done < self.nodes.len() {
            self.paths_from(done)?;
            done += 1;
        }
        Some(Graph { nodes: self.nodes, paths: self.paths })
    }

    fn node(&mut self, procedure: ProcedureId, label: Label) -> usize {
        let next = self.nodes.len();
        let number = *self.numbers.entry(StatementId { procedure, label }).or_insert(next);
        if number == next {
            self.nodes.push(Node { procedure, label, variables: integers(self.program, procedure) });
        }
        number
    }

    fn path(&mut self, from: usize, end: End, path: Vec<Label>) -> Option<()> {
        self.paths.push(BasicPath { from, end, path });
        (self.paths.len() <= MOST_PATHS).then_some(())
    }

    fn paths_from(&mut self, from: usize) -> Option<()> {
        let Node { procedure, label, .. } = self.nodes[from];
        let body = self.program.procedure(procedure).body.as_ref();
        let none = BTreeSet::new();
        let places = self.places.get(&procedure).unwrap_or(&none);
        // Each path once into what it calls, whatever comes after it.
        let mut open: Vec<Vec<Label>> = vec![vec![label]];
        while let Some(path) = open.pop() {
            let &at = path.last().filter(|_| path.len() <= LONGEST_PATH)?;
            let Some(statement) = body.and_then(|body| body.get(at.0 as usize)) else { continue };
            for callee in self.points_to.called(self.program, &statement.kind) {
                if self.program.procedure(callee).body.is_some() {
                    let entry = self.node(callee, Label(0));
                    self.path(from, End::Called(entry), path.clone())?;
                }
            }
            let end = match statement.kind {
                StatementKind::Return(_) => Some(End::Returns),
                StatementKind::Fail(_) | StatementKind::Exit(_) => self.stops.then_some(End::Stops),
                _ => None,
            };
            if let Some(end) = end {
                self.path(from, end, path)?;
                continue;
            }
            for to in statement.kind.successors(at).collect::<BTreeSet<_>>() {
                if places.contains(&to) || to == Label(0) {
                    let node = self.node(procedure, to);
                    self.path(from, End::Here(node), path.clone())?;
                } else {
                    open.push(path.iter().copied().chain([to]).collect());
                    if open.len() > MOST_PATHS {
                        return None;
                    }
                }
            }
        }
        Some(())
    }
}

/// The integers that have names in a procedure: its formals, its other variables, and those that all see.
pub fn integers(program: &Program, procedure: ProcedureId) -> Vec<VariableId> {
    let own = program.procedure(procedure);
    let seen = |&id: &VariableId| match program.variable(id).storage {
        Storage::Global => true,
        Storage::Static(of) => of == procedure,
        Storage::Local(_) | Storage::Constant => false,
    };
    let locals = own.locals.iter().copied().filter(|&id| !program.variable(id).is_made_up);
    let globals = (0..program.variables.len() as u32).map(VariableId).filter(seen);
    let all = own.formals.iter().copied().chain(locals).chain(globals);
    all.filter(|&id| program.types.as_integer(program.variable(id).ty).is_some()).collect()
}
