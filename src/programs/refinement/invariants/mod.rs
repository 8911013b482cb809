//! Invariants first guessed, then proved: candidates at cut points from runs and from the constants of the program, of which the greatest set
//! that every basic path keeps is an invariant. If it excludes all failures, the program holds, and nothing has to be abstracted.
//!
//! Numbers are the integers in variables that have names. What a call may write is arbitrary after it, but for what is known of what it
//! returns. Each inequality is meant over the integers, in terms so wide that nothing wraps around.

pub mod claims;

pub mod told;

pub(super) mod bound;
pub(super) mod edge;
pub(super) mod houdini;
pub(super) mod work;

mod asked;
mod candidates;
mod cells;
mod effects;
mod fact;
mod facts;
mod guess;
mod hull;
mod leaps;
mod linear;
mod samples;
pub(super) mod scope;

use std::collections::{BTreeMap, BTreeSet};

use spds_format::model::Place;

use crate::analyses::Analysed;
use crate::bitvec::{Answer, Bounds};
use crate::c::Program;
use crate::c::program::{Overflow, StatementId};
use crate::interpreter::Inputs;
use crate::limits::Limits;
use crate::transition::graph::Graph;
use crate::transition::path::Demanded;
use crate::transition::undefined::Undefined;

use asked::asked;
use candidates::{constants, intervals, orders};
use claims::{Ground, Invariant};
use edge::Edge;
use edge::twice::twice;
use facts::Facts;
use guess::{Guess, Stage, returned};
use houdini::{About, Houdini};
use scope::{Scope, Scoped};

/// Conflicts of one query: what takes more is left to others.
const CONFLICTS: u64 = 2_000;

/// The most pairs of basic paths that follow each other.
const PAIRS: usize = 120;

/// For two steps there is so many times less work.
const FOR_TWO_STEPS: u64 = 4;

/// How hard is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Runs that are drawn.
    pub runs: u64,
    /// Units of work: about thousandths of a second.
    pub work: u64,
    /// Which candidates there are.
    pub reach: Reach,
}

/// Which candidates are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// Equations and inequalities, which most loops need and which are soon proved or not.
    Near,
    /// Rests and conditions, and cells of arrays, too.
    Cells,
}

/// What was proved at one stage.
#[derive(Clone, Debug)]
pub struct Proved {
    /// Which kind of candidates was added there.
    pub source: &'static str,
    /// What holds.
    pub invariants: Vec<Invariant>,
    /// Whether that excludes all failures.
    #[cfg_attr(feature = "whole", expect(dead_code, reason = "only tests ask so"))]
    pub excludes: bool,
}

/// What was proved: that nothing fails.
pub struct Excluded {
    /// How many implications show it.
    pub implications: usize,
    /// Where runs may do what is undefined, past which none goes.
    pub undefined: Vec<(Undefined, Place)>,
    /// The invariants that show it.
    pub invariants: Vec<Invariant>,
    /// Which kind of candidates was added last.
    pub source: &'static str,
}

/// Adds what holds to what edges know, without runs; how many queries said so, or none if it took too many.
pub(super) fn strengthen((program, scope): (&Program, &Scope<'_>), graph: &Graph, edges: &mut [Edge]) -> Option<usize> {
    let constants = constants(program);
    let bounds = |count: usize| {
        let all: Vec<usize> = (0..count).collect();
        [intervals(&all, &constants), orders(&all)].concat()
    };
    let mut facts = returned(graph, scope, &constants);
    for (at, node) in graph.nodes.iter().enumerate() {
        facts.insert(About::Place(at), Facts::bounded(bounds(scope.of_place(node).0)));
    }
    let mut houdini = Houdini::new(edges, graph, facts);
    houdini.settle()?;
    houdini.learn();
    Some(houdini.queries)
}

/// Adds what is known of a program to what edges of it know.
pub(super) fn learn(of: Scoped<'_>, edges: &mut [Edge], known: &[Invariant]) {
    Houdini::new(edges, of.graph, claims::facts(of, known)).learn();
}

/// Of what invariants are looked for, and how hard is tried.
#[derive(Clone, Copy)]
pub struct Search<'p> {
    /// The program.
    pub of: Analysed<'p>,
    /// What overflows are.
    pub overflow: Overflow,
    /// For each query.
    pub bounds: &'p Bounds,
    /// For all of them.
    pub effort: Effort,
}

