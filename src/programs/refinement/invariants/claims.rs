//! What was proved, as others read it: sums of quantities that programs have names for; and whether given ones are kept.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::analyses::Analysed;
use crate::bitvec::Bounds;
use crate::c::Program;
use crate::c::program::{Overflow, StatementId};
use crate::transition::graph::{Graph, graph};
use crate::transition::path::Paths;

use super::bound::Bound;
use super::edge::twice::twice;
use super::edge::{Edge, edges};
use super::fact::{Congruence, Fact, Then, needed};
use super::facts::{Facts, Part};
use super::houdini::{About, Houdini};
use super::scope::{Scope, Scoped};
use super::work::Work;
use super::{Effort, PAIRS, Reach, Search};

pub use crate::transition::claims::{Claim, Invariant, Quantity, Where};

/// What is read of a program once: which numbers are known where, and the relations of its basic paths.
pub(super) struct Ground<'p> {
    pub program: &'p Program,
    pub overflow: Overflow,
    pub graph: Graph,
    pub scope: Scope<'p>,
    pub edges: Vec<Edge>,
    pub work: Rc<Work>,
}

/// Units of work that a basic path takes at least.
const EACH_PATH: u64 = 25;

impl<'p> Ground<'p> {
    /// None if there are more basic paths than so much work is worth.
    pub fn of(search: &Search<'p>) -> Option<Ground<'p>> {
        let &Search { of: Analysed { program, analyses }, overflow, bounds, effort } = search;
        let Effort { work, reach, .. } = effort;
        let graph = graph(program, analyses, true)?;
        if graph.paths.len() as u64 * EACH_PATH > work {
            return None;
        }
        let scope = Scope::of(program, analyses, reach == Reach::Cells);
        let paths = Paths::of(program, overflow, analyses).watching(scope.watched());
        let work = Rc::new(Work::new(work));
        let edges = edges(program, &paths, Scoped { graph: &graph, scope: &scope }, (bounds, &work));
        Some(Ground { program, overflow, graph, scope, edges, work })
    }

    /// Its graph, with what is known where.
    pub fn scoped(&self) -> Scoped<'_> {
        Scoped { graph: &self.graph, scope: &self.scope }
    }

    fn place(&self, about: &About) -> Where {
        match *about {
            About::Place(at) => {
                let node = &self.graph.nodes[at];
                Where::Before(StatementId::of(node.procedure, node.label))
            }
            About::Return(procedure) => Where::Returned(procedure),
        }
    }

    /// Facts as they are told.
    pub fn told(&self, facts: &BTreeMap<About, Facts>) -> Vec<Invariant> {
        let all = facts.iter().map(|(about, facts)| (about, facts.assumed()));
        self.said(all)
    }

    /// Those of them that do not plainly follow from others.
    pub fn needed(&self, facts: &BTreeMap<About, Facts>) -> Vec<Invariant> {
        let plain = |facts: &Facts| needed(&facts.assumed()).into_iter().cloned().collect();
        self.said(facts.iter().map(|(about, facts)| (about, plain(facts))))
    }

    fn said<'f>(&self, facts: impl Iterator<Item = (&'f About, Vec<Fact>)>) -> Vec<Invariant> {
        let mut all = Vec::new();
        for (about, facts) in facts {
            let quantities = quantities(self.scoped(), about);
            let sum = |parts: &[(usize, i128)]| parts.iter().map(|&(at, by)| (quantities[at], by)).collect();
            let bound = |Bound { parts, by }: &Bound| Claim::AtMost(sum(parts), *by);
            for Fact { when, then } in facts {
                let then = match &then {
                    Then::Bound(one) => bound(one),
                    Then::Congruence(Congruence { parts, modulus, rest }) => Claim::Rest(sum(parts), *modulus, *rest),
                };
                all.push(Invariant { at: self.place(about), when: when.iter().map(bound).collect(), then });
            }
        }
        all
    }

    /// What was told, as facts; those about what is not known are left out.
    fn facts(&self, invariants: &[Invariant]) -> BTreeMap<About, Facts> {
        facts(self.scoped(), invariants)
    }
}

