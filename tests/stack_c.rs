//! How deep the calls of C programs go: what is said of random recursive programs, compiled by `cc` and run with all inputs, is never less
//! than the deepest frame and the lowest address that is written.

extern crate puch_programs as puch;

use std::collections::{BTreeMap, BTreeSet};
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
use puch::analyses::{Analysed, Analyses};
use puch::c::program::Overflow;
use puch::c::{self, Unit};
use puch::refinement::height::{Known, Options, height, sizes};
use puch::refinement::{Copies, harness_of_depth};
use puch::stack::{Height, Range, Sizes, Verdict};
use puch::stack_usage::{Target, read};
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

/// What stands before it where runs end as soon as signed arithmetic leaves its type.
const ASSUMING: &str = r#"
#define LEAVES(what) PLAIN void __ubsan_handle_##what##_overflow() { longjmp(out, 2); }
LEAVES(add) LEAVES(sub) LEAVES(mul) LEAVES(negate) LEAVES(divrem)
"#;

/// The deepest frame of programs that are compiled and run, where arithmetic wraps around or runs end before it would.
fn runs(numbers: &[u64], overflow: Overflow) -> Option<BTreeMap<u64, Run>> {
    let head = DRIVER.replace("LOW", &INPUTS.start().to_string()).replace("HIGH", &INPUTS.end().to_string());
    let mut text = head.replace("TIMES", "4");
    let flag = match overflow {
        Overflow::Assume => {
            text.push_str(ASSUMING);
            "-fsanitize=signed-integer-overflow"
        }
        _ => "-fwrapv",
    };
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
    let printed = compiled::printed(&text, &[flag, "-finstrument-functions"])?;
    let line = |line: &str| {
        let mut numbers = line.split(' ').map(|number| number.parse::<u64>().expect("a number"));
        let mut number = || numbers.next().expect("three numbers");
        (number(), Run { deepest: number(), ends: number() == 1 })
    };
    Some(printed.lines().map(line).collect())
}

fn asked(text: &str, entry: &str) -> Height {
    assuming(text, entry, Overflow::Wrap)
}

fn assuming(text: &str, entry: &str, overflow: Overflow) -> Height {
    let options = c::Options { main: Some(entry.to_owned()), ..c::Options::default() };
    let program = c_texts::read(text, &options).unwrap_or_else(|all| panic!("{all:?}\n{text}"));
    height(Analysed::of(&program, &Analyses::of(&program)), &Options { overflow, ..few() }).height
}

fn known(text: &str, options: &Options) -> Known {
    let program = c_texts::read(text, &c::Options::default()).expect("it is right");
    height(Analysed::of(&program, &Analyses::of(&program)), options)
}

/// Little is tried: random programs are many.
fn few() -> Options {
    Options { runs: 40, work: 1_000, ..Options::default() }
}

#[test]
fn no_run_of_a_compiled_program_gets_deeper_than_the_bound() {
    deeper(seeds::seeds(0..40), Overflow::Wrap);
}

#[test]
fn no_run_without_overflow_gets_deeper_than_the_bound_that_assumes_none() {
    deeper(seeds::seeds(0..20), Overflow::Assume);
}

