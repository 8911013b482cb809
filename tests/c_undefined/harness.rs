//! Harnesses: compiled with one, and with copies of its files, a program fails as it was found to; and how inputs are named.

use super::*;

/// How many inputs of a violation cannot be given, the program having been linked with its harness and having failed if there are none;
/// `None` without a compiler.
fn fails_with_harness(name: &str, text: &str, flags: &[&str]) -> Option<usize> {
    if Command::new("cc").arg("--version").output().is_err() {
        println!("skipped: there is no cc");
        return None;
    }
    let program = parsed(text);
    let found = outcome(&program, Overflow::Wrap).verdict;
    let Verdict::Violated(Execution { inputs, .. }) = found else { panic!("{found:?}\n{text}") };
    let directory = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("harnesses").join(name);
    std::fs::create_dir_all(&directory).expect("a directory");
    let (own, other, all) = (directory.join("prog.c"), directory.join("harness.c"), directory.join("prog"));
    let source = Source::new("prog.c", text);
    let copies = Copies::new(&program, &inputs, &[source]);
    let copy = copies.files.first().map_or(text, |(_, text)| text);
    std::fs::write(&own, copy).expect("it can be written");
    let written = harness(&program, &inputs, &copies);
    std::fs::write(&other, &written).expect("it can be written");
    let built = Command::new("cc").arg("-w").args(flags).args([&own, &other]).arg("-o").arg(&all).output();
    let built = built.expect("cc runs");
    assert!(built.status.success(), "{}\n{text}\n{written}", String::from_utf8_lossy(&built.stderr));
    let ran = Command::new(&all).output().expect("it runs");
    let missing = not_given(&program, &inputs, &copies).len();
    assert!(missing > 0 || ran.status.code().is_none(), "it is aborted: {ran:?}\n{copy}\n{written}");
    Some(missing)
}

