//! Invariants that are guessed from runs and proved along basic paths: families whose answer is known by construction, at every bound, and
//! random programs at four bits, each of whose runs is enumerated.

extern crate puch_programs as puch;

#[path = "support/c_texts.rs"]
#[allow(dead_code, reason = "others ask for more")]
mod c_texts;
#[path = "support/seeds.rs"]
mod seeds;
#[path = "support/small_programs.rs"]
mod small_programs;
#[path = "support/terms.rs"]
mod terms;

use c_texts::parsed;
use fastrand::Rng;
use puch::abstraction::{Edges, Tuning};
use puch::analyses::{Analysed, Analyses};
use puch::bitvec::Bounds;
use puch::c::program::Overflow;
use puch::c::types::DataModel;
use puch::refinement::invariants::told::told;
use puch::refinement::invariants::{Attempt, Effort, Reach, Search, excluded};
use puch::refinement::{Options, Outcome, Proof, Round, Verdict, refine};
use small_programs::{FOUR_BITS, fails_somewhere};

const EFFORT: Effort = Effort { runs: 100, work: 4_000, reach: Reach::Cells };

const HEAD: &str = "extern int nondet(void); extern void reach_error(void);\n";

/// Whether invariants alone exclude the failures of a program.
fn is_excluded(text: &str, model: DataModel, overflow: Overflow) -> bool {
    let program = parsed(text, model);
    let analyses = Analyses::of(&program);
    let attempt = excluded(
        &Search { of: Analysed::of(&program, &analyses), overflow, bounds: &Bounds::default(), effort: EFFORT },
        puch::limits::Limits::default(),
    );
    matches!(attempt, Attempt::Excluded(_))
}

#[track_caller]
fn decided(holding: &str, failing: &str) {
    assert!(is_excluded(&(HEAD.to_owned() + holding), DataModel::LP64, Overflow::Wrap), "{holding}");
    assert!(!is_excluded(&(HEAD.to_owned() + failing), DataModel::LP64, Overflow::Wrap), "{failing}");
}

/// Bounds from small to large.
const BOUNDS: [i64; 4] = [10, 1_000, 100_000, 1_000_000_000];

#[test]
fn a_sum_that_stays_bounds_what_grows() {
    for bound in BOUNDS {
        let text = |limit: i64| {
            format!(
                "int main(void) {{ int n = nondet(), d = 0; if (n > {bound}) return 0;
                   while (1) {{ if (d > {limit}) reach_error(); if (n <= 0) break; n--; d++; }} return 0; }}"
            )
        };
        decided(&text(bound), &text(bound - 1));
    }
}

#[test]
fn counters_with_factors_stay_in_step() {
    for bound in BOUNDS.map(|bound| bound.min(100_000_000)) {
        let text = |wrong: i64| {
            format!(
                "int main(void) {{ int i = 0, j = 10, k = 0, n = nondet(); if (n < 0 || n > {bound}) return 0;
                   while (i < n) {{ i++; j += 2; k += 3; }}
                   if (j != 2 * i + 10) reach_error(); if (k != 3 * n + {wrong}) reach_error(); return 0; }}"
            )
        };
        decided(&text(0), &text(1));
    }
}

#[test]
fn steps_leave_a_rest() {
    for bound in BOUNDS {
        let text = |never: i64| {
            format!(
                "int main(void) {{ int x = 1, n = nondet(); if (n > {bound}) return 0;
                   while (x < n) {{ x += 3; if (x == {never}) reach_error(); }} return 0; }}"
            )
        };
        decided(&text(9), &text(10));
    }
}

#[test]
fn what_holds_in_a_mode_is_known_there() {
    let text = |wrong: i64| {
        format!(
            "int main(void) {{ int mode = 0, x = 0; while (1) {{
               if (mode == 0) {{ x = nondet(); if (x < 5 || x > 9) x = 5; mode = 1; }}
               else if (mode == 1) {{ if (x > 9 || x < {wrong}) reach_error(); x = 20; mode = 2; }}
               else {{ if (x != 20) reach_error(); mode = 0; }} }} return 0; }}"
        )
    };
    decided(&text(5), &text(6));
}

