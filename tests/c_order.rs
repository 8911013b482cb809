//! Orders of evaluation that C leaves open: each is a run, whatever is evaluated there, and no run is one that C does not allow; what is
//! said of programs in which the order matters; and the value of a compiler is one of them, on random expressions.

extern crate puch_programs as puch;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::process::Command;

#[path = "support/c_texts.rs"]
#[allow(dead_code, reason = "others ask for more")]
mod c_texts;
#[path = "support/seeds.rs"]
mod seeds;

use fastrand::Rng;
use puch::c::program::Overflow;
use puch::c::types::DataModel;
use puch::c::{self, Program};
use puch::interpreter::{self, End, Inputs, Outcome, execute};
use puch::question::Failures;
use puch::refinement::{Answer, Copies, Execution, Onward, Options, Question, Round, Verdict, decide, harness};

fn read(text: &str) -> Result<Program, Vec<String>> {
    c_texts::read(text, &c::Options::default())
}

fn parsed(text: &str) -> Program {
    c_texts::parsed(text, DataModel::LP64)
}

fn run(program: &Program, inputs: Inputs) -> Outcome {
    execute(program, &interpreter::Options::of(Overflow::Wrap, 20_000), inputs, &mut |_| {})
}

/// How the runs of a program without inputs end, in all orders; none if they are too many.
fn ends(program: &Program) -> Option<Vec<End>> {
    let (mut open, mut ends) = (vec![Vec::new()], Vec::new());
    while let Some(orders) = open.pop() {
        if ends.len() > 30_000 {
            return None;
        }
        let outcome = run(program, Inputs::ordered(orders.iter().copied()));
        let chosen: Vec<i128> = outcome.inputs.iter().map(|given| given.value).collect();
        for (at, given) in outcome.inputs.iter().enumerate().skip(orders.len()) {
            open.extend((1..=given.others as i128).map(|other| [&chosen[..at], &[other]].concat()));
        }
        ends.push(outcome.end);
    }
    Some(ends)
}

/// What `main` may return.
fn values(text: &str) -> BTreeSet<i128> {
    let value = |end: End| match end {
        End::Returned(Some(number)) => Some(number),
        // No order begins like that.
        End::Blocked(_) => None,
        other => panic!("{other:?}\n{text}"),
    };
    ends(&parsed(text)).expect("they are few").into_iter().filter_map(value).collect()
}

#[track_caller]
fn may_return(text: &str, expected: impl IntoIterator<Item = i128>) {
    assert_eq!(values(text), expected.into_iter().collect(), "{text}");
}

const NOTES: &str = "int n; int one(void) { n = n * 10 + 1; return 1; } int two(void) { n = n * 10 + 2; return 2; }
    int three(void) { n = n * 10 + 3; return 3; } int sum(int a, int b) { return a + b; }\n";

/// The digits that the calls in an expression leave behind, in all orders.
fn notes(e: &str) -> BTreeSet<i128> {
    values(&format!("{NOTES} int main(void) {{ int a[9]; {e}; return n; }}"))
}

#[test]
fn operands_and_arguments_come_in_any_order() {
    let both = BTreeSet::from([12, 21]);
    for e in ["one() + two()", "sum(one(), two())", "a[one()] = two()", "one() < two()", "-one() * (two() + 4)"] {
        assert_eq!(notes(e), both, "{e}");
    }
    assert_eq!(notes("int x = one() - two()"), both);
    assert_eq!(notes("if (one() == two()) n = 0"), both);
    assert_eq!(notes("switch (one() + two()) { case 3: break; default: n = 0; }"), both);
    may_return(&format!("{NOTES} int f(void) {{ return one() + two(); }} int main(void) {{ f(); return n; }}"), both);
    assert_eq!(notes("one() + two() + three()"), BTreeSet::from([123, 132, 213, 231, 312, 321]));
}

#[test]
fn calls_of_one_operand_come_between_those_of_another() {
    assert_eq!(notes("sum(one(), 2) + (two() + three())").len(), 6);
    // But not between the evaluation of arguments and the call that needs them.
    let text =
        "int n; int f(int a) { n = n * 10 + a; return a; } int main(void) { int x = f(f(1) + 1) + f(3); return n; }";
    may_return(text, [123, 132, 312]);
}

