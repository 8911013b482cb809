//! GNU C as people write it: what the parser of C does not read by itself.

extern crate puch_programs as puch;

#[path = "support/c_texts.rs"]
#[allow(dead_code, reason = "others ask for more")]
mod c_texts;

use puch::c::program::Overflow;
use puch::c::types::DataModel;
use puch::c::{self, Unit};
use puch::interpreter::{self, End, Inputs};
use puch::refinement::Verdict;

use c_texts::{executed, is_refused as refused, returns};

/// How a program ends in which calls of a procedure are the errors.
fn ended(text: &str, called: &str) -> End {
    let options = c::Options { called: Some(called.to_owned()), ..c::Options::default() };
    let read = c::read(&[Unit { name: "prog.c", text, preprocessed: None }], &options).expect(text);
    let options = interpreter::Options::of(Overflow::Wrap, 100_000);
    interpreter::execute(&read.program, &options, Inputs::list([]), &mut |_| {}).end
}

fn fails(text: &str, called: &str) -> bool {
    matches!(ended(text, called), End::Failed(_))
}

#[test]
fn calls_of_any_procedure_can_be_the_error() {
    let abort =
        |body: &str| format!("void abort(void); void reach_error(void); int abs(int); int main(void) {{ {body} }}");
    assert!(fails(&abort("abort(); return 0;"), "abort"));
    assert!(fails(&abort("__builtin_abort(); return 0;"), "abort"));
    assert!(fails(&abort("void (*p)(void) = abort; p(); return 0;"), "abort"));
    assert!(fails(&abort("return abs(-3);"), "abs"));
    assert!(!fails(&abort("if (0) abort(); return 0;"), "abort"));
    assert!(!fails(&abort("return sizeof(abs(3));"), "abs"));
    assert!(!fails(&abort("reach_error(); return 0;"), "abort"));
    assert!(!fails(&abort("goto ERROR; ERROR: return 0;"), "abort"));
    assert!(fails("int f(void) { return 1; } int main(void) { return f(); }", "f"));
    assert!(!fails("int f(void) { return 1; } int main(void) { return sizeof(f()); }", "f"));
}

#[test]
fn a_computed_jump_leads_to_the_label_whose_address_it_is_given() {
    let table = "static void *l[] = { &&a, &&b, &&c };";
    for (n, result) in [(0, 1), (1, 2), (2, 3)] {
        returns(
            &format!(
                "int f(int n) {{ {table} goto *l[n]; a: return 1; b: return 2; c: return 3; }} int main(void) {{ return f({n}); }}"
            ),
            result,
        );
    }
    returns("int main(void) { void *p = &&l; int i = 0; l: if (i++ < 3) goto *p; return i; }", 4);
    returns("int main(void) { __label__ l; void *p = (void *)&&l; goto *p; return 1; l: return 0; }", 0);
    // Blocks that are left end, and those that are not go on.
    returns(
        "int main(void) { int r = 0; { int x = 1, *p = &x; void *q = &&in; goto *q; in: *p = 5; r = x; q = &&out; goto *q; } out: return r; }",
        5,
    );
    // Labels of the same name in two procedures are two.
    returns("void *f(void) { l: return &&l; } int main(void) { void *p = &&l; l: return p == f(); }", 0);
    refused("int main(void) { void *p = &&l; return 0; }", "there is no label `l`");
    refused("int main(void) { void *p = &&l; l: goto *(p + 1); }", "how far labels are from each other");
    let end =
        executed("int main(void) { int x, *q = &x; void *p = q; goto *p; l: return &&l == p; }", Overflow::Wrap, &[])
            .end;
    assert_ne!(end, End::Returned(Some(0)));
}

#[test]
fn a_conjunction_is_no_address() {
    returns("int main(void) { int a = 1, b = 2, c[1] = { 1 }; return (a)&&b && c[0]&&b; }", 1);
}

