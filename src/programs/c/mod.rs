//! C programs: read into C-, the language of T. Ball's lectures (one call per statement, expressions without side effects,
//! pointers), with the types and conversions of C11.

pub mod ids;

pub mod types;

pub mod subobject;
pub mod substitute;

pub mod expression;

pub mod meaning;

pub mod contract;

pub mod program;

pub mod command;

pub(crate) mod effective;
pub mod elements;

pub mod edit;

pub mod decided;

pub mod inline;

mod arguments;

pub mod results;

pub mod texts;

mod unseen;

pub(crate) mod reached;

pub mod arithmetic;

pub mod float;

pub mod mathematics;

pub mod format;

pub mod printed;

pub mod bodiless;

pub mod library;

mod display;

pub mod definedness;

mod tokens;

pub mod literals;

pub mod vocabulary;

mod encoding;

mod extensions;

mod gnu;

mod inner;

mod attributes;

mod prepare;

mod declarations;

mod unit;

mod lower;

mod read;

use std::collections::BTreeSet;

use types::DataModel;

pub use bodiless::{Reading, Undefined};
pub use encoding::decoded;
pub use lower::{Complained, Whole};
pub use meaning::Malloc;
pub(crate) use prepare::Marker as LineMarker;
pub use program::{Defined, Program};
pub use read::{DEEPEST, Parsed, Read, read};
pub use unit::Unit;

/// Whether a text has directives that only a preprocessor can obey. Linear.
pub fn needs_preprocessor(text: &str) -> bool {
    prepare::prepare(text).directive.is_some()
}

/// What the directives of a text say of its lines, in order. Linear.
pub(crate) fn line_markers(text: &str) -> Vec<LineMarker> {
    prepare::prepare(text).markers
}

/// How C programs are read.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The widths of integers.
    pub model: DataModel,
    /// Whether allocations may fail.
    pub malloc: Malloc,
    /// What becomes of calls of procedures without a body.
    pub undefined: Undefined,
    /// Where the program begins, if not in `main`.
    pub main: Option<String>,
    /// Attributes and pragmas that are ignored by request.
    pub ignored: Vec<String>,
    /// Whether it is seen in which order procedures are called and what is shared is written, although all comes to the same: by formulas.
    pub observed: bool,
    /// The procedure whose calls are the error that is asked about, in place of those of `reach_error`, whatever it does and whether or
    /// not it has a body; then errors of other names end the program.
    pub called: Option<String>,
    /// Whether procedures without a body may write all variables of the program and call all its procedures: there is more of it elsewhere.
    pub open: bool,
    /// Procedures about which somebody has written a contract: if they have no body, they get one that does what a call of them does.
    pub contracted: BTreeSet<String>,
}
