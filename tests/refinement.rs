//! From C to a verdict: programs that the loop proves, violations with inputs that the judge and a compiler confirm, and random
//! programs at four bits, each of whose runs is enumerated.

extern crate puch_programs as puch;

use std::process::Command;

#[path = "refinement/blocks.rs"]
mod blocks;
#[path = "support/c_texts.rs"]
#[allow(dead_code, reason = "others ask for more")]
mod c_texts;
#[path = "refinement/donor.rs"]
mod donor;
#[path = "support/seeds.rs"]
mod seeds;
#[path = "support/small_programs.rs"]
mod small_programs;
#[path = "support/soup.rs"]
mod soup;
#[path = "support/terms.rs"]
mod terms;

use c_texts::parsed;
use fastrand::Rng;
use puch::abstraction::{Method, Predicate, System, Tuning, abstracted, read};
use puch::c::Program;
use puch::c::expression::ExpressionKind;
use puch::c::program::Overflow;
use puch::c::types::DataModel;
use puch::check::{self, Property, TraceWish};
use puch::concretise::{Ended, Extent, follow, points};
use puch::interpreter::{self, End, Fault, Inputs};
use puch::question::{self, Failures, places};
use puch::refinement::equation::equation;
use puch::refinement::rational::Rational;
use puch::refinement::simplex::{Comparison, Form, Solved, solve};
use puch::refinement::witness_file::{Metadata, violation};
use puch::refinement::{
    Answer, Copies, Execution, Options, Outcome, Proof, Question, Reason, Round, Source as From, Verdict, decide,
    harness, refine,
};
use puch::source::Source;
use small_programs::{FOUR_BITS, fails_somewhere};

