//! `puch abstract`, and `puch check` of C programs with predicates.

use std::path::PathBuf;
use std::process::ExitCode;
use std::rc::Rc;
use std::time::Instant;

use anyhow::{Context, anyhow, bail};
use puch::abstraction::boolean::lowered;
use puch::abstraction::{Method, Predicate, Text, Tuning, abstracted, predicate, read};
use puch::bitvec::Bounds;
use puch::c::program::{Overflow, Program};
use puch::c::types::{Type, TypeId};
use puch::check::{self, Answer, Options, Property, TraceWish, Verdict};
use puch::limits::{Limits, Reason};
use puch::places::{self, Naming};
use puch::report::present::{Asked, Calls, Finding, Kind, Wish};
use puch::report::source::Source;
use puch::report::view::View;
use puch::report::{json, text};

use super::args::{AbstractArgs, CheckArgs, PredicateArgs, PropertyTyped};
use super::c_input::{CInput, CLoaded};
use super::choices::{AbstractionName, CallsName, FormatName, OverflowName, TraceName};
use super::guard::{self, Gate, Progress};
use super::input::{rendered, text_of};
use super::{FINE, Failure, UNKNOWN, answer, tell};

/// What is abstracted, and how.
#[derive(Clone, Debug)]
struct Meant {
    input: CInput,
    predicates: Given,
    method: Method,
    cubes: usize,
    overflow: Overflow,
}

/// Where predicates come from.
#[derive(Clone, Debug)]
enum Given {
    /// The conditions of the program.
    Guards,
    /// A file.
    File(PathBuf),
}

/// `puch abstract`
pub fn run(args: AbstractArgs) -> Result<ExitCode, Failure> {
    let progress = if args.loudness.quiet { Progress::Silent } else { Progress::Shown };
    let meant = Meant::new(CInput::meant(args.input, args.loudness.quiet)?, &args.predicates)?;
    let output = args.output;
    let limits = guard::default_limits();
    let work = move |gate: &Gate| {
        gate.stage("reading");
        let loaded = meant.input.load()?;
        gate.stage("abstracting");
        let (text, _) = meant.abstracted(loaded, &limits)?;
        gate.answer();
        match output {
            Some(file) => {
                std::fs::write(&file, &text.text).with_context(|| format!("cannot write `{}`", file.display()))?;
            }
            None => answer(|out| out.write_all(text.text.as_bytes()))?,
        }
        Ok(ExitCode::from(FINE))
    };
    guard::guarded(limits, progress, work, |stop| {
        tell(&format!("error: {stop}"));
        Ok(ExitCode::from(UNKNOWN))
    })
}

impl Meant {
    fn new(input: CInput, args: &PredicateArgs) -> anyhow::Result<Meant> {
        let predicates = match &args.predicates {
            Some(file) if file.as_os_str() == "guards" => Given::Guards,
            Some(file) => Given::File(file.clone()),
            None => bail!("`--predicates` is missing: a file, or `guards` for the conditions of the program"),
        };
        let method = match args.abstraction {
            AbstractionName::Auto => Method::Auto,
            AbstractionName::Cartesian => Method::Cartesian,
            AbstractionName::Exact => Method::Exact,
        };
        let overflow = match args.overflow {
            OverflowName::Wrap => Overflow::Wrap,
            OverflowName::Assume => Overflow::Assume,
            OverflowName::Check => Overflow::Check,
        };
        Ok(Meant { input, predicates, method, cubes: args.cubes, overflow })
    }

    /// The text of the Boolean program, and the C program with its texts.
    fn abstracted(&self, loaded: CLoaded, limits: &Limits) -> Result<(Text, CLoaded), Failure> {
        let CLoaded { mut program, texts } = loaded;
        if let Some(what) = without_objects(&program) {
            return Err(anyhow!("{what} could point anywhere, which no abstraction says yet: give it an object").into());
        }
        let predicates = self.predicates(&mut program)?;
        let limits = *limits;
        let stop = Rc::new(move || limits.is_late());
        let bounds = Bounds { stop: Some(stop), ..Bounds::default() };
        let tuning = Tuning { method: self.method, cubes: self.cubes, bounds };
        let text = abstracted(&program, &predicates, self.overflow, &tuning).text();
        Ok((text, CLoaded { program, texts }))
    }

    fn predicates(&self, program: &mut Program) -> Result<Vec<Predicate>, Failure> {
        let Given::File(file) = &self.predicates else { return Ok(predicate::guards(program)) };
        let text = text_of(file)?;
        read::read(program, &text).map_err(|complaints| {
            let name = file.display().to_string();
            let errors = if complaints.len() == 1 { "an error".into() } else { format!("{} errors", complaints.len()) };
            let closing = format!("error: `{name}` cannot be read because of {errors}");
            Failure::Diagnosed(rendered(&name, &text, &complaints) + &closing)
        })
    }
}

/// A pointer with an arbitrary value at the start: where it points there is no object, and no run would pass it.
fn without_objects(program: &Program) -> Option<String> {
    let formals = program.procedures[program.main.0 as usize].formals.iter();
    let arbitrary = formals.chain(&program.external).map(|id| &program.variables[id.0 as usize]);
    let holds_pointers = |ty: TypeId| !matches!(program.types.get(ty), Type::Integer(_) | Type::Opaque(_));
    arbitrary.into_iter().find(|variable| holds_pointers(variable.ty)).map(|variable| format!("`{}`", variable.name))
}

