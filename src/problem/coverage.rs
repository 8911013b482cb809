//! Which statements are reached, for pages that show sources: as much as is found with a little work.

use spds_format::Spds;

use crate::facts::always::always;
use crate::facts::{Fact, Question, facts, statements};
use crate::options::Options;
use crate::report::html::Coverage;

/// Formulas with more products in a sum than this are no longer read at a glance.
const TERMS: usize = 12;

/// The work that may be done for it; counted, not timed, so that the same input gives the same page.
const WORK: u64 = 1 << 20;

/// What is found: the values with which statements are reached, or at least which are.
pub fn found(spds: &Spds, abstraction: bool, options: &Options) -> Coverage {
    let options = Options { work: Some(WORK), ..options.clone() };
    let all = statements(spds);
    let asked = |question: Question| facts(spds, &question, &options).facts;
    match asked(Question::Values(all.clone(), TERMS)).or_else(|_| asked(Question::Reached(all))) {
        Ok(facts) => covered(spds, abstraction, facts),
        Err(stop) => Coverage { unknown: Some(stop.to_string()), ..Coverage::default() },
    }
}

fn covered(spds: &Spds, abstraction: bool, facts: Vec<Fact>) -> Coverage {
    // A run of a C program may end where something is undefined, and its abstraction go on.
    let always = if abstraction { Vec::new() } else { always(spds, &facts) };
    Coverage { facts, always, unknown: None, abstraction }
}
