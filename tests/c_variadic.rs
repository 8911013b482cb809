//! Arguments beyond those that are declared, and objects that are passed as they are, in runs.

extern crate puch_programs as puch;

#[path = "support/c_texts.rs"]
#[allow(dead_code, reason = "others read more")]
mod c_texts;

use c_texts::{executed, returns, verdict};
use puch::c::program::Overflow;
use puch::interpreter::End;
use puch::refinement::Verdict;

/// A text after what headers say of lists of arguments.
fn headed(text: &str) -> String {
    let text = text.replace("va_start", "__builtin_va_start").replace("va_arg", "__builtin_va_arg");
    let text = text.replace("va_end", "__builtin_va_end").replace("va_copy", "__builtin_va_copy");
    format!("typedef __builtin_va_list va_list; {text}")
}

const SUM: &str = "int sum(int n, ...) { va_list l; int s = 0; va_start(l, n); while (n--) s += va_arg(l, int); va_end(l); return s; }";

#[test]
fn arguments_that_are_not_declared_are_passed() {
    returns(&headed(&format!("{SUM} int main(void) {{ return sum(3, 1, 2, 4) + sum(0) + sum(1, 5); }}")), 12);
    returns(&headed(&format!("{SUM} int main(void) {{ char c = 3; short s = 4; return sum(2, c, s); }}")), 7);
    returns(&headed(&format!("{SUM} int main(void) {{ return sum(2, sum(1, 2), sum(2, 3, 4)); }}")), 9);
    returns(&headed(&format!("{SUM} int main(void) {{ int (*p)(int, ...) = sum; return p(2, 3, 4); }}")), 7);
    let mixed =
        "int f(char *s, ...) { va_list l; va_start(l, s); double d = va_arg(l, double); long k = va_arg(l, long);
        char *t = va_arg(l, char *); int *p = va_arg(l, int *); va_end(l); return d * 2 + k + t[0] - s[0] + *p; }";
    returns(
        &headed(&format!(
            "{mixed} int main(void) {{ int x = 7; float r = 1.5f; return f(\"a\", r, 10L, \"c\", &x); }}"
        )),
        22,
    );
    let record = "struct S { int a; double d; char t[30]; }; int f(int n, ...) { va_list l; va_start(l, n);
        struct S s = va_arg(l, struct S); int k = va_arg(l, int); va_end(l); return s.a + s.d + s.t[1] + k; }";
    returns(
        &headed(&format!(
            "{record} int main(void) {{ struct S s = {{ 1, 2.5, \"ab\" }}; return f(0, s, 4) - \'b\'; }}"
        )),
        7,
    );
}

#[test]
fn lists_of_arguments_are_passed_and_copied() {
    let list = "int vsum(int n, va_list l) { int s = 0; while (n--) s += va_arg(l, int); return s; }
        int sum(int n, ...) { va_list l, m; va_start(l, n); va_copy(m, l); int s = vsum(n, l); s = s * 10 + va_arg(m, int);
        va_end(l); va_end(m); return s; }";
    returns(&headed(&format!("{list} int main(void) {{ return sum(3, 1, 2, 3); }}")), 61);
    let next = "int next(va_list *l) { return va_arg(*l, int); }
        int f(int n, ...) { va_list l; va_start(l, n); int a = next(&l); return a * 10 + next(&l); }";
    returns(&headed(&format!("{next} int main(void) {{ return f(0, 3, 4); }}")), 34);
    let deep = "int f(int n, ...) { va_list l; va_start(l, n); int a = va_arg(l, int);
        return n ? a + f(n - 1, a + 1) : a; }";
    returns(&headed(&format!("{deep} int main(void) {{ return f(3, 1); }}")), 10);
}

#[test]
fn what_says_which_list_it_is_is_evaluated_once() {
    let ends =
        "int f(int n, ...) { va_list l[2]; int i = 0; va_start(l[i++], n); int a = va_arg(l[--i], int); va_end(l[i++]);
        return a * 10 + i; }";
    returns(&headed(&format!("{ends} int main(void) {{ return f(0, 3); }}")), 31);
    let copies = "int f(int n, ...) { va_list l, m[2], *p = m; va_start(l, n); va_copy(*p++, l); va_end(l); p--;
        int a = va_arg(*p++, int); va_end(*--p); return a * 10 + (p == m); }";
    returns(&headed(&format!("{copies} int main(void) {{ return f(0, 3); }}")), 31);
}

#[test]
fn an_argument_that_is_not_there_is_not_read() {
    let one = "int f(int n, ...) { va_list l; va_start(l, n); int a = va_arg(l, int); return va_arg(l, int); }";
    let end = executed(&headed(&format!("{one} int main(void) {{ return f(0, 1); }}")), Overflow::Check, &[]).end;
    assert!(matches!(end, End::Wrong(_)), "{end:?}");
    let other = "int f(int n, ...) { va_list l; va_start(l, n); return va_arg(l, long) == 1; }";
    let end = executed(&headed(&format!("{other} int main(void) {{ return f(0, 1); }}")), Overflow::Check, &[]).end;
    assert!(matches!(end, End::Unknown(_)), "{end:?}");
}

#[test]
fn closed_programs_are_decided_by_such_arguments() {
    let main = |condition: &str| headed(&format!("{SUM} int main(void) {{ assert({condition}); return 0; }}"));
    let (holds, fails) = (main("sum(2, 3, 4) == 7"), main("sum(2, 3, 4) != 7"));
    assert!(matches!(verdict(&holds, Overflow::Wrap, 4), Verdict::Holds));
    assert!(matches!(verdict(&fails, Overflow::Wrap, 4), Verdict::Violated(..)));
    let given = "int nondet_int(void); int z = 0;";
    let open = |condition: &str| {
        headed(&format!("{given} {SUM} int main(void) {{ z = nondet_int(); assert({condition}); return 0; }}"))
    };
    assert!(!matches!(verdict(&open("sum(1, z) == z"), Overflow::Wrap, 4), Verdict::Violated(..)));
    assert!(!matches!(verdict(&open("sum(1, z) != 5"), Overflow::Wrap, 4), Verdict::Holds));
}

#[test]
fn unions_are_passed_and_assigned_by_their_bytes() {
    let union = "union U { int i; char c[8]; double d; };";
    returns(
        &format!(
            "{union} int f(union U u, int k) {{ u.i += k; return u.i; }}
        int main(void) {{ union U u = {{ 5 }}; int r = f(u, 2); return r * 10 + u.i; }}"
        ),
        75,
    );
    returns(
        &format!(
            "{union} union U id(union U u) {{ return u; }}
        int main(void) {{ union U u; u.d = 2.5; union U v = id(u); return v.d * 2; }}"
        ),
        5,
    );
    returns(
        &format!(
            "{union} struct S {{ int k; union U u; }}; int f(struct S s) {{ return s.k + s.u.c[0]; }}
        int main(void) {{ struct S s = {{ 1, {{ 2 }} }}; int (*p)(struct S) = f; return f(s) * 10 + p(s); }}"
        ),
        33,
    );
    let text = |condition: &str| {
        format!(
            "{union} int nondet_int(void); int f(union U u) {{ return u.i; }}
            int main(void) {{ union U u; u.i = nondet_int(); assert({condition}); return 0; }}"
        )
    };
    assert!(!matches!(verdict(&text("f(u) == u.i"), Overflow::Wrap, 4), Verdict::Violated(..)));
    assert!(!matches!(verdict(&text("f(u) != 5"), Overflow::Wrap, 4), Verdict::Holds));
}
