//! The verdict about a C program in the formats of other tools, and as a page to be explored.

use std::io::{self, Write};

use crate::c::Program;
use crate::interpreter::{self, Doubt, End, Outcome as Ran};
use crate::nullness::PointerUse;
use crate::options::TraceWish;
use crate::refinement::Onward;
use crate::source::Source;

use super::answered::Answered;
use super::c_finding::CFinding;
use super::html::programs::{Shot, Tables};
use super::html::{Page, Subject};
use super::json::Header;
use super::reported::{Form, Reported, listed, write};
#[cfg(feature = "cli")]
use super::sarif::Flow;
use super::text::Layout;

/// What is reported, and how.
#[derive(Clone, Copy)]
pub struct Report<'a> {
    /// What is said beside the findings.
    pub header: Header<'a>,
    /// The sources that are at hand.
    pub sources: &'a [Source<'a>],
    /// The answers.
    pub findings: &'a [CFinding<'a>],
    /// Whether runs are shown.
    pub trace: TraceWish,
    /// Runs with more statements are left out.
    pub limit: u64,
}

impl CFinding<'_> {
    /// How the run ends that shows it, in words.
    fn ended(&self, ran: &Ran) -> String {
        match self.verdict.run().map(|run| &run.onward) {
            Some(Onward::Repeats(_)) => "and so on for ever".to_owned(),
            Some(Onward::Recurs(recurrent)) => recurrent.told(self.shown.program).sentence(),
            // A run that is made by hand.
            _ if ran.end == End::Unknown(Doubt::Steps) => "so far".to_owned(),
            _ => ran.end.told(self.shown.program),
        }
    }

    /// The run, for a page.
    fn shot(&self, limit: u64) -> Option<Shot<'_>> {
        let run = self.verdict.run()?;
        let repeats = match run.onward {
            Onward::Repeats(stem) => Some(stem),
            Onward::Over | Onward::Recurs(_) => None,
        };
        let options = interpreter::Options::of(self.shown.overflow, run.steps);
        let inputs = run.inputs.iter().map(|input| input.value).collect();
        Some(Shot { program: self.shown.program, options, inputs, repeats, limit })
    }
}

impl Report<'_> {
    /// Writes the page.
    ///
    /// # Errors
    /// If writing fails.
    pub fn html(&self, out: &mut dyn Write, subject: Subject<'_>, program: &Program) -> io::Result<()> {
        let mut tables = Tables::new(subject, program);
        let shown = |finding: &CFinding<'_>| {
            let shot = finding.shot(self.limit).filter(|_| self.trace != TraceWish::None)?;
            Some(tables.run(&shot, |ran| finding.ended(ran)))
        };
        let reported = self.reported();
        let page = Page::new(self.header, &listed(&reported), self.findings, shown)?;
        page.write(out, subject, tables.done())
    }

    /// Writes the answers in a form.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write(&self, out: &mut dyn Write, form: Form) -> io::Result<()> {
        write(out, form, self.header, &listed(&self.reported()))
    }

    fn reported(&self) -> Vec<OfProgram<'_>> {
        self.findings.iter().map(|finding| OfProgram { report: self, finding }).collect()
    }
}

/// One of the answers.
struct OfProgram<'a> {
    report: &'a Report<'a>,
    finding: &'a CFinding<'a>,
}

impl Reported for OfProgram<'_> {
    fn answered(&self) -> Answered<'_> {
        self.finding.answered()
    }

    fn text(&self, out: &mut dyn Write, layout: Layout) -> io::Result<()> {
        self.finding.text(out, self.report.sources, self.report.trace, layout)
    }

    fn is_long(&self) -> bool {
        true
    }

    fn members(&self, out: &mut dyn Write, seconds: Option<f64>) -> io::Result<()> {
        self.finding.members(out, self.report.sources, self.report.trace, seconds)
    }

    fn has_run(&self) -> bool {
        self.finding.verdict.claims_run()
    }

    #[cfg(feature = "cli")]
    fn flow(&self) -> Option<Result<Flow<'_>, String>> {
        let Report { sources, trace, limit, .. } = *self.report;
        let run = self.finding.verdict.run().filter(|_| trace != TraceWish::None)?;
        let (told, ran) = self.finding.told(run, sources, limit);
        Some(told.map(|told| Flow::of(told, self.finding.ended(&ran))))
    }

    fn uses(&self) -> &[PointerUse] {
        self.finding.shown.uses.unwrap_or_default()
    }
}
