//! Chains of calls as they are told: procedures, places, values, and what is repeated.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use spds_format::model::{FrameId, SymbolId, Var};

use super::calls::Graph;
use super::chain::{Node, Stretch};
use super::parts::Parts;
use super::weights::{Weights, procedure};
use super::{Called, Callee, Calls, Link, Section, Spot};
use crate::bdd::Bit;
use crate::flow::{State, StateId};
use crate::limits::Stop;
use crate::pds::layout::{Field, number};

type Result<T> = std::result::Result<T, Stop>;

/// So many frames are looked at for what is repeated.
const REPEATED: usize = 8;

/// Tells of chains in a graph.
pub(super) struct Teller<'g, 's, 'a> {
    pub graph: &'g Graph<'s, 'a>,
    pub parts: &'g Parts,
    pub weights: Option<&'g Weights>,
}

impl Teller<'_, '_, '_> {
    /// The symbol with which calls of a state begin.
    fn begins(&self, state: StateId) -> SymbolId {
        let system = self.graph.system;
        match system.control.flow.states[state.0 as usize] {
            State::Entry(entry) => system.control.pds.head(entry).symbol,
            State::User => system.spds.start.stack[state.0 as usize],
        }
    }

    fn name(&self, state: StateId) -> &str {
        procedure(self.graph.system.spds, self.begins(state))
    }

    /// The frames of symbols that lie below the start, from the bottom.
    pub fn below(&self, symbols: &[SymbolId]) -> Vec<Section> {
        let link = |symbol: &SymbolId| Link {
            procedure: procedure(self.graph.system.spds, *symbol).to_owned(),
            bytes: self.weights.map(|weights| weights.of(*symbol).clone()),
            ..Link::default()
        };
        symbols.iter().map(|symbol| one(link(symbol))).collect()
    }

    /// A chain, without the first of its calls if that was told before, with what is repeated in it told once.
    ///
    /// # Errors
    /// If a limit is met.
    pub fn sections(&self, nodes: &[Node], told: usize) -> Result<Vec<Section>> {
        let mut links: Vec<(Option<usize>, Link)> = Vec::new();
        for (place, node) in nodes.iter().enumerate().skip(told) {
            let call = match place.checked_sub(1).and_then(|outer| nodes.get(outer)) {
                Some(outer) => self.graph.between(outer, node)?,
                None => None,
            };
            links.push((call, self.link(node, call)));
        }
        Ok(folded(links))
    }

    /// A frame.
    fn link(&self, node: &Node, call: Option<usize>) -> Link {
        Link {
            procedure: self.name(node.state).to_owned(),
            call: call.and_then(|call| self.spot(call)),
            values: self.values(node),
            bytes: self.weights.map(|weights| weights.top(node.state)),
        }
    }

    /// Where a call is made.
    fn spot(&self, call: usize) -> Option<Spot> {
        let (spds, pds) = (self.graph.system.spds, &self.graph.system.control.pds);
        let place = spds.symbol(pds.head(pds.rule_at(self.graph.calls[call].rule).from).symbol).place?;
        let file = spds.files.get(place.file as usize)?.to_string();
        Some(Spot { file, line: place.line, column: place.column })
    }

    /// The values of a tag by name.
    fn values(&self, node: &Node) -> Vec<(String, String)> {
        let spds = self.graph.system.spds;
        let frame = spds.symbol(self.begins(node.state)).frame;
        let cells = cells(self.graph, node, frame);
        let shown = cells.into_iter().filter(|(var, ..)| spds.variable(frame, *var).is_some_and(|known| !known.hidden));
        let named = shown.map(|(var, index, value)| {
            let name = spds.display_name(frame, var);
            let name = index.map_or_else(|| name.to_string(), |index| format!("{name}[{index}]"));
            (name, value.to_string())
        });
        named.collect()
    }

    /// What squaring has found, part by part.
    ///
    /// # Errors
    /// If a limit is met.
    pub fn stretches(&self, stretches: &[Stretch]) -> Result<Vec<Section>> {
        let mut sections = Vec::new();
        let mut outer: Option<&Node> = None;
        for Stretch { first, calls, .. } in stretches {
            let call = outer
                .filter(|_| *calls == BigUint::from(1u8))
                .map(|outer| self.graph.between(outer, first))
                .transpose()?;
            let part = self.parts.of(first.state);
            sections.push(match &self.parts.members[part][..] {
                [_] if *calls == BigUint::from(1u8) => one(self.link(first, call.flatten())),
                _ => self.mixed(part, first, Some(calls.clone())),
            });
            outer = Some(first).filter(|_| *calls == BigUint::from(1u8));
        }
        Ok(sections)
    }

    /// So many frames of the procedures of a part, with this first.
    pub fn mixed(&self, part: usize, first: &Node, frames: Option<BigUint>) -> Section {
        let members = &self.parts.members[part];
        let own = |state: StateId| {
            let calls =
                self.graph.made_in(state).iter().filter(|call| self.parts.of(self.graph.calls[**call].to) == part);
            let calls: Vec<usize> = calls.copied().collect();
            // A call among several is none in particular.
            if let [call] = calls[..] { Some(call) } else { None }
        };
        let others = members.iter().filter(|state| **state != first.state);
        let call = own(first.state).filter(|_| members.len() == 1);
        let first = self.link(first, call);
        let others = others
            .map(|state| Link { values: Vec::new(), ..self.link(&Node { state: *state, values: Vec::new() }, None) });
        Section { links: std::iter::once(first).chain(others).collect(), frames, in_order: members.len() == 1 }
    }

    /// Who calls whom, the calls of this chain marked.
    ///
    /// # Errors
    /// If a limit is met.
    pub fn calls(&self, chain: &[Node]) -> Result<Calls> {
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        let mut procedures: Vec<Callee> = Vec::new();
        for state in self.graph.entered.keys() {
            if self.graph.entry(state).is_none() && Some(self.begins(state)) == self.graph.system.spds.end {
                continue;
            }
            let name = self.name(state);
            places.entry(name).or_insert_with(|| {
                let bytes = self.weights.map(|weights| weights.top(state));
                procedures.push(Callee { name: name.to_owned(), bytes, recursive: false, deepest: false });
                procedures.len() - 1
            });
            procedures[places[name]].recursive |= self.parts.cyclic[self.parts.of(state)];
        }
        let mut calls: BTreeMap<(usize, usize), bool> = BTreeMap::new();
        for call in &self.graph.calls {
            if let (Some(from), Some(to)) = (places.get(self.name(call.from)), places.get(self.name(call.to))) {
                calls.entry((*from, *to)).or_default();
            }
        }
        for (place, node) in chain.iter().enumerate() {
            let Some(&to) = places.get(self.name(node.state)) else { continue };
            procedures[to].deepest = true;
            if let Some(outer) = place.checked_sub(1).and_then(|outer| places.get(self.name(chain[outer].state))) {
                calls.insert((*outer, to), true);
            }
        }
        let calls = calls.into_iter().map(|((from, to), deepest)| Called { from, to, deepest }).collect();
        Ok(Calls { procedures, calls })
    }
}

