//! Predicate abstraction of C programs: the lectures' examples, the places where c2bp went wrong in trials, and laws against
//! enumeration at four bits.

extern crate puch_programs as puch;

#[path = "../support/may_fail.rs"]
mod may_fail;
mod overlooked;
#[path = "../support/seeds.rs"]
mod seeds;
#[path = "../support/terms.rs"]
mod terms;

mod influential;
mod printed;
mod reached;
mod remembered;
mod reuse;
mod runs;
mod unassigned;
mod words;

use fastrand::Rng;
use puch::abstraction::boolean::{self, Conjunction, Step, Value};
use puch::abstraction::{Method, System, Tuning, abstracted, predicate, read};
use puch::c::program::Overflow;
use puch::c::types::DataModel;
use puch::c::{self, Program, Unit};
use puch::check::{Property, check};
use puch::interpreter::{self, End, Inputs};
use puch::options::Options;

use may_fail::may_fail;

const METHODS: [Method; 3] = [Method::Auto, Method::Cartesian, Method::Exact];

fn parsed(text: &str, model: DataModel) -> Program {
    let unit = Unit { name: "prog.c", text, preprocessed: None };
    c::read(&[unit], &c::Options { model, ..c::Options::default() })
        .unwrap_or_else(|wrong| panic!("{wrong:?}\n{text}"))
        .program
}

fn abstraction(text: &str, predicates: &str, overflow: Overflow, method: Method) -> boolean::Program {
    let mut program = parsed(text, DataModel::LP64);
    let predicates = match predicates {
        "guards" => predicate::guards(&program),
        text => read::read(&mut program, text).unwrap_or_else(|wrong| panic!("{wrong:?}\n{text}")),
    };
    abstracted(&program, &predicates, overflow, &Tuning { method, ..Tuning::default() })
}

/// The statements of a procedure, without labels, places and comments.
fn steps(program: &boolean::Program, procedure: &str) -> Vec<String> {
    let found = program.procedures.iter().find(|found| &*found.name == procedure).expect("it has that procedure");
    found.lines.iter().map(|line| line.step.to_string()).collect()
}

#[test]
fn chains_of_bounds_on_related_terms_take_few_nodes() {
    let text = "extern int nondet(void); extern void reach_error(void);
        int main(void) {
          int x = nondet(), y = nondet();
          if (x < 0 || x > 3 || y < 0 || y > 3) return 0;
          while (nondet()) {
            int c = nondet();
            if (c == 0) { if (x < 3) x = x + 1; }
            else if (c == 1) { if (y > 0) y = y - 1; }
            else if (x + y <= 3 && x > 0) { x = x - 1; y = y + 1; }
          }
          if (x + y > 6) reach_error();
          return 0;
        }";
    let chain = |term: &str, most: i32| (0..=most).map(|by| format!("{term} <= {by}")).collect::<Vec<_>>();
    let all = [chain("x", 3), chain("y", 3), chain("x + y", 6)].concat().join(", ");
    let made = abstraction(text, &format!("main: {all}"), Overflow::Assume, Method::Auto);
    let system = System::of(&made, &["prog.c".into()]).expect("it is right");
    let outcome = check(&system.spds, &[Property::Assertions], &Options::default()).expect("it is right");
    assert_eq!(outcome.answers[0].verdict.name(), "holds");
    let peaks = outcome.stats.figures.iter().filter(|(figure, _)| *figure == "peak nodes");
    let nodes: f64 = peaks.map(|(_, nodes)| nodes).sum();
    // Where what is enforced is said after the rest of a rule, there are 113,000.
    assert!(nodes < 60_000.0, "{nodes}");
}

const CMP: &str = "int g;
void cmp(int a, int b) { if (a == b) g = 0; else g = 1; }
int main(int x, int y) { cmp(x, y); if (!g) { if (x != y) assert(0); } }";

/// A predicate over two integers, worked out.
type Concrete = Box<dyn Fn(i64, i64) -> bool>;

