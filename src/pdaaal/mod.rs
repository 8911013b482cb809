//! Pushdown systems without data in the JSON notation of PDAAAL, read into the model and written from it.
//!
//! PDAAAL (Aalborg University, <https://github.com/DEIS-Tools/PDAAAL>) reads `{"pda": {"states": S}}`, where S lists, for each
//! state and each label on top of the stack, a rule or several: `{"to": q, "pop": ""}`, `{"to": q, "swap": "B"}`, or
//! `{"to": q, "push": "B"}`, which puts B on top of the label that is there. S is an object if states have names, an array if
//! they have numbers. The label `*` stands for every label, and `"swap": "*"` under it for the same label again. In an
//! `{"instance": […]}` the second element is what `"pda"` is otherwise.
//!
//! # The system of a text
//! * States are control locations, labels are stack symbols, each in the order of first mention (states with numbers in the
//!   order of their numbers). There are no variables, no `@end` and no `@fail`.
//! * Rules keep their order; those of `*` come last, written out for every label.
//! * Where runs start, PDAAAL's texts leave to P-automata. Here `"start": {"state": "p", "stack": ["A", "B"]}` beside `"pda"`
//!   says it, topmost label first; PDAAAL skips what it does not know, and writes configurations in traces in this form.
//! * Weights are not considered, which a warning says.

mod read;

mod start;

mod write;

pub use self::read::read;
pub use self::write::write;

use spds_format::Spds;
use spds_format::diagnostic::Diagnostic;

/// Where runs start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Starting {
    /// As the text says.
    #[default]
    Told,
    /// `STATE:SYMBOL`, and further symbols that lie below, each after a blank.
    Configuration(String),
    /// Nobody will ask: if the text does not say it, with the first state and the first label.
    Immaterial,
}

/// How to read a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Where runs start.
    pub start: Starting,
}

/// A text as a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct System {
    /// The system.
    pub spds: Spds,
    /// Warnings, in the order of the text.
    pub warnings: Vec<Diagnostic>,
}
