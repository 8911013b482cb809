//! Linear equalities substituted before anything is searched: of a conjunction, each equality c·x + p = 0 with odd c, and x not in p,
//! defines x, and is used up; so do conditions that are a variable, or its negation.
//!
//! Each literal remembers the definitions that it was rewritten by, so that what contradicts says which literals it took.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::substitute::Replacement;
use super::term::{Node, Term, Terms};
use super::value::Operator;
use super::value::mask;

/// A literal as it now is.
#[derive(Clone, Debug)]
pub(super) struct Reduced {
    /// What is left of it.
    pub term: Term,
    /// Which literal it was.
    literal: usize,
    /// The definitions that were put into it.
    used: Vec<usize>,
}

#[derive(Debug)]
struct Definition {
    variable: u32,
    value: Term,
    literal: usize,
    used: Vec<usize>,
}

/// What is left of a conjunction.
#[derive(Debug, Default)]
pub(super) struct Elimination {
    /// Literals in which no defined variable occurs.
    pub left: Vec<Reduced>,
    definitions: Vec<Definition>,
    of_variable: HashMap<u32, usize, FxBuildHasher>,
}

impl Elimination {
    /// Eliminates what it can.
    ///
    /// # Errors
    /// The literals, sorted, that contradict each other, if this shows it.
    pub fn new(terms: &mut Terms, literals: &[Term]) -> Result<Elimination, Vec<usize>> {
        let mut this = Elimination::default();
        let mut pending: Vec<Reduced> = literals
            .iter()
            .enumerate()
            .map(|(literal, &term)| Reduced { term, literal, used: Vec::new() })
            .rev()
            .collect();
        loop {
            let before = this.definitions.len();
            while let Some(mut item) = pending.pop() {
                this.rewrite(terms, &mut item);
                if let &Node::Binary(Operator::And, a, b) = terms.node(item.term) {
                    pending.push(Reduced { term: b, ..item.clone() });
                    pending.push(Reduced { term: a, ..item });
                } else if let Some(value) = terms.as_constant(item.term) {
                    if value == 0 {
                        return Err(this.origins([&item]));
                    }
                } else if let Some((variable, value)) = solved(terms, item.term) {
                    this.of_variable.insert(variable, this.definitions.len());
                    this.definitions.push(Definition { variable, value, literal: item.literal, used: item.used });
                } else {
                    this.left.push(item);
                }
            }
            if this.definitions.len() == before {
                return Ok(this);
            }
            pending = std::mem::take(&mut this.left);
            pending.reverse();
        }
    }

    /// Puts definitions in until no defined variable is left.
    fn rewrite(&self, terms: &mut Terms, item: &mut Reduced) {
        while !self.definitions.is_empty() {
            let defined: Vec<usize> = terms
                .variables(&[item.term])
                .iter()
                .filter_map(|number| self.of_variable.get(number).copied())
                .collect();
            if defined.is_empty() {
                return;
            }
            let mut by = Replacement::default();
            for &index in &defined {
                let definition = &self.definitions[index];
                let variable = terms.variable(definition.variable, terms.width(definition.value));
                by.insert(variable, definition.value);
            }
            item.term = terms.substitute(item.term, &mut by);
            item.used.extend(defined);
        }
    }

    /// The literals that some reduced ones came from, sorted.
    pub fn origins<'a>(&self, items: impl IntoIterator<Item = &'a Reduced>) -> Vec<usize> {
        let mut literals = Vec::new();
        let mut seen = vec![false; self.definitions.len()];
        let mut stack = Vec::new();
        for item in items {
            literals.push(item.literal);
            stack.extend_from_slice(&item.used);
        }
        while let Some(index) = stack.pop() {
            if !std::mem::replace(&mut seen[index], true) {
                literals.push(self.definitions[index].literal);
                stack.extend_from_slice(&self.definitions[index].used);
            }
        }
        literals.sort_unstable();
        literals.dedup();
        literals
    }

    /// The defined variables with their values, in an order in which each value mentions only what came before or is not defined.
    pub fn definitions(&self) -> impl Iterator<Item = (u32, Term)> {
        self.definitions.iter().rev().map(|definition| (definition.variable, definition.value))
    }
}

/// The variable that a condition defines, and its value.
fn solved(terms: &mut Terms, condition: Term) -> Option<(u32, Term)> {
    match *terms.node(condition) {
        Node::Variable(number) => Some((number, terms.truth(true))),
        Node::Not(of) => match *terms.node(of) {
            Node::Variable(number) => Some((number, terms.truth(false))),
            _ => None,
        },
        Node::Binary(Operator::Eq, a, b) => solved_equality(terms, a, b),
        _ => None,
    }
}

fn solved_equality(terms: &mut Terms, a: Term, b: Term) -> Option<(u32, Term)> {
    let width = terms.width(a);
    let sum = terms.polynomial(a).plus(&terms.polynomial(b), mask(width), width);
    let parts = &sum.parts;
    let (chosen, number, factor) = parts.iter().enumerate().find_map(|(at, &(term, factor))| {
        let &Node::Variable(number) = terms.node(term) else { return None };
        let alone = parts.iter().enumerate().all(|(other, &(part, _))| {
            other == at || matches!(terms.node(part), Node::Variable(_)) || !terms.variables(&[part]).contains(&number)
        });
        (factor & 1 == 1 && alone).then_some((at, number, factor))
    })?;
    let by = inverse(factor).wrapping_neg() & mask(width);
    let rest: Vec<_> = parts
        .iter()
        .enumerate()
        .filter(|&(at, _)| at != chosen)
        .map(|(_, &(term, f))| (term, f.wrapping_mul(by)))
        .collect();
    let constant = sum.constant.wrapping_mul(by);
    let value = if rest.is_empty() { terms.constant(constant, width) } else { terms.linear(&rest, constant) };
    Some((number, value))
}

/// The inverse of an odd number modulo 2¹²⁸, by Newton's iteration: each round doubles the bits that are right.
fn inverse(odd: u128) -> u128 {
    let mut inverse = odd;
    for _ in 0..6 {
        inverse = inverse.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(inverse)));
    }
    inverse
}
