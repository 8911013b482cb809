//! Functions of C files by themselves: what callers have to establish, and what fails although they do.

mod agreed;
mod command;
#[path = "../support/compiled.rs"]
#[allow(dead_code, reason = "others ask for more")]
mod compiled;
mod contracts;
mod diff;
mod edits;
mod followed;
mod freed;
mod harnessed;
mod lengths;
mod limited;
mod modular;
mod numbers;
mod objects;
mod random;
#[path = "../support/seeds.rs"]
mod seeds;
#[path = "../shell/mod.rs"]
mod shell;
mod termination;

use std::time::{Duration, Instant};

use puch::answer::Verdict;
use puch::c::program::Overflow;
use puch::c::{self, Unit};
use puch::functions::apart::needed;
use puch::functions::contract::read;
use puch::functions::summary::Summaries;
use puch::functions::{Answer, Class, analyse};
use puch::limits::Limits;
use puch::nullness::{Kind, Options};

/// What is known of a function, which gets so many seconds.
fn asked(text: &str, name: &str, seconds: u64) -> Answer {
    asked_with(text, "", name, seconds)
}

/// The same with contracts.
fn asked_with(text: &str, contracts: &str, name: &str, seconds: u64) -> Answer {
    asked_all(text, contracts, name, seconds, &[Kind::Null, Kind::Assert])
}

/// The same of uses that can go wrong in these ways.
fn asked_of(text: &str, name: &str, seconds: u64, kinds: &[Kind]) -> Answer {
    asked_all(text, "", name, seconds, kinds)
}

fn asked_all(text: &str, contracts: &str, name: &str, seconds: u64, kinds: &[Kind]) -> Answer {
    asked_within(text, contracts, name, Duration::from_secs(seconds), kinds)
}

/// The same of a function that gets as long as this.
fn asked_within(text: &str, contracts: &str, name: &str, time: Duration, kinds: &[Kind]) -> Answer {
    let contracted = read::names(contracts).into_iter().collect();
    let reading = c::Options { main: Some(name.to_owned()), open: true, contracted, ..c::Options::default() };
    let unit = Unit { name: "t.c", text, preprocessed: None };
    let mut program = c::read(&[unit], &reading).expect("it can be read").program;
    read::read_written(&mut program).expect("contracts can be read");
    read::read(&mut program, "contracts", contracts).expect("contracts can be read");
    let usual = Options::default();
    let limits = Limits { deadline: Instant::now().checked_add(time), ..Limits::NONE };
    let check = puch::options::Options { limits, ..usual.check };
    let overflow = if kinds.contains(&Kind::Overflow) { Overflow::Assume } else { usual.overflow };
    analyse(
        &needed(&program),
        &Summaries::new(),
        2,
        &Options { check, kinds: kinds.iter().copied().collect(), overflow, ..usual },
    )
}

/// How many uses of a kind are of a class.
fn count(answer: &Answer, kind: Kind, class: Class) -> usize {
    answer.uses.iter().filter(|(one, of)| one.kind == kind && *of == class).count()
}

/// The conditions that callers have to establish.
fn obligations(answer: &Answer) -> Vec<&str> {
    answer.obligations.iter().map(|one| one.condition.as_str()).collect()
}

fn holds(text: &str, name: &str, conditions: &[&str]) {
    let answer = asked(text, name, 30);
    assert!(matches!(answer.verdict, Verdict::Holds), "{name}: {:?} of {text}", answer.verdict);
    assert_eq!(obligations(&answer), conditions, "{name} of {text}");
}

/// The state in which it fails.
fn fails(text: &str, name: &str, conditions: &[&str]) -> String {
    let answer = asked(text, name, 30);
    let Verdict::Violated(run) = &answer.verdict else { panic!("{name}: {:?} of {text}", answer.verdict) };
    assert_eq!(obligations(&answer), conditions, "{name} of {text}");
    run.steps.first().map_or_else(String::new, ToString::to_string)
}