#[test]
fn sequence_points_leave_no_choice() {
    for (e, expected) in [
        ("one() && two()", 12),
        ("one(), two()", 12),
        ("one() ? two() : three()", 12),
        ("int x = one(), y = two()", 12),
        ("sum(0, one()); two()", 12),
        ("for (one(); two() < 0;) three()", 12),
    ] {
        assert_eq!(notes(e), BTreeSet::from([expected]), "{e}");
    }
    // What has sequence points in it may be interrupted there.
    assert_eq!(notes("(one() && two()) + three()"), BTreeSet::from([123, 132, 312]));
    assert_eq!(notes("(one(), two()) + three()"), BTreeSet::from([123, 132, 312]));
    assert_eq!(notes("(one() ? two() : 0) + three()"), BTreeSet::from([123, 132, 312]));
    assert_eq!(notes("({ one(); two(); }) + three()"), BTreeSet::from([123, 132, 312]));
}

#[test]
fn a_read_comes_before_or_after_a_call() {
    may_return("int g = 5; int f(void) { g = 7; return 1; } int main(void) { return g + f() * 10; }", [15, 17]);
    may_return("int f(int *p) { *p = 7; return 1; } int main(void) { int x = 5; return x + f(&x) * 10; }", [15, 17]);
    may_return(
        "int g; int t(int a, int b, int c) { return c; } int f(int i) { g = i; return 0; }
        int main(void) { return t(f(1), f(2), g); }",
        [0, 1, 2],
    );
    // What is assigned is stored after both sides.
    may_return("int g = 5; int f(void) { g = 7; return 1; } int main(void) { g = f(); return g; }", [1]);
    may_return("int f(int *p) { *p = 7; return 1; } int main(void) { int x; x = f(&x); return x; }", [1]);
    // A compound assignment reads after its right side, and nothing is called before it has written.
    may_return("int g = 5; int f(void) { g = 7; return 1; } int main(void) { g += f(); return g; }", [8]);
    may_return("int g = 5; int f(void) { g *= 2; return 0; } int main(void) { (g += 1) + f(); return g; }", [12, 11]);
    may_return("int g = 5; int f(void) { g *= 2; return 0; } int main(void) { g++ + f(); return g; }", [12, 11]);
}

#[test]
fn side_effects_come_at_any_time_before_the_next_sequence_point() {
    may_return("int main(void) { int x = 5; x = x++ + 3; return x; }", [8, 6]);
    may_return("int x = 3; int main(void) { int y = x + (x = 1); return y; }", [4, 2]);
    may_return("int main(void) { int i = 1; return i++ * 10 + i; }", [11, 12]);
    may_return("int main(void) { int i = 0, a[2] = {5, 5}; a[i] = i++; return a[0] * 10 + a[1]; }", [5, 50]);
    may_return("int main(void) { int i = 0, *p = &i; *p = i++; return i; }", [0, 1]);
    // The compiler adds what is in the object after both.
    assert!(values("int main(void) { int i = 0; return ++i + ++i; }").is_superset(&BTreeSet::from([3, 4])));
    may_return("int main(void) { int i = 0; i = i++, i++; return i; }", [1, 2]);
    may_return("int f(int i) { return i; } int main(void) { int i = 4; return f(i++) * 10 + (i == 5); }", [40, 41]);
}

#[test]
fn side_effects_of_operands_come_after_those_of_what_they_are_operands_of() {
    let head = "int g = 1, h = 2; int f(void) { g = 4; return 2; }";
    let main = |e: &str, told: &str| format!("{head} int main(void) {{ int r = {e}; return {told}; }}");
    may_return(&main("(h = (h++ + f()))", "r * 10 + h"), [33, 43, 44]);
    may_return(&main("(g = (g++ + f()))", "g"), [3, 5, 6]);
    // The old value is read before, between or after what the right side does.
    may_return(&main("(g += (g++ - 1))", "g"), [1, 2]);
    may_return(&main("(g += (g++, 5))", "g"), [6, 7]);
    may_return(&main("(g += (g += 10))", "r"), [12, 11, 22]);
    // A call of the right side comes before it, and others do not come between.
    may_return(&main("(g += f())", "g"), [6]);
    may_return(&main("(h += (h++ && f()))", "h"), [4]);
    may_return(&main("(h += (--h, h && f()))", "h"), [2]);
    may_return(&main("(h += (h = 0) && f())", "h"), [0, 2]);
    may_return(&main("(h += (h++ + g)) + f()", "h"), [6, 5, 3, 9, 8]);
}

