//! What is read where: steps that count, propositions about values, hidden configurations.

use crate::ask::expect;

#[test]
fn next_counts_calls_and_returns_as_one_step_each() {
    let text = "
        decl g;
        void main() begin A: g := f(); B: skip; end
        bool f() begin C: return 1; end";
    expect(
        text,
        &[
            ("A & X C", "HHH"),
            ("X X B", "HHH"),
            ("X B", "VHV"),
            ("X X X @end", "VHV"),
            ("X X X X @end", "HHH"),
            ("G (B -> g)", "HHH"),
            ("X X g", "HHH"),
            ("X X X X X !@end", "VHV"),
        ],
    );
    // Results take no step of their own, also when the call is the last thing in a loop.
    let looping = "
        decl g;
        void main() begin A: g := f(g); goto A; end
        bool f(a) begin C: return !a; end";
    expect(
        looping,
        &[
            ("G (A -> X C)", "HHH"),
            ("G (C -> X X A)", "HHH"),
            ("G (A & g -> X X X (A & !g))", "HHH"),
            ("G (A -> X X A)", "VVV"),
            ("G F (A & g)", "HHH"),
            ("F G (A -> g)", "VVV"),
        ],
    );
}

#[test]
fn propositions_may_read_locals_of_the_callee() {
    let text = "
        void main() begin decl x; while (1) do f(x); x := !x; od end
        void f(a) begin F: a := !a; E: skip; end";
    expect(
        text,
        &[
            ("F G !(E & {f.a})", "VVV"),
            ("G F (E & {f.a})", "HHH"),
            ("G (F & {f.a} -> X {!f.a})", "HHH"),
            ("F G (@at(f) -> {f.a})", "VVV"),
            ("G ({f.a} | {!f.a})", "VVV"),
            ("G ({main.x} -> F {!main.x})", "HHH"),
        ],
    );
    // Locals of a frame below are not seen, and are there again after the return.
    let below = "
        void main() begin decl x; x := 1; f(0); R: skip; end
        void f(x) begin E: skip; end";
    expect(below, &[("F (E & {main.x})", "VHV"), ("F (R & {main.x})", "HHH"), ("G !{f.x}", "HHH")]);
}

#[test]
fn propositions_may_read_globals_that_no_rule_of_the_callee_mentions() {
    let text = "
        decl g;
        void main() begin while (1) do g := !g; f(); od end
        void f() begin C: deeper(); end
        void deeper() begin D: skip; end";
    expect(
        text,
        &[
            ("F G !(C & g)", "VVV"),
            ("F G !(D & g)", "VVV"),
            ("G F (D & g)", "HHH"),
            ("G (C -> g)", "VVV"),
            ("G (D & g -> X g)", "HHH"),
            ("G (D & g -> F (D & !g))", "HHH"),
        ],
    );
    let fixed = "
        decl g;
        void main() begin g := 0; f(); end
        void f() begin C: skip; end";
    expect(fixed, &[("G !(C & g)", "HHH"), ("F (C & !g)", "HHH"), ("F (C & g)", "VHV")]);
    // At the ends, too: nothing there mentions the global.
    let ends = "decl g; void main() begin if (g) then assert(0); fi end";
    expect(ends, &[("G (@end -> !g)", "HHH"), ("G (@fail -> g)", "HHH"), ("F G (@end & g)", "VHV")]);
}

#[test]
fn the_automaton_does_not_move_at_hidden_configurations() {
    // Stores of results are hidden; a proposition that is true there only for a moment is never seen.
    let text = "spds 1
        global g: bool;
        control p;
        symbol main;
        symbol veil;
        symbol next;
        start <p, main> when !g;
        rule <p, main> -> <p, veil> { g' := true };
        silent rule <p, veil> -> <p, next> { g' := false };
        rule <p, next> -> <p, main>;
    ";
    expect(text, &[("G !g", "HHH"), ("X next", "HHH"), ("G (main -> X X main)", "HHH"), ("F G !next", "VVV")]);
}

#[test]
fn undefined_conditions_are_false_and_so_their_negations_are_true() {
    let text = "spds 1
        global x: u2, a: bool[0..1];
        control p;
        symbol main;
        start <p, main> when x = 0;
        rule <p, main> -> <p, main> { x' := x + 1 };
        rule <p, main> -> <p, main> when x = 3 { x' := 0 };
        atom divides when 2 / x >= 0;
        atom fails when !(2 / x >= 0);
        atom cell when a[x];
        atom other when !a[x];
    ";
    expect(
        text,
        &[
            ("!divides & !fails", "HHH"),
            ("G F (!divides & !fails)", "HHH"),
            ("X divides", "HHH"),
            ("G !fails", "HHH"),
            ("cell | other", "HHH"),
            ("G (cell | other)", "VVV"),
        ],
    );
}
