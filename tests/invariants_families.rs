//! Families of loops and recursions whose verdict is known by construction, at bounds from small to large: what refinement says of them may
//! not depend on how long their runs are.

extern crate puch_programs as puch;

#[path = "support/c_texts.rs"]
#[allow(dead_code, reason = "others ask for more")]
mod c_texts;

use c_texts::parsed;
use puch::c::program::Overflow;
use puch::c::types::DataModel;
use puch::refinement::{Options, Outcome, Round, Verdict, refine};

const HEAD: &str = "extern int nondet(void); extern void reach_error(void);\n";

/// Bounds from small to large.
const BOUNDS: [i64; 3] = [10, 1_000, 1_000_000];

/// What refinement says of a program, within so many rounds.
fn refined(text: &str, rounds: usize) -> Outcome {
    let program = parsed(&(HEAD.to_owned() + text), DataModel::LP64);
    let check = puch::options::Options::default();
    let rounds = Some(rounds);
    let options = Options { overflow: Overflow::Wrap, tuning: Default::default(), check, rounds, donor: None };
    refine(&program, &options, &mut |_: &Round<'_>| {})
}

/// The text for a bound holds, and the one with a change fails, within so many rounds.
#[track_caller]
fn decided(rounds: usize, text: impl Fn(i64, bool) -> String) {
    for bound in BOUNDS {
        holds(rounds, &text(bound, true));
        fails(rounds, &text(bound, false));
    }
}

#[track_caller]
fn holds(rounds: usize, text: &str) {
    let verdict = refined(text, rounds).verdict;
    assert_eq!(verdict, Verdict::Holds, "{text}");
}

#[track_caller]
fn fails(rounds: usize, text: &str) {
    let verdict = refined(text, rounds).verdict;
    assert!(matches!(verdict, Verdict::Violated(..)), "{verdict:?}: {text}");
}

/// One of two texts.
fn either(first: bool, one: &str, other: &str) -> String {
    if first { one } else { other }.to_owned()
}

#[test]
fn what_goes_up_as_another_goes_down_stays_below_the_bound() {
    let text = |bound: i64, limit: i64| {
        format!(
            "int main(void) {{ int n = nondet(), d = 0; if (n > {bound}) return 0;
               while (1) {{ if (d > {limit}) reach_error(); if (n <= 0) break; n--; d++; }} return 0; }}"
        )
    };
    for bound in BOUNDS {
        holds(3, &text(bound, bound));
    }
    // Longer ones fail as well, and nobody waits for them where nothing is optimised.
    for bound in [10, 1_000, 100_000] {
        fails(3, &text(bound, bound - 1));
    }
}

#[test]
fn a_loop_with_two_phases_comes_back_to_where_it_was() {
    decided(4, |bound, is_right| {
        let end = either(is_right, "0", "1");
        format!(
            "int main(void) {{ int n = nondet(), x = 0, y = 0; if (n < 0 || n > {bound}) return 0;
               while (x < 2 * n) {{ if (x < n) y++; else y--; x++; }} if (y != {end}) reach_error(); return 0; }}"
        )
    });
}

#[test]
fn an_inner_loop_of_three_turns_counts_three_for_each_turn_outside() {
    decided(3, |bound, is_right| {
        let factor = either(is_right, "3", "4");
        format!(
            "int main(void) {{ int i = 0, j, c = 0, n = nondet(); if (n < 0 || n > {bound}) return 0;
               while (i < n) {{ j = 0; while (j < 3) {{ j++; c++; }} i++; }} if (c != {factor} * n) reach_error(); return 0; }}"
        )
    });
}

#[test]
fn a_recursion_that_moves_one_argument_to_the_other_returns_their_sum() {
    decided(3, |bound, is_right| {
        let more = either(is_right, "0", "1");
        format!(
            "int f(int n, int d) {{ if (n <= 0) return d; return f(n - 1, d + 1); }}
             int main(void) {{ int n = nondet(); if (n < 0 || n > {bound}) return 0;
               if (f(n, 0) != n + {more}) reach_error(); return 0; }}"
        )
    });
}