const LIST: &str =
    "struct node { int v; struct node *next; }; static int *own; extern int *shared; extern void other(void);\n";

#[test]
fn what_a_function_uses_without_asking_is_an_obligation_of_its_callers() {
    holds("int f(int *p) { return *p; }", "f", &["p != NULL"]);
    holds("int f(int *p) { return p ? *p : 0; }", "f", &[]);
    holds("int f(int *p, int *q) { if (p) return *q; return 0; }", "f", &["q != NULL"]);
    holds(&format!("{LIST} int f(void) {{ return *own; }}"), "f", &["own != NULL"]);
    holds(&format!("{LIST} int f(struct node *n) {{ return n->next->v; }}"), "f", &["n != NULL", "n->next != NULL"]);
    holds(
        &format!("{LIST} int f(struct node *n) {{ int s = 0; for (; n; n = n->next) s += n->v; return s; }}"),
        "f",
        &[],
    );
}

/// What callers have to establish, all of which was shown to be needed by a run that was executed.
fn shown(text: &str, name: &str, conditions: &[&str]) {
    let answer = asked_of(text, name, 30, &[Kind::Null, Kind::Bounds]);
    assert!(matches!(answer.verdict, Verdict::Holds), "{name}: {:?} of {text}", answer.verdict);
    let mut told = obligations(&answer);
    told.sort_unstable();
    assert_eq!(told, conditions, "{name} of {text}");
    assert!(answer.obligations.iter().all(|one| one.shown), "{:?} of {text}", answer.obligations);
}

const COPIED: &str = "typedef unsigned long size_t; size_t strlen(const char *); char *strcpy(char *, const char *); \
                      int memcmp(const void *, const void *, size_t); void *malloc(size_t); void *memcpy(void *, const void *, size_t);\n";

#[test]
fn obligations_are_shown_to_be_needed_by_runs_that_break_just_one() {
    shown(&format!("{COPIED} size_t f(const char *s) {{ return strlen(s); }}"), "f", &["s != NULL"]);
    let keys = "int f(void *p, const void *a, const void *b) { size_t n = strlen(a); if (n != strlen(b)) return 0; return memcmp(a, b, n); }";
    shown(&format!("{COPIED}{keys}"), "f", &["a != NULL", "b != NULL"]);
    let front = "int f(const char *s, int *n) { if ((s[-1] & 7) == 0 && s[0] != 0) *n = s[-1] >> 3; return 0; }";
    shown(front, "f", &["n != NULL", "s != NULL"]);
    let typed = "struct s { int *q; }; int f(void *p, int *n) { struct s *s = p; if (!s || !s->q) return 0; *n = *s->q; return 1; }";
    shown(typed, "f", &["n != NULL"]);
    // What the library leaves undefined.
    shown("int isalpha(int); int f(int c) { return isalpha(c) ? 1 : 0; }", "f", &["c <= 255", "c >= -1"]);
    // What goes wrong first is another use.
    let pairs =
        "int f(const int *p, int n) { int c = 0; for (int i = 0; i + 1 < n; i++) c += p[i] > p[i + 1]; return c; }";
    shown(pairs, "f", &["n <= elements(p)", "p != NULL"]);
}

#[test]
fn what_is_copied_does_not_overlap_where_callers_see_to_it() {
    let is_granted = |answer: &Answer| answer.assumptions.iter().any(|one| one.contains("does not overlap"));
    let asked = |text: &str| asked_of(&format!("{COPIED}{text}"), "f", 20, &[Kind::Null, Kind::Bounds]);
    let given = asked("void f(char *d, const char *s) { if (d && s) strcpy(d, s); }");
    assert!(matches!(given.verdict, Verdict::Holds) && is_granted(&given), "{given:?}");
    let own = asked("void f(char *d) { if (d) strcpy(d + 1, d); }");
    assert!(own.verdict.claims_run() && !is_granted(&own), "{own:?}");
    let none = asked("size_t f(const char *s) { return s ? strlen(s) : 0; }");
    assert!(matches!(none.verdict, Verdict::Holds) && !is_granted(&none), "{none:?}");
}

