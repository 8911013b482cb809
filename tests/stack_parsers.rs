//! Parsers of what others write, before and after the mend of a recursion that nothing stops: before there is no bound, or a run that takes more
//! than it may; after there is one.

extern crate puch_programs as puch;

#[path = "support/c_texts.rs"]
#[allow(dead_code, reason = "others ask for more")]
mod c_texts;

use num_bigint::BigUint;
use puch::analyses::{Analysed, Analyses};
use puch::c;
use puch::refinement::height::{Known, Options, height, sizes};
use puch::stack::{Height, Kept, Sizes, Verdict};
use puch::stack_usage::{Target, Usage};

/// What is known of an example, with 32 bytes for each frame and a limit.
fn asked(name: &str, limit: u64) -> Height {
    let path = format!("{}/../../examples/c/parsers/{name}.c", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the example is there");
    let program = c_texts::read(&text, &c::Options::default()).unwrap_or_else(|all| panic!("{all:?}"));
    let given = Sizes { of: std::collections::BTreeMap::new(), others: Some(32u8.into()) };
    let frames = sizes(Analysed::of(&program, &Analyses::of(&program)), &Usage::default(), &given, Target::X86_64)
        .expect("all are known");
    let Known { height, .. } =
        height(Analysed::of(&program, &Analyses::of(&program)), &Options { bytes: Some(frames), ..Options::default() });
    Height { limit: Some(limit.into()), ..height }
}

/// It stays within its limit, and no run that was executed is far from that.
fn holds(name: &str, limit: u64) {
    let height = asked(name, limit);
    assert_eq!((&height.verdict, height.kept()), (&Verdict::Bounded, Kept::Within), "{height:?}");
    let most = height.frames.most.clone().expect("a bound");
    assert!(most <= height.frames.least.clone() * 2u8, "{height:?}");
}

#[test]
fn a_calculator_goes_as_deep_as_somebody_writes_signs_until_brackets_count() {
    let height = asked("expressions", 4096);
    assert_eq!((&height.verdict, height.kept()), (&Verdict::Unbounded, Kept::Beyond), "{height:?}");
    holds("expressions_fixed", 4096);
}

#[test]
fn a_reader_of_json_takes_more_than_it_may_until_what_is_open_counts() {
    let height = asked("json", 2048);
    assert_eq!(height.kept(), Kept::Beyond, "{height:?}");
    assert!(height.frames.least >= BigUint::from(64u8) && height.witness.is_some_and(|shown| !shown.inputs.is_empty()));
    holds("json_fixed", 2048);
}

#[test]
fn a_matcher_of_patterns_calls_itself_for_each_character_until_it_does_for_each_star() {
    let height = asked("patterns", 512);
    assert_eq!((&height.verdict, height.kept()), (&Verdict::Unbounded, Kept::Beyond), "{height:?}");
    holds("patterns_fixed", 512);
}