/// `puch check` of a C program. What is found on the abstraction is not known of the program.
pub fn check(args: CheckArgs, order: &[PropertyTyped]) -> Result<ExitCode, Failure> {
    let began = Instant::now();
    let progress = if args.loudness.quiet { Progress::Silent } else { Progress::Shown };
    let assertions = [PropertyTyped::Assertions];
    let typed = if order.is_empty() { &assertions[..] } else { order };
    if let Some(other) =
        typed.iter().find(|typed| !matches!(typed, PropertyTyped::Assertions | PropertyTyped::Reach(_)))
    {
        let what = if matches!(other, PropertyTyped::Termination) { "--termination" } else { "formulas" };
        return Err(
            anyhow!("of C programs `--assertions` and `--reach` are decided on an abstraction, not {what}").into()
        );
    }
    let typed = typed.to_vec();
    if args.assume.is_some() || args.format == FormatName::Bebop {
        let option = if args.assume.is_some() { "--assume" } else { "--format bebop" };
        return Err(anyhow!("`{option}` is not about C programs").into());
    }
    let input = CInput::of_file(args.input.file.clone(), args.input.entry.clone(), args.loudness.quiet)?;
    let meant = Meant::new(input, &args.c)?;
    let limits = super::check::limits(&args.limits, began);
    let calls = match args.trace_calls {
        None => Calls::Auto,
        Some(CallsName::Full) => Calls::Full,
        Some(CallsName::Folded) => Calls::Folded,
    };
    let wish = Wish { calls, limit: args.trace_steps };
    let (format, quiet) = (args.format, args.loudness.quiet);
    let detail = if args.loudness.verbose { text::Detail::All } else { text::Detail::Brief };
    let work = move |gate: &Gate| {
        gate.stage("reading");
        let loaded = meant.input.load()?;
        gate.stage("abstracting");
        let (text, loaded) = meant.abstracted(loaded, &limits)?;
        let read = lowered(&text, &loaded.program.files)
            .map_err(|complaints| Failure::Diagnosed(rendered("abstraction", &text.text, &complaints)))?;
        if !(read.has_asserts || quiet) && typed.contains(&PropertyTyped::Assertions) {
            tell(&format!("warning: `{}` has no assertions: none can fail", args.input.file.display()));
        }
        gate.stage("searching");
        let mut properties = Vec::new();
        for typed in &typed {
            properties.push(match typed {
                PropertyTyped::Reach(place) => match places::resolve(&read.spds, place, Naming::Program) {
                    Ok(targets) => Property::Reach(targets),
                    Err(error) => return Err(anyhow!("{error}").into()),
                },
                _ => Property::Assertions,
            });
        }
        let trace = match args.trace {
            TraceName::None => TraceWish::None,
            TraceName::Any => TraceWish::Any,
            TraceName::Shortest => TraceWish::Shortest,
        };
        let options = Options { limits, trace, trace_steps: args.trace_steps, ..Options::default() };
        let outcome = check::check_and_tell(&read.spds, &properties, &options, &|_, _| {})
            .map_err(|error| Failure::Error(anyhow::Error::new(error)))?;
        gate.answer();
        report(&typed, &outcome.answers, &read.spds, &loaded, Form { wish, format, detail })
    };
    guard::guarded(limits, progress, work, |stop| {
        answer(|out| writeln!(out, "unknown ({stop})"))?;
        Ok(ExitCode::from(UNKNOWN))
    })
}

/// How to say it.
#[derive(Clone, Copy)]
struct Form {
    wish: Wish,
    format: FormatName,
    detail: text::Detail,
}

fn report(
    typed: &[PropertyTyped],
    answers: &[Answer],
    spds: &spds_format::Spds,
    loaded: &CLoaded,
    form: Form,
) -> Result<ExitCode, Failure> {
    let view = View::new(spds, Naming::Program);
    let asked: Vec<Asked> = typed
        .iter()
        .map(|typed| match typed {
            PropertyTyped::Reach(place) => Asked { kind: Kind::Reach, property: place.clone() },
            _ => Asked { kind: Kind::Assertions, property: Kind::Assertions.name().into() },
        })
        .collect();
    let only = Verdict::Unknown(Reason::Abstraction);
    let mut findings: Vec<Finding<'_>> = Vec::new();
    for (asked, answer) in asked.iter().zip(answers) {
        let mut finding = Finding::new(&view, asked, answer, form.wish);
        if finding.verdict.claims_run() {
            finding.verdict = &only;
        }
        findings.push(finding);
    }
    let (name, text) = loaded.texts.first().map_or(("", ""), |(name, text)| (name.as_str(), text.as_str()));
    let source = Source::new(name, text);
    answer(|out| match form.format {
        FormatName::Json => {
            let header = json::Header { version: env!("CARGO_PKG_VERSION"), input: name, seconds: None };
            json::write(out, &view, header, &findings)
        }
        _ => text::write(out, &view, Some(&source), &findings, form.detail),
    })?;
    let unknown = findings.iter().any(|finding| matches!(finding.verdict, Verdict::Unknown(_)));
    Ok(ExitCode::from(if unknown { UNKNOWN } else { FINE }))
}
