//! `puch abstract`, and C programs with predicates as inputs of other commands.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, anyhow, bail};
use puch::abstraction::{
    Edges, Method, Predicate, Reuse, System, Tuning, abstracted_again, boolean, influential, predicate, read,
};
use puch::c;
use puch::c::program::Overflow;
use puch::check::Options;
use puch::limits::Limits;
use puch::question::{Failures, chosen};
use puch::refinement::Proof;
use puch::refinement::reproof::proof_over;
use puch::refinement::undefined::{told, undefined};

use super::args::{AbstractArgs, AbstractedArgs, CArgs, InputArgs, PredicateArgs};
use super::c_input::{CInput, CLoaded, name_of};
use super::choices::{AbstractionName, AnswerFormatName, EdgesName, OverflowName};
use super::guard::{self, Gate, Progress};
use super::smt::Solving;
use super::texts::{rendered, text_of};
use super::{FINE, Failure, UNKNOWN, notices, tell};

/// What is abstracted, and how.
#[derive(Clone, Debug)]
pub struct Meant {
    input: CInput,
    predicates: Given,
    method: Method,
    cubes: usize,
    overflow: Overflow,
    limits: Limits,
    solving: Solving,
    /// Whether predicates without influence are left out; then they are told of, unless nobody wants to know.
    influential: Option<Told>,
}

/// Whether somebody wants to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    Yes,
    No,
}

/// Where predicates come from.
#[derive(Clone, Debug)]
pub enum Given {
    /// The conditions of the program.
    Guards,
    /// A file.
    File(PathBuf),
}

impl Given {
    /// What `--predicates` means.
    pub fn meant(file: &Path) -> Given {
        if file.as_os_str() == "guards" { Given::Guards } else { Given::File(file.to_owned()) }
    }

    /// The predicates over a program.
    pub fn predicates(&self, program: &mut c::Program) -> Result<Vec<Predicate>, Failure> {
        let Given::File(file) = self else { return Ok(predicate::guards(program)) };
        let text = text_of(file)?;
        read::read(program, &text).map_err(|complaints| {
            let name = file.display().to_string();
            let errors = if complaints.len() == 1 { "an error".into() } else { format!("{} errors", complaints.len()) };
            let closing = format!("error: `{name}` cannot be read because of {errors}");
            Failure::Diagnosed(rendered(&name, &text, &complaints) + &closing)
        })
    }
}

/// `puch abstract`
pub fn run(args: AbstractArgs) -> Result<ExitCode, Failure> {
    let progress = if args.loudness.quiet { Progress::Silent } else { Progress::Shown };
    let (limits, granted) = (guard::limits(&args.limits, Instant::now()), guard::granted(&args.limits));
    let name = args.input.files.first().map_or_else(String::new, |file| name_of(file));
    let meant = Meant::new(CInput::meant(args.input)?, &args.predicates, limits, args.stats)?;
    let (output, format) = (args.output, args.format);
    let input_name = name.clone();
    let work = move |gate: &Gate| {
        gate.stage("reading");
        let loaded = meant.input.load()?;
        gate.stage("abstracting");
        let (made, _) = meant.abstracted(loaded)?;
        let text = made.text();
        let stop = limits.met();
        gate.answer();
        let met = stop.map(|stop| granted.met(stop.into()));
        if let Some(met) = &met {
            let coarse = "what was not computed by then may come out in any way in this Boolean program";
            tell(&format!("warning: {}: {coarse}; it has every run of the C program all the same", met.why));
        }
        match output {
            Some(file) => {
                std::fs::write(&file, &text).with_context(|| format!("cannot write `{}`", file.display()))?;
            }
            None => notices::written(format, &name, met.as_ref(), "bp", text.as_bytes())?,
        }
        Ok(ExitCode::from(if met.is_some() { UNKNOWN } else { FINE }))
    };
    guard::guarded(limits, progress, work, move |stop| {
        if format == AnswerFormatName::Json {
            return notices::stopped(format, &input_name, granted, stop);
        }
        tell(&format!("error: {stop}"));
        Ok(ExitCode::from(UNKNOWN))
    })
}

/// What is one step, as it is meant.
pub fn edges(name: EdgesName) -> Edges {
    match name {
        EdgesName::Statement => Edges::Statement,
        EdgesName::Path => Edges::Path,
        EdgesName::Loop => Edges::Loop,
    }
}

/// How updates are computed, as it is meant.
pub fn method(args: &PredicateArgs) -> Method {
    match args.abstraction {
        AbstractionName::Auto => Method::Auto,
        AbstractionName::Cartesian => Method::Cartesian,
        AbstractionName::Exact => Method::Exact,
    }
}

/// What overflows are, as it is meant.
pub fn overflow(args: &PredicateArgs) -> Overflow {
    reading(args.overflow.unwrap_or(OverflowName::Wrap))
}

/// What overflows are by that name.
pub fn reading(name: OverflowName) -> Overflow {
    match name {
        OverflowName::Wrap => Overflow::Wrap,
        OverflowName::Assume => Overflow::Assume,
        OverflowName::Check => Overflow::Check,
    }
}

/// The abstraction of a C program.
pub struct Abstracted {
    /// As a system, with the places of the C program.
    pub system: System,
    /// The text of the C program's first file.
    pub text: String,
    /// What verdicts about it take on trust.
    pub unverified: Vec<puch::run::Trusted>,
}

