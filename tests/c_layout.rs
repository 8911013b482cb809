//! What bytes objects have in C programs: floating-point values among them, arrays whose size varies, sizes of what has no name.

extern crate puch_programs as puch;

#[path = "support/c_texts.rs"]
#[allow(dead_code, reason = "others ask for more")]
mod c_texts;

use puch::abstraction::Tuning;
use puch::c::program::Overflow;
use puch::c::types::DataModel;
use puch::c::{self, Program};
use puch::interpreter::{self, End, Fault, Inputs, Outcome};
use puch::refinement::{Execution, Onward, Options, Question, Round, Verdict, decide};

const HEAD: &str = "extern int nondet(void); extern void reach_error(void); void *malloc(unsigned long);\n";

fn read(text: &str, model: DataModel) -> Result<Program, Vec<String>> {
    c_texts::read(&format!("{HEAD}{text}"), &c::Options { model, ..c::Options::default() })
}

fn parsed(text: &str) -> Program {
    c_texts::parsed(&format!("{HEAD}{text}"), DataModel::LP64)
}

fn executed(text: &str, overflow: Overflow, inputs: &[i128]) -> Outcome {
    c_texts::executed(&format!("{HEAD}{text}"), overflow, inputs)
}

/// What `main` returns.
#[track_caller]
fn returns(text: &str, number: i128) {
    assert_eq!(executed(text, Overflow::Wrap, &[]).end, End::Returned(Some(number)), "{text}");
}

fn options(overflow: Overflow) -> Options {
    Options {
        overflow,
        tuning: Tuning::default(),
        check: puch::options::Options::default(),
        rounds: Some(6),
        donor: None,
    }
}

fn verdict(text: &str, overflow: Overflow) -> Verdict {
    c_texts::verdict(&format!("{HEAD}{text}"), overflow, 6)
}

/// A program that fails if a condition is true, and one that fails if it is not.
fn both(declarations: &str, before: &str, condition: &str) -> (Verdict, Verdict) {
    let program = |condition: &str| {
        format!("{declarations} int main(void) {{ {before} if ({condition}) reach_error(); return 0; }}")
    };
    let opposite = format!("!({condition})");
    (verdict(&program(condition), Overflow::Wrap), verdict(&program(&opposite), Overflow::Wrap))
}

/// The condition is true when the program is executed; with an input it is never certain, whatever the bytes are.
#[track_caller]
fn depends_on_a_floating_point_value(declarations: &str, before: &str, condition: &str) {
    is_true(declarations, before, condition);
    let (yes, no) = both(declarations, &format!("int z = nondet(); {before}"), condition);
    assert!(!matches!(yes, Verdict::Holds), "{yes:?}: {declarations} {before} {condition}");
    let Verdict::Unknown(why) = &no else { panic!("{no:?}: {declarations} {before} {condition}") };
    assert!(why.to_string().contains("floating-point value (line"), "{why}");
}

#[track_caller]
fn is_true(declarations: &str, before: &str, condition: &str) {
    let (yes, no) = both(declarations, before, condition);
    assert!(matches!(yes, Verdict::Violated(..)), "{yes:?}: {declarations} {before} {condition}");
    assert_eq!(no, Verdict::Holds, "{declarations} {before} {condition}");
}

#[test]
fn a_store_of_a_float_changes_the_bytes_of_the_union() {
    let union = "union { float f; unsigned u; } x;";
    depends_on_a_floating_point_value(union, "x.f = 1.0f;", "x.u != 0");
    depends_on_a_floating_point_value(union, "x.u = 0; x.f += 1;", "x.u != 0");
    depends_on_a_floating_point_value(union, "x.u = 0; x.f++;", "x.u != 0");
    is_true(union, "x.f = 1.0f; x.u = 3;", "x.u == 3");
}

#[test]
fn a_store_of_a_float_through_a_cast_changes_the_integer() {
    depends_on_a_floating_point_value("", "int i = 5; *(float *)&i = 1.0f;", "i != 5");
    depends_on_a_floating_point_value("void set(float *p) { *p = 3.0f; } int i;", "set((float *)&i);", "i != 0");
    let (yes, no) = both("", "int *p = malloc(8); p[0] = 7; *(float *)p = 2.0f;", "p[0] != 7");
    assert!(matches!((&yes, &no), (Verdict::Violated(..), Verdict::Holds)), "{yes:?} {no:?}");
}