/// What an attempt has come to.
pub enum Attempt {
    /// It was proved that no run fails.
    Excluded(Excluded),
    /// A run fails with these inputs, after so many steps.
    #[cfg_attr(feature = "whole", allow(dead_code, reason = "tests ask less"))]
    Fails(Inputs, u64),
    /// Not that; but this holds, whatever a run does.
    Open(Vec<Invariant>),
}

/// That no run fails, if that was proved. Ends by itself after so much work; what is cut short says nothing.
pub fn excluded(search: &Search<'_>, limits: Limits) -> Attempt {
    let (mut excluded, mut known) = (None, Vec::new());
    let tried = stages(search, Aim::Exclude, limits, &mut |stage, ground, facts, implications| {
        let invariants = ground.told(&facts);
        known.extend(ground.needed(&facts));
        let mut houdini = Houdini::new(&mut ground.edges, &ground.graph, facts);
        let undefined = left(ground.program, &ground.graph, ground.overflow, &mut houdini);
        let implications = implications + houdini.queries;
        let source = stage.name();
        excluded = undefined.map(|undefined| Excluded { implications, undefined, invariants, source });
        excluded.is_some()
    });
    match (excluded, tried.failing) {
        (Some(excluded), _) => Attempt::Excluded(excluded),
        (None, Some((inputs, steps))) => Attempt::Fails(inputs, steps),
        (None, None) => Attempt::Open(each_once(known)),
    }
}

/// What was proved of several failures.
pub(super) struct Several {
    /// Those to which no run gets.
    pub excluded: BTreeSet<StatementId>,
    /// What holds whatever a run does.
    pub known: Vec<Invariant>,
    /// A run that fails: its inputs, and its steps.
    pub failing: Option<(Inputs, u64)>,
}

/// Which of these failures cannot be, as far as that was proved: each by itself. Ends by itself after so much work; what is cut short says
/// nothing.
pub(super) fn excluded_each(search: &Search<'_>, failures: &BTreeSet<StatementId>, limits: Limits) -> Several {
    let (mut known, mut open) = (Vec::new(), failures.clone());
    let tried = stages(search, Aim::Tell, limits, &mut |_, ground, facts, _| {
        known.extend(ground.needed(&facts));
        let mut houdini = Houdini::new(&mut ground.edges, &ground.graph, facts);
        open = possible(&ground.graph, &mut houdini, &open);
        open.is_empty()
    });
    Several { excluded: failures - &open, known: each_once(known), failing: tried.failing }
}

/// Which of these failures may be.
fn possible(graph: &Graph, houdini: &mut Houdini<'_>, failures: &BTreeSet<StatementId>) -> BTreeSet<StatementId> {
    let mut possible = BTreeSet::new();
    for at in 0..houdini.edges.len() {
        houdini.edges[at].partial = true;
        let assumed = houdini.assumed(at);
        let Some(path) = houdini.edges[at].path.map(|at| &graph.paths[at]) else { continue };
        let demanded: Vec<Demanded> = houdini.edges[at].relation.demanded.clone();
        for demanded in demanded.iter().filter(|one| one.kind.is_none()) {
            let id = StatementId::of(graph.nodes[path.from].procedure, path.path[demanded.step]);
            if !failures.contains(&id) || possible.contains(&id) || houdini.excludes(at, demanded) {
                continue;
            }
            if !matches!(houdini.edges[at].wrong(demanded, &assumed), Answer::Unsat(_)) {
                possible.insert(id);
            }
        }
    }
    possible
}

/// What holds whatever a run does, as far as so much work finds it.
pub(super) fn known(search: &Search<'_>, limits: Limits) -> Vec<Invariant> {
    let mut known = Vec::new();
    stages(search, Aim::Tell, limits, &mut |_, ground, facts, _| {
        known.extend(ground.needed(&facts));
        false
    });
    each_once(known)
}

fn each_once(mut invariants: Vec<Invariant>) -> Vec<Invariant> {
    invariants.sort_unstable();
    invariants.dedup();
    invariants
}

/// What was proved, and which kinds of candidates took too much.
struct Found {
    /// Of each stage that came to an end.
    proved: Vec<Proved>,
    cut_short: Vec<&'static str>,
}

