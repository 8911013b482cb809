//! The height of the stack of a system, exactly, with a chain of calls that has it.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use spds_format::Spds;
use spds_format::model::SymbolId;

use super::calls::{Graph, Layer};
use super::chain::{Node, Stretch};
use super::heights::{self, Depth, Squared, ordered};
use super::judge;
use super::parts::Parts;
use super::shown::Teller;
use super::weights::{Sizes, Weights};
use super::{Calls, Height, Range, Section, Verdict, Why, Witness};
use crate::bdd::Relation;
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

fn one() -> BigUint {
    BigUint::from(1u8)
}

/// What heights are found out of.
struct Measuring<'g, 's, 'a> {
    spds: &'g Spds,
    entry: &'g str,
    loops: Loops,
    graph: &'g Graph<'s, 'a>,
}

/// A start, and what is known of what is called from there.
struct Begun<'d> {
    parts: &'d Parts,
    weights: Option<&'d Weights>,
    state: StateId,
    start: Layer,
}

/// How deep calls go from a start.
enum Deepest {
    /// As deep as this chain, which is the heaviest, or the longest if nothing is weighed.
    Chain(Chain),
    /// Without an end: these calls, with these values, come back to themselves.
    Endless(StateId, Relation),
}

/// A chain of calls.
struct Chain {
    below: StateId,
    /// The greatest number of frames from its start on.
    frames: BigUint,
    /// What such frames weigh, if they are weighed.
    bytes: Option<Range>,
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
        let (parts, weights) = (&parts, weights.as_ref());
        let mut height =
            Height { verdict: Verdict::Bounded, ..Height::unknown(self.entry.to_owned(), Stop::Work.into()) };
        height.frames = Range::exactly(BigUint::ZERO);
        height.bytes = weights.map(|_| Range::exactly(BigUint::ZERO));
        let mut shown: Option<Chain> = None;
        for state in graph.begun() {
            let start = Layer::one(graph.system.space, state, graph.system.space.top());
            match self.deepest(&Begun { parts, weights, state, start })? {
                Deepest::Chain(chain) => self.count(&mut height, &mut shown, chain, weights),
                Deepest::Endless(cycle, set) => return self.endless(parts, (cycle, &set), weights, lacking),
            }
        }
        let teller = Teller { graph, parts, weights };
        let calls = teller.calls(shown.as_ref().map_or(&[], |chain| &chain.nodes))?;
        let mut claim = judge::Claim::default();
        if let Some(chain) = shown {
            height.witness = Some(Witness { chain: self.told(&chain, &teller)?, ..Witness::default() });
            claim = judge::Claim::new(graph, &chain.nodes, chain.stretches.is_empty())?;
            height.explanation.push(chain.because);
        }
        match &height.bytes {
            Some(bytes) if bytes.is_exact() => height.explanation.push("bytes: some run has exactly this chain".to_owned()),
            Some(_) => height.explanation.push(
                "bytes: procedures whose frames differ call each other, so that the greatest sum counts the largest of them each time".to_owned(),
            ),
            None => {}
        }
        Ok(Measured { height, calls, lacking, claim })
    }

    /// Takes a chain into account; it is the one to be shown if none before is as high.
    fn count(&self, height: &mut Height, shown: &mut Option<Chain>, chain: Chain, weights: Option<&Weights>) {
        let below = self.below(chain.below);
        let frames = &chain.frames + below.len();
        let bytes = (chain.bytes.clone())
            .zip(weights)
            .map(|(bytes, weights)| bytes.plus(&below.iter().map(|symbol| weights.of(*symbol)).sum()));
        let better = match (&bytes, &height.bytes) {
            (Some(bytes), Some(known)) => bytes.least > known.least,
            _ => Some(&frames) > height.frames.most.as_ref(),
        };
        if better || shown.is_none() {
            *shown = Some(chain);
        }
        if Some(&frames) > height.frames.most.as_ref() {
            height.frames = Range::exactly(frames);
        }
        height.bytes = bytes
            .zip(height.bytes.take())
            .map(|(new, known)| Range { least: new.least.max(known.least), most: new.most.max(known.most) });
    }

    /// A chain as it is told, with what lies below it.
    fn told(&self, chain: &Chain, teller: &Teller<'_, '_, '_>) -> Result<Vec<Section>, Stop> {
        let mut told = teller.below(&self.below(chain.below));
        told.extend(if chain.stretches.is_empty() {
            teller.sections(&chain.nodes, 0)?
        } else {
            teller.stretches(&chain.stretches)?
        });
        Ok(told)
    }

    /// The symbols that lie below where such calls begin, from the bottom of the stack.
    fn below(&self, state: StateId) -> Vec<SymbolId> {
        let below = self.spds.start.stack[state.0 as usize + 1..].iter().rev().copied();
        below.filter(|symbol| Some(*symbol) != self.spds.end).collect()
    }

    /// How deep calls go from a start.
    fn deepest(&self, begun: &Begun<'_>) -> Result<Deepest, Stop> {
        if !self.graph.has_values()
            && let Some(chain) = self.by_paths(begun)
        {
            return Ok(Deepest::Chain(chain));
        }
        Ok(match heights::depth(self.graph, begun.parts, &begun.start, self.loops)? {
            Depth::Endless(state, set) => Deepest::Endless(state, set),
            Depth::Levels(levels) => Deepest::Chain(self.by_levels(begun, &levels)?),
            Depth::Squared(squared) => Deepest::Chain(self.by_squares(begun, &squared)?),
        })
    }

    /// Whether a start is the end of a program, which is no frame.
    fn is_end(&self, state: StateId) -> bool {
        self.spds.end.is_some() && self.spds.start.stack.get(state.0 as usize) == self.spds.end.as_ref()
    }

    /// The frames of a start itself.
    fn own(&self, state: StateId) -> BigUint {
        if self.is_end(state) { BigUint::ZERO } else { one() }
    }

    /// The best chain where no value counts: a path in the graph of calls. None if some call comes back to itself.
    fn by_paths(&self, begun: &Begun<'_>) -> Option<Chain> {
        let (graph, state) = (self.graph, begun.state);
        let by_frames = ordered(graph, begun.parts, |_| one(), |_| one())?;
        let frames = if self.is_end(state) { BigUint::ZERO } else { by_frames[&state].0.clone() };
        let by_weight = begun.weights.and_then(|weights| {
            let weight = |call: usize| weights.of(graph.calls[call].site).clone();
            ordered(graph, begun.parts, |state| weights.top(state), weight)
        });
        let bytes = by_weight.as_ref().map(|known| Range::exactly(known[&state].0.clone()));
        let nodes = self.followed(by_weight.as_ref().unwrap_or(&by_frames), state);
        let because = format!(
            "no value decides which calls are made, and no call comes back to itself: this is the longest path in the graph of {}, or the \
             heaviest",
            counted(graph)
        );
        Some(Chain { below: state, frames, bytes, nodes, stretches: Vec::new(), because })
    }

    /// The best chain through calls with values, which lie so deep.
    fn by_levels(&self, begun: &Begun<'_>, levels: &[Layer]) -> Result<Chain, Stop> {
        let (graph, state) = (self.graph, begun.state);
        let frames = self.own(state) + (levels.len() - 1);
        let weighed = begun.weights.map(|weights| weights.of_levels(graph, &begun.start)).transpose()?.flatten();
        let (bytes, nodes) = match weighed {
            Some((most, nodes)) => (Some(Range::exactly(most)), nodes),
            None => {
                let nodes = match graph.first(&levels[levels.len() - 1])? {
                    Some(last) => graph.back(levels, last)?,
                    None => Vec::new(),
                };
                let bytes = begun.weights.map(|weights| {
                    let least = weights.along(graph, &nodes)?;
                    Ok(Range { least, most: Some(weights.bound(graph, begun.parts, state)?) })
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
        Ok(Chain { below: state, frames, bytes, nodes, stretches: Vec::new(), because })
    }

    /// The best chain that squaring tells of.
    fn by_squares(&self, begun: &Begun<'_>, squared: &Squared) -> Result<Chain, Stop> {
        let (graph, parts, state) = (self.graph, begun.parts, begun.state);
        let stretches = squared.stretches(graph, parts, &begun.start)?;
        let nodes = squared.beginning(graph, &begun.start, judge::MAX_WALKED_CALLS)?;
        let bytes = begun.weights.map(|weights| {
            let least = weights.along_stretches(graph, parts, &stretches);
            Ok(Range { least, most: Some(weights.bound(graph, parts, state)?) })
        });
        let because = format!(
            "which calls with which values are made in which was squared again and again, until nothing was left: chains have up to {} \
             calls",
            squared.depth()
        );
        let frames = self.own(state) + squared.depth();
        Ok(Chain { below: state, frames, bytes: bytes.transpose()?, nodes, stretches, because })
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
        (state, set): (StateId, &Relation),
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
