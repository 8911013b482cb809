//! Simulation of pushdown systems, in whatever language they are written.

use std::process::ExitCode;

use anyhow::{Context, anyhow, bail};
use puch::check::{Trace, Verdict};
use puch::limits::Limits;
use puch::ltl::tracked;
use puch::places::{self, Naming};
use puch::replay::{Replayed, Simulation, Sought, Unset};
use puch::report::expression::Notation;
use puch::report::present::{Asked, Calls, Finding, PropertyKind, Wish};
use puch::report::simulated::Teller;
use puch::report::system::SystemReport;
use puch::report::text::Layout;
use puch::report::view::View;
use puch::report::{bebop, html, reported};
use puch::run::{Ending, Run};
use puch::source::Source;

use super::commands::{Command, Form, Setting};
use super::{Simulated, commanded, written};
use crate::cli::args::SimulateArgs;
use crate::cli::guard::{self, Gate};
use crate::cli::input::{Input, Loaded};
use crate::cli::{Failure, answer, notices};

/// The most choices that are shown.
const SHOWN: usize = 20;

const HELP: &str = "\
NUMBER           take that choice
(empty line)     step on, if there is one choice only; `step N`: up to N times
go               step on as long as there is one choice only
until PLACE      run to a place by a shortest way: `proc:LABEL`, `LABEL`, `*:LABEL`, `:LINE`
set x=1 a[2]=0   decide values that are still open (`?`)
back             undo the last step; `back N`: the last N
show             where the run is, and what can come next
stack            what is on the stack
print FORM FILE  the run so far as `text`, `bebop`, `json`, `html` or `sarif`; open values are 0 there
quit             the end of input is as good";

/// `puch simulate` of a system.
pub fn simulated(args: SimulateArgs, gate: &Gate) -> Result<ExitCode, Failure> {
    let limits = guard::default_limits();
    let input = Input::meant_with_c(args.input, args.c, limits, false)?;
    gate.stage("reading");
    let mut loaded = input.load()?;
    loaded.spds = tracked(loaded.spds);
    if let Some(condition) = &args.assume {
        input.assume(condition, &mut loaded)?;
    }
    gate.answer();
    let view = View::new(&loaded.spds, input.naming());
    let source = Source::new(&loaded.name, loaded.statements());
    let shown = [Source::new(&loaded.name, &loaded.text)];
    let source = (!loaded.statements().is_empty()).then_some(&source);
    let mut made = Made {
        input: &input,
        loaded: &loaded,
        teller: Teller { view: &view, source },
        shown: &shown,
        notation: input.notation(),
        simulation: Simulation::new(&loaded.spds),
        effort: args.effort,
        limits,
    };
    made.begin()?;
    commanded(&mut made)
}

struct Made<'a> {
    input: &'a Input,
    loaded: &'a Loaded,
    teller: Teller<'a>,
    shown: &'a [Source<'a>],
    notation: Notation,
    simulation: Simulation<'a>,
    effort: u64,
    limits: Limits,
}

impl Simulated for Made<'_> {
    fn help(&self) -> &'static str {
        HELP
    }

    fn done(&mut self, command: Command) -> anyhow::Result<()> {
        match command {
            Command::Nothing | Command::Help | Command::Quit => return Ok(()),
            Command::Number(number) => {
                let count = self.simulation.choices().0.len();
                let choice = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
                if !choice.is_some_and(|choice| self.simulation.take(choice)) {
                    bail!("{number} is no choice: there {}", are(count));
                }
            }
            Command::Step(count) => self.step(count)?,
            Command::Go => self.go(),
            Command::Until(place) => self.until(&place)?,
            Command::Back(count) => {
                for _ in 0..count {
                    if !self.simulation.back() {
                        break;
                    }
                }
            }
            Command::Set(settings) => settings.iter().try_for_each(|setting| self.set(setting))?,
            Command::Show => {}
            Command::Stack => return self.stack(),
            Command::Print(form, file) => {
                let mut text = Vec::new();
                self.print(form, &mut text)?;
                return written(file.as_deref(), &text);
            }
        }
        self.show()
    }
}