#[test]
fn what_only_two_turns_keep_is_kept() {
    // That the low bits of `b` are not both set is no candidate; two turns after it was chosen it is `a`.
    let text = |low: u32| {
        format!(
            "int main(void) {{ unsigned a = 0, b = 0; while (1) {{ unsigned in = nondet(); a = b;
               b = (in & ~3u) | (in & 4 ? {low} : in & 1); if ((a & 3) == 3) reach_error(); }} return 0; }}"
        )
    };
    decided(&text(2), &text(3));
    // What the first turn does is no second one.
    let text = |first: u32| {
        format!(
            "int main(void) {{ unsigned a = {first}, b = 0; while (1) {{ if ((a & 3) == 3) reach_error();
               unsigned in = nondet(); a = (in & ~3u) | (in & 4 ? 2 : in & 1); b = a; }} return 0; }}"
        )
    };
    decided(&text(2), &text(7));
}

#[test]
fn a_procedure_moves_a_global() {
    for bound in BOUNDS {
        let text = |wrong: i64| {
            format!(
                "int g; void step(void) {{ g++; }}
                 int main(void) {{ int i = 0, n = nondet(); if (n < 0 || n > {bound}) return 0; g = 0;
                   while (i < n) {{ step(); i++; }} if (g != n + {wrong}) reach_error(); return 0; }}"
            )
        };
        decided(&text(0), &text(1));
    }
}

#[test]
fn a_procedure_with_a_loop_adds() {
    for bound in BOUNDS {
        let text = |wrong: i64| {
            format!(
                "int add(int a, int b) {{ int i = 0, s = a; while (i < b) {{ s++; i++; }} return s; }}
                 int main(void) {{ int a = nondet(), b = nondet();
                   if (a < 0 || a > {bound} || b < 0 || b > {bound}) return 0;
                   if (add(a, b) != a + b + {wrong}) reach_error(); return 0; }}"
            )
        };
        decided(&text(0), &text(1));
    }
}

#[test]
fn a_recursion_that_returns_constants_or_what_it_has_computed_stays_below_them() {
    for bound in [3, 30, 3_000, 1_000_000] {
        let text = |never: i64| {
            format!(
                "int other(int x);
                 int some(int x) {{ if (x == 0) return 0; int r = other(x - 1) + 1; if (r > {bound}) return {bound}; return r; }}
                 int other(int x) {{ if (x == 0) return 0; int r = some(x - 1) + 1; if (r > {bound}) return {bound}; return r; }}
                 int main(void) {{ if (some(nondet()) == {never}) reach_error(); return 0; }}"
            )
        };
        decided(&text(2 * bound), &text(bound));
    }
}

#[test]
fn what_is_returned_of_no_variable_is_seen_in_runs() {
    let text = |wrong: i64| {
        format!(
            "int twice(int n) {{ if (n <= 0) return 0; return twice(n - 1) + 2; }}
             int main(void) {{ int n = nondet(); if (n < 0 || n > 1000) return 0;
               if (twice(n) != 2 * n + {wrong}) reach_error(); return 0; }}"
        )
    };
    decided(&text(0), &text(2));
}

/// Lengths of arrays from small to large.
const LENGTHS: [usize; 3] = [10, 100, 1_000];

#[test]
fn what_is_written_to_each_cell_is_in_each_cell() {
    for length in LENGTHS {
        let text = |wrong: i64| {
            format!(
                "int a[{length}]; int main(void) {{ int i, n = nondet(); if (n < 0 || n > {length}) return 0;
                   for (i = 0; i < n; i++) a[i] = 7;
                   for (i = 0; i < n; i++) if (a[i] != {wrong}) reach_error(); return 0; }}"
            )
        };
        decided(&text(7), &text(8));
    }
}

