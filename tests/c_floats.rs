//! Floating-point numbers are executed exactly; to all who do not execute programs they are arbitrary.

extern crate puch_programs as puch;

#[path = "support/c_texts.rs"]
#[allow(dead_code, reason = "others read more")]
mod c_texts;

use c_texts::{executed, is_refused, returns, verdict};
use puch::c::program::Overflow;
use puch::c::types::DataModel;
use puch::c::{self, Unit};
use puch::interpreter::{Doubt, End, Fault};
use puch::refinement::Verdict;

/// How a program without inputs ends, where what is undefined is an error.
#[track_caller]
fn run(text: &str) -> End {
    executed(text, Overflow::Check, &[]).end
}

/// That a program whose runs have no inputs fails if its condition does not hold, and otherwise not.
#[track_caller]
fn is_decided(before: &str, condition: &str) {
    let text = |condition: &str| format!("int main(void) {{ {before} assert({condition}); return 0; }}");
    let holds = verdict(&text(condition), Overflow::Wrap, 8);
    assert!(matches!(holds, Verdict::Holds), "{holds:?} {condition}");
    let fails = verdict(&text(&format!("!({condition})")), Overflow::Wrap, 8);
    assert!(matches!(fails, Verdict::Violated(..)), "{fails:?} !({condition})");
}

#[test]
fn closed_programs_are_decided_by_floating_point_numbers() {
    is_decided("double d = 0.1; d += 0.2;", "d != 0.3 && d > 0.3");
    is_decided("float f = 16777216; f++;", "f == 16777216");
    is_decided("double s = 0; for (int i = 0; i < 10; i++) s += 0.1;", "s == 0.9999999999999999");
    is_decided("double z = 0, n = z / z;", "n != n && !(n < 1) && !(n >= 1)");
    is_decided("int i = 7; i *= 1.5;", "i == 10");
}

#[test]
fn what_depends_on_inputs_is_never_proved_by_arbitrary_numbers() {
    let text = |condition: &str| {
        format!(
            "int nondet_int(void); int main(void) {{ int n = nondet_int(); double d = n / 2.0; assert({condition}); return 0; }}"
        )
    };
    assert!(!matches!(verdict(&text("d < 1e9"), Overflow::Wrap, 8), Verdict::Holds), "some number is greater");
    assert!(!matches!(verdict(&text("d == d"), Overflow::Wrap, 8), Verdict::Violated(..)), "no number is not itself");
    let beside = "int nondet_int(void); int main(void) { int n = nondet_int(); double d = n; assert(n != 5 || d == 5); return 0; }";
    assert!(!matches!(verdict(beside, Overflow::Wrap, 8), Verdict::Violated(..)));
}

#[test]
fn literals_and_constants_are_rounded_once() {
    returns("int main(void) { return 0.1f != 0.1 && 0.1L != 0.1 && 0x1.8p1 == 3 && 1e-400 == 0 && .5e1 == 5.; }", 1);
    returns(
        "static double d = 1.0 / 3; static float f = 1.0f / 3; int main(void) { return d == 1.0 / 3 && f != d; }",
        1,
    );
    returns(
        "static int n = (int) 2.9; enum { E = (int) 3.7 }; int a[(int) 4.2]; int main(void) { return n + E + sizeof a; }",
        21,
    );
    returns("_Static_assert(1.5 > 1, \"\"); static double d = 1 ? 1 : 2.0; int main(void) { return d / 2 == 0.5; }", 1);
    returns("float f[3] = { 1, [2] = 2.5 }; int main(void) { return f[0] + f[1] + f[2] * 2; }", 6);
    returns("double d[2] = { [0] = 1, [0] = 0.0 }; int main(void) { return d[0] == 0; }", 1);
    returns("int main(void) { double d[100] = { 2 }; return d[0] + d[99]; }", 2);
}

