//! What the examples say about formulas, without the search: of many random walks through a program some violate what is
//! said to be violated, and none what is said to hold.

extern crate puch_engine as puch;

mod oracle;
mod support;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use fastrand::Rng;
use puch::boolprog;
use puch::limits::Limits;
use puch::ltl::atoms::{Context, Symbols, names, resolve};
use puch::ltl::{Passes, Reading, Violations, parse};
use puch::options::Runs;
use puch::replay::{Claim, judge};
use puch::run::{Ending, Run};
use spds_format::Spds;
use support::runs;

fn program(name: &str) -> Spds {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    let text = fs::read_to_string(path).expect("the example is there");
    boolprog::read(&text, name, &boolprog::Options::default()).expect("the example is fine").spds
}

fn violations(spds: &Spds, formula: &str) -> Arc<Violations> {
    let known = names(spds, Symbols::Hidden);
    let reading = Reading { known: &|word| known.contains(word), ..Reading::default() };
    let (ltl, _) = parse(formula, &reading).expect("the formula is fine");
    let condition = |text: &str| {
        let predicate = boolprog::predicate(text, spds, boolprog::Dialect::Auto, None)?;
        Ok((predicate.frame, predicate.condition, predicate.warnings))
    };
    let context = Context { spds, text: formula, symbols: Symbols::Hidden, condition: &condition };
    let (meanings, _) = resolve(ltl.formulas.propositions(), &context).expect("the names are known");
    Arc::new(Violations::of(ltl, meanings, &Passes::default(), &Limits::default()).expect("there is no limit"))
}

/// A random walk that ends, or comes back to where it was.
fn walk(spds: &Spds, seed: u64) -> Option<Run> {
    let stem = runs::random(spds, &mut Rng::with_seed(seed), 60)?;
    let end = stem.iter().position(|step| Some(step.config.symbol) == spds.end);
    match end {
        Some(end) => Some(Run {
            stem: stem[..end].to_vec(),
            cycle: None,
            closes_on: None,
            calls: Vec::new(),
            ending: Ending::Terminated,
        }),
        None => {
            let first = Rng::with_seed(seed).usize(..stem.len());
            let (before, rest) = stem.split_at(first);
            let run = runs::lasso(rest)?;
            Some(Run { stem: [before, &run.stem].concat(), ..run })
        }
    }
}

#[test]
fn walks_through_the_examples_do_what_is_said_of_them() {
    let mixed = "G F @return(walk) -> F DONE";
    for (name, holds, violated) in [
        ("locks/parser.bp", &[][..], &["G (LOCK -> F UNLOCK)", "G (LOCK -> X (!LOCK W UNLOCK))"][..]),
        (
            "locks/parser_fixed.bp",
            &["G (LOCK -> F UNLOCK)", "G (LOCK -> X (!LOCK W UNLOCK))", "G (held -> F !held)"],
            &["F @end"],
        ),
        ("fairness/server.bp", &["G F DONE -> G F LEFT", "G F DONE -> G F RIGHT"], &["G F LEFT"]),
        ("growing/tree.bp", &[], &["F DONE", mixed]),
        ("termination/countdown.bp", &["F @end"], &[]),
        ("termination/countdown_faulty.bp", &[], &["F @end"]),
        (
            "next/handshake.bp",
            &[
                "G (ASK -> X @call(answer))",
                "G (ASK -> X X @entry(answer))",
                "G (LOOKUP -> X X answered)",
                "G (ASK -> X X X X (answered | X answered))",
            ],
            &["G (ASK -> X X X X answered)"],
        ),
    ] {
        let spds = program(name);
        let walks: Vec<Run> = (0..400).filter_map(|seed| walk(&spds, seed)).collect();
        assert!(walks.len() > 100, "{name}: {} walks", walks.len());
        for (formula, real) in holds.iter().map(|f| (f, false)).chain(violated.iter().map(|f| (f, true))) {
            let violations = violations(&spds, formula);
            let violates = |run: &&Run| {
                let claim = Claim::Violates { violations: Arc::clone(&violations), runs: Runs::Maximal };
                judge(&spds, run, &claim, 0).is_ok()
            };
            let found = walks.iter().find(violates);
            assert_eq!(found.is_some(), real, "{name}: {formula}: {found:#?}");
        }
    }
}
