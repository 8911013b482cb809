//! `puch certify`

use std::borrow::Cow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, anyhow};
use puch::certificate::{self, Certificate, Kind, about, fingerprint};
use puch::certify::{self, Formula, Found, certify, certify_by_clauses, covers};
use puch::evidence::heads;
use puch::limits::Limits;
use puch::ltl::{Dialect, tracked};
use puch::places;
use puch::report::certified::{self, Checked};
use puch::watched::{watched, watched_by};
use spds_format::Spds;

use super::args::{CertifyArgs, Given};
use super::choices::{AnswerFormatName, CheckerName};
use super::guard::{self, Progress};
use super::input::{Input, Loaded};
use super::temporal::{Reader, Refusal};
use super::texts::{is_stdin, text_of};
use super::{FINE, FOUND, Failure, UNKNOWN, notices, tell};

/// `puch certify`
///
/// Exit codes: 0 everything that is claimed is proved, 1 something is not, 3 a limit was met and nothing is wrong.
pub fn run(args: CertifyArgs) -> Result<ExitCode, Failure> {
    let began = Instant::now();
    let progress = if args.told.loudness.quiet { Progress::Silent } else { Progress::Shown };
    let (format, name) = (args.told.format, args.input.file.display().to_string());
    if is_stdin(&args.input.file) && is_stdin(&args.certificate) {
        return Err(anyhow!("standard input (`-`) can be read only once").into());
    }
    let (limits, granted) = (guard::limits(&args.limits, began), guard::granted(&args.limits));
    let job = Job {
        input: Input::meant(args.input)?,
        certificate: args.certificate,
        assume: args.assume,
        files: {
            let automata = args.automaton.into_iter().map(Given::Automaton);
            automata.chain(args.never.into_iter().map(Given::Never)).collect()
        },
        clauses: args.with == CheckerName::Sat || args.dimacs.is_some(),
        dimacs: args.dimacs,
        limits,
        format,
        stats: args.told.stats,
        began,
    };
    if job.input.is_c() {
        return Err(anyhow!("certificates are about systems, not about C programs").into());
    }
    let work = move |gate: &guard::Gate| job.done(gate);
    guard::guarded(limits, progress, work, move |stop| notices::stopped(format, &name, granted, stop))
}

/// What is meant by what was typed.
struct Job {
    input: Input,
    certificate: PathBuf,
    assume: Option<String>,
    /// Automata that certificates may be about.
    files: Vec<Given>,
    /// Whether a SAT solver is asked.
    clauses: bool,
    /// Where the questions are to be written.
    dimacs: Option<PathBuf>,
    limits: Limits,
    format: AnswerFormatName,
    stats: bool,
    began: Instant,
}

impl Job {
    /// Reads, checks, answers.
    fn done(self, gate: &guard::Gate) -> Result<ExitCode, Failure> {
        gate.stage("reading");
        let mut loaded = self.input.load()?;
        if let Some(condition) = &self.assume {
            self.input.assume(condition, &mut loaded)?;
        }
        let name = self.certificate.display();
        let text = text_of(&self.certificate)?;
        let all = certificate::read(&loaded.spds, &text).with_context(|| format!("`{name}` is no certificate"))?;
        let plain = about(&loaded.spds);
        // Where a formula was asked about as well, the system remembers in which control location it is.
        if all.iter().any(|one| one.about != plain || one.claim.kind.is_watched()) {
            loaded.spds = tracked(loaded.spds);
        }
        let own = about(&loaded.spds);
        let mut checked = Vec::with_capacity(all.len());
        let mut formula = Formula::default();
        gate.stage("checking");
        for certificate in &all {
            let foreign = |why: &str| anyhow!("`{name}` is not about `{}`: {why}", self.input.name());
            if certificate.about != own {
                return Err(foreign("it was made of another text, or with other options").into());
            }
            self.covered(certificate, &loaded)?;
            let system = self.concerned(certificate, &loaded)?;
            let found = match self.clauses {
                true => certify_by_clauses(&system, certificate, &self.limits, &mut formula),
                false => certify(&system, certificate, &self.limits),
            };
            let found = match found {
                Ok(Found::Foreign(why)) => return Err(foreign(&why).into()),
                other => other,
            };
            checked.push(Checked { claim: &certificate.claim, found });
        }
        self.written(&formula, &checked)?;
        gate.answer();
        let seconds = self.began.elapsed().as_secs_f64();
        let told = notices::told();
        let header = notices::header(&loaded.name, self.stats.then_some(seconds), &told);
        super::answer(|out| match self.format {
            AnswerFormatName::Text => certified::text(out, &checked),
            AnswerFormatName::Json => certified::json(out, header, &checked),
        })?;
        if self.stats {
            tell(&format!("seconds: {seconds:.3}"));
        }
        let lacking = checked.iter().any(|checked| matches!(checked.found, Ok(Found::Lacks(_))));
        let stopped = checked.iter().any(|checked| checked.found.is_err());
        Ok(ExitCode::from(match (lacking, stopped) {
            (true, _) => FOUND,
            (false, true) => UNKNOWN,
            (false, false) => FINE,
        }))
    }

