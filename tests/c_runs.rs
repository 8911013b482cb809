//! Runs of C programs that go on for ever: termination and formulas, by programs whose answer is known, and by random programs at four
//! bits, each of whose runs is executed.

extern crate puch_programs as puch;

use std::time::{Duration, Instant};

#[path = "support/seeds.rs"]
mod seeds;

use fastrand::Rng;
use puch::abstraction::{Edges, Tuning};
use puch::c::program::{Overflow, StatementId};
use puch::c::types::DataModel;
use puch::c::{self, Program, Unit};
use puch::interpreter::forever::{Watch, Watched, watch};
use puch::interpreter::{self, End, Inputs};
use puch::limits::Limits;
use puch::ltl::atoms::Meaning;
use puch::ltl::{Passes, Reading, Violations, parse};
use puch::options::Runs;
use puch::question::atoms::{Atom, atoms};
use puch::refinement::{Answer, Execution, Onward, Options, Proof, Question, Round, Temporal, Verdict, decide};
use puch::replay::is_violation;

const FOUR_BITS: DataModel = DataModel { char: 4, short: 4, int: 4, long: 4, long_long: 4, pointer: 4 };

fn parsed(text: &str, model: DataModel) -> Program {
    let text = format!("extern int nondet();\n{text}");
    let unit = Unit { name: "prog.c", text: &text, preprocessed: None };
    c::read(&[unit], &c::Options { model, ..c::Options::default() })
        .unwrap_or_else(|wrong| panic!("{wrong:?}\n{text}"))
        .program
}

fn options(overflow: Overflow, rounds: usize) -> Options {
    let tuning = Tuning::default();
    Options { overflow, tuning, check: puch::options::Options::default(), rounds: Some(rounds), donor: None }
}

fn asked(program: &Program, question: &Question, overflow: Overflow) -> Answer {
    decide(program, question, &options(overflow, 12), &mut |_: &Round<'_>| {})
}

fn terminates(text: &str, overflow: Overflow) -> Verdict {
    asked(&parsed(text, DataModel::LP64), &Question::Termination, overflow).outcome.verdict
}

#[track_caller]
fn ends(text: &str) {
    assert_eq!(terminates(text, Overflow::Wrap), Verdict::Holds);
}

#[track_caller]
fn goes_on(text: &str) {
    let program = parsed(text, DataModel::LP64);
    let Answer { outcome, .. } = asked(&program, &Question::Termination, Overflow::Wrap);
    let Verdict::Violated(Execution { inputs, steps, onward: Onward::Repeats(stem) }) = &outcome.verdict else {
        panic!("{outcome:?}")
    };
    let options = interpreter::Options::of(Overflow::Wrap, steps + 1);
    let numbers = Inputs::list(inputs.iter().map(|input| input.value));
    let Watch::Forever(forever) = watch(&program, &options, numbers, &[], &mut |_| {}) else {
        panic!("no state recurs: {outcome:?}")
    };
    assert_eq!((forever.stem, forever.steps), (*stem, *steps));
}

#[test]
fn loops_that_count_end() {
    ends("int main() { int x = nondet(); while (x > 0) x--; }");
    ends("int main() { int x = nondet(); while (x < 100) x += 2; }");
    ends("int main() { unsigned x = nondet(); while (x) x = x / 2; }");
}

#[test]
fn either_of_two_counters_may_decrease() {
    ends("int main() { int x = nondet(), y = nondet(); while (x > y) { if (nondet()) x--; else y++; } }");
}

#[test]
fn what_decreases_first_may_set_the_other() {
    ends(
        "int main() {
           int x = nondet(), y = nondet();
           while (x > 0 && y > 0) { if (nondet()) { x--; y = nondet(); } else y--; }
         }",
    );
}

#[test]
fn loops_in_loops_end() {
    ends("int main() { int n = nondet(), i, j; for (i = 0; i < n; i++) for (j = 0; j < n; j++) ; }");
}

#[test]
fn recursion_ends_if_an_argument_decreases() {
    ends("void f(int n) { if (n > 0) f(n - 1); } int main() { f(nondet()); }");
    ends(
        "int odd(int n);
         int even(int n) { if (n <= 0) return 1; return odd(n - 1); }
         int odd(int n) { if (n <= 0) return 0; return even(n - 1); }
         int main() { even(nondet()); }",
    );
}

