//! `puch check FILES --functions`

mod bottom_up;
mod harnessed;
mod output;
mod work;

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{anyhow, bail};
use puch::c::Defined;
use puch::c_problem::functions::{Entered, Functions, Options};
use puch::functions::contract::inferred;
use puch::nullness::Kind;
use puch::options::TraceWish;
use puch::report::functions::{Count, Told};

use super::args::{CArgs, CheckArgs, PropertyTyped};
use super::c_input::{CInput, CText, name_of};
use super::check::options;
use super::choices::CheckedName;
use super::guard::{self, Gate, Progress};
use super::inferred::Inferred;
use super::smt::Solving;
use super::texts::mistaken;
use super::{Failure, code, pool};
use bottom_up::BottomUp;
use harnessed::Harnessed;
pub use output::{Form, Output};
pub use work::{Said, Work, in_order};

/// Which functions are asked about.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// These; none for all.
    pub names: Vec<String>,
    /// Those that other files can call.
    pub public: bool,
}

impl Wanted {
    /// Those of a program.
    ///
    /// # Errors
    /// If there is none of a name.
    pub fn of<'a>(&self, all: &'a [Defined]) -> anyhow::Result<Vec<&'a Defined>> {
        self.refuse(all)?;
        Ok(all.iter().filter(|one| self.is(one)).collect())
    }

    /// Complains about names of which there is no function.
    ///
    /// # Errors
    /// If there is one.
    pub fn refuse(&self, all: &[Defined]) -> anyhow::Result<()> {
        for name in &self.names {
            if !all.iter().any(|one| *one.name == **name) {
                let known: Vec<String> = all.iter().map(|one| format!("`{}`", one.name)).collect();
                let known = if known.is_empty() { "none is defined".to_owned() } else { known.join(", ") };
                bail!("no function `{name}` is defined; there are: {known}");
            }
        }
        Ok(())
    }

    /// Whether it is one of them.
    pub fn is(&self, one: &Defined) -> bool {
        (self.names.is_empty() || self.names.iter().any(|name| *one.name == **name)) && !(self.public && one.internal)
    }
}

/// Complains about options that would do nothing.
fn refuse(args: &CheckArgs) -> Result<(), Failure> {
    if !args.input.is_c() {
        return Err(anyhow!("`--functions` is about C programs").into());
    }
    let (predicates, refinement) = (&args.c.predicates, &args.refinement);
    let typed = [
        ("a property", args.properties.iter().any(|property| !is_of_functions(property))),
        ("`--entry`", args.input.entry.is_some()),
        ("`--predicates`", predicates.predicates.is_some()),
        ("`--overflow`", predicates.overflow.is_some()),
        ("`--rounds`", refinement.rounds.is_some()),
        ("`--edges`", refinement.edges.is_some()),
        ("`--keep`", refinement.keep.is_some()),
        ("`--witness`", refinement.witness.is_some()),
        ("`--certificate`", args.certificate.is_some()),
        ("`--verify`", args.verify),
        ("`--each`", args.each),
    ];
    let is_failure = |property: &PropertyTyped| matches!(property, PropertyTyped::Failures(_));
    let is_endless = args.properties.contains(&PropertyTyped::Termination);
    if is_endless && (args.properties.iter().any(is_failure) || args.functions.infer.is_some()) {
        return Err(anyhow!("whether functions end is asked alone: not with `--check`, nor with `--infer`").into());
    }
    match typed.iter().find(|(_, typed)| *typed) {
        Some((option, _)) => {
            let asked = "of functions by themselves it is asked what `--check` says, or `--termination`, whoever calls";
            Err(anyhow!("{option} does not go with `--functions`: {asked}").into())
        }
        None => Ok(()),
    }
}

fn is_of_functions(property: &PropertyTyped) -> bool {
    matches!(property, PropertyTyped::Failures(_) | PropertyTyped::Termination)
}

/// What is asked: all that is so common that nobody has to say it, unless somebody says what.
pub fn kinds(typed: impl Iterator<Item = CheckedName>) -> BTreeSet<Kind> {
    let typed: BTreeSet<Kind> = typed.map(CheckedName::meant).collect();
    if typed.is_empty() { Options::default().kinds } else { typed }
}

/// The functions of files.
///
/// # Errors
/// All that is wrong with the files.
pub fn functions(input: &CInput) -> Result<Functions, Failure> {
    let (texts, reading) = input.texts()?;
    let units: Vec<_> = texts.iter().map(CText::unit).collect();
    Functions::files(&units, reading).map_err(|wrong| mistaken(&wrong))
}

