//! Contracts: what is assumed where a function is entered, checked where it is called and where it returns, and taken on trust of what has no
//! body.

use puch::answer::Verdict;
use puch::c::{self, Options, Unit};
use puch::functions::Class;
use puch::functions::contract::inferred::lines;
use puch::nullness::Kind;

use super::{asked, asked_with, count, fails, holds, obligations};

#[test]
fn nonnull_is_assumed_at_the_entry_and_asked_at_calls() {
    for attribute in ["nonnull", "nonnull(1)", "__nonnull__(1, 2)"] {
        let text =
            format!("int g(int *p, int *q) __attribute__(({attribute})); int g(int *p, int *q) {{ return *p; }}");
        holds(&text, "g", &[]);
        assert!(asked(&text, "g", 30).assumptions.iter().any(|one| one.contains("p != NULL")));
        holds(&format!("{text} int f(int *a) {{ return a ? g(a, a) : 0; }}"), "f", &[]);
        holds(&format!("{text} int f(int *a) {{ return g(a, a); }}"), "f", &["a != NULL"]);
        fails(&format!("{text} int f(void) {{ int x = 1; return g(0, &x); }}"), "f", &[]);
    }
    // Only where it is said.
    let text = "__attribute__((nonnull(2))) int g(int *p, int *q) { return *p + *q; }";
    holds(text, "g", &["p != NULL"]);
    // Recursive calls establish it before anybody assumes it.
    fails("__attribute__((nonnull)) int f(int *p, int n) { if (n > 0) return f(0, n - 1); return *p; }", "f", &[]);
    holds("__attribute__((nonnull)) int f(int *p, int n) { if (n > 0) return f(p, n - 1); return *p; }", "f", &[]);
}

#[test]
fn nonnull_of_what_has_no_body_is_asked_at_calls() {
    let text = "int g(const char *s, int n) __attribute__((nonnull)); ";
    holds(&format!("{text} int f(char *s) {{ return g(s, 1); }}"), "f", &["s != NULL"]);
    fails(&format!("{text} int f(void) {{ return g(0, 1); }}"), "f", &[]);
    holds(
        "unsigned long strlen(const char *s) __attribute__((nonnull(1))); unsigned long f(const char *s) { return strlen(s); }",
        "f",
        &["s != NULL"],
    );
}

#[test]
fn what_is_said_to_be_returned_is_proved_or_taken_on_trust() {
    let text = "static int x; __attribute__((returns_nonnull)) int *g(int n) { if (n > 3) return BAD; return &x; } int f(int n) { return *g(n); }";
    let bad = text.replace("BAD", "0");
    fails(&bad, "g", &[]);
    fails(&bad, "f", &[]);
    holds(&text.replace("BAD", "&x + 0"), "g", &[]);
    let extern_ = "int *g(int n) __attribute__((returns_nonnull)); int f(int n) { return *g(n); }";
    holds(extern_, "f", &[]);
    assert!(
        asked(extern_, "f", 30).assumptions.contains(&"`g` keeps its contract: what it returns is not NULL".to_owned())
    );
    let plain = extern_.replace("__attribute__((returns_nonnull))", "");
    assert_ne!(asked(&plain, "f", 30).verdict, Verdict::Holds);
}

#[test]
fn what_does_not_return_has_no_return() {
    let stops = "void stop(void) __attribute__((noreturn)); int f(int *p) { if (!p) stop(); return *p; }";
    holds(stops, "f", &[]);
    let text = "_Noreturn void f(int n) { if (n > 5) return; for (;;) {} }";
    let answer = asked(text, "f", 30);
    assert!(matches!(answer.verdict, Verdict::Violated(_)), "{answer:?}");
    assert_eq!(count(&answer, Kind::Contract, Class::Fails), 1);
    assert_eq!(asked("_Noreturn void f(int n) { for (;;) {} }", "f", 30).verdict, Verdict::Holds);
}

