//! Calls of the C library: what models of its procedures do is what the compiled library does, what C leaves open decides nothing, and what
//! the program defines itself is the program's.

extern crate puch_programs as puch;

#[path = "support/c_texts.rs"]
#[allow(dead_code, reason = "nothing is refused here")]
mod c_texts;
#[path = "support/compiled.rs"]
mod compiled;
#[path = "c_library/drawn.rs"]
mod drawn;
#[path = "c_library/ending.rs"]
mod ending;
#[path = "support/printing.rs"]
mod printing;
#[path = "support/seeds.rs"]
mod seeds;

use std::fmt::Write as _;

use c_texts::{executed, parsed, returns, verdict};
use drawn::{case, printed, scanned};
use fastrand::Rng;
use puch::c::program::Overflow;
use puch::c::types::DataModel;
use puch::c::{self, Unit};
use puch::interpreter::{End, Fault};
use puch::question::Failures;
use puch::refinement::{Options, Outcome, Question, Verdict, decide};
use puch::transition::undefined::Undefined;

/// What all texts declare.
const DECLARED: &str = "
    typedef unsigned long size_t;
    void *memchr(const void *, int, size_t); int memcmp(const void *, const void *, size_t); void *memcpy(void *, const void *, size_t);
    void *memmove(void *, const void *, size_t); void *memset(void *, int, size_t); void *mempcpy(void *, const void *, size_t);
    void *memrchr(const void *, int, size_t); void *memccpy(void *, const void *, int, size_t);
    size_t strlen(const char *); size_t strnlen(const char *, size_t); char *strcpy(char *, const char *);
    char *strncpy(char *, const char *, size_t); char *stpcpy(char *, const char *); char *stpncpy(char *, const char *, size_t);
    char *strcat(char *, const char *); char *strncat(char *, const char *, size_t); int strcmp(const char *, const char *);
    int strncmp(const char *, const char *, size_t); int strcasecmp(const char *, const char *);
    int strncasecmp(const char *, const char *, size_t); char *strchr(const char *, int); char *strrchr(const char *, int);
    char *strchrnul(const char *, int); char *strstr(const char *, const char *); size_t strspn(const char *, const char *);
    size_t strcspn(const char *, const char *); char *strpbrk(const char *, const char *); char *strdup(const char *);
    char *strndup(const char *, size_t); char *strtok(char *, const char *); char *strtok_r(char *, const char *, char **);
    char *strsep(char **, const char *);
    int isalnum(int); int isalpha(int); int isblank(int); int iscntrl(int); int isdigit(int); int isgraph(int); int islower(int);
    int isprint(int); int ispunct(int); int isspace(int); int isupper(int); int isxdigit(int); int isascii(int); int toascii(int);
    int tolower(int); int toupper(int); const unsigned short **__ctype_b_loc(void); int *__errno_location(void); int remove(const char *);
    int abs(int); long labs(long); int atoi(const char *); long atol(const char *); long long atoll(const char *);
    long strtol(const char *, char **, int); unsigned long strtoul(const char *, char **, int);
    long long strtoll(const char *, char **, int); unsigned long long strtoull(const char *, char **, int);
    void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
    void *bsearch(const void *, const void *, size_t, size_t, int (*)(const void *, const void *));
    int sprintf(char *, const char *, ...); int snprintf(char *, size_t, const char *, ...);
    int vsprintf(char *, const char *, __builtin_va_list); int sscanf(const char *, const char *, ...);
    void *malloc(size_t); void free(void *); int rand(void); int ext(void); void assert(int);
";

/// What cases use: a number made of bytes, the sign of a number, an order of numbers.
const HELPERS: &str = "
    static unsigned long sum(const char *s, size_t n) { unsigned long h = 5381; size_t i; for (i = 0; i < n; i++) h = h * 33 + (unsigned char)s[i]; return h; }
    static int sign(int n) { return n < 0 ? -1 : n > 0; }
    static int listed(char *b, const char *format, ...) {
        __builtin_va_list list; int n; __builtin_va_start(list, format); n = vsprintf(b, format, list); __builtin_va_end(list); return n; }
    static int order(const void *a, const void *b) { return *(const int *)a < *(const int *)b ? -1 : *(const int *)a > *(const int *)b; }
";

#[test]
fn scanf_reads_what_the_compiled_library_reads_or_says_that_it_is_not_known() {
    let mut rng = Rng::with_seed(seeds::seeds(26..27).start);
    let cases: Vec<String> = (0..150).map(|_| scanned(&mut rng)).collect();
    let known = known_as_compiled(&cases);
    assert!(known.is_none_or(|known| known > 100), "{known:?} of {}", cases.len());
}

#[test]
fn models_do_what_the_compiled_library_does() {
    let mut rng = Rng::with_seed(seeds::seeds(26..27).start);
    let cases: Vec<String> = (0..600).map(|_| case(&mut rng)).collect();
    are_as_compiled(&cases);
}

