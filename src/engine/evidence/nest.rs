//! Circles of control inside each other: what is left of one when its first cuts are taken out.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::kosaraju_scc;
use petgraph::graphmap::DiGraphMap;

use crate::heads::part::Part;
use crate::pds::HeadId;

/// For each of these heads the circles on which it lies in a part without those that come before it in the list, joined; for none that
/// lies on no circle then. A head that comes twice is meant by its first place.
pub(super) fn nested(part: &Part, cuts: &[HeadId]) -> BTreeMap<HeadId, BTreeSet<HeadId>> {
    let mut places: BTreeMap<HeadId, usize> = BTreeMap::new();
    for (place, cut) in cuts.iter().enumerate() {
        places.entry(*cut).or_insert(place);
    }
    let mut nested = BTreeMap::new();
    let mut work = circles(part, &part.heads.iter().copied().collect());
    while let Some(members) = work.pop() {
        let first = members.iter().filter_map(|head| Some((places.get(head)?, *head))).min();
        let Some((_, cut)) = first else { continue };
        let rest = members.iter().copied().filter(|head| *head != cut).collect();
        work.extend(circles(part, &rest));
        nested.insert(cut, members);
    }
    nested
}

/// The circles through these heads only, joined where they meet.
pub(super) fn circles(part: &Part, heads: &BTreeSet<HeadId>) -> Vec<BTreeSet<HeadId>> {
    let mut graph = DiGraphMap::<HeadId, ()>::new();
    for &head in heads {
        for edge in part.edges_of(head).iter().filter(|edge| heads.contains(&edge.to)) {
            graph.add_edge(head, edge.to, ());
        }
    }
    let mut circles = kosaraju_scc(&graph);
    circles.retain(|heads| heads.len() > 1 || graph.contains_edge(heads[0], heads[0]));
    circles.into_iter().map(|heads| heads.into_iter().collect()).collect()
}
