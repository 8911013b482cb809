//! A system as the judge sees it, its states, and what conditions say of them.

use std::ops::ControlFlow;

use spds_format::expr::{Expr, Time};
use spds_format::model::{ControlId, FrameId, Head, Rule, SymbolId, Var};
use spds_format::{RulesByHead, Spds};

use super::eval::{Cells, Layout, Scene, Side, Spot, evaluate};
use crate::run::Config;

/// A control location, the topmost symbol and the values in scope.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct State {
    pub(super) control: ControlId,
    pub(super) symbol: SymbolId,
    pub(super) globals: Cells,
    pub(super) locals: Cells,
}

impl State {
    /// A configuration as a state without open values.
    pub(super) fn of(config: &Config) -> State {
        State {
            control: config.control,
            symbol: config.symbol,
            globals: config.globals.iter().map(|value| Some(*value)).collect(),
            locals: config.locals.iter().map(|value| Some(*value)).collect(),
        }
    }

    pub(super) fn head(&self) -> Head {
        Head { control: self.control, symbol: self.symbol }
    }

    pub(super) fn decide(&mut self, spot: Spot, value: u64) {
        let cells = if spot.global { &mut self.globals } else { &mut self.locals };
        cells[spot.cell] = Some(value);
    }
}

/// The steps that may still be spent on a search.
#[derive(Debug)]
pub(super) struct Budget(pub(super) u64);

/// The budget is spent.
#[derive(Debug)]
pub(super) struct Exhausted;

impl Budget {
    pub(super) fn spend(&mut self) -> Result<(), Exhausted> {
        self.0 = self.0.checked_sub(1).ok_or(Exhausted)?;
        Ok(())
    }
}

/// A system with what is looked up all the time.
pub(crate) struct System<'a> {
    pub(crate) spds: &'a Spds,
    pub(crate) globals: Layout,
    frames: Vec<Layout>,
    pub(crate) none: Layout,
    rules: RulesByHead,
}

impl<'a> System<'a> {
    pub(crate) fn new(spds: &'a Spds) -> System<'a> {
        System {
            spds,
            globals: Layout::new(&spds.globals),
            frames: spds.frames.iter().map(|frame| Layout::new(&frame.variables)).collect(),
            none: Layout::default(),
            rules: RulesByHead::new(spds),
        }
    }

    pub(super) fn rules(&self, head: Head) -> impl Iterator<Item = &'a Rule> + use<'_, 'a> {
        let spds = self.spds;
        self.rules.of(head).map(|index| &spds.rules[index])
    }

    /// Whether configurations with this head are seen by no one: silent rules are taken there.
    pub(super) fn is_hidden(&self, head: Head) -> bool {
        self.rules.is_silent(head)
    }

    /// Where the locals of a symbol lie.
    pub(crate) fn locals(&self, symbol: SymbolId) -> &Layout {
        self.spds.symbol(symbol).frame.map_or(&self.none, |frame| &self.frames[frame.0 as usize])
    }

    /// The first state of a symbol of which nothing is known.
    pub(super) fn open_state(&self, control: ControlId, symbol: SymbolId) -> State {
        State {
            control,
            symbol,
            globals: vec![None; self.globals.len()],
            locals: vec![None; self.locals(symbol).len()],
        }
    }

    /// Where the locals of a frame lie.
    pub(crate) fn locals_of(&self, frame: FrameId) -> &Layout {
        &self.frames[frame.0 as usize]
    }

    /// Decides what `condition` reads (at time `Before`) and hands on the states in which it may hold.
    pub(super) fn admit(
        &self,
        state: State,
        condition: Option<&Expr>,
        budget: &mut Budget,
        found: &mut dyn FnMut(State) -> ControlFlow<()>,
    ) -> Result<(), Exhausted> {
        let Some(condition) = condition else {
            let _ = found(state);
            return Ok(());
        };
        let mut pending = vec![(state, None::<Split>)];
        while let Some((mut state, split)) = pending.pop() {
            if let Some(mut split) = split {
                let Some(value) = split.next() else { continue };
                let spot = split.spot;
                pending.push((state.clone(), Some(split)));
                state.decide(spot, value);
            }
            budget.spend()?;
            let evaluated = evaluate(condition, &self.scene(&state));
            if !evaluated.may_hold() {
                continue;
            }
            match evaluated.open {
                Some(spot) => {
                    let split = self.split_before(spot, state.symbol);
                    pending.push((state, Some(split)));
                }
                None if found(state).is_break() => return Ok(()),
                None => {}
            }
        }
        Ok(())
    }

