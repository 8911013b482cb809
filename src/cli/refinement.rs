//! `puch check` of C programs for which no predicates are given: they are found.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, anyhow};
use puch::abstraction::Tuning;
use puch::c::Program;
use puch::c::program::StatementKind;
use puch::limits::Reason;
use puch::refinement::report::{self, Subject};
use puch::refinement::{Options, Outcome, Round, Verdict, harness, refine};
use puch::report::source::Source;

use super::args::{CheckArgs, InputArgs, PropertyTyped, RefinementArgs};
use super::c_args::CArgs;
use super::c_input::CInput;
use super::choices::FormatName;
use super::guard::{self, Gate, Progress};
use super::smt::Solving;
use super::{FINE, FOUND, Failure, UNKNOWN, abstraction, answer, tell};

/// Whether a command is about a C program whose predicates are to be found.
pub fn is_meant(args: &CheckArgs) -> bool {
    let is_c = args.input.file.extension().is_some_and(|ending| ending == "c" || ending == "i");
    is_c && args.c.predicates.predicates.is_none()
}

/// Refuses what only such a command can be told.
pub fn refuse(args: &CheckArgs) -> Result<(), Failure> {
    let RefinementArgs { rounds, keep, harness } = &args.refinement;
    let typed = [("--rounds", rounds.is_some()), ("--keep", keep.is_some()), ("--harness", harness.is_some())];
    match typed.iter().find(|(_, typed)| *typed) {
        Some((option, _)) => {
            Err(anyhow!("`{option}` is about C programs of which predicates are to be found, without `--predicates`")
                .into())
        }
        None => Ok(()),
    }
}

/// `puch check prog.c`
pub fn check(args: CheckArgs) -> Result<ExitCode, Failure> {
    let began = Instant::now();
    if args.properties.iter().any(|typed| !matches!(typed, PropertyTyped::Assertions)) {
        return Err(anyhow!("of C programs only `--assertions` are decided without `--predicates` so far").into());
    }
    if args.assume.is_some() {
        return Err(anyhow!("`--assume` is not about C programs").into());
    }
    if !matches!(args.format, FormatName::Text | FormatName::Json) {
        let told = "of C programs whose predicates are to be found, reports are `--format text` or `json`";
        return Err(anyhow!("{told}").into());
    }
    let limits = super::check::limits(&args.limits, began);
    let search = super::check::options(&args, limits);
    let quiet = args.loudness.quiet;
    let file = args.input.file.clone();
    let InputArgs { entry, define, .. } = args.input;
    let reading = args.c.reading;
    let input = CInput::meant(CArgs { files: vec![file.clone()], reading, entry, define }, quiet)?;
    let progress = if quiet { Progress::Silent } else { Progress::Shown };
    let (format, name) = (args.format, file.display().to_string());
    let predicates = args.c.predicates;
    let work = move |gate: &Gate| {
        gate.stage("reading");
        let loaded = input.load()?;
        if !(has_failures(&loaded.program) || quiet) {
            tell(&format!("warning: `{}` has no assertions: none can fail", file.display()));
        }
        gate.stage("refining");
        let solving = Solving { second: predicates.smt, stats: args.stats };
        let bounds = solving.bounds(limits)?;
        let options = Options {
            overflow: abstraction::overflow(&predicates),
            tuning: Tuning { method: abstraction::method(&predicates), cubes: predicates.cubes, bounds },
            check: search,
            rounds: args.refinement.rounds,
        };
        let keeper = Keeper { directory: args.refinement.keep.clone(), verbose: args.loudness.verbose, began };
        let mut kept = Ok(());
        let outcome = refine(&loaded.program, &options, &mut |round| {
            let now = keeper.round(round);
            if kept.is_ok() {
                kept = now;
            }
        });
        kept?;
        solving.concluded(&options.tuning.bounds)?;
        keeper.end(&outcome)?;
        if args.stats {
            tell(&format!("rounds: {}", outcome.rounds));
            tell(&format!("predicates: {}", outcome.predicates.lines().count()));
            tell(&format!("seconds: {:.3}", began.elapsed().as_secs_f64()));
        }
        gate.answer();
        if let (Some(path), Verdict::Violated(inputs, _)) = (&args.refinement.harness, &outcome.verdict) {
            write(path, &harness(&loaded.program, inputs))?;
        }
        let sources: Vec<Source<'_>> = loaded.texts.iter().map(|(name, text)| Source::new(name, text)).collect();
        let subject =
            Subject { program: &loaded.program, sources: &sources, property: "assertions", kind: "assertions" };
        given(subject, &outcome, &options, format)
    };
    guard::guarded(limits, progress, work, move |stop| {
        let reason = Reason::from(stop);
        answer(|out| match format {
            FormatName::Json => report::stopped(out, env!("CARGO_PKG_VERSION"), &name, reason),
            _ => writeln!(out, "assertions: unknown ({reason})"),
        })?;
        Ok(ExitCode::from(UNKNOWN))
    })
}

fn given(subject: Subject<'_>, outcome: &Outcome, options: &Options, format: FormatName) -> Result<ExitCode, Failure> {
    answer(|out| match format {
        FormatName::Json => report::json(out, env!("CARGO_PKG_VERSION"), subject, &outcome.verdict, options),
        _ => report::text(out, subject, &outcome.verdict, options),
    })?;
    Ok(ExitCode::from(match outcome.verdict {
        Verdict::Holds => FINE,
        Verdict::Violated(..) => FOUND,
        Verdict::Stopped(_) | Verdict::Unknown(_) => UNKNOWN,
    }))
}

fn has_failures(program: &Program) -> bool {
    let mut statements = program.procedures.iter().flat_map(|procedure| procedure.body.iter().flatten());
    statements.any(|statement| matches!(statement.kind, StatementKind::Fail(_)))
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    if let Some(directory) = path.parent() {
        std::fs::create_dir_all(directory).with_context(|| format!("cannot create `{}`", directory.display()))?;
    }
    std::fs::write(path, text).with_context(|| format!("cannot write `{}`", path.display()))
}

/// What becomes of each round.
struct Keeper {
    directory: Option<PathBuf>,
    verbose: bool,
    began: Instant,
}

impl Keeper {
    fn end(&self, outcome: &Outcome) -> anyhow::Result<()> {
        if self.verbose {
            tell(&format!("{} after {} rounds", outcome.verdict.name(), outcome.rounds));
        }
        match &self.directory {
            Some(directory) => write(&directory.join("predicates"), &outcome.predicates),
            None => Ok(()),
        }
    }

    fn round(&self, round: &Round<'_>) -> anyhow::Result<()> {
        if self.verbose {
            let mut line = format!("round {}: {} predicates, {} nodes", round.number, round.count, round.nodes);
            if round.trace > 0 {
                line += &format!(", trace of {} statements", round.trace);
            }
            for (source, count) in round.learnt {
                line += &format!(", {count} from {}", source.name());
            }
            tell(&format!("{line}, {:.2} s", self.began.elapsed().as_secs_f64()));
        }
        let Some(directory) = &self.directory else { return Ok(()) };
        let number = round.number;
        write(&directory.join(format!("{number:03}.bp")), round.text)?;
        write(&directory.join(format!("{number:03}.predicates")), round.predicates)?;
        write(&directory.join(format!("{number:03}.trace")), round.steps)
    }
}
