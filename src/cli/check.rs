//! `puch check`

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use anyhow::anyhow;
use puch::check::{self, Answer, Engine, Options, Order, Outcome, Property, Switch, TraceWish, Verdict};
use puch::limits::{Limits, Stop};
use puch::ltl::{Dialect, tracked};
use puch::options::{LiveRanges, Loops, Runs, Scc, Search};
use puch::picture::run::traces;
use puch::places::{self, Naming};
use puch::problem::coverage;
use puch::report::expression::Notation;
use puch::report::present::{Asked, Calls, Finding, PropertyKind, Warning, Wish};
use puch::report::system::SystemReport;
use puch::report::view::View;
use puch::report::{bebop, html, text};
use puch::source::Source;
use spds_format::expr::Expr;
use spds_format::model::Spds;

use super::args::{CheckArgs, Given, PropertyTyped};
use super::certificates::{self, Wanted};
use super::choices::{
    CallsName, EngineName, FormatName, LiveName, LoopsName, OnOff, OrderName, RunsName, SccName, SearchName, TraceName,
};
use super::drawing::{Drawn, drawn};
use super::guard::{self, Gate, Progress};
use super::input::{Input, Loaded};
use super::named::Named;
use super::on_abstraction::{ONLY_ON_THE_ABSTRACTION, only_refined, refuse_on_abstractions};
use super::temporal::{self, Reader, Refusal};
use super::texts::is_stdin;
use super::{Failure, answer, colour, notices, tell};

/// What is meant by what was typed.
struct Job {
    input: Input,
    typed: Vec<PropertyTyped>,
    asked: Vec<Asked>,
    dialect: Dialect,
    assume: Option<String>,
    options: Options,
    certificates: Wanted,
    report: Report,
}

/// How to say it.
#[derive(Clone, Copy)]
struct Report {
    naming: Naming,
    /// Whether a run that is found is one of an abstraction only.
    abstraction: bool,
    notation: Notation,
    format: FormatName,
    wish: Wish,
    layout: text::Layout,
    limits: Limits,
    stats: bool,
    verbose: bool,
    began: Instant,
}

/// `puch check`
pub fn run(args: CheckArgs) -> Result<ExitCode, Failure> {
    let progress = if args.loudness.quiet { Progress::Silent } else { Progress::Shown };
    let job = Job::meant(args)?;
    let (limits, report, asked, name) = (job.options.limits, job.report, job.asked.clone(), job.input.name());
    let board = Arc::new(Board { wish: job.options.trace, decided: Mutex::new(vec![None; asked.len()]) });
    let decided = Arc::clone(&board);
    let work = move |gate: &Gate| job.done(gate, &decided);
    guard::guarded(limits, progress, work, |stop| report.stopped(&board.answers(&asked, stop), &asked, &name))
}

/// What is known so far, should the search be stopped where it cannot answer itself: whether there is a run, by property.
/// Traces are not kept: they can be large.
struct Board {
    wish: TraceWish,
    decided: Mutex<Vec<Option<bool>>>,
}

impl Board {
    fn put(&self, place: usize, verdict: &Verdict) {
        if let (Ok(mut decided), false) = (self.decided.lock(), matches!(verdict, Verdict::Unknown(_))) {
            decided[place] = Some(verdict.claims_run());
        }
    }

    /// What there is to say when a limit is met.
    fn answers(&self, asked: &[Asked], stop: Stop) -> Vec<Answer> {
        let decided = self.decided.lock().map_or_else(|poisoned| poisoned.into_inner().clone(), |known| known.clone());
        let answer = |(asked, found): (&Asked, Option<bool>)| {
            let verdict = match (asked.kind, found) {
                (_, None) => return Answer::unknown(stop),
                (PropertyKind::Reach, Some(true)) => Verdict::Reachable(None),
                (PropertyKind::Reach, Some(false)) => Verdict::Unreachable,
                (_, Some(true)) => Verdict::Violated(None),
                (_, Some(false)) => Verdict::Holds,
            };
            let wanted = verdict.claims_run() && self.wish != TraceWish::None;
            let trace_omitted = wanted.then(|| format!("{stop} before it could be shown"));
            let mut answer = Answer::new(verdict);
            answer.trace_omitted = trace_omitted;
            answer
        };
        asked.iter().zip(decided).map(answer).collect()
    }
}

