//! GNU C as people write it: what the parser of C does not read by itself.

#[path = "support/c_texts.rs"]
#[allow(dead_code, reason = "others ask for more")]
mod c_texts;

use puch::c::program::Overflow;
use puch::c::{self, Unit};
use puch::interpreter::{self, End, Inputs};

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
