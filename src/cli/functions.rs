//! `puch check FILES --functions`

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{anyhow, bail};
use puch::abstraction::Tuning;
use puch::c::{self, Defined};
use puch::functions::{self, Answer};
use puch::limits::Limits;
use puch::nullness::Options;
use puch::report::functions::{self as report, Count};
use puch::report::json::begin;
use puch::verdict::Why;

use super::args::{CArgs, CheckArgs};
use super::c_input::{CInput, CText, name_of};
use super::choices::{AnswerFormatName, FormatName};
use super::guard::{self, Progress};
use super::smt::Solving;
use super::{Failure, answer, code, notices};

/// Whether a command is about functions by themselves.
pub fn is_meant(args: &CheckArgs) -> bool {
    args.functions || args.public || !args.function.is_empty()
}

/// Which functions are asked about.
#[derive(Clone, Debug)]
struct Wanted {
    names: Vec<String>,
    public: bool,
}

impl Wanted {
    /// Those of a program.
    ///
    /// # Errors
    /// If there is none of a name.
    fn of(&self, all: Vec<Defined>) -> anyhow::Result<Vec<Defined>> {
        for name in &self.names {
            if !all.iter().any(|one| *one.name == **name) {
                let known: Vec<String> = all.iter().map(|one| format!("`{}`", one.name)).collect();
                let known = if known.is_empty() { "none is defined".to_owned() } else { known.join(", ") };
                bail!("no function `{name}` is defined; there are: {known}");
            }
        }
        let wanted = |one: &Defined| {
            (self.names.is_empty() || self.names.iter().any(|name| *one.name == **name))
                && !(self.public && one.internal)
        };
        Ok(all.into_iter().filter(wanted).collect())
    }
}

/// The files, and how each function is looked at.
struct Work {
    texts: Vec<CText>,
    reading: c::Options,
    solving: Solving,
    limits: Limits,
    each: Duration,
    /// How many objects are made one behind the other.
    deep: usize,
}

impl Work {
    /// What is known of a function.
    fn of(&self, name: &str) -> Result<Answer, Failure> {
        let own = Instant::now().checked_add(self.each);
        let deadline = [own, self.limits.deadline].into_iter().flatten().min();
        let limits = Limits { deadline, ..self.limits };
        let units: Vec<c::Unit<'_>> = self.texts.iter().map(CText::unit).collect();
        let reading = c::Options { main: Some(name.to_owned()), open: true, ..self.reading.clone() };
        let program = match c::read(&units, &reading) {
            Ok(read) => read.program,
            Err(wrong) => {
                let first = wrong.iter().find(|(_, complaint)| complaint.is_error());
                let first = first.map_or_else(String::new, |(_, complaint)| complaint.message.clone());
                let sentence = format!("what it leads to cannot be read: {first}");
                return Ok(Answer::unknown(Why { sentence, kind: "unsupported" }));
            }
        };
        let usual = Options::default();
        let tuning = Tuning { bounds: self.solving.bounds(limits)?, ..usual.tuning };
        let check = puch::Options { limits, ..usual.check };
        let options = Options { tuning, check, malloc: self.reading.malloc, ..usual };
        let answer = functions::analyse(&program, self.deep, &options);
        self.solving.concluded(&options.tuning.bounds)?;
        Ok(answer)
    }
}

/// `puch check FILES --functions`
///
/// Exit codes: 0 all hold, 1 some function fails although its obligations are kept, 3 of some it is not known.
pub fn check(args: CheckArgs) -> Result<ExitCode, Failure> {
    let format = match args.format {
        FormatName::Text => AnswerFormatName::Text,
        FormatName::Json => AnswerFormatName::Json,
        _ => return Err(anyhow!("functions by themselves are told with `--format text` or `json`").into()),
    };
    if !args.properties.is_empty() || args.assume.is_some() || args.input.entry.is_some() {
        let message = "with `--functions` it is asked how pointers are used, whoever calls: without other properties, `--assume` and `--entry`";
        return Err(anyhow!(message).into());
    }
    let progress = if args.loudness.quiet { Progress::Silent } else { Progress::Shown };
    let wanted = Wanted { names: args.function.clone(), public: args.public };
    let (limits, granted) = (guard::limits(&args.limits, Instant::now()), guard::granted(&args.limits));
    let solving = Solving { second: args.c.predicates.smt, stats: args.stats };
    let (each, deep) = (Duration::from_secs(args.function_timeout), args.deep);
    let (file, files) = (args.input.file.clone(), args.files());
    let entry = None;
    let input = CArgs {
        files,
        input_format: args.input.input_format,
        reading: args.c.reading,
        entry,
        define: args.input.define,
    };
    let (input, name) = (CInput::meant(input)?, name_of(&file));
    let input_name = name.clone();
    let work = move |gate: &guard::Gate| {
        gate.stage("reading");
        let (texts, reading) = input.texts()?;
        let units: Vec<c::Unit<'_>> = texts.iter().map(CText::unit).collect();
        let Ok(defined) = c::defined(&units, &reading) else {
            // Reading says what is wrong.
            input.load()?;
            return Err(anyhow!("`{name}` cannot be read").into());
        };
        let all = wanted.of(defined)?;
        gate.stage("looking at functions");
        gate.answer();
        let work = Work { texts, reading, solving, limits, each, deep };
        told(&work, &all, format, &name)
    };
    guard::guarded(limits, progress, work, move |stop| notices::stopped(format, &input_name, granted, stop))
}

/// Each answer as soon as it is known.
fn told(work: &Work, all: &[Defined], format: AnswerFormatName, name: &str) -> Result<ExitCode, Failure> {
    let is_json = format == AnswerFormatName::Json;
    let notices = notices::told();
    if is_json {
        answer(|out| {
            begin(out, notices::header(name, None, &notices))?;
            write!(out, ",\n \"results\": [")
        })?;
    }
    let mut count = Count::default();
    for (at, one) in all.iter().enumerate() {
        let known = work.of(&one.name)?;
        count.add(&known);
        answer(|out| match is_json {
            true => write!(out, "{}\n{:#}", if at == 0 { "" } else { "," }, report::json(&one.name, &known)),
            false => report::text(out, &one.name, &known),
        })?;
    }
    answer(|out| if is_json { writeln!(out, "]}}") } else { count.text(out) })?;
    let [_, violated, unknown] = count.functions;
    Ok(code(violated > 0, unknown > 0))
}
