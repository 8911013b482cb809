//! `puch check`

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use puch::check::{self, Answer, Engine, Options, Order, Outcome, Property, Switch, TraceWish, Verdict};
use puch::limits::{Limits, Stop};
use puch::places;
use puch::report::present::{Asked, Calls, Finding, Kind, Wish};
use puch::report::source::Source;
use puch::report::view::View;
use puch::report::{bebop, json, text};
use spds_format::model::{ControlId, Spds, Start};

use super::args::{
    CallsName, CheckArgs, EngineName, FormatName, LimitArgs, OnOff, OrderName, PropertyTyped, TraceName,
};
use super::guard::{self, Gate, Progress};
use super::input::{Input, Loaded};
use super::{FINE, FOUND, Failure, UNKNOWN, answer, memory, tell};

/// What is meant by what was typed.
struct Job {
    input: Input,
    asked: Vec<Asked>,
    assume: Option<String>,
    options: Options,
    report: Report,
}

/// How to say it.
#[derive(Clone, Copy)]
struct Report {
    format: FormatName,
    wish: Wish,
    detail: text::Detail,
    limits: Limits,
    stats: bool,
    verbose: bool,
    began: Instant,
}

/// `puch check`
pub fn run(args: CheckArgs, order: &[PropertyTyped]) -> Result<ExitCode, Failure> {
    let progress = if args.loudness.quiet { Progress::Silent } else { Progress::Shown };
    let job = Job::meant(args, order)?;
    let (limits, report, asked, name) = (job.options.limits, job.report, job.asked.clone(), job.input.name());
    guard::guarded(limits, progress, move |gate| job.done(gate), |stop| report.stopped(stop, &asked, &name))
}

/// Limits as they are meant; the clock has been running since `began`.
pub fn limits(args: &LimitArgs, began: Instant) -> Limits {
    let deadline = args.timeout.and_then(|seconds| began.checked_add(Duration::from_secs_f64(seconds)));
    let memory = args.memory.map(|mib| mib << 20).or_else(memory::default_limit);
    Limits { deadline, memory }
}

impl Job {
    fn meant(args: CheckArgs, order: &[PropertyTyped]) -> Result<Job, Failure> {
        let began = Instant::now();
        let input = Input::meant(args.input, &args.loudness)?;
        let asked: Vec<Asked> = match order {
            [] => vec![Asked { kind: Kind::Assertions, property: "assertions".into() }],
            order => order.iter().map(PropertyTyped::meant).collect(),
        };
        if input.asserts_block() && asked.iter().any(|asked| asked.kind == Kind::Assertions) {
            let fault = if order.is_empty() { "without a property the assertions are checked, but " } else { "" };
            let assume = "with `--asserts assume` an assertion blocks and none can fail";
            return Err(anyhow!("{fault}{assume}; ask for something else, or drop `--asserts assume`").into());
        }
        let off = |off: bool| if off { Switch::Off } else { Switch::On };
        let options = Options {
            engine: match args.bdd {
                EngineName::Auto => Engine::Auto,
                EngineName::Biodivine => Engine::Biodivine,
                EngineName::Oxidd => Engine::Oxidd,
            },
            order: match args.order {
                OrderName::Force => Order::Force,
                OrderName::Declared => Order::Declared,
            },
            trace: match args.trace {
                TraceName::None => TraceWish::None,
                TraceName::Any => TraceWish::Any,
                TraceName::Shortest => TraceWish::Shortest,
            },
            modref: off(args.no_modref),
            live: off(args.no_live),
            blocks: off(args.blocks == OnOff::Off),
            slice: off(args.no_slice),
            limits: limits(&args.limits, began),
            trace_steps: args.trace_steps,
            replay_steps: args.replay_steps,
        };
        let calls = match args.trace_calls {
            None => Calls::Auto,
            Some(CallsName::Full) => Calls::Full,
            Some(CallsName::Folded) => Calls::Folded,
        };
        let report = Report {
            format: args.format,
            wish: Wish { calls, limit: args.trace_steps },
            detail: if args.loudness.verbose { text::Detail::All } else { text::Detail::Brief },
            limits: options.limits,
            stats: args.stats,
            verbose: args.loudness.verbose,
            began,
        };
        Ok(Job { input, asked, assume: args.assume, options, report })
    }

    /// Reads, searches, answers.
    fn done(self, gate: &Gate) -> Result<ExitCode, Failure> {
        gate.stage("reading");
        let mut loaded = self.input.load()?;
        let properties = self.properties(&loaded)?;
        if let Some(condition) = &self.assume {
            let condition = self.input.condition(condition, &loaded)?;
            let start = &mut loaded.spds.start;
            start.condition = Some(start.condition.as_ref().map_or(condition.clone(), |own| own.and(&condition)));
        }
        self.report.tell_size(&loaded);
        gate.stage("searching");
        let outcome = check::check(&loaded.spds, &properties, &self.options)
            .map_err(|error| Failure::Error(anyhow::Error::new(error)))?;
        gate.answer();
        self.report.given(&loaded, &self.asked, &outcome)
    }