fn options(overflow: Overflow, rounds: usize) -> Options {
    Options {
        overflow,
        tuning: Tuning::default(),
        check: puch::options::Options::default(),
        rounds: Some(rounds),
        donor: None,
    }
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
fn what_small_procedures_do_to_what_they_are_given_is_known_where_they_are_called() {
    let swap = "void swap(int *a, int *b) { *a ^= *b; *b ^= *a; *a ^= *b; }
        int main() { int x = nondet(), y = nondet(), u = x, v = y; swap(&x, &y); if (x != v || y != u) reach_error(); }";
    holds(&(HEAD.to_owned() + swap), 12);
    let broken = swap.replace("*b ^= *a; *a ^= *b;", "*b ^= *a;");
    assert!(matches!(refined(&(HEAD.to_owned() + &broken), 12).verdict, Verdict::Violated(..)));
    let members = "struct p { int a, b; };
        void swap(struct p *q) { int t = q->a; q->a = q->b; q->b = t; }
        int main() {
          struct p s; s.a = nondet(); s.b = nondet(); int x = s.a, y = s.b;
          swap(&s); swap(&s);
          if (s.a != x || s.b != y) reach_error();
        }";
    holds(&(HEAD.to_owned() + members), 12);
    let parity = "unsigned par(unsigned char x) { x ^= x >> 4; x ^= x >> 2; x ^= x >> 1; return x & 1; }
        int main() { unsigned char x = nondet(), y = nondet(); if (par(x ^ y) != (par(x) ^ par(y))) reach_error(); }";
    holds(&(HEAD.to_owned() + parity), 12);
}

#[test]
fn what_nobody_writes_is_what_it_was_at_the_start() {
    let text = "static const int t[4] = {1, 2, 4, 8}; struct { int a; short b[3]; int *p; } s = {.b = {5, [2] = 7}};
        int main() {
          unsigned i = nondet() & 3; int v = t[i];
          if (v & (v - 1)) reach_error();
          unsigned k = nondet(); if (k < 3 && s.b[k] == 6) reach_error();
          if (s.p || s.a) reach_error();
        }";
    holds(&(HEAD.to_owned() + text), 12);
    for written in ["t[i] = 3;", "*(short *)&s = 1;", "s.b[i & 1] = 6;", "int **q = &s.p; *q = &s.a;"] {
        let broken = text.replace("const int t", "int t").replace("int v =", &format!("{written} int v ="));
        assert!(matches!(refined(&(HEAD.to_owned() + &broken), 12).verdict, Verdict::Violated(..)), "{written}");
    }
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
    let Verdict::Violated(Execution { inputs, steps, .. }) = outcome.verdict else { panic!("{outcome:?}") };
    assert_eq!(inputs.iter().map(|input| input.call.as_ref()?.procedure()).collect::<Vec<_>>(), [Some("nondet"); 2]);
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
    let Verdict::Violated(Execution { inputs, .. }) = outcome.verdict else { panic!("{outcome:?}") };
    let directory = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("harness");
    std::fs::create_dir_all(&directory).expect("a directory");
    let (own, other, all) = (directory.join("prog.c"), directory.join("harness.c"), directory.join("prog"));
    std::fs::write(&own, &text).expect("it can be written");
    std::fs::write(&other, harness(&program, &inputs, &Copies::default())).expect("it can be written");
    let built = Command::new("cc").arg("-w").args([&own, &other]).arg("-o").arg(&all).output().expect("cc runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let ran = Command::new(&all).output().expect("it runs");
    assert_eq!(ran.status.code(), None, "it is aborted: {ran:?}");
}

#[test]
fn what_the_front_end_does_not_represent_is_no_violation() {
    let text = "double sin(double); double half(double x) { return sin(x) / 2; }
        int main() { double d = half(3.0); if (d > 1.0) reach_error(); }";
    let outcome = refined(&(HEAD.to_owned() + text), 10);
    let Verdict::Unknown(why) = &outcome.verdict else { panic!("{outcome:?}") };
    assert!(why.to_string().contains("the result of `sin`"), "{why}");
    let exact = refined(&(HEAD.to_owned() + &text.replace("sin(x)", "x")), 10);
    assert!(matches!(exact.verdict, Verdict::Violated(..)), "{exact:?}");
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

/// A program with a `main` that has an input, and in which nothing undefined happens.
#[track_caller]
/// Four parities decide the fifth: more than a cube has where predicates are decided each by itself. Only the steps of the trace say so.
#[test]
fn a_step_that_no_state_takes_is_excluded() {
    let text = "int main() {
          int a = nondet(), b = nondet(), c = nondet(), d = nondet();
          if (a & 1) { if (b & 1) { if (c & 1) { if (d & 1) { if ((a ^ b ^ c ^ d) & 1) reach_error(); } } } }
        }";
    let mut options = options(Overflow::Wrap, 8);
    options.tuning.method = Method::Cartesian;
    let mut excluded = 0;
    let tell = &mut |round: &Round<'_>| {
        excluded += round.learnt.iter().filter(|(source, _)| *source == From::Constraint).count();
    };
    let outcome = refine(&parsed(&(HEAD.to_owned() + text), DataModel::LP64), &options, tell);
    assert_eq!(outcome.verdict, Verdict::Holds, "{}", outcome.predicates);
    assert!(excluded > 0 && matches!(outcome.proof, Proof::Again(_)), "{excluded}");
}

/// What two calls returned is compared: what each of them is has to be said of what it was given, which the caller has.
#[test]
fn what_calls_returned_is_said_of_what_they_were_given() {
    let gray = "unsigned f(unsigned x) { return x ^ (x >> 1); }
        int main() { unsigned x = nondet(), y = nondet(); if (x != y && f(x) == f(y)) reach_error(); return 0; }";
    holds(&(HEAD.to_owned() + gray), 8);
    let other = gray.replace("x >> 1", "x << 31 >> 31");
    let verdict = refined(&(HEAD.to_owned() + &other), 8).verdict;
    assert!(matches!(verdict, Verdict::Violated(..)), "{verdict:?}");
}

fn stays_in_range(text: &str, rounds: usize) {
    let program = parsed(&(HEAD.to_owned() + text), DataModel::LP64);
    let outcome = refine(&program, &options(Overflow::Check, rounds), &mut |_| {});
    assert_eq!(outcome.verdict, Verdict::Holds, "{}", outcome.predicates);
}

#[test]
fn why_an_operation_cannot_overflow_is_learnt_from_the_trace() {
    let text = "int up(int n) { if (n > 5) return n; return up(n + 1); }
        int main() { int n = nondet(); if (n > 1000) return 0; return up(n); }";
    stays_in_range(text, 8);
    let divides = "int of(int a, int d) { if (a > 100) return a / d; return of(a + 1, d); }
        int main() { int a = nondet(), d = nondet(); if (d < 1) return 0; return of(a, d); }";
    stays_in_range(divides, 8);
}

#[test]
fn the_widest_integers_have_no_wider_bounds() {
    let text = "int up(__int128 n) { if (n == 0) return 0; return up(n - 1); }
        int main() { int n = nondet(); if (n < 0) return 0; return up(n); }";
    let program = parsed(&(HEAD.to_owned() + text), DataModel::LP64);
    let outcome = refine(&program, &options(Overflow::Check, 6), &mut |_| {});
    assert!(matches!(outcome.verdict, Verdict::Holds | Verdict::Unknown(_)), "{outcome:?}");
}

#[test]
fn sums_that_wrap_around_are_compared_in_wider_numbers() {
    let text = "int main() {
          int x = nondet();
          while (x > 0) {
            int y = nondet(), old = x;
            x = nondet();
            if (y > 2 * old || 2 * x > y) return 0;
            if (x > old) reach_error();
          }
        }";
    let program = parsed(&(HEAD.to_owned() + text), DataModel::LP64);
    let outcome = refine(&program, &options(Overflow::Assume, 12), &mut |_| {});
    assert_eq!(outcome.verdict, Verdict::Holds, "{}", outcome.predicates);
}

