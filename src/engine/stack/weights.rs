//! Heights by weight: what the symbols on a stack weigh, added up.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use spds_format::Spds;
use spds_format::model::SymbolId;

use super::Range;
use super::calls::{Graph, Layer};
use super::chain::{Node, Stretch};
use super::heights;
use super::parts::Parts;
use crate::bdd::{At, Relation};
use crate::flow::StateId;
use crate::limits::Stop;
use crate::saturation::PostStar;

type Result<T> = std::result::Result<T, Stop>;

/// So many different weights are told apart.
const WEIGHTS: usize = 1 << 14;

/// How many bytes frames take, by the names of procedures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// Those that are known.
    pub of: BTreeMap<String, BigUint>,
    /// That of all others.
    pub others: Option<BigUint>,
}

impl Sizes {
    /// That of a frame of this procedure.
    pub fn get(&self, name: &str) -> Option<&BigUint> {
        self.of.get(name).or(self.others.as_ref())
    }
}

/// The name of the procedure of a symbol, or of the symbol.
pub fn procedure(spds: &Spds, symbol: SymbolId) -> &str {
    spds.symbol(symbol).frame.map_or(&spds.symbol(symbol).name, |frame| &spds.frame(frame).name)
}

/// What symbols weigh.
pub(super) struct Weights {
    symbols: Vec<BigUint>,
    /// What the topmost symbols weigh in calls of each state, heaviest first, with the entry values of those calls in which they are
    /// reached.
    tops: BTreeMap<StateId, Vec<(BigUint, Relation)>>,
}

impl Weights {
    /// By the sizes of frames.
    ///
    /// # Errors
    /// The names of procedures some symbol of which is reached, and of whose frames nothing is known; or a limit.
    pub fn new(
        post: &PostStar<'_, '_>,
        graph: &Graph<'_, '_>,
        sizes: &Sizes,
    ) -> Result<std::result::Result<Weights, Vec<String>>> {
        let (system, space) = (graph.system, graph.system.space);
        let spds = system.spds;
        let size = |symbol: SymbolId| {
            if Some(symbol) == spds.end { Some(BigUint::ZERO) } else { sizes.get(procedure(spds, symbol)).cloned() }
        };
        let mut lacking: Vec<String> = Vec::new();
        let mut lacks = |symbol: SymbolId| {
            if size(symbol).is_none() {
                lacking.push(procedure(spds, symbol).to_owned());
            }
        };
        let all = system.union(system.globals(), system.slots());
        let now = space.vars(system.columns(all, At::Now).iter().copied());
        let mut reached: BTreeMap<StateId, BTreeMap<BigUint, Relation>> = BTreeMap::new();
        for (head, state, set) in post.path_edges() {
            let symbol = system.control.pds.head(head).symbol;
            // An assertion that has failed lies where its procedure was.
            if space.is_empty(set) || system.control.pds.is_hidden(head) || Some(symbol) == spds.fail {
                continue;
            }
            lacks(symbol);
            let weights = reached.entry(state).or_default();
            let place = weights.entry(size(symbol).unwrap_or_default()).or_insert_with(|| space.bottom());
            if graph.entered.get(&state).is_some_and(|entered| entered == place) {
                continue;
            }
            let down = system.bits(system.tag(state)).into_iter().map(|bit| (bit, At::Entry, At::Now));
            let tags = space.and_exists_rename(set, set, now, space.renaming(down))?;
            *place = space.or(place, &tags)?;
        }
        spds.start.stack.iter().for_each(|symbol| lacks(*symbol));
        graph.calls.iter().for_each(|call| lacks(call.site));
        lacking.sort_unstable();
        lacking.dedup();
        if !lacking.is_empty() {
            return Ok(Err(lacking));
        }
        let tops = reached.into_iter().map(|(state, weights)| (state, weights.into_iter().rev().collect())).collect();
        let symbols = (0..spds.symbols.len() as u32).map(|symbol| size(SymbolId(symbol)).unwrap_or_default()).collect();
        Ok(Ok(Weights { symbols, tops }))
    }

    /// That of a symbol.
    pub fn of(&self, symbol: SymbolId) -> &BigUint {
        &self.symbols[symbol.0 as usize]
    }

    /// The heaviest topmost symbol of calls of a state.
    pub fn top(&self, state: StateId) -> BigUint {
        self.tops.get(&state).and_then(|tops| tops.first()).map(|(weight, _)| weight.clone()).unwrap_or_default()
    }

