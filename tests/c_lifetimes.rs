//! How long objects live (C11 §6.2.4): an access through a pointer to one that is no more is undefined, wherever control left its block.

#[path = "support/c_texts.rs"]
#[allow(dead_code, reason = "others ask for more")]
mod c_texts;
#[path = "support/may_fail.rs"]
mod may_fail;

use puch::abstraction::{Tuning, abstracted, read as predicates};
use puch::c::program::Overflow;
use puch::c::types::DataModel;
use puch::interpreter::{self, End, Fault, Inputs};
use puch::nullness;
use puch::refinement::Verdict;
use puch::report::c_run::{Length, Recorder};

use c_texts::{executed, parsed, returns};
use may_fail::may_fail;

const HEAD: &str = "int nondet(void); void *malloc(unsigned long); void free(void *); int *g;\n";

#[track_caller]
fn ends(body: &str) {
    let text = format!("{HEAD}int main(void) {{ int *p = 0, i = 0; {body} }}");
    assert_eq!(executed(&text, Overflow::Check, &[]).end, End::Wrong(Fault::Dead), "{text}");
    assert_eq!(executed(&text, Overflow::Wrap, &[]).end, End::Blocked(Some(Fault::Dead)), "{text}");
    let verdict = c_texts::verdict(&text, Overflow::Check, 6);
    assert!(matches!(verdict, Verdict::Violated(..)), "{text}: {verdict:?}");
}

#[test]
fn locals_end_with_their_block_however_it_is_left() {
    ends("{ int l = 3; p = &l; } return *p;");
    ends("if (1) { int l = 3; p = &l; } return *p;");
    ends("for (int j = 0; j < 2; j++) p = &j; return *p;");
    ends("for (; i < 2; i++) { int l; l = i; if (p) l = *p; p = &l; } return 0;");
    ends("while (1) { int l = 3; p = &l; break; } return *p;");
    ends("do { int l = 3; if (p) return *p; p = &l; if (i == 0) continue; } while (i++ < 2); return 0;");
    ends("switch (i) { case 0: { int l = 3; p = &l; break; } default: ; } return *p;");
    ends("switch (i) { int l; case 0: l = 3; p = &l; } return *p;");
    ends("{ int l = 3; p = &l; goto out; } out: return *p;");
    ends("{ int l = 3; { int k = l; p = &k; goto out; } out: return *p; }");
    ends("again: { int l = 3; if (p) return *p; p = &l; goto again; }");
    ends("{ { int l = 3; p = &l; in: ; } if (i++ < 1) goto in; return *p; }");
    ends("int k = ({ int l = 3; p = &l; l; }); return *p + k;");
    ends("{ struct { int a, b[2]; } s = { 1 }; p = &s.b[1]; s.b[1] = 4; } return *p;");
    ends("{ p = (int[]) { 1, 2 }; i = p[1]; } return *p;");
    ends("{ int l = 3; p = &l; } { int k = 4; return *p + k; }");
}

#[test]
fn locals_live_until_the_end_of_their_block() {
    let program = |body: &str| format!("{HEAD}int main(void) {{ int *p = 0, i = 0; {body} }}");
    returns(&program("{ int l = 3; p = &l; { int k = 4; i = k + *p; } i += *p; } return i;"), 10);
    returns(
        &program(
            "{ int l; again: l = i; if (p) { *p = 4; if (l != 4) return 9; } p = &l; if (i++ < 3) goto again; } return i;",
        ),
        4,
    );
    returns(&program("{ int l = 3; p = &l; goto in; out: i = *p; goto end; in: goto out; } end: return i;"), 3);
    returns(&program("int l = 3; p = &l; while (i < 2) { if (i == 1) break; i++; continue; } return *p + i;"), 4);
    returns(&program("switch (i) { int l; case 0: l = 3; p = &l; case 1: i = *p; } return i;"), 3);
    returns(&program("goto in; { int l; back: return *p; in: l = 5; p = &l; goto back; }"), 5);
}