#[test]
fn a_bound_at_a_constant_of_a_condition_stands_for_bounds_that_go_on_and_on() {
    let text = "int odd(int n);
        int even(int n) { if (n == 0) return 1; return odd(n - 1); }
        int odd(int n) { if (n == 0) return 0; return even(n - 1); }
        int main() { int n = nondet(); if (n < 0) return 0; return even(n); }";
    stays_in_range(text, 12);
}

#[test]
fn bounds_that_move_together_have_a_sum_that_stays() {
    let text = "int add(int m, int n) { if (n == 0) return m; return add(m + 1, n - 1); }
        int main() {
          int m = nondet(), n = nondet();
          if (m < 0 || m > 1000000000 || n < 0 || n > 1000000000) return 0;
          return add(m, n);
        }";
    stays_in_range(text, 16);
}

#[test]
fn a_trace_that_fails_after_a_return_is_followed_to_the_frame_that_fails() {
    let text = "int f(int n) { if (n < 1) return 0; if (n == 1) return 1; return f(n - 1) + f(n - 2); }
        int main() { int n = nondet(); if (n > 3 || n < -9) return 0; return f(n); }";
    stays_in_range(text, 16);
}

#[test]
fn the_states_of_a_machine_are_no_divergence() {
    let case = |at: usize| format!("else if (s == {at}00) {{ if (nondet()) s = {}00; else s = 400; }}\n", at + 1);
    let cases: String = (2..10).map(case).collect();
    let text = format!(
        "{HEAD}int main() {{
          int s = 200, other = 0, last = nondet();
          while (1) {{
            if (s == 1000) return 0;
            {cases}
            else reach_error();
            other = last; last = s;
          }}
        }}"
    );
    let program = parsed(&text, DataModel::LP64);
    let mut sources = Vec::new();
    let outcome = refine(&program, &options(Overflow::Wrap, 30), &mut |round| {
        sources.extend(round.learnt.iter().map(|&(source, _)| source));
    });
    assert_eq!(outcome.verdict, Verdict::Holds, "{}", outcome.predicates);
    assert!(!sources.contains(&From::Template), "{}", outcome.predicates);
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