#[test]
fn printf_writes_what_the_compiled_library_writes() {
    let mut rng = Rng::with_seed(seeds::seeds(26..27).start);
    let cases: Vec<String> = (0..80).map(|_| printed(&mut rng)).collect();
    are_as_compiled(&cases);
}

/// Bodies of functions return what they do when compiled.
#[track_caller]
fn are_as_compiled(cases: &[String]) {
    let known = known_as_compiled(cases);
    assert!(known.is_none_or(|known| known == cases.len()), "{known:?} of {}", cases.len());
}

/// How many bodies of functions are known to return what they do when compiled; of none something else is known.
#[track_caller]
fn known_as_compiled(cases: &[String]) -> Option<usize> {
    let mut functions = format!("{DECLARED}{HELPERS}");
    for (number, body) in cases.iter().enumerate() {
        let _ = writeln!(functions, "static long f{number}(void) {{ {body} }}");
    }
    let calls: String = (0..cases.len()).map(|n| format!("printf(\"%ld\\n\", f{n}()); ")).collect();
    let compiled = format!("int printf(const char *, ...);\n{functions}int main(void) {{ {calls} return 0; }}");
    let printed = compiled::printed(&compiled, &["-fwrapv", "-fno-strict-aliasing", "-fno-builtin"])?;
    let mut known = 0;
    for (number, (body, expected)) in cases.iter().zip(printed.lines()).enumerate() {
        let expected: i64 = expected.parse().expect("a number was printed");
        let expected = format!("({}L - 1)", expected.wrapping_add(1));
        let program = format!(
            "{DECLARED}{HELPERS}static long f(void) {{ {body} }} int main(void) {{ return f() != {expected}; }}"
        );
        let end = executed(&program, Overflow::Wrap, &[1, 1, 1, 1]).end;
        match end {
            End::Returned(Some(0)) => known += 1,
            End::Unknown(_) => eprintln!("case {number} is not known: {body}"),
            end => panic!("case {number}: {body} is not {expected}: {end:?}"),
        }
    }
    Some(known)
}

fn options() -> Options {
    let tuning = puch::abstraction::Tuning::default();
    Options {
        overflow: Overflow::Wrap,
        tuning,
        check: puch::options::Options::default(),
        rounds: Some(12),
        donor: None,
    }
}

/// The verdict of a question about assertions; what hangs on what the library chooses is sorted out.
fn decided(body: &str) -> Verdict {
    let program = parsed(&format!("{DECLARED}{body}"), DataModel::LP64);
    decide(&program, &Question::Failures(Failures::All), &options(), &mut |_| {}).outcome.verdict
}

#[track_caller]
fn holds(body: &str) {
    assert_eq!(decided(body), Verdict::Holds, "{body}");
}

#[track_caller]
fn is_violated(body: &str) {
    assert!(matches!(decided(body), Verdict::Violated(..)), "{body}");
}

#[track_caller]
fn hangs_on(body: &str, name: &str) {
    let Verdict::Unknown(why) = decided(body) else { panic!("{body} is decided") };
    assert!(why.to_string().contains(&format!("the result of `{name}`")), "{why}: {body}");
}

#[test]
fn strcmp_has_a_sign_and_no_value() {
    holds("int main(void) { int r = strcmp(\"b\", \"a\"); assert(r > 0); }");
    holds("int main(void) { assert(strcmp(\"b\", \"a\") > 0); assert(!strcmp(\"a\", \"a\")); }");
    is_violated("int main(void) { int r = strcmp(\"b\", \"a\"); assert(r < 1); }");
    is_violated("int main(void) { assert(strcmp(\"a\", \"b\") == 0); }");
    hangs_on("int main(void) { int r = strcmp(\"b\", \"a\"); assert(r != 1); }", "strcmp");
    hangs_on("int main(void) { assert(strcmp(\"b\", \"a\") == 1); }", "strcmp");
    hangs_on("int main(void) { int r = memcmp(\"b\", \"a\", 1); assert(r == 1); }", "memcmp");
}

#[test]
fn a_class_of_characters_is_true_and_no_number() {
    holds("int main(void) { assert(isdigit('7')); assert(!isdigit('x')); }");
    holds("int main(void) { int r = isdigit('7'); assert(r != 0); }");
    is_violated("int main(void) { assert(isalpha('7')); }");
    hangs_on("int main(void) { int r = isdigit('7'); assert(r == 1); }", "isdigit");
    hangs_on("int main(void) { assert(isdigit('7') > 0); }", "isdigit");
}

#[test]
fn what_macros_of_ctype_look_at_is_known() {
    holds(
        "int main(void) { assert((*__ctype_b_loc())[(int)'a'] & 1024); assert(!((*__ctype_b_loc())[(int)'7'] & 1024)); }",
    );
    is_violated("int main(void) { assert((*__ctype_b_loc())[(int)'a'] & 256); }");
}

