//! Automata as text: the Hanoi format there and back, files with everything that it allows, never claims, and what is
//! wrong with others.

extern crate puch_engine as puch;

#[path = "ltl/lasso.rs"]
mod lasso;
#[path = "ltl/random.rs"]
mod random;
#[path = "ltl/shared.rs"]
mod shared;

use std::time::Instant;

use lasso::{Lasso, accepts, buchi_accepts, disjoint, satisfies};
use puch::bdd::label::Labels;
use puch::limits::{Limits, Stop};
use puch::ltl::hoa::{self, Placement, ReadError, Stuttering};
use puch::ltl::{
    Ltl, Passes, Tgba, never, parenthesised, state_based, translate, translate_generalised, with_one_mark,
};
use spds_format::Diagnostic;

fn read(text: &str) -> Tgba {
    hoa::read(text, &Limits::default()).unwrap_or_else(|error| panic!("{text}\n{error:?}"))
}

fn forms(ltl: &Ltl) -> [(Tgba, Placement); 3] {
    let one = Tgba::from(&translate(ltl, &Passes::default(), &Limits::default()).unwrap());
    let many = translate_generalised(ltl, &Passes::default(), &Limits::default()).unwrap();
    let on_states = state_based(&one);
    [(one, Placement::Edges), (many, Placement::Edges), (on_states, Placement::States)]
}

#[test]
fn written_automata_are_read_back() {
    let mut random = fastrand::Rng::with_seed(21);
    let mut words = Lasso::all(2, 3);
    words.extend((0..20).map(|_| Lasso::random(&mut random, 2, 8)));
    for _ in 0..300 {
        let size = random.usize(1..9);
        let ltl = random::formula(&mut random, 2, size);
        for (tgba, placement) in forms(&ltl) {
            let text = hoa::write(&tgba, &parenthesised(&ltl), placement, Stuttering::Unknown).expect("no limits");
            let back = read(&text);
            let again = hoa::write(&back, &parenthesised(&ltl), placement, Stuttering::Unknown).expect("no limits");
            assert_eq!(again, text);
            for word in &words {
                assert_eq!(accepts(&back, word), satisfies(word, &ltl), "{text} on {word:?}");
            }
        }
    }
}

#[test]
fn automata_of_the_core_are_read_back() {
    for (text, ltl) in shared::core() {
        let one = Tgba::from(&translate(&ltl, &Passes::default(), &Limits::default()).unwrap());
        let complement =
            Tgba::from(&translate(&ltl.clone().negated(), &Passes::default(), &Limits::default()).unwrap());
        for (index, (tgba, placement)) in forms(&ltl).into_iter().enumerate() {
            let back = read(&hoa::write(&tgba, &text, placement, Stuttering::Unknown).expect("no limits"));
            let reduced = Tgba::from(&with_one_mark(&back, &Passes::default()).unwrap());
            assert!(disjoint(&reduced, &complement), "{text}");
            assert!(index > 0 || reduced.states.len() <= one.states.len(), "{text}");
        }
    }
}

#[test]
fn a_limit_met_while_an_automaton_is_written_leaves_no_text_that_says_something_else() {
    let ltl = shared::formula("G (a -> F b)");
    let mut tgba = Tgba::from(&translate(&ltl, &Passes::default(), &Limits::default()).unwrap());
    let mut labels = Labels::new(&Limits { deadline: Some(Instant::now()), ..Limits::default() });
    for edge in tgba.states.iter_mut().flatten() {
        edge.label = labels.import(&tgba.labels, edge.label);
    }
    assert_eq!(labels.checkpoint(), Err(Stop::Timeout));
    tgba.labels = labels;
    // Each edge would have the label `[]`.
    assert_eq!(hoa::write(&tgba, "late", Placement::Edges, Stuttering::Unknown), Err(Stop::Timeout));
}

#[test]
fn headers_without_a_value_say_nothing() {
    let text = "HOA: v1 name: tool: States: 1 Start: 0 acc-name: properties: AP: 0 Acceptance: 0 t --BODY-- State: 0 [t] 0 \
                --END--";
    assert_eq!(read(text).states.len(), 1);
}

