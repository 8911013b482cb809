//! Automata in the Hanoi Omega-Automata format, version 1: Babiak, Blahoudek, Duret-Lutz, Klein, Křetínský, Müller,
//! Parker and Strejček, *The Hanoi omega-automata format* (CAV 2015), and its specification at adl.github.io/hoaf.

use std::ops::Range;

use spds_format::Diagnostic;

mod lex;

mod acceptance;

mod inherently_weak;

mod read;

mod write;

pub use read::{ReadError, read};
pub use write::{Placement, Stuttering, write};

/// What is wrong with a text; boxed, to keep results small.
type Refused = Box<Diagnostic>;

fn refuse<T>(message: impl Into<String>, span: Range<usize>) -> Result<T, Refused> {
    Err(Box::new(Diagnostic::error(message, span)))
}
