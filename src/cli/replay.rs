//! `puch replay`

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, anyhow};
use puch::ltl::{Dialect, tracked};
use puch::options::Runs;
use puch::places;
use puch::replay::{Claim, Observed, Walked, walk};
use puch::report::json::Granted;
use puch::report::recorded::{self, Answer};
use puch::report::replayed::{self, Judged};

use super::args::{Given, ReplayArgs};
use super::choices::AnswerFormatName;
use super::guard::{self, Progress};
use super::input::{Input, Loaded};
use super::temporal::{self, Reader, Refusal};
use super::texts::text_of;
use super::{Failure, code, notices, tell};

/// `puch replay`
///
/// Exit codes: 0 every trace is real, 1 one is not, 3 one could not be decided and none is unreal.
pub fn run(args: ReplayArgs) -> Result<ExitCode, Failure> {
    let progress = if args.told.loudness.quiet { Progress::Silent } else { Progress::Shown };
    let (format, name) = (args.told.format, args.input.file.display().to_string());
    let input = Input::meant(args.input)?;
    let job = Job {
        input,
        dialect: temporal::dialect(args.ltl_syntax),
        files: {
            let automata = args.automaton.into_iter().map(Given::Automaton);
            automata.chain(args.never.into_iter().map(Given::Never)).collect()
        },
        trace: args.trace,
        steps: args.replay_steps,
        format,
        stats: args.told.stats,
        began: Instant::now(),
    };
    let work = move |gate: &guard::Gate| job.done(gate);
    guard::guarded(guard::default_limits(), progress, work, move |stop| {
        notices::stopped(format, &name, Granted::default(), stop)
    })
}

/// What is meant by what was typed.
struct Job {
    input: Input,
    dialect: Dialect,
    /// Automata by which properties in the report may go.
    files: Vec<Given>,
    trace: PathBuf,
    steps: u64,
    format: AnswerFormatName,
    stats: bool,
    began: Instant,
}

impl Job {
    /// Reads, walks, answers.
    fn done(self, gate: &guard::Gate) -> Result<ExitCode, Failure> {
        gate.stage("reading");
        let traces = recorded(&self.trace)?;
        let mut loaded = self.input.load()?;
        if traces.iter().any(|answer| answer.kind == "ltl") {
            loaded.spds = tracked(loaded.spds);
        }
        gate.stage("walking");
        let mut judged = Vec::new();
        for answer in traces {
            let claim = self.claim(&answer, &loaded)?;
            let Answer { kind, property, verdict, trace: Some(trace) } = answer else { continue };
            let found = walk(&loaded.spds, &Observed::from(trace), &claim, self.steps);
            judged.push(Judged { kind, property, verdict, found });
        }
        gate.answer();
        let seconds = self.began.elapsed().as_secs_f64();
        let told = notices::told();
        let header = notices::header(&loaded.name, self.stats.then_some(seconds), &told);
        super::answer(|out| match self.format {
            AnswerFormatName::Text => replayed::text(out, &judged),
            AnswerFormatName::Json => replayed::json(out, header, &judged),
        })?;
        if self.stats {
            tell(&format!("seconds: {seconds:.3}"));
        }
        let unreal = judged.iter().any(|judged| judged.found.is_err());
        let undecided = judged.iter().any(|judged| matches!(judged.found, Ok(Walked::Undecided)));
        Ok(code(unreal, undecided))
    }

    /// What a trace is said to show.
    fn claim(&self, answer: &Answer, loaded: &Loaded) -> Result<Claim, Failure> {
        let property = &answer.property;
        match (answer.kind.as_str(), answer.verdict.as_str()) {
            ("reach", "reachable") => {
                if let Some(set) = self.input.reached_configurations(property, loaded) {
                    return Ok(Claim::Belongs(Arc::new(set?)));
                }
                let targets = places::resolve(&loaded.spds, property, self.input.naming())
                    .with_context(|| format!("the trace is about another program than `{}`", self.input.name()))?;
                Ok(Claim::Reaches(targets.iter().map(|target| (target.control, target.symbol)).collect()))
            }
            ("assertions", "violated") => Ok(Claim::Fails),
            ("termination", "violated") => Ok(Claim::Infinite),
            ("ltl", "violated") => {
                let given = self.files.iter().find(|file| file.name() == *property).cloned();
                let given = given.unwrap_or_else(|| Given::Formula(property.clone()));
                let (input, dialect, limits) = (&self.input, self.dialect, guard::default_limits());
                match (Reader { input, loaded, dialect, limits }).violations(&given) {
                    // The report does not say which runs count: a run that ends counts as far as it may at all.
                    Ok(violations) => Ok(Claim::Violates { violations: Arc::new(violations), runs: Runs::Stutter }),
                    Err(Refusal::Wrong(failure)) => Err(failure),
                    Err(Refusal::Stopped(stop)) => Err(anyhow!("`{property}` cannot be translated: {stop}").into()),
                }
            }
            (kind, verdict) => Err(anyhow!("a trace cannot show that `{kind}` is `{verdict}`").into()),
        }
    }
}

/// The answers with a trace in a recorded report.
fn recorded(file: &Path) -> anyhow::Result<Vec<Answer>> {
    let name = file.display();
    let text = text_of(file)?;
    let report =
        recorded::read(&text).with_context(|| format!("`{name}` is not what `puch check --format json` writes"))?;
    let traces: Vec<Answer> = report.results.into_iter().filter(|answer| answer.trace.is_some()).collect();
    if traces.is_empty() {
        return Err(anyhow!("`{name}` has no trace in it"));
    }
    Ok(traces)
}
