//! Certificates about control alone: systems without data have them, they prove what brute force finds inductive, and what they prove
//! holds whatever the data; and making and checking them is little work where calls are many.

extern crate puch_engine as puch;

#[path = "support/both_ways.rs"]
mod both_ways;
#[path = "../benches/families/mod.rs"]
mod families;
mod oracle;
mod support;

use fastrand::Rng;
use puch::certificate::{Certificate, Claim, Kind, read, write};
use puch::certify::{Found, certify};
use puch::check::Options;
use puch::evidence::{NotMade, certificate};
use puch::limits::{Limits, Stop};
use puch::options::Engine;
use spds_format::Spds;
use spds_format::model::{ControlId, Head, Stack, SymbolId};
use support::systems::{self, Features};
use support::{pick, seeds};

/// A random system without data, with some symbols below the start.
fn plain(rng: &mut Rng) -> Spds {
    let (controls, symbols) = (rng.u32(1..4), rng.u32(2..5));
    let list = |letter: char, count: u32| (0..count).map(|n| format!("{letter}{n}")).collect::<Vec<_>>();
    let below = (0..rng.u32(..3)).map(|_| format!(" s{}", rng.u32(..symbols))).collect::<String>();
    let mut text = format!("spds 1\ncontrol {};\n", list('p', controls).join(", "));
    list('s', symbols).iter().for_each(|name| text += &format!("symbol {name};\n"));
    text += &format!("start <p0, s0{below}>;\n");
    for _ in 0..rng.u32(1..9) {
        let symbol = |rng: &mut Rng| format!("s{}", rng.u32(..symbols));
        let stack = match rng.u32(..3) {
            0 => String::new(),
            1 => format!(", {}", symbol(rng)),
            _ => format!(", {} {}", symbol(rng), symbol(rng)),
        };
        let (from, to) = (rng.u32(..controls), rng.u32(..controls));
        text += &format!("rule <p{from}, {}> -> <p{to}{stack}>;\n", symbol(rng));
    }
    spds_format::parse(&text).unwrap_or_else(|complaints| panic!("{complaints:?}\n{text}"))
}

fn controls(spds: &Spds) -> impl Iterator<Item = ControlId> + use<> {
    (0..spds.controls.len() as u32).map(ControlId)
}

fn symbols(spds: &Spds) -> impl Iterator<Item = SymbolId> + use<> {
    (0..spds.symbols.len() as u32).map(SymbolId)
}

fn claim(spds: &Spds, symbol: SymbolId) -> Claim {
    let targets = controls(spds).map(|control| Head { control, symbol }).collect();
    Claim { kind: Kind::Reach(spds.symbol(symbol).name.to_string()), targets }
}

fn found(spds: &Spds, certificate: &Certificate) -> Found {
    both_ways::found(spds, certificate, &Limits::NONE).expect("no limit is set")
}

fn text(spds: &Spds, certificate: &Certificate) -> String {
    let mut text = Vec::new();
    write(&mut text, spds, certificate).expect("a vector takes everything");
    String::from_utf8(text).expect("certificates are text")
}

/// How many kinds of changes there are.
const KINDS: u32 = 6;

/// The certificate, changed in one of many ways.
fn changed(rng: &mut Rng, kind: u32, spds: &Spds, certificate: &Certificate) -> Certificate {
    let mut other = certificate.clone();
    let line = rng.usize(..other.tops.len());
    let (control, symbol) =
        (ControlId(rng.u32(..spds.controls.len() as u32)), *pick(rng, &symbols(spds).collect::<Vec<_>>()));
    let (head, gone) = &mut other.tops[line];
    match kind {
        0 if certificate.tops.len() > 1 => drop(other.tops.remove(line)),
        1 => *gone = gone.iter().copied().skip(1).collect(),
        2 => *gone = gone.iter().copied().chain([control]).collect(),
        3 => *head = Head { control, symbol },
        4 => other.tops.push((Head { control, symbol }, Box::new([]))),
        _ => other.claim.targets.push(certificate.tops[line].0),
    }
    other.claim.targets.sort_unstable();
    other.claim.targets.dedup();
    other
}