#[test]
fn the_only_run_ends_or_goes_on_or_satisfies_a_formula() {
    let counts = "int x; int main() { while (x < 5000) x++; while (x > 7) x--; }";
    let answer = asked(&parsed(counts, DataModel::LP64), &Question::Termination, Overflow::Wrap);
    assert!(matches!(answer.outcome.proof, Proof::Executed(_)), "{answer:?}");
    // It comes back to a state, and before that to one from which a turn may be taken, whichever.
    assert_eq!(grows("int x; int main() { while (1) { x++; if (x == 9000) x = 0; } }", Overflow::Wrap), "1");
    assert_eq!(satisfies(counts, "F G {x == 7}", Runs::Maximal), Verdict::Holds);
    assert!(matches!(satisfies(counts, "G {x < 5000}", Runs::Maximal), Verdict::Violated(..)));
    let turns = "int x; int main() { while (1) { x++; if (x == 9000) x = 0; } }";
    assert_eq!(satisfies(turns, "G F {x == 8999}", Runs::Infinite), Verdict::Holds);
}

#[test]
fn the_number_of_arguments_is_not_negative() {
    ends("int main(int count, char **arguments) { while (count < 0) ; return count; }");
    goes_on("int main(int count, char **arguments) { while (count == 7) ; return count; }");
    // Who calls it gives it what he likes, and other procedures are given anything.
    goes_on("int main(int count, char **arguments) { while (count < 0) ; return main(-1, arguments); }");
    goes_on("int main(int count, int other) { while (count < 0) ; return count; }");
}

#[test]
fn a_measure_may_be_a_sum_with_factors() {
    ends(
        "int main() {
           int x = nondet(), y = nondet();
           while (x > 0 && x < 1000 && y > 0 && y < 1000) { if (nondet()) x--; else { x++; y -= 2; } }
         }",
    );
}

#[test]
fn bounds_that_hold_at_a_loop_let_something_decrease() {
    ends("int main() { int x = nondet(), y = nondet(); if (y < 1) return 0; while (x > 0) x -= y; }");
    ends(
        "int gcd(int a, int b) { if (b == 0) return a; return gcd(b, a % b); }
         int main() { int a = nondet(), b = nondet(); if (a >= 0 && b >= 0) gcd(a, b); }",
    );
}

#[test]
fn a_measure_may_differ_where_a_condition_holds() {
    ends("int main() { int x = nondet(); while (x != 0) { if (x > 0) x--; else x++; } }");
}

#[test]
fn what_is_divided_decreases() {
    ends("int main() { int x = nondet(), y = nondet(); if (y < 2) return 0; while (x > 0) x /= y; }");
    goes_on("int main() { int x = nondet(), y = nondet(); if (y < 1) return 0; while (x > 0) x /= y; }");
}

#[test]
fn a_number_that_wraps_around_ends() {
    ends("void f(int x) { if (x == 0) return; f((unsigned)x - 1); } int main() { f(nondet()); }");
}

#[test]
fn what_a_call_returns_may_decrease() {
    ends("int next(int x) { return x - 1; } int main() { int x = nondet(); while (x > 0) x = next(x); }");
    ends(
        "int f(int x) { if (x > 100) return x - 10; return f(f(x + 11)); }
         int main() { f(nondet()); }",
    );
}

/// What is not known where a way begins may be what somebody compares it with, and there may be no memory.
#[test]
fn pointers_of_which_nothing_is_known_may_be_anything() {
    let pointers = [
        "int x; int *p; void set(int **q) { *q = &x; } int main() { p = 0; set(&p); while (p == &x) ; }",
        "int x; int main() { int *p = 0; while (nondet()) p = &x; while (p == &x) ; }",
        "void *malloc(unsigned long); int main() { int *p = malloc(4); if (!p) while (1) ; }",
    ];
    for text in pointers {
        assert_ne!(terminates(text, Overflow::Wrap), Verdict::Holds, "{text}");
    }
}

/// What decreases is written by somebody else, too.
#[test]
fn what_others_write_does_not_decrease() {
    goes_on(
        "int x; void set(int *p) { *p = 5; }
         int main() { x = nondet(); while (x > 0) { x--; set(&x); } }",
    );
    goes_on(
        "int x; void f(int *p) { while (x > 0) { x--; *p = 5; } }
         int main() { x = nondet(); f(&x); }",
    );
    goes_on(
        "union { int all; char parts[4]; } u;
         int main() { u.all = nondet(); while (u.all > 0) { u.all--; u.parts[0] = 7; } }",
    );
    goes_on(
        "union { int all; struct { unsigned low : 3; unsigned high : 5; } parts; } u;
         int main() {
           u.all = nondet();
           while (u.parts.high > 0) { u.parts.high--; u.all = 255; }
         }",
    );
    goes_on("int x; void f() { if (x == 0) x = 3; } int main() { x = nondet(); while (x > 0) { x--; f(); } }");
}

