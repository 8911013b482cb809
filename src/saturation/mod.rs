//! Saturation: the P-automaton of all configurations reachable from a set of them.

pub mod elimination;
pub mod images;
pub mod loops;
pub mod post_star;
pub mod preimages;
pub mod transitions;
mod turning;

pub use images::System;
pub use post_star::PostStar;
