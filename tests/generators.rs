//! The generators make what they promise: various and interesting systems, and programs of which the parser's tests can
//! make something.

extern crate puch_engine as puch;

mod oracle;
mod support;

use spds_format::model::{Stack, SymbolId};
use support::systems::{self, Features};
use support::{Shrink, programs, shrink};

#[test]
fn random_systems_are_interesting() {
    let (mut reached, mut far, mut failing, mut nested, mut states) = (0, 0, 0, 0, 0);
    for seed in 0..300 {
        let spds = systems::system(seed, Features::ALL);
        let explored = oracle::explore(&spds);
        let distance = explored.distance(&systems::targets(seed, &spds));
        reached += usize::from(distance.is_some());
        far += usize::from(distance.is_some_and(|steps| steps > 4));
        failing += usize::from(explored.failing(&spds).is_some());
        nested += usize::from(explored.summaries.len() > 3);
        states = states.max(explored.edges.len());
    }
    println!("{reached} of 300 targets reached, {far} after more than 4 steps; an assertion fails in {failing},");
    println!("more than three entries return in {nested}; at most {states} path edges");
    assert!((100..=200).contains(&reached));
    assert!(far > 20 && failing > 30 && nested > 60 && states < 100_000);
}

#[test]
fn random_systems_have_everything() {
    let all: Vec<_> = (0..300).map(|seed| systems::system(seed, Features::ALL)).collect();
    for (seed, spds) in all.iter().enumerate() {
        let complaints = spds_format::validate(spds);
        assert!(complaints.is_empty(), "seed {seed}: {complaints:?}\n{}", spds_format::print(spds));
        assert_eq!(spds_format::parse(&spds_format::print(spds)).as_ref(), Ok(spds), "seed {seed}");
    }
    let rules = || all.iter().flat_map(|spds| &spds.rules);
    assert!(rules().any(|rule| rule.silent));
    assert!(rules().any(|rule| rule.with.is_some()));
    assert!(rules().any(|rule| rule.updates.iter().any(|update| update.time == spds_format::expr::Time::Saved)));
    assert!(rules().any(|rule| rule.updates.iter().any(|update| update.index.is_some())));
    assert!(all.iter().any(|spds| spds.controls.len() > 1));
    assert!(all.iter().any(|spds| spds.symbols.iter().any(|symbol| symbol.invariant.is_some())));
    let frame = |spds: &spds_format::Spds, symbol: SymbolId| spds.symbol(symbol).frame;
    let recursive = |spds: &spds_format::Spds| {
        let calls_itself =
            |stack: Stack, from| matches!(stack, Stack::Push(to, _) if frame(spds, to) == frame(spds, from));
        spds.rules.iter().any(|rule| calls_itself(rule.stack, rule.from.symbol))
    };
    assert!(all.iter().filter(|spds| recursive(spds)).count() > 50);
}

#[test]
fn random_programs_are_read() {
    let mut reached = [0, 0];
    for seed in 0..300 {
        let text = programs::program(seed).to_string();
        let program = puch::boolprog::read(&text, "a.bp", &puch::boolprog::Options::default());
        let spds = program.unwrap_or_else(|complaints| panic!("seed {seed}: {complaints:?}\n{text}")).spds;
        let explored = oracle::explore(&spds);
        for (label, reached) in ["R", "T"].iter().zip(&mut reached) {
            let labelled = |symbol: &u32| spds.symbols[*symbol as usize].labels.iter().any(|l| &**l == *label);
            let targets: Vec<SymbolId> = (0..spds.symbols.len() as u32).filter(labelled).map(SymbolId).collect();
            *reached += usize::from(explored.distance(&targets).is_some());
        }
    }
    println!("R is reached in {} of 300 programs, some T in {}", reached[0], reached[1]);
    assert!(reached.iter().all(|reached| (60..=240).contains(reached)), "{reached:?}");
}

#[test]
fn shrinking_keeps_what_fails_and_drops_the_rest() {
    let reaches = |spds: &spds_format::Spds| oracle::explore(spds).distance(&[SymbolId(2)]).is_some();
    let spds = (0..).map(|seed| systems::system(seed, Features::ALL)).find(reaches).unwrap();
    let least = shrink(spds.clone(), reaches);
    assert!(reaches(&least) && least.rules.len() < spds.rules.len());
    assert!(least.smaller().iter().all(|smaller| !reaches(smaller)));

    let asserts = |program: &programs::Program| program.to_string().contains("assert");
    let program = (0..).map(programs::program).find(|program| asserts(program)).unwrap();
    let least = shrink(program, asserts);
    assert!(least.procedures.len() <= 2 && least.to_string().lines().count() < 12, "{least}");
}

#[test]
fn same_seed_same_value() {
    for seed in 0..20 {
        assert_eq!(systems::system(seed, Features::ALL), systems::system(seed, Features::ALL));
        assert_eq!(programs::program(seed).to_string(), programs::program(seed).to_string());
    }
}
