//! Formulas and automata about C programs.

use std::cell::RefCell;

use puch::c::Program;
use puch::limits::Limits;
use puch::ltl::atoms::Meaning;
use puch::ltl::{Dialect, MopedDiffers};
use puch::options::Runs;
use puch::question::atoms::{Atom, atoms, is_name};
use puch::refinement::Temporal;

use super::args::Given;
use super::tell;
use super::temporal::{Reading, Refusal};
use super::texts::rendered;

/// How formulas are read, and which runs count.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// Whose precedences count.
    pub dialect: Dialect,
    pub runs: Runs,
    pub limits: Limits,
}

/// What no run of a program may do. Warnings are told.
pub fn temporal(program: &Program, given: &Given, manner: Manner) -> Result<Temporal, Refusal> {
    let known = RefCell::new((program.clone(), Vec::<Atom>::new()));
    let reading = Reading {
        dialect: manner.dialect,
        moped: MopedDiffers::Warn,
        known: &|word| is_name(program, word),
        meanings: &|propositions, source| {
            let (program, meant) = &mut *known.borrow_mut();
            *meant = atoms(program, propositions).map_err(|complaints| source.wrong(&complaints))?;
            // What they mean is not said of a pushdown system.
            Ok(vec![Meaning::Stuck; propositions.len()])
        },
        warn: &|name, text, warnings| {
            if !warnings.is_empty() {
                tell(&rendered(name, text, warnings));
            }
        },
        limits: manner.limits,
    };
    let violations = reading.violations(given)?;
    let (program, atoms) = known.into_inner();
    Ok(Temporal::of(program, violations, atoms, manner.runs))
}
