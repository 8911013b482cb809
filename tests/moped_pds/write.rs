//! What is written says the same: read again, it has the same reachable states.

use std::collections::BTreeSet;

use puch::moped_pds::{Options, read, write};
use spds_format::Spds;

use crate::oracle;
use crate::support::seeds;
use crate::support::systems::{self, Features};

/// Gives everything a name that needs no change.
fn plain_names(mut spds: Spds) -> Spds {
    for symbol in &mut spds.symbols {
        symbol.name = symbol.name.replace([':', '@'], "_").into();
    }
    spds
}

type Seen = BTreeSet<(String, String, Vec<u64>, Vec<u64>)>;

/// All reachable states, by names.
fn states(spds: &Spds) -> Seen {
    let explored = oracle::explore(spds);
    let named = explored.edges.into_iter().map(|(_, state)| {
        let control = spds.controls[state.control.0 as usize].to_string();
        (control, spds.symbol(state.symbol).name.to_string(), state.globals, state.locals)
    });
    named.filter(|(_, symbol, _, _)| !symbol.starts_with("begin")).collect()
}

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
        assert_eq!(states(&again.spds), states(&spds), "seed {seed}\n{spds}\n{text}\n{}", again.spds);
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
    let (written, refused) = round_trips(Features::ALL, 150..500);
    println!("{written} written, {refused} refused");
    assert!(written > 40);
}