    /// Writes all questions, if that is wanted and all have been asked.
    fn written(&self, formula: &Formula, checked: &[Checked<'_>]) -> anyhow::Result<()> {
        let Some(file) = &self.dimacs else { return Ok(()) };
        let name = file.display();
        if checked.iter().any(|checked| checked.found.is_err()) {
            self.input.remark(&format!("`{name}` is not written: a limit was met before everything was asked"));
            return Ok(());
        }
        let mut text = Vec::new();
        formula.write(&mut text)?;
        std::fs::write(file, text).with_context(|| format!("cannot write `{name}`"))
    }

    /// The system that a certificate is about: with what its formula owes, if it is about one.
    fn concerned<'a>(&self, certificate: &Certificate, loaded: &'a Loaded) -> Result<Cow<'a, Spds>, Failure> {
        let name = self.certificate.display();
        let reader = Reader { input: &self.input, loaded, dialect: Dialect::Spot, limits: self.limits };
        let told = |text: &str, refusal: Refusal| match refusal {
            Refusal::Wrong(failure) => failure,
            Refusal::Stopped(stop) => anyhow!("`{text}` cannot be read: {stop}").into(),
        };
        let (text, watched) = match &certificate.claim.kind {
            Kind::Formula { formula: text, runs } => {
                let specified = reader.specified(text).map_err(|refusal| told(text, refusal))?;
                (text, watched(&loaded.spds, &specified.formula, &specified.meanings, *runs))
            }
            Kind::Automaton { name: text, about, runs } => {
                let mut watched = None;
                for file in &self.files {
                    let (automaton, meanings) = reader.automaton(file).map_err(|refusal| told(text, refusal))?;
                    if fingerprint(&automaton.written()) == *about {
                        watched = Some(watched_by(&loaded.spds, &automaton, &meanings, *runs));
                    }
                }
                let others = if self.files.is_empty() { "" } else { "; what is given has others" };
                let missing = || {
                    anyhow!(
                        "`{name}` is about the automaton of `{text}`: give it with `--automaton` or `--never`{others}"
                    )
                };
                (text, watched.ok_or_else(missing)?)
            }
            _ => return Ok(Cow::Borrowed(&loaded.spds)),
        };
        let watched =
            watched.ok_or_else(|| anyhow!("`{name}` is malformed: `{text}` is too large for certificates"))?;
        Ok(Cow::Owned(watched))
    }

    /// Refuses a certificate that does not exclude what it claims to exclude.
    fn covered(&self, certificate: &Certificate, loaded: &Loaded) -> Result<(), Failure> {
        let claim = &certificate.claim;
        let meant = match &claim.kind {
            Kind::Assertions => certify::failures(&loaded.spds),
            Kind::Termination | Kind::Formula { .. } | Kind::Automaton { .. } => Vec::new(),
            Kind::Reach(place) => {
                let targets = places::resolve(&loaded.spds, place, self.input.naming());
                heads(&loaded.spds, &targets.map_err(|error| Failure::Diagnosed(self.input.no_place(&error)))?)
            }
        };
        if covers(claim, &meant) {
            return Ok(());
        }
        let (name, claimed) = (self.certificate.display(), certify::claimed(claim));
        Err(anyhow!("`{name}` is malformed: it claims that {claimed}, and has not all targets that this means").into())
    }
}
