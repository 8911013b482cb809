//! Random Remopla programs that count: loops in loops over small integers.

use std::fmt::Write;

use fastrand::Rng;

use super::{one_in, pick};

/// A program over small integers: loops in loops, now and then with a call inside, counters that go up and down, choices.
pub fn program(seed: u64) -> String {
    let mut rng = Rng::with_seed(seed);
    let mut text = String::from("define DEFAULT_INT_BITS 2\nint g;\nbool c;\ninit main;\n");
    let recursive = one_in(&mut rng, 2);
    text += "module void p(int n) {\n  int x; int y;\n";
    block(&mut rng, &mut text, 2, &["g", "n", "x", "y"], recursive);
    if recursive && one_in(&mut rng, 2) {
        text += "  if :: n > 0 -> p(n - 1); :: else -> skip; fi\n";
    }
    text += "}\nmodule void main() {\n  int x; int y; int z;\n";
    if one_in(&mut rng, 2) {
        text += "  x = 0, y = 3;\n";
    }
    block(&mut rng, &mut text, 3, &["g", "x", "y", "z"], true);
    let (x, value) = (*pick(&mut rng, &["x", "y", "z", "g"]), rng.u32(0..4));
    let _ = write!(text, "  if :: {x} == {value} -> R: skip; :: else -> skip; fi\n}}\n");
    text
}

fn block(rng: &mut Rng, text: &mut String, depth: u32, ints: &[&str], calls: bool) {
    for _ in 0..rng.u32(1..3) {
        let (x, y) = (*pick(rng, ints), *pick(rng, ints));
        let value = rng.u32(0..4);
        let guard = match rng.u32(0..5) {
            0 => format!("{x} < {y}"),
            1 => format!("{x} != {value}"),
            2 => format!("{x} > 0"),
            3 => "c".into(),
            _ => format!("{x} <= {value}"),
        };
        match rng.u32(0..if depth == 0 { 5 } else { 8 }) {
            0 => *text += &format!("{x} = {x} + 1;\n"),
            1 => *text += &format!("{x} = {x} - 1, {y} = {value};\n").replace(&format!(", {x} = {value}"), ""),
            2 => *text += &format!("{x} = {y};\n"),
            3 if calls => *text += &format!("p({x});\n"),
            3 => *text += "c = !c;\n",
            4 => *text += &format!("{x} = undef;\n"),
            5 => {
                *text += &format!("if :: {guard} ->\n");
                block(rng, text, depth - 1, ints, calls);
                *text += ":: else -> c = undef; fi\n";
            }
            _ => {
                *text += &format!("do :: {guard} ->\n");
                let calls_inside = calls && one_in(rng, 4);
                block(rng, text, depth - 1, ints, calls_inside);
                if one_in(rng, 2) {
                    *text += &format!(":: {guard} -> {x} = {x} + 1;\n");
                }
                *text += ":: else -> break; od\n";
            }
        }
    }
}
