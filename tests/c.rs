//! C programs: what they are read as, what they do when they are executed, and that compilers agree.

extern crate puch_programs as puch;

#[path = "support/c_expressions.rs"]
mod c_expressions;
#[path = "support/c_programs.rs"]
mod c_programs;
#[path = "support/compiled.rs"]
#[allow(dead_code, reason = "others look at what compilers refuse")]
mod compiled;

#[path = "support/seeds.rs"]
mod seeds;

#[path = "support/shared.rs"]
#[allow(dead_code, reason = "others read the table of another corpus")]
mod shared;

use std::process::Command;

use puch::c::program::{Failure, Overflow};
use puch::c::types::DataModel;
use puch::c::{self, Options, Program, Unit};
use puch::interpreter::{self, Doubt, End, Fault, Inputs, Outcome};

/// Reads one file without directives.
fn read(text: &str, options: &Options) -> Program {
    let unit = Unit { name: "p.c", text, preprocessed: None };
    c::read(&[unit], options).unwrap_or_else(|complaints| panic!("{}\n{text}", complaints[0].1)).program
}

fn execute(text: &str, overflow: Overflow, inputs: &[i128]) -> Outcome {
    let program = read(text, &Options::default());
    let options = interpreter::Options::of(overflow, 100_000);
    interpreter::execute(&program, &options, Inputs::list(inputs.iter().copied()), &mut |_| {})
}

/// What `main` returns.
fn result(text: &str) -> End {
    execute(text, Overflow::Wrap, &[]).end
}

fn returned(number: i128) -> End {
    End::Returned(Some(number))
}

/// The complaints about a text, as lines with the text that each is about.
fn complaints(text: &str) -> Vec<String> {
    let unit = Unit { name: "p.c", text, preprocessed: None };
    let all = match c::read(&[unit], &Options::default()) {
        Ok(read) => read.warnings,
        Err(complaints) => complaints,
    };
    let shown = all.into_iter().map(|(_, complaint)| {
        let about = complaint.span.clone().map_or("", |span| &text[span]);
        format!("{} [{about}]", complaint.message)
    });
    shown.collect()
}

/// Programs that are compiled together.
const BATCH: u64 = 200;

#[test]
fn random_programs_do_what_the_compiled_programs_do() {
    let seeds = seeds::seeds(0..150);
    let batches = seeds.clone().step_by(BATCH as usize);
    let differing: Vec<String> = batches.flat_map(|first| differing(first..seeds.end.min(first + BATCH))).collect();
    assert!(differing.is_empty(), "{} of {} differ:\n{}", differing.len(), seeds.count(), differing.join("\n"));
}

/// The random programs that do something else than the compiled ones: their seeds, how both ended, and their texts.
fn differing(seeds: std::ops::Range<u64>) -> Vec<String> {
    let programs: Vec<(u64, String)> =
        seeds.map(|seed| (seed, c_programs::program(seed, &format!("t{seed}_")))).collect();
    let Some(expected) = returned_when_compiled(&programs) else { return Vec::new() };
    assert_eq!(expected.len(), programs.len(), "a compiled program crashed: seeds from {}", programs[0].0);
    let mut differing = Vec::new();
    for ((seed, text), expected) in programs.iter().zip(expected) {
        let program = read(text, &Options { main: Some(format!("t{seed}_main")), ..Options::default() });
        let options = interpreter::Options { steps: 10_000_000, ..interpreter::Options::default() };
        let outcome = interpreter::execute(&program, &options, Inputs::list([]), &mut |_| {});
        if outcome.end != returned(i128::from(expected)) {
            differing.push(format!("seed {seed}: {:?}, compiled {expected}\n{text}", outcome.end));
        }
    }
    differing
}

