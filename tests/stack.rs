//! How high stacks get: what puch says is what the oracle says, on random systems and programs.

extern crate puch_engine as puch;

mod oracle;
mod support;

use fastrand::Rng;
use num_bigint::BigUint;
use puch::check::Replayed;
use puch::options::{Loops, Options, Runs};
use puch::stack::systems::height;
use puch::stack::{Height, Judged, Range, Sizes, Verdict};
use puch::{boolprog, remopla};
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
    for seed in support::seeds(0..50) {
        all(&systems::system(seed, Features::ALL), seed);
        all(&shapes::system(&mut Rng::with_seed(seed)), seed);
    }
}

#[test]
fn heights_of_programs_are_those_of_the_oracle() {
    for seed in support::seeds(0..50) {
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

fn known(spds: &Spds, sizes: Option<&Sizes>) -> Height {
    height(spds, "main", sizes, &Options::default()).expect("runs are real").height
}

fn sizes(of: &[(&str, u64)]) -> Sizes {
    let of = of.iter().map(|(name, size)| ((*name).to_owned(), (*size).into()));
    Sizes { of: of.collect(), others: None }
}

fn exactly(number: u64) -> Range {
    Range::exactly(number.into())
}

#[test]
fn a_run_is_followed_as_deep_as_the_stack_gets() {
    let spds = read(
        "decl g; void main() begin g := 0; f(); end void f() begin decl x; if (x) then g(); fi end\n\
                     void g() begin decl y; assume(y); h(); end void h() begin skip; end",
    );
    let height = known(&spds, None);
    assert_eq!((height.verdict, height.frames), (Verdict::Bounded, exactly(4)));
    assert_eq!(height.witness.map(|witness| witness.judged), Some(Judged::Run(Replayed::Full)));
}

#[test]
fn what_is_blocked_later_is_on_the_stack_first() {
    let spds =
        read("void main() begin f(); assume(0); end void f() begin g(); assume(0); end void g() begin skip; end");
    assert_eq!(known(&spds, None).frames, exactly(3));
}

#[test]
fn a_call_that_cannot_be_made_does_not_count() {
    let spds = read("decl g; void main() begin g := 1; f(); end void f() begin if (!g) then f(); fi end");
    assert_eq!(known(&spds, None).frames, exactly(2));
}

#[test]
fn calls_that_come_back_to_themselves_are_shown_and_walked() {
    let spds = read(
        "decl g; void main() begin g := 0; f(1); end\n\
                     void f(a) begin if (a) then f(!a); else g := !g; h(g); fi end\n\
                     void h(b) begin if (*) then f(!b); else skip; fi end",
    );
    let height = known(&spds, None);
    assert_eq!((&height.verdict, height.frames.most), (&Verdict::Unbounded, None));
    let witness = height.witness.expect("it is shown");
    assert_eq!(witness.judged, Judged::Run(Replayed::Full));
    let pump: Vec<&str> = witness.pump.iter().flat_map(|section| &section.links).map(|link| &*link.procedure).collect();
    assert!(pump.contains(&"f") && pump.contains(&"h"), "{pump:?}");
}

#[test]
fn recursion_is_as_deep_as_it_counts_however_many_levels_that_are() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/quicksort/corrected.rem"))
        .expect("the example is there");
    for bits in [3, 12, 32] {
        let defines = vec![("BITS".into(), bits)];
        let options = remopla::Options { defines, ..remopla::Options::default() };
        let spds = remopla::read(&text, "corrected.rem", &options).expect("the example is right").spds;
        let height = known(&spds, None);
        assert_eq!((height.verdict, height.frames), (Verdict::Bounded, exactly((1 << bits) + 1)), "{bits} bits");
        let frames: Option<BigUint> =
            height.witness.expect("it is shown").chain.into_iter().map(|section| section.frames).sum();
        assert_eq!(frames, Some(BigUint::from((1u64 << bits) + 1)), "{bits} bits");
    }
}

#[test]
fn the_heaviest_chain_need_not_be_the_longest() {
    let spds = read(
        "void main() begin if (*) then long(); else heavy(); fi end void long() begin more(); end\n\
                     void more() begin skip; end void heavy() begin skip; end",
    );
    let height = known(&spds, Some(&sizes(&[("main", 8), ("long", 16), ("more", 16), ("heavy", 100)])));
    assert_eq!((height.frames, height.bytes), (exactly(3), Some(exactly(108))));
    let shown = height.witness.expect("it is shown").chain;
    assert_eq!(shown.last().map(|section| &*section.links[0].procedure), Some("heavy"));
}

#[test]
fn a_call_that_goes_on_in_no_configuration_that_is_seen_is_not_made() {
    let text = "spds 1 global g: bool; control c; symbol a; symbol b; symbol site; start <c, a> when !g;\n\
                silent rule <c, a> -> <c, b> when !g; rule <c, b> -> <c, a site> { g' := true };";
    let spds = spds_format::parse(text).expect("it is right");
    assert_eq!(known(&spds, None).frames, exactly(1));
}

#[test]
fn where_nothing_is_called_the_start_is_judged_though_others_call() {
    let text = "spds 1 global g: bool; control c; symbol a; symbol b; symbol f; symbol x; start <c, a b>;\n\
                rule <c, a> -> <c>; rule <c, b> -> <c, f x>;";
    let spds = spds_format::parse(text).expect("it is right");
    let options = Options { loops: Loops::Square, ..Options::default() };
    let height = height(&spds, "main", None, &options).expect("runs are real").height;
    assert_eq!(height.frames, exactly(2));
    assert_eq!(height.witness.map(|witness| witness.judged), Some(Judged::Run(Replayed::Full)));
}

#[test]
fn a_chain_that_takes_many_rounds_to_find_is_walked() {
    let spds = spds_format::parse(include_str!("stack/many_rounds.spds")).expect("it is valid");
    let height = height(&spds, "start", None, &Options::default()).expect("runs are real").height;
    assert_eq!(height.verdict, Verdict::Unbounded);
    assert_eq!(height.witness.map(|witness| witness.judged), Some(Judged::Run(Replayed::Full)));
}