#[test]
fn the_text_is_as_the_format_wants_it() {
    let written = |text: &str, form: usize| {
        let ltl = shared::formula(text);
        let (tgba, placement) = forms(&ltl)[form].clone();
        hoa::write(&tgba, &parenthesised(&ltl), placement, Stuttering::Invariant).expect("no limits")
    };
    assert_eq!(
        written("G (p -> F {x == \"y\"})", 0),
        "HOA: v1\n\
         name: \"G (p -> (F {x == \\\"y\\\"}))\"\n\
         States: 2\n\
         Start: 0\n\
         AP: 2 \"p\" \"{x == \\\"y\\\"}\"\n\
         acc-name: Buchi\n\
         Acceptance: 1 Inf(0)\n\
         properties: trans-labels explicit-labels trans-acc no-univ-branch complete deterministic unambiguous stutter-invariant\n\
         --BODY--\n\
         State: 0\n\
         [!0 | 1] 0 {0}\n\
         [0&!1] 1\n\
         State: 1\n\
         [1] 0 {0}\n\
         [!1] 1\n\
         --END--\n"
    );
    let safety = written("G p", 1);
    assert!(safety.contains("acc-name: all\nAcceptance: 0 t\n"), "{safety}");
    assert!(safety.contains("deterministic unambiguous stutter-invariant weak very-weak\n"), "{safety}");
    let guarantee = written("F p", 2);
    assert!(guarantee.contains("state-acc"), "{guarantee}");
    assert!(guarantee.contains("weak very-weak terminal\n"), "{guarantee}");
    assert!(guarantee.contains("State: 1 {0}\n[t] 1\n"), "{guarantee}");
    let fair = written("G F p & G F q", 1);
    assert!(fair.contains("States: 1\n"), "{fair}");
    assert!(fair.contains("acc-name: generalized-Buchi 2\nAcceptance: 2 Inf(0)&Inf(1)\n"), "{fair}");
    assert!(fair.contains("[0&1] 0 {0 1}\n"), "{fair}");
    let empty = written("false", 0);
    assert!(empty.contains("States: 1\nStart: 0\nAP: 0\n"), "{empty}");
    assert!(empty.ends_with("--BODY--\nState: 0\n--END--\n"), "{empty}");
}

/// Everything at once: comments, aliases, unknown headers, several starts, names of states, labels on states, on edges.
const RICH: &str = r#"HOA: v1 /* a comment /* in a comment */ */
tool: "by hand" "1.0"
name: "G F (p \"and\" q) or X p"
States: 5
Start: 3
Start: 0
acc-name: generalized-Buchi 2
Acceptance: 2 (Inf(0) & Inf(1))
AP: 2 "p" "{q & r}"
Alias: @both 0 & @q
Alias: @q 1
Alias: @none !(0 | 1)
properties: some-property
my-header: 12 "text" identifier t @alias
--BODY--
State: [t] 4 "the end" {0 1} 4
State: 0 "first"
  [@both] 0 {0 1}
  [0 & !1] 0 {0}
  [!0 & @q] 0 { 1 }
  [@none] 0
State: 3
  [t] 2
State: 2 [0] 4 [!0 & f] 1
--END--
"#;

#[test]
fn everything_that_the_format_allows_is_understood() {
    // An alias must be declared before its use.
    let refused = complaints(RICH);
    assert_eq!(refused, ["the alias `@q` is not declared before this at `@q`"]);
    let text = RICH.replace("Alias: @both 0 & @q\nAlias: @q 1", "Alias: @q 1\nAlias: @both 0 & @q");
    let tgba = read(&text);
    assert_eq!(tgba.marks, 2);
    let names: Vec<String> = tgba.propositions.iter().map(|proposition| proposition.kind.to_string()).collect();
    assert_eq!(names, ["p", "{q & r}"]);
    let expected = shared::formula("(G F p & G F q) | X p");
    for word in Lasso::all(2, 4) {
        assert_eq!(accepts(&tgba, &word), satisfies(&word, &expected), "{word:?}");
        let one = with_one_mark(&tgba, &Passes::default()).unwrap();
        assert_eq!(buchi_accepts(&one, &word), satisfies(&word, &expected), "{word:?}");
    }
    // The place of what is inside of a string.
    let inner = tgba.propositions[1].inner;
    assert_eq!(&text[inner..inner + 5], "q & r");
}

#[test]
fn edges_without_labels_stand_for_the_letters_in_turn() {
    let text = "HOA: v1 States: 2 Start: 0 AP: 2 \"a\" \"b\" Acceptance: 1 Inf(0) --BODY--
        State: 0 0 1 0 1
        State: 1 {0} 1 1 1 1 --END--";
    let tgba = read(text);
    let expected = shared::formula("F a & (b | !b)");
    let words = Lasso::all(2, 3);
    assert!(words.iter().all(|word| accepts(&tgba, word) == satisfies(word, &expected)));
}

