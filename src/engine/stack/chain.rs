//! Chains of calls with their values: from sets of calls by depth, or from what squaring has found.

use num_bigint::BigUint;

use super::calls::{Graph, Layer, Ways};
use super::heights::Squared;
use super::parts::Parts;
use crate::bdd::{At, Column, Relation};
use crate::flow::StateId;
use crate::limits::Stop;

type Result<T> = std::result::Result<T, Stop>;

/// So long a chain is looked for call by call.
const LONGEST: usize = 1 << 12;

/// A call, with the values of its tag (in Now).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub state: StateId,
    pub values: Vec<(Column, bool)>,
}

/// Calls in one another inside one part of the call graph, or a single one.
#[derive(Clone, Debug)]
pub(super) struct Stretch {
    /// The outermost.
    pub first: Node,
    /// How many.
    pub calls: BigUint,
}

/// Calls in one another, so many times two deep.
struct Span {
    from: Node,
    to: Node,
    power: usize,
}

impl Graph<'_, '_> {
    /// The least of the values of a set at a state.
    pub(super) fn node(&self, state: StateId, set: &Relation) -> Result<Option<Node>> {
        let columns = self.system.columns(self.system.tag(state), At::Now);
        let values = self.system.space.least(&[set], [], &columns)?;
        Ok(values.map(|values| Node { state, values }))
    }

    /// The first call of a layer.
    pub(super) fn first(&self, layer: &Layer) -> Result<Option<Node>> {
        match layer.iter().next() {
            Some((state, set)) => self.node(state, set),
            None => Ok(None),
        }
    }

    /// The node alone.
    pub(super) fn only(&self, node: &Node) -> Result<Layer> {
        Ok(Layer::one(self.system.space, node.state, self.system.space.cube(&node.values)?))
    }

    /// Whether the node is in the layer.
    pub(super) fn has(&self, layer: &Layer, node: &Node) -> Result<bool> {
        match layer.get(&node.state) {
            Some(set) => Ok(self.system.space.least(&[set], node.values.iter().copied(), &[])?.is_some()),
            None => Ok(false),
        }
    }

    /// The number of the first call that leads from one node to another.
    pub(super) fn between(&self, from: &Node, to: &Node) -> Result<Option<usize>> {
        let outer = from.values.iter().map(|&((bit, _), value)| ((bit, At::Next), value));
        let fixed: Vec<(Column, bool)> = outer.chain(to.values.iter().copied()).collect();
        for &call in self.made_in(from.state) {
            let call_of = &self.calls[call];
            if call_of.to == to.state
                && self.system.space.least(&[&call_of.relation], fixed.iter().copied(), &[])?.is_some()
            {
                return Ok(Some(call));
            }
        }
        Ok(None)
    }

    /// A node of the layer from which such a way leads to the node.
    fn before(&self, ways: &Ways, layer: &Layer, to: &Node) -> Result<Option<Node>> {
        let inner = self.system.space.cube(&to.values)?;
        for (state, set) in layer.iter() {
            let Some(way) = ways.get(&(state, to.state)) else { continue };
            let outer = self.outer((state, to.state), way, &inner)?;
            if let Some(node) = self.node(state, &self.system.space.and(&outer, set)?)? {
                return Ok(Some(node));
            }
        }
        Ok(None)
    }

    /// A chain through these layers, one call of each, to a node of the last.
    ///
    /// # Errors
    /// If a limit is met.
    pub(super) fn back(&self, layers: &[Layer], last: Node) -> Result<Vec<Node>> {
        let ways = self.ways()?;
        let mut chain = vec![last];
        for layer in layers[..layers.len() - 1].iter().rev() {
            let Some(node) = self.before(&ways, layer, &chain[chain.len() - 1])? else { break };
            chain.push(node);
        }
        chain.reverse();
        Ok(chain)
    }

