//! What is in a regular set of configurations, explicitly and by definition: how many there are, all up to a depth, and
//! whether they are in another set.
//!
//! Values are tried one after the other where a condition asks for them, so time grows with the number of values that matter;
//! what nothing asks for costs nothing. Everything is exact, or stops at a limit. [`crate::regular::saturate_and_ask`] counts and
//! compares by relations instead, for which the width of integers is of no importance.
//!
//! ```
//! use puch_engine::limits::Limits;
//! use puch_engine::enumeration::{Count, compare, count, list};
//! use spds_format::parse_configurations;
//!
//! let spds = spds_format::parse("spds 1 global x: u3; control p; symbol a; symbol b; start <p, a>;").unwrap();
//! let set = |text| parse_configurations(&spds, text).expect("this is a set");
//! let limits = Limits::default();
//!
//! let small = set("<p[x < 3], a b? b?>");
//! let counts = count(&spds, &[&small], &limits).unwrap();
//! assert_eq!((counts.len(), &counts[0].configurations), (1, &Count::Finite(9u8.into())));
//! assert_eq!(count(&spds, &[&set("<a b*>")], &limits).unwrap()[0].configurations, Count::Infinite);
//!
//! // All of the one in the other, and some.
//! assert_eq!(compare(&spds, &small, &set("<.[x != 0], a .*>"), &limits), Ok((false, true)));
//!
//! let stacks = list(&spds, &[&small], 2, &limits).unwrap();
//! assert_eq!(stacks.iter().map(|pattern| pattern.stack.len()).collect::<Vec<_>>(), [1, 2]);
//! assert_eq!(stacks[0].globals, [Some(vec![(0, 2)])]);
//! ```

mod count;

mod letters;

mod list;

mod weighted;

pub use count::{Counted, compare, count};
pub use list::{Pattern, Range, list};
pub use weighted::Count;
pub(crate) use weighted::Weighted;

use crate::limits::{Limits, Stop};

/// Looks at the clock now and then.
struct Clock<'l> {
    limits: &'l Limits,
    looked: u32,
}

impl Clock<'_> {
    fn check(&mut self) -> Result<(), Stop> {
        self.looked = self.looked.wrapping_add(1);
        if self.looked.is_multiple_of(1024) { self.limits.check() } else { Ok(()) }
    }
}
