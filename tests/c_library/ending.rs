//! Ends of programs.

use super::*;

#[test]
fn what_is_handed_to_atexit_is_called_at_the_end_from_the_last_to_the_first() {
    let program = |handlers: &str, main: &str| {
        format!(
            "{DECLARED} int atexit(void (*)(void)); void exit(int); void _exit(int); void abort(void); static int n; {handlers} int main(void) {{ {main} }}"
        )
    };
    let order = "static void first(void) { assert(n == 1); } static void second(void) { assert(n == 0); n = 1; }";
    let verdict = |main: &str, handlers: &str| verdict(&program(handlers, main), Overflow::Wrap, 8);
    assert_eq!(verdict("atexit(first); atexit(second); exit(3); return 0;", order), Verdict::Holds);
    assert_eq!(verdict("atexit(first); atexit(second);", order), Verdict::Holds);
    let open = verdict("atexit(first); atexit(second); if (ext()) exit(3); return 0;", order);
    assert!(!matches!(open, Verdict::Violated(..)), "{open:?}");
    let sets = "static void sets(void) { n = 1; } static void fine(void) { assert(n == 0); }";
    assert_eq!(verdict("if (ext()) atexit(fine); if (ext()) exit(1); return 0;", sets), Verdict::Holds);
    let wrong = "atexit(second); if (ext()) atexit(first); if (ext()) exit(3); return 0;";
    assert!(matches!(verdict(wrong, order), Verdict::Violated(..)));
    let through = "void (*p)(int) = exit; atexit(first); p(1); return 0;";
    assert!(matches!(verdict(through, order), Verdict::Violated(..)));
    let fails = "static void fails(void) { assert(0); }";
    assert!(matches!(verdict("atexit(fails);", fails), Verdict::Violated(..)), "main ends at its brace");
    assert_eq!(verdict("if (ext()) atexit(fails); if (ext()) abort(); _exit(1);", fails), Verdict::Holds);
    // Who ends the program elsewhere may do so in either way.
    let elsewhere = "extern void die(void) __attribute__((noreturn)); static void fails(void) { assert(0); }";
    assert!(matches!(verdict("atexit(fails); die();", elsewhere), Verdict::Unknown(_)));
    let many = |count: u32| {
        let main = format!("for (int i = 0; i < {count}; i++) assert(atexit(second) == 0); _exit(0);");
        decided(&program("static void second(void) {}", &main).replace(DECLARED, ""))
    };
    assert_eq!(many(32), Verdict::Holds);
    assert!(
        !matches!(many(33), Verdict::Violated(..)),
        "C promises 32, and does not say that there is no room for more"
    );
    returns(
        &program(
            "static void more(void) { n = n + 1; } static void two(void) { atexit(more); }",
            "atexit(two); return 7;",
        ),
        7,
    );
    c_texts::is_refused(&program(order, "atexit(first); return n ? main() : 0;"), "a call of `main`");
}
