//! Remopla: what is read, as what, and what is refused with which words.

mod checks;
mod depth;
mod diagnostics;
mod dialects;
mod examples;
mod lowering;
mod predicates;
mod show;
mod soup;
