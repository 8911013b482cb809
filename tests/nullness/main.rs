//! Which pointers can be NULL where they are used: the examples of the PASTE paper, and cases with expected verdicts.

extern crate puch_programs as puch;

mod cases;
mod orders;
mod overlooked;
mod paper;
mod random;

#[path = "../support/seeds.rs"]
mod seeds;

use puch::c;
use puch::nullness::{Malloc, Options, analyse};

fn read(main: &str, text: &str) -> c::Program {
    let unit = c::Unit { name: "case.c", text, preprocessed: None };
    let options = c::Options { main: Some(main.to_owned()), ..c::Options::default() };
    c::read(&[unit], &options).unwrap_or_else(|wrong| panic!("{text}\n{wrong:?}")).program
}

/// `expression: verdict` for each use, in order.
fn verdicts(main: &str, malloc: Malloc, text: &str) -> String {
    let options = Options { malloc, ..Options::default() };
    let all = analyse(&read(main, text), &options);
    all.iter().map(|use_| format!("{}: {}", use_.pointer, use_.word())).collect::<Vec<_>>().join(", ")
}
