//! Predicates without influence on a condition.

use fastrand::Rng;
use puch::abstraction::{Method, Reuse, Tuning, abstracted, influential, read};
use puch::c::program::Overflow;
use puch::c::types::DataModel;

use super::{NARROW, may_fail, parsed};

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

const NAMES: [&str; 6] = ["x", "y", "z", "u", "v", "w"];

/// A random program in which values are passed on, and few of them are looked at.
fn passing_on(rng: &mut Rng) -> String {
    let looked_at = rng.choose_multiple(NAMES, 2);
    let name = |rng: &mut Rng| NAMES[rng.usize(..NAMES.len())];
    let condition = |rng: &mut Rng| {
        let (one, number) = (looked_at[rng.usize(..2)], rng.u8(..2));
        if rng.u8(..4) == 0 { format!("{} == {}", looked_at[0], looked_at[1]) } else { format!("{one} == {number}") }
    };
    let mut text = "int main(int x, int y) {\n  int z = 0, u = 1, v = 0, w = x;\n".to_owned();
    for _ in 0..6 {
        let (to, from, number) = (name(rng), name(rng), rng.u8(..2));
        text += &match rng.u8(..5) {
            0 => format!("  {to} = {number};\n"),
            1 | 2 => format!("  {to} = {from};\n"),
            3 => format!("  if ({}) {to} = {from};\n", condition(rng)),
            _ => format!("  while ({}) {{ {to} = {from}; {} = {number}; }}\n", condition(rng), looked_at[0]),
        };
    }
    text + &format!("  if ({}) assert(0);\n  return 0;\n}}\n", condition(rng))
}

#[test]
fn without_them_verdicts_are_the_same() {
    let (mut left_out, mut hold) = (0, 0);
    for seed in 0..60 {
        let mut rng = Rng::with_seed(seed);
        let text = passing_on(&mut rng);
        let mut program = parsed(&text, NARROW);
        let pair = |rng: &mut Rng| format!("{} == {}", NAMES[rng.usize(..3)], NAMES[rng.usize(3..6)]);
        let mut list: Vec<String> = NAMES.iter().map(|name| format!("{name} == {}", rng.u8(..2))).collect();
        list.extend([pair(&mut rng), pair(&mut rng)]);
        list.sort_unstable();
        list.dedup();
        let all = read::read(&mut program, &format!("main: {}", list.join(", "))).expect("they are right");
        let method = [Method::Auto, Method::Cartesian][rng.usize(..2)];
        let tuning = Tuning { method, cubes: 2, ..Tuning::default() };
        let kept = influential(&program, &all, Overflow::Wrap, &mut Reuse::new(&program));
        if kept.len() == all.len() {
            continue;
        }
        let verdicts = [&all, &kept].map(|some| may_fail(&abstracted(&program, some, Overflow::Wrap, &tuning)));
        assert_eq!(verdicts[0], verdicts[1], "seed {seed}, {method:?}\n{text}\n{list:?}\n{kept:?}");
        left_out += all.len() - kept.len();
        hold += usize::from(!verdicts[0]);
    }
    assert!(
        left_out > 60 && hold > 10,
        "{left_out} predicates were left out, {hold} programs are right: this says little"
    );
}
