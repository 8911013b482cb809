//! Predicates from a solver of Horn clauses: programs as clauses, answers as conditions, and what they are worth to the loop. The
//! answers are what Spacer prints; it need not be there.

use std::cell::RefCell;
use std::io::Write;
use std::process::{Command, Stdio};
use std::rc::Rc;

use fastrand::Rng;
use puch::c::program::Overflow;
use puch::c::types::DataModel;
use puch::refinement::horn::Horn;
use puch::refinement::{Donor, Options, Outcome, Source, Verdict, refine};

use super::c_texts::parsed;
use super::seeds::seeds;
use super::small_programs::{self, FOUR_BITS, fails_somewhere};
use super::soup::Soup;
use super::{HEAD, options};

/// What it returns grows faster than its argument, of which traces give one number after the other.
const FIBONACCI: &str = "extern int nondet(); extern void reach_error();
    int fib(int n) { if (n < 1) return 0; if (n == 1) return 1; return fib(n - 1) + fib(n - 2); }
    int main() {
      int x = nondet();
      if (x > 46 || x == -2147483647 - 1) return 0;
      if (fib(x) < x - 1) reach_error();
    }";

fn clauses(text: &str) -> Horn {
    Horn::of(&parsed(text, DataModel::LP64)).expect("something can fail")
}

/// The conditions of an answer, each with its procedure.
fn conditions(text: &str, answer: &str) -> Vec<String> {
    let mut program = parsed(text, DataModel::LP64);
    let horn = Horn::of(&program).expect("something can fail");
    let found = horn.conditions(&mut program, answer);
    let line = |&(procedure, condition)| {
        format!("{}: {}", program.procedure(procedure).name, program.expression_text(condition))
    };
    found.iter().map(line).collect()
}

/// What the loop says in so many rounds, and how many predicates were given to it.
fn refined(text: &str, rounds: usize, donor: Option<Donor>) -> (Outcome, usize) {
    let options = Options { donor, ..options(Overflow::Assume, rounds) };
    let mut given = 0;
    let outcome = refine(&parsed(text, DataModel::LP64), &options, &mut |round| {
        given +=
            round.learnt.iter().filter(|(source, _)| *source == Source::Spacer).map(|(_, count)| count).sum::<usize>();
    });
    (outcome, given)
}

#[test]
fn what_cannot_fail_is_no_question() {
    assert!(Horn::of(&parsed("int main() { return 0; }", DataModel::LP64)).is_none());
}

/// A procedure, a loop, a global and a remainder.
const STEPS: &str = "extern int nondet(); extern void reach_error();
    int g;
    void step(unsigned by) { g = g + 2 * by; }
    int main() { int x = nondet(); while (g < x) step(3); if (g % 2 == 1) reach_error(); return 0; }";

/// `r0` to `r3` are the entry of `step`, its blocks (what the global was, what it is, the argument) and what it returns with; `r4`
/// to `r11` the entry of `main` and its blocks: before the loop nothing is known of `x`, and after it that does not matter any more.
const CLAUSES: &str = "(assert (=> true (r4 0)))
(assert (forall ((v0 Int)(v1 Int)) (=> (r0 v0 v1) (r1 v1 v1 v0))))
(assert (forall ((v0 Int)(v1 Int)(v2 Int)) (=> (r1 v0 v1 v2) (r2 v0 (+ v1 (* 2 v2)) v2))))
(assert (forall ((v0 Int)(v1 Int)(v2 Int)) (=> (r2 v0 v1 v2) (r3 v2 v0 v1))))
(assert (forall ((v0 Int)) (=> (r4 v0) (r5 v0))))
(assert (forall ((v0 Int)(v1 Int)) (=> (r5 v0) (r6 v0 v1))))
(assert (forall ((v0 Int)(v1 Int)) (=> (and (r6 v0 v1) (<= (+ v0 (* (- 1) v1) 1) 0)) (r7 v0 v1))))
(assert (forall ((v0 Int)(v1 Int)) (=> (and (r6 v0 v1) (<= (+ (* (- 1) v0) v1) 0)) (r9 v0))))
(assert (forall ((v0 Int)(v1 Int)) (=> (r7 v0 v1) (r0 3 v0))))
(assert (forall ((v0 Int)(v1 Int)(v2 Int)) (=> (and (r7 v0 v1) (r3 3 v0 v2)) (r8 v2 v1))))
(assert (forall ((v0 Int)(v1 Int)) (=> (r8 v0 v1) (r6 v0 v1))))
(assert (forall ((v0 Int)(v1 Int)(v2 Int)) (=> (and (r9 v0) (= v0 (+ (* 2 v1) v2)) \
(ite (<= 0 v0) (and (<= 0 v2) (< v2 2)) (and (< (- 2) v2) (<= v2 0))) (= (+ v2 (- 1)) 0)) (r10 v0))))
(assert (forall ((v0 Int)(v1 Int)(v2 Int)) (=> (and (r9 v0) (= v0 (+ (* 2 v1) v2)) \
(ite (<= 0 v0) (and (<= 0 v2) (< v2 2)) (and (< (- 2) v2) (<= v2 0))) (not (= (+ v2 (- 1)) 0))) (r11 v0))))
(assert (forall ((v0 Int)) (=> (r10 v0) false)))
(check-sat)
(get-model)
";