#[test]
fn a_variable_may_start_as_an_address_that_is_a_number() {
    returns("unsigned *port = (unsigned *)0x40003000; int main(void) { return 3; }", 3);
    returns("int g; long where = (long)&g, next = (long)&g + 4; int main(void) { return 3; }", 3);
    returns("int *p = (int *)(char *)0; int main(void) { return p == 0; }", 1);
    // What is not known is not used for an answer.
    let end = executed("int g; long where = (long)&g; int main(void) { return where == 5; }", Overflow::Wrap, &[]).end;
    assert!(!matches!(end, End::Returned(_)), "{end:?}");
}

#[test]
fn a_literal_without_items_is_zero() {
    let head = "struct s { int a, b; }; int sum(struct s k) { return k.a + k.b; }";
    returns(&format!("{head} int main(void) {{ return sum((struct s){{}}) + 1; }}"), 1);
    returns(&format!("{head} int main(void) {{ struct s x = {{ 1, 2 }}; x = (struct s) {{}}; return sum(x); }}"), 0);
}

#[test]
fn specifiers_may_stand_behind_a_structure() {
    returns("struct t { int x; } static h = { 4 }; int main(void) { return h.x; }", 4);
    returns("int f(void) { return 1; } static x = 3; int main(void) { return x; }", 3);
}

#[test]
fn what_compilers_call_by_request_is_refused() {
    refused("void __cyg_profile_func_enter(void *a, void *b) {} int main(void) { return 0; }", "finstrument-functions");
}

#[test]
fn an_omitted_operand_is_the_condition_evaluated_once() {
    let calls = "int n; int f(void) { n++; return 7; }";
    returns(&format!("{calls} int main(void) {{ int a = f() ?: 9; return a * 10 + n; }}"), 71);
    returns(&format!("{calls} int main(void) {{ n ?: f(); return n; }}"), 1);
    returns("int x = 0 ?: 5; int main(void) { return x + (3 ?: 4); }", 8);
    returns("int main(void) { int a[2] = {1, 2}; int *p = a ?: 0; return p[1]; }", 2);
    returns("int main(void) { double d = 0.0 ?: 2.5; return d == 2.5 && sizeof(1 ?: 3L) == 8; }", 1);
    returns("int main(void) { int n = 0; return n ?: (n + 1) ?: 4; }", 1);
    returns("int main(void) { int i = 2; int r = i++ ?: 5; return r * 10 + i; }", 23);
}

#[test]
fn items_that_follow_a_designated_part_without_braces_are_for_what_is_in_it() {
    let types = "struct P { int x, y; }; struct Q { struct P p; int z; }; typedef union { int l; char c[4]; } U;";
    let main = |object: &str, result: &str| format!("{types} {object} int main(void) {{ return {result}; }}");
    returns(&main("struct { int c; U m; int d; } r = { .m = 7, 9 };", "r.m.l * 10 + r.d"), 79);
    returns(&main("struct Q q = { .p = 1, 2, 3 };", "q.p.x * 100 + q.p.y * 10 + q.z"), 123);
    returns(
        &main("struct Q a[] = { [1].p = 4, 5, 6, 7, [0] = 1 };", "a[1].z * 100 + a[2].p.x * 10 + sizeof a / 12"),
        673,
    );
    returns(&main("struct { int a[3], b; } s = { .a = 1, 2, 3, 4 };", "s.a[2] * 10 + s.b"), 34);
}

#[test]
fn assembly_without_instructions_leaves_operands_as_they_are() {
    returns("int main(void) { int z = 6; asm volatile(\"\" : \"+r\"(z)); return z; }", 6);
    returns("int main(void) { int z = 6, y; asm(\"\" : \"=r\"(y) : \"0\"(z + 1)); return y; }", 7);
    returns("int main(void) { short s; asm(\"\" : [o]\"=r\"(s) : \"[o]\"(65539)); return s; }", 3);
    returns(
        "int main(void) { int x = 1, y = 2; asm(\"\" : \"=r\"(x), \"=r\"(y) : \"0\"(y), \"1\"(x)); return x * 10 + y; }",
        21,
    );
}