#[test]
fn arrays_whose_size_varies_end_with_their_block_and_what_alloca_gives_with_the_frame() {
    ends("int n = 3; { int a[n]; a[1] = 2; p = a; } return p[1];");
    ends("int n = 3; for (; i < 2; i++) { int a[n]; a[0] = 1; if (p) return *p; p = a; } return 0;");
    let made = "int *made(int n) { int a[n]; a[0] = n; return &a[0]; } int *f(int n) { int *p = __builtin_alloca(4); *p = n; return p; }";
    for call in ["made(3)", "f(3)"] {
        let text = format!("{made} int main(void) {{ int *p = {call}; return *p; }}");
        assert_eq!(executed(&text, Overflow::Check, &[]).end, End::Wrong(Fault::Dead), "{text}");
    }
    returns(
        "int main(void) { int *p = 0; for (int i = 0; i < 2; i++) { if (!p) { p = __builtin_alloca(4); *p = 5; } } return *p; }",
        5,
    );
    let freed = "void free(void *); int main(void) { int n = 3; int a[n]; free(a); return 0; }";
    assert_eq!(executed(freed, Overflow::Check, &[]).end, End::Wrong(Fault::BadFree));
    // There is always room for them, so that a program without inputs has one run.
    let text = "void reach_error(void); int main(void) { int n = 3; int a[n]; a[2] = 7; if (a[2] != 7) reach_error(); return 0; }";
    assert_eq!(c_texts::verdict(text, Overflow::Wrap, 0), Verdict::Holds);
}

/// A program some run of which does something undefined, which these predicates do not hide.
#[track_caller]
fn is_not_hidden(text: &str, list: &str) {
    let text = format!("{HEAD}{text}");
    let mut program = parsed(&text, DataModel::LP64);
    let predicates = predicates::read(&mut program, list).unwrap_or_else(|wrong| panic!("{wrong:?}\n{text}"));
    let abstraction = abstracted(&program, &predicates, Overflow::Check, &Tuning::default());
    assert!(may_fail(&abstraction), "{}\n{text}", abstraction.text());
}

#[test]
fn nothing_is_known_of_what_pointers_led_to_that_is_no_more() {
    is_not_hidden(
        "int main(void) { int *p = 0; { int l; l = 3; p = &l; } if (p) return *p; return 0; }",
        "main: *p == 3\nmain: p",
    );
    is_not_hidden(
        "void f(void) { int l = 3; g = &l; } int main(void) { f(); if (g) return *g == 3; return 0; }",
        "*: *g == 3, g",
    );
    is_not_hidden(
        "int *f(void) { int l = 3; int *q = &l; return q; } int main(void) { int *p = f(); if (p) return *p == 3; return 0; }",
        "f: *result == 3\nf: *q == 3\nmain: *p == 3\nmain: p",
    );
    is_not_hidden(
        "int main(void) { int *p = 0; for (int i = 0; i < 2; i++) { int l; l = 3; if (p) l = *p; p = &l; } return 0; }",
        "main: *p == 3\nmain: p\nmain: i < 1",
    );
    is_not_hidden(
        "void f(int n) { int l = 3; if (n) { g = &l; f(0); if (g) *g = 4; } else g = &l; } int main(void) { f(1); return 0; }",
        "*: *g == 3, g\nf: n",
    );
    is_not_hidden(
        "int main(void) { int *p = 0; { int l; l = 3; p = &l; } if (p) return *p; return 0; }",
        "main: p == &l\nmain: p",
    );
    is_not_hidden("int main(void) { int *p = malloc(4); if (!p) return 0; free(p); free(p); return 0; }", "main: p");
    is_not_hidden("int x; int main(void) { if (nondet() == 4711) free(&x); return 0; }", "*: x == 0");
}

#[test]
fn an_array_whose_size_varies_is_never_null() {
    let text = "int nondet(void); int main(void) { int n = nondet(); if (n < 1 || n > 9) return 0; int a[n]; a[0] = 1; return a[0]; }";
    let program = parsed(text, DataModel::LP64);
    let uses = nullness::analyse(&program, &nullness::Options::default());
    assert!(!uses.is_empty() && uses.iter().all(|used| used.verdict.excludes_run()), "{uses:?}");
}

#[test]
fn the_end_of_a_block_is_no_step_of_what_a_reader_sees() {
    let text = "int main(void) {\n  int s = 0;\n  for (int i = 0; i < 2; i++) {\n    int l = i;\n    int *p = &l;\n    \
                if (i < 5)\n      s += *p;\n    else\n      s--;\n  }\n  return s;\n}\n";
    let program = parsed(text, DataModel::LP64);
    let mut recorder = Recorder::new(&program, Length::All);
    let options = interpreter::Options::of(Overflow::Wrap, 1_000);
    interpreter::execute(&program, &options, Inputs::list([]), &mut |moment| recorder.tell(moment));
    let lines: Vec<u32> = recorder.steps(&[]).map(|step| step.line).collect();
    assert_eq!(
        lines,
        [2, 3, 3, 4, 5, 6, 7, 3, 3, 4, 5, 6, 7, 3, 3, 11],
        "{:?}",
        recorder.steps(&[]).collect::<Vec<_>>()
    );
}