#[test]
fn cmp_is_as_on_the_slides_and_its_assertion_holds() {
    let program = abstraction(CMP, "main: x == y\n*: g == 0\ncmp: a == b", Overflow::Wrap, Method::Auto);
    let expected = "decl {g == 0} := 1;

void cmp({a == b}) begin
    goto Lx1, Lx2;                          // if (a == b)
Lx1: assume({a == b});
    goto L1;
Lx2: assume(!{a == b});
    goto L3;
L1: {g == 0} := T;                          // g = 0
    goto L4;
L3: {g == 0} := F;                          // g = 1
L4: return;                                 // return
end

void main({x == y}) begin
    cmp({x == y});                          // cmp(x, y)
    goto Lx1, Lx2;                          // if (g)
Lx1: assume(!{g == 0});
    goto L4;
Lx2: assume({g == 0});
    goto L2;
L2: goto Lx3, Lx4;                          // if (x != y)
Lx3: assume(!{x == y});
    goto L3;
Lx4: assume({x == y});
    goto L4;
L3: assert(F);                              // fail \"assertion\"
L4: return;                                 // return 0
end
";
    assert_eq!(program.text(), expected);
    for method in METHODS {
        assert!(!may_fail(&abstraction(CMP, "main: x == y\n*: g == 0\ncmp: a == b", Overflow::Wrap, method)));
    }
    assert!(may_fail(&abstraction(CMP, "*: g == 0", Overflow::Wrap, Method::Auto)), "without x == y it may");
}

#[test]
fn one_more_than_y() {
    let text = "int main(int y) { y = y + 1; return 0; }";
    let predicates = "main: y<4, y<5";
    // Over the integers, as in the lectures.
    let cartesian = abstraction(text, predicates, Overflow::Assume, Method::Cartesian);
    assert_eq!(steps(&cartesian, "main")[0], "{y<4}, {y<5} := (!{y<4} | !{y<5}) ? F : *, {y<4};");
    // With wrap-around the greatest number becomes the least.
    let wrapping = abstraction(text, predicates, Overflow::Wrap, Method::Cartesian);
    let expected = "{y<4}, {y<5} := (!{y<4} & {y<5}) ? F : *, schoose[{y<4}, !{y<4} & {y<5}];";
    assert_eq!(steps(&wrapping, "main")[0], expected, "y is 4 where the one is false and the other true");
    let mut program = parsed(text, DataModel::LP64);
    let read = read::read(&mut program, predicates).expect("they are right");
    let tuning = Tuning { method: Method::Cartesian, cubes: 1, ..Tuning::default() };
    let wrapping = abstracted(&program, &read, Overflow::Wrap, &tuning);
    assert_eq!(steps(&wrapping, "main")[0], "{y<4}, {y<5} := *, {y<4} ? T : *;");
}

#[test]
fn the_best_that_can_be_said() {
    let text = "int main(int x) { x = x + 1; return 0; }";
    let program = abstraction(text, "main: x==0, x==1, x<5", Overflow::Assume, Method::Cartesian);
    let expected =
        "{x==0}, {x==1}, {x<5} := ({x==0} | {x==1} | !{x<5}) ? F : *, {x==0}, schoose[{x==0} | {x==1}, !{x<5}];";
    assert_eq!(steps(&program, "main")[0], expected);
    let text = "int main(int x, int y) { y = y + 1; return 0; }";
    let program = abstraction(text, "main: x==y", Overflow::Wrap, Method::Auto);
    assert_eq!(steps(&program, "main")[0], "{x==y} := {x==y} ? F : *;");
}

#[test]
fn what_an_assumption_implies() {
    let text = "void __VERIFIER_assume(int); int main(int x) { __VERIFIER_assume(x < 2); return 0; }";
    for method in METHODS {
        let program = abstraction(text, "main: x==2, x<5", Overflow::Wrap, method);
        assert_eq!(steps(&program, "main")[0], "assume(!{x==2} & {x<5});");
    }
}

