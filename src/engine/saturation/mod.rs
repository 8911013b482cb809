//! Saturation: the P-automaton of all configurations reachable from a set of them, or from which a set can be reached.
//!
#![doc = include_str!("relations.md")]

mod alike;
mod attempts;
pub mod elimination;
pub mod images;
pub mod increments;
pub mod loops;
pub mod measures;
pub mod post_star;
pub mod pre_star;
pub mod preimages;
pub mod thinning;
pub mod transitions;
mod turning;

pub use images::System;
pub use post_star::PostStar;
pub use pre_star::PreStar;
