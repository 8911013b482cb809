//! Formulas from the literature, kept outside of the project.

#[allow(clippy::duplicate_mod, reason = "some of the tests that use this also use all of `support`")]
#[path = "../support/shared.rs"]
mod inputs;

use puch::ltl::{Dialect, Ltl, Reading, parse};

/// The sets that together are called the core: 114 formulas.
pub const CORE: [&str; 4] = ["dac55", "eh12", "sb27", "beem20"];

/// A file below the shared directory; `None`, with a note, if there is no such directory.
pub fn text(path: &str) -> Option<String> {
    let path = inputs::folder("ltl-formulas")?.join(path);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert!(!text.trim().is_empty(), "{} has no formula", path.display());
    Some(text)
}

pub fn formula(text: &str) -> Ltl {
    let reading = Reading { dialect: Dialect::Spot, ..Reading::default() };
    parse(text, &reading).unwrap_or_else(|complaints| panic!("{text}: {complaints:?}")).0
}

/// The core, each with its text.
#[allow(dead_code)]
pub fn core() -> Vec<(String, Ltl)> {
    let texts: Vec<String> = CORE.iter().filter_map(|set| text(&format!("{set}.ltl"))).collect();
    texts.iter().flat_map(|text| text.lines()).map(|line| (line.to_owned(), formula(line))).collect()
}