#[test]
fn pointers_by_morris_and_points_to() {
    let aliased = "int x, y; int main(int c) { int *p = &x; if (c) p = &y; *p = 3; return 0; }";
    let blind = abstraction(aliased, "*: x == 5", Overflow::Wrap, Method::Auto);
    assert!(
        steps(&blind, "main").contains(&"{x == 5} := !{x == 5} ? F : *;".to_owned()),
        "{:?}",
        steps(&blind, "main")
    );
    let seeing = abstraction(aliased, "*: x == 5\nmain: p == &x", Overflow::Wrap, Method::Auto);
    assert!(steps(&seeing, "main").contains(&"{x == 5} := {x == 5} & !{p == &x};".to_owned()));
    let apart = "int x, y; int main(void) { int *p = &y; *p = 3; return 0; }";
    let program = abstraction(apart, "*: x == 5", Overflow::Wrap, Method::Auto);
    assert!(steps(&program, "main").iter().all(|step| !step.contains(":=")), "{:?}", steps(&program, "main"));
    let only = "int x; int main(void) { int *p = &x; *p = 3; return 0; }";
    let program = abstraction(only, "*: x == 3, x == 5", Overflow::Wrap, Method::Auto);
    assert!(steps(&program, "main").contains(&"{x == 3}, {x == 5} := T, F;".to_owned()));
}

const QR: &str = "int R(int f) { int r = f + 1; f = 0; return r; }
int main(void) { int x; x = 1; x = R(x); if (x != 2) assert(0); return 0; }";

#[test]
fn what_a_procedure_returns_is_known_by_its_signature() {
    let predicates = "main: x==1, x==2\nR: f==pre(f), r==pre(f)+1";
    let program = abstraction(QR, predicates, Overflow::Wrap, Method::Cartesian);
    let expected =
        ["assume({f==pre(f)});", "{r==pre(f)+1} := *;", "{r==pre(f)+1} := {f==pre(f)};", "{f==pre(f)} := *;"];
    assert_eq!(steps(&program, "R")[..4], expected);
    assert_eq!(steps(&program, "R")[4], "return {r==pre(f)+1};");
    let main = steps(&program, "main");
    assert!(main.contains(&"{R -> r==pre(f)+1} := R(T);".to_owned()), "{main:?}");
    for method in METHODS {
        assert!(!may_fail(&abstraction(QR, predicates, Overflow::Wrap, method)));
        let direct = QR.replace("int r = f + 1; f = 0; return r;", "return f + 1;");
        let by_result = "main: x==1, x==2\nR: result==pre(f)+1, f==pre(f)";
        assert!(!may_fail(&abstraction(&direct, by_result, Overflow::Wrap, method)));
        // What r is at the return, nothing tells.
        assert!(may_fail(&abstraction(QR, by_result, Overflow::Wrap, method)));
        assert!(may_fail(&abstraction(QR, "main: x==1, x==2", Overflow::Wrap, method)));
    }
}

#[test]
fn a_signature_speaks_of_memory_that_a_formal_points_to() {
    let text = "void R(int *a) { *a = *a + 1; }
        int main(void) { int x; x = 1; R(&x); if (x != 2) assert(0); return 0; }";
    let predicates = "main: x==1, x==2\nR: a==pre(a), *pre(a)==pre(*a), *pre(a)==pre(*a)+1";
    for method in METHODS {
        assert!(!may_fail(&abstraction(text, predicates, Overflow::Wrap, method)));
        assert!(may_fail(&abstraction(text, "main: x==1, x==2\nR: a==pre(a)", Overflow::Wrap, method)));
    }
}

#[test]
fn memory_before_a_call_is_not_memory_after_it() {
    // x == 1 holds there: g was 0 when it was passed, whatever inc makes of it.
    let text = "int g; int inc(int i) { g = 7; return i + g - 6; }
        int main(void) { int x; g = 0; x = inc(g); if (x == 1) assert(0); return 0; }";
    for method in METHODS {
        assert!(may_fail(&abstraction(
            text,
            "main: x==1\n*: g==0\ninc: i==0, result==pre(i)+1",
            Overflow::Wrap,
            method
        )));
    }
}

