//! All configurations of a set up to a depth, those of one stack together where their values can be said together.

use std::collections::{BTreeMap, BTreeSet};

use spds_format::automaton::Automaton;
use spds_format::model::{ControlId, Spds, SymbolId};

use super::letters::{At, Position, Reader};
use crate::limits::{Limits, Stop};
use crate::replay::eval::largest;

/// The values of a cell: first and last of those that follow each other, ascending and not touching; `None` is all.
pub type Range = Option<Vec<(u64, u64)>>;

/// Configurations with the same control location and stack, all combinations of these values; one range for each scalar
/// cell, in the order of declaration.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pattern {
    /// The control location.
    pub control: ControlId,
    /// The globals.
    pub globals: Vec<Range>,
    /// The stack, topmost symbol first.
    pub stack: Vec<(SymbolId, Vec<Range>)>,
}

/// All configurations that are in each of these sets and have at most so many symbols on the stack: shorter stacks first, else in the order of the
/// system's declarations. A configuration is in exactly one pattern; hidden variables are left open.
///
/// # Errors
/// If the deadline passes first.
pub fn list(spds: &Spds, sets: &[&Automaton], depth: usize, limits: &Limits) -> Result<Vec<Pattern>, Stop> {
    let reader = Reader::new(spds, sets, limits);
    // By control location and symbols, the values of all cells.
    let mut found: BTreeMap<(usize, ControlId, Vec<SymbolId>), BTreeSet<Vec<Range>>> = BTreeMap::new();
    for control in (0..spds.controls.len() as u32).map(ControlId) {
        let start = reader.start(control);
        let mut pending: Vec<(BTreeSet<Position>, Vec<SymbolId>, Vec<Range>)> = Vec::new();
        for leaf in reader.closed(&start, At::Top)? {
            if reader.accepted(&leaf.to) {
                let values = leaf.globals.iter().map(range).collect();
                found.entry((0, control, Vec::new())).or_default().insert(values);
            }
        }
        if depth > 0 {
            for symbol in reader.symbols(&start) {
                for leaf in reader.read(&start, symbol, At::Top)? {
                    if !reader.enough(&leaf.to, depth - 1) {
                        continue;
                    }
                    let values = leaf.globals.iter().chain(&leaf.locals).map(range).collect();
                    pending.push((leaf.to, vec![symbol], values));
                }
            }
        }
        while let Some((here, stack, values)) = pending.pop() {
            if reader.may_end(&here)? {
                found.entry((stack.len(), control, stack.clone())).or_default().insert(values.clone());
            }
            if stack.len() == depth {
                continue;
            }
            for symbol in reader.symbols(&here) {
                for leaf in reader.read(&here, symbol, At::Below)? {
                    if !reader.enough(&leaf.to, depth - stack.len() - 1) {
                        continue;
                    }
                    let stack = stack.iter().copied().chain([symbol]).collect();
                    let values = values.iter().cloned().chain(leaf.locals.iter().map(range)).collect();
                    pending.push((leaf.to, stack, values));
                }
            }
        }
    }
    let mut patterns = Vec::new();
    for ((_, control, stack), all) in found {
        let layouts = stack.iter().map(|symbol| reader.system.locals(*symbol));
        let layouts: Vec<_> = std::iter::once(&reader.system.globals).chain(layouts).collect();
        let mosts = layouts.iter().flat_map(|layout| (0..layout.len()).map(|cell| largest(layout.scalar(cell))));
        for values in merged(all, &mosts.collect::<Vec<_>>()) {
            let mut values = values.into_iter();
            let globals = values.by_ref().take(layouts[0].len()).collect();
            let levels = stack.iter().zip(&layouts[1..]);
            let stack = levels.map(|(symbol, layout)| (*symbol, values.by_ref().take(layout.len()).collect()));
            patterns.push(Pattern { control, globals, stack: stack.collect() });
        }
    }
    Ok(patterns)
}

fn range(cell: &Option<u64>) -> Range {
    cell.map(|value| vec![(value, value)])
}

/// Cubes that differ in one cell only are made one, cell by cell.
fn merged(mut all: BTreeSet<Vec<Range>>, mosts: &[u64]) -> BTreeSet<Vec<Range>> {
    loop {
        let before = all.len();
        for (cell, most) in mosts.iter().enumerate() {
            let mut groups: BTreeMap<Vec<Range>, Vec<(u64, u64)>> = BTreeMap::new();
            for mut cube in all {
                let own = cube[cell].take().unwrap_or_else(|| vec![(0, *most)]);
                groups.entry(cube).or_default().extend(own);
            }
            all = groups
                .into_iter()
                .map(|(mut cube, intervals)| {
                    cube[cell] = joined(intervals, *most);
                    cube
                })
                .collect();
        }
        if all.len() == before {
            return all;
        }
    }
}

/// The union of intervals.
fn joined(mut intervals: Vec<(u64, u64)>, most: u64) -> Range {
    intervals.sort_unstable();
    let mut all: Vec<(u64, u64)> = Vec::new();
    for (first, last) in intervals {
        match all.last_mut() {
            Some((_, end)) if first <= end.saturating_add(1) => *end = last.max(*end),
            _ => all.push((first, last)),
        }
    }
    (all != [(0, most)]).then_some(all)
}
