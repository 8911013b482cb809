//! Conditions with common support, that is, which have to do with each other: those that share a variable, be it through what is known besides.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::term::{Term, Terms};

/// For each of some conditions those that it shares a variable with. A conjunct of the context makes its variables one.
#[derive(Debug)]
pub struct Touching {
    neighbours: Vec<Vec<bool>>,
}

impl Touching {
    /// Quadratic in the conditions.
    pub fn new(terms: &Terms, conditions: &[Term], context: &[Term]) -> Touching {
        let mut groups = Groups::default();
        for &known in context {
            let variables = terms.variables(&[known]);
            variables.windows(2).for_each(|pair| groups.join(pair[0], pair[1]));
        }
        let of = |condition: &Term| {
            let mut found: Vec<u32> = terms.variables(&[*condition]).iter().map(|&number| groups.of(number)).collect();
            found.sort_unstable();
            found.dedup();
            found
        };
        let variables: Vec<Vec<u32>> = conditions.iter().map(of).collect();
        let shares =
            |a: &Vec<u32>| variables.iter().map(|b| a.iter().any(|one| b.binary_search(one).is_ok())).collect();
        Touching { neighbours: variables.iter().map(shares).collect() }
    }

    /// Whether two conditions share a variable.
    pub fn are(&self, a: usize, b: usize) -> bool {
        self.neighbours[a][b]
    }

    /// Whether from one of some conditions all others can be reached among them.
    pub fn is_connected(&self, some: &[usize]) -> bool {
        let Some((&first, rest)) = some.split_first() else { return true };
        let (mut reached, mut rest) = (vec![first], rest.to_vec());
        while !rest.is_empty() {
            let Some(at) = rest.iter().position(|&next| reached.iter().any(|&known| self.are(known, next))) else {
                return false;
            };
            reached.push(rest.swap_remove(at));
        }
        true
    }

    /// The conditions that can be reached from some, in no more than so many steps.
    pub fn within(&self, from: impl IntoIterator<Item = usize>, steps: usize) -> Vec<usize> {
        let mut reached = vec![false; self.neighbours.len()];
        let mut last: Vec<usize> = from.into_iter().collect();
        last.iter().for_each(|&at| reached[at] = true);
        for _ in 0..steps {
            let mut next = Vec::new();
            for at in last {
                for (other, &touches) in self.neighbours[at].iter().enumerate() {
                    if touches && !std::mem::replace(&mut reached[other], true) {
                        next.push(other);
                    }
                }
            }
            last = next;
        }
        (0..reached.len()).filter(|&at| reached[at]).collect()
    }
}

/// Variables that the context puts together, by one of them.
#[derive(Debug, Default)]
struct Groups {
    above: HashMap<u32, u32, FxBuildHasher>,
}

impl Groups {
    fn of(&self, mut number: u32) -> u32 {
        while let Some(&above) = self.above.get(&number) {
            number = above;
        }
        number
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.of(a), self.of(b));
        if a != b {
            self.above.insert(a.max(b), a.min(b));
        }
    }
}