#[test]
fn what_is_written_in_one_branch_may_be_written_after_it() {
    may_return("int main(void) { int x = 3; x = (x ? x++ : 0); return x; }", [3, 4]);
    may_return("int main(void) { int x = 0; x = (x ? 0 : x++); return x; }", [0, 1]);
    may_return("int main(void) { int x = 3, y = 1; x = (y && x++); return x; }", [1, 4]);
    may_return("int main(void) { int x = 3, y = 1; x = (y, x++); return x; }", [3, 4]);
    may_return("int main(void) { int x = 3; x = ({ x++; }); return x; }", [3]);
    may_return("int main(void) { int x = 3; x = (x++ ? 7 : 8); return x; }", [7]);
}

#[test]
fn the_value_of_an_assignment_is_what_was_stored_wherever_that_leads_afterwards() {
    let main = |body: &str| format!("int t[2] = {{0, 6}}; int main(void) {{ int i = 1; {body} }}");
    may_return(&main("return t[t[0]] = i;"), [1]);
    may_return(&main("return t[t[0]] += i;"), [1]);
    may_return(&main("return ++t[t[0]];"), [1]);
    may_return(&main("return t[t[0]]++;"), [0]);
    may_return(&main("int *p = &t[0]; return t[*p] = i;"), [1]);
    may_return(&main("return (t[t[0] & 1] = i) ? t[0] : 7;"), [1]);
    let list = "struct n { struct n *next; int i; } a = {&a, 1}, b = {&b, 2}; int main(void) {";
    may_return(&format!("{list} return (a.next->next = &b)->i; }}"), [2]);
    may_return(&format!("{list} struct n *p = &a; p = p->next->next = &b; return p->i; }}"), [2]);
}

#[test]
fn the_pointer_that_is_called_comes_in_any_order() {
    let text = "int n; int f(int i) { return i; } int g(int i) { return -i; } int (*p)(int) = f; int h(void) { p = g; return 3; }
        int main(void) { return p(h()); }";
    may_return(text, [3, -3]);
}

#[test]
fn initialisers_of_a_list_come_in_any_order_but_each_as_a_whole() {
    let text = |list: &str| format!("{NOTES} int main(void) {{ int a[3] = {{{list}}}; return n; }}");
    may_return(&text("one(), two()"), [12, 21]);
    may_return(&text("[1] = one(), [0] = two()"), [12, 21]);
    let grouped = values(&text("one() + two(), three()"));
    assert_eq!(grouped, BTreeSet::from([123, 213, 312, 321]));
    let record = format!(
        "{NOTES} struct s {{ int a, b; struct {{ int c; }} d; }};
        int main(void) {{ struct s s = {{one(), 5, {{two()}}}}; return n * 10 + s.a + s.d.c + s.b; }}"
    );
    may_return(&record, [128, 218]);
    may_return("int main(void) { int a[2] = {7, a[0]}; return a[0]; }", [7]);
}

#[test]
fn structures_are_read_and_returned_as_wholes() {
    let head =
        "struct s { int a, b; } g = {1, 1}; struct s make(int i) { struct s s = {i, i}; g.a += i; g.b += i; return s; }
        int sum(struct s x, struct s y) { return (x.a == x.b && y.a == y.b) ? x.a * 10 + y.a : -1; }";
    may_return(&format!("{head} int main(void) {{ return sum(g, make(2)); }}"), [12, 32]);
    may_return(&format!("{head} int main(void) {{ return make(1).a * 10 + make(2).b; }}"), [12]);
}

