//! Certificates: what holds is certified, what is certified holds, and what is not inductive is refused.

extern crate puch_engine as puch;

#[path = "support/both_ways.rs"]
mod both_ways;
mod oracle;
mod support;

use std::sync::Arc;

use fastrand::Rng;
use puch::certificate::{Certificate, Claim, Kind, Moment, Node, Tag, read, write};
use puch::certify::Found;
use puch::check::{Options, Property, Verdict, check};
use puch::evidence::{NotMade, apart, certificate, claim as claim_of, concerned};
use puch::limits::Limits;
use puch::options::Runs;
use puch::regular::{Direction, Question, saturate};
use spds_format::automaton::{Edge, End, StateId};
use spds_format::model::{ControlId, Head, SymbolId};
use spds_format::{Automaton, Spds};
use support::systems::{self, Features};
use support::{automata, choices, one_in, pick, shapes};

/// Small tables, so that spaces are made quickly.
fn limits() -> Limits {
    Limits { memory: Some(64 << 20), ..Limits::default() }
}

fn claim(spds: &Spds, symbol: SymbolId) -> Claim {
    let controls = (0..spds.controls.len() as u32).map(ControlId);
    let targets = controls.map(|control| Head { control, symbol }).collect();
    Claim { kind: Kind::Reach(spds.symbol(symbol).name.to_string()), targets }
}

fn made(spds: &Spds, claim: Claim, options: &Options) -> Option<Certificate> {
    match certificate(spds, claim, options) {
        Ok(certificate) => Some(certificate),
        Err(NotMade::Reached) => None,
        Err(NotMade::Stopped(stop)) => panic!("no limit is set: {stop}"),
    }
}

fn options(rng: &mut Rng) -> Options {
    choices::random(rng, Runs::default())
}

fn found(spds: &Spds, certificate: &Certificate) -> Found {
    both_ways::found(spds, certificate, &limits()).expect("no limit is met")
}

fn text(spds: &Spds, certificate: &Certificate) -> String {
    let mut text = Vec::new();
    write(&mut text, spds, certificate).expect("a vector takes everything");
    String::from_utf8(text).expect("certificates are text")
}

#[test]
fn every_place_that_is_not_reached_is_certified() {
    let (mut certified, mut reached) = (0, 0);
    for seed in support::seeds(0..150) {
        let spds = systems::system(seed, Features::ALL);
        let explored = oracle::explore(&spds);
        let mut rng = Rng::with_seed(seed);
        for symbol in (0..spds.symbols.len() as u32).map(SymbolId) {
            if !one_in(&mut rng, 3) {
                continue;
            }
            let none = !explored.edges.iter().any(|(_, state)| state.symbol == symbol);
            let made = made(&spds, claim(&spds, symbol), &options(&mut rng));
            assert_eq!(made.is_some(), none, "{spds}");
            let Some(made) = made else {
                reached += 1;
                continue;
            };
            assert_eq!(found(&spds, &made), Found::Proves, "{}\n{spds}\n{}", seed, text(&spds, &made));
            assert!(oracle::certificates::proves(&spds, &made), "{spds}\n{}", text(&spds, &made));
            assert_eq!(read(&spds, &text(&spds, &made)), Ok(vec![made]));
            certified += 1;
        }
    }
    assert!(certified > 100 && reached > 100, "{certified} certified, {reached} reached");
}

#[test]
fn every_set_of_configurations_that_is_not_reached_is_certified() {
    let (mut certified, mut reached) = (0, 0);
    for seed in support::seeds(0..300) {
        let rng = &mut Rng::with_seed(seed);
        let spds = if seed % 2 == 0 { shapes::system(rng) } else { systems::system(seed, Features::ALL) };
        let set = automata::automaton(seed, &spds, automata::Carry::Values);
        let Some(explored) = oracle::explore_within(&spds, 1 << 12) else { continue };
        let is_reached = oracle::sets::reaches(&spds, &explored, &set);
        let property = Property::Configurations(Arc::new(set));
        let options = options(rng);
        let own = claim_of(&spds, &property, "<.*>", options.runs).expect("there is a certificate of this kind");
        let system = concerned(&spds, &property, options.runs).expect("this is small");
        assert_eq!(spds_format::validate(&system), [], "{seed}\n{spds}");
        let Some(made) = made(&system, own, &options) else {
            assert!(is_reached, "{seed}\n{spds}\n{system}");
            reached += 1;
            continue;
        };
        assert!(!is_reached, "{seed}\n{spds}\n{system}");
        assert_eq!(found(&system, &made), Found::Proves, "{seed}\n{system}\n{}", text(&system, &made));
        assert_eq!(read(&system, &text(&system, &made)), Ok(vec![made]));
        certified += 1;
    }
    println!("{certified} certified, {reached} reached");
    assert!(certified > 50 && reached > 50, "{certified} certified, {reached} reached");
}