fn decided(text: &str, question: impl Fn(&Program) -> Question, overflow: Overflow) -> Answer {
    let program = parsed(&(HEAD.to_owned() + text), DataModel::LP64);
    decide(&program, &question(&program), &options(overflow, 10), &mut |_: &Round<'_>| {})
}

#[test]
fn places_are_reached_or_not() {
    let text = "int g; int f(int x) { if (x > 3) { L: g = 1; } return x + 1; }
        int main() {
          int x = nondet();
          if (x > 5) x = f(x) / g;
          if (x == 123456) { N: if (x != 123456) K: g = 2; }
        }";
    for (place, reached) in
        [("L", true), ("f:L", true), ("*:L", true), ("K", false), ("N", true), ("f", true), (":5", true)]
    {
        let at = |program: &Program| Question::Places(places(program, place).expect("there is such a place"));
        let Answer { outcome, .. } = decided(text, at, Overflow::Wrap);
        assert_eq!(outcome.verdict.claims_run(), reached, "{place}: {outcome:?}");
        assert_eq!(outcome.verdict == Verdict::Unreachable, !reached, "{place}: {outcome:?}");
    }
    let program = parsed(&(HEAD.to_owned() + text), DataModel::LP64);
    assert!(places(&program, "M").is_err() && places(&program, ":99").is_err() && places(&program, "main:L").is_err());
}

#[test]
fn a_place_behind_a_failure_is_not_reached() {
    let text = "int main() { int x = nondet(); if (x > 7) reach_error(); if (x > 7) { L: return 1; } }";
    let at = |program: &Program| Question::Places(places(program, "L").expect("there is such a place"));
    assert_eq!(decided(text, at, Overflow::Check).outcome.verdict, Verdict::Unreachable);
}

#[test]
fn only_the_failures_that_count_are_found() {
    let text = "int main() {
          int x = nondet(), y = nondet();
          if (y > 5 && y < 100) { if (x < y) __assert_fail(); x = x + 1; }
          if (y == 1000 && x / (y - 1000)) return 1;
        }";
    let verdict = |failures, overflow| decided(text, |_| Question::Failures(failures), overflow).outcome.verdict;
    assert!(matches!(verdict(Failures::All, Overflow::Assume), Verdict::Violated(..)));
    assert_eq!(verdict(Failures::Errors, Overflow::Assume), Verdict::Holds);
    assert!(matches!(verdict(Failures::Overflows, Overflow::Assume), Verdict::Violated(..)));
    let divides = "int main() { int x = nondet(), y = nondet(); if (y > -1) return x / y; }";
    let verdict = |overflow| decided(divides, |_| Question::Failures(Failures::Overflows), overflow).outcome.verdict;
    assert_eq!(verdict(Overflow::Assume), Verdict::Holds);
    let least = divides.replace("-1)", "-2)");
    let answer = decided(&least, |_| Question::Failures(Failures::Overflows), Overflow::Assume);
    assert!(matches!(answer.outcome.verdict, Verdict::Violated(..)), "{answer:?}");
}

#[test]
fn a_witness_has_inputs_branches_and_the_target() {
    let text = "extern int nondet(); extern void reach_error();
int main() {
  int x = nondet();
  if (x == 4711)
    reach_error();
}";
    let program = parsed(text, DataModel::LP64);
    let outcome = refine(&program, &options(Overflow::Wrap, 10), &mut |_| {});
    let Verdict::Violated(Execution { inputs, .. }) = &outcome.verdict else { panic!("{outcome:?}") };
    let metadata = Metadata {
        uuid: "u".into(),
        creation_time: "t".into(),
        version: "v".into(),
        files: vec![("prog.c".into(), "hash".into())],
        specification: "s".into(),
        data_model: "LP64".into(),
    };
    let witness = violation(&program, &[Source::new("prog.c", text)], Overflow::Wrap, inputs).text(&metadata);
    let waypoints: Vec<&str> = witness.lines().filter(|line| line.contains("type: ")).map(str::trim).collect();
    assert_eq!(waypoints[1..], ["type: \"assumption\"", "type: \"branching\"", "type: \"target\""], "{witness}");
    let lines: Vec<&str> = witness.lines().filter(|line| line.contains(" line: ")).map(str::trim).collect();
    assert_eq!(lines, ["line: 4", "line: 4", "line: 5"], "{witness}");
    assert!(witness.contains("value: \"x == 4711\"") && witness.contains("value: \"true\""), "{witness}");
}

