//! Procedures without a body: which of them are inputs, which are known, and that no violation rests on one that is neither; what
//! compilers make of a violation with its harness.

use std::process::Command;

#[path = "support/c_texts.rs"]
#[allow(dead_code, reason = "others ask for more")]
mod c_texts;

use puch::abstraction::Tuning;
use puch::c::program::Overflow;
use puch::c::{self, Malloc, Program, Reading, Undefined, Unit};
use puch::question::Failures;
use puch::refinement::{
    Copies, Options, Outcome, Question, Round, Unknown, Verdict, decide, harness, not_given, refine,
};
use puch::report::source::Source;
use puch::transition::undefined::Undefined as Met;

const HEAD: &str = "extern int nondet(); extern void reach_error();\n";

fn read(text: &str, undefined: Undefined) -> Result<Program, String> {
    let options = c::Options { undefined, ..c::Options::default() };
    c_texts::read(text, &options).map_err(|all| all.join("\n"))
}

fn parsed(text: &str) -> Program {
    read(text, Undefined::default()).unwrap_or_else(|wrong| panic!("{wrong}\n{text}"))
}

fn options(overflow: Overflow) -> Options {
    Options { overflow, tuning: Tuning::default(), check: puch::Options::default(), rounds: Some(8), donor: None }
}