/// What the programs return when `cc -O0 -fwrapv` has compiled them; `None`, with a note, where there is no compiler.
fn returned_when_compiled(programs: &[(u64, String)]) -> Option<Vec<u64>> {
    let main: String = programs.iter().map(|(seed, _)| format!("printf(\"%llu\\n\", t{seed}_main());\n")).collect();
    let bodies: String = programs.iter().map(|(_, text)| &text[..]).collect();
    let text = format!("#include <stdio.h>\n{bodies}int main(void) {{\n{main}return 0;\n}}\n");
    let lines = compiled::printed(&text, &["-fwrapv"])?;
    Some(lines.lines().map(|line| line.parse().expect("a number")).collect())
}

#[test]
fn every_program_of_others_is_read() {
    let Some(corpus) = shared::folder("c-corpus") else { return };
    let table = std::fs::read_to_string(corpus.join("INDEX.tsv")).expect("the corpus has a table");
    let mut met = std::collections::BTreeSet::new();
    let (mut read, mut refused) = (0, Vec::new());
    for row in table.lines().skip(1) {
        let columns: Vec<&str> = row.split('\t').collect();
        if !met.insert(columns[0].to_owned()) {
            continue;
        }
        let path = corpus.join(columns[0]);
        let text = std::fs::read_to_string(&path).expect("the table names files");
        let preprocessed = c::needs_preprocessor(&text).then(|| {
            let output = Command::new("cc").arg("-E").arg(&path).output();
            output.ok().filter(|output| output.status.success())
        });
        let preprocessed = match preprocessed {
            Some(None) => continue,
            Some(Some(output)) => Some(String::from_utf8_lossy(&output.stdout).into_owned()),
            None => None,
        };
        let model = if columns[4] == "ILP32" { DataModel::ILP32 } else { DataModel::LP64 };
        let unit = Unit { name: columns[0], text: &text, preprocessed: preprocessed.as_deref() };
        match c::read(&[unit], &Options { model, ..Options::default() }) {
            Ok(_) => read += 1,
            Err(complaints) => refused.push(format!("{}: {}", columns[0], complaints[0].1)),
        }
    }
    assert!(read >= 400, "only {read} programs were there to be read");
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

#[test]
fn conversions_are_those_of_c11() {
    assert_eq!(result("int main() { return -1 < 0u; }"), returned(0));
    assert_eq!(result("int main() { unsigned char c = 200; c <<= 1; return c; }"), returned(144));
    assert_eq!(result("int main() { signed char c = 200; return c; }"), returned(-56));
    assert_eq!(result("int main() { unsigned short a = 65535; return a * a < 0; }"), returned(1));
    assert_eq!(result("int main() { _Bool b = 256; return b + b; }"), returned(2));
    assert_eq!(result("int main() { return sizeof(1 ? (char) 1 : (short) 1); }"), returned(4));
    assert_eq!(result("int main() { long a = 1u << 31; return a > 0; }"), returned(1));
    assert_eq!(
        result("struct s { unsigned b : 3; int c : 3; } s; int main() { s.b = 9; s.c = 7; return s.b * 10 + s.c; }"),
        returned(9)
    );
}

#[test]
fn what_is_evaluated_and_in_which_order() {
    let counted = "int n; int one() { n = n * 10 + 1; return 1; } int none() { n = n * 10 + 2; return 0; }\n";
    let after = |e: &str| result(&format!("{counted} int main() {{ int x = {e}; return n * 10 + x; }}"));
    assert_eq!(after("none() && one()"), returned(20));
    assert_eq!(after("one() || none()"), returned(11));
    assert_eq!(after("none() || none() || one()"), returned(2211));
    assert_eq!(after("one() ? none() : one()"), returned(120));
    assert_eq!(after("(one(), none())"), returned(120));
    assert_eq!(after("!(one() && none())"), returned(121));
    assert_eq!(result("int g = 5; int f() { g = 7; return 1; } int main() { return g + f() * 10; }"), returned(15));
    assert_eq!(result("int main() { int i = 1; return i++ * 10 + i; }"), returned(12));
}

#[test]
fn switch_falls_through_and_finds_cases_in_blocks() {
    let text = |value: i32| {
        format!(
            "int main() {{ int n = 0, i = 2; switch ({value}) {{ case 1: n += 1; case 2: n += 10; break; default: n = 5; \
             while (i-- > 0) {{ case 7: n += 100; }} }} return n; }}"
        )
    };
    assert_eq!(result(&text(1)), returned(11));
    assert_eq!(result(&text(2)), returned(10));
    assert_eq!(result(&text(3)), returned(205));
    assert_eq!(result(&text(7)), returned(300));
}

#[test]
fn what_is_undefined_blocks_or_is_told() {
    let cases = [
        ("int main() { int x = 2147483647; x++; return 0; }", Fault::Overflow),
        ("int main() { int x; int *p = 0; x = *p; return x; }", Fault::Null),
        ("int a[3]; int main() { int i = 3; a[i] = 1; return 0; }", Fault::OutOfBounds),
        ("int *f() { int x = 1; return &x; } int main() { int *p = f(); return *p; }", Fault::Dead),
        ("int main() { char *s = \"a\"; s[0] = 1; return 0; }", Fault::Constant),
        ("int main() { int x; free(&x); return 0; }", Fault::BadFree),
        ("int main() { int *p = malloc(4); free(p); return *p; }", Fault::Dead),
    ];
    for (text, fault) in cases {
        assert_eq!(execute(text, Overflow::Check, &[]).end, End::Wrong(fault), "{text}");
        assert_eq!(execute(text, Overflow::Assume, &[]).end, End::Blocked(Some(fault)), "{text}");
    }
    let wrapped = execute(cases[0].0, Overflow::Wrap, &[]);
    assert_eq!((wrapped.end, wrapped.wrapped.map(|place| place.line)), (returned(0), Some(1)));
}

#[test]
fn procedures_of_the_library_that_move_bytes_are_executed() {
    let declared =
        "typedef unsigned long size_t; void *memset(void *, int, size_t); void *memcpy(void *, const void *, size_t);
        void *memmove(void *, const void *, size_t); size_t strlen(const char *);\n";
    let run = |text: &str| execute(&format!("{declared}{text}"), Overflow::Check, &[]).end;
    assert_eq!(run("int main(void) { int x = 7; memset(&x, 1, sizeof x); return x; }"), returned(0x0101_0101));
    let pointers = "struct S { int a; int *p; }; int main(void) { int x = 4; struct S s = {1, &x}, t = {2, 0};
        struct S *u = memcpy(&t, &s, sizeof s); return *t.p + u->a; }";
    assert_eq!(run(pointers), returned(5));
    let over = "int main(void) { char a[] = \"abcd\"; memmove(a + 1, a, 3); return a[3] == 'c' && strlen(a) == 4; }";
    assert_eq!(run(over), returned(1));
    assert_eq!(run(&over.replace("memmove", "memcpy")), End::Wrong(Fault::OutOfBounds), "they overlap");
    assert_eq!(run("int main(void) { int x; memset(&x, 0, 5); return 0; }"), End::Wrong(Fault::OutOfBounds));
    assert_eq!(run("int main(void) { int *p = 0; memset(p, 0, 1); return 0; }"), End::Wrong(Fault::Null));
    assert_eq!(run("int main(void) { int x, y; memcpy(&x, &y, sizeof x); return x; }"), End::Unknown(Doubt::NoInput));
}

