//! What is computed and dropped is computed all the same; left shifts that have no value; objects that somebody else changes; procedures
//! that are assertions by their names.

extern crate puch_programs as puch;

use std::process::Command;

#[path = "support/c_texts.rs"]
#[allow(dead_code, reason = "others ask for more")]
mod c_texts;
#[path = "support/small_programs.rs"]
#[allow(dead_code)]
mod small_programs;
#[path = "support/terms.rs"]
#[allow(dead_code)]
mod terms;

use c_texts::parsed;
use fastrand::Rng;
use puch::abstraction::Tuning;
use puch::c::expression::Binary;
use puch::c::program::{Overflow, StatementKind};
use puch::c::types::{DataModel, Rank};
use puch::c::{self, Program, Unit, arithmetic};
use puch::interpreter::{self, End, Inputs};
use puch::nullness;
use puch::question::Failures;
use puch::refinement::{Copies, Execution, Options, Outcome, Question, Round, Verdict, decide, harness, refine};

const HEAD: &str = "extern int nondet(); extern void reach_error();
    extern void none(int); extern void real(float); int old() { return 0; } int quotient(int x) { return 7 / x; }
    int first(int n, ...) { return n; } extern int printf(const char *, ...);
    struct s { int a; int b; float f; }; union u { int i; float f; };\n";

fn program(text: &str) -> Program {
    parsed(&format!("{HEAD}{text}"), DataModel::LP64)
}

fn refined(text: &str, overflow: Overflow) -> Outcome {
    let check = puch::options::Options::default();
    let options = Options { overflow, tuning: Tuning::default(), check, rounds: Some(12), donor: None };
    refine(&program(text), &options, &mut |_: &Round<'_>| {})
}

#[track_caller]
fn holds(text: &str, overflow: Overflow) {
    let outcome = refined(text, overflow);
    assert_eq!(outcome.verdict, Verdict::Holds, "{text}");
}

/// It fails, and the judge has seen it; the inputs.
#[track_caller]
fn fails(text: &str, overflow: Overflow) -> Vec<(Option<String>, i128)> {
    match refined(text, overflow).verdict {
        Verdict::Violated(Execution { inputs, .. }) => {
            inputs.into_iter().map(|input| (input.call.map(|kind| kind.to_string()), input.value)).collect()
        }
        other => panic!("{text}\n{other:?}"),
    }
}

#[track_caller]
fn is_unknown(text: &str) {
    let verdict = refined(text, Overflow::Wrap).verdict;
    assert!(matches!(verdict, Verdict::Unknown(_)), "{text}\n{verdict:?}");
}

/// Where x is 0 after a statement, the program is wrong.
fn after(statement: &str) -> String {
    format!("int main() {{ int x = nondet(); {statement}\n if (x == 0) reach_error(); return 0; }}")
}

/// All of these divide 7 by x, or follow a pointer that is NULL if x is 0, and use nothing of it.
const DROPPED: [&str; 45] = [
    "7 / x;",
    "7 % x;",
    "(void)(7 / x);",
    "int y = (7 / x, 3);",
    "for (7 / x; ;) break;",
    "switch (7 / x) {}",
    "switch (7 / x) { default: ; }",
    "if (7 / x) ;",
    "while (7 / x, 0) ;",
    "0 * (7 / x);",
    "(7 / x) & 0;",
    "!(7 / x);",
    "~(7 / x);",
    "(char)(7 / x);",
    "(float)(7 / x);",
    "float f = 7 / x;",
    "float f[2] = {7 / x};",
    "float f = 1.0f; f = f + 7 / x;",
    "float f = 1.0f; f += 7 / x;",
    "float f = 1.0f; x ? f : 7 / x;",
    "none(7 / x);",
    "real(7 / x);",
    "old(7 / x);",
    "first(1, 7 / x);",
    "printf(\"%d\", 7 / x);",
    "__builtin_expect(x, 7 / x);",
    "quotient(x);",
    "int y = 1; y += 0 * (7 / x);",
    "x ? 0 : 7 / x;",
    "x || 7 / x;",
    "({ 7 / x; 3; });",
    "int a[3]; a[0 * (7 / x)];",
    "int a[3]; &a[7 / x];",
    "7u / x;",
    "7L / x;",
    "x ? (void)0 : (void)(7 / x);",
    "1 << (x ? 1 : 40);",
    "int *p = x ? &x : 0; *p;",
    "int *p = x ? &x : 0; (void)*p;",
    "struct s s, *p = x ? &s : 0; p->a;",
    "struct s s, *p = x ? &s : 0; *p;",
    "struct s s, *p = x ? &s : 0; p->f;",
    "union u s, *p = x ? &s : 0; *p;",
    "union u s, t, *p = x ? &s : 0; t = *p;",
    "float f, *p = x ? &f : 0; *p;",
];

#[test]
fn no_run_goes_past_a_dropped_value_that_is_undefined() {
    for statement in DROPPED {
        holds(&after(statement), Overflow::Wrap);
    }
}

#[test]
fn a_dropped_value_that_is_undefined_is_an_error_where_such_are_looked_for() {
    for statement in DROPPED {
        fails(&after(statement), Overflow::Check);
    }
}

#[test]
fn a_pointer_to_all_bytes_of_a_structure_is_none_to_the_bytes_that_it_begins_with() {
    let nested = "struct { unsigned char y[4]; int z; } m";
    for first in ["union { long long x; unsigned char y[4]; } m", "unsigned char y[8]", nested] {
        for done in [
            "long long v = ((unsigned char *) &o[2])[9];",
            "((unsigned char *) &o[2])[9] = 1; long long v = o[2].rest - 256;",
            "unsigned char *p = (unsigned char *) &o[2]; for (int i = 0; i < 16; i++) p[i] = 0; long long v = o[2].rest;",
            "memset(&o[2], 0, sizeof o[2]); long long v = o[2].rest;",
        ] {
            let text = format!(
                "struct big {{ {first}; long long rest; }}; static struct big o[4];
                extern void *memset(void *, int, unsigned long);
                int main(void) {{ int x = nondet(), y = nondet(); if (x < 0 || x > 30000 || y < 0 || y > 30000) return 0;
                  {done} if (x * 7 + y * 3 == 117731 + v && x > y + 9000) reach_error(); return 0; }}"
            );
            assert_ne!(refined(&text, Overflow::Wrap).verdict, Verdict::Holds, "{text}");
        }
    }
    // Where nothing longer begins there, nothing else is written.
    let text = "struct named { int n; char name[4]; } s; int main(void) {
        char *p = s.name; s.n = 7; int i = nondet(); if (i < 0 || i > 3) return 0; p[i] = 1; if (s.n != 7) reach_error(); return 0; }";
    holds(text, Overflow::Wrap);
}

