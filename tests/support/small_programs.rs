//! Small C programs with two inputs: few enough values at four bits to execute each run.

use fastrand::Rng;
use puch::c::Program;
use puch::c::program::Overflow;
use puch::c::types::DataModel;
use puch::interpreter::{self, End, Inputs};

use super::terms;

/// Integers of four bits.
pub const FOUR_BITS: DataModel = DataModel { char: 4, short: 4, int: 4, long: 4, long_long: 4, pointer: 4 };

/// A program with loops and recursion that ends whatever its two inputs are.
pub fn program(rng: &mut Rng) -> String {
    let value = |rng: &mut Rng, names: &[&str]| terms::value(rng, names, &["", "", "+", "+", "-", "-", "*", "&"]);
    let block = |rng: &mut Rng, targets: &[&str], names: &[&str], calls: bool, lines: usize| {
        let mut text = String::new();
        for _ in 0..lines {
            let to = targets[rng.usize(..targets.len())];
            text += &match rng.u8(..if calls { 6 } else { 4 }) {
                0 | 1 => format!("  if ({}) {to} = {};\n", terms::condition(rng, names), value(rng, names)),
                2 | 3 => format!("  {to} = {};\n", value(rng, names)),
                _ => format!("  {to} = f({});\n", value(rng, names)),
            };
        }
        text
    };
    let (inner, outer) = (["g", "a", "r"], ["g", "x", "y", "i"]);
    let callee = block(rng, &["g", "r"], &inner, false, 1);
    let before = block(rng, &["g", "y"], &outer, true, 1);
    let calls = rng.bool();
    let inside = block(rng, &["g", "y"], &outer, calls, 1);
    let again = if rng.bool() { "  if (a > 0) r = f(a - 1);\n" } else { "" };
    let (result, bound, last, other) =
        (value(rng, &inner), rng.u8(1..4), terms::condition(rng, &outer), terms::condition(rng, &outer));
    format!(
        "int nondet(); int g;\nint f(int a) {{\n  int r = 0;\n{callee}{again}  return {result};\n}}\n\
         int main() {{\n  int x = nondet(), y = nondet(), i = 0;\n{before}  while (i < {bound}) {{\n    i = i + 1;\n{inside}  }}\n\
           if ({last}) {{ if ({other}) __assert_fail(); }}\n  return 0;\n}}\n"
    )
}

/// Whether some run with two inputs fails.
pub fn fails_somewhere(program: &Program, overflow: Overflow) -> bool {
    let options = interpreter::Options::of(overflow, 20_000);
    (-8..8).any(|x| {
        (-8..8).any(|y| {
            let run = interpreter::execute(program, &options, Inputs::list([x, y]), &mut |_| {});
            assert!(!matches!(run.end, End::Unknown(_)), "{run:?}");
            matches!(run.end, End::Failed(_) | End::Wrong(_))
        })
    })
}