/// States 0 and 1 lead to each other and to state 2, which stays; the sets of the edges are given for each cycle.
fn two_components(condition: &str, [there, back, stay]: [&str; 3]) -> String {
    format!(
        "HOA: v1 Start: 0 AP: 1 \"a\" Acceptance: 2 {condition} --BODY-- State: 0 [0] 1 {there} [!0] 0 {there}
             State: 1 [t] 0 {back} [t] 2 State: 2 [0] 2 {stay} --END--"
    )
}

#[test]
fn a_condition_with_fin_is_understood_if_the_automaton_is_inherently_weak() {
    for (condition, sets, expected) in [
        ("Fin(0)", ["{0}", "{0}", ""], "F G a"),
        ("Fin(0)", ["", "", "{0}"], "true"),
        ("Fin(0) & Inf(1)", ["{0 1}", "{0 1}", "{1}"], "F G a"),
        ("Fin(0) | Inf(1)", ["{0 1}", "{1}", "{0}"], "true"),
        ("Fin(!0)", ["{0}", "{0}", ""], "true"),
        ("Fin(0) & Fin(1)", ["{0}", "{1}", "{0}"], "false"),
        ("Fin(0)", ["{0}", "", ""], "F G a"),
        ("Fin(1) | Fin(0)", ["{0 1}", "{0}", "{1}"], "F G a"),
    ] {
        let text = two_components(condition, sets);
        let (tgba, expected) = (read(&text), shared::formula(expected));
        // State 1 can be left with any letter, and is reached with the first a.
        for word in Lasso::all(1, 4) {
            let truth = satisfies(&word, &expected);
            let truth = truth && (expected.formulas.propositions().is_empty() || word.letters.contains(&1));
            assert_eq!(accepts(&tgba, &word), truth, "{condition} {sets:?} {word:?}");
        }
    }
    let mixed = complaints(&two_components("Fin(0)", ["", "{0}", ""]));
    assert_eq!(mixed.len(), 1);
    assert!(mixed[0].contains("uses `Fin`") && mixed[0].ends_with("at `Fin(0)`"), "{mixed:?}");
}

#[test]
fn automata_are_called_unambiguous_where_no_word_has_two_runs() {
    let is_claimed = |tgba: &Tgba| {
        let text = hoa::write(tgba, "", Placement::Edges, Stuttering::Unknown).expect("it is small");
        text.lines().any(|line| line.starts_with("properties:") && line.contains(" unambiguous"))
    };
    // Guesses whether the rest is all a or all without.
    let guess = |second: &str| {
        read(&format!(
            "HOA: v1 Start: 0 AP: 1 \"a\" Acceptance: 1 Inf(0) --BODY-- State: 0 [t] 1 [t] 2 State: 1 [0] 1 {{0}}
                 State: 2 [{second}] 2 {{0}} --END--"
        ))
    };
    assert!(is_claimed(&guess("!0")));
    assert!(!is_claimed(&guess("t")));
    let translated =
        |text: &str| Tgba::from(&translate(&shared::formula(text), &Passes::default(), &Limits::default()).unwrap());
    assert!(is_claimed(&translated("G (p -> F q)")));
    // It may begin to stay at several places.
    assert!(!is_claimed(&translated("F G p")));
}

