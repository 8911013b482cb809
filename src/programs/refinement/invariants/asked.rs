//! What basic paths ask of the values at their beginning: bounds of sums, as far as conditions are linear, those of failures among them.

use std::collections::BTreeSet;

use crate::bitvec::Term;

use super::super::interpolate::whole;
use super::bound::Bound;
use super::edge::Edge;
use super::linear::Linear;

/// The most bounds of one place.
const MAX_BOUNDS: usize = 24;

/// Those of each of so many places, and what is true where they are not.
pub(super) fn asked(edges: &mut [Edge], places: usize) -> Vec<Vec<Bound>> {
    let mut all = vec![BTreeSet::new(); places];
    for edge in edges {
        let Some(from) = edge.from else { continue };
        if all[from].len() >= MAX_BOUNDS || !edge.afford(1) {
            continue;
        }
        of_edge(edge, &mut all[from]);
    }
    let short = |bounds: BTreeSet<Bound>| {
        let mut bounds: Vec<Bound> = bounds.into_iter().collect();
        bounds.sort_by_key(|bound| (bound.parts.len(), bound.by.unsigned_abs()));
        bounds.truncate(MAX_BOUNDS);
        bounds
    };
    all.into_iter().map(short).collect()
}

fn of_edge(edge: &mut Edge, found: &mut BTreeSet<Bound>) {
    let before = edge.before[..edge.ghosts].to_vec();
    let conditions: Vec<Term> = edge.relation.conditions.clone();
    let wrong = edge.relation.demanded.iter().filter(|one| one.kind.is_none()).map(|one| one.wrong);
    let all: BTreeSet<Term> = conditions.iter().copied().chain(wrong).collect();
    let mut linear = Linear::of(edge);
    linear.know_conditions(&conditions);
    for condition in all {
        for positive in [true, false] {
            for form in linear.all_cases(condition, positive) {
                let Some((parts, constant)) = whole(&form, true) else { continue };
                let parts: Option<Vec<(usize, i128)>> =
                    parts.into_iter().map(|(variable, by)| Some((linear.place_of(variable, &before)?, by))).collect();
                let (Some(mut parts), Some(by)) = (parts, constant.checked_neg()) else { continue };
                parts.sort_unstable();
                if !parts.is_empty() {
                    found.insert(Bound { parts, by });
                }
            }
        }
    }
}
