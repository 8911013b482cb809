//! `puch certify` of C programs

use std::path::PathBuf;
use std::process::ExitCode;
use std::rc::Rc;
use std::time::Instant;

use anyhow::{Context, anyhow};
use puch::abstraction::Tuning;
use puch::bitvec::Bounds;
use puch::c::Program;
use puch::c::program::Overflow;
use puch::limits::Limits;
use puch::refinement::certificate::{Certificate, Claim, Found, Way, about, proved, read, subjects};
use puch::refinement::trusted_output;
use puch::report::certified::{self, Line};

use super::args::{CArgs, CertifyArgs, InputArgs};
use super::c_input::{CInput, name_of};
use super::choices::{AnswerFormatName, CheckerName, InputFormat};
use super::guard::{self, Gate, Progress};
use super::input::refuse_options_of_others;
use super::texts::text_of;
use super::{Failure, abstraction, code, notices, tell};

/// `puch certify prog.c CERTIFICATE`
///
/// Exit codes are those of other inputs.
pub fn run(args: CertifyArgs) -> Result<ExitCode, Failure> {
    let began = Instant::now();
    refuse_options_of_others(&args.input, Some(InputFormat::C))?;
    let others = [
        ("--assume", args.assume.is_some()),
        ("--automaton", !args.automaton.is_empty()),
        ("--never", !args.never.is_empty()),
        ("--with sat", args.with == CheckerName::Sat),
        ("--dimacs", args.dimacs.is_some()),
    ];
    if let Some((option, _)) = others.iter().find(|(_, typed)| *typed) {
        return Err(anyhow!("`{option}` is not about C programs").into());
    }
    let progress = if args.told.loudness.quiet { Progress::Silent } else { Progress::Shown };
    let (limits, granted) = (guard::limits(&args.limits, began), guard::granted(&args.limits));
    let (format, name) = (args.told.format, name_of(&args.input.file));
    let InputArgs { file, input_format, entry, define, .. } = args.input;
    let main = entry.clone().unwrap_or_else(|| "main".to_owned());
    let input = CInput::meant(CArgs { files: vec![file], input_format, reading: args.reading, entry, define })?;
    let (overflow, stats) = (args.overflow.map(abstraction::reading), args.told.stats);
    let job =
        Job { input, certificate: args.certificate, main, overflow, limits, format, stats, name: name.clone(), began };
    let work = move |gate: &Gate| job.done(gate);
    guard::guarded(limits, progress, work, move |stop| notices::stopped(format, &name, granted, stop))
}

/// What proofs of C programs rely on.
const TRUSTED: [&str; 3] = ["how C is read", "what memory is", "where pointers lead"];

/// What is meant by what was typed.
struct Job {
    input: CInput,
    certificate: PathBuf,
    /// The procedure in which runs begin.
    main: String,
    /// What overflows are to be, if that was said.
    overflow: Option<Overflow>,
    limits: Limits,
    format: AnswerFormatName,
    stats: bool,
    name: String,
    began: Instant,
}

impl Job {
    fn done(self, gate: &Gate) -> Result<ExitCode, Failure> {
        gate.stage("reading");
        let name = self.certificate.display();
        let text = text_of(&self.certificate)?;
        let malformed = || format!("`{name}` is no certificate");
        let foreign = |why: &str| anyhow!("`{name}` is not about `{}`: {why}", self.name);
        let subjects = subjects(&text).with_context(malformed)?;
        let mut programs: Vec<Program> = Vec::with_capacity(subjects.len());
        for subject in &subjects {
            let called = subject.claim.called(&self.main).map_err(|why| foreign(&why))?;
            let program = self.input.clone().calling(called).load()?.program;
            let posed = subject.claim.posed(&program, subject.overflow).map_err(|why| foreign(&why))?;
            if about(&posed) != subject.about {
                return Err(foreign("it was made of another text, or with other options").into());
            }
            if self.overflow.is_some_and(|overflow| overflow != subject.overflow) {
                return Err(foreign("it was made for another `--overflow`").into());
            }
            programs.push(posed);
        }
        let all = read(&programs, &text).with_context(malformed)?;
        if !all.iter().map(|one| &one.subject).eq(&subjects) {
            return Err(anyhow!("`{name}` is malformed: each certificate says once what it is about").into());
        }
        gate.stage("checking");
        let limits = self.limits;
        let bounds = Bounds { stop: Some(Rc::new(move || limits.met().is_some())), ..Bounds::default() };
        let tuning = Tuning { bounds, ..Tuning::default() };
        let mut lines = Vec::with_capacity(all.len());
        for (certificate, program) in all.iter().zip(&programs) {
            let found = proved(program, certificate, &tuning, self.limits);
            if let Found::Foreign(why) = &found {
                return Err(foreign(why).into());
            }
            lines.push(line(program, certificate, &found));
        }
        gate.answer();
        let seconds = self.began.elapsed().as_secs_f64();
        let told = notices::told();
        let header = notices::header(&self.name, self.stats.then_some(seconds), &told);
        super::answer(|out| match self.format {
            AnswerFormatName::Text => certified::text(out, &lines),
            AnswerFormatName::Json => certified::json(out, header, &lines),
        })?;
        if self.stats {
            tell(&format!("seconds: {seconds:.3}"));
        }
        let is = |word: &str| lines.iter().any(|line| line.word == word);
        Ok(code(is(certified::NOT_PROVED), is(certified::UNKNOWN)))
    }
}

/// What is told of a certificate.
fn line<'c>(program: &Program, certificate: &'c Certificate, found: &Found) -> Line<'c> {
    let subject = &certificate.subject;
    let (kind, property, verdict) = match &subject.claim {
        Claim::Assertions => ("assertions", "assertions", "holds"),
        Claim::Reach(place) => ("reach", place.as_str(), "unreachable"),
        Claim::Property(property) => ("assertions", property.as_str(), "holds"),
    };
    let (word, reason) = match found {
        Found::Proves => (certified::PROVED, None),
        Found::Open(why) | Found::Foreign(why) => (certified::UNKNOWN, Some(why.clone())),
        Found::Lacks(why, None) => (certified::NOT_PROVED, Some(why.clone())),
        Found::Lacks(why, Some(place)) => {
            let file = program.file(*place);
            (certified::NOT_PROVED, Some(format!("at {file}:{}:{}: {why}", place.line, place.column)))
        }
    };
    let own = program.unverified.iter().map(|one| one.text.clone());
    let output = match certificate.way {
        Way::Executed => trusted_output(program),
        _ => None,
    };
    let trusted = TRUSTED.iter().map(|one| (*one).to_owned()).chain(own).chain(output.map(|one| one.text));
    let relative = Some((subject.overflow(), trusted.collect()));
    Line { kind, property, verdict, claimed: subject.claim.told(), word, reason, relative }
}
