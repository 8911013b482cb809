//! Addresses as numbers: what C, or the compilers that people use, fix of them is known, and nothing is said that hangs on more.

extern crate puch_programs as puch;

#[path = "support/c_texts.rs"]
#[allow(dead_code, reason = "others ask for more")]
mod c_texts;

use puch::c::program::Overflow;
use puch::interpreter::End;
use puch::refinement::Verdict;

use c_texts::{executed, returns, verdict};

const HEAD: &str = "extern void reach_error(void); void *malloc(unsigned long); typedef unsigned long word;
    struct s { int a; char b[3]; long c; }; int g, h;";

fn gives(body: &str, number: i128) {
    returns(&format!("{HEAD} int main(void) {{ struct s x; int v[4]; {body} }}"), number);
}

/// That a run does not say what a condition comes to, and no verdict either.
#[track_caller]
fn is_open(condition: &str) {
    for condition in [condition.to_owned(), format!("!({condition})")] {
        let text = format!(
            "{HEAD} int main(void) {{ struct s x; int v[4], w[4]; int *m = malloc(40); if (!m) return 0;
             if ({condition}) reach_error(); return 0; }}"
        );
        let end = executed(&text, Overflow::Wrap, &[]).end;
        assert!(matches!(end, End::Unknown(_)), "{condition}: {end:?}");
        let found = verdict(&text, Overflow::Wrap, 2);
        assert!(!matches!(found, Verdict::Holds | Verdict::Violated(..)), "{condition}: {found:?}");
    }
}

#[test]
fn a_pointer_comes_back_from_its_number() {
    gives("word u = (word) &x.c; struct s *p = (struct s *) (u - 8); p->a = 5; return x.a;", 5);
    gives("long long u = (long long) v; ((int *) u)[2] = 7; return *(int *) (u + 8);", 7);
    gives(
        "int *p = v + 2, *q; for (unsigned i = 0; i < sizeof p; i++) ((char *) &q)[i] = ((char *) &p)[i]; *q = 9; return v[2];",
        9,
    );
    gives("int (*f)(void) = (int (*)(void)) (word) main; return f == main;", 1);
    gives("union { int *p; word u; } k; k.p = v; k.u += 4; *k.p = 3; return v[1];", 3);
}

#[test]
fn distances_and_orders_inside_of_an_object_are_known() {
    gives("return (word) &x.c - (word) &x;", 8);
    gives("return (long) &v[1] - (long) &v[3];", -8);
    gives("return ((word) &v[1] < (word) &v[3]) + ((word) &v[4] == (word) (v + 4));", 2);
}

#[test]
fn lowest_bits_are_those_that_the_alignment_gives() {
    gives("word u = (word) &x.c; return (u & 7) + u % 8 + ((word) &v[1] & 3);", 0);
    gives("word u = (word) v | 1; *(int *) (u & ~(word) 1) = 6; return v[0] + (u & 1) + (int) ((u ^ 1) & 3);", 7);
    gives("return (char) ((word) v & 3) + (unsigned char) ((word) &x.b[1] & 1);", 1);
}

#[test]
fn numbers_of_objects_are_not_zero_and_differ() {
    gives("return ((word) &g == (word) &h) + !(word) &g * 2 + ((word) v && 1) * 4 + ((_Bool) (word) v) * 8;", 12);
    gives("word u = (word) &g; if (u) return 3; return 4;", 3);
}

#[test]
fn what_hangs_on_the_number_itself_is_open() {
    for condition in [
        "(word) &g < (word) &h",
        "(word) v - (word) w > 16",
        "(word) (v + 4) == (word) w",
        "(word) v & 8",
        "(word) x.b & 4 && (word) &x & 8",
        "(word) m & 16",
        "(word) m == 4096",
        "(word) v >> 4 & 1",
        "(int) (word) v & 64",
        "(word) main & 1",
        "(word) v * 3 % 7",
        "(word) v - 400 == 0",
        "(word) v - 400",
        "!((word) v - 400)",
        "(_Bool) ((word) v - 400)",
        "((word) v ^ (word) w) & 16",
        "*(int *) 4096 == 3",
        "*(unsigned char *) &m == 16",
    ] {
        is_open(condition);
    }
}

#[test]
fn a_variable_may_begin_anywhere_where_that_is_asked_for() {
    for asked in ["int y __attribute__((aligned(1)));", "typedef int t __attribute__((aligned(2))); t y;"] {
        let text = format!("{HEAD} {asked} int main(void) {{ return (word) &y & 3; }}");
        let end = executed(&text, Overflow::Wrap, &[]).end;
        assert!(matches!(end, End::Unknown(_)), "{end:?}\n{text}");
    }
}

#[test]
fn stores_through_numbers_are_seen_by_proofs() {
    for (condition, fails) in [("x == 1", true), ("x != 1", false)] {
        let text = format!(
            "{HEAD} extern int nondet(void); int main(void) {{ int x = 0; word u = (word) &x; if (nondet()) u += 0; *(int *) u = 1;
             if ({condition}) reach_error(); return 0; }}"
        );
        let found = verdict(&text, Overflow::Wrap, 4);
        assert!(!matches!((&found, fails), (Verdict::Holds, true) | (Verdict::Violated(..), false)), "{found:?}");
    }
}

#[test]
fn numbers_are_as_narrow_as_pointers() {
    let returned = |body: &str| {
        let program =
            c_texts::parsed(&format!("int main(void) {{ int v[4]; {body} }}"), puch::c::types::DataModel::ILP32);
        let options = puch::interpreter::Options::of(Overflow::Wrap, 1_000);
        puch::interpreter::execute(&program, &options, puch::interpreter::Inputs::list([]), &mut |_| {}).end
    };
    let down = "unsigned u = (unsigned) &v[2]; return (u + 0xfffffff8u == (unsigned) v) + (u - 8 == (unsigned) v) * 2;";
    assert_eq!(returned(down), End::Returned(Some(3)));
    assert_eq!(returned("return (unsigned) v - (unsigned) &v[2] == 0xfffffff8u;"), End::Returned(Some(1)));
    for open in ["return (int) v < 0;", "return (int) v < (int) &v[1];", "return (int) v % 8 == 4;"] {
        assert!(matches!(returned(open), End::Unknown(_)), "{open}");
    }
}