/// The callee could write what was remembered, and does not.
/// A number that is 0 at first wraps around once: no linear function of it falls in each turn, and there are many ways.
#[test]
fn what_falls_once_it_has_wrapped_around_ends() {
    let ways = "if (nondet()) x++; if (nondet()) x += 2; if (nondet()) x -= 3; if (nondet()) x ^= 1;";
    ends(&format!("int main() {{ unsigned n = nondet(), x = 0; do {{ {ways} }} while (--n > 0); }}"));
    ends(&format!("int main() {{ unsigned n = nondet(), m = nondet(), x = 0; while (n != m) {{ {ways} n++; }} }}"));
    let even = format!("int main() {{ unsigned n = 2 * nondet(), x = 0; while (n != 7) {{ {ways} n += 2; }} }}");
    assert_ne!(terminates(&even, Overflow::Wrap), Verdict::Holds);
}

#[test]
fn ackermanns_function_ends() {
    let text = "int ack(int m, int n) {
          if (m == 0) return n + 1;
          if (n == 0) return ack(m - 1, 1);
          return ack(m - 1, ack(m, n - 1));
        }
        int main() { int m = nondet(), n = nondet(); if (m >= 0 && n >= 0) ack(m, n); }";
    assert_eq!(terminates(text, Overflow::Assume), Verdict::Holds);
}

/// Each visit of the loop is left, and the loop is visited for ever.
#[test]
fn a_loop_that_ends_in_each_frame_is_visited_for_ever() {
    goes_on("void f(int n) { int i = 1; while (i) i--; f(n); } int main() { f(nondet()); }");
}

/// Each call decreases one of them, and the other one is anything.
#[test]
fn pairs_that_are_not_successive_count() {
    goes_on(
        "void f(int x, int y) { if (x > 0 && y > 0) { if (nondet()) f(x - 1, nondet()); else f(nondet(), y - 1); } }
         int main() { f(nondet(), nondet()); }",
    );
}

/// Globals and the top frame are the same again and again, and what the pointer leads to is not.
#[test]
fn what_pointers_lead_to_belongs_to_the_state() {
    let text = "void f(int *p) { if (*p > 0) { --*p; f(p); } } int main() { int x = 1000; f(&x); }";
    let program = parsed(text, DataModel::LP64);
    let options = interpreter::Options::of(Overflow::Wrap, 100_000);
    let run = watch(&program, &options, Inputs::list([]), &[], &mut |_| {});
    assert!(matches!(&run, Watch::Ended(outcome, _) if matches!(outcome.end, End::Returned(_))), "{run:?}");
    let forever = text.replace("--*p; ", "");
    let run = watch(&parsed(&forever, DataModel::LP64), &options, Inputs::list([]), &[], &mut |_| {});
    assert!(matches!(run, Watch::Forever(_)), "{run:?}");
}

#[test]
fn what_ends_because_overflow_is_no_run_says_so() {
    let text = "int main() { int x = nondet(); while (x > 0) x++; }";
    let outcome = asked(&parsed(text, DataModel::LP64), &Question::Termination, Overflow::Assume).outcome;
    assert_eq!(outcome.verdict, Verdict::Holds);
    assert!(outcome.undefined.iter().any(|(kind, _)| kind.to_string() == "signed overflow"), "{outcome:?}");
    let text = "int main() { int x = 3; while (x != 0) x = x * 2 + 1; }";
    assert!(matches!(
        terminates(text, Overflow::Wrap),
        Verdict::Violated(Execution { onward: Onward::Repeats(_), .. })
    ));
}

#[test]
fn a_state_that_nobody_guesses_recurs() {
    goes_on(
        "int main() { int x = nondet(), y = nondet(); if (x != 12345 || y != 3 * x) return 0; while (x + y == 49380) x = 49380 - y; }",
    );
}

fn temporal(program: &Program, formula: &str, runs: Runs) -> Temporal {
    let (ltl, _) = parse(formula, &Reading::default()).unwrap_or_else(|wrong| panic!("{wrong:?}"));
    let mut program = program.clone();
    let meant = atoms(&mut program, ltl.formulas.propositions()).unwrap_or_else(|wrong| panic!("{wrong:?}"));
    let known: Vec<_> = ltl.formulas.propositions().iter().map(|proposition| proposition.kind.clone()).collect();
    let dummies = vec![Meaning::Stuck; meant.len()];
    let violations = Violations::of(ltl, dummies, &Passes::default(), &Limits::default()).expect("it is small");
    let of = |proposition: &puch::ltl::Proposition| {
        known.iter().position(|kind| *kind == proposition.kind).map_or(Atom::Never, |at| meant[at].clone())
    };
    let of_automaton = violations.automaton.propositions.iter().map(of).collect();
    Temporal { program, violations, of_automaton, atoms: meant, runs }
}

