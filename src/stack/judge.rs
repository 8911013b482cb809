//! A chain of calls put before a judge: whether some run has exactly these frames on its stack.
//!
//! The run is looked for leg by leg, each by a search of its own in what is left when all below it is taken away: what lies below is
//! not looked at as long as a call has not returned. A leg goes from where a call begins to where a call in a call in it does, and
//! the next one begins with the very values with which this one came by the call in between: so all of them are one run, and
//! nothing was chosen there with which it cannot go on. Each is walked by the judge of runs.

use std::sync::Arc;

use num_bigint::BigUint;
use spds_format::automaton::{Automaton, Edge, End, State, StateId};
use spds_format::expr::{Binary, Expr, Time};
use spds_format::model::{FrameId, Head, Scalar, Spds, SymbolId, Var, Variable};

use super::Judged;
use super::calls::Graph;
use super::chain::Node;
use super::shown::cells;
use crate::check::{Answer, CheckError, Options, Property, Replayed, TraceWish, Verdict, check};
use crate::limits::Stop;
use crate::run::{Config, Run};

type Result<T> = std::result::Result<T, Stop>;

/// So many calls of a chain are walked, at most.
pub(super) const MOST: usize = 64;

/// How much it may take to find a run, a rule that is looked at counting one.
const WORK: u64 = 1 << 21;

/// What a judge is to see.
#[derive(Default)]
pub(super) struct Claim {
    /// Whether these are all frames of the chain.
    is_whole: bool,
    /// The calls whose beginning is seen, from the outermost on, and whatever is the last.
    points: Vec<Point>,
}

/// Where a call begins.
struct Point {
    /// So many frames are on the stack.
    frames: usize,
    /// What lies between the topmost symbol and that of the point before, from the bottom.
    sites: Vec<SymbolId>,
    /// The heads that may lie on top.
    tops: Vec<(Head, Option<Expr>)>,
}

impl Claim {
    /// That some stack has the frames of this chain, or the outermost of them if they are many; `whole` says whether the chain is whole.
    ///
    /// # Errors
    /// If a limit is met.
    pub fn new(graph: &Graph<'_, '_>, nodes: &[Node], whole: bool) -> Result<Claim> {
        let spds = graph.system.spds;
        let own = &nodes[..nodes.len().min(MOST)];
        let Some(first) = own.first() else { return Ok(Claim::default()) };
        let below = &spds.start.stack[first.state.0 as usize + 1..];
        let under = below.iter().filter(|symbol| Some(**symbol) != spds.end).count();
        let mut points = Vec::new();
        let mut sites: Vec<SymbolId> = below.iter().rev().copied().collect();
        for (place, node) in own.iter().enumerate() {
            if let Some(outer) = place.checked_sub(1).and_then(|outer| own.get(outer)) {
                let Some(call) = graph.between(outer, node)? else { break };
                sites.push(graph.calls[call].site);
            }
            let entry = graph.entry(node.state).filter(|entry| !graph.system.control.pds.is_hidden(*entry));
            if entry.is_some() || place + 1 == own.len() {
                let sites = std::mem::take(&mut sites);
                points.push(Point { frames: under + place + 1, sites, tops: tops(graph, node) });
            }
        }
        Ok(Claim { is_whole: whole && own.len() == nodes.len(), points })
    }

    /// How far a run that was found has been walked.
    ///
    /// # Errors
    /// If there is none: then the search or the judge is wrong.
    pub fn judged(&self, spds: &Spds, options: &Options) -> std::result::Result<Judged, CheckError> {
        let mut judged = Judged::No;
        let mut own = spds.clone();
        let mut left = WORK;
        for leg in (0..self.points.len()).map(|first| &self.points[first..self.points.len().min(first + 2)]) {
            let Some(last) = leg.last().filter(|_| leg.len() > 1 || self.points.len() == 1) else { break };
            left = left.saturating_sub(spds.rules.len() as u64);
            let sites = leg.iter().flat_map(|point| &point.sites).rev().copied().collect();
            let property = [Property::Configurations(Arc::new(stacks(&last.tops, sites)))];
            let options = Options { trace: TraceWish::Any, work: Some(left), ..options.clone() };
            let mut outcome = check(&own, &property, &options)?;
            let trace = match outcome.answers.pop() {
                Some(Answer { verdict: Verdict::Reachable(Some(trace)), .. }) => trace,
                Some(Answer { verdict: Verdict::Unreachable, .. }) => {
                    let what = format!("no run has the {} outermost frames of the chain of calls", last.frames);
                    return Err(CheckError::WitnessRejected(what));
                }
                _ => break,
            };
            let replayed = match judged {
                Judged::No => trace.replayed,
                Judged::Run(before) | Judged::Partly(_, before) => both(before, trace.replayed),
            };
            let is_last = self.points.last().is_some_and(|top| top.frames == last.frames);
            judged = match is_last && self.is_whole {
                true => Judged::Run(replayed),
                false => Judged::Partly(BigUint::from(last.frames), replayed),
            };
            let work = outcome.stats.figures.iter().filter(|(name, _)| *name == "work");
            left = left.saturating_sub(work.map(|(_, work)| *work as u64).sum());
            let Some(config) = entered(&trace.run, last.sites.len()) else { break };
            begin(&mut own, config);
        }
        Ok(judged)
    }
}

