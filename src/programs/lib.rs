//! C programs for puch: the front end, the judge, bit-vectors, the transition system, predicate abstraction, refinement, functions by themselves.
//!
//! It is a crate of its own so that who changes what stands on it need not build it again, and systems can do without it. Only puch uses it, and
//! it promises nothing. Rooms are listed in the order in which data flows; a room uses only those above it, and the engine.

// Whoever names rooms names those of the engine in the same way.
#[cfg(not(feature = "whole"))]
pub use puch_engine::*;

pub mod c;

pub mod interpreter;

pub mod bitvec;

pub mod points_to;

pub mod analyses;

pub mod transition;

pub mod abstraction;

pub mod stack_usage;

pub mod question;

pub mod concretise;

pub mod refinement;

pub mod nullness;

pub mod functions;
