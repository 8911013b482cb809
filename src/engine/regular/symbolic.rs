//! P-automata whose edges carry relations.
//!
//! The relation of an edge q –γ→ q' is over the locals of γ (and the globals, if q is a control location) in Now, what q'
//! carries in Entry, and what q carries, if it is a state, in Next. A control location carries all globals.

use std::collections::{BTreeMap, BTreeSet};

use spds_format::Spds;
use spds_format::automaton::{Automaton, End, State, StateId};
use spds_format::model::{ControlId, SymbolId, Var};

use crate::bdd::{At, Bit, Column, Relation, SetsBy, Space};
use crate::limits::Stop;
use crate::pds::encode::Encoder;
use crate::pds::layout::Layout;

type Result<T> = std::result::Result<T, Stop>;

/// A P-automaton over a space.
#[derive(Clone)]
pub(super) struct Symbolic<'a> {
    pub spds: &'a Spds,
    pub layout: &'a Layout,
    pub space: &'a Space,
    pub states: Vec<State>,
    pub edges: Vec<Edge>,
}

/// q –γ→ q', or p –ε→ q'.
#[derive(Clone)]
pub(super) struct Edge {
    pub from: End,
    pub symbol: Option<SymbolId>,
    pub to: End,
    pub set: Relation,
}

impl<'a> Symbolic<'a> {
    /// The relations of an automaton, which must be valid.
    pub fn encode(spds: &'a Spds, layout: &'a Layout, space: &'a Space, automaton: &Automaton) -> Result<Self> {
        let encoder = Encoder::new(spds, layout, space);
        let mut edges = Vec::with_capacity(automaton.edges.len());
        for edge in &automaton.edges {
            let read = edge.symbol.and_then(|symbol| spds.symbol(symbol).frame);
            let frames = [read, automaton.frame(edge.to), automaton.frame(edge.from)];
            let set = match &edge.condition {
                Some(condition) => encoder.edge(condition, frames)?,
                None => space.top(),
            };
            edges.push(Edge { from: edge.from, symbol: edge.symbol, to: edge.to, set });
        }
        Ok(Symbolic { spds, layout, space, states: automaton.states.clone(), edges })
    }

    /// The bits of what is carried.
    pub fn carried(&self, end: End) -> Vec<Bit> {
        match end {
            End::Control(_) => self.layout.global_bits().collect(),
            End::State(id) => carried_bits(self.layout, &self.states[id.0 as usize]),
        }
    }

    pub fn is_accepting(&self, end: End) -> bool {
        matches!(end, End::State(id) if self.states[id.0 as usize].accepting)
    }

    /// Leaves out what is on no path from a control location to an accepting state, and of the relations of what is left
    /// all values that no such path has.
    pub fn prune(&mut self) -> Result<()> {
        self.edges.retain(|edge| !self.space.is_empty(&edge.set));
        let ahead = self.useful()?;
        let mut edges = Vec::new();
        for edge in std::mem::take(&mut self.edges) {
            let goes_on = if edge.symbol.is_none() { Some(&edge.set) } else { ahead.get(&edge.to) };
            let Some(goes_on) = goes_on else { continue };
            let set = match edge.symbol {
                None => edge.set,
                Some(_) => self.space.and(&edge.set, goes_on)?,
            };
            if !self.space.is_empty(&set) {
                edges.push(Edge { set, ..edge });
            }
        }
        self.edges = edges;
        let behind = self.reached()?;
        for edge in &mut self.edges {
            edge.set = match (edge.from, behind.get(&edge.from)) {
                (End::Control(_), _) => continue,
                (End::State(_), Some(values)) => self.space.and(&edge.set, values)?,
                (End::State(_), None) => self.space.bottom(),
            };
        }
        self.edges.retain(|edge| !self.space.is_empty(&edge.set));
        Ok(())
    }

    /// The values carried (Entry) with which a path from there accepts.
    fn useful(&self) -> Result<SetsBy<End>> {
        let space = self.space;
        let mut into: BTreeMap<End, Vec<usize>> = BTreeMap::new();
        for (index, edge) in self.edges.iter().enumerate().filter(|(_, edge)| edge.symbol.is_some()) {
            into.entry(edge.to).or_default().push(index);
        }
        let states = (0..self.states.len() as u32).map(|id| End::State(StateId(id)));
        let mut useful = SetsBy::new();
        states.filter(|end| self.is_accepting(*end)).for_each(|end| useful.set(space, end, space.top()));
        // The empty stack is nothing to go on from.
        let mut open: BTreeSet<End> = useful.keys().collect();
        while let Some(to) = open.pop_first() {
            space.check()?;
            for edge in into.get(&to).into_iter().flatten().map(|&index| &self.edges[index]) {
                let Some(goes_on) = useful.get(&to) else { continue };
                let values = self.before(edge.from, &space.and(&edge.set, goes_on)?)?;
                if useful.grow(space, edge.from, &values)?.is_some() {
                    open.insert(edge.from);
                }
            }
        }
        Ok(useful)
    }

    /// What an edge out of there needs to be carried, in Entry.
    fn before(&self, from: End, set: &Relation) -> Result<Relation> {
        let carried = self.carried(from);
        let at = if matches!(from, End::Control(_)) { At::Now } else { At::Next };
        let kept: Vec<Column> = carried.iter().map(|&bit| (bit, at)).collect();
        let gone = self.space.support(set).into_iter().filter(|column| !kept.contains(column));
        let set = self.space.exists(set, self.space.vars(gone))?;
        self.space.rename(&set, self.space.renaming(carried.into_iter().map(|bit| (bit, at, At::Entry))))
    }