#[test]
fn where_the_order_does_not_matter_nothing_is_chosen() {
    let head = "int g, a[4]; extern int nondet(void); int printf(const char *, ...); int pure(int x) { return x * 2; }
        int reads(int x) { return g + x; } int writes(void) { g++; return g; } struct node { int value, top, data[4]; struct node *next; };
        void *malloc(unsigned long); struct node *node(int v) { struct node *n = malloc(sizeof *n); n->value = v; n->next = 0; return n; }
        int both(struct node *x, struct node *y) { return x->value + y->value; } int fact(int n) { return n ? n * fact(n - 1) : 1; }\n";
    for e in [
        "x = pure(x) + pure(i)",
        "x = reads(x) + reads(g)",
        "x = fact(x) * x",
        "printf(\"%d\", writes())",
        "a[i] = pure(i)",
        "x = nondet() - nondet()",
        "x = writes()",
        "g = reads(g) + g",
        "a[i++] = x",
        "b[i++] = b[x++]",
        "*p++ = *q++",
        "s->data[s->top++] = x",
        "x = both(node(1), node(2))",
        "struct node t = {x, writes()}",
        "for (x = 0, i = 4; x < i; x++, i--) b[x] = b[i]",
        "x = i = 3",
        "x = (i = 3) + 1",
        "while ((x = nondet()) != 0) i += x",
    ] {
        let text = format!(
            "{head} int main(void) {{ int x = 1, i = 0, b[9], *p = b, *q = a; struct node *s = node(3); {e}; return x; }}"
        );
        assert_eq!(parsed(&text).orders.len(), 0, "{e}");
    }
}

#[test]
fn it_matters_which_of_two_calls_does_not_come_back() {
    let head = "extern void reach_error(void); extern void exit(int); extern int nondet(void); int z;
        int wrong(void) { reach_error(); return 0; } int quits(void) { exit(0); return 0; } int stays(void) { while (1); return 0; }
        int divides(void) { return 7 / z; }\n";
    for first in ["quits()", "stays()", "divides()"] {
        for e in [format!("{first} + wrong()"), format!("wrong() + {first}")] {
            let text = format!("{head} int main(void) {{ if (nondet()) {e}; return 0; }}");
            let verdict = verdict(&parsed(&text));
            assert!(matches!(verdict, Verdict::Violated(..)), "{e}: {verdict:?}");
        }
    }
}

