//! How many configurations there are, and whether those of one set are in another: automata made deterministic as far as
//! that is needed.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigUint;
use spds_format::automaton::Automaton;
use spds_format::model::{ControlId, Spds, SymbolId};

use super::letters::{At, Leaf, Position, Reader};
use super::weighted::{Count, Weighted, plus, times};
use crate::limits::{Limits, Stop};
use crate::replay::eval::Layout;

/// How many configurations of a set have a head. Hidden variables do not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    /// The control location.
    pub control: ControlId,
    /// The topmost symbol; `None` for the empty stack.
    pub symbol: Option<SymbolId>,
    /// With how many values of globals and of the symbol's locals.
    pub values: BigUint,
    /// How many configurations in all.
    pub configurations: Count,
}

/// Counts the configurations that are in all of these sets, head by head; heads that have none are left out.
///
/// # Errors
/// If the deadline passes first.
pub fn count(spds: &Spds, sets: &[&Automaton], limits: &Limits) -> Result<Vec<Counted>, Stop> {
    let reader = Reader::new(spds, sets, limits);
    let mut graph = Graph::default();
    let mut heads = Vec::new();
    for control in (0..spds.controls.len() as u32).map(ControlId) {
        let start = reader.start(control);
        let empty = reader.closed(&start, At::Top)?;
        heads.push((control, None, roots(&reader, None, empty)));
        for symbol in reader.symbols(&start) {
            let leaves = reader.read(&start, symbol, At::Top)?;
            heads.push((control, Some(symbol), roots(&reader, Some(symbol), leaves)));
        }
    }
    let first = heads.iter().flat_map(|(_, _, roots)| roots.iter().map(|(_, to)| to.clone()));
    graph.explore(&reader, first.collect())?;
    let counts = graph.words.counts();
    let zero = BigUint::from(0u8);
    let mut counted = Vec::new();
    for (control, symbol, roots) in heads {
        let mut all = Count::Finite(zero.clone());
        let mut values = zero.clone();
        for (weight, to) in roots {
            let below = match (symbol, &counts[graph.numbers[&to]]) {
                (Some(_), below) => below.clone(),
                (None, _) => Count::Finite(u8::from(reader.accepted(&to)).into()),
            };
            if below != Count::Finite(zero.clone()) {
                values += &weight;
            }
            all = plus(all, times(&weight, &below));
        }
        if values != zero {
            counted.push(Counted { control, symbol, values, configurations: all });
        }
    }
    Ok(counted)
}

/// Whether all configurations of the first set are in the second, and whether some are. Hidden variables may have any values
/// that fit.
///
/// # Errors
/// If the deadline passes first.
pub fn compare(spds: &Spds, one: &Automaton, other: &Automaton, limits: &Limits) -> Result<(bool, bool), Stop> {
    let sets = [one, other];
    let reader = Reader::new(spds, &sets, limits);
    let (mut all, mut some) = (true, false);
    let mut look = |here: &BTreeSet<Position>| {
        let accepted = |which| here.iter().any(|place: &Position| place.which == which && reader.accepts(place));
        if accepted(0) {
            all &= accepted(1);
            some |= accepted(1);
        }
    };
    let mut pending: Vec<BTreeSet<Position>> = Vec::new();
    for control in (0..spds.controls.len() as u32).map(ControlId) {
        let start = reader.start(control);
        reader.closed(&start, At::Top)?.iter().for_each(|leaf| look(&leaf.to));
        for symbol in reader.symbols(&start) {
            pending.extend(reader.read(&start, symbol, At::Top)?.into_iter().map(|leaf| leaf.to));
        }
    }
    let mut seen: BTreeSet<BTreeSet<Position>> = BTreeSet::new();
    while let Some(here) = pending.pop() {
        if !here.iter().any(|place| place.which == 0) || !seen.insert(here.clone()) {
            continue;
        }
        look(&here);
        reader.closed(&here, At::Below)?.iter().for_each(|leaf| look(&leaf.to));
        for symbol in reader.symbols(&here) {
            pending.extend(reader.read(&here, symbol, At::Below)?.into_iter().map(|leaf| leaf.to));
        }
    }
    Ok((all, some))
}

type Root = (BigUint, BTreeSet<Position>);

/// How many letters each leaf stands for.
fn roots(reader: &Reader<'_>, symbol: Option<SymbolId>, leaves: Vec<Leaf>) -> Vec<Root> {
    let leaves = leaves.into_iter().filter(|leaf| !leaf.to.is_empty());
    leaves.map(|leaf| (weight(reader, symbol, &leaf), leaf.to)).collect()
}

fn weight(reader: &Reader<'_>, symbol: Option<SymbolId>, leaf: &Leaf) -> BigUint {
    let bits = |layout: &Layout, cells: &[Option<u64>], shown: &[bool]| -> u64 {
        let open = cells.iter().enumerate().filter(|(cell, value)| value.is_none() && shown[*cell]);
        open.map(|(cell, _)| u64::from(layout.scalar(cell).bits())).sum()
    };
    let mut open = bits(&reader.system.globals, &leaf.globals, reader.shown_globals());
    if let Some(symbol) = symbol {
        open += bits(reader.system.locals(symbol), &leaf.locals, &reader.shown_locals(symbol));
    }
    BigUint::from(1u8) << open
}

/// The deterministic automaton, as far as it was needed.
#[derive(Default)]
struct Graph {
    numbers: BTreeMap<BTreeSet<Position>, usize>,
    words: Weighted,
}

impl Graph {
    fn number(&mut self, places: BTreeSet<Position>, pending: &mut Vec<BTreeSet<Position>>) -> usize {
        if let Some(number) = self.numbers.get(&places) {
            return *number;
        }
        let number = self.words.add();
        self.numbers.insert(places.clone(), number);
        pending.push(places);
        number
    }

    fn explore(&mut self, reader: &Reader<'_>, first: Vec<BTreeSet<Position>>) -> Result<(), Stop> {
        let mut pending = Vec::new();
        for places in first {
            self.number(places, &mut pending);
        }
        while let Some(here) = pending.pop() {
            let number = self.numbers[&here];
            self.words.accepting[number] = reader.may_end(&here)?;
            for symbol in reader.symbols(&here) {
                let leaves = reader.read(&here, symbol, At::Below)?;
                for (weight, to) in roots(reader, Some(symbol), leaves) {
                    let to = self.number(to, &mut pending);
                    self.words.edges[number].push((weight, to));
                }
            }
        }
        Ok(())
    }
}
