//! What is wrong with an input, where, and what to do about it.
//!
//! Every reader of the project (this format, Boolean programs, formulas) returns lists of [`Diagnostic`]s and prints
//! nothing; whoever holds the text of the input renders them.

use std::fmt;
use std::ops::Range;

/// How bad it is: an error means that there is no model, a warning that there is one that may not be the one meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The input is refused.
    Error,
    /// The input is accepted; the message says what a reader could have expected otherwise.
    Warning,
}

/// One complaint about one input text.
///
/// Messages are in the user's words, lower case, without a full stop, in the manner of rustc.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// One sentence: what is wrong.
    pub message: String,
    /// The place it is about, as a range of bytes of the input; `None` for the input as a whole.
    pub span: Option<Range<usize>>,
    /// What to say at the caret, if more than the message (may be empty).
    pub label: String,
    /// Further places that belong to it ("first declared here"), each with its own remark.
    pub related: Vec<(Range<usize>, String)>,
    /// What the user can do about it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at a place of the input.
    pub fn error(message: impl Into<String>, span: Range<usize>) -> Self {
        Diagnostic {
            severity: Severity::Error,
            message: message.into(),
            span: Some(span),
            label: String::new(),
            related: Vec::new(),
            help: None,
        }
    }

    /// A warning at a place of the input.
    pub fn warning(message: impl Into<String>, span: Range<usize>) -> Self {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(message, span) }
    }

    /// An error about the input as a whole.
    pub fn global(message: impl Into<String>) -> Self {
        Diagnostic { span: None, ..Diagnostic::error(message, 0..0) }
    }

    /// The same with a remark at the caret.
    pub fn with_label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// The same with a further place.
    pub fn with_related(mut self, span: Range<usize>, remark: impl Into<String>) -> Self {
        self.related.push((span, remark.into()));
        self
    }

    /// The same with advice.
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Whether the input is refused because of it.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.is_error() { "error" } else { "warning" };
        write!(f, "{kind}: {}", self.message)?;
        if let Some(span) = &self.span {
            write!(f, " (at byte {})", span.start)?;
        }
        if let Some(help) = &self.help {
            write!(f, "; help: {help}")?;
        }
        Ok(())
    }
}