#[test]
fn procedures_loops_and_failures_are_these_clauses() {
    let script = clauses(STEPS).script;
    let (head, asserted) = script.split_at(script.find("(assert").expect("something is asserted"));
    assert_eq!(asserted, CLAUSES);
    assert!(head.contains("(set-logic HORN)\n") && head.contains("(declare-fun r3 (Int Int Int) Bool)\n"), "{head}");
}

/// What Spacer says of [`FIBONACCI`].
const SUMMARY: &str = "sat
(
  (define-fun r17 () Bool
    true)
  (define-fun r16 () Bool
    false)
  (define-fun r9 () Bool
    true)
  (define-fun r10 () Bool
    true)
  (define-fun r13 () Bool
    true)
  (define-fun r4 ((x!0 Int)) Bool
    (not (>= x!0 2)))
  (define-fun r3 ((x!0 Int)) Bool
    (not (<= x!0 0)))
  (define-fun r0 ((x!0 Int)) Bool
    true)
  (define-fun r2 ((x!0 Int)) Bool
    (not (>= x!0 1)))
  (define-fun r8 ((x!0 Int) (x!1 Int)) Bool
    (let ((a!1 (not (>= (+ x!0 (* (- 1) x!1)) 1)))
          (a!2 (not (>= (+ x!0 (* (- 1) x!1)) 2))))
      (and (or (not (<= x!0 1)) a!1) (not (<= x!1 (- 1))) a!2)))
  (define-fun r7 ((x!0 Int) (x!1 Int) (x!2 Int)) Bool
    (let ((a!1 (not (>= (+ x!0 (* (- 1) x!1) (* (- 1) x!2)) 2))))
      (and (not (<= x!0 1)) a!1)))
  (define-fun r6 ((x!0 Int) (x!1 Int)) Bool
    (and (or (not (<= x!1 1)) (not (>= x!0 4)))
         (not (<= x!0 1))
         (not (<= x!1 0))))
  (define-fun r5 ((x!0 Int)) Bool
    (not (<= x!0 1)))
  (define-fun r14 ((x!0 Int)) Bool
    true)
  (define-fun r15 ((x!0 Int) (x!1 Int)) Bool
    (not (>= (+ x!0 (* (- 1) x!1)) 2)))
  (define-fun r12 ((x!0 Int)) Bool
    true)
  (define-fun r1 ((x!0 Int)) Bool
    true)
)
";

#[test]
fn conditions_of_a_summary_speak_of_the_entry_and_of_the_result() {
    let found = conditions(FIBONACCI, SUMMARY);
    for wanted in [
        "fib: pre(n) <= result",
        "fib: 0 <= result",
        // Where something is computed it is in wider numbers.
        "fib: (long long) pre(n) <= (long long) result + 1ll",
        "fib: (long long) n <= (long long) .1 + (long long) .2 + 1ll",
        "main: (long long) x <= (long long) .1 + 1ll",
    ] {
        assert!(found.iter().any(|found| found == wanted), "{wanted}: {found:#?}");
    }
}

#[test]
fn names_stand_for_what_is_nearest_and_for_nothing_under_quantifiers() {
    let answer = "sat\n(model (define-fun r8 ((x!0 Int) (x!1 Int)) Bool
        (let ((a (+ x!0 3)) (b (<= x!1 7)))
          (let ((a x!1) (b (exists ((x!1 Int) (x!2 Int)) (! (and (= x!0 x!2) (>= a 5)) :weight 0))))
            (and b (distinct a x!0) (= b (> (* 2 x!1) (- x!0))) (= (mod x!0 2) 0) (< (* x!0 x!1) 4))))))";
    let wanted =
        ["fib: pre(n) <= 1", "fib: result == pre(n)", "fib: (long long) pre(n) + 2ll * (long long) result <= 0ll"];
    assert_eq!(conditions(FIBONACCI, answer), wanted);
}

