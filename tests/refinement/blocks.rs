//! Paths as single steps: the same verdicts as statement by statement, whatever happens in the middle of a path.

use fastrand::Rng;
use puch::abstraction::boolean::Step;
use puch::abstraction::{Edges, Tuning, abstracted, read};
use puch::c::program::Overflow;
use puch::c::types::DataModel;
use puch::question::{Failures, places};
use puch::refinement::{Execution, Onward, Options, Outcome, Proof, Question, Verdict, decide, refine};

use super::c_texts::parsed;
use super::seeds::seeds;
use super::small_programs::{self, FOUR_BITS, fails_somewhere};
use super::{HEAD, options};

fn taking(edges: Edges, overflow: Overflow, rounds: usize) -> Options {
    Options { tuning: Tuning { edges, ..Tuning::default() }, ..options(overflow, rounds) }
}

/// What the loop says where paths, and where statements are single steps.
fn both(text: &str, overflow: Overflow) -> [Outcome; 2] {
    let program = parsed(&(HEAD.to_owned() + text), DataModel::LP64);
    [Edges::Path, Edges::Statement].map(|edges| refine(&program, &taking(edges, overflow, 12), &mut |_| {}))
}

#[track_caller]
fn holds(text: &str, overflow: Overflow) -> [Outcome; 2] {
    let both = both(text, overflow);
    for outcome in &both {
        assert_eq!(outcome.verdict, Verdict::Holds, "{text}\n{}", outcome.predicates);
        assert!(matches!(outcome.proof, Proof::Again(_)), "{text}\n{:?}", outcome.proof);
    }
    both
}

#[track_caller]
fn fails(text: &str, overflow: Overflow) -> [u64; 2] {
    both(text, overflow).map(|outcome| match outcome.verdict {
        Verdict::Violated(Execution { steps, .. }) => steps,
        other => panic!("{text}\n{other:?}\n{}", outcome.predicates),
    })
}

#[test]
fn no_run_goes_past_what_is_undefined_in_the_middle_of_a_path() {
    let text = |divisor: &str| {
        format!(
            "int main() {{ int x = nondet(), y = 3, z;
               y = x - 5; z = 100 / ({divisor}); x = 2 * y;
               if (y == 0 && x == 0) reach_error(); }}"
        )
    };
    let [by_paths, by_statements] = holds(&text("y"), Overflow::Wrap);
    assert!(!by_paths.undefined.is_empty());
    assert_eq!(by_paths.undefined, by_statements.undefined);
    fails(&text("y + 1"), Overflow::Wrap);
    let sum = "int main() { int x = nondet(), y = 0; if (x < 0) return 0; y = x; y = y + 1; x = y; if (x < 1) reach_error(); }";
    holds(sum, Overflow::Assume);
    fails(sum, Overflow::Wrap);
}

#[test]
fn what_cannot_be_undefined_on_any_path_is_not_told() {
    let text =
        "int main() { int x = nondet(), y; if (x > 3) y = x; else y = 4; y = 12 / y; if (y > 3) reach_error(); }";
    let [by_paths, _] = holds(text, Overflow::Wrap);
    assert_eq!(by_paths.undefined, []);
}

#[test]
fn a_failure_in_the_middle_of_a_path_is_found_where_it_is() {
    let text = |bound: &str| {
        format!(
            "int main() {{ int x = nondet(), a = 1, b;
               if (x > {bound}) return 0;
               b = a; b = b + 1; x = x + b; a = 2 * b; return a; }}"
        )
    };
    fails(&text("2147483646"), Overflow::Check);
    holds(&text("2147483645"), Overflow::Check);
    let pointers = "int a, b; int main() { int *p = &a; if (nondet() == 77) p = 0; b = 1; b = 2; *p = b; b = 3; if (a != 2) reach_error(); }";
    fails(pointers, Overflow::Check);
    holds(pointers, Overflow::Wrap);
}

#[test]
fn an_assumption_blocks_in_the_middle_of_a_path() {
    let text = |bound: &str| {
        format!(
            "extern void __VERIFIER_assume(int);
             int main() {{ int x = nondet(), y = x; y = y & 15; __VERIFIER_assume(y > {bound}); x = y; y = 0; if (x < 9) reach_error(); }}"
        )
    };
    holds(&text("8"), Overflow::Wrap);
    fails(&text("7"), Overflow::Wrap);
}