#[test]
fn the_number_of_the_last_error_is_there_and_anything() {
    holds(
        "int main(void) { int *p = 0; *__errno_location() = 0; if (*__errno_location() == 2) p = &(int){ 1 }; assert(!p || *p == 1); }",
    );
    // Whatever is called may change it, whoever knows where it is.
    hangs_on("int main(void) { *__errno_location() = 0; assert(*__errno_location() == 0); }", "__errno_location");
    for kept in ["&*__errno_location()", "__errno_location()"] {
        let text = format!("{DECLARED} int main(void) {{ int *p = {kept}; *p = 0; remove(\"t\"); assert(*p == 0); }}");
        let wrong = c::read(&[Unit { name: "t.c", text: &text, preprocessed: None }], &c::Options::default());
        let wrong = format!("{:?}", wrong.expect_err("it is refused"));
        assert!(
            wrong.contains("`__errno_location`, unless what is there is used at once, is not supported"),
            "{wrong}"
        );
    }
}

#[test]
fn rand_is_not_negative_and_else_anything() {
    holds("int main(void) { assert(rand() >= 0); }");
    hangs_on("int main(void) { assert(rand() != 5); }", "rand");
    hangs_on("int main(void) { int a = rand(), b = rand(); assert(a != b); }", "rand");
    is_violated("int main(void) { int n = rand(); assert(n < 0); }");
}

#[test]
fn equal_elements_are_sorted_in_any_order() {
    let sorted = "struct s { int key, tag; };
        int cmp(const void *a, const void *b) { return ((const struct s *)a)->key - ((const struct s *)b)->key; }
        int main(void) { struct s a[3] = { { 2, 1 }, { 1, 2 }, { 1, 3 } }; qsort(a, 3, sizeof *a, cmp);";
    hangs_on(&format!("{sorted} assert(a[0].tag == 2); }}"), "qsort");
    is_violated(&format!("{sorted} assert(a[2].tag != 1); }}"));
}

#[test]
fn how_often_elements_are_compared_is_not_known() {
    let counted = "int n; int cmp(const void *a, const void *b) { n++; return *(const int *)a - *(const int *)b; }
        int main(void) { int a[2] = { 1, 2 }; qsort(a, 2, sizeof *a, cmp);";
    assert!(matches!(decided(&format!("{counted} assert(n == 1); }}")), Verdict::Unknown(_)));
}

#[test]
fn what_is_undefined_in_the_library_is_undefined_where_it_is_called() {
    let wrong = |body: &str, line: u32, fault: Fault| {
        let outcome = executed(&format!("{}\n{body}", DECLARED.replace('\n', " ")), Overflow::Check, &[1, 1]);
        assert_eq!((outcome.end, outcome.place.line), (End::Wrong(fault), line), "{body}");
    };
    wrong("int main(void) { char *p = 0;\nreturn strlen(p); }", 3, Fault::Null);
    wrong("int main(void) { char b[3];\nstrcpy(b, \"abc\"); }", 3, Fault::OutOfBounds);
    wrong("int main(void) { char b[9] = \"abc\";\nstrcpy(b + 1, b); }", 3, Fault::OutOfBounds);
    wrong("int main(void) { char b[9];\nmemcpy(b + 1, b, 3); }", 3, Fault::OutOfBounds);
    wrong("int main(void) { strcat(\"abc\", \"d\"); }", 2, Fault::Constant);
    wrong("int main(void) { return __builtin_clz(0); }", 2, Fault::OutOfBounds);
    wrong("int main(void) { return isdigit(1000); }", 2, Fault::OutOfBounds);
    wrong("int main(void) { char b[8];\n__builtin___memcpy_chk(b, \"abc\", 4, 3); }", 3, Fault::OutOfBounds);
    wrong(
        "char *__stpcpy_chk(char *, const char *, size_t); int main(void) { char b[8];\n__stpcpy_chk(b, \"abc\", 3); }",
        3,
        Fault::OutOfBounds,
    );
    wrong(
        "struct s { int x[2]; }; int main(void) { char b[16]; struct s *p = (void *)b, *q = (void *)(b + 4);\nmemcpy(p, q, 8); }",
        3,
        Fault::OutOfBounds,
    );
}

#[test]
fn what_the_program_defines_is_its_own() {
    returns("unsigned long strlen(const char *s) { return 7; } int main(void) { return strlen(\"a\"); }", 7);
    returns("static int abs(int n) { return 3; } int main(void) { return abs(-1); }", 3);
    returns("unsigned long strlen(const char *s) { return 7; } int main(void) { return __builtin_strlen(\"a\"); }", 1);
    returns("int index, rand; int main(void) { index = 4; return index + rand; }", 4);
    returns(
        "int isdigit(int, int); int isdigit(int a, int b) { return a + b; } int main(void) { return isdigit(1, 2); }",
        3,
    );
}

#[test]
fn a_procedure_that_is_declared_otherwise_is_another_one() {
    let end = executed("long strlen(int); int main(void) { return strlen(3); }", Overflow::Check, &[]).end;
    assert!(matches!(end, End::Unknown(_)), "{end:?}");
}

#[test]
fn procedures_of_the_library_are_called_through_pointers() {
    returns(&format!("{DECLARED} int main(void) {{ size_t (*f)(const char *) = strlen; return f(\"abc\"); }}"), 3);
    returns(&format!("{DECLARED} int main(void) {{ int (*f)(int) = toupper; return f('a') == 'A'; }}"), 1);
}

#[test]
fn runs_that_depend_on_inputs_are_followed_through_the_library() {
    is_violated(
        "int main(void) { char b[4] = \"abc\"; int n = ext(); if (n >= 0 && n < 3) { b[n] = 0; assert(strlen(b) != 2); } }",
    );
    assert!(matches!(
        verdict(
            "int ext(void); int abs(int); void assert(int); int main(void) { int n = ext(); if (n > -100) assert(abs(n) >= 0); }",
            Overflow::Wrap,
            9
        ),
        Verdict::Holds
    ));
}

#[test]
fn what_is_copied_onto_itself_stays_what_it_is() {
    let same = "int main(void) { char b[8] = \"abc\"; int n = 3, *p = &n;
        memcpy(b, b, 8); strcpy(b, b); strncpy(b, b, 8); stpcpy(b, b); memcpy(p, &n, sizeof n); return n + b[2]; }";
    returns(&format!("{DECLARED}{same}"), 3 + i128::from(b'c'));
    holds(&same.replace("return n + b[2]", "assert(n == 3)"));
}

/// A structure with padding.
const RECORD: &str = "struct s { int a; char c; struct s *next; };";

#[test]
fn whole_objects_are_copied_as_what_they_are() {
    for copy in ["memcpy", "memmove", "mempcpy", "__builtin_memcpy"] {
        holds(&format!(
            "{RECORD} int main(void) {{ struct s x, y; x.a = ext(); x.c = 3; x.next = &x; {copy}(&y, &x, sizeof x); assert(y.a == x.a && y.c == 3 && y.next == &x); }}"
        ));
        is_violated(&format!(
            "{RECORD} int main(void) {{ struct s x, y; x.a = ext(); x.c = 3; x.next = &x; {copy}(&y, &x, sizeof x); assert(y.a != 7); }}"
        ));
    }
    holds(&format!(
        "{RECORD} int main(void) {{ struct s *x = malloc(sizeof *x), *y = malloc(sizeof *y); if (!x || !y) return 0;
            x->a = ext(); x->next = x; memcpy(y, x, sizeof *y); assert(y->a == x->a && y->next == x); return 0; }}"
    ));
    holds(
        "int main(void) { int a[4] = { 1, ext(), 3, 4 }, b[4]; memcpy(b, a, sizeof a); assert(b[1] == a[1] && b[3] == 4); }",
    );
    holds(
        "int main(void) { int a[3] = { 1, 2, 3 }; memmove(a, a + 1, 2 * sizeof *a); assert(a[0] == 2 && a[1] == 3 && a[2] == 3); }",
    );
}