/// With what a run has entered the call that lies so many symbols below the last one.
fn entered(run: &Run, below: usize) -> Option<&Config> {
    let depth = u64::from(run.stem.last()?.depth).checked_sub(below as u64)?;
    let inside = run.stem.iter().rev().take_while(|step| u64::from(step.depth) >= depth);
    inside.last().map(|step| &step.config)
}

fn both(one: Replayed, other: Replayed) -> Replayed {
    if one == Replayed::Full { other } else { one }
}

/// Makes runs begin with this configuration, with nothing below.
fn begin(spds: &mut Spds, config: &Config) {
    let frame = spds.symbol(config.symbol).frame;
    let globals = valued(&spds.globals, Var::Global, &config.globals);
    let locals = valued(spds.locals(config.symbol), Var::Local, &config.locals);
    let condition = globals.chain(locals).map(|cell| equal(spds, frame, cell)).reduce(|all, one| all.and(&one));
    spds.start.control = config.control;
    spds.start.stack = Box::new([config.symbol]);
    spds.start.condition = condition;
}

/// The cells of variables with their values.
fn valued<'a>(
    variables: &'a [Variable],
    var: fn(u32) -> Var,
    values: &'a [u64],
) -> impl Iterator<Item = (Var, Option<u32>, u64)> + 'a {
    let cells = variables.iter().zip(0..).flat_map(move |(variable, number)| {
        (0..variable.ty.cells()).map(move |cell| (var(number), variable.ty.range.map(|(first, _)| first + cell)))
    });
    cells.zip(values).map(|((var, index), value)| (var, index, *value))
}

/// Stacks with one of these on top and these symbols below.
fn stacks(tops: &[(Head, Option<Expr>)], below: Vec<SymbolId>) -> Automaton {
    let state = |place: usize| State {
        name: format!("below {place}").as_str().into(),
        frame: None,
        carries: Box::default(),
        accepting: place == below.len(),
    };
    let states = (0..=below.len()).map(state).collect();
    let to = |place: usize| End::State(StateId(place as u32));
    let edge = |from, symbol, to, condition| Edge { from, symbol: Some(symbol), to, condition };
    let top = |(head, condition): &(Head, Option<Expr>)| {
        edge(End::Control(head.control), head.symbol, to(0), condition.clone())
    };
    let tops = tops.iter().map(top);
    let further = below.iter().enumerate().map(|(place, symbol)| edge(to(place), *symbol, to(place + 1), None));
    let edges = tops.chain(further).collect();
    Automaton { states, edges }
}

/// The heads that may lie on top in a call: its entry with its values, or where that is not seen, any.
fn tops(graph: &Graph<'_, '_>, node: &Node) -> Vec<(Head, Option<Expr>)> {
    let control = &graph.system.control;
    match graph.entry(node.state).filter(|entry| !control.pds.is_hidden(*entry)) {
        Some(entry) => {
            let (spds, head) = (graph.system.spds, control.pds.head(entry));
            let frame = spds.symbol(head.symbol).frame;
            let cells = cells(graph, node, frame).into_iter();
            let condition = cells.map(|cell| equal(spds, frame, cell)).reduce(|all, one| all.and(&one));
            vec![(head, condition)]
        }
        None => {
            let seen = control.flow.bodies[node.state.0 as usize].iter().filter(|head| !control.pds.is_hidden(**head));
            seen.map(|head| (control.pds.head(*head), None)).collect()
        }
    }
}

/// That a scalar has this value.
fn equal(spds: &Spds, frame: Option<FrameId>, (var, index, value): (Var, Option<u32>, u64)) -> Expr {
    let read = match index {
        None => Expr::read(var, Time::Before),
        Some(index) => Expr::cell(var, Time::Before, &Expr::number(index.into())),
    };
    match spds.variable(frame, var).map(|variable| variable.ty.scalar) {
        Some(Scalar::Bool) if value == 1 => read,
        Some(Scalar::Bool) => read.not(),
        _ => read.binary(Binary::Eq, &Expr::number(value)),
    }
}