#[test]
fn runs_end_as_the_program_says() {
    assert_eq!(result("int main() { assert(1 == 2); return 0; }"), End::Failed(Failure::Assertion));
    assert_eq!(result("int main() { reach_error(); return 0; }"), End::Failed(Failure::Error));
    assert_eq!(result("int main() { goto ERROR; ERROR: return 0; }"), End::Failed(Failure::ErrorLabel));
    assert_eq!(result("int main() { assert(1); goto ERROR; ERROR: return 0; }"), returned(0));
    assert_eq!(result("void f(int n) { if (n) f(n - 1); exit(3); } int main() { f(9); }"), End::Exited(Some(3)));
    assert_eq!(result("int main() { __VERIFIER_assume(0); return 0; }"), End::Blocked(None));
    assert_eq!(result("int main() { while (1) ; }"), End::Unknown(Doubt::Steps));
    assert_eq!(result("int main() { double d = 1.5; int x = d; if (x) return 1; return 0; }"), returned(1));
    let by_float = result("double sin(double); int main() { int x = 3 * sin(1); if (x) return 1; return 0; }");
    assert!(matches!(by_float, End::Unknown(Doubt::Unrepresented(_))), "{by_float:?}");
}

#[test]
fn the_inputs_of_a_run_make_the_same_run() {
    let text = "int f(); int main(int x) { int y; char c = f(); if (y > x) c++; return c * 3 + (unsigned char) f(); }";
    let program = read(text, &Options::default());
    let options = interpreter::Options::default();
    for seed in 0..50 {
        let first = interpreter::execute(&program, &options, Inputs::Seeded(seed), &mut |_| {});
        let asked = first.inputs.iter().map(|given| given.value);
        let second = interpreter::execute(&program, &options, Inputs::list(asked), &mut |_| {});
        assert_eq!(first, second, "seed {seed}");
    }
    assert_eq!(execute(text, Overflow::Wrap, &[1]).end, End::Unknown(Doubt::NoInput));
}

