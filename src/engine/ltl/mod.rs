//! Linear temporal logic: formulas, their translation into Büchi automata, and automata as text.

pub mod formula;

pub mod proposition;

mod construct;

mod normal;

mod dialect;

mod bounded;

mod lexer;

mod prefix_form;

mod grammar;

mod print;

mod parse;

mod boolean;

mod implication;

mod merge;

mod rewrite;

pub mod marks;

pub mod automaton;

mod components;

mod tableau;

mod conjunction;

mod degeneralise;

mod order;

mod simulation;

mod obligation;

mod state_based;

mod translate;

mod ambiguity;

pub mod hoa;

pub mod never;

pub mod controls;

pub mod atoms;

mod violations;

pub mod union;

pub use automaton::{Buchi, Tgba};
pub use controls::tracked;
pub use dialect::Dialect;
pub use formula::{Formula, Formulas, Ltl};
pub use parse::{MopedDiffers, Reading, parse, parse_proposition};
pub use print::parenthesised;
pub use proposition::Proposition;
pub use rewrite::Rules;
pub use state_based::state_based;
#[cfg(not(feature = "whole"))]
pub use translate::simplified;
pub use translate::{Passes, translate, translate_generalised, translate_to_states, with_one_mark};
pub use violations::{Specified, Violations};
