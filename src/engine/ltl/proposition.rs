//! Atomic propositions as they are written: their kinds, with their places in the text. What they mean in a program,
//! [`super::atoms`] tells.

use std::fmt;
use std::ops::Range;

/// What a proposition is about. Two propositions of the same kind are the same.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PropositionKind {
    /// `name` or `::name`: a label that occurs in one procedure only, or a global variable.
    Name(String),
    /// `proc:L`, or `*:L` (no procedure) in any: the statement with that label is next.
    Label {
        /// The procedure, if one is named.
        procedure: Option<String>,
        /// The label.
        label: String,
    },
    /// `{expr}` or `"expr"`: the text between the braces or quotes.
    Expression(String),
    /// `@at(proc)`: the procedure is the top frame.
    At(String),
    /// `@entry(proc)`: its first statement is next.
    Entry(String),
    /// `@call(proc)`: a call of it is next.
    Call(String),
    /// `@return(proc)`: it is the top frame, and a return or its end is next.
    Return(String),
    /// `@fail`: an assertion has failed.
    Fail,
    /// `@end`: the program has terminated.
    End,
    /// `@stuck`: the run is blocked, and its last configuration repeats.
    Stuck,
}

impl fmt::Display for PropositionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PropositionKind::Name(name) => f.write_str(name),
            PropositionKind::Label { procedure: Some(procedure), label } => write!(f, "{procedure}:{label}"),
            PropositionKind::Label { procedure: None, label } => write!(f, "*:{label}"),
            PropositionKind::Expression(text) => write!(f, "{{{text}}}"),
            PropositionKind::At(procedure) => write!(f, "@at({procedure})"),
            PropositionKind::Entry(procedure) => write!(f, "@entry({procedure})"),
            PropositionKind::Call(procedure) => write!(f, "@call({procedure})"),
            PropositionKind::Return(procedure) => write!(f, "@return({procedure})"),
            PropositionKind::Fail => f.write_str("@fail"),
            PropositionKind::End => f.write_str("@end"),
            PropositionKind::Stuck => f.write_str("@stuck"),
        }
    }
}

/// A proposition where it first occurs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposition {
    /// What it is about.
    pub kind: PropositionKind,
    /// Where it stands, as a range of bytes of the text it was read from.
    pub span: Range<usize>,
    /// Where the part begins that names something: the expression inside the braces, the procedure inside the
    /// parentheses, the label or name itself.
    pub inner: usize,
}
