//! Small programs and systems, each for one thing that can go wrong with runs, marks and products.
//!
//! The answers stand here, one for each kind of run: `V`iolated or `H`olds under maximal, infinite and stuttering runs.
//! The oracle must say the same, and the search by every method.

#[allow(dead_code, reason = "only some of it is needed here")]
#[path = "ltl/lasso.rs"]
mod lasso;
mod oracle;
#[path = "ltl/unfold.rs"]
mod unfold;

use std::sync::Arc;

use lasso::{buchi_accepts, satisfies};
use oracle::ltl::{Machine, Wanted, exists};
use puch::boolprog;
use puch::check::{Property, Verdict, check};
use puch::limits::Limits;
use puch::ltl::atoms::{self, Condition, Context, Meaning, Symbols};
use puch::ltl::{Dialect, MopedDiffers, Passes, Proposition, Reading, Rules, Violations, hoa, parse, with_one_mark};
use puch::options::{Engine, Options, Runs, Scc, Switch, TraceWish};
use puch::run::Ending;
use spds_format::Spds;

const RUNS: [Runs; 3] = [Runs::Maximal, Runs::Infinite, Runs::Stutter];

/// The automaton as it is written, or as small as it gets.
const PASSES: [Passes; 2] = [
    Passes {
        rules: Rules { basic: Switch::Off, eventual: Switch::Off, implication: Switch::Off },
        simulation: Switch::Off,
        obligations: Switch::Off,
    },
    Passes {
        rules: Rules { basic: Switch::On, eventual: Switch::On, implication: Switch::On },
        simulation: Switch::On,
        obligations: Switch::On,
    },
];

fn system(text: &str) -> (Spds, Symbols) {
    if text.trim_start().starts_with("spds") {
        return (spds_format::parse(text).unwrap_or_else(|errors| panic!("{errors:#?}")), Symbols::Named);
    }
    let read = boolprog::read(text, "test.bp", &boolprog::Options::default());
    (read.unwrap_or_else(|errors| panic!("{errors:#?}")).spds, Symbols::Hidden)
}

fn meanings(spds: &Spds, symbols: Symbols, text: &str, propositions: &[Proposition]) -> Vec<Meaning> {
    let condition = |text: &str| -> Result<Condition, _> {
        let predicate = boolprog::predicate(text, spds, boolprog::Dialect::Auto)?;
        Ok((predicate.frame, predicate.condition, predicate.warnings))
    };
    let context = Context { spds, text, symbols, condition: &condition };
    atoms::resolve(propositions, &context).unwrap_or_else(|errors| panic!("{text}: {errors:#?}")).0
}

/// A property as text: `termination`, an automaton of the violations, or a formula.
fn properties(spds: &Spds, symbols: Symbols, text: &str) -> Vec<Property> {
    if text == "termination" {
        return vec![Property::Termination];
    }
    if text.starts_with("HOA:") {
        let tgba = hoa::read(text, &Limits::default()).unwrap_or_else(|error| panic!("{error:?}"));
        let accepted = |passes| {
            let buchi = with_one_mark(&tgba, &passes).expect("there are no limits");
            let meanings = meanings(spds, symbols, text, &buchi.propositions);
            Property::Ltl(Arc::new(Violations::accepted(buchi, meanings)))
        };
        return PASSES.map(accepted).into();
    }
    let names = atoms::names(spds, symbols);
    let reading = Reading { dialect: Dialect::Spot, moped: MopedDiffers::Warn, known: &|word| names.contains(word) };
    let (ltl, _) = parse(text, &reading).unwrap_or_else(|errors| panic!("{text}: {errors:#?}"));
    let meanings = meanings(spds, symbols, text, ltl.formulas.propositions());
    let of = |passes| {
        let violations = Violations::of(ltl.clone(), meanings.clone(), &passes, &Limits::default());
        Property::Ltl(Arc::new(violations.expect("there are no limits")))
    };
    PASSES.map(of).into()
}

fn oracle_says(spds: &Spds, runs: Runs, property: &Property) -> bool {
    let machine = &mut Machine::new(spds);
    match property {
        Property::Ltl(v) => exists(machine, runs, Wanted::Accepted(&v.automaton, &v.meanings)),
        _ => exists(machine, Runs::Infinite, Wanted::Any),
    }
}

/// Every way to go about it.
fn options(runs: Runs) -> Vec<Options> {
    let mut all = Vec::new();
    let limits = Limits { memory: Some(256 << 20), ..Limits::default() };
    for (engine, switch) in
        [(Engine::Biodivine, Switch::On), (Engine::Biodivine, Switch::Off), (Engine::Oxidd, Switch::On)]
    {
        for scc in [Scc::Auto, Scc::Hull, Scc::Closure] {
            for strength in [Switch::On, Switch::Off] {
                let (modref, live, blocks, slice) = (switch, switch, switch, switch);
                all.push(Options {
                    engine,
                    runs,
                    scc,
                    strength,
                    modref,
                    live,
                    blocks,
                    slice,
                    limits,
                    ..Options::default()
                });
            }
        }
    }
    all.push(Options { trace: TraceWish::None, ..all[0].clone() });
    all
}

