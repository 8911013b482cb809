//! Relations over few columns, made of their truth tables at once.

use super::{Column, Engine, Relation, Repr, Space};
use crate::limits::Stop;

/// A word has a bit for each valuation of so many columns.
pub const TABLED: usize = 6;

impl Space {
    /// Puts columns in their order, the uppermost first.
    pub fn sort(&self, columns: &mut [Column]) {
        columns.sort_unstable_by_key(|column| self.layout.level(*column));
    }

    /// The relation over these columns, uppermost first and at most [`TABLED`], that holds where the table says: the bit of a valuation is
    /// the number that it spells, the uppermost column as the most significant digit. None on engines that are asked for operations.
    ///
    /// # Errors
    /// If a limit is met.
    pub fn tabled(&self, columns: &[Column], table: u64) -> Result<Option<Relation>, Stop> {
        let Engine::Shared(engine) = &self.engine else { return Ok(None) };
        let mut levels = [0; TABLED];
        let levels = &mut levels[..columns.len()];
        levels.iter_mut().zip(columns).for_each(|(level, column)| *level = self.layout.level(*column));
        Ok(Some(Relation(Repr::Shared(engine.tabled(&self.budget, levels, table)?))))
    }
}