/// Whether some configuration of the second set is reached from one of the first, as the search for sets says.
fn meets(spds: &Spds, [from, to]: [&Automaton; 2], options: &Options) -> bool {
    let question = Question { direction: Direction::Post, set: from, meets: std::slice::from_ref(to), words: None };
    saturate(spds, &question, options).answer.expect("no limit is met").meets[0]
}

/// The search for sets knows nothing of the system in which a run builds the stack with which it begins, and the oracle, which explores that system,
/// nothing of the search.
#[test]
fn every_set_that_is_not_reached_from_another_one_is_certified() {
    let (mut certified, mut reached, mut explored) = (0, 0, 0);
    for seed in support::seeds(0..300) {
        let rng = &mut Rng::with_seed(seed);
        let spds = if seed % 2 == 0 { shapes::system(rng) } else { systems::system(seed, Features::ALL) };
        let carry = if seed % 3 == 0 { automata::Carry::Nothing } else { automata::Carry::Values };
        let [from, mut to] = [seed, seed + 1_000_000].map(|seed| automata::automaton(seed, &spds, carry));
        if seed % 5 == 0 {
            // The empty stack as well.
            let (from, to_state) = (End::Control(ControlId(0)), to.states.len() as u32 - 1);
            to.edges.push(Edge { from, symbol: None, to: End::State(StateId(to_state)), condition: None });
        }
        let options = options(rng);
        let comes = meets(&spds, [&from, &to], &options);
        let (system, own) = apart(&spds, [("<.*>", &from), ("<a .*>", &to)]).expect("this is small");
        assert_eq!(spds_format::validate(&system), [], "{seed}\n{spds}");
        if let Some(seen) = oracle::explore_within(&system, 1 << 11) {
            let comes_there = own.targets.iter().any(|head| {
                seen.edges.iter().any(|(_, state)| (state.control, state.symbol) == (head.control, head.symbol))
            });
            assert_eq!(comes_there, comes, "{seed}\n{spds}\n{system}");
            explored += 1;
        }
        let Some(made) = made(&system, own, &options) else {
            assert!(comes, "{seed}\n{spds}\n{system}");
            reached += 1;
            continue;
        };
        assert!(!comes, "{seed}\n{spds}\n{system}");
        assert_eq!(found(&system, &made), Found::Proves, "{seed}\n{system}\n{}", text(&system, &made));
        assert_eq!(read(&system, &text(&system, &made)), Ok(vec![made]));
        certified += 1;
    }
    println!("{certified} certified, {reached} reached, {explored} explored");
    assert!(
        certified > 50 && reached > 50 && explored > 30,
        "{certified} certified, {reached} reached, {explored} explored"
    );
}

/// How many kinds of changes there are.
const KINDS: u32 = 20;