#[test]
fn what_fails_for_callers_that_keep_them_is_told_with_the_state_at_the_entry() {
    assert_eq!(fails("int f(int *p) { return *p; } int g(void) { return f(0); }", "g", &[]), "g(…)");
    let text = "int f(int **a, int **b) { if (*a) { *b = 0; return **a; } return 0; }";
    let state = fails(text, "f", &["a != NULL", "b != NULL"]);
    assert_eq!(state, "f(…)  a=an object  b=a  a[0]=an object");
    let text = "static int *s; int f(int **q) { if (s) { *q = 0; *s = 1; } return 0; }";
    assert_eq!(fails(text, "f", &["q != NULL"]), "f(…)  q=&s  s=an object");
    let text = "int g; int *h(void) { g = 0; return 0; } int f(int *(*k)(void)) { return k ? *k() : 1; }";
    assert_eq!(fails(text, "f", &[]), "f(…)  k=h");
}

#[test]
fn recursive_calls_get_no_condition_for_nothing() {
    fails("int f(int *p, int n) { if (n > 0) return f(n > 5 ? p : 0, n - 1); return *p; }", "f", &[]);
    holds("int f(int *p, int n) { if (n > 0) return f(p, n - 1); return *p; }", "f", &["p != NULL"]);
}

#[test]
fn what_is_elsewhere_may_change_all_that_it_gets_at() {
    for call in ["other();", "h();", "given();", "int x = given(); if (x) return x;"] {
        let text = format!(
            "{LIST} int given(void); int f(void (*h)(void)) {{ if (own && h) {{ {call} return *own; }} return 0; }}"
        );
        let answer = asked(&text, "f", 10);
        assert_ne!(answer.verdict, Verdict::Holds, "{text}");
        let text = format!(
            "{LIST} int given(void);
             int f(struct node *n, void (*h)(void)) {{ if (n && n->next && h) {{ {call} return n->next->v; }} return 0; }}"
        );
        let answer = asked(&text, "f", 10);
        assert_ne!(answer.verdict, Verdict::Holds, "{text}");
    }
    holds(&format!("{LIST} int f(int *p) {{ if (p) {{ other(); return *p; }} return 0; }}"), "f", &[]);
}

/// Nobody else calls a `static` function whose address nobody has; one that has another name can be called by that.
#[test]
fn what_only_the_file_can_name_is_called_by_nobody_else() {
    let is_reached = |more: &str| {
        let text = format!(
            "extern void (*hook)(void); static int *p; static void clear(void) {{ p = 0; }} {more}
             int main(void) {{ static int x; p = &x; if (hook) hook(); return *p; }}"
        );
        let unit = Unit { name: "t.c", text: &text, preprocessed: None };
        let program =
            c::read(&[unit], &c::Options { open: true, ..c::Options::default() }).expect("it can be read").program;
        let clear = program.procedure_named("clear").expect("it is there");
        puch::points_to::points_to(&program).is_reached(clear)
    };
    assert!(!is_reached(""));
    assert!(is_reached("void also(void) __attribute__((alias(\"clear\")));"));
    assert!(is_reached("void (*also)(void) = clear;"));
    assert!(is_reached("void also(void) { clear(); }"));
}

#[test]
fn what_is_const_is_what_it_says() {
    holds("static int x; static int *const p = &x; int f(void) { return *p; }", "f", &[]);
    holds("static int x; static int *p = &x; int f(void) { return *p; }", "f", &["p != NULL"]);
}

#[test]
fn functions_called_through_pointers_are_asked_about_by_themselves() {
    let text = "static int use(int *p) { return *p; } int f(int (*g)(int *)) { return g ? g(0) : use(&(int){1}); }
        int h(void) { return f(use); }";
    holds(text, "f", &[]);
    holds(text, "use", &["p != NULL"]);
}