#[test]
fn conditions_that_come_down_to_marks_are_understood() {
    let automaton = |condition: &str| {
        format!(
            "HOA: v1 Start: 0 AP: 2 \"a\" \"b\" Acceptance: 2 {condition} --BODY-- State: 0
                 [0&1] 0 {{0 1}} [0&!1] 0 {{0}} [!0&1] 0 {{1}} [!0&!1] 0 --END--"
        )
    };
    for (condition, expected) in [
        ("t", "true | a & b"),
        ("f", "false & a & b"),
        ("Inf(0)", "G F (a | a & b)"),
        ("Inf(1)", "G F (b | a & b)"),
        ("Inf(0)&Inf(1)", "G F a & G F b"),
        ("Inf(0)|Inf(1)", "G F a | G F b"),
        ("(Inf(0)|f) & (t & Inf(1))", "G F a & G F b"),
        ("Inf(!0)", "G F (!a | a & b & !b)"),
        ("Inf(!0) & Inf(0)", "G F !a & G F a & (b | !b)"),
        ("Inf(0) & Inf(1) | Inf(!1)", "G F a & G F b | G F !b"),
    ] {
        let tgba = read(&automaton(condition));
        let expected = shared::formula(expected);
        // The order in which the formula mentions them is a, b.
        for word in Lasso::all(2, 3) {
            let swapped = expected.formulas.propositions()[0].kind.to_string() == "b";
            let turned = |letter: &u32| if swapped { (letter & 1) << 1 | letter >> 1 } else { *letter };
            let own = Lasso { letters: word.letters.iter().map(turned).collect(), back: word.back };
            assert_eq!(accepts(&tgba, &word), satisfies(&own, &expected), "{condition} {word:?}");
        }
    }
    for condition in ["Fin(0)", "Inf(0) & Fin(1)", "Fin(!0)"] {
        let found = complaints(&automaton(condition));
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("uses `Fin`"), "{found:?}");
        assert!(found[0].ends_with(&format!("at `{condition}`")), "{found:?}");
    }
    let named = automaton("Fin(0)").replace("Acceptance", "acc-name: co-Buchi Acceptance");
    assert!(complaints(&named)[0].contains("(co-Buchi)"));
}

fn told(text: &str, error: ReadError) -> Vec<String> {
    let ReadError::Diagnosed(complaints) = error else { panic!("{error:?}") };
    let shown = |complaint: &Diagnostic| match &complaint.span {
        Some(span) => format!("{} at `{}`", complaint.message, &text[span.clone()]),
        None => complaint.message.clone(),
    };
    complaints.iter().map(shown).collect()
}

fn complaints(text: &str) -> Vec<String> {
    told(text, hoa::read(text, &Limits::default()).expect_err(text))
}

#[test]
fn mistakes_are_pointed_at() {
    let header = "HOA: v1 States: 2 Start: 0 AP: 1 \"a\" Acceptance: 1 Inf(0) --BODY-- ";
    let body = |body: &str| format!("{header}{body}");
    let cases: Vec<(String, &str)> = vec![
        ("".into(), "an automaton in the Hanoi format begins with `HOA: v1` at ``"),
        ("never { }".into(), "an automaton in the Hanoi format begins with `HOA: v1` at `never`"),
        ("HOA: v2".into(), "only version 1 of the format is known: `HOA: v1` at `v2`"),
        ("HOA: v1 Start: 0&1".into(), "universal branching is not supported at `0&`"),
        (
            "HOA: v1 Foo: 1 --BODY--".into(),
            "the header `Foo:` is not known, and may change what the automaton means at `Foo:`",
        ),
        ("HOA: v1 --BODY-- --END--".into(), "the header says nothing about `Acceptance:` at `--BODY--`"),
        ("HOA: v1 States: 1 States: 2".into(), "`States:` is given twice at `States:`"),
        ("HOA: v1 Start: 0".into(), "`--BODY--` is missing at ``"),
        ("HOA: v1 AP: 2 \"a\" Acceptance: 0 t".into(), "`AP:` announces 2 and lists 1 at `2`"),
        ("HOA: v1 AP: 1 \"a &\" Acceptance: 0 t".into(), "`a &` is not an atomic proposition at `a &`"),
        ("HOA: v1 AP: 1 \"\n\" Acceptance: 0 t".into(), "`` is not an atomic proposition at ``"),
        ("HOA: v1 AP: 1 \"@foo\" Acceptance: 0 t".into(), "there is no proposition `@foo` at `@foo`"),
        ("HOA: v1 Acceptance: 1 Inf(1)".into(), "there is no acceptance set 1: 1 are announced at `1`"),
        ("HOA: v1 Acceptance: 1 Inf".into(), "`Inf` needs a set in parentheses behind it: `Inf(0)` at `Inf`"),
        ("HOA: v1 Acceptance: 1 (Inf(0)".into(), "`)` is missing in the acceptance condition at ``"),
        ("HOA: v1 Acceptance: 1 Inf(0) Inf(0)".into(), "`&`, `|` or the next header is expected here at `Inf`"),
        ("HOA: v1 Acceptance: 1".into(), "a part of the acceptance condition is missing here at ``"),
        ("HOA: v1 /* x".into(), "this comment is never closed at `/*`"),
        ("HOA: v1 name: \"x".into(), "this string is never closed at `\"`"),
        ("HOA: v1 ?".into(), "`?` has no meaning in the Hanoi format at `?`"),
        ("HOA: v1 States: 99999999999".into(), "the number 99999999999 is too large at `99999999999`"),
        (body("State: 0"), "`--END--` is missing at ``"),
        (body("State: 0 --ABORT--"), "whoever wrote this automaton gave up in the middle at `--ABORT--`"),
        (body("--END-- HOA: v1"), "one automaton is expected, and here begins another at `HOA:`"),
        (body("State: 2 --END--"), "there is no state 2: `States:` announces 2 at `2`"),
        (body("State: 0 [t] 2 --END--"), "there is no state 2: `States:` announces 2 at `2`"),
        (body("State: 0 [t] 0&1 --END--"), "universal branching is not supported at `0&`"),
        (body("State: 0 State: 0 --END--"), "state 0 is defined twice at `0`"),
        (body("State: 0 [1] 0 --END--"), "there is no proposition 1: `AP:` announces 1 at `1`"),
        (body("State: 0 [@x] 0 --END--"), "the alias `@x` is not declared before this at `@x`"),
        (body("State: 0 [(0] 0 --END--"), "`)` is missing after this expression at `]`"),
        (body("State: 0 [0 0 --END--"), "`]` is missing after the label at `0`"),
        (body("State: 0 [] 0 --END--"), "a label is missing here at `]`"),
        (body("State: 0 [t] 0 {1} --END--"), "there is no acceptance set 1: `Acceptance:` announces 1 at `1`"),
        (body("State: 0 [t] 0 {0 --END--"), "the number of an acceptance set, or `}`, is missing here at `--END--`"),
        (
            body("State: 0 0 --END--"),
            "without labels a state has one edge for each of the 2 letters; here are 1 at `State:`",
        ),
        (
            body("State: 0 0 0 0 --END--"),
            "without labels a state has one edge for each of the 2 letters; this is one more at `0`",
        ),
        (body("State: 0 [0] 0 1 --END--"), "some edges of this state have a label and others have none at `State:`"),
        (body("State: [0] 0 [0] 1 --END--"), "the state has a label, so its edges have none at `[`"),
        (body("0 --END--"), "`State:` or `--END--` is expected here at `0`"),
    ];
    for (text, expected) in cases {
        assert_eq!(complaints(&text), [expected], "{text}");
    }
}

