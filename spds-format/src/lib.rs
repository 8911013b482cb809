//! Symbolic pushdown systems as text: the model, its notation, a parser and a printer.
//!
//! A symbolic pushdown system (Esparza & Schwoon, CAV 2001) is a finite control, a stack whose symbols carry local
//! variables, global variables, and rules that relate their values before and after. Programs with recursion are such
//! systems. The notation is versioned (`spds 1`) and specified in `SPEC.md`; [`model`] documents the same by its types.
//!
//! ```
//! let text = "spds 1
//!     global x: u3;
//!     frame main { h: bool }
//!     control p;
//!     symbol main/0 in main labels L;
//!     symbol main/1 in main;
//!     symbol @end;
//!     end @end;
//!     start <p, main/0 @end> when x = 0;
//!     rule <p, main/0> -> <p, main/0 main/1> when x < 7 { x' := x + 1; h'' := * };
//!     rule <p, main/0> -> <p>                when x = 7;
//!     rule <p, main/1> -> <p>                when h;
//!     rule <p, @end>   -> <p, @end>;
//! ";
//! let model = spds_format::parse(text).unwrap();
//! assert_eq!(model.rules.len(), 4);
//! assert_eq!(spds_format::parse(&model.to_string()), Ok(model));
//!
//! let mistakes = spds_format::parse("spds 1  global x: bool, y: int;  control p;  start <p, a>;").unwrap_err();
//! let messages: Vec<&str> = mistakes.iter().map(|mistake| mistake.message.as_str()).collect();
//! assert_eq!(messages, ["unknown type `int`", "unknown stack symbol `a`"]);
//! ```
//!
//! Models can also be put together in code ([`build`]); [`validate()`] says whether they are what the notation can say.
//! Nothing here recurses over its input: neither long texts nor deep expressions can exhaust the call stack.

pub mod diagnostic;

mod name;

pub mod expr;

pub mod model;

mod updates;

pub mod scope;

pub mod total;

mod operators;

mod lexis;

pub mod error;

mod typing;

mod validate;

pub mod automaton;

#[doc(hidden)]
pub mod reading;

mod expression;

mod statement;

mod names;

mod resolve;

mod locate;

mod parse;

pub mod configurations;

mod outline;

mod print;

pub mod conditions;

pub mod build;

pub use automaton::Automaton;
pub use configurations::parse_configurations;
pub use diagnostic::{Diagnostic, Severity};
pub use error::ModelError;
pub use expr::Expr;
#[doc(hidden)]
pub use lexis::keywords;
pub use model::Spds;
#[doc(hidden)]
pub use outline::outline;
pub use parse::{parse, parse_bytes, parse_condition, parse_with_warnings};
pub use print::print;
pub use scope::{RulesByHead, Scope, ValueKind};
pub use validate::validate;