#[test]
fn whole_objects_are_set_as_what_they_are() {
    holds(&format!(
        "{RECORD} int main(void) {{ struct s x; memset(&x, 0, sizeof x); assert(x.a == 0 && x.c == 0 && x.next == 0); }}"
    ));
    holds("int main(void) { int a[3]; memset(a, -1, sizeof a); assert(a[2] == -1); }");
    is_violated("int main(void) { unsigned a[3]; memset(a, 1, sizeof a); assert(a[2] != 0x01010101); }");
}

#[test]
fn what_is_between_members_is_copied_and_nobody_knows_it() {
    let body = "struct s { char c; int n; }; int main(void) { static struct s x; struct s y; x.n = ext();
        ((unsigned char *)&x)[2] = 5; memcpy(&y, &x, sizeof x);";
    returns(&format!("{DECLARED}{} return ((unsigned char *)&y)[2]; }}", body.replace("ext()", "1")), 5);
    assert!(matches!(
        decided(&format!("{body} assert(((unsigned char *)&y)[2] == 6); }}")),
        Verdict::Violated(..) | Verdict::Unknown(_)
    ));
    assert!(!matches!(decided(&format!("{body} assert(((unsigned char *)&y)[2] == 5); }}")), Verdict::Violated(..)));
}

/// What is said of a program with these declarations and this body of `main`, after so many rounds.
fn said(declared: &str, body: &str, rounds: usize) -> Outcome {
    let head = "typedef unsigned long size_t; void reach_error(void); extern size_t nondet(void);";
    let program = parsed(&format!("{head} {declared} int main(void) {{ {body} return 0; }}"), DataModel::LP64);
    let options = Options { rounds: Some(rounds), ..options() };
    decide(&program, &Question::Failures(Failures::All), &options, &mut |_| {}).outcome
}