#[test]
fn statements_have_one_effect_each() {
    let text =
        "int g; int f(int x) { return x; } int main(int a) { int b = 3; if (a > 0 && f(a)) g = b++; return f(g) + a; }";
    let program = read(text, &Options::default()).to_string();
    let expected = "\
int g;

int f(int x)
   0  return x;

int main(int a)
      int b;
      int .1;
      int .2;
      int .3;
   0  declare int b;
   1  b = 3;
   2  if (a > 0) goto 3; else goto 8;
   3  .1 = f(a);
   4  if (.1) goto 5; else goto 8;
   5  .2 = b;
   6  b = .2 + 1;
   7  g = .2;
   8  .3 = f(g);
   9  return .3 + a;
";
    assert_eq!(program, expected);
}

#[test]
fn old_c_and_gnu_c_are_read() {
    assert_eq!(result("f(a, b) int b; { return a - b; } main() { static x = 4; return f(x, 1); }"), returned(3));
    assert_eq!(result("int a$b = 2, a_b = 3; int main() { return a$b * 10 + a_b; }"), returned(23));
    assert_eq!(result("int main() { unsigned __int128 x = 1; x <<= 100; return x >> 99; }"), returned(2));
    assert_eq!(result("int main() { int x = ({ int y = 2; y * 3; }); return x; }"), returned(6));
    assert_eq!(result("__attribute__((unused)) int x = 1; int main() { return __builtin_expect(x, 1); }"), returned(1));
    let old = complaints("main() { return 0; }");
    assert_eq!(old, ["`main` is declared without a type [main]"]);
}

#[test]
fn complaints_point() {
    assert_eq!(complaints("int main() { return y; }"), ["`y` is not declared [y]"]);
    assert_eq!(complaints("int main() { return 0 }"), ["unexpected `}` [}]"]);
    assert_eq!(complaints("int main() { goto L; }"), ["there is no label `L` in this procedure [L]"]);
    assert_eq!(complaints("int main() { int x; x.a = 1; *x = 2; return 0; }").len(), 2);
    assert_eq!(
        complaints("int main() { int i = 1; i = i++; return 0; }"),
        ["`i` is changed and used here, and C leaves open in which order [i = i++]"]
    );
    assert_eq!(
        complaints("#include <stdio.h>\nint main() { return 0; }"),
        ["a preprocessor has to obey this directive, and none was run [#include <stdio.h>]"]
    );
}

