//! Laws: what the search says is what the oracle says, on random systems and random programs, whatever the options.
//!
//! A failure shrinks; the message has the seed, what is wrong, and the smallest system or program that shows it.

extern crate puch_engine as puch;

mod oracle;
mod support;

use fastrand::Rng;
use puch::boolprog;
use puch::check::{Property, Target, check};
use puch::options::{Engine, Options, Runs};
use spds_format::Spds;
use spds_format::model::SymbolId;
use support::systems::{self, Features};
use support::verdicts::differs;
use support::{choices, programs, shrink};

/// What is wrong with the answers on a system, if anything.
fn wrong(spds: &Spds, targets: &[SymbolId], options: &Options) -> Option<String> {
    differs(spds, &oracle::explore(spds), targets, options)
}

/// Fails with the smallest system that shows what is wrong.
fn report(seed: u64, spds: &Spds, targets: &[SymbolId], options: &Options, what: &str) -> ! {
    let least = shrink(spds.clone(), |spds| wrong(spds, targets, options).is_some());
    let now = wrong(&least, targets, options).unwrap_or_default();
    let text = spds_format::print(&least);
    panic!("seed {seed}: {what}\nwith {options:?}\nshrunk, to {targets:?}: {now}\n{text}");
}

#[test]
fn search_and_oracle_agree_on_systems() {
    for seed in support::seeds(0..600) {
        let spds = systems::system(seed, Features::ALL);
        let targets = systems::targets(seed, &spds);
        let explored = oracle::explore(&spds);
        for options in choices::some(&mut Rng::with_seed(seed), Runs::default(), 3) {
            if let Some(what) = differs(&spds, &explored, &targets, &options) {
                report(seed, &spds, &targets, &options, &what);
            }
        }
    }
}

/// The labels `R` and `T`, each in turn, and the assertions.
fn wrong_program(text: &str, options: &Options) -> Option<String> {
    let spds = match boolprog::read(text, "random.bp", &boolprog::Options::default()) {
        Ok(program) => program.spds,
        Err(complaints) => return Some(format!("it is refused: {complaints:?}")),
    };
    let explored = oracle::explore(&spds);
    ["R", "T"].iter().find_map(|label| {
        let labelled = |symbol: &u32| spds.symbols[*symbol as usize].labels.iter().any(|l| &**l == *label);
        let targets: Vec<SymbolId> = (0..spds.symbols.len() as u32).filter(labelled).map(SymbolId).collect();
        differs(&spds, &explored, &targets, options)
    })
}

#[test]
fn search_and_oracle_agree_on_programs() {
    for seed in support::seeds(0..500) {
        let program = programs::program(seed);
        for options in choices::some(&mut Rng::with_seed(seed), Runs::default(), 2) {
            if let Some(what) = wrong_program(&program.to_string(), &options) {
                let least = shrink(program, |program| wrong_program(&program.to_string(), &options).is_some());
                let now = wrong_program(&least.to_string(), &options).unwrap_or_default();
                panic!("seed {seed}: {what}\nwith {options:?}\nshrunk: {now}\n{least}");
            }
        }
    }
}

#[test]
fn search_and_oracle_agree_on_small_programs_of_other_people() {
    let Some(corpus) = support::corpus() else { return };
    let mut all = 0;
    for (seed, (path, text)) in corpus.into_iter().enumerate() {
        let Ok(program) = boolprog::read(&text, &path, &boolprog::Options::default()) else { continue };
        let locals = program.spds.frames.iter().map(|frame| frame.variables.len()).max().unwrap_or(0);
        if program.spds.globals.len() + locals > 8 {
            continue;
        }
        all += 1;
        let spds = &program.spds;
        let explored = oracle::explore(spds);
        let symbols = (0..spds.symbols.len() as u32).map(SymbolId);
        let labelled = symbols.filter(|symbol| !spds.symbol(*symbol).labels.is_empty()).map(|symbol| vec![symbol]);
        for targets in labelled.chain([Vec::new()]) {
            for options in choices::some(&mut Rng::with_seed(seed as u64), Runs::default(), 3) {
                if let Some(what) = differs(spds, &explored, &targets, &options) {
                    panic!("{path}: {what}\nwith {options:?}");
                }
            }
        }
    }
    assert!(all > 20, "{all} programs of the corpus were compared");
}

#[test]
fn engines_give_the_same_answers_with_the_same_runs() {
    for seed in support::seeds(0..150) {
        let text = programs::program(seed).to_string();
        let program = boolprog::read(&text, "random.bp", &boolprog::Options::default()).expect("programs are valid");
        let system = systems::system(seed, Features::ALL);
        for (spds, targets) in [(&program.spds, Vec::new()), (&system, systems::targets(seed, &system))] {
            let targets = targets.into_iter().map(|symbol| Target { control: None, symbol }).collect();
            let properties = [Property::Reach(targets), Property::Assertions];
            let answers = |engine| {
                let options = Options { engine, ..choices::limited(Runs::default()) };
                check(spds, &properties, &options).expect("runs that are found are real").answers
            };
            assert_eq!(answers(Engine::Biodivine), answers(Engine::Shared), "seed {seed}\n{spds}");
        }
    }
}