#[test]
fn what_c_does_not_evaluate_ends_no_run() {
    let idle = [
        "sizeof(7 / x);",
        "1 ? 2 : 7 / x;",
        "0 && 7 / x;",
        "1 || 7 / x;",
        "x && 7 / x;",
        "x ? 7 / x : 0;",
        "x;",
        "(void)x;",
        "int *p = 0; &*p;",
        "struct s *p = 0; &p->a;",
        "int *p = 0; sizeof *p;",
        "if (0) 7 / x;",
    ];
    for statement in idle {
        fails(&after(statement), Overflow::Wrap);
    }
}

#[test]
fn nothing_is_executed_where_nothing_can_be_undefined() {
    let text = "int g, a[3]; struct s t; void f(int x, unsigned u, int *p) {
        x; (void)x; g; a[1]; t.a; t; &a[x]; &*p; &p[x]; u + 1; u * u; u << 3; x == 3; 7 / 2; x / 3; x >> 1; sizeof(7 / x); }
        int main() { f(1, 2, 0); }";
    let program = program(text);
    let body = program.procedures.iter().find(|procedure| &*procedure.name == "f").and_then(|f| f.body.as_ref());
    let quiet = |kind: &StatementKind| matches!(kind, StatementKind::Skip | StatementKind::Return(_));
    assert!(body.is_some_and(|body| body.iter().all(|statement| quiet(&statement.kind))), "{program}");
}

