//! Moped's `.pds` texts: what is read, as what, what is refused with which words, and what is written.

extern crate puch_engine as puch;

mod checks;
#[path = "../support/complaints.rs"]
mod complaints;
mod depth;
mod diagnostics;
mod formulas;
#[path = "../support/large.rs"]
mod large;
mod lowering;
mod meaning;
#[path = "../oracle/mod.rs"]
mod oracle;
mod predicates;
#[allow(dead_code, reason = "the texts are for those who keep them")]
mod relations;
mod soup;
#[allow(dead_code, reason = "what concerns PDAAAL is needed elsewhere")]
mod states;
#[path = "../support/mod.rs"]
mod support;
mod verdicts;
mod write;