    /// Decides all that the expression reads (at time `Before`), whatever its value.
    pub(super) fn decide(
        &self,
        state: State,
        expr: &Expr,
        budget: &mut Budget,
        decided: &mut Vec<State>,
    ) -> Result<(), Exhausted> {
        let mut pending = vec![state];
        while let Some(state) = pending.pop() {
            budget.spend()?;
            let Some(spot) = evaluate(expr, &self.scene(&state)).open.filter(|spot| spot.time == Time::Before) else {
                decided.push(state);
                continue;
            };
            let mut split = self.split_before(spot, state.symbol);
            while let Some(value) = split.next() {
                budget.spend()?;
                let mut next = state.clone();
                next.decide(spot, value);
                pending.push(next);
            }
        }
        Ok(())
    }

    /// The expression's possible truth in a state without open values.
    pub(super) fn may_hold(&self, condition: Option<&Expr>, state: &State) -> bool {
        condition.is_none_or(|condition| evaluate(condition, &self.scene(state)).may_hold())
    }

    /// The invariant of a symbol.
    pub(super) fn invariant(&self, symbol: SymbolId) -> Option<&'a Expr> {
        self.spds.symbol(symbol).invariant.as_ref()
    }

    /// The symbol in words.
    pub(super) fn place(&self, symbol: SymbolId) -> String {
        let symbol = self.spds.symbol(symbol);
        match symbol.place {
            Some(place) => format!("`{}` (line {})", symbol.name, place.line),
            None => format!("`{}`", symbol.name),
        }
    }

    pub(super) fn scene<'s>(&'s self, state: &'s State) -> Scene<'s> {
        Scene {
            globals: Side { layout: &self.globals, cells: &state.globals },
            locals: Side { layout: self.locals(state.symbol), cells: &state.locals },
            after: None,
            saved: None,
            carried: None,
        }
    }

    /// The name of a cell in scope at the symbol.
    pub(super) fn cell_name(&self, symbol: SymbolId, global: bool, cell: usize) -> String {
        let layout = if global { &self.globals } else { self.locals(symbol) };
        self.variable(symbol, var(global, layout.owner(cell) as u32), Some(cell))
    }

    /// The name of a variable in scope at the symbol, with the index if the cell belongs to an array.
    pub(super) fn variable(&self, symbol: SymbolId, var: Var, cell: Option<usize>) -> String {
        let variables = match var {
            Var::Global(_) => &self.spds.globals,
            Var::Local(_) => self.spds.locals(symbol),
        };
        let variable = &variables[number(var) as usize];
        let layout = if let Var::Global(_) = var { &self.globals } else { self.locals(symbol) };
        match (variable.ty.range, cell) {
            (Some((first, _)), Some(cell)) => {
                format!("{}[{}]", variable.name, cell - layout.cells(number(var)).start + first as usize)
            }
            _ => variable.name.to_string(),
        }
    }

    pub(super) fn split_before(&self, spot: Spot, from: SymbolId) -> Split {
        let layout = if spot.global { &self.globals } else { self.locals(from) };
        Split::all(spot, layout.largest(spot.cell))
    }
}

/// An open cell and the values that are still to be tried for it.
pub(super) struct Split {
    pub(super) spot: Spot,
    values: Values,
}

enum Values {
    Among(std::vec::IntoIter<u64>),
    UpTo { next: Option<u64>, last: u64 },
}

impl Split {
    pub(super) fn among(spot: Spot, values: Vec<u64>) -> Split {
        Split { spot, values: Values::Among(values.into_iter()) }
    }

    pub(super) fn all(spot: Spot, last: u64) -> Split {
        Split { spot, values: Values::UpTo { next: Some(0), last } }
    }

    pub(super) fn next(&mut self) -> Option<u64> {
        match &mut self.values {
            Values::Among(values) => values.next(),
            Values::UpTo { next, last } => {
                let value = (*next)?;
                *next = (value < *last).then(|| value + 1);
                Some(value)
            }
        }
    }
}

pub(super) fn number(var: Var) -> u32 {
    match var {
        Var::Global(number) | Var::Local(number) => number,
    }
}

pub(super) fn var(global: bool, number: u32) -> Var {
    if global { Var::Global(number) } else { Var::Local(number) }
}