fn satisfies(text: &str, formula: &str, runs: Runs) -> Verdict {
    let program = parsed(text, DataModel::LP64);
    let question = Question::Temporal(Box::new(temporal(&program, formula, runs)));
    asked(&program, &question, Overflow::Wrap).outcome.verdict
}

const LOCK: &str = "int x, lock;
    void acquire() { lock = 1; }
    void release() { lock = 0; }
    int main() { while (1) { int y = nondet(); acquire(); if (y > 3) x = y; release(); } }";

#[test]
fn formulas_hold_on_the_abstraction() {
    for formula in
        ["G ({lock == 1} -> F {lock == 0})", "G (@call(acquire) -> F @call(release))", "G F @entry(release)", "G !@end"]
    {
        assert_eq!(satisfies(LOCK, formula, Runs::Maximal), Verdict::Holds, "{formula}");
    }
}

#[test]
fn a_formula_holds_because_a_measure_decreases() {
    let text = "int x, done; int main() { x = nondet(); int y = nondet(); if (y < 1) y = 1; while (x > 0) x -= y; done = 1; while (1) ; }";
    assert_eq!(satisfies(text, "F {done == 1}", Runs::Infinite), Verdict::Holds);
    assert_ne!(satisfies(text, "F {x == -1}", Runs::Infinite), Verdict::Holds);
}

#[test]
fn formulas_are_violated_by_runs() {
    for formula in ["G F {x > 3}", "F G {lock == 0}", "F @end", "G ({main.y > 3} -> X X {x > 3})"] {
        assert!(
            matches!(
                satisfies(LOCK, formula, Runs::Maximal),
                Verdict::Violated(Execution { onward: Onward::Repeats(_), .. })
            ),
            "{formula}"
        );
    }
    let text = "int x; int main() { x = nondet(); if (x == 77777) { L: x = 1; } return x; }";
    assert!(matches!(satisfies(text, "G !L", Runs::Maximal), Verdict::Violated(..)));
    assert!(matches!(satisfies(text, "F G ({x != 1})", Runs::Maximal), Verdict::Violated(..)));
    assert_eq!(satisfies(text, "G !L", Runs::Infinite), Verdict::Holds);
    assert_eq!(satisfies(text, "F @end", Runs::Maximal), Verdict::Holds);
}

#[test]
fn spurious_lassos_are_refined() {
    let text = "int x; int main() { x = nondet(); if (x < 1 || x > 1000) return 0; while (x > 0) { x = x + 1; if (x > 100) x = 1; } L: return 1; }";
    assert_eq!(satisfies(text, "G !L", Runs::Maximal), Verdict::Holds);
    assert_eq!(satisfies(text, "(F G {x > 0}) | (F @end)", Runs::Maximal), Verdict::Holds);
}

/// The lasso of the abstraction can be followed as often as one likes, and no state recurs on it: something decreases.
#[test]
fn what_has_to_happen_because_something_decreases_happens() {
    let text = "int x; int main() { x = nondet(); while (x > 0) x--; L: return 1; }";
    assert_eq!(satisfies(text, "F L", Runs::Maximal), Verdict::Holds);
    let text = text.replace("x--", "x++");
    assert_eq!(satisfies(&text, "F {x <= 0}", Runs::Maximal), Verdict::Holds);
    let text = "int x; int main() { while (1) { if (x < 10) x++; else x = 5; } }";
    assert!(matches!(
        satisfies(text, "F {x > 10000}", Runs::Maximal),
        Verdict::Violated(Execution { onward: Onward::Repeats(_), .. })
    ));
}

#[test]
fn propositions_have_values_everywhere() {
    let mut program =
        parsed("int x, a[3], *p; unsigned u; int f(int y) { return y; } int main() { return f(x); }", DataModel::LP64);
    for (formula, fine) in [
        ("G {x + 1 > x}", true),
        ("G {f.y > x}", true),
        ("G {a[2] == x / 3}", true),
        ("G {u / 2 > u >> 3}", true),
        ("G {x / 0 > 1}", false),
        ("G {*p == 0}", false),
        ("G {a[x] == 0}", false),
        ("G {1 / x == 0}", false),
        ("G {y == 0}", false),
        ("G @call(g)", false),
        ("G M", false),
    ] {
        let (ltl, _) = parse(formula, &Reading::default()).unwrap_or_else(|wrong| panic!("{wrong:?}"));
        assert_eq!(atoms(&mut program, ltl.formulas.propositions()).is_ok(), fine, "{formula}");
    }
}

