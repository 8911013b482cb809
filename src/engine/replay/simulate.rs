//! Runs made step by step by who chooses among the successors, in the semantics in which the judge walks them.
//!
//! A value that nothing has depended on stays open. It is decided by who sets it, or by the first guard, update or
//! condition that reads it, which is then part of the choice among successors; and with it wherever it came from, so that
//! what was passed is always a part of a run.

use std::collections::{BTreeSet, VecDeque};

use spds_format::Spds;
use spds_format::model::{ControlId, FrameId, Stack, SymbolId, Var};

use super::ending::fails;
use super::eval::Cells;
use super::successors::{Choices, Successors, Taken};
use super::system::State;
use super::{Claim, Objection, Replayed, judge};
use crate::run::{Config, Ending, Run, Step, Then};

/// A run that is being made.
pub struct Simulation<'s> {
    space: Successors<'s>,
    /// The values with which the run is to start, as far as they were set.
    draft: State,
    moments: Vec<Moment>,
    /// The moments of the calls that have not returned.
    calls: Vec<usize>,
    /// What was decided, in order: the moment, whether it is a global, the cell.
    trail: Vec<(usize, bool, usize)>,
    /// How many moments and decisions there were before each step.
    marks: Vec<(usize, usize)>,
    choices: Option<Choices<'s>>,
}

/// A configuration of the run, hidden ones too, and how it came about.
struct Moment {
    state: State,
    below: Option<usize>,
    link: Link,
}

/// How a moment hangs together with those before.
enum Link {
    /// It is the first.
    Start,
    /// By a step in the same frame or into another one at the same height.
    Swap(Kept),
    /// By a call; kept are the locals that are saved.
    Push(Kept),
    /// By a return to a frame that this moment left; `None` if the frame was there from the start.
    Pop(Kept, Option<usize>),
}

/// Which cells keep their values.
struct Kept {
    globals: Vec<bool>,
    locals: Vec<bool>,
}

/// A configuration as far as it is known: `None` is open.
#[derive(Clone, Copy, Debug)]
pub struct Now<'a> {
    /// The control location.
    pub control: ControlId,
    /// The topmost symbol.
    pub symbol: SymbolId,
    /// The cells of the globals.
    pub globals: &'a [Option<u64>],
    /// The cells of the locals.
    pub locals: &'a [Option<u64>],
    /// Frames below.
    pub depth: u64,
}

/// A cell that a choice decides, and what it is then.
pub type Decided = (Var, usize, u64);

/// How the search for a place ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sought {
    /// The run is there now, after so many steps.
    There(usize),
    /// Nothing leads there from here.
    Nowhere,
    /// It was given up after so many configurations.
    GivenUp(u64),
}

/// Why a value cannot be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unset {
    /// It has this value already, and the run depends on it.
    Is(u64),
    /// The largest value is this.
    TooLarge(u64),
    /// There is no such cell.
    NoCell,
}

impl<'s> Simulation<'s> {
    /// A run that has not started.
    pub fn new(spds: &'s Spds) -> Simulation<'s> {
        let space = Successors::new(spds);
        let draft = space.system.open_state(spds.start.control, spds.start.stack[0]);
        Simulation {
            space,
            draft,
            moments: Vec::new(),
            calls: Vec::new(),
            trail: Vec::new(),
            marks: Vec::new(),
            choices: None,
        }
    }

    /// Whether there is a configuration, or the start is still to be chosen.
    pub fn started(&self) -> bool {
        !self.moments.is_empty()
    }

    /// Where the run is; before it starts, as much as was set.
    pub fn now(&self) -> Now<'_> {
        match self.moments.last() {
            Some(moment) => self.seen(&moment.state, moment.below),
            None => Now { depth: 0, ..self.seen(&self.draft, None) },
        }
    }

