//! Automata read stacks letter by letter: a letter is a stack symbol with the values of its locals, and at the top those of
//! the globals, too. Letters that all edges treat alike are one cube.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use rustc_hash::FxHashSet;
use spds_format::Spds;
use spds_format::automaton::{Automaton, Edge, End, StateId};
use spds_format::expr::Time;
use spds_format::model::{ControlId, SymbolId, Variable};

use super::Clock;
use crate::limits::{Limits, Stop};
use crate::replay::eval::{Cells, Layout, Scene, Side, Spot, evaluate};
use crate::replay::system::System;

/// Several automata that read at the same time.
pub(super) struct Reader<'a> {
    pub(super) system: System<'a>,
    sets: &'a [&'a Automaton],
    /// By automaton and source, in the order of symbols.
    edges: BTreeMap<(usize, End), Vec<&'a Edge>>,
    /// By automaton and end: how many symbols have to be read, whatever they are, before a stack may end.
    least: BTreeMap<(usize, End), usize>,
    clock: std::cell::RefCell<Clock<'a>>,
    /// Whether each cell of the globals is shown to users.
    shown_globals: Vec<bool>,
}

/// Where one of the automata may be, and what it carries there; `None` is any value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Position {
    pub(super) which: usize,
    pub(super) end: End,
    pub(super) globals: Cells,
    pub(super) locals: Cells,
}

/// A cube of letters, and all places after them.
pub(super) struct Leaf {
    pub(super) globals: Cells,
    pub(super) locals: Cells,
    pub(super) to: BTreeSet<Position>,
}

/// What the letter has: at the top, globals.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum At {
    Top,
    Below,
}

/// A cube of letters, or of empty words if there is no symbol.
struct Letter<'l> {
    symbol: Option<SymbolId>,
    at: At,
    globals: &'l [Option<u64>],
    locals: &'l [Option<u64>],
    /// Whether each cell of the locals is shown to users.
    shown_locals: &'l [bool],
}

/// How many symbols have to be read from each end before a stack may end; ends from which none can are left out.
fn least(set: &Automaton) -> BTreeMap<End, usize> {
    let mut entering: BTreeMap<End, Vec<&Edge>> = BTreeMap::new();
    for edge in &set.edges {
        entering.entry(edge.to).or_default().push(edge);
    }
    let states = (0..set.states.len() as u32).map(|id| End::State(StateId(id)));
    let accepting: Vec<End> = states.filter(|end| set.is_accepting(*end)).collect();
    let mut least: BTreeMap<End, usize> = accepting.iter().map(|end| (*end, 0)).collect();
    let mut pending: VecDeque<End> = accepting.into();
    while let Some(to) = pending.pop_front() {
        let here = least[&to];
        for edge in entering.remove(&to).into_iter().flatten() {
            // What reads nothing leads from a control location, to which nothing is nearer than that.
            let more = here + usize::from(edge.symbol.is_some());
            if least.get(&edge.from).is_none_or(|known| more < *known) {
                least.insert(edge.from, more);
                pending.push_back(edge.from);
            }
        }
    }
    least
}

fn shown(variables: &[Variable]) -> Vec<bool> {
    variables.iter().flat_map(|variable| vec![!variable.hidden; variable.ty.cells() as usize]).collect()
}

impl<'a> Reader<'a> {
    pub(super) fn new(spds: &'a Spds, sets: &'a [&'a Automaton], limits: &'a Limits) -> Reader<'a> {
        let mut edges: BTreeMap<(usize, End), Vec<&Edge>> = BTreeMap::new();
        for (which, set) in sets.iter().enumerate() {
            for edge in &set.edges {
                edges.entry((which, edge.from)).or_default().push(edge);
            }
        }
        edges.values_mut().for_each(|edges| edges.sort_by_key(|edge| edge.symbol));
        let least = sets
            .iter()
            .enumerate()
            .flat_map(|(which, set)| least(set).into_iter().map(move |(end, least)| ((which, end), least)));
        let least = least.collect();
        let clock = std::cell::RefCell::new(Clock { limits, looked: 0 });
        Reader { system: System::new(spds), sets, edges, least, clock, shown_globals: shown(&spds.globals) }
    }