#[test]
fn a_cube_that_a_call_makes_stale_is_not_enforced() {
    let text = "int g; void setg(void) { g = 0; }
        int main(void) { int l = 1; g = 5; setg(); if (g == 0) assert(0); return 0; }";
    for method in METHODS {
        assert!(may_fail(&abstraction(text, "main: g == l, l == 0\n*: g==0", Overflow::Wrap, method)));
        assert!(may_fail(&abstraction(text, "main: g > (l & 1)\n*: g == 0", Overflow::Wrap, method)));
    }
}

/// Local predicates are as wrong while a procedure returns that was called from outside of the program.
#[test]
fn a_cube_that_a_call_back_makes_stale_is_not_enforced() {
    let text = "void take(void (*)(void)); void exit(int); int g; int started; void f(void) { g = 0; }
        int main(void) { int x; if (started) exit(0); started = 1; x = 0; g = 5; take(f); if (g == 0) assert(0); return 0; }";
    for method in METHODS {
        let result = abstraction(text, "*: g == 0, started == 0\nmain: g > (x & 1)", Overflow::Wrap, method);
        assert!(may_fail(&result), "{}", result.text());
    }
}

#[test]
fn a_local_predicate_over_what_a_callee_writes_is_updated() {
    let text = "int g; void setg(void) { g = 5; }
        int main(void) { int l = 5; g = 1; setg(); if (g == l) assert(0); return 0; }";
    for method in METHODS {
        assert!(may_fail(&abstraction(text, "main: g == l", Overflow::Wrap, method)));
        assert!(may_fail(&abstraction(text, "main: g == l, l == 5\n*: g == 5", Overflow::Wrap, method)));
    }
}

#[test]
fn the_frame_of_a_recursive_procedure_is_one_of_many() {
    // The inner frame's x is written through p, the outer one's is not.
    let text = "int *p; int f(int n) { int x; x = 1; if (n) { f(n - 1); } else { p = &x; *p = 2; } if (x == 1) assert(0); return 0; }
        int main(int n) { f(n); return 0; }";
    for method in METHODS {
        assert!(may_fail(&abstraction(text, "f: x == 1, n == 0", Overflow::Wrap, method)));
    }
}

#[test]
fn two_objects_of_one_malloc_are_not_one() {
    let text = "void *malloc(unsigned long);
        int main(void) { int *a, *b, i; for (i = 0; i < 2; i = i + 1) { b = a; a = malloc(4); if (a == 0) return 0; *a = 1; }
        *a = 2; if (*b == 1) assert(0); return 0; }";
    for method in METHODS {
        assert!(may_fail(&abstraction(text, "main: *b == 1, *a == 1", Overflow::Wrap, method)));
    }
}

#[test]
fn whoever_exits_is_not_blocked_and_does_not_go_on() {
    let text = "void exit(int); void stop(int c) { if (c) exit(1); }
        int main(int c) { stop(c); if (c) assert(0); return 0; }";
    assert!(!may_fail(&abstraction(text, "main: c == 0\nstop: c == 0", Overflow::Wrap, Method::Auto)));
    let program = abstraction(text, "guards", Overflow::Wrap, Method::Auto);
    let stop = program.procedures.iter().find(|procedure| &*procedure.name == "stop").expect("it is there");
    let loops =
        |line: &&boolean::Line| matches!(&line.step, Step::Goto(to) if to.iter().all(|to| line.labels.contains(to)));
    assert_eq!(stop.lines.iter().filter(loops).count(), 1, "{}", program.text());
}

