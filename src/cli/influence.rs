//! `puch influence`

use std::io;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::anyhow;
use puch::check::{Options, Target};
use puch::explain::{Link, explain};
use puch::influence::{Influence, Question, influence_so_far};
use puch::limits::{Reason, Stop};
use puch::ltl::{Dialect, Violations, tracked};
use puch::places;
use puch::report::influence::{Explanation, Subject, dead_text, explanation_text, json, stopped_json, text};
use puch::report::json::{Granted, Header, Met};
use puch::report::notice::Notice;
use puch::source::Source;
use spds_format::Spds;
use spds_format::model::{SymbolId, Var};

use super::args::{Given, InfluenceArgs};
use super::choices::{AnswerFormatName, PreserveName};
use super::guard::{self, Gate, Progress};
use super::input::{Input, Loaded};
use super::temporal::{self, Reader, Refusal};
use super::{FINE, Failure, UNKNOWN, answer, tell};

/// What is meant by what was typed.
struct Job {
    input: Input,
    preserve: PreserveName,
    reach: Vec<String>,
    ltl: Vec<String>,
    dialect: Dialect,
    at: Vec<String>,
    explain: Option<String>,
    options: Options,
    report: Report,
}

/// How to say it.
#[derive(Clone, Copy)]
struct Report {
    format: AnswerFormatName,
    preserve: &'static str,
    dead: bool,
    stats: bool,
    granted: Granted,
    began: Instant,
}

/// `puch influence`
///
/// Exit codes: 0 it is known which variables matter, 3 a limit was met first.
pub fn run(args: InfluenceArgs) -> Result<ExitCode, Failure> {
    let began = Instant::now();
    let progress = if args.told.loudness.quiet { Progress::Silent } else { Progress::Shown };
    let limits = guard::limits(&args.limits, began);
    let input = Input::meant_with_c(args.input, args.c, limits, args.told.stats)?;
    if !args.ltl.is_empty() && input.is_c() {
        return Err(anyhow!("`--ltl` is not about abstractions of C programs").into());
    }
    let preserve = match (args.preserve, args.ltl.is_empty()) {
        (None, false) => PreserveName::Ltl,
        (None, true) => PreserveName::Reach,
        (Some(PreserveName::Ltl), true) => {
            return Err(anyhow!("`--preserve ltl` is about a formula: say `--ltl`").into());
        }
        (Some(PreserveName::Ltl), false) => PreserveName::Ltl,
        (Some(_), false) => return Err(anyhow!("`--ltl` preserves formulas; drop `--preserve`").into()),
        (Some(other), true) => other,
    };
    if preserve != PreserveName::Reach && !args.reach.is_empty() {
        return Err(anyhow!("`--reach` is about `--preserve reach`").into());
    }
    let options = Options { limits, ..Options::default() };
    let report = Report {
        format: args.told.format,
        preserve: match preserve {
            PreserveName::Reach => "reach",
            PreserveName::Assertions => "assertions",
            PreserveName::Termination => "termination",
            PreserveName::Ltl => "ltl",
        },
        dead: args.dead_assignments,
        stats: args.told.stats,
        granted: guard::granted(&args.limits),
        began,
    };
    let name = input.name();
    let job = Job {
        input,
        preserve,
        reach: args.reach,
        ltl: args.ltl,
        dialect: temporal::dialect(args.ltl_syntax),
        at: args.at,
        explain: args.explain,
        options,
        report,
    };
    guard::guarded(
        limits,
        progress,
        move |gate| job.done(gate),
        |stop| report.stopped(&name, &report.granted.met(stop.into())),
    )
}

impl Job {
    /// Reads, solves, answers.
    fn done(self, gate: &Gate) -> Result<ExitCode, Failure> {
        gate.stage("reading");
        let mut loaded = self.input.load()?;
        if !self.ltl.is_empty() {
            loaded.spds = tracked(loaded.spds);
        }
        let spds = &loaded.spds;
        let listed: Vec<SymbolId> = match self.at.is_empty() {
            true => loaded.listed().iter().map(|target| target.symbol).collect(),
            false => self.targets(spds, &self.at)?.iter().map(|target| target.symbol).collect(),
        };
        let asked = match &self.explain {
            Some(asked) => Some(self.variable(spds, asked)?),
            None => None,
        };
        let formulas = match self.formulas(&loaded)? {
            Ok(formulas) => formulas,
            Err(stop) => return self.report.stopped(&loaded.name, &self.report.granted.met(stop.into())),
        };
        let meanings: Vec<_> = formulas.iter().flat_map(|violations| violations.meanings.iter().cloned()).collect();
        let goals = self.targets(spds, &self.reach)?;
        let question = match self.preserve {
            PreserveName::Reach if !goals.is_empty() => {
                Question::reach(goals.iter().map(|target| (target.control, target.symbol)).collect())
            }
            PreserveName::Reach | PreserveName::Termination => Question::conditions(),
            PreserveName::Assertions => Question::assertions(spds),
            PreserveName::Ltl => Question::formula(&meanings),
        };
        gate.stage("searching");
        let (known, stop) = match influence_so_far(spds, &question, &self.options.limits) {
            // Which assignments influence nothing, and what does not matter, is not known before all is known.
            Ok((_, Some(stop))) if self.report.dead || asked.is_some() => Err(stop),
            other => other,
        }
        .map_or_else(|stop| (None, Some(stop)), |(known, stop)| (Some(known), stop));
        let met = stop.map(|stop| self.report.granted.met(stop.into()));
        let known = match (known, &met) {
            (Some(known), _) => known,
            (None, Some(met)) => return self.report.stopped(&loaded.name, met),
            (None, None) => return Err(anyhow!("nothing is known, and no limit was met").into()),
        };
        let explanation = match (asked, &self.explain) {
            (Some((targets, var)), Some(asked)) => match self.chain(&known, &targets, var) {
                Ok(chain) => Some(Explanation { asked: asked.clone(), chain }),
                Err(why) => {
                    let reason = self.options.limits.met().map_or(Reason::Work, Reason::from);
                    return self.report.stopped(&loaded.name, &Met { why, ..self.report.granted.met(reason) });
                }
            },
            _ => None,
        };
        gate.answer();
        self.report.given(&loaded, &listed, &known, (stop, met.as_ref()), explanation.as_ref())
    }

