//! How runs end, and which of them count.

use crate::ask::{expect, expect_where_returns_are_refused};

#[test]
fn a_prefix_that_cannot_be_extended_is_a_violation_only_if_blocked_runs_count() {
    let bodies = [
        // What follows L, the answers to `G !L`, and to termination.
        ("assume(0);", "HHV", "HHH"),
        ("skip;", "VHV", "HHH"),
        ("assert(0);", "VHV", "HHH"),
        ("while (1) do skip; od", "VVV", "VVV"),
        ("while (*) do skip; od assume(0);", "VVV", "VVV"),
        ("again();", "VVV", "VVV"),
        ("once(); assume(0);", "HHV", "HHH"),
        ("if (*) then assume(0); fi", "VHV", "HHH"),
        ("unwound();", "HHV", "HHH"),
    ];
    for (after, answers, termination) in bodies {
        let text = format!(
            "void main() begin if (*) then L: skip; {after} fi end
             void again() begin again(); end
             void once() begin skip; end
             void unwound() begin skip; assume(0); end"
        );
        expect(&text, &[("G !L", answers), ("termination", termination)]);
    }
    // Whether it can go on depends on a local of the caller.
    for (value, answers) in [("0", "HHV"), ("1", "VHV")] {
        let text = format!(
            "void main() begin decl x; x := {value}; f(); assume(x); end
             void f() begin L: skip; end"
        );
        expect(&text, &[("G !L", answers), ("F @end", if value == "1" { "HHH" } else { "HHV" })]);
    }
    // Recursion that can unwind only by a way that is blocked, or go on for ever.
    let recursive = "
        void main() begin f(); end
        void f() begin if (*) then L: skip; f(); fi assume(0); end";
    expect(recursive, &[("G !L", "VVV"), ("X F @at(main)", "VVV"), ("F @at(main) & G F L", "HHV"), ("G F L", "HHV")]);
}

#[test]
fn a_blocked_run_repeats_its_last_configuration() {
    let text = "decl g; void main() begin g := 1; L: assume(!g); N: skip; end";
    expect(
        text,
        &[
            ("G !@stuck", "HHV"),
            ("F (@stuck & L & g)", "HHH"),
            ("X (L & @stuck)", "HHH"),
            ("F G (@stuck & @at(main))", "HHH"),
            ("G (@stuck -> X @stuck)", "HHH"),
            ("F N", "HHV"),
            ("F @stuck", "HHH"),
        ],
    );
    // Blocked from the start on.
    expect(
        "void main() begin L: assume(0); end",
        &[("L & @stuck", "HHH"), ("!@stuck", "HHV"), ("G (L & @stuck)", "HHH")],
    );
    // Inside of calls, and only for some values.
    let deep = "
        decl g;
        void main() begin f(*); end
        void f(a) begin g := a; L: assume(a); while (1) do skip; od end";
    expect(
        deep,
        &[("G !@stuck", "HHV"), ("F G (@stuck -> !g)", "HHH"), ("G (@stuck -> L & {!f.a})", "HHH"), ("G F g", "HHV")],
    );
    // Neither the ends nor loops are stuck.
    expect("void main() begin if (*) then assert(0); fi end", &[("G !@stuck", "HHH"), ("termination", "HHH")]);
}

