//! What is used after it was freed, freed twice, or read before it has a value, function by function.

use puch::answer::Verdict;
use puch::functions::{Answer, Class};
use puch::nullness::Kind;

use super::{asked_of, compiled, count, freed, numbers, seeds};

const FREED: [Kind; 2] = [Kind::UseAfterFree, Kind::DoubleFree];

const HEAD: &str = "void *malloc(unsigned long); void *realloc(void *, unsigned long); void free(void *);
struct node { int v; struct node *next; };\n";

fn answered(text: &str, kinds: &[Kind]) -> Answer {
    asked_of(&format!("{HEAD}{text}"), "f", 30, kinds)
}

fn holds(text: &str, kinds: &[Kind]) {
    let answer = answered(text, kinds);
    assert!(matches!(answer.verdict, Verdict::Holds), "{:?} of {text}", answer.verdict);
}

/// Whether what is compiled with a sanitizer comes to its end; without a compiler, nothing.
fn ends(text: &str, arguments: &str) -> Option<bool> {
    let text =
        format!("#include <stdio.h>\n{HEAD}{text}\nint main(void) {{ f({arguments}); puts(\"ended\"); return 0; }}");
    compiled::printed(&text, &["-fsanitize=address"]).map(|printed| printed.contains("ended"))
}

/// It fails in this way, and when it is executed with these arguments.
fn fails(text: &str, kind: Kind, arguments: &str) {
    let answer = answered(text, &[kind]);
    assert!(count(&answer, kind, Class::Fails) > 0, "{answer:?} of {text}");
    assert_ne!(ends(text, arguments), Some(true), "{text}");
}

#[test]
fn what_is_used_before_it_is_freed_is_there() {
    holds("int f(void) { int *p = malloc(4), r; if (!p) return 0; *p = 1; r = *p; free(p); return r; }", &FREED);
    holds(
        "int f(int n) { int i, s = 0; for (i = 0; i < n; i++) { int *p = malloc(4); if (p) { *p = i; s ^= *p; } free(p); } return s; }",
        &FREED,
    );
    let text = "int f(void) { int *p = malloc(4), *q = malloc(4); if (p && q) { free(p); *q = 1; } else free(p); free(q); return 0; }";
    holds(text, &FREED);
    holds("void f(int *p) { free(p); }", &FREED);
    holds(
        "static void drop(int **p) { free(*p); *p = 0; } void f(void) { int *p = malloc(4); drop(&p); drop(&p); }",
        &FREED,
    );
}

#[test]
fn what_is_used_after_it_was_freed_fails() {
    let one = "int f(void) { int *p = malloc(4); if (!p) return 0; *p = 1; free(p); return *p; }";
    fails(one, Kind::UseAfterFree, "");
    fails(
        "int f(int n) { int *p = malloc(8); if (!p) return 0; if (n > 3) free(p); p[1] = 1; return n; }",
        Kind::UseAfterFree,
        "4",
    );
    fails(
        "static void drop(int *p) { free(p); } int f(void) { int *p = malloc(4); if (p) { drop(p); *p = 1; } return 0; }",
        Kind::UseAfterFree,
        "",
    );
    // By a pointer into its middle; and not the object that was freed last.
    fails(
        "int f(void) { int *p = malloc(8), *q; if (!p) return 0; q = p + 1; free(p); return *q; }",
        Kind::UseAfterFree,
        "",
    );
    fails(
        "int f(void) { int *p = malloc(4), *q = malloc(4); if (!p || !q) return 0; free(p); free(q); return *p; }",
        Kind::UseAfterFree,
        "",
    );
    fails("int f(int *p) { if (!p) return 0; free(p); return *p; }", Kind::UseAfterFree, "malloc(4)");
    fails(
        "int f(struct node *n) { if (!n) return 0; free(n); return n->next != 0; }",
        Kind::UseAfterFree,
        "malloc(sizeof(struct node))",
    );
    fails(
        "int f(void) { struct node *n = malloc(sizeof *n), *m; if (!n) return 0; n->next = n; m = n->next; free(n); return m->v; }",
        Kind::UseAfterFree,
        "",
    );
}

