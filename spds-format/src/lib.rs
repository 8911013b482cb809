//! Symbolic pushdown systems as text: the model, its notation, a parser and a printer.
//!
//! The notation is versioned (`spds 1`) and specified in `SPEC.md`. `parse(print(m)) == m` for every valid model.

pub mod diagnostic;

pub mod expr;

pub mod model;

pub mod scope;

mod operators;

mod lexis;

pub mod error;

mod typing;

mod validate;

mod near;

mod expression;

mod statement;

mod names;

mod resolve;

mod locate;

mod parse;

mod print;

pub use diagnostic::{Diagnostic, Severity};
pub use error::ModelError;
pub use model::Spds;
pub use parse::{parse, parse_bytes, parse_condition, parse_with_warnings};
pub use print::print;
pub use scope::{Kind, RulesByHead, Scope};
pub use validate::validate;