/// How wide lines may be: as is said, or as the terminal is; anything where the answer goes elsewhere.
pub fn columns(typed: Option<usize>) -> Option<usize> {
    /// In less than this nothing can be read.
    const MIN_COLUMNS: usize = 40;
    let stdout = io::stdout();
    let terminal = || {
        let (width, _) = terminal_size::terminal_size_of(&stdout).filter(|_| stdout.is_terminal())?;
        Some(usize::from(width.0))
    };
    typed.or_else(terminal).filter(|columns| *columns > 0).map(|columns| columns.max(MIN_COLUMNS))
}

/// How text is laid out, where lines may be so wide as was typed.
pub fn layout(typed: Option<usize>, detail: text::Detail) -> text::Layout {
    let style = colour::style(io::stdout().is_terminal());
    text::Layout { detail, columns: columns(typed), style }
}

/// Which run is shown.
pub fn trace(wanted: TraceName) -> TraceWish {
    match wanted {
        TraceName::None => TraceWish::None,
        TraceName::Any => TraceWish::Any,
        TraceName::Shortest => TraceWish::Shortest,
    }
}

/// How the search is made, and what is shown.
pub fn options(args: &CheckArgs, limits: Limits) -> Options {
    let off = |off: bool| if off { Switch::Off } else { Switch::On };
    Options {
        engine: engine(args.bdd),
        order: match args.order {
            OrderName::Force => Order::Force,
            OrderName::Declared => Order::Declared,
            OrderName::Apart => Order::Apart,
            OrderName::Together => Order::Together,
            OrderName::GlobalsFirst => Order::GlobalsFirst,
            OrderName::Sifted => Order::Sifted,
        },
        trace: trace(args.trace),
        modref: off(args.no_modref),
        live: match args.live {
            LiveName::Auto => LiveRanges::Auto,
            LiveName::Off => LiveRanges::Off,
            LiveName::Plain => LiveRanges::Plain,
            LiveName::Influence => LiveRanges::Influence,
        },
        blocks: off(args.blocks == OnOff::Off),
        alike: Switch::On,
        slice: off(args.no_slice),
        runs: match args.runs {
            RunsName::Maximal => Runs::Maximal,
            RunsName::Infinite => Runs::Infinite,
            RunsName::Stutter => Runs::Stutter,
        },
        scc: match args.scc {
            SccName::Auto => Scc::Auto,
            SccName::Hull => Scc::Hull,
            SccName::Closure => Scc::Closure,
            SccName::Squaring => Scc::Squaring,
            SccName::Lockstep => Scc::Lockstep,
        },
        one_way: off(args.no_one_way),
        loops: match args.loops {
            LoopsName::Auto => Loops::Auto,
            LoopsName::Step => Loops::Step,
            LoopsName::Square => Loops::Square,
        },
        search: match args.engine {
            SearchName::Auto => Search::Auto,
            SearchName::Post => Search::Post,
            SearchName::Pre => Search::Pre,
        },
        strength: Switch::On,
        limits,
        work: None,
        look_after: Options::default().look_after,
        trace_steps: args.trace_steps,
        leap_after: Options::default().leap_after,
        replay_steps: args.replay_steps,
    }
}

/// The engine that is meant.
pub fn engine(name: EngineName) -> Engine {
    match name {
        EngineName::Auto => Engine::Auto,
        EngineName::Biodivine => Engine::Biodivine,
        EngineName::Shared => Engine::Shared,
    }
}

/// A property over the system that was read, or the limit that was met in its translation.
type Translated = Result<Property, Stop>;

