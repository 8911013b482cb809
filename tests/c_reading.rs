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
