//! Predicates without influence on a condition.

use fastrand::Rng;
use puch::abstraction::{Method, Reuse, Tuning, abstracted, influential, read};
use puch::c::program::Overflow;
use puch::c::types::DataModel;

use super::{NARROW, may_fail, parsed, random_program};

/// What is left of predicates about a program.
fn left(text: &str, predicates: &str, overflow: Overflow) -> Vec<String> {
    let mut program = parsed(text, DataModel::LP64);
    let all = read::read(&mut program, predicates).unwrap_or_else(|wrong| panic!("{wrong:?}\n{predicates}"));
    let kept = influential(&program, &all, overflow, &mut Reuse::new(&program));
    kept.into_iter().map(|predicate| predicate.text).collect()
}

#[test]
fn what_flows_into_no_condition_is_not_tracked() {
    let text = "int main(int x, int y) { int z = y; int u = x + 1; z = z + 1; if (u > 0) assert(0); return z; }";
    assert_eq!(left(text, "main: x > 0, z > 0, u == 1, y == 2, 1 == 1", Overflow::Wrap), ["x > 0", "u == 1"]);
    // Where overflow is an error, z decides whether there is one.
    assert_eq!(left(text, "main: z > 0, y == 2", Overflow::Check), ["z > 0", "y == 2"]);
}

#[test]
fn what_is_compared_with_what_matters_matters() {
    let text =
        "int main(int x, int y) { int z = 5; int w = 6; if (x == 5) { w = 7; } if (x == y) assert(0); return w; }";
    assert_eq!(left(text, "main: x == z, z == 5, w == 6", Overflow::Wrap), ["x == z", "z == 5"]);
}

#[test]
fn values_flow_through_calls_results_and_pointers() {
    let text = "int g; int h; int id(int a) { return a; } void put(int *to, int b) { *to = b; }
        int main(int x, int y) { int z; put(&h, y); z = id(x); if (z == 1 && h == 2) assert(0); g = z; return 0; }";
    let all = "*: g == 1, h == 2\nid: a == 1, result == pre(a)\nput: b == 2, *to == b\nmain: x == 1, y == 2";
    let kept = left(text, all, Overflow::Wrap);
    assert_eq!(kept, ["h == 2", "a == 1", "result == pre(a)", "b == 2", "*to == b", "x == 1", "y == 2"]);
}

#[test]
fn what_decides_where_a_pointer_leads_is_tracked() {
    let text = "int a[2]; int main(int i, int j) { int *p = a; p[i] = 1; j = i; return j; }";
    assert_eq!(left(text, "main: i == 0, j == 0", Overflow::Wrap), ["i == 0"]);
}

#[test]
fn without_them_verdicts_are_the_same() {
    let list = "main: x == y, x < g, *p == h, y == 0, x < y, y == 3\n*: g == h, g == 0, h < 2, h == 1\n\
        f: a == pre(a), r == a, result == pre(a), g == pre(g), a < g, r < 2";
    let (mut left_out, mut hold) = (0, 0);
    for seed in 0..80 {
        let mut rng = Rng::with_seed(seed);
        let text = random_program(&mut rng);
        let mut program = parsed(&text, NARROW);
        let mut all = read::read(&mut program, list).expect("they are right");
        rng.shuffle(&mut all);
        all.truncate(6);
        let method = [Method::Auto, Method::Cartesian][rng.usize(..2)];
        let overflow = [Overflow::Wrap, Overflow::Assume, Overflow::Check][rng.usize(..3)];
        let tuning = Tuning { method, cubes: 2, ..Tuning::default() };
        let kept = influential(&program, &all, overflow, &mut Reuse::new(&program));
        if kept.len() == all.len() {
            continue;
        }
        let verdicts = [&all, &kept].map(|some| may_fail(&abstracted(&program, some, overflow, &tuning)));
        assert_eq!(verdicts[0], verdicts[1], "seed {seed}, {method:?}, {overflow:?}\n{text}\n{all:?}\n{kept:?}");
        left_out += all.len() - kept.len();
        hold += usize::from(!verdicts[0]);
    }
    assert!(
        left_out > 30 && hold > 5,
        "{left_out} predicates were left out, {hold} programs are right: this says little"
    );
}