#[test]
fn whoever_calls_through_a_pointer_is_not_asked() {
    let text = "static __attribute__((nonnull)) int use(int *p) { return *p; }
        int f(int (*g)(int *)) { return g ? g(0) : use(&(int){1}); } int h(void) { return f(use); }";
    holds(text, "f", &[]);
    holds(text, "use", &[]);
}

/// What is known of a function under contracts: its verdict in a word, and how many conditions fail.
fn under(text: &str, contracts: &str, name: &str) -> (&'static str, usize) {
    let answer = asked_with(text, contracts, name, 60);
    assert!(obligations(&answer).is_empty(), "{answer:?}");
    (answer.verdict.name(), count(&answer, Kind::Contract, Class::Fails))
}

const LIMITED: &str = "static int table[17]; static int *slots[17]; int *global;
    int use(int *p, int n) { if (n > 16) { return *p; } return n; }
    int fine(int n) { return use(0, n & 7); }
    int wrong(int n) { return use(0, n > 0 ? 20 : 3); }
    int passes(int n) { return use(0, n); }";

#[test]
fn what_is_demanded_is_assumed_at_the_entry_and_checked_at_calls() {
    let contracts = "// limits\nuse: requires n <= 16\npasses: requires n < 10, n >= 0 // both\n";
    assert_eq!(under(LIMITED, contracts, "use"), ("holds", 0));
    assert_eq!(under(LIMITED, contracts, "fine"), ("holds", 0));
    assert_eq!(under(LIMITED, contracts, "wrong"), ("violated", 1));
    assert_eq!(under(LIMITED, contracts, "passes"), ("holds", 0));
    let answer = asked_with(LIMITED, contracts, "use", 30);
    assert!(answer.assumptions.contains(&"callers of `use` establish its contract: n <= 16".to_owned()));
}

#[test]
fn demands_of_recursive_calls_are_checked_too() {
    let text = "int f(int *p, int n) { if (n > 5) return *p; return f(STEP); }";
    let contracts = "f: requires p != NULL || n < 0";
    assert_eq!(under(&text.replace("STEP", "0, n + 1"), contracts, "f").0, "violated");
    assert_eq!(under(&text.replace("STEP", "p, n + 1"), "f: requires p != NULL", "f"), ("holds", 0));
}

#[test]
fn what_is_promised_is_proved_where_there_is_a_body() {
    let text = "int g; int f(int n) { int old = n; if (n < 0) { n = -n; } g = g + 1; return CASE; }";
    for (returned, contracts, verdict) in [
        ("n > 100 ? 100 : n", "f: ensures result <= 100", "holds"),
        ("n > 100 ? 101 : n", "f: ensures \\result <= 100", "violated"),
        // Parameters are what was given.
        ("old", "f: ensures result == n", "holds"),
        ("n", "f: ensures __CPROVER_return_value == n", "violated"),
        ("1", "f: ensures g == pre(g) + 1", "holds"),
        ("1", "f: ensures g == pre(g)", "violated"),
    ] {
        assert_eq!(under(&text.replace("CASE", returned), contracts, "f").0, verdict, "{returned} {contracts}");
    }
    let text = "int f(int *p) { if (p) { *p = *p + 1; } return 0; }";
    for (contracts, verdict) in [
        ("f: ensures p == NULL || *p == pre(*p) + 1", "holds"),
        ("f: ensures !(p != NULL) || *p == pre(*p) + 2", "violated"),
        ("f: ensures *p == pre(*p) + 2\nf: requires p != NULL", "violated"),
    ] {
        assert_eq!(under(text, contracts, "f").0, verdict, "{contracts}");
    }
    // Where there is no `*p` nothing holds of it.
    for contract in ["f: ensures p != NULL || pre(*p) == 3", "f: ensures p != NULL || !(pre(*p) == 3)"] {
        assert_eq!(obligations(&asked_with(text, contract, "f", 60)), ["p != NULL"], "{contract}");
    }
}

