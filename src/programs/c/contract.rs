//! What procedures demand of their callers and promise them: contracts, from attributes and from what is written about a program. They are
//! data; whoever asks about single procedures says what becomes of them, all others leave them alone.

use std::ops::Range;

use spds_format::model::Place;

use super::expression::ExpressionId;

/// The contract of a procedure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contract {
    /// Arguments, counted from 0, that are not NULL, and where that is said (`nonnull`).
    pub nonnull: Vec<(usize, Place)>,
    /// Where it is said that what it returns is not NULL (`returns_nonnull`).
    pub returns_nonnull: Option<Place>,
    /// What holds when it is called: over its formals, if it has any, and globals.
    pub requires: Vec<Clause>,
    /// What holds when it returns: also over values at its entry, and over what it returns.
    pub ensures: Vec<Clause>,
    /// Conditions that stand in the program (`__CPROVER_requires`, `__CPROVER_ensures`) and are still to be read.
    pub written: Vec<Written>,
}

/// A condition that stands in a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Whether the procedure promises it; otherwise it demands it.
    pub ensures: bool,
    /// As it stands there.
    pub text: Box<str>,
    /// In which of the files that were read, and which bytes of it, if it is in its text.
    pub unit: usize,
    /// Bytes of the text of that file, unless it stands in a header or in a macro.
    pub span: Option<Range<usize>>,
    /// Where.
    pub place: Place,
}

/// A condition of a contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// It holds where this is not 0, and all that it takes to say so is defined.
    pub condition: ExpressionId,
    /// As it is written.
    pub text: Box<str>,
    /// Where.
    pub place: Place,
}

impl Contract {
    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        *self == Contract::default()
    }
}
