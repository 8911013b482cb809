//! Values that are likely to matter, tried before a solver is asked: what conditions can be together is found mostly at small
//! values, at the constants that occur, next to each other and at the ends of the range; and near values that showed something new.
//!
//! Deterministic: the same terms give the same samples.

use hashbrown::{HashMap, HashSet};
use rustc_hash::FxBuildHasher;

use super::evaluate::operation;
use super::term::{Node, Term, Terms};
use super::value::{mask, signed_maximum, signed_minimum};

/// Samples in a row that show nothing new, after which it is enough.
const PATIENCE: usize = 300;

/// The same around values that a solver found.
const AROUND: usize = 40;

/// The combinations of truth values of some conditions that samples show, each once.
pub(super) struct Combinations {
    sampler: Sampler,
    seen: HashSet<Vec<bool>, FxBuildHasher>,
}

impl Combinations {
    /// None yet, of conditions where a context holds.
    pub fn new(terms: &Terms, conditions: &[Term], context: &[Term]) -> Combinations {
        Combinations { sampler: Sampler::new(terms, conditions, context), seen: HashSet::default() }
    }

    /// More of them, no more than so many.
    pub fn more(&mut self, terms: &Terms, most: usize) -> Vec<Vec<bool>> {
        self.until(terms, most, PATIENCE)
    }

    /// Those near a model, which is one of them.
    pub fn around(&mut self, terms: &Terms, model: &dyn Fn(u32) -> u128, most: usize) -> Vec<Vec<bool>> {
        self.sampler.set(terms, model);
        let mut found: Vec<Vec<bool>> = self.new_one(terms).into_iter().collect();
        found.extend(self.until(terms, most, AROUND));
        found
    }

    fn until(&mut self, terms: &Terms, most: usize, patience: usize) -> Vec<Vec<bool>> {
        let mut found = Vec::new();
        let mut idle = 0;
        while idle < patience && found.len() < most {
            idle += 1;
            self.sampler.draw_all();
            if let Some(combination) = self.new_one(terms) {
                found.push(combination);
                idle = 0;
            }
        }
        found
    }

    /// The combination of the present values, if it is new.
    fn new_one(&mut self, terms: &Terms) -> Option<Vec<bool>> {
        let combination = self.sampler.evaluated(terms)?;
        self.seen.insert(combination.clone()).then(|| {
            self.sampler.keep();
            combination
        })
    }
}

/// Tries for a single conjunction: more would cost what the solver does.
const TRIES: usize = 24;

/// Values of variables under which these conditions all hold, if a few tries show some.
pub(super) fn witness(terms: &Terms, conditions: &[Term]) -> Option<Vec<(u32, u128)>> {
    let mut sampler = Sampler::new(terms, &[], conditions);
    (0..TRIES).find_map(|_| {
        sampler.draw_all();
        sampler.evaluated(terms)
    })?;
    Some(sampler.assignment(terms))
}

/// The most samples that are remembered as good ones.
const POOL: usize = 64;

/// All terms below some conditions, with the values of one sample.
struct Sampler {
    order: Vec<Term>,
    /// The operands of each term, and where their values are.
    operands: Vec<Vec<(Term, usize)>>,
    values: Vec<u128>,
    variables: Vec<(usize, u8)>,
    interesting: Vec<u128>,
    conditions: Vec<usize>,
    context: Vec<usize>,
    random: u64,
    /// Values of variables that showed something.
    pool: Vec<Vec<u128>>,
    kept: usize,
}

impl Sampler {
    fn new(terms: &Terms, conditions: &[Term], context: &[Term]) -> Sampler {
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
        let placed = |term: &Term| {
            let mut operands = Vec::new();
            terms.operands(*term, |operand| operands.push((operand, slots[&operand])));
            operands
        };
        let operands = order.iter().map(placed).collect();
        let values = vec![0; order.len()];
        let (pool, random, kept) = (Vec::new(), 1, 0);
        Sampler { order, operands, values, variables, interesting, conditions, context, random, pool, kept }
    }

    /// The values of the variables in the present sample.
    fn assignment(&self, terms: &Terms) -> Vec<(u32, u128)> {
        let value = |&(slot, _): &(usize, u8)| match terms.node(self.order[slot]) {
            Node::Variable(number) => Some((*number, self.values[slot])),
            _ => None,
        };
        self.variables.iter().filter_map(value).collect()
    }

    /// Takes these values of variables.
    fn set(&mut self, terms: &Terms, model: &dyn Fn(u32) -> u128) {
        for &(slot, width) in &self.variables {
            if let Node::Variable(number) = terms.node(self.order[slot]) {
                self.values[slot] = model(*number) & mask(width);
            }
        }
    }

    /// The present sample is a good one.
    fn keep(&mut self) {
        let values = self.variables.iter().map(|&(slot, _)| self.values[slot]).collect();
        if self.pool.len() < POOL {
            self.pool.push(values);
        } else {
            self.pool[self.kept % POOL] = values;
        }
        self.kept += 1;
    }

    /// Marsaglia's xorshift.
    fn draw(&mut self, below: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random % below.max(1) as u64) as usize
    }

    /// One more sample: all values anew, or one or two of a good one.
    fn draw_all(&mut self) {
        if self.pool.is_empty() || self.draw(4) == 0 {
            (0..self.variables.len()).for_each(|at| self.draw_one(at));
            return;
        }
        let chosen = self.draw(self.pool.len());
        for (&(slot, _), &value) in self.variables.iter().zip(&self.pool[chosen]) {
            self.values[slot] = value;
        }
        for _ in 0..=self.draw(2) {
            let at = self.draw(self.variables.len());
            if at < self.variables.len() {
                self.draw_one(at);
            }
        }
    }

    fn draw_one(&mut self, at: usize) {
        let (slot, width) = self.variables[at];
        let other = self.draw(self.variables.len());
        let (other, chosen) = (self.variables[other].0, self.draw(self.interesting.len()));
        let value = match self.draw(8) {
            0..2 => self.interesting[chosen],
            2..4 => self.values[other].wrapping_add(self.draw(3) as u128).wrapping_sub(1),
            4 => self.values[other].wrapping_add(self.interesting[chosen]),
            5 => (self.draw(1 << 20) as u128) << 20 | self.draw(1 << 20) as u128,
            6 => self.draw(16) as u128,
            _ => self.values[slot],
        };
        self.values[slot] = value & mask(width);
    }

    /// The truth values at the present sample, if the context holds there.
    fn evaluated(&mut self, terms: &Terms) -> Option<Vec<bool>> {
        for at in 0..self.order.len() {
            let term = self.order[at];
            if !matches!(terms.node(term), Node::Variable(_)) {
                // A term has few operands: looking through them is faster than hashing.
                let operands = &self.operands[at];
                let of = |operand| operands.iter().find(|(known, _)| *known == operand).map_or(0, |&(_, slot)| slot);
                self.values[at] = operation(terms, term, |operand| self.values[of(operand)]);
            }
        }
        let holds = self.context.iter().all(|&slot| self.values[slot] == 1);
        holds.then(|| self.conditions.iter().map(|&slot| self.values[slot] == 1).collect())
    }
}