#[test]
fn jumps_lead_out_of_paths_and_into_loops() {
    let text = |wrong: &str| {
        format!(
            "int main() {{ int x = nondet(), n = 0;
               if (x == 17) goto middle;
               while (n < 3) {{ n = n + 1; if (x == 4) goto out;
                 middle: n = n + 2; switch (x) {{ case 3: n = 9; case 5: goto out; default: break; }} }}
               if (n < 3 || n > 5) reach_error();
               return 0;
               out: if (n {wrong} && x != 5) reach_error(); }}"
        )
    };
    holds(&text("!= 1 && n != 9"), Overflow::Wrap);
    fails(&text("!= 1"), Overflow::Wrap);
}

#[test]
fn who_is_called_may_fail_or_never_return() {
    let text = |go: &str, fail: &str| {
        format!(
            "int g; void f(int x) {{ g = x; g = g + 1; if (x {fail}) reach_error(); while ({go}) g = 2; }}
             int main() {{ int x = nondet(), y; if (x == 5 || x == 6) return 0; y = x; f(y); y = g; if (y != x + 1) reach_error(); if (y == 6) reach_error(); }}"
        )
    };
    holds(&text("0", "== 5"), Overflow::Wrap);
    fails(&text("0", "== 123456"), Overflow::Wrap);
    holds(
        "void f(int x) { while (1) x = 2; } int main() { int x = nondet(); x = x & 7; f(x); x = 3; reach_error(); }",
        Overflow::Wrap,
    );
    fails(
        "void f(int x) { while (1) { x = x & 1; if (x == 1) reach_error(); } } int main() { int x = nondet(); if (x != 54321) return 0; f(x); }",
        Overflow::Wrap,
    );
}

#[test]
fn a_path_writes_through_pointers() {
    let text = |last: &str| {
        format!(
            "int a, b; int main() {{ int x = nondet(), *p = &a, *q = &b;
               if (x > 4) p = q;
               a = 1; b = 2; *p = 7; *q = *q + 1; p = &a;
               if (b != {last}) reach_error(); if (*p != 1 && x > 4) reach_error(); }}"
        )
    };
    holds(&text("3 && b != 8"), Overflow::Wrap);
    fails(&text("3"), Overflow::Wrap);
}

#[test]
fn many_paths_are_cut_where_they_meet() {
    let lines: String = (0..12).map(|at| format!("if (nondet() > {at}) n = n + 1; else n = n + 2;\n")).collect();
    let text = |most: u32| format!("int main() {{ int n = 0; {lines} if (n < 12 || n > {most}) reach_error(); }}");
    let program = parsed(&(HEAD.to_owned() + &text(24)), DataModel::LP64);
    let mut lines = Vec::new();
    refine(&program, &taking(Edges::Path, Overflow::Wrap, 3), &mut |round| {
        lines.push(round.made.procedures.iter().map(|procedure| procedure.lines.len()).sum::<usize>());
    });
    assert!(lines.iter().all(|&count| count < 400), "{lines:?}");
    fails(&text(23), Overflow::Wrap);
}

#[test]
fn a_path_is_no_longer_than_what_can_be_said_exactly() {
    let assignments = |edges: Edges, predicates: &str| {
        let text =
            "int main() { int x = nondet(), y = 3; x = x + 1; y = y + 1; x = 3 * x; y = 2; x = x + y; return x; }";
        let mut program = parsed(&(HEAD.to_owned() + text), DataModel::LP64);
        let predicates = read::read(&mut program, predicates).expect("they are right");
        let tuning = Tuning { edges, ..Tuning::default() };
        let made = abstracted(&program, &predicates, Overflow::Wrap, &tuning);
        let lines = made.procedures.iter().flat_map(|procedure| &procedure.lines);
        lines.filter(|line| matches!(line.step, Step::Assign(..))).count()
    };
    assert_eq!(assignments(Edges::Path, "main: x <= 1, x <= 2, y == 4"), 1);
    let many = "main: x <= 1, x <= 2, x <= 3, x <= 4, x <= 5, x <= 6, x <= 7, x <= 8, x <= 9";
    assert!(assignments(Edges::Path, many) > 2);
    // From loop to loop it is as long as it is.
    assert_eq!(assignments(Edges::Loop, many), 1);
}

#[test]
fn the_shortest_trace_is_that_of_the_fewest_statements() {
    let straight: String = (0..20).map(|_| "y = y + 1; ").collect();
    let text = format!(
        "int main() {{ int x = nondet(), y = nondet();
           if (x == 1000) {{ if (y == -77) {{ {straight} reach_error(); }} }}
           else if (x > 5) if (x > 6) if (x > 7) if (x > 8) if (x == 5000) if (y == -1234) reach_error(); }}"
    );
    let [by_paths, by_statements] = fails(&text, Overflow::Wrap);
    assert_eq!(by_paths, by_statements);
}