    /// A shortest chain from these calls to the node, of one call at least, if it is not too long.
    ///
    /// # Errors
    /// If a limit is met.
    pub(super) fn to(&self, from: Layer, node: &Node) -> Result<Option<Vec<Node>>> {
        let mut layers = vec![from];
        let mut known = Layer::new();
        while layers.len() <= LONGEST {
            let next = self.after(&layers[layers.len() - 1])?.difference(self.system.space, &known)?;
            if next.is_empty() {
                break;
            }
            known = known.union(self.system.space, &next)?;
            let there = self.has(&next, node)?;
            layers.push(next);
            if there {
                return self.back(&layers, node.clone()).map(Some);
            }
        }
        Ok(None)
    }
}

impl Squared {
    /// A longest chain: what is known of it, from the outermost call on.
    fn spans(&self, graph: &Graph<'_, '_>, start: &Layer) -> Result<Vec<Span>> {
        let Some((_, last)) = self.digits.last() else { return Ok(Vec::new()) };
        let Some(mut to) = graph.first(last)? else { return Ok(Vec::new()) };
        let mut spans = Vec::new();
        for (place, &(power, _)) in self.digits.iter().enumerate().rev() {
            let layer = if place == 0 { start } else { &self.digits[place - 1].1 };
            let Some(from) = graph.before(&self.powers[power], layer, &to)? else { break };
            spans.push(Span { from: from.clone(), to, power });
            to = from;
        }
        spans.reverse();
        Ok(spans)
    }

    /// The two halves of a span.
    fn halves(&self, graph: &Graph<'_, '_>, span: Span) -> Result<Option<[Span; 2]>> {
        let power = span.power - 1;
        let ways = &self.powers[power];
        let reached = graph.along(&graph.only(&span.from)?, ways)?;
        let middle = graph.before(ways, &reached, &span.to)?;
        let Span { from, to, .. } = span;
        Ok(middle.map(|middle| [Span { from, to: middle.clone(), power }, Span { from: middle, to, power }]))
    }

    /// The longest chain by the parts of the graph through which it goes; nothing if nothing is called.
    ///
    /// # Errors
    /// If a limit is met.
    pub(super) fn stretches(&self, graph: &Graph<'_, '_>, parts: &Parts, start: &Layer) -> Result<Vec<Stretch>> {
        let mut waiting = self.spans(graph, start)?;
        waiting.reverse();
        let Some(first) = waiting.last().map(|span| span.from.clone()) else { return Ok(Vec::new()) };
        let mut stretches = vec![Stretch { first, calls: BigUint::from(1u8) }];
        while let Some(span) = waiting.pop() {
            let part = |node: &Node| parts.of(node.state);
            let last = stretches.len() - 1;
            if part(&span.from) == part(&span.to) {
                stretches[last].calls += BigUint::from(1u8) << span.power;
            } else if span.power == 0 {
                stretches.push(Stretch { first: span.to, calls: BigUint::from(1u8) });
            } else if let Some([outer, inner]) = self.halves(graph, span)? {
                waiting.push(inner);
                waiting.push(outer);
            }
        }
        Ok(stretches)
    }

    /// The first calls of the longest chain, at most so many.
    ///
    /// # Errors
    /// If a limit is met.
    pub(super) fn beginning(&self, graph: &Graph<'_, '_>, start: &Layer, most: usize) -> Result<Vec<Node>> {
        let mut waiting = self.spans(graph, start)?;
        waiting.reverse();
        let first = match waiting.last() {
            Some(span) => Some(span.from.clone()),
            None => graph.first(start)?,
        };
        let mut chain: Vec<Node> = first.into_iter().collect();
        while chain.len() < most
            && let Some(span) = waiting.pop()
        {
            if span.power == 0 {
                chain.push(span.to);
            } else if let Some([outer, inner]) = self.halves(graph, span)? {
                waiting.push(inner);
                waiting.push(outer);
            }
        }
        Ok(chain)
    }
}