/// A program that may go on for ever: in loops, or in recursion.
fn random_program(rng: &mut Rng) -> String {
    let atom = |rng: &mut Rng, names: &[&str]| match rng.u8(..3) {
        0 => rng.i64(-2..4).to_string(),
        _ => names[rng.usize(..names.len())].to_owned(),
    };
    let value = |rng: &mut Rng, names: &[&str]| {
        let (a, b) = (atom(rng, names), atom(rng, names));
        match rng.u8(..6) {
            0 => a,
            1 | 2 => format!("{a} + {b}"),
            3 | 4 => format!("{a} - {b}"),
            _ => format!("({a} & {b})"),
        }
    };
    let condition = |rng: &mut Rng, names: &[&str]| {
        let (a, b) = (names[rng.usize(..names.len())].to_owned(), atom(rng, names));
        format!("{a} {} {b}", ["==", "<", "!=", ">"][rng.usize(..4)])
    };
    let names = ["g", "x", "y"];
    let assign = |rng: &mut Rng| {
        let to = names[rng.usize(..3)];
        let set = format!("{to} = {};", value(rng, &names));
        if rng.bool() { format!("if ({}) {set}", condition(rng, &names)) } else { set }
    };
    let calls = rng.u8(..3) == 0;
    let call = if calls { format!("f({});", value(rng, &names)) } else { assign(rng) };
    let again = match rng.u8(..3) {
        0 => "a - 1",
        1 => "a + 1",
        _ => "a & 3",
    };
    let inner = match rng.u8(..3) {
        0 => format!("while ({}) {{ {} }}", condition(rng, &names), assign(rng)),
        _ => assign(rng),
    };
    format!(
        "int g, x, y;\nvoid f(int a) {{ if ({}) {{ g = {}; f({again}); }} }}\n\
         int main() {{\n  x = nondet(), y = {};\n  while ({}) {{\n    {}\n    {call}\n    {inner}\n  }}\n  return 0;\n}}",
        condition(rng, &["a", "g"]),
        value(rng, &["a", "g"]),
        rng.i64(-2..3),
        condition(rng, &names),
        assign(rng),
    )
}

/// All runs: there is one input.
fn all_runs(program: &Program, overflow: Overflow, watched: &[Watched], see: &mut dyn FnMut(Watch, Vec<Seen>)) {
    for x in -8..8 {
        let options = interpreter::Options::of(overflow, 200_000);
        let mut seen = Vec::new();
        let run = watch(program, &options, Inputs::list([x]), watched, &mut |passed| {
            seen.push(Seen { at: (passed.procedure, passed.label), holds: passed.holds.to_vec() });
        });
        see(run, seen);
    }
}

struct Seen {
    at: (puch::c::program::ProcedureId, puch::c::program::Label),
    holds: Vec<bool>,
}

/// That a run does not end is told by its length: there are fewer states, but for the stack.
#[test]
fn random_programs_end_as_they_are_said_to() {
    let mut decided = [0, 0, 0];
    for seed in seeds::seeds(0..30) {
        let mut rng = Rng::with_seed(seed);
        let text = random_program(&mut rng);
        let program = parsed(&text, FOUR_BITS);
        let overflow = [Overflow::Wrap, Overflow::Assume][rng.usize(..2)];
        let verdict = decide(&program, &Question::Termination, &options(overflow, 6), &mut |_| {}).outcome.verdict;
        let steps = interpreter::Options::of(overflow, 60_000);
        let endless = (-8..8).any(|x| {
            let end = interpreter::execute(&program, &steps, Inputs::list([x]), &mut |_| {}).end;
            matches!(end, End::Unknown(_))
        });
        let number = match verdict {
            Verdict::Holds => {
                assert!(!endless, "seed {seed}: it goes on for ever, {overflow:?}\n{text}");
                0
            }
            Verdict::Violated(Execution { onward: Onward::Repeats(_) | Onward::Recurs(_), .. }) => {
                assert!(endless, "seed {seed}: it ends, {overflow:?}\n{text}");
                1
            }
            Verdict::Violated(..) => panic!("seed {seed}: termination is violated by a run that ends\n{text}"),
            _ => 2,
        };
        decided[number] += 1;
    }
    println!("ends, goes on, unknown: {decided:?}");
    assert!(decided[0] > 4 && decided[1] > 8, "{decided:?}");
}

const FORMULAS: [&str; 10] = [
    "F G !{f.a == 1}",
    "G F {g == 0}",
    "F G {x > 0}",
    "G ({g == 1} -> F {x == 0})",
    "F {g == 2}",
    "F @end",
    "{g == 0} U ({y > 1} | @end)",
    "G ({x > 1} -> X {x > 0})",
    "G (@call(f) -> F @return(f))",
    "G ({g + 1 > g} | F {x + y == 3})",
];

