//! Symbolic pushdown systems as text: the model, its notation, a parser and a printer.
//!
//! The notation is versioned (`spds 1`) and specified in `SPEC.md`. `parse(print(m)) == m` for every valid model.

pub mod diagnostic;

pub mod expr;

pub mod model;

pub use diagnostic::{Diagnostic, Severity};
pub use model::Spds;