#[test]
fn a_turn_of_a_loop_needs_no_predicates_of_its_middle() {
    let text = "int main() { int x = nondet(), a = 0, b = 0, t;
        while (x > 0) { x = x - 1; t = a; a = b; b = t; t = a - b; if (t != 0) a = 5; }
        if (a != 0) reach_error(); }";
    let [by_paths, by_statements] = holds(text, Overflow::Wrap);
    assert!(by_paths.rounds <= by_statements.rounds, "{} and {}", by_paths.rounds, by_statements.rounds);
    let text = "int main() { int a = 1, b = 2, c = 3, t;
        while (nondet()) { t = a; a = b; b = c; c = t; t = c * 2; t = t + 1; }
        if (a + b + c != 6) reach_error(); }";
    let program = parsed(&(HEAD.to_owned() + text), DataModel::LP64);
    let outcome = refine(&program, &taking(Edges::Path, Overflow::Wrap, 2), &mut |_| {});
    assert_eq!(outcome.verdict, Verdict::Holds, "{}", outcome.predicates);
}

#[test]
fn places_are_reached_or_not_by_paths() {
    let text = "int g; int f(int x) { if (x > 3) { L: g = 1; } return x + 1; }
        int main() {
          int x = nondet();
          if (x > 5) x = f(x) / g;
          if (x == 123456) { N: if (x != 123456) K: g = 2; }
        }";
    let program = parsed(&(HEAD.to_owned() + text), DataModel::LP64);
    for (place, reached) in [("L", true), ("K", false), ("N", true), (":5", true)] {
        let question = Question::Places(places(&program, place).expect("there is such a place"));
        let outcome = decide(&program, &question, &taking(Edges::Path, Overflow::Wrap, 10), &mut |_| {}).outcome;
        assert_eq!(outcome.verdict.claims_run(), reached, "{place}: {outcome:?}");
        assert_eq!(outcome.verdict == Verdict::Unreachable, !reached, "{place}: {outcome:?}");
    }
}

#[test]
fn programs_end_or_not_by_paths() {
    for (text, ends) in [
        ("int main() { int n = nondet(); while (n > 0) { n = n - 1; n = n - 1; } }", Some(true)),
        ("int main() { int n = nondet(), m = 0; while (n != 3) { m = n; n = m; } }", Some(false)),
        ("int f(int n) { if (n > 0) return f(n - 2); return n; } int main() { return f(nondet()); }", Some(true)),
    ] {
        let program = parsed(&(HEAD.to_owned() + text), DataModel::LP64);
        for edges in [Edges::Path, Edges::Loop, Edges::Statement] {
            let options = taking(edges, Overflow::Assume, 10);
            let verdict = decide(&program, &Question::Termination, &options, &mut |_| {}).outcome.verdict;
            let found = match verdict {
                Verdict::Holds => Some(true),
                Verdict::Violated(Execution { onward: Onward::Repeats(_) | Onward::Recurs(_), .. }) => Some(false),
                _ => None,
            };
            assert_eq!(found, ends, "{edges:?}: {verdict:?}\n{text}");
        }
    }
}

#[test]
fn random_programs_get_no_wrong_verdict_by_paths() {
    let mut decided = [0, 0, 0];
    for seed in seeds(1_000..1_040) {
        let mut rng = Rng::with_seed(seed);
        let text = small_programs::program(&mut rng);
        let program = parsed(&text, FOUR_BITS);
        let overflow = [Overflow::Wrap, Overflow::Assume, Overflow::Check][rng.usize(..3)];
        let question = Question::Failures(Failures::All);
        let edges = [Edges::Path, Edges::Loop][rng.usize(..2)];
        let outcome = decide(&program, &question, &taking(edges, overflow, 6), &mut |_| {}).outcome;
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
            Verdict::Unknown(why) => {
                assert!(!why.to_string().contains("defect"), "seed {seed}, {overflow:?}: {why}\n{text}");
                decided[2] += 1;
            }
            other => panic!("seed {seed}: {other:?}"),
        }
    }
    println!("holds, violated, unknown: {decided:?}");
    assert!(decided[0] > 7 && decided[1] > 7, "{decided:?}");
}