    fn seen<'a>(&self, state: &'a State, below: Option<usize>) -> Now<'a> {
        let start = &self.space.system.spds.start;
        let ends = start.stack.len() > 1 && start.stack.last().copied() == self.space.system.spds.end;
        let height = self.space.height(below);
        Now {
            control: state.control,
            symbol: state.symbol,
            globals: &state.globals,
            locals: &state.locals,
            depth: height.saturating_sub(u64::from(ends)),
        }
    }

    /// The symbols below the topmost one, from the top.
    pub fn below(&self) -> Vec<SymbolId> {
        self.space.symbols(self.moments.last().and_then(|moment| moment.below))
    }

    /// The cells of a variable in a configuration whose topmost symbol has this frame.
    pub fn cells(&self, frame: Option<FrameId>, var: Var) -> std::ops::Range<usize> {
        match (var, frame) {
            (Var::Global(number), _) => self.space.system.globals.cells(number),
            (Var::Local(number), Some(frame)) => self.space.system.locals_of(frame).cells(number),
            (Var::Local(_), None) => 0..0,
        }
    }

    /// Where each choice leads, and what it decides of the values here; whether these are all.
    pub fn choices(&mut self) -> (Vec<(Now<'_>, Vec<Decided>)>, bool) {
        let choices = self.choices.take().unwrap_or_else(|| self.successors());
        self.choices = Some(choices);
        let Some(Choices { ways, complete }) = &self.choices else { return (Vec::new(), true) };
        let here = self.now();
        let seen = ways.iter().map(|way| {
            let (first, last) = (&way[0], &way[way.len() - 1]);
            // Before there is a start, the start itself is chosen.
            let chosen = if first.rule.is_some() { &first.before } else { &first.after };
            let globals = decided(here.globals, &chosen.globals)
                .map(|(cell, value)| (self.owner(true, chosen, cell), cell, value));
            let locals = decided(here.locals, &chosen.locals)
                .map(|(cell, value)| (self.owner(false, chosen, cell), cell, value));
            (self.seen(&last.after, last.below), globals.chain(locals).collect())
        });
        (seen.collect(), *complete)
    }

    fn owner(&self, global: bool, state: &State, cell: usize) -> Var {
        match global {
            true => Var::Global(self.space.system.globals.owner(cell) as u32),
            false => Var::Local(self.space.system.locals(state.symbol).owner(cell) as u32),
        }
    }

    /// Takes a choice, counted from 0; whether there is such a one.
    pub fn take(&mut self, choice: usize) -> bool {
        let choices = self.choices.take().unwrap_or_else(|| self.successors());
        let Some(way) = choices.ways.get(choice).cloned() else {
            self.choices = Some(choices);
            return false;
        };
        self.marks.push((self.moments.len(), self.trail.len()));
        for taken in way {
            self.apply(taken);
        }
        true
    }

    /// Undoes the last step; whether there was one.
    pub fn back(&mut self) -> bool {
        self.choices = None;
        let Some((moments, trail)) = self.marks.pop() else {
            self.draft = self.space.system.open_state(self.draft.control, self.draft.symbol);
            return false;
        };
        while self.moments.len() > moments {
            match self.moments.pop().map(|moment| moment.link) {
                Some(Link::Push(_)) => {
                    self.calls.pop();
                }
                Some(Link::Pop(_, Some(caller))) => self.calls.push(caller),
                _ => {}
            }
        }
        self.undo(trail);
        true
    }

    fn undo(&mut self, trail: usize) {
        for (moment, global, cell) in self.trail.split_off(trail) {
            if let Some(moment) = self.moments.get_mut(moment) {
                let cells = if global { &mut moment.state.globals } else { &mut moment.state.locals };
                cells[cell] = None;
            }
        }
    }

    /// Decides an open cell of the configuration at hand, or of the start to come.
    ///
    /// # Errors
    /// If it is not open, or cannot have that value.
    pub fn set(&mut self, var: Var, cell: usize, value: u64) -> Result<(), Unset> {
        let global = matches!(var, Var::Global(_));
        let state = self.moments.last().map_or(&self.draft, |moment| &moment.state);
        let layout = if global { &self.space.system.globals } else { self.space.system.locals(state.symbol) };
        let cells = if global { &state.globals } else { &state.locals };
        match cells.get(cell) {
            None => return Err(Unset::NoCell),
            Some(Some(known)) if *known == value => return Ok(()),
            Some(Some(known)) => return Err(Unset::Is(*known)),
            Some(None) if value > layout.largest(cell) => return Err(Unset::TooLarge(layout.largest(cell))),
            Some(None) => {}
        }
        self.choices = None;
        match self.moments.len().checked_sub(1) {
            Some(last) => self.decide(last, global, cell, value),
            None => {
                let cells = if global { &mut self.draft.globals } else { &mut self.draft.locals };
                cells[cell] = Some(value);
            }
        }
        Ok(())
    }

    /// Goes on to the nearest configuration of which `wanted` is true, this one left out; looks at so many at most.
    pub fn until(&mut self, wanted: &dyn Fn(ControlId, SymbolId) -> bool, most: u64) -> Sought {
        let Some(here) = self.moments.last() else { return Sought::Nowhere };
        /// A configuration, the one before, and the choice that led here.
        struct Node {
            at: (State, Option<usize>),
            from: Option<(usize, usize)>,
        }
        let mut nodes = vec![Node { at: (here.state.clone(), here.below), from: None }];
        let mut met = BTreeSet::from([nodes[0].at.clone()]);
        let mut queue = VecDeque::from([0]);
        let mut complete = true;
        while let Some(index) = queue.pop_front() {
            if nodes.len() as u64 > most {
                return Sought::GivenUp(most);
            }
            let (state, below) = nodes[index].at.clone();
            let next = self.space.after(&state, below);
            complete &= next.complete;
            for (choice, way) in next.ways.into_iter().enumerate() {
                let Some(last) = way.into_iter().next_back() else { continue };
                let at = (last.after, last.below);
                let found = wanted(at.0.control, at.0.symbol);
                if !found && !met.insert(at.clone()) {
                    continue;
                }
                nodes.push(Node { at, from: Some((index, choice)) });
                if !found {
                    queue.push_back(nodes.len() - 1);
                    continue;
                }
                let mut chosen = Vec::new();
                let mut node = nodes.len() - 1;
                while let Some((before, choice)) = nodes[node].from {
                    chosen.push(choice);
                    node = before;
                }
                for choice in chosen.iter().rev() {
                    self.take(*choice);
                }
                return Sought::There(chosen.len());
            }
        }
        if complete { Sought::Nowhere } else { Sought::GivenUp(nodes.len() as u64) }
    }

    /// Whether the program has ended, or an assertion has failed.
    pub fn is_over(&self) -> Option<Ending> {
        let symbol = Some(self.moments.last()?.state.symbol);
        if symbol == self.space.system.spds.fail {
            return Some(Ending::Failed);
        }
        (symbol == self.space.system.spds.end).then_some(Ending::Terminated)
    }

    /// The run so far, with 0 for what is still open, accepted by the judge; without the configuration after its end.
    ///
    /// # Errors
    /// If the judge objects, which would be a defect of this or of that.
    pub fn run(&mut self) -> Result<(Run, Replayed), Objection> {
        let mark = self.trail.len();
        for moment in (0..self.moments.len()).rev() {
            for global in [true, false] {
                let state = &self.moments[moment].state;
                let cells = if global { &state.globals } else { &state.locals };
                let open: Vec<usize> = (0..cells.len()).filter(|cell| cells[*cell].is_none()).collect();
                for cell in open {
                    self.decide(moment, global, cell, 0);
                }
            }
        }
        let spds = self.space.system.spds;
        let after_the_end = [spds.end, spds.fail];
        let known = |cells: &Cells| cells.iter().map(|cell| cell.unwrap_or(0)).collect();
        let mut stem = Vec::new();
        for Moment { state, below, .. } in &self.moments {
            let config = Config {
                control: state.control,
                symbol: state.symbol,
                globals: known(&state.globals),
                locals: known(&state.locals),
            };
            let depth = u32::try_from(self.seen(state, *below).depth).unwrap_or(u32::MAX);
            stem.push(Step { config, depth, then: Then::Step });
        }
        while stem.len() > 1 && stem.last().is_some_and(|step| after_the_end.contains(&Some(step.config.symbol))) {
            stem.pop();
        }
        let failed = self.is_over() == Some(Ending::Failed);
        let last = stem.last().map(|step| State::of(&step.config));
        let failed = failed && last.as_ref().is_some_and(|last| fails(&self.space.system, last));
        self.undo(mark);
        let ending = if failed { Ending::Failed } else { Ending::Reached };
        let claim = match last {
            Some(last) if !failed => Claim::Reaches(vec![(Some(last.control), last.symbol)]),
            _ => Claim::Fails,
        };
        let run = Run { stem, cycle: None, closes_on: None, calls: Vec::new(), ending };
        let replayed = judge(spds, &run, &claim, u64::MAX)?;
        Ok((run, replayed))
    }

    /// Takes one rule.
    fn apply(&mut self, taken: Taken<'s>) {
        let Taken { rule, before, after, below } = taken;
        let Some(rule) = rule else {
            self.moments.push(Moment { state: after, below, link: Link::Start });
            return;
        };
        let index = self.moments.len();
        for (cell, value) in before.globals.iter().enumerate() {
            if let Some(value) = *value {
                self.decide(index - 1, true, cell, value);
            }
        }
        for (cell, value) in before.locals.iter().enumerate() {
            if let Some(value) = *value {
                self.decide(index - 1, false, cell, value);
            }
        }
        let (globals, locals, saved) = self.space.system.kept(rule, &before);
        let link = match rule.stack {
            Stack::Swap(_) => Link::Swap(Kept { globals, locals }),
            Stack::Push(..) => {
                self.calls.push(index - 1);
                Link::Push(Kept { globals, locals: saved })
            }
            Stack::Pop => Link::Pop(Kept { globals, locals: Vec::new() }, self.calls.pop()),
        };
        self.moments.push(Moment { state: after, below, link });
        // What an invariant has decided was so before, where it is kept.
        for global in [true, false] {
            let state = &self.moments[index].state;
            let cells = (if global { &state.globals } else { &state.locals }).clone();
            for (cell, value) in cells.into_iter().enumerate() {
                if let Some((source, own, value)) =
                    self.source(index, global, cell).zip(value).map(|((m, g), v)| (m, g, v))
                {
                    self.decide(source, own, cell, value);
                }
            }
        }
    }

    /// The moment from which a cell has its value, if it was kept.
    fn source(&self, moment: usize, global: bool, cell: usize) -> Option<(usize, bool)> {
        let kept = |cells: &[bool]| cells.get(cell).copied().unwrap_or(false);
        match (&self.moments[moment].link, global) {
            (Link::Swap(own) | Link::Push(own) | Link::Pop(own, _), true) => {
                kept(&own.globals).then(|| (moment - 1, true))
            }
            (Link::Swap(own), false) => kept(&own.locals).then(|| (moment - 1, false)),
            (Link::Pop(_, Some(caller)), false) => match &self.moments[caller + 1].link {
                Link::Push(call) => kept(&call.locals).then_some((*caller, false)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Decides a cell, and wherever its value comes from; what is known stays.
    fn decide(&mut self, moment: usize, global: bool, cell: usize, value: u64) {
        let mut next = Some((moment, global));
        while let Some((moment, global)) = next {
            let state = &mut self.moments[moment].state;
            let place = if global { &mut state.globals[cell] } else { &mut state.locals[cell] };
            if place.is_some() {
                return;
            }
            *place = Some(value);
            self.trail.push((moment, global, cell));
            next = self.source(moment, global, cell);
        }
    }

    fn successors(&mut self) -> Choices<'s> {
        match self.moments.last() {
            Some(moment) => self.space.after(&moment.state, moment.below),
            None => self.space.starts(&self.draft),
        }
    }
}

/// The cells that were open and are not any more.
fn decided<'a>(before: &'a [Option<u64>], after: &'a [Option<u64>]) -> impl Iterator<Item = (usize, u64)> + 'a {
    before.iter().zip(after).enumerate().filter_map(|(cell, (before, after))| match (before, after) {
        (None, Some(value)) => Some((cell, *value)),
        _ => None,
    })
}