/// The certificate, changed in one of many ways.
fn changed(rng: &mut Rng, kind: u32, spds: &Spds, certificate: &Certificate) -> Certificate {
    let mut other = certificate.clone();
    let sets = other.nodes.len() as u32 + 2;
    let bits = other.order.len() as u32;
    let line = rng.usize(..other.reached.len().max(1));
    let back = rng.usize(..other.returned.len().max(1));
    let nodes = other.nodes.len();
    let moment = if rng.bool() { Moment::Now } else { Moment::Entry };
    match kind {
        0 if !other.reached.is_empty() => drop(other.reached.remove(line)),
        1 if !other.returned.is_empty() => drop(other.returned.remove(back)),
        2 => other.reached[line].2 = 0,
        3 => other.reached[line].2 = 1,
        4 => other.reached[line].2 = rng.u32(..sets),
        5 if !other.returned.is_empty() => other.returned[back].2 = rng.u32(..sets),
        6 if nodes > 0 => {
            let node = &mut other.nodes[rng.usize(..nodes)];
            std::mem::swap(&mut node.high, &mut node.low);
        }
        7 if nodes > 0 => {
            let node = &mut other.nodes[rng.usize(..nodes)];
            node.high = node.low;
        }
        8 if nodes > 0 => other.nodes[rng.usize(..nodes)].bit = rng.u32(..bits.max(1)),
        9 if nodes > 0 => other.nodes[rng.usize(..nodes)].moment = moment,
        10 => {
            let tag = pick(rng, &certificate.reached).0;
            other.reached[line].0 = tag;
        }
        11 => {
            let head = pick(rng, &certificate.reached).1;
            other.reached[line].1 = head;
        }
        12 if !other.returned.is_empty() => other.returned[back].1 = ControlId(rng.u32(..spds.controls.len() as u32)),
        13 => other.claim.targets.push(pick(rng, &certificate.reached).1),
        14 if bits > 0 => {
            // Without one half.
            let low = other.reached[line].2;
            let (high, low) = if rng.bool() { (0, low) } else { (low, 0) };
            other.nodes.push(Node { moment, bit: rng.u32(..bits), high, low });
            other.reached[line].2 = sets;
        }
        15 if bits > 0 => {
            // With more in one half.
            other.nodes.push(Node { moment, bit: rng.u32(..bits), high: 1, low: other.reached[line].2 });
            other.reached[line].2 = sets;
        }
        16 if bits > 0 && !other.returned.is_empty() => {
            other.nodes.push(Node { moment, bit: rng.u32(..bits), high: 0, low: other.returned[back].2 });
            other.returned[back].2 = sets;
        }
        17 => {
            // What was at the entry is now, and the other way round.
            for node in &mut other.nodes {
                node.moment = if node.moment == Moment::Now { Moment::Entry } else { Moment::Now };
            }
        }
        18 => {
            let tag = pick(rng, &certificate.reached).0;
            other.reached.retain(|(own, ..)| *own != tag);
        }
        19 => {
            let tag = Tag::Entry(pick(rng, &certificate.reached).1);
            other.reached[line].0 = tag;
        }
        _ => {}
    }
    other.claim.targets.sort_unstable();
    other.claim.targets.dedup();
    other
}

#[test]
fn a_changed_certificate_proves_exactly_what_is_inductive_by_brute_force() {
    let (mut refused, mut survived, mut foreign) = ([0; KINDS as usize], 0, 0);
    for seed in support::seeds(0..60) {
        let spds = systems::system(seed, Features::ALL);
        let mut rng = Rng::with_seed(seed);
        for symbol in (0..spds.symbols.len() as u32).map(SymbolId) {
            let Some(made) = made(&spds, claim(&spds, symbol), &options(&mut rng)) else { continue };
            for kind in (0..KINDS).filter(|_| !made.reached.is_empty()) {
                let other = changed(&mut rng, kind, &spds, &made);
                if other == made {
                    continue;
                }
                let found = found(&spds, &other);
                if let Found::Foreign(_) = found {
                    foreign += 1;
                    continue;
                }
                let proves = oracle::certificates::proves(&spds, &other);
                let both = (proves, matches!(found, Found::Proves));
                assert!(both.0 == both.1, "{kind} {both:?} {found:?}\n{spds}\n{}", text(&spds, &other));
                if proves { survived += 1 } else { refused[kind as usize] += 1 }
            }
        }
    }
    assert!(refused.iter().all(|count| *count > 3), "{refused:?}, {survived} survived, {foreign} foreign");
    assert!(survived > 20, "{survived}");
}

const TERMINATION: Claim = Claim { kind: Kind::Termination, targets: Vec::new() };

