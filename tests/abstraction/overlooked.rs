//! Programs that fail in a way that is easily overlooked: each has a run, with gcc on this machine's kind, in which its assertion fails,
//! so no abstraction may say that it holds.

use puch::c::expression::{ExpressionId, ExpressionKind};
use puch::c::program::Overflow;

use super::{METHODS, abstraction, may_fail};

fn is_not_proved(text: &str) {
    for method in METHODS {
        assert!(may_fail(&abstraction(text, "guards", Overflow::Wrap, method)), "{method:?}\n{text}");
    }
}

macro_rules! programs_that_fail {
    ($($name:ident: $text:literal,)*) => {
        $(#[test]
        fn $name() {
            is_not_proved($text);
        })*
    };
}

programs_that_fail! {
    what_a_variadic_procedure_without_a_body_is_given_may_change: r#"int scanf(const char *f, ...);
int main(void) { int x = 0; scanf("%d", &x); assert(x == 0); return 0; }"#,
    a_callee_that_writes_one_member_of_a_union_changes_the_others: r"union U { struct { int a; int b; } s; long l; } u;
void f(void) { u.l = 0x500000005L; }
int main(void) { int one = 1; u.s.b = one; f(); assert(u.s.b == one); return 0; }",
    a_callee_that_writes_a_part_of_a_union_changes_the_whole: r"union U { struct { int a; int b; } s; long l; } u;
void f(void) { u.s.b = 5; }
int main(void) { long none = 0; u.l = none; f(); assert(u.l == none); return 0; }",
    a_local_of_the_frame_above_is_not_that_of_the_frame_below: r"int *save;
void f(int d) { int v; if (d) { v = 1; save = &v; f(0); } else { v = 0; assert(*save == 0); } }
int main(void) { f(1); return 0; }",
    a_byte_of_a_union_at_an_index_changes_its_number: r"union U { unsigned char c[4]; int l; } u;
int main(int n) { u.l = 0; if (n >= 0 && n < 4) { u.c[n] = 1; assert(u.l == 0);} return 0; }",
    a_procedure_that_is_handed_out_may_be_called_back: r"void qsort(void *b, unsigned long n, unsigned long s, int (*c)(const void *, const void *));
int calls = 0;
int cmp(const void *a, const void *b) { calls = calls + 1; return 0; }
int main(void) { int a[2] = {2, 1}; qsort(a, 2, sizeof(int), cmp); assert(calls == 0); return 0; }",
    an_assertion_in_a_procedure_that_is_handed_out_may_fail: r"void qsort(void *b, unsigned long n, unsigned long s, int (*c)(const void *, const void *));
int mode = 0;
int cmp(const void *a, const void *b) { assert(mode == 0); return 0; }
int main(void) { int a[2] = {2, 1}; mode = 1; qsort(a, 2, sizeof(int), cmp); return 0; }",
    a_pointer_that_is_copied_byte_by_byte_points_somewhere: r"int x, y; int *q = &y;
int main(void) { int *p = &x; char *s = (char *)&p; char *d = (char *)&q; 
 int i = 0; while (i < 8) { *d = *s; d++; s++; i++; }
 *q = 2; assert(x == 0); return 0; }",
    a_pointer_to_the_first_member_reaches_the_second: r"struct S { int a; int b; } s;
int main(void) { int *p = (int *)&s; s.b = 0; p[1] = 5; assert(s.b == 0); return 0; }",
    a_pointer_to_a_member_can_be_moved_to_the_next: r"struct S { int a; int b; } s;
int main(void) { int *p = &s.a; s.b = 0; p++; *p = 5; assert(s.b == 0); return 0; }",
    a_pointer_to_half_a_number_can_be_moved_to_the_other_half: r"long y;
int main(void) { int *p = (int *)&y; p[1] = 5; assert(y == 0); return 0; }",
    an_array_in_a_local_structure_is_there_in_each_frame_of_a_recursion: r"struct S { int n; int a[3]; };
int f(int d, int *up) { struct S s; s.a[1] = d; if (d == 0) { *up = 7; return 0; } f(d - 1, &s.a[1]); return s.a[1]; }
int main(void) { int z = 0; int r = f(1, &z); assert(r == 1); return 0; }",
    a_local_whose_address_goes_down_a_recursion_is_written_there: r"int f(int d, int *up) { int v = d; if (d == 0) { *up = 7; return 0; } f(d - 1, &v); return v; }
int main(void) { int z = 0; int r = f(1, &z); assert(r == 1); return 0; }",
    the_address_of_a_local_that_is_kept_in_a_global_is_that_of_one_frame: r"int *save;
int f(int d) { int v = d; if (d == 2) save = &v; if (d > 0) f(d - 1); if (d == 0) *save = 9; assert(v == d); return 0; }
int main(void) { f(2); return 0; }",
    a_formal_whose_address_goes_down_a_recursion_is_written_there: r"void f(int d, int *p) { if (d == 0) { *p = 5; return; } f(d - 1, &d); assert(d == 1); }
int main(void) { int z; f(1, &z); return 0; }",
    a_pointer_that_is_set_through_a_pointer_points_elsewhere: r"int x, y; int *p = &x; int **pp = &p;
int main(void) { *pp = &y; *p = 3; assert(y == 0); return 0; }",
    a_callee_can_set_a_pointer_of_its_caller: r"int x, y;
void set(int **q) { *q = &y; }
int main(void) { int *p = &x; set(&p); *p = 3; assert(p == &x); return 0; }",
    a_callee_can_set_a_pointer_through_a_pointer_to_a_pointer_to_void: r"int x;
void get(void **out) { *out = &x; }
int main(void) { int *p = 0; get((void **)&p); *p = 1; assert(x == 0); return 0; }",
    a_member_of_a_structure_at_an_index_is_that_of_each: r"struct P { int a; int b; } arr[3];
int main(int i) { if (i < 0 || i > 2) return 0; arr[1].b = 0; arr[i].b = 4; assert(arr[1].b == 0); return 0; }",
    an_array_of_arrays_can_be_walked_flat: r"int m[2][3];
int main(void) { int *p = &m[0][0]; for (int i = 0; i < 6; i++) p[i] = 1; assert(m[1][2] == 0); return 0; }",
    a_cell_of_a_long_array_at_an_index_is_each: r"int m[200];
int main(int i) { if (i < 0 || i > 199) return 0; m[i] = 4; assert(m[150] == 0); return 0; }",
    half_a_cell_of_a_long_array_changes_it: r"int m[200];
int main(void) { short *p = (short *)&m[10]; m[10] = 0; *p = 4; assert(m[10] == 0); return 0; }",
    an_index_can_be_negative: r"int main(void) { int a[4] = {0}; int *p = a + 3; p[-2] = 4; assert(a[1] == 0); return 0; }",
    an_index_can_wrap_around: r"int main(unsigned i) { int a[4] = {0}; int *p = a + 3; unsigned long k = -2L; p[k] = 4; assert(a[1] == 0); return 0; }",
    a_pointer_to_a_procedure_in_an_array_of_structures_is_each: r"int g; void a(int x) { g = x; } void b(int x) { g = 2; }
struct O { void (*f)(int); } ops[2] = { {a}, {b} };
int main(int c) { if (c < 0 || c > 1) return 0; ops[c].f(1); assert(g == 1); return 0; }",
    a_static_local_keeps_its_value: r"int next(void) { static int n = 0; n++; return n; }
int main(void) { int a = next(); int b = next(); assert(b == 1); return 0; }",
    a_case_falls_through: r"int main(int c) { int r = 0; switch (c) { case 1: r = 1; case 2: r = r + 2; break; default: r = 5; } assert(r != 3); return 0; }",
    default_falls_through_in_the_middle: r"int main(int c) { int r = 0; switch (c) { case 1: r = 1; break; default: r = 5; case 3: r = r + 1; } assert(r != 6); return 0; }",
    a_case_can_lie_in_a_loop: r"int main(int c) { int r = 0; if (c != 1) return 0; switch (c) { int q; while (r < 3) { case 1: q = 4; r = r + q; } } assert(r != 4); return 0; }",
    a_jump_can_lead_into_a_loop: r"int main(int c) { int i = 0, s = 0; if (c) goto in; for (i = 0; i < 2; i++) { s = 1; in: s = s + 2; } assert(s != 2 || i != 1 ); assert(!(s==3 && i==2 && c)); return 0; }",
    char_is_signed: r"int main(void) { char c = 200; assert(c > 0); return 0; }",
    unsigned_char_wraps_around: r"int main(void) { unsigned char c = 200; c = c + 100; assert(c == 300); return 0; }",
    characters_of_a_text_are_signed: r#"int main(void) { assert("\xff"[0] == 255); return 0; }"#,
    bit_fields_wrap_around: r"struct B { unsigned a:3; int b:2; unsigned c:5; } v;
int main(void) { v.a = 9; v.b = 3; assert(v.a == 1 && v.b == 3); return 0; }",
    a_byte_of_a_union_changes_the_bit_fields_in_it: r"struct B { unsigned a:3; unsigned b:5; }; union U { struct B f; unsigned char c; } u;
int main(void) { u.f.b = 5; u.c = 1; assert(u.f.b == 5); return 0; }",
    a_truth_value_fills_its_byte: r"struct B { unsigned char lo:4, hi:4; }; union U { struct B f; _Bool c; } u;
int main(void) { u.f.hi = 5; u.c = 1; assert(u.f.hi == 5); return 0; }",
    a_byte_that_is_written_through_a_pointer_changes_the_bit_fields_in_it: r"struct B { unsigned a:3; unsigned b:5; } g;
int main(void) { struct B *p = &g; p->b = 3; *(unsigned char *)&g = 0; assert(g.b == 3); return 0; }",
    division_is_towards_zero: r"int main(void) { int a = -7; assert(a / 2 == -4); return 0; }",
    a_remainder_has_the_sign_of_what_is_divided: r"int main(void) { int a = -7; assert(a % 2 == 1); return 0; }",
    a_shift_to_the_right_keeps_the_sign: r"int main(void) { int a = -8; assert(a >> 1 > 0); return 0; }",
    memset_changes_what_it_is_given: r"void *memset(void *, int, unsigned long);
int main(void) { int x = 1; memset(&x, 0, sizeof x); assert(x == 1); return 0; }",
    a_pointer_in_a_structure_that_memcpy_overwrites_may_point_elsewhere: r"void *memcpy(void *, const void *, unsigned long);
struct S { int a; int *p; };
int x, y;
int main(void) { struct S s, t; s.a = 1; s.p = &x; t.a = 0; t.p = &y; memcpy(&t, &s, sizeof s); *t.p = 4; assert(x == 0); return 0; }",
    what_realloc_gives_may_be_what_it_was_given: r"void *malloc(unsigned long); void *realloc(void *, unsigned long);
int main(void) { int *p = malloc(8); if (!p) return 0; *p = 1; int *q = realloc(p, 4); if (q != p) return 0; *q = 2; assert(*p == 1); return 0; }",
    a_structure_can_be_assigned_through_a_pointer: r"struct S { int a; int b; };
void set(struct S *p) { struct S t = {3, 4}; *p = t; }
int main(void) { struct S s = {1, 2}; set(&s); assert(s.b == 2); return 0; }",
    a_structure_can_be_returned_from_a_recursion: r"struct S { int a; int b; };
struct S mk(int n) { struct S t = {n, 4}; if (n > 0) { struct S u = mk(n - 1); t.b = u.a; } return t; }
int main(void) { struct S s = mk(1); assert(s.b == 4); return 0; }",
    a_pointer_in_a_structure_that_a_procedure_without_a_body_returns_points_anywhere: r"struct S { int a; int *b; };
struct S mk(void);
int x;
int main(void) { int *q = &x; struct S s = mk(); x = 0; if (s.b == &x) { *s.b = 1; assert(x == 0);} return 0; }",
    an_external_array_has_cells_beyond_its_first: r"extern int a[];
int main(int i) { a[0] = 0; a[i] = 1; assert(a[0] == 0); return 0; }",
    an_external_pointer_points_anywhere: r"extern int *p; int x;
int main(void) { int *q = &x; x = 0; if (p == &x) { *p = 1; assert(x == 0); } return 0; }",
    one_of_two_structures_is_either: r"struct S { int a; int b; };
int main(int c) { struct S s = {1, 2}, t = {3, 4}; int v = (c ? s : t).b; assert(v == 4); return 0; }",
    an_external_hook_may_write_what_it_is_given: r"extern void (*hook)(int *); int g;
int main(void) { int x = 0; hook(&x); assert(x == 0); return 0; }",
    an_external_hook_may_be_a_procedure_of_the_program: r"extern void (*hook)(void); int g;
void own(void) { g = 1; }
int main(void) { void (*keep)(void) = own; hook(); assert(g == 0); return 0; }",
    an_argument_beyond_the_formals_may_point_anywhere: r"typedef __builtin_va_list va_list;
int x;
void f(int n, ...) { va_list ap; __builtin_va_start(ap, n); int *p = __builtin_va_arg(ap, int *); *p = 3; __builtin_va_end(ap); }
int main(void) { f(1, &x); assert(x == 0); return 0; }",
    two_objects_of_one_allocation_differ: r"void *malloc(unsigned long);
int *mk(int v) { int *p = malloc(sizeof(int)); if (p) *p = v; return p; }
int main(void) { int *a = mk(1), *b = mk(2); if (!a || !b) return 0; assert(a == b); return 0; }",
    two_objects_of_one_allocation_have_values_of_their_own: r"void *malloc(unsigned long);
struct N { int v; struct N *next; };
int main(void) { struct N *h = 0; for (int i = 0; i < 2; i++) { struct N *n = malloc(sizeof *n); if (!n) return 0; n->v = i; n->next = h; h = n; } 
 assert(h->next->v == 1); return 0; }",
    a_pointer_that_was_an_integer_points_somewhere: r"int x;
int main(void) { unsigned long u = (unsigned long)&x; int *p = (int *)u; *p = 3; assert(x == 0); return 0; }",
    a_global_that_a_callee_sets_is_compared_with_a_local_anew: r"int g;
void setg(void) { g = 2; }
int main(void) { int l = 1; g = 1; setg(); assert(g == l); return 0; }",
    two_formals_can_be_one_object: r"int x;
void f(int *p, int *q) { *p = 1; *q = 2; assert(*p == 1); }
int main(void) { f(&x, &x); return 0; }",
    a_formal_can_point_to_a_global: r"int x;
void f(int *p) { x = 1; *p = 2; assert(x == 1); }
int main(void) { f(&x); return 0; }",
    the_cells_behind_a_structure_are_apart: r"void *malloc(unsigned long);
struct F { int n; int d[]; };
int main(void) { struct F *f = malloc(sizeof *f + 8); if (!f) return 0; f->n = 0; f->d[0] = 3; f->d[1] = 4; assert(f->d[0] == 4 || f->n == 4); return 0; }",
    the_structure_around_a_member_can_be_reached_from_it: r"struct L { struct L *n; }; struct T { int v; struct L l; } t;
int main(void) { struct L *p = &t.l; struct T *q = (struct T *)((char *)p - __builtin_offsetof(struct T, l)); q->v = 3; assert(t.v == 0); return 0; }",
    an_array_of_variable_length_has_a_last_cell: r"int main(int n) { if (n < 1 || n > 3) return 0; int a[n]; a[0] = 1; a[n-1] = 2; assert(a[0] == 1); return 0; }",
    what_a_call_changes_is_read_before_it: r"int g; int f(void) { g = 5; return 1; }
int main(void) { g = 1; int r = g + f(); assert(r == 6); return 0; }",
}

