//! `puch facts`

use std::io;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::anyhow;
use puch::check::{Options, Stats, Target};
use puch::facts::{Fact, Facts, Known, Question, facts};
use puch::influence::Question as Conditions;
use puch::limits::Stop;
use puch::picture::control::flow;
use puch::places;
use puch::report::expression::Notation;
use puch::report::facts::{Listing, Subject, json, omitted, text, words};
use puch::report::json::Granted;
use puch::source::Source;
use spds_format::Spds;

use super::args::FactsArgs;
use super::check::engine;
use super::choices::FlowFormatName;
use super::drawing::{Drawn, drawn};
use super::guard::{self, Gate, Progress};
use super::input::{Input, Loaded};
use super::{FINE, Failure, UNKNOWN, answer, tell};
use super::{invariants, named};

/// What is meant by what was typed.
struct Job {
    input: Input,
    at: Vec<String>,
    assume: Option<String>,
    terms: usize,
    only_influential: bool,
    options: Options,
    report: Report,
}

/// How to say it.
#[derive(Clone, Copy)]
struct Report {
    format: FlowFormatName,
    listing: Listing,
    stats: bool,
    granted: Granted,
    began: Instant,
}

/// `puch facts`
///
/// Exit codes: 0 everything that was asked is known, 3 something is not.
pub fn run(args: FactsArgs) -> Result<ExitCode, Failure> {
    if invariants::are_meant(&args) {
        return invariants::run(args);
    }
    let began = Instant::now();
    let progress = if args.loudness.quiet { Progress::Silent } else { Progress::Shown };
    let limits = guard::limits(&args.limits, began);
    let input = Input::meant_with_c(args.input, args.c, limits, args.stats)?;
    if args.assume.is_some() && input.is_c() {
        return Err(anyhow!("`--assume` is not about C programs").into());
    }
    let options = Options { engine: engine(args.bdd), limits, ..Options::default() };
    let report = Report {
        format: args.format,
        listing: if args.dead_code { Listing::Dead } else { Listing::Values },
        stats: args.stats,
        granted: guard::granted(&args.limits),
        began,
    };
    let (name, only_influential) = (input.name(), args.only_influential);
    let job = Job { input, at: args.at, assume: args.assume, terms: args.terms, only_influential, options, report };
    guard::guarded(
        limits,
        progress,
        move |gate| job.done(gate),
        |stop| {
            let spds = Spds::default();
            report.given((&name, ""), &spds, Notation::System, (&Err(stop), Some(stop), 0), &Stats::default())
        },
    )
}

impl Job {
    /// Reads, searches, answers.
    fn done(self, gate: &Gate) -> Result<ExitCode, Failure> {
        gate.stage("reading");
        let mut loaded = self.input.load()?;
        let targets = self.targets(&loaded)?;
        if let Some(condition) = &self.assume {
            let condition = self.input.assume(condition, &mut loaded)?;
            // What is known depends on all values, but which statements are reached does not, nor what influences that.
            if self.report.listing == Listing::Dead || self.only_influential {
                let warnings =
                    named::assumed(&loaded.spds, &condition, &Conditions::conditions(), &self.options.limits);
                warnings.iter().for_each(|warning| self.input.remark(warning.text()));
            }
        }
        gate.stage("searching");
        let question = match self.report.listing {
            Listing::Values if self.only_influential => Question::Influential(targets, self.terms),
            Listing::Values => Question::Values(targets, self.terms),
            Listing::Dead => Question::Reached(targets),
        };
        let known = facts(&loaded.spds, &question, &self.options);
        gate.answer();
        let notation = self.input.notation();
        let Facts { facts, so_far, stats } = known;
        let asked = question.asked();
        // That something is dead is not known before all is known.
        let some = !so_far.is_empty() && self.report.listing == Listing::Values;
        let (facts, stop) = match facts {
            Err(stop) if some => (Ok(so_far), Some(stop)),
            Err(stop) => (Err(stop), Some(stop)),
            Ok(facts) => (Ok(facts), None),
        };
        self.report.given((&loaded.name, loaded.statements()), &loaded.spds, notation, (&facts, stop, asked), &stats)
    }

    /// The statements that are meant; all of them if none is named.
    fn targets(&self, loaded: &Loaded) -> Result<Vec<Target>, Failure> {
        if self.at.is_empty() {
            return Ok(loaded.listed());
        }
        let mut targets = Vec::new();
        let mut wrong = Vec::new();
        for place in &self.at {
            match places::resolve(&loaded.spds, place, self.input.naming()) {
                Ok(found) => targets.extend(found),
                Err(error) => wrong.push(self.input.no_place(&error)),
            }
        }
        if wrong.is_empty() { Ok(targets) } else { Err(Failure::Diagnosed(wrong.join("\n"))) }
    }
}

impl Report {
    /// Writes what is known; the exit code says whether that is everything.
    fn given(
        self,
        (name, source): (&str, &str),
        spds: &Spds,
        notation: Notation,
        (facts, stop, asked): (&Result<Vec<Fact>, Stop>, Option<Stop>, usize),
        stats: &Stats,
    ) -> Result<ExitCode, Failure> {
        let source = Source::new(name, source);
        let subject = Subject { spds, notation, source: Some(&source), listing: self.listing };
        let seconds = self.began.elapsed().as_secs_f64();
        let how = match self.format {
            FlowFormatName::Text | FlowFormatName::Json => None,
            FlowFormatName::Dot => Some(Drawn::Dot),
            FlowFormatName::Svg => Some(Drawn::Svg),
        };
        let picture = how.map(|how| {
            let facts = facts.as_deref().map_err(|stop| anyhow!("nothing is known: {stop}"))?;
            let notes =
                facts.iter().map(|fact| (fact.target.symbol, (words(subject, fact), fact.known == Known::Never)));
            let source = subject.source.filter(|source| !source.text.is_empty());
            drawn(&flow(spds, source, &notes.collect()), how, name)
        });
        let picture = picture.transpose()?;
        let met = stop.map(|stop| self.granted.met(stop.into()));
        answer(|out| -> io::Result<()> {
            match self.format {
                FlowFormatName::Dot | FlowFormatName::Svg => out.write_all(picture.as_deref().unwrap_or_default()),
                FlowFormatName::Text => {
                    text(out, subject, facts)?;
                    match (stop, facts) {
                        (Some(stop), Ok(known)) => {
                            writeln!(out, "\nunknown ({stop}): {} further statements", asked - known.len())
                        }
                        _ => Ok(()),
                    }
                }
                FlowFormatName::Json => json(
                    out,
                    subject,
                    super::notices::header(name, self.stats.then_some(seconds), &super::notices::told()),
                    met.as_ref(),
                    facts,
                ),
            }
        })?;
        if self.stats {
            stats.figures.iter().for_each(|(name, figure)| tell(&format!("{name}: {figure}")));
            tell(&format!("seconds: {seconds:.3}"));
        }
        let left_out =
            |fact: &Fact| matches!(&fact.known, Known::Reached { formula, .. } if omitted(formula).is_some());
        let unknown = stop.is_some() || facts.as_ref().map_or(true, |facts| facts.iter().any(left_out));
        Ok(ExitCode::from(if unknown { UNKNOWN } else { FINE }))
    }
}
