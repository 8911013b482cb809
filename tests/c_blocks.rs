//! Blocks and their scopes, objects that are one each time, and operands that are evaluated once.

extern crate puch_programs as puch;

#[path = "support/c_texts.rs"]
#[allow(dead_code, reason = "others ask for more")]
mod c_texts;

use puch::c;
use puch::c::program::Overflow;
use puch::interpreter::End;

use c_texts::{executed, is_refused as refused, returns};

fn ended(text: &str, overflow: Overflow) -> End {
    executed(text, overflow, &[]).end
}

#[test]
fn selections_and_iterations_and_what_they_consist_of_are_blocks() {
    let head = "struct foo { char a; }; enum { A = 1 };";
    let foo = "struct foo { int a; double b; }";
    for body in [
        format!("if (sizeof({foo})) (void) 0; return sizeof(struct foo);"),
        format!("int r = 0; if (r) r = sizeof({foo}); return sizeof(struct foo);"),
        format!("int r = 0; if (!r) r = sizeof({foo}); else r = 2; return sizeof(struct foo);"),
        format!("switch (sizeof({foo})) {{ }} return sizeof(struct foo);"),
        format!("switch (1) case 1: sizeof({foo}); return sizeof(struct foo);"),
        format!("while (sizeof({foo}) == 1) ; return sizeof(struct foo);"),
        format!("int i = 0; while (i++ < 1) sizeof({foo}); return sizeof(struct foo);"),
        format!("int i = 0; do i += sizeof({foo}); while (i < 1); return sizeof(struct foo);"),
        format!("for (int i = 0; i < 1; i++) sizeof({foo}); return sizeof(struct foo);"),
        "int r, x = 0; if (x) r = sizeof(enum { A = 5 }); else r = A; return r;".to_owned(),
    ] {
        returns(&format!("{head} int main(void) {{ {body} }}"), 1);
    }
    // What the condition declares is seen in both branches.
    returns("int main(void) { if (sizeof(enum { B = 5 }) > 100) return 0; else return B; }", 5);
}

#[test]
fn a_compound_literal_is_one_object_in_its_block() {
    let head = "struct s { int i; };";
    returns(
        &format!(
            "{head} int main(void) {{ struct s *p = 0, *q; int j = 0;
               again: q = p; p = &((struct s) {{ j++ }}); if (j < 2) goto again; return 10 * (p == q) + q->i; }}"
        ),
        11,
    );
    returns(
        "int main(void) { int s = 0; for (int i = 0; i < 3; i++) { int *p = (int[]) { i, 2 }; s += *p + p[1]; } return s; }",
        9,
    );
    returns("int f(int n) { int *p = &(int) { n }; if (n) f(n - 1); return *p; } int main(void) { return f(3); }", 3);
    returns(
        "int main(void) { int i = 0, r; int *p = 0; do { p = (int[2]) { i }; p[1] += 5; r = p[1]; } while (++i < 3); return r; }",
        5,
    );
}

#[test]
fn the_name_of_a_procedure_is_an_object_of_its_own() {
    returns("int main(void) { const char *f = __func__; return 2 * (\"main\" == f) + (__func__ == f); }", 1);
}

#[test]
fn lists_of_arguments_are_evaluated_once() {
    let head = "typedef __builtin_va_list va_list; int n; va_list all; va_list *list(void) { n++; return &all; }";
    returns(
        &format!(
            "{head} int f(int i, ...) {{ __builtin_va_start(*list(), i); int got = __builtin_va_arg(*list(), int);
               __builtin_va_end(*list()); return n; }} int main(void) {{ return f(1, 5); }}"
        ),
        3,
    );
    returns("int main(void) { int n = 0; __builtin_va_list l; __builtin_va_end(*(n++, &l)); return n; }", 1);
}

#[test]
fn sizes_of_parameters_are_evaluated_when_a_procedure_is_entered() {
    returns("int m; int g(int n, int a[++n]) { m = n; return n; } int main(void) { return g(3, 0); }", 4);
    returns("int g(int n, int[n = 7]) { return n; } int main(void) { return g(3, 0); }", 7);
    refused("int n; int a[n = 3]; int main(void) { return 0; }", "constant");
}

#[test]
fn an_array_that_is_never_given_a_length_has_one_element() {
    returns("int a[]; int main(void) { a[0] = 3; return a[0]; }", 3);
    returns("int a[]; int a[4]; int main(void) { a[3] = 3; return a[3]; }", 3);
    assert!(matches!(ended("int a[]; int main(void) { a[1] = 3; return 0; }", Overflow::Check), End::Wrong(_)));
}

#[test]
fn texts_have_elements_of_the_types_that_their_prefixes_say() {
    returns(
        "int main(void) { return sizeof(u\"ab\") + 16 * sizeof(U\"ab\") + 256 * sizeof(L\"ab\") + 4096 * sizeof(u8\"ab\"); }",
        6 + 16 * 12 + 256 * 12 + 4096 * 3,
    );
    returns(
        "unsigned short s[] = u\"😀x\"; int main(void) { return sizeof s + (s[0] == 0xd83d) + (s[1] == 0xde00); }",
        10,
    );
    returns("int main(void) { return (U'\\xffffffff' > 0) + (sizeof(u'x') == 2) + (u\"\\xffff\"[0] > 0); }", 3);
    returns("int main(void) { int w[] = L\"a\" \"b\"; return w[1]; }", 98);
    refused("int main(void) { return sizeof(u\"a\" L\"b\"); }", "prefixes");
}

#[test]
fn what_only_a_preprocessor_knows_is_asked_of_one() {
    assert!(c::needs_preprocessor("int main(void) { return (__UINTPTR_TYPE__) 1; }"));
    assert!(c::needs_preprocessor("long l = __LONG_LONG_MAX__;"));
    assert!(!c::needs_preprocessor("int main(void) { __VERIFIER_nondet_int(); return __func__[0]; }"));
    refused("int x = __INT_MAX__; int main(void) { return 0; }", "macro of the compiler");
}

#[test]
fn objects_larger_than_can_be_counted_are_refused() {
    refused("union U { int a; char buf[(1L << 62) - 256]; }; int main(void) { return 0; }", "as large as this");
    returns("char (*p)[1L << 40]; int main(void) { return sizeof *p == 1L << 40; }", 1);
}