impl Job {
    fn meant(args: CheckArgs) -> Result<Job, Failure> {
        let began = Instant::now();
        let limits = guard::limits(&args.limits, began);
        let options = options(&args, limits);
        let certificates = Wanted::meant(&args);
        if args.input.is_c() {
            certificates::refuse(&args, "C programs")?;
        }
        let input = Input::meant_with_c(args.input, args.c, limits, args.stats)?;
        let input = input.for_verdicts(&args.loudness);
        let nothing_typed = args.properties.is_empty();
        let typed = if nothing_typed { vec![PropertyTyped::Assertions] } else { args.properties };
        let asked: Vec<Asked> = typed.iter().map(PropertyTyped::meant).collect();
        if input.is_c() {
            refuse_on_abstractions(&typed, args.assume.as_deref(), args.format)?;
        }
        if input.asserts_block() && asked.iter().any(|asked| asked.kind == PropertyKind::Assertions) {
            let fault = if nothing_typed { "without a property the assertions are checked, but " } else { "" };
            let assume = "with `--asserts assume` an assertion blocks and none can fail";
            return Err(anyhow!("{fault}{assume}; ask for something else, or drop `--asserts assume`").into());
        }
        let files = typed.iter().filter_map(|typed| match typed {
            PropertyTyped::Temporal(Given::Automaton(file) | Given::Never(file)) => Some(file.as_path()),
            _ => None,
        });
        if files.filter(|file| is_stdin(file)).count() + usize::from(input.is_stdin()) > 1 {
            return Err(anyhow!("standard input (`-`) can be read only once").into());
        }
        let calls = match args.trace_calls {
            None => Calls::Auto,
            Some(CallsName::Full) => Calls::Full,
            Some(CallsName::Folded) => Calls::Folded,
        };
        let report = Report {
            naming: input.naming(),
            abstraction: input.is_c(),
            notation: input.notation(),
            format: args.format,
            wish: Wish { calls, limit: args.trace_steps },
            layout: layout(args.columns, if args.loudness.verbose { text::Detail::All } else { text::Detail::Brief }),
            limits: options.limits,
            stats: args.stats,
            verbose: args.loudness.verbose,
            began,
        };
        let dialect = temporal::dialect(args.ltl_syntax);
        Ok(Job { input, typed, asked, dialect, assume: args.assume, options, certificates, report })
    }

    /// Reads, searches, answers.
    fn done(self, gate: &Gate, board: &Board) -> Result<ExitCode, Failure> {
        gate.stage("reading");
        let mut loaded = self.input.load()?;
        gate.stage("translating");
        if self.typed.iter().any(|typed| matches!(typed, PropertyTyped::Temporal(_))) {
            loaded.spds = tracked(loaded.spds);
        }
        let properties = self.properties(&loaded)?;
        let assumed = self.assume.as_ref().map(|condition| self.input.assume(condition, &mut loaded)).transpose()?;
        self.report.tell_size(&loaded);
        gate.stage("searching");
        let outcome = self.searched(&loaded, &properties, board)?;
        let coverage = match self.report.format {
            FormatName::Html => coverage::found(&loaded.spds, self.report.abstraction, &self.options),
            _ => html::Coverage::default(),
        };
        gate.stage("certifying");
        let certified = self.asked.iter().zip(&properties).zip(&outcome.answers);
        let certified = certified.map(|((asked, property), answer)| (asked, property.as_ref().ok(), answer));
        let wanted = self.certificates.worth(&outcome.answers, outcome.stats.work, loaded.spds.rules.len());
        let verified = wanted.done(&loaded.spds, certified, &self.options)?;
        let warnings = self.all_warnings(&loaded, &properties, &outcome.answers, assumed.as_ref())?;
        gate.answer();
        let mut told: Vec<&Warning> = Vec::new();
        for warning in warnings.iter().flatten() {
            if !told.contains(&warning) {
                told.push(warning);
                self.input.remark(warning.text());
            }
        }
        verified.iter().filter_map(|verified| verified.remark.as_ref()).for_each(|remark| self.input.remark(remark));
        let verified: Vec<Option<bool>> = verified.iter().map(|verified| verified.verified).collect();
        let given = self.report.given(&loaded, &self.asked, &outcome, (&warnings, &verified), &coverage);
        // The process ends: what it holds is not taken apart first, piece by piece.
        std::mem::forget((loaded, outcome));
        given
    }

