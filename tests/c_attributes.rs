//! Attributes, pragmas, asm labels, bit-fields: what they make of a C program, and that what is not known is refused where it stands.

extern crate puch_programs as puch;

#[path = "support/c_texts.rs"]
#[allow(dead_code, reason = "others ask for more")]
mod c_texts;

use puch::c::program::Overflow;
use puch::c::{self, Unit};
use puch::refinement::Verdict;

const HEAD: &str = "extern int nondet(void); extern void reach_error(void);\n";

fn verdict(text: &str) -> Verdict {
    c_texts::verdict(&format!("{HEAD}{text}"), Overflow::Wrap, 6)
}

/// A program that fails if a condition is true fails, and one that fails if it is not holds.
#[track_caller]
fn is_true(declarations: &str, before: &str, condition: &str) {
    let program = |condition: &str| {
        format!("{declarations}\nint main(void) {{ {before} if ({condition}) reach_error(); return 0; }}")
    };
    let yes = verdict(&program(condition));
    assert!(matches!(yes, Verdict::Violated(..)), "{yes:?}: {declarations} {before} {condition}");
    assert_eq!(verdict(&program(&format!("!({condition})"))), Verdict::Holds, "{declarations} {before} {condition}");
}

#[track_caller]
fn is_refused(text: &str, message: &str) {
    c_texts::is_refused(&format!("{HEAD}{text}"), message);
}

#[test]
fn a_packed_record_has_no_padding_wherever_that_is_said() {
    is_true("struct __attribute__((packed)) s { char c; int i; };", "", "sizeof(struct s) == 5");
    is_true("struct s { char c; int i; } __attribute__((__packed__));", "", "sizeof(struct s) == 5");
    is_true("#pragma pack(push, 1)\nstruct s { char c; int i; };\n#pragma pack(pop)", "", "sizeof(struct s) == 5");
    is_true("#pragma pack(push, 1)\n#pragma pack(pop)\nstruct s { char c; int i; };", "", "sizeof(struct s) == 8");
}

#[test]
fn an_aligned_record_member_or_type_begins_where_that_says() {
    is_true("struct s { int x; } __attribute__((aligned(16)));", "", "sizeof(struct s) == 16");
    is_true("struct s { char c; int x __attribute__((aligned(16))); };", "", "sizeof(struct s) == 32");
    is_true("typedef int t __attribute__((aligned(16))); struct s { char c; t x; };", "", "sizeof(struct s) == 32");
}

#[test]
fn a_packed_enumeration_takes_as_few_bytes_as_it_needs() {
    is_true("enum __attribute__((packed)) e { A, B };", "", "sizeof(enum e) == 1");
    is_true("enum e { A, B } __attribute__((packed));", "", "sizeof(enum e) == 1");
    is_true("enum e { A, B };", "", "sizeof(enum e) == 4");
}

#[test]
fn an_alias_and_an_asm_label_name_the_same_procedure() {
    let alias = "int real(void) { return 3; } int fake(void) __attribute__((alias(\"real\")));";
    is_true(alias, "", "fake() == 3");
    let label = "int g; void f(void) { g = 1; } void h(void) __asm__(\"f\");";
    is_true(label, "h();", "g == 1");
    let typeof_ =
        "int real(int x) { return x; } extern __typeof(real) fake __attribute__((__weak__, __alias__(\"real\")));";
    is_true(typeof_, "", "fake(3) == real(3)");
    let before =
        "int fake(int); int real(int x) { return x; } extern __typeof(real) fake __attribute__((alias(\"real\")));";
    is_true(before, "", "fake(3) == real(3)");
}

#[test]
fn a_constructor_runs_before_main() {
    is_true("int g; __attribute__((constructor)) void begin(void) { g = 1; }", "", "g == 1");
}