#[test]
fn copied_cells_are_the_same() {
    for length in LENGTHS {
        let text = |first: i64| {
            format!(
                "int a[{length}], b[{length}]; int main(void) {{ int i; for (i = 0; i < {length}; i++) a[i] = nondet();
                   for (i = {first}; i < {length}; i++) b[i] = a[i];
                   for (i = 0; i < {length}; i++) if (b[i] != a[i]) reach_error(); return 0; }}"
            )
        };
        decided(&text(0), &text(1));
    }
}

#[test]
fn arrays_may_be_longer_than_runs() {
    for length in [1_000, 1_000_000] {
        let text = |value: &str| {
            format!(
                "int a[{length}], b[{length}];
                 int main(void) {{
                   int i, x = nondet();
                   for (i = 0; i < {length}; i++) a[i] = x;
                   for (i = 0; i < {length}; i++) b[i] = a[i];
                   for (i = 0; i < {length}; i++) if (b[i] != {value}) reach_error();
                   return 0; }}"
            )
        };
        assert!(is_excluded(&(HEAD.to_owned() + &text("x")), DataModel::LP64, Overflow::Wrap), "{length}");
        let wrong = if length == 1_000 { "x + 1" } else { "i" };
        assert!(!is_excluded(&(HEAD.to_owned() + &text(wrong)), DataModel::LP64, Overflow::Wrap), "{length}");
    }
}

#[test]
fn no_cell_before_the_first_one_found_is_what_was_looked_for() {
    for length in LENGTHS {
        let text = |found: &str| {
            format!(
                "int a[{length}]; int main(void) {{ int i, k, x = nondet(), at = {length};
                   for (i = 0; i < {length}; i++) a[i] = nondet();
                   for (i = 0; i < {length}; i++) if (a[i] == x) {{ at = {found}; break; }}
                   for (k = 0; k < at; k++) if (a[k] == x) reach_error(); return 0; }}"
            )
        };
        decided(&text("i"), &text("i + 1"));
    }
}

#[test]
fn no_cell_is_greater_than_the_maximum() {
    for length in LENGTHS {
        let text = |end: usize| {
            format!(
                "int a[{length}]; int main(void) {{ int i, m; for (i = 0; i < {length}; i++) a[i] = nondet();
                   m = a[0]; for (i = 1; i < {end}; i++) if (a[i] > m) m = a[i];
                   for (i = 0; i < {length}; i++) if (a[i] > m) reach_error(); return 0; }}"
            )
        };
        decided(&text(length), &text(length - 1));
    }
}

#[test]
fn an_index_between_two_others_is_one_of_the_array() {
    for bound in BOUNDS {
        let text = |most: i64| {
            format!(
                "int main(void) {{ int lo = 0, hi = nondet(), mid; if (hi < 1 || hi > {bound}) return 0;
                   while (lo < hi) {{ mid = lo + (hi - lo) / 2; if (mid < 0 || mid >= {most}) reach_error();
                     if (nondet()) lo = mid + 1; else hi = mid; }} return 0; }}"
            )
        };
        decided(&text(bound), &text(bound - 1));
    }
}

#[test]
fn a_sum_that_may_wrap_around_is_no_invariant() {
    let text = "int main(void) { int x = 0, y = 0; while (nondet()) { x++; y++; if (x < 0 && y >= 0) reach_error(); } return 0; }";
    let growing = "int main(void) { int x = 0; while (nondet()) { x++; if (x < 0) reach_error(); } return 0; }";
    decided(text, growing);
    // Where no run goes past it, it does not get there.
    assert!(is_excluded(&(HEAD.to_owned() + growing), DataModel::LP64, Overflow::Assume));
}

#[test]
fn what_a_call_may_write_is_not_known_after_it() {
    let text = |write: &str| {
        format!(
            "int g; void f(int *p) {{ {write} }}
             int main(void) {{ int x = 0; g = 0; while (nondet()) {{ f(&x); if (x != 0) reach_error(); }} return 0; }}"
        )
    };
    decided(&text("g = *p + 1;"), &text("*p = g;  g = 1;"));
}