    /// The edges from a place that read this symbol.
    fn leaving(&self, place: &Position, symbol: Option<SymbolId>) -> &[&'a Edge] {
        let edges = self.edges.get(&(place.which, place.end)).map_or(&[][..], Vec::as_slice);
        let first = edges.partition_point(|edge| edge.symbol < symbol);
        let rest = &edges[first..];
        &rest[..rest.partition_point(|edge| edge.symbol == symbol)]
    }

    /// Whether so many more symbols may be enough, as far as it does not depend on values, to come to the end of a stack that
    /// is in every set.
    pub(super) fn enough(&self, here: &BTreeSet<Position>, more: usize) -> bool {
        let near = |place: &Position| self.least.get(&(place.which, place.end)).is_some_and(|least| *least <= more);
        (0..self.sets.len()).all(|which| here.iter().any(|place| place.which == which && near(place)))
    }

    /// All automata at a control location.
    pub(super) fn start(&self, control: ControlId) -> BTreeSet<Position> {
        let globals = vec![None; self.system.globals.len()];
        let place =
            |which| Position { which, end: End::Control(control), globals: globals.clone(), locals: Cells::new() };
        (0..self.sets.len()).map(place).collect()
    }

    /// Whether a stack may end at a place.
    pub(super) fn accepts(&self, place: &Position) -> bool {
        self.sets[place.which].is_accepting(place.end)
    }

    /// Whether a stack may end there in every automaton.
    pub(super) fn accepted(&self, places: &BTreeSet<Position>) -> bool {
        (0..self.sets.len()).all(|which| places.iter().any(|place| place.which == which && self.accepts(place)))
    }

    /// Whether a stack that was read up to here is in every set.
    pub(super) fn may_end(&self, here: &BTreeSet<Position>) -> Result<bool, Stop> {
        let mut all = here.clone();
        self.closed(here, At::Below)?.into_iter().for_each(|leaf| all.extend(leaf.to));
        Ok(self.accepted(&all))
    }

    pub(super) fn layout(&self, which: usize, end: End) -> &Layout {
        self.sets[which].frame(end).map_or(&self.system.none, |frame| self.system.locals_of(frame))
    }

    /// The symbols that can be read somewhere there.
    pub(super) fn symbols(&self, here: &BTreeSet<Position>) -> BTreeSet<SymbolId> {
        let edges = here.iter().flat_map(|place| self.edges.get(&(place.which, place.end)).into_iter().flatten());
        edges.filter_map(|edge| edge.symbol).collect()
    }

    /// The places after the empty word: where the stack ends, `globals` being those of the configuration if none was read.
    pub(super) fn closed(&self, here: &BTreeSet<Position>, at: At) -> Result<Vec<Leaf>, Stop> {
        self.leaves(here, None, at)
    }

    /// Cubes of letters with that symbol, together all letters, and where they lead.
    pub(super) fn read(&self, here: &BTreeSet<Position>, symbol: SymbolId, at: At) -> Result<Vec<Leaf>, Stop> {
        self.leaves(here, Some(symbol), at)
    }

    fn leaves(&self, here: &BTreeSet<Position>, symbol: Option<SymbolId>, at: At) -> Result<Vec<Leaf>, Stop> {
        let locals = symbol.map_or(0, |symbol| self.system.locals(symbol).len());
        let globals = if at == At::Top { self.system.globals.len() } else { 0 };
        let mut pending = vec![(vec![None; globals], vec![None; locals])];
        let shown_locals = symbol.map_or_else(Vec::new, |symbol| shown(self.system.spds.locals(symbol)));
        let mut leaves = Vec::new();
        while let Some((globals, locals)) = pending.pop() {
            let letter = Letter { symbol, at, globals: &globals, locals: &locals, shown_locals: &shown_locals };
            match self.after(here, &letter)? {
                Ok(to) => leaves.push(Leaf { globals, locals, to }),
                Err(spot) => {
                    let layout = if spot.global { &self.system.globals } else { self.letter_layout(symbol) };
                    for value in (0..=layout.largest(spot.cell)).rev() {
                        self.clock.borrow_mut().check()?;
                        let (mut globals, mut locals) = (globals.clone(), locals.clone());
                        let cells = if spot.global { &mut globals } else { &mut locals };
                        cells[spot.cell] = Some(value);
                        pending.push((globals, locals));
                    }
                }
            }
        }
        Ok(leaves)
    }