#[test]
fn overflow_is_an_error_where_that_is_asked_for() {
    let text = "int main(int x) { if (x < 100) { x = x + 1; } return 0; }";
    assert!(!may_fail(&abstraction(text, "main: x < 100", Overflow::Check, Method::Auto)));
    let text = "int main(int x) { x = x + 1; return 0; }";
    assert!(may_fail(&abstraction(text, "main: x < 100", Overflow::Check, Method::Auto)));
    let text = "int main(int x, int y) { if (y != 0 && y != -1) { x = x / y; } return 0; }";
    assert!(!may_fail(&abstraction(text, "guards", Overflow::Check, Method::Auto)));
}

#[test]
fn mistakes_in_predicate_files_are_pointed_at() {
    let mut program = parsed(CMP, DataModel::LP64);
    let text = "mian: x == y\n*: h == 0\ncmp: a == , (b\nmain: *x";
    let wrong = read::read(&mut program, text).expect_err("nothing in it is right");
    let messages: Vec<&str> = wrong.iter().map(|wrong| wrong.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "the program defines no procedure `mian`",
            "there is no global variable `h`",
            "an expression is missing here",
            "this bracket is not closed",
            "this is no pointer to an object",
        ]
    );
}

#[test]
fn a_name_of_several_variables_is_refused_with_the_lines_of_all_of_them() {
    let text = "int main(int c) {\n  if (c) { int x = 1; c = x; }\n  else { int x = 2; c = x; }\n  return c;\n}";
    let wrong = read::read(&mut parsed(text, DataModel::LP64), "main: x == 1").expect_err("which x?");
    assert!(wrong[0].message.contains("several variables are called `x`"), "{wrong:?}");
    let help = wrong[0].help.as_deref().expect("it says where they are");
    assert!(help.contains(":2, ") && help.ends_with(":3"), "{help}");
}

// Laws.

/// Four bits for everything.
const NARROW: DataModel = DataModel { char: 4, short: 4, int: 4, long: 4, long_long: 4, pointer: 4 };

fn holds(cube: &Conjunction, names: &[String], before: u32, after: u32) -> bool {
    cube.iter().all(|literal| {
        let at = names.iter().position(|name| **name == *literal.name).expect("a predicate");
        (if literal.after { after } else { before } >> at & 1 == 1) == literal.value
    })
}

/// Whether a value can be assigned.
fn allows(value: &Value, chosen: bool, names: &[String], before: u32) -> bool {
    let some = |cubes: &[Conjunction]| cubes.iter().any(|cube| holds(cube, names, before, 0));
    match value {
        Value::Constant(constant) => *constant == chosen,
        Value::Any(cubes) => some(cubes) == chosen,
        Value::None(cubes) => some(cubes) != chosen,
        Value::Choose(yes, no) => {
            if some(yes) {
                chosen
            } else {
                !(some(no) && chosen)
            }
        }
    }
}

/// The steps of the first assignment of `main`, as pairs of combinations.
fn steps_of_assignment(program: &boolean::Program, names: &[String]) -> Vec<(u32, u32)> {
    let main = program.procedures.iter().find(|procedure| &*procedure.name == "main").expect("there is a main");
    let step = main
        .lines
        .iter()
        .map(|line| &line.step)
        .find(|step| matches!(step, Step::Assign(..) | Step::Skip | Step::Assume(_)));
    let mut pairs = Vec::new();
    let all = 1u32 << names.len();
    let enforced = |state: u32| !main.enforce.iter().any(|cube| holds(cube, names, state, 0));
    for before in (0..all).filter(|&state| enforced(state)) {
        for after in (0..all).filter(|&state| enforced(state)) {
            let possible = match step {
                Some(Step::Assign(targets, values, constrain)) => {
                    let kept = names.iter().enumerate().all(|(at, name)| {
                        let same = (before ^ after) >> at & 1 == 0;
                        match targets.iter().position(|target| **target == **name) {
                            Some(target) => allows(&values[target], after >> at & 1 == 1, names, before),
                            None => same,
                        }
                    });
                    kept && !constrain.iter().any(|cube| holds(cube, names, before, after))
                }
                _ => before == after,
            };
            if possible {
                pairs.push((before, after));
            }
        }
    }
    pairs
}