    /// The statements that are meant.
    fn targets(&self, spds: &Spds, places: &[String]) -> Result<Vec<Target>, Failure> {
        let mut targets = Vec::new();
        let mut wrong = Vec::new();
        for place in places {
            match places::resolve(spds, place, self.input.naming()) {
                Ok(found) => targets.extend(found),
                Err(error) => wrong.push(self.input.no_place(&error)),
            }
        }
        if wrong.is_empty() { Ok(targets) } else { Err(Failure::Diagnosed(wrong.join("\n"))) }
    }

    /// What the formulas mean, or the limit that was met.
    fn formulas(&self, loaded: &Loaded) -> Result<Result<Vec<Violations>, Stop>, Failure> {
        let reader = Reader { input: &self.input, loaded, dialect: self.dialect, limits: self.options.limits };
        let mut formulas = Vec::new();
        for text in &self.ltl {
            match reader.violations(&Given::Formula(text.clone())) {
                Ok(violations) => formulas.push(violations),
                Err(Refusal::Stopped(stop)) => return Ok(Err(stop)),
                Err(Refusal::Wrong(failure)) => return Err(failure),
            }
        }
        Ok(Ok(formulas))
    }

    /// `x@PLACE`
    fn variable(&self, spds: &Spds, asked: &str) -> Result<(Vec<Target>, Var), Failure> {
        let Some((name, place)) = asked.split_once('@') else {
            return Err(anyhow!("`--explain {asked}`: write `VARIABLE@PLACE`, for instance `x@main:L`").into());
        };
        let targets = self.targets(spds, &[place.to_owned()])?;
        let symbol = targets[0].symbol;
        let frame = spds.symbol(symbol).frame;
        let locals = (0..spds.locals(symbol).len() as u32).map(Var::Local);
        let globals = (0..spds.globals.len() as u32).map(Var::Global);
        let scope: Vec<Var> = locals.chain(globals).collect();
        let called = |var: &&Var| spds.display_name(frame, **var) == name || spds.written_name(frame, **var) == name;
        if let Some(var) = scope.iter().find(called) {
            return Ok((targets, *var));
        }
        let seen = scope.iter().filter(|var| spds.variable(frame, **var).is_some_and(|variable| !variable.hidden));
        let names: Vec<String> = seen.map(|var| format!("`{}`", spds.display_name(frame, *var))).collect();
        let known = if names.is_empty() { "nothing".into() } else { names.join(", ") };
        Err(anyhow!("`--explain {asked}`: no variable `{name}` is in scope at `{place}`; there is {known}").into())
    }

    /// The chain from the variable at the first of these places at which it matters.
    fn chain(&self, known: &Influence, targets: &[Target], var: Var) -> Result<Option<Vec<Link>>, String> {
        for target in targets {
            let heads = known.heads_of(target.symbol);
            for head in heads.filter(|head| target.control.is_none_or(|control| control == head.control)) {
                if let Some(chain) = explain(known, head, var, &self.options)? {
                    return Ok(Some(chain));
                }
            }
        }
        Ok(None)
    }
}

impl Report {
    fn header<'a>(self, name: &'a str, diagnostics: &'a [Notice]) -> Header<'a> {
        let seconds = self.stats.then(|| self.began.elapsed().as_secs_f64());
        super::notices::header(name, seconds, diagnostics)
    }

    /// Writes what is known.
    fn given(
        self,
        loaded: &Loaded,
        statements: &[SymbolId],
        influence: &Influence,
        (stop, met): (Option<Stop>, Option<&Met>),
        explanation: Option<&Explanation>,
    ) -> Result<ExitCode, Failure> {
        let source = Source::new(&loaded.name, loaded.statements());
        let subject =
            Subject { spds: &loaded.spds, source: Some(&source), preserve: self.preserve, statements, influence, stop };
        answer(|out| -> io::Result<()> {
            match (self.format, explanation) {
                (AnswerFormatName::Json, _) => {
                    json(out, subject, self.header(&loaded.name, &super::notices::told()), met, explanation, self.dead)
                }
                (AnswerFormatName::Text, Some(explanation)) => explanation_text(out, subject, explanation),
                (AnswerFormatName::Text, None) if self.dead => dead_text(out, subject),
                (AnswerFormatName::Text, None) => text(out, subject),
            }
        })?;
        self.told();
        Ok(ExitCode::from(if met.is_some() { UNKNOWN } else { FINE }))
    }

    /// Says that a limit was met first.
    fn stopped(self, name: &str, met: &Met) -> Result<ExitCode, Failure> {
        answer(|out| match self.format {
            AnswerFormatName::Text => writeln!(out, "unknown ({})", met.why),
            AnswerFormatName::Json => stopped_json(out, self.header(name, &super::notices::told()), self.preserve, met),
        })?;
        self.told();
        Ok(ExitCode::from(UNKNOWN))
    }

    fn told(self) {
        if self.stats {
            tell(&format!("seconds: {:.3}", self.began.elapsed().as_secs_f64()));
        }
    }
}