#[test]
fn a_result_that_nobody_uses_need_not_have_a_value() {
    let text = "int f(int x) { if (x) return 1; } int main(void) { f(0); (void)f(0); f(0), f(0); return 5; }";
    returns(text, 5);
}

#[test]
fn a_name_in_brackets_is_declared_as_without_them() {
    returns("typedef int T; T (f)(T x) { return x + 1; } int main(void) { return f(2); }", 3);
    returns(
        "typedef int T; T (f)(T); T (g) = 4; int main(void) { T (y); y = f(g); return y; } T f(T x) { return x + 1; }",
        5,
    );
    returns(
        "typedef struct s { int x; } *P; const P (f)(P p) { return p; } int main(void) { struct s s = { 6 }; return f(&s)->x; }",
        6,
    );
    returns("f(x) { return x; } static g(x) int x; { return f(x); } main() { return g(7); }", 7);
}

#[test]
fn a_loop_may_begin_with_a_declaration_that_looks_like_a_product() {
    let list = "typedef struct n { struct n *next; int x; } N; N c = { 0, 3 }, b = { &c, 2 };";
    let sum = "int s = 0; for (N *p, *q = &b; (p = q); q = p->next) s = s * 10 + p->x; return s;";
    returns(&format!("{list} int main(void) {{ {sum} }}"), 23);
    returns("int main(void) { int a = 2, b = 3, n = 0; for (a * b; n < a * b; n++) { } return n; }", 6);
}

#[test]
fn a_cast_to_a_union_gives_the_member_of_that_type_a_value() {
    let types = "typedef struct { short a, b; } S; typedef union { int i; S s; unsigned char c[8]; } U; int get(U u) { return u.i; }";
    let main = |body: &str| format!("{types} int main(void) {{ int x = 70000; S s = {{ 1, 2 }}; {body} }}");
    returns(&main("return get((U)x) == x;"), 1);
    returns(&main("return get((U)s);"), 0x20001);
    returns(&main("U u = (U)x; return u.c[0] == 112 && !u.c[4] && !u.c[7];"), 1);
    refused(&main("return (U)x / 2;"), "this operator needs numbers");
    refused(&main("return get((U)&x);"), "this cannot be converted to");
}

#[test]
fn a_parameter_that_is_a_transparent_union_takes_what_its_members_take() {
    let union = "typedef union { int *i; const char *c; } __attribute__((__transparent_union__)) U;";
    returns(&format!("{union} int f(U u) {{ return *u.i; }} int main(void) {{ int x = 5; return f(&x); }}"), 5);
    returns(&format!("{union} int f(U u) {{ return u.c[1]; }} int main(void) {{ return f(\"ab\"); }}"), 98);
    returns(&format!("{union} int f(U u) {{ return !u.c; }} int main(void) {{ return f(0); }}"), 1);
}

#[test]
fn a_procedure_without_a_body_gets_at_what_the_members_of_a_union_lead_to() {
    let union = "typedef union { long i; int *p; } U; void ext(U u); void reach_error(void);";
    let main = |body: &str| format!("{union} int main(void) {{ int x = 1, y = 1; U u; u.p = &x; {body} return 0; }}");
    let ended = |body: &str| executed(&main(body), Overflow::Wrap, &[]).end;
    assert_eq!(ended("if (y != 1) reach_error();"), End::Returned(Some(0)));
    assert_eq!(ended("ext(u); if (y != 1) reach_error();"), End::Returned(Some(0)));
    let holds = |body: &str| matches!(c_texts::verdict(&main(body), Overflow::Wrap, 10), Verdict::Holds);
    assert!(!holds("ext(u); if (x != 1) reach_error();"));
    assert!(holds("ext(u); if (y != 1) reach_error();"));
}

