//! What holds at cut points and of returns whatever a run does: candidates are assumed, and those that some basic path does not keep are
//! dropped, until all that is left is kept (Flanagan and Leino, *Houdini, an annotation assistant for ESC/Java*, FME 2001). What is cut short
//! says nothing.

use std::collections::{BTreeMap, BTreeSet};

use crate::bitvec::{Answer, Term};
use crate::c::program::ProcedureId;
use crate::transition::graph::{End, Graph};
use crate::transition::path::Demanded;

use super::bound::{Bound, is_implied, strongest};
use super::edge::{Edge, Number};
use super::hull::{Equation, Hull};
use super::linear::Linear;

/// What is known, or still assumed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum About {
    /// Values at a cut point.
    Place(usize),
    /// Returns: of what formals were, and the result.
    Return(ProcedureId),
}

/// Candidates of a place or of returns.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Facts {
    pub bounds: Vec<Bound>,
    /// The smallest affine space that has all values which were seen there; its equations are candidates, too.
    pub hull: Option<Hull>,
}

impl Facts {
    /// All that is assumed, of each sum the least bound.
    fn assumed(&self) -> Vec<Bound> {
        let equations = self.hull.iter().flat_map(Hull::equations);
        let both = equations.flat_map(|Equation { parts, constant }| {
            let opposite = parts.iter().map(|&(at, factor)| (at, -factor)).collect();
            [Bound { parts, by: constant }, Bound { parts: opposite, by: -constant }]
        });
        strongest(&both.chain(self.bounds.iter().cloned()).collect::<Vec<_>>())
    }

    /// Drops what does not hold of values that are possible: something at least, since these contradict something.
    fn weaken(&mut self, values: &[i128]) {
        let count = self.bounds.len();
        self.bounds.retain(|bound| bound.holds(values));
        let joined = match &mut self.hull {
            Some(hull) => hull.join(values),
            None => Some(false),
        };
        if joined.is_none() {
            self.hull = None;
        }
        if joined == Some(false) && self.bounds.len() == count {
            *self = Facts::default();
        }
    }

    /// Drops what was not decided, or does not hold of values that are possible.
    fn undecided(&mut self, singly: &Singly) {
        // Of the equations those are kept that hold.
        self.bounds = self.assumed();
        self.hull = None;
        self.bounds.retain(|bound| singly.open.iter().all(|open| open.parts != bound.parts));
        for values in &singly.possible {
            self.bounds.retain(|bound| bound.holds(values));
        }
    }
}

/// What came of asking about candidates one by one.
struct Singly {
    /// What was not decided.
    open: Vec<Bound>,
    /// Values that are possible.
    possible: Vec<Vec<i128>>,
}

impl Edge {
    /// Those of some bounds at its end that follow, as far as linear constraints tell.
    fn implied(&mut self, bounds: &[(Bound, Vec<Number>)], wanted: &[&Bound], after: &[Number]) -> Vec<Bound> {
        if wanted.is_empty() {
            return Vec::new();
        }
        let conditions = self.relation.conditions.clone();
        let mut linear = linear(self, bounds, &conditions);
        let mut follows = |bound: &Bound| {
            let opposite = bound.opposite()?.form(&mut linear, after)?;
            Some(linear.excludes(&[opposite]))
        };
        wanted.iter().filter(|bound| follows(bound) == Some(true)).map(|&bound| bound.clone()).collect()
    }

    /// Asks about candidates at its end one by one. None if it took too much.
    fn undecided(&mut self, assumed: &[Term], after: &[Number], all: Vec<(Bound, Term)>) -> Option<Singly> {
        let mut singly = Singly { open: Vec::new(), possible: Vec::new() };
        for (bound, term) in all {
            let not = self.relation.terms.not(term);
            match self.possible(&[assumed, &[not]].concat()) {
                Answer::Unsat(_) => {}
                Answer::Sat(model) => singly.possible.push(self.values(&model, after)),
                Answer::Unknown => singly.open.push(bound),
            }
            if !self.spend(0) {
                return None;
            }
        }
        Some(singly)
    }
}

/// What an edge knows, where these bounds and conditions hold.
fn linear<'e>(edge: &'e mut Edge, bounds: &[(Bound, Vec<Number>)], conditions: &[Term]) -> Linear<'e> {
    let mut linear = Linear::of(edge);
    for (bound, numbers) in bounds {
        let form = bound.form(&mut linear, numbers);
        form.into_iter().for_each(|form| linear.know(form));
    }
    linear.know_conditions(conditions);
    linear
}

/// The fixpoint in the making.
pub(in super::super) struct Houdini<'a> {
    pub edges: &'a mut [Edge],
    graph: &'a Graph,
    facts: BTreeMap<About, Facts>,
    pub queries: usize,
}

impl<'a> Houdini<'a> {
    /// With candidates.
    pub fn new(edges: &'a mut [Edge], graph: &'a Graph, facts: BTreeMap<About, Facts>) -> Houdini<'a> {
        Houdini { edges, graph, facts, queries: 0 }
    }
}