#[test]
fn operands_have_a_common_type() {
    returns("int main(void) { return sizeof(1.0f + 1) == 4 && sizeof(1.0f + 1.0) == 8 && sizeof(1.0L * 1) == 16; }", 1);
    returns("int main(void) { float f = 0.1f; return f != 0.1 && f == (float) 0.1 && f + 0.0 == f; }", 1);
    returns("int main(void) { int i = 16777217; return (float) i == 16777216 && i + 0.0 == 16777217; }", 1);
    returns("int main(void) { unsigned u = -1; return u + 0.0 == 4294967295.0 && -1 + 0.0f < 0; }", 1);
    returns("int main(void) { int i = 5; return (i ? i / 2 : 0.5) == 2; }", 1);
    is_refused("int main(void) { double d = 1; return d % 2 == 0; }", "integers");
    is_refused("int main(void) { double d = 1; int a[2]; return a[d]; }", "index");
    is_refused("int main(void) { double d = 1; int *p = (int *) d; return 0; }", "pointer");
}

#[test]
fn a_number_that_an_integer_does_not_have_is_undefined() {
    assert_eq!(run("int main(void) { double d = 2147483648.0; return (int) d; }"), End::Wrong(Fault::Conversion));
    assert_eq!(
        run("int main(void) { double d = 2147483647.5; return (int) d == 2147483647; }"),
        End::Returned(Some(1))
    );
    assert_eq!(run("int main(void) { float f = -1; return (unsigned char) f; }"), End::Wrong(Fault::Conversion));
    assert_eq!(run("int main(void) { float f = -0.5f; return (unsigned char) f; }"), End::Returned(Some(0)));
    assert_eq!(run("int main(void) { double d = 0; long l = d / d; return 0; }"), End::Wrong(Fault::Conversion));
    returns("int main(void) { double d = 0.1, n = (d - d) / 0; _Bool b = d, c = n; return b + c; }", 2);
}

#[test]
fn bytes_of_numbers_are_those_of_the_machine() {
    let head = "union U { float f; unsigned u; double d; unsigned long long l; unsigned char c[8]; };";
    let main = |body: &str| format!("{head} int main(void) {{ union U u; {body} }}");
    returns(&main("u.f = 1.5f; return u.u == 0x3fc00000;"), 1);
    returns(&main("u.d = -2; return u.l == 0xc000000000000000 && u.c[7] == 0xc0;"), 1);
    returns(&main("u.l = 0x3ff0000000000001; return u.d > 1 && u.d - 1 == 0x1p-52;"), 1);
    returns(&main("u.u = 0x7fc00001; float f = u.f; u.f = f; return u.u == 0x7fc00001 && f != f;"), 1);
    returns(&main("u.d = 3; union U v = u; return v.d;"), 3);
    returns("int main(void) { double d = 1; int *p = (int *) &d; return p[1] == 0x3ff00000; }", 1);
    let computed = main("u.d = 0; u.d = u.d / u.d; return u.c[0];");
    assert_eq!(run(&computed), End::Unknown(Doubt::Nan));
    let copied = main("double z = 0; u.d = z / z; union U v = u; return v.d != v.d;");
    assert_eq!(run(&copied), End::Returned(Some(1)));
    let half = main("double z = 0; u.d = z / z; return u.f != u.f;");
    assert!(matches!(run(&half), End::Unknown(_)), "the lower half of a NaN may be any number");
}

#[test]
fn a_static_union_starts_with_what_is_said_last() {
    let main = "int main(void) { return u.i == 3; }";
    returns(&format!("union {{ float f; int i; }} u = {{ .f = 1, .i = 3 }}; {main}"), 1);
    returns(&format!("union {{ float f; int i; }} u = {{ .i = 3, .f = 1 }}; {main}"), 0);
}

#[test]
fn numbers_are_passed_and_returned() {
    returns("double half(double x) { return x / 2; } int main(void) { return half(5) == 2.5; }", 1);
    returns("float sq(float x) { return x * x; } int main(void) { return sq(1.5) == 2.25; }", 1);
    returns("int f(a, b) float a; double b; { return a + b; } int main(void) { return f(1.5f, 2.6); }", 4);
    returns("int main(void) { return f(1.5f, 2.6); } int f(a, b) float a; double b; { return a + b; }", 4);
    returns(
        "struct S { int k; float f; double d[2]; }; double sum(struct S s) { return s.k + s.f + s.d[0] + s.d[1]; }
        struct S made(double d) { struct S s = { 1, 2.5f, { d, d } }; return s; }
        int main(void) { struct S s = made(0.25), t = s; t.f = 0; return sum(s) == 4 && sum(t) == 1.5; }",
        1,
    );
    returns("double id(double x) { return x; } int main(void) { double (*p)(double) = id; return p(3) == id(3); }", 1);
    returns(
        "double fact(int n) { return n ? n * fact(n - 1) : 1; } int main(void) { return fact(20) == 2432902008176640000.0; }",
        1,
    );
}