#[test]
fn what_holds_only_because_undefined_runs_end_says_so() {
    let text = "int main() { int x = nondet(), y = nondet(); if (x / y != x / y) reach_error(); }";
    let outcome = refined(&(HEAD.to_owned() + text), 10);
    assert_eq!(outcome.verdict, Verdict::Holds);
    let told: Vec<(String, u32)> =
        outcome.undefined.iter().map(|(kind, place)| (kind.to_string(), place.line)).collect();
    assert!(told.contains(&("a division by zero or a shift out of range".to_owned(), 2)), "{told:?}");
    let total = text.replace("/", "+");
    assert_eq!(refined(&(HEAD.to_owned() + &total), 10).undefined, []);
}

#[test]
fn random_programs_get_no_wrong_verdict() {
    let mut decided = [0, 0, 0];
    for seed in seeds::seeds(0..60) {
        let mut rng = Rng::with_seed(seed);
        let text = small_programs::program(&mut rng);
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
            _ => decided[2] += 1,
        }
    }
    println!("holds, violated, unknown: {decided:?}");
    assert!(decided[0] > 10 && decided[1] > 10, "{decided:?}");
}

/// How runs end, for all pairs of inputs.
fn ends(program: &Program, overflow: Overflow) -> Vec<End> {
    let options = interpreter::Options::of(overflow, 20_000);
    let run = |x, y| interpreter::execute(program, &options, Inputs::list([x, y]), &mut |_| {}).end;
    (-8..8).flat_map(|x| (-8..8).map(move |y| (x, y))).map(|(x, y)| run(x, y)).collect()
}