#[test]
fn a_float_can_be_read_as_an_integer() {
    depends_on_a_floating_point_value("float g;", "g = 1.0f; int *p = (int *)&g;", "*p != 0");
    depends_on_a_floating_point_value("float a[2];", "a[1] = 1.0f; int *p = (int *)a;", "p[1] != 0");
    depends_on_a_floating_point_value("", "double d = 1.0; long *p = (long *)&d;", "*p != 0");
    depends_on_a_floating_point_value("", "char b[16] = {0}; *(long double *)b = 1.0L;", "b[9] != 0");
    depends_on_a_floating_point_value("", "int *p = (int *)&(float){1.0f};", "*p != 0");
}

#[test]
fn floats_that_start_with_a_value_have_its_bytes() {
    depends_on_a_floating_point_value("float g = 1.0f;", "", "*(int *)&g != 0");
    depends_on_a_floating_point_value("union { float f; int i; } g = {1.0f};", "", "g.i != 0");
    depends_on_a_floating_point_value("", "static float g[2] = {0, 1.0f};", "((int *)g)[1] != 0");
    is_true("float g;", "", "*(int *)&g == 0");
    is_true("struct { int n; float f; int m; } g = {1, 2.0f, 3};", "int *p = (int *)&g;", "p[0] == 1 && p[2] == 3");
}

#[test]
fn what_a_union_has_beyond_its_first_member_starts_as_zero() {
    is_true("", "union { char c; int i; } u = {1};", "u.i == 1");
    is_true("", "union { float f; unsigned short h[4]; } u = {0};", "u.h[2] == 0 && u.h[3] == 0");
}

#[test]
fn floats_that_are_passed_copied_and_returned_have_bytes() {
    depends_on_a_floating_point_value("int look(float x) { return *(int *)&x; }", "", "look(1.0f) != 0");
    let one = "float one(void) { return 1.0f; } union { float f; int i; } u;";
    depends_on_a_floating_point_value(one, "u.f = one();", "u.i != 0");
    let copied = "struct S { int n; float f; } s, t;";
    depends_on_a_floating_point_value(copied, "s.f = 1.0f; t = s;", "((int *)&t)[1] != 0");
    is_true(copied, "s.n = 4; s.f = 1.0f; t = s;", "((int *)&t)[0] == 4");
    let look = "struct S { int n; float f; }; int look(struct S s) { return *(int *)&s.f; }";
    depends_on_a_floating_point_value(look, "struct S s = {1, 1.0f};", "look(s) != 0");
}

#[test]
fn what_is_beside_a_float_stays_as_it_is() {
    let store = "struct S { int n; float f; } s; void set(void) { s.f = 1.0f; }";
    is_true(store, "s.n = 3; set();", "s.n == 3");
    is_true("struct S { int n; double d; };", "struct S *s = malloc(sizeof *s); s->n = 3; s->d = 1.0;", "s->n == 3");
    is_true("", "float f = 1.0f; int n = 0; for (int i = 0; i < 3; i++) { f = f * 2; n++; }", "n == 3");
}

#[test]
fn stores_of_floats_that_nobody_sees_are_left_out() {
    let text = "struct S { int n; float f; } s; float g = 1.0f; float a[2];
        int main(void) { float f = 1.0f; s.f = f; a[1] = g; return 0; }";
    assert!(!parsed(text).to_string().contains("havoc"), "{}", parsed(text));
    let text = text.replace("return 0", "return *(int *)&s");
    assert_eq!(parsed(&text).to_string().matches("havoc").count(), 1, "{}", parsed(&text));
}

#[test]
fn a_float_that_is_stored_may_end_a_loop() {
    let ends = "int main(void) { unsigned u = 0; *(float *)&u = 2.0f; while (u == 0) {} return 0; }";
    let answer = decide(&parsed(ends), &Question::Termination, &options(Overflow::Wrap), &mut |_: &Round<'_>| {});
    assert!(matches!(answer.outcome.verdict, Verdict::Holds), "{:?}", answer.outcome);
    let given = ends.replace("unsigned u = 0;", "unsigned u = 0; int z = nondet();");
    let answer = decide(&parsed(&given), &Question::Termination, &options(Overflow::Wrap), &mut |_: &Round<'_>| {});
    assert!(
        !matches!(answer.outcome.verdict, Verdict::Violated(Execution { onward: Onward::Repeats(_), .. })),
        "{:?}",
        answer.outcome
    );
}

#[test]
fn pointers_to_arrays_whose_size_varies_move_by_their_size() {
    let fill = "void fill(int n, int (*m)[n]) { m[1][0] = 7; }";
    returns(&format!("{fill} int main(void) {{ int b[2][3] = {{{{0}}}}; fill(3, b); return b[1][0]; }}"), 7);
    is_true(fill, "int b[2][3] = {{0}}; fill(3, b);", "b[1][0] == 7 && b[0][0] == 0");
    let sum = "int sum(int n, int m, int (*a)[m]) {
        int s = 0; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) s += a[i][j]; return s; }";
    returns(&format!("{sum} int main(void) {{ int b[2][2] = {{{{1, 2}}, {{3, 4}}}}; return sum(2, 2, b); }}"), 10);
    returns("int main(void) { int n = 3, a[4][n]; int (*p)[n] = a + 1, (*q)[n] = &a[3]; return q - p; }", 2);
    returns(
        "int main(void) { int n = 3, a[4][n]; a[2][0] = 9; int (*p)[n] = a; p++; ++p; p += 1; p--; return **p; }",
        9,
    );
}