#[test]
fn no_caller_that_keeps_the_obligations_meets_null_where_none_is_said_to_be() {
    let (mut proved, mut failing, mut seen, mut calls) = (0, 0, 0, 0);
    for seed in seeds::seeds(1..8) {
        let functions = random::functions(seed);
        for number in 0..random::FUNCTIONS {
            let name = format!("f{number}");
            // Macros are read as a preprocessor leaves them.
            let text = random::read(&functions).replace("#define U(p) (p)", "").replace("U(", "(");
            let answer = asked(&text, &name, 2);
            let (fine, fails) = random::lines(&answer);
            let Some(printed) = compiled::printed(&random::caller(&functions, number, &answer, 20_000), &[]) else {
                return;
            };
            for line in printed.lines() {
                if let Some(count) = line.strip_prefix("calls ") {
                    calls += count.parse::<usize>().expect("a number");
                    continue;
                }
                seen += 1;
                let line: u32 = line.parse().expect("a number");
                assert!(!fine.contains(&line), "seed {seed}, {name}, line {line} of\n{text}\n{answer:#?}");
            }
            proved += fine.len();
            failing += fails;
            // What is an obligation is no failure.
            assert!(count(&answer, Kind::Null, Class::Fails) == 0 || matches!(answer.verdict, Verdict::Violated(_)));
        }
    }
    // How many are told to fail depends on how much time there is.
    assert!(proved > 0 && seen > 0 && calls > 0, "{proved} {failing} {seen} {calls}");
    eprintln!("{proved} lines proved, {failing} uses failing, {seen} lines seen to fail in {calls} calls");
}

const STACK: &str =
    "struct stack { int n; int data[8]; }; void __assert_fail(const char *, const char *, unsigned, const char *);\n";

/// What callers have to establish so that nothing goes wrong of all that is asked about, if that is enough.
fn demanded(text: &str, name: &str) -> Vec<String> {
    let answer = asked_of(text, name, 30, &Kind::ALL);
    assert!(matches!(answer.verdict, Verdict::Holds), "{name}: {:?} of {text}", answer.verdict);
    answer.obligations.into_iter().map(|one| one.condition).collect()
}

#[test]
fn numbers_that_go_wrong_are_excluded_by_obligations() {
    assert_eq!(demanded("int f(unsigned a, unsigned b) { return a / b; }", "f"), ["b != 0u"]);
    assert_eq!(demanded("static int t[16]; int f(int i) { return t[i]; }", "f"), ["i >= 0", "i < 16"]);
    assert_eq!(demanded("unsigned f(unsigned x, unsigned by) { return x << by; }", "f"), ["by < 32u"]);
    assert_eq!(demanded("int f(int x) { return x < 0 ? -x : x; }", "f"), ["x != -2147483648"]);
    let text = "int f(int n) { int a[10] = {0}, s = 0; for (int i = 0; i < n; i++) a[i] = 1; return s; }";
    assert_eq!(demanded(text, "f"), ["n <= 10"]);
    assert_eq!(demanded("int f(int a, int b) { if (b > 0) return a / b; return 0; }", "f"), Vec::<String>::new());
    let text = format!("{STACK} int f(struct stack *s) {{ if (s->n <= 0) __assert_fail(0, 0, 0, 0); return 1; }}");
    assert_eq!(demanded(&text, "f"), ["s != NULL", "s->n > 0"]);
}

#[test]
fn what_goes_wrong_although_obligations_are_kept_is_told_with_the_way() {
    let text = "int divide(int a, int b) { return a / b; } int f(int x) { return divide(x, 0); }";
    let answer = asked_of(text, "f", 30, &Kind::ALL);
    assert!(matches!(answer.verdict, Verdict::Violated(_)), "{:?}", answer.verdict);
    assert_eq!(count(&answer, Kind::Division, Class::Fails), 1);
    let text = "static int t[16]; int at(int i) { return t[i]; }
        int f(int i) { if (i < 0 || i > 16) return 0; if (i == 16) return at(i); return at(i); }";
    let answer = asked_of(text, "f", 30, &Kind::ALL);
    assert_eq!(count(&answer, Kind::Bounds, Class::Fails), 0, "{answer:?}");
    assert_eq!(obligations(&answer), ["i < 16"]);
}

