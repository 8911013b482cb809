//! The greatest inductive subset of candidates, for cut points and for returns: candidates are assumed, and those that some basic path does not keep are
//! dropped, until all that is left is kept (Flanagan and Leino, *Houdini, an annotation assistant for ESC/Java*, FME 2001). What is cut short
//! says nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::bitvec::{Answer, Term};
use crate::c::program::{Overflow, ProcedureId};
use crate::transition::graph::{End, Graph};
use crate::transition::path::Demanded;

use super::super::simplex::Form;
use super::bound::Bound;
use super::edge::{Edge, Number};
use super::fact::{Fact, Then, needed};
use super::facts::{Facts, Known, Singly};
use super::linear::Linear;

/// What is known, or still assumed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum About {
    /// Values at a cut point.
    Place(usize),
    /// Returns: of what formals were, and the result.
    Return(ProcedureId),
}

impl Edge {
    /// Those of some facts at its end that follow, as far as linear constraints tell.
    fn implied(&mut self, known: &[Known], wanted: &[&Fact], after: &[Number]) -> Vec<Fact> {
        if wanted.is_empty() {
            return Vec::new();
        }
        let conditions = self.relation.conditions.clone();
        let mut linear = linear(self, known, &conditions);
        let mut follows = |fact: &Fact| {
            let Then::Bound(bound) = &fact.then else { return None };
            let mut forms = vec![bound.opposite()?.form(&mut linear, after)?];
            for bound in &fact.when {
                forms.push(bound.form(&mut linear, after)?);
            }
            Some(linear.excludes(&forms))
        };
        wanted.iter().filter(|fact| follows(fact) == Some(true)).map(|&fact| fact.clone()).collect()
    }

    /// Asks about candidates at its end one by one. None if it took too much.
    fn singly(&mut self, assumed: &[Term], after: &[Number], all: Vec<(Fact, Term)>) -> Option<Singly> {
        let mut singly = Singly::default();
        for (fact, term) in all {
            let not = self.relation.terms.not(term);
            match self.possible(&[assumed, &[not]].concat()) {
                Answer::Unsat(_) => singly.kept.push(fact),
                Answer::Sat(model) => singly.possible.push(self.values(&model, after)),
                Answer::Unknown => singly.open.push(fact),
            }
            if !self.spend(0) {
                return None;
            }
        }
        Some(singly)
    }

    /// Whether a fact is about numbers that are at its end what they are at its beginning.
    fn leaves(&self, fact: &Fact) -> bool {
        fact.numbers().all(|at| match (self.before.get(at), self.after.get(at)) {
            (Some(before), Some(after)) => (before.term, before.signed) == (after.term, after.signed),
            _ => false,
        })
    }
}

