//! Procedures inside procedures (GNU C): what they name around them, whose frame that is, and what is not known of them.

extern crate puch_programs as puch;

#[path = "support/c_texts.rs"]
#[allow(dead_code, reason = "others ask for more")]
mod c_texts;

use puch::c::program::Overflow;
use puch::interpreter::End;
use puch::refinement::Verdict;

use c_texts::{executed, is_refused as refused, returns, verdict};

/// In `main`.
fn gives(body: &str, number: i128) {
    returns(&format!("int main(void) {{ {body} }}"), number);
}

#[test]
fn what_is_around_is_read_and_written() {
    gives("int x = 3; int g(int y) { x += y; return x * 2; } int z = g(4); return z + x;", 21);
    gives("int x = 1; void g(void) { void h(void) { x = x * 3; } h(); x++; h(); } g(); return x;", 12);
    gives("int n = 4; int f(int k) { return k < 2 ? 1 : k * f(k - 1) + n; } return f(3);", 22);
    gives("struct { int a, b[2]; } s = { 1, { 2, 3 } }; void g(void) { s.b[1] = s.a + 6; } g(); return s.b[1];", 7);
    gives("int r = 0; for (int i = 0; i < 3; i++) { int own = i; void add(void) { r += own; } add(); } return r;", 3);
    gives("int n = 2; int v[n + 1]; int g(void) { v[n] = 9; return sizeof v / sizeof *v; } return g() + v[2];", 12);
}

#[test]
fn parameters_and_locals_of_its_own_hide_what_is_around() {
    gives(
        "int x = 3, y = 5; int g(int x) { int y = x + 1; { int x = 100; y += x; } return y; } return g(1) + x + y;",
        110,
    );
    // `h` is called where `x` means something else, and means the one that it was declared with.
    gives(
        "int x = 3; int h(void) { return x; } int g(int x) { int k(int y) { return h() + x * y; } return k(2); } return g(5);",
        13,
    );
    gives("int g(void) { static int n = 1; return n++; } g(); g(); return g();", 3);
}

#[test]
fn one_that_is_declared_before_is_called_before() {
    gives(
        "int n = 0; auto int odd(int); int even(int k) { n++; return k == 0 ? 1 : odd(k - 1); }
         int odd(int k) { n++; return k == 0 ? 0 : even(k - 1); } return even(4) * 10 + n;",
        15,
    );
}

#[test]
fn pointers_lead_to_them_while_the_frame_is_alive() {
    let call = "int call(int (*f)(int), int x) { return f(x); }";
    returns(
        &format!("{call} int main(void) {{ int n = 5; int g(int x) {{ n++; return x + n; }} return call(g, 1) + n; }}"),
        13,
    );
    let twice = "int once(int n) { int g(int x) { return x + n; } return call(&g, 1); }";
    returns(&format!("{call} {twice} int main(void) {{ return once(2) * 10 + once(5); }}"), 36);
    // Those that name nothing around them are known whatever is alive.
    let deep = "int down(int n) { int g(int x) { return x * 2; } return n ? down(n - 1) : call(g, 4); }";
    returns(&format!("{call} {deep} int main(void) {{ return down(3); }}"), 8);
}

#[test]
fn whose_frame_a_pointer_leads_to_is_unknown_if_there_are_several() {
    let text = "int down(int n, int (*f)(void)) { int g(void) { return n; } return n ? down(n - 1, f ? f : g) : f(); }
        int main(void) { return down(2, 0); }";
    returns(text, 2);
    let text = "int down(int n, int (*f)(void)) { int g(void) { return n; } return n ? down(n - 1, g) : f(); }
        int main(void) { return down(2, 0); }";
    assert!(matches!(executed(text, Overflow::Check, &[]).end, End::Unknown(_)));
}

#[test]
fn what_others_do_to_locals_comes_in_any_order() {
    for value in [0, 1] {
        let text = format!(
            "extern void reach_error(void); int main(void) {{ int x = 0; int h(void) {{ x = 1; return 0; }}
             int g(void) {{ return x + h(); }} if (g() == {value}) reach_error(); }}"
        );
        assert!(!matches!(verdict(&text, Overflow::Check, 3), Verdict::Holds), "{value}");
    }
}

#[test]
fn labels_are_those_of_their_own_procedure() {
    gives(
        "int x = 0; void *p = &&yes; int g(int k) { void *q = k ? &&yes : &&no; goto *q; yes: return 1; no: return 2; }
         x = g(0) * 10 + g(1); goto *p; return 0; yes: return x;",
        21,
    );
    refused("int main(void) { __label__ out; void g(void) { goto out; } g(); out: return 0; }", "a jump out of one");
    refused(
        "int main(void) { int k = 0; int x = k++ + ({ int g(void) { return k; } g(); }); return x; }",
        "order is open",
    );
}