#[test]
fn a_sum_that_no_predicate_says_restricts_what_a_formula_is_asked_of() {
    let text = |bound: i32| {
        format!(
            "int bad; int main() {{ while (1) {{ int n = nondet(), d = 0; if (n > 100 || n < 0) continue;
               while (n > 0) {{ n--; d++; if (d > {bound}) bad = 1; }} }} }}"
        )
    };
    for (bound, holds) in [(100, true), (99, false)] {
        let program = parsed(&text(bound), DataModel::LP64);
        let question = Question::Temporal(Box::new(temporal(&program, "G {bad == 0}", Runs::Maximal)));
        let mut options = options(Overflow::Wrap, 4);
        options.tuning.edges = Edges::Path;
        let verdict = decide(&program, &question, &options, &mut |_| {}).outcome.verdict;
        assert_eq!(verdict == Verdict::Holds, holds, "{verdict:?}");
    }
}

#[test]
fn a_sum_that_stays_shows_that_a_loop_ends() {
    let text = |by: i32| {
        format!(
            "int main() {{ int x = nondet(), y = 1, z = 0; if (x > 1000) return 0;
               while (x > 0) {{ x -= y - 2 * z; y += {by}; z++; }} }}"
        )
    };
    for overflow in [Overflow::Assume, Overflow::Wrap] {
        let ends = |by| asked(&parsed(&text(by), DataModel::LP64), &Question::Termination, overflow).outcome.verdict;
        assert_eq!(ends(2), Verdict::Holds, "{overflow:?}");
    }
}

#[test]
fn random_programs_satisfy_what_they_are_said_to_satisfy() {
    let mut decided = [0, 0, 0];
    for seed in seeds::seeds(1_000..1_020) {
        let mut rng = Rng::with_seed(seed);
        let text = random_program(&mut rng);
        let program = parsed(&text, FOUR_BITS);
        let overflow = [Overflow::Wrap, Overflow::Assume][rng.usize(..2)];
        let runs = [Runs::Maximal, Runs::Infinite][rng.usize(..2)];
        let formula = FORMULAS[rng.usize(..FORMULAS.len())];
        let temporal = temporal(&program, formula, runs);
        let question = Question::Temporal(Box::new(temporal.clone()));
        // Some formulas take long on some programs; what is not known does not count.
        let mut options = options(overflow, 3);
        options.tuning.edges = [Edges::Statement, Edges::Path, Edges::Loop][rng.usize(..3)];
        options.check.limits.deadline = Instant::now().checked_add(Duration::from_secs(10));
        let verdict = decide(&program, &question, &options, &mut |_| {}).outcome.verdict;
        let conditions = temporal.atoms.iter().filter_map(|atom| match atom {
            Atom::Condition(watched) => Some(*watched),
            _ => None,
        });
        let watched: Vec<Watched> = conditions.collect();
        let letter = |at: Option<StatementId>, holds: &[bool]| -> Box<[bool]> {
            let mut holds = holds.iter();
            let each = |atom: &Atom| match atom {
                Atom::Places(places) => at.is_some_and(|at| places.contains(&at)),
                Atom::Condition(_) => holds.next().is_some_and(|holds| *holds),
                Atom::End => at.is_none(),
                Atom::Fail | Atom::Never => false,
            };
            temporal.atoms.iter().map(each).collect()
        };
        let mut violated = false;
        all_runs(&temporal.program, overflow, &watched, &mut |run, seen| {
            let mut letters: Vec<Box<[bool]>> =
                seen.iter().map(|seen| letter(Some(StatementId::of(seen.at.0, seen.at.1)), &seen.holds)).collect();
            let cycle = match run {
                Watch::Forever(forever) => letters.split_off(forever.stem as usize),
                Watch::Ended(outcome, holds) => {
                    assert!(!matches!(outcome.end, End::Unknown(_)), "seed {seed}: {outcome:?}\n{text}");
                    if runs == Runs::Infinite || !matches!(outcome.end, End::Returned(_)) {
                        return;
                    }
                    vec![letter(None, &holds)]
                }
            };
            violated |= is_violation(letters, cycle, &temporal.violations);
        });
        let number = match verdict {
            Verdict::Holds => {
                assert!(!violated, "seed {seed}: `{formula}` is violated, {overflow:?} {runs:?}\n{text}");
                0
            }
            Verdict::Violated(_) => {
                assert!(violated, "seed {seed}: `{formula}` holds, {overflow:?} {runs:?}\n{text}");
                1
            }
            _ => 2,
        };
        decided[number] += 1;
    }
    println!("holds, violated, unknown: {decided:?}");
    assert!(decided[0] > 2 && decided[1] > 5, "{decided:?}");
}

