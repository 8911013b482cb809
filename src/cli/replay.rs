//! `puch replay`

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, anyhow};
use puch::places;
use puch::replay::{Claim, Objection, Observed, Replayed, Walked, walk};
use puch::report::recorded::{self, Answer};
use spds_format::model::Spds;

use super::args::ReplayArgs;
use super::guard::{self, Progress};
use super::input::{Input, text_of};
use super::{FINE, FOUND, Failure, UNKNOWN, answer};

/// `puch replay`
///
/// Exit codes: 0 every trace is real, 1 one is not, 3 one could not be decided and none is unreal.
pub fn run(args: ReplayArgs) -> Result<ExitCode, Failure> {
    let progress = if args.loudness.quiet { Progress::Silent } else { Progress::Shown };
    let input = Input::meant(args.input, &args.loudness)?;
    let (trace, steps) = (args.trace, args.replay_steps);
    let work = move |gate: &guard::Gate| done(&input, &trace, steps, gate);
    guard::guarded(guard::default_limits(), progress, work, |stop| {
        answer(|out| writeln!(out, "unknown ({stop})"))?;
        Ok(ExitCode::from(UNKNOWN))
    })
}

/// Reads, walks, answers.
fn done(input: &Input, trace: &Path, steps: u64, gate: &guard::Gate) -> Result<ExitCode, Failure> {
    gate.stage("reading");
    let traces = recorded(trace)?;
    let loaded = input.load()?;
    gate.stage("walking");
    let mut judged = Vec::new();
    for (property, answer) in traces {
        let claim = claim(&answer, &loaded.spds, input)?;
        let Some(trace) = answer.trace else { continue };
        judged.push((property, walk(&loaded.spds, &Observed::from(trace), &claim, steps)));
    }
    gate.answer();
    answer(|out| write(out, &judged))?;
    let unreal = judged.iter().any(|(_, result)| result.is_err());
    let undecided = judged.iter().any(|(_, result)| matches!(result, Ok(Walked::Undecided)));
    Ok(ExitCode::from(match (unreal, undecided) {
        (true, _) => FOUND,
        (false, true) => UNKNOWN,
        (false, false) => FINE,
    }))
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

/// What a trace is said to show.
fn claim(answer: &Answer, spds: &Spds, input: &Input) -> anyhow::Result<Claim> {
    match (answer.kind.as_str(), answer.verdict.as_str()) {
        ("reach", "reachable") => {
            let targets = places::resolve(spds, &answer.property, input.naming())
                .with_context(|| format!("the trace is about another program than `{}`", input.name()))?;
            Ok(Claim::Reaches(targets.iter().map(|target| (target.control, target.symbol)).collect()))
        }
        ("assertions", "violated") => Ok(Claim::Fails),
        (kind, verdict) => Err(anyhow!("a trace cannot show that `{kind}` is `{verdict}`")),
    }
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
