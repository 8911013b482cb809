//! What holds is proved again, statement by statement; what is said wrongly there is found; and what witnesses say holds in runs.

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
use puch::abstraction::induction::{Invariants, Proved, proved};
use puch::abstraction::read::read;
use puch::abstraction::{Predicate, Reuse, Tuning};
use puch::c::program::Overflow;
use puch::c::types::DataModel;
use puch::decisions::Diagram;
use puch::refinement::correctness::{Invariant, correctness, invariants, of_cut_points};
use puch::refinement::reproof::{Holding, proof_over, reproved};
use puch::refinement::witness_file::Metadata;
use puch::refinement::{Options, Outcome, Proof, Spot, Unproved, Verdict, refine};
use puch::source::Source;
use small_programs::{FOUR_BITS, fails_somewhere};

const HEAD: &str = "extern int nondet(); extern void reach_error();\n";

const ADD: &str = "int add(int m, int n) { if (n == 0) return m; return add(m, n - 1) + 1; }
    int main() { int m = nondet(), n = nondet(); if (n >= 0 && add(m, n) != m + n) reach_error(); }";

const COUNT: &str = "int main() {
  int n = nondet(), i = 0, j = 0;
  if (n < 0) return 0;
  while (i < n) { i++; j += 2; }
  if (j != 2 * i) reach_error();
}";

fn options(overflow: Overflow, rounds: usize) -> Options {
    Options {
        overflow,
        tuning: Tuning::default(),
        check: puch::options::Options::default(),
        rounds: Some(rounds),
        donor: None,
    }
}

fn held(text: &str, overflow: Overflow) -> Outcome {
    let text = HEAD.to_owned() + text;
    let outcome = refine(&parsed(&text, DataModel::LP64), &options(overflow, 14), &mut |_| {});
    assert_eq!(outcome.verdict, Verdict::Holds, "{}", outcome.predicates);
    outcome
}

#[track_caller]
fn is_proved_again(text: &str, overflow: Overflow) {
    let outcome = held(text, overflow);
    assert!(matches!(outcome.proof, Proof::Again(count) if count > 0), "{:?}\n{}", outcome.proof, outcome.predicates);
}

#[test]
fn recursion_is_proved_again_by_what_calls_return() {
    is_proved_again(ADD, Overflow::Wrap);
    is_proved_again(
        "int f(int x) { if (x > 100) return x - 10; return f(f(x + 11)); }
        int main() { int x = nondet(), r = f(x); if (x <= 101 && r != 91) reach_error(); }",
        Overflow::Wrap,
    );
    is_proved_again(
        "int odd(int n);
        int even(int n) { if (n == 0) return 1; return odd(n - 1); }
        int odd(int n) { if (n == 0) return 0; return even(n - 1); }
        int main() { int n = nondet(); if (n < 0) return 0; int r = even(n); if (r != 0 && r != 1) reach_error(); }",
        Overflow::Wrap,
    );
}

#[test]
fn loops_and_globals_are_proved_again() {
    is_proved_again(COUNT, Overflow::Wrap);
    is_proved_again(
        "int lock;
        void acquire() { if (lock) reach_error(); lock = 1; }
        void release() { if (!lock) reach_error(); lock = 0; }
        int main() {
          int x = nondet(), old;
          do { acquire(); old = x; if (nondet()) { release(); x++; } } while (x != old);
          release();
        }",
        Overflow::Assume,
    );
}

#[test]
fn pointers_and_what_they_call_are_proved_again() {
    is_proved_again(
        "int main() { int a = 1, b = 2, *q = &a; if (nondet()) q = &b; *q = 3; if (a != 3 && b != 3) reach_error(); }",
        Overflow::Wrap,
    );
    is_proved_again(
        "int g; void up() { g = 1; }
        int main() { void (*f)() = up; if (nondet()) f = up; f(); if (g != 1) reach_error(); }",
        Overflow::Wrap,
    );
}

#[test]
fn that_nothing_overflows_is_proved_again() {
    is_proved_again("int main() { int i = nondet(); while (i < 10) i = i + 1; return i - 1; }", Overflow::Check);
}

