//! Sizes of the automata of the core formulas, negated as a model checker needs them, so that a change that makes them
//! worse is noticed.

#[path = "ltl/shared.rs"]
mod shared;

use puch::limits::Limits;
use puch::ltl::automaton::ComponentKind;
use puch::ltl::{Passes, translate};
use shared::{CORE, formula, text};

/// For each set: states, and automata that are not deterministic.
const REACHED: [(usize, usize); 4] = [(219, 14), (48, 4), (81, 11), (59, 12)];

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
