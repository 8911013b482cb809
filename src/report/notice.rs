//! Diagnostics as data: what a reader is told of an input, for scripts.

use serde::Serialize;
use spds_format::Diagnostic;

use crate::source::Source;

/// One complaint, with its place in the text that it is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Notice {
    /// `error` or `warning`.
    pub severity: &'static str,
    /// What it is about: a word of a documented list, a promise to scripts.
    pub code: &'static str,
    /// One sentence: what is wrong.
    pub text: String,
    /// The file, or the option whose value it is about.
    pub file: Option<String>,
    /// Where it begins; lines and columns count from 1, columns in characters.
    pub line: Option<usize>,
    /// The column there.
    pub column: Option<usize>,
    /// Where it ends: the place after its last character.
    pub end_line: Option<usize>,
    /// The column there.
    pub end_column: Option<usize>,
    /// The same as bytes of the text, from and to.
    pub span: Option<[usize; 2]>,
    /// The remark at that place; may be empty.
    pub label: String,
    /// What can be done about it.
    pub help: Option<String>,
    /// Further places, each with a remark.
    pub related: Vec<Related>,
}

/// A further place that belongs to a complaint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Related {
    /// Where it begins.
    pub line: usize,
    /// The column there.
    pub column: usize,
    /// Its bytes.
    pub span: [usize; 2],
    /// What there is to say about it.
    pub text: String,
}

impl Notice {
    /// A complaint about a text.
    pub fn new(source: &Source<'_>, code: &'static str, diagnostic: &Diagnostic) -> Notice {
        let begin = diagnostic.span.as_ref().map(|span| source.position(span.start));
        let end = diagnostic.span.as_ref().map(|span| source.position(span.end));
        let related = diagnostic.related.iter().map(|(span, text)| {
            let (line, column) = source.position(span.start);
            Related { line, column, span: [span.start, span.end], text: text.clone() }
        });
        Notice {
            severity: if diagnostic.is_error() { "error" } else { "warning" },
            code,
            text: diagnostic.message.clone(),
            file: Some(source.name.to_owned()),
            line: begin.map(|(line, _)| line),
            column: begin.map(|(_, column)| column),
            end_line: end.map(|(line, _)| line),
            end_column: end.map(|(_, column)| column),
            span: diagnostic.span.as_ref().map(|span| [span.start, span.end]),
            label: diagnostic.label.clone(),
            help: diagnostic.help.clone(),
            related: related.collect(),
        }
    }

    /// A sentence that is about no place.
    pub fn sentence(severity: &'static str, code: &'static str, text: impl Into<String>) -> Notice {
        Notice {
            severity,
            code,
            text: text.into(),
            file: None,
            line: None,
            column: None,
            end_line: None,
            end_column: None,
            span: None,
            label: String::new(),
            help: None,
            related: Vec::new(),
        }
    }

    /// Whether the input is refused because of it.
    pub fn is_error(&self) -> bool {
        self.severity == "error"
    }
}