#[test]
fn what_holds_over_given_predicates_is_proved_again() {
    let text = HEAD.to_owned() + COUNT;
    let mut program = parsed(&text, DataModel::LP64);
    let predicates = read(&mut program, "main: i == 0, j == 2 * i, j + 2 == 2 * i").expect("they are predicates");
    let again = |predicates: &[Predicate]| {
        proof_over(&program, predicates, Overflow::Wrap, &Tuning::default(), &puch::options::Options::default())
    };
    assert!(matches!(again(&predicates), Ok(Proof::Again(count)) if count > 0), "{:?}", again(&predicates));
    // Without them it may fail, and what is known proves nothing else.
    let wrong = again(&[]).expect_err("nothing is known where it fails");
    assert_eq!(wrong.to_string(), "this is a defect of puch: its proof was found to be wrong at prog.c:6");
}

#[test]
fn what_may_be_called_back_is_said_to_be_proved_once() {
    let text = "void take(void (*)(void)); int g; void f(void) { g = 1; } int main() { take(f); }";
    let program = parsed(text, DataModel::LP64);
    let proof = proof_over(&program, &[], Overflow::Wrap, &Tuning::default(), &puch::options::Options::default());
    let at = Spot { file: "prog.c".into(), line: 1 };
    assert_eq!(proof, Ok(Proof::Once(Unproved::CalledBack(at))));
}

/// Statements of which something wrong is said do not follow, and what is proved from it does not hold.
#[test]
fn what_is_said_wrongly_is_found() {
    for text in [ADD, COUNT] {
        let outcome = held(text, Overflow::Wrap);
        let held = outcome.held.as_deref().expect("it holds");
        let tuning = Tuning::default();
        let holding = Holding {
            program: &held.program,
            predicates: &held.predicates,
            overflow: Overflow::Wrap,
            tuning: &tuning,
            system: &held.system,
        };
        let mut reuse = Reuse::new(&held.program);
        let (said, right) =
            reproved(&holding, &puch::options::Options::default(), &mut reuse).expect("there is no limit");
        assert_eq!((&right.wrong[..], &right.open[..]), (&[][..], &[][..]));
        let mut again = |said: &Invariants| -> Proved {
            proved(&held.program, &held.predicates, Overflow::Wrap, &tuning, &mut reuse, said)
        };
        let (mut needed, mut reached) = (0, 0);
        for (at, diagram) in &said.before {
            let mut other = said.clone();
            other.before.insert(*at, Diagram::constant(true));
            needed += usize::from(!again(&other).wrong.is_empty());
            // Some run comes to all but what fails.
            if diagram.root != 0 {
                reached += 1;
                other.before.insert(*at, Diagram::constant(false));
                assert!(!again(&other).wrong.is_empty(), "that no run comes to {at:?} was believed");
            }
        }
        assert!(needed > 2 && reached > 5, "{needed} {reached}");
        for at in said.returned.keys() {
            let mut other = said.clone();
            other.returned.insert(*at, Diagram::constant(false));
            assert!(!again(&other).wrong.is_empty(), "that {at:?} does not return was believed");
        }
    }
}

/// The text with each invariant written into it as a check.
fn checked(text: &str, all: &[Invariant]) -> String {
    let source = Source::new("prog.c", text);
    let mut inserted: Vec<(usize, String)> = Vec::new();
    for invariant in all {
        let line = source.line_range(invariant.place.line as usize);
        let at = line.start + invariant.place.column as usize - 1;
        let condition = &invariant.condition;
        if invariant.of_loop {
            let sign = if text[at..].starts_with("for") { ';' } else { '(' };
            let open = at + text[at..].find(sign).expect("a loop has a condition") + 1;
            inserted.push((open, format!(" holds_({condition}) && ")));
        } else {
            inserted.push((at, format!("holds_({condition}); ")));
        }
    }
    inserted.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    let mut text = text.to_owned();
    inserted.iter().for_each(|(at, what)| text.insert_str(*at, what));
    format!("void __assert_fail(); int holds_(int it) {{ if (!it) __assert_fail(); return 1; }} {text}")
}

fn known(text: &str, model: DataModel, overflow: Overflow) -> Option<(Outcome, Vec<Invariant>)> {
    let program = parsed(text, model);
    let outcome = refine(&program, &options(overflow, 8), &mut |_| {});
    let sources = [Source::new("prog.c", text)];
    if let Some(shown) = &outcome.invariants {
        let all = of_cut_points(&program, &shown.invariants, &sources);
        return Some((outcome, all));
    }
    let held = outcome.held.clone()?;
    let all = invariants(&program, &held, &sources, &puch::options::Options::default());
    Some((outcome, all.expect("there is no limit")))
}

