//! `puch diff OLD NEW`

mod versions;

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use puch::c_problem::functions::{Functions, Options};
use puch::functions::closed::Closed;
use puch::functions::summary::Summaries;
use puch::options::TraceWish;
use puch::report::functions::Count as Told;
use puch::report::functions_new::{Begins, Changed, Count, New};
use puch::report::json::value;

use super::args::{CArgs, DiffArgs};
use super::c_input::{CInput, name_of};
use super::check::trace;
use super::choices::DiffFormatName;
use super::functions::{Form, Output, Said, Wanted, Work, functions, in_order, kinds};
use super::guard::{self, Gate, Progress};
use super::smt::Solving;
use super::{Failure, code, pool};
use versions::Versions;

/// Two versions, and how functions of them are looked at.
struct Job {
    old: Functions,
    new: Functions,
    work: Work,
}

/// `puch diff OLD NEW`
///
/// Exit codes: 0 nothing fails in the new version that did not in the old one, 1 something does, 3 of something it is not known.
pub fn run(args: DiffArgs) -> Result<ExitCode, Failure> {
    let form = match args.format {
        DiffFormatName::Text => Form::Text,
        DiffFormatName::Json => Form::Json,
        DiffFormatName::Sarif => Form::Sarif,
        DiffFormatName::Junit => Form::Junit,
    };
    let progress = if args.loudness.quiet { Progress::Silent } else { Progress::Shown };
    let wanted = Wanted { names: args.function.clone(), public: args.public };
    let (limits, granted) = (guard::limits(&args.limits, Instant::now()), guard::granted(&args.limits));
    let search = puch::Options { limits, trace: trace(args.trace), ..puch::Options::default() };
    let is_shown = search.trace != TraceWish::None;
    let (kinds, termination) = (kinds(args.check.iter().copied()), args.termination);
    let asked = Options { kinds, termination, search, ..Options::default() };
    let solving = Solving { second: args.smt, stats: args.stats };
    let work = Work::meant(&args.look, asked, solving)?;
    let jobs = args.jobs.unwrap_or_else(pool::default_jobs);
    let said = Said::read(&args.look, args.assume.clone())?;
    let called = |all: &[PathBuf]| all.first().map_or_else(String::new, |file| name_of(file));
    let (was, name) = (called(&args.old_files()), called(&args.files()));
    let versions = Versions::found(&args.old_files(), &args.files())?;
    let (old, new) = inputs(args, &versions)?;
    let input_name = name.clone();
    let work = move |gate: &Gate| {
        gate.stage("reading");
        let old = said.of(functions(&old)?, true).called(versions.renaming);
        let new = said.of(functions(&new)?, false);
        let job = Job { old, new, work };
        job.work.refuse(&job.new, &wanted)?;
        job.work.refuse(&job.old, &wanted)?;
        let (all, gone) = job.wanted(&wanted)?;
        gate.answers();
        job.told(gate, (&all, &gone), jobs, Output::new(form, is_shown, name), &was)
    };
    guard::guarded(limits, progress, work, move |stop| form.stopped(&input_name, granted, stop))
}

/// The files of both versions.
fn inputs(args: DiffArgs, versions: &Versions) -> anyhow::Result<(CInput, CInput)> {
    let input = |files: &[PathBuf], include: Vec<PathBuf>| {
        let mut reading = args.reading.clone();
        reading.include = include;
        let (input_format, define) = (args.input_format, args.define.clone());
        CInput::meant(CArgs { files: files.to_vec(), input_format, reading, entry: None, define })
    };
    let include = &args.reading.include;
    let before = match args.old_include.is_empty() {
        true => include.iter().map(|folder| versions.before(folder)).collect(),
        false => args.old_include.clone(),
    };
    Ok((input(&versions.old, before)?, input(&versions.new, include.clone())?))
}

impl Job {
    /// The functions of the new version that are asked about, and those of the old one that are gone.
    fn wanted(&self, wanted: &Wanted) -> anyhow::Result<(Vec<&str>, Vec<&str>)> {
        let both: Vec<_> = self.new.defined().iter().chain(self.old.defined()).cloned().collect();
        wanted.refuse(&both)?;
        let there: BTreeSet<&str> = self.new.defined().iter().map(|one| &*one.name).collect();
        let all = self.new.defined().iter().filter(|one| wanted.is(one)).map(|one| &*one.name);
        let gone = self.old.defined().iter().filter(|one| wanted.is(one)).map(|one| &*one.name);
        Ok((all.collect(), gone.filter(|name| !there.contains(name)).collect()))
    }

    /// What is new in a function; nothing if all on which it depends is as it was.
    fn known(&self, name: &str) -> Result<Option<Changed>, Failure> {
        let Job { old, new, work } = self;
        // All that a function leads to is looked at with it: what is new there is told where it is new.
        let none = Summaries::new();
        let limits = work.limits();
        let is = work.read(new, name)?;
        if !old.defined().iter().any(|one| *one.name == *name) {
            return Ok(Some(Changed::new(work.told(new, (name, &none), &is, limits)?)));
        }
        let was = work.read(old, name)?;
        let is_same = |(is, was): (&Closed, &Closed)| is.text == was.text;
        if is.closed.as_ref().zip(was.closed.as_ref()).is_some_and(is_same) {
            return Ok(None);
        }
        let before = work.told(old, (name, &none), &was, work.limits())?;
        // What callers had to establish is the first that is tried, and proved again.
        let former: Summaries = before.summary().map(|summary| (name.to_owned(), summary)).into_iter().collect();
        let now = work.told(new, (name, &former), &is, work.limits())?;
        let begins = |closed: Option<Closed>| closed.map_or_else(Begins::new, |closed| closed.begins);
        Ok(Some(Changed::between((&before, &begins(was.closed)), (now, &begins(is.closed)))))
    }

    /// What is new, of each function as soon as it is known.
    fn told(
        &self,
        gate: &Gate,
        (all, gone): (&[&str], &[&str]),
        jobs: usize,
        mut output: Output,
        was: &str,
    ) -> Result<ExitCode, Failure> {
        output.begin(Some(was))?;
        let (mut count, mut assumed) = (Count::default(), Told::default());
        let order: Vec<usize> = (0..all.len()).collect();
        in_order((gate, all, &order), jobs, &|at| self.known(all[at]), &mut |changed: Option<Changed>| {
            count.add(changed.as_ref());
            let Some(mut changed) = changed else { return Ok(()) };
            assumed.add(&changed.told);
            changed.told = output.shown(changed.told);
            output.add(&changed.alone(), &changed, |out| changed.text(out))
        })?;
        count.gone(gone.len());
        let text = |out: &mut dyn Write| {
            gone.iter().try_for_each(|name| writeln!(out, "{name}: gone"))?;
            assumed.assumed(out)?;
            count.text(out)
        };
        let members = |out: &mut dyn Write| {
            write!(out, ",\n \"gone\": ")?;
            value(out, gone)?;
            write!(out, ", \"unchanged\": {}", count.unchanged())
        };
        gate.tell(|| output.end(text, members))?;
        Ok(code(count.worst() == New::Fails, count.worst() == New::Unknown))
    }
}
