//! Automata in the Hanoi Omega-Automata format, version 1: Babiak, Blahoudek, Duret-Lutz, Klein, Křetínský, Müller,
//! Parker and Strejček, *The Hanoi omega-automata format* (CAV 2015), and its specification at adl.github.io/hoaf.

mod lex;

mod acceptance;

mod read;

mod write;

pub use read::{ReadError, read};
pub use write::{Placement, Stuttering, write};