/// Numbers that exclude each other exclude every call.
#[test]
fn no_obligation_is_one_that_nobody_can_keep() {
    let text =
        "int f(int x) { int t[4]; if (x > 2) return 1 / (x - x); return t[x + 9 - 9] = 8 / (x - 1 < 9 ? 0 : 1); }";
    let answer = asked_of(text, "f", 30, &[Kind::Division]);
    assert!(!matches!(answer.verdict, Verdict::Holds), "{answer:?}");
    let both = "void reach_error(void); int f(int n) { if (n < 5) reach_error(); if (n > 3) reach_error(); return n; }";
    assert!(matches!(asked_of(both, "f", 30, &[Kind::Assert]).verdict, Verdict::Violated(_)));
    assert!(count(&answer, Kind::Division, Class::Obligation) < 2, "{answer:?}");
}

#[test]
fn nothing_goes_wrong_for_callers_that_keep_the_obligations_where_nothing_is_said_to() {
    let (mut proved, mut failing, mut seen, mut calls) = (0, 0, 0, 0);
    for seed in seeds::seeds(1..5) {
        let functions = numbers::functions(seed);
        for number in 0..numbers::FUNCTIONS {
            let answer = asked_of(&functions.read, &format!("f{number}"), 2, &Kind::ALL);
            let fine = numbers::fine(&answer);
            let Some(printed) = compiled::printed(&numbers::caller(&functions, number, &answer, 50_000), &[]) else {
                return;
            };
            for line in printed.lines() {
                let (line, kind) = line.split_once(' ').expect("two words");
                let kind: usize = kind.parse().expect("a number");
                let Ok(line) = line.parse::<u32>() else {
                    calls += kind;
                    continue;
                };
                seen += 1;
                let text = &functions.read;
                let at = (line, Kind::ALL[kind]);
                assert!(!fine.contains(&at), "seed {seed}, f{number}, {at:?} of\n{text}\n{answer:#?}");
            }
            proved += fine.len();
            failing += Kind::ALL.iter().map(|kind| count(&answer, *kind, Class::Fails)).sum::<usize>();
        }
    }
    // How many are told to fail depends on how much time there is.
    assert!(proved > 0 && seen > 0 && calls > 0, "{proved} {failing} {seen} {calls}");
    eprintln!("{proved} lines proved, {failing} uses failing, {seen} lines seen to fail in {calls} calls");
}

#[test]
fn what_floating_point_numbers_keep_from_being_known_says_so() {
    let text = "int f(double x) { int t[2] = {0}; if (x < 2.5) return t[x > 1.0 ? 2 : 0]; return 0; }";
    let answer = asked_of(text, "f", 30, &[Kind::Bounds]);
    let why = answer.verdict.unknown().unwrap_or_else(|| panic!("{:?}", answer.verdict));
    assert_eq!(why.sentence, "depends on a comparison of floating-point values (line 1)");
}

#[test]
fn what_is_not_asked_is_listed() {
    let text = "int f(double d, int n) { return (int)(d * 2) + (n & 7); }";
    let listed =
        |kinds: &[Kind], what: &str| asked_of(text, "f", 30, kinds).assumptions.iter().any(|one| one.contains(what));
    assert!(listed(&Kind::ALL, "floating-point numbers fit"));
    assert!(
        !listed(&[Kind::Null], "floating-point numbers fit")
            && listed(&[Kind::Null], "signed arithmetic leaves its type")
    );
    assert!(listed(&Kind::ALL, "arrays behind pointers that have one element or none"));
}