/// A run that goes on for ever is found, and it comes back to no state; where, and while what holds.
#[track_caller]
fn grows(text: &str, overflow: Overflow) -> String {
    let answer = asked(&parsed(text, DataModel::LP64), &Question::Termination, overflow);
    let Verdict::Violated(Execution { inputs, steps, onward: Onward::Recurs(recurrent) }) = &answer.outcome.verdict
    else {
        panic!("{:?}", answer.outcome)
    };
    // It goes on, with the same inputs again and again.
    let turns =
        inputs.iter().map(|input| input.value).chain((0..100).flat_map(|_| inputs.last()).map(|last| last.value));
    let options = interpreter::Options::of(answer.overflow, steps + 100);
    let end = interpreter::execute(&answer.program, &options, Inputs::list(turns), &mut |_| {}).end;
    assert!(matches!(end, End::Unknown(_)), "{end:?}");
    recurrent.condition.clone()
}

/// Nobody says that a run goes on for ever.
#[track_caller]
fn does_not_grow(text: &str, overflow: Overflow) -> Verdict {
    let program = parsed(text, DataModel::LP64);
    let verdict = decide(&program, &Question::Termination, &options(overflow, 1), &mut |_| {}).outcome.verdict;
    assert!(
        !matches!(verdict, Verdict::Violated(Execution { onward: Onward::Repeats(_) | Onward::Recurs(_), .. })),
        "{verdict:?}"
    );
    verdict
}

#[test]
fn counters_grow_for_ever() {
    assert_eq!(grows("int main() { unsigned i = 0; while (1) i++; }", Overflow::Assume), "1");
    let read = grows("unsigned n; int main() { int y = 1; while (y > 0) { n++; if (y > 5) y = 3; } }", Overflow::Wrap);
    assert_eq!(read, "y == 1");
    grows("int main() { unsigned n = 0; while (n * 2 != 7) n += 3; }", Overflow::Wrap);
}

#[test]
fn an_odd_number_never_gets_zero_by_twos() {
    let text = "int main() { int c = nondet(); while (c != 0) c -= 2; }";
    assert_eq!(grows(text, Overflow::Wrap), "(c & 1) == 1");
    // Some day it is less than all.
    assert_eq!(does_not_grow(text, Overflow::Assume), Verdict::Holds);
    // An even one does.
    does_not_grow("int main() { unsigned c = 2 * nondet(); while (c != 0) c -= 2; }", Overflow::Wrap);
}

#[test]
fn overflow_is_no_run_that_goes_on() {
    let text = "int main() { int i = nondet(); while (1) i++; }";
    assert_eq!(does_not_grow(text, Overflow::Assume), Verdict::Holds);
    assert_eq!(does_not_grow(text, Overflow::Check), Verdict::Holds);
    assert_eq!(grows(text, Overflow::Wrap), "1");
}

#[test]
fn an_input_keeps_a_loop_going() {
    let text = "int main() { unsigned n = 0; int y = 1; while (y != 0) { n++; y = nondet(); } }";
    assert_eq!(grows(text, Overflow::Wrap), "y == 1");
    // What the library returns is up to the library.
    let library = text.replace("nondet()", "rand()");
    does_not_grow(&format!("int rand(void); {library}"), Overflow::Wrap);
}

/// A function of which nothing is known does something definite.
#[test]
fn what_an_unknown_function_does_keeps_no_loop_going() {
    let text = "void f(int *p); int main() { unsigned n = 0; int y = 1; while (y != 0) { n++; f(&y); } }";
    does_not_grow(text, Overflow::Wrap);
}

/// It does something undefined, or leaves the loop, after more turns than anybody executes.
#[test]
fn what_ends_after_very_many_turns_ends() {
    let ends = |text: &str| {
        let text = format!(
            "void exit(int); void __VERIFIER_assume(int); int a[3]; int main() {{ unsigned s = nondet(), n = 1; {text} }}"
        );
        does_not_grow(&text, Overflow::Wrap);
    };
    ends("while (1) { s += 100 / n; n++; }");
    ends("while (1) { n++; a[n >> 30] = 1; }");
    ends("while (1) { if (++n == 4000000000u) exit(0); }");
    ends("while (1) { n++; __VERIFIER_assume(n != 4000000000u); }");
    ends("while (n < 4000000000u) n++;");
    ends("while (1) { n++; if (100 / n) ; }");
}

