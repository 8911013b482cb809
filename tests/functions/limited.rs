//! Functions that get too little time: what is told of them then is what is told of them with more.

use std::time::Duration;

use puch::functions::Class;
use puch::nullness::Kind;

use super::random::{self, FUNCTIONS};
use super::{asked_of, asked_within, seeds};

/// Milliseconds.
const SHORT: [u64; 6] = [10, 50, 200, 500, 1_000, 2_000];

/// Whether all that is said to fail with little time fails with so many seconds, or is not known then either; how often something fails with little time.
fn agree(text: &str, name: &str, seconds: u64, kinds: &[Kind]) -> usize {
    let full = asked_of(text, name, seconds, kinds);
    let mut failing = 0;
    for time in SHORT {
        let answer = asked_within(text, "", name, Duration::from_millis(time), kinds);
        for (one, _) in answer.uses.iter().filter(|(_, class)| *class == Class::Fails) {
            let is_same = |(other, class): &&(_, Class)| {
                let other: &puch::nullness::PointerUse = other;
                (other.line, other.column, other.kind) == (one.line, one.column, one.kind)
                    && matches!(class, Class::Safe | Class::Obligation)
            };
            let fine = full.uses.iter().find(is_same);
            assert!(fine.is_none(), "{time} ms: {one:?}, but {fine:?} with {:?} of\n{text}", full.obligations);
            failing += 1;
        }
    }
    failing
}

#[test]
fn what_a_condition_excludes_does_not_fail_for_want_of_time() {
    let far = "struct l { int v; struct l *n; };
        int f(struct l *p) { if (p && p->n && p->n->n && p->n->n->n) return 10 / p->n->n->n->v; return 0; }";
    agree(far, "f", 60, &[Kind::Null, Kind::Division]);
    // What nothing excludes fails, however little time there is.
    let hopeless = "int f(int c) { int *p = 0; if (c) return *p; return 0; }";
    assert!(agree(hopeless, "f", 60, &[Kind::Null]) > 0);
}

#[test]
fn what_fails_with_little_time_fails_with_more() {
    let mut failing = 0;
    for seed in seeds::seeds(70..72) {
        let text = random::read(&random::functions(seed)).replace("#define U(p) (p)", "").replace("U(", "(");
        for number in 0..FUNCTIONS {
            failing += agree(&text, &format!("f{number}"), 4, &[Kind::Null, Kind::Bounds, Kind::Division]);
        }
    }
    eprintln!("{failing} uses failed with little time");
}