/// The answers to some properties of a system.
#[track_caller]
fn expect(text: &str, answers: &[(&str, &str)]) {
    let (spds, symbols) = system(text);
    let mut wrong = Vec::new();
    for (number, runs) in RUNS.into_iter().enumerate() {
        let any = exists(&mut Machine::new(&spds), runs, Wanted::Any);
        let asked: Vec<(&str, bool, Property)> = answers
            .iter()
            .flat_map(|(name, letters)| {
                let violated = letters.as_bytes()[number] == b'V';
                properties(&spds, symbols, name).into_iter().map(move |property| (*name, violated, property))
            })
            .collect();
        for (name, violated, property) in &asked {
            let says = oracle_says(&spds, runs, property);
            if says != *violated {
                wrong.push(format!("{name}: the oracle says the opposite with {runs:?} runs"));
            }
        }
        let properties: Vec<Property> = asked.iter().map(|(_, _, property)| property.clone()).collect();
        for options in options(runs) {
            let outcome = match check(&spds, &properties, &options) {
                Ok(outcome) => outcome,
                Err(error) => {
                    wrong.push(format!("{error} with {options:?}"));
                    continue;
                }
            };
            for ((name, violated, property), answer) in asked.iter().zip(&outcome.answers) {
                let verdict = if *violated { Verdict::Violated } else { Verdict::Holds };
                let counts = matches!(property, Property::Ltl(_)) || runs != Runs::Infinite;
                let vacuous = !violated && !any && counts;
                let traced = *violated && options.trace != TraceWish::None;
                let found = (answer.verdict, answer.vacuous, answer.trace.is_some());
                if found != (verdict, vacuous, traced) {
                    wrong.push(format!("{name}: {found:?}, not {:?} with {options:?}", (verdict, vacuous, traced)));
                }
                let run = answer.trace.as_ref().map(|trace| &trace.run);
                if let Some(objection) = run.and_then(|run| objection(&spds, run, runs, property)) {
                    wrong.push(format!("{name}: {objection} with {options:?}: {run:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of these:\n{}\n{text}", wrong.len(), wrong[..wrong.len().min(8)].join("\n"));
}

/// What is wrong with a run that is said to violate the property.
fn objection(spds: &Spds, run: &puch::run::Run, runs: Runs, property: &Property) -> Option<String> {
    let Property::Ltl(violations) = property else {
        return (run.ending != Ending::Loop).then(|| "the run ends".into());
    };
    let formula = violations.formula.as_ref();
    let meanings = formula.map_or(&violations.meanings, |specified| &specified.meanings);
    let words = match unfold::words(spds, run, runs, meanings) {
        Ok(words) => words.expect("runs are short here"),
        Err(what) => return Some(what),
    };
    let violates = |word| match formula {
        Some(specified) => !satisfies(word, &specified.formula),
        None => buchi_accepts(&violations.automaton, word),
    };
    (!words.iter().any(violates)).then(|| format!("it reads {words:?}"))
}

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
        expect(&text, &[("G !L", answers), ("F @end", "HHV").max_if(value == "1")]);
    }
    // Recursion that can unwind only by a way that is blocked, or go on for ever.
    let recursive = "
        void main() begin f(); end
        void f() begin if (*) then L: skip; f(); fi assume(0); end";
    expect(recursive, &[("G !L", "VVV"), ("X F @at(main)", "VVV"), ("F @at(main) & G F L", "HHV"), ("G F L", "HHV")]);
}

trait Answers {
    fn max_if(self, all: bool) -> Self;
}

impl Answers for (&'static str, &'static str) {
    /// The property holds throughout, if so.
    fn max_if(self, all: bool) -> Self {
        if all { (self.0, "HHH") } else { self }
    }
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
fn an_invariant_at_the_return_site_blocks_the_return() {
    let text = |value: &str| {
        format!(
            "decl g;
             void main() begin decl x; enforce !(g & x); g := 0; x := {value}; f(); R: skip; end
             void f() begin g := 1; L: skip; end"
        )
    };
    expect(&text("1"), &[("G !L", "HHV"), ("F R", "HHV"), ("F (@return(f) & @stuck)", "HHH"), ("G !@stuck", "HHV")]);
    expect(&text("0"), &[("G !L", "VHV"), ("F R", "HHH"), ("G !@stuck", "HHH")]);
    // Both kinds of callers suspend the same call, and only one of them can be come back to.
    let both = "
        decl g;
        void main() begin decl x; enforce !(g & x); g := 0; x := *; f(); R: skip; end
        void f() begin g := 1; L: skip; end";
    expect(both, &[("G !L", "VHV"), ("F R", "HHV"), ("G !@stuck", "HHV"), ("G (@stuck -> @return(f))", "HHH")]);
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
    expect(
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
    expect(
        &blocked,
        &[("F lit", "HHV"), ("!g -> F (dark & @stuck)", "HHH"), ("G (@stuck -> dark)", "HHH"), ("g", "HHV")],
    );
    // The run begins in a hidden configuration: what is seen of it begins later.
    let hidden = text.replace("<p, main @end>;", "<p, veil @end>;");
    expect(&hidden, &[("lit & g", "HHH"), ("G lit", "HHH")]);
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