#[test]
fn what_somebody_else_calls_back_may_have_been_called_before() {
    let text = |step: &str| {
        format!(
            "extern void each(void (*)(void)); int n, m;
             void step(void) {{ if (n != 0) reach_error(); {step} }}
             int main(void) {{ each(step); return 0; }}"
        )
    };
    decided(&text("m = 1;"), &text("n = 1;"));
}

#[test]
fn checked_arithmetic_is_proved_to_fit() {
    let text = |by: &str| {
        format!(
            "extern int nondet(void); int main(void) {{ int n = nondet(), i = 0, s = 0; if (n < 0 || n > 1000) return 0;
               while (i < n) {{ i++; s += {by}; }} return s; }}"
        )
    };
    assert!(is_excluded(&text("2"), DataModel::LP64, Overflow::Check));
    assert!(!is_excluded(&text("4000000"), DataModel::LP64, Overflow::Check));
}

#[test]
fn of_what_never_returns_nothing_else_is_told() {
    let never = |end: &str| {
        let program =
            parsed(&format!("int main(void) {{ unsigned x = 1; while (1) {{ x = x + 2; {end} }} }}"), DataModel::LP64);
        let (analyses, bounds) = (Analyses::of(&program), Bounds::default());
        let told = told(
            &Search {
                of: Analysed::of(&program, &analyses),
                overflow: Overflow::Wrap,
                bounds: &bounds,
                effort: EFFORT,
            },
            puch::limits::Limits::default(),
        )
        .told;
        told.into_iter().filter(|one| one.returned).map(|one| one.text).collect::<Vec<String>>()
    };
    assert_eq!(never(""), ["never reached"]);
    assert!(!never("if (x == 7) return 3;").contains(&"never reached".to_owned()));
}

/// What refinement says of a program, within so many rounds.
fn refined(text: &str, rounds: Option<usize>) -> Outcome {
    refined_by(Edges::Statement, text, rounds)
}

/// The same by such steps.
fn refined_by(edges: Edges, text: &str, rounds: Option<usize>) -> Outcome {
    let program = parsed(&(HEAD.to_owned() + text), DataModel::LP64);
    let (check, tuning) = (puch::options::Options::default(), Tuning { edges, ..Tuning::default() });
    let options = Options { overflow: Overflow::Wrap, tuning, check, rounds, donor: None };
    refine(&program, &options, &mut |_: &Round<'_>| {})
}

#[test]
fn the_loop_of_refinement_asks_for_invariants_before_it_gives_up() {
    let text = "int main(void) { int n = nondet(), d = 0; if (n > 100) return 0;
        while (1) { if (d > 100) reach_error(); if (n <= 0) break; n--; d++; } return 0; }";
    let outcome = refined(text, None);
    assert_eq!(outcome.verdict, Verdict::Holds);
    assert!(outcome.rounds <= 3, "{}", outcome.rounds);
}

#[test]
fn what_is_proved_restricts_what_is_abstracted_by_paths() {
    // No invariant says that low bits are not both set, and predicates about the sum would count.
    let text = |limit: u32, low: u32| {
        format!(
            "extern unsigned any(void);
             int main(void) {{
               int n = nondet(), d = 0; unsigned m = 0;
               if (n > 100) return 0;
               while (1) {{
                 if (d > {limit}) reach_error();
                 if ((m & 3) == 3) reach_error();
                 if (n <= 0) break;
                 n--; d++;
                 m = (any() & ~3u) | (d & 1 ? 2 : (m & 2) ? {low} : 0);
               }}
               return 0; }}"
        )
    };
    let outcome = refined_by(Edges::Path, &text(100, 1), Some(8));
    assert_eq!(outcome.verdict, Verdict::Holds, "{}", outcome.predicates);
    assert!(matches!(outcome.proof, Proof::Again(_)), "{:?}", outcome.proof);
    assert!(outcome.predicates.lines().count() < 12, "{}", outcome.predicates);
    for wrong in [text(99, 1), text(100, 3)] {
        let outcome = refined_by(Edges::Path, &wrong, Some(8));
        assert!(matches!(outcome.verdict, Verdict::Violated(..)), "{:?}\n{wrong}", outcome.verdict);
    }
}

