//! A chain of calls put before a judge: whether some run has exactly these frames on its stack.

use std::sync::Arc;

use num_bigint::BigUint;
use spds_format::automaton::{Automaton, Edge, End, State, StateId};
use spds_format::expr::{Binary, Expr, Time};
use spds_format::model::{Head, Scalar, Spds, SymbolId, Var};

use super::calls::Graph;
use super::chain::Node;
use super::shown::cells;
use crate::check::{CheckError, Options, Property, TraceWish, Verdict, check};
use crate::limits::Stop;

type Result<T> = std::result::Result<T, Stop>;

/// So many calls are looked at.
const MOST: usize = 24;

/// How much it may take to find a run.
const WORK: u64 = 1 << 22;

/// What a judge is to see.
#[derive(Default)]
pub(super) struct Claim {
    /// So many frames.
    pub frames: BigUint,
    /// Whether these are all frames of the chain.
    pub is_whole: bool,
    /// Stacks with them.
    stacks: Option<Automaton>,
}

/// How exactly stacks are described.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Described {
    /// By their symbols.
    Symbols,
    /// And by the entry values of the innermost call.
    Values,
}

impl Claim {
    /// That some stack has the frames of this chain, or the outermost of them if they are many; `whole` says whether the chain is whole.
    ///
    /// # Errors
    /// If a limit is met.
    pub fn new(graph: &Graph<'_, '_>, nodes: &[Node], whole: bool, how: Described) -> Result<Claim> {
        let spds = graph.system.spds;
        let own = &nodes[..nodes.len().min(MOST)];
        let Some((first, last)) = own.first().zip(own.last()) else { return Ok(Claim::default()) };
        let mut sites: Vec<SymbolId> = Vec::new();
        for pair in own.windows(2) {
            let Some(call) = graph.between(&pair[0], &pair[1])? else { return Ok(Claim::default()) };
            sites.push(graph.calls[call].site);
        }
        let below = &spds.start.stack[first.state.0 as usize + 1..];
        let rest: Vec<SymbolId> = sites.into_iter().rev().chain(below.iter().copied()).collect();
        let frames = own.len() + below.iter().filter(|symbol| Some(**symbol) != spds.end).count();
        let state = |place: usize| State {
            name: format!("below {place}").as_str().into(),
            frame: None,
            carries: Box::default(),
            accepting: place == rest.len(),
        };
        let states = (0..=rest.len()).map(state).collect();
        let to = |place: usize| End::State(StateId(place as u32));
        let tops = tops(graph, last, how).into_iter().map(|(head, condition)| Edge {
            from: End::Control(head.control),
            symbol: Some(head.symbol),
            to: to(0),
            condition,
        });
        let further = rest.iter().enumerate();
        let further = further.map(|(place, symbol)| Edge {
            from: to(place),
            symbol: Some(*symbol),
            to: to(place + 1),
            condition: None,
        });
        let edges = tops.chain(further).collect();
        let is_whole = whole && own.len() == nodes.len();
        Ok(Claim { frames: BigUint::from(frames), is_whole, stacks: Some(Automaton { states, edges }) })
    }
}

/// The heads that may lie on top in a call: its entry, or where that is not seen, any.
fn tops(graph: &Graph<'_, '_>, last: &Node, how: Described) -> Vec<(Head, Option<Expr>)> {
    let control = &graph.system.control;
    match graph.entry(last.state).filter(|entry| !control.pds.is_hidden(*entry)) {
        Some(entry) => {
            let head = control.pds.head(entry);
            let values = Some(how).filter(|how| *how == Described::Values);
            vec![(head, values.and_then(|_| condition(graph, last, head)))]
        }
        None => {
            let seen = control.flow.bodies[last.state.0 as usize].iter().filter(|head| !control.pds.is_hidden(**head));
            seen.map(|head| (control.pds.head(*head), None)).collect()
        }
    }
}

/// That the variables of the tag have these values.
fn condition(graph: &Graph<'_, '_>, node: &Node, head: Head) -> Option<Expr> {
    let frame = graph.system.spds.symbol(head.symbol).frame;
    let layout = &graph.system.control.pds.layout;
    let equal = |(var, index, value): (Var, Option<u32>, u64)| {
        let read = match index {
            None => Expr::read(var, Time::Before),
            Some(index) => Expr::cell(var, Time::Before, &Expr::number(index.into())),
        };
        match layout.field(var, frame).ty.scalar {
            Scalar::Bool if value == 1 => read,
            Scalar::Bool => read.not(),
            Scalar::Unsigned(_) => read.binary(Binary::Eq, &Expr::number(value)),
        }
    };
    cells(graph, node, frame).into_iter().map(equal).reduce(|all, one| all.and(&one))
}

/// How many frames a run was seen to have, if one was found and walked.
///
/// # Errors
/// If there is none: then the search or the judge is wrong.
pub(super) fn judged(
    spds: &Spds,
    claim: &Claim,
    options: &Options,
) -> std::result::Result<Option<BigUint>, CheckError> {
    let Some(stacks) = &claim.stacks else { return Ok(None) };
    let property = [Property::Configurations(Arc::new(stacks.clone()))];
    let options = Options { trace: TraceWish::Any, work: Some(WORK), ..options.clone() };
    let outcome = check(spds, &property, &options)?;
    match outcome.answers.first().map(|answer| &answer.verdict) {
        Some(Verdict::Reachable(Some(_))) => Ok(Some(claim.frames.clone())),
        Some(Verdict::Unreachable) => {
            Err(CheckError::WitnessRejected("no run has the frames of the chain of calls that was found".into()))
        }
        _ => Ok(None),
    }
}
