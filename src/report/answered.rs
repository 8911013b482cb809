//! What is said of a property, in the words that all formats share, whether it is asked of a system or of a C program.

use std::io::{self, Write};

use super::diagnostic::Style;
use super::present::{Asked, Finding, Unverified, Warning};
use crate::source::clip;
use crate::verdict::{Verdict, Why};

/// What is said of a property.
#[derive(Clone, Debug)]
pub struct Answered<'a> {
    /// What was asked.
    pub asked: &'a Asked,
    /// What is known.
    pub verdict: Verdict<(), Why>,
    /// What should be known about it.
    pub warnings: &'a [Warning],
    /// What stands behind it and was not verified.
    pub not_verified: Vec<Unverified<'a>>,
    /// Whether a certificate of it was made and checked, if that was asked for and it says that there is no run.
    pub verified: Option<bool>,
    /// What else belongs to it: why there is no run to be seen.
    pub remarks: Vec<String>,
}

/// The name of a verdict, in the colour that says how it is.
fn coloured<R, W>(verdict: &Verdict<R, W>, style: Style) -> String {
    let colour = match verdict {
        Verdict::Holds | Verdict::Unreachable => 32,
        Verdict::Violated(_) | Verdict::Reachable(_) => 31,
        Verdict::Unknown(_) => 33,
    };
    match style {
        Style::Plain => verdict.name().to_owned(),
        Style::Coloured => format!("\x1b[1;{colour}m{}\x1b[0m", verdict.name()),
    }
}

impl<'a> From<&Finding<'a>> for Answered<'a> {
    fn from(finding: &Finding<'a>) -> Answered<'a> {
        Answered {
            asked: finding.asked,
            verdict: finding.verdict.as_ref().map(|_| (), |reason| (*reason).into()),
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
        let reason = self.verdict.unknown().map(|why| why.sentence.clone());
        let warnings = self.warnings.iter().map(|warning| warning.text().to_owned());
        let unverified = self.not_verified.iter().map(|unverified| unverified.text.to_owned());
        let checked = self.verified.filter(|verified| *verified).map(|_| "verified by its certificate".to_owned());
        let remarks = self.remarks.iter().cloned();
        reason.into_iter().chain(warnings).chain(unverified).chain(remarks).chain(checked).collect()
    }

    /// Writes the first line of an answer for readers: what was asked, and what is known.
    pub(super) fn line(&self, out: &mut dyn Write, style: Style) -> io::Result<()> {
        write!(out, "{}: {}", clip(&self.asked.title(), usize::MAX), coloured(&self.verdict, style))?;
        match self.verdict.unknown() {
            Some(why) => writeln!(out, " ({why})"),
            None => writeln!(out),
        }
    }
}