/// The scalars of a node, by variable and index: globals, then locals, as declared.
pub(super) fn cells(graph: &Graph<'_, '_>, node: &Node, frame: Option<FrameId>) -> Vec<(Var, Option<u32>, u64)> {
    let layout = &graph.system.control.pds.layout;
    let value = |bit: Bit| {
        let place = node.values.binary_search_by_key(&bit, |((bit, _), _)| *bit).ok()?;
        Some(node.values[place].1)
    };
    let mut cells = Vec::new();
    let mut add = |fields: &[Field], var: fn(u32) -> Var| {
        for (field, place) in fields.iter().zip(0..) {
            for cell in 0..field.ty.cells() {
                let bits: Option<Vec<bool>> = field.cell(cell).map(value).collect();
                let index = field.ty.range.map(|(first, _)| first + cell);
                cells.extend(bits.map(|bits| (var(place), index, number(bits))));
            }
        }
    };
    add(layout.globals(), Var::Global);
    add(layout.locals(frame), Var::Local);
    cells
}

fn one(link: Link) -> Section {
    Section { links: vec![link], frames: Some(BigUint::from(1u8)), in_order: true }
}

/// Links by the calls that make them: what follows itself again and again becomes one section.
fn folded(links: Vec<(Option<usize>, Link)>) -> Vec<Section> {
    let mut sections = Vec::new();
    let mut at = 0;
    while at < links.len() {
        let repeats = |period: usize| {
            let same = |place: usize| links[place].0.is_some() && links[place].0 == links[place - period].0;
            let mut end = at + period;
            while end < links.len() && same(end) {
                end += 1;
            }
            (end - at) / period
        };
        let longest = REPEATED.min(links.len() - at);
        // Two frames of one procedure are worth a line less; of several, it takes three times.
        let found = (1..=longest)
            .map(|period| (period, repeats(period)))
            .find(|(period, times)| *times > if *period == 1 { 1 } else { 2 });
        let (period, times) = found.unwrap_or((1, 1));
        let own = links[at..at + period].iter().map(|(_, link)| link.clone()).collect();
        sections.push(Section { links: own, frames: Some(BigUint::from(period * times)), in_order: true });
        at += period * times;
    }
    sections
}