#[test]
fn more_zeroed_parts_than_a_size_can_say_are_null() {
    let found = |body: &str| said("extern void *calloc(size_t, size_t);", body, 12).verdict;
    assert_eq!(found("if (calloc((size_t)-1, 2)) reach_error();"), Verdict::Holds);
    assert_eq!(
        found("size_t n = nondet(); if (n > 0x4000000000000000 && calloc(n, 4)) reach_error();"),
        Verdict::Holds
    );
    assert_eq!(found("size_t m = 1; m <<= 33; if (calloc(m, m)) reach_error();"), Verdict::Holds);
    let through = "void *(*f)(size_t, size_t) = calloc;";
    assert_eq!(found(&format!("{through} if (f((size_t)-1, 4)) reach_error();")), Verdict::Holds);
    assert!(found("size_t n = nondet(); if (n < 9 && calloc(n, n)) reach_error();").run().is_some());
    assert!(found("if (calloc(3, 4)) reach_error();").run().is_some());
    assert!(found(&format!("{through} if (f(3, 4)) reach_error();")).run().is_some());
}

#[test]
fn a_program_without_inputs_is_executed_with_each_allocation_that_fails() {
    // Nothing can be said without a round of refinement but of what is executed.
    let all = |body: &str| said("extern void *malloc(size_t); int n;", body, 0);
    let found = |body: &str| all(body).verdict;
    let two = "int *p = malloc(4), *q = malloc(4); n = !p + !q;";
    assert_eq!(found(&format!("{two} if (n > 2) reach_error();")), Verdict::Holds);
    for reached in 0..=2 {
        let failed = found(&format!("{two} if (n == {reached}) reach_error();"));
        let lacking = failed.run().map(|run| run.inputs.iter().filter(|one| one.is_allocation() && one.value == 0));
        assert_eq!(lacking.map(Iterator::count), Some(reached), "{failed:?}");
    }
    // What is evaluated first is asked for behind it, and not told as an input.
    let failed = found("int *p = malloc(4), a[2] = {0}, i = 0; a[i] = i++; if (p) reach_error();");
    let asked = failed.run().map(|run| run.inputs.iter().map(|one| one.is_allocation()).collect::<Vec<_>>());
    assert_eq!(asked, Some(vec![true, false]), "{failed:?}");
    assert!(found("int *p = malloc(4); if (!p) reach_error();").run().is_some());
    assert!(all("int *p = malloc(4); if (p) *p = 3;").undefined.is_empty());
}

#[test]
fn who_does_not_look_whether_an_allocation_fails_is_told() {
    let told = said("extern void *malloc(size_t);", "int *p = malloc(4); *p = 3; if (*p != 3) reach_error();", 0);
    assert_eq!(told.verdict, Verdict::Holds, "no run goes on behind what is undefined");
    let places: Vec<_> = told.undefined.iter().map(|(kind, place)| (*kind, place.line)).collect();
    assert_eq!(places, [(Undefined::Access, 1)]);
}

#[test]
fn compilers_may_compute_abs_although_the_program_defines_it() {
    let found = |own: &str, body: &str| said(own, body, 12).verdict;
    let wrong = "long long llabs(long long x) { return 5; }";
    assert_eq!(found(wrong, "if (llabs(-5) != 5) reach_error();"), Verdict::Holds);
    let why = match found(wrong, "if (llabs(-6) != 6) reach_error();") {
        Verdict::Unknown(why) => why.to_string(),
        other => panic!("{other:?}"),
    };
    assert!(why.contains("calls the program's own `llabs`"), "{why}");
    assert!(found(wrong, "if (llabs(-6) == 6) reach_error();").run().is_some());
    assert!(found(wrong, "llabs(-6); reach_error();").run().is_some());
    // No compiler has one of another linkage or type.
    assert!(found("static int abs(int x) { return 5; }", "if (abs(-6) != 6) reach_error();").run().is_some());
    assert!(found("char abs(char x) { return 5; }", "if (abs(-6) != 6) reach_error();").run().is_some());
}

#[test]
fn printing_wrongly_is_undefined() {
    let ends = |body: &str, fault: Fault| {
        let text = format!("{DECLARED} int printf(const char *, ...); int main(void) {{ {body} return 0; }}");
        assert_eq!(executed(&text, Overflow::Check, &[]).end, End::Wrong(fault), "{body}");
    };
    ends("char b[4]; sprintf(b, \"%d\", 1000);", Fault::OutOfBounds);
    ends("printf((char *)0);", Fault::Null);
    ends("printf(\"%s\", (char *)0);", Fault::Null);
    ends("printf(\"%d %d\", 1);", Fault::Format);
    ends("printf(\"%d\", 1L);", Fault::Format);
    ends("printf(\"%d\", 1.0);", Fault::Format);
    ends("char b[9] = \"ab\"; sprintf(b, \"%sc\", b);", Fault::OutOfBounds);
    ends("char b[2] = { 'a', 'b' }; printf(\"%s\", b);", Fault::OutOfBounds);
    ends("printf(\"%n\", (int *)\"abc\");", Fault::Constant);
}