#[test]
fn line_markers_say_where_statements_stand() {
    let text = "# 7 \"other.c\"\nint main() {\n  return 1 / 0;\n}\n";
    let program = read(text, &Options::default());
    let options = interpreter::Options::default();
    let outcome = interpreter::execute(&program, &options, Inputs::list([]), &mut |_| {});
    assert_eq!((&*program.files[outcome.place.file as usize], outcome.place.line), ("other.c", 8));
    assert!(matches!(outcome.end, End::Blocked(Some(Fault::Arithmetic(_)))));
}

#[test]
fn deep_texts_are_read_or_refused_and_never_crash() {
    let sum = |n: usize| format!("int main() {{ return {}0; }}", "1 + ".repeat(n));
    let brackets = |n: usize| format!("int main() {{ return {}1{}; }}", "(".repeat(n), ")".repeat(n));
    let chain = |n: usize| format!("int main(int x) {{ {} return 0; }}", "if (x == 3) return 1; else ".repeat(n));
    assert_eq!(result(&sum(5_000)), returned(5_000));
    assert_eq!(result(&brackets(2_000)), returned(1));
    assert_eq!(execute(&chain(500), Overflow::Wrap, &[4]).end, returned(0));
    for text in [sum(200_000), brackets(200_000), chain(100_000)] {
        assert_eq!(complaints(&text), [format!("the text is nested too deeply: more than {} levels []", c::DEEPEST)]);
    }
}

#[test]
fn files_are_one_program() {
    let a = "int shared = 1; static int own = 10; int f(void); int main() { return f() + shared + own; }";
    let b = "extern int shared; static int own = 100; int f(void) { shared++; return own; }";
    let units = [("a.c", a), ("b.c", b)].map(|(name, text)| Unit { name, text, preprocessed: None });
    let program = c::read(&units, &Options::default()).expect("both are right").program;
    let options = interpreter::Options::default();
    let outcome = interpreter::execute(&program, &options, Inputs::list([]), &mut |_| {});
    assert_eq!(outcome.end, returned(112));
}

#[test]
fn a_later_list_in_braces_replaces_all_of_a_part() {
    let text = "struct S { short f; int g[2]; } o = {1, .g = {5, 6}, .g = {7}};
        struct T { struct { char f, s; } m; union { char c; int i; } u; } t = {{1, 2}, {.i = -1}, .m = {.f = 3}, .u = {4}};
        char c[2][4] = {[0] = \"abc\", [0] = \"x\"}; int k[2] = {[0] = 5, [0] = 0};
        int main(void) {
          int a[2][3] = {{1, 2, 3}, [0] = {4}, {5, 6}};
          int b[2][3] = {{1, 2, 3}, [0][1] = 9};
          struct S l = {1, .g = {5, 6}, .g[1] = 8};
          if (o.f != 1 || o.g[0] != 7 || o.g[1] != 0) return 1;
          if (t.m.f != 3 || t.m.s != 0 || t.u.i != 4) return 2;
          if (a[0][0] != 4 || a[0][1] != 0 || a[0][2] != 0 || a[1][1] != 6) return 3;
          if (b[0][0] != 1 || b[0][1] != 9 || b[0][2] != 3) return 4;
          if (l.f != 1 || l.g[0] != 5 || l.g[1] != 8) return 5;
          if (c[0][0] != 'x' || c[0][1] != 0 || c[0][2] != 0 || k[0] != 0) return 6;
          return 0;
        }";
    assert_eq!(result(text), returned(0));
}

#[test]
fn types_in_attributes_have_no_attributes_of_what_stands_elsewhere() {
    let text = "struct S { double d __attribute__((packed)); short s; } __attribute__((aligned(sizeof(int))));
        union U { _Alignas(long double) long l; } u = {129}; struct V { _Alignas(double) char c; };
        int main(void) {
          if (_Alignof(struct S) != 4 || sizeof(struct S) != 12) return 1;
          if (_Alignof(union U) != 16 || sizeof u != 16 || u.l != 129) return 2;
          return _Alignof(struct V) != 8;
        }";
    assert_eq!(result(text), returned(0));
    assert_eq!(result("struct V { _Alignas(double) char c; } v; int main(void) { return sizeof v; }"), returned(8));
}