#[test]
fn no_start_state_means_no_word() {
    let tgba = read("HOA: v1 Acceptance: 0 t AP: 0 --BODY-- State: 0 [t] 0 --END--");
    assert!(!accepts(&tgba, &Lasso { letters: vec![0], back: 0 }));
}

#[test]
fn depth_and_size_are_no_danger() {
    const DEEP: usize = 100_000;
    let label = format!("{}0{}", "(".repeat(DEEP), ")".repeat(DEEP));
    let negated = format!("{}0", "!".repeat(DEEP));
    let long = format!("{}0", "0&".repeat(DEEP));
    let condition = format!("{}Inf(0){}", "(".repeat(DEEP), ")".repeat(DEEP));
    let text = format!(
        "{} HOA: v1 States: 2147483647 Start: 2000000000 AP: 1 \"a\" Acceptance: 1 {condition} --BODY--
         State: 2000000000 [{label}] 2000000000 {{0}} [{negated}] 0 [{long}] 1 --END--",
        "/*".repeat(DEEP) + &"*/".repeat(DEEP)
    );
    assert_eq!(read(&text).states.len(), 3);
    let past = Limits { deadline: Some(std::time::Instant::now()), ..Limits::default() };
    assert_eq!(hoa::read(&text, &past).err(), Some(ReadError::Stopped(Stop::Timeout)));
}

// ---- never claims

fn claim(text: &str) -> Tgba {
    never::read(text, &Limits::default()).unwrap_or_else(|error| panic!("{text}\n{error:?}"))
}

