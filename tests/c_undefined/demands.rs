//! What calls of the library demand that have no model: asked where anything undefined fails, told elsewhere.

use super::*;

/// What is known of whether anything undefined is done in a `main`, and what is taken on trust for it.
fn asked(main: &str) -> (Verdict, Vec<&'static str>) {
    let declared = "typedef unsigned long size_t; typedef struct file FILE; extern FILE *stdin, *stdout; typedef struct { int quot, rem; } div_t;
        int printf(const char *, ...); int sprintf(char *, const char *, ...); int snprintf(char *, size_t, const char *, ...);
        int fprintf(FILE *, const char *, ...); int scanf(const char *, ...); int puts(const char *); FILE *fopen(const char *, const char *);
        int fputs(const char *, FILE *); char *fgets(char *, int, FILE *); size_t fwrite(const void *, size_t, size_t, FILE *);
        int vprintf(const char *, __builtin_va_list); div_t div(int, int); int regcomp(int *, const char *, int); void *malloc(size_t);
        int fclose(FILE *); int getchar(void);";
    let program = parsed(&format!("{HEAD}{declared} int main(void) {{ int n = nondet(); {main} return 0; }}"));
    let answer = decide(&program, &Question::Failures(Failures::All), &options(Overflow::Check), &mut |_| {});
    (answer.outcome.verdict, answer.program.unverified.iter().map(|one| one.code).collect())
}

#[test]
fn where_anything_undefined_fails_calls_of_the_library_are_given_what_they_demand_in_proofs_too() {
    let fails = [
        "char *p = \"a\"; if (n == 77777) p = 0; printf(\"%s\", p);",
        "char *p = \"a\"; if (n == 77777) p = 0; puts(p);",
        "if (n == 77777) printf(\"%s\", n);",
        "if (n == 77777) printf(\"%d %d\", n);",
        "char b[4]; if (n == 77777) sprintf(b, \"%d\", n);",
        "char b[3] = { 'a', 'b', 'c' }; if (n == 77777) printf(\"%s\", b);",
        "int *p = &n; if (n == 77777) p = 0; scanf(\"%d\", p);",
        "short s; if (n == 77777) scanf(\"%ld\", &s);",
        "char b[10]; if (n < 12) fgets(b, n, stdin);",
        "char b[8]; if (n >= 0 && n <= 9) fwrite(b, 1, n, stdout);",
        "div_t d = div(7, n - n / 2 * 2);",
    ];
    for main in fails {
        let (verdict, _) = asked(main);
        assert!(matches!(verdict, Verdict::Violated(..)), "{verdict:?}\n{main}");
    }
    let fine = [
        "printf(\"%s %d %5.2f %c%%\\n\", \"abc\", n, 1.5, n); puts(\"a\"); fprintf(stdout, \"x\");",
        "char *p = \"a\"; if (n == 77777) p = \"abc\"; printf(\"%s\", p);",
        "char b[12]; sprintf(b, \"%d\", n);",
        "char b[4]; snprintf(b, sizeof b, \"%d\", n); snprintf(b, 0, \"%d\", n); snprintf(0, 0, \"%d\", n);",
        "char b[4]; char *p = \"abc\"; if (n == 77777) p = \"ab\"; sprintf(b, \"%s\", p);",
        "char b[10]; if (n < 11) fgets(b, n, stdin); if (getchar() == 3) return 1;",
        "int s; char b[9]; if (scanf(\"%d %8s\", &s, b) == 2) return 1;",
        "if (n > 0) div(n, 2);",
    ];
    for main in fine {
        assert_eq!(asked(main), (Verdict::Holds, Vec::new()), "{main}");
    }
}

