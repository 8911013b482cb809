//! Regular sets of configurations of systems without data, by themselves: pre* and post* with edges as rows of bits.
//!
//! Both rest on one saturation (`saturate`), that of Esparza, Hansel, Rossmanith & Schwoon, *Efficient algorithms for
//! model checking pushdown systems* (CAV 2000), and Schwoon's thesis (2002), Algorithm 1: for each head ⟨p,γ⟩ the states
//! that can be reached by reading γ after some steps from p. Rules are looked up by their right-hand sides in tables, a
//! head's states are a row of bits that is joined to others word by word, and only what is new in a row goes on.
//!
//! pre* is that. post* runs it on demand and only for the returns of calls; then it is a matter of reachability in the
//! graph of heads inside a call, whose components share their edges. Its automaton has states for "below lies γ″, and the
//! call that put it there was made in this component", which are far fewer than the states q⟨p′,γ′⟩ of Schwoon's
//! Algorithm 2: for 36,000 random rules a million edges instead of eighty million.
//!
//! [`System`] is such a system, or its product with an automaton, for `check`: which heads runs come to, where they go round
//! for ever, and runs that show it. Whether a call returns with the mark met is a second half of each row.

mod graph;
mod heads;
mod post;
mod pre;
mod saturate;
mod search;
mod set;
mod system;
mod unwind;

use spds_format::Spds;
use spds_format::automaton::{Automaton, End, Role};

pub use heads::Letters;
pub use post::post;
pub use pre::{pre, pre_so_far};
pub use system::{Cycles, Everywhere, Reached, System, Worth};

/// Whether a system is without data: no variables, no conditions.
pub fn is_explicit(spds: &Spds) -> bool {
    spds.globals.is_empty()
        && spds.frames.iter().all(|frame| frame.variables.is_empty())
        && is_unconditional(spds)
        && spds.start.condition.is_none()
}

/// Whether no step depends on values.
pub fn is_unconditional(spds: &Spds) -> bool {
    spds.rules.iter().all(|rule| rule.guard.is_none() && rule.with.is_none())
        && spds.symbols.iter().all(|symbol| symbol.invariant.is_none())
}

/// Whether a system and a set are without data, and the set is valid as an input.
pub fn applies(spds: &Spds, set: &Automaton) -> bool {
    let into_control = |end: End| matches!(end, End::Control(_));
    is_explicit(spds)
        && set.edges.iter().all(|edge| edge.condition.is_none() && !into_control(edge.to))
        && set.check(spds, Role::Input).is_empty()
}
