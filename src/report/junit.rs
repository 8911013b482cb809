//! The report as JUnit's XML, which systems for continuous integration show: a test case for each property.

use std::io::{self, Write};

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::json::Header;
use super::notice::Notice;
use super::present::{Finding, Shown};
use super::text::{self, Detail};
use super::view::View;
use crate::check::Verdict;

/// Writes the suite. What is unknown is an error, not a failure; a run is the text of the failure.
///
/// # Errors
/// If writing fails.
pub fn write(out: &mut dyn Write, view: &View<'_>, header: Header<'_>, findings: &[Finding<'_>]) -> io::Result<()> {
    let cases = findings.iter().map(|finding| case(view, header, finding)).collect::<io::Result<Vec<_>>>()?;
    suite(out, header, cases)
}

/// Writes the suite of a call that has no answer, because the input or the call is wrong.
///
/// # Errors
/// If writing fails.
pub fn refused(out: &mut dyn Write, header: Header<'_>) -> io::Result<()> {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
    let first = header.diagnostics.iter().find(|notice| notice.is_error());
    status.set_type("input").set_message(first.map_or("the input is wrong", |notice| &notice.text));
    let told: Vec<String> = header.diagnostics.iter().map(told).collect();
    status.set_description(told.join("\n"));
    let mut case = TestCase::new("input", status);
    case.set_classname(header.input);
    suite(out, header, vec![case])
}

/// A complaint as a line.
fn told(notice: &Notice) -> String {
    let place = match (&notice.file, notice.line, notice.column) {
        (Some(file), Some(line), Some(column)) => format!("{file}:{line}:{column}: "),
        (Some(file), ..) => format!("{file}: "),
        _ => String::new(),
    };
    format!("{place}{}: {}", notice.severity, notice.text)
}

fn suite(out: &mut dyn Write, header: Header<'_>, cases: Vec<TestCase>) -> io::Result<()> {
    let mut suite = TestSuite::new(header.input);
    suite.add_test_cases(cases);
    if let Some(seconds) = header.seconds {
        suite.set_time(std::time::Duration::from_secs_f64(seconds));
    }
    let mut report = Report::new("puch");
    report.add_test_suite(suite);
    report.serialize(out).map_err(io::Error::other)
}

fn case(view: &View<'_>, header: Header<'_>, finding: &Finding<'_>) -> io::Result<TestCase> {
    let verdict = finding.verdict.name();
    let failed = |kind, type_name: &str, message: String| -> io::Result<TestCaseStatus> {
        let mut status = TestCaseStatus::non_success(kind);
        status.set_type(type_name).set_message(message);
        if matches!(finding.shown, Shown::Trace(..) | Shown::Omitted(_)) {
            let mut run = Vec::new();
            text::write(&mut run, view, header.source, std::slice::from_ref(finding), Detail::Brief)?;
            status.set_description(String::from_utf8_lossy(&run).into_owned());
        }
        Ok(status)
    };
    let said = format!("{}: {verdict}", finding.asked.title());
    let status = match finding.verdict {
        Verdict::Holds | Verdict::Unreachable => TestCaseStatus::success(),
        Verdict::Violated(_) | Verdict::Reachable(_) => failed(NonSuccessKind::Failure, verdict, said)?,
        Verdict::Unknown(reason) => failed(NonSuccessKind::Error, reason.kind(), format!("{said} ({reason})"))?,
    };
    let mut case = TestCase::new(format!("{} {}", finding.asked.kind.name(), finding.asked.title()), status);
    case.set_classname(header.input);
    let warnings: Vec<&str> = finding.warnings.iter().map(|warning| warning.text()).collect();
    if !warnings.is_empty() {
        case.set_system_err(warnings.join("\n"));
    }
    Ok(case)
}