    /// The search for all properties. What could not be translated within the limits is unknown; the rest is checked.
    fn searched(&self, loaded: &Loaded, properties: &[Translated], board: &Board) -> Result<Outcome, Failure> {
        let known =
            properties.iter().enumerate().filter_map(|(i, property)| Some((i, property.as_ref().ok()?.clone())));
        let (places, known): (Vec<usize>, Vec<Property>) = known.unzip();
        let decided = |i: usize, answer: &Answer| board.put(places[i], &answer.verdict);
        let mut outcome = check::check_and_tell(&loaded.spds, &known, &self.options, &decided)
            .map_err(|error| Failure::Error(anyhow::Error::new(error)))?;
        let mut answers = std::mem::take(&mut outcome.answers).into_iter();
        let answers = properties.iter().map(|property| match property {
            Ok(_) => answers.next().expect("each property has an answer"),
            Err(stop) => Answer::unknown(*stop),
        });
        outcome.answers = answers.collect();
        Ok(outcome)
    }

    /// What should be known about all answers, each by itself.
    fn all_warnings(
        &self,
        loaded: &Loaded,
        properties: &[Translated],
        answers: &[Answer],
        assumed: Option<&Expr>,
    ) -> Result<Vec<Vec<Warning>>, Failure> {
        let undefined = match answers.iter().any(|answer| excludes_runs(&answer.verdict)) {
            true => self.input.undefined(&self.options)?,
            false => None,
        };
        let no_failure = |(asked, answer): (&Asked, &Answer)| {
            asked.kind == PropertyKind::Assertions && answer.verdict == Verdict::Holds
        };
        let unproved = match self.asked.iter().zip(answers).any(no_failure) {
            true => self.input.unproved(&self.options)?,
            false => None,
        };
        let each = |((asked, answer), property): ((&Asked, &Answer), &Translated)| {
            let mut warnings = self.warnings(loaded, asked, answer);
            if excludes_runs(&answer.verdict) {
                warnings.extend(undefined.clone().map(Warning::Undefined));
            }
            if no_failure((asked, answer)) {
                warnings.extend(unproved.clone().map(Warning::Unproved));
            }
            if let Ok(property) = property {
                let named = Named { asked, property, assumed };
                warnings.extend(named.warnings(&loaded.spds, &self.options.limits));
            }
            warnings
        };
        Ok(self.asked.iter().zip(answers).zip(properties).map(each).collect())
    }

    /// What should be known about an answer.
    fn warnings(&self, loaded: &Loaded, asked: &Asked, answer: &Answer) -> Vec<Warning> {
        let asserts = asked.kind != PropertyKind::Assertions || loaded.has_asserts;
        Warning::of(asked, answer, self.options.runs, (!asserts).then(|| self.input.name()).as_deref())
    }

