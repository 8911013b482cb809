//! `puch post`, `puch pre`

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::anyhow;
use puch::check::{Options, Stats};
use puch::enumeration::{self, Counted, Pattern};
use puch::limits::{Reason, Stop};
use puch::pdaaal;
use puch::picture::automata::of_configurations;
use puch::regular::{Contents, Direction, Question, saturate, saturate_and_ask, start};
use puch::report::expression::Notation;
use puch::report::sets::{Ask, Asked, Said, json, text};
use puch::source::Source;
use spds_format::{Automaton, Spds};

use super::args::{PostArgs, PreArgs, SetArgs};
use super::certificates;
use super::check::engine;
use super::choices::SetFormatName;
use super::convert::refused;
use super::drawing::{Drawn, drawn};
use super::guard::{self, Gate, Progress};
use super::input::{Input, Loaded};
use super::{Failure, answer, code, tell};

/// A condition with more products than this is written as nested choices.
const MOST_PRODUCTS: usize = 200;

/// Which configurations are counted and listed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Runs {
    /// All in the set.
    Any,
    /// Those that runs come to.
    Start,
}

/// What is meant by what was typed.
struct Job {
    input: Input,
    direction: Direction,
    /// The option and the set; without one, the start.
    from: Option<(&'static str, String)>,
    asked: Vec<(Ask, String)>,
    count: bool,
    list: Option<usize>,
    /// Whether counts and lists are of configurations that runs come to.
    reachable: bool,
    /// Where certificates are to be written.
    certificate: Option<PathBuf>,
    options: Options,
    report: Report,
}

/// How to say it.
#[derive(Clone, Copy)]
struct Report {
    direction: Direction,
    format: SetFormatName,
    stats: bool,
    began: Instant,
}

/// What is known.
#[derive(Default)]
struct Known {
    automaton: Option<Automaton>,
    asked: Vec<Asked>,
    counts: Option<Vec<Counted>>,
    list: Option<Vec<Pattern>>,
    stopped: Option<Stop>,
    stats: Stats,
}

/// `puch post`
pub fn post(args: PostArgs) -> Result<ExitCode, Failure> {
    let from = args.from.map(|from| ("--from", from));
    run(args.input, args.set, Direction::Post, from, (Runs::Any, args.certificate))
}

/// `puch pre`
pub fn pre(args: PreArgs) -> Result<ExitCode, Failure> {
    if args.reachable && args.set.list.is_none() && !args.set.count {
        return Err(anyhow!("`--reachable` is about `--list` and `--count`").into());
    }
    let runs = if args.reachable { Runs::Start } else { Runs::Any };
    run(args.input, args.set, Direction::Pre, Some(("--to", args.to)), (runs, None))
}

/// Exit codes: 0 everything is known and every answer is yes, 1 some answer is no, 3 something is unknown.
fn run(
    input: super::args::InputArgs,
    args: SetArgs,
    direction: Direction,
    from: Option<(&'static str, String)>,
    (runs, certificate): (Runs, Option<PathBuf>),
) -> Result<ExitCode, Failure> {
    let began = Instant::now();
    let progress = if args.loudness.quiet { Progress::Silent } else { Progress::Shown };
    let input = Input::meant(input)?;
    let meets = args.meets.into_iter().map(|given| (Ask::Meets, given));
    let asked: Vec<(Ask, String)> =
        meets.chain(args.contains.into_iter().map(|given| (Ask::Contains, given))).collect();
    let texts = from.iter().map(|(_, given)| given).chain(asked.iter().map(|(_, given)| given));
    if texts.filter(|given| *given == "@-").count() + usize::from(input.is_stdin()) > 1 {
        return Err(anyhow!("standard input can be read only once: give one of the two as a file").into());
    }
    let questions = !asked.is_empty() || args.count || args.list.is_some();
    match args.format {
        SetFormatName::Dot | SetFormatName::Svg if questions => {
            let form = if args.format == SetFormatName::Dot { "dot" } else { "svg" };
            return Err(anyhow!("`--format {form}` draws the set; answers to questions are text or JSON").into());
        }
        SetFormatName::Pdaaal if questions => {
            return Err(anyhow!("`--format pdaaal` writes the set; answers to questions are text or JSON").into());
        }
        _ => {}
    }
    let input = if from.is_some() && runs == Runs::Any { input.without_start() } else { input };
    let options =
        Options { engine: engine(args.bdd), limits: guard::limits(&args.limits, began), ..Options::default() };
    let report = Report { direction, format: args.format, stats: args.stats, began };
    let (limits, name, questions) = (options.limits, input.name(), asked.clone());
    let (count, list, reachable) = (args.count, args.list, runs == Runs::Start);
    let job = Job { input, direction, from, asked, count, list, reachable, certificate, options, report };
    guard::guarded(
        limits,
        progress,
        move |gate| job.done(gate),
        |stop| {
            let asked =
                questions.into_iter().map(|(kind, configurations)| Asked { kind, configurations, answer: None });
            let known = Known { asked: asked.collect(), stopped: Some(stop), ..Known::default() };
            report.given(&Spds::default(), Notation::System, (&name, None), &known, String::new())
        },
    )
}

impl Job {
    /// Reads, saturates, answers.
    fn done(self, gate: &Gate) -> Result<ExitCode, Failure> {
        gate.stage("reading");
        let loaded = self.input.load()?;
        let set = match &self.from {
            Some((option, given)) => self.input.configurations(option, given, &loaded),
            None => Ok(start(&loaded.spds)),
        };
        let asked = self.sets(&loaded);
        let (set, asked) = match (set, asked) {
            (Ok(set), Ok(asked)) => (set, asked),
            (Err(one), Err(other)) => return Err(Failure::Diagnosed(format!("{one}\n\n{other}"))),
            (Err(failure), _) | (_, Err(failure)) => return Err(failure),
        };
        let for_pdaaal = self.report.format == SetFormatName::Pdaaal;
        if for_pdaaal {
            // What cannot be written is told before the search.
            self.for_pdaaal(&loaded, &Automaton::default())?;
        }
        gate.stage("searching");
        let (sets, known) = (asked.clone(), self.known(&loaded.spds, &set, asked));
        if let (Some(file), Some((_, from))) = (&self.certificate, &self.from) {
            gate.stage("certifying");
            let asked = known.asked.iter().zip(&sets);
            let none = asked.filter(|(asked, _)| asked.kind == Ask::Meets && asked.answer == Some(false));
            let pairs = none.map(|(asked, to)| [(&**from, &set), (&*asked.configurations, to)]);
            for remark in certificates::apart(file, &loaded.spds, pairs, &self.options)? {
                self.input.remark(&remark);
            }
        }
        let written = match &known.automaton {
            Some(automaton) if for_pdaaal => self.for_pdaaal(&loaded, automaton)?,
            _ => String::new(),
        };
        gate.answer();
        let source = Source::new(&loaded.name, loaded.statements());
        let source = (!loaded.statements().is_empty()).then_some(&source);
        self.report.given(&loaded.spds, self.input.notation(), (&loaded.name, source), &known, written)
    }

    /// The set in PDAAAL's notation.
    fn for_pdaaal(&self, loaded: &Loaded, automaton: &Automaton) -> Result<String, Failure> {
        let what = format!("sets of configurations of `{}` cannot be written for PDAAAL", loaded.name);
        pdaaal::write_automaton(&loaded.spds, loaded.states(), automaton).map_err(|reasons| refused(&what, &reasons))
    }

    /// The sets that are asked about.
    fn sets(&self, loaded: &Loaded) -> Result<Vec<Automaton>, Failure> {
        let mut sets = Vec::new();
        let mut wrong = Vec::new();
        for (ask, given) in &self.asked {
            match self.input.configurations(&format!("--{}", ask.name()), given, loaded) {
                Ok(set) => sets.push(set),
                Err(failure) => wrong.push(failure.to_string()),
            }
        }
        if wrong.is_empty() { Ok(sets) } else { Err(Failure::Diagnosed(wrong.join("\n\n"))) }
    }

    fn known(&self, spds: &Spds, set: &Automaton, sets: Vec<Automaton>) -> Known {
        // Whether something is met is easier to tell than what is contained, if states carry nothing.
        let carries = |set: &Automaton| set.states.iter().any(|state| !state.carries.is_empty());
        let symbolic: Vec<usize> =
            (0..sets.len()).filter(|&i| self.asked[i].0 == Ask::Meets && !carries(&sets[i])).collect();
        let meets: Vec<Automaton> = symbolic.iter().map(|&i| sets[i].clone()).collect();
        let others: Vec<usize> = (0..sets.len()).filter(|i| !symbolic.contains(i)).collect();
        let compared: Vec<Automaton> = others.iter().map(|&i| sets[i].clone()).collect();
        let plain = self.asked.is_empty() && !self.count && self.list.is_none();
        let words = (plain || self.reachable || self.list.is_some()).then_some(MOST_PRODUCTS);
        let question = Question { direction: self.direction, set, meets: &meets, words };
        let contents = Contents { compared: &compared, count: self.count && !self.reachable };
        let outcome = saturate_and_ask(spds, &question, &contents, &self.options);
        let mut known = Known { stats: outcome.stats, ..Known::default() };
        let asked = self.asked.iter().cloned();
        known.asked = asked.map(|(kind, configurations)| Asked { kind, configurations, answer: None }).collect();
        let result = match outcome.answer {
            Ok(result) => result,
            Err(stop) => {
                known.stopped = Some(stop);
                return known;
            }
        };
        for (&asked, answer) in symbolic.iter().zip(&result.meets) {
            known.asked[asked].answer = Some(*answer);
        }
        for (&other, &(all, some)) in others.iter().zip(&result.compared) {
            let asked = &mut known.asked[other];
            asked.answer = Some(if asked.kind == Ask::Contains { all } else { some });
        }
        known.counts = result.counts;
        let Some(automaton) = result.automaton else { return known };
        if let Err(stop) = self.enumerated(spds, &automaton, &mut known) {
            known.stopped = Some(stop);
            return known;
        }
        if plain {
            known.automaton = Some(automaton);
        }
        known
    }

    /// Counts and lists the set, or what of it runs come to; what a limit keeps from that stays unknown.
    fn enumerated(&self, spds: &Spds, automaton: &Automaton, known: &mut Known) -> Result<(), Stop> {
        let limits = &self.options.limits;
        let reachable = match self.reachable {
            true => self.reachable(spds)?,
            false => None,
        };
        let mut sets = vec![automaton];
        sets.extend(&reachable);
        if self.count && self.reachable {
            match enumeration::count(spds, &sets, limits) {
                Ok(counts) => known.counts = Some(counts),
                Err(stop) => known.stopped = Some(stop),
            }
        }
        if let Some(depth) = self.list {
            match enumeration::list(spds, &sets, depth, limits) {
                Ok(list) => known.list = Some(list),
                Err(stop) => known.stopped = Some(stop),
            }
        }
        Ok(())
    }

    /// All configurations that runs come to.
    fn reachable(&self, spds: &Spds) -> Result<Option<Automaton>, Stop> {
        let start = start(spds);
        let words = Some(MOST_PRODUCTS);
        let question = Question { direction: Direction::Post, set: &start, meets: &[], words };
        saturate(spds, &question, &self.options).answer.map(|answer| answer.automaton)
    }
}

impl Report {
    /// Says what is known; `written` is the set in PDAAAL's notation, if it was wanted and there is one.
    fn given(
        self,
        spds: &Spds,
        notation: Notation,
        (name, source): (&str, Option<&Source<'_>>),
        known: &Known,
        written: String,
    ) -> Result<ExitCode, Failure> {
        let said = Said {
            spds,
            notation,
            direction: if self.direction == Direction::Post { "post" } else { "pre" },
            automaton: known.automaton.as_ref(),
            asked: &known.asked,
            counts: known.counts.as_deref(),
            list: known.list.as_deref(),
            unknown: known.stopped.map(Reason::from),
        };
        let seconds = self.began.elapsed().as_secs_f64();
        let picture = match (self.format, &known.automaton) {
            (SetFormatName::Dot, Some(automaton)) => {
                drawn(&of_configurations(spds, source, automaton), Drawn::Dot, name)?
            }
            (SetFormatName::Svg, Some(automaton)) => {
                drawn(&of_configurations(spds, source, automaton), Drawn::Svg, name)?
            }
            _ => Vec::new(),
        };
        answer(|out| -> io::Result<()> {
            match (self.format, &known.automaton) {
                (SetFormatName::Dot | SetFormatName::Svg, Some(_)) => out.write_all(&picture),
                (SetFormatName::Pdaaal, Some(_)) => out.write_all(written.as_bytes()),
                (SetFormatName::Json, _) => json(
                    out,
                    super::notices::header(name, self.stats.then_some(seconds), &super::notices::told()),
                    said,
                ),
                _ => text(out, said),
            }
        })?;
        if self.stats {
            known.stats.figures.iter().for_each(|(name, figure)| tell(&format!("{name}: {figure}")));
            tell(&format!("seconds: {seconds:.3}"));
        }
        let no = known.asked.iter().any(|asked| asked.answer == Some(false));
        Ok(code(no, known.stopped.is_some()))
    }
}