type Meaning = (String, Box<dyn Fn(i64, i64) -> i64>);

fn wrapped(value: i64) -> i64 {
    (value + 8).rem_euclid(16) - 8
}

fn expression(rng: &mut Rng) -> Meaning {
    let k = rng.i64(-3..4);
    match rng.u8(..7) {
        0 => (format!("x + {k}"), Box::new(move |x, _| wrapped(x + k))),
        1 => ("y - x".to_owned(), Box::new(|x, y| wrapped(y - x))),
        2 => ("x * y".to_owned(), Box::new(|x, y| wrapped(x * y))),
        3 => (format!("y & {}", k & 7), Box::new(move |_, y| y & (k & 7))),
        4 => (format!("{k}"), Box::new(move |_, _| k)),
        5 => ("~y".to_owned(), Box::new(|_, y| !y)),
        _ => ("x ^ y".to_owned(), Box::new(|x, y| x ^ y)),
    }
}

fn predicate_of(rng: &mut Rng) -> (String, Box<dyn Fn(i64, i64) -> bool>) {
    let k = rng.i64(-5..6);
    match rng.u8(..11) {
        6 => ("(unsigned)x < (unsigned)y".to_owned(), Box::new(|x, y| x & 15 < y & 15)),
        7 => (format!("(x < y ? x : y) == {k}"), Box::new(move |x, y| x.min(y) == k)),
        8 => (format!("x < {k} ? y < 0 : x == y"), Box::new(move |x, y| if x < k { y < 0 } else { x == y })),
        9 => ("(_Bool)x == (y ? 1 : 0)".to_owned(), Box::new(|x, y| (x != 0) == (y != 0))),
        10 => ("(x ? y : x) > sizeof x".to_owned(), Box::new(|x, y| if x != 0 { y & 15 > 1 } else { false })),
        0 => (format!("x == {k}"), Box::new(move |x, _| x == k)),
        1 => (format!("x < {k}"), Box::new(move |x, _| x < k)),
        2 => (format!("y <= {k}"), Box::new(move |_, y| y <= k)),
        3 => ("x == y".to_owned(), Box::new(|x, y| x == y)),
        4 => ("x < y".to_owned(), Box::new(|x, y| x < y)),
        _ => (format!("x + y < {k}"), Box::new(move |x, y| wrapped(x + y) < k)),
    }
}

#[test]
fn exact_steps_are_those_of_all_states_and_cartesian_ones_contain_them() {
    for seed in 0..60 {
        let mut rng = Rng::with_seed(seed);
        let (value, meaning) = expression(&mut rng);
        let mut predicates: Vec<(String, Concrete)> = Vec::new();
        while predicates.len() < 4 {
            let new = predicate_of(&mut rng);
            if predicates.iter().all(|known| known.0 != new.0) {
                predicates.push(new);
            }
        }
        let names: Vec<String> = predicates.iter().map(|(text, _)| format!("{{{text}}}")).collect();
        let list: Vec<&str> = predicates.iter().map(|(text, _)| text.as_str()).collect();
        let seen =
            |x: i64, y: i64| predicates.iter().enumerate().map(|(at, (_, p))| u32::from(p(x, y)) << at).sum::<u32>();
        let mut concrete: Vec<(u32, u32)> = (-8..8)
            .flat_map(|x| (-8..8).map(move |y| (x, y)))
            .map(|(x, y)| (seen(x, y), seen(meaning(x, y), y)))
            .collect();
        concrete.sort_unstable();
        concrete.dedup();
        let text = format!("int main(int x, int y) {{ x = {value}; return 0; }}");
        for method in [Method::Exact, Method::Cartesian] {
            let mut program = parsed(&text, NARROW);
            let predicates = read::read(&mut program, &format!("main: {}", list.join(", "))).expect("they are right");
            let tuning = Tuning { method, ..Tuning::default() };
            let result = abstracted(&program, &predicates, Overflow::Wrap, &tuning);
            let found = steps_of_assignment(&result, &names);
            let missing = concrete.iter().find(|pair| !found.contains(pair));
            assert_eq!(missing, None, "seed {seed}, {method:?}\n{text}\n{}", result.text());
            if method == Method::Exact {
                // What is left of states before that cannot be is no step of anybody.
                let begins = |pair: &&(u32, u32)| concrete.iter().any(|(before, _)| *before == pair.0);
                let more = found.iter().filter(begins).find(|pair| !concrete.contains(pair));
                assert_eq!(more, None, "seed {seed}\n{text}\n{}", result.text());
            }
        }
    }
}

