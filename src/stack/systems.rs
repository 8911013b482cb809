//! The height of the stack of a system, exactly, with a chain of calls that has it.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use spds_format::Spds;
use spds_format::model::SymbolId;

use super::calls::{Graph, Layer};
use super::chain::{Node, Stretch};
use super::heights::{self, Depth, ordered};
use super::judge;
use super::parts::Parts;
use super::shown::Teller;
use super::weights::{Sizes, Weights};
use super::{Calls, Height, Range, Verdict, Why, Witness};
use crate::check::ground::{Failure, Start, in_attempts, space};
use crate::check::{CheckError, Stats};
use crate::flow::StateId;
use crate::limits::{Clock, Stop};
use crate::options::{Loops, Options, Switch, TraceWish};
use crate::pds::HeadId;
use crate::saturation::System;
use crate::saturation::images::Control;

/// What is known of a system.
#[derive(Clone, Debug)]
pub struct Found {
    /// The height of its stack; bytes only if sizes of frames were given.
    pub height: Height,
    /// Who calls whom.
    pub calls: Calls,
    /// The procedures of whose frames no size was given, if some were.
    pub lacking: Vec<String>,
    /// What was measured.
    pub stats: Stats,
}

/// What is found out within the space of one engine.
struct Measured {
    height: Height,
    calls: Calls,
    lacking: Vec<String>,
    /// What a judge is to see.
    claim: judge::Claim,
}

/// How high the stack of a system gets, called by this name. The system must be valid. Of the options, the engine, the order of BDD
/// variables, `loops` (whether recursion is squared) and the limits count.
///
/// It takes a saturation that forgets nothing, and then as many images as the stack is high, or, if it is very high, squares of the
/// relation between calls, as many as the height has digits.
///
/// # Errors
/// If a run that shows the height is none: that is a mistake in this library.
pub fn height(spds: &Spds, entry: &str, sizes: Option<&Sizes>, options: &Options) -> Result<Found, CheckError> {
    let needed = Options { blocks: Switch::Off, slice: Switch::Off, trace: TraceWish::None, ..options.clone() };
    let control = Control::new(spds, None, &needed, |pds, _| (0..pds.head_count() as u32).map(HeadId).collect());
    let mut stats = Stats::default();
    let mut measured = None;
    let stopped = in_attempts(spds, &needed, |attempt| {
        let clock = Clock::start();
        let space = space(spds, &control, None, &needed, attempt)?;
        space.check()?;
        let system = System::new(spds, &control, None, &space)?;
        let mut post = Start::new(&system, None)?.saturation(&system, &needed, None)?;
        post.run(|_| false)?;
        stats = Stats::default();
        stats.seconds("seconds in post*", clock);
        stats.measured(&post);
        let clock = Clock::start();
        let graph = Graph::new(&post)?;
        let weights = sizes.map(|sizes| Weights::new(&post, &graph, sizes)).transpose()?;
        measured = Some(Measuring { spds, entry, loops: needed.loops, graph: &graph }.done(weights)?);
        stats.seconds("seconds in heights", clock);
        Ok::<(), Failure>(())
    })?;
    let Some(Measured { mut height, calls, lacking, claim }) = measured.filter(|_| stopped.is_none()) else {
        let why = Why::from(stopped.unwrap_or(Stop::Work));
        let height = Height::unknown(entry.to_owned(), why);
        return Ok(Found { height, calls: Calls::default(), lacking: Vec::new(), stats });
    };
    let judged = claim.judged(spds, options)?;
    if let Some(witness) = &mut height.witness {
        witness.judged = judged;
    }
    Ok(Found { height, calls, lacking, stats })
}

/// How many procedures and calls there are.
fn counted(graph: &Graph<'_, '_>) -> String {
    format!("{} entries and {} calls", graph.entered.keys().count(), graph.calls.len())
}

/// What heights are found out of.
struct Measuring<'g, 's, 'a> {
    spds: &'g Spds,
    entry: &'g str,
    loops: Loops,
    graph: &'g Graph<'s, 'a>,
}

/// A chain with its weight, or with its frames where nothing is weighed.
struct Chain {
    below: StateId,
    nodes: Vec<Node>,
    stretches: Vec<Stretch>,
    /// How it is known that none is longer.
    because: String,
}