#[test]
fn the_loop_of_refinement_asks_about_cells_of_arrays() {
    let text = "int a[100], b[100]; int main(void) { int i; for (i = 0; i < 100; i++) a[i] = nondet();
        for (i = 0; i < 100; i++) b[i] = a[i]; for (i = 0; i < 100; i++) if (b[i] != a[i]) reach_error(); return 0; }";
    let outcome = refined(text, None);
    assert_eq!(outcome.verdict, Verdict::Holds);
    assert!(outcome.rounds <= 6, "{}", outcome.rounds);
}

#[test]
fn a_violation_after_a_thousand_turns_is_drawn() {
    let text = "int main(void) { int i = 0; while (nondet()) { i++; if (i > 1000) reach_error(); } return 0; }";
    let verdict = refined(text, Some(5)).verdict;
    assert!(matches!(verdict, Verdict::Violated(..)), "{verdict:?}");
}

#[test]
fn a_violation_after_ten_thousands_of_turns_is_met_by_one_number_again_and_again() {
    let text = "int main(void) { int i = 0, j = 0; while (nondet() == 12345) { i++; if (i == 7) { i = 0; j++; }
        if (j > 10000) reach_error(); } return 0; }";
    let verdict = refined(text, Some(8)).verdict;
    assert!(matches!(verdict, Verdict::Violated(..)), "{verdict:?}");
}

/// A loop or a recursion over a few numbers that are moved by constants, and a linear condition of them that is asserted.
fn counting(rng: &mut Rng) -> String {
    let names = ["x", "y", "a", "b"];
    let moved = |rng: &mut Rng| {
        let (to, by) = (names[rng.usize(2..4)], rng.i8(-2..3));
        let other = names[rng.usize(..4)];
        match rng.u8(..4) {
            0 => format!("{to} = {to} + {other};"),
            _ => format!("{to} = {to} + {by};"),
        }
    };
    let (first, second, third) = (moved(rng), moved(rng), moved(rng));
    let (guard, skipped) = (terms::condition(rng, &names), terms::condition(rng, &names));
    let (left, right, sign) = (rng.usize(..4), rng.usize(..4), ["==", "<=", ">=", "!="][rng.usize(..4)]);
    let (factor, constant) = (rng.i8(-1..2), rng.i8(-4..5));
    let asserted = format!("{} + {factor} * {} {sign} {constant}", names[left], names[right]);
    format!(
        "int nondet();\nint main() {{\n  int x = nondet(), y = nondet(), a = {}, b = 0, i = 0;\n  if ({skipped}) return 0;\n  \
         while (i < 3 && {guard}) {{ i = i + 1; {first} if ({}) {{ {second} }} else {{ {third} }}\n    if (!({asserted})) __assert_fail(); }}\n  \
         return 0;\n}}\n",
        ["0", "x", "y"][rng.usize(..3)],
        terms::condition(rng, &names),
    )
}

/// Asks about programs of one kind; how many were proved.
fn law(usual: std::ops::Range<u64>, draw: impl Fn(&mut Rng) -> String) -> u64 {
    let mut proved = 0;
    for seed in seeds::seeds(usual) {
        let mut rng = Rng::with_seed(seed);
        let text = draw(&mut rng);
        let overflow = [Overflow::Wrap, Overflow::Assume, Overflow::Check, Overflow::Fails][rng.usize(..4)];
        let program = parsed(&text, FOUR_BITS);
        if is_excluded(&text, FOUR_BITS, overflow) {
            proved += 1;
            assert!(!fails_somewhere(&program, overflow), "seed {seed}: {overflow:?}: {text}");
        }
    }
    proved
}

#[test]
fn invariants_exclude_no_failure_that_can_be() {
    let (general, loops) = (law(0..60, small_programs::program), law(0..60, counting));
    println!("{general} and {loops} programs were proved right");
    assert!(general > 0 && loops > 0);
}