#[test]
fn what_is_printed_is_known_in_runs_and_open_in_proofs() {
    let declared = "int printf(const char *, ...); int puts(const char *); int getchar(void);";
    holds(&format!("{declared} int main(void) {{ assert(printf(\"%5d\", 3) == 5 && puts(\"ab\") == 3); }}"));
    holds("int main(void) { char b[9]; int n = sprintf(b, \"%x\", 255); assert(n == 2 && b[1] == 'f' && !b[2]); }");
    hangs_on(&format!("{declared} int main(void) {{ int n = ext(); assert(printf(\"%d\", n) > 0); }}"), "printf");
    hangs_on("int main(void) { char b[20]; sprintf(b, \"%p\", (void *)b); assert(b[0] == '0'); }", "sprintf");
    hangs_on(&format!("{declared} int main(void) {{ assert(getchar() != 7); }}"), "getchar");
    is_violated(&format!(
        "{declared} int main(void) {{ char b[9]; int x = ext(); sprintf(b, \"%d\", x % 9); assert(x != 5); }}"
    ));
}

#[test]
fn a_list_of_arguments_is_handed_on_and_then_open() {
    let listed = "int last(int n, __builtin_va_list l) { return vsnprintf(0, 0, \"%d%d\", l) + n; }
        int all(const char *f, ...) { __builtin_va_list l; int n; __builtin_va_start(l, f); n = last(1, l); __builtin_va_end(l); return n; }
        int vsnprintf(char *, size_t, const char *, __builtin_va_list);";
    let text = format!(
        "{DECLARED} int vsnprintf(char *, size_t, const char *, __builtin_va_list); {listed} int main(void) {{ return all(\"\", 12, 345); }}"
    );
    assert_eq!(executed(&text, Overflow::Wrap, &[]).end, End::Returned(Some(6)));
}

#[test]
fn sscanf_and_strtod_read_what_the_compiled_library_reads() {
    let body = r#"
        int a, b, n; char s[20], c; double d; float f; long long l; unsigned u; short h; long double x; char *e;
        if (sscanf("12 -7 abc", "%d %d %s", &a, &b, s) != 3 || a != 12 || b != -7 || strcmp(s, "abc")) return 1;
        if (sscanf("1.5e2x", "%lf%c", &d, &c) != 2 || d != 150 || c != 'x') return 2;
        if (sscanf("ff 0x1A 077", "%x %x %i%n", &u, &a, &b, &n) != 3 || u != 255 || a != 26 || b != 63 || n != 11) return 3;
        if (sscanf("", "%d", &a) != -1) return 4;
        if (sscanf("x", "%d", &a) != 0) return 5;
        if (sscanf("a=5,b=6", "a=%d,b=%hd", &a, &h) != 2 || a != 5 || h != 6) return 6;
        if (sscanf("hello world", "%5[a-z]%*c%3s", s, s + 10) != 2 || strcmp(s, "hello") || strcmp(s + 10, "wor")) return 7;
        if (sscanf("9223372036854775807", "%lld", &l) != 1 || l != 9223372036854775807LL) return 8;
        if (sscanf("0.1 3.25", "%f %Lf", &f, &x) != 2 || f != 0.1f || x != 3.25L) return 9;
        if (strtod("  -2.5e-1q", &e) != -0.25 || *e != 'q') return 10;
        if (strtod("abc", &e) != 0 || *e != 'a' || strtod("1.e", &e) != 1 || *e != 'e') return 11;
        if (strtof("0.1", 0) != 0.1f || atof("7.25") != 7.25) return 12;
        if (sscanf("%5", "%%%d", &a) != 1 || a != 5) return 13;
        if (sscanf("123456", "%3d%d", &a, &b) != 2 || a != 123 || b != 456) return 14;
        return 0;"#;
    let text = format!(
        "{DECLARED} int sscanf(const char *, const char *, ...); double strtod(const char *, char **); float strtof(const char *, char **);
        double atof(const char *); int main(void) {{ {body} }}"
    );
    returns(&text, 0);
    let compiled = text.replace("int main(void)", "int printf(const char *, ...); static int all(void)");
    let compiled = format!("{compiled} int main(void) {{ printf(\"%d\\n\", all()); return 0; }}");
    if let Some(printed) = compiled::printed(&compiled, &["-fno-builtin"]) {
        assert_eq!(printed.trim(), "0", "the compiled library reads something else");
    }
}