#[test]
fn parameters_may_be_arrays_whose_size_varies() {
    let call = "int main(void) { int b[2][2] = {{1, 2}, {3, 4}}; return get(2, 2, b); }";
    for parameter in ["int a[n][m]", "int (*a)[m]", "int a[][m]", "int a[n + 1][m * 1]"] {
        returns(&format!("int get(int n, int m, {parameter}) {{ return a[1][1]; }} {call}"), 4);
    }
    returns(
        &format!("int get(int, int, int [*][*]); {call} int get(int n, int m, int a[n][m]) {{ return a[1][0]; }}"),
        3,
    );
    returns("int get(int n, int a[n]) { return a[0]; } int main(void) { int x = 5; return get(0, &x); }", 5);
}

#[test]
fn sizes_of_arrays_that_vary_are_those_of_their_declaration() {
    is_true("", "int n = (nondet() & 3) + 1; int a[n];", "sizeof a == n * 4");
    returns(
        "int main(void) { int n = 3, m = 2; char a[n][m]; return sizeof a * 100 + sizeof a[0] * 10 + sizeof a[0][0]; }",
        621,
    );
    returns("int main(void) { int n = 3; typedef int T[n]; n = 5; T a; return sizeof a + sizeof(T) + n; }", 29);
    returns("int main(void) { int s = 0; for (int i = 1; i < 4; i++) { char a[i]; s += sizeof a; } return s; }", 6);
    returns("int main(void) { int n = 3; int s = sizeof(int[n++]); return s + n; }", 16);
    returns("int f(int n, int (*m)[n]) { return sizeof *m; } int main(void) { int b[2][5]; return f(5, b); }", 20);
    returns("int main(void) { int n = 3; int (*p)[n] = malloc(2 * sizeof *p); p[1][2] = 5; return ((int *)p)[5]; }", 5);
}

#[test]
fn an_array_without_elements_is_undefined() {
    let text = "int main(void) { int n = nondet(); int a[n]; return 0; }";
    let fault = End::Wrong(Fault::Arithmetic(puch::c::arithmetic::Undefined::Length));
    assert_eq!(executed(text, Overflow::Check, &[0]).end, fault);
    assert_eq!(executed(text, Overflow::Check, &[-1]).end, fault);
    assert!(matches!(executed(text, Overflow::Wrap, &[0]).end, End::Blocked(_)));
    assert_eq!(executed(text, Overflow::Check, &[1]).end, End::Returned(Some(0)));
    assert!(matches!(verdict(text, Overflow::Check), Verdict::Violated(..)));
    let enough = text.replace("nondet()", "(nondet() & 3) + 1");
    assert_eq!(verdict(&enough, Overflow::Check), Verdict::Holds);
    let large = "int main(void) { long n = 1L << 62; int a[n]; return 0; }";
    assert_eq!(executed(large, Overflow::Check, &[]).end, fault);
    for declared in
        ["long n = 1L << 31; int a[n][n];", "int n = 1 << 30; int a[n][2][n];", "long n = 1L << 60; int a[4][n];"]
    {
        let both = format!("int main(void) {{ {declared} return 0; }}");
        assert_eq!(executed(&both, Overflow::Check, &[]).end, fault, "{declared}");
    }
}

#[test]
fn what_cannot_vary_is_refused_by_name() {
    let refused = |text: &str| read(text, DataModel::LP64).err().unwrap_or_default().join("; ");
    let said = refused("int main(void) { int n = 2; static int a[n]; return 0; }");
    assert!(said.contains("has to be constant"), "{said}");
    let said = refused("int main(void) { int n = 2; struct { int a[n]; } s; return 0; }");
    assert!(said.contains("`a` has a type whose size varies"), "{said}");
    let said = refused("int f(int n, int a[n][*]); int n; int a[n];");
    assert!(said.contains("has to be constant"), "{said}");
    let shown =
        parsed("int f(int n, int (*m)[n]) { return m[0][0]; } int main(void) { int b[1][1] = {{0}}; return f(1, b); }");
    assert!(!shown.to_string().contains("(*)[0]"), "{shown}");
}