#[test]
fn a_pointer_from_outside_may_be_followed() {
    // The results of procedures without a body, external pointers, arguments of main, and what hooks return: there was no run past them.
    for text in [
        "struct S { int a; struct S *next; }; struct S *mk(void);
        int main(void) { struct S *s = mk(); if (s) { s->a = 1; if (s->next) assert(s->next->a == 0); } return 0; }",
        "extern int *p; int main(void) { *p = 1; assert(*p == 2); return 0; }",
        "extern int *(*hook)(void); int main(void) { int *p = hook(); *p = 1; assert(*p == 2); return 0; }",
        "int main(int argc, char **argv) { if (argc > 1) assert(argv[1][0] == 0); return 0; }",
    ] {
        is_not_proved(text);
    }
}

#[test]
fn what_two_pointers_from_outside_point_to_may_be_one_object() {
    is_not_proved(
        "int *mk(void); int main(void) { int *p = mk(), *q = mk(); *p = 1; *q = 2; assert(*p == 1); return 0; }",
    );
    let own = "int *mk(void); int main(void) { int x = 1; int *p = mk(); *p = 2; assert(x == 1); return 0; }";
    for method in METHODS {
        assert!(!may_fail(&abstraction(own, "guards", Overflow::Wrap, method)), "nobody knows the address of x");
    }
}

