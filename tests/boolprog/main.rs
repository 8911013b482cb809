//! Boolean programs: what is read, as what, and what is refused with which words.

mod checks;
mod corpus;
mod depth;
mod diagnostics;
mod dialects;
mod lowering;
mod predicates;
#[path = "../support/shared.rs"]
mod shared;
mod show;
mod soup;
