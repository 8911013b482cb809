//! Sizes of the automata of the core formulas, negated as a model checker needs them, so that a change that makes them
//! worse is noticed.

extern crate puch_engine as puch;

#[path = "ltl/shared.rs"]
mod shared;

use puch::limits::Limits;
use puch::ltl::automaton::ComponentKind;
use puch::ltl::{Passes, translate, translate_to_states};
use shared::{CORE, formula, text};

/// For each set: states, and automata that are not deterministic.
const REACHED: [(usize, usize); 4] = [(219, 14), (48, 4), (79, 11), (59, 12)];

#[test]
fn automata_do_not_grow() {
    let mut strengths = [0; 4];
    for (set, reached) in CORE.iter().zip(REACHED) {
        let Some(formulas) = text(&format!("{set}.ltl")) else { return };
        let (mut states, mut nondeterministic) = (0, 0);
        for line in formulas.lines() {
            let buchi = translate(&formula(line).negated(), &Passes::default(), &Limits::default()).unwrap();
            states += buchi.states.len();
            nondeterministic += usize::from(!buchi.is_deterministic());
            strengths[buchi.strength() as usize] += 1;
        }
        assert!(states <= reached.0, "{set}: {states} states, {} before", reached.0);
        assert!(nondeterministic <= reached.1, "{set}: {nondeterministic} guess, {} did before", reached.1);
    }
    let of = |kind: ComponentKind| strengths[kind as usize];
    let kinds = [ComponentKind::Rejecting, ComponentKind::Terminal, ComponentKind::Weak, ComponentKind::Strong];
    assert!(of(ComponentKind::Terminal) + of(ComponentKind::Rejecting) >= 52, "{:?}", kinds.map(of));
    assert!(of(ComponentKind::Strong) <= 14, "{:?}", kinds.map(of));
}

/// So many copies of a formula over `p1`, `p2` and so on.
fn copies(number: usize, with: &str, part: impl Fn(usize) -> String) -> String {
    (1..=number).map(part).collect::<Vec<_>>().join(with)
}

#[test]
fn automata_are_as_small_as_they_can_be() {
    let nested = (1..16).rev().fold("p16".to_owned(), |inner, i| format!("p{i} U ({inner})"));
    for (text, states) in [
        ("G F a | F G b".to_owned(), 2),
        ("G F (a | G b)".into(), 2),
        ("a U (b | G a)".into(), 2),
        ("X a U (b | G X a)".into(), 3),
        ("G ((p & X F q) -> X F (q & F r))".into(), 4),
        ("(G F p1 | F G p2) & (G F p2 | F G p3) & (G F p3 | F G p4)".into(), 10),
        // A letter for each subset of the propositions would be too many.
        (copies(16, " | ", |i| format!("G p{i}")), 17),
        (copies(16, " | ", |i| format!("F G p{i}")), 17),
        (copies(64, " | ", |i| format!("G p{i}")), 65),
        (nested, 16),
    ] {
        let buchi = translate(&formula(&text), &Passes::default(), &Limits::default()).unwrap();
        assert!(buchi.states.len() <= states, "{text}: {} states", buchi.states.len());
    }
}

#[test]
fn each_fairness_condition_costs_one_state_if_marks_are_on_states() {
    for number in 2..8 {
        let text = copies(number, " & ", |i| format!("G F p{i}"));
        let tgba = translate_to_states(&formula(&text), &Passes::default(), &Limits::default()).unwrap();
        assert_eq!(tgba.states.len(), number + 1, "{text}");
    }
}
