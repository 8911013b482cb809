//! What is known of functions by themselves, for continuous integration: a test case for each, with what fails and the runs as its text.

use std::io::{self, Write};

use quick_junit::TestCase;

use super::functions::Told;
use super::json::Header;
use super::junit::{Case, Known, suite};

/// Writes the suite. What is unknown is an error, not a failure; what callers have to establish stands beside it.
///
/// # Errors
/// If writing fails.
pub fn write(out: &mut dyn Write, header: Header<'_>, all: &[Told]) -> io::Result<()> {
    let cases = all.iter().map(|told| case(header, told)).collect::<io::Result<Vec<_>>>()?;
    suite(out, header, cases)
}

fn case(header: Header<'_>, told: &Told) -> io::Result<TestCase> {
    let Told { property, verdict: word, reason_kind, .. } = told;
    let mut text = Vec::new();
    told.text(&mut text)?;
    let text = String::from_utf8_lossy(&text);
    let failing = told.findings.iter().find(|finding| finding.verdict != "unknown");
    let open = told.findings.iter().find(|finding| finding.verdict == "unknown");
    let open = open.map(|finding| (finding.reason_kind.as_deref(), &*finding.reason));
    let open = open.or_else(|| Some((reason_kind.as_deref(), told.reason_of_itself()?)));
    let known = match (failing, open) {
        (Some(finding), _) => Known::Failed(&finding.verdict),
        (None, Some((kind, why))) => Known::Open(kind.unwrap_or(word), why),
        (None, None) => Known::Fine,
    };
    let is_fine = matches!(known, Known::Fine);
    let obligations = told.obligations.iter().map(|one| format!("obligation: {}: {}", one.condition, one.why()));
    let obligations: Vec<String> = obligations.collect();
    Ok(Case {
        name: format!("{} {property}", told.kind),
        message: format!("{property}: {word}"),
        known,
        run: (!is_fine).then_some(&*text),
        warnings: obligations.iter().map(String::as_str).collect(),
    }
    .test(header))
}