#[test]
fn a_text_without_braces_is_for_the_array_alone() {
    let table = "struct T { char s[4]; int v; } t[] = { \"ab\", 1, { \"cd\", 2 }, \"e\", 3 };";
    let sum = "return t[0].v * 100 + t[1].v * 10 + t[2].v + (t[0].s[1] == 'b') + (t[2].s[0] == 'e');";
    returns(&format!("{table} int main(void) {{ {sum} }}"), 125);
    returns(&format!("int main(void) {{ {table} {sum} }}"), 125);
    returns(&format!("int main(void) {{ static {table} {sum} }}"), 125);
}

#[test]
fn a_long_array_may_be_initialised_after_what_stands_behind_it() {
    let record = "struct M { int type; char text[2][100]; int method; };";
    let object = "struct M m[2] = { { .method = 1, .text = { \"a\", \"bc\" }, .type = 2 }, { .text = { \"d\" }, .text = { { 0 }, \"e\" } } };";
    let sum = "return m[0].method * 100 + m[0].type * 10 + (m[0].text[1][1] == 'c') + (m[1].text[1][0] == 'e') + !m[1].text[0][0];";
    returns(&format!("{record} const {object} int main(void) {{ {sum} }}"), 123);
    returns(&format!("{record} int main(void) {{ {object} {sum} }}"), 123);
}

#[test]
fn an_address_may_start_as_a_number_and_be_followed() {
    let start =
        "int x[4] = { 1, 2, 3, 4 }; long a = (long)&x, b = (long)&x[2]; unsigned long c = (unsigned long)x + 4;";
    returns(&format!("{start} int main(void) {{ return *(int *)a * 100 + *(int *)b * 10 + *(int *)c; }}"), 132);
    returns(
        "int x = 5; struct { long q; } s = { .q = (long)&s, .q = (long)&x }; int main(void) { return *(int *)s.q; }",
        5,
    );
    returns("int x; long q[2] = { (long)&x, 7, [0] = 3 }; int main(void) { return q[0] * 10 + q[1]; }", 37);
}

#[test]
fn numbers_of_128_bits_begin_at_multiples_of_16() {
    let text = "struct m { long long l __attribute__((__aligned__(__alignof__(long long)))); __float128 f __attribute__((__aligned__(__alignof(__float128)))); }; int main(void) { return __alignof__(struct m) + sizeof(__float128); }";
    for model in [DataModel::ILP32, DataModel::LP64] {
        let program = c_texts::parsed(text, model);
        let options = interpreter::Options::of(Overflow::Check, 1_000);
        let end = interpreter::execute(&program, &options, Inputs::list([]), &mut |_| {}).end;
        assert_eq!(end, End::Returned(Some(32)));
    }
}

#[test]
fn instructions_may_do_anything_with_what_they_get_at() {
    let main = |body: &str| {
        format!(
            "int g = 1; void reach_error(void); int main(void) {{ int x = 1, y = 1; {body} return 0; }} int late = 1;"
        )
    };
    let holds = |body: &str| matches!(c_texts::verdict(&main(body), Overflow::Wrap, 10), Verdict::Holds);
    let unknown = |body: &str| matches!(c_texts::verdict(&main(body), Overflow::Wrap, 10), Verdict::Unknown(_));
    let handed = "long r; asm volatile(\"syscall\" : \"=a\"(r) : \"D\"(&x) : \"memory\");";
    for failing in ["x != 1", "g != 1", "r == 7"] {
        assert!(unknown(&format!("{handed} if ({failing}) reach_error();")), "{failing}");
    }
    assert!(holds(&format!("{handed} if (y != 1) reach_error();")));
    assert!(unknown("asm(\"movl $2, g\"); if (g != 1) reach_error();"));
    assert!(holds("asm(\"nop\"); if (x != 1) reach_error();"));
    // What is defined below them, too.
    let below = "extern int late; void reach_error(void); int main(void) { asm(\"\\tincl late\"); if (late != 1) reach_error(); return 0; } int late = 1;";
    assert!(matches!(c_texts::verdict(below, Overflow::Wrap, 10), Verdict::Unknown(_)));
    assert!(unknown("__asm__(\"movl $2, g\"); if (g != 1) reach_error();"));
    // They may end the program.
    let end = executed("int main(void) { asm(\"nop\"); return 3; }", Overflow::Wrap, &[]).end;
    assert!(!matches!(end, End::Returned(_)), "{end:?}");
}