#[test]
fn what_is_not_modelled_is_refused_by_its_name() {
    is_refused("int v __attribute__((vector_size(12))); int main(void) {}", "no vector of 12 bytes");
    is_refused("int main(void) { int x __attribute__((cleanup(f))) = 0; }", "cleanup");
    is_refused(
        "struct __attribute__((scalar_storage_order(\"big-endian\"))) s { int i; }; int main(void) {}",
        "scalar_storage_order",
    );
    is_refused("int x __attribute__((frobnicate)); int main(void) {}", "frobnicate");
    is_refused("void h(void);\n#pragma redefine_extname h f\nint main(void) {}", "redefine_extname");
    is_refused("asm(\"nop\");\nint main(void) {}", "assembly outside of procedures");
    is_refused(
        "int f(int n) { __typeof__(n) g(int x) { return x + n; } return g(2); } int main(void) {}",
        "unexpected `{`",
    );
    is_refused("register long sp asm(\"rsp\"); int main(void) {}", "rsp");
    is_refused("__attribute__((destructor)) void f(void) {} int main(void) {}", "destructor");
    is_refused("int main(void) { [[vendor::thing]] int x = 0; }", "vendor::thing");
    is_refused("int f(void) __attribute__((returns_twice)); int main(void) { f(); }", "may come back twice");
    is_refused("#pragma pack(pop)\nint main(void) {}", "#pragma pack(pop)");
}

#[test]
fn an_attribute_that_belongs_to_nothing_is_refused() {
    is_refused("int * __attribute__((packed)) p; int main(void) {}", "what the attribute `packed` belongs to");
    is_refused("enum e { A } __attribute__((aligned(8))); int main(void) {}", "`aligned` is not supported here");
    is_refused("int main(void) { __attribute__((noreturn)); }", "what the attribute `noreturn` belongs to");
}

#[test]
fn what_is_ignored_by_request_is_told() {
    let text = "int x __attribute__((frobnicate)); int main(void) { return x; }";
    let unit = Unit { name: "p.c", text, preprocessed: None };
    let options = c::Options { ignored: vec!["__frobnicate__".into()], ..c::Options::default() };
    let read = c::read(&[unit], &options).unwrap_or_else(|all| panic!("{all:?}"));
    let told: Vec<&str> = read.program.unverified.iter().map(|one| &*one.text).collect();
    assert_eq!(told, ["the attribute `frobnicate` (p.c:1) is ignored by request"]);
    assert!(read.warnings[0].1.message.contains("frobnicate"), "{:?}", read.warnings);
}

#[test]
fn standard_attributes_and_alignas_mean_what_the_others_do() {
    is_true("struct [[gnu::packed]] s { char c; int i; };", "", "sizeof(struct s) == 5");
    is_true("struct s { char c; int i [[gnu::packed]]; };", "", "sizeof(struct s) == 5");
    is_true("struct s { char c; int i; } [[gnu::unused]];", "", "sizeof(struct s) == 8");
    is_true("struct s { _Alignas(8) char c; _Alignas(long) char d; };", "", "sizeof(struct s) == 16");
    is_true("[[noreturn]] void end(void);", "int x = nondet(); if (x) end();", "x == 0");
}

#[test]
fn an_attribute_before_a_declaration_is_not_that_of_what_ends_before_it() {
    is_true("struct s { struct { int a; }; __attribute__((aligned(8))) int b; };", "", "sizeof(struct s) == 16");
    let end = "struct s { int a; };\n__attribute__((noreturn)) void end(void);";
    is_true(end, "int x = nondet(); if (x) end();", "x == 0");
}

#[test]
fn a_mode_makes_a_type_as_wide_as_it_says() {
    is_true("typedef unsigned u8 __attribute__((__mode__(__QI__)));", "u8 w = 300;", "w == 44");
    is_true("", "", "sizeof(int __attribute__((mode(DI)))) == 8");
    is_true("typedef int word __attribute__((mode(word)));", "", "sizeof(word) == sizeof(void *)");
}