#[test]
fn never_claims_of_all_tools_are_understood() {
    let cases = [
        // ltl2ba
        (
            "G F p",
            "never { /* G F p */
             T0_init :    /* init */
             \tif
             \t:: (1) -> goto T0_init
             \t:: (p) -> goto accept_S1
             \tfi;
             accept_S1 :    /* 1 */
             \tif
             \t:: (1) -> goto T0_init
             \t:: (p) -> goto accept_S1
             \tfi;
             }",
        ),
        (
            "F p",
            "never { /* F p */
             T0_init:
             \tif
             \t:: (1) -> goto T0_init
             \t:: (p) -> goto accept_all
             \tfi;
             accept_all:
             \tskip
             }",
        ),
        // Spin 6
        (
            "F p",
            "never ltl_0 {    /* !([] (! p)) */
             T0_init:
             \tdo
             \t:: atomic { ((p)) -> assert(!((p))) }
             \t:: (1) -> goto T0_init
             \tod;
             accept_all:
             \tskip
             }
             ",
        ),
        (
            "F G !p",
            "never  {    /* !([]<>p) */
             T0_init:
             \tdo
             \t:: (! ((p))) -> goto accept_S4
             \t:: (1) -> goto T0_init
             \tod;
             accept_S4:
             \tdo
             \t:: (! ((p))) -> goto accept_S4
             \tod;
             }",
        ),
        // Spot: no way on is `false`; a state that loops need not say so.
        (
            "p & X G p",
            "never { // G p
             accept_init: if :: (p) -> goto accept_S1; fi
             accept_S1: do :: p od; }",
        ),
        ("p & !p", "never { accept_init: if :: false fi; }"),
        ("p & !p", "never { T0: false; }"),
        // Options without a jump, and `else`.
        ("p M !p | F p", "never { T0: do :: p -> goto accept_all :: else -> skip od; accept_all: skip }"),
        ("p & X !p", "never { if :: p fi; if :: !p -> skip fi }"),
        ("p & X p | !p & X X p", "never { T0: if :: p -> goto T1 :: !p fi; accept_all: skip T1: if :: (p) fi }"),
    ];
    for (formula, text) in cases {
        let tgba = claim(text);
        let expected = shared::formula(formula);
        for word in Lasso::all(1, 4) {
            assert_eq!(accepts(&tgba, &word), satisfies(&word, &expected), "{text} {word:?}");
        }
    }
}

#[test]
fn conditions_of_claims_mention_all_kinds_of_propositions() {
    let tgba = claim(
        "never { T0_init: if :: (main:L && !{x == y}) || @fail -> goto T0_init :: (\"a }\" -> @at(f)) -> goto T0_init\n fi }",
    );
    let names: Vec<String> = tgba.propositions.iter().map(|proposition| proposition.kind.to_string()).collect();
    assert_eq!(names, ["main:L", "{x == y}", "@fail", "{a }}", "@at(f)"]);
}

#[test]
fn mistakes_in_claims_are_pointed_at() {
    for (text, expected) in [
        ("", "a never claim begins with `never {` at ``"),
        ("HOA: v1", "a never claim begins with `never {` at `H`"),
        ("never", "`{` is expected here at ``"),
        ("never { }", "the claim is empty at `never { }`"),
        ("never { a: skip } x", "nothing is expected after the claim at `x`"),
        ("never { if :: p -> goto b fi }", "there is no label `b` at `b`"),
        ("never { a: skip; a: skip }", "the label `a` occurs twice at `a`"),
        ("never { if :: p -> goto }", "`goto` needs a label behind it at `}`"),
        ("never { goto a }", "a claim cannot jump without taking a step at `goto`"),
        ("never { if p fi }", "`::` or `fi` is expected here at `p`"),
        ("never { if :: -> goto a fi }", "a condition is missing here at `-`"),
        ("never { if :: (p -> goto a fi }", "this parenthesis is never closed at `(`"),
        ("never { if :: (p U q) -> goto a fi }", "a temporal operator cannot stand in this condition at `(p U q)`"),
        ("never { if :: (p q) -> goto a fi }", "an operator is missing before `q` at `q`"),
        ("never { if :: p -> x = 1 fi }", "`goto`, `skip` or `assert` is expected here at `x`"),
        ("never { if :: atomic { p -> goto a } fi }", "`assert` is expected here at `g`"),
        ("never { /* ", "this comment is never closed at `/*`"),
    ] {
        let error = never::read(text, &Limits::default()).expect_err(text);
        let found = told(text, error);
        assert_eq!(found[0], expected, "{text}: {found:?}");
    }
}

#[test]
fn deep_claims_are_no_danger() {
    const DEEP: usize = 100_000;
    let condition = format!("{}p{}", "(".repeat(DEEP), ")".repeat(DEEP));
    let options = ":: (p) -> goto T0\n".repeat(1000);
    assert_eq!(claim(&format!("never {{ T0: do :: {condition} -> goto T0\n {options} od }}")).states.len(), 1);
}
