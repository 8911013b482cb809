//! What is said about a wrong text, against what should be said.

use spds_format::Diagnostic;

/// The text has exactly these mistakes: the piece of text that is pointed at, the message, and a part of the advice.
#[track_caller]
pub fn exactly(text: &str, found: &[Diagnostic], expected: &[(&str, &str, &str)]) {
    let told: Vec<(&str, &str)> =
        found.iter().map(|d| (d.span.clone().map_or("", |span| &text[span]), d.message.as_str())).collect();
    let wanted: Vec<(&str, &str)> = expected.iter().map(|(piece, message, _)| (*piece, *message)).collect();
    assert_eq!(told, wanted, "{found:#?}");
    for (diagnostic, (_, _, advice)) in found.iter().zip(expected) {
        let help = diagnostic.help.as_deref().unwrap_or_default();
        assert!(help.contains(advice) && (help.is_empty() || !advice.is_empty()), "help: {help:?}, not {advice:?}");
    }
}