impl Measuring<'_, '_, '_> {
    fn done(&self, weights: Option<Result<Weights, Vec<String>>>) -> Result<Measured, Stop> {
        let graph = self.graph;
        let edges = graph.calls.iter().map(|call| (call.from, call.to));
        let parts = Parts::new(graph.entered.keys(), edges);
        let (weights, lacking) = match weights {
            Some(Ok(weights)) => (Some(weights), Vec::new()),
            Some(Err(lacking)) => (None, lacking),
            None => (None, Vec::new()),
        };
        let mut height =
            Height { verdict: Verdict::Bounded, ..Height::unknown(self.entry.to_owned(), Stop::Work.into()) };
        height.frames = Range::exactly(BigUint::ZERO);
        height.bytes = weights.as_ref().map(|_| Range::exactly(BigUint::ZERO));
        let mut shown: Option<Chain> = None;
        for state in graph.begun() {
            let below = self.below(state);
            let start = Layer::one(graph.system.space, state, graph.system.space.top());
            let (frames, bytes, chain) = match self.deepest(&parts, &start, state, weights.as_ref())? {
                Ok(found) => found,
                Err((cycle, set)) => {
                    return self.endless(&parts, (cycle, &set), weights.as_ref(), lacking);
                }
            };
            let frames = frames + below.len();
            let bytes = bytes
                .zip(weights.as_ref())
                .map(|(bytes, weights)| bytes.plus(&below.iter().map(|symbol| weights.of(*symbol)).sum()));
            let better = match (&bytes, &height.bytes) {
                (Some(bytes), Some(known)) => bytes.least > known.least,
                _ => Some(&frames) > height.frames.most.as_ref(),
            };
            if better || shown.is_none() {
                shown = Some(chain);
            }
            if Some(&frames) > height.frames.most.as_ref() {
                height.frames = Range::exactly(frames);
            }
            height.bytes = bytes
                .zip(height.bytes)
                .map(|(new, known)| Range { least: new.least.max(known.least), most: new.most.max(known.most) });
        }
        let teller = Teller { graph, parts: &parts, weights: weights.as_ref() };
        let calls = teller.calls(shown.as_ref().map_or(&[], |chain| &chain.nodes))?;
        let (witness, claim) = match shown {
            Some(Chain { below, nodes, stretches, because }) => {
                height.explanation.push(because);
                let mut chain = teller.below(&self.below(below));
                chain.extend(if stretches.is_empty() {
                    teller.sections(&nodes, 0)?
                } else {
                    teller.stretches(&stretches)?
                });
                let claim = judge::Claim::new(graph, &nodes, stretches.is_empty())?;
                (Some(Witness { chain, ..Witness::default() }), claim)
            }
            None => (None, judge::Claim::default()),
        };
        height.witness = witness;
        match &height.bytes {
            Some(bytes) if bytes.is_exact() => height.explanation.push("bytes: some run has exactly this chain".to_owned()),
            Some(_) => height.explanation.push(
                "bytes: procedures whose frames differ call each other, so that the greatest sum counts the largest of them each time".to_owned(),
            ),
            None => {}
        }
        Ok(Measured { height, calls, lacking, claim })
    }

    /// The symbols that lie below where such calls begin, from the bottom of the stack.
    fn below(&self, state: StateId) -> Vec<SymbolId> {
        let below = self.spds.start.stack[state.0 as usize + 1..].iter().rev().copied();
        below.filter(|symbol| Some(*symbol) != self.spds.end).collect()
    }

    /// The greatest number of frames from a start on, what they weigh, and a chain that is heaviest, or longest if nothing is
    /// weighed; or a call that comes back to itself.
    #[allow(clippy::type_complexity, reason = "each part is named where it is used")]
    fn deepest(
        &self,
        parts: &Parts,
        start: &Layer,
        state: StateId,
        weights: Option<&Weights>,
    ) -> Result<Result<(BigUint, Option<Range>, Chain), (StateId, crate::bdd::Relation)>, Stop> {
        let graph = self.graph;
        let one = || BigUint::from(1u8);
        // The end of a program is no frame.
        let is_end = self.spds.end.is_some() && self.spds.start.stack.get(state.0 as usize) == self.spds.end.as_ref();
        let own = if is_end { BigUint::ZERO } else { one() };
        let chain = |nodes, stretches, because| Chain { below: state, nodes, stretches, because };
        if !graph.has_values()
            && let Some(by_frames) = ordered(graph, parts, |_| one(), |_| one())
        {
            let frames = if is_end { BigUint::ZERO } else { by_frames[&state].0.clone() };
            let by_weight = weights.and_then(|weights| {
                ordered(graph, parts, |state| weights.top(state), |call| weights.of(graph.calls[call].site).clone())
            });
            let bytes = by_weight.as_ref().map(|known| Range::exactly(known[&state].0.clone()));
            let nodes = self.followed(by_weight.as_ref().unwrap_or(&by_frames), state);
            let because = format!(
                "no value decides which calls are made, and no call comes back to itself: this is the longest path in the graph of {}, or the \
                 heaviest",
                counted(graph)
            );
            return Ok(Ok((frames, bytes, chain(nodes, Vec::new(), because))));
        }
        match heights::depth(graph, parts, start, self.loops)? {
            Depth::Endless(state, set) => Ok(Err((state, set))),
            Depth::Levels(levels) => {
                let frames = own + (levels.len() - 1);
                let weighed = weights.map(|weights| weights.of_levels(graph, start)).transpose()?.flatten();
                let (bytes, nodes) = match (weighed, weights) {
                    (Some((most, nodes)), _) => (Some(Range::exactly(most)), nodes),
                    (None, weights) => {
                        let nodes = match graph.first(&levels[levels.len() - 1])? {
                            Some(last) => graph.back(&levels, last)?,
                            None => Vec::new(),
                        };
                        let bytes = weights.map(|weights| {
                            Ok(Range {
                                least: weights.along(graph, &nodes)?,
                                most: Some(weights.bound(graph, parts, state)?),
                            })
                        });
                        (bytes.transpose()?, nodes)
                    }
                };
                let because = format!(
                    "calls were followed with all values with which they can be made, one level after the other: after {} call{} nothing is \
                     called in what was called, whatever the values",
                    levels.len() - 1,
                    if levels.len() == 2 { "" } else { "s" }
                );
                Ok(Ok((frames, bytes, chain(nodes, Vec::new(), because))))
            }
            Depth::Squared(squared) => {
                let stretches = squared.stretches(graph, parts, start)?;
                let nodes = squared.beginning(graph, start, judge::MAX_WALKED_CALLS)?;
                let bytes = weights.map(|weights| {
                    let least = weights.along_stretches(graph, parts, &stretches);
                    Ok(Range { least, most: Some(weights.bound(graph, parts, state)?) })
                });
                let because = format!(
                    "which calls with which values are made in which was squared again and again, until nothing was left: chains have up to {} \
                     calls",
                    squared.depth()
                );
                Ok(Ok((own + squared.depth(), bytes.transpose()?, chain(nodes, stretches, because))))
            }
        }
    }

    /// The chain that goes along the best calls.
    fn followed(&self, best: &BTreeMap<StateId, (BigUint, Option<usize>)>, state: StateId) -> Vec<Node> {
        let mut nodes = vec![Node { state, values: Vec::new() }];
        let mut at = state;
        while let Some((_, Some(call))) = best.get(&at) {
            at = self.graph.calls[*call].to;
            nodes.push(Node { state: at, values: Vec::new() });
        }
        nodes
    }

    /// Calls come back to themselves.
    fn endless(
        &self,
        parts: &Parts,
        (state, set): (StateId, &crate::bdd::Relation),
        weights: Option<&Weights>,
        lacking: Vec<String>,
    ) -> Result<Measured, Stop> {
        let graph = self.graph;
        let teller = Teller { graph, parts, weights };
        let mut height =
            Height { verdict: Verdict::Unbounded, ..Height::unknown(self.entry.to_owned(), Stop::Work.into()) };
        height.explanation.push(
            "a call leads to one with the same values before it returns: what is between them can be done again and again".to_owned(),
        );
        let Some(node) = graph.node(state, set)? else {
            return Ok(Measured { height, calls: teller.calls(&[])?, lacking, claim: judge::Claim::default() });
        };
        let round = graph.to(graph.only(&node)?, &node)?;
        let (mut chain, mut nodes) = (Vec::new(), Vec::new());
        let mut claim = judge::Claim::default();
        for below in graph.begun() {
            let start = Layer::one(graph.system.space, below, graph.system.space.top());
            if let Some(stem) = graph.to(start, &node)? {
                chain = teller.below(&self.below(below));
                chain.extend(teller.sections(&stem, 0)?);
                nodes = stem;
                break;
            }
        }
        let pump = match &round {
            Some(round) => {
                if !nodes.is_empty() {
                    nodes.extend(round[1..].iter().cloned());
                    claim = judge::Claim::new(graph, &nodes, true)?;
                }
                teller.sections(round, 1)?
            }
            None => vec![teller.mixed(parts.of(state), &node, None)],
        };
        height.witness = Some(Witness { chain, pump, ..Witness::default() });
        Ok(Measured { height, calls: teller.calls(&nodes)?, lacking, claim })
    }
}
