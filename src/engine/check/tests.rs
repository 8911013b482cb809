//! Loops by squaring do not change what the saturation finds: sets and summaries, compared in one space.

#[path = "../../../benches/families/mod.rs"]
mod families;

use std::collections::BTreeMap;

use families::FAMILIES;
use families::quicksort::{Pivot, Version, sorting, termination, termination_in_bits};
use spds_format::Spds;
use spds_format::model::ControlId;

use super::arrangement::{Bits, arranged, universe};
use super::ground::{Attempt, Start, space};
use super::{Options, Property, Switch, Verdict, check};
use crate::bdd::{EngineKind, Relation, Space};
use crate::flow::StateId;
use crate::limits::Limits;
use crate::options::{Loops, Order};
use crate::pds::HeadId;
use crate::saturation::images::Control;
use crate::saturation::{PostStar, System};
use crate::{boolprog, random, remopla};

/// The values of each head, and the summaries.
type Found = (BTreeMap<HeadId, Relation>, BTreeMap<(StateId, ControlId), Relation>);

fn found(post: &PostStar<'_, '_>) -> Found {
    let system = post.system();
    let mut sets: BTreeMap<HeadId, Relation> = BTreeMap::new();
    for (head, set) in post.edges() {
        let all = sets.get(&head).map_or_else(|| set.clone(), |known| system.space.or(known, set).expect("no limit"));
        sets.insert(head, all);
    }
    let controls = || (0..system.spds.controls.len() as u32).map(ControlId);
    let places = system.control.flow.state_ids().flat_map(|state| controls().map(move |control| (state, control)));
    let summaries = places.filter_map(|at| Some((at, post.summary(at.0, at.1)?.clone())));
    (sets, summaries.collect())
}

/// Whether some loop was squared, and whether summaries of some recursion were guessed.
fn assert_same(name: &str, spds: &Spds, blocks: Switch) -> [bool; 2] {
    let limits = Limits { memory: Some(64 << 20), ..Limits::default() };
    let options = Options { blocks, slice: Switch::Off, limits, ..Options::default() };
    let control = Control::new(spds, None, &options, |_, _| Vec::new());
    let space = space(spds, &control, None, &options, Attempt::only(EngineKind::Biodivine)).expect("it is small");
    let system = System::new(spds, &control, None, &space).expect("it is small");
    let start = Start::new(&system, None).expect("it is small");
    let saturated = |loops| {
        let options = Options { loops, ..options.clone() };
        let mut post = start.saturation(&system, &options, None).expect("it is small");
        post.run(|_| false).expect("it is small");
        post
    };
    let (step, square) = (saturated(Loops::Step), saturated(Loops::Square));
    assert_eq!(found(&step), found(&square), "{name}");
    assert!(!step.has_supposed());
    if square.has_supposed() {
        let derived = square.derived_in_order().expect("it is small");
        assert_eq!(found(&step), found(&derived), "{name}");
        assert!(!derived.has_supposed());
    }
    [square.squared_some(), square.has_supposed()]
}

fn bp(text: &str) -> Spds {
    boolprog::read(text, "program.bp", &boolprog::Options::default())
        .unwrap_or_else(|all| panic!("{all:?}\n{text}"))
        .spds
}

fn rem(text: &str) -> Spds {
    remopla::read(text, "program.rem", &remopla::Options::default()).expect("it is a program").spds
}

#[test]
fn squaring_finds_the_sets_of_quicksort() {
    for blocks in [Switch::On, Switch::Off] {
        for version in [Version::Corrected, Version::Faulty] {
            assert!(assert_same("without array", &rem(&termination(3, version)), blocks)[0]);
        }
        assert!(assert_same("with array", &rem(&sorting(2, 2, 1, Pivot::Random)), blocks)[0]);
    }
}