#[test]
fn what_is_said_from_both_sides_is_an_equation() {
    let answer = "(error \"unknown parameter 'spacer.global' at module 'fp'\")\nsat\n(
        (define-fun r8 ((x!0 Int) (x!1 Int)) Bool
          (let ((a!1 (not (<= (+ (* 3 x!0) (* (- 1) x!1)) (- 1)))) (a!2 (not (>= (+ (* 3 x!0) (* (- 1) x!1)) 1))))
            (and a!1 a!2)))
        (define-fun r15 ((x!0 Int) (x!1 Int)) Bool (and (>= x!0 x!1) (not (> x!0 x!1)))))";
    let wanted = ["fib: 3 * pre(n) == result", "main: .1 <= x", "main: x == .1", "main: x <= .1"];
    assert_eq!(conditions(FIBONACCI, answer), wanted);
}

#[test]
fn what_is_no_model_says_nothing() {
    let others = [
        "",
        "unsat\n(error \"model is not available\")",
        "unknown",
        "timeout",
        &SUMMARY.replace("sat", "unsat"),
        "sat",
        "sat (",
    ];
    for answer in others {
        assert_eq!(conditions(FIBONACCI, answer), [""; 0], "{answer}");
    }
    let elsewhere = "sat\n((define-fun r99 ((x!0 Int)) Bool (<= x!0 1)) (define-fun other ((x!0 Int)) Bool (<= x!0 1))
        (define-fun r8 () Bool (<= x!0 1)) (define-fun r9 ((x!0 Int)) Bool (<= x!0 1)))";
    assert_eq!(conditions(FIBONACCI, elsewhere), [""; 0]);
}

/// Any text is taken for an answer.
fn answered(text: &[u8]) {
    thread_local!(static HORN: RefCell<(puch::c::Program, Horn)> = {
        let program = parsed(FIBONACCI, DataModel::LP64);
        let horn = Horn::of(&program).expect("something can fail");
        RefCell::new((program, horn))
    });
    HORN.with_borrow_mut(|(program, horn)| {
        let text = String::from_utf8_lossy(text);
        horn.conditions(program, &text);
        horn.conditions(program, &format!("sat\n{text}"));
    });
}

#[test]
fn answers_that_nobody_gave_are_read_in_good_order() {
    let tokens = [
        "(",
        "(",
        "(",
        ")",
        ")",
        ")",
        "sat",
        "define-fun",
        "r8",
        "Int",
        "Bool",
        "x!0",
        "x!1",
        "a!1",
        "and",
        "not",
        "let",
        "exists",
        "!",
        "<=",
        "=",
        "distinct",
        "+",
        "-",
        "*",
        "0",
        "170141183460469231731687303715884105727",
        "|",
        "\"",
        ";",
        "\n",
    ];
    let beginnings =
        ["", "sat\n((define-fun r8 ((x!0 Int) (x!1 Int)) Bool (", "sat\n((define-fun r8 ((x!0 Int)) Bool (let ("];
    let soup = Soup { tokens: &tokens, beginnings: &beginnings, texts: &[SUMMARY], read: answered };
    soup.random_bytes();
    soup.tokens_in_any_order();
    soup.texts_with_mistakes();
    soup.texts_cut_anywhere();
}

#[test]
fn deep_answers_are_read() {
    let deep = 100_000;
    let negated = "(not ".repeat(deep) + "(<= x!0 " + &"(+ 1 ".repeat(deep) + "1" + &")".repeat(2 * deep + 1);
    let answer = format!("sat\n((define-fun r8 ((x!0 Int) (x!1 Int)) Bool {negated}))");
    assert_eq!(conditions(FIBONACCI, &answer), [format!("fib: pre(n) <= {}", deep + 1)]);
}

#[test]
fn a_summary_from_elsewhere_ends_what_traces_do_not() {
    let asked = Rc::new(RefCell::new(0));
    let count = asked.clone();
    let donor: Donor = Rc::new(move |script| {
        *count.borrow_mut() += 1;
        assert!(script.ends_with("(check-sat)\n(get-model)\n"));
        Some(SUMMARY.to_owned())
    });
    let (with, given) = refined(FIBONACCI, 7, Some(donor));
    assert_eq!(with.verdict, Verdict::Holds, "{}", with.predicates);
    assert!(given > 0 && *asked.borrow() == 1, "{given} conditions, asked {asked:?} times");
    let (alone, given) = refined(FIBONACCI, with.rounds, None);
    assert!(matches!(alone.verdict, Verdict::Unknown(_)) && given == 0, "{alone:?}");
}