impl Meant {
    fn new(input: CInput, args: &PredicateArgs, limits: Limits, stats: bool) -> anyhow::Result<Meant> {
        let predicates = match &args.predicates {
            Some(file) => Given::meant(file),
            None => bail!("`--predicates` is missing: a file, or `guards` for the conditions of the program"),
        };
        let (method, overflow) = (method(args), overflow(args));
        let solving = Solving { second: args.smt, stats };
        Ok(Meant { input, predicates, method, cubes: args.cubes, overflow, limits, solving, influential: None })
    }

    /// One C program among inputs of other kinds.
    pub fn of(args: InputArgs, c: AbstractedArgs, limits: Limits, stats: bool) -> anyhow::Result<Meant> {
        let AbstractedArgs { reading, predicates, further_files } = c;
        let files = std::iter::once(args.file).chain(further_files).collect();
        let InputArgs { input_format, entry, define, .. } = args;
        let input = CArgs { files, input_format, reading, entry, define };
        Meant::new(CInput::meant(input)?, &predicates, limits, stats)
    }

    /// Its abstraction, as a system with the places of the C program; its own text.
    pub fn load(&self) -> Result<Abstracted, Failure> {
        let (made, loaded) = self.abstracted(self.input.load()?)?;
        let system = System::of(&made, &loaded.program.files)
            .map_err(|complaints| Failure::Diagnosed(rendered("abstraction", &made.text(), &complaints)))?;
        let text = loaded.texts.into_iter().next().map_or_else(String::new, |(_, text)| text);
        Ok(Abstracted { system, text, unverified: loaded.program.unverified })
    }

    /// Where runs of the abstraction do something undefined past which none goes, in words; nothing if none does. A limit that is met
    /// leaves it open.
    pub fn undefined(&self, options: &Options) -> Result<Option<String>, Failure> {
        if self.overflow == Overflow::Check {
            return Ok(None);
        }
        let mut loaded = self.input.load()?;
        let predicates = self.given(&mut loaded.program)?;
        let tuning = self.tuning()?;
        let mut reuse = Reuse::new(&loaded.program);
        let met = undefined(&loaded.program, &predicates, self.overflow, (&tuning, options), &mut reuse);
        self.solving.concluded(&tuning.bounds)?;
        Ok(told(&loaded.program, &met.map_err(|error| anyhow!("{error}"))?))
    }

    /// Whether what is known in its abstraction, in which no assertion fails, is proved about the program itself; why not, in words.
    pub fn unproved(&self, options: &Options) -> Result<Option<String>, Failure> {
        let CLoaded { mut program, .. } = self.input.load()?;
        let predicates = self.given(&mut program)?;
        let tuning = self.tuning()?;
        let predicates = influential(&program, &predicates, self.overflow, &mut Reuse::new(&program));
        let proof = proof_over(&program, &predicates, self.overflow, &tuning, options);
        Ok(match proof.map_err(|error| anyhow!("{error}"))? {
            Proof::Once(why) => Some(format!("what holds was not proved a second time: {why}")),
            Proof::Again(_) | Proof::Executed(_) | Proof::Nothing => None,
        })
    }

    /// The same for verdicts only: predicates that can have influence on no condition are left out.
    pub fn for_verdicts(self, quiet: bool) -> Meant {
        Meant { influential: Some(if quiet { Told::No } else { Told::Yes }), ..self }
    }

    /// The predicates; of the program all is asked that is undefined, where that is an error.
    fn given(&self, program: &mut c::Program) -> Result<Vec<Predicate>, Failure> {
        let predicates = self.predicates.predicates(program)?;
        if self.overflow == Overflow::Check {
            *program = chosen(program, Failures::All, self.overflow);
        }
        Ok(predicates)
    }

    fn tuning(&self) -> anyhow::Result<Tuning> {
        Ok(Tuning {
            method: self.method,
            cubes: self.cubes,
            bounds: self.solving.bounds(self.limits)?,
            ..Tuning::default()
        })
    }

    /// The Boolean program, and the C program with its texts.
    fn abstracted(&self, loaded: CLoaded) -> Result<(boolean::Program, CLoaded), Failure> {
        let CLoaded { mut program, texts } = loaded;
        let predicates = self.given(&mut program)?;
        let tuning = self.tuning()?;
        let mut reuse = Reuse::new(&program);
        let predicates = self.tracked(&program, predicates, &mut reuse);
        let made = abstracted_again(&program, &predicates, self.overflow, &tuning, &mut reuse);
        self.solving.concluded(&tuning.bounds)?;
        if made.is_cut {
            return Err(anyhow!("a limit was met before the abstraction was made").into());
        }
        Ok((made, CLoaded { program, texts }))
    }

    /// Those that are wanted.
    fn tracked(&self, program: &c::Program, all: Vec<Predicate>, reuse: &mut Reuse) -> Vec<Predicate> {
        let Some(told) = self.influential else { return all };
        let tracked = influential(program, &all, self.overflow, reuse);
        let left_out = all.iter().filter(|predicate| !tracked.contains(predicate)).map(|predicate| &*predicate.text);
        let left_out: Vec<&str> = left_out.collect();
        if told == Told::Yes && !left_out.is_empty() {
            tell(&format!(
                "note: of {} predicates {} can have influence on no condition and are not tracked: {}",
                all.len(),
                left_out.len(),
                left_out.join(", ")
            ));
        }
        tracked
    }
}