    /// The properties over the system that was read.
    fn properties(&self, loaded: &Loaded) -> Result<Vec<Property>, Failure> {
        let mut properties = Vec::new();
        let mut wrong = Vec::new();
        for asked in &self.asked {
            match asked.kind {
                Kind::Assertions => properties.push(Property::Assertions),
                Kind::Reach => match places::resolve(&loaded.spds, &asked.property, self.input.naming()) {
                    Ok(targets) => properties.push(Property::Reach(targets)),
                    Err(error) => {
                        let advice = error.advice();
                        let help = if advice.is_empty() { advice } else { format!("\n  = help: {advice}") };
                        wrong.push(format!("error: {error}\n --> {}{help}\n", self.input.name()));
                    }
                },
            }
        }
        if !wrong.is_empty() {
            return Err(Failure::Diagnosed(wrong.join("\n")));
        }
        if properties.contains(&Property::Assertions) && !loaded.has_asserts {
            self.input.remark(&format!("`{}` has no assertions: none can fail", self.input.name()));
        }
        Ok(properties)
    }
}

impl PropertyTyped {
    fn meant(&self) -> Asked {
        match self {
            PropertyTyped::Reach(place) => Asked { kind: Kind::Reach, property: place.clone() },
            PropertyTyped::Assertions => Asked { kind: Kind::Assertions, property: "assertions".into() },
        }
    }
}

impl Report {
    /// Writes the answers; the exit code says the same in a number.
    fn given(self, loaded: &Loaded, asked: &[Asked], outcome: &Outcome) -> Result<ExitCode, Failure> {
        let view = View::new(&loaded.spds);
        let findings = asked.iter().zip(&outcome.answers);
        let findings: Vec<Finding<'_>> =
            findings.map(|(asked, answer)| Finding::new(&view, asked, answer, self.wish)).collect();
        let seconds = self.began.elapsed().as_secs_f64();
        let source = Source::new(&loaded.name, &loaded.text);
        answer(|out| self.write(out, &view, Some(&source), &findings, seconds))?;
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

    /// Answers that a limit was met before anything was known.
    fn stopped(self, stop: Stop, asked: &[Asked], name: &str) -> Result<ExitCode, Failure> {
        let unknown =
            Answer { verdict: Verdict::Unknown, reason: Some(stop.to_string()), trace: None, trace_omitted: None };
        let spds = nothing();
        let view = View::new(&spds);
        let findings: Vec<_> = asked.iter().map(|asked| Finding::new(&view, asked, &unknown, self.wish)).collect();
        let seconds = self.began.elapsed().as_secs_f64();
        answer(|out| self.write(out, &view, Some(&Source::new(name, "")), &findings, seconds))?;
        Ok(code(findings.iter().map(|finding| finding.verdict)))
    }

    fn write(
        self,
        out: &mut dyn Write,
        view: &View<'_>,
        source: Option<&Source<'_>>,
        findings: &[Finding<'_>],
        seconds: f64,
    ) -> io::Result<()> {
        match self.format {
            FormatName::Text => text::write(out, view, source, findings, self.detail),
            FormatName::Bebop => {
                let masks = findings.iter().map(|finding| {
                    bebop::constrained(view, finding, &self.limits).unwrap_or_else(|stop| {
                        tell(&format!(
                            "warning: {stop} before it was known which values the trace constrains: all are shown"
                        ));
                        None
                    })
                });
                bebop::write(out, view, source, findings, &masks.collect::<Vec<_>>())
            }
            FormatName::Json => {
                let version = env!("CARGO_PKG_VERSION");
                let input = source.map_or("", |source| source.name);
                let header = json::Header { version, input, seconds: self.stats.then_some(seconds) };
                json::write(out, view, header, findings)
            }
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
fn code(verdicts: impl Iterator<Item = Verdict> + Clone) -> ExitCode {
    let found = verdicts.clone().any(|verdict| matches!(verdict, Verdict::Reachable | Verdict::Violated));
    let unknown = verdicts.clone().any(|verdict| verdict == Verdict::Unknown);
    ExitCode::from(match (found, unknown) {
        (true, _) => FOUND,
        (false, true) => UNKNOWN,
        (false, false) => FINE,
    })
}

/// A system without anything: what is known of an input that was not read.
fn nothing() -> Spds {
    Spds {
        files: Vec::new(),
        globals: Vec::new(),
        frames: Vec::new(),
        controls: Vec::new(),
        symbols: Vec::new(),
        rules: Vec::new(),
        start: Start { control: ControlId(0), stack: Box::new([]), condition: None },
        atoms: Vec::new(),
        end: None,
        fail: None,
    }
}
