//! Remopla: what is read, as what, and what is refused with which words.

extern crate puch_engine as puch;

mod checks;
#[path = "../support/complaints.rs"]
mod complaints;
mod depth;
mod diagnostics;
mod dialects;
mod examples;
#[path = "../support/large.rs"]
mod large;
mod lowering;
mod predicates;
mod show;
mod soup;
