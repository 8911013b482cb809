//! Simulation of C programs: the interpreter executes, inputs are chosen.

use std::io;
use std::process::ExitCode;

use anyhow::bail;
use puch::c_problem::coverage::without;
use puch::interpreter::{self, Doubt, End, Inputs, Outcome};
use puch::options::TraceWish;
use puch::places::Naming;
use puch::refinement::{Execution, Proof, Verdict, input};
use puch::report::c_finding::{CFinding, Executed};
use puch::report::c_formats::Report;
use puch::report::c_run::{self, Length, Recorder};
use puch::report::expression::Notation;
use puch::report::html::{Coverage, Subject};
use puch::report::present::{Asked, PropertyKind};
use puch::report::view::View;
use puch::report::{json, reported};
use puch::source::Source;
use spds_format::model::Place;

use super::commands::{Command, Form};
use super::{Simulated, commanded, written};
use crate::cli::args::{CArgs, InputArgs, SimulateArgs};
use crate::cli::c_input::{CInput, CLoaded};
use crate::cli::choices::InputFormat;
use crate::cli::guard::Gate;
use crate::cli::input::refuse_options_of_others;
use crate::cli::{Failure, abstraction, answer, check, notices};

const HELP: &str = "\
NUMBER           give this input, where the program asks for one
(empty line)     execute one statement; `step N`: N statements
go               execute up to the next input, or to the end
until :LINE      execute up to a line; of one of several files: `until FILE:LINE`
back             undo the last command that did something; `back N`: the last N
show             where the run is
print FORM FILE  the run so far as `text`, `json`, `html` or `sarif`
quit             the end of input is as good";

/// `puch simulate` of a C program.
pub fn simulated(args: SimulateArgs, gate: &Gate) -> Result<ExitCode, Failure> {
    refuse_options_of_others(&args.input, Some(InputFormat::C))?;
    let overflow = abstraction::overflow(&args.c.predicates);
    let files = std::iter::once(args.input.file).chain(args.further).collect();
    let InputArgs { input_format, entry, define, .. } = args.input;
    let input = CInput::meant(CArgs { files, input_format, reading: args.c.reading, entry, define })?;
    gate.stage("reading");
    let loaded = input.load()?;
    gate.answer();
    let options = interpreter::Options::of(overflow, args.steps);
    let mut made = Made { loaded: &loaded, options, at: At::default(), before: Vec::new() };
    made.show(0)?;
    commanded(&mut made)
}

/// How far a run is.
#[derive(Clone, Debug, Default)]
struct At {
    inputs: Vec<i128>,
    /// Statements of C- that were executed.
    steps: u64,
}

struct Made<'a> {
    loaded: &'a CLoaded,
    options: interpreter::Options,
    at: At,
    before: Vec<At>,
}

impl Simulated for Made<'_> {
    fn help(&self) -> &'static str {
        HELP
    }

    fn done(&mut self, command: Command) -> anyhow::Result<()> {
        let lines = self.executed(self.at.steps).0.lines();
        let before = self.at.clone();
        match command {
            Command::Nothing | Command::Help | Command::Quit => return Ok(()),
            Command::Number(number) => {
                let (_, outcome) = self.executed(self.at.steps);
                if !self.asks(&outcome) {
                    bail!("the program does not ask for an input here: `go` executes it up to there");
                }
                self.at.inputs.push(number);
                self.advance(0);
                self.before.push(before);
                // The line that asks is the one that has got a value now.
                return self.show(lines.saturating_sub(1));
            }
            Command::Step(count) => self.advance(count),
            Command::Go => self.at.steps = self.total(),
            Command::Until(place) => self.until(&place)?,
            Command::Back(count) => {
                let kept = self.before.len().saturating_sub(count);
                if let Some(at) = self.before.drain(kept..).next() {
                    self.at = at;
                }
                return self.show(self.executed(self.at.steps).0.lines().saturating_sub(1));
            }
            Command::Set(_) => bail!("in C programs inputs are chosen: give a number where one is asked for"),
            Command::Show => return self.show(lines.saturating_sub(1)),
            Command::Stack => bail!("`stack` is not about C programs: depth is shown by indentation"),
            Command::Print(form, file) => {
                let mut text = Vec::new();
                self.print(form, &mut text)?;
                return written(file.as_deref(), &text);
            }
        }
        self.before.push(before);
        self.show(lines)
    }
}

