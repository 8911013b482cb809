//! Moped's `.pds` texts: what is read, as what, what is refused with which words, and what is written.

mod checks;
mod depth;
mod diagnostics;
mod formulas;
mod lowering;
mod meaning;
#[path = "../oracle/mod.rs"]
mod oracle;
mod predicates;
mod relations;
mod soup;
mod states;
#[path = "../support/mod.rs"]
mod support;
mod verdicts;
mod write;
