//! `puch check FILES --functions`

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use anyhow::{anyhow, bail};
use puch::abstraction::Tuning;
use puch::c::program::Overflow;
use puch::c::{self, Defined, Program};
use puch::functions::closed::closed;
use puch::functions::{self, Answer, contract};
use puch::limits::Limits;
use puch::nullness::{Kind, Options};
use puch::options::TraceWish;
use puch::question::assumed;
use puch::report::functions::{Count, Told};
use puch::report::json::begin;
use puch::verdict::Why;
use spds_format::Diagnostic;

use super::args::{CArgs, CheckArgs, PropertyTyped};
use super::c_input::{CInput, CText, name_of};
use super::check::options;
use super::choices::{AnswerFormatName, FormatName};
use super::guard::{self, Progress};
use super::inferred::Inferred;
use super::kept::Kept;
use super::smt::Solving;
use super::texts::{rendered, text_of};
use super::{Failure, answer, code, notices, pool, tell};

/// As much as the guard gives to who works alone.
const STACK: usize = 16 << 20;

/// Seconds for each function, unless somebody says how many.
const SECONDS: u64 = 10;

/// Objects one behind the other, unless somebody says how many.
const DEEP: usize = 2;

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
    /// How abstractions are searched, which never changes an answer.
    search: puch::Options,
    /// How uses can go wrong that are asked about.
    kinds: BTreeSet<Kind>,
    said: Said,
    kept: Option<Kept>,
    /// What reading has warned of, which is told once.
    warned: Mutex<HashSet<String>>,
}

/// What is said about functions beside the files.
#[derive(Clone, Debug, Default)]
struct Said {
    /// The name and the text of a file of contracts.
    contracts: Option<(String, String)>,
    /// What is assumed where a function is entered.
    assume: Option<String>,
}

impl Said {
    fn read(args: &CheckArgs) -> Result<Said, Failure> {
        let contracts = args.functions.contracts.as_deref();
        let contracts =
            contracts.map(|file| Ok::<_, Failure>((file.display().to_string(), text_of(file)?))).transpose()?;
        Ok(Said { contracts, assume: args.assume.clone() })
    }

    /// Puts it into a program.
    fn put(&self, program: &mut Program, texts: &[CText]) -> Result<(), Failure> {
        contract::read::read_written(program).map_err(|complaints| {
            let mut told = String::new();
            for (unit, text) in texts.iter().enumerate() {
                let own = complaints.iter().filter(|(of, _)| *of == unit).map(|(_, complaint)| complaint.clone());
                let own: Vec<Diagnostic> = own.collect();
                let unit = text.unit();
                told += &rendered(unit.name, unit.text, &own);
            }
            wrong(told, "the files", complaints.len())
        })?;
        if let Some((name, text)) = &self.contracts {
            contract::read::read(program, name, text).map_err(|complaints| {
                wrong(rendered(name, text, &complaints), &format!("`{name}`"), complaints.len())
            })?;
        }
        if let Some(text) = &self.assume {
            let condition = assumed::read(program, text)
                .map_err(|complaint| Failure::Diagnosed(rendered("--assume", text, &[*complaint])))?;
            program.assumed.push(condition);
        }
        Ok(())
    }
}

/// What cannot be read.
fn wrong(told: String, what: &str, count: usize) -> Failure {
    let errors = if count == 1 { "an error".into() } else { format!("{count} errors") };
    Failure::Diagnosed(format!("{told}error: {what} cannot be read because of {errors}"))
}

impl Work {
    /// The program that begins in a function, or the first thing that is wrong with what it leads to.
    fn program(&self, name: &str) -> Result<Result<Program, String>, Failure> {
        let units: Vec<c::Unit<'_>> = self.texts.iter().map(CText::unit).collect();
        let contracts = self.said.contracts.as_ref().map_or("", |(_, text)| text);
        let contracted = contract::read::names(contracts).into_iter().collect();
        let reading = c::Options { main: Some(name.to_owned()), open: true, contracted, ..self.reading.clone() };
        match c::read(&units, &reading) {
            Ok(c::Read { mut program, warnings }) => {
                self.warn(&units, warnings);
                self.said.put(&mut program, &self.texts)?;
                Ok(Ok(program))
            }
            Err(wrong) => {
                let first = wrong.iter().find(|(_, complaint)| complaint.is_error());
                Ok(Err(first.map_or_else(String::new, |(_, complaint)| complaint.message.clone())))
            }
        }
    }