#[test]
fn what_is_freed_twice_fails() {
    fails("int f(void) { int *p = malloc(4); free(p); free(p); return 0; }", Kind::DoubleFree, "");
    fails("void f(int *p) { free(p); free(p); }", Kind::DoubleFree, "malloc(4)");
    fails(
        "int f(int n) { int *p = malloc(4); int i; for (i = 0; i < n; i++) free(p); return 0; }",
        Kind::DoubleFree,
        "2",
    );
}

#[test]
fn what_realloc_moves_is_freed_if_it_is_moved() {
    let text = "int f(void) { int *p = malloc(4), *t; if (!p) return 0; t = realloc(p, 8); if (!t) { free(p); return 1; } t[1] = 1; free(t); return 0; }";
    holds(text, &FREED);
    let text =
        "int f(void) { int *p = malloc(4), *t; if (!p) return 0; t = realloc(p, 8); if (t) p[0] = 1; return 0; }";
    fails(text, Kind::UseAfterFree, "");
    let text = "int f(void) { int *p = malloc(4), *t; if (!p) return 0; t = realloc(p, 8); if (t) free(p); return 0; }";
    fails(text, Kind::DoubleFree, "");
    fails("int f(void) { int *p = malloc(4); free(p); p = realloc(p, 8); return 0; }", Kind::DoubleFree, "");
}

/// Whether two pointers that are given lead to one object is not known; that what is freed has one owner is assumed.
#[test]
fn what_is_freed_of_what_is_given_has_one_owner() {
    let answer = answered("int f(int *p, int *q) { if (!p || !q) return 0; free(p); return *q; }", &FREED);
    assert_eq!(count(&answer, Kind::UseAfterFree, Class::Fails), 0, "{answer:?}");
    assert!(answer.assumptions.iter().any(|one| one.contains("one pointer leads to it")), "{answer:?}");
    let answer = answered("int f(int *p) { return p ? *p : 0; }", &FREED);
    assert!(!answer.assumptions.iter().any(|one| one.contains("one pointer leads to it")), "{answer:?}");
}

#[test]
fn locals_are_read_where_they_have_values() {
    let kinds = [Kind::Uninitialised];
    holds("int f(int n) { int x; if (n > 0) x = 1; if (n > 0) return x; return 0; }", &kinds);
    // Nothing to ask.
    let answer = answered("int f(int n) { int x; do { x = n; } while (n-- > 0); return x; }", &kinds);
    assert!(answer.uses.is_empty(), "{answer:?}");
    let fails = |text: &str| {
        let answer = answered(text, &kinds);
        assert!(count(&answer, Kind::Uninitialised, Class::Fails) > 0, "{answer:?} of {text}");
    };
    fails("int f(int n) { int x; if (n > 0) x = 1; return x; }");
    fails(
        "int f(int n) { int i; for (i = 0; i < n; i++) { int *p; if (i == 0) p = &n; else if (p) return 1; } return 0; }",
    );
    fails("int f(int n) { int x; switch (n) { case 1: x = 1; break; case 2: x = 3; } return x + 1; }");
}

#[test]
fn nothing_is_used_that_was_freed_or_has_no_value_where_nothing_is_said_to_be() {
    let (mut proved, mut failing, mut seen, mut calls) = (0, 0, 0, 0);
    for seed in seeds::seeds(1..5) {
        let functions = freed::functions(seed);
        for number in 0..freed::FUNCTIONS {
            let answer = asked_of(&functions.read, &format!("f{number}"), 3, &freed::KINDS);
            let fine = numbers::fine(&answer);
            let Some(printed) = compiled::printed(&freed::caller(&functions, number, &answer, 20_000), &[]) else {
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
                let at = (line, freed::KINDS[kind]);
                assert!(!fine.contains(&at), "seed {seed}, f{number}, {at:?} of\n{}\n{answer:#?}", functions.read);
            }
            proved += fine.iter().filter(|(_, kind)| *kind != Kind::Null).count();
            failing += freed::KINDS[1..].iter().map(|kind| count(&answer, *kind, Class::Fails)).sum::<usize>();
        }
    }
    // How many are told to fail depends on how much time there is.
    assert!(proved > 0 && seen > 0 && calls > 0, "{proved} {failing} {seen} {calls}");
    eprintln!("{proved} lines proved, {failing} uses failing, {seen} lines seen to fail in {calls} calls");
}