#[test]
fn dropped_sums_overflow() {
    let main = |body: &str| format!("int main() {{ int x = nondet(); int a[3] = {{0}}; {body} return 0; }}");
    for body in ["x + 1;", "-x;", "x * x;", "x - 2;", "a[x];", "x << 1;", "(void)(x + 1);", "int y = (x + 1, 2);"] {
        fails(&main(body), Overflow::Check);
    }
    for body in ["(unsigned)x + 1;", "x & 1;", "if (x > 0 && x < 3) a[x];", "if (x < 9) x < 0 || x + 1;", "&a[2];"] {
        holds(&main(body), Overflow::Check);
    }
    holds(&main("x + 1; if (x == 2147483647) reach_error();"), Overflow::Assume);
    fails(&main("x + 1; if (x == 2147483646) reach_error();"), Overflow::Assume);
    fails(&main("x + 1; if (x == 2147483647) reach_error();"), Overflow::Wrap);
}

#[test]
fn a_pointer_that_is_followed_for_nothing_may_be_null() {
    let dereferences = |body: &str| {
        let text = format!("struct s {{ int a; }}; int main() {{ struct s *p = 0; int *q = 0; {body} return 0; }}");
        nullness::analyse(&parsed(&text, DataModel::LP64), &nullness::Options::default())
    };
    for body in ["*q;", "p->a;", "(void)*q;", "*p;"] {
        let found = dereferences(body);
        assert_eq!(found.len(), 1, "{body}: {found:?}");
        assert!(found[0].verdict.claims_run(), "{body}: {found:?}");
    }
    assert!(dereferences("&*q; &p->a; sizeof *q;").is_empty());
}

#[test]
fn left_shifts_have_values_as_c11_says() {
    let main = |body: &str| format!("int main() {{ int x = nondet(); {body} return 0; }}");
    let wrong = [
        "int y = 1 << 31;",
        "int y = x << 4;",
        "int k = 4, y = 29; x = k << y;",
        "int y = -1; y = y << 0;",
        "long y = 1; y = y << 63;",
        "unsigned char c = 255; x = c << 24;",
        "int y = 1; y <<= 31;",
        "if (x >= 0 && x <= 134217728) x = x << 4;",
        "if (x >= 0 && x <= 31) x = 1 << x;",
        "int i, s = 1; for (i = 0; i < 31; i++) s <<= 1;",
    ];
    for body in wrong {
        fails(&main(body), Overflow::Check);
        assert!(asked(&main(body), Failures::Overflows), "{body}");
    }
    let fine = [
        "int y = 1 << 30;",
        "int k = 3, y = 29; x = k << y;",
        "unsigned u = x; u = u << 31;",
        "long y = 1; y = y << 62;",
        "unsigned char c = 255; x = c << 23;",
        "if (x >= 0 && x <= 134217727) x = x << 4;",
        "if (x >= 0 && x <= 30) x = 1 << x;",
        "x = -8 >> 2;",
        "int i, s = 1; for (i = 0; i < 6; i++) s <<= 1;",
    ];
    for body in fine {
        holds(&main(body), Overflow::Check);
        assert!(!asked(&main(body), Failures::Overflows), "{body}");
    }
    holds(&main("int y = x << 4; if (x == 200000000) reach_error();"), Overflow::Assume);
    fails(&main("int y = x << 4; if (x == 100000000) reach_error();"), Overflow::Assume);
    fails(&main("int y = x << 4; if (x == 200000000) reach_error();"), Overflow::Wrap);
}