/// Compares bounds with runs of compiled programs.
fn deeper(seeds: std::ops::Range<u64>, overflow: Overflow) {
    let numbers: Vec<u64> = seeds.collect();
    let (mut bounded, mut ending, mut near, mut unbounded, mut exact) = (0, 0, 0, 0, 0);
    for some in numbers.chunks(25) {
        let Some(runs) = runs(some, overflow) else { return };
        assert_eq!(runs.len(), some.len(), "all were run");
        for (number, run) in runs {
            let recursive::Recursive { text, is_fixed, .. } = recursive::program(number);
            let text = text.replace(" TICK", "");
            let found = assuming(&text, &format!("p{number}_main"), overflow);
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
        eprintln!(
            "up to {:?}: {ending} end, {bounded} have a bound, {near} one within twice the deepest run, {exact} an exact one, {unbounded} have none",
            some.last()
        );
    }
    assert!(numbers.len() < 50 || 3 * bounded > ending, "{bounded} of {ending} programs that end have a bound");
}

/// What stands around programs whose stack is looked at: they run on one of their own, of which it is known what was written.
const STACK: &str = r#"
#include <stdio.h>
#include <string.h>
static int inputs[2], next; static unsigned long state; static long left; static void *out[5]; static char area[1 << 21];
int __VERIFIER_nondet_int(void) {
  if (next < 2) return inputs[next++];
  state = state * 6364136223846793005UL + 1442695040888963407UL;
  return (int) (state >> 40) % 16 - 4;
}
void leave(int code) { __builtin_longjmp(out, 1); }
void tick(void) { if (--left < 0) __builtin_longjmp(out, 1); }
static __attribute__((noinline)) void on(char *top, int (*f)(void)) {
  __asm__ volatile("movq %%rsp, %%rbx\n\tmovq %0, %%rsp\n\tcall *%1\n\tmovq %%rbx, %%rsp" : : "r"(top), "r"(f)
    : "rbx", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc");
}
static __attribute__((noinline)) void once(char *top, int (*f)(void)) { if (!__builtin_setjmp(out)) on(top, f); }
static void all(int number, int (*program)(void)) {
  char *top = (char *) (((unsigned long) area + sizeof area - 64) & ~63UL), *low = area;
  memset(area, 0xA5, sizeof area);
  for (volatile int a = LOW; a <= HIGH; a++) for (volatile int b = LOW; b <= HIGH; b++) for (volatile int again = 0; again < 4; again++) {
    inputs[0] = a; inputs[1] = b; next = 0; state = again * 77 + 5; left = 20000;
    once(top, program);
  }
  while (low < top && *low == (char) 0xA5) low++;
  printf("%d %ld\n", number, (long) (top - low));
}
"#;

/// What frames of its procedures take.
const OUTSIDE: [(&str, u64); 4] = [("exit", 32), ("__VERIFIER_nondet_int", 32), ("tick", 32), ("leave", 32)];

/// The bytes that programs have written on their stacks, by their numbers.
#[cfg(target_arch = "x86_64")]
struct Written {
    bytes: BTreeMap<u64, u64>,
    /// The name of what the compiler has written of their frames, and that.
    said: (&'static str, String),
}

/// The bytes that programs have written on their stacks, and what the compiler says of their frames: gcc in a call graph, clang in lines.
#[cfg(target_arch = "x86_64")]
fn written(numbers: &[u64], (compiler, flag): (&str, &str)) -> Option<Written> {
    use std::process::Command;

    let name = format!("stack-{compiler}{flag}-{}", std::process::id());
    let directory = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&directory).expect("tests can write");
    let mut text = "#define TICK tick();\n#define exit(code) leave(code)\nextern int __VERIFIER_nondet_int(void);\nextern void leave(int), tick(void);\n".to_owned();
    let mut driver = STACK.replace("LOW", &INPUTS.start().to_string()).replace("HIGH", &INPUTS.end().to_string());
    let mut calls = String::new();
    for &number in numbers {
        for line in recursive::program(number).compiled.lines().filter(|line| !line.starts_with("extern ")) {
            let _ = writeln!(text, "{line}");
        }
        let _ = writeln!(driver, "extern int p{number}_main(void);");
        let _ = writeln!(calls, "  all({number}, p{number}_main);");
    }
    let _ = writeln!(driver, "int main(void) {{\n{calls}  return 0;\n}}");
    std::fs::write(directory.join("x.c"), text).expect("tests can write");
    std::fs::write(directory.join("driver.c"), driver).expect("tests can write");
    let cc = |compiler: &str, arguments: &[&str]| {
        Command::new(compiler).arg("-w").args(arguments).current_dir(&directory).output()
    };
    let (said, file) = if compiler == "gcc" { ("-fcallgraph-info=su", "x.ci") } else { ("-fstack-usage", "x.su") };
    let own = cc(compiler, &[flag, "-fwrapv", said, "-c", "x.c"]);
    if !own.is_ok_and(|output| output.status.success()) {
        eprintln!("there is no `{compiler} {said}`: skipped the comparison with what is written on stacks");
        return None;
    }
    let all = cc(compiler, &["-O1", "driver.c", "x.o", "-o", "driver"]).expect("it compiles");
    assert!(all.status.success(), "{}", String::from_utf8_lossy(&all.stderr));
    let output = Command::new(directory.join("driver")).output().expect("what was compiled runs");
    assert!(output.status.success(), "{:?}", output.status);
    let graph = std::fs::read_to_string(directory.join(file)).expect("the compiler has written it");
    std::fs::remove_dir_all(&directory).expect("tests can remove what they wrote");
    let line = |line: &str| {
        let (number, bytes) = line.split_once(' ').expect("two numbers");
        (number.parse().expect("a number"), bytes.parse().expect("a number"))
    };
    Some(Written { bytes: String::from_utf8_lossy(&output.stdout).lines().map(line).collect(), said: (file, graph) })
}

#[cfg(target_arch = "x86_64")]
#[test]
fn no_run_of_a_compiled_program_writes_below_the_bound() {
    never_below("gcc", seeds::seeds(0..12));
}

#[cfg(target_arch = "x86_64")]
#[test]
fn no_run_of_what_clang_compiled_writes_below_the_bound() {
    never_below("clang", seeds::seeds(20..28));
}

/// Compares bounds in bytes with what compiled programs have written.
#[cfg(target_arch = "x86_64")]
fn never_below(compiler: &str, seeds: std::ops::Range<u64>) {
    let numbers: Vec<u64> = seeds.collect();
    let (mut compared, mut near, mut unknown, mut counted) = (0, 0, 0, 0);
    for some in numbers.chunks(20) {
        let Some(runs) = runs(some, Overflow::Wrap) else { return };
        let ending: Vec<u64> = runs.iter().filter(|(_, run)| run.ends).map(|(&number, _)| number).collect();
        let fixed: Vec<u64> = ending.iter().copied().filter(|&number| recursive::program(number).is_fixed).collect();
        for flag in ["-O0", "-O1", "-O2"] {
            let Some(Written { bytes: written, said: (file, said) }) = written(&ending, (compiler, flag)) else {
                return;
            };
            let usage = read([(file, said.as_str())]).expect("it is what compilers write");
            for (number, bytes) in written {
                let text = recursive::program(number).text.replace(" TICK", "");
                let options = c::Options { main: Some(format!("p{number}_main")), ..c::Options::default() };
                let unit = Unit { name: "x.c", text: &text, preprocessed: None };
                let program = c::read(&[unit], &options).expect("it is right").program;
                let of = OUTSIDE.iter().map(|&(name, bytes)| (name.to_owned(), bytes.into()));
                let given = Sizes { of: of.collect(), others: None };
                match sizes(Analysed::of(&program, &Analyses::of(&program)), &usage, &given, Target::X86_64) {
                    Err(why) => {
                        unknown += 1;
                        assert!(why.iter().all(|why| why.contains("where the program has none")), "{why:?}\n{text}");
                    }
                    Ok(frames) => {
                        let found = height(
                            Analysed::of(&program, &Analyses::of(&program)),
                            &Options { bytes: Some(frames), ..few() },
                        )
                        .height;
                        let least = found.bytes.as_ref().map(|bytes| bytes.least.clone()).unwrap_or_default();
                        let is_seen = fixed.contains(&number);
                        assert!(
                            !is_seen || least <= BigUint::from(bytes),
                            "{number} {compiler} {flag}: {bytes} bytes, but {found:?}\n{text}"
                        );
                        counted += usize::from(is_seen && 2u8 * &least > BigUint::from(bytes));
                        let Some(most) = found.bytes.as_ref().and_then(|bytes| bytes.most.clone()) else { continue };
                        compared += 1;
                        near += usize::from(most <= BigUint::from(2 * bytes));
                        assert!(
                            most >= BigUint::from(bytes),
                            "{number} {compiler} {flag}: {bytes} bytes, but {found:?}\n{text}"
                        );
                    }
                }
            }
        }
    }
    eprintln!(
        "{compiler}: {compared} compared, {near} within twice what is written, {unknown} with frames that are not known; of {counted} more than half is known to be written"
    );
    assert!(numbers.len() < 12 || compared > 3, "{compared}");
    // clang does not say what it calls.
    assert!(numbers.len() < 20 || compiler != "gcc" || counted > 2, "{counted}");
}

fn exactly(number: u64) -> Range {
    Range::exactly(number.into())
}

#[test]
fn recursion_that_is_bounded_below_nowhere_has_as_many_frames_as_it_makes() {
    let found = asked("void f(int n) { if (n >= 0) f(n - 1); } int main(void) { f(0); return 0; }", "main");
    assert_eq!((found.verdict, found.frames), (Verdict::Bounded, exactly(3)));
}

#[test]
fn what_is_known_of_the_argument_bounds_the_calls() {
    let text = "extern int __VERIFIER_nondet_int(void);\nint fact(int n) { if (n <= 1) return 1; return n * fact(n - 1); }\n\
                int main(void) { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 12) return 0; return fact(n); }";
    let found = asked(text, "main");
    assert_eq!((found.verdict, found.frames), (Verdict::Bounded, exactly(13)));
    let inputs = found.witness.expect("it is shown").inputs;
    assert_eq!(inputs.into_iter().map(|input| input.value).collect::<Vec<_>>(), [12]);
}

#[test]
fn what_is_set_anew_counts_with_all_values_that_it_may_have() {
    let text = "extern int __VERIFIER_nondet_int(void);\n\
                void g(int a, int b) { if (a <= 0) return;\n\
                  if (b <= 0 || __VERIFIER_nondet_int()) g(a - 1, __VERIFIER_nondet_int()); else g(a, b - 1); }\n\
                int main(void) { g(3, 3); return 0; }";
    let found = asked(text, "main");
    // main, a = 3 with b = 3 to 0, a = 2 and a = 1 with b = 2^31 - 1 to 0, a = 0.
    let least = BigUint::from(1 + 4 + 2 * (1u64 << 31) + 1);
    let most = found.frames.most.expect("it is bounded");
    assert!(most >= least && most <= least * 2u8, "{most}");
}

#[test]
fn what_falls_on_one_side_and_rises_on_the_other_is_counted_on_each() {
    let text = "int add(int m, int n) { if (n == 0) return m; if (n > 0) return add(m + 1, n - 1); return add(m - 1, n + 1); }\n\
                extern int __VERIFIER_nondet_int(void);\n\
                int main(void) { int n = __VERIFIER_nondet_int(); if (n < -7 || n > 5) return 0; return add(1, n); }";
    let found = known(text, &Options::default());
    assert_eq!((found.height.verdict, found.height.frames.least), (Verdict::Bounded, 9u8.into()));
    // Nobody knows here that the argument comes from one side to the other never.
    let most = found.height.frames.most.expect("it is bounded");
    assert!(most <= 15u8.into(), "{most}");
    let why = found.height.explanation.join("\n");
    assert!(why.contains("`-n` where `n + 1 <= 0`"), "{why}");
    // From one side to the other and back it may go for ever.
    let text = text.replace("add(m + 1, n - 1)", "add(m + 1, n - 3)").replace("n + 1)", "n + 3)");
    assert_eq!(asked(&text, "main").verdict, Verdict::Unbounded);
}

#[test]
fn what_comes_from_one_side_to_the_other_is_counted_each_time() {
    let text = "extern int __VERIFIER_nondet_int(void);\n\
                void f(int n) { if (n > 0) f(1 - n); else if (n < 0) f(-n - 1); }\n\
                int main(void) { int n = __VERIFIER_nondet_int(); if (n < -9 || n > 9) return 0; f(n); return 0; }";
    let found = known(text, &Options::default()).height;
    assert_eq!((found.verdict, found.frames), (Verdict::Bounded, exactly(11)));
}

#[test]
fn calls_that_cannot_be_made_do_not_count() {
    let text = "extern int __VERIFIER_nondet_int(void);\nvoid h(int x) { x++; } void g(int x) { if (x > 3) h(x); }\n\
                int main(void) { int x = __VERIFIER_nondet_int(); if (x > 3) return 0;\n\
                  void (*p)(int) = x > 0 ? g : h; p(x); return 0; }";
    assert_eq!(asked(text, "main").frames, exactly(2));
}

#[test]
fn heights_are_told_in_terms_of_the_arguments() {
    let found = asked("int depth(int n) { if (n <= 0) return 0; return depth(n - 1); }", "depth");
    assert_eq!(found.expression.map(|expression| expression.frames).as_deref(), Some("max(n + 1, 1)"));
    assert_eq!(found.frames.most, Some(BigUint::from(1u64 << 31)));
}

#[test]
fn calls_for_ever_are_seen() {
    let found = asked("void f(int n) { f(n); } int main(void) { f(1); return 0; }", "main");
    assert_eq!(found.verdict, Verdict::Unbounded);
    assert_eq!(found.witness.expect("it is shown").pump.len(), 1);
}

#[test]
fn halves_are_less() {
    let text = "int f(int n) { if (n < 2) return n; return f(n / 2); } int main(void) { return f(18); }";
    let most = asked(text, "main").frames.most.expect("it is bounded");
    assert!(most >= BigUint::from(6u8) && most <= BigUint::from(20u8), "{most}");
}

#[test]
fn procedures_without_a_body_count_in_bytes_whatever_becomes_of_their_calls() {
    let text = "extern void idle(void); extern void exit(int); int main(void) { idle(); exit(0); }";
    let program = c_texts::read(text, &c::Options::default()).expect("it is right");
    let given = |names: &[&str]| Sizes {
        of: names.iter().map(|&name| (name.to_owned(), BigUint::from(16u8))).collect(),
        others: None,
    };
    let usage = puch::stack_usage::Usage::default();
    for (known, unknown) in [(&["main", "exit"], "idle"), (&["main", "idle"], "exit")] {
        let why = sizes(Analysed::of(&program, &Analyses::of(&program)), &usage, &given(known), Target::X86_64)
            .expect_err("one is not known");
        assert_eq!(
            why,
            [format!("the frame of `{unknown}` is not known: `--frame {unknown}=BYTES` says how large it is")]
        );
    }
    let frames = sizes(
        Analysed::of(&program, &Analyses::of(&program)),
        &usage,
        &given(&["main", "exit", "idle"]),
        Target::X86_64,
    )
    .expect("all are known");
    let found =
        height(Analysed::of(&program, &Analyses::of(&program)), &Options { bytes: Some(frames), ..few() }).height;
    assert_eq!(found.bytes.and_then(|bytes| bytes.most), Some(BigUint::from(32u8)));
}

/// Brackets are counted before they are gone into.
const BRACKETS: &str = "extern char __VERIFIER_nondet_char(void);\n\
    static int open;\n\
    static int leaf(char c) { return c == '0'; }\n\
    static int value(void) {\n  char c = __VERIFIER_nondet_char();\n  if (c != '[') return leaf(c);\n  if (open >= 16) return 0;\n\
      open++;\n  int inside = value();\n  open--;\n  return inside && __VERIFIER_nondet_char() == ']';\n}\n\
    int main(void) { return value(); }\n";

fn each(bytes: u64) -> Options {
    let program = c_texts::read(BRACKETS, &c::Options::default()).expect("it is right");
    let given = Sizes { of: BTreeMap::new(), others: Some(bytes.into()) };
    let frames = sizes(
        Analysed::of(&program, &Analyses::of(&program)),
        &puch::stack_usage::Usage::default(),
        &given,
        Target::X86_64,
    )
    .expect("all are known");
    Options { bytes: Some(frames), ..few() }
}

#[test]
fn calls_of_c_programs_are_drawn_with_bytes_and_the_deepest_chain() {
    let Known { height, calls, .. } = known(BRACKETS, &each(16));
    // A leaf in the deepest brackets is one frame more.
    assert_eq!(height.frames, Range { least: 18u8.into(), most: Some(19u8.into()) });
    let names: Vec<(&str, bool, bool)> =
        calls.procedures.iter().map(|callee| (&*callee.name, callee.recursive, callee.deepest)).collect();
    assert_eq!(
        names,
        [
            ("main", false, true),
            ("value", true, true),
            ("__VERIFIER_nondet_char", false, false),
            ("leaf", false, false)
        ]
    );
    assert!(calls.procedures.iter().all(|callee| callee.bytes == Some(BigUint::from(16u8))));
    let called: Vec<(usize, usize, bool)> = calls.calls.iter().map(|call| (call.from, call.to, call.deepest)).collect();
    assert_eq!(called, [(0, 1, true), (1, 1, true), (1, 2, false), (1, 3, false)]);
}

#[test]
fn a_call_that_cannot_be_made_is_not_drawn() {
    let text = "void h(int x) { x++; } void g(int x) { if (x > 3) h(x); } int main(void) { g(2); return 0; }";
    let names: Vec<String> = known(text, &few()).calls.procedures.into_iter().map(|callee| callee.name).collect();
    assert_eq!(names, ["main", "g"]);
}

#[test]
fn a_harness_makes_the_stack_as_high_as_is_said() {
    let Known { height, inputs, .. } = known(BRACKETS, &few());
    assert_eq!(height.frames.least, BigUint::from(18u8));
    let program = c_texts::read(BRACKETS, &c::Options::default()).expect("it is right");
    let harness = harness_of_depth(&program, &inputs, &Copies::default()).replace("dprintf(2", "dprintf(1");
    let flags = ["-finstrument-functions"];
    let Some(printed) = compiled::printed(&format!("{BRACKETS}{harness}"), &flags) else { return };
    // `__VERIFIER_nondet_char` is a frame there.
    assert!(printed.starts_with("deepest: 19 frames, "), "{printed}");
}

#[test]
fn why_a_bound_holds_is_said_with_what_falls_and_where_its_ends_come_from() {
    let all = known(BRACKETS, &each(16)).height.explanation.join("\n");
    let told = [
        "`-open` (in `value`) falls by at least 1 with the call of `value` in itself",
        "it is at most 0 where it begins, by the call of `value` in `main`",
        "and at least -15 before it falls",
        "so it falls at most 16 times",
        "frames: 1 of `main` + 1 of `value` + 16 · 1 of `value`, which calls itself + 1 of `leaf`",
        "bytes: 16 of `main` + 16 of `value` + 16 · 16 of `value`, which calls itself + 16 of what is called on top",
        "the deepest has 18 frames and the heaviest takes 304 bytes",
    ];
    told.iter().for_each(|told| assert!(all.contains(told), "{told}\n{all}"));
}

#[test]
fn what_was_missing_is_said_where_no_bound_is_known() {
    let text = "extern int __VERIFIER_nondet_int(void);\nvoid f(int n) { if (__VERIFIER_nondet_int()) f(n ^ 1); }\n\
                int main(void) { f(1); return 0; }";
    let height = known(text, &few()).height;
    match height.verdict {
        Verdict::Unbounded => {
            assert!(height.explanation.join("\n").contains("again and again: `f`"), "{:?}", height.explanation)
        }
        _ => panic!("{height:?}"),
    }
    let text = "extern int __VERIFIER_nondet_int(void);\nunsigned s;\n\
                void f(void) { s = s * 1103515245u + 12345u; if (s % 7919 != 13) f(); }\nint main(void) { f(); return 0; }";
    let height = known(text, &few()).height;
    let all = height.explanation.join("\n");
    assert!(matches!(height.verdict, Verdict::Unknown(_)), "{height:?}");
    assert!(all.contains("missing: something that falls with the call of `f` in itself"), "{all}");
}

#[test]
fn frames_of_a_run_count_where_the_compiler_shows_that_calls_are_calls() {
    let graph = |calls: &str| {
        format!(
            "graph: {{ title: \"x.c\"\nnode: {{ title: \"f\" label: \"f\\nx.c:1:5\\n48 bytes (static)\" }}\n\
             node: {{ title: \"main\" label: \"main\\nx.c:2:5\\n32 bytes (static)\" }}\n{calls}}}\n"
        )
    };
    let call =
        |from: &str, to: &str| format!("edge: {{ sourcename: \"{from}\" targetname: \"{to}\" label: \"x.c:1:1\" }}\n");
    let text = "int f(int n) { if (n <= 0) return 0; return 1 + f(n - 1); }\nint main(void) { return f(9) + 1; }";
    let unit = Unit { name: "x.c", text, preprocessed: None };
    let program = c::read(&[unit], &c::Options::default()).expect("it is right").program;
    let least = |calls: &str, unoptimized: bool| {
        let usage = read([("x.ci", graph(calls).as_str())]).expect("it is a call graph");
        let frames = sizes(Analysed::of(&program, &Analyses::of(&program)), &usage, &Sizes::default(), Target::X86_64)
            .expect("all are known");
        let frames = if unoptimized { frames.unoptimized() } else { frames };
        let found =
            height(Analysed::of(&program, &Analyses::of(&program)), &Options { bytes: Some(frames), ..few() }).height;
        found.bytes.map(|bytes| bytes.least)
    };
    let own = call("main", "f");
    let all = own.clone() + &call("f", "f");
    // The last frame need not be laid out.
    assert_eq!(least(&all, false), Some(BigUint::from(32u64 + 9 * 48)));
    assert_eq!(least(&all, true), Some(BigUint::from(32u64 + 10 * 48)));
    // It has become a loop, or was unrolled.
    assert_eq!(least(&own, false), Some(BigUint::from(32u8)));
    assert_eq!(least(&(all.clone() + &call("f", "f")), false), Some(BigUint::from(32u8)));
}

#[test]
fn a_frame_whose_last_act_is_a_call_may_be_gone() {
    let least = |text: &str, calls: &[(&str, &str)]| {
        let names: BTreeSet<&str> = calls.iter().flat_map(|&(from, to)| [from, to]).collect();
        let node =
            |name: &&str| format!("node: {{ title: \"{name}\" label: \"{name}\\nx.c:1:5\\n48 bytes (static)\" }}\n");
        let call = |&(from, to): &(&str, &str)| {
            format!("edge: {{ sourcename: \"{from}\" targetname: \"{to}\" label: \"x.c:1:1\" }}\n")
        };
        let graph: String = names.iter().map(node).chain(calls.iter().map(call)).collect();
        let graph = format!("graph: {{ title: \"x.c\"\n{graph}}}\n");
        let unit = Unit { name: "x.c", text, preprocessed: None };
        let program = c::read(&[unit], &c::Options::default()).expect("it is right").program;
        let usage = read([("x.ci", graph.as_str())]).expect("it is a call graph");
        let frames = sizes(Analysed::of(&program, &Analyses::of(&program)), &usage, &Sizes::default(), Target::X86_64)
            .expect("all are known");
        height(Analysed::of(&program, &Analyses::of(&program)), &Options { bytes: Some(frames), ..few() })
            .height
            .bytes
            .map(|bytes| bytes.least)
    };
    let text = "int g(int n); int f(int n) { if (n <= 0) return 0; return g(n - 1); }\n\
                int g(int n) { return f(n - 1); }\nint main(void) { return f(9) + 1; }";
    assert_eq!(least(text, &[("main", "f"), ("f", "g"), ("g", "f")]), Some(BigUint::from(48u8)));
    // gcc shows a jump to its own beginning as a call, too.
    let text = "int f(int n) { if (n <= 0) return 0; return f(n - 1); }\nint main(void) { return f(9) + 1; }";
    assert_eq!(least(text, &[("main", "f"), ("f", "f")]), Some(BigUint::from(48u8)));
}