    /// Tells what was not told before.
    fn warn(&self, units: &[c::Unit<'_>], warnings: c::Complained) {
        for (unit, warning) in warnings {
            let Some(unit) = units.get(unit) else { continue };
            let told = rendered(unit.name, unit.text, &[warning]);
            let is_new = self.warned.lock().is_ok_and(|mut warned| warned.insert(told.clone()));
            if is_new {
                tell(told.trim_end());
            }
        }
    }

    /// What was found of a function, as lines of a file of contracts.
    fn inferred(&self, told: &Told) -> Result<String, Failure> {
        let conditions: Vec<&str> = told.obligations.iter().map(|one| one.condition.as_str()).collect();
        match self.program(&told.property)? {
            Ok(mut program) if !conditions.is_empty() => Ok(contract::inferred::lines(&mut program, &conditions)),
            _ => Ok(String::new()),
        }
    }

    /// What is told of a function.
    fn of(&self, name: &str) -> Result<Told, Failure> {
        let own = Instant::now().checked_add(self.each);
        let deadline = [own, self.limits.deadline].into_iter().flatten().min();
        let limits = Limits { deadline, ..self.limits };
        let program = match self.program(name)? {
            Ok(program) => program,
            Err(first) => {
                let sentence = format!("what it leads to cannot be read: {first}");
                return Ok(Told::of(name, &Answer::unknown(Why { sentence, kind: "unsupported" }), &self.kinds));
            }
        };
        let kept = self.kept.as_ref().map(|kept| (kept, closed(&program), self.how()));
        if let Some(told) = kept.as_ref().and_then(|(kept, closed, how)| kept.known(closed, how)) {
            return Ok(told);
        }
        let usual = Options::default();
        let tuning = Tuning { bounds: self.solving.bounds(limits)?, ..usual.tuning };
        let check = puch::Options { limits, trace: usual.check.trace, ..self.search.clone() };
        let (malloc, kinds) = (self.reading.malloc, self.kinds.clone());
        // Where arithmetic is asked about, no run goes past a result that its type does not have.
        let overflow = if kinds.contains(&Kind::Overflow) { Overflow::Assume } else { usual.overflow };
        let options = Options { tuning, check, malloc, kinds, overflow, ..usual };
        let answer = functions::analyse(&program, self.deep, &options);
        self.solving.concluded(&options.tuning.bounds)?;
        let told = Told::of(name, &answer, &self.kinds);
        if let Some((kept, closed, how)) = kept.filter(|_| !answer.is_stopped) {
            kept.keep(&closed, &how, &told)?;
        }
        Ok(told)
    }

    /// All options on which answers depend that no limit has stopped.
    fn how(&self) -> String {
        format!("{} {:?} {:?} {:?}", self.deep, self.reading.malloc, self.solving.second, self.kinds)
    }

    /// What is told of all of them, in their order, each as soon as it is known: so many are looked at at a time.
    fn all(
        &self,
        names: &[Defined],
        jobs: usize,
        tell: &mut dyn FnMut(usize, &Told) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            let (told, known) = channel();
            for _ in 0..jobs.min(names.len()) {
                let (told, next) = (told.clone(), &next);
                let work = move || {
                    let taken = || next.fetch_add(1, Ordering::Relaxed);
                    for (at, one) in std::iter::from_fn(|| Some(taken())).map_while(|at| Some((at, names.get(at)?))) {
                        if told.send((at, self.of(&one.name))).is_err() {
                            return;
                        }
                    }
                };
                let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
                thread.map_err(|error| anyhow!("cannot start a thread: {error}"))?;
            }
            drop(told);
            let mut early = BTreeMap::new();
            let mut due = 0;
            for (at, answer) in known {
                early.insert(at, answer);
                while let Some(answer) = early.remove(&due) {
                    tell(due, &answer?)?;
                    due += 1;
                }
            }
            Ok(())
        })
    }
}

