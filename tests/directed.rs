//! Small systems, each for one thing that random ones rarely hit. Most were written because a seeded fault
//! (`tests/faults/`) passed all other tests.

extern crate puch_engine as puch;

mod oracle;

use puch::check::{Property, Replayed, Target, Verdict, check};
use puch::limits::{Limits, Reason};
use puch::options::{Engine, LiveRanges, Options, Scc, Search, Switch, TraceWish};
use puch::{boolprog, remopla};
use spds_format::model::SymbolId;

/// All questions are asked at once, with everything on, with everything off, and on either engine; the answers must be
/// those given here, and the oracle must agree that they are right.
#[track_caller]
fn expect(text: &str, answers: &[(&str, Verdict)]) {
    let spds = spds_format::parse(text).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let explored = oracle::explore(&spds);
    let symbol = |name: &str| {
        let place = spds.symbols.iter().position(|symbol| &*symbol.name == name);
        SymbolId(place.expect("the test names symbols of its system") as u32)
    };
    for (name, verdict) in answers {
        let reachable = explored.distance(&[symbol(name)]).is_some();
        assert_eq!(reachable, *verdict == Verdict::Reachable(None), "the oracle on {name}");
    }
    let properties: Vec<_> =
        answers.iter().map(|(name, _)| Property::Reach(vec![Target { control: None, symbol: symbol(name) }])).collect();
    for engine in [Engine::Biodivine, Engine::Shared] {
        for (switch, live) in
            [(Switch::On, LiveRanges::Influence), (Switch::On, LiveRanges::Plain), (Switch::Off, LiveRanges::Off)]
        {
            let options = Options {
                engine,
                modref: switch,
                live,
                blocks: switch,
                slice: switch,
                trace: TraceWish::Shortest,
                limits: Limits { memory: Some(256 << 20), ..Limits::default() },
                ..Options::default()
            };
            let outcome = check(&spds, &properties, &options).expect("the judge accepts");
            for ((name, verdict), answer) in answers.iter().zip(&outcome.answers) {
                assert_eq!(answer.verdict.bare(), *verdict, "{name} with {options:?}");
                assert_eq!(
                    answer.verdict.trace().is_some(),
                    *verdict == Verdict::Reachable(None),
                    "{name} with {options:?}"
                );
            }
        }
    }
}