#[test]
fn procedures_that_do_not_return_end_the_program_however_that_is_said() {
    is_true(
        "typedef void end(void) __attribute__((noreturn)); end stop;",
        "int x = nondet(); if (x) stop();",
        "x == 0",
    );
    is_true("void stop(void) __attribute__( ( __noreturn__ ) );", "int x = nondet(); if (x) stop();", "x == 0");
}

#[test]
fn names_that_mean_others_share_what_they_name() {
    is_true("int x = 5; extern int y __attribute__((alias(\"x\")));", "y = 6;", "x == 6");
    is_true("int later(void) __attribute__((alias(\"after\"))); int after(void) { return 9; }", "", "later() == 9");
    let hidden = "static int own(void) { return 4; } int fake(void) __attribute__((weak, alias(\"own\")));";
    is_true(hidden, "", "fake() == 4");
    let chain = "int a(void) { return 3; } int b(void) __attribute__((alias(\"a\"))); int c(void) __attribute__((alias(\"b\")));";
    is_true(chain, "", "c() == 3");
    is_true("int weak(void) __attribute__((weak)); int weak(void) { return 2; }", "", "weak() == 2");
    is_refused("int weak(void) __attribute__((weak)); int main(void) { return weak == 0; }", "`weak` is weak");
    is_refused("int x; extern long y __attribute__((alias(\"x\"))); int main(void) {}", "`y` is another name of `x`");
}

#[test]
fn constructors_run_in_the_order_of_their_priorities() {
    let all = "int log; __attribute__((constructor)) static void a(void) { log = log * 10 + 1; }
               static void __attribute__((constructor(200))) b(void) { log = log * 10 + 2; }
               static int c(void) __attribute__((constructor(101))); static int c(void) { log = log * 10 + 3; return 5; }
               __attribute__((constructor)) void d(void) { log = log * 10 + 4; }";
    is_true(all, "", "log == 3214");
    is_refused(
        "__attribute__((constructor)) void f(void) {} int main(void) { return nondet() ? main() : 0; }",
        "`f` is called before `main`",
    );
}

#[test]
fn enumerations_have_the_types_that_compilers_give_them() {
    is_true("enum e { A = 0x100000000 };", "", "(enum e)0 - 1 > 0");
    is_true("enum e { A = 0xffffffff, B = -1 };", "", "A > -1");
}

#[test]
fn a_wide_bit_field_makes_the_other_operand_as_wide() {
    is_true(
        "struct { unsigned long m : 54; } s;",
        "int a = nondet(); a = 0;",
        "(long)(a ? s.m : -1) == 18014398509481983",
    );
}

#[test]
fn attributes_without_meaning_for_runs_say_nothing() {
    let text = "__attribute__((unused, deprecated(\"x\"), noinline)) static int f(int x) { return x; }
                int main(void) { int y __attribute__( ( unused ) ) = f(3); if (y != 3) reach_error(); }";
    assert_eq!(verdict(text), Verdict::Holds);
}

#[test]
fn bit_fields_narrower_than_int_are_promoted_whatever_their_type() {
    is_true("struct { unsigned long a : 31; } s;", "s.a = 1;", "s.a - 2 < 0");
    is_true("struct { unsigned long long f : 4; } s;", "s.f = 3;", "s.f - 5 < 0");
    is_true("struct { long f : 20; } s;", "", "sizeof(s.f + 0) == 4");
    is_true("struct { unsigned long long f : 32; } s;", "s.f = 3;", "s.f - 5 > 0");
}

#[test]
fn bit_fields_wider_than_int_keep_their_width() {
    is_true("struct { unsigned long long a : 40; } s;", "s.a = 1ull << 39;", "(s.a << 1) == 0");
    is_true("struct { unsigned long f : 33; } s;", "s.f = 0;", "~s.f == 0x1ffffffffUL");
}
