//! What is said about a text: in good order, and as lines that a test can compare.

#![allow(dead_code, reason = "each test binary uses its own part")]

use spds_format::Diagnostic;

/// Complaints point at pieces of the text, in its order.
pub fn in_order(text: &str, complaints: &[Diagnostic]) {
    let mut last = 0;
    for complaint in complaints {
        for span in spans(complaint) {
            assert!(text.get(span.clone()).is_some(), "{span:?} of {complaint:?} is no piece of the text");
        }
        let start = complaint.span.as_ref().map_or(usize::MAX, |span| span.start);
        assert!(start >= last, "{complaint:?} is out of order");
        last = start;
    }
}

/// A text that is refused is refused for a reason.
pub fn refused(text: &str, complaints: &[Diagnostic]) {
    in_order(text, complaints);
    assert!(complaints.iter().any(Diagnostic::is_error), "refused without a reason");
}

/// The warnings of a text that is taken, or why it is refused.
pub fn about<T>(
    text: &str,
    read: Result<T, Vec<Diagnostic>>,
    warnings: impl FnOnce(T) -> Vec<Diagnostic>,
) -> Vec<Diagnostic> {
    match read {
        Ok(taken) => warnings(taken),
        Err(complaints) => {
            let error = complaints.iter().any(Diagnostic::is_error);
            assert!(error, "{text}\nis refused without an error: {complaints:#?}");
            complaints
        }
    }
}

/// Complaints as text: `^what is pointed at^ message | label | help`, with a `~` in the place of the first `^` for warnings.
pub fn said(text: &str, complaints: &[Diagnostic]) -> Vec<String> {
    complaints.iter().map(|complaint| line(text, complaint)).collect()
}

fn line(text: &str, complaint: &Diagnostic) -> String {
    assert!(!complaint.message.ends_with('.'), "{}", complaint.message);
    for span in spans(complaint) {
        assert!(text.get(span.clone()).is_some(), "{span:?} is no piece of the text");
    }
    let sign = if complaint.is_error() { '^' } else { '~' };
    let place = complaint.span.clone().map_or("(file)", |span| &text[span]);
    let more = [complaint.label.as_str(), complaint.help.as_deref().unwrap_or("")];
    let said: Vec<&str> =
        [complaint.message.as_str()].into_iter().chain(more).filter(|part| !part.is_empty()).collect();
    format!("{sign}{place}^ {}", said.join(" | "))
}

fn spans(complaint: &Diagnostic) -> impl Iterator<Item = &std::ops::Range<usize>> {
    complaint.span.iter().chain(complaint.related.iter().map(|(span, _)| span))
}