#[test]
fn promises_of_what_has_no_body_are_taken_on_trust() {
    let text = "int *find(int n); int count(void); int f(int n) { int *p = find(n > 7 ? 7 : 100); return *p; }
        int g(int *p) { int n = count(); if (n > 10) { return *p; } return n; }
        int h(int n) { return *find(n & 7); }";
    let contracts = "find: requires n < 100\nfind: ensures result != NULL\ncount: ensures result >= 0 && result <= 10";
    assert_eq!(under(text, contracts, "g"), ("holds", 0));
    assert_eq!(under(text, contracts, "h"), ("holds", 0));
    assert_eq!(under(text, contracts, "f"), ("violated", 1));
    let answer = asked_with(text, contracts, "h", 30);
    assert!(answer.assumptions.contains(&"`find` keeps its contract: result != NULL".to_owned()), "{answer:?}");
}

#[test]
fn conditions_of_cbmc_stand_in_the_program() {
    let text = "int f(int *p, int n)
        __CPROVER_requires(p != NULL && n > 0)
        __CPROVER_ensures(__CPROVER_return_value >= __CPROVER_old(n) && p != NULL);
        int f(int *p, int n) { *p = n; return n + WHAT; }
        int g(int *p) { return f(p, 3); }";
    holds(&text.replace("WHAT", "0"), "f", &[]);
    holds(&text.replace("WHAT", "0"), "g", &["p != NULL"]);
    fails(&text.replace("WHAT", "-1"), "f", &[]);
    let defined = "int f(int *p) __CPROVER_requires(p != NULL) { return *p; } int g(void) { return f(0); }";
    holds(defined, "f", &[]);
    fails(defined, "g", &[]);
}

/// What is said to callers with a contract, of all functions: as `--infer` writes it.
fn inferred(text: &str, names: &[&str]) -> String {
    let lines = names.iter().map(|name| {
        let answer = asked(text, name, 60);
        let conditions = obligations(&answer);
        let reading = Options { main: Some((*name).to_owned()), open: true, ..Options::default() };
        let unit = Unit { name: "t.c", text, preprocessed: None };
        let mut program = c::read(&[unit], &reading).expect("it can be read").program;
        lines(&mut program, &conditions)
    });
    lines.collect()
}

#[test]
fn what_is_found_can_be_read_again_as_a_contract() {
    let text = "struct node { int v; struct node *next; }; static int *own;
        int second(struct node *n) { return n->next->v; }
        int both(struct node *n, int *q) { return second(n) + *q + *own; }
        int free_of(int n) { return n; }
        int wrong(void) { return second(0); }";
    let names = ["second", "both", "free_of", "wrong"];
    let contracts = inferred(text, &names);
    assert_eq!(
        contracts,
        "second: requires n != NULL\nsecond: requires n == NULL || n->next != NULL\n\
         both: requires n != NULL\nboth: requires q != NULL\nboth: requires own != NULL\n\
         both: requires n == NULL || n->next != NULL\n"
    );
    for name in names {
        let (before, after) = (asked(text, name, 60), asked_with(text, &contracts, name, 60));
        assert_eq!(before.verdict.name(), after.verdict.name(), "{name}");
        assert!(obligations(&after).is_empty(), "{after:?}");
    }
}

/// Whatever holds then.
#[test]
fn contracts_of_which_no_state_is_known_that_keeps_them_are_told() {
    let text = "int f(int *p, int n) { return *p / n; }";
    let is_told = |contracts: &str| {
        let answer = asked_with(text, contracts, "f", 60);
        answer.assumptions.iter().any(|one| one.contains("none was found"))
    };
    assert!(is_told("f: requires n > 3 && n < 3"));
    assert!(is_told("f: requires p != NULL, p == NULL"));
    assert!(!is_told("f: requires p != NULL && n > 3"));
    assert!(!is_told("f: ensures result < 3"));
}