    /// The properties over the system that was read, or the limit that was met in a translation.
    fn properties(&self, loaded: &Loaded) -> Result<Vec<Translated>, Failure> {
        let reader = Reader { input: &self.input, loaded, dialect: self.dialect, limits: self.options.limits };
        let mut properties = Vec::new();
        let mut wrong = Vec::new();
        for typed in &self.typed {
            match typed {
                PropertyTyped::Assertions => properties.push(Ok(Property::Assertions)),
                PropertyTyped::Failures(kind) => {
                    let kind = kind.meant().name();
                    let what = "is about C programs of which predicates are to be found";
                    wrong.push(format!("error: `--check {kind}` {what}\n"));
                }
                PropertyTyped::Termination => properties.push(Ok(Property::Termination)),
                PropertyTyped::Reach(place) if let Some(set) = self.input.reached_configurations(place, loaded) => {
                    match set {
                        Ok(set) => properties.push(Ok(Property::Configurations(Arc::new(set)))),
                        Err(failure) => wrong.push(format!("{failure}\n")),
                    }
                }
                PropertyTyped::Reach(place) => match places::resolve(&loaded.spds, place, self.input.naming()) {
                    Ok(targets) => properties.push(Ok(Property::Reach(targets))),
                    Err(error) => wrong.push(self.input.no_place(&error)),
                },
                PropertyTyped::File(file) => wrong.push(format!("error: {}\n", only_refined(file))),
                PropertyTyped::Temporal(given) => match reader.violations(given) {
                    Ok(violations) => properties.push(Ok(Property::Ltl(Arc::new(violations)))),
                    Err(Refusal::Stopped(stop)) => properties.push(Err(stop)),
                    Err(Refusal::Wrong(failure)) => wrong.push(format!("{failure}\n")),
                },
            }
        }
        if !wrong.is_empty() {
            return Err(Failure::Diagnosed(wrong.join("\n")));
        }
        Ok(properties)
    }
}

/// Whether a verdict says that there is no run of some kind.
fn excludes_runs(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Holds | Verdict::Unreachable)
}

impl PropertyTyped {
    /// What is asked, as reports have it.
    pub fn meant(&self) -> Asked {
        let (kind, property) = match self {
            PropertyTyped::Reach(place) => (PropertyKind::Reach, place.clone()),
            PropertyTyped::Assertions => (PropertyKind::Assertions, PropertyKind::Assertions.name().into()),
            PropertyTyped::Failures(_) => (PropertyKind::Null, PropertyKind::Null.name().into()),
            PropertyTyped::Termination => (PropertyKind::Termination, PropertyKind::Termination.name().into()),
            PropertyTyped::Temporal(given) => (PropertyKind::Ltl, given.name()),
            PropertyTyped::File(file) => (PropertyKind::Assertions, file.display().to_string()),
        };
        let name = match self {
            PropertyTyped::Temporal(Given::Listed(listed)) => listed.name.clone(),
            _ => None,
        };
        Asked { name, ..Asked::new(kind, property) }
    }
}

impl Report {
    /// Writes the answers; the exit code says the same in a number.
    fn given(
        self,
        loaded: &Loaded,
        asked: &[Asked],
        outcome: &Outcome,
        (warnings, verified): (&[Vec<Warning>], &[Option<bool>]),
        coverage: &html::Coverage,
    ) -> Result<ExitCode, Failure> {
        let view = View::new(&loaded.spds, self.naming);
        let findings = asked.iter().zip(&outcome.answers).zip(warnings).zip(verified);
        let findings: Vec<Finding<'_>> = findings
            .map(|(((asked, answer), warnings), verified)| Finding {
                warnings,
                verified: *verified,
                trusted: &loaded.unverified,
                ..self.finding(&view, asked, answer)
            })
            .collect();
        let seconds = self.began.elapsed().as_secs_f64();
        let source = Source::new(&loaded.name, loaded.statements());
        let shown = [Source::new(&loaded.name, &loaded.text)];
        let subject = html::Subject { view: &view, sources: &shown, notation: self.notation, coverage };
        self.told(subject, &source, &findings, seconds)?;
        for finding in &findings {
            if let puch::report::present::Shown::Omitted(why) = &finding.shown {
                tell(&format!("warning: no trace for `{}`: {why}", finding.asked.property));
            }
        }
        if self.stats {
            for (name, figure) in &outcome.stats.figures {
                tell(&format!("{name}: {figure}"));
            }
            tell(&format!("seconds: {seconds:.3}"));
        }
        Ok(code(findings.iter().map(|finding| finding.verdict)))
    }

