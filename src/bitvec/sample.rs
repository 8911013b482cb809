//! Values that are likely to matter, tried before a solver is asked: what conditions can be together is found mostly at small
//! values, at the constants that occur, next to each other and at the ends of the range.
//!
//! Deterministic: the same terms give the same samples.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::evaluate::operation;
use super::term::{Node, Term, Terms};
use super::value::{mask, signed_maximum, signed_minimum};

/// Samples in a row that show nothing new, after which it is enough.
const PATIENCE: usize = 300;

/// The combinations of truth values of the conditions that samples show, each once.
pub(super) fn combinations(terms: &Terms, conditions: &[Term], context: &[Term]) -> Vec<Vec<bool>> {
    let mut sampler = Sampler::new(terms, conditions, context);
    let mut seen = hashbrown::HashSet::<Vec<bool>, FxBuildHasher>::default();
    let mut found = Vec::new();
    let mut idle = 0;
    while idle < PATIENCE {
        idle += 1;
        if let Some(combination) = sampler.next()
            && seen.insert(combination.clone())
        {
            found.push(combination);
            idle = 0;
        }
    }
    found
}

/// Tries for a single conjunction: more would cost what the solver does.
const TRIES: usize = 24;

/// Values of variables under which these conditions all hold, if a few tries show some.
pub(super) fn witness(terms: &Terms, conditions: &[Term]) -> Option<Vec<(u32, u128)>> {
    let mut sampler = Sampler::new(terms, &[], conditions);
    (0..TRIES).find_map(|_| sampler.next())?;
    let value = |&(slot, _): &(usize, u8)| match terms.node(sampler.order[slot]) {
        Node::Variable(number) => Some((*number, sampler.values[slot])),
        _ => None,
    };
    Some(sampler.variables.iter().filter_map(value).collect())
}

/// All terms below some conditions, with the values of one sample.
struct Sampler<'a> {
    terms: &'a Terms,
    order: Vec<Term>,
    slots: HashMap<Term, usize, FxBuildHasher>,
    values: Vec<u128>,
    variables: Vec<(usize, u8)>,
    interesting: Vec<u128>,
    conditions: Vec<usize>,
    context: Vec<usize>,
    random: u64,
}

impl<'a> Sampler<'a> {
    fn new(terms: &'a Terms, conditions: &[Term], context: &[Term]) -> Sampler<'a> {
        let order = terms.postorder(&[conditions, context].concat(), |_| true);
        let slots: HashMap<Term, usize, FxBuildHasher> =
            order.iter().enumerate().map(|(at, &term)| (term, at)).collect();
        let (mut variables, mut interesting) = (Vec::new(), vec![0, 1, u128::MAX]);
        for (at, &term) in order.iter().enumerate() {
            let width = terms.width(term);
            match terms.node(term) {
                Node::Variable(_) => {
                    variables.push((at, width));
                    interesting.extend([signed_maximum(width), signed_minimum(width)]);
                }
                Node::Constant(value) | Node::Sum(_, value) if width > 1 => {
                    interesting.extend([value.wrapping_sub(1), *value, value.wrapping_add(1), value.wrapping_neg()]);
                }
                _ => {}
            }
        }
        interesting.sort_unstable();
        interesting.dedup();
        let slot = |term: &Term| slots[term];
        let (conditions, context) = (conditions.iter().map(slot).collect(), context.iter().map(slot).collect());
        let values = vec![0; order.len()];
        Sampler { terms, order, values, variables, interesting, conditions, context, random: 1, slots }
    }

    /// Marsaglia's xorshift.
    fn draw(&mut self, below: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random % below.max(1) as u64) as usize
    }

    /// The truth values at one more sample, if the context holds there.
    fn next(&mut self) -> Option<Vec<bool>> {
        for at in 0..self.variables.len() {
            let (slot, width) = self.variables[at];
            let other = self.draw(self.variables.len());
            let (other, chosen) = (self.variables[other].0, self.draw(self.interesting.len()));
            let value = match self.draw(8) {
                0..3 => self.interesting[chosen],
                3..5 => self.values[other].wrapping_add(self.draw(3) as u128).wrapping_sub(1),
                5 => (self.draw(1 << 20) as u128) << 20 | self.draw(1 << 20) as u128,
                6 => self.draw(16) as u128,
                _ => self.values[slot],
            };
            self.values[slot] = value & mask(width);
        }
        for at in 0..self.order.len() {
            let term = self.order[at];
            if !matches!(self.terms.node(term), Node::Variable(_)) {
                self.values[at] = operation(self.terms, term, |operand| self.values[self.slots[&operand]]);
            }
        }
        let holds = self.context.iter().all(|&slot| self.values[slot] == 1);
        holds.then(|| self.conditions.iter().map(|&slot| self.values[slot] == 1).collect())
    }
}