fn asked(program: &Program, question: &Question) -> Verdict {
    let tuning = puch::abstraction::Tuning::default();
    let check = puch::options::Options::default();
    let options = Options { overflow: Overflow::Wrap, tuning, check, rounds: Some(12), donor: None };
    let Answer { outcome, .. } = decide(program, question, &options, &mut |_: &Round<'_>| {});
    outcome.verdict
}

fn verdict(program: &Program) -> Verdict {
    asked(program, &Question::Failures(Failures::All))
}

const COUNTS: &str = "extern void reach_error(void); extern int nondet(void); int n; int next(void) { return ++n; }\n";

#[test]
fn a_closed_program_that_fails_in_another_order_only_is_unknown() {
    let text = |wrong: i32| {
        parsed(&format!(
            "{COUNTS} int main(void) {{ int y = next() - next(); if (y == {wrong}) reach_error(); return 0; }}"
        ))
    };
    let Verdict::Unknown(why) = verdict(&text(1)) else { panic!("one of its orders fails") };
    let why = why.to_string();
    assert!(why.contains("another run than the one from left to right"), "{why}");
    assert!(why.contains("evaluates `next()` before `next()` in line 2"), "{why}");
    assert!(matches!(verdict(&text(-1)), Verdict::Violated(..)), "from left to right");
    assert_eq!(verdict(&text(2)), Verdict::Holds, "in no order");
}

#[test]
fn a_violation_in_another_order_names_it() {
    let text =
        "int main(void) { int x = nondet(); int y = next() - next(); if (x == 7 && y == 1) reach_error(); return 0; }";
    let program = parsed(&(COUNTS.to_owned() + text));
    let Verdict::Violated(Execution { inputs, .. }) = verdict(&program) else { panic!("one of its orders fails") };
    let own: Vec<i128> = inputs.iter().filter(|input| !input.is_order()).map(|input| input.value).collect();
    assert_eq!(own, [7]);
    let outcome = run(&program, Inputs::list(inputs.iter().map(|input| input.value)));
    assert!(matches!(outcome.end, End::Failed(_)));
    let told = "the run evaluates `next()` before `next()` in line 2: C leaves this open, and a compiled program need not do so";
    assert_eq!(outcome.told_orders(), [told]);
    assert!(harness(&program, &inputs, &Copies::default()).contains(told));
    let never = text.replace("y == 1", "y == 0");
    assert_eq!(verdict(&parsed(&(COUNTS.to_owned() + &never))), Verdict::Holds);
}

#[test]
fn a_run_from_left_to_right_is_preferred() {
    let text = "int main(void) { int x = nondet(); next() - next(); if (x == 7) reach_error(); return 0; }";
    let program = parsed(&(COUNTS.to_owned() + text));
    let Verdict::Violated(Execution { inputs, .. }) = verdict(&program) else { panic!("it fails") };
    assert!(inputs.iter().all(|input| !input.is_order() || input.value == 0), "{inputs:?}");
    let outcome = run(&program, Inputs::list([7]).left_to_right());
    assert!(matches!(outcome.end, End::Failed(_)));
    assert!(outcome.told_orders()[0].starts_with("the run evaluates from left to right in line 2"));
}

#[test]
fn termination_depends_on_orders() {
    let text = |condition: &str, y: i32| {
        let head = format!("{COUNTS} int main(void) {{ int y = next() - next();");
        parsed(&format!("{head} if ({condition}) while (y == {y}); return 0; }}"))
    };
    assert_eq!(asked(&text("1", 2), &Question::Termination), Verdict::Holds);
    assert!(matches!(
        asked(&text("1", -1), &Question::Termination),
        Verdict::Violated(Execution { onward: Onward::Repeats(_), .. })
    ));
    assert!(matches!(
        asked(&text("nondet()", 1), &Question::Termination),
        Verdict::Violated(Execution { onward: Onward::Repeats(_), .. })
    ));
    let Verdict::Unknown(why) = asked(&text("1", 1), &Question::Termination) else { panic!("one of its orders stays") };
    assert!(why.to_string().contains("another run than the one from left to right"), "{why}");
}

#[test]
fn orders_in_loops_and_recursion_are_chosen_each_time() {
    let text = "int sum, seen; int tick(int i) { seen = seen * 10 + i; return i; }
        int twice(int n) { if (n == 0) return 0; return tick(1) + tick(2) + twice(n - 1); }
        int main(void) { twice(1); return seen; }";
    may_return(text, [12, 21]);
    let text = "int seen; int tick(int i) { seen = seen * 10 + i; return i; }
        int main(void) { for (int i = 0; i < 2; i++) tick(1) + tick(2); return seen; }";
    may_return(text, [1212, 1221, 2112, 2121]);
}

#[test]
fn too_many_orders_are_refused() {
    let sum = |count: usize| format!("{COUNTS} int main(void) {{ return {}; }}", vec!["next()"; count].join(" + "));
    assert!(read(&sum(8)).is_ok());
    let wrong = read(&sum(12)).expect_err("twelve calls have many orders");
    assert!(
        wrong[0].starts_with("C leaves open in which order this is evaluated, and there are too many"),
        "{wrong:?}"
    );
    // As long as they do not conflict there may be many.
    let pure = sum(40).replace("return ++n", "return n");
    assert!(read(&pure).is_ok());
}

/// A random expression over the variables and procedures of [`WORLD`].
fn expression(rng: &mut Rng, depth: u32) -> String {
    if depth == 0 {
        let all = ["a", "b", "x", "y", "1", "2", "3", "*p", "t[0]", "t[1]"];
        return all[rng.usize(..all.len())].to_owned();
    }
    let e = |rng: &mut Rng| expression(rng, depth - 1);
    let all = ["a", "b", "x", "y", "(*p)", "t[0]", "t[b & 1]"];
    let v = all[rng.usize(..all.len())];
    match rng.u32(..18) {
        0..=2 => format!("({} + {})", e(rng), e(rng)),
        3 | 4 => format!("({} - {} * 3)", e(rng), e(rng)),
        5 => format!("({v} = {})", e(rng)),
        6 => format!("({v} += {})", e(rng)),
        7 => format!("{v}++"),
        8 => format!("++{v}"),
        9 => "f()".to_owned(),
        10 => format!("g({})", e(rng)),
        11 => format!("h({}, {})", e(rng), e(rng)),
        12 => format!("({}, {})", e(rng), e(rng)),
        13 => format!("({} && {})", e(rng), e(rng)),
        14 => format!("({} ? {} : {})", e(rng), e(rng), e(rng)),
        15 => format!("(t[{} & 1] = {})", e(rng), e(rng)),
        16 => format!("(*q({}))({})", e(rng), e(rng)),
        _ => format!("s({}).u", e(rng)),
    }
}

const WORLD: &str = "int a = 1, b = 2, t[2] = {5, 6}; struct S { int u, v; };
    int f(void) { a = a * 2 + 1; return b; }
    int g(int i) { b = b + i; return a + b; }
    int h(int i, int j) { t[0] = i; return a - j + t[1]; }
    int (*q(int i))(int) { a = a ^ i; return g; }
    struct S s(int i) { struct S r; r.u = b + i; r.v = a; b = b + 1; return r; }
    int value(void) {
      int x = 3, y = 4, *p = &TARGET, r;
      STATEMENT;
      return r + a * 11 + b * 13 + x * 17 + y * 19 + t[0] * 23 + t[1] * 29;
    }\n";

#[test]
fn what_a_compiler_computes_is_one_of_the_runs() {
    if Command::new("cc").arg("--version").output().is_err() {
        println!("there is no C compiler here");
        return;
    }
    let directory = std::env::temp_dir().join(format!("puch-c-order-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("there is room for temporary files");
    for seed in seeds::seeds(0..12) {
        let rng = &mut Rng::with_seed(seed);
        let depth = rng.u32(1..3);
        let e = expression(rng, depth);
        let statement = match rng.u32(..4) {
            0 => format!("r = {e}"),
            1 => format!("int m[2] = {{{e}, {}}}; r = m[0] * 7 + m[1]", expression(rng, 1)),
            2 => format!("r = 0; if ({e}) r = 1"),
            _ => format!("r = h({e}, {})", expression(rng, 1)),
        };
        let target = ["x", "a", "t[1]", "y"][rng.usize(..4)];
        let world = WORLD.replace("TARGET", target).replace("STATEMENT", &statement);
        let program = match read(&format!("{world} int main(void) {{ return value(); }}")) {
            Ok(program) => program,
            Err(wrong) if wrong[0].contains("too many") => continue,
            Err(wrong) => panic!("seed {seed}: {wrong:?}\n{world}"),
        };
        let Some(ends) = ends(&program) else { continue };
        let text =
            format!("{world} int printf(const char *, ...); int main(void) {{ printf(\"%d\", value()); return 0; }}");
        for level in ["-O0", "-O2"] {
            let value = compiled(&directory, &text, level);
            assert!(ends.contains(&End::Returned(Some(value))), "seed {seed}: {level} computes {value}\n{text}");
        }
    }
    let _ = std::fs::remove_dir_all(directory);
}

/// What the compiled program prints.
fn compiled(directory: &std::path::Path, text: &str, level: &str) -> i128 {
    let (source, binary) = (directory.join("p.c"), directory.join("p"));
    std::fs::write(&source, text).expect("it can be written");
    let mut cc = Command::new("cc");
    cc.args(["-w", level, "-fwrapv", "-fno-strict-aliasing"]).arg(&source).arg("-o").arg(&binary);
    let made = cc.output().expect("there is a compiler");
    let mut said = String::new();
    let _ = write!(said, "{}", String::from_utf8_lossy(&made.stderr));
    assert!(made.status.success(), "{said}\n{text}");
    let ran = Command::new(&binary).output().expect("it runs");
    String::from_utf8_lossy(&ran.stdout).trim().parse().expect("it prints a number")
}