#[test]
fn a_harness_defines_what_the_program_names() {
    let all = [
        (
            "others",
            "extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void); extern void reach_error(void);
            int main(void) { int x = __VERIFIER_nondet_int(); if (x == 3) reach_error();
              if (x == 4) return __VERIFIER_nondet_uint(); if (x == 5) return ext(x); return 0; }",
        ),
        (
            "results",
            "struct s { int a; char b[3]; struct { long c; int d : 3; } e; }; union u { int i; double d; };
            extern struct s make(int); extern union u both(void); extern double real(float); extern char *text(struct s);
            extern void reach_error(void); extern int nondet(void); extern int many(const char *, ...);
            int main(void) { if (nondet() == 6) reach_error(); struct s t = make(1); both(); real(1); text(t); return many(\"\", 2); }",
        ),
        (
            "library",
            "int strcmp(const char *, const char *); int printf(const char *, ...); void abort(void); int nondet(void);
            void __assert_fail(const char *, const char *, unsigned, const char *) __attribute__((noreturn));
            int main(void) { printf(\"%d\", 1); strcmp(\"a\", \"b\"); if (nondet() == 5) abort();
              if (nondet() == -2147483647 - 1) __assert_fail(\"x\", \"y\", 1, \"z\"); return __builtin_popcount(3); }",
        ),
        (
            "assumptions",
            "extern unsigned long long nondet(void); extern void __VERIFIER_assume(int); extern void die(void) __attribute__((noreturn));
            extern void __VERIFIER_error(void); extern int given; extern int list[]; extern _Bool flag(void);
            int main(void) { unsigned long long x = nondet(); __VERIFIER_assume(x > 18446744073709551000ull); if (given == 12 && flag()) __VERIFIER_error();
              if (x == 7) die(); return list[0]; }",
        ),
        ("arguments", "extern void reach_error(void); int main(int argc, char **argv) { if (argc == 4) reach_error(); return 0; }"),
        ("old", "extern void reach_error(); int other(); main() { int x; x = other(1, 2); if (x == 3) reach_error(); return third(); }"),
        ("taken", "extern void reach_error(void); extern int ext(int); int main(void) { int (*p)(int) = ext; if (p(1) == 3) reach_error(); void (*q)(void) = reach_error; return q == 0; }"),
        ("hidden", "extern void reach_error(void); static int ext(int); static inline int two(void) { return 2; } int main(void) { if (ext(1) == two()) reach_error(); return 0; }"),
    ];
    for (name, text) in all {
        if let Some(missing) = fails_with_harness(name, text, &[]) {
            assert_eq!(missing, 0, "{name}");
        }
    }
}

#[test]
fn a_copy_of_the_program_sets_locals_that_nobody_assigns() {
    let all = [
        (
            "scalars",
            "int x, *p, // first\n y; unsigned long long z; signed char c; _Bool b; if (x == -3 && p == 0 && y == 7 && z == 1ull << 40 && c == -128 && b) reach_error();",
        ),
        (
            "parts",
            "struct s v[2]; int a[4], b[2][2]; if (v[0].in.h == 5 && v[1].a == -1 && a[2] == 9 && a[3] == 8 && b[1][0] == 6) reach_error();",
        ),
        (
            "other values",
            "for (int i = 0; i < 4; i++) { int x; if (i & 1) continue; if (x != i + 5) return 0; } reach_error();",
        ),
        ("recursive", "if (deep(3) == 11) reach_error();"),
        ("one by one", "for (int i = 0; i < 3; i++) { int x; if (x != 4) return 0; } reach_error();"),
        (
            "declared elsewhere",
            "int (*fp)(void), x /* what ; and , are */ , n = 1; const int k; if (fp == 0 && x == 3 && k == n + 1) reach_error();",
        ),
        ("called", "if (inner(1) == 5) reach_error();"),
        ("generated", "{\n#line 7 \"generated.c\"\nint x ;\n#line 3\nint y ; if (x == 5 && y == 6) reach_error(); }"),
    ];
    for (name, body) in all {
        let text = format!(
            "extern void reach_error(void); struct s {{ int a; struct {{ unsigned f : 3, h : 3; }} in; }};
            static int inner(int n) {{ int x; return n + x; }}
            static int deep(int n) {{ struct s x; if (n == 0) return 5; int r = deep(n - 1); return r + (x.in.h == n) * n; }}\nint main(void) {{\n{body}\nreturn 0; }}"
        );
        if let Some(missing) = fails_with_harness(&format!("copied {name}"), &text, &["-fwrapv"]) {
            assert_eq!(missing, 0, "{name}");
        }
    }
    let cannot = [
        ("made of itself", "int x = x; if (x == 3) reach_error();"),
        ("bytes", "int x; if (((char *) &x)[1] == 3 && x > 0) reach_error();"),
    ];
    for (name, body) in cannot {
        let text = format!("extern void reach_error(void); int main(void) {{ {body} return 0; }}");
        if let Some(missing) = fails_with_harness(&format!("copied {name}"), &text, &[]) {
            assert!(missing > 0, "{name}");
        }
    }
}

#[test]
fn a_harness_says_what_it_cannot_set() {
    let text = "extern void reach_error(void); int main(void) { int x; if (x == 3) reach_error(); return 0; }";
    let program = parsed(text);
    let Verdict::Violated(Execution { inputs, .. }) = outcome(&program, Overflow::Wrap).verdict else {
        panic!("it is violated")
    };
    assert_eq!(not_given(&program, &inputs, &Copies::default()).len(), 1);
    assert!(
        harness(&program, &inputs, &Copies::default()).contains("`x`, which nobody has assigned, is 3"),
        "{}",
        harness(&program, &inputs, &Copies::default())
    );
    let text =
        "int rand(void); extern void reach_error(void); int main(void) { if (rand() == 3) reach_error(); return 0; }";
    let program = read(text, wished(None, &[("rand", Reading::Input)])).expect("it can be read");
    let Verdict::Violated(Execution { inputs, .. }) = outcome(&program, Overflow::Wrap).verdict else {
        panic!("it is violated")
    };
    let written = harness(&program, &inputs, &Copies::default());
    assert!(written.contains("what `rand` of the library returns is 3") && !written.contains("rand()"), "{written}");
}

#[test]
fn inputs_are_named_after_what_nobody_has_assigned() {
    let text = "extern void reach_error(void); extern int ext(void);
        struct s { int a; struct { unsigned f : 3, h : 3; int g[4]; } in; };
        int main(int argc, char **argv) {
            struct s v[2]; int *q = &v[1].in.g[2]; int x;
            if (argc == 3 && v[0].in.h == 5 && *q == 9 && ext() == 7 && x == 6) reach_error();
            return 0; }";
    let program = parsed(text);
    let Verdict::Violated(Execution { inputs, .. }) = outcome(&program, Overflow::Wrap).verdict else {
        panic!("it is violated")
    };
    let told: Vec<String> =
        inputs.iter().map(|input| format!("{} = {}", input.origin(&program), input.value)).collect();
    let expected = [
        "argument argc = 3",
        "v[0].in.h, unassigned = 5",
        "v[1].in.g[2], unassigned = 9",
        "ext() = 7",
        "x, unassigned = 6",
    ];
    assert_eq!(told, expected);
    let told = inputs.iter().map(|input| input.told(&program).variable).collect::<Vec<_>>();
    assert_eq!((told[0].as_deref(), told[3].as_deref()), (Some("argc"), None));
}

#[test]
fn a_harness_makes_allocations_fail() {
    let head =
        "void *malloc(unsigned long); void *calloc(unsigned long, unsigned long);
        char *strdup(const char *); char *strndup(const char *, unsigned long); extern void reach_error(void); extern int nondet(void);\n";
    let all = [
        ("first", "int *p = malloc(4); if (!p) reach_error(); *p = 1;", 1),
        (
            "third",
            "int *p = malloc(4), *q = calloc(2, 4); if (!p || !q) return 0; char *s = strdup(\"ab\"); if (!s) reach_error();",
            3,
        ),
        (
            "text",
            "char *p = malloc(4); if (!p) return 0; p[0] = 7; char *q = strndup(\"abc\", 2); if (!q && p[0] == 7) reach_error();",
            2,
        ),
        (
            "some",
            "int n = nondet(), k = 0; for (int i = 0; i < n && i < 4; i++) { void *p = malloc(8); if (!p) break; k++; } if (n > 3 && k == 2) reach_error();",
            3,
        ),
    ];
    for (name, body, asked) in all {
        let text = format!("{head}int main(void) {{ {body} return 0; }}");
        let Verdict::Violated(Execution { inputs, .. }) = outcome(&parsed(&text), Overflow::Wrap).verdict else {
            panic!("{text}")
        };
        let allocations: Vec<i128> = inputs.iter().filter(|one| one.is_allocation()).map(|one| one.value).collect();
        assert_eq!(allocations, [vec![1; asked - 1], vec![0]].concat(), "{text}");
        if let Some(missing) = fails_with_harness(&format!("lacking {name}"), &text, &[]) {
            assert_eq!(missing, 0, "{name}");
        }
    }
}
