//! A chain of calls put before a judge: whether some run has exactly these frames on its stack.
//!
//! The run is looked for leg by leg, from where a call begins to where the next one in it does, each by a search of its own in what
//! is left when all below it is taken away: what lies below is not looked at as long as a call has not returned. A leg begins with
//! the values with which the last one ended, but for locals that no caller sets: with which of these a call goes on shows later, and
//! then the last leg ends with them, too. So all legs are one run; each is walked by the judge of runs.

use std::sync::Arc;

use num_bigint::BigUint;
use spds_format::automaton::{Automaton, Edge, End, State, StateId};
use spds_format::expr::{Binary, Expr, Time};
use spds_format::model::{FrameId, Head, Scalar, Spds, Start, SymbolId, Var, Variable};

use super::Judged;
use super::calls::Graph;
use super::chain::Node;
use super::shown::cells;
use crate::check::{CheckError, Options, Property, Replayed, Trace, TraceWish, Verdict, check};
use crate::limits::Stop;
use crate::pds::HeadId;
use crate::replay::{self, judge};
use crate::run::{Config, Run};

type Result<T> = std::result::Result<T, Stop>;

/// So many calls of a chain are walked, at most.
pub(super) const MAX_WALKED_CALLS: usize = 64;

/// How much it may take to find a run, a rule that is looked at counting one.
const WORK: u64 = 1 << 22;

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
    /// Which cells of locals no caller sets.
    free: Vec<bool>,
}

/// A leg that was walked.
struct Leg {
    start: Start,
    run: Run,
    stacks: Arc<Automaton>,
}

impl Claim {
    /// That some stack has the frames of this chain, or the outermost of them if they are many; `whole` says whether the chain is whole.
    ///
    /// # Errors
    /// If a limit is met.
    pub fn new(graph: &Graph<'_, '_>, nodes: &[Node], whole: bool) -> Result<Claim> {
        let spds = graph.system.spds;
        let own = &nodes[..nodes.len().min(MAX_WALKED_CALLS)];
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
                points.push(Point {
                    frames: under + place + 1,
                    sites,
                    tops: tops(graph, node),
                    free: entry.map_or_else(Vec::new, |entry| free(graph, node, entry)),
                });
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
        let (mut own, mut left) = (spds.clone(), WORK);
        let mut last: Option<Leg> = None;
        for (number, point) in self.points.iter().enumerate() {
            left = left.saturating_sub(spds.rules.len() as u64);
            let stacks = Arc::new(stacks(&point.tops, &point.sites));
            let property = [Property::Configurations(stacks.clone())];
            let (engine, limits) = (options.engine, options.limits);
            let options = Options { engine, limits, trace: TraceWish::Any, work: Some(left), ..Options::default() };
            let mut outcome = check(&own, &property, &options)?;
            let Trace { run, replayed } = match outcome.answers.pop().map(|answer| answer.verdict) {
                Some(Verdict::Reachable(Some(trace))) => trace,
                Some(Verdict::Unreachable) if last.as_ref().is_none_or(|leg| leg.has_called()) => {
                    let what = format!("no run has the {} outermost frames of the chain of calls", point.frames);
                    return Err(CheckError::WitnessRejected(what));
                }
                _ => break,
            };
            if let Some((leg, first)) = last.take().zip(run.stem.first()) {
                leg.ends_with(&mut own, &first.config, options.replay_steps)?;
            }
            let replayed = match judged {
                Judged::Run(Replayed::ExceptLeaps) | Judged::Partly(_, Replayed::ExceptLeaps) => Replayed::ExceptLeaps,
                _ => replayed,
            };
            judged = match number + 1 == self.points.len() && self.is_whole {
                true => Judged::Run(replayed),
                false => Judged::Partly(BigUint::from(point.frames), replayed),
            };
            left = left.saturating_sub(outcome.stats.saturated);
            let Some(config) = run.stem.last().map(|step| step.config.clone()) else { break };
            let leg = Leg { start: own.start.clone(), run, stacks };
            let free = Some(&point.free[..]).filter(|_| leg.has_called());
            begin(&mut own, &config, free.unwrap_or_default());
            last = Some(leg);
        }
        Ok(judged)
    }
}

impl Leg {
    /// Whether its last step is a call, so that it ends with any values of what no caller sets.
    fn has_called(&self) -> bool {
        let [.., caller, callee] = &self.run.stem[..] else { return false };
        caller.depth < callee.depth
    }

    /// Asks the judge once more, of the same run with this configuration at the end.
    fn ends_with(mut self, spds: &mut Spds, config: &Config, steps: u64) -> std::result::Result<(), CheckError> {
        let Some(end) = self.run.stem.last_mut().filter(|end| end.config != *config) else { return Ok(()) };
        end.config = config.clone();
        let next = std::mem::replace(&mut spds.start, self.start);
        let judged = judge(spds, &self.run, &replay::Claim::Belongs(self.stacks), steps);
        spds.start = next;
        judged.map(|_| ()).map_err(|objection| CheckError::WitnessRejected(objection.to_string()))
    }
}

/// Which cells of locals no caller sets.
fn free(graph: &Graph<'_, '_>, node: &Node, entry: HeadId) -> Vec<bool> {
    let (system, control) = (graph.system, &graph.system.control);
    let frame = system.spds.symbol(control.pds.head(entry).symbol).frame;
    let set = system.bits(control.passed(node.state));
    let fields = control.pds.layout.locals(frame).iter();
    let cells = fields.flat_map(|field| (0..field.ty.cells()).map(|cell| field.cell(cell)));
    cells.map(|mut bits| bits.all(|bit| set.binary_search(&bit).is_err())).collect()
}

/// Makes runs begin with this configuration, but for any values of some cells of locals, and with nothing below.
fn begin(spds: &mut Spds, config: &Config, free: &[bool]) {
    let frame = spds.symbol(config.symbol).frame;
    let globals = valued(&spds.globals, Var::Global, &config.globals);
    let locals = valued(spds.locals(config.symbol), Var::Local, &config.locals);
    let fixed = locals.enumerate().filter(|(cell, _)| !free.get(*cell).is_some_and(|free| *free)).map(|(_, cell)| cell);
    let condition = globals.chain(fixed).map(|cell| equal(spds, frame, cell)).reduce(|all, one| all.and(&one));
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

/// Stacks with one of these on top, and below it these symbols, from the bottom.
fn stacks(tops: &[(Head, Option<Expr>)], sites: &[SymbolId]) -> Automaton {
    let state = |place: usize| State {
        name: format!("below {place}").as_str().into(),
        frame: None,
        carries: Box::default(),
        accepting: place == sites.len(),
    };
    let states = (0..=sites.len()).map(state).collect();
    let to = |place: usize| End::State(StateId(place as u32));
    let edge = |from, symbol, to, condition| Edge { from, symbol: Some(symbol), to, condition };
    let top = |(head, condition): &(Head, Option<Expr>)| {
        edge(End::Control(head.control), head.symbol, to(0), condition.clone())
    };
    let tops = tops.iter().map(top);
    let further = sites.iter().rev().enumerate().map(|(place, symbol)| edge(to(place), *symbol, to(place + 1), None));
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
