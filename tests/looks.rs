//! What is easily found is found beside a search that would not come to its end, and nothing else is claimed for it. Work is
//! counted, so these tests say the same on every machine.

extern crate puch_engine as puch;

#[path = "../benches/families/mod.rs"]
mod families;
mod oracle;
mod support;

use families::{FAMILIES, quicksort::exchanging};
use fastrand::Rng;
use puch::check::{Answer, Property, Target, Verdict, check};
use puch::limits::Limits;
use puch::options::{Engine, Options, Runs, TraceWish};
use puch::{boolprog, remopla};
use spds_format::Spds;
use spds_format::model::SymbolId;
use support::seeds;
use support::{choices, shapes};

/// As much as a search for ever is allowed.
const WORK: u64 = 1 << 22;

fn program(name: &str, sizes: &[u64]) -> Spds {
    let family = FAMILIES.iter().find(|family| family.name == name).expect("there is such a family");
    let text = family.program(sizes).expect("these are sizes");
    boolprog::read(&text, "program.bp", &boolprog::Options::default()).expect("families are programs").spds
}

fn labelled(spds: &Spds, label: &str) -> Property {
    let symbols = (0..).map(SymbolId).zip(&spds.symbols);
    let there = symbols.filter(|(_, symbol)| symbol.labels.iter().any(|own| &**own == label));
    Property::Reach(there.map(|(symbol, _)| Target { control: None, symbol }).collect())
}

fn asked(spds: &Spds, property: Property, options: Options) -> Answer {
    let limits = Limits { memory: Some(512 << 20), ..Limits::default() };
    let options = Options { work: Some(WORK), limits, ..options };
    check(spds, &[property], &options).expect("every run is real").answers.remove(0)
}

#[test]
fn a_place_behind_calls_whose_effects_are_many_is_found_with_a_run() {
    let spds = program("mixing", &[100]);
    let options = Options { trace: TraceWish::Any, ..Options::default() };
    let answer = asked(&spds, labelled(&spds, "R"), options.clone());
    assert!(answer.verdict.trace().is_some(), "{answer:?}");
    let blind = Options { look_after: u64::MAX, engine: Engine::Biodivine, ..options };
    let blind = asked(&spds, labelled(&spds, "R"), blind);
    assert!(matches!(blind.verdict, Verdict::Unknown(_)), "else this tests nothing: {blind:?}");
}

#[test]
fn a_lasso_is_found_before_all_cycles_are() {
    let text = exchanging(4, 6, 3);
    let spds = remopla::read(&text, "program.rem", &remopla::Options::default()).expect("it is a program").spds;
    let options = Options { trace: TraceWish::Any, runs: Runs::Infinite, ..Options::default() };
    let answer = asked(&spds, Property::Termination, options);
    assert!(answer.verdict.trace().is_some(), "{answer:?}");
}

#[test]
fn looks_change_no_verdict() {
    for seed in seeds(470_000..470_060) {
        let mut rng = Rng::with_seed(seed);
        let spds = shapes::system(&mut rng);
        let runs = Runs::Maximal;
        // The search comes to some of these places before a look does, to others after that.
        let mut place = || Target { control: None, symbol: SymbolId(rng.u32(..spds.symbols.len() as u32)) };
        let places = [(); 4].map(|()| Property::Reach(vec![place()]));
        let property: Vec<Property> = [Property::Termination, Property::Assertions].into_iter().chain(places).collect();
        let trace = if rng.bool() { TraceWish::Any } else { TraceWish::Shortest };
        let with = |look_after| Options { look_after, trace, ..choices::limited(runs) };
        let early = if rng.bool() { 0 } else { 1 << 8 };
        let [blind, looking] =
            [u64::MAX, early].map(|look| check(&spds, &property, &with(look)).expect("every run is real"));
        for (blind, looking) in blind.answers.iter().zip(&looking.answers) {
            assert_eq!(blind.verdict.bare(), looking.verdict.bare(), "seed {seed}");
            assert_eq!(blind.verdict.trace().is_some(), looking.verdict.trace().is_some(), "seed {seed}");
            if trace == TraceWish::Shortest {
                assert_eq!(blind.verdict, looking.verdict, "seed {seed}");
            }
        }
    }
}