#[test]
fn without_any_guard_a_run_is_blocked_where_values_do_not_fit() {
    let counts = "spds 1
        global n: u2;
        control p;
        symbol m;
        start <p, m> when n < 3;
        rule <p, m> -> <p, m> { n' := n + 1 };
        atom top when n = 3;
    ";
    expect(
        counts,
        &[("G !@stuck", "HHV"), ("F (top & @stuck)", "HHH"), ("G (@stuck -> top)", "HHH"), ("F top", "HHH")],
    );
    let cells = "spds 1
        global n: u2, a: bool[0..1];
        control p;
        symbol m;
        start <p, m> when !a[0];
        rule <p, m> -> <p, m> { a'[n] := true; a'[0] := false };
        atom out when n > 1;
        atom twice when n = 0;
    ";
    expect(cells, &[("G !@stuck", "HHV"), ("(out | twice) -> @stuck", "HHH"), ("@stuck -> (out | twice)", "HHH")]);
}

#[test]
fn a_hidden_configuration_without_a_way_out_blocks_the_step_into_it() {
    let text = "spds 1
        global g: bool;
        control p;
        symbol main;
        symbol veil;
        symbol deeper;
        symbol lit;
        start <p, main>;
        rule <p, main> -> <p, veil>;
        silent rule <p, veil> -> <p, deeper>;
        silent rule <p, deeper> -> <p, lit> when g;
        rule <p, lit> -> <p, lit>;
    ";
    expect(text, &[("G !@stuck", "HHV"), ("g -> X lit", "HHH"), ("!g -> G (main & @stuck)", "HHH"), ("F lit", "HHV")]);
    // The same where the call enters a hidden configuration.
    let called = text.replace("<p, veil>;\n        silent", "<p, veil lit>;\n        silent");
    expect(&called, &[("G !@stuck", "HHV"), ("g -> X lit", "HHH"), ("F lit", "HHV"), ("G F main", "VVV")]);
}

#[test]
fn an_invariant_at_the_return_site_blocks_the_return() {
    let text = |value: &str| {
        format!(
            "decl g;
             void main() begin decl x; enforce !(g & x); g := 0; x := {value}; f(); R: skip; end
             void f() begin g := 1; L: skip; end"
        )
    };
    expect_where_returns_are_refused(
        &text("1"),
        &[("G !L", "HHV"), ("F R", "HHV"), ("F (@return(f) & @stuck)", "HHH"), ("G !@stuck", "HHV")],
    );
    expect_where_returns_are_refused(&text("0"), &[("G !L", "VHV"), ("F R", "HHH"), ("G !@stuck", "HHH")]);
    // Both kinds of callers suspend the same call, and only one of them can be come back to.
    let both = "
        decl g;
        void main() begin decl x; enforce !(g & x); g := 0; x := *; f(); R: skip; end
        void f() begin g := 1; L: skip; end";
    expect_where_returns_are_refused(
        both,
        &[("G !L", "VHV"), ("F R", "HHV"), ("G !@stuck", "HHV"), ("G (@stuck -> @return(f))", "HHH")],
    );
}

#[test]
fn an_invariant_behind_a_hidden_return_site_blocks_the_return() {
    // The result is stored in a hidden step, which `enforce` refuses.
    let text = "
        decl g;
        void main() begin decl m; enforce (g | !m); m := 0; g := 0; m := f(); R: skip; end
        bool f() begin L: return *; end";
    expect_where_returns_are_refused(text, &[("G !L", "VHV"), ("F R", "HHH"), ("G !@stuck", "HHH")]);
    let always = text.replace("return *", "return 1");
    expect_where_returns_are_refused(
        &always,
        &[("G !L", "HHV"), ("F R", "HHV"), ("F (L & @stuck)", "HHH"), ("G !@stuck", "HHV")],
    );
    // It depends on the frame below whether the return exists.
    let some = "spds 1
        global g: bool;
        frame main { m: bool }
        control p;
        symbol main in main;
        symbol veil in main;
        symbol on in main invariant g | !m;
        symbol f;
        symbol @end;
        end @end;
        start <p, main @end>;
        rule <p, main> -> <p, f veil>;
        rule <p, f> -> <p>;
        silent rule <p, veil> -> <p, on>;
        rule <p, on> -> <p>;
        rule <p, @end> -> <p, @end>;
    ";
    expect_where_returns_are_refused(
        some,
        &[("G !@stuck", "HHV"), ("F on", "HHV"), ("G (@stuck -> f & !g)", "HHH"), ("F @end", "HHV")],
    );
}

#[test]
fn a_value_that_does_not_fit_behind_a_hidden_return_site_blocks_the_return() {
    // No guard and no invariant, yet the silent step does not exist.
    let text = "spds 1
        global n: u1;
        control p;
        symbol main;
        symbol f;
        symbol back;
        symbol veil;
        symbol on;
        symbol @end;
        end @end;
        start <p, main @end> when n = 1;
        rule <p, main> -> <p, f veil>;
        rule <p, f> -> <p, back>;
        rule <p, back> -> <p>;
        silent rule <p, veil> -> <p, on> { n' := n + 1 };
        rule <p, on> -> <p>;
        rule <p, @end> -> <p, @end>;
    ";
    let answers = [("G !f", "HHV"), ("G !on", "HHH"), ("F @end", "HHV"), ("F (back & @stuck)", "HHH")];
    expect_where_returns_are_refused(text, &answers);
}

#[test]
fn the_ends_repeat_unless_only_infinite_runs_count() {
    let text = "decl g; void main() begin A: g := 1; if (*) then assert(0); fi end";
    expect(
        text,
        &[
            ("F @end", "VHV"),
            ("F (@end | @fail)", "HHH"),
            ("G !@end", "VHV"),
            ("F G g", "HHH"),
            ("G F A", "VHV"),
            ("G (@end -> G @end)", "HHH"),
            ("G (@end -> !@at(main))", "HHH"),
            ("G !@fail", "VHV"),
            ("0", "VHV"),
            ("1", "HHH"),
            ("termination", "HHH"),
        ],
    );
    // The failure of an assertion in a callee: the frames below are no longer anyone's.
    let deep = "
        decl g;
        void main() begin g := 0; f(1); end
        void f(a) begin L: assert(!a); end";
    expect(
        deep,
        &[("F G @fail", "HHH"), ("G (@fail -> !@at(f) & !g)", "HHH"), ("G !@fail", "VHV"), ("G F {f.a}", "VHV")],
    );
    // Some runs end, some do not.
    let some = "void main() begin while (*) do L: skip; od end";
    expect(some, &[("F @end", "VVV"), ("G F L", "VHV"), ("F G !L", "VVV"), ("G !L", "VVV"), ("termination", "VVV")]);
}

#[test]
fn a_step_into_a_hidden_configuration_without_a_way_out_does_not_exist() {
    let text = "spds 1
        global g: bool;
        control p;
        symbol main;
        symbol veil;
        symbol lit;
        symbol dark;
        symbol f;
        symbol back;
        symbol @end;
        end @end;
        start <p, main @end>;
        rule <p, main> -> <p, veil>;
        silent rule <p, veil> -> <p, lit> when g;
        rule <p, lit> -> <p, lit>;
        rule <p, main> -> <p, f back> when !g;
        rule <p, f> -> <p, dark>;
        rule <p, dark> -> <p> { g' := * };
        silent rule <p, back> -> <p, lit> when g;
        rule <p, @end> -> <p, @end>;
    ";
    // With g, main steps to lit at once. Without, it calls f, and dark returns to lit only if it sets g.
    expect_where_returns_are_refused(
        text,
        &[
            ("g -> X lit", "HHH"),
            ("!g -> X f & X X dark & X X X lit", "HHH"),
            ("G !@stuck", "HHH"),
            ("G !veil & G !back", "HHH"),
            ("F G lit", "HHH"),
            ("F (lit & !g)", "VVV"),
        ],
    );
    let blocked = text.replace("{ g' := * }", "{ g' := false }");
    expect_where_returns_are_refused(
        &blocked,
        &[("F lit", "HHV"), ("!g -> F (dark & @stuck)", "HHH"), ("G (@stuck -> dark)", "HHH"), ("g", "HHV")],
    );
    // The run begins in a hidden configuration: what is seen of it begins later.
    let hidden = text.replace("<p, main @end>;", "<p, veil @end>;");
    expect_where_returns_are_refused(&hidden, &[("lit & g", "HHH"), ("G lit", "HHH")]);
}

#[test]
fn runs_may_return_into_the_start_stack() {
    let text = "spds 1
        global g: bool;
        frame low { x: bool }
        control p;
        symbol top;
        symbol under in low;
        symbol last in low;
        symbol loop;
        start <p, top under last loop>;
        rule <p, top> -> <p> { g' := true };
        rule <p, under> -> <p> when x;
        rule <p, last> -> <p> when !x;
        rule <p, loop> -> <p, loop> { g' := !g };
    ";
    // The locals of each frame below are arbitrary: neither excludes the other.
    expect(
        text,
        &[
            ("G !loop", "VVV"),
            ("F loop", "HHV"),
            ("F G !loop", "VVV"),
            ("F G g", "VVV"),
            ("X X X (loop & g)", "HHV"),
            ("termination", "VVV"),
        ],
    );
}

#[test]
fn a_run_that_empties_its_stack_is_not_blocked_and_does_not_count() {
    let text = "spds 1
        global g: bool;
        control p;
        symbol main;
        symbol last;
        start <p, main>;
        rule <p, main> -> <p, last>;
        rule <p, last> -> <p> when g;
    ";
    expect(text, &[("G !last", "HHV"), ("G !@stuck", "HHV"), ("G !g", "HHH"), ("termination", "HHH")]);
    // A choice between that and a loop.
    let either = format!("{text} rule <p, last> -> <p, last>;");
    expect(&either, &[("G !g", "VVV"), ("G !@stuck", "HHH"), ("F G last", "HHH")]);
}

#[test]
fn without_runs_everything_holds_and_says_so() {
    let none = "void main() begin while (1) do assume(0); od end";
    expect(none, &[("G 0", "HHV"), ("F 0", "HHV"), ("1", "HHH"), ("termination", "HHH")]);
    let no_start = "spds 1
        global g: bool;
        control p;
        symbol main;
        start <p, main> when g & !g;
        rule <p, main> -> <p, main>;
    ";
    expect(no_start, &[("0", "HHH"), ("G main", "HHH"), ("termination", "HHH")]);
}