#[test]
fn realloc_keeps_what_was_there_and_may_fail() {
    let declared = format!("{DECLARED} void *realloc(void *, size_t);");
    let text = format!(
        "{declared} int main(void) {{ int *a = malloc(4), *b; a[0] = 7; b = realloc(a, 400); if (!b) {{ free(a); return 0; }}
        if (b[0] != 7) return 1; b[99] = 3; b = realloc(b, 4); if (b && b[0] != 7) return 2; free(b); return 0; }}"
    );
    returns(&text, 0);
    let ends = |body: &str, fault: Fault| {
        let text = format!("{declared} int main(void) {{ {body} return 0; }}");
        assert_eq!(executed(&text, Overflow::Check, &[1; 9]).end, End::Wrong(fault), "{body}");
    };
    ends("int x; realloc(&x, 8);", Fault::BadFree);
    ends("int *a = malloc(4), *b = realloc(a, 8); a[0] = 1;", Fault::Dead);
    ends("int *b = realloc(malloc(4), 8); b[2] = 1;", Fault::OutOfBounds);
    is_violated(
        "void *realloc(void *, size_t); int main(void) { char *a = malloc(4); a = realloc(a, 8); assert(a != 0); }",
    );
}

#[test]
fn quotient_and_rest_come_at_once() {
    returns(
        "typedef struct { int quot, rem; } div_t; div_t div(int, int); typedef struct { long rem, quot; } ldiv_t; ldiv_t ldiv(long, long);
        int main(void) { div_t d = div(-17, 5); ldiv_t l = ldiv(17, -5); return !(d.quot == -3 && d.rem == -2 && l.quot == -3 && l.rem == 2); }",
        0,
    );
}

#[path = "support/c11.rs"]
mod c11;

/// What a program may rely on in a function of the library, in a word.
fn class(name: &str) -> &'static str {
    use puch::c::bodiless::{Does, Meaning, Undefined, meaning};
    match meaning(name, true, &Undefined::default()) {
        Meaning::Unsupported => "refused",
        Meaning::Model => "modelled",
        Meaning::Print(_) => "executed",
        Meaning::Unknown(_) if puch::interpreter::is_known(name) => "executed",
        Meaning::Unknown(Does::Reads) => "arbitrary",
        Meaning::Unknown(Does::Writes) => "writes",
        Meaning::Unknown(Does::Leaves) => "leaves",
        Meaning::Unknown(Does::Frees) => "frees",
        Meaning::Input => "input",
        _ => "represented",
    }
}

/// What a verdict takes on trust of what procedures leave alone that the program does not define.
fn left_alone(body: &str) -> Vec<String> {
    let program = parsed(&format!("{DECLARED}{body}"), DataModel::LP64);
    let answer = decide(&program, &Question::Failures(Failures::All), &options(), &mut |_| {});
    assert_eq!(answer.outcome.verdict, Verdict::Holds, "{body}");
    let trusted = answer.program.unverified.into_iter().filter(|trusted| trusted.code == "frames");
    trusted.map(|trusted| trusted.text).collect()
}

#[test]
fn what_undefined_procedures_are_taken_to_leave_alone_is_told() {
    let of = |names: &str| {
        let more = "not what an earlier call was given or has returned, nor variables of other files";
        [format!("calls of {names} are taken to write only what they are given, {more}")]
    };
    // What was handed to an earlier call, what one has returned, and what another file may have.
    let given = "void set(int *); void other(void); int main(void) { int x; set(&x); x = 1; other(); assert(x == 1); }";
    assert_eq!(left_alone(given), of("`set`, `other`"));
    let again = "void set(int *); int main(void) { int x; while (ext()) { x = 1; assert(x == 1); set(&x); } }";
    assert_eq!(left_alone(again), of("`ext`, `set`"));
    let returned =
        "char *get(void); int main(void) { char *t = get(); if (!t) return 0; char c = *t; get(); assert(*t == c); }";
    assert_eq!(left_alone(returned), of("`get`"));
    let lent = "char *strerror(int); int main(void) { char *t = strerror(9); if (!t) return 0; char c = *t; strerror(5); assert(*t == c); }";
    assert_eq!(left_alone(lent), of("`strerror`"));
    let shared = "void get(void); extern int shared; int main(void) { shared = 1; get(); assert(shared == 1); }";
    assert_eq!(left_alone(shared), of("`get`"));
    // There is nothing that they could know of.
    assert!(
        left_alone("void get(void); int own; int main(void) { own = 1; get(); get(); assert(own == 1); }").is_empty()
    );
    assert!(left_alone("void set(int *); int main(void) { int x; set(&x); x = 1; assert(x == 1); }").is_empty());
    assert!(left_alone("int main(void) { int x = ext(); x = 1; ext(); assert(x == 1); }").is_empty());
}

#[test]
fn the_table_says_what_is_known_of_each_function() {
    let mut header = "";
    let mut known = 0;
    for line in c11::FUNCTIONS.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if line.starts_with('<') {
            header = line;
            continue;
        }
        let (name, told) = line.split_once(':').expect("a name, and what is known");
        let word = told.trim().split(',').next().unwrap_or_default();
        assert_eq!(class(name), word, "{header} {name}");
        assert!(word != "refused" || told.contains(','), "{name} is refused without a reason");
        known += 1;
    }
    assert!(known > 200);
}