    /// What to report of an answer: what is found on an abstraction is not known of the program.
    fn finding<'a>(self, view: &View<'_>, asked: &'a Asked, answer: &'a Answer) -> Finding<'a> {
        let finding = Finding::new(view, asked, answer, self.wish);
        let only = self.abstraction && finding.verdict.claims_run();
        if only { Finding { verdict: &ONLY_ON_THE_ABSTRACTION, ..finding } } else { finding }
    }

    /// Answers what was known when a limit was met.
    fn stopped(self, answers: &[Answer], asked: &[Asked], name: &str) -> Result<ExitCode, Failure> {
        let spds = Spds::default();
        let view = View::new(&spds, self.naming);
        let findings = asked.iter().zip(answers);
        let findings: Vec<_> = findings.map(|(asked, answer)| self.finding(&view, asked, answer)).collect();
        let seconds = self.began.elapsed().as_secs_f64();
        let source = Source::new(name, "");
        let coverage = html::Coverage { unknown: Some("a limit was met".into()), ..html::Coverage::default() };
        let subject = html::Subject { view: &view, sources: &[], notation: self.notation, coverage: &coverage };
        self.told(subject, &source, &findings, seconds)?;
        Ok(code(findings.iter().map(|finding| finding.verdict)))
    }

    /// Writes the answers, or draws them.
    fn told(
        self,
        subject: html::Subject<'_>,
        source: &Source<'_>,
        findings: &[Finding<'_>],
        seconds: f64,
    ) -> Result<(), Failure> {
        let how = match self.format {
            FormatName::Dot => Drawn::Dot,
            FormatName::Svg => Drawn::Svg,
            _ => return Ok(answer(|out| self.write(out, subject, source, findings, seconds))?),
        };
        let text = Some(source).filter(|source| !source.text.is_empty());
        let picture = drawn(&traces(subject.view, text, findings), how, source.name)?;
        Ok(answer(|out| out.write_all(&picture))?)
    }

    fn write(
        self,
        out: &mut dyn Write,
        subject: html::Subject<'_>,
        source: &Source<'_>,
        findings: &[Finding<'_>],
        seconds: f64,
    ) -> io::Result<()> {
        let view = subject.view;
        let told = notices::told();
        let seconds = self.stats.then_some(seconds);
        let header = notices::header(source.name, seconds, &told);
        if let Some(form) = self.format.form(self.layout) {
            return SystemReport::new(view, Some(source), findings).write(out, form, header);
        }
        match self.format {
            FormatName::Bebop => {
                let masks = findings.iter().map(|finding| {
                    bebop::constrained(view, finding, &self.limits).unwrap_or_else(|stop| {
                        tell(&format!(
                            "warning: {stop} before it was known which values the trace constrains: all are shown"
                        ));
                        None
                    })
                });
                bebop::write(out, view, Some(source), findings, &masks.collect::<Vec<_>>())
            }
            FormatName::Html => html::write(out, subject, header, findings),
            _ => Ok(()),
        }
    }

    /// With `-v`, what was read.
    fn tell_size(self, loaded: &Loaded) {
        if self.verbose {
            let spds = &loaded.spds;
            tell(&format!(
                "read `{}` in {:.3} s: {} bytes, {} globals, {} procedures, {} points of control, {} rules",
                loaded.name,
                self.began.elapsed().as_secs_f64(),
                loaded.text.len(),
                spds.globals.iter().filter(|global| !global.hidden).count(),
                spds.frames.len(),
                spds.symbols.len(),
                spds.rules.len(),
            ));
        }
    }
}

/// 1 if something was found, else 3 if something is unknown, else 0.
fn code<'a>(verdicts: impl Iterator<Item = &'a Verdict> + Clone) -> ExitCode {
    let found = verdicts.clone().any(Verdict::claims_run);
    let unknown = verdicts.clone().any(|verdict| matches!(verdict, Verdict::Unknown(_)));
    super::code(found, unknown)
}