#[test]
fn what_nobody_has_given_is_not_known() {
    let is_unknown = |text: &str| {
        let end = run(text);
        assert!(matches!(end, End::Unknown(Doubt::Unrepresented(_))), "{end:?} {text}");
    };
    is_unknown("int main(void) { double d; return d > 1; }");
    is_unknown("int main(void) { double d, e = d; return e > 1; }");
    assert_eq!(run("int main(void) { double d, e = d; return 3; }"), End::Returned(Some(3)));
    is_unknown("double nondet_double(void); int main(void) { double d = nondet_double(); return d > 1; }");
}

#[test]
fn functions_that_are_exact_are_executed() {
    let head = "double sqrt(double), floor(double), frexp(double, int *), modf(double, double *), fmod(double, double), sin(double);
        float sqrtf(float);";
    let main = |condition: &str| format!("{head} int main(void) {{ int e; double w; return {condition}; }}");
    returns(&main("sqrt(2) == 1.4142135623730951 && sqrtf(2) == 1.41421354f"), 1);
    returns(&main("floor(-0.5) == -1 && fmod(7.5, 2) == 1.5"), 1);
    returns(&main("frexp(10, &e) == 0.625 && e == 4 && modf(-2.5, &w) == -0.5 && w == -2"), 1);
    returns(&main("__builtin_isnan(0.0 / e) + 2").replace("int e;", "int e = 0;"), 3);
    returns(&main("__builtin_isgreater(2, 1.5f) && !__builtin_isnormal(1e-40f) && __builtin_isnormal(1e-40)"), 1);
    returns(
        "static double i = __builtin_inf(), n = __builtin_nan(\"\"); int main(void) { return i > 1e308 && n != n; }",
        1,
    );
    assert!(matches!(run(&main("sin(1) > 0")), End::Unknown(Doubt::Unrepresented(_))));
}

#[test]
fn where_compilers_may_compute_in_wider_types_it_is_said_once_that_nothing_here_does() {
    let told = |model: DataModel, text: &str| {
        let unit = Unit { name: "prog.c", text, preprocessed: None };
        let options = c::Options { model, ..c::Options::default() };
        let read = c::read(&[unit], &options).unwrap_or_else(|all| panic!("{all:?}"));
        read.warnings.iter().filter(|(_, warning)| warning.message.contains("FLT_EVAL_METHOD")).count()
    };
    let computes = "double f(double x) { return x * x + 1; } int main(void) { return f(3) > 2; }";
    assert_eq!(told(DataModel::ILP32, computes), 1);
    assert_eq!(told(DataModel::LP64, computes), 0);
    let does_not = "double f(double x) { return x; } int main(void) { long double l = f(1.5 * 2); return l + 1; }";
    assert_eq!(told(DataModel::ILP32, does_not), 0);
}

#[test]
fn no_verdict_hangs_on_the_sign_of_a_nan_that_was_computed() {
    let text = |condition: &str| {
        format!("void *memcpy(void *, const void *, unsigned long);
            int main(void) {{ double z = 0, n = z / z; unsigned char c[8]; memcpy(c, &n, 8); assert({condition}); return 0; }}")
    };
    for open in ["__builtin_signbit(n)", "!__builtin_signbit(n)", "c[7] == 0xff", "c[7] != 0xff", "c[0] == 0"] {
        let verdict = verdict(&text(open), Overflow::Wrap, 4);
        assert!(matches!(verdict, Verdict::Unknown(_)), "{verdict:?} {open}");
    }
    assert_eq!(verdict(&text("n != n"), Overflow::Wrap, 4), Verdict::Holds);
}
