//! What is wrong with a text, for the editor.

use std::ops::Range;
use std::sync::Arc;

use gen_lsp_types::{
    Diagnostic as Told, DiagnosticRelatedInformation, DiagnosticSeverity, Location, PublishDiagnosticsParams,
};
use puch::c::{self, Unit};
use puch::report::utf16::Utf16;
use puch::source::clip;
use spds_format::{Diagnostic, Severity};

use super::documents::{Document, Tongue, range};

/// Of more than so many the others are only counted.
const TOLD: usize = 200;

/// A message can quote a token of many megabytes.
const MESSAGE: usize = 1000;

/// What to tell about a document; of one that was closed, nothing any more.
pub fn published(document: Option<Arc<Document>>, uri: &str) -> Option<PublishDiagnosticsParams> {
    let Some(document) = document else {
        return Some(PublishDiagnosticsParams { uri: uri.into(), version: None, diagnostics: Vec::new() });
    };
    let found = wrong(&document);
    let index = Utf16::new(&document.text);
    let mut diagnostics: Vec<Told> = found.iter().take(TOLD).map(|one| told(one, &index, uri)).collect();
    if found.len() > TOLD {
        let last = Diagnostic::global(format!("… and {} more", found.len() - TOLD));
        diagnostics.push(told(&last, &index, uri));
    }
    Some(PublishDiagnosticsParams { uri: uri.into(), version: Some(document.version), diagnostics })
}

/// All that is wrong, errors first.
fn wrong(document: &Document) -> Vec<Diagnostic> {
    let text = &document.text;
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        return Vec::new();
    }
    let mut found = match &document.tongue {
        Tongue::System(language) => match language.read(text, document.name()) {
            Ok(parsed) => parsed.warnings,
            Err(mistakes) => mistakes,
        },
        // What a preprocessor makes of it depends on files that are not here.
        Tongue::C if !c::needs_preprocessor(text) => {
            let unit = Unit { name: document.name(), text, preprocessed: None };
            let complaints = match c::read(&[unit], &c::Options::default()) {
                Ok(read) => read.warnings,
                Err(complaints) => complaints,
            };
            complaints.into_iter().map(|(_, complaint)| complaint).collect()
        }
        Tongue::C | Tongue::Unknown => Vec::new(),
    };
    found.sort_by_key(|diagnostic| diagnostic.severity);
    found
}

fn told(diagnostic: &Diagnostic, index: &Utf16<'_>, uri: &str) -> Told {
    let mut message = clip(&diagnostic.message, MESSAGE);
    for more in
        [Some(&diagnostic.label), diagnostic.help.as_ref()].into_iter().flatten().filter(|text| !text.is_empty())
    {
        message.push('\n');
        message += &clip(more, MESSAGE);
    }
    let related = diagnostic.related.iter().take(TOLD).map(|(span, remark)| DiagnosticRelatedInformation {
        location: Location { uri: uri.into(), range: range(index, span) },
        message: clip(remark, MESSAGE),
    });
    Told {
        range: range(index, diagnostic.span.as_ref().unwrap_or(&Range { start: 0, end: 0 })),
        severity: Some(match diagnostic.severity {
            Severity::Error => DiagnosticSeverity::Error,
            Severity::Warning => DiagnosticSeverity::Warning,
        }),
        source: Some("puch".into()),
        message: message.into(),
        related_information: Some(related.collect()),
        ..Told::default()
    }
}