/// A random program of two procedures and two globals, over small numbers.
fn random_program(rng: &mut Rng) -> String {
    let value = |rng: &mut Rng, names: &[&str]| terms::value(rng, names, &["", "+", "-", "*"]);
    let (inner, outer) = (["g", "h", "a", "r"], ["g", "h", "x", "y", "*p"]);
    let block = |rng: &mut Rng, names: &[&str], calls: bool| {
        let mut text = String::new();
        for _ in 0..3 {
            let to = names[rng.usize(..names.len())];
            text += &match rng.u8(..if calls { 6 } else { 3 }) {
                0 => format!("  if ({}) {to} = {};\n", terms::condition(rng, names), value(rng, names)),
                1 | 2 => format!("  {to} = {};\n", value(rng, names)),
                3 => format!("  f({});\n", value(rng, names)),
                _ => format!("  {to} = f({});\n", value(rng, names)),
            };
        }
        text
    };
    let target = ["g", "x"][rng.usize(..2)];
    let (callee, caller) = (block(rng, &inner, false), block(rng, &outer, true));
    let (result, again, last) = (value(rng, &inner), terms::condition(rng, &inner), terms::condition(rng, &outer));
    let recursion =
        if rng.bool() { format!("  if (g < 2) {{ g = g + 1; if ({again}) r = f(a); }}\n") } else { String::new() };
    format!(
        "int g, h;\nint f(int a) {{\n  int r = 0;\n{callee}{recursion}  return {result};\n}}\n\
         int main(int x) {{\n  int y = 0;\n  int *p = &{target};\n{caller}  if ({last}) assert(0);\n  return 0;\n}}\n"
    )
}

#[test]
fn what_fails_fails_on_every_abstraction() {
    let mut failing = 0;
    for seed in 0..60 {
        let mut rng = Rng::with_seed(seed);
        let text = random_program(&mut rng);
        let program = parsed(&text, NARROW);
        let run = |input: i128| {
            let options = interpreter::Options { steps: 5_000, ..interpreter::Options::default() };
            interpreter::execute(&program, &options, Inputs::list([input]), &mut |_| {}).end
        };
        let fails = (-8..8).any(|input| matches!(run(input), End::Failed(_)));
        failing += usize::from(fails);
        let list = "main: x == y, x < g, *p == h, y == 0\n*: g == h, g == 0, h < 2\nf: a == pre(a), r == a, result == pre(a), g == pre(g), a < g";
        for method in [Method::Auto, Method::Cartesian] {
            let mut program = program.clone();
            let predicates = match rng.u8(..3) {
                0 => predicate::guards(&program),
                _ => {
                    let mut all = read::read(&mut program, list).expect("they are right");
                    rng.shuffle(&mut all);
                    all.truncate(6);
                    all
                }
            };
            let tuning = Tuning { method, cubes: 2, ..Tuning::default() };
            let result = abstracted(&program, &predicates, Overflow::Wrap, &tuning);
            assert!(!fails || may_fail(&result), "seed {seed}, {method:?}\n{text}\n{}", result.text());
        }
    }
    assert!(failing > 5, "only {failing} programs fail: this says little");
}