#[test]
fn a_global_changed_two_calls_deep_is_changed_after_a_call_that_does_not_mention_it() {
    let text = "spds 1
        global g: bool;
        control p;
        symbol main;
        symbol call;
        symbol back;
        symbol target;
        symbol f;
        symbol f_back;
        symbol h;
        start <p, main>;
        rule <p, main> -> <p, call> { g' := false };
        rule <p, call> -> <p, f back>;
        rule <p, back> -> <p, target> when g;
        rule <p, f> -> <p, h f_back>;
        rule <p, f_back> -> <p>;
        rule <p, h> -> <p> { g' := !g };
    ";
    expect(text, &[("target", Verdict::Reachable(None))]);
}

#[test]
fn a_call_is_blocked_by_an_invariant_over_a_global_that_no_rule_of_it_mentions() {
    let text = "spds 1
        global g: bool;
        control p;
        symbol main;
        symbol call;
        symbol back;
        symbol f invariant g;
        start <p, main>;
        rule <p, main> -> <p, call> { g' := false };
        rule <p, call> -> <p, f back>;
        rule <p, f> -> <p>;
    ";
    expect(text, &[("call", Verdict::Reachable(None)), ("f", Verdict::Unreachable), ("back", Verdict::Unreachable)]);
}

#[test]
fn locals_are_arbitrary_after_a_step_into_another_frame() {
    let text = "spds 1
        frame a { x: bool }
        frame b { y: bool }
        control p;
        symbol main in a;
        symbol clear in a;
        symbol other in b;
        symbol target in b;
        start <p, main>;
        rule <p, main> -> <p, clear> { x' := false };
        rule <p, clear> -> <p, other>;
        rule <p, other> -> <p, target> when y;
    ";
    expect(text, &[("target", Verdict::Reachable(None))]);
}

#[test]
fn locals_are_arbitrary_after_a_call_that_changes_the_frame_below() {
    let text = "spds 1
        frame a { x: bool }
        frame b { y: bool }
        control p;
        symbol main in a;
        symbol clear in a;
        symbol f;
        symbol other in b;
        symbol target in b;
        start <p, main>;
        rule <p, main> -> <p, clear> { x' := false };
        rule <p, clear> -> <p, f other>;
        rule <p, f> -> <p>;
        rule <p, other> -> <p, target> when y;
    ";
    expect(text, &[("target", Verdict::Reachable(None))]);
}

#[test]
fn a_later_caller_gets_the_returns_in_every_control_location() {
    let text = "spds 1
        control p, q;
        symbol main;
        symbol one;
        symbol two;
        symbol in_p;
        symbol in_q;
        symbol f;
        start <p, main>;
        rule <p, main> -> <p, f one>;
        rule <p, one> -> <p, f two>;
        rule <p, two> -> <p, in_p>;
        rule <q, two> -> <q, in_q>;
        rule <p, f> -> <p>;
        rule <p, f> -> <q>;
    ";
    expect(text, &[("in_p", Verdict::Reachable(None)), ("in_q", Verdict::Reachable(None))]);
}

#[test]
fn cells_that_an_assignment_leaves_alone_are_kept_within_a_frame_and_arbitrary_in_another_of_equal_shape() {
    let text = "spds 1
        frame a { c: bool[0..1], i: u1 }
        frame b { c: bool[0..1], i: u1 }
        control p;
        symbol main in a;
        symbol clear in a;
        symbol same in a;
        symbol kept in a;
        symbol other in b;
        symbol freed in b;
        start <p, main>;
        rule <p, main> -> <p, clear> { c'[0] := false; c'[1] := false; i' := 0 };
        rule <p, clear> -> <p, same> { c'[i] := true };
        rule <p, clear> -> <p, other> { c'[i] := true };
        rule <p, same> -> <p, kept> when c[1];
        rule <p, other> -> <p, freed> when c[1];
    ";
    expect(text, &[("kept", Verdict::Unreachable), ("freed", Verdict::Reachable(None))]);
}

#[test]
fn a_loop_in_which_no_value_can_be_come_to_from_inside_does_not_go_round() {
    // Only the jump leads into the loop, and it ends at once: the test of `while` is reached, but not from the loop's body
    // with a value that leads into it again.
    let text = "decl g; void main() begin if (g) then goto L; fi while (g) do L: g := 0; od end";
    let program = boolprog::read(text, "jump.bp", &boolprog::Options::default()).expect("the program is fine");
    for scc in [Scc::Auto, Scc::Hull, Scc::Closure, Scc::Squaring, Scc::Lockstep] {
        for (blocks, search) in [(Switch::On, Search::Post), (Switch::Off, Search::Post), (Switch::On, Search::Pre)] {
            let options = Options { scc, blocks, search, ..Options::default() };
            let outcome = check(&program.spds, &[Property::Termination], &options).expect("there is no run to reject");
            assert_eq!(outcome.answers[0].verdict, Verdict::Holds, "{options:?}");
        }
    }
}

#[test]
fn backwards_as_forwards_what_lies_below_the_start_is_returned_to_in_every_control_location() {
    // With data, which the saturation without relations does not take.
    let text = "spds 1 global x: bool; control p, q; symbol s; symbol b; start <p, s b>; rule <p, s> -> <q> when x;";
    expect(text, &[("b", Verdict::Reachable(None))]);
    let spds = spds_format::parse(text).expect("the system is fine");
    let below = Property::Reach(vec![Target { control: None, symbol: SymbolId(1) }]);
    for trace in [TraceWish::None, TraceWish::Any] {
        let options = Options { search: Search::Pre, trace, ..Options::default() };
        let outcome = check(&spds, std::slice::from_ref(&below), &options).expect("the run is real");
        assert_eq!(outcome.answers[0].verdict.bare(), Verdict::Reachable(None), "{trace:?}");
    }
}

#[test]
fn what_is_easy_is_decided_beside_what_is_hard() {
    let text = include_str!("../examples/quicksort/corrected.rem");
    let defines = vec![("BITS".to_owned(), 48)];
    let program = remopla::read(text, "corrected.rem", &remopla::Options { defines, ..remopla::Options::default() })
        .expect("the program is fine");
    let (easy, hard) = (Property::Assertions, Property::Termination);
    for properties in [[easy.clone(), hard.clone()], [hard, easy]] {
        let options = Options { work: Some(1 << 20), ..Options::default() };
        let outcome = check(&program.spds, &properties, &options).expect("there is no run to reject");
        for (property, answer) in properties.iter().zip(&outcome.answers) {
            let easy = matches!(property, Property::Assertions);
            let expected = if easy { Verdict::Holds } else { Verdict::Unknown(Reason::Work) };
            assert_eq!(answer.verdict, expected, "{property:?}");
        }
    }
}

#[test]
fn a_run_that_nobody_wants_to_see_is_judged_where_that_costs_little() {
    let text = include_str!("../examples/lock_faulty.bp");
    let program = boolprog::read(text, "lock_faulty.bp", &boolprog::Options::default()).expect("the program is fine");
    for search in [Search::Post, Search::Pre] {
        for (trace_steps, judged) in [(1000, Some(Replayed::Full)), (1, None)] {
            let options = Options { trace: TraceWish::None, search, trace_steps, ..Options::default() };
            let outcome = check(&program.spds, &[Property::Assertions], &options).expect("the run is real");
            let answer = &outcome.answers[0];
            assert_eq!(
                (&answer.verdict, answer.judged),
                (&Verdict::Violated(None), judged),
                "{search:?} {trace_steps}"
            );
            assert_eq!(answer.trace_omitted, None, "{search:?} {trace_steps}");
        }
    }
}

#[test]
fn a_shortest_trace_is_shortest_as_shown_where_a_silent_rule_fails() {
    let spds = spds_format::parse(
        "spds 1  global g: bool;  control p;  symbol a; symbol b; symbol @fail;  fail @fail;  start <p, a>;
         rule <p, a> -> <p, b>;  rule <p, a> -> <p, @fail> when g;  silent rule <p, b> -> <p, @fail>;
         rule <p, @fail> -> <p, @fail>;",
    )
    .expect("the system is fine");
    for live in [LiveRanges::Off, LiveRanges::Influence] {
        let options = Options { trace: TraceWish::Shortest, live, ..Options::default() };
        let answers = check(&spds, &[Property::Assertions], &options).expect("the run is real").answers;
        let Verdict::Violated(Some(trace)) = &answers[0].verdict else { panic!("{:?}", answers[0]) };
        assert_eq!(trace.run.stem.len(), 1, "{:?}", trace.run);
    }
}
