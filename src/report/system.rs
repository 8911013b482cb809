//! Answers about a system, with their runs, for all forms of reports.

use std::cell::OnceCell;
use std::io::{self, Write};

use super::answered::Answered;
use super::branch::Alternatives;
use super::json::{self, Header, Page};
use super::present::{Finding, Shown};
use super::reported::{Form, Reported, listed, write};
#[cfg(feature = "cli")]
use super::sarif;
use super::text::{self, Layout};
use super::view::View;
use crate::source::Source;

/// What is reported about a system.
pub struct SystemReport<'a> {
    /// The system.
    pub view: &'a View<'a>,
    /// The text that places refer to, where there is one.
    pub source: Option<&'a Source<'a>>,
    /// The answers.
    findings: &'a [Finding<'a>],
    /// Found once somebody looks.
    alternatives: OnceCell<Alternatives<'a>>,
}

impl<'a> SystemReport<'a> {
    /// Of these answers.
    pub fn new(view: &'a View<'a>, source: Option<&'a Source<'a>>, findings: &'a [Finding<'a>]) -> SystemReport<'a> {
        SystemReport { view, source, findings, alternatives: OnceCell::new() }
    }

    /// Writes them in a form.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write(&self, out: &mut dyn Write, form: Form, header: Header<'_>) -> io::Result<()> {
        write(out, form, header, &listed(&self.reported()))
    }

    /// The answers, each with what its runs are told by.
    pub(super) fn reported(&self) -> Vec<impl Reported> {
        self.findings.iter().map(|finding| OfSystem { report: self, finding }).collect()
    }

    /// The alternatives of its statements.
    pub(super) fn alternatives(&self) -> &Alternatives<'a> {
        self.alternatives.get_or_init(|| Alternatives::new(self.view.spds))
    }
}

/// One of the answers.
struct OfSystem<'r, 'a> {
    report: &'r SystemReport<'a>,
    finding: &'a Finding<'a>,
}

impl Reported for OfSystem<'_, '_> {
    fn answered(&self) -> Answered<'_> {
        Answered::from(self.finding)
    }

    fn text(&self, out: &mut dyn Write, layout: Layout) -> io::Result<()> {
        self.answered().line(out, layout.style)?;
        text::write_shown(out, self.report.view, self.report.source, &self.finding.shown, layout)
    }

    fn is_long(&self) -> bool {
        matches!(self.finding.shown, Shown::Trace(..))
    }

    fn members(&self, out: &mut dyn Write, seconds: Option<f64>) -> io::Result<()> {
        let SystemReport { view, source, .. } = *self.report;
        json::write_shown(out, &Page { view, source, alternatives: self.report.alternatives() }, &self.finding.shown)?;
        if let Some(seconds) = seconds {
            write!(out, ",\n              \"seconds\": ")?;
            json::value(out, &seconds)?;
        }
        Ok(())
    }

    fn has_run(&self) -> bool {
        matches!(self.finding.shown, Shown::Trace(..) | Shown::Omitted(_))
    }

    #[cfg(feature = "cli")]
    fn flow(&self) -> Option<Result<sarif::Flow<'_>, String>> {
        sarif::flow(self.report.view, self.report.source, self.finding).map(Ok)
    }
}