#[test]
fn what_witnesses_say_holds_in_every_run() {
    let (mut said, mut proofs, mut by_cut_points) = (0, 0, 0);
    // Where there is room for sums more can be said.
    let model = DataModel { long_long: 8, ..FOUR_BITS };
    for seed in seeds::seeds(7_000..7_200) {
        let mut rng = Rng::with_seed(seed);
        let text = small_programs::program(&mut rng);
        let overflow = [Overflow::Wrap, Overflow::Assume, Overflow::Check][rng.usize(..3)];
        let Some((outcome, all)) = known(&text, model, overflow) else { continue };
        by_cut_points += usize::from(outcome.invariants.is_some() && !all.is_empty());
        assert!(matches!(outcome.proof, Proof::Again(_)), "seed {seed}: {:?}\n{text}", outcome.proof);
        proofs += 1;
        said += all.len();
        let checked = checked(&text, &all);
        let program = parsed(&checked, model);
        assert!(!fails_somewhere(&program, overflow), "seed {seed}: {overflow:?}\n{checked}");
    }
    println!("{proofs} proofs, {by_cut_points} by invariants of cut points, {said} invariants");
    assert!(proofs > 20 && said > 4, "{proofs} {said}");
}

#[test]
fn a_witness_says_what_was_proved_of_cut_points() {
    let text = "extern int nondet(void); extern void reach_error(void);
        int main(void) {
          int n = nondet(), d = 0; unsigned odd = 1;
          if (n > 100) return 0;
          while (1) { if (d > 100 || odd % 2 == 0) reach_error(); if (n <= 0) break; n--; d++; odd += 2; }
          return 0;
        }";
    let (outcome, all) = known(text, DataModel::LP64, Overflow::Wrap).expect("it holds");
    assert!(outcome.invariants.is_some(), "{outcome:?}");
    let [turns] = &all[..] else { panic!("{all:?}") };
    assert_eq!(turns.place.line, 5, "{turns:?}");
    assert!(turns.condition.contains("(long long)n + (long long)d <= 100"), "{}", turns.condition);
    let checked = checked(text, &all);
    let outcome = refine(&parsed(&checked, DataModel::LP64), &options(Overflow::Wrap, 8), &mut |_| {});
    assert_eq!(outcome.verdict, Verdict::Holds, "{checked}");
    // What does not fit into a sum is left out, and what has no name here.
    let text = "extern long long wide(void); extern void reach_error(void);
        int main(void) {
          long long a = wide(), b = 0;
          if (a < 0) return 0;
          while (a > 0) { int made = (int)(a & 1); a--; b++; if (made > 1) reach_error(); }
          if (b < 0) reach_error();
          return 0;
        }";
    let (_, all) = known(text, DataModel::LP64, Overflow::Assume).expect("it holds");
    assert!(all.iter().all(|one| !one.condition.contains('+') && !one.condition.contains("made")), "{all:?}");
}

#[test]
fn a_witness_of_correctness_says_what_holds_where_a_loop_turns() {
    let text = HEAD.to_owned() + COUNT;
    let (_, all) = known(&text, DataModel::LP64, Overflow::Wrap).expect("it holds");
    let turns = all.iter().find(|one| one.of_loop).expect("there is a loop");
    assert_eq!((turns.place.line, turns.place.column), (5, 3), "{all:?}");
    let metadata = Metadata {
        uuid: "u".into(),
        creation_time: "t".into(),
        version: "v".into(),
        files: vec![("prog.c".into(), "hash".into())],
        specification: "s".into(),
        data_model: "LP64".into(),
    };
    let witness = correctness(&parsed(&text, DataModel::LP64), &all).text(&metadata);
    let (head, content) = witness.split_once("  content:\n").expect("there is a content");
    assert!(head.starts_with("- entry_type: \"invariant_set\"\n  metadata:\n    format_version: \"2.0\"\n"), "{head}");
    let expected = all.iter().map(|one| {
        let kind = if one.of_loop { "loop_invariant" } else { "location_invariant" };
        let (line, column, value) = (one.place.line, one.place.column, &one.condition);
        format!(
            "  - invariant:\n      type: \"{kind}\"\n      location:\n        file_name: \"prog.c\"\n        line: {line}\n        \
             column: {column}\n        function: \"main\"\n      value: \"{value}\"\n      format: \"c_expression\"\n"
        )
    });
    assert_eq!(content, expected.collect::<String>());
}
