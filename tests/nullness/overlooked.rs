//! Programs in which NULL is used in a way that is easily overlooked: each has such a run, so not all uses are safe.

use puch::nullness::{Malloc, analyse};

use super::read;

fn is_not_safe(text: &str) {
    let options = puch::nullness::Options { malloc: Malloc::MayFail, ..puch::nullness::Options::default() };
    let all = analyse(&read("main", text), &options);
    assert!(all.iter().any(|one| !one.verdict.excludes_run()), "{all:?}\n{text}");
}

macro_rules! programs_that_use_null {
    ($($name:ident: $text:literal,)*) => {
        $(#[test]
        fn $name() {
            is_not_safe($text);
        })*
    };
}

programs_that_use_null! {
    a_pointer_that_a_variadic_procedure_is_handed_may_change: r#"int getptr(const char *f, ...);
int main(void) { int x; int *p = &x; getptr("%p", &p); return *p; }"#,
    a_member_has_two_names_where_formals_are_one_object: r"struct S { int *p; };
int x;
void f(struct S *a, struct S *b) { a->p = &x; b->p = 0; *a->p = 1; }
int main(void) { struct S s; f(&s, &s); return 0; }",
    a_member_is_written_through_one_of_two_pointers: r"struct S { int a; int *p; };
int x;
int main(int c) { struct S s, t; s.p = &x; t.p = &x; struct S *q = c ? &s : &t; q->p = 0; return *s.p; }",
    a_pointer_is_overwritten_as_a_number_of_its_union: r"union U { int *p; long l; } u; int x;
int main(void) { u.p = &x; u.l = 0; return *u.p; }",
    a_pointer_is_overwritten_byte_by_byte: r"int x; int *p = &x;
int main(void) { char *c = (char *)&p; for (int i = 0; i < 8; i++) c[i] = 0; return *p; }",
    a_pointer_is_overwritten_by_memset: r"void *memset(void *, int, unsigned long);
int x;
int main(void) { int *p = &x; memset(&p, 0, sizeof p); return *p; }",
    a_pointer_in_a_structure_is_overwritten_by_memcpy: r"void *memcpy(void *, const void *, unsigned long);
struct S { int *p; }; int x;
int main(void) { struct S s = {&x}, t = {0}; memcpy(&s, &t, sizeof s); return *s.p; }",
    a_procedure_that_is_handed_out_clears_a_global: r"void each(void (*f)(void)); int x; int *g;
void z(void) { g = 0; }
int main(void) { g = &x; each(z); return *g; }",
    a_procedure_that_is_handed_out_is_called_with_anything: r"void each(void (*f)(int *));
void z(int *p) { *p = 1; }
int main(void) { each(z); return 0; }",
    a_pointer_in_a_frame_of_a_recursion_is_cleared_from_below: r"int x;
void f(int d, int **up) { int *v = &x; if (d == 0) { *up = 0; return; } f(d - 1, &v); *v = 1; }
int main(void) { int *z; f(1, &z); return 0; }",
    a_pointer_in_one_frame_of_a_recursion_is_cleared_through_a_global: r"int x; int **save;
void f(int d) { int *v = &x; if (d == 1) save = &v; if (d > 0) f(d - 1); else *save = 0; *v = 1; }
int main(void) { f(2); return 0; }",
    a_cell_of_a_long_array_is_cleared: r"int x; int *a[300];
int main(int i) { for (int k = 0; k < 300; k++) a[k] = &x; if (i < 0 || i > 299) return 0; a[i] = 0; return *a[7]; }",
    a_static_local_counts_calls: r"int x;
int *nx(void) { static int n = 0; n = n + 1; return n == 2 ? 0 : &x; }
int main(void) { int *p = nx(); p = nx(); return *p; }",
    two_results_that_are_structures_are_two: r"struct S { int *p; int n; }; int x;
struct S mk(int c) { struct S s; s.p = c ? &x : 0; s.n = c; return s; }
int main(int c) { struct S s = mk(1); struct S t = mk(0); if (s.p) return *t.p; return 0; }",
    members_of_a_new_object_are_zero: r"void *calloc(unsigned long, unsigned long);
struct N { int v; struct N *n; };
int main(void) { struct N *p = calloc(1, sizeof *p); if (!p) return 0; return p->n->v; }",
    two_objects_of_one_type_have_members_of_their_own: r"void *malloc(unsigned long);
struct N { int v; struct N *n; };
int main(void) { struct N *p = malloc(sizeof *p); if (!p) return 0; p->n = p; struct N *q = malloc(sizeof *q); if (!q) return 0; q->n = 0; p = q; return p->n->v; }",
    two_objects_of_one_allocation_have_members_of_their_own: r"void *malloc(unsigned long);
struct N { int v; struct N *n; };
struct N *mk(struct N *n) { struct N *p = malloc(sizeof *p); if (p) p->n = n; return p; }
int main(void) { struct N *a = mk(0); if (!a) return 0; struct N *b = mk(a); if (!b) return 0; if (b->n) return a->n->v; return 0; }",
    a_pointer_to_a_procedure_is_used_where_it_is_called: r"void a(void) {} void (*t[2])(void) = { a, 0 };
int main(int i) { if (i < 0 || i > 1) return 0; t[i](); return 0; }",
    a_member_of_an_external_structure_may_be_anything: r"struct S { int *p; }; extern struct S g;
int main(void) { return *g.p; }",
    a_member_of_what_a_procedure_without_a_body_returns_may_be_anything: r"struct S { int *p; }; struct S *mk(void);
int main(void) { struct S *s = mk(); if (!s) return 0; return *s->p; }",
    a_pointer_that_was_a_number_may_be_zero: r"int x;
int main(int c) { unsigned long u = c ? (unsigned long)&x : 0; int *p = (int *)u; return *p; }",
    a_flag_of_one_byte_forgets_the_rest_of_its_number: r"int x;
int main(int c) { int *p = 0; char ok = 0; ok = c; if (c == 0) p = &x; if (ok == 0) return *p; return 0; }",
    a_flag_of_one_bit_forgets_the_rest_of_its_number: r"struct B { unsigned has:1; unsigned o:1; int *p; }; int x;
int main(int c) { struct B b; b.has = 0; b.p = 0; b.has = c; if (c == 1) b.p = &x; if (b.has) return *b.p; return 0; }",
    an_argument_beyond_the_formals_may_be_anything: r"typedef __builtin_va_list va_list;
int *f(int n, ...) { va_list ap; __builtin_va_start(ap, n); int *p = __builtin_va_arg(ap, int *); __builtin_va_end(ap); return p; }
int main(void) { return *f(1, (int *)0); }",
    a_pointer_is_cleared_through_an_argument_beyond_the_formals: r"typedef __builtin_va_list va_list;
void f(int n, ...) { va_list ap; __builtin_va_start(ap, n); int **p = __builtin_va_arg(ap, int **); *p = 0; __builtin_va_end(ap); }
int main(void) { int x; int *q = &x; f(1, &q); return *q; }",
    a_pointer_is_overwritten_from_the_member_before_it: r"struct S { long a; int *p; } s; int x;
int main(void) { s.p = &x; long *l = &s.a; l[1] = 0; return *s.p; }",
    a_pointer_is_cleared_through_a_pointer_of_another_type: r"int x; int *p = &x;
void clr(void **v) { *v = 0; }
int main(void) { clr((void **)&p); return *p; }",
    a_copy_of_one_of_two_structures_is_either: r"struct S { int *p; }; int x;
int main(int c) { struct S a = {&x}, b = {0}; struct S d = c ? a : b; return *d.p; }",
    the_last_of_a_list_has_no_next: r"void *malloc(unsigned long);
struct N { struct N *n; };
int main(void) { struct N *h = 0; for (int i = 0; i < 3; i++) { struct N *m = malloc(sizeof *m); if (!m) return 0; m->n = h; h = m; } while (h->n) h = h->n; return h->n->n != 0; }",
    a_jump_into_a_loop_passes_by_its_beginning: r"int x;
int main(int c) { int *p = &x; int i = 0; if (c) goto in; for (; i < 2; i++) { p = &x; in: if (i == 1) return *p; p = 0; if (c) { i++; goto in; } } return 0; }",
    continue_asks_the_condition_of_its_loop: r"int x;
int main(int c) { int *p = &x; do { if (c == 5) continue; if (c == 6) break; p = &x; } while (p = 0, c-- > 0); return *p; }",
}

/// What the library reads is read where nobody gives it an object.
#[test]
fn what_the_library_is_given_is_null_in_a_run() {
    for text in
        ["return strlen(p);", "memset(p, 0, 1); return 0;", "memcpy(p, a, 1); return 0;", "memmove(a, p, 1); return 0;"]
    {
        let head = "typedef unsigned long size_t; size_t strlen(const char *); void *memset(void *, int, size_t); \
                    void *memcpy(void *, const void *, size_t); void *memmove(void *, const void *, size_t); char a[2];";
        let all =
            analyse(&read("f", &format!("{head} int f(char *p) {{ {text} }}")), &puch::nullness::Options::default());
        assert!(all.iter().any(|one| one.verdict.claims_run()), "{all:?}\n{text}");
    }
}
