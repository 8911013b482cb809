//! The least valuation that several BDDs of biodivine-lib-bdd have in common, found without building their conjunction.

use biodivine_lib_bdd::{Bdd, BddPointer};
use rustc_hash::FxHashSet;

/// The levels on the way to the least valuation that satisfies all BDDs and agrees with `fixed` (sorted by level); levels
/// not named are false. `None` if there is none. Linear in the tuples of nodes that it passes, each of them once.
pub(super) fn least_common(bdds: &[&Bdd], fixed: &[(u32, bool)]) -> Option<Vec<(u32, bool)>> {
    let mut dead: FxHashSet<Vec<BddPointer>> = FxHashSet::default();
    // Nodes of the open decisions, one tuple after the other; for each its level, the value tried, and whether the other
    // value may be tried after it.
    let mut tuples: Vec<BddPointer> = Vec::with_capacity(32 * bdds.len());
    tuples.extend(bdds.iter().map(|bdd| bdd.root_pointer()));
    let mut open: Vec<(u32, bool, bool)> = Vec::with_capacity(32);
    loop {
        let nodes = &tuples[open.len() * bdds.len()..];
        let (level, value, more) = match uppermost(bdds, nodes) {
            Uppermost::AllTrue => return Some(open.into_iter().map(|(level, value, _)| (level, value)).collect()),
            Uppermost::Level(level) if dead.is_empty() || !dead.contains(nodes) => {
                let known = fixed.binary_search_by_key(&level, |&(level, _)| level).ok().map(|i| fixed[i].1);
                (level, known.unwrap_or(false), known.is_none())
            }
            _ => loop {
                let (level, value, more) = open.pop()?;
                tuples.truncate((open.len() + 1) * bdds.len());
                if more && !value {
                    break (level, true, false);
                }
                dead.insert(tuples[open.len() * bdds.len()..].to_vec());
            },
        };
        let from = open.len() * bdds.len();
        for (i, bdd) in bdds.iter().enumerate() {
            let node = tuples[from + i];
            let child = match level_of(bdd, node) {
                Some(own) if own == level && value => bdd.high_link_of(node),
                Some(own) if own == level => bdd.low_link_of(node),
                _ => node,
            };
            tuples.push(child);
        }
        open.push((level, value, more));
    }
}

/// What stands uppermost in some nodes.
enum Uppermost {
    SomeFalse,
    AllTrue,
    Level(u32),
}

fn uppermost(bdds: &[&Bdd], nodes: &[BddPointer]) -> Uppermost {
    if nodes.iter().any(BddPointer::is_zero) {
        return Uppermost::SomeFalse;
    }
    let levels = bdds.iter().zip(nodes).filter_map(|(bdd, &node)| level_of(bdd, node));
    levels.min().map_or(Uppermost::AllTrue, Uppermost::Level)
}

fn level_of(bdd: &Bdd, node: BddPointer) -> Option<u32> {
    (!node.is_terminal()).then(|| bdd.var_of(node).to_index() as u32)
}
