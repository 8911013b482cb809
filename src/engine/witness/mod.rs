//! From a verdict to a concrete run.
//!
//! [`rings`] finds, breadth first in the graph of heads, in which round each value is first reached when a call that returns
//! counts as one step (Bebop, §3.2); [`unwind`] walks back through the rounds from a value to the start, and in turn
//! through every call that the way passes; [`complete`] walks forward again and gives every variable a value.
//!
//! Loops with very many turns are passed by leaps ([`pace`]).
//!
//! Summaries come from the saturation that decided. If it was completed, the ways found are the shortest; if it stopped as
//! soon as it knew, they are some.

mod alike;
pub mod complete;
pub mod constrained;
pub mod lasso;
mod leap;
pub mod pace;
pub mod rings;
mod stored;
mod turns;
pub mod unwind;
mod valuation;
mod way;

pub use crate::run::{NoRun, Overflow};
pub use pace::Leaps;
pub use unwind::Goal;
pub use way::Way;
