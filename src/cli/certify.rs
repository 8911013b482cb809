//! `puch certify`

use std::borrow::Cow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, anyhow};
use puch::certificate::{self, Claim, Kind, about, fingerprint};
use puch::certify::{self, Formula, Found, certify, certify_by_clauses, covers};
use puch::evidence::heads;
use puch::limits::{Limits, Stop};
use puch::ltl::{Dialect, tracked};
use puch::options::Runs;
use puch::places;
use puch::report::certified::{self, Line};
use puch::watched::{between, popped, watched, watched_by};
use spds_format::Spds;
use spds_format::model::Head;

use super::args::{CertifyArgs, Given};
use super::certify_c;
use super::choices::{AnswerFormatName, CheckerName};
use super::guard::{self, Progress};
use super::input::{Input, Loaded};
use super::temporal::{Reader, Refusal};
use super::texts::{is_stdin, text_of};
use super::{Failure, code, notices, tell};

/// `puch certify`
///
/// Exit codes: 0 everything that is claimed is proved, 1 something is not, 3 a limit was met and nothing is wrong.
pub fn run(args: CertifyArgs) -> Result<ExitCode, Failure> {
    if args.input.is_c() {
        return certify_c::run(args);
    }
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
        let malformed = || format!("`{name}` is no certificate");
        let subjects = certificate::subjects(&text).with_context(malformed)?;
        let plain = about(&loaded.spds);
        // Where a formula was asked about as well, the system remembers in which control location it is.
        if subjects.iter().any(|(about, kind)| *about != plain || kind.is_watched()) {
            loaded.spds = tracked(loaded.spds);
        }
        let own = about(&loaded.spds);
        let foreign = |why: &str| anyhow!("`{name}` is not about `{}`: {why}", self.input.name());
        if subjects.iter().any(|(about, _)| *about != own) {
            return Err(foreign("it was made of another text, or with other options").into());
        }
        let concerned: Vec<Concerned<'_>> =
            subjects.iter().map(|(_, kind)| self.concerned(kind, &loaded)).collect::<Result<_, Failure>>()?;
        let system = |place: usize| concerned.get(place).map_or(&loaded.spds, |concerned| &*concerned.system);
        let all = certificate::read_each(&system, &text).with_context(malformed)?;
        let read: Vec<(u64, &Kind)> = all.iter().map(|one| (one.about, &one.claim.kind)).collect();
        if !read.iter().copied().eq(subjects.iter().map(|(about, kind)| (*about, kind))) {
            return Err(anyhow!(
                "`{name}` is malformed: each certificate says once what it is about, and then once what it claims"
            )
            .into());
        }
        let mut checked = Vec::with_capacity(all.len());
        let mut formula = Formula::default();
        gate.stage("checking");
        for (certificate, Concerned { system, targets }) in all.iter().zip(&concerned) {
            if !covers(&certificate.claim, targets) {
                let claimed = certify::claimed(&certificate.claim);
                let why = format!("it claims that {claimed}, and has not all targets that this means");
                return Err(anyhow!("`{name}` is malformed: {why}").into());
            }
            let found = match self.clauses {
                true => certify_by_clauses(system, certificate, &self.limits, &mut formula),
                false => certify(system, certificate, &self.limits, None),
            };
            if let Ok(Found::Foreign(why)) = &found {
                return Err(foreign(why).into());
            }
            checked.push((&certificate.claim, found));
        }
        self.written(&formula, &checked)?;
        gate.answer();
        self.given(&loaded.name, &checked)
    }

    /// Writes what was found; the exit code says the same in a number.
    fn given(&self, name: &str, checked: &[Checked<'_>]) -> Result<ExitCode, Failure> {
        let seconds = self.began.elapsed().as_secs_f64();
        let told = notices::told();
        let header = notices::header(name, self.stats.then_some(seconds), &told);
        let lines: Vec<Line<'_>> = checked.iter().map(|(claim, found)| certified::line(claim, found)).collect();
        super::answer(|out| match self.format {
            AnswerFormatName::Text => certified::text(out, &lines),
            AnswerFormatName::Json => certified::json(out, header, &lines),
        })?;
        if self.stats {
            tell(&format!("seconds: {seconds:.3}"));
        }
        let lacking = checked.iter().any(|(_, found)| matches!(found, Ok(Found::Lacks(_))));
        let stopped = checked.iter().any(|(_, found)| found.is_err());
        Ok(code(lacking, stopped))
    }

    /// Writes all questions, if that is wanted and all have been asked.
    fn written(&self, formula: &Formula, checked: &[Checked<'_>]) -> anyhow::Result<()> {
        let Some(file) = &self.dimacs else { return Ok(()) };
        let name = file.display();
        if checked.iter().any(|(_, found)| found.is_err()) {
            self.input.remark(&format!("`{name}` is not written: a limit was met before everything was asked"));
            return Ok(());
        }
        let mut text = Vec::new();
        formula.write(&mut text)?;
        std::fs::write(file, text).with_context(|| format!("cannot write `{name}`"))
    }

    /// The system that a certificate is about: with what its formula owes, or the state of its automaton, if it is about one, or with those
    /// who read the stack. And the heads that it has to exclude.
    fn concerned<'a>(&self, kind: &Kind, loaded: &'a Loaded) -> Result<Concerned<'a>, Failure> {
        let plain = |targets| Concerned { system: Cow::Borrowed(&loaded.spds), targets };
        let (text, system, targets) = match kind {
            Kind::Assertions => return Ok(plain(certify::failures(&loaded.spds))),
            Kind::Termination => return Ok(plain(Vec::new())),
            Kind::Reach(place) => match self.input.reached_configurations(place, loaded) {
                Some(set) => match popped(&loaded.spds, &set?) {
                    Some((system, targets)) => (place, Some(system), targets),
                    None => (place, None, Vec::new()),
                },
                None => {
                    let targets = places::resolve(&loaded.spds, place, self.input.naming());
                    let targets = targets.map_err(|error| Failure::Diagnosed(self.input.no_place(&error)))?;
                    return Ok(plain(heads(&loaded.spds, &targets)));
                }
            },
            Kind::Between { from, to } => {
                let sets = [("--from", from), ("--meets", to)];
                let [from, set] = sets.map(|(option, text)| self.input.configurations(option, text, loaded));
                match between(&loaded.spds, &from?, &set?) {
                    Some((system, targets)) => (to, Some(system), targets),
                    None => (to, None, Vec::new()),
                }
            }
            Kind::Formula { formula, runs } => {
                let specified =
                    self.reader(loaded).specified(formula).map_err(|refusal| self.refused(formula, refusal))?;
                (formula, watched(&loaded.spds, &specified.formula, &specified.meanings, *runs), Vec::new())
            }
            Kind::Automaton { name, about, runs } => (name, self.watched_by(loaded, name, *about, *runs)?, Vec::new()),
        };
        let name = self.certificate.display();
        let system = system.ok_or_else(|| anyhow!("`{name}` is malformed: `{text}` is too large for certificates"))?;
        Ok(Concerned { system: Cow::Owned(system), targets })
    }

    /// The system that is watched by the automaton among the files that has this fingerprint.
    fn watched_by(&self, loaded: &Loaded, text: &str, about: u64, runs: Runs) -> Result<Option<Spds>, Failure> {
        for file in &self.files {
            let read = self.reader(loaded).automaton(file);
            let (automaton, meanings) = read.map_err(|refusal| self.refused(text, refusal))?;
            if fingerprint(&automaton.written()) == about {
                return Ok(watched_by(&loaded.spds, &automaton, &meanings, runs));
            }
        }
        let name = self.certificate.display();
        let others = if self.files.is_empty() { "" } else { "; what is given has others" };
        Err(anyhow!("`{name}` is about the automaton of `{text}`: give it with `--automaton` or `--never`{others}")
            .into())
    }

    /// Formulas of certificates are written as Spot reads them.
    fn reader<'a>(&'a self, loaded: &'a Loaded) -> Reader<'a> {
        Reader { input: &self.input, loaded, dialect: Dialect::Spot, limits: self.limits }
    }

    fn refused(&self, text: &str, refusal: Refusal) -> Failure {
        match refusal {
            Refusal::Wrong(failure) => failure,
            Refusal::Stopped(stop) => anyhow!("`{text}` cannot be read: {stop}").into(),
        }
    }
}

/// What a certificate claims, and what was found of that.
type Checked<'a> = (&'a Claim, Result<Found, Stop>);

/// What a certificate is about.
struct Concerned<'a> {
    system: Cow<'a, Spds>,
    /// The heads that it has to exclude.
    targets: Vec<Head>,
}