#[test]
fn squaring_finds_the_sets_of_random_programs() {
    let mut squared = 0;
    for family in FAMILIES.iter().filter(|family| ["random", "branching", "random-formula"].contains(&family.name)) {
        for seed in 0..12 {
            let sizes: &[u64] = if family.sizes.len() == 2 { &[3, seed] } else { &[20 + 3 * seed] };
            let text = family.program(sizes).expect("these are sizes");
            squared += u32::from(assert_same(family.name, &bp(&text), Switch::On)[0]);
        }
    }
    assert!(squared > 10, "{squared} have loops that can be squared");
}

#[test]
fn guessing_finds_the_summaries_of_procedures_that_call_themselves() {
    for (name, sizes) in [("counting", 6), ("counting-back", 4), ("twice", 6), ("recursion", 2)] {
        let family = FAMILIES.iter().find(|family| family.name == name).expect("there is one");
        let text = family.program(&[sizes]).expect("this is a size");
        assert_eq!(assert_same(name, &bp(&text), Switch::On)[1], name != "counting-back", "{name}");
    }
}

#[test]
fn guessing_finds_the_summaries_of_random_procedures_that_call_themselves() {
    let mut supposed = 0;
    for seed in 0..250 {
        let text = recursive(seed);
        supposed += u32::from(assert_same(&text, &bp(&text), Switch::On)[1]);
    }
    assert!(supposed > 20, "{supposed} have summaries that can be guessed");
}

/// A procedure that calls itself at some places, and another one that it may call in between.
fn recursive(seed: u64) -> String {
    let mut state = seed;
    let mut below = |bound: u64| random::next(&mut state) % bound;
    let mut text = "decl g, h, i;\nvoid main() begin\n  f(*, *);\n  f(g, h);\nend\n".to_owned();
    let mut procedure = |head: &str, callees: &[&str]| {
        text += &format!("void {head} begin\n  decl x;\n  x := *;\n");
        let mut open = 0;
        for _ in 0..4 + below(6) {
            let names = ["g", "h", "i", "a", "b", "x"];
            let mut value = || {
                let [one, other] = [0, 0].map(|_| names[below(6) as usize]);
                let sign = ["&", "|", "^", "& !", "^ !"][below(5) as usize];
                format!("{one} {sign} {other}")
            };
            let (one, other) = (value(), value());
            text += &match below(6) {
                0 | 1 => format!("  {}, x := {one}, {other};\n", names[below(5) as usize]),
                2 if open < 3 => {
                    open += 1;
                    format!("  if ({one}) then\n")
                }
                3 if open > 0 => {
                    open -= 1;
                    "  skip; else skip; fi\n".to_owned()
                }
                4 => format!("  while ({one}) do g, h := !g, {other}; od\n"),
                _ => format!(
                    "  if ({one}) then {}({other}, x); else skip; fi\n",
                    callees[below(callees.len() as u64) as usize]
                ),
            };
        }
        text += &"  skip; else skip; fi\n".repeat(open);
        text += "end\n";
    };
    procedure("f(a, b)", &["f", "f", "k"]);
    procedure("k(a, b)", &["k"]);
    text
}

#[test]
fn where_relations_get_large_bits_that_are_copied_and_compared_lie_together() {
    let text = termination_in_bits(6, Version::Corrected);
    let spds = boolprog::read(&text, "program.bp", &boolprog::Options::default()).expect("it is a program").spds;
    let options = Options { slice: Switch::Off, ..Options::default() };
    let control = Control::new(&spds, None, &options, |_, _| Vec::new());
    let nodes = |bits| {
        let order = arranged(&spds, &control, None, &options, bits).expect("it is small").order;
        let universe = universe(&control, order);
        let space = Space::new(universe, EngineKind::Biodivine, &options.limits, None).expect("it is small");
        let system = System::new(&spds, &control, None, &space).expect("it is small");
        system.relations.iter().map(|relation| space.size(relation)).sum::<usize>()
    };
    assert!(nodes(Bits::AsAsked) > nodes(Bits::MayBeSifted) * 3 / 2);
    for order in [Order::Force, Order::Sifted] {
        let outcome = check(&spds, &[Property::Termination], &Options { order, ..Options::default() });
        assert_eq!(outcome.expect("nothing is rejected").answers[0].verdict, Verdict::Holds);
    }
}
