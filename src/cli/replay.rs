//! `puch replay`

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, anyhow};
use puch::ltl::{Dialect, tracked};
use puch::options::Runs;
use puch::places;
use puch::replay::{Claim, Objection, Observed, Replayed, Walked, walk};
use puch::report::recorded::{self, Answer};

use super::args::{Given, ReplayArgs};
use super::guard::{self, Progress};
use super::input::{Input, Loaded};
use super::temporal::{self, Reader, Refusal};
use super::texts::text_of;
use super::{FINE, FOUND, Failure, UNKNOWN, answer};

/// `puch replay`
///
/// Exit codes: 0 every trace is real, 1 one is not, 3 one could not be decided and none is unreal.
pub fn run(args: ReplayArgs) -> Result<ExitCode, Failure> {
    let progress = if args.loudness.quiet { Progress::Silent } else { Progress::Shown };
    let input = Input::meant(args.input, &args.loudness)?;
    let job = Job {
        input,
        dialect: temporal::dialect(args.ltl_syntax),
        files: {
            let automata = args.automaton.into_iter().map(Given::Automaton);
            automata.chain(args.never.into_iter().map(Given::Never)).collect()
        },
        trace: args.trace,
        steps: args.replay_steps,
    };
    let work = move |gate: &guard::Gate| job.done(gate);
    guard::guarded(guard::default_limits(), progress, work, |stop| {
        answer(|out| writeln!(out, "unknown ({stop})"))?;
        Ok(ExitCode::from(UNKNOWN))
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
}

impl Job {
    /// Reads, walks, answers.
    fn done(self, gate: &guard::Gate) -> Result<ExitCode, Failure> {
        gate.stage("reading");
        let traces = recorded(&self.trace)?;
        let mut loaded = self.input.load()?;
        if traces.iter().any(|(_, answer)| answer.kind == "ltl") {
            loaded.spds = tracked(loaded.spds);
        }
        gate.stage("walking");
        let mut judged = Vec::new();
        for (property, answer) in traces {
            let claim = self.claim(&answer, &loaded)?;
            let Some(trace) = answer.trace else { continue };
            judged.push((property, walk(&loaded.spds, &Observed::from(trace), &claim, self.steps)));
        }
        gate.answer();
        super::answer(|out| write(out, &judged))?;
        let unreal = judged.iter().any(|(_, result)| result.is_err());
        let undecided = judged.iter().any(|(_, result)| matches!(result, Ok(Walked::Undecided)));
        Ok(ExitCode::from(match (unreal, undecided) {
            (true, _) => FOUND,
            (false, true) => UNKNOWN,
            (false, false) => FINE,
        }))
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
fn recorded(file: &Path) -> anyhow::Result<Vec<(String, Answer)>> {
    let name = file.display();
    let text = text_of(file)?;
    let report =
        recorded::read(&text).with_context(|| format!("`{name}` is not what `puch check --format json` writes"))?;
    let traces: Vec<_> = report
        .results
        .into_iter()
        .filter(|answer| answer.trace.is_some())
        .map(|answer| (answer.property.clone(), answer))
        .collect();
    if traces.is_empty() {
        return Err(anyhow!("`{name}` has no trace in it"));
    }
    Ok(traces)
}

fn write(out: &mut dyn Write, judged: &[(String, Result<Walked, Objection>)]) -> io::Result<()> {
    for (property, result) in judged {
        match result {
            Ok(Walked::Real(Replayed::Full)) => writeln!(out, "{property}: the trace is real")?,
            Ok(Walked::Real(Replayed::ExceptLeaps)) => {
                writeln!(out, "{property}: the trace is real, except that some turns of loops were not walked")?;
            }
            Ok(Walked::Undecided) => {
                writeln!(out, "{property}: unknown (more than --replay-steps states fit the trace)")?;
            }
            Err(objection) => writeln!(out, "{property}: the trace is not real ({objection})")?,
        }
    }
    Ok(())
}
