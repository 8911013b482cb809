//! `puch check` of C programs for which no predicates are given: they are found.

mod asked;
mod given;
mod rounds;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::anyhow;
use puch::abstraction::{Edges, Predicate, Tuning};
use puch::c::program::Overflow;
use puch::limits::Stop;
use puch::ltl::Dialect;
use puch::options;
use puch::question::{Failures, assumed};
use puch::refinement::{Answer, Options, Question};
use puch::report::c_finding::{self, CFinding, Executed};
use puch::report::present::{Asked, Warning};
use puch::report::text::Detail;

use super::abstraction::Given as Predicates;
use super::args::{AbstractedArgs, CArgs, CheckArgs, InputArgs, PredicateArgs, RefinementArgs};
use super::c_input::{CInput, CLoaded, name_of};
use super::c_temporal::Manner;
use super::certificates_c::Wanted as Certificates;
use super::choices::{EdgesName, FormatName, InputFormat, MallocName, OverflowName, RunsName};
use super::guard::{self, Gate, Progress};
use super::input::refuse_options_of_others;
use super::smt::Solving;
use super::texts::rendered;
use super::{Failure, abstraction, tell, temporal};
use asked::{Task, Typed, called, meant, tasks};
use given::Given;
pub use given::{write, write_harness};
use rounds::Keeper;

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

/// Refuses what is about other programs.
fn refuse_others(args: &CheckArgs) -> Result<(), Failure> {
    refuse_options_of_others(&args.input, Some(InputFormat::C))?;
    let refused = [
        (
            args.assume.is_some() && (args.certificate.is_some() || args.verify || args.refinement.witness.is_some()),
            "what others check is about all runs of a C program: `--assume` goes with no certificate and no witness",
        ),
        (args.format == FormatName::Bebop, "`--format bebop` is about Boolean programs"),
        (
            args.runs == RunsName::Stutter,
            "`--runs stutter` is not decided of C programs: blocked runs are not told apart there",
        ),
    ];
    match refused.iter().find(|(typed, _)| *typed) {
        Some((_, why)) => Err(anyhow!(*why).into()),
        None => Ok(()),
    }
}

/// Refuses questions that do not go with what else was typed.
fn refuse_questions(tasks: &[Task], typed: &PredicateArgs) -> Result<(), Failure> {
    let of_runs = |task: &&Task| matches!(task.typed, Typed::Temporal(_) | Typed::Question(Question::Termination));
    if let Some(task) = tasks.iter().find(of_runs).filter(|_| typed.predicates.is_some()) {
        let asked = task.asked.property.as_str();
        return Err(anyhow!("`--predicates` is about assertions and places; predicates for `{asked}` are found").into());
    }
    if has_formulas(tasks) && typed.overflow == Some(OverflowName::Check) {
        return Err(anyhow!("formulas are decided with `--overflow wrap` or `assume`").into());
    }
    Ok(())
}

fn has_formulas(tasks: &[Task]) -> bool {
    tasks.iter().any(|task| matches!(task.typed, Typed::Temporal(_)))
}

/// What is one step where a question is answered. By paths rounds are fewer and cheaper where a state machine turns, alike elsewhere, and restricted by
/// what is known of all runs; but what is said of each statement, for others to read, is known by statements only.
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

/// `puch check prog.c`
pub fn check(args: CheckArgs) -> Result<ExitCode, Failure> {
    let progress = if args.loudness.quiet { Progress::Silent } else { Progress::Shown };
    let job = Job::meant(args, Instant::now())?;
    let given = job.given.clone();
    let asked: Vec<Asked> = job.tasks.iter().map(|task| task.asked.clone()).collect();
    let limits = job.search.limits;
    guard::guarded(limits, progress, move |gate: &Gate| job.done(gate), move |stop| given.stopped(&asked, stop))
}

/// What is meant by what was typed.
struct Job {
    tasks: Vec<Task>,
    input: CInput,
    file: PathBuf,
    dialect: Dialect,
    predicates: PredicateArgs,
    overflow: Overflow,
    steps: Steps,
    solving: Solving,
    search: options::Options,
    refinement: RefinementArgs,
    certificates: Certificates,
    given: Given,
    assume: Option<String>,
    verbose: bool,
}

impl Job {
    fn meant(args: CheckArgs, began: Instant) -> Result<Job, Failure> {
        refuse_others(&args)?;
        let certificates = Certificates::meant(&args)?;
        let (tasks, from_file) = tasks(&args.properties)?;
        refuse_questions(&tasks, &args.c.predicates)?;
        let search = super::check::options(&args, guard::limits(&args.limits, began));
        let (steps, file, files) = (Steps::of(&args), args.input.file.clone(), args.files());
        let given = Given {
            name: name_of(&file),
            format: args.format,
            layout: super::check::layout(args.columns, Detail::Brief),
            quiet: args.loudness.quiet,
            stats: args.stats,
            began,
        };
        let AbstractedArgs { mut reading, predicates, .. } = args.c;
        let overflow = match predicates.overflow {
            None if from_file => Overflow::Assume,
            _ => abstraction::overflow(&predicates),
        };
        if from_file {
            // As competitions have it.
            reading.malloc.get_or_insert(MallocName::Succeeds);
        }
        let InputArgs { input_format, entry, define, .. } = args.input;
        let input = CInput::meant(CArgs { files, input_format, reading, entry, define })?;
        let input = if has_formulas(&tasks) { input.observed() } else { input };
        Ok(Job {
            input: input.calling(called(&tasks)?),
            tasks,
            file,
            dialect: temporal::dialect(args.ltl_syntax),
            solving: Solving { second: predicates.smt, stats: args.stats },
            predicates,
            overflow,
            steps,
            search,
            refinement: args.refinement,
            certificates,
            given,
            assume: args.assume,
            verbose: args.loudness.verbose,
        })
    }

