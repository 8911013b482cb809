//! `puch stack`

mod c;

use std::process::ExitCode;
use std::time::Instant;

use anyhow::anyhow;
use num_bigint::BigUint;
use puch::check::Options;
use puch::report::stack::{json, text};
use puch::stack::{Height, Kept, Why};

use super::args::{InputArgs, StackArgs};
use super::check::engine;
use super::choices::StackFormatName;
use super::guard::{self, Gate, Progress};
use super::input::Input;
use super::{FINE, FOUND, Failure, UNKNOWN, answer, notices, tell};

/// What is known of each entry.
#[derive(Default)]
pub struct Found {
    /// In the order in which they were named.
    pub heights: Vec<Height>,
    /// What was measured.
    pub figures: Vec<(&'static str, f64)>,
}

/// How to say it.
#[derive(Clone, Copy)]
struct Report {
    format: StackFormatName,
    stats: bool,
    began: Instant,
}

/// `puch stack`
///
/// Exit codes: 0 there is a bound for each entry, within the limit; 1 some stack grows without bound, or beyond the limit; 3 of
/// some it is not known.
pub fn run(args: StackArgs) -> Result<ExitCode, Failure> {
    let began = Instant::now();
    let progress = if args.loudness.quiet { Progress::Silent } else { Progress::Shown };
    let limits = guard::limits(&args.limits, began);
    let granted = guard::granted(&args.limits);
    let report = Report { format: args.format, stats: args.stats, began };
    let name = args.input.file.display().to_string();
    let entries = entries(&args.input);
    let limit = args.limit.map(BigUint::from);
    let stopped = {
        let (name, entries, limit) = (name.clone(), entries.clone(), limit.clone());
        move |stop: puch::limits::Stop| {
            let met = granted.met(stop.into());
            let why = Why { sentence: met.why, kind: met.kind };
            let one = |entry: &String| Height { limit: limit.clone(), ..Height::unknown(entry.clone(), why.clone()) };
            report.given(&name, &Found { heights: entries.iter().map(one).collect(), ..Found::default() })
        }
    };
    if args.input.is_c() {
        let job = c::Job::meant(args, limits)?;
        return guard::guarded(
            limits,
            progress,
            move |gate| {
                let mut found = job.done(&entries, gate)?;
                found.heights.iter_mut().for_each(|height| height.limit = limit.clone());
                gate.answer();
                report.given(&name, &found)
            },
            stopped,
        );
    }
    if let Some(option) = args.c.typed() {
        return Err(anyhow!("`{option}` is about C programs; `{name}` is not one").into());
    }
    if let Some(file) = args.further.first() {
        return Err(anyhow!("several files are a program only in C: `{}`", file.display()).into());
    }
    let options = Options { engine: engine(args.bdd), limits, ..Options::default() };
    let work = move |gate: &Gate| {
        let mut found = Found::default();
        for entry in &entries {
            gate.stage("reading");
            let own = args.input.entry.is_some().then(|| entry.clone());
            let loaded = Input::meant(InputArgs { entry: own, ..args.input.clone() })?.load()?;
            gate.stage("searching");
            let _ = (&loaded, &options);
            let why = Why { sentence: "not yet".into(), kind: "unsupported" };
            found.heights.push(Height { limit: limit.clone(), ..Height::unknown(entry.clone(), why) });
        }
        gate.answer();
        report.given(&name, &found)
    };
    guard::guarded(limits, progress, work, stopped)
}

/// The entries that are named, each with a stack of its own.
fn entries(input: &InputArgs) -> Vec<String> {
    let named = input.entry.as_deref().unwrap_or("main");
    named.split(',').map(|entry| entry.trim().to_owned()).collect()
}

impl Report {
    /// Writes what is known; the exit code says what that is.
    fn given(self, name: &str, found: &Found) -> Result<ExitCode, Failure> {
        let seconds = self.began.elapsed().as_secs_f64();
        let told = notices::told();
        answer(|out| match self.format {
            StackFormatName::Text => text(out, &found.heights),
            StackFormatName::Json => {
                json(out, notices::header(name, self.stats.then_some(seconds), &told), &found.heights)
            }
        })?;
        if self.stats {
            found.figures.iter().for_each(|(name, figure)| tell(&format!("{name}: {figure}")));
            tell(&format!("seconds: {seconds:.3}"));
        }
        let kept = |kept: Kept| found.heights.iter().any(|height| height.kept() == kept);
        Ok(ExitCode::from(match (kept(Kept::Beyond), kept(Kept::Unknown)) {
            (true, _) => FOUND,
            (false, true) => UNKNOWN,
            (false, false) => FINE,
        }))
    }
}