/// What is done differs from turn to turn, and some of it nobody has ever seen.
#[test]
fn turns_may_go_several_ways() {
    let turns =
        |body: &str| format!("int main() {{ unsigned n = 0; int x = 0, y = 1; while (x != 7) {{ n++; {body} }} }}");
    assert_eq!(grows(&turns("if (n > 4000000000u) x = 1; else x = 2;"), Overflow::Wrap), "x != 7");
    grows(&turns("if (n > 4000000000u) y = 1; else y = 0; if (y > 1) x = 7;"), Overflow::Wrap);
    // One of them does something undefined.
    does_not_grow(&turns("if (n > 4000000000u) x = 1 / (n - 4000000001u); else x = 2;"), Overflow::Wrap);
}

/// The input that keeps a loop going is asked for elsewhere, and is another one there.
#[test]
fn what_is_chosen_may_depend_on_the_way_so_far() {
    let text = "int main() { unsigned n = 0; int y = 1;
        while (y != 0) { n++; if (n > 4000000000u) { y = nondet(); y = y - 1; } else y = nondet(); } }";
    grows(text, Overflow::Wrap);
    let library = text.replace("{ y = nondet();", "{ y = rand();");
    does_not_grow(&format!("int rand(void); {library}"), Overflow::Wrap);
}

#[test]
fn a_turn_may_call_what_is_small() {
    let text = "int g; int next(int x) { g = x; return x + 2; }
        int main() { int x = 1; while (x != 100) x = next(x); }";
    assert_eq!(grows(text, Overflow::Wrap), "(x & 1) == 1");
    let recursive = "int down(unsigned x) { if (x == 0) return 0; return down(x - 1); }
        int main() { unsigned x = nondet(); while (x != 7) down(x++ % 3); }";
    does_not_grow(recursive, Overflow::Wrap);
}

#[test]
fn a_formula_is_violated_by_a_run_that_comes_back_to_no_state() {
    let text = "unsigned n; int x; int main() { x = nondet(); while (1) { n++; if (x == 3) n++; } }";
    assert!(matches!(
        satisfies(text, "F {x == 3}", Runs::Maximal),
        Verdict::Violated(Execution { onward: Onward::Recurs(_), .. })
    ));
    assert!(matches!(
        satisfies(text, "G F {x == 4}", Runs::Infinite),
        Verdict::Violated(Execution { onward: Onward::Recurs(_), .. })
    ));
    assert!(matches!(
        satisfies(text, "F @end", Runs::Maximal),
        Verdict::Violated(Execution { onward: Onward::Recurs(_), .. })
    ));
    // What is seen now and then is seen again.
    let twice = "unsigned n; int x; int main() { n = nondet(); while (1) { n++; x = 0; x = 1; } }";
    assert!(matches!(
        satisfies(twice, "F G {x == 1}", Runs::Maximal),
        Verdict::Violated(Execution { onward: Onward::Recurs(_), .. })
    ));
}

/// Turns differ, but not in what a formula sees.
#[test]
fn a_formula_is_violated_by_turns_that_differ_in_what_it_does_not_see() {
    let text = "unsigned n; int x, t; int main() { while (1) {
        n++; t = nondet(); if (t > 5) x = 1; if (n > 4000000000u || t > 7) x = 0; } }";
    assert!(matches!(
        satisfies(text, "F {x == 1}", Runs::Maximal),
        Verdict::Violated(Execution { onward: Onward::Recurs(_), .. })
    ));
    assert!(matches!(
        satisfies(text, "F G {x == 1}", Runs::Maximal),
        Verdict::Violated(Execution { onward: Onward::Recurs(_), .. })
    ));
}

/// What is watched changes after more turns than anybody executes.
#[test]
fn what_is_not_seen_for_very_long_may_be_seen_some_day() {
    let text = "unsigned n; int x, y; int main() { y = nondet(); while (1) { n++; if (n == 4000000000u) x = 1; } }";
    let asked = |formula| {
        let program = parsed(text, DataModel::LP64);
        let question = Question::Temporal(Box::new(temporal(&program, formula, Runs::Maximal)));
        decide(&program, &question, &options(Overflow::Wrap, 1), &mut |_| {}).outcome.verdict
    };
    for formula in ["F {x == 1}", "G F {n == 77}"] {
        let verdict = asked(formula);
        assert!(
            !matches!(verdict, Verdict::Violated(Execution { onward: Onward::Repeats(_) | Onward::Recurs(_), .. })),
            "{formula}: {verdict:?}"
        );
    }
}

/// Some sources say so of their inputs.
#[test]
fn inputs_return_even_if_they_are_said_not_to() {
    let text = "extern int __VERIFIER_nondet_int() __attribute__ ((__noreturn__));
        int main() { int x = __VERIFIER_nondet_int(); while (x == 5) ; }";
    goes_on(text);
}
