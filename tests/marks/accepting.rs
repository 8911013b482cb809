//! Cycles that are accepted, and marks that are met on the way.

use crate::ask::expect;

/// `main` calls `f1` for ever, that calls `f2`, and so on, so deep; the last one does `inside`.
fn chain(depth: usize, inside: &str) -> String {
    let mut text = "void main() begin C: while (1) do f1(); od end\n".to_owned();
    for number in 1..depth {
        text += &format!("void f{number}() begin f{}(); end\n", number + 1);
    }
    text + &format!("void f{depth}() begin {inside} end\n")
}

#[test]
fn the_only_marked_step_is_some_returns_deep() {
    for depth in 1..=3 {
        // H is passed each time round, always inside of a call that returns.
        expect(&chain(depth, "H: skip;"), &[("F G !*:H", "VVV"), ("G F *:H", "HHH"), ("termination", "VVV")]);
        // Long before the return.
        let early = chain(depth, "H: skip; skip; if (*) then skip; else skip; fi skip;");
        expect(&early, &[("F G !*:H", "VVV"), ("G F *:H", "HHH")]);
        // Half of the time.
        expect(&chain(depth, "if (*) then H: skip; fi"), &[("F G !*:H", "VVV"), ("G F *:H", "VVV")]);
        // Whoever comes to H never comes back, so no run passes it for ever.
        let blocked = chain(depth, "if (*) then H: skip; assume(0); fi");
        expect(&blocked, &[("F G !*:H", "HHH"), ("G !*:H", "HHV"), ("G F !*:H", "HHH")]);
    }
}

#[test]
fn the_only_marked_step_is_a_call_or_a_return() {
    let text = "
        void main() begin while (1) do C: f(); od end
        void f() begin if (*) then R: return; fi end";
    expect(text, &[("F G !C", "VVV"), ("F G !R", "VVV"), ("F G !@return(f)", "VVV"), ("F G !@call(f)", "VVV")]);
    // When C calls, what its callee does is known from another call, which is made once.
    let later = "
        decl g;
        void main() begin g := 0; A: f(); g := 1; while (1) do C: f(); skip; od end
        void f() begin R: skip; end";
    expect(later, &[("F G !C", "VVV"), ("F G !A", "HHH"), ("F G !(R & g)", "VVV"), ("F G !(@return(f) & !g)", "HHH")]);
    // Both kinds of calls have one return site.
    let shared = "spds 1
        global g: bool;
        control p;
        symbol main;
        symbol one;
        symbol other;
        symbol back;
        symbol f;
        start <p, main>;
        rule <p, main> -> <p, one>;
        rule <p, one> -> <p, f back>;
        rule <p, other> -> <p, f back>;
        rule <p, f> -> <p>;
        rule <p, back> -> <p, other>;
    ";
    expect(shared, &[("F G !one", "HHH"), ("F G !other", "VVV"), ("F G !f", "VVV"), ("F G !back", "VVV")]);
    // Nothing but the call, and nothing but the return, is between two visits.
    let tight = "spds 1
        control p;
        symbol main;
        symbol f;
        start <p, main>;
        rule <p, main> -> <p, f main>;
        rule <p, f> -> <p>;
    ";
    expect(tight, &[("F G !main", "VVV"), ("F G !f", "VVV"), ("G (main -> X f)", "HHH"), ("G (f -> X main)", "HHH")]);
}

#[test]
fn the_only_marked_step_is_in_a_recursion_that_never_returns() {
    let plain = "void main() begin f(); end void f() begin H: f(); E: skip; end";
    expect(plain, &[("F G !H", "VVV"), ("F E", "VVV"), ("G F H", "HHH"), ("termination", "VVV")]);
    // The mark is met in a call that returns, between two calls that do not.
    let helped = "
        void main() begin f(); end
        void f() begin help(); f(); end
        void help() begin if (*) then H: skip; fi end";
    expect(helped, &[("F G !H", "VVV"), ("G F H", "VVV"), ("F @end", "VVV")]);
    // It is met only on the way to the end of the recursion.
    let once = "
        void main() begin f(); end
        void f() begin if (*) then H: skip; else f(); fi end";
    expect(once, &[("F G !H", "HHH"), ("F H", "VVV"), ("G F !H", "HHH"), ("F G !@at(f)", "VVV")]);
}

#[test]
fn a_mark_met_before_a_call_does_not_count_inside_of_it() {
    let text = "
        void main() begin H: f(); end
        void f() begin while (1) do skip; od end";
    expect(text, &[("F G !H", "HHH"), ("F G !@call(f)", "HHH"), ("G !H", "VVV")]);
    let recursive = "
        void main() begin H: f(); end
        void f() begin g(); f(); end
        void g() begin skip; end";
    expect(recursive, &[("F G !H", "HHH"), ("F G !@at(main)", "HHH"), ("F G !@at(g)", "VVV")]);
}

