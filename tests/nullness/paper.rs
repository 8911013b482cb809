//! Table 1 and Figure 5 of *Bebop: a path-sensitive interprocedural dataflow engine* (PASTE 2001).

use puch::nullness::{Malloc, Options, boolean_program};

/// The statements of the Boolean program that are made of a statement of C, without their labels.
fn made_of(text: &str, comment: &str) -> Vec<String> {
    let boolean = boolean_program(&super::read("f", text), &Options::default()).text();
    let lines = boolean.lines().filter(|line| line.split_once("// ").is_some_and(|(_, of)| of.trim() == comment));
    let statement = |line: &str| {
        let mut code = line.split("//").next().unwrap_or_default().trim();
        while let Some((label, rest)) =
            code.split_once(": ").filter(|(label, _)| label.chars().all(char::is_alphanumeric))
        {
            debug_assert!(!label.is_empty());
            code = rest;
        }
        code.to_owned()
    };
    lines.map(statement).collect()
}

/// (In the last one `*p == NULL` becomes T where q is NULL, and a constraint says that it is what r is: together what the paper has.)
///
/// The line of Table 1: what is executed before the tests that make the predicates wanted, the statement, what it becomes.
const TABLE: &[(&str, &str, &str)] = &[
    ("void f(int *p) { p = 0; *p = 1; }", "p = NULL", "{p == NULL} := T;"),
    ("int x; void f(int *p) { p = &x; *p = 1; }", "p = &x", "{p == NULL} := F;"),
    ("void f(int *p, int *q) { p = q; *p = 1; }", "p = q", "{p == NULL} := {q == NULL};"),
    ("int *any(void); void f(int *p) { p = any(); *p = 1; }", "p = input any()", "{p == NULL} := *;"),
    ("void f(void) { int *r; int **p = &r; *p = 0; *r = 1; }", "*p = NULL", "{r == NULL} := T;"),
    ("int x; void f(void) { int *r; int **p = &r; *p = &x; *r = 1; }", "*p = &x", "{r == NULL} := F;"),
    ("void f(int *q) { int *r; int **p = &r; *p = q; *r = 1; }", "*p = q", "{r == NULL} := !{q == NULL} ? F : *;"),
];

/// What an assignment assigns to one of its targets.
fn assigned(line: &str, target: &str) -> Option<String> {
    let (targets, values) = line.trim_end_matches(';').split_once(" := ")?;
    let values = values.split(" constrain ").next()?;
    let at = targets.split(", ").position(|other| other == target)?;
    values.split(", ").nth(at).map(str::to_owned)
}

#[test]
fn assignments_become_what_table_1_says() {
    for (text, statement, expected) in TABLE {
        let (target, value) = expected.trim_end_matches(';').split_once(" := ").unwrap();
        let found: Vec<_> = made_of(text, statement).iter().filter_map(|line| assigned(line, target)).collect();
        assert_eq!(found, [value], "{text}");
    }
}

#[test]
fn conditions_become_what_table_1_says() {
    let text = "void f(int *p) { if (p != 0) *p = 1; }";
    let boolean = boolean_program(&super::read("f", text), &Options::default()).text();
    assert!(boolean.contains("assume(!{p == NULL});") && boolean.contains("assume({p == NULL});"), "{boolean}");
}

const FIGURE_5: &str = "void foo(int *p, int *q) { if (p != 0) { q = p; } if (p != 0) *q = *p + 1; }";

#[test]
fn figure_5_cannot_dereference_null() {
    assert_eq!(super::verdicts("foo", Malloc::MayFail, FIGURE_5), "p: safe, q: safe");
}

/// As the paper has it: the branches, the copy, nothing else of the values.
#[test]
fn figure_5_becomes_the_program_of_the_paper() {
    let boolean = boolean_program(&super::read("foo", FIGURE_5), &Options::default()).text();
    let expected = include_str!("figure5.bp");
    assert_eq!(boolean, expected);
}

/// The dereference is safe because paths are told apart: joining them loses it.
#[test]
fn without_the_second_test_figure_5_fails() {
    let text = FIGURE_5.replace("if (p != 0) *q", "*q");
    assert_eq!(super::verdicts("foo", Malloc::MayFail, &text), "p: null, q: safe");
}

#[test]
fn malloc_may_fail_or_not() {
    let text = "void *malloc(unsigned long); int main(void) { int *p = malloc(4); *p = 1; return 0; }";
    assert_eq!(super::verdicts("main", Malloc::MayFail, text), "p: null");
    assert_eq!(super::verdicts("main", Malloc::Succeeds, text), "p: safe");
}
