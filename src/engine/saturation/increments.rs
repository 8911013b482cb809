//! The increments of a set, numbered in the order in which they came.

use std::cell::RefCell;

use crate::bdd::{Relation, Space};
use crate::limits::Stop;

type Result<T> = std::result::Result<T, Stop>;

/// Increments with ascending numbers. What 2, 4, 8, … of them hold together is made when it is asked for, so questions about them
/// are answered in as many steps as their number has digits.
pub struct Increments {
    numbers: Vec<u32>,
    /// `blocks[k][i]` is the union of those from i·2^k on, 2^k of them.
    blocks: RefCell<Vec<Vec<Relation>>>,
}

impl Default for Increments {
    fn default() -> Self {
        Increments { numbers: Vec::new(), blocks: RefCell::new(vec![Vec::new()]) }
    }
}

impl Increments {
    /// One more, with a number larger than all before.
    pub(super) fn push(&mut self, number: u32, increment: Relation) {
        self.numbers.push(number);
        self.blocks.get_mut()[0].push(increment);
    }

    /// The union of those with smaller numbers, if there are any.
    ///
    /// # Errors
    /// If a limit is met.
    pub fn before(&self, space: &Space, number: u32) -> Result<Option<Relation>> {
        let mut union = None;
        for (level, block) in parts(self.numbers.partition_point(|known| *known < number)) {
            let more = self.block(space, level, block)?;
            union = Some(match union {
                Some(union) => space.or(&union, &more)?,
                None => more,
            });
        }
        Ok(union)
    }

    /// The number of the first of which something is true, if it is true of some. It must be true of a union if and only if it is
    /// true of a part of it.
    ///
    /// # Errors
    /// If a limit is met.
    pub fn first(&self, space: &Space, is_true: impl Fn(&Relation) -> Result<bool>) -> Result<Option<u32>> {
        for (mut level, mut block) in parts(self.numbers.len()) {
            if is_true(&self.block(space, level, block)?)? {
                while level > 0 {
                    (level, block) = (level - 1, 2 * block);
                    block += usize::from(!is_true(&self.block(space, level, block)?)?);
                }
                return Ok(Some(self.numbers[block]));
            }
        }
        Ok(None)
    }

    fn block(&self, space: &Space, level: usize, block: usize) -> Result<Relation> {
        let known = |level: usize| self.blocks.borrow().get(level).map_or(0, Vec::len);
        // From the smallest blocks on, as far as they are needed for this one.
        for below in 0..level {
            if known(below + 1) == 0 && self.blocks.borrow().len() == below + 1 {
                self.blocks.borrow_mut().push(Vec::new());
            }
            while known(below + 1) < (block + 1) << (level - below - 1) {
                let next = known(below + 1);
                let halves = {
                    let blocks = self.blocks.borrow();
                    [blocks[below][2 * next].clone(), blocks[below][2 * next + 1].clone()]
                };
                let union = space.or(&halves[0], &halves[1])?;
                self.blocks.borrow_mut()[below + 1].push(union);
            }
        }
        Ok(self.blocks.borrow()[level][block].clone())
    }
}

/// The first so many as blocks, the largest first: level and place.
fn parts(count: usize) -> impl Iterator<Item = (usize, usize)> {
    let levels = (0..usize::BITS as usize).rev().filter(move |level| count >> level & 1 == 1);
    levels.map(move |level| (level, (count >> level) - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_so_many_are_blocks_side_by_side() {
        for count in 0..100 {
            let mut covered = 0;
            for (level, block) in parts(count) {
                assert_eq!(block << level, covered);
                covered += 1 << level;
            }
            assert_eq!(covered, count);
        }
    }
}