#[test]
fn what_is_given_is_used_with_the_conditions_that_it_needs() {
    let text = HEAD.to_owned()
        + "int main() {
          struct { unsigned char x, y; } s = { 0, 0 };
          while (nondet()) { if (s.x < 100) { s.x++; s.y += 2; } }
          if (s.y > 200) reach_error();
        }";
    // In the loop, and between the two assignments there.
    let answer = "sat\n((define-fun r3 ((x Int) (y Int)) Bool (and (>= (* 2 x) y) (not (>= y 201))))
        (define-fun r7 ((x Int) (y Int)) Bool (and (>= (* 2 x) (+ y 2)) (not (>= y 199)))))";
    let donor: Donor = Rc::new(|_| Some(answer.to_owned()));
    let (with, given) = refined(&text, 6, Some(donor));
    assert_eq!(with.verdict, Verdict::Holds, "{}", with.predicates);
    assert!(given > 0);
    let (alone, _) = refined(&text, 8, None);
    assert!(matches!(alone.verdict, Verdict::Unknown(_)), "{alone:?}");
}

#[test]
fn whoever_lies_or_is_silent_changes_no_verdict() {
    let comparisons = ["<=", ">=", "=", "<", "distinct"];
    for seed in seeds(0..12) {
        let mut rng = Rng::with_seed(seed);
        let text = small_programs::program(&mut rng);
        let program = parsed(&text, FOUR_BITS);
        let lies: String = (0..20)
            .map(|number| {
                let (sign, by) = (comparisons[rng.usize(..comparisons.len())], rng.i8(-8..8));
                let sum = format!("(+ x (* {by} y) {})", rng.u8(..8));
                format!("(define-fun r{number} ((x Int) (y Int) (z Int)) Bool ({sign} {sum} (* {} z)))", rng.u8(..3))
            })
            .collect();
        let answer = ["sat\n(".to_owned() + &lies + ")", "nonsense".to_owned()][usize::from(rng.u8(..4) == 0)].clone();
        let donor: Donor = Rc::new(move |_| Some(answer.clone()));
        let options = Options { donor: Some(donor), ..options(Overflow::Wrap, 7) };
        let outcome = refine(&program, &options, &mut |_| {});
        let fails = fails_somewhere(&program, Overflow::Wrap);
        let wrong =
            [Verdict::Holds == outcome.verdict, matches!(outcome.verdict, Verdict::Violated(..))][usize::from(!fails)];
        assert!(!wrong, "seed {seed}: {fails}\n{text}\n{}", outcome.predicates);
    }
}

/// All that z3 says to a script; none where it is not installed.
fn z3(script: &str) -> Option<String> {
    let mut process =
        Command::new("z3").args(["-in", "-T:20"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    process.stdin.take()?.write_all(script.as_bytes()).ok()?;
    String::from_utf8(process.wait_with_output().ok()?.stdout).ok()
}

#[test]
fn spacer_answers_what_is_understood() {
    let counts = "int main() { int x = nondet(), y = x; while (nondet()) { x++; y++; } if (x != y) reach_error(); }";
    // Members, arrays, pointers, calls through pointers, a value that a comparison is, and nothing that is known at all.
    let others = "struct s { int a; char b; union { int u; char v; } c; } g; extern int e; static unsigned char t[4];
        int twice(int x) { g.a += x; return 2 * x; }
        int once(int x) { static int n; n = n * x; t[x & 3] = n; return n > x; }
        int main() {
          int (*f)(int) = nondet() ? twice : once;
          int x = f(3), *p = &x, same = x == e, y = *p / 3;
          for (unsigned i = 0; i < 10; i++) { g.b = t[i & 3]; y += twice(i % 4); }
          if (same > 1 && g.c.v) reach_error();
          return *p << y;
        }";
    for text in [FIBONACCI, counts, others] {
        let text = if text == FIBONACCI { text.to_owned() } else { HEAD.to_owned() + text };
        let script = clauses(&text).script;
        let Some(answer) = z3(&script) else {
            eprintln!("there is no `z3`: skipped asking it");
            return;
        };
        assert!(answer.starts_with("sat") && !answer.contains("error"), "{answer}\n{script}");
        assert!(!conditions(&text, &answer).is_empty(), "{answer}");
    }
}