    fn letter_layout(&self, symbol: Option<SymbolId>) -> &Layout {
        symbol.map_or(&self.system.none, |symbol| self.system.locals(symbol))
    }

    /// All places after a letter, or the cell of it on which that depends.
    fn after(&self, here: &BTreeSet<Position>, letter: &Letter<'_>) -> Result<Result<BTreeSet<Position>, Spot>, Stop> {
        let mut found: FxHashSet<Position> = FxHashSet::default();
        for place in here {
            for edge in self.leaving(place, letter.symbol) {
                if let Some(spot) = self.along(place, edge, letter, &mut found)? {
                    return Ok(Err(spot));
                }
            }
        }
        Ok(Ok(found.into_iter().collect()))
    }

    /// Finds the places to which an edge leads from one, until that depends on a cell of the letter: that cell.
    fn along(
        &self,
        place: &Position,
        edge: &Edge,
        letter: &Letter<'_>,
        found: &mut FxHashSet<Position>,
    ) -> Result<Option<Spot>, Stop> {
        self.clock.borrow_mut().check()?;
        let next = Position {
            which: place.which,
            end: edge.to,
            globals: vec![None; self.system.globals.len()],
            locals: vec![None; self.layout(place.which, edge.to).len()],
        };
        let Some(condition) = &edge.condition else {
            found.insert(next);
            return Ok(None);
        };
        let mut begin = place.clone();
        if letter.at == At::Top {
            begin.globals = letter.globals.to_vec();
        }
        let mut pending = vec![(begin, letter.locals.to_vec(), next)];
        while let Some((here, locals, next)) = pending.pop() {
            self.clock.borrow_mut().check()?;
            let evaluated = evaluate(condition, &self.scene(&here, edge, letter.symbol, &locals, &next));
            if !evaluated.may_hold() {
                continue;
            }
            let Some(spot) = evaluated.open else {
                found.insert(next);
                continue;
            };
            if self.is_of(letter, &spot) {
                return Ok(Some(spot));
            }
            let layout = match (spot.global, spot.time) {
                (true, _) => &self.system.globals,
                (false, Time::Before) => self.letter_layout(letter.symbol),
                (false, Time::After) => self.layout(place.which, edge.to),
                (false, Time::Saved) => self.layout(place.which, edge.from),
            };
            for value in 0..=layout.largest(spot.cell) {
                self.clock.borrow_mut().check()?;
                let (mut here, mut locals, mut next) = (here.clone(), locals.clone(), next.clone());
                let ends = ((&mut here.globals, &mut here.locals), (&mut next.globals, &mut next.locals));
                *spot.cell(ends.0, &mut locals, ends.1) = Some(value);
                pending.push((here, locals, next));
            }
        }
        Ok(None)
    }

    /// Whether a cell is one of the letter. Hidden variables are no part of it: any value will do.
    fn is_of(&self, letter: &Letter<'_>, spot: &Spot) -> bool {
        spot.time == Time::Before
            && match spot.global {
                true => letter.at == At::Top && self.shown_globals[spot.cell],
                false => letter.shown_locals[spot.cell],
            }
    }

    fn scene<'s>(
        &'s self,
        here: &'s Position,
        edge: &Edge,
        symbol: Option<SymbolId>,
        letter: &'s [Option<u64>],
        next: &'s Position,
    ) -> Scene<'s> {
        let globals = |cells| Side { layout: &self.system.globals, cells };
        let below = matches!(edge.from, End::State(_));
        Scene {
            globals: globals(&here.globals),
            locals: Side { layout: self.letter_layout(symbol), cells: letter },
            after: Some((
                globals(&next.globals),
                Side { layout: self.layout(next.which, edge.to), cells: &next.locals },
            )),
            saved: below.then(|| Side { layout: self.layout(here.which, edge.from), cells: &here.locals }),
            carried: below.then(|| globals(&here.globals)),
        }
    }

    /// Whether each cell of a symbol's locals is shown to users.
    pub(super) fn shown_locals(&self, symbol: SymbolId) -> Vec<bool> {
        shown(self.system.spds.locals(symbol))
    }

    /// Whether each cell of the globals is shown to users.
    pub(super) fn shown_globals(&self) -> &[bool] {
        &self.shown_globals
    }
}
