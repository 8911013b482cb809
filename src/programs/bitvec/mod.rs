//! Terms over bit-vectors of 1 to 128 bits, and whether conjunctions of them can be true.
//!
//! A term of one bit is a condition. Terms are built once ([`Terms`]: hash-consed, polynomials modulo 2ʷ in a normal form, so that
//! many weakest preconditions are the predicates that they came from), decided by a [`Solver`] (linear equalities substituted,
//! the rest as circuits in one incremental SAT solver), and read off by [`evaluate`](evaluate::Evaluation), the reference.
//! Arithmetic is total: it wraps, and division and shifts are SMT-LIB's. Nothing here knows of C.
//!
//! Every query has a limit of conflicts; *unknown* is an answer of its own, and is never read as "cannot be".

pub mod value;

pub mod term;

mod polynomial;

mod condition;

mod structure;

pub mod evaluate;

mod substitute;

mod gauss;

mod circuit;

mod blast;

mod smt;

pub mod answer;

pub mod second;

pub mod solver;

mod softened;

mod sample;

pub mod touching;

pub mod cubes;

pub mod relation;

mod apart;

pub mod memo;

pub mod diagram;

pub mod wide;

pub use answer::{Answer, Model};
pub use cubes::{Before, Cube, Implied, Search, implied};
pub use evaluate::Evaluation;
pub use memo::{Asked, Counts, Decided, Memo};
pub use relation::{Minterms, relation};
pub use second::{Opinions, Said, SecondOpinion};
pub use softened::{Softened, softened};
pub use solver::{Bounds, Solver};
pub use substitute::Replacement;
pub use term::{Node, Term, Terms};
pub use touching::Touching;
pub use value::Operator;