fn quantities(Scoped { graph, scope }: Scoped<'_>, about: &About) -> Vec<Quantity> {
    match *about {
        About::Place(at) => scope.at_place(&graph.nodes[at]),
        About::Return(procedure) => scope.at_return(procedure),
    }
}

fn about(graph: &Graph, at: Where) -> Option<About> {
    Some(match at {
        Where::Before(id) => {
            About::Place(graph.nodes.iter().position(|node| StatementId::of(node.procedure, node.label) == id)?)
        }
        Where::Returned(procedure) => About::Return(procedure),
    })
}

/// What was told, as facts of a graph; those about what is not known there are left out.
pub(super) fn facts(of: Scoped<'_>, invariants: &[Invariant]) -> BTreeMap<About, Facts> {
    let mut all: BTreeMap<About, Facts> = BTreeMap::new();
    for Invariant { at, when, then } in invariants {
        let Some(about) = about(of.graph, *at) else { continue };
        let quantities = quantities(of, &about);
        let parts = |sum: &[(Quantity, i128)]| {
            let part = |(one, by): &(Quantity, i128)| Some((quantities.iter().position(|other| other == one)?, *by));
            let mut parts = sum.iter().map(part).collect::<Option<Vec<_>>>()?;
            parts.sort_unstable();
            Some(parts)
        };
        let bound = |claim: &Claim| match claim {
            Claim::AtMost(sum, by) => Some(Bound { parts: parts(sum)?, by: *by }),
            Claim::Rest(..) => None,
        };
        let Some(when) = when.iter().map(bound).collect::<Option<Vec<_>>>() else { continue };
        let mut part = Part { when, ..Part::default() };
        match then {
            Claim::AtMost(..) => part.bounds.extend(bound(then)),
            Claim::Rest(sum, modulus, rest) => {
                let of = |parts| Congruence { parts, modulus: *modulus, rest: *rest };
                part.congruences.extend(parts(sum).map(of));
            }
        }
        all.entry(about).or_default().parts.push(part);
    }
    all
}

/// Those of some candidates that all basic paths keep together. None if it took too much.
#[cfg_attr(feature = "whole", expect(dead_code, reason = "only tests ask so"))]
pub fn kept(search: &Search<'_>, candidates: &[Invariant]) -> Option<Vec<Invariant>> {
    let mut ground = Ground::of(search)?;
    let facts = ground.facts(candidates);
    let mut houdini = Houdini::new(&mut ground.edges, &ground.graph, facts);
    houdini.settle()?;
    let facts = houdini.into_facts();
    Some(ground.told(&facts))
}

/// Whether some invariants are kept by each basic path, or by each two that follow each other, and exclude each failure: each one is asked of
/// bit-vectors alone, and nothing that finds them is used. None if that is not known.
pub fn checked(
    of: Analysed<'_>,
    overflow: Overflow,
    (bounds, excludes): (&Bounds, bool),
    invariants: &[Invariant],
) -> Option<bool> {
    let effort = Effort { runs: 0, work: u64::MAX, reach: Reach::Cells };
    let mut ground = Ground::of(&Search { of, overflow, bounds, effort })?;
    let facts = ground.facts(invariants);
    let all_kept = |edges: &mut [Edge]| {
        let mut houdini = Houdini::new(edges, &ground.graph, facts.clone());
        (0..houdini.edges.len()).try_fold(true, |all, at| {
            Some(all && houdini.is_kept_plainly(at)? && (!excludes || houdini.excludes_plainly(at, overflow)?))
        })
    };
    let once = all_kept(&mut ground.edges);
    if once == Some(true) {
        return once;
    }
    let both = twice(&ground.edges, PAIRS).and_then(|mut edges| all_kept(&mut edges));
    both.filter(|&kept| kept).or(once)
}
