//! `puch check` of C programs for which no predicates are given: they are found.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, anyhow};
use puch::abstraction::{Edges, Predicate, Tuning};
use puch::c::Program;
use puch::c::program::Overflow;
use puch::c_problem::coverage::covered;
use puch::check;
use puch::limits::Stop;
use puch::nullness::{self, PointerUse};
use puch::picture::Picture;
use puch::picture::run::traces;
use puch::places::Naming;
use puch::question::property::{self, Wanted};
use puch::question::{Failures, places};
use puch::refinement::certificate::Claim;
use puch::refinement::{
    Answer, Copies, Execution, Input, Onward, Options, Outcome, Proof, Question, Round, Verdict, cannot, decide_from,
    harness, not_given,
};
use puch::report::c_finding::{self as report, Finding};
use puch::report::c_formats::Report;
use puch::report::expression::Notation;
use puch::report::html::{self, Coverage, Subject};
use puch::report::present::{self, Asked, Calls, PropertyKind, Warning, Wish};
use puch::report::reported::{self, Reported};
use puch::report::text::{self, Layout};
use puch::report::view::View;
use puch::source::Source;
use spds_format::Spds;

use super::abstraction::Given as Predicates;
use super::args::{CArgs, CheckArgs, Given, InputArgs, PropertyTyped, RefinementArgs};
use super::c_input::{CInput, name_of};
use super::c_temporal::{self, Manner};
use super::certificates_c::Wanted as Certificates;
use super::choices::{CheckedName, EdgesName, FormatName, InputFormat, MallocName, OverflowName, RunsName};
use super::drawing::{Drawn, drawn};
use super::guard::{self, Gate, Progress};
use super::input::{no_place, refuse_options_of_others};
use super::smt::Solving;
use super::temporal::{self, Refusal};
use super::texts::{rendered, text_of};
use super::witness::witness;
use super::{Failure, UNKNOWN, abstraction, answer, code, notices, tell};

/// So many inputs that a harness cannot give are mentioned; it lists all.
const MENTIONED: usize = 5;

/// Whether a command is about a C program whose predicates are to be found.
pub fn is_meant(args: &CheckArgs) -> bool {
    args.input.is_c() && (args.c.predicates.predicates.is_none() || args.refinement.rounds != Some(0))
}

/// Refuses what only such a command can be told.
pub fn refuse(args: &CheckArgs) -> Result<(), Failure> {
    let RefinementArgs { rounds, edges, keep, harness, witness } = &args.refinement;
    let typed = [
        ("--rounds", rounds.is_some() && args.c.predicates.predicates.is_none()),
        ("--edges", edges.is_some()),
        ("--keep", keep.is_some()),
        ("--harness", harness.is_some()),
        ("--witness", witness.is_some()),
    ];
    match typed.iter().find(|(_, typed)| *typed) {
        Some((option, _)) => {
            Err(anyhow!("`{option}` is about C programs of which predicates are to be found, without `--rounds 0`")
                .into())
        }
        None => Ok(()),
    }
}

/// What is one step where a question is answered. By paths rounds are fewer and cheaper where a state machine turns, alike elsewhere, and restricted by
/// what is known of all runs; but what
/// is said of each statement, for others to read, is known by statements only.
struct Steps {
    typed: Option<EdgesName>,
    told: bool,
}

impl Steps {
    fn of(args: &CheckArgs) -> Steps {
        let proof = args.certificate.is_some() || args.verify || args.refinement.witness.is_some();
        Steps { typed: args.refinement.edges, told: proof || args.format == FormatName::Html }
    }

    fn edges(&self, question: Option<&Question>) -> Edges {
        match (self.typed, question) {
            (Some(name), _) => abstraction::edges(name),
            (None, Some(Question::Failures(_) | Question::Places(_) | Question::Temporal(..))) if !self.told => {
                Edges::Path
            }
            (None, _) => Edges::Statement,
        }
    }
}

/// What is asked, as it was typed.
pub enum Typed {
    Question(Question),
    Reach(String),
    Temporal(Given),
}

/// A question, and how reports call it.
pub struct Task {
    pub asked: Asked,
    typed: Typed,
    /// The procedure in which a file of properties says that runs begin.
    entry: Option<String>,
    /// The procedure whose calls are the errors that it asks about, if they are not those of `reach_error`.
    called: Option<String>,
    /// The property, as competitions write it.
    pub specification: String,
    /// What a certificate of it claims, if there are such.
    claim: Option<Claim>,
}