#[test]
fn a_mark_met_in_one_call_does_not_count_for_another() {
    // The call before the loop meets H, those in the loop do not.
    let text = "
        void main() begin f(1); while (1) do f(0); od end
        void f(a) begin if (a) then H: skip; else N: skip; fi end";
    expect(text, &[("F G !H", "HHH"), ("F G !N", "VVV"), ("F H", "HHH")]);
    // The same with a global, and with the first call deeper than the others.
    let global = "
        decl g;
        void main() begin g := 1; deep(); g := 0; while (1) do f(); od end
        void deep() begin f(); end
        void f() begin if (g) then H: skip; fi end";
    expect(global, &[("F G !H", "HHH"), ("F G !@at(f)", "VVV"), ("G F g", "VVV"), ("F G !g", "HHH")]);
}

#[test]
fn the_cycle_is_made_of_returning_calls_only() {
    let text = "spds 1
        control p, q;
        symbol main;
        symbol f;
        symbol g;
        symbol hit;
        start <p, main>;
        rule <p, main> -> <p, f main>;
        rule <p, f> -> <p, g f>;
        rule <q, f> -> <p>;
        rule <p, g> -> <q>;
        rule <p, g> -> <q, hit>;
        rule <q, hit> -> <q>;
    ";
    expect(text, &[("F G !hit", "VVV"), ("G F hit", "VVV"), ("F G !main", "VVV"), ("G F main", "HHH")]);
}

