//! The verdict about a C program in the formats of other tools, and as a page to be explored.

use std::io::{self, Write};

use serde_json::Value as Json;

use crate::c::Program;
use crate::interpreter::{self, Doubt, End, Outcome as Ran};
use crate::options::TraceWish;
use crate::refinement::Onward;
use crate::source::Source;

use super::answered::Answered;
use super::c_finding::{self, Finding};
use super::html::Subject;
use super::html::programs::{self, Shot, Tables};
use super::json::Header;
#[cfg(feature = "cli")]
use super::junit;
#[cfg(feature = "cli")]
use super::null;
#[cfg(feature = "cli")]
use super::present::PropertyKind;
#[cfg(feature = "cli")]
use super::sarif::{self, Flow};
use super::text::Layout;

/// What is reported, and how.
#[derive(Clone, Copy)]
pub struct Report<'a> {
    /// What is said beside the findings.
    pub header: Header<'a>,
    /// The sources that are at hand.
    pub sources: &'a [Source<'a>],
    /// The answers.
    pub findings: &'a [Finding<'a>],
    /// Whether runs are shown.
    pub trace: TraceWish,
    /// Runs with more statements are left out.
    pub limit: u64,
}

impl Finding<'_> {
    /// How the run ends that shows it, in words.
    fn ended(&self, ran: &Ran) -> String {
        match self.verdict.run().map(|run| &run.onward) {
            Some(Onward::Repeats(_)) => "and so on for ever".to_owned(),
            Some(Onward::Recurs(recurrent)) => recurrent.sentence(),
            // A run that is made by hand.
            _ if ran.end == End::Unknown(Doubt::Steps) => "so far".to_owned(),
            _ => ran.end.told(self.program),
        }
    }

    /// The run, for a page.
    fn shot(&self, limit: u64) -> Option<Shot<'_>> {
        let run = self.verdict.run()?;
        let repeats = match run.onward {
            Onward::Repeats(stem) => Some(stem),
            Onward::Over | Onward::Recurs(_) => None,
        };
        let options = interpreter::Options::of(self.overflow, run.steps);
        let inputs = run.inputs.iter().map(|input| input.value).collect();
        Some(Shot { program: self.program, options, inputs, repeats, limit })
    }
}

impl Report<'_> {
    /// Writes the page.
    ///
    /// # Errors
    /// If writing fails.
    pub fn html(&self, out: &mut dyn Write, subject: Subject<'_>, program: &Program) -> io::Result<()> {
        let mut tables = Tables::new(subject, program);
        let mut answers: Vec<Answered<'_>> = self.findings.iter().map(Finding::answered).collect();
        let mut shown = |(finding, answer): (&Finding<'_>, &mut Answered<'_>)| {
            let shot = finding.shot(self.limit).filter(|_| self.trace != TraceWish::None)?;
            let run = tables.run(&shot, |ran| finding.ended(ran));
            run.map_err(|why| answer.remarks.push(format!("no trace: {why}"))).ok()
        };
        let traces = self.findings.iter().zip(&mut answers).map(|pair| shown(pair).unwrap_or(Json::Null)).collect();
        let mut text = Vec::new();
        c_finding::text(&mut text, self.sources, self.findings, self.trace, Layout::default())?;
        programs::write(out, tables, self.header, &answers, &text, traces)
    }

    /// Writes the log.
    ///
    /// # Errors
    /// If writing fails.
    #[cfg(feature = "cli")]
    pub fn sarif(&self, out: &mut dyn Write) -> io::Result<()> {
        let answers = self.findings.iter().map(|finding| {
            let mut answer = finding.answered();
            let flow = self.flow(finding).transpose();
            let flow = flow.map_err(|why| answer.remarks.push(format!("no trace: {why}")));
            (answer, flow.ok().flatten())
        });
        let rule = sarif::number(PropertyKind::Null);
        let uses = self.findings.iter().filter_map(|finding| finding.uses);
        let uses = uses.flat_map(|uses| null::entries(self.header, rule, uses)).collect();
        sarif::logged(out, self.header, answers, uses)
    }

    /// The run as a list of events; or why it is not shown.
    #[cfg(feature = "cli")]
    fn flow(&self, finding: &Finding<'_>) -> Option<Result<Flow<'static>, String>> {
        let run = finding.verdict.run().filter(|_| self.trace != TraceWish::None)?;
        let (told, ran) = finding.told(run, self.sources, self.limit);
        Some(told.map(|told| Flow::of(told, finding.ended(&ran))))
    }

    /// Writes the suite.
    ///
    /// # Errors
    /// If writing fails.
    #[cfg(feature = "cli")]
    pub fn junit(&self, out: &mut dyn Write) -> io::Result<()> {
        let run = |finding: &Finding<'_>| -> io::Result<Option<String>> {
            if finding.verdict.run().is_none() {
                return Ok(None);
            }
            let mut text = Vec::new();
            let finding = std::slice::from_ref(finding);
            c_finding::text(&mut text, self.sources, finding, self.trace, Layout::default())?;
            Ok(Some(String::from_utf8_lossy(&text).into_owned()))
        };
        let answers = self.findings.iter().map(|finding| Ok((finding.answered(), run(finding)?)));
        let uses = self.findings.iter().filter_map(|finding| finding.uses);
        let cases: Vec<_> = uses.map(|uses| null::cases(self.header, uses)).collect::<io::Result<_>>()?;
        let more = cases.into_iter().flatten().collect();
        junit::suited(out, self.header, &answers.collect::<io::Result<Vec<_>>>()?, more)
    }
}