impl Task {
    /// What a witness of an answer is about. That NULL is used violates what competitions ask of pointers; that it is not used says less.
    fn shown(&self, answer: &Answer) -> &str {
        match self.asked.kind {
            PropertyKind::Null if answer.outcome.verdict.excludes_run() => "G ! null-dereference",
            _ => &self.specification,
        }
    }
}

/// The questions, and whether they come from a file of properties.
fn tasks(properties: &[PropertyTyped]) -> Result<(Vec<Task>, bool), Failure> {
    let (mut tasks, mut from_file) = (Vec::new(), false);
    let assertions = [PropertyTyped::Assertions];
    for typed in if properties.is_empty() { &assertions } else { properties } {
        let asked = typed.meant();
        let one = |question, specification: &str| Task {
            asked: asked.clone(),
            typed: question,
            entry: None,
            called: None,
            specification: specification.to_owned(),
            claim: match typed {
                PropertyTyped::Assertions => Some(Claim::Assertions),
                PropertyTyped::Reach(place) => Some(Claim::Reach(place.clone())),
                _ => None,
            },
        };
        match typed {
            PropertyTyped::Assertions => {
                tasks.push(one(Typed::Question(Question::Failures(Failures::All)), "G ! call(reach_error())"))
            }
            PropertyTyped::Reach(place) => tasks.push(one(Typed::Reach(place.clone()), "G ! call(reach_error())")),
            PropertyTyped::Failures(CheckedName::Null) => {
                tasks.push(one(Typed::Question(Question::Failures(Failures::Null)), "G valid-deref"));
            }
            PropertyTyped::File(file) => {
                from_file = true;
                tasks.extend(specified(file)?);
            }
            PropertyTyped::Termination => tasks.push(one(Typed::Question(Question::Termination), "F end")),
            PropertyTyped::Temporal(given) => tasks.push(one(Typed::Temporal(given.clone()), &asked.property)),
        }
    }
    Ok((tasks, from_file))
}

/// What a file of properties asks.
fn specified(file: &Path) -> Result<Vec<Task>, Failure> {
    let text = text_of(file)?;
    let name = file.display().to_string();
    let all = property::read(&text).map_err(|wrong| Failure::Diagnosed(rendered(&name, &text, &wrong)))?;
    all.into_iter()
        .map(|specified| {
            let property = specified.text;
            match specified.wanted {
                Wanted::NoFailure(failures) => Ok(Task {
                    claim: Some(Claim::Property(property.clone())),
                    specification: property.clone(),
                    asked: Asked::new(PropertyKind::Assertions, property),
                    typed: Typed::Question(Question::Failures(failures)),
                    entry: Some(specified.entry),
                    called: specified.called,
                }),
                Wanted::Termination => Ok(Task {
                    claim: None,
                    specification: property.clone(),
                    asked: Asked::new(PropertyKind::Termination, property),
                    typed: Typed::Question(Question::Termination),
                    entry: Some(specified.entry),
                    called: specified.called,
                }),
                Wanted::Formula(formula, _) => Ok(Task {
                    claim: None,
                    specification: property.clone(),
                    asked: Asked::new(PropertyKind::Ltl, property),
                    typed: Typed::Temporal(Given::Formula(formula)),
                    entry: Some(specified.entry),
                    called: specified.called,
                }),
            }
        })
        .collect()
}

/// The procedure of which all questions ask whether it is called, if one does.
fn called(tasks: &[Task]) -> Result<Option<String>, Failure> {
    let first = tasks.first().and_then(|task| task.called.clone());
    match tasks.iter().find(|task| task.called != first) {
        Some(task) => {
            let asked = &task.asked.property;
            Err(anyhow!("calls of a procedure are asked about by themselves, and not beside `{asked}`").into())
        }
        None => Ok(first),
    }
}

/// What is meant, once the program is known; or the limit that was met before.
fn meant(task: &Task, program: &Program, file: &Path, manner: Manner) -> Result<Result<Question, Stop>, Failure> {
    let main = &*program.procedure(program.main).name;
    if let Some(entry) = task.entry.as_ref().filter(|entry| **entry != *main) {
        return Err(
            anyhow!("`{}` is about runs from `{entry}`, not from `{main}` (--entry)", task.asked.property).into()
        );
    }
    match &task.typed {
        Typed::Question(question) => Ok(Ok(question.clone())),
        Typed::Temporal(given) => match c_temporal::temporal(program, given, manner) {
            Ok(temporal) => Ok(Ok(Question::Temporal(Box::new(temporal)))),
            Err(Refusal::Stopped(stop)) => Ok(Err(stop)),
            Err(Refusal::Wrong(failure)) => Err(failure),
        },
        Typed::Reach(place) => match places(program, place) {
            Ok(places) => Ok(Ok(Question::Places(places))),
            Err(error) => Err(Failure::Diagnosed(no_place(&file.display().to_string(), &error))),
        },
    }
}