impl Houdini<'_> {
    /// Drops what is not kept, until all is. None if it took too much: then nothing is known.
    pub fn settle(&mut self) -> Option<()> {
        let mut open: BTreeSet<usize> = (0..self.edges.len()).collect();
        while let Some(at) = open.pop_first() {
            let Some(about) = self.target(at) else { continue };
            if self.kept(at, &about)? {
                continue;
            }
            open.extend((0..self.edges.len()).filter(|&edge| match about {
                About::Place(node) => self.edges[edge].from == Some(node),
                About::Return(procedure) => self.edges[edge].passed.iter().any(|(callee, _)| *callee == procedure),
            }));
        }
        Some(())
    }

    fn target(&self, at: usize) -> Option<About> {
        let edge = &self.edges[at];
        match (edge.end, edge.from) {
            (End::Here(node) | End::Called(node), _) => Some(About::Place(node)),
            (End::Returns, from) => Some(About::Return(self.graph.nodes[from.unwrap_or(0)].procedure)),
            (End::Stops, _) => None,
        }
    }

    /// The bounds that an edge may assume, with the numbers of which they are.
    fn bounds(&self, at: usize) -> Vec<(Bound, Vec<Number>)> {
        let edge = &self.edges[at];
        let place = edge.from.and_then(|from| self.facts.get(&About::Place(from)));
        let before = place.map(Facts::assumed).unwrap_or_default();
        let before = before.into_iter().map(|bound| (bound, edge.before.clone()));
        let passed = edge.passed.iter().flat_map(|(callee, numbers)| {
            let bounds = self.facts.get(&About::Return(*callee)).map(Facts::assumed).unwrap_or_default();
            bounds.into_iter().map(|bound| (bound, numbers.clone()))
        });
        before.chain(passed).collect()
    }

    /// Whether something that would be wrong cannot be, as far as linear constraints tell.
    pub fn excludes(&mut self, at: usize, demanded: &Demanded) -> bool {
        let bounds = self.bounds(at);
        let edge = &mut self.edges[at];
        let conditions = edge.relation.conditions[..demanded.before].to_vec();
        linear(edge, &bounds, &conditions).excludes_condition(demanded.wrong)
    }

    /// What an edge may assume.
    pub fn assumed(&mut self, at: usize) -> Vec<Term> {
        let edge = &mut self.edges[at];
        let mut all = Vec::new();
        let place = edge.from.and_then(|from| self.facts.get(&About::Place(from)));
        let before = edge.before.clone();
        let bounds = place.map(Facts::assumed).unwrap_or_default();
        for bound in &bounds {
            if !is_implied(&bounds, bound) {
                all.extend(bound.term(edge, &before));
            }
            // What is equal can be replaced.
            if let Some((less, more)) = bound.difference()
                && bounds.contains(&Bound::apart(more, less, bound.by.saturating_neg()))
            {
                all.extend(edge.apart(before[less], before[more], bound.by));
            }
        }
        for (callee, numbers) in edge.passed.clone() {
            let bounds = self.facts.get(&About::Return(callee)).map(Facts::assumed).unwrap_or_default();
            for bound in bounds {
                all.extend(bound.term(edge, &numbers));
            }
        }
        all
    }

    /// Whether an edge keeps all that is assumed where it ends; what it does not keep is dropped.
    fn kept(&mut self, at: usize, about: &About) -> Option<bool> {
        let (assumed, bounds) = (self.assumed(at), self.bounds(at));
        let (mut kept, mut follow) = (true, Vec::new());
        loop {
            let Some(mut facts) = self.facts.remove(about) else { return Some(kept) };
            let edge = &mut self.edges[at];
            let after = edge.after.clone();
            let mut terms = Vec::new();
            let wanted = facts.assumed();
            let open: Vec<&Bound> =
                wanted.iter().filter(|bound| !follow.contains(*bound) && !is_implied(&wanted, bound)).collect();
            follow.extend(edge.implied(&bounds, &open, &after));
            for bound in open.into_iter().filter(|bound| !follow.contains(*bound)) {
                match bound.term(edge, &after) {
                    Some(term) => terms.push((bound, term)),
                    // What cannot be said is not known.
                    None => {
                        kept = false;
                        facts.bounds.retain(|other| other.parts != bound.parts);
                        facts.hull = None;
                    }
                }
            }
            if terms.is_empty() {
                self.facts.insert(about.clone(), facts);
                return Some(kept);
            }
            let all: Vec<Term> = terms.iter().map(|&(_, term)| term).collect();
            let all = edge.relation.terms.all(&all);
            let some_not = edge.relation.terms.not(all);
            let conditions = [&assumed[..], &[some_not]].concat();
            self.queries += 1;
            if !edge.spend(terms.len() as u64 / 20) {
                return None;
            }
            match edge.possible(&conditions) {
                Answer::Unsat(_) => {
                    self.facts.insert(about.clone(), facts);
                    return Some(kept);
                }
                Answer::Sat(model) => facts.weaken(&edge.values(&model, &after)),
                // Together they are too hard.
                Answer::Unknown => {
                    let singly = terms.iter().map(|&(bound, term)| (bound.clone(), term)).collect::<Vec<_>>();
                    self.queries += singly.len();
                    facts.undecided(&edge.undecided(&assumed, &after, singly)?);
                }
            }
            kept = false;
            self.facts.insert(about.clone(), facts);
        }
    }
}