    /// The values carried by states (Next) that a path from a control location leads there with.
    fn reached(&self) -> Result<SetsBy<End>> {
        let space = self.space;
        let mut from: BTreeMap<End, Vec<usize>> = BTreeMap::new();
        let mut reached = SetsBy::new();
        for (index, edge) in self.edges.iter().enumerate() {
            from.entry(edge.from).or_default().push(index);
            if matches!(edge.from, End::Control(_)) {
                reached.set(space, edge.from, space.top());
            }
        }
        let mut open: BTreeSet<End> = reached.keys().collect();
        while let Some(at) = open.pop_first() {
            space.check()?;
            for edge in from.get(&at).into_iter().flatten().map(|&index| &self.edges[index]) {
                // Paths from a control location begin there with any globals.
                let End::State(_) = edge.to else { continue };
                let Some(behind) = reached.get(&at) else { continue };
                let values = self.after(edge.to, &space.and(&edge.set, behind)?, At::Next)?;
                if reached.grow(space, edge.to, &values)?.is_some() {
                    open.insert(edge.to);
                }
            }
        }
        Ok(reached)
    }

    /// What is carried behind an edge, in the copy wanted.
    fn after(&self, to: End, set: &Relation, at: At) -> Result<Relation> {
        let carried = self.carried(to);
        let kept: Vec<Column> = carried.iter().map(|&bit| (bit, At::Entry)).collect();
        let gone = self.space.support(set).into_iter().filter(|column| !kept.contains(column));
        let set = self.space.exists(set, self.space.vars(gone))?;
        self.space.rename(&set, self.space.renaming(carried.into_iter().map(|bit| (bit, At::Entry, at))))
    }

    /// Leaves out states without edges.
    pub fn renumber(&mut self) {
        let mut used = vec![false; self.states.len()];
        for end in self.edges.iter().flat_map(|edge| [edge.from, edge.to]) {
            if let End::State(id) = end {
                used[id.0 as usize] = true;
            }
        }
        let mut numbers = Vec::with_capacity(used.len());
        let mut next = 0;
        for &used in &used {
            numbers.push(StateId(next));
            next += u32::from(used);
        }
        let mut at = 0;
        self.states.retain(|_| {
            at += 1;
            used[at - 1]
        });
        let new = |end: End| match end {
            End::State(id) => End::State(numbers[id.0 as usize]),
            control => control,
        };
        for edge in &mut self.edges {
            (edge.from, edge.to) = (new(edge.from), new(edge.to));
        }
    }

    /// Whether some configuration belongs to both. The other one must be pruned of empty edges only, its states carry
    /// nothing, and no edge of it leads into a control location.
    pub fn meets(&self, other: &Symbolic<'_>) -> Result<bool> {
        let space = self.space;
        let mut mine: BTreeMap<End, Vec<&Edge>> = BTreeMap::new();
        self.edges.iter().for_each(|edge| mine.entry(edge.from).or_default().push(edge));
        let mut theirs: BTreeMap<(End, Option<SymbolId>), Vec<&Edge>> = BTreeMap::new();
        other.edges.iter().for_each(|edge| theirs.entry((edge.from, edge.symbol)).or_default().push(edge));
        // Pairs of ends, with what this one carries: control locations in Now, states in Next.
        let controls = (0..self.spds.controls.len() as u32).map(|id| End::Control(ControlId(id)));
        let mut reached = SetsBy::new();
        controls.for_each(|end| reached.set(space, (end, end), space.top()));
        let mut open: BTreeSet<(End, End)> = reached.keys().collect();
        while let Some(pair) = open.pop_first() {
            space.check()?;
            let Some(values) = reached.get(&pair).cloned() else { continue };
            for edge in mine.get(&pair.0).into_iter().flatten() {
                for same in theirs.get(&(pair.1, edge.symbol)).into_iter().flatten() {
                    let both = space.and(&space.and(&edge.set, &values)?, &same.set)?;
                    if space.is_empty(&both) {
                        continue;
                    }
                    if self.is_accepting(edge.to) && other.is_accepting(same.to) {
                        return Ok(true);
                    }
                    if edge.symbol.is_none() {
                        continue;
                    }
                    let at = if matches!(edge.to, End::Control(_)) { At::Now } else { At::Next };
                    let image = self.after(edge.to, &both, at)?;
                    let next = (edge.to, same.to);
                    if reached.grow(space, next, &image)?.is_some() {
                        open.insert(next);
                    }
                }
            }
        }
        Ok(false)
    }

    /// For each head of the set the values on top: globals and locals of the symbol (Now).
    pub fn tops(&self) -> Result<SetsBy<(ControlId, SymbolId)>> {
        let space = self.space;
        let mut tops = SetsBy::new();
        for edge in &self.edges {
            let (End::Control(control), Some(symbol)) = (edge.from, edge.symbol) else { continue };
            let gone = space.support(&edge.set).into_iter().filter(|&(_, at)| at != At::Now);
            tops.add(space, (control, symbol), space.exists(&edge.set, space.vars(gone))?)?;
        }
        Ok(tops)
    }
}

/// The bits of what a state carries.
pub(super) fn carried_bits(layout: &Layout, state: &State) -> Vec<Bit> {
    let field = |&var: &Var| layout.field(var, state.frame);
    state.carries.iter().flat_map(|var| field(var).bits()).collect()
}
