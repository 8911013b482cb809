//! `puch facts` of a C program without predicates: its invariants.

use std::io;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::anyhow;
use puch::analyses::{Analysed, Analyses};
use puch::c::Program;
use puch::c::program::Statement;
use puch::limits::Reason;
use puch::refinement::invariants::told::{Telling, Told, told};
use puch::refinement::invariants::{Effort, Reach, Search};
use puch::report::c_invariants::{json, text};
use puch::source::Source;

use super::abstraction::overflow;
use super::args::{CArgs, FactsArgs, InputArgs};
use super::c_input::{CInput, CLoaded, name_of};
use super::choices::{AbstractionName, AnswerFormatName, EngineName, FlowFormatName, InputFormat};
use super::guard::{self, Gate, Progress};
use super::input::refuse_options_of_others;
use super::smt::Solving;
use super::{FINE, Failure, UNKNOWN, answer, notices, tell};

/// How hard is tried: some seconds.
const EFFORT: Effort = Effort { runs: 300, work: 5_000, reach: Reach::Cells };

/// Whether that is what is asked.
pub fn are_meant(args: &FactsArgs) -> bool {
    args.input.is_c() && args.c.predicates.predicates.is_none()
}

/// Exit codes: 0 all candidates were decided, 3 some took too much.
pub fn run(args: FactsArgs) -> Result<ExitCode, Failure> {
    let began = Instant::now();
    let format = match args.format {
        FlowFormatName::Text => AnswerFormatName::Text,
        FlowFormatName::Json => AnswerFormatName::Json,
        FlowFormatName::Dot | FlowFormatName::Svg => return Err(of_abstractions("a picture")),
    };
    refuse_options_of_abstractions(&args)?;
    let predicates = &args.c.predicates;
    let progress = if args.loudness.quiet { Progress::Silent } else { Progress::Shown };
    let (limits, granted) = (guard::limits(&args.limits, began), guard::granted(&args.limits));
    let (overflow, at, stats) = (overflow(predicates), args.at, args.stats);
    let solving = Solving { second: predicates.smt, stats };
    refuse_options_of_others(&args.input, Some(InputFormat::C))?;
    let InputArgs { file, input_format, entry, define, .. } = args.input;
    let name = name_of(&file);
    let files = std::iter::once(file).chain(args.c.further_files).collect();
    let input = CInput::meant(CArgs { files, input_format, reading: args.c.reading, entry, define })?;
    let input_name = name.clone();
    let work = move |gate: &Gate| {
        let bounds = solving.bounds(limits)?;
        gate.stage("reading");
        let CLoaded { program, texts } = input.load()?;
        gate.stage("searching");
        let wanted = wanted(&program, &at)?;
        let analyses = Analyses::of(&program);
        let of = Analysed::of(&program, &analyses);
        let Telling { told, cut_short } = told(&Search { of, overflow, bounds: &bounds, effort: EFFORT }, limits);
        let told = told.into_iter().filter(|told| at.is_empty() || wanted.iter().any(|place| place.is(told))).collect();
        let telling = Telling { told, cut_short };
        solving.concluded(&bounds)?;
        gate.answer();
        let seconds = began.elapsed().as_secs_f64();
        let reason = (!telling.cut_short.is_empty()).then(|| limits.met().map_or(Reason::Work, Reason::from));
        let met = reason.map(|reason| granted.met(reason));
        let sources: Vec<Source<'_>> = texts.iter().map(|(name, text)| Source::new(name, text)).collect();
        answer(|out| -> io::Result<()> {
            match format {
                AnswerFormatName::Text => text(out, &program.files, &sources, &telling, met.as_ref()),
                AnswerFormatName::Json => {
                    let notices = notices::told();
                    let header = notices::header(&name, stats.then_some(seconds), &notices);
                    json(out, &program.files, header, &telling, met.as_ref())
                }
            }
        })?;
        if stats {
            tell(&format!("seconds: {seconds:.3}"));
        }
        Ok(ExitCode::from(if met.is_some() { UNKNOWN } else { FINE }))
    };
    guard::guarded(limits, progress, work, move |stop| notices::stopped(format, &input_name, granted, stop))
}

/// An error for options that are about abstractions, or about systems.
fn refuse_options_of_abstractions(args: &FactsArgs) -> Result<(), Failure> {
    let predicates = &args.c.predicates;
    let others = [
        ("--dead-code", args.dead_code),
        ("--only-influential", args.only_influential),
        ("--terms", args.terms != TERMS),
        ("--bdd", args.bdd != EngineName::Auto),
        ("--abstraction", predicates.abstraction != AbstractionName::Auto),
        ("--cubes", predicates.cubes != CUBES),
    ];
    if let Some((option, _)) = others.into_iter().find(|(_, typed)| *typed) {
        return Err(of_abstractions(&format!("`{option}`")));
    }
    if args.assume.is_some() {
        return Err(anyhow!("`--assume` is not about C programs").into());
    }
    Ok(())
}

/// The terms of a formula, where nobody says how many.
const TERMS: usize = 1_000;

/// The predicates of an implication, where nobody says how many.
const CUBES: usize = 3;

fn of_abstractions(what: &str) -> Failure {
    anyhow!("{what} needs an abstraction of the C program: say `--predicates FILE`, or `--predicates guards`").into()
}

/// Which cut points are meant.
enum Wanted<'a> {
    Line(u32),
    /// In a procedure, or in any.
    Label(Option<&'a str>, &'a str),
}

impl Wanted<'_> {
    fn is(&self, told: &Told) -> bool {
        match *self {
            Wanted::Line(line) => told.place.line == line,
            Wanted::Label(procedure, label) => {
                procedure.is_none_or(|name| name == told.procedure) && told.labels.iter().any(|own| own == label)
            }
        }
    }
}

/// What was named; an error if the program has no such statement.
fn wanted<'a>(program: &Program, at: &'a [String]) -> Result<Vec<Wanted<'a>>, Failure> {
    let mut all = Vec::new();
    for place in at {
        let one = match place.rsplit_once(':') {
            Some(("", line)) => Wanted::Line(line.parse().map_err(|_| anyhow!("`{place}`: a line is a number"))?),
            Some(("*", label)) => Wanted::Label(None, label),
            Some((procedure, label)) => Wanted::Label(Some(procedure), label),
            None => Wanted::Label(None, place),
        };
        let is_one = |name: &str, statement: &Statement| match one {
            Wanted::Line(line) => statement.place.line == line,
            Wanted::Label(own, label) => {
                own.is_none_or(|own| own == name) && statement.labels.iter().any(|one| &**one == label)
            }
        };
        let found = program
            .procedures
            .iter()
            .filter(|procedure| procedure.body.iter().flatten().any(|statement| is_one(&procedure.name, statement)));
        let names: Vec<&str> = found.map(|procedure| &*procedure.name).collect();
        if names.is_empty() {
            return Err(anyhow!("`--at {place}`: no statement of the program is there").into());
        }
        if names.len() > 1 && matches!(one, Wanted::Label(None, _)) && !place.starts_with("*:") {
            return Err(anyhow!("`--at {place}`: several procedures have that label: {}", names.join(", ")).into());
        }
        all.push(one);
    }
    Ok(all)
}