#[test]
fn numbers_that_the_library_returns_are_in_their_range_in_proofs() {
    let declared = "typedef struct file FILE; typedef long ssize_t; extern FILE *stdin; int getchar(void); int fgetc(FILE *); int printf(const char *, ...);
        int scanf(const char *, ...); int fputs(const char *, FILE *); size_t fread(void *, size_t, size_t, FILE *); ssize_t read(int, void *, size_t);
        int getpid(void); int putchar(int);";
    let verdict = |condition: &str| {
        let main = format!("int main(void) {{ char b[20]; int i = ext(), j; assert({condition}); return 0; }}");
        verdict(&format!("{DECLARED}{declared}{main}"), Overflow::Wrap, 8)
    };
    let holds = [
        "(j = getchar()) >= -1 && j <= 255",
        "fgetc(stdin) < 256",
        "putchar(i) >= -1",
        "sprintf(b, \"a%c%s\\n\", i, \"xyz\") == 6",
        "(j = sprintf(b, \"%d\", i)) >= 1 && j <= 11",
        "(j = snprintf(b, 3, \"%5d\", i)) >= 5 && j <= 11",
        // If it fails, it is less than 0.
        "(j = printf(\"a%u\\n\", i)) < 0 || j >= 3 && j <= 12",
        "(j = scanf(\"%d %*d %d%n\", &i, &i, &i)) >= -1 && j <= 2",
        "fread(b, 1, 20, stdin) <= 20",
        "(j = read(0, b, 20)) >= -1 && j <= 20",
        "getpid() > 0",
    ];
    for condition in holds {
        assert_eq!(verdict(condition), Verdict::Holds, "{condition}");
    }
    let open = [
        "getchar() != 17",
        "getchar() != -1",
        "printf(\"abc\") == 3",
        "printf(\"abc\") >= -1",
        "snprintf(b, 20, \"%p\", b) > 0",
        "scanf(\"%d %d\", &i, &j) != 2",
        "fread(b, 1, 20, stdin) != 20",
        "getpid() != 1",
    ];
    for condition in open {
        assert!(matches!(verdict(condition), Verdict::Unknown(_)), "{condition}");
    }
}

#[test]
fn operations_that_no_thread_comes_between_are_known() {
    let all = [
        "int x = 3, y = 0; __atomic_load(&x, &y, 5); return y == 3;",
        "int x = 3, y = 7; __atomic_store(&x, &y, 5); return x == 7 && y == 7;",
        "int x = 3, y = 7, z = 0; __atomic_exchange(&x, &y, &z, 5); return x == 7 && y == 7 && z == 3;",
        "int x = 3, y = 3, z = 9; int r = __atomic_compare_exchange(&x, &y, &z, 0, 5, 5); return r && x == 9 && y == 3;",
        "int x = 3, y = 4, z = 9; int r = __atomic_compare_exchange(&x, &y, &z, 0, 5, 5); return !r && x == 3 && y == 3;",
        "char c = 0; int a = __atomic_test_and_set(&c, 5), b = __atomic_test_and_set(&c, 5); __atomic_clear(&c, 5); return !a && b && !c;",
        "_Bool c = 0; void *p = &c; return !__atomic_test_and_set(p, 5) && c;",
        "int a, b, *p = &a, *q = __atomic_load_n(&p, 5); __atomic_store_n(&p, &b, 5); return q == &a && p == &b;",
        "int a, b, *p = &a; return __sync_bool_compare_and_swap(&p, &a, &b) && p == &b && !__sync_bool_compare_and_swap(&p, &a, &b);",
        "int a, b, *p = &a, *q = __atomic_exchange_n(&p, &b, 5); return q == &a && p == &b;",
        "int a, b, *p = &a, *q = &b; int r = __atomic_compare_exchange_n(&p, &q, 0, 0, 5, 5); return !r && q == &a && p == &a;",
        "__atomic_thread_fence(5); __sync_synchronize(); return __atomic_always_lock_free(4, 0) && !__atomic_always_lock_free(3, 0);",
    ];
    for body in all {
        returns(&format!("int main(void) {{ {body} }}"), 1);
    }
    // Compilers return what was in the byte, as a truth value.
    let strange = |asserted: &str| {
        let text = format!(
            "{DECLARED} int main(void) {{ char c = 10; int a = __atomic_test_and_set(&c, 5); assert({asserted}); return 0; }}"
        );
        verdict(&text, Overflow::Wrap, 8)
    };
    assert!(matches!(strange("a"), Verdict::Unknown(_)) && matches!(strange("!a"), Verdict::Unknown(_)));
    assert_eq!(strange("c == 1"), Verdict::Holds);
    let proved = "int main(void) { int x = ext(), y = __atomic_exchange_n(&x, 5, 5), *p = &x; if (!__sync_bool_compare_and_swap(&p, &x, 0)) assert(0); assert(x == 5 && !p); return y; }";
    assert_eq!(verdict(&format!("{DECLARED} {proved}"), Overflow::Wrap, 8), Verdict::Holds);
}