impl Made<'_> {
    /// The run up to a step, and how it stands there.
    fn executed(&self, steps: u64) -> (Recorder<'_>, Outcome) {
        let mut recorder = Recorder::new(&self.loaded.program, Length::All).within(check::columns(None));
        let options = interpreter::Options { steps, ..self.options };
        let inputs = Inputs::list(self.at.inputs.iter().copied()).left_to_right();
        let outcome = interpreter::execute(&self.loaded.program, &options, inputs, &mut |moment| recorder.tell(moment));
        (recorder, outcome)
    }

    /// How many steps there are up to the next input, or to the end.
    fn total(&self) -> u64 {
        self.executed(self.options.steps).1.steps
    }

    /// Whether the run stands where an input is needed.
    fn asks(&self, outcome: &Outcome) -> bool {
        outcome.end == End::Unknown(Doubt::NoInput) || {
            let stands = outcome.end == End::Unknown(Doubt::Steps);
            stands && self.executed(self.at.steps + 1).1.end == End::Unknown(Doubt::NoInput)
        }
    }

    /// So many statements of C.
    fn advance(&mut self, count: usize) {
        let total = self.total();
        let wanted = self.executed(self.at.steps).0.lines() + count;
        // What the last line says is whole when the next one begins.
        while self.at.steps < total && self.executed(self.at.steps + 1).0.lines() <= wanted {
            self.at.steps += 1;
        }
    }

    fn until(&mut self, place: &str) -> anyhow::Result<()> {
        let Some((file, line)) = self.line(place) else {
            bail!("in C programs places are lines: `until :7`, or of one of several files `until list.c:7`")
        };
        let (mut step, mut found) = (0, None);
        let inputs = Inputs::list(self.at.inputs.iter().copied()).left_to_right();
        interpreter::execute(&self.loaded.program, &self.options, inputs, &mut |moment| {
            step += 1;
            let here = moment.statement.place;
            let meant =
                !moment.statement.kind.is_made_up() && here.line == line && file.is_none_or(|file| here.file == file);
            if step > self.at.steps && found.is_none() && meant {
                found = Some(step);
            }
        });
        match found {
            Some(step) => {
                self.at.steps = step;
                Ok(())
            }
            None => {
                self.at.steps = self.total();
                let (_, outcome) = self.executed(self.at.steps);
                if self.asks(&outcome) { Ok(()) } else { bail!("the run does not come to line {line}") }
            }
        }
    }

    /// `:7`, or `list.c:7` with the name of a file or its end: which file, if one is said, and which line.
    fn line(&self, place: &str) -> Option<(Option<u32>, u32)> {
        let (name, line) = place.rsplit_once(':')?;
        let line = line.parse().ok()?;
        let named =
            |file: &str| file.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('/'));
        match self.loaded.program.files.iter().position(|file| named(file)) {
            _ if name.is_empty() => Some((None, line)),
            Some(file) => Some((Some(u32::try_from(file).ok()?), line)),
            None => None,
        }
    }

    /// A place in words.
    fn told(&self, place: Place) -> String {
        let files = &self.loaded.program.files;
        match files.get(place.file as usize).filter(|_| files.len() > 1) {
            Some(file) => format!("line {} of {file}", place.line),
            None => format!("line {}", place.line),
        }
    }

    /// Shows the lines from one on, and what comes now.
    fn show(&self, from: usize) -> anyhow::Result<()> {
        let (recorder, outcome) = self.executed(self.at.steps);
        let sources = self.sources();
        let program = &self.loaded.program;
        let whole = self.at.steps >= self.total();
        let asks = self.asks(&outcome);
        answer(|out| {
            c_run::listed(out, &sources, &recorder, from)?;
            if asks {
                return writeln!(out, "  an input is needed in {}", self.told(outcome.place));
            }
            let ended = self.executed(self.at.steps + 1).1;
            match whole && ended.end != End::Unknown(Doubt::Steps) {
                true => writeln!(out, "  {}", ended.end.told(program)),
                false => writeln!(out, "  {} is next", self.told(ended.place)),
            }
        })
    }

    fn sources(&self) -> Vec<Source<'_>> {
        self.loaded.sources()
    }

    fn print(&self, form: Form, out: &mut Vec<u8>) -> anyhow::Result<()> {
        let (recorder, outcome) = self.executed(self.at.steps.max(1));
        // What is written is as wide as it is.
        let recorder = recorder.within(None);
        let sources = self.sources();
        let names: Vec<&str> = self.loaded.texts.iter().map(|(name, _)| name.as_str()).collect();
        match form {
            Form::Text => c_run::lines(out, &sources, &recorder, &outcome)?,
            Form::Json => {
                let told = notices::told();
                let header = notices::header(names.first().copied().unwrap_or(""), None, &told);
                c_run::json(out, header, json::Granted::default(), &names, &sources, &recorder, &outcome)?;
            }
            Form::Html => self.found(&outcome, &sources, |report| {
                let nothing = without(&self.loaded.program);
                let coverage = Coverage { unknown: Some("nothing was searched".into()), ..Coverage::default() };
                let view = View::new(&nothing, Naming::Program);
                let subject = Subject { view: &view, sources: &sources, notation: Notation::C, coverage: &coverage };
                report.html(out, subject, &self.loaded.program)
            })?,
            Form::Sarif => self.found(&outcome, &sources, |report| report.write(out, reported::Form::Sarif))?,
            Form::Bebop => bail!("runs of C programs are printed as `text`, `json`, `html` or `sarif`"),
        }
        Ok(())
    }

    /// The run as an answer to the question whether some run comes where it is.
    fn found(
        &self,
        outcome: &Outcome,
        sources: &[Source<'_>],
        write: impl FnOnce(&Report<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        let asked = Asked::new(PropertyKind::Reach, self.told(outcome.place));
        let verdict = Verdict::Reachable(Execution::over(outcome.inputs.iter().map(input).collect(), outcome.steps));
        let program = &self.loaded.program;
        let finding = CFinding {
            asked: &asked,
            verdict: &verdict,
            warnings: &[],
            trusted: &program.unverified,
            verified: None,
            shown: Executed { program, overflow: self.options.overflow, proof: &Proof::Nothing, uses: None },
        };
        let told = notices::told();
        let name = self.loaded.texts.first().map_or("", |(name, _)| name);
        write(&Report {
            header: notices::header(name, None, &told),
            sources,
            findings: &[finding],
            trace: TraceWish::Any,
            limit: u64::MAX,
        })
    }
}