/// Whether failures of a kind were found; they are excluded otherwise.
fn asked(text: &str, failures: Failures) -> bool {
    let (check, tuning) = (puch::options::Options::default(), Tuning::default());
    let options = Options { overflow: Overflow::Wrap, tuning, check, rounds: Some(12), donor: None };
    let answer = decide(&program(text), &Question::Failures(failures), &options, &mut |_: &Round<'_>| {});
    match answer.outcome.verdict {
        Verdict::Violated(..) => true,
        Verdict::Holds => false,
        other => panic!("{text}\n{other:?}"),
    }
}

#[test]
fn a_shift_past_the_type_is_a_note_where_numbers_wrap_around() {
    let text = "int main() { int x = 1; x = x << 31; return x < 0; }";
    let run = |overflow| {
        let options = interpreter::Options::of(overflow, 100);
        interpreter::execute(&program(text), &options, Inputs::list([]), &mut |_| {})
    };
    let wrapped = run(Overflow::Wrap);
    assert_eq!(wrapped.end, End::Returned(Some(1)));
    assert!(wrapped.wrapped.is_some());
    assert!(matches!(run(Overflow::Assume).end, End::Blocked(Some(_))));
    assert!(matches!(run(Overflow::Check).end, End::Wrong(_)));
}

#[test]
fn constants_of_the_program_wrap_around() {
    let text = "enum e { A = 1 << 31 }; static int g = 1 << 31; int a[(1 << 31) < 0 ? 1 : 2];
        int main() { if (g != A || sizeof a != 4) reach_error(); switch (g) { case 1 << 31: return 0; } reach_error(); }";
    holds(text, Overflow::Check);
}

/// The runtime checks of a compiler, where there is one that has them.
#[test]
fn shifts_are_those_that_a_compiler_complains_about() {
    let mut rng = Rng::with_seed(7);
    let folder = std::env::temp_dir().join(format!("puch-shifts-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the compiler");
    let (source, program) = (folder.join("shifts.c"), folder.join("shifts"));
    let draw = |rng: &mut Rng, width: u32| {
        let bits = rng.u64(..) >> rng.u32(64 - width..64);
        if rng.u8(..4) == 0 { bits.wrapping_neg() } else { bits }
    };
    let cases: Vec<(bool, bool, u64, u32)> = (0..400)
        .map(|_| {
            let long = rng.bool();
            let width = if long { 64 } else { 32 };
            (long, rng.u8(..4) > 0, draw(&mut rng, width), rng.u32(..width + 1))
        })
        .collect();
    let mut text = "#include <stdio.h>\nint hit; void note(void) { hit = 1; }\nint main(void) {\n".to_owned();
    for (long, signed, value, by) in &cases {
        let ty = format!("{}{}", if *signed { "" } else { "unsigned " }, if *long { "long" } else { "int" });
        text +=
            &format!("{{ volatile {ty} a = ({ty}){value}ul; volatile int b = {by}; volatile {ty} c; fflush(stdout);\n");
        text += "fprintf(stderr, \"#\\n\"); c = a << b; printf(\"%llu\\n\", (unsigned long long)c); }\n";
    }
    std::fs::write(&source, text + "}\n").expect("the program is written");
    let built =
        Command::new("cc").args(["-w", "-O0", "-std=c11", "-fsanitize=shift", "-o"]).args([&program, &source]).output();
    if !built.as_ref().is_ok_and(|built| built.status.success()) {
        println!("skipped: no compiler here that checks shifts");
        let _ = std::fs::remove_dir_all(&folder);
        return;
    }
    let ran = Command::new(&program).output().expect("the compiled program runs");
    let _ = std::fs::remove_dir_all(&folder);
    let complaints = String::from_utf8_lossy(&ran.stderr).into_owned();
    let values = String::from_utf8_lossy(&ran.stdout).into_owned();
    let complained = complaints.split("#\n").skip(1).map(|part| part.contains("runtime error"));
    let model = DataModel::LP64;
    for (((long, signed, value, by), complained), computed) in cases.iter().zip(complained).zip(values.lines()) {
        let rank = if *long { Rank::Long } else { Rank::Int };
        let types = c::types::Types::new(model);
        let (left, int) = (types.integer_of(rank, *signed), types.integer_of(Rank::Int, true));
        let bits = u128::from(*value) & left.mask();
        let outcome = arithmetic::binary(Binary::ShiftLeft, left, bits, int, u128::from(*by));
        let fine = matches!(outcome, arithmetic::Outcome::Value(_));
        assert_eq!(!fine, complained, "{value} << {by}, long: {long}, signed: {signed}");
        if let arithmetic::Outcome::Value(bits) | arithmetic::Outcome::Overflow(bits) = outcome {
            let number = left.number(bits) as u64;
            assert_eq!(number.to_string(), computed, "{value} << {by}, long: {long}, signed: {signed}");
        }
    }
}

#[test]
fn a_procedure_of_the_program_is_what_it_says_whatever_its_name() {
    let assert = "void assert(int c) { if (!c) { ERROR: return; } }";
    fails(&format!("{assert} int main() {{ int i = 0; assert(i == 1); }}"), Overflow::Wrap);
    holds(&format!("{assert} int main() {{ int i = 1; assert(i == 1); }}"), Overflow::Wrap);
    holds("void assert(int c) { } int main() { assert(0); }", Overflow::Wrap);
    fails("void exit(int c) { } int main() { exit(0); reach_error(); }", Overflow::Wrap);
    fails("int n; void abort(void) { n = 1; } int main() { abort(); if (n) reach_error(); }", Overflow::Wrap);
    fails("int g; void free(void *p) { g = 1; } int main() { free(0); if (g) reach_error(); }", Overflow::Wrap);
    fails("void __VERIFIER_assume(int c) { } int main() { __VERIFIER_assume(0); reach_error(); }", Overflow::Wrap);
    let malloc = "int g; void *malloc(unsigned long n) { return &g; }";
    fails(&format!("{malloc} int main() {{ int *p = malloc(4); *p = 3; if (g == 3) reach_error(); }}"), Overflow::Wrap);
    holds(&format!("{malloc} int main() {{ int *p = malloc(4); *p = 3; if (g != 3) reach_error(); }}"), Overflow::Wrap);
}

#[test]
fn assertions_and_assumptions_have_the_names_that_other_tools_give_them() {
    let asserts = ["__ESBMC_assert", "__CPROVER_assert", "__goblint_check", "__VERIFIER_assert", "klee_assert"];
    let assumes = ["__ESBMC_assume", "__CPROVER_assume", "__goblint_assume", "__VERIFIER_assume", "klee_assume"];
    for (assert, assume) in asserts.into_iter().zip(assumes) {
        let main = |bound: i32| {
            format!("int main() {{ int x = nondet(); {assume}(x > 3); {assert}(x > {bound}, \"text\"); return 0; }}")
        };
        holds(&main(2), Overflow::Wrap);
        fails(&main(4), Overflow::Wrap);
    }
}

const MACHINE: &str = "extern volatile int reg; extern volatile unsigned char bytes[4]; volatile int own = 3;
    struct d { int s; int x[2]; }; extern volatile struct d dev; struct m { volatile int s; int x; }; extern struct m half;
    typedef volatile int word; extern word named; extern volatile int later;\n";

#[test]
fn what_nobody_defines_and_is_volatile_is_another_value_at_each_read() {
    for what in ["reg", "bytes[1]", "dev.s", "dev.x[1]", "half.s", "named"] {
        let text = format!("{MACHINE}int main() {{ int a = {what}, b = {what}; if (a != b) reach_error(); }}");
        let inputs = fails(&text, Overflow::Wrap);
        assert_eq!(inputs.len(), 2, "{inputs:?}");
        assert!(inputs.iter().all(|(call, _)| call.as_deref() == Some(&*format!("volatile {what}"))), "{inputs:?}");
    }
    fails(&format!("{MACHINE}int main() {{ if (reg - reg) reach_error(); }}"), Overflow::Wrap);
    fails(&format!("{MACHINE}int main() {{ reg = 3; if (reg != 3) reach_error(); }}"), Overflow::Wrap);
    fails(
        &format!("{MACHINE}int main() {{ struct d a = dev, b = dev; if (a.s != b.s) reach_error(); }}"),
        Overflow::Wrap,
    );
}

#[test]
fn what_the_program_defines_is_memory_although_it_is_volatile() {
    let same = |head: &str, what: &str| {
        holds(
            &format!("{head}int main() {{ int a = {what}, b = {what}; if (a != b) reach_error(); }}"),
            Overflow::Wrap,
        );
    };
    same(MACHINE, "own");
    same(MACHINE, "half.x");
    same(&format!("{MACHINE} volatile int later;"), "later");
    same("static volatile int s;", "s");
    same("volatile int x = 3; volatile int *p = &x;", "*p");
    holds("void f(volatile int v) { if (v != v) reach_error(); } int main() { f(nondet()); }", Overflow::Wrap);
    holds("int main() { volatile int a[2]; a[0] = 1; if (a[0] != 1) reach_error(); }", Overflow::Wrap);
}

#[test]
fn what_lies_at_a_number_is_another_value_at_each_read() {
    let text = |body: &str| {
        let body = body.replace('R', "(*(volatile unsigned *)0x40003000)");
        format!("struct p {{ volatile unsigned sr, dr; }}; int main() {{ {body} }}")
    };
    fails(&text("if (R != R) reach_error();"), Overflow::Wrap);
    fails(&text("R = 5; R |= 1; R++; if (R == 7) reach_error();"), Overflow::Wrap);
    fails(
        &text("while (!(((struct p *)0x400)->sr & 1)) ; if (((struct p *)0x400)->dr == 42) reach_error();"),
        Overflow::Wrap,
    );
    holds(&text("unsigned a = R & 3; if (a > 3) reach_error();"), Overflow::Wrap);
}

#[test]
fn what_a_pointer_to_something_volatile_leads_to_may_be_either() {
    let two = "int a = *p, b = *p; if (a != b) reach_error();";
    is_unknown(&format!("{MACHINE}int main() {{ volatile int *p = &reg; {two} }}"));
    is_unknown(&format!("int main() {{ volatile int *p = (volatile int *)0x400; {two} }}"));
    is_unknown(&format!("extern volatile int *p; int main() {{ {two} }}"));
    is_unknown(&format!("extern volatile int *base(void); int main() {{ volatile int *p = base(); {two} }}"));
    holds(&format!("{MACHINE}int main() {{ int x = 3, *p = &x; {two} }}"), Overflow::Wrap);
}

#[test]
fn a_harness_does_not_promise_to_set_what_is_volatile() {
    let program = program("extern volatile int reg; int main() { if (reg == 3 && nondet() == 4) reach_error(); }");
    let (check, tuning) = (puch::options::Options::default(), Tuning::default());
    let options = Options { overflow: Overflow::Wrap, tuning, check, rounds: Some(12), donor: None };
    let outcome = refine(&program, &options, &mut |_: &Round<'_>| {});
    let Verdict::Violated(Execution { inputs, .. }) = &outcome.verdict else { panic!("{outcome:?}") };
    let text = harness(&program, inputs, &Copies::default());
    assert!(text.contains("`reg`, which is volatile, is 3: that cannot be set here"), "{text}");
    assert!(text.contains("nondet()") && !text.contains("reg()"), "{text}");
}

#[test]
fn a_volatile_object_of_the_program_is_remarked_on_once() {
    let text = "volatile int a; extern volatile int a; extern volatile int b; int main() { a = b; return a + a; }";
    let unit = Unit { name: "prog.c", text, preprocessed: None };
    let read = c::read(&[unit], &c::Options::default()).expect("the program is read");
    let about: Vec<&str> = read.warnings.iter().map(|(_, warning)| &*warning.message).collect();
    assert_eq!(about.iter().filter(|message| message.contains("volatile")).count(), 1, "{about:?}");
}

#[test]
fn procedures_that_cannot_be_called_so_do_no_harm_to_predicates() {
    done_no_harm(DataModel::LP64);
}

#[test]
fn procedures_that_cannot_be_called_so_do_no_harm_to_predicates_of_short_pointers() {
    done_no_harm(DataModel::ILP32);
}

fn done_no_harm(model: DataModel) {
    // A pointer of which nothing is known may seem to lead to any of these, some of which return pointers.
    let text = "typedef unsigned long size_t; void *malloc(size_t); void free(void *); void *realloc(void *, size_t);
        typedef void *value; typedef int (*compare)(value, value);
        struct list { value *data; unsigned length; };
        struct list *make(unsigned n) {
          struct list *l = malloc(sizeof(struct list)); if (!l) return 0;
          l->data = malloc(n * sizeof(value)); if (!l->data) { free(l); return 0; } l->length = n; return l; }
        int insert(struct list *l, unsigned index, value v) {
          if (index > l->length) return 0; l->data[index] = v; return 1; }
        static void sort(value *d, unsigned n, compare f) {
          unsigned i, m = 0; if (n <= 1) return;
          for (i = 0; i < n - 1; ++i) if (f(d[i], d[n - 1]) < 0) { value t = d[i]; d[i] = d[m]; d[m] = t; ++m; }
          sort(d, m, f); sort(&d[m + 1], n - m - 1, f); }
        void all(struct list *l, compare f) { sort(l->data, l->length, f); }";
    for entry in ["insert", "all"] {
        let text = if model == DataModel::ILP32 { text.replace("unsigned long", "unsigned") } else { text.to_owned() };
        let unit = Unit { name: "list.c", text: &text, preprocessed: None };
        let options = c::Options { model, main: Some(entry.to_owned()), ..c::Options::default() };
        let read = c::read(&[unit], &options).expect("the program is read");
        let options = nullness::Options { rounds: 0, ..nullness::Options::default() };
        assert!(!nullness::analyse(&read.program, &options).is_empty());
    }
}