#[test]
fn a_local_that_is_in_a_register_is_a_local() {
    returns(
        "int f(long a) { register long r10 __asm__(\"r10\") = a; return r10 + 1; } int main(void) { return f(4); }",
        5,
    );
    let text = "void reach_error(void); int main(void) { register long sp asm(\"rsp\"); if (sp == 5) reach_error(); return 0; }";
    assert!(matches!(c_texts::verdict(text, Overflow::Wrap, 10), Verdict::Unknown(_)));
}

#[test]
fn another_name_of_another_type_is_refused_where_it_is_used() {
    let names = "int f(short x) { return x; } int g(long x) __asm__(\"f\");";
    returns(&format!("{names} int main(void) {{ return f(6); }}"), 6);
    refused(&format!("{names} int main(void) {{ return g(6); }}"), "`g` is another name of `f`, whose type differs");
    refused(&format!("{names} int main(void) {{ return g != 0; }}"), "`g` is another name of `f`, whose type differs");
    let elsewhere = format!("{names} int other(void) {{ return g(6); }}");
    returns(&format!("{elsewhere} int main(void) {{ return 3; }}"), 3);
    refused(&format!("{elsewhere} int main(void) {{ return other(); }}"), "another name of `f`");
    refused(&format!("{names} int (*p)(long) = g; int main(void) {{ return 3; }}"), "another name of `f`");
}

#[test]
fn weak_variables_that_nobody_defines_are_refused_where_the_entry_may_have_to_do_with_them() {
    let names = "extern int first[] __attribute__((weak)), one __attribute__((weak)); int *f(void) { return first; } int *g(void) { return &one; }";
    returns(&format!("{names} int main(void) {{ return 3; }}"), 3);
    for body in ["return f() == 0;", "return g() == 0;", "return first != 0;", "int *(*p)(void) = f; return p() == 0;"]
    {
        refused(&format!("{names} int main(void) {{ {body} }}"), "is weak and defined nowhere");
    }
    refused(&format!("{names} int *p = &one; int main(void) {{ return 3; }}"), "is weak and defined nowhere");
    let late = "extern int one; int *f(void) { return &one; } extern int one __attribute__((weak)); int main(void) { return 3; }";
    refused(late, "is weak and defined nowhere");
    let twice = "int f(void) __attribute__((returns_twice)); int g(void) { return f(); } int h(void) __attribute__((weak)); int k(void) { return h != 0; }";
    returns(&format!("{twice} int main(void) {{ return 3; }}"), 3);
    refused(&format!("{twice} int main(void) {{ return g(); }}"), "may come back twice");
    refused(&format!("{twice} int main(void) {{ return k(); }}"), "is weak and has no body");
}

#[test]
fn vectors_and_complex_numbers_of_halves_are_declared() {
    let halves =
        "typedef _Float16 v32 __attribute__((vector_size(64))); typedef _Complex _Float16 c16; v32 *p; c16 *q;";
    returns(&format!("{halves} int main(void) {{ return sizeof *p + sizeof *q; }}"), 68);
}