#[test]
fn places_of_systems_without_data_are_certified_by_control_and_changes_are_refused_as_brute_force_says() {
    let (mut certified, mut reached, mut refused, mut survived) = (0, 0, [0; KINDS as usize], 0);
    for seed in seeds(0..300) {
        let mut rng = Rng::with_seed(seed);
        let spds = plain(&mut rng);
        let explored = oracle::explore(&spds);
        for symbol in symbols(&spds) {
            let none = !explored.edges.iter().any(|(_, state)| state.symbol == symbol);
            let made = match certificate(&spds, claim(&spds, symbol), &Options::default()) {
                Ok(made) => made,
                Err(why) => {
                    assert!(!none && why == NotMade::Reached, "{why:?}\n{spds}");
                    reached += 1;
                    continue;
                }
            };
            let words = text(&spds, &made);
            assert!(none && !made.tops.is_empty() && made.reached.is_empty(), "{spds}\n{words}");
            assert_eq!(found(&spds, &made), Found::Proves, "{spds}\n{words}");
            assert!(oracle::certificates::proves(&spds, &made), "{spds}\n{words}");
            assert_eq!(read(&spds, &words), Ok(vec![made.clone()]));
            certified += 1;
            for kind in 0..KINDS {
                let other = changed(&mut rng, kind, &spds, &made);
                if other == made {
                    continue;
                }
                let proves = oracle::certificates::proves(&spds, &other);
                assert_eq!(found(&spds, &other) == Found::Proves, proves, "{kind}\n{spds}\n{}", text(&spds, &other));
                if proves { survived += 1 } else { refused[kind as usize] += 1 }
            }
        }
    }
    assert!(certified > 100 && reached > 100, "{certified} certified, {reached} reached");
    assert!(refused.iter().all(|count| *count > 3) && survived > 20, "{refused:?}, {survived} survived");
}

/// The least H and R, by repeating all rules: data are forgotten.
fn least(spds: &Spds) -> Vec<(Head, Box<[ControlId]>)> {
    use std::collections::{BTreeMap, BTreeSet};
    let mut tops: BTreeMap<Head, BTreeSet<ControlId>> = BTreeMap::new();
    loop {
        let before = tops.clone();
        let mut on_top = BTreeSet::from([spds.start.control]);
        for &symbol in &spds.start.stack {
            let heads: Vec<Head> = on_top.iter().map(|&control| Head { control, symbol }).collect();
            on_top = heads.into_iter().flat_map(|head| tops.entry(head).or_default().clone()).collect();
        }
        for rule in &spds.rules {
            if !tops.contains_key(&rule.from) {
                continue;
            }
            let more: Vec<ControlId> = match rule.stack {
                Stack::Pop => vec![rule.to],
                Stack::Swap(symbol) => {
                    tops.entry(Head { control: rule.to, symbol }).or_default().iter().copied().collect()
                }
                Stack::Push(symbol, site) => {
                    let returned = tops.entry(Head { control: rule.to, symbol }).or_default().clone();
                    let heads = returned.into_iter().map(|control| Head { control, symbol: site });
                    heads.flat_map(|head| tops.entry(head).or_default().clone()).collect()
                }
            };
            tops.entry(rule.from).or_default().extend(more);
        }
        if tops == before {
            return tops.into_iter().map(|(head, gone)| (head, gone.into_iter().collect())).collect();
        }
    }
}

