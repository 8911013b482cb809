//! From C to a verdict: programs that the loop proves, violations with inputs that the judge and a compiler confirm, and random
//! programs at four bits, each of whose runs is enumerated.

use std::process::Command;

#[path = "support/seeds.rs"]
mod seeds;
#[path = "support/terms.rs"]
mod terms;

use fastrand::Rng;
use puch::abstraction::{Method, Predicate, Tuning, read};
use puch::c::expression::ExpressionKind;
use puch::c::program::Overflow;
use puch::c::types::DataModel;
use puch::c::{self, Program, Unit};
use puch::interpreter::{self, End, Inputs};
use puch::refinement::equation::equation;
use puch::refinement::rational::Rational;
use puch::refinement::simplex::{Form, Relation, Solved, solve};
use puch::refinement::{Options, Outcome, Round, Verdict, harness, refine};

const FOUR_BITS: DataModel = DataModel { char: 4, short: 4, int: 4, long: 4, long_long: 4, pointer: 4 };

fn parsed(text: &str, model: DataModel) -> Program {
    let unit = Unit { name: "prog.c", text, preprocessed: None };
    c::read(&[unit], &c::Options { model, ..c::Options::default() })
        .unwrap_or_else(|wrong| panic!("{wrong:?}\n{text}"))
        .program
}

fn options(overflow: Overflow, rounds: usize) -> Options {
    Options { overflow, tuning: Tuning::default(), check: puch::Options::default(), rounds: Some(rounds) }
}

fn refined(text: &str, rounds: usize) -> Outcome {
    let quiet = &mut |_: &Round<'_>| {};
    refine(&parsed(text, DataModel::LP64), &options(Overflow::Wrap, rounds), quiet)
}

#[track_caller]
fn holds(text: &str, rounds: usize) {
    let outcome = refined(text, rounds);
    assert_eq!(outcome.verdict, Verdict::Holds, "{}", outcome.predicates);
}

const HEAD: &str = "extern int nondet(); extern void reach_error();\n";

#[test]
fn mccarthy_91_does_what_it_is_known_for() {
    let text = "int f(int x) { if (x > 100) return x - 10; return f(f(x + 11)); }
        int main() {
          int x = nondet(), r = f(x);
          if (!((x > 101 && r == x - 10) || (x <= 101 && r == 91))) reach_error();
        }";
    holds(&(HEAD.to_owned() + text), 10);
}

#[test]
fn recursive_addition_adds() {
    let text = "int add(int m, int n) { if (n == 0) return m; return add(m, n - 1) + 1; }
        int main() { int m = nondet(), n = nondet(); if (n >= 0 && add(m, n) != m + n) reach_error(); }";
    holds(&(HEAD.to_owned() + text), 10);
}

#[test]
fn two_arguments_keep_their_sum() {
    let text = "int sum(int n, int m) { if (n <= 0) return m + n; return sum(n - 1, m + 1); }
        int main() { int a = nondet(), b = nondet(); if (sum(a, b) != a + b) reach_error(); }";
    holds(&(HEAD.to_owned() + text), 10);
}

#[test]
fn even_and_odd_return_truth() {
    let text = "int odd(int n);
        int even(int n) { if (n == 0) return 1; return odd(n - 1); }
        int odd(int n) { if (n == 0) return 0; return even(n - 1); }
        int main() { int n = nondet(); if (n < 0) return 0; int r = even(n); if (r != 0 && r != 1) reach_error(); }";
    holds(&(HEAD.to_owned() + text), 12);
}

#[test]
fn counters_of_a_loop_stay_in_step() {
    let text = "int main() {
          int n = nondet(), i = 0, j = 0;
          if (n < 0) return 0;
          while (i < n) { i++; j += 2; }
          if (i != n) reach_error();
          if (j != 2 * i) reach_error();
        }";
    holds(&(HEAD.to_owned() + text), 12);
}

