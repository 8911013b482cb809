//! Influence: which variables matter is what naive fixpoints say, on the system and on the paper's graph; what does not matter
//! can be changed and nothing happens, and what does has a chain that shows it. The laws themselves are in
//! `support/influence.rs`; the soak test asks them of as many systems as one likes.

extern crate puch_engine as puch;

mod oracle;
mod support;

use fastrand::Rng;
use puch::boolprog;
use puch::influence::graph::{self, Refused};
use puch::influence::{Question, influence, influence_so_far};
use puch::limits::{Bell, Limits};
use spds_format::Spds;
use spds_format::model::SymbolId;
use support::influence::{by_formula, chains, changed, fixpoints, live};
use support::programs;
use support::systems::{self, Features, Sizes};

/// Random systems, and random programs.
fn inputs(systems: std::ops::Range<u64>, programs: std::ops::Range<u64>) -> impl Iterator<Item = (String, Spds)> {
    let systems = support::seeds(systems).map(|seed| (format!("system {seed}"), systems::system(seed, Features::ALL)));
    let programs = support::seeds(programs).map(|seed| {
        let text = programs::program(seed).to_string();
        let program = boolprog::read(&text, "random.bp", &boolprog::Options::default()).expect("it is fine");
        (format!("program {seed}"), program.spds)
    });
    systems.chain(programs)
}

/// The sum of what a law counts.
fn holds(inputs: impl Iterator<Item = (String, Spds)>, law: impl Fn(&Spds) -> Result<u64, String>) -> u64 {
    let all = inputs
        .map(|(name, spds)| law(&spds).unwrap_or_else(|what| panic!("{name}: {what}\n{}", spds_format::print(&spds))));
    all.sum()
}

#[test]
fn what_matters_is_what_naive_fixpoints_say() {
    let hidden = holds(inputs(0..60, 0..6), |spds| fixpoints(spds, &mut Rng::with_seed(7)));
    assert!(hidden > 1000, "hardly anything does not matter: {hidden}");
}

#[test]
fn what_does_not_matter_can_be_changed_and_control_goes_the_same_ways() {
    let changed = holds(inputs(0..60, 0..10), |spds| changed(spds, &mut Rng::with_seed(11)));
    assert!(changed > 50, "hardly anything was changed: {changed}");
}

#[test]
fn what_matters_has_a_chain_to_a_use() {
    let found = holds(inputs(0..40, 0..6), |spds| chains(spds, &mut Rng::with_seed(5)));
    assert!(found > 50, "hardly anything matters: {found}");
}

#[test]
fn what_matters_is_live() {
    let looked_at = holds(inputs(0..100, 0..20), live);
    assert!(looked_at > 1000, "hardly anything matters: {looked_at}");
}

#[test]
fn a_frame_that_lies_on_the_start_stack_twice_is_not_inlined() {
    let text = "spds 1  frame f { x: bool }  control p;  symbol a in f;  symbol b in f;  start <p, a b>;
        rule <p, a> -> <p>;  rule <p, b> -> <p, b> when x;";
    let spds = spds_format::parse(text).expect("the system is fine");
    // In `a` its own x matters to nobody.
    let known = influence(&spds, &Question::conditions(), &Limits::default()).expect("there is no limit");
    assert!(known.matters_at(SymbolId(0)).is_empty() && !known.matters_at(SymbolId(1)).is_empty());
    assert_eq!(graph::graph(&spds, &Limits::default()).err(), Some(Refused::Recursive("f".into())));
}

#[test]
fn without_recursion_the_formula_of_the_paper_says_the_same() {
    let inlined = std::cell::Cell::new(0);
    let compared = holds(inputs(0..100, 0..12), |spds| {
        let compared = by_formula(spds)?;
        inlined.set(inlined.get() + u32::from(compared.is_some()));
        Ok(compared.unwrap_or(0))
    });
    assert!(inlined.get() > 15 && compared > 200, "{} without recursion, {compared} compared", inlined.get());
}

#[test]
fn what_matters_when_a_limit_is_met_matters() {
    // Large enough that it is looked at the limits while something is done.
    let sizes = Sizes { controls: 0, bits: 24, frames: 60 };
    let large =
        support::seeds(0..6).map(|seed| (format!("large system {seed}"), systems::sized(seed, Features::ALL, sizes)));
    let some = holds(large, |spds| {
        let whole = influence(spds, &Question::conditions(), &Limits::default()).map_err(|stop| stop.to_string())?;
        let mut some = 0;
        for times in 1..200 {
            let bell: &Bell = Box::leak(Box::new(Bell::after(times)));
            let limits = Limits { bell: Some(bell), ..Limits::default() };
            let Ok((part, stop)) = influence_so_far(spds, &Question::conditions(), &limits) else { continue };
            if stop.is_none() {
                break;
            }
            for symbol in (0..spds.symbols.len() as u32).map(SymbolId) {
                let (known, all) = (part.matters_at(symbol), whole.matters_at(symbol));
                if !known.iter().all(|var| all.contains(var)) {
                    return Err(format!("{known:?} are more than {all:?} at {symbol:?}"));
                }
                some += known.len() as u64;
            }
        }
        Ok(some)
    });
    assert!(some > 0, "nothing was known whenever a limit was met");
}
