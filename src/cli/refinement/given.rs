//! The answers as they are given: in all forms, with what shows them in files of their own.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Context;
use puch::c::Program;
use puch::c::program::Overflow;
use puch::c_problem::coverage::covered;
use puch::check;
use puch::limits::Stop;
use puch::nullness::Told;
use puch::options::Options as Search;
use puch::picture::Picture;
use puch::picture::run::traces;
use puch::places::Naming;
use puch::refinement::{Answer, Copies, Execution, Input, Onward, Options, Verdict, cannot, harness, not_given};
use puch::report::c_finding::{CFinding, Stopped};
use puch::report::c_formats::Report;
use puch::report::expression::Notation;
use puch::report::html::{self, Coverage, Subject};
use puch::report::present::{self, Asked, Calls, Warning, Wish};
use puch::report::reported::{self, Reported};
use puch::report::text::Layout;
use puch::report::view::View;
use puch::source::Source;
use spds_format::Spds;

use super::asked::Task;
use crate::cli::c_input::CLoaded;
use crate::cli::choices::FormatName;
use crate::cli::drawing::{Drawn, drawn};
use crate::cli::witness::witness;
use crate::cli::{Failure, UNKNOWN, answer, code, notices, tell};

/// So many inputs that a harness cannot give are mentioned; it lists all.
const MENTIONED: usize = 5;

/// How answers are given.
#[derive(Clone)]
pub struct Given {
    /// What the program is called.
    pub name: String,
    pub format: FormatName,
    pub layout: Layout,
    /// Whether nothing is told beside.
    pub quiet: bool,
    /// Whether figures are told.
    pub stats: bool,
    pub began: Instant,
}

impl Given {
    /// What is told where NULL is asked about: pictures show runs only.
    pub fn told(&self) -> Told {
        match self.format {
            FormatName::Dot | FormatName::Svg => Told::Answer,
            _ => Told::Uses,
        }
    }

    /// With `--stats`, what it took.
    pub fn tell_figures(&self, answers: &[Answer]) {
        if self.stats {
            for Answer { outcome, .. } in answers {
                tell(&format!("rounds: {}", outcome.rounds));
                tell(&format!("predicates: {}", outcome.predicates.lines().count()));
            }
            tell(&format!("seconds: {:.3}", self.began.elapsed().as_secs_f64()));
        }
    }

    pub fn tell_warnings(&self, warnings: &[Vec<Warning>]) {
        // In a report for programs they are data: who wants nothing else is told nothing twice.
        let twice = self.quiet && self.format == FormatName::Json;
        for warning in warnings.iter().flatten().filter(|_| !twice) {
            tell(&format!("warning: {}", warning.text()));
        }
    }

    /// What is seen of an abstraction, for a page.
    pub fn seen(
        &self,
        program: &Program,
        overflow: Overflow,
        answers: &[Answer],
        options: &Options,
    ) -> Option<(Spds, Coverage)> {
        (self.format == FormatName::Html).then(|| covered(program, overflow, answers, options))
    }