#[test]
fn slams_lock_is_taken_and_given_in_turn() {
    let text = "int lock;
        void acquire() { if (lock) reach_error(); lock = 1; }
        void release() { if (!lock) reach_error(); lock = 0; }
        int main() {
          int x = nondet(), old;
          do { acquire(); old = x; if (nondet()) { release(); x++; } } while (x != old);
          release();
        }";
    holds(&(HEAD.to_owned() + text), 10);
    let broken = text.replace("x++;", "");
    assert!(matches!(refined(&(HEAD.to_owned() + &broken), 10).verdict, Verdict::Violated(..)));
}

#[test]
fn locks_with_flags_are_given_back_only_where_they_were_taken() {
    let one = |at: usize| (format!("int p{at} = nondet(), l{at} = 0; "), format!("if (p{at}) l{at} = 1; "), at);
    let (mut first, mut take, mut give) = (String::new(), String::new(), String::new());
    for (declared, taken, at) in (0..5).map(one) {
        first += &declared;
        take += &taken;
        give += &format!("if (p{at}) {{ if (l{at} != 1) reach_error(); l{at} = 0; }} ");
    }
    let text = format!("{HEAD}int main() {{ {first} while (nondet()) {{ {take} {give} }} }}");
    holds(&text, 30);
}

#[test]
fn comparisons_through_a_global_hold() {
    let text = "int g;
        void cmp(int a, int b) { if (a == b) g = 0; else g = 1; }
        int main() { int x = nondet(), y = nondet(); cmp(x, y); if (!g) { if (x != y) reach_error(); } }";
    holds(&(HEAD.to_owned() + text), 8);
}

/// Needs inputs that nobody guesses.
const HIDDEN: &str = "int half(int x) { return x / 2; }
    int main() {
      int x = nondet(), y = nondet();
      if (x > 1000 && x < 2000 && y == 3 * x + 7) { if (half(y) % 5 == 2) reach_error(); }
    }";

#[test]
fn inputs_of_a_violation_make_the_judge_fail() {
    let program = parsed(&(HEAD.to_owned() + HIDDEN), DataModel::LP64);
    let outcome = refine(&program, &options(Overflow::Wrap, 10), &mut |_| {});
    let Verdict::Violated(inputs, steps) = outcome.verdict else { panic!("{outcome:?}") };
    assert_eq!(inputs.iter().map(|input| input.call.as_deref()).collect::<Vec<_>>(), [Some("nondet"); 2]);
    assert_eq!(inputs[0].place.line, 4);
    let numbers = Inputs::list(inputs.iter().map(|input| input.value));
    let run = interpreter::execute(&program, &interpreter::Options::default(), numbers, &mut |_| {});
    assert!(matches!(run.end, End::Failed(_)) && run.steps == steps, "{run:?}");
}

