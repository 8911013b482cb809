//! A run that is being made: where it is, and what can come next.

use std::fmt::Write as _;

use spds_format::model::{ControlId, SymbolId, Var};

use crate::places::Naming;
use crate::replay::{Decided, Now, Simulation};
use crate::source::Source;

use super::text;
use super::view::View;

/// What is needed to tell of a run.
#[derive(Clone, Copy)]
pub struct Teller<'a> {
    /// The system.
    pub view: &'a View<'a>,
    /// Its text, where its lines are statements.
    pub source: Option<&'a Source<'a>>,
}

/// A variable in scope and what is known of its cells.
#[derive(Clone, Debug)]
pub struct InScope {
    /// Its name, `::g` for a hidden global.
    pub name: String,
    /// Which one it is.
    pub var: Var,
    /// The first index of an array.
    pub first: Option<u32>,
    /// Its cells.
    pub cells: Vec<Option<u64>>,
}

impl InScope {
    /// `x=1`, `x=?`, `a=[1,?]`
    pub fn told(&self) -> String {
        let cell = |cell: &Option<u64>| cell.map_or("?".to_owned(), |value| value.to_string());
        match self.first {
            None => format!("{}={}", self.name, self.cells.first().map_or("?".to_owned(), cell)),
            Some(_) => {
                let cells: Vec<String> = self.cells.iter().map(cell).collect();
                format!("{}=[{}]", self.name, cells.join(","))
            }
        }
    }
}

impl Teller<'_> {
    /// The variables in scope, globals first, as far as users see them.
    pub fn scope(self, simulation: &Simulation<'_>, now: Now<'_>) -> Vec<InScope> {
        let spds = self.view.spds;
        let frame = spds.symbol(now.symbol).frame;
        let globals = (0..).zip(&spds.globals).map(|(number, global)| (Var::Global(number), global, now.globals));
        let locals = (0..).zip(spds.locals(now.symbol)).map(|(number, local)| (Var::Local(number), local, now.locals));
        let seen = globals.chain(locals).filter(|(_, variable, _)| !variable.hidden);
        let told = seen.map(|(var, variable, cells)| InScope {
            name: spds.display_name(frame, var).into_owned(),
            var,
            first: variable.ty.range.map(|(first, _)| first),
            cells: cells.get(simulation.cells(frame, var)).unwrap_or(&[]).to_vec(),
        });
        told.collect()
    }

    /// The name under which `--reach` knows a place.
    pub fn place(self, control: ControlId, symbol: SymbolId) -> String {
        let spds = self.view.spds;
        let place = spds.symbol(symbol);
        match (self.view.naming, place.place) {
            (Naming::Program, Some(at)) => format!(":{}", at.line),
            (Naming::Program, None) => place.name.to_string(),
            (Naming::System, _) => format!("{}:{}", spds.controls[control.0 as usize], place.name),
        }
    }

    /// The statement about to be executed, and where it is.
    fn statement(self, now: Now<'_>) -> String {
        let spds = self.view.spds;
        let symbol = spds.symbol(now.symbol);
        if self.view.naming == Naming::System {
            return self.place(now.control, now.symbol);
        }
        if Some(now.symbol) == spds.end {
            return "the end".into();
        }
        if Some(now.symbol) == spds.fail {
            return "the assertion has failed".into();
        }
        let mut text = String::new();
        if let Some(frame) = symbol.frame {
            let _ = write!(text, "{}", spds.frame(frame).name);
        }
        if let Some(place) = symbol.place {
            let _ = write!(text, " {}", place.line);
        }
        let _ = write!(text, ": {}", text::statement(spds, self.source, now.symbol));
        text
    }

    /// Where the run is, with all values: `?` is open.
    pub fn here(self, simulation: &Simulation<'_>) -> String {
        let now = simulation.now();
        let values: Vec<String> = self.scope(simulation, now).iter().map(InScope::told).collect();
        let start = if simulation.started() { "" } else { "start at " };
        let indent = "  ".repeat(usize::try_from(now.depth).unwrap_or(0).min(20));
        format!("{indent}{start}{}  {}", self.statement(now), values.join(" ")).trim_end().to_owned()
    }

    /// Where a choice leads: what has to be for it, and what then is otherwise.
    pub fn choice(self, simulation: &Simulation<'_>, to: Now<'_>, decided: &[Decided]) -> String {
        let spds = self.view.spds;
        let now = simulation.now();
        let frame = spds.symbol(now.symbol).frame;
        let mut text = if simulation.started() { self.statement(to) } else { String::new() };
        let cell = |(var, cell, value): &Decided| {
            let variable = spds.variable(frame, *var).filter(|variable| !variable.hidden)?;
            let name = spds.display_name(frame, *var);
            Some(match variable.ty.range {
                Some((first, _)) => {
                    let index = cell - simulation.cells(frame, *var).start + first as usize;
                    format!("{name}[{index}]={value}")
                }
                None => format!("{name}={value}"),
            })
        };
        let conditions: Vec<String> = decided.iter().filter_map(cell).collect();
        if !conditions.is_empty() {
            let _ = write!(text, "  if {}", conditions.join(" "));
        }
        if simulation.started() {
            let same = to.depth == now.depth && spds.symbol(to.symbol).frame == frame;
            let mut before = self.scope(simulation, now);
            for (var, cell, value) in decided {
                let at = cell - simulation.cells(frame, *var).start;
                let own = before.iter_mut().find(|own| own.var == *var).and_then(|own| own.cells.get_mut(at));
                own.into_iter().for_each(|own| *own = Some(*value));
            }
            let known = |after: &InScope| {
                let local = matches!(after.var, Var::Local(_));
                let then = before.iter().find(|then| then.var == after.var && (!local || same));
                then.is_some_and(|then| then.cells == after.cells)
            };
            let after = self.scope(simulation, to);
            let changed: Vec<String> = after.iter().filter(|after| !known(after)).map(InScope::told).collect();
            if !changed.is_empty() {
                let _ = write!(text, "  {}", changed.join(" "));
            }
        }
        text.trim_start().to_owned()
    }
}