#[test]
fn what_the_entry_does_not_reach_may_call_what_is_not_supported() {
    let head = "int setjmp(long *b); void longjmp(long *b, int x); void (*signal(int s, void (*f)(int)))(int); long b[32]; void on(int s) { }";
    let jumps =
        format!("{head} int f(int x) {{ if (x) longjmp(b, 1); return setjmp(b); }} void g(void) {{ signal(2, on); }}");
    returns(&format!("{jumps} int main(void) {{ return 3; }}"), 3);
    for body in [
        "return f(0);",
        "int (*p)(int) = f; return p != 0;",
        "g(); return 0;",
        "void (*p)(long *, int) = longjmp; p(b, 1);",
    ] {
        refused(&format!("{jumps} int main(void) {{ {body} }}"), "is not supported");
    }
    // Through what others call, and through what is read.
    refused(
        &format!("{jumps} int h(void) {{ return f(1); }} int main(void) {{ return h(); }}"),
        "`longjmp` is not supported",
    );
    let table = format!("{jumps} int (*t[])(int) = {{ f }};");
    refused(&format!("{table} int main(void) {{ return t[0](0); }}"), "`setjmp` is not supported");
    returns(&format!("{table} int main(void) {{ return 3; }}"), 3);
    refused(
        &format!("{jumps} long t = (long)f; int main(void) {{ return ((int (*)(int))t)(0); }}"),
        "is not supported",
    );
}

#[test]
fn what_is_not_understood_in_a_header_of_the_system_is_refused_where_it_is_called() {
    let header = "# 1 \"/usr/include/x.h\" 1 3\nstatic inline int odd(int x) { if (x) { x = __builtin_ia32_odd(x); } return x; }\n";
    let program = |body: &str| format!("{header}# 1 \"prog.c\" 2\nint main(void) {{ {body} }}\n");
    returns(&program("return 3;"), 3);
    refused(&program("return odd(1);"), "`__builtin_ia32_odd` is not supported");
    refused(&program("int (*p)(int) = odd; return p(1);"), "`__builtin_ia32_odd` is not supported");
    refused(&program("return __builtin_ia32_odd(1);"), "`__builtin_ia32_odd` is not supported");
}

#[test]
fn a_call_through_a_pointer_may_return_a_structure() {
    let types = "struct S { int x; union { char c[4]; int i; } u; }; struct P { long a, b; };";
    let procedures = "struct S s(int x) { struct S r = { x, { .i = x + 1 } }; return r; } struct P p(int n) { struct P r = { n, 2 * n }; if (n > 5) return p(5); return r; } struct P q(int n) { return (struct P){ 7, n }; }";
    let pointers = "struct S (*ps)(int) = s; struct P (*pp)(int) = p;";
    let main = |body: &str| format!("{types} {procedures} {pointers} int main(void) {{ {body} }}");
    returns(&main("struct S r = ps(4); return r.x * 10 + r.u.i;"), 45);
    returns(&main("return pp(9).b + pp(3).a;"), 13);
    returns(
        &main(
            "struct P (*t[])(int) = { p, q }; int r = 0; for (int i = 0; i < 2; i++) r = r * 10 + t[i](2).b; return r;",
        ),
        42,
    );
    returns(&main("pp = q; struct P a = pp(p(3).b); return a.a * 10 + a.b;"), 76);
    let holds = |text: &str| c_texts::verdict(text, Overflow::Wrap, 10);
    let asserted = |e: &str| main(&format!("struct P a = pp(3); if (!({e})) __VERIFIER_error(); return 0;"));
    assert!(matches!(holds(&asserted("a.a == 3 && a.b == 6")), Verdict::Holds));
    assert!(matches!(holds(&asserted("a.b == 7")), Verdict::Violated(..)));
    // Nothing is known of what has no body.
    let outside = "struct P { long a, b; }; struct P out(int n); int main(void) { struct P (*f)(int) = out; if (f(1).a == 5) __VERIFIER_error(); return 0; }";
    assert!(matches!(holds(outside), Verdict::Unknown(_)));
}

#[test]
fn a_type_may_be_that_of_the_initialiser() {
    returns("int main(void) { __auto_type x = 3L; return sizeof x + x; }", 11);
    returns("int main(void) { int a[] = { 4, 5 }; __auto_type p = a, q = a + 1; return *p * 10 + *q; }", 45);
    returns(
        "struct s { char c; }; int main(void) { struct s v = { 6 }; const __auto_type w = v; return w.c + sizeof w; }",
        7,
    );
    refused("int main(void) { __auto_type x; return 0; }", "`__auto_type` has the type of an initialiser");
}
