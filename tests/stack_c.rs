//! How deep the calls of C programs go: what is said of random recursive programs, compiled by `cc` and run with all inputs, is never less
//! than the deepest frame and the lowest address that is written.

use std::collections::BTreeMap;
use std::fmt::Write as _;

#[path = "support/c_texts.rs"]
#[allow(dead_code, reason = "others ask for more")]
mod c_texts;
#[path = "support/compiled.rs"]
mod compiled;
#[path = "support/recursive.rs"]
mod recursive;
#[path = "support/seeds.rs"]
mod seeds;

use num_bigint::BigUint;
use puch::c;
use puch::refinement::height::{Options, height};
use puch::stack::{Height, Verdict};
use recursive::INPUTS;

/// What stands around programs that are compiled: they are run with all inputs, and what comes after these is drawn. No run gets deeper than
/// that, or makes more calls and turns of loops.
const DRIVER: &str = r#"
#include <setjmp.h>
#include <stdio.h>
#define PLAIN __attribute__((no_instrument_function))
#define TICK if (--left < 0) longjmp(out, 1);
#define exit(code) longjmp(out, 2)
static int inputs[2], next; static unsigned long state; static long left; static int depth, deepest; static jmp_buf out;
PLAIN int __VERIFIER_nondet_int(void) {
  if (next < 2) return inputs[next++];
  state = state * 6364136223846793005UL + 1442695040888963407UL;
  switch (state >> 60) {
    case 0: return -2147483647 - 1;
    case 1: return 2147483647;
    case 2: return (int) (state >> 20);
    case 3: return (int) (state >> 40) % 300;
    default: return (int) (state >> 40) % 16 - 4;
  }
}
PLAIN void __cyg_profile_func_enter(void *f, void *c) {
  if (++depth > deepest) deepest = depth;
  if (depth > 3000 || --left < 0) longjmp(out, 1);
}
PLAIN void __cyg_profile_func_exit(void *f, void *c) { depth--; }
PLAIN static void all(int number, int (*program)(void)) {
  int most = 0; volatile int ends = 1;
  for (volatile int a = LOW; a <= HIGH; a++) for (volatile int b = LOW; b <= HIGH; b++) for (volatile int again = 0; again < TIMES; again++) {
    inputs[0] = a; inputs[1] = b; next = 0; state = again * 77 + 5; left = 20000; depth = 0; deepest = 0;
    switch (setjmp(out)) { case 0: program(); break; case 1: ends = 0; }
    if (deepest > most) most = deepest;
  }
  printf("%d %d %d\n", number, most, ends);
}
"#;

/// What runs of a program have come to.
#[derive(Clone, Copy, Debug)]
struct Run {
    deepest: u64,
    /// Whether all have ended.
    ends: bool,
}

/// The deepest frame of programs that are compiled and run.
fn runs(numbers: &[u64]) -> Option<BTreeMap<u64, Run>> {
    let head = DRIVER.replace("LOW", &INPUTS.start().to_string()).replace("HIGH", &INPUTS.end().to_string());
    let mut text = head.replace("TIMES", "4");
    let mut calls = String::new();
    for &number in numbers {
        let program = recursive::program(number).compiled;
        let own = program.lines().filter(|line| !line.starts_with("extern "));
        own.for_each(|line| {
            let _ = writeln!(text, "{line}");
        });
        let _ = writeln!(calls, "  all({number}, p{number}_main);");
    }
    let _ = writeln!(text, "PLAIN int main(void) {{\n{calls}  return 0;\n}}");
    let printed = compiled::printed(&text, &["-fwrapv", "-finstrument-functions"])?;
    let line = |line: &str| {
        let mut numbers = line.split(' ').map(|number| number.parse::<u64>().expect("a number"));
        let mut number = || numbers.next().expect("three numbers");
        (number(), Run { deepest: number(), ends: number() == 1 })
    };
    Some(printed.lines().map(line).collect())
}

fn asked(text: &str, entry: &str) -> Height {
    let options = c::Options { main: Some(entry.to_owned()), ..c::Options::default() };
    let program = c_texts::read(text, &options).unwrap_or_else(|all| panic!("{all:?}\n{text}"));
    height(&program, &Options { runs: 40, work: 5_000, ..Options::default() })
}

#[test]
fn no_run_of_a_compiled_program_gets_deeper_than_the_bound() {
    let numbers: Vec<u64> = seeds::seeds(0..100).collect();
    let (mut bounded, mut ending, mut near, mut unbounded, mut exact) = (0, 0, 0, 0, 0);
    for some in numbers.chunks(25) {
        let Some(runs) = runs(some) else { return };
        assert_eq!(runs.len(), some.len(), "all were run");
        for (number, run) in runs {
            let recursive::Recursive { text, is_fixed, .. } = recursive::program(number);
            let text = text.replace(" TICK", "");
            std::fs::write(format!("/tmp/sx/p{number}.c"), &text).unwrap();
            let began = std::time::Instant::now();
            let found = asked(&text, &format!("p{number}_main"));
            eprintln!("{number} {:?} {:?} {:?}", began.elapsed(), found.verdict, run);
            ending += usize::from(run.ends);
            // What is drawn there is not all that can be.
            let all = is_fixed && run.ends;
            assert!(!all || found.frames.least <= BigUint::from(run.deepest), "{number}: {found:?}\n{run:?}\n{text}");
            match (&found.verdict, &found.frames.most) {
                (Verdict::Bounded, Some(most)) => {
                    bounded += 1;
                    exact += usize::from(found.frames.is_exact());
                    near += usize::from(*most <= BigUint::from(2 * run.deepest) && run.ends);
                    assert!(*most >= BigUint::from(run.deepest), "{number}: at most {most}, but {run:?}\n{text}");
                }
                (Verdict::Bounded, None) => panic!("{number}: a bound that is none"),
                (Verdict::Unbounded, _) => {
                    unbounded += 1;
                    assert!(!all, "{number}: {found:?}\n{run:?}\n{text}");
                }
                (Verdict::Unknown(_), _) => {}
            }
        }
    }
    eprintln!(
        "{} programs, {ending} end, {bounded} have a bound, {near} one within twice the deepest run, {exact} an exact one, {unbounded} have none",
        numbers.len()
    );
    assert!(numbers.len() < 50 || 3 * bounded > ending, "{bounded} of {ending} programs that end have a bound");
}
