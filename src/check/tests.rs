//! Loops by squaring do not change what the saturation finds: sets and summaries, compared in one space.

#[path = "../../benches/families/mod.rs"]
mod families;

use std::collections::BTreeMap;

use families::FAMILIES;
use families::quicksort::{Pivot, Version, sorting, termination};
use spds_format::Spds;
use spds_format::model::ControlId;

use super::ground::{Start, space};
use super::{Options, Switch};
use crate::bdd::{EngineKind, Relation};
use crate::flow::StateId;
use crate::limits::Limits;
use crate::options::Loops;
use crate::pds::HeadId;
use crate::saturation::images::Control;
use crate::saturation::{PostStar, System};
use crate::{boolprog, remopla};

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

/// Whether some loop was squared.
fn assert_same(name: &str, spds: &Spds, blocks: Switch) -> bool {
    let limits = Limits { memory: Some(64 << 20), ..Limits::default() };
    let options = Options { blocks, slice: Switch::Off, limits, ..Options::default() };
    let control = Control::new(spds, None, &options, |_, _| Vec::new());
    let space = space(&control, &options, EngineKind::Biodivine, None).expect("it is small");
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
    square.squared_some()
}

fn rem(text: &str) -> Spds {
    remopla::read(text, "program.rem", &remopla::Options::default()).expect("it is a program").spds
}

#[test]
fn squaring_finds_the_sets_of_quicksort() {
    for blocks in [Switch::On, Switch::Off] {
        for version in [Version::Corrected, Version::Faulty] {
            assert!(assert_same("without array", &rem(&termination(3, version)), blocks));
        }
        assert!(assert_same("with array", &rem(&sorting(2, 2, 1, Pivot::Random)), blocks));
    }
}

#[test]
fn squaring_finds_the_sets_of_random_programs() {
    let mut squared = 0;
    for family in FAMILIES.iter().filter(|family| ["random", "branching", "random-formula"].contains(&family.name)) {
        for seed in 0..12 {
            let sizes: &[u64] = if family.sizes.len() == 2 { &[3, seed] } else { &[20 + 3 * seed] };
            let text = family.program(sizes).expect("these are sizes");
            let program = boolprog::read(&text, "program.bp", &boolprog::Options::default()).expect("it is a program");
            squared += u32::from(assert_same(family.name, &program.spds, Switch::On));
        }
    }
    assert!(squared > 10, "{squared} have loops that can be squared");
}
