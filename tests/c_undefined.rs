//! Procedures without a body: which of them are inputs, which are known, and that no violation rests on one that is neither; what
//! compilers make of a violation with its harness.

use std::process::Command;

#[path = "support/c_texts.rs"]
#[allow(dead_code, reason = "others ask for more")]
mod c_texts;
#[path = "c_undefined/demands.rs"]
mod demands;
#[path = "c_undefined/harness.rs"]
mod harnesses;

use puch::abstraction::Tuning;
use puch::c::program::Overflow;
use puch::c::{self, Malloc, Program, Reading, Undefined, Unit};
use puch::question::Failures;
use puch::refinement::{
    Copies, Execution, Onward, Options, Outcome, Question, Round, Verdict, decide, harness, not_given, refine,
};
use puch::source::Source;
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
    Options {
        overflow,
        tuning: Tuning::default(),
        check: puch::options::Options::default(),
        rounds: Some(8),
        donor: None,
    }
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
        Verdict::Unknown(why) if why.kind() == "havoc" => assert!(why.to_string().contains(name), "{why}\n{text}"),
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
    let unknown = |verdict| matches!(verdict, Ok(Verdict::Unknown(why)) if why.kind() == "havoc");
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
    assert!(matches!(forever, Verdict::Violated(Execution { onward: Onward::Repeats(_), .. })), "{forever:?}");
    assert_eq!(
        ends("void abort(void); int main() { void (*p)(void) = abort; while (1) p(); return 0; }"),
        Verdict::Holds
    );
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