#[test]
fn what_cannot_be_said_of_a_call_of_the_library_is_not_known_or_taken_on_trust() {
    let unknown = [
        "char b[8]; if (n >= 0 && n < 100) sprintf(b, \"%d\", n);",
        "char f[2]; f[0] = n; f[1] = 0; printf(f);",
        "char b[8]; if (n) scanf(\"%s\", b);",
        // NULL is none of the program's.
        "FILE *f = fopen(\"a\", \"r\"); if (n) fputs(\"x\", f);",
        "if (n) printf(\"%Q\", n);",
    ];
    for main in unknown {
        let (verdict, _) = asked(main);
        assert!(matches!(verdict, Verdict::Unknown(_)), "{verdict:?}\n{main}");
    }
    let trusted = [
        ("library-calls", "if (n) regcomp(&n, \"a\", 0);"),
        ("library-calls", "__builtin_va_list list; if (n) vprintf(\"%d\", list);"),
        ("library-calls", "int (*p)(const char *) = puts; if (n) p(\"a\");"),
        ("streams", "FILE *f = fopen(\"a\", \"r\"); if (!f) return 1; if (n) fputs(\"x\", f); fclose(f);"),
    ];
    for (code, main) in trusted {
        assert_eq!(asked(main), (Verdict::Holds, vec![code]), "{main}");
    }
    // Whoever is no function of the library is known by nobody, and may do with anything what he likes.
    assert_eq!(asked("int own(char *); if (n) own(0);"), (Verdict::Holds, Vec::new()));
}

#[test]
fn that_output_succeeds_is_taken_on_trust_where_a_run_is_executed_that_looks_at_it() {
    let told = |text: &str| {
        let program = parsed(&format!("{HEAD} int printf(const char *, ...); int putchar(int); {text}"));
        let answer = decide(&program, &Question::Failures(Failures::All), &options(Overflow::Wrap), &mut |_| {});
        let codes: Vec<&str> = answer.program.unverified.iter().map(|one| one.code).collect();
        (answer.outcome.verdict, codes)
    };
    let looks = "int main(void) { if (printf(\"abc\") != 3) reach_error(); return 0; }";
    assert_eq!(told(looks), (Verdict::Holds, vec!["output"]));
    let looks_later = "int main(void) { int n = putchar('a'); if (n == 3) reach_error(); return 0; }";
    assert_eq!(told(looks_later), (Verdict::Holds, vec!["output"]));
    let does_not = "int main(void) { printf(\"abc\"); putchar('a'); return 0; }";
    assert_eq!(told(does_not), (Verdict::Holds, Vec::new()));
    // In proofs it may fail.
    let (verdict, codes) = told("int main(void) { if (nondet() && printf(\"abc\") < 0) reach_error(); return 0; }");
    assert!(matches!(verdict, Verdict::Unknown(_)), "{verdict:?}");
    assert!(codes.is_empty(), "{codes:?}");
}

#[test]
fn calls_of_the_library_that_may_not_be_given_what_they_need_are_told_where_nobody_asks() {
    let head = "int printf(const char *, ...); int sprintf(char *, const char *, ...); void reach_error(void); int nondet(void);
        char *pick(int n) { return n ? \"yes\" : 0; } void unused(char *s) { printf(\"%s\", s); }";
    let met = |body: &str, overflow| {
        let program = parsed(&format!(
            "{head} int main(void) {{ int n = nondet(); char b[12];\n{body}\nif (n != n) reach_error(); return 0; }}"
        ));
        let outcome = outcome(&program, overflow);
        (outcome.verdict, outcome.undefined)
    };
    for overflow in [Overflow::Wrap, Overflow::Assume] {
        for fine in ["printf(\"%d\\n\", n);", "printf(\"%s\", \"fixed\");"] {
            assert_eq!(met(fine, overflow), (Verdict::Holds, Vec::new()), "{fine}");
        }
        for open in ["printf(\"%s\", pick(n));", "sprintf(b, \"%d and more\", n);"] {
            let (verdict, met) = met(open, overflow);
            assert_eq!(verdict, Verdict::Holds, "{open}");
            let told: Vec<_> = met.iter().map(|(kind, place)| (*kind, place.line)).collect();
            assert_eq!(told, [(Met::Library, 3)], "{open}");
        }
    }
}
