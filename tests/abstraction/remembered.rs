//! Predicates about values at entry that tell no caller anything.

use fastrand::Rng;
use puch::abstraction::{Method, Reuse, Tuning, abstracted, read, remembered};
use puch::c::program::Overflow;
use puch::c::types::DataModel;

use super::seeds::seeds;
use super::{NARROW, may_fail, parsed};

/// What is left of predicates about a program.
fn left(text: &str, predicates: &str) -> Vec<String> {
    let mut program = parsed(text, DataModel::LP64);
    let all = read::read(&mut program, predicates).unwrap_or_else(|wrong| panic!("{wrong:?}\n{predicates}"));
    let kept = remembered(&program, &all, &mut Reuse::new(&program));
    kept.into_iter().map(|predicate| predicate.text).collect()
}

const SET: &str = "int g; int h; void set(void) { if (h) g = 1; } void more(void) { set(); }
    int main(int x) { more(); if (g == x) assert(0); return 0; }";

#[test]
fn what_a_call_leaves_of_globals_is_known_by_itself() {
    let all = "*: g == 1, g == h\nset: g == pre(g)\nmore: g == pre(g), g == pre(g) + 1";
    assert_eq!(left(SET, all), ["g == 1", "g == h"]);
}

#[test]
fn who_compares_a_global_with_locals_is_told_what_is_left_of_it() {
    let all = "main: g == x\nset: g == pre(g)\nmore: g == pre(g)";
    assert_eq!(left(SET, all), ["g == x", "g == pre(g)", "g == pre(g)"]);
}

#[test]
fn what_is_related_to_more_is_tracked() {
    assert_eq!(left(SET, "set: g == pre(g), h == pre(g)"), ["g == pre(g)", "h == pre(g)"]);
    assert_eq!(left(SET, "set: g == pre(g), pre(g) == 1"), ["g == pre(g)", "pre(g) == 1"]);
    let text = "int g; int h; int k; int next(void) { k = k + 1; return k; }
        int main(void) { if (g == k) { h = next(); if (h != g + 1) assert(0); } return 0; }";
    let all = "*: g == k, h == g + 1\nnext: k == pre(k) + 1, result == k";
    assert_eq!(left(text, all), ["g == k", "h == g + 1", "k == pre(k) + 1", "result == k"]);
}

const GLOBALS: [&str; 3] = ["g", "h", "k"];

/// A random program of procedures that write globals and call each other.
fn writing(rng: &mut Rng) -> String {
    let name = |rng: &mut Rng| GLOBALS[rng.usize(..GLOBALS.len())];
    let statement = |rng: &mut Rng, called: &[&str]| match rng.u8(..7) {
        0 => format!("  {} = {};\n", name(rng), rng.u8(..3)),
        1 => format!("  {} = {} + 1;\n", name(rng), name(rng)),
        2 => format!("  if ({} == {}) {} = {};\n", name(rng), rng.u8(..2), name(rng), name(rng)),
        3 => format!("  while ({} == {}) {} = {};\n", name(rng), rng.u8(..2), name(rng), rng.u8(..3)),
        4 if !called.is_empty() => format!("  {} = {}();\n", name(rng), called[rng.usize(..called.len())]),
        _ if !called.is_empty() => format!("  {}();\n", called[rng.usize(..called.len())]),
        _ => format!("  {} = {};\n", name(rng), name(rng)),
    };
    let mut text = "int g; int h; int k;\n".to_owned();
    for (at, procedure) in ["one", "two"].into_iter().enumerate() {
        let body: String = (0..rng.u8(1..4)).map(|_| statement(rng, &["one"][..at])).collect();
        text += &format!("int {procedure}(void) {{\n{body}  return {};\n}}\n", name(rng));
    }
    let body: String = (0..rng.u8(1..4)).map(|_| statement(rng, &["one", "two"])).collect();
    let end = format!("  if ({} == {}) assert(0);\n", name(rng), rng.u8(..3));
    text + &format!("int main(int x) {{\n  {} = x;\n{body}{end}  return 0;\n}}\n", name(rng))
}

#[test]
fn without_them_verdicts_are_the_same() {
    let (mut left_out, mut hold, mut programs) = (0, 0, 0);
    for seed in seeds(0..120) {
        programs += 1;
        let mut rng = Rng::with_seed(seed);
        let text = writing(&mut rng);
        let mut program = parsed(&text, NARROW);
        let mut list: Vec<String> = GLOBALS.iter().map(|name| format!("*: {name} == {}", rng.u8(..2))).collect();
        list.retain(|_| rng.bool());
        let name = |rng: &mut Rng| GLOBALS[rng.usize(..GLOBALS.len())];
        for procedure in ["one", "two"] {
            for _ in 0..rng.u8(1..3) {
                let (own, other) = (name(&mut rng), name(&mut rng));
                list.push(match rng.u8(..8) {
                    0 => format!("{procedure}: result == {own}"),
                    1 => format!("{procedure}: {own} == pre({other})"),
                    2 => format!("{procedure}: {own} == pre({own}) + 1"),
                    _ => format!("{procedure}: {own} == pre({own})"),
                });
            }
        }
        list.extend((rng.u8(..4) == 0).then(|| format!("main: {} == x", name(&mut rng))));
        list.sort_unstable();
        list.dedup();
        let all = read::read(&mut program, &list.join("\n")).expect("they are right");
        let kept = remembered(&program, &all, &mut Reuse::new(&program));
        if kept.len() == all.len() {
            continue;
        }
        let tuning = Tuning { method: Method::Exact, ..Tuning::default() };
        let verdicts = [&all, &kept].map(|some| may_fail(&abstracted(&program, some, Overflow::Wrap, &tuning)));
        assert_eq!(verdicts[0], verdicts[1], "seed {seed}\n{text}\n{list:?}\n{kept:?}");
        left_out += all.len() - kept.len();
        hold += usize::from(!verdicts[0]);
    }
    assert!(
        left_out > programs / 2 && hold > programs / 12,
        "{left_out} predicates were left out, {hold} programs are right: this says little"
    );
}