#[test]
fn every_system_that_terminates_is_certified() {
    let (mut certified, mut round, mut endless) = (0, 0, 0);
    for seed in support::seeds(0..400) {
        let spds = systems::system(seed, Features::ALL);
        let mut rng = Rng::with_seed(seed);
        let options = options(&mut rng);
        let verdict =
            check(&spds, &[Property::Termination], &options).expect("runs are real").answers[0].verdict.bare();
        let made = made(&spds, TERMINATION, &options);
        assert_eq!(made.is_some(), verdict == Verdict::Holds, "{seed}\n{spds}");
        let Some(made) = made else {
            endless += 1;
            continue;
        };
        assert_eq!(found(&spds, &made), Found::Proves, "{seed}\n{spds}\n{}", text(&spds, &made));
        assert!(oracle::certificates::proves(&spds, &made), "{spds}\n{}", text(&spds, &made));
        assert_eq!(read(&spds, &text(&spds, &made)), Ok(vec![made.clone()]));
        round += usize::from(!made.again.is_empty());
        certified += 1;
    }
    assert!(
        certified > 50 && round > 10 && endless > 50,
        "{certified} certified, {round} with circles, {endless} endless"
    );
}

#[test]
fn a_rule_that_an_invariant_excludes_is_on_no_circle() {
    let text = "spds 1
        global g: bool;
        frame p { }
        control c;
        symbol s in p invariant !g;
        start <c, s>;
        rule <c, s> -> <c, s> when g;
        rule <c, s> -> <c>;
    ";
    let spds = spds_format::parse(text).expect("a system");
    let made = made(&spds, TERMINATION, &options(&mut Rng::with_seed(0))).expect("it ends");
    assert_eq!(found(&spds, &made), Found::Proves, "{}", self::text(&spds, &made));
    assert!(oracle::certificates::proves(&spds, &made));
}

#[test]
fn a_changed_certificate_of_termination_proves_exactly_what_brute_force_says() {
    let (mut refused, mut survived) = ([0; 10], 0);
    for seed in support::seeds(0..400) {
        let spds = systems::system(seed, Features::ALL);
        let mut rng = Rng::with_seed(seed);
        let Some(made) = made(&spds, TERMINATION, &options(&mut rng)).filter(|made| !made.again.is_empty()) else {
            continue;
        };
        let (sets, bits) = (made.nodes.len() as u32 + 2, made.order.len() as u32);
        for (kind, count) in refused.iter_mut().enumerate() {
            let mut other = made.clone();
            let line = rng.usize(..other.again.len());
            match kind {
                0 => drop(other.again.remove(line)),
                1 if rng.bool() => other.cuts.reverse(),
                1 => drop(other.cuts.remove(rng.usize(..other.cuts.len()))),
                2 => other.again[line].2 = 1,
                3 => other.again[line].2 = rng.u32(..sets),
                4 => other.again[line].1 = pick(&mut rng, &made.again).1,
                5 => other.again[line].0 = pick(&mut rng, &made.again).1,
                6 if bits > 0 => {
                    let moment = if rng.bool() { Moment::Now } else { Moment::Entry };
                    let node = Node { moment, bit: rng.u32(..bits), high: 0, low: other.again[line].2 };
                    other.nodes.push(node);
                    other.again[line].2 = sets;
                }
                7 if bits > 0 => {
                    let node = Node { moment: Moment::Now, bit: rng.u32(..bits), high: 1, low: other.again[line].2 };
                    other.nodes.push(node);
                    other.again[line].2 = sets;
                }
                8 => other = changed(&mut rng, 0, &spds, &made),
                9 => other = changed(&mut rng, 3, &spds, &made),
                _ => {}
            }
            if other == made || matches!(found(&spds, &other), Found::Foreign(_)) {
                continue;
            }
            let proves = oracle::certificates::proves(&spds, &other);
            let own = found(&spds, &other);
            assert_eq!(own == Found::Proves, proves, "{kind} {own:?}\n{spds}\n{}", text(&spds, &other));
            if proves { survived += 1 } else { *count += 1 }
        }
    }
    assert!(refused.iter().all(|count| *count > 0) && survived > 3, "{refused:?}, {survived} survived");
}
