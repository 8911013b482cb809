//! Ranking functions that wrap around: a variable, or a difference of two, as it is in its type and without a sign, and a constant. It has finitely
//! many values. So `while (i != n) i++;` ends whatever the two are, and `do … while (--n > 0);` even where `n` is 0 at first.

use std::collections::BTreeSet;

use crate::bitvec::value::unsigned;
use crate::bitvec::{Answer, Term};

use super::super::invariants::edge::{Edge, Number};

/// Of more variables that change, differences are not looked at.
const PAIRED: usize = 8;

/// What is added.
const CONSTANTS: [i128; 3] = [0, -1, 1];

/// A sum of variables with factors, and a constant.
#[derive(Clone, Debug)]
struct Wrapped {
    parts: Vec<(usize, i128)>,
    constant: i128,
}

impl Wrapped {
    fn term(&self, edge: &mut Edge, after: bool) -> Option<Term> {
        let numbers = if after { &edge.after } else { &edge.before };
        let numbers: Vec<Number> = self.parts.iter().map(|&(at, _)| numbers.get(at).copied()).collect::<Option<_>>()?;
        let terms = &mut edge.relation.terms;
        let width = terms.width(numbers.first()?.term);
        if numbers.iter().any(|number| terms.width(number.term) != width) {
            return None;
        }
        let factors = self.parts.iter().map(|&(_, factor)| unsigned(factor, width));
        let parts: Vec<(Term, u128)> = numbers.iter().map(|number| number.term).zip(factors).collect();
        Some(terms.linear(&parts, unsigned(self.constant, width)))
    }
}

/// Edges of a component on which such a function falls that rises on none; and how many implications say so. All its places have
/// so many variables, which are the same ones.
pub(super) fn falling(edges: &mut [Edge], component: &[usize], variables: usize) -> (BTreeSet<usize>, usize) {
    let mut candidates = candidates(edges, component, variables);
    while let Some(candidate) = candidates.pop() {
        let mut falls = BTreeSet::new();
        let mut rises = false;
        for &at in component {
            let edge = &mut edges[at];
            let (Some(before), Some(after)) = (candidate.term(edge, false), candidate.term(edge, true)) else {
                rises = true;
                break;
            };
            let terms = &mut edge.relation.terms;
            let (rise, stay) = (terms.ult(before, after), terms.ule(before, after));
            if edge.possible(&[stay]).is_unsat() {
                falls.insert(at);
                continue;
            }
            match edge.possible(&[rise]) {
                Answer::Unsat(_) => {}
                Answer::Sat(model) => {
                    candidates.retain(|other| {
                        let terms = (other.term(edge, false), other.term(edge, true));
                        let (Some(before), Some(after)) = terms else { return false };
                        let rise = edge.relation.terms.ult(before, after);
                        !model.truths(&edge.relation.terms, &[rise])[0]
                    });
                    rises = true;
                }
                Answer::Unknown => rises = true,
            }
            if rises {
                break;
            }
        }
        if !rises && !falls.is_empty() {
            return (falls, component.len());
        }
    }
    (BTreeSet::new(), 0)
}

/// The simplest ones are last.
fn candidates(edges: &[Edge], component: &[usize], variables: usize) -> Vec<Wrapped> {
    let changes = |at: usize| {
        component.iter().any(|&edge| {
            let (before, after) = (edges[edge].before.get(at), edges[edge].after.get(at));
            before.map(|number| number.term) != after.map(|number| number.term)
        })
    };
    let changing: Vec<usize> = (0..variables).filter(|&at| changes(at)).collect();
    let mut all: Vec<Vec<(usize, i128)>> = changing.iter().flat_map(|&at| [1, -1].map(|by| vec![(at, by)])).collect();
    if changing.len() <= PAIRED {
        let pairs = changing.iter().flat_map(|&a| (0..variables).filter(move |&b| b != a).map(move |b| (a, b)));
        all.extend(pairs.flat_map(|(a, b)| [1, -1].map(|by| vec![(a, by), (b, -by)])));
    }
    let with = |parts: Vec<(usize, i128)>| CONSTANTS.map(|constant| Wrapped { parts: parts.clone(), constant });
    let mut all: Vec<Wrapped> = all.into_iter().flat_map(with).collect();
    all.reverse();
    all
}
