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
//!
//! # P-automata
//! A regular set of configurations is `{"P-automaton": {"initial": […], "accepting": […], "edges": [["p", "A", 3], …]}}`, in an
//! `{"instance": […]}` the third element (the start) or the fourth (the aim) is what `"P-automaton"` is otherwise. States
//! that are not those of the system have numbers, or names of their own; an edge with the label `""` reads nothing. Older
//! versions wrote `{"states": {"p": {"initial": true, "accepting": false, "edges": [{"label": "A", "to": "3"}]}}}`, under some
//! name that ends in `automaton`.
//!
//! ```
//! use puch_engine::pdaaal::{Options, Starting, Which, read, read_automaton, write_automaton};
//!
//! let system = r#"{"pda": {"states": {"p": {"A": {"to": "q", "pop": ""}}, "q": {"A": {"to": "q", "push": "A"}}}}}"#;
//! let system = read(system, &Options { start: Starting::Configuration("p:A A".into()) }).unwrap();
//! assert_eq!(system.spds.rules.len(), 2);
//!
//! let set = r#"{"P-automaton": {"initial": ["p", "q"], "accepting": [3], "edges": [["p", "A", 3], [3, "A", 3]]}}"#;
//! let read = read_automaton(&system.spds, system.states, set, Which::Initial).expect("there is one in the text");
//! let (set, warnings) = read.unwrap();
//! assert_eq!((set.edges.len(), warnings.len()), (2, 0));
//! assert!(write_automaton(&system.spds, system.states, &set).unwrap().contains(r#"["p", "A", 2]"#));
//! ```

mod automaton;

mod read;

mod start;

mod write;

mod write_automaton;

pub use self::automaton::{Outcome, Which, read as read_automaton};
pub use self::read::read;
pub use self::write::write;
pub use self::write_automaton::write as write_automaton;

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

/// How a text refers to states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum States {
    /// By names: the states are the members of an object.
    Named,
    /// By numbers: the states are the elements of an array.
    Numbered,
}

/// A text as a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct System {
    /// The system.
    pub spds: Spds,
    /// How the text refers to states; P-automata about it do the same.
    pub states: States,
    /// Warnings, in the order of the text.
    pub warnings: Vec<Diagnostic>,
}
