//! What is said of a property, in the words that all formats share, whether it is asked of a system or of a C program.

use std::io::{self, Write};

use super::diagnostic::Style;
use super::present::{Asked, Finding, Unverified, Warning};
use crate::check;
use crate::source::clip;

/// What is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// No run violates it.
    Holds,
    /// No run comes there.
    Unreachable,
    /// Some run violates it.
    Violated,
    /// Some run comes there.
    Reachable,
    /// It is not known, for this reason: a sentence and a word.
    Unknown(String, &'static str),
}

/// What is said of a property.
#[derive(Clone, Debug)]
pub struct Answered<'a> {
    /// What was asked.
    pub asked: &'a Asked,
    /// What is known.
    pub said: Said,
    /// What should be known about it.
    pub warnings: &'a [Warning],
    /// What stands behind it and was not verified.
    pub not_verified: Vec<Unverified<'a>>,
    /// Whether a certificate of it was made and checked, if that was asked for and it says that there is no run.
    pub verified: Option<bool>,
    /// What else belongs to it: why there is no run to be seen.
    pub remarks: Vec<String>,
}

impl Said {
    /// Its name in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Said::Holds => "holds",
            Said::Unreachable => "unreachable",
            Said::Violated => "violated",
            Said::Reachable => "reachable",
            Said::Unknown(..) => "unknown",
        }
    }

    /// The same, in the colour that says how it is.
    pub fn coloured(&self, style: Style) -> String {
        let colour = match self {
            Said::Holds | Said::Unreachable => 32,
            Said::Violated | Said::Reachable => 31,
            Said::Unknown(..) => 33,
        };
        match style {
            Style::Plain => self.name().to_owned(),
            Style::Coloured => format!("\x1b[1;{colour}m{}\x1b[0m", self.name()),
        }
    }
}

impl From<&check::Verdict> for Said {
    fn from(verdict: &check::Verdict) -> Said {
        match verdict {
            check::Verdict::Holds => Said::Holds,
            check::Verdict::Unreachable => Said::Unreachable,
            check::Verdict::Violated(_) => Said::Violated,
            check::Verdict::Reachable(_) => Said::Reachable,
            check::Verdict::Unknown(reason) => Said::Unknown(reason.to_string(), reason.kind()),
        }
    }
}

impl<'a> From<&Finding<'a>> for Answered<'a> {
    fn from(finding: &Finding<'a>) -> Answered<'a> {
        Answered {
            asked: finding.asked,
            said: Said::from(finding.verdict),
            warnings: finding.warnings,
            not_verified: finding.not_verified(),
            verified: finding.verified,
            remarks: finding.omitted().map(|why| format!("no trace: {why}")).into_iter().collect(),
        }
    }
}

impl Answered<'_> {
    /// All that is said beside the verdict.
    pub fn notes(&self) -> Vec<String> {
        let reason = match &self.said {
            Said::Unknown(why, _) => Some(why.clone()),
            _ => None,
        };
        let warnings = self.warnings.iter().map(|warning| warning.text().to_owned());
        let unverified = self.not_verified.iter().map(|unverified| unverified.text.to_owned());
        let checked = self.verified.filter(|verified| *verified).map(|_| "verified by its certificate".to_owned());
        let remarks = self.remarks.iter().cloned();
        reason.into_iter().chain(warnings).chain(unverified).chain(remarks).chain(checked).collect()
    }

    /// Writes the first line of an answer for readers: what was asked, and what is known.
    pub(super) fn line(&self, out: &mut dyn Write, style: Style) -> io::Result<()> {
        write!(out, "{}: {}", clip(&self.asked.title(), usize::MAX), self.said.coloured(style))?;
        match &self.said {
            Said::Unknown(why, _) => writeln!(out, " ({why})"),
            _ => writeln!(out),
        }
    }
}
