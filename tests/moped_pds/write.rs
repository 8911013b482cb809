//! What is written says the same: read again, it has the same reachable states.

use std::collections::BTreeSet;

use puch::boolprog;
use puch::check::{Property, Reason, Target, Verdict, check};
use puch::moped_pds::{Options, read, write};
use puch::options::{Options as Wishes, TraceWish};
use spds_format::Spds;
use spds_format::model::SymbolId;

use crate::states::{counts_in_pds, plain_names, states};
use crate::support::systems::{self, Features};
use crate::support::{corpus, seeds};

fn round_trips(features: Features, range: std::ops::Range<u64>) -> (usize, usize) {
    let (mut written, mut refused) = (0, 0);
    for seed in seeds(range) {
        let spds = plain_names(systems::system(seed, features));
        let (text, _) = match write(&spds) {
            Ok(text) => text,
            Err(reasons) => {
                assert!(!reasons.is_empty());
                refused += 1;
                continue;
            }
        };
        let again = read(&text, "again.pds", &Options::default());
        let again = again.unwrap_or_else(|complaints| panic!("seed {seed}\n{spds}\n{text}\n{complaints:#?}"));
        assert_eq!(again.warnings, [], "seed {seed}\n{text}");
        assert_eq!(
            states(&again.spds, counts_in_pds),
            states(&spds, counts_in_pds),
            "seed {seed}\n{spds}\n{text}\n{}",
            again.spds
        );
        written += 1;
    }
    (written, refused)
}

#[test]
fn systems_of_booleans_come_back() {
    let (written, refused) = round_trips(Features { saved_updates: true, integers: false }, 0..150);
    println!("{written} written, {refused} refused");
    assert!(written > 2 * refused);
}

#[test]
fn systems_with_integers_and_arrays_come_back_or_are_refused() {
    let (written, refused) = round_trips(Features::ALL, 150..350);
    println!("{written} written, {refused} refused");
    assert!(written > 40);
}

/// Whether the symbol with that name can be on top.
fn reached(spds: &Spds, name: &str) -> Verdict {
    let symbol = spds.symbols.iter().position(|symbol| &*symbol.name == name).expect("there is such a symbol");
    let target = Target { control: None, symbol: SymbolId(symbol as u32) };
    let mut wishes = Wishes { trace: TraceWish::None, ..Wishes::default() };
    wishes.limits.deadline = Some(std::time::Instant::now() + std::time::Duration::from_secs(20));
    check(spds, &[Property::Reach(vec![target])], &wishes)
        .map_or(Verdict::Unknown(Reason::Width), |outcome| outcome.answers[0].verdict.bare())
}

#[test]
fn programs_of_other_people_come_back() {
    let Some(programs) = corpus() else { return };
    let (mut verdicts, mut refusals) = ([0, 0], Vec::new());
    for (path, text) in programs {
        let Ok(program) = boolprog::read(&text, &path, &boolprog::Options::default()) else { continue };
        match write(&program.spds) {
            Err(reasons) => refusals.push((path, reasons)),
            Ok((written, _)) => {
                let again = read(&written, "again.pds", &Options::default());
                let again = again.unwrap_or_else(|complaints| panic!("{path}\n{complaints:#?}"));
                assert_eq!(again.warnings, [], "{path}");
                if text.len() > 20_000 {
                    continue;
                }
                let verdict = reached(&program.spds, "@fail");
                let here = reached(&again.spds, "_fail");
                assert!(
                    [&verdict, &here].iter().any(|one| matches!(one, Verdict::Unknown(_))) || verdict == here,
                    "{path}"
                );
                verdicts[usize::from(verdict == Verdict::Reachable(None))] += 1;
            }
        }
    }
    println!("{verdicts:?} of @fail; refused: {refusals:#?}");
    assert!(refusals.is_empty() && verdicts.iter().all(|count| *count > 1));
}

#[test]
fn labels_come_back_as_sets_of_symbols() {
    let text =
        "spds 1  global R: bool;  control p;  symbol a labels \"x y\", b;  symbol b labels R, \"x y\";  symbol c;
        start <p, a>;  rule <p, a> -> <p, b c>;  rule <p, b> -> <p>;";
    let spds = spds_format::parse(text).expect("the system is fine");
    let (text, _) = write(&spds).expect("it can be said");
    let again = read(&text, "again.pds", &Options::default()).unwrap_or_else(|all| panic!("{text}\n{all:#?}")).spds;
    let labels = |name: &str| {
        let symbol = again.symbols.iter().find(|symbol| *symbol.name == *name).expect("symbols keep plain names");
        symbol.labels.iter().map(|label| label.to_string()).collect::<BTreeSet<String>>()
    };
    let set = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<BTreeSet<String>>();
    // `b` is a symbol, and `R` a global.
    assert_eq!(labels("a"), set(&["x_y", "b_2"]), "{text}");
    assert_eq!(labels("b"), set(&["x_y", "R_2"]), "{text}");
    assert_eq!(labels("c"), set(&[]), "{text}");
}

#[test]
fn what_is_written_is_never_too_long_to_be_read() {
    // Many cells at once, as of a heap that is made empty; every third one keeps its value.
    let cells = |step: usize| -> String {
        let set: Vec<String> =
            (0..65_535).filter(|cell| cell % step > 0 || step == 1).map(|cell| format!("c'[{cell}] := 0")).collect();
        format!(
            "spds 1  global c: u3[0..65534], x: u2;  control p;  symbol a;  start <p, a>;  rule <p, a> -> <p, a> {{ {} }};",
            set.join("; ")
        )
    };
    for step in [1, 3] {
        let spds = spds_format::parse(&cells(step)).expect("the system is fine");
        let (text, _) = write(&spds).expect("it can be said");
        let again = read(&text, "again.pds", &Options::default()).expect("it can be read").spds;
        assert_eq!(again.rules[0].updates.len(), spds.rules[0].updates.len(), "every {step}");
        assert_eq!((again.rules[0].with.is_none(), again.rules[0].guard.is_none()), (true, true), "every {step}");
    }
    let huge = "spds 1  global c: bool[0..33554431];  control p;  symbol a;  start <p, a>;  rule <p, a> -> <p, a>;";
    let reasons = write(&spds_format::parse(huge).expect("the system is fine")).expect_err("nobody could read it");
    assert_eq!(reasons, ["cells that are kept need more than 16777216 operations in .pds: rule 1 from <p, a>"]);
}