    /// Answers what is asked, and gives the answers.
    fn done(self, gate: &Gate) -> Result<ExitCode, Failure> {
        gate.stage("reading");
        let mut loaded = self.input.load()?;
        if let Some(text) = &self.assume {
            assumed::at_start(&mut loaded.program, text)
                .map_err(|complaint| Failure::Diagnosed(rendered("--assume", text, &[*complaint])))?;
        }
        let begin_with = match &self.predicates.predicates {
            Some(file) => Predicates::meant(file).predicates(&mut loaded.program)?,
            None => Vec::new(),
        };
        let questions = self.questions(&loaded)?;
        gate.stage("refining");
        let options = self.options()?;
        let answers = self.answers(&loaded, &questions, (&begin_with, &options))?;
        let (answers, uses): (Vec<Answer>, Vec<_>) = answers.into_iter().unzip();
        self.solving.concluded(&options.tuning.bounds)?;
        self.given.tell_figures(&answers);
        let warnings = self.warnings(&questions, &answers);
        gate.answer();
        self.given.tell_warnings(&warnings);
        let sources = loaded.sources();
        if let Some(path) = &self.refinement.harness {
            given::harness_of(path, &answers, &sources)?;
        }
        if let Some(path) = &self.refinement.witness {
            given::witness_of(path, (&self.tasks, &answers), (&loaded, &sources), &options.check)?;
        }
        let named = self.tasks.iter().zip(&answers);
        let named = named.map(|(task, answer)| (task.asked.property.as_str(), task.claim.as_ref(), answer));
        let verified = self.certificates.done(named, &options)?;
        verified.iter().filter_map(|one| one.remark.as_ref()).for_each(|why| tell(&format!("warning: {why}")));
        let all = self.tasks.iter().zip(&answers).zip(&warnings).zip(&verified).zip(&uses);
        let findings = all.map(|((((task, answer), warnings), verified), uses)| CFinding {
            asked: &task.asked,
            verdict: &answer.outcome.verdict,
            warnings,
            trusted: &answer.program.unverified,
            verified: verified.verified,
            shown: Executed { uses: uses.as_deref(), ..Executed::of(answer) },
        });
        let findings: Vec<CFinding<'_>> = findings.collect();
        let seen = self.given.seen(&loaded.program, self.overflow, &answers, &options);
        self.given.report(&findings, (&loaded.program, &sources), seen, &options.check)
    }

    /// What is asked of the program; or the limit that was met before that was known.
    fn questions(&self, loaded: &CLoaded) -> Result<Vec<Result<Question, Stop>>, Failure> {
        let manner = Manner { dialect: self.dialect, runs: self.search.runs, limits: self.search.limits };
        self.tasks.iter().map(|task| meant(task, &loaded.program, &self.file, manner)).collect()
    }

    fn options(&self) -> Result<Options, Failure> {
        let limits = self.search.limits;
        let tuning = Tuning {
            method: abstraction::method(&self.predicates),
            cubes: self.predicates.cubes,
            bounds: self.solving.bounds(limits)?,
            edges: self.steps.edges(None),
            ..Tuning::default()
        };
        Ok(Options {
            overflow: self.overflow,
            tuning,
            check: self.search.clone(),
            rounds: self.refinement.rounds,
            donor: self.solving.donor(limits),
        })
    }

    /// The answers, with what is known of each use of a pointer where NULL is asked about.
    fn answers(
        &self,
        loaded: &CLoaded,
        questions: &[Result<Question, Stop>],
        (begin_with, options): (&[Predicate], &Options),
    ) -> Result<Vec<rounds::Decided>, Failure> {
        let mut answers = Vec::with_capacity(questions.len());
        for (number, question) in questions.iter().enumerate() {
            let directory = self.refinement.keep.as_ref().map(|directory| match questions.len() {
                1 => directory.clone(),
                _ => directory.join((number + 1).to_string()),
            });
            let keeper = Keeper { directory, verbose: self.verbose, began: self.given.began, told: self.given.told() };
            let edges = self.steps.edges(question.as_ref().ok());
            let options = Options { tuning: Tuning { edges, ..options.tuning.clone() }, ..options.clone() };
            answers.push(match question {
                Ok(question) => keeper.decided(&loaded.program, (question, begin_with), &options)?,
                Err(stop) => (Answer::stopped(&loaded.program, self.overflow, (*stop).into()), None),
            });
        }
        Ok(answers)
    }

    fn warnings(&self, questions: &[Result<Question, Stop>], answers: &[Answer]) -> Vec<Vec<Warning>> {
        let failures = |question: &Result<Question, Stop>| -> Option<Failures> {
            match question {
                Ok(Question::Failures(failures)) => Some(*failures),
                _ => None,
            }
        };
        let all = questions.iter().zip(answers);
        all.map(|(question, answer)| c_finding::warnings(answer, &self.given.name, failures(question))).collect()
    }
}