    /// Writes the answers; the exit code says the same in a number.
    pub fn report(
        &self,
        findings: &[CFinding<'_>],
        (program, sources): (&Program, &[Source<'_>]),
        seen: Option<(Spds, Coverage)>,
        search: &Search,
    ) -> Result<ExitCode, Failure> {
        let told = notices::told();
        let seconds = self.stats.then(|| self.began.elapsed().as_secs_f64());
        let header = notices::header(&self.name, seconds, &told);
        let report = Report { header, sources, findings, trace: search.trace, limit: search.trace_steps };
        let picture = self.picture(|| report.picture())?;
        answer(|out| match (self.format.form(self.layout), &seen) {
            (Some(form), _) => report.write(out, form),
            (None, Some((spds, coverage))) => {
                let view = View::new(spds, Naming::Program);
                report.html(out, Subject { view: &view, sources, notation: Notation::C, coverage }, program)
            }
            (None, None) => out.write_all(&picture),
        })?;
        let verdicts = || findings.iter().map(|finding| finding.verdict);
        let found = verdicts().any(Verdict::claims_run);
        Ok(code(found, verdicts().any(|verdict| verdict.unknown().is_some())))
    }

    /// That a limit was met before there were answers.
    pub fn stopped(&self, asked: &[Asked], stop: Stop) -> Result<ExitCode, Failure> {
        let told = notices::told();
        let header = notices::header(&self.name, None, &told);
        let nothing = Spds::default();
        let view = View::new(&nothing, Naming::Program);
        let coverage = Coverage { unknown: Some(stop.to_string()), ..Coverage::default() };
        let answered = check::Answer::unknown(stop);
        let wish = Wish { calls: Calls::Auto, limit: 0 };
        let findings: Vec<_> = asked.iter().map(|asked| present::Finding::new(&view, asked, &answered, wish)).collect();
        let picture = self.picture(|| traces(&view, None, &findings))?;
        let reason = stop.into();
        let all: Vec<Stopped<'_>> = asked.iter().map(|asked| Stopped { asked, reason }).collect();
        let all: Vec<&dyn Reported> = all.iter().map(|one| one as &dyn Reported).collect();
        answer(|out| match (self.format, self.format.form(Layout::default())) {
            (_, Some(form)) => reported::write(out, form, header, &all),
            (FormatName::Html, None) => {
                let subject = Subject { view: &view, sources: &[], notation: Notation::C, coverage: &coverage };
                html::write(out, subject, header, &findings)
            }
            (_, None) => out.write_all(&picture),
        })?;
        Ok(ExitCode::from(UNKNOWN))
    }

    /// What is drawn, as it is written; nothing in other formats.
    fn picture(&self, what: impl FnOnce() -> Picture) -> anyhow::Result<Vec<u8>> {
        match self.format {
            FormatName::Dot => drawn(&what(), Drawn::Dot, &self.name),
            FormatName::Svg => drawn(&what(), Drawn::Svg, &self.name),
            _ => Ok(Vec::new()),
        }
    }
}

/// Writes a harness for the first run that fails, if there is one.
pub fn harness_of(path: &Path, answers: &[Answer], sources: &[Source<'_>]) -> anyhow::Result<()> {
    let failing = answers.iter().find_map(|answer| match answer.outcome.verdict.run() {
        Some(Execution { inputs, onward: Onward::Over, .. }) => Some((&answer.program, inputs)),
        _ => None,
    });
    let Some((program, inputs)) = failing else { return Ok(()) };
    let copies = Copies::new(program, inputs, sources);
    write_harness(path, &harness(program, inputs, &copies), &copies, (program, inputs))
}

/// Writes a witness of the answer, if there can be one.
pub fn witness_of(
    path: &Path,
    (tasks, answers): (&[Task], &[Answer]),
    (loaded, sources): (&CLoaded, &[Source<'_>]),
    search: &Search,
) -> anyhow::Result<()> {
    let specifications: Vec<&str> = tasks.iter().zip(answers).map(|(task, answer)| task.shown(answer)).collect();
    match witness(&specifications, answers, loaded, sources, search)? {
        Some(text) => write(path, &text),
        None => Ok(()),
    }
}

/// Writes a harness for a run with these inputs, with copies of the program's files beside it (`harness.prog.c` beside `harness.c`), and
/// tells what they cannot give.
pub fn write_harness(
    path: &Path,
    text: &str,
    copies: &Copies,
    (program, inputs): (&Program, &[Input]),
) -> anyhow::Result<()> {
    write(path, text)?;
    let mut taken = BTreeSet::new();
    for (number, (name, text)) in (2..).zip(&copies.files) {
        let own = Path::new(name).file_name().unwrap_or_default();
        let mut beside = path.file_stem().unwrap_or_default().to_owned();
        // Files in different folders may have one name.
        beside.push(if taken.insert(own) { ".".to_owned() } else { format!(".{number}.") });
        beside.push(own);
        let beside = path.with_file_name(beside);
        write(&beside, text)?;
        tell(&format!("note: `{name}` has locals that nobody assigns: compile `{}` in its place", beside.display()));
    }
    for input in not_given(program, inputs, copies).into_iter().take(MENTIONED) {
        tell(&format!("note: {}: {}", path.display(), cannot(program, input)));
    }
    Ok(())
}

pub fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    if let Some(directory) = path.parent() {
        std::fs::create_dir_all(directory).with_context(|| format!("cannot create `{}`", directory.display()))?;
    }
    std::fs::write(path, text).with_context(|| format!("cannot write `{}`", path.display()))
}