#[test]
fn sizes_of_what_has_no_name() {
    returns("int main(void) { return sizeof(__func__); }", 5);
    returns("int abc(void) { return sizeof __FUNCTION__; } int main(void) { return abc(); }", 4);
    returns("int main(void) { return sizeof \"text\" * 100 + sizeof L\"ab\"; }", 512);
    returns(
        "int main(void) { return sizeof(1.0f + 1.0) * 100 + sizeof(1.0f + 1) * 10 + sizeof(1 ? 1.0f : 1.0); }",
        848,
    );
}

#[test]
fn long_double_has_the_size_and_alignment_of_the_machine() {
    let text =
        "struct S { char c; long double d; }; int main(void) { return sizeof(long double) * 100 + sizeof(struct S); }";
    let run = |model| {
        let program = read(text, model).unwrap_or_else(|all| panic!("{all:?}"));
        let options = interpreter::Options::of(Overflow::Wrap, 1000);
        interpreter::execute(&program, &options, Inputs::list([]), &mut |_| {}).end
    };
    assert_eq!(run(DataModel::LP64), End::Returned(Some(1632)));
    assert_eq!(run(DataModel::ILP32), End::Returned(Some(1216)));
}

#[test]
fn whether_a_run_goes_on_past_arithmetic_with_unknown_values_is_not_known() {
    let head = "double third = 1.0 / 3;";
    for (overflow, body) in [
        (Overflow::Wrap, "int i = third * 3; int r = 7 / (i - 1); reach_error(); return r;"),
        (Overflow::Wrap, "int i = third * 3; int r = 7 % (i - 1); reach_error(); return r;"),
        (Overflow::Wrap, "int i = third * 99; int r = 1 << i; reach_error(); return r;"),
        (Overflow::Assume, "long l = *(long *) &third; long r = l * 7; reach_error(); return 0;"),
        (Overflow::Assume, "int i = third * 3; int r = 2147483647 + i; reach_error(); return 0;"),
        (Overflow::Assume, "int i = third * -3; int r = i << 2; reach_error(); return 0;"),
    ] {
        let text = format!("{head} int main(void) {{ {body} }}");
        let verdict = verdict(&text, overflow);
        assert!(matches!(verdict, Verdict::Unknown(_)), "{text}\n{verdict:?}");
    }
    for body in [
        "int i = third * 3; int r = i / 7 + i % 5; r = i >> 3; r = i << 3; reach_error(); return r;",
        "unsigned u = third * 3; unsigned r = u * 3u + 7u; r = -u << 4; reach_error(); return r;",
    ] {
        let text = format!("{head} int main(void) {{ {body} }}");
        let verdict = verdict(&text, Overflow::Wrap);
        assert!(matches!(verdict, Verdict::Violated(..)), "{text}\n{verdict:?}");
    }
}

#[test]
fn structures_are_returned_through_pointers() {
    let made = "struct s { int a; char c; long d[2]; }; union u { double d; long l; };
        struct s mk(int a) { struct s x = { a, 'c', { a + 1, a + 2 } }; return x; }
        struct s other(int a) { struct s x = mk(a); x.a++; return x; }
        union u real(double d) { union u x; x.d = d; return x; }";
    let all = format!(
        "{made} int main(void) {{ struct s (*t[2])(int) = {{ mk, other }}; union u (*g)(double) = real; struct s w = t[1](4);
        return w.a * 10000 + t[0](3).d[1] * 100 + (int)g(4.5).d + t[0](t[1](1).a).c; }}"
    );
    returns(&all, 50_000 + 500 + 4 + 99);
    let proved = format!(
        "{made} int main(void) {{ struct s (*p)(int) = nondet() ? mk : other; int n = nondet(); struct s w;
        if (n < 0 || n > 9) return 0; w = p(n); if (w.a < n || w.a > n + 1 || w.c != 'c') reach_error(); return 0; }}"
    );
    assert!(!matches!(verdict(&proved, Overflow::Wrap), Verdict::Violated(..)));
    let unknown =
        format!("{made} extern struct s (*p)(int); int main(void) {{ if (p(1).a == 3) reach_error(); return 0; }}");
    assert!(!matches!(verdict(&unknown, Overflow::Wrap), Verdict::Holds));
}
