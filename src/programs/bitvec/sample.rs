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
const MAX_IDLE_SAMPLES: usize = 300;

/// The same around values that a solver found.
const AROUND: usize = 40;

/// The combinations of truth values of some conditions that samples show, each once.
pub(super) struct Combinations {
    sampler: Sampler,
    seen: HashSet<Vec<bool>, FxBuildHasher>,
    /// The last one that was looked at.
    combination: Vec<bool>,
}

impl Combinations {
    /// None yet, of conditions where a context holds.
    pub fn new(terms: &Terms, conditions: &[Term], context: &[Term]) -> Combinations {
        let sampler = Sampler::new(terms, conditions, context);
        Combinations { sampler, seen: HashSet::default(), combination: Vec::new() }
    }

    /// More of them, no more than so many.
    pub fn more(&mut self, terms: &Terms, most: usize) -> Vec<Vec<bool>> {
        self.until(terms, most, MAX_IDLE_SAMPLES)
    }

    /// Those near a model, which is one of them.
    pub fn around(&mut self, terms: &Terms, model: &dyn Fn(u32) -> u128, most: usize) -> Vec<Vec<bool>> {
        self.sampler.set(terms, model);
        self.sampler.evaluate(terms);
        let mut found: Vec<Vec<bool>> = self.new_one(0).into_iter().collect();
        found.extend(self.until(terms, most, AROUND));
        found
    }

    fn until(&mut self, terms: &Terms, most: usize, patience: usize) -> Vec<Vec<bool>> {
        let mut found = Vec::new();
        let mut idle = 0;
        while idle < patience && found.len() < most {
            self.sampler.draw_all();
            self.sampler.evaluate(terms);
            for lane in 0..LANES.min(most - found.len()) {
                idle += 1;
                if let Some(combination) = self.new_one(lane) {
                    found.push(combination);
                    idle = 0;
                }
            }
        }
        found
    }

    /// The combination of one of the present samples, if it is new.
    fn new_one(&mut self, lane: usize) -> Option<Vec<bool>> {
        if !self.sampler.is_within(lane) {
            return None;
        }
        self.combination.clear();
        self.combination.extend(self.sampler.truths(lane));
        if self.seen.contains(&self.combination) {
            return None;
        }
        self.seen.insert(self.combination.clone());
        self.sampler.keep(lane);
        Some(self.combination.clone())
    }
}

/// Tries for a single conjunction: more would cost what the solver does.
const TRIES: usize = 24;

/// Values of variables under which these conditions all hold, if a few tries show some.
pub(super) fn witness(terms: &Terms, conditions: &[Term]) -> Option<Vec<(u32, u128)>> {
    let mut sampler = Sampler::new(terms, &[], conditions);
    let lane = (0..TRIES.div_ceil(LANES)).find_map(|_| {
        sampler.draw_all();
        sampler.evaluate(terms);
        (0..LANES).find(|&lane| sampler.is_within(lane))
    })?;
    Some(sampler.assignment(terms, lane))
}

/// The most samples that are remembered as good ones.
const POOL: usize = 64;

/// So many samples are evaluated together: what a term is need not be looked up for each.
const LANES: usize = 8;

/// All terms below some conditions, with their values in some samples.
struct Sampler {
    order: Vec<Term>,
    /// Where the values of each term's operands are.
    operands: Vec<Vec<usize>>,
    values: Vec<[u128; LANES]>,
    /// The values of the variables in the last sample.
    present: Vec<u128>,
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
            terms.operands(*term, |operand| operands.push(slots[&operand]));
            operands
        };
        let operands = order.iter().map(placed).collect();
        let (values, present) = (vec![[0; LANES]; order.len()], vec![0; variables.len()]);
        let (pool, random, kept) = (Vec::new(), 1, 0);
        Sampler { order, operands, values, present, variables, interesting, conditions, context, random, pool, kept }
    }

    /// The values of the variables in one of the samples.
    fn assignment(&self, terms: &Terms, lane: usize) -> Vec<(u32, u128)> {
        let value = |&(slot, _): &(usize, u8)| match terms.node(self.order[slot]) {
            Node::Variable(number) => Some((*number, self.values[slot][lane])),
            _ => None,
        };
        self.variables.iter().filter_map(value).collect()
    }

    /// Takes these values of variables.
    fn set(&mut self, terms: &Terms, model: &dyn Fn(u32) -> u128) {
        for (at, &(slot, width)) in self.variables.iter().enumerate() {
            if let Node::Variable(number) = terms.node(self.order[slot]) {
                self.present[at] = model(*number) & mask(width);
                self.values[slot] = [self.present[at]; LANES];
            }
        }
    }

    /// A sample is a good one.
    fn keep(&mut self, lane: usize) {
        let values = self.variables.iter().map(|&(slot, _)| self.values[slot][lane]).collect();
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

    /// More samples.
    fn draw_all(&mut self) {
        for lane in 0..LANES {
            self.draw_sample();
            for (&(slot, _), &value) in self.variables.iter().zip(&self.present) {
                self.values[slot][lane] = value;
            }
        }
    }

    /// One more: all values anew, or one or two of a good one.
    fn draw_sample(&mut self) {
        if self.pool.is_empty() || self.draw(4) == 0 {
            (0..self.variables.len()).for_each(|at| self.draw_one(at));
            return;
        }
        let chosen = self.draw(self.pool.len());
        self.present.copy_from_slice(&self.pool[chosen]);
        for _ in 0..=self.draw(2) {
            let at = self.draw(self.variables.len());
            if at < self.variables.len() {
                self.draw_one(at);
            }
        }
    }

    fn draw_one(&mut self, at: usize) {
        let other = self.draw(self.variables.len());
        let (other, chosen) = (self.present[other], self.draw(self.interesting.len()));
        let value = match self.draw(8) {
            0..2 => self.interesting[chosen],
            2..4 => other.wrapping_add(self.draw(3) as u128).wrapping_sub(1),
            4 => other.wrapping_add(self.interesting[chosen]),
            5 => (self.draw(1 << 20) as u128) << 20 | self.draw(1 << 20) as u128,
            6 => self.draw(16) as u128,
            _ => self.present[at],
        };
        self.present[at] = value & mask(self.variables[at].1);
    }

    /// Evaluates all terms at the present samples.
    fn evaluate(&mut self, terms: &Terms) {
        for (at, &term) in self.order.iter().enumerate() {
            if matches!(terms.node(term), Node::Variable(_)) {
                continue;
            }
            let (below, here) = self.values.split_at_mut(at);
            let operands = &self.operands[at];
            for (lane, value) in here[0].iter_mut().enumerate() {
                *value = operation(terms, term, |operand, _| below[operands[operand]][lane]);
            }
        }
    }

    /// Whether the context holds in a sample.
    fn is_within(&self, lane: usize) -> bool {
        self.context.iter().all(|&slot| self.values[slot][lane] == 1)
    }

    /// The truth values of the conditions in a sample.
    fn truths(&self, lane: usize) -> impl Iterator<Item = bool> {
        self.conditions.iter().map(move |&slot| self.values[slot][lane] == 1)
    }
}
