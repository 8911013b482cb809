//! How high stacks get: what puch says is what the oracle says, on random systems and programs.

mod oracle;
mod support;

use fastrand::Rng;
use puch::boolprog;
use puch::options::Runs;
use spds_format::Spds;
use support::heights::differs;
use support::systems::Features;
use support::{choices, programs, shapes, shrink, systems};

/// So many states are enough for the oracle.
const LARGEST: usize = 1 << 12;

fn read(text: &str) -> Spds {
    let program = boolprog::read(text, "random.bp", &boolprog::Options::default());
    program.expect("programs are valid").spds
}

/// What is wrong with what is said of a system, if anything.
fn wrong(seed: u64, spds: &Spds) -> Option<String> {
    let rng = &mut Rng::with_seed(seed);
    let explored = oracle::explore_within(spds, LARGEST)?;
    let options = choices::some(rng, Runs::default(), 2);
    options.iter().find_map(|options| {
        let what = differs(spds, &explored, seed, options)?;
        Some(format!("{what}\nwith {}", choices::written(options)))
    })
}

fn all(spds: &Spds, seed: u64) {
    if let Some(what) = wrong(seed, spds) {
        let least = shrink(spds.clone(), |spds| wrong(seed, spds).is_some());
        let now = wrong(seed, &least).unwrap_or_default();
        panic!("seed {seed}: {what}\nshrunk: {now}\n{}", spds_format::print(&least));
    }
}

#[test]
fn heights_of_systems_are_those_of_the_oracle() {
    for seed in support::seeds(0..120) {
        all(&systems::system(seed, Features::ALL), seed);
        all(&shapes::system(&mut Rng::with_seed(seed)), seed);
    }
}

#[test]
fn heights_of_programs_are_those_of_the_oracle() {
    for seed in support::seeds(0..120) {
        let drawn = [programs::program(seed), shapes::program(&mut Rng::with_seed(seed))];
        for program in drawn {
            let wrong = |program: &programs::Program| wrong(seed, &read(&program.to_string()));
            if let Some(what) = wrong(&program) {
                let least = shrink(program, |program| wrong(program).is_some());
                let now = wrong(&least).unwrap_or_default();
                panic!("seed {seed}: {what}\nshrunk: {now}\n{least}");
            }
        }
    }
}

#[test]
fn the_oracle_says_how_high_stacks_get_that_are_looked_at_one_by_one() {
    let mut compared = (0, 0);
    for seed in support::seeds(0..200) {
        for spds in [systems::system(seed, Features::ALL), read(&programs::program(seed).to_string())] {
            let Some(explored) = oracle::explore_within(&spds, LARGEST) else { continue };
            let weight = oracle::heights::frames(&spds);
            let Some(seen) = oracle::heights::seen(&spds, &weight, 5, 1 << 12) else { continue };
            match oracle::heights::greatest(&spds, &explored, &weight) {
                Some(greatest) if greatest <= 5 => {
                    assert_eq!(seen, greatest, "seed {seed}\n{spds}");
                    compared.0 += 1;
                }
                greatest => {
                    assert!(seen >= 5, "seed {seed}: {seen}, not {greatest:?}\n{spds}");
                    compared.1 += 1;
                }
            }
        }
    }
    assert!(compared.0 > 20 && compared.1 > 5, "{compared:?}");
}