/// What was proved, of each stage that came to an end.
#[cfg_attr(feature = "whole", expect(dead_code, reason = "only tests ask so"))]
pub fn invariants(search: &Search<'_>, limits: Limits) -> Vec<Proved> {
    found(search, limits).proved
}

fn found(search: &Search<'_>, limits: Limits) -> Found {
    let mut proved = Vec::new();
    let tried = stages(search, Aim::Tell, limits, &mut |stage, ground, facts, _| {
        let mut invariants = ground.told(&facts);
        invariants.extend(proved.first().into_iter().flat_map(|first: &Proved| first.invariants.iter().cloned()));
        let invariants = each_once(invariants);
        let mut houdini = Houdini::new(&mut ground.edges, &ground.graph, facts);
        let excludes = left(ground.program, &ground.graph, ground.overflow, &mut houdini).is_some();
        proved.push(Proved { source: stage.name(), invariants, excludes });
        false
    });
    Found { proved, cut_short: tried.cut_short.into_iter().map(Stage::name).collect() }
}

/// Told what is proved at a stage, and by how many implications; whether that is enough.
type Tell<'t> = &'t mut dyn FnMut(Stage, &mut Ground<'_>, BTreeMap<About, Facts>, usize) -> bool;

/// For what invariants are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aim {
    /// To exclude failures: a run that fails ends it.
    Exclude,
    /// To know them.
    Tell,
}

/// What came of all stages.
struct Tried {
    /// Which of them were cut short, so that nothing is known of them.
    cut_short: Vec<Stage>,
    /// The inputs of a run that fails, and its steps.
    failing: Option<(Inputs, u64)>,
}

fn stages(search: &Search<'_>, aim: Aim, limits: Limits, tell: Tell<'_>) -> Tried {
    let &Search { of: Analysed { program, .. }, overflow, bounds, effort } = search;
    let bounds = &Bounds { conflicts: bounds.conflicts.min(CONFLICTS), ..bounds.clone() };
    let Some(mut ground) = Ground::of(&Search { bounds, ..*search }) else {
        return Tried { cut_short: Stage::ALL.into(), failing: None };
    };
    let constants = constants(program);
    let samples = samples::samples((program, overflow), ground.scoped(), &constants, (effort.runs, limits));
    if aim == Aim::Exclude && samples.failing.is_some() {
        return Tried { cut_short: Vec::new(), failing: samples.failing };
    }
    let asked = asked(&mut ground.edges, ground.graph.nodes.len());
    let (mut implications, mut cut_short) = (0, Vec::new());
    let arrays = !ground.scope.watched().arrays.is_empty();
    let is_given = samples.returns.keys().any(|&procedure| !ground.scope.entered(procedure).is_empty());
    let wanted = |stage: &Stage| match stage {
        Stage::Equations | Stage::Orders | Stage::Octagons | Stage::Congruences => true,
        Stage::Cells => arrays,
        Stage::Tables => effort.reach > Reach::Near && is_given,
        Stage::Conditions | Stage::Twice => effort.reach > Reach::Near,
    };
    for stage in Stage::ALL.into_iter().filter(wanted) {
        if limits.met().is_some() {
            cut_short.push(stage);
            continue;
        }
        match stage {
            Stage::Twice => {
                let Some(edges) = twice(&ground.edges, PAIRS) else { continue };
                ground.edges = edges;
                ground.work.grant(effort.work / FOR_TWO_STEPS);
            }
            _ if effort.reach > Reach::Near => ground.work.shared(stage == Stage::Conditions),
            _ => {}
        }
        ground.edges.iter_mut().for_each(|edge| edge.partial = false);
        let (graph, scope) = (&ground.graph, &ground.scope);
        let facts =
            Guess { program, graph, scope, constants: &constants, samples: &samples, asked: &asked }.facts(stage);
        let mut houdini = Houdini::new(&mut ground.edges, &ground.graph, facts);
        if houdini.settle().is_none() {
            cut_short.push(stage);
            continue;
        }
        implications += houdini.queries;
        if stage == Stage::Equations {
            // Where sums are known not to wrap around, more is linear.
            houdini.learn();
        }
        let facts = houdini.into_facts();
        if tell(stage, &mut ground, facts, implications) {
            break;
        }
    }
    Tried { cut_short, failing: samples.failing }
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
        let Some(path) = houdini.edges[at].path.map(|at| &graph.paths[at]) else { continue };
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