/// What an edge knows, where these facts and conditions hold.
fn linear<'e>(edge: &'e mut Edge, known: &[Known], conditions: &[Term]) -> Linear<'e> {
    let mut linear = Linear::of(edge);
    for (fact, numbers) in known {
        let Then::Bound(bound) = &fact.then else { continue };
        let when: Option<Vec<Form>> = fact.when.iter().map(|bound| bound.form(&mut linear, numbers)).collect();
        let (Some(when), Some(form)) = (when, bound.form(&mut linear, numbers)) else { continue };
        match when.is_empty() {
            true => linear.know(form),
            false => linear.know_where(when, form),
        }
    }
    linear.know_conditions(conditions);
    linear.apply();
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

    /// What is left of them.
    pub fn into_facts(self) -> BTreeMap<About, Facts> {
        self.facts
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
                About::Place(node) => {
                    let edge = &self.edges[edge];
                    edge.from == Some(node) || edge.between.as_ref().is_some_and(|&(between, _)| between == node)
                }
                About::Return(procedure) => self.edges[edge].passed.iter().any(|(callee, _)| *callee == procedure),
            }));
        }
        Some(())
    }

    fn target(&self, at: usize) -> Option<About> {
        let edge = &self.edges[at];
        let last = edge.between.as_ref().map(|&(between, _)| between).or(edge.from);
        match (edge.end, last) {
            (End::Here(node) | End::Called(node), _) => Some(About::Place(node)),
            (End::Returns, from) => Some(About::Return(self.graph.nodes[from.unwrap_or(0)].procedure)),
            (End::Stops, _) => None,
        }
    }

    /// What an edge may assume: of the place where it begins, of calls that returned, and of cells that are read.
    fn known(&self, at: usize) -> Vec<Known> {
        let edge = &self.edges[at];
        let mut all = Vec::new();
        if let Some(facts) = edge.from.and_then(|from| self.facts.get(&About::Place(from))) {
            let assumed = facts.assumed();
            for numbers in &edge.read {
                // The others say the same of each cell.
                let about = assumed.iter().filter(|fact| fact.numbers().any(|at| at >= edge.ghosts));
                all.extend(about.map(|fact| (fact.clone(), numbers.clone())));
            }
            let before: Rc<[Number]> = edge.before.clone().into();
            all.extend(assumed.into_iter().map(|fact| (fact, before.clone())));
        }
        if let Some((between, all_numbers)) = &edge.between {
            let facts = self.facts.get(&About::Place(*between)).map(Facts::assumed).unwrap_or_default();
            for numbers in all_numbers {
                all.extend(facts.iter().map(|fact| (fact.clone(), numbers.clone())));
            }
        }
        for (callee, numbers) in &edge.passed {
            let facts = self.facts.get(&About::Return(*callee)).map(Facts::assumed).unwrap_or_default();
            let numbers: Rc<[Number]> = numbers.clone().into();
            all.extend(facts.into_iter().map(|fact| (fact, numbers.clone())));
        }
        all
    }

    /// Whether something that would be wrong cannot be, as far as linear constraints tell.
    pub fn excludes(&mut self, at: usize, demanded: &Demanded) -> bool {
        let known = self.known(at);
        let edge = &mut self.edges[at];
        let conditions = edge.relation.conditions[..demanded.before].to_vec();
        linear(edge, &known, &conditions).excludes_condition(demanded.wrong)
    }

    /// What an edge may assume, as terms.
    pub fn assumed(&mut self, at: usize) -> Vec<Term> {
        let known = self.known(at);
        let edge = &mut self.edges[at];
        let mut all = Vec::new();
        // What is known of the same numbers stands together.
        for group in known.chunk_by(|(_, some), (_, more)| Rc::ptr_eq(some, more)) {
            let facts: Vec<Fact> = group.iter().map(|(fact, _)| fact.clone()).collect();
            let numbers = &group[0].1;
            all.extend(needed(&facts).into_iter().filter_map(|fact| fact.term(edge, numbers)));
            let bounds: BTreeSet<&Bound> = facts.iter().filter_map(Fact::always).collect();
            for bound in &bounds {
                // What is equal can be replaced.
                if let Some((less, more)) = bound.difference()
                    && bounds.contains(&Bound::apart(more, less, bound.by.saturating_neg()))
                {
                    all.extend(edge.apart(numbers[less], numbers[more], bound.by));
                }
            }
        }
        all
    }

    /// Adds what is assumed to what edges know, once all of it is kept.
    pub fn learn(&mut self) {
        for at in 0..self.edges.len() {
            let known = self.assumed(at);
            self.edges[at].learn(known);
        }
    }

    /// What of some facts does not plainly hold at the end of an edge.
    fn open<'f>(&self, at: usize, wanted: &'f [Fact]) -> Vec<&'f Fact> {
        let edge = &self.edges[at];
        let here = matches!(edge.end, End::Here(_));
        let before = edge.from.filter(|_| here).and_then(|from| self.facts.get(&About::Place(from)));
        // Where it ends where it began, all is assumed that is wanted.
        let same = here && edge.from == edge.end.node();
        let before: BTreeSet<Fact> = before.map(Facts::assumed).unwrap_or_default().into_iter().collect();
        let stays = |fact: &Fact| (same || before.contains(fact)) && edge.leaves(fact);
        needed(wanted).into_iter().filter(|fact| !stays(fact)).collect()
    }

    /// Whether an edge keeps all that is assumed where it ends; what it does not keep is dropped.
    fn kept(&mut self, at: usize, about: &About) -> Option<bool> {
        let (assumed, known) = (self.assumed(at), self.known(at));
        let (mut kept, mut asked, mut follow) = (true, BTreeSet::new(), BTreeSet::new());
        loop {
            let Some(facts) = self.facts.get(about) else { return Some(kept) };
            let wanted = facts.assumed();
            let open: Vec<&Fact> = self.open(at, &wanted);
            let edge = &mut self.edges[at];
            let after = edge.after.clone();
            let new: Vec<&Fact> = open.iter().copied().filter(|&fact| asked.insert(fact.clone())).collect();
            follow.extend(edge.implied(&known, &new, &after));
            let (mut terms, mut unsaid) = (Vec::new(), Vec::new());
            for &fact in open.iter().filter(|&&fact| !follow.contains(fact)) {
                match fact.term(edge, &after) {
                    Some(term) => terms.push((fact.clone(), term)),
                    None => unsaid.push(fact),
                }
            }
            let Some(facts) = self.facts.get_mut(about) else { return Some(kept) };
            // What cannot be said is not known.
            unsaid.iter().for_each(|fact| facts.without(fact));
            kept &= unsaid.is_empty();
            if terms.is_empty() {
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
                Answer::Unsat(_) => return Some(kept),
                Answer::Sat(model) => facts.weaken(&edge.values(&model, &after)),
                // Together they are too hard.
                Answer::Unknown => {
                    self.queries += terms.len();
                    let singly = edge.singly(&assumed, &after, terms)?;
                    facts.undecided(&singly);
                    follow.extend(singly.kept);
                }
            }
            kept = false;
        }
    }

    /// What is known of each number, as terms: nothing is left out, and nothing is normalised.
    fn assumed_plainly(&mut self, at: usize) -> Option<Vec<Term>> {
        self.edges[at].partial = true;
        let known = self.known(at);
        let edge = &mut self.edges[at];
        known.iter().map(|(fact, numbers)| fact.term(edge, numbers)).collect()
    }

    /// Whether an edge keeps each fact at its end, asked one by one of bit-vectors. None if that is not known.
    pub fn is_kept_plainly(&mut self, at: usize) -> Option<bool> {
        let Some(about) = self.target(at) else { return Some(true) };
        let assumed = self.assumed_plainly(at)?;
        let wanted = self.facts.get(&about).map(Facts::assumed).unwrap_or_default();
        let edge = &mut self.edges[at];
        let after = edge.after.clone();
        for fact in &wanted {
            let term = fact.term(edge, &after)?;
            let not = edge.relation.terms.not(term);
            match edge.possible(&[&assumed[..], &[not]].concat()) {
                Answer::Unsat(_) => {}
                Answer::Sat(_) => return Some(false),
                Answer::Unknown => return None,
            }
        }
        Some(true)
    }

    /// Whether no failure is possible on an edge, asked of bit-vectors. None if that is not known.
    pub fn excludes_plainly(&mut self, at: usize, overflow: Overflow) -> Option<bool> {
        let assumed = self.assumed_plainly(at)?;
        let demanded = self.edges[at].relation.demanded.clone();
        for demanded in demanded.iter().filter(|one| one.kind.is_none_or(|kind| kind.fails(overflow))) {
            match self.edges[at].wrong(demanded, &assumed) {
                Answer::Unsat(_) => {}
                Answer::Sat(_) => return Some(false),
                Answer::Unknown => return None,
            }
        }
        Some(true)
    }
}
