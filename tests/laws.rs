//! Laws: what the search says is what the oracle says, on random systems and random programs, whatever the options.
//!
//! A failure shrinks; the message has the seed, what is wrong, and the smallest system or program that shows it.

mod oracle;
mod support;

use std::panic::{AssertUnwindSafe, catch_unwind};

use fastrand::Rng;
use puch::boolprog;
use puch::check::{Answer, Property, Target, Verdict, check};
use puch::limits::Limits;
use puch::options::{Engine, Loops, Options, Order, Search, Switch, TraceWish};
use spds_format::Spds;
use spds_format::model::SymbolId;
use support::systems::{self, Features};
use support::{pick, programs, runs, shrink};

/// The defaults, but for memory: an engine that takes what it might need at the start takes little.
fn limited() -> Options {
    let limits = Limits { memory: Some(256 << 20), ..Limits::default() };
    Options { limits, ..Options::default() }
}

/// Random choices; the first of a seed are the defaults.
fn options(rng: &mut Rng, count: usize) -> Vec<Options> {
    let random = |rng: &mut Rng| {
        let mut switch = || *pick(rng, &[Switch::On, Switch::Off]);
        let (modref, live, blocks, slice) = (switch(), switch(), switch(), switch());
        Options {
            engine: *pick(rng, &[Engine::Biodivine, Engine::Oxidd]),
            order: *pick(rng, &[Order::Force, Order::Declared, Order::Apart, Order::GlobalsFirst]),
            trace: *pick(rng, &[TraceWish::None, TraceWish::Any, TraceWish::Shortest]),
            search: *pick(rng, &[Search::Post, Search::Post, Search::Pre]),
            loops: *pick(rng, &[Loops::Auto, Loops::Step, Loops::Square]),
            modref,
            live,
            blocks,
            slice,
            ..limited()
        }
    };
    std::iter::once(limited()).chain((1..count).map(|_| random(rng))).collect()
}

/// What is wrong with the answers on a system, if anything.
fn wrong(spds: &Spds, targets: &[SymbolId], options: &Options) -> Option<String> {
    differs(spds, &oracle::explore(spds), targets, options)
}

/// The same, for a system that the oracle has explored.
fn differs(spds: &Spds, explored: &oracle::Explored, targets: &[SymbolId], options: &Options) -> Option<String> {
    let distances = [explored.distance(targets), explored.failing(spds)];
    let targets = targets.iter().map(|symbol| Target { control: None, symbol: *symbol }).collect();
    let properties = [Property::Reach(targets), Property::Assertions];
    let outcome = match catch_unwind(AssertUnwindSafe(|| check(spds, &properties, options))) {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(error)) => return Some(error.to_string()),
        Err(_) => return Some("it panics".into()),
    };
    let verdicts = [[Verdict::Unreachable, Verdict::Reachable(None)], [Verdict::Holds, Verdict::Violated(None)]];
    (0..2).find_map(|i| {
        let verdict = verdicts[i][usize::from(distances[i].is_some())].clone();
        complaint(spds, &outcome.answers[i], verdict, distances[i], options.trace)
    })
}

fn complaint(spds: &Spds, answer: &Answer, verdict: Verdict, distance: Option<u64>, wish: TraceWish) -> Option<String> {
    if answer.verdict.bare() != verdict {
        return Some(format!("the answer is {:?}, but the oracle says {verdict:?}", answer.verdict));
    }
    let wanted = wish != TraceWish::None && distance.is_some();
    match (answer.verdict.trace(), distance) {
        (Some(_), _) if !wanted => Some("there is a trace that no one asked for".into()),
        (None, _) if wanted => Some(format!("there is no trace: {:?}", answer.trace_omitted)),
        (Some(trace), Some(distance)) if wish == TraceWish::Shortest => {
            let steps = runs::length(spds, &trace.run);
            (steps != distance)
                .then(|| format!("the trace has {steps} steps, the shortest {distance}: {:?}", trace.run))
        }
        _ => None,
    }
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
        for options in options(&mut Rng::with_seed(seed), 3) {
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
        for options in options(&mut Rng::with_seed(seed), 2) {
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
            for options in options(&mut Rng::with_seed(seed as u64), 3) {
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
                let options = Options { engine, ..limited() };
                check(spds, &properties, &options).expect("runs that are found are real").answers
            };
            assert_eq!(answers(Engine::Biodivine), answers(Engine::Oxidd), "seed {seed}\n{spds}");
        }
    }
}
