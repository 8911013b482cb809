//! Nothing wrong is said of gcc's own execution tests: of 150 of them, drawn by `PUCH_SEED`, where `PUCH_GCC_TESTS` says that they lie.
//! `cargo bench --bench gcc` asks about all.

use std::path::Path;

use fastrand::Rng;

#[path = "support/gcc_tests.rs"]
mod gcc_tests;

use gcc_tests::{Asked, abort_property, all};

/// So many are drawn.
const DRAWN: usize = 150;

/// Seconds for each question.
const SECONDS: u32 = 2;

#[test]
fn nothing_wrong_is_said_of_gccs_tests() {
    let Some(mut tests) = all() else { return };
    let seed = std::env::var("PUCH_SEED").map_or(1, |seed| seed.parse().expect("PUCH_SEED is a number"));
    Rng::with_seed(seed).shuffle(&mut tests);
    let property = abort_property();
    let (mut wrong, mut asked, mut known) = (Vec::new(), 0, 0);
    for test in tests.iter().filter(|test| test.ends_well()).take(DRAWN) {
        for question in [Asked::Abort, Asked::End] {
            let answer = test.ask(Path::new(env!("CARGO_BIN_EXE_puch")), question, &property, SECONDS);
            asked += 1;
            known += usize::from(matches!(answer.code, Some(0 | 1)));
            if question.is_wrong(answer.code) {
                wrong.push(format!("{} {question:?}: {:?} {}", test.path.display(), answer.code, answer.told));
            }
        }
    }
    std::fs::remove_file(&property).expect("tests can remove what they wrote");
    assert!(wrong.is_empty(), "seed {seed}:\n{}", wrong.join("\n"));
    assert!(known * 2 > asked, "{known} of {asked} questions are answered: is this compiler gcc?");
}