/// `puch check FILES --functions`
///
/// Exit codes: 0 all hold, 1 some function fails although its obligations are kept, 3 of some it is not known.
pub fn check(args: CheckArgs) -> Result<ExitCode, Failure> {
    let form = Form::of(args.format)?;
    refuse(&args)?;
    let progress = if args.loudness.quiet { Progress::Silent } else { Progress::Shown };
    let wanted = Wanted { names: args.functions.function.clone(), public: args.functions.public };
    let (limits, granted) = (guard::limits(&args.limits, Instant::now()), guard::granted(&args.limits));
    let typed = args.properties.iter().filter_map(|property| match property {
        PropertyTyped::Failures(kind) => Some(*kind),
        _ => None,
    });
    let termination = args.properties.contains(&PropertyTyped::Termination);
    let asked = Options { kinds: kinds(typed), termination, search: options(&args, limits), ..Options::default() };
    let is_shown = asked.search.trace != TraceWish::None;
    let solving = Solving { second: args.c.predicates.smt, stats: args.stats };
    let work = Work::meant(&args.functions.look, asked, solving)?;
    let jobs = args.jobs.unwrap_or_else(pool::default_jobs);
    let said = Said::read(&args.functions.look, args.assume.clone())?;
    let known = said.contracts.as_ref().map_or("", |(_, text)| text);
    let inferred = args.functions.infer.clone().map(|file| Inferred::file(file, known));
    let name = name_of(&args.input.file);
    let input = CInput::meant(CArgs {
        files: args.files(),
        input_format: args.input.input_format,
        reading: args.c.reading,
        entry: None,
        define: args.input.define,
    })?;
    let harnessed = args.refinement.harness.clone().map(Harnessed::file);
    let input_name = name.clone();
    let work = move |gate: &Gate| {
        gate.stage("reading");
        let files = said.of(functions(&input)?, false);
        let all = wanted.of(files.defined())?;
        work.refuse(&files, &wanted)?;
        gate.answers();
        told(gate, (&work, &files), &all, jobs, Output::new(form, is_shown, name), Beside { inferred, harnessed })
    };
    guard::guarded(limits, progress, work, move |stop| form.stopped(&input_name, granted, stop))
}

/// What is written beside the answers.
struct Beside {
    inferred: Option<Inferred>,
    harnessed: Option<Harnessed>,
}

/// Each answer as soon as it is known.
fn told(
    gate: &Gate,
    (work, files): (&Work, &Functions),
    all: &[&Defined],
    jobs: usize,
    mut output: Output,
    mut beside: Beside,
) -> Result<ExitCode, Failure> {
    let names: Vec<&str> = all.iter().map(|one| &*one.name).collect();
    output.begin(None)?;
    let mut count = Count::default();
    let bottom_up = BottomUp::new(all);
    let known = |at: usize| {
        let mut turn = bottom_up.begin(at);
        let known = bottom_up.known(at);
        if let Some(told) = work.too_late(names[at]) {
            return Ok(told);
        }
        let limits = work.limits();
        let read = work.read(files, names[at])?;
        let told = work.told(files, (names[at], &known), &read, limits)?;
        turn.summary = told.summary();
        Ok(told)
    };
    in_order((gate, &names, bottom_up.order()), jobs, &known, &mut |told: Told| {
        count.add(&told);
        if let Some(inferred) = &mut beside.inferred {
            inferred.add(&lines(files, &told)?);
        }
        if let Some(harnessed) = &mut beside.harnessed {
            harnessed.add(&told)?;
        }
        let told = output.shown(told);
        output.add(&told, &told, |out| told.text(out))
    })?;
    gate.tell(|| output.end(|out| count.text(out), |_| Ok(())))?;
    if let Some(inferred) = beside.inferred {
        inferred.write()?;
    }
    let [_, violated, unknown] = count.functions;
    Ok(code(violated > 0, unknown > 0))
}

/// What was found of a function, as lines of a file of contracts.
fn lines(files: &Functions, told: &Told) -> Result<String, Failure> {
    let conditions: Vec<&str> = told.obligations.iter().map(|one| one.condition.as_str()).collect();
    match files.entered(&told.property).map_err(|wrong| mistaken(&wrong))? {
        Entered::Program(mut program, _) if !conditions.is_empty() => Ok(inferred::lines(&mut program, &conditions)),
        _ => Ok(String::new()),
    }
}