#[test]
fn a_recursion_that_adds_multiplies_by_three() {
    decided(3, |bound, is_right| {
        let factor = either(is_right, "3", "2");
        format!(
            "int mul(int a, int n) {{ if (n <= 0) return 0; return a + mul(a, n - 1); }}
             int main(void) {{ int n = nondet(); if (n < 0 || n > {bound}) return 0;
               if (mul(3, n) != {factor} * n) reach_error(); return 0; }}"
        )
    });
}

#[test]
fn modes_follow_each_other() {
    decided(10, |bound, is_right| {
        let most = if is_right { bound } else { bound - 1 };
        format!(
            "int main(void) {{ int mode = 0, x = 0; while (1) {{
               if (mode == 0) {{ x = nondet(); if (x < 5 || x > {bound}) x = 5; mode = 1; }}
               else if (mode == 1) {{ if (x > {most} || x < 5) reach_error(); x = 20; mode = 2; }}
               else {{ if (x != 20) reach_error(); mode = 0; }} }} return 0; }}"
        )
    });
}

#[test]
fn what_a_first_loop_counts_a_second_one_counts_back() {
    decided(3, |bound, is_right| {
        let end = either(is_right, "0", "1");
        format!(
            "int main(void) {{ int n = nondet(), i = 0, j; if (n < 0 || n > {bound}) return 0;
               while (i < n) i++; j = i; while (j > 0) j--; if (i != n || j != {end}) reach_error(); return 0; }}"
        )
    });
}

#[test]
fn behind_a_long_loop_there_is_another_one() {
    decided(3, |bound, is_right| {
        let end = either(is_right, "", "+ 1");
        format!(
            "int main(void) {{ int i = 0, j = 0, n = nondet(); if (n < 0) return 0;
               while (i < {bound}) i++; while (j < n && j < {bound}) {{ j++; i--; }}
               if (i + j != {bound} {end}) reach_error(); return 0; }}"
        )
    });
}

#[test]
fn a_failure_behind_a_loop_of_a_hundred_thousand_turns_is_run_into() {
    fails(
        3,
        "int main(void) { int i = 0, n = nondet(); while (i < n) i++; if (i == 100000) reach_error(); return 0; }",
    );
}

/// The same under overflows that fail.
fn without_overflow(text: &str, rounds: usize) -> Verdict {
    let program = parsed(&(HEAD.to_owned() + text), DataModel::ILP32);
    let check = puch::options::Options::default();
    let rounds = Some(rounds);
    let options = Options { overflow: Overflow::Check, tuning: Default::default(), check, rounds, donor: None };
    refine(&program, &options, &mut |_: &Round<'_>| {}).verdict
}

#[test]
fn a_recursion_whose_calls_double_is_known_as_deep_as_it_goes() {
    let text = |least: u32| {
        format!(
            "int f(int n) {{ if (n < 1) return 0; if (n == 1) return 1; return f(n - 1) + f(n - 2); }}
             int main(void) {{ int n = nondet(); if (n > 46) return 0; int r = f(n); if (n >= 9 && r < {least}) reach_error(); return 0; }}"
        )
    };
    assert_eq!(without_overflow(&text(34), 10), Verdict::Holds);
    assert!(matches!(without_overflow(&text(35), 10), Verdict::Violated(..)));
}

#[test]
fn what_doubles_and_adds_one_reaches_the_end_of_its_type_and_not_more() {
    let text = |most: u32| {
        format!(
            "int h(int n) {{ if (n == 1) return 1; return 2 * h(n - 1) + 1; }}
             int main(void) {{ int n = nondet(); if (n < 1 || n > {most}) return 0; if (h(n) < 0) reach_error(); return 0; }}"
        )
    };
    assert_eq!(without_overflow(&text(31), 6), Verdict::Holds);
    assert!(matches!(without_overflow(&text(32), 6), Verdict::Violated(..)));
}