/// Each statement by itself is asked about: of some programs, whether it is reached; of others, whether an overflow is.
#[test]
fn random_programs_reach_what_they_are_said_to_reach() {
    let mut decided = [0, 0, 0];
    for seed in seeds::seeds(1_000..1_040) {
        let mut rng = Rng::with_seed(seed);
        let text = small_programs::program(&mut rng);
        let program = parsed(&text, FOUR_BITS);
        let overflow = [Overflow::Wrap, Overflow::Assume][rng.usize(..2)];
        let body = program.procedure(program.main).body.as_ref().expect("it has one");
        let label = puch::c::program::Label(rng.usize(..body.len()) as u32);
        let question = match rng.bool() {
            true => Question::Places(vec![puch::c::program::StatementId::of(program.main, label)]),
            false => Question::Failures(Failures::Overflows),
        };
        let answer = decide(&program, &question, &options(overflow, 6), &mut |_| {});
        let mut reached = false;
        match &question {
            Question::Places(_) => {
                let options = interpreter::Options::of(overflow, 20_000);
                for (x, y) in (-8..8).flat_map(|x| (-8..8).map(move |y| (x, y))) {
                    interpreter::execute(&program, &options, Inputs::list([x, y]), &mut |moment| {
                        reached |= (moment.procedure, moment.label) == (program.main, label);
                    });
                }
            }
            _ => {
                let wrong = |end: &End| matches!(end, End::Wrong(Fault::Overflow));
                let silent = question::chosen(&program, Failures::Overflows, Overflow::Wrap);
                reached = ends(&silent, Overflow::Check).iter().any(wrong);
            }
        }
        match answer.outcome.verdict {
            Verdict::Holds | Verdict::Unreachable => {
                assert!(!reached, "seed {seed}: it is reached, {question:?} {overflow:?}\n{text}")
            }
            Verdict::Violated(_) | Verdict::Reachable(_) => {
                assert!(reached, "seed {seed}: it is not, {question:?} {overflow:?}\n{text}")
            }
            _ => {}
        }
        decided[match answer.outcome.verdict {
            Verdict::Holds | Verdict::Unreachable => 0,
            Verdict::Violated(_) | Verdict::Reachable(_) => 1,
            Verdict::Unknown(_) => 2,
        }] += 1;
    }
    println!("unreachable, reachable, unknown: {decided:?}");
    assert!(decided[0] > 4 && decided[1] > 8, "{decided:?}");
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
            (form, if rng.u8(..3) == 0 { Comparison::Zero } else { Comparison::NotPositive })
        };
        let system: Vec<(Form, Comparison)> = (0..rows).map(|_| row(&mut rng)).collect();
        match solve(&system, 10_000).expect("small numbers") {
            Solved::Feasible(values) => {
                counts[0] += 1;
                for (form, relation) in &system {
                    let of = |variable| values.get(&variable).copied().unwrap_or(Rational::ZERO);
                    let sign = value(form, &of).sign();
                    assert!(sign == 0 || sign < 0 && *relation == Comparison::NotPositive, "{system:?} {values:?}");
                }
            }
            Solved::Infeasible(multipliers) => {
                counts[1] += 1;
                let mut sum = Form::default();
                for ((form, relation), &times) in system.iter().zip(&multipliers) {
                    assert!(times.sign() >= 0 || *relation == Comparison::Zero, "{system:?} {multipliers:?}");
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

/// What `exit`, `free`, `malloc` and procedures of others are given is computed, whether or not somebody looks at it.
#[test]
fn what_is_computed_for_nobody_has_to_be_defined() {
    for call in ["exit(x + y)", "other(&g, x + y)", "if (malloc((unsigned long) (x + y))) return 1"] {
        let text = format!(
            "extern void exit(int); extern void other(int *, int); extern void *malloc(unsigned long);
            int g; int main() {{ int x = nondet(), y = nondet(); if (x > 5555 && y > 2147480000) {{ {call}; }} }}"
        );
        let program = parsed(&(HEAD.to_owned() + &text), DataModel::LP64);
        let outcome = refine(&program, &options(Overflow::Check, 10), &mut |_| {});
        assert!(matches!(outcome.verdict, Verdict::Violated(..)), "{call}: {:?}", outcome.verdict);
    }
}

#[test]
fn a_label_behind_what_does_not_return_is_never_reached() {
    let text = "int main() { int x = nondet(); if (x > 3) { reach_error(); L: x = 2; } return 0; }";
    let program = parsed(&(HEAD.to_owned() + text), DataModel::LP64);
    let places = places(&program, "L").expect("the label is there");
    let answer = decide(&program, &Question::Places(places), &options(Overflow::Wrap, 5), &mut |_| {});
    assert_eq!(answer.outcome.verdict, Verdict::Unreachable);
}

#[test]
fn what_is_written_through_a_pointer_is_known_to_who_gave_it() {
    let text = "void set(int *p, int v) { if (v < 0) v = 3; *p = v; }
        int main() { int a = 1; set(&a, 3); if (a != 3) reach_error(); }";
    holds(&(HEAD.to_owned() + text), 10);
    let text =
        "int main() { int a = 1, b = 2, *q = &a; if (nondet()) q = &b; *q = 3; if (a != 3 && b != 3) reach_error(); }";
    holds(&(HEAD.to_owned() + text), 10);
}

#[test]
fn a_label_may_be_a_word_of_boolean_programs() {
    let text = "int main() { int x = nondet(); if (x) goto end; x = 1; end: if (!x) reach_error(); }";
    holds(&(HEAD.to_owned() + text), 6);
}

/// Nothing is abstracted where there is one run.
#[test]
fn the_only_run_of_a_program_is_executed() {
    let fibonacci = "int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }
        int main() { if (f(20) != 6765) reach_error(); }";
    let outcome = refined(fibonacci, 0);
    assert!(matches!(outcome.proof, Proof::Executed(steps) if steps > 10_000), "{outcome:?}");
    assert_eq!((outcome.verdict, outcome.rounds), (Verdict::Holds, 0));
    let wrong = refined(&fibonacci.replace("6765", "6766"), 0);
    assert!(matches!(wrong.verdict, Verdict::Violated(Execution { ref inputs, .. }) if inputs.is_empty()), "{wrong:?}");
}

/// Somebody else decides what happens: a local has any value, memory may be refused, what is elsewhere writes what it is handed.
#[test]
fn a_run_that_others_may_change_is_not_the_only_one() {
    for text in [
        "int main() { int x; if (x == 12345) reach_error(); }",
        "int main(int count) { if (count == 12345) reach_error(); }",
        "void *malloc(unsigned long); int main() { if (!malloc(4)) reach_error(); }",
        "void take(int *p); int main() { int x = 1; take(&x); if (x != 1) reach_error(); }",
        "int g; void f() { g = 1; } void take(void (*f)()); int main() { take(f); if (g) reach_error(); }",
    ] {
        let outcome = refined(text, 6);
        assert_ne!(outcome.verdict, Verdict::Holds, "{text}");
    }
}

#[test]
fn rounds_that_do_not_decide_are_said() {
    let text = "int main() { int x = nondet(); if (x < 5 && x > 4) reach_error(); }";
    let outcome = refined(&(HEAD.to_owned() + text), 1);
    assert_eq!(outcome.verdict, Verdict::Unknown(Reason::Rounds(1)));
}

#[test]
fn all_reasons_why_a_trace_is_no_run_are_found_where_they_are_wanted() {
    let text = "int a, b, c; int main() { int x = nondet(); a = 0; b = 0; c = 0;
        if (a == 1) if (b == 2) if (x > 5) if (c == 0) if (x < 3) reach_error(); }";
    let program = parsed(&(HEAD.to_owned() + text), DataModel::LP64);
    let made = abstracted(&program, &[], Overflow::Wrap, &Tuning::default());
    let system = System::of(&made, &program.files).expect("it is a program");
    let options = check::Options { trace: TraceWish::Shortest, ..check::Options::default() };
    let outcome = check::check(&system.spds, &[Property::Assertions], &options).expect("it can be checked");
    let (check::Verdict::Violated(Some(trace)) | check::Verdict::Reachable(Some(trace))) = &outcome.answers[0].verdict
    else {
        panic!("{:?}\n{}", outcome.answers[0].verdict, made.text())
    };
    let points = points(&system, &trace.run);
    let bounds = Tuning::default().bounds;
    let of = |extent| follow(&program, &points, Overflow::Wrap, (&bounds, extent));
    let (first, whole) = (of(Extent::First), of(Extent::Whole));
    let Ended::Infeasible(core) = &whole.ended else { panic!("{:?}", whole.ended) };
    assert_eq!((core.len(), &first.steps, &first.ended), (1, &whole.steps, &whole.ended));
    assert!(first.further.cores.is_empty() && whole.further.steps.len() > whole.steps.len());
    let sizes: Vec<usize> = whole.further.cores.iter().map(Vec::len).collect();
    assert_eq!(sizes, [1, 2], "b is not 2, and x cannot be both; {:?}", whole.further);
}

#[test]
fn what_calls_leave_of_globals_is_known_where_locals_are_compared_with_them() {
    let text = "int g, h; void set() { if (h) h = 0; }
        int main() { int x = nondet(); g = x; h = nondet(); set(); if (g != x) reach_error(); }";
    holds(&(HEAD.to_owned() + text), 8);
    let text = "int g, k, h; int next() { k = k + 1; return k; }
        int main() { g = nondet(); k = nondet(); if (g == k) { h = next(); if (h != g + 1) reach_error(); } }";
    holds(&(HEAD.to_owned() + text), 8);
}
