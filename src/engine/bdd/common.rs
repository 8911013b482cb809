//! The least valuation that several relations have in common, found without building their conjunction.

use rustc_hash::FxHashSet;

use super::budget::Budget;
use super::nodes::Node;
use super::{Relation, Repr, biodivine, shared};
use crate::limits::Stop;

/// Vectors that are used again for each search: most searches are over before a vector would have been made.
#[derive(Debug, Default)]
pub(super) struct Search {
    /// Values that are given, sorted by level.
    pub(super) fixed: Vec<(u32, bool)>,
    /// Nodes of the open decisions, one tuple after the other: 0 is ⊥, 1 is ⊤.
    tuples: Vec<u32>,
    /// For each open decision its level, the value tried, and whether the other value may be tried after it.
    open: Vec<(u32, bool, bool)>,
}

impl Relation {
    fn root(&self) -> u32 {
        match &self.0 {
            Repr::Biodivine(a) => biodivine::root(&a.bdd),
            Repr::Shared(a) => shared::root(a),
        }
    }

    /// A node of the BDD; nothing if it is a constant.
    fn inner(&self, node: u32) -> Option<Node> {
        match &self.0 {
            _ if node <= 1 => None,
            Repr::Biodivine(a) => Some(biodivine::inner(&a.bdd, node)),
            Repr::Shared(a) => Some(shared::inner(a, node)),
        }
    }
}

impl Search {
    /// Looks for the least valuation that satisfies all relations and agrees with what is given. Levels that are not on the way to it are
    /// false. Linear in the tuples of nodes that it passes, each of them once; each that leads nowhere is work.
    ///
    /// # Errors
    /// If a limit is met.
    pub(super) fn succeeds(&mut self, budget: &Budget, of: &[&Relation]) -> Result<bool, Stop> {
        let Search { fixed, tuples, open } = self;
        let mut dead: FxHashSet<Vec<u32>> = FxHashSet::default();
        open.clear();
        tuples.clear();
        tuples.extend(of.iter().map(|relation| relation.root()));
        loop {
            let nodes = &tuples[open.len() * of.len()..];
            let (level, value, more) = match uppermost(of, nodes) {
                Uppermost::AllTrue => return Ok(true),
                Uppermost::Level(level) if dead.is_empty() || !dead.contains(nodes) => {
                    let known = fixed.binary_search_by_key(&level, |&(level, _)| level).ok().map(|i| fixed[i].1);
                    (level, known.unwrap_or(false), known.is_none())
                }
                _ => loop {
                    let Some((level, value, more)) = open.pop() else { return Ok(false) };
                    tuples.truncate((open.len() + 1) * of.len());
                    if more && !value {
                        break (level, true, false);
                    }
                    budget.charge(1)?;
                    dead.insert(tuples[open.len() * of.len()..].to_vec());
                },
            };
            let from = open.len() * of.len();
            for (i, relation) in of.iter().enumerate() {
                let node = tuples[from + i];
                let child = match relation.inner(node) {
                    Some(own) if own.level == level && value => own.high,
                    Some(own) if own.level == level => own.low,
                    _ => node,
                };
                tuples.push(child);
            }
            open.push((level, value, more));
        }
    }

    /// The value of a level in what was found.
    pub(super) fn value(&self, level: u32) -> bool {
        let found = self.open.binary_search_by_key(&level, |&(level, ..)| level).map(|i| self.open[i].1);
        let given = || self.fixed.binary_search_by_key(&level, |&(level, _)| level).map(|i| self.fixed[i].1);
        found.or_else(|_| given()).unwrap_or(false)
    }
}

/// What stands uppermost in some nodes.
enum Uppermost {
    SomeFalse,
    AllTrue,
    Level(u32),
}

fn uppermost(of: &[&Relation], nodes: &[u32]) -> Uppermost {
    if nodes.contains(&0) {
        return Uppermost::SomeFalse;
    }
    let levels = of.iter().zip(nodes).filter_map(|(relation, &node)| relation.inner(node)).map(|inner| inner.level);
    levels.min().map_or(Uppermost::AllTrue, Uppermost::Level)
}
