//! Attributes, pragmas, asm labels, bit-fields: what they make of a C program, and that what is not known is refused where it stands.

use puch::abstraction::Tuning;
use puch::c::program::Overflow;
use puch::c::{self, Program, Unit};
use puch::refinement::{Options, Round, Verdict, refine};

const HEAD: &str = "extern int nondet(void); extern void reach_error(void);\n";

fn read(text: &str) -> Result<Program, Vec<String>> {
    let text = format!("{HEAD}{text}");
    let unit = Unit { name: "p.c", text: &text, preprocessed: None };
    match c::read(&[unit], &c::Options::default()) {
        Ok(read) => Ok(read.program),
        Err(all) => Err(all.into_iter().map(|(_, complaint)| complaint.message).collect()),
    }
}

fn verdict(text: &str) -> Verdict {
    let program = read(text).unwrap_or_else(|all| panic!("{all:?}\n{text}"));
    let check = puch::Options::default();
    let options = Options { overflow: Overflow::Wrap, tuning: Tuning::default(), check, rounds: Some(6), donor: None };
    refine(&program, &options, &mut |_: &Round<'_>| {}).verdict
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
    let all = read(text).expect_err(text);
    assert!(all.iter().any(|complaint| complaint.contains(message)), "{all:?}\n{text}");
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
}

#[test]
fn a_constructor_runs_before_main() {
    is_true("int g; __attribute__((constructor)) void begin(void) { g = 1; }", "", "g == 1");
}

#[test]
fn what_is_not_modelled_is_refused_by_its_name() {
    is_refused("int v __attribute__((vector_size(16))); int main(void) {}", "vector_size");
    is_refused("int main(void) { int x __attribute__((cleanup(f))) = 0; }", "cleanup");
    is_refused(
        "struct __attribute__((scalar_storage_order(\"big-endian\"))) s { int i; }; int main(void) {}",
        "scalar_storage_order",
    );
    is_refused("int x __attribute__((frobnicate)); int main(void) {}", "frobnicate");
    is_refused("void h(void);\n#pragma redefine_extname h f\nint main(void) {}", "redefine_extname");
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