/// How many choices there are.
fn are(count: usize) -> String {
    match count {
        0 => "is none".into(),
        1 => "is only 1".into(),
        _ => format!("are 1 to {count}"),
    }
}

impl Made<'_> {
    /// If there is only one way to start, it is taken.
    fn begin(&mut self) -> anyhow::Result<()> {
        if let (ways, true) = self.simulation.choices()
            && ways.len() == 1
        {
            self.simulation.take(0);
        }
        self.show()
    }

    fn show(&mut self) -> anyhow::Result<()> {
        let mut told = self.teller.here(&self.simulation) + "\n";
        // What is told of choices needs the run as well.
        let (choices, complete) = self.simulation.choices();
        let (count, teller) = (choices.len(), self.teller);
        let shown: Vec<_> = choices
            .into_iter()
            .take(SHOWN)
            .map(|(now, decided)| {
                let (globals, locals) = (now.globals.to_vec(), now.locals.to_vec());
                (now.control, now.symbol, globals, locals, now.depth, decided)
            })
            .collect();
        for (number, (control, symbol, globals, locals, depth, decided)) in (1..).zip(&shown) {
            let now = puch::replay::Now { control: *control, symbol: *symbol, globals, locals, depth: *depth };
            told += &format!("{number:>4}  {}\n", teller.choice(&self.simulation, now, decided));
        }
        match (count, complete) {
            (0, true) if self.simulation.is_over().is_some() => {}
            (0, true) => told += "      no step is possible\n",
            (0, false) => told += "      no step was found; set values to make it easier\n",
            (_, true) if count > SHOWN => told += &format!("      … and {} more: set values\n", count - SHOWN),
            (_, false) => told += "      … and more: set values\n",
            _ => {}
        }
        answer(|out| out.write_all(told.as_bytes()))
    }

    fn step(&mut self, count: usize) -> anyhow::Result<()> {
        for _ in 0..count {
            let (choices, complete) = self.simulation.choices();
            match (choices.len(), complete) {
                (1, true) => {}
                (0, _) => bail!("no step is possible: `back` undoes the last one"),
                (count, _) => bail!("the step is to be chosen: there {}", are(count)),
            }
            self.simulation.take(0);
        }
        Ok(())
    }

    fn go(&mut self) {
        let mut met = 0;
        while let (choices, true) = self.simulation.choices()
            && choices.len() == 1
            && met < self.effort
        {
            self.simulation.take(0);
            met += 1;
        }
    }

    fn until(&mut self, place: &str) -> anyhow::Result<()> {
        let targets = places::resolve(&self.loaded.spds, place, self.input.naming())
            .map_err(|error| anyhow!("{error}{}", said(&error.advice())))?;
        if !self.simulation.started() {
            bail!("the start is to be chosen first");
        }
        let wanted = |control, symbol| {
            targets.iter().any(|target| target.symbol == symbol && target.control.is_none_or(|own| own == control))
        };
        match self.simulation.until(&wanted, self.effort) {
            Sought::There(_) => Ok(()),
            Sought::Nowhere => bail!("no run leads from here to `{place}`"),
            Sought::GivenUp(most) => {
                bail!("`{place}` is not among the {most} configurations that were looked at (--effort)")
            }
        }
    }

    fn set(&mut self, setting: &Setting) -> anyhow::Result<()> {
        let Setting { name, index, value } = setting;
        let now = self.simulation.now();
        let scope = self.teller.scope(&self.simulation, now);
        let Some(variable) = scope.iter().find(|variable| variable.name == *name) else {
            let names: Vec<&str> = scope.iter().map(|variable| variable.name.as_str()).collect();
            bail!("no variable `{name}` is in scope here; there are {}", names.join(", "));
        };
        let own = self.simulation.cells(self.loaded.spds.symbol(now.symbol).frame, variable.var);
        let cell = match (variable.first, index) {
            (None, None) => own.start,
            (None, Some(_)) => bail!("`{name}` is no array"),
            (Some(_), None) => bail!("`{name}` is an array: say which cell, as in `{name}[1]=0`"),
            (Some(first), Some(index)) => {
                let at = index.checked_sub(u64::from(first)).and_then(|at| usize::try_from(at).ok());
                match at.filter(|at| *at < own.len()) {
                    Some(at) => own.start + at,
                    None => bail!("`{name}` has no cell {index}"),
                }
            }
        };
        match self.simulation.set(variable.var, cell, *value) {
            Ok(()) => Ok(()),
            Err(Unset::Is(known)) => bail!("`{name}` is {known} here, and the run depends on it: go back to change it"),
            Err(Unset::TooLarge(largest)) => bail!("`{name}` is {largest} at most"),
            Err(Unset::NoCell) => bail!("`{name}` has no such cell"),
        }
    }

    fn stack(&self) -> anyhow::Result<()> {
        let now = self.simulation.now();
        let symbols = std::iter::once(now.symbol).chain(self.simulation.below());
        let symbols = symbols.filter(|symbol| Some(*symbol) != self.loaded.spds.end);
        let lines = symbols.map(|symbol| match self.teller.view.naming {
            Naming::Program => {
                let frame = self.loaded.spds.symbol(symbol).frame;
                let procedure = frame.map_or("", |frame| &*self.loaded.spds.frame(frame).name);
                format!("  {procedure} {}\n", self.teller.place(now.control, symbol))
            }
            Naming::System => format!("  {}\n", self.loaded.spds.symbol(symbol).name),
        });
        let told: String = lines.collect();
        answer(|out| out.write_all(told.as_bytes()))
    }

    fn print(&mut self, form: Form, out: &mut Vec<u8>) -> anyhow::Result<()> {
        if !self.simulation.started() {
            bail!("the start is to be chosen first");
        }
        let (run, replayed): (Run, Replayed) =
            self.simulation.run().map_err(|objection| anyhow!("the judge objects: {objection}; please report this"))?;
        let Some(last) = run.stem.last() else { bail!("there is no run") };
        let asked = match run.ending {
            Ending::Failed => Asked::new(PropertyKind::Assertions, PropertyKind::Assertions.name()),
            _ => Asked::new(PropertyKind::Reach, self.teller.place(last.config.control, last.config.symbol)),
        };
        let trace = Some(Trace { replayed, run });
        let verdict =
            if asked.kind == PropertyKind::Reach { Verdict::Reachable(trace) } else { Verdict::Violated(trace) };
        let given = puch::check::Answer::new(verdict);
        let view = self.teller.view;
        let finding = [Finding::new(view, &asked, &given, Wish { calls: Calls::Full, limit: u64::MAX })];
        let told = notices::told();
        let source = self.teller.source;
        let header = notices::header(&self.loaded.name, None, &told);
        let report = SystemReport::new(view, source, &finding);
        let coverage = html::Coverage { unknown: Some("nothing was searched".into()), ..html::Coverage::default() };
        match form {
            Form::Text => report.write(out, reported::Form::Text(Layout::default()), header),
            Form::Bebop => {
                let all = bebop::constrained(view, &finding[0], &self.limits).unwrap_or(None);
                bebop::write(out, view, source, &finding, &[all])
            }
            Form::Json => report.write(out, reported::Form::Json, header),
            Form::Html => {
                let subject = html::Subject { view, sources: self.shown, notation: self.notation, coverage: &coverage };
                html::write(out, subject, header, &finding)
            }
            Form::Sarif => report.write(out, reported::Form::Sarif, header),
        }
        .context("the run cannot be written")
    }
}

/// Advice as the end of a sentence.
fn said(advice: &str) -> String {
    if advice.is_empty() { String::new() } else { format!(" ({advice})") }
}
