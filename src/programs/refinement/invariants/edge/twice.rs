//! Two ways, one after the other, as one: what one step does not keep, two may, where it holds at both places before (Sheeran, Singh and
//! Stålmarck, *Checking safety properties using induction and a SAT-solver*, FMCAD 2000). The ways that follow the beginning of the program are
//! the base.

use std::collections::BTreeMap;

use crate::bitvec::{Node as Made, Replacement, Solver, Term};
use crate::transition::path::{Demanded, PathRelation};

use super::{Edge, Number};

/// Each way behind each one that ends where it begins, and the beginning of the program; none if those are more than so many.
pub(in super::super) fn twice(edges: &[Edge], most: usize) -> Option<Vec<Edge>> {
    let behind = |second: &Edge| edges.iter().filter(|first| first.end.node() == second.from).count();
    let count: usize = edges.iter().filter(|second| second.from.is_some()).map(behind).sum();
    if count > most {
        return None;
    }
    let mut all = Vec::new();
    for second in edges {
        match second.from {
            None => all.push(second.alone()),
            Some(place) => {
                let first = edges.iter().filter(|first| first.end.node() == Some(place));
                all.extend(first.map(|first| first.then(place, second)));
            }
        }
    }
    Some(all)
}

impl Edge {
    /// A copy with a solver of its own, which is no part of two.
    pub(super) fn alone(&self) -> Edge {
        Edge {
            path: self.path,
            from: self.from,
            between: None,
            end: self.end,
            before: self.before.clone(),
            read: self.read.clone(),
            ghosts: self.ghosts,
            after: self.after.clone(),
            passed: self.passed.clone(),
            relation: self.relation.clone(),
            known: self.known.clone(),
            bounds: self.bounds.clone(),
            work: self.work.clone(),
            solver: Solver::new(&self.bounds),
            partial: false,
            sums: BTreeMap::new(),
        }
    }

    /// This way, and then another one that begins at that place, where this one ends. What is in memory there is the same as far as it is in
    /// numbers; the rest is arbitrary.
    fn then(&self, place: usize, second: &Edge) -> Edge {
        let mut all = self.alone();
        let (mut by, mut same) = (Replacement::default(), Vec::new());
        let fits = second.before.len() == self.after.len();
        for (before, after) in second.before.iter().zip(&self.after).filter(|_| fits) {
            if second.relation.terms.width(before.term) != self.relation.terms.width(after.term) {
                continue;
            }
            match second.relation.terms.node(before.term) {
                Made::Variable(_) if !by.contains_key(&before.term) => drop(by.insert(before.term, after.term)),
                _ => same.push((before.term, after.term)),
            }
        }
        let mut other = Other { relation: &mut all.relation, second, by };
        let mut more: Vec<Term> = Vec::new();
        for (here, there) in same {
            let here = other.term(here);
            more.push(other.relation.terms.eq(here, there));
        }
        let demanded: Vec<Demanded> = (second.relation.demanded.iter())
            .map(|one| Demanded { wrong: other.term(one.wrong), before: one.before + more.len(), ..*one })
            .collect();
        more.extend(other.terms(&second.relation.conditions));
        let facts = other.terms(&[&second.relation.facts[..], &second.known].concat());
        let (after, begins) = (other.numbers(&second.after), other.numbers(&second.before));
        let read = second.read.iter().map(|numbers| other.numbers(numbers).into());
        let between = [begins.into()].into_iter().chain(read).collect();
        let passed: Vec<_> = second.passed.iter().map(|(callee, numbers)| (*callee, other.numbers(numbers))).collect();
        let begun = all.relation.conditions.len();
        all.relation.demanded = demanded;
        all.relation.demanded.iter_mut().for_each(|one| one.before += begun);
        all.relation.conditions.extend(more);
        all.relation.facts.extend(facts);
        all.passed.extend(passed);
        Edge { path: second.path, between: Some((place, between)), end: second.end, after, ..all }
    }
}

/// A way whose terms become those of another relation.
struct Other<'e> {
    relation: &'e mut PathRelation,
    second: &'e Edge,
    by: Replacement,
}

impl Other<'_> {
    fn term(&mut self, term: Term) -> Term {
        self.relation.imported(&self.second.relation.terms, term, &mut self.by)
    }

    fn terms(&mut self, terms: &[Term]) -> Vec<Term> {
        terms.iter().map(|&term| self.term(term)).collect()
    }

    fn numbers(&mut self, numbers: &[Number]) -> Vec<Number> {
        numbers.iter().map(|&number| Number { term: self.term(number.term), ..number }).collect()
    }
}
