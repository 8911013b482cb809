//! Boolean programs: what is read, as what, and what is refused with which words.

extern crate puch_engine as puch;

mod checks;
#[path = "../support/complaints.rs"]
mod complaints;
mod corpus;
mod depth;
mod diagnostics;
mod dialects;
#[path = "../support/large.rs"]
mod large;
mod lowering;
mod predicates;
#[path = "../support/shared.rs"]
mod shared;
mod show;
mod soup;