#[test]
fn what_leads_to_a_cycle_need_not_lie_on_one() {
    // g is arbitrary at first and true after one turn; the mark is met before, and again in each turn.
    let text = "spds 1
        global g: bool;
        frame f { x: bool }
        control p;
        symbol main;
        symbol back;
        symbol f in f;
        symbol f1 in f;
        symbol f2 in f;
        symbol f3 in f;
        start <p, main>;
        rule <p, main> -> <p, f back>;
        rule <p, f> -> <p, f1> { g' := !x ^ (x | x) };
        rule <p, f1> -> <p, f2>;
        rule <p, f2> -> <p, f f3>;
    ";
    expect(text, &[("F G f", "VVV"), ("F G !f", "VVV"), ("F G !f1", "VVV"), ("F G g", "HHH"), ("F back", "VVV")]);
    // The same in a loop, and with a counter that runs down before.
    let counter = "spds 1
        global n: u2;
        control p;
        symbol a;
        symbol b;
        start <p, a>;
        rule <p, a> -> <p, b> when n > 0 { n' := n - 1 };
        rule <p, a> -> <p, b> when n = 0;
        rule <p, b> -> <p, a>;
        atom low when n = 0;
        atom high when n = 3;
    ";
    expect(
        counter,
        &[
            ("F G !b", "VVV"),
            ("F G a", "VVV"),
            ("F G low", "HHH"),
            ("G !high", "VVV"),
            ("G (high -> F G (b -> low))", "HHH"),
        ],
    );
}

#[test]
fn silent_steps_are_never_marked() {
    let text = "spds 1
        control p;
        symbol a;
        symbol b;
        symbol c;
        start <p, a>;
        silent rule <p, a> -> <p, b>;
        rule <p, b> -> <p, c>;
        rule <p, c> -> <p, a>;
        rule <p, c> -> <p, b>;
    ";
    expect(text, &[("F G !a", "HHH"), ("F G !b", "VVV"), ("F G b", "VVV"), ("F G (b -> X !a)", "HHH")]);
    let program = "
        decl g;
        void main() begin while (1) do g := f(); od end
        bool f() begin if (0) then H: skip; fi return *; end";
    expect(program, &[("F G !H", "HHH"), ("F G (g | H)", "VVV"), ("F G !@at(main)", "VVV")]);
}

#[test]
fn some_violations_need_a_stack_that_grows_for_ever() {
    // The local turns at each call; no frame is ever left again.
    let text = "
        void main() begin f(0); end
        void f(a) begin L: f(!a); end";
    expect(
        text,
        &[
            ("F G {f.a}", "VVV"),
            ("G F {f.a}", "HHH"),
            ("G ({f.a} -> X {!f.a})", "HHH"),
            ("G ({f.a} -> X {f.a})", "VVV"),
            ("F @end", "VVV"),
        ],
    );
    // A run that returns has to return as often as it called: no way to see infinitely many calls and to come back.
    let balanced = "
        decl up;
        void main() begin up := 1; f(); E: skip; end
        void f() begin
          if (up) then C: f(); else skip; fi
          if (*) then up := 0; fi
        end";
    expect(balanced, &[("G F C -> !F E", "HHH"), ("F !C", "HHH"), ("F E", "VVV")]);
    let mutual = "
        decl lock;
        void main() begin lock := 0; a(); end
        void a() begin A: lock := 1; b(); end
        void b() begin B: lock := 0; a(); end";
    expect(
        mutual,
        &[("F G lock", "VVV"), ("G (A -> X lock)", "HHH"), ("G (lock -> F !lock)", "HHH"), ("G F (B & lock)", "HHH")],
    );
}

#[test]
fn a_guess_of_the_automaton_lasts_through_calls_and_returns() {
    // Accepts: from some moment on, p or q, and q for ever again. The moment can be guessed inside of the call only.
    let guess = |p: &str, q: &str| {
        format!(
            "HOA: v1 States: 2 Start: 0 AP: 2 \"{p}\" \"{q}\" Acceptance: 1 Inf(0) --BODY--
             State: 0 [t] 0 [0|1] 1
             State: 1 [1] 1 {{0}} [0&!1] 1
             --END--"
        )
    };
    let text = "
        decl g;
        void main() begin g := 0; f(); while (1) do Q: skip; od end
        void f() begin N: g := 1; M: skip; end";
    expect(text, &[(&guess("g", "Q"), "VVV"), (&guess("!g", "Q").replace("!g", "{!g}"), "HHH")]);
    // Accepts: some H, then some step later K for ever again. H is passed in one call, K in others.
    let after = "HOA: v1 States: 3 Start: 0 AP: 2 \"H\" \"K\" Acceptance: 1 Inf(0) --BODY--
        State: 0 [t] 0 [0] 1
        State: 1 [t] 1 [!1] 2
        State: 2 [!1] 2 [1] 2 {0}
        --END--";
    let calls = "
        void main() begin while (1) do f(0); if (*) then f(1); fi od end
        void f(a) begin if (a) then H: skip; else K: skip; fi end";
    expect(calls, &[(after, "VVV")]);
    let never = "
        void main() begin while (*) do f(0); od f(1); while (1) do N: skip; od end
        void f(a) begin if (a) then H: skip; else K: skip; fi end";
    expect(never, &[(after, "HHH")]);
    // Each visit of H must be followed by a guess that the next step is K or is L: wrong guesses die in the callee.
    let next = "HOA: v1 States: 3 Start: 0 AP: 3 \"H\" \"K\" \"L\" Acceptance: 1 Inf(0) --BODY--
        State: 0 [!0] 0 [0] 1 [0] 2
        State: 1 [1] 0 {0}
        State: 2 [2] 0
        --END--";
    let either = "
        void main() begin while (1) do H: f(*); od end
        void f(a) begin if (a) then K: skip; else L: skip; fi end";
    // H is followed by the test, so neither guess is ever right.
    expect(either, &[(next, "HHH")]);
    let directly = "
        void main() begin while (1) do if (*) then H: k(); else *: l(); fi od end
        void k() begin K: skip; end void l() begin L: skip; end";
    expect(&directly.replace("*: l();", "l();"), &[(next, "VVV")]);
}

#[test]
fn a_cycle_may_need_the_values_that_its_callee_returns() {
    let text = "
        decl g;
        void main() begin g := 0; while (1) do g := flip(g); if (g) then A: skip; else B: skip; fi od end
        bool flip(a) begin return !a; end";
    expect(
        text,
        &[
            ("G F A", "HHH"),
            ("G F B", "HHH"),
            ("F G (A -> X F B)", "HHH"),
            ("G (A -> !B U g)", "HHH"),
            ("F G !A", "VVV"),
        ],
    );
    // Only a callee that gives back what it got makes a cycle; the other leads on to a value that blocks.
    let some = "
        decl g, h;
        void main() begin g := 0; h := 0; while (1) do assume(!h); g, h := f(g); od end
        bool<2> f(a) begin if (*) then S: return a, 0; else T: return !a, a; fi end";
    expect(
        some,
        &[("F G !S", "VVV"), ("F G !T", "HHH"), ("G !T", "VVV"), ("F S", "HHV"), ("F G S", "VVV"), ("F G !g", "VVV")],
    );
}

#[test]
fn recursion_with_local_data_terminates_or_does_not() {
    let terminates = "
        void main() begin f(1, 1); end
        void f(a, b) begin
          if (a & b) then f(1, 0); elsif (a) then f(0, 1); elsif (b) then f(0, 0); fi
        end";
    expect(terminates, &[("termination", "HHH"), ("F @end", "HHH"), ("G F @at(f)", "VHV")]);
    let wraps = terminates.replace("elsif (b) then f(0, 0);", "else f(1, 1);");
    expect(&wraps, &[("termination", "VVV"), ("F @end", "VVV"), ("G F {f.a & f.b}", "HHH")]);
    // It ends if each call returns, and the loop runs down.
    let counts = "
        decl g, h;
        void main() begin g, h := 1, 1; while (g | h) do dec(); od end
        void dec() begin if (h) then h := 0; else g, h := 0, 1; fi end";
    expect(counts, &[("termination", "HHH"), ("F @end", "HHH"), ("F (@return(dec) & !g & !h)", "HHH")]);
}