fn outcome(program: &Program, overflow: Overflow) -> Outcome {
    refine(program, &options(overflow), &mut |_: &Round<'_>| {})
}

fn verdict(text: &str) -> Verdict {
    outcome(&parsed(&format!("{HEAD}{text}")), Overflow::Wrap).verdict
}

/// That nothing fails, or that it is not known.
#[track_caller]
fn is_not_violated(text: &str) {
    let verdict = verdict(text);
    assert!(matches!(verdict, Verdict::Holds | Verdict::Unknown(_)), "{verdict:?}\n{text}");
}

/// That it is not known, because of this procedure.
#[track_caller]
fn depends_on(name: &str, text: &str) {
    match verdict(text) {
        Verdict::Unknown(Unknown::Depends(why)) => assert!(why.contains(name), "{why}\n{text}"),
        other => panic!("{other:?}\n{text}"),
    }
}

#[track_caller]
fn is_violated(text: &str) {
    let verdict = verdict(text);
    assert!(matches!(verdict, Verdict::Violated(..)), "{verdict:?}\n{text}");
}

#[track_caller]
fn holds(text: &str) {
    assert_eq!(verdict(text), Verdict::Holds, "{text}");
}

/// Declarations as a preprocessor leaves those of the system's headers.
fn from_header(declarations: &str, text: &str) -> String {
    format!("# 1 \"/usr/include/some.h\" 1 3 4\n{declarations}\n# 2 \"prog.c\" 2\n{text}")
}

#[test]
fn no_violation_depends_on_what_a_function_of_the_library_returns() {
    let all = [
        ("time", "long time(long *);", "time((long *) 0) == 5"),
        ("lrint", "long lrint(double);", "lrint(1e30) != 1"),
        ("getchar", "int getchar(void);", "getchar() == 100"),
        ("__builtin_constant_p", "", "!__builtin_constant_p(1)"),
        ("__builtin_powi", "", "__builtin_powi(1.0, 2) != 1"),
    ];
    for (name, declared, condition) in all {
        depends_on(name, &format!("{declared} int main() {{ if ({condition}) reach_error(); return 0; }}"));
    }
}

#[test]
fn what_a_function_of_the_library_returns_is_known_where_it_has_a_model() {
    let all = [
        ("int strcmp(const char *, const char *);", "strcmp(\"a\", \"a\") != 0"),
        ("int strncmp(const char *, const char *, unsigned long);", "strncmp(\"a\", \"a\", 1) != 0"),
        ("int memcmp(const void *, const void *, unsigned long);", "memcmp(\"a\", \"a\", 1) != 0"),
        ("char *strchr(const char *, int);", "strchr(\"a\", 'a') == 0"),
        ("int toupper(int);", "toupper('a') != 'A'"),
        ("int isprint(int);", "!isprint('a')"),
        ("int atoi(const char *);", "atoi(\"12\") != 12"),
        ("int rand(void);", "rand() < 0"),
        ("", "__builtin_popcount(3) != 2"),
        ("", "__builtin_ctz(4) != 2"),
        ("", "__builtin_clz(1) != 31"),
        ("", "__builtin_ffs(4) != 3"),
        ("", "__builtin_bswap32(1) != 0x1000000"),
        ("", "__builtin_strcmp(\"a\", \"a\") != 0"),
    ];
    for (declared, condition) in all {
        holds(&format!("{declared} int main() {{ if ({condition}) reach_error(); return 0; }}"));
        is_violated(&format!("{declared} int main() {{ if (!({condition})) reach_error(); return 0; }}"));
    }
}

#[test]
fn a_function_that_only_a_header_of_the_system_declares_is_the_librarys() {
    let text = "int main() { if (frobnicate(1) == 2) reach_error(); return 0; }";
    depends_on("frobnicate", &from_header("extern int frobnicate(int);", text));
    is_violated(&format!("extern int frobnicate(int); {text}"));
}

#[test]
fn what_does_not_depend_on_an_unknown_function_is_decided() {
    is_violated("int strcmp(const char *, const char *); int main() { strcmp(\"a\", \"b\"); reach_error(); }");
    is_violated("int rand(void); int main() { int x = nondet(), y = rand(); if (x == 77) reach_error(); return y; }");
    is_violated(
        "int strcmp(const char *, const char *);
        int main() { char a[2] = \"a\"; strcmp(a, \"b\"); if (a[0] == 'a') reach_error(); }",
    );
    holds(
        "int printf(const char *, ...); int main() { const char *f = \"x\"; int g = 4; printf(f, g); if (g != 4) reach_error(); }",
    );
    holds("int rand(void); int main() { int x = rand() & 3; if (x > 3) reach_error(); return 0; }");
    holds("int rand(void); int main() { int x = rand(); if (x != x) reach_error(); return 0; }");
}

#[test]
fn what_an_unknown_function_may_have_written_is_not_known() {
    let reader = "long strtol(const char *, char **, int); int scanf(const char *, ...);";
    depends_on("scanf", &format!("{reader} int main() {{ int x = 0; scanf(\"%d\", &x); if (x == 0) reach_error(); }}"));
    is_not_violated(&format!(
        "{reader} int main() {{ int x = 0; scanf(\"%d\", &x); if (x == 1) reach_error(); return 0; }}"
    ));
    is_not_violated("long time(long *); int main() { long t = 5; time(&t); if (t == 5) reach_error(); return 0; }");
    // What it calls may have written anything, or ended the program.
    let sorts = "void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *)); int called;
        int compare(const void *a, const void *b) { called = 1; return 0; }";
    is_not_violated(&format!(
        "{sorts} int main() {{ int a[2] = {{2, 1}}; qsort(a, 2, 4, compare); if (!called) reach_error(); return 0; }}"
    ));
    is_not_violated(&format!(
        "{sorts} struct s {{ int (*f)(const void *, const void *); }}; void hsearch(struct s *);
        int main() {{ struct s s = {{compare}}; hsearch(&s); if (!called) reach_error(); return 0; }}"
    ));
    // Through two pointers, and through one of which it is not known where it points.
    is_not_violated(
        "void tsearch(void *); struct s { int *p; }; int main() { int x = 1; struct s s = {&x}; tsearch(&s); if (x == 1) reach_error(); }",
    );
    is_not_violated(
        "char *strchr(const char *, int); char *strcpy(char *, const char *);
        int main() { char a[4] = \"abc\"; strcpy(strchr(a, 'b'), \"x\"); if (a[1] == 'b') reach_error(); return 0; }",
    );
}

#[test]
fn printf_writes_only_if_its_format_says_so() {
    let with = |format: &str| {
        format!(
            "int printf(const char *, ...); int main() {{ int n = 0; printf({format}, &n); if (n == 0) reach_error(); }}"
        )
    };
    is_not_violated(&with("\"ab%n\""));
    is_not_violated(&with("\"a\" \"b%\" \"n\""));
    is_violated(&with("\"%n\""));
    depends_on("printf", &with("\"%p %n\", &n"));
    is_violated(&with("\"%p\""));
    is_violated(&with("\"100%%n %p\""));
    let stream =
        "extern void *stderr; int fprintf(void *, const char *, ...); int main() { int n = 0; fprintf(stderr, ";
    depends_on("fprintf", &format!("{stream}\"%p%hhn\", &n, &n); if (n == 0) reach_error(); }}"));
    is_violated(&format!("{stream}\"%d\", n); if (n == 0) reach_error(); }}"));
}

#[test]
fn absolute_values_are_known() {
    holds(
        "int abs(int); int main() { int x = nondet(); if (x > -10 && x < 10 && abs(x) < 0) reach_error(); return 0; }",
    );
    holds("long labs(long); int main() { if (labs(-5000000000) != 5000000000) reach_error(); return 0; }");
    is_violated("int abs(int); int main() { int x = nondet(); if (x < 0 && abs(x) == 3) reach_error(); return 0; }");
    let program = parsed("int abs(int); extern int nondet(); int main() { int x = nondet(); return abs(x); }");
    assert!(matches!(outcome(&program, Overflow::Check).verdict, Verdict::Violated(..)), "abs(INT_MIN)");
    depends_on("abs", "unsigned abs(unsigned); int main() { if (abs(3) != 3) reach_error(); return 0; }");
    holds("int main() { long x = nondet(); if (__builtin_labs(x) < 0 || labs(x) < 0) reach_error(); return 0; }");
    // An own one is an own one, unless a compiler takes its name for the library's.
    is_violated("static int abs(int x) { return -1; } int main() { if (abs(3) == -1) reach_error(); return 0; }");
    let shared = verdict("int abs(int x) { return -1; } int main() { if (abs(3) == -1) reach_error(); return 0; }");
    assert!(matches!(shared, Verdict::Unknown(_)), "{shared:?}");
}

#[test]
fn functions_of_the_library_mean_the_same_through_pointers() {
    let through = |name: &str| {
        format!(
            "int {name}(const char *, const char *);
            int main() {{ int (*p)(const char *, const char *) = {name}; if (p(\"a\", \"a\")) reach_error(); return 0; }}"
        )
    };
    depends_on("strcoll", &through("strcoll"));
    holds(&through("strcmp"));
    is_not_violated("int abs(int); int (*p)(int) = abs; int main() { if (p(-3) != 3) reach_error(); return 0; }");
    is_violated("int abs(int); int (*p)(int) = abs; int main() { if (p(-3) == 3) reach_error(); return 0; }");
    holds("void abort(void); int main() { void (*p)(void) = abort; p(); reach_error(); return 0; }");
    holds(
        "void exit(int); struct s { void (*end)(int); }; int main() { struct s s = {exit}; s.end(1); reach_error(); }",
    );
    is_violated("int main() { void (*p)() = reach_error; p(); return 0; }");
    is_violated("void *malloc(unsigned long); void free(void *);
        int main() { void *(*get)(unsigned long) = malloc; int *x = get(4); if (x) { *x = 5; if (*x == 5) reach_error(); } }");
    is_not_violated(
        "char *strchr(const char *, int);
        int main() { char a[2] = \"a\"; char *(*p)(const char *, int) = strchr; char *q = p(a, 'a'); *q = 'b';
          if (a[0] == 'a') reach_error(); return 0; }",
    );
    let refused = "int on_exit(void (*)(void)); int main() { int (*p)(void (*)(void)) = on_exit; return p(0); }";
    assert!(read(refused, Undefined::default()).is_err());
}

#[test]
fn an_error_that_the_program_defines_is_one_through_a_pointer_too() {
    let text = "void abort(void); void reach_error(void) { abort(); }
        int main() { void (*p)(void) = reach_error; p(); return 0; }";
    assert!(matches!(outcome(&parsed(text), Overflow::Wrap).verdict, Verdict::Violated(..)));
}

#[test]
fn what_a_procedure_returns_through_a_pointer_may_point_to_what_it_was_given() {
    let text = "char *ext(char *); int main() { char a = 0; char *(*p)(char *) = ext; char *q = p(&a); if (q == &a) { *q = 1; if (a == 1) reach_error(); } }";
    assert!(!matches!(verdict(text), Verdict::Holds), "it does if `ext` returns its argument");
}

#[test]
fn what_a_procedure_may_write_or_call_through_a_pointer_is_no_less_than_by_its_name() {
    let writes =
        "void ext(int *); int main() { int x = 0; void (*p)(int *) = ext; p(&x); if (x) reach_error(); return 0; }";
    assert!(!matches!(verdict(writes), Verdict::Holds));
    let calls = "void ext(void (*)(void)); void back(void) { reach_error(); }
        int main() { void (*p)(void (*)(void)) = ext; p(back); return 0; }";
    assert!(!matches!(verdict(calls), Verdict::Holds));
}

#[test]
fn functions_that_may_not_return_are_not_passed() {
    is_not_violated("int raise(int); int main() { raise(9); reach_error(); return 0; }");
    is_not_violated("int kill(int, int); int getpid(void); int main() { kill(getpid(), 9); reach_error(); return 0; }");
    is_not_violated("int execv(const char *, char **); int main() { execv(\"x\", 0); reach_error(); return 0; }");
    holds(&from_header(
        "void err(int, const char *, ...) __attribute__((noreturn));",
        "int main() { err(1, \"x\"); reach_error(); }",
    ));
}

#[test]
fn memory_may_be_gone_after_realloc() {
    let text = "void *malloc(unsigned long); void *realloc(void *, unsigned long);
        int main() { int *p = malloc(4); if (!p) return 0; *p = 1; realloc(p, 400); *p = 2; return 0; }";
    let verdict = outcome(&parsed(text), Overflow::Check).verdict;
    assert!(!matches!(verdict, Verdict::Holds), "{verdict:?}");
}

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
fn variables_of_the_library_change_when_it_likes() {
    let declared = "extern int errno; double sqrt(double);";
    is_not_violated(&format!("{declared} int main() {{ if (errno == 33) reach_error(); return 0; }}"));
    let changed =
        format!("{declared} int main() {{ errno = 0; sqrt(-1.0); if (errno != 0) reach_error(); return 0; }}");
    assert!(!matches!(verdict(&changed), Verdict::Holds));
    is_not_violated("extern void *stdin; int main() { if (stdin == 0) reach_error(); return 0; }");
    is_not_violated(&from_header(
        "struct f; extern struct f *stdout;",
        "int main() { if (!stdout) reach_error(); return 0; }",
    ));
    let pointer = "extern int errno; int main() { int *p = &errno; return *p; }";
    assert!(read(pointer, Undefined::default()).is_err());
    // One that the program defines is its own.
    is_violated("int errno = 3; int main() { if (errno == 3) reach_error(); return 0; }");
    is_violated("extern int unheard; int main() { if (unheard == 3) reach_error(); return 0; }");
}

#[test]
fn builtins_have_their_types() {
    is_not_violated(
        "int main() { unsigned long v = __builtin_bswap64(1ull); if (v > 0x7fffffff && v < 0xffffffff80000000) return 0; reach_error(); }",
    );
    let wide = "int main() { unsigned long v = __builtin_bswap64(nondet()); if (v <= 0x7fffffff || v >= 0xffffffff80000000) return 0; reach_error(); }";
    assert!(!matches!(verdict(wide), Verdict::Holds), "it is no int");
    is_not_violated("int main() { float f = __builtin_nanf(\"\"); if (f == f) reach_error(); return 0; }");
    is_not_violated(
        "int main() { long x = 1; if (__sync_fetch_and_add(&x, 5) != 1 || x != 6) reach_error(); return 0; }",
    );
    is_not_violated(
        "int main() { int r = 0; if (__builtin_add_overflow(1, 2, &r) || r != 3) reach_error(); return 0; }",
    );
    // Nothing is evaluated for it.
    holds("int main() { int x = 1; __builtin_constant_p(x++); if (x != 1) reach_error(); return 0; }");
    assert!(read("int main() { return __builtin_of_no_compiler(1); }", Undefined::default()).is_err());
}

fn wished(all: Option<Reading>, named: &[(&str, Reading)]) -> Undefined {
    Undefined { all, named: named.iter().map(|(name, reading)| ((*name).to_owned(), *reading)).collect() }
}

#[test]
fn who_says_so_makes_functions_inputs_or_unknown_or_refuses_them() {
    let text = "int strcoll(const char *, const char *); int ext(void); extern void reach_error(void);
        int main() { if (strcoll(\"a\", \"a\")) reach_error(); return 0; }
        int other() { if (ext() == 3) reach_error(); return 0; }";
    let of = |main: &str, undefined: Undefined| {
        let unit = Unit { name: "prog.c", text, preprocessed: None };
        let options = c::Options { undefined, main: Some(main.to_owned()), ..c::Options::default() };
        c::read(&[unit], &options).map(|read| outcome(&read.program, Overflow::Wrap).verdict)
    };
    let violated = |verdict| matches!(verdict, Ok(Verdict::Violated(..)));
    let unknown = |verdict| matches!(verdict, Ok(Verdict::Unknown(Unknown::Depends(_))));
    assert!(unknown(of("main", wished(None, &[]))) && violated(of("other", wished(None, &[]))));
    assert!(violated(of("main", wished(None, &[("strcoll", Reading::Input)]))));
    assert!(unknown(of("main", wished(Some(Reading::Input), &[]))));
    assert!(unknown(of("other", wished(Some(Reading::Unknown), &[]))));
    assert!(unknown(of("other", wished(None, &[("ext", Reading::Unknown)]))));
    assert!(violated(of("other", wished(Some(Reading::Unknown), &[("ext", Reading::Input)]))));
    assert!(of("main", wished(Some(Reading::Refuse), &[])).is_err());
    assert!(of("main", wished(None, &[("ext", Reading::Refuse)])).is_err());
    for name in ["main", "reach_error", "nowhere"] {
        assert!(of("main", wished(None, &[(name, Reading::Input)])).is_err(), "{name}");
    }
}

#[test]
fn the_command_takes_readings_and_names() {
    let directory = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("undefined");
    std::fs::create_dir_all(&directory).expect("a directory");
    let file = directory.join("rand.c");
    let text = "int rand(void); int ext(void); extern void reach_error(void);
        int main(void) { if (ext() == 1 && rand() == 2) reach_error(); return 0; }";
    std::fs::write(&file, text).expect("it can be written");
    let asked = |options: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_puch"));
        let output = command.arg("check").arg(&file).args(options).output().expect("puch runs");
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (code, said) = asked(&["--format", "json"]);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("\"reason_kind\": \"havoc\"") && said.contains("depends on the result of `rand`"), "{said}");
    assert_eq!(asked(&["--undefined", "input=rand"]).0, Some(1));
    assert_eq!(asked(&["--undefined", "arbitrary=rand,ext", "--undefined", "refuse"]).0, Some(1));
    assert_eq!(asked(&["--undefined", "input=rand", "--undefined", "unknown"]).0, Some(3));
    for wrong in ["refuse", "refuse=ext", "input=nobody", "input=", "nonsense"] {
        assert_eq!(asked(&["--undefined", wrong]).0, Some(2), "{wrong}");
    }
}

#[test]
fn runs_that_go_on_for_ever_do_not_depend_on_the_library() {
    let ends = |text: &str| {
        let program = parsed(&format!("{HEAD}{text}"));
        decide(&program, &Question::Termination, &options(Overflow::Wrap), &mut |_: &Round<'_>| {}).outcome.verdict
    };
    let depends = ends("int rand(void); int main() { while (rand() % 2 == 0) { } return 0; }");
    assert!(matches!(depends, Verdict::Unknown(_)), "{depends:?}");
    let forever = ends("int rand(void); int main() { while (1) { rand(); } return 0; }");
    assert!(matches!(forever, Verdict::Endless(..)), "{forever:?}");
    assert_eq!(
        ends("void abort(void); int main() { void (*p)(void) = abort; while (1) p(); return 0; }"),
        Verdict::Holds
    );
}

/// How many inputs of a violation cannot be given, the program having been linked with its harness and having failed if there are none;
/// `None` without a compiler.
fn fails_with_harness(name: &str, text: &str, flags: &[&str]) -> Option<usize> {
    if Command::new("cc").arg("--version").output().is_err() {
        println!("skipped: there is no cc");
        return None;
    }
    let program = parsed(text);
    let found = outcome(&program, Overflow::Wrap).verdict;
    let Verdict::Violated(inputs, _) = found else { panic!("{found:?}\n{text}") };
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
    let Verdict::Violated(inputs, _) = outcome(&program, Overflow::Wrap).verdict else { panic!("it is violated") };
    assert_eq!(not_given(&program, &inputs, &Copies::default()).len(), 1);
    assert!(
        harness(&program, &inputs, &Copies::default()).contains("`x`, which nobody has assigned, is 3"),
        "{}",
        harness(&program, &inputs, &Copies::default())
    );
    let text =
        "int rand(void); extern void reach_error(void); int main(void) { if (rand() == 3) reach_error(); return 0; }";
    let program = read(text, wished(None, &[("rand", Reading::Input)])).expect("it can be read");
    let Verdict::Violated(inputs, _) = outcome(&program, Overflow::Wrap).verdict else { panic!("it is violated") };
    let written = harness(&program, &inputs, &Copies::default());
    assert!(written.contains("what `rand` of the library returns is 3") && !written.contains("rand()"), "{written}");
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

#[test]
fn inputs_are_named_after_what_nobody_has_assigned() {
    let text = "extern void reach_error(void); extern int ext(void);
        struct s { int a; struct { unsigned f : 3, h : 3; int g[4]; } in; };
        int main(int argc, char **argv) {
            struct s v[2]; int *q = &v[1].in.g[2]; int x;
            if (argc == 3 && v[0].in.h == 5 && *q == 9 && ext() == 7 && x == 6) reach_error();
            return 0; }";
    let program = parsed(text);
    let Verdict::Violated(inputs, _) = outcome(&program, Overflow::Wrap).verdict else { panic!("it is violated") };
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
        let Verdict::Violated(inputs, _) = outcome(&parsed(&text), Overflow::Wrap).verdict else { panic!("{text}") };
        let allocations: Vec<i128> = inputs.iter().filter(|one| one.is_allocation()).map(|one| one.value).collect();
        assert_eq!(allocations, [vec![1; asked - 1], vec![0]].concat(), "{text}");
        if let Some(missing) = fails_with_harness(&format!("lacking {name}"), &text, &[]) {
            assert_eq!(missing, 0, "{name}");
        }
    }
}

#[test]
fn allocations_that_never_fail_are_no_inputs() {
    let text =
        "void *malloc(unsigned long); extern void reach_error(void); int main(void) { if (!malloc(4)) reach_error(); }";
    for (malloc, fails) in [(Malloc::MayFail, true), (Malloc::Succeeds, false)] {
        let options = c::Options { malloc, ..c::Options::default() };
        let program = c_texts::read(text, &options).expect("it can be read");
        let found = outcome(&program, Overflow::Wrap).verdict;
        assert_eq!(matches!(found, Verdict::Violated(..)), fails, "{found:?}");
        assert_eq!(found == Verdict::Holds, !fails, "{found:?}");
    }
}