/// `puch check prog.c`
pub fn check(args: CheckArgs) -> Result<ExitCode, Failure> {
    let began = Instant::now();
    refuse_options_of_others(&args.input, Some(InputFormat::C))?;
    if args.assume.is_some() {
        return Err(anyhow!("`--assume` is not about C programs").into());
    }
    if args.format == FormatName::Bebop {
        return Err(anyhow!("`--format bebop` is about Boolean programs").into());
    }
    let wanted = Certificates::meant(&args)?;
    if args.runs == RunsName::Stutter {
        return Err(
            anyhow!("`--runs stutter` is not decided of C programs: blocked runs are not told apart there").into()
        );
    }
    let (tasks, from_file) = tasks(&args.properties)?;
    let of_runs = |task: &&Task| matches!(task.typed, Typed::Temporal(_) | Typed::Question(Question::Termination));
    if let Some(task) = tasks.iter().find(of_runs).filter(|_| args.c.predicates.predicates.is_some()) {
        let asked = task.asked.property.as_str();
        return Err(anyhow!("`--predicates` is about assertions and places; predicates for `{asked}` are found").into());
    }
    let formulas = tasks.iter().any(|task| matches!(task.typed, Typed::Temporal(_)));
    if formulas && args.c.predicates.overflow == Some(OverflowName::Check) {
        return Err(anyhow!("formulas are decided with `--overflow wrap` or `assume`").into());
    }
    let dialect = temporal::dialect(args.ltl_syntax);
    let limits = guard::limits(&args.limits, began);
    let search = super::check::options(&args, limits);
    let (file, files) = (args.input.file.clone(), args.files());
    let steps = Steps::of(&args);
    let InputArgs { input_format, entry, define, .. } = args.input;
    let mut reading = args.c.reading;
    if from_file {
        // As competitions have it.
        reading.malloc.get_or_insert(MallocName::Succeeds);
    }
    let input = CInput::meant(CArgs { files, input_format, reading, entry, define })?;
    let input = if formulas { input.observed() } else { input };
    let input = input.calling(called(&tasks)?);
    let progress = if args.loudness.quiet { Progress::Silent } else { Progress::Shown };
    let (format, name) = (args.format, name_of(&file));
    let layout = super::check::layout(args.columns, text::Detail::Brief);
    let input_name = name.clone();
    let asked: Vec<Asked> = tasks.iter().map(|task| task.asked.clone()).collect();
    let predicates = args.c.predicates;
    let work = move |gate: &Gate| {
        gate.stage("reading");
        let mut loaded = input.load()?;
        let begin_with = match &predicates.predicates {
            Some(file) => Predicates::meant(file).predicates(&mut loaded.program)?,
            None => Vec::new(),
        };
        let loaded = loaded;
        let program = &loaded.program;
        let manner = Manner { dialect, runs: search.runs, limits };
        let questions = tasks
            .iter()
            .map(|task| meant(task, program, &file, manner))
            .collect::<Result<Vec<Result<Question, Stop>>, Failure>>()?;
        gate.stage("refining");
        let solving = Solving { second: predicates.smt, stats: args.stats };
        let bounds = solving.bounds(limits)?;
        let overflow = if from_file && predicates.overflow.is_none() {
            Overflow::Assume
        } else {
            abstraction::overflow(&predicates)
        };
        let options = Options {
            overflow,
            tuning: Tuning {
                method: abstraction::method(&predicates),
                cubes: predicates.cubes,
                bounds,
                edges: steps.edges(None),
                ..Tuning::default()
            },
            check: search,
            rounds: args.refinement.rounds,
            donor: solving.donor(limits),
        };
        let mut answers = Vec::with_capacity(tasks.len());
        for (number, question) in questions.iter().enumerate() {
            let directory = args.refinement.keep.as_ref().map(|directory| match tasks.len() {
                1 => directory.clone(),
                _ => directory.join((number + 1).to_string()),
            });
            let keeper = Keeper { directory, verbose: args.loudness.verbose, began };
            let edges = steps.edges(question.as_ref().ok());
            let options = Options { tuning: Tuning { edges, ..options.tuning.clone() }, ..options.clone() };
            answers.push(match question {
                Ok(question) => keeper.decided(program, (question, &begin_with), &options)?,
                Err(stop) => (Answer::stopped(program, overflow, (*stop).into()), None),
            });
        }
        solving.concluded(&options.tuning.bounds)?;
        let (answers, uses): (Vec<Answer>, Vec<Option<Vec<PointerUse>>>) = answers.into_iter().unzip();
        if args.stats {
            for Answer { outcome, .. } in &answers {
                tell(&format!("rounds: {}", outcome.rounds));
                tell(&format!("predicates: {}", outcome.predicates.lines().count()));
            }
            tell(&format!("seconds: {:.3}", began.elapsed().as_secs_f64()));
        }
        let warnings: Vec<Vec<Warning>> = questions
            .iter()
            .zip(&answers)
            .map(|(question, answer)| {
                let failures = match question {
                    Ok(Question::Failures(failures)) => Some(*failures),
                    _ => None,
                };
                report::warnings(answer, &name, failures)
            })
            .collect();
        gate.answer();
        // In a report for programs they are data: who wants nothing else is told nothing twice.
        let twice = args.loudness.quiet && args.format == FormatName::Json;
        for warning in warnings.iter().flatten().filter(|_| !twice) {
            tell(&format!("warning: {}", warning.text()));
        }
        let sources: Vec<Source<'_>> = loaded.texts.iter().map(|(name, text)| Source::new(name, text)).collect();
        if let Some(path) = &args.refinement.harness {
            let failing = answers.iter().find_map(|answer| match answer.outcome.verdict.run() {
                Some(Execution { inputs, onward: Onward::Over, .. }) => Some((&answer.program, inputs)),
                _ => None,
            });
            if let Some((program, inputs)) = failing {
                let copies = Copies::new(program, inputs, &sources);
                write_harness(path, &harness(program, inputs, &copies), &copies, (program, inputs))?;
            }
        }
        if let Some(path) = &args.refinement.witness {
            let specifications: Vec<&str> =
                tasks.iter().zip(&answers).map(|(task, answer)| task.shown(answer)).collect();
            if let Some(text) = witness(&specifications, &answers, &loaded, &sources, &options.check)? {
                write(path, &text)?;
            }
        }
        let named = tasks.iter().zip(&answers);
        let named = named.map(|(task, answer)| (task.asked.property.as_str(), task.claim.as_ref(), answer));
        let verified = wanted.done(named, &options)?;
        verified.iter().filter_map(|one| one.remark.as_ref()).for_each(|why| tell(&format!("warning: {why}")));
        let all = tasks.iter().zip(&answers).zip(&warnings).zip(&verified).zip(&uses);
        let findings = all.map(|((((task, answer), warnings), verified), uses)| Finding {
            verified: verified.verified,
            uses: uses.as_deref(),
            program: &answer.program,
            asked: &task.asked,
            overflow: answer.overflow,
            verdict: &answer.outcome.verdict,
            warnings,
            proof: &answer.outcome.proof,
        });
        let findings: Vec<Finding<'_>> = findings.collect();
        let seen = (format == FormatName::Html).then(|| covered(program, overflow, &answers, &options));
        let told = notices::told();
        let report = Report {
            header: notices::header(&name, args.stats.then(|| began.elapsed().as_secs_f64()), &told),
            sources: &sources,
            findings: &findings,
            trace: options.check.trace,
            limit: options.check.trace_steps,
        };
        given(&report, program, seen, (format, layout))
    };
    guard::guarded(limits, progress, work, move |stop| stopped(&asked, &input_name, format, stop))
}