#[test]
fn what_control_alone_excludes_is_reached_with_no_data() {
    let (mut proved, mut refused) = (0, 0);
    for seed in seeds(0..150) {
        let spds = systems::system(seed, Features::ALL);
        let explored = oracle::explore(&spds);
        for symbol in symbols(&spds) {
            let by_values =
                certificate(&spds, claim(&spds, symbol), &Options { engine: Engine::Biodivine, ..Options::default() });
            let about = puch::certificate::about(&spds);
            let own = Certificate {
                about,
                claim: claim(&spds, symbol),
                order: Vec::new(),
                nodes: Vec::new(),
                reached: Vec::new(),
                returned: Vec::new(),
                cuts: Vec::new(),
                again: Vec::new(),
                tops: least(&spds),
            };
            let proves = found(&spds, &own) == Found::Proves;
            assert_eq!(proves, oracle::certificates::proves(&spds, &own), "{spds}\n{}", text(&spds, &own));
            let is_reached = explored.edges.iter().any(|(_, state)| state.symbol == symbol);
            assert!(!(proves && is_reached), "{spds}\n{}", text(&spds, &own));
            // With sets besides, or of runs that go on for ever, it says nothing.
            if let Some(mut both) = by_values.ok().filter(|made| !made.reached.is_empty()) {
                both.tops.clone_from(&own.tops);
                assert!(matches!(found(&spds, &both), Found::Foreign(_)));
            }
            let for_ever = Claim { kind: Kind::Termination, targets: Vec::new() };
            assert!(matches!(found(&spds, &Certificate { claim: for_ever, ..own }), Found::Foreign(_)));
            if proves { proved += 1 } else { refused += 1 }
        }
    }
    assert!(proved > 20 && refused > 100, "{proved} proved, {refused} refused");
}

/// A random system with so many rules, control locations and symbols, in which nearly every call comes to nearly every head.
fn dense(rules: u64, controls: u64, symbols: u64) -> Spds {
    let family = families::FAMILIES.iter().find(|family| family.name == "explicit").expect("it is a family");
    let text = family.program(&[rules, controls, symbols, 1]).expect("these are sizes");
    let read = puch::pdaaal::read(&text, &puch::pdaaal::Options { start: puch::pdaaal::Starting::Told });
    read.unwrap_or_else(|complaints| panic!("{complaints:?}")).spds
}

const ASSERTIONS: Claim = Claim { kind: Kind::Assertions, targets: Vec::new() };

#[test]
fn certifying_a_dense_system_takes_some_steps_for_each_rule_and_control_location() {
    for (rules, controls, symbols) in [(1_500, 30, 20), (6_000, 60, 40), (24_000, 120, 80)] {
        let spds = dense(rules, controls, symbols);
        let made = certificate(&spds, ASSERTIONS, &Options::default()).expect("no limit is set");
        let (lines, heads) = (made.tops.len() as u64, controls * spds.symbols.len() as u64);
        assert!(lines > heads / 4 && lines <= heads, "{lines} lines, {heads} heads");
        // A call is asked about once for each return, and there is about one call to three rules.
        let steps = 2 * rules * controls * controls.div_ceil(64) / 2;
        assert_eq!(certify(&spds, &made, &Limits::NONE, Some(steps)), Ok(Found::Proves), "{rules} rules");
        assert_eq!(certify(&spds, &made, &Limits::NONE, Some(rules / 4)), Err(Stop::Allowance), "{rules} rules");
    }
}

#[test]
fn a_certificate_that_would_be_much_work_is_given_up() {
    let spds = dense(6_000, 60, 40);
    // By sets there is a line for each head and each entry: millions.
    let options = |work| Options { engine: Engine::Biodivine, work: Some(work), ..Options::default() };
    let stopped = Some(NotMade::Stopped(Stop::Allowance));
    assert_eq!(certificate(&spds, ASSERTIONS, &options(1 << 18)).err(), stopped);
    let small = dense(300, 12, 10);
    let made = certificate(&small, ASSERTIONS, &options(1 << 24)).expect("it is little work");
    assert!(made.tops.is_empty() && !made.reached.is_empty());
    let questions = made.reached.len() as u64;
    assert_eq!(certify(&small, &made, &Limits::NONE, None), Ok(Found::Proves));
    assert_eq!(certify(&small, &made, &Limits::NONE, Some(questions)), Err(Stop::Allowance));
}
