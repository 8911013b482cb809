//! The report as JUnit's XML, which systems for continuous integration show: a test case for each property.

use std::io::{self, Write};

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use crate::verdict::{Verdict, Why};

use super::answered::Answered;
use super::json::Header;
use super::notice::Notice;

/// Writes the suite of these answers, each with its run as text if there is one, and of more cases. What is unknown is an error, not a failure;
/// a run is the text of the failure.
///
/// # Errors
/// If writing fails.
pub fn suited(
    out: &mut dyn Write,
    header: Header<'_>,
    answers: &[(Answered<'_>, Option<String>)],
    more: Vec<TestCase>,
) -> io::Result<()> {
    let own = answers.iter().map(|(answer, run)| case(header, answer, run.as_deref()));
    suite(out, header, own.chain(more).collect())
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

pub(super) fn suite(out: &mut dyn Write, header: Header<'_>, cases: Vec<TestCase>) -> io::Result<()> {
    let mut suite = TestSuite::new(header.input);
    suite.add_test_cases(cases);
    if let Some(seconds) = header.seconds {
        suite.set_time(std::time::Duration::from_secs_f64(seconds));
    }
    let mut report = Report::new("puch");
    report.add_test_suite(suite);
    report.serialize(out).map_err(io::Error::other)
}

/// A test case in the making.
pub(super) struct Case<'a> {
    /// What is asked.
    pub name: String,
    /// What is said of it, in a line.
    pub message: String,
    /// What is known.
    pub known: Known<'a>,
    /// The run that shows it, as text.
    pub run: Option<&'a str>,
    /// What should be known about it.
    pub warnings: Vec<&'a str>,
}

/// What is known of a test case.
pub(super) enum Known<'a> {
    /// Nothing fails.
    Fine,
    /// Something does: the type of the failure.
    Failed(&'a str),
    /// It is not known: the word why, which is the type of the error, and the sentence.
    Open(&'a str, &'a str),
}

impl<'a> Known<'a> {
    /// What a verdict says; the word for a failure, if it is not that of the verdict.
    pub(super) fn of(verdict: &'a Verdict<(), Why>, failure: Option<&'a str>) -> Known<'a> {
        match verdict {
            Verdict::Holds | Verdict::Unreachable => Known::Fine,
            Verdict::Violated(()) | Verdict::Reachable(()) => Known::Failed(failure.unwrap_or(verdict.name())),
            Verdict::Unknown(why) => Known::Open(why.kind, &why.sentence),
        }
    }
}

impl Case<'_> {
    /// As it stands in the suite.
    pub(super) fn test(self, header: Header<'_>) -> TestCase {
        let failed = |kind, type_name: &str, message: String| {
            let mut status = TestCaseStatus::non_success(kind);
            status.set_type(type_name).set_message(message);
            if let Some(run) = self.run {
                status.set_description(run);
            }
            status
        };
        let status = match self.known {
            Known::Fine => TestCaseStatus::success(),
            Known::Failed(word) => failed(NonSuccessKind::Failure, word, self.message),
            Known::Open(word, why) => failed(NonSuccessKind::Error, word, format!("{} ({why})", self.message)),
        };
        let mut case = TestCase::new(self.name, status);
        case.set_classname(header.input);
        if !self.warnings.is_empty() {
            case.set_system_err(self.warnings.join("\n"));
        }
        case
    }
}

fn case(header: Header<'_>, answer: &Answered<'_>, run: Option<&str>) -> TestCase {
    let title = answer.asked.title();
    Case {
        name: format!("{} {title}", answer.asked.kind.name()),
        message: format!("{title}: {}", answer.verdict.name()),
        known: Known::of(&answer.verdict, None),
        run,
        warnings: answer.warnings.iter().map(|warning| warning.text()).collect(),
    }
    .test(header)
}
