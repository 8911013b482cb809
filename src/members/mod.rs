//! What is in a regular set of configurations, explicitly and by definition: how many there are, all up to a depth, and
//! whether they are in another set.
//!
//! Values are tried one after the other where a condition asks for them, so time grows with the number of values that matter;
//! what nothing asks for costs nothing. Everything is exact, or stops at a limit.

mod count;

mod letters;

mod list;

pub use count::{Count, Counted, compare, count};
pub use list::{Pattern, Range, list};

use crate::limits::{Limits, Stop};

/// Looks at the clock now and then.
struct Clock<'l> {
    limits: &'l Limits,
    looked: u32,
}

impl Clock<'_> {
    fn check(&mut self) -> Result<(), Stop> {
        self.looked = self.looked.wrapping_add(1);
        if self.looked.is_multiple_of(1024)
            && self.limits.deadline.is_some_and(|deadline| std::time::Instant::now() >= deadline)
        {
            return Err(Stop::Timeout);
        }
        Ok(())
    }
}