#[test]
fn a_compiled_program_fails_with_its_harness() {
    if Command::new("cc").arg("--version").output().is_err() {
        println!("skipped: there is no cc");
        return;
    }
    let text = HEAD.to_owned() + HIDDEN;
    let program = parsed(&text, DataModel::LP64);
    let outcome = refine(&program, &options(Overflow::Wrap, 10), &mut |_| {});
    let Verdict::Violated(inputs, _) = outcome.verdict else { panic!("{outcome:?}") };
    let directory = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("harness");
    std::fs::create_dir_all(&directory).expect("a directory");
    let (own, other, all) = (directory.join("prog.c"), directory.join("harness.c"), directory.join("prog"));
    std::fs::write(&own, &text).expect("it can be written");
    std::fs::write(&other, harness(&program, &inputs)).expect("it can be written");
    let built = Command::new("cc").arg("-w").args([&own, &other]).arg("-o").arg(&all).output().expect("cc runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let ran = Command::new(&all).output().expect("it runs");
    assert_eq!(ran.status.code(), None, "it is aborted: {ran:?}");
}

#[test]
fn what_the_front_end_does_not_represent_is_no_violation() {
    let text = "double half(double x) { return x / 2; }
        int main() { double d = half(3.0); if (d > 1.0) reach_error(); }";
    let outcome = refined(&(HEAD.to_owned() + text), 10);
    let Verdict::Unknown(why) = &outcome.verdict else { panic!("{outcome:?}") };
    assert!(why.contains("floating"), "{why}");
}

#[test]
fn overflow_is_passed_checked_or_assumed_away_as_said() {
    let program = parsed(
        &(HEAD.to_owned()
            + "int main() { int x = nondet(); if (x > 2147483600) { int y = x + 100; if (y < 0) reach_error(); } }"),
        DataModel::LP64,
    );
    let verdict = |overflow| refine(&program, &options(overflow, 10), &mut |_| {}).verdict;
    assert!(matches!(verdict(Overflow::Wrap), Verdict::Violated(..)));
    assert_eq!(verdict(Overflow::Assume), Verdict::Holds);
    assert!(matches!(verdict(Overflow::Check), Verdict::Violated(..)));
}

/// The normal forms of equations, as C.
fn equations(texts: &[&str]) -> Vec<Option<String>> {
    let mut program = parsed("int main(int a, int b) { return 0; }", FOUR_BITS);
    let predicates = read::read(&mut program, &format!("main: {}", texts.join(", "))).expect("they are right");
    let normal = |predicate: &Predicate| {
        let ExpressionKind::Binary(_, left, right) = program.terms.get(predicate.expression).kind else {
            panic!("{} is no equation", predicate.text)
        };
        equation(&mut program, left, right).map(|normal| program.expression_text(normal))
    };
    predicates.iter().map(normal).collect()
}

#[test]
fn equations_that_say_the_same_are_one() {
    let same = ["a + 1 == b", "b == a + 1", "b - a == 1", "a == b - 1", "2 * a + 1 - b == a", "a + 7 == b + 6"];
    assert_eq!(equations(&same), vec![Some("a + 1 == b".to_owned()); same.len()]);
    let others = ["a == b", "3 == a", "a + b == a + 5", "-a == b", "a + 1 == a"];
    let normal = ["b == a", "a == 3", "b == 5", "b + a == 0"].map(|text| Some(text.to_owned()));
    assert_eq!(equations(&others), [&normal[..], &[None]].concat());
}

#[test]
fn equations_mean_what_their_normal_forms_mean() {
    for seed in seeds::seeds(0..40) {
        let mut rng = Rng::with_seed(seed);
        let mut sum = || terms::value(&mut rng, &["a", "b", "(a - b)", "(b * 3)"], &["", "+", "-", "*"]);
        let equation = format!("{} + {} == {}", sum(), sum(), sum());
        // (With a factor of -8 it cannot be written at four bits.)
        let [Some(normal)] = &equations(&[&equation])[..] else { continue };
        if normal.contains('8') {
            continue;
        }
        let text = format!(
            "int nondet(); int main() {{ int a = nondet(), b = nondet(); if (({equation}) != ({normal})) __assert_fail(); }}"
        );
        let program = parsed(&text, FOUR_BITS);
        assert!(!fails_somewhere(&program, Overflow::Wrap), "seed {seed}: {equation} as {normal}");
    }
}

/// A program with loops and recursion that ends whatever its two inputs are.
fn random_program(rng: &mut Rng) -> String {
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

fn fails_somewhere(program: &Program, overflow: Overflow) -> bool {
    let options = interpreter::Options { overflow, steps: 20_000 };
    (-8..8).any(|x| {
        (-8..8).any(|y| {
            let run = interpreter::execute(program, &options, Inputs::list([x, y]), &mut |_| {});
            assert!(!matches!(run.end, End::Unknown(_)), "{run:?}");
            matches!(run.end, End::Failed(_) | End::Wrong(_))
        })
    })
}

#[test]
fn random_programs_get_no_wrong_verdict() {
    let mut decided = [0, 0, 0];
    for seed in seeds::seeds(0..60) {
        let mut rng = Rng::with_seed(seed);
        let text = random_program(&mut rng);
        let program = parsed(&text, FOUR_BITS);
        let overflow = [Overflow::Wrap, Overflow::Assume, Overflow::Check][rng.usize(..3)];
        let outcome = refine(&program, &options(overflow, 6), &mut |_| {});
        let fails = fails_somewhere(&program, overflow);
        match outcome.verdict {
            Verdict::Holds => {
                assert!(!fails, "seed {seed}: it fails, {overflow:?}\n{text}\n{}", outcome.predicates);
                decided[0] += 1;
            }
            Verdict::Violated(..) => {
                assert!(fails, "seed {seed}: it does not fail, {overflow:?}\n{text}");
                decided[1] += 1;
            }
            Verdict::Unknown(_) | Verdict::Stopped(_) => decided[2] += 1,
        }
    }
    println!("holds, violated, unknown: {decided:?}");
    assert!(decided[0] > 10 && decided[1] > 10, "{decided:?}");
}

/// The value of a form.
fn value(form: &Form, of: &dyn Fn(usize) -> Rational) -> Rational {
    let product = |(&variable, by): (&usize, &Rational)| by.times(of(variable)).expect("small numbers");
    form.parts.iter().map(product).fold(form.rest(), |sum, part| sum.plus(part).expect("small numbers"))
}

#[test]
fn simplex_shows_what_it_says_by_values_or_by_multipliers() {
    let (mut rng, mut counts) = (Rng::with_seed(7), [0, 0]);
    for _ in 0..5_000 {
        let (variables, rows) = (rng.usize(1..4), rng.usize(1..7));
        let row = |rng: &mut Rng| {
            let mut form = Form::constant(Rational::integer(rng.i128(-4..5)));
            for variable in 0..variables {
                let times = Rational::integer(rng.i128(-3..4));
                form.add(&Form::variable(variable), times).expect("small numbers");
            }
            (form, if rng.u8(..3) == 0 { Relation::Zero } else { Relation::NotPositive })
        };
        let system: Vec<(Form, Relation)> = (0..rows).map(|_| row(&mut rng)).collect();
        match solve(&system, 10_000).expect("small numbers") {
            Solved::Feasible(values) => {
                counts[0] += 1;
                for (form, relation) in &system {
                    let of = |variable| values.get(&variable).copied().unwrap_or(Rational::ZERO);
                    let sign = value(form, &of).sign();
                    assert!(sign == 0 || sign < 0 && *relation == Relation::NotPositive, "{system:?} {values:?}");
                }
            }
            Solved::Infeasible(multipliers) => {
                counts[1] += 1;
                let mut sum = Form::default();
                for ((form, relation), &times) in system.iter().zip(&multipliers) {
                    assert!(times.sign() >= 0 || *relation == Relation::Zero, "{system:?} {multipliers:?}");
                    sum.add(form, times).expect("small numbers");
                }
                assert!(sum.parts.is_empty() && sum.rest().sign() > 0, "{system:?} {multipliers:?}");
            }
        }
    }
    assert!(counts.iter().all(|&count| count > 500), "{counts:?}");
}

/// Over cubes: with exact steps the shortest traces are others, and what is learnt from them grows without end.
#[test]
fn parity_is_carried_into_what_is_called() {
    let text = "int even(int n);
        int odd(int n) { if (n == 0) return 0; else if (n == 1) return 1; else return even(n - 1); }
        int even(int n) { if (n == 0) return 1; else if (n == 1) return 0; else return odd(n - 1); }
        int main() { int n = nondet(); if (n < 0) return 0; int r = odd(n), m = n % 2; if (r < 0 || r == m) return 0; reach_error(); }";
    let tuning = Tuning { method: Method::Cartesian, ..Tuning::default() };
    let options = Options { tuning, ..options(Overflow::Wrap, 12) };
    let outcome = refine(&parsed(&(HEAD.to_owned() + text), DataModel::LP64), &options, &mut |_: &Round<'_>| {});
    assert_eq!(outcome.verdict, Verdict::Holds, "{}", outcome.predicates);
}

#[test]
fn a_label_may_be_a_word_of_boolean_programs() {
    let text = "int main() { int x = nondet(); if (x) goto end; x = 1; end: if (!x) reach_error(); }";
    holds(&(HEAD.to_owned() + text), 6);
}

#[test]
fn rounds_that_do_not_decide_are_said() {
    let text = "int main() { int x = nondet(); if (x < 5 && x > 4) reach_error(); }";
    let outcome = refined(&(HEAD.to_owned() + text), 1);
    assert_eq!(outcome.verdict, Verdict::Unknown("1 round did not decide it (--rounds)".to_owned()));
}