/// That a limit was met before there were answers.
fn stopped(asked: &[Asked], name: &str, format: FormatName, stop: Stop) -> Result<ExitCode, Failure> {
    let told = notices::told();
    let header = notices::header(name, None, &told);
    let nothing = Spds::default();
    let view = View::new(&nothing, Naming::Program);
    let coverage = Coverage { unknown: Some(stop.to_string()), ..Coverage::default() };
    let answered = check::Answer::unknown(stop);
    let wish = Wish { calls: Calls::Auto, limit: 0 };
    let findings: Vec<_> = asked.iter().map(|asked| present::Finding::new(&view, asked, &answered, wish)).collect();
    let picture = picture(format, name, || traces(&view, None, &findings))?;
    let reason = stop.into();
    let all: Vec<report::Stopped<'_>> = asked.iter().map(|asked| report::Stopped { asked, reason }).collect();
    let all: Vec<&dyn Reported> = all.iter().map(|one| one as &dyn Reported).collect();
    answer(|out| match (format, format.form(Layout::default())) {
        (_, Some(form)) => reported::write(out, form, header, &all),
        (FormatName::Html, None) => {
            let subject = Subject { view: &view, sources: &[], notation: Notation::C, coverage: &coverage };
            html::write(out, subject, header, &findings)
        }
        (_, None) => out.write_all(&picture),
    })?;
    Ok(ExitCode::from(UNKNOWN))
}