    /// The greatest weight of what such calls, which are at each depth, lie in and are, and a chain that has it; none if there are too
    /// many different weights.
    ///
    /// # Errors
    /// If a limit is met.
    pub fn of_levels(&self, graph: &Graph<'_, '_>, start: &Layer) -> Result<Option<(BigUint, Vec<Node>)>> {
        let space = graph.system.space;
        // By what lies below, the heaviest first for each depth.
        type Weighed = BTreeMap<BigUint, Layer>;
        let mut depths: Vec<Weighed> = vec![Weighed::from([(BigUint::ZERO, start.clone())])];
        let mut best: Option<(BigUint, usize, BigUint, Layer)> = None;
        let mut different = 0;
        while let Some(outer) = depths.last().filter(|outer| !outer.is_empty()) {
            let mut inner = Weighed::new();
            for (below, layer) in outer {
                for (state, set) in layer.iter() {
                    for (weight, reached) in self.tops.get(&state).into_iter().flatten() {
                        let all = below + weight;
                        if best.as_ref().is_some_and(|(most, ..)| *most >= all) {
                            break;
                        }
                        let there = space.and(reached, set)?;
                        if !space.is_empty(&there) {
                            best = Some((all, depths.len() - 1, below.clone(), Layer::one(space, state, there)));
                        }
                    }
                    for &call in graph.made_in(state) {
                        let call = &graph.calls[call];
                        let set = graph.inner((call.from, call.to), &call.relation, set)?;
                        inner.entry(below + self.of(call.site)).or_default().add(space, call.to, set)?;
                    }
                }
            }
            // What is heavier counts.
            let mut heavier = Layer::new();
            let mut kept = Weighed::new();
            for (below, layer) in inner.into_iter().rev() {
                let own = layer.difference(space, &heavier)?;
                heavier = heavier.union(space, &own)?;
                if !own.is_empty() {
                    kept.insert(below, own);
                }
            }
            different += kept.len();
            if different > WEIGHTS {
                return Ok(None);
            }
            depths.push(kept);
            space.check()?;
        }
        let Some((most, depth, below, layer)) = best else { return Ok(None) };
        let Some(last) = graph.first(&layer)? else { return Ok(None) };
        Ok(Some((most, self.chain(graph, &depths[..=depth], (below, last))?)))
    }

    /// The calls in which a call lies, below which there is so much.
    fn chain(
        &self,
        graph: &Graph<'_, '_>,
        depths: &[BTreeMap<BigUint, Layer>],
        (below, last): (BigUint, Node),
    ) -> Result<Vec<Node>> {
        let space = graph.system.space;
        let (mut chain, mut below) = (vec![last], below);
        for outer in depths[..depths.len() - 1].iter().rev() {
            let to = &chain[chain.len() - 1];
            let inner = space.cube(&to.values)?;
            let mut found = None;
            for call in graph.calls.iter().filter(|call| call.to == to.state && *self.of(call.site) <= below) {
                let left = &below - self.of(call.site);
                let Some(set) = outer.get(&left).and_then(|layer| layer.get(&call.from)) else { continue };
                let callers = graph.outer((call.from, call.to), &call.relation, &inner)?;
                if let Some(node) = graph.node(call.from, &space.and(&callers, set)?)? {
                    found = Some((node, left));
                    break;
                }
            }
            let Some((node, left)) = found else { break };
            chain.push(node);
            below = left;
        }
        chain.reverse();
        Ok(chain)
    }

    /// What a chain weighs.
    ///
    /// # Errors
    /// If a limit is met.
    pub fn along(&self, graph: &Graph<'_, '_>, chain: &[Node]) -> Result<BigUint> {
        let mut all = BigUint::ZERO;
        for pair in chain.windows(2) {
            if let Some(call) = graph.between(&pair[0], &pair[1])? {
                all += self.of(graph.calls[call].site);
            }
        }
        let Some(last) = chain.last() else { return Ok(all) };
        for (weight, reached) in self.tops.get(&last.state).into_iter().flatten() {
            if graph.system.space.least(&[reached], last.values.iter().copied(), &[])?.is_some() {
                return Ok(all + weight);
            }
        }
        Ok(all)
    }

    /// What such a chain weighs at least.
    pub fn along_stretches(&self, graph: &Graph<'_, '_>, parts: &Parts, stretches: &[Stretch]) -> BigUint {
        let mut all = BigUint::ZERO;
        for (place, Stretch { first, calls }) in stretches.iter().enumerate() {
            let part = &parts.members[parts.of(first.state)];
            let sites =
                part.iter().flat_map(|state| graph.made_in(*state)).map(|call| self.of(graph.calls[*call].site));
            let lightest = sites.min().cloned().unwrap_or_default();
            let is_last = place + 1 == stretches.len();
            all += lightest * (calls - BigUint::from(u8::from(is_last)));
            if is_last {
                let tops = part.iter().flat_map(|state| self.tops.get(state).into_iter().flatten());
                all += tops.map(|(weight, _)| weight).min().cloned().unwrap_or_default();
            }
        }
        all
    }

    /// What no chain outweighs: the heaviest way through the parts of the graph, each with as many calls as can lie in one another in
    /// it, of its heaviest procedure.
    ///
    /// # Errors
    /// If a limit is met.
    pub fn bound(&self, graph: &Graph<'_, '_>, parts: &Parts, start: StateId) -> Result<BigUint> {
        let mut known: Vec<BigUint> = Vec::with_capacity(parts.members.len());
        for (number, part) in parts.members.iter().enumerate() {
            let sites = part.iter().flat_map(|state| graph.made_in(*state)).map(|call| &graph.calls[*call]);
            let heaviest = sites.clone().map(|call| self.of(call.site).clone()).max().unwrap_or_default();
            let tops = part.iter().map(|state| self.top(*state)).max().unwrap_or_default();
            let outside = sites.filter(|call| parts.of(call.to) != number);
            let further = outside.map(|call| self.of(call.site) + &known[parts.of(call.to)]);
            let own = heights::inside(graph, parts, number)? * heaviest;
            known.push(own + further.max().unwrap_or_default().max(tops));
        }
        Ok(known[parts.of(start)].clone())
    }
}

impl Range {
    /// The sum of both.
    pub(super) fn plus(&self, more: &BigUint) -> Range {
        Range { least: &self.least + more, most: self.most.as_ref().map(|most| most + more) }
    }
}