/// Complains about options that would do nothing.
fn refuse(args: &CheckArgs) -> Result<(), Failure> {
    if !args.input.is_c() {
        return Err(anyhow!("`--functions` is about C programs").into());
    }
    let (predicates, refinement) = (&args.c.predicates, &args.refinement);
    let typed = [
        ("a property", args.properties.iter().any(|property| !matches!(property, PropertyTyped::Failures(_)))),
        ("`--entry`", args.input.entry.is_some()),
        ("`--predicates`", predicates.predicates.is_some()),
        ("`--overflow`", predicates.overflow.is_some()),
        ("`--rounds`", refinement.rounds.is_some()),
        ("`--edges`", refinement.edges.is_some()),
        ("`--keep`", refinement.keep.is_some()),
        ("`--harness`", refinement.harness.is_some()),
        ("`--witness`", refinement.witness.is_some()),
        ("`--certificate`", args.certificate.is_some()),
        ("`--verify`", args.verify),
        ("`--each`", args.each),
    ];
    match typed.iter().find(|(_, typed)| *typed) {
        Some((option, _)) => {
            let asked = "of functions by themselves it is asked what `--check` says, whoever calls";
            Err(anyhow!("{option} does not go with `--functions`: {asked}").into())
        }
        None => Ok(()),
    }
}

/// What is asked: all that is so common that nobody has to say it, unless somebody says what.
fn kinds(args: &CheckArgs) -> BTreeSet<Kind> {
    let typed = args.properties.iter().filter_map(|property| match property {
        PropertyTyped::Failures(kind) => Some(kind.meant()),
        _ => None,
    });
    let typed: BTreeSet<Kind> = typed.collect();
    // What is freed takes time from other questions.
    let not_usual = [Kind::Overflow, Kind::UseAfterFree, Kind::DoubleFree];
    let usual = || Kind::ALL.into_iter().filter(|kind| !not_usual.contains(kind)).collect();
    if typed.is_empty() { usual() } else { typed }
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
    refuse(&args)?;
    let progress = if args.loudness.quiet { Progress::Silent } else { Progress::Shown };
    let wanted = Wanted { names: args.functions.function.clone(), public: args.functions.public };
    let (limits, granted) = (guard::limits(&args.limits, Instant::now()), guard::granted(&args.limits));
    let solving = Solving { second: args.c.predicates.smt, stats: args.stats };
    let (each, deep) = (args.functions.function_timeout.unwrap_or(SECONDS), args.functions.deep.unwrap_or(DEEP));
    let each = Duration::from_secs(each);
    let jobs = args.jobs.unwrap_or_else(pool::default_jobs);
    let (kinds, search) = (kinds(&args), options(&args, limits));
    let is_shown = search.trace != TraceWish::None;
    let kept = args.functions.cache.as_deref().map(Kept::folder).transpose()?;
    let said = Said::read(&args)?;
    let infer = args.functions.infer.clone();
    let known = said.contracts.as_ref().map_or("", |(_, text)| text);
    let mut inferred = infer.map(|file| Inferred::file(file, known));
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
        let work =
            Work { texts, reading, solving, limits, each, deep, search, kinds, said, kept, warned: Mutex::default() };
        // What is wrong with what is said is wrong for all of them.
        for one in &all {
            if work.program(&one.name)?.is_ok() {
                break;
            }
        }
        told(&work, &all, jobs, (format, is_shown, inferred.as_mut()), &name)
    };
    guard::guarded(limits, progress, work, move |stop| notices::stopped(format, &input_name, granted, stop))
}

/// Each answer as soon as it is known, with its runs if these are shown.
fn told(
    work: &Work,
    all: &[Defined],
    jobs: usize,
    (format, is_shown, mut inferred): (AnswerFormatName, bool, Option<&mut Inferred>),
    name: &str,
) -> Result<ExitCode, Failure> {
    let is_json = format == AnswerFormatName::Json;
    let notices = notices::told();
    if is_json {
        answer(|out| {
            begin(out, notices::header(name, None, &notices))?;
            write!(out, ",\n \"results\": [")
        })?;
    }
    let mut count = Count::default();
    work.all(all, jobs, &mut |at, told| {
        count.add(told);
        if let Some(inferred) = &mut inferred {
            inferred.add(&work.inferred(told)?);
        }
        let told = &if is_shown { told.clone() } else { told.clone().without_runs() };
        Ok(answer(|out| match is_json {
            true => {
                writeln!(out, "{}", if at == 0 { "" } else { "," })?;
                serde_json::to_writer_pretty(out, told).map_err(std::io::Error::from)
            }
            false => told.text(out),
        })?)
    })?;
    answer(|out| if is_json { writeln!(out, "]}}") } else { count.text(out) })?;
    if let Some(inferred) = inferred {
        inferred.write()?;
    }
    let [_, violated, unknown] = count.functions;
    Ok(code(violated > 0, unknown > 0))
}