/// Writes the answers; the exit code says the same in a number. A page shows what is seen of an abstraction.
fn given(
    report: &Report<'_>,
    program: &Program,
    seen: Option<(Spds, Coverage)>,
    (format, layout): (FormatName, Layout),
) -> Result<ExitCode, Failure> {
    let Report { sources, findings, .. } = *report;
    let name = sources.first().map_or("", |source| source.name);
    let picture = picture(format, name, || report.picture())?;
    answer(|out| match (format.form(layout), &seen) {
        (Some(form), _) => report.write(out, form),
        (None, Some((spds, coverage))) => {
            let view = View::new(spds, Naming::Program);
            report.html(out, Subject { view: &view, sources, notation: Notation::C, coverage }, program)
        }
        (None, None) => out.write_all(&picture),
    })?;
    let verdicts = || findings.iter().map(|finding| finding.verdict);
    let found = verdicts().any(Verdict::claims_run);
    let unknown = verdicts().any(|verdict| matches!(verdict, Verdict::Unknown(_)));
    Ok(code(found, unknown))
}

/// What is drawn, as it is written; nothing in other formats.
fn picture(format: FormatName, title: &str, what: impl FnOnce() -> Picture) -> anyhow::Result<Vec<u8>> {
    match format {
        FormatName::Dot => drawn(&what(), Drawn::Dot, title),
        FormatName::Svg => drawn(&what(), Drawn::Svg, title),
        _ => Ok(Vec::new()),
    }
}

/// Writes a harness for a run with these inputs, with copies of the program's files beside it (`harness.prog.c` beside `harness.c`), and
/// tells what they cannot give.
pub fn write_harness(
    path: &Path,
    text: &str,
    copies: &Copies,
    (program, inputs): (&Program, &[Input]),
) -> anyhow::Result<()> {
    write(path, text)?;
    let mut taken = BTreeSet::new();
    for (number, (name, text)) in (2..).zip(&copies.files) {
        let own = Path::new(name).file_name().unwrap_or_default();
        let mut beside = path.file_stem().unwrap_or_default().to_owned();
        // Files in different folders may have one name.
        beside.push(if taken.insert(own) { ".".to_owned() } else { format!(".{number}.") });
        beside.push(own);
        let beside = path.with_file_name(beside);
        write(&beside, text)?;
        tell(&format!("note: `{name}` has locals that nobody assigns: compile `{}` in its place", beside.display()));
    }
    for input in not_given(program, inputs, copies).into_iter().take(MENTIONED) {
        tell(&format!("note: {}: {}", path.display(), cannot(program, input)));
    }
    Ok(())
}

pub fn write(path: &Path, text: &str) -> anyhow::Result<()> {
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
    /// The answer to a question, and what is known of each use of a pointer if it is about NULL.
    fn decided(
        &self,
        program: &Program,
        (question, given): (&Question, &[Predicate]),
        options: &Options,
    ) -> anyhow::Result<(Answer, Option<Vec<PointerUse>>)> {
        let mut kept = Ok(());
        let tell = &mut |round: &Round<'_>| {
            let now = self.round(round);
            if kept.is_ok() {
                kept = now;
            }
        };
        let (answer, uses) = match question {
            Question::Failures(Failures::Null) => {
                let (answer, uses) = nullness::decided(program, given, options, nullness::Told::Uses, tell);
                (answer, Some(uses))
            }
            _ => (decide_from(program, question, given, options, tell), None),
        };
        kept?;
        self.end(&answer.outcome)?;
        Ok((answer, uses))
    }

    fn end(&self, outcome: &Outcome) -> anyhow::Result<()> {
        if self.verbose {
            let seconds = self.began.elapsed().as_secs_f64();
            if let Some(shown) = &outcome.invariants {
                let (count, source) = (shown.invariants.len(), shown.source);
                tell(&format!("shown at cut points by invariants ({count}, the last ones found among {source})"));
            }
            match &outcome.proof {
                Proof::Nothing => {}
                Proof::Executed(steps) => tell(&format!("the only run was executed: {steps} steps, {seconds:.2} s")),
                Proof::Again(count) => tell(&format!("proved again by {count} implications, {seconds:.2} s")),
                Proof::Once(why) => tell(&format!("not proved again: {why}, {seconds:.2} s")),
            }
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
        write(&directory.join(format!("{number:03}.bp")), &round.made.text())?;
        write(&directory.join(format!("{number:03}.predicates")), round.predicates)?;
        write(&directory.join(format!("{number:03}.trace")), round.steps)
    }
}