#[test]
fn names_of_c_that_boolean_programs_reserve_are_read() {
    let text = "static int skip(int x) { return x; }
    int assume(int x) { decl: if (x > 3) { x = skip(x - 1); goto decl; } return x; }
    int main(int x) { int r = assume(x); assert(r <= 3); return 0; }";
    assert!(!may_fail(&abstraction(text, "guards", Overflow::Wrap, puch::abstraction::Method::Auto)));
}

#[test]
fn the_procedure_to_begin_with_is_that_of_the_boolean_program() {
    let unit = puch::c::Unit {
        name: "prog.c",
        text: "int main(void) { return 0; } int other(int x) { assert(x != 3); return 0; }",
        preprocessed: None,
    };
    let options = puch::c::Options { main: Some("other".into()), ..puch::c::Options::default() };
    let program = puch::c::read(&[unit], &options).expect("it is right").program;
    let predicates = puch::abstraction::predicate::guards(&program);
    let tuning = puch::abstraction::Tuning::default();
    assert!(may_fail(&puch::abstraction::abstracted(&program, &predicates, Overflow::Wrap, &tuning)));
}

#[test]
fn pointers_that_are_moved_a_hundred_thousand_times_in_one_expression_are_followed() {
    let mut program =
        super::parsed("int a[4]; int main(void) { int *p = a; return *p; }", puch::c::types::DataModel::LP64);
    let found = program.terms.expressions().position(|e| matches!(e.kind, ExpressionKind::AddressOf(_)));
    let mut pointer = ExpressionId(u32::try_from(found.expect("a is a pointer there")).expect("it is small"));
    let ty = program.terms.get(pointer).ty;
    let int = program.types.int();
    let one = program.terms.expression(ExpressionKind::Constant(1), int);
    for _ in 0..100_000 {
        pointer = program.terms.expression(ExpressionKind::Offset(pointer, one), ty);
    }
    let points_to = puch::points_to::points_to(&program);
    assert_eq!(points_to.value(&program, pointer).len(), 1);
}

#[test]
fn a_constant_index_beyond_an_array_is_an_error() {
    let text = "int main(void) { int a[3] = {0}; a[3] = 1; return 0; }";
    for method in METHODS {
        assert!(may_fail(&abstraction(text, "guards", Overflow::Check, method)));
        assert!(!may_fail(&abstraction(&text.replace("a[3] = 1", "a[2] = 1"), "guards", Overflow::Check, method)));
    }
}

#[test]
fn two_predicates_that_exclude_each_other_may_both_seem_to_hold_while_a_call_returns() {
    let text = "int g; void setg(void) { g = 1; } int main(void) { int l = 0; g = 2; setg(); assert(0); return 0; }";
    for method in METHODS {
        assert!(
            may_fail(&abstraction(text, "*: g == 1\nmain: g == 2 && l == 0", Overflow::Wrap, method)),
            "{method:?}"
        );
    }
}
