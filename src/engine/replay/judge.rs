//! The validator of full runs (witness validation): the judge.

use std::collections::{BTreeMap, BTreeSet};

use spds_format::model::{Head, Stack, SymbolId, Var};
use spds_format::{Automaton, Spds};

use super::closes::{Needs, needs, on_the_loop};
use super::ending::{Suspended, fails, is_stuck, returns, suspended};
use super::leap::leap;
use super::member::{Known, belongs};
use super::step::{Misfit, Wanted, because};
use super::system::{Budget, State, System};
use super::violates::{infinite, meanings, violates};
use super::{Claim, Objection, Replayed};
use crate::run::{Config, Ending, Run, Section, Step, Then};

/// Walks a run from the start and says whether it is one, and shows what is claimed.
///
/// Every configuration, of parts of folded calls too, is checked once: linear in the items of the run. Leaps are walked by
/// explicit search; once `leap_limit` states have been looked at in all, those that remain are believed and the answer
/// says so. The system must be valid; the run may be anything.
///
/// # Errors
/// The first objection found.
pub fn judge(spds: &Spds, run: &Run, claim: &Claim, leap_limit: u64) -> Result<Replayed, Objection> {
    let system = System::new(spds);
    let mut court = Court { system, run, budget: Budget(leap_limit), replayed: Replayed::Full };
    for number in 0..run.calls.len() {
        court.call(number)?;
    }
    court.main(claim)?;
    Ok(court.replayed)
}

/// The variables that would have to come back, too, where the cycle of a run begins, before [`judge()`] accepts that it goes round
/// for ever: something in it depends on them, as far as the judge can see. The run must be one of the system.
pub fn left_open(spds: &Spds, run: &Run, claim: &Claim) -> Vec<Var> {
    let court = Court { system: System::new(spds), run, budget: Budget(0), replayed: Replayed::Full };
    run.cycle.as_ref().filter(|cycle| !cycle.is_empty()).map_or(Vec::new(), |cycle| court.left_open(cycle, claim))
}

/// What lies below the topmost symbol of a configuration, one entry for each symbol.
#[derive(Clone, Copy)]
enum Below<'r> {
    /// From the start; its locals are not known before it is on top again.
    Start(SymbolId),
    /// Left by the call between these two configurations. By which rule, the return will show.
    Called { caller: &'r Config, entry: &'r Config },
}

/// A step to be checked: from one item to the next.
struct Link<'r> {
    here: &'r Step,
    next: &'r Config,
    /// The depth of the next configuration; `None` where a cycle closes, at whatever height.
    depth: Option<u32>,
}

/// The frames below, and how much of them is out of bounds.
struct Tower<'r> {
    below: Vec<Below<'r>>,
    /// No step may return into the lowest `floor` of them.
    floor: usize,
    /// One if `@end` lies at the bottom, which no depth counts; else zero.
    uncounted: usize,
}

impl Tower<'_> {
    fn depth_of(&self, height: usize) -> usize {
        height.saturating_sub(self.uncounted)
    }

    fn allows(&self, height: usize, depth: Option<u32>) -> bool {
        depth.is_none_or(|depth| depth as usize == self.depth_of(height))
    }
}

struct Court<'r> {
    system: System<'r>,
    run: &'r Run,
    /// What leaps may still cost.
    budget: Budget,
    replayed: Replayed,
}

type Checked<T> = Result<T, Objection>;

fn object<T>(at: (Section, usize), why: impl Into<String>) -> Checked<T> {
    Err(Objection { at: Some(at), why: why.into() })
}

impl<'r> Court<'r> {
    /// Checks the part of a folded call by itself.
    fn call(&mut self, number: usize) -> Checked<()> {
        let run = self.run;
        let part = Section::Call(number);
        let call = &run.calls[number];
        let (Some(first), Some(last)) = (call.steps.first(), call.steps.last()) else {
            return object((part, 0), "the part of a call has no configuration");
        };
        let entry = self.state(part, 0, first)?;
        if call.procedure != self.system.spds.symbol(entry.symbol).frame {
            return object((part, 0), "the first configuration does not belong to the procedure called");
        }
        if first.depth != 0 {
            return object((part, 0), "the first configuration of a call is at depth 0");
        }
        let mut tower = Tower { below: Vec::new(), floor: 0, uncounted: 0 };
        let exit = self.list(part, &call.steps, entry, &mut tower)?;
        let end = (part, call.steps.len() - 1);
        if !tower.below.is_empty() || last.then != Then::Step {
            return object(end, "the last configuration of a call is the one that returns from it");
        }
        let mut returns = self.system.rules(exit.head()).filter(|rule| rule.stack == Stack::Pop);
        if !returns.any(|rule| self.system.takes(rule, &exit, Wanted::default()).is_ok()) {
            return object(end, format!("no return is possible from {}", self.place(&last.config)));
        }
        Ok(())
    }

    /// Checks stem and cycle, and what the run shows.
    fn main(&mut self, claim: &Claim) -> Checked<()> {
        let run = self.run;
        let cycle = run.cycle.as_deref();
        let (part, first) = match (run.stem.first(), cycle.and_then(|cycle| cycle.first())) {
            (_, None) if cycle.is_some() => return object((Section::Cycle, 0), "the cycle has no configuration"),
            (Some(first), _) => (Section::Stem, first),
            (None, Some(first)) => (Section::Cycle, first),
            (None, None) => return object((Section::Stem, 0), "the run has no configuration"),
        };
        let start = &self.system.spds.start;
        let ends = start.stack.len() > 1 && start.stack.last().copied() == self.system.spds.end;
        let below: Vec<Below<'_>> = start.stack.iter().skip(1).rev().map(|symbol| Below::Start(*symbol)).collect();
        let mut tower = Tower { below, floor: 0, uncounted: usize::from(ends) };
        let mut state = self.state(part, 0, first)?;
        self.starts(part, first, &state, &tower)?;
        if !run.stem.is_empty() {
            state = self.list(Section::Stem, &run.stem, state, &mut tower)?;
        }
        match cycle {
            Some(cycle) => self.cycle(cycle, state.clone(), &mut tower, claim)?,
            None => {
                let end = (Section::Stem, run.stem.len() - 1);
                if run.stem[end.1].then != Then::Step {
                    return object(end, "the run does not say where the last step leads");
                }
                self.ends(end, &state, &tower)?;
            }
        }
        if (run.ending == Ending::Loop) != cycle.is_some() {
            return Err(Objection { at: None, why: "a run has a cycle if and only if its ending is `loop`".into() });
        }
        if let Claim::Belongs(set) = claim {
            return self.belongs(set, &state, &tower);
        }
        self.shows(claim, &state)
    }

    /// Checks that the last configuration, with its whole stack, is one of a set. Values of frames below that the run does
    /// not show may be any that fit.
    fn belongs(&self, set: &Automaton, last: &State, tower: &Tower<'_>) -> Checked<()> {
        if self.run.ending != Ending::Reached {
            let why = "the run is said to reach a configuration, but its ending is another";
            return Err(Objection { at: None, why: why.into() });
        }
        let mut stack = vec![vec![(last.symbol, last.locals.clone())]];
        for below in tower.below.iter().rev() {
            let mut level: Vec<_> =
                self.suspended(*below).into_iter().map(|below| (below.symbol, below.locals)).collect();
            level.sort_unstable();
            level.dedup();
            stack.push(level);
        }
        let known = Known { control: last.control, globals: last.globals.clone(), stack };
        if belongs(&self.system, set, &known) {
            return Ok(());
        }
        object((Section::Stem, self.run.stem.len() - 1), "the last configuration is not one of those asked for")
    }

    fn starts(&self, part: Section, first: &Step, state: &State, tower: &Tower<'_>) -> Checked<()> {
        let start = &self.system.spds.start;
        if state.control != start.control || state.symbol != start.stack[0] {
            return object((part, 0), format!("runs do not start at {}", self.place(&first.config)));
        }
        if !tower.allows(tower.below.len(), Some(first.depth)) {
            return object((part, 0), format!("the start is at depth {}", tower.depth_of(tower.below.len())));
        }
        if !self.system.may_hold(start.condition.as_ref(), state) {
            return object((part, 0), "the condition on the start does not hold");
        }
        Ok(())
    }

    /// Checks a cycle; `state` is the last of the stem, or the start if there is no stem.
    fn cycle(&mut self, cycle: &'r [Step], mut state: State, tower: &mut Tower<'r>, claim: &Claim) -> Checked<()> {
        if let Some(here) = self.run.stem.last() {
            let at = (Section::Stem, self.run.stem.len() - 1);
            let first = self.state(Section::Cycle, 0, &cycle[0])?;
            let link = Link { here, next: &cycle[0].config, depth: Some(cycle[0].depth) };
            self.link(at, link, &state, &first, tower)?;
            state = first;
        }
        let first = self.closing(&cycle[0], state.clone())?;
        tower.floor = tower.below.len();
        let last = self.list(Section::Cycle, cycle, state, tower)?;
        let at = (Section::Cycle, cycle.len() - 1);
        let link = Link { here: &cycle[at.1], next: &cycle[0].config, depth: None };
        self.link(at, link, &last, &first, tower).map_err(|objection| Objection {
            why: format!("the cycle does not close: {}", objection.why),
            ..objection
        })?;
        self.goes_round(cycle, claim)
    }

    /// The first state of a cycle with those values only on which it closes.
    fn closing(&self, first: &Step, mut state: State) -> Checked<State> {
        let Some(closes_on) = &self.run.closes_on else { return Ok(state) };
        let layouts = [&self.system.globals, self.system.locals(first.config.symbol)];
        let mut kept = layouts.map(|layout| vec![false; layout.len()]);
        for &var in closes_on {
            let (place, number) = match var {
                Var::Global(number) => (0, number),
                Var::Local(number) => (1, number),
            };
            if number as usize >= layouts[place].variables() {
                return object((Section::Cycle, 0), "the cycle closes on a variable that is not in scope");
            }
            kept[place][layouts[place].cells(number)].fill(true);
        }
        for (cells, kept) in [&mut state.globals, &mut state.locals].into_iter().zip(kept) {
            cells.iter_mut().zip(kept).filter(|(_, kept)| !kept).for_each(|(cell, _)| *cell = None);
        }
        Ok(state)
    }

    /// Checks that nothing in the cycle depends on variables on which it does not close.
    fn goes_round(&self, cycle: &[Step], claim: &Claim) -> Checked<()> {
        let open = self.left_open(cycle, claim);
        let Some(var) = open.first() else { return Ok(()) };
        let first = &cycle[0].config;
        let name = self.system.spds.display_name(self.system.spds.symbol(first.symbol).frame, *var);
        object((Section::Cycle, 0), format!("`{name}` may differ from turn to turn, and the cycle depends on it"))
    }

    /// The variables on which a cycle does not close, although something in it depends on them.
    fn left_open(&self, cycle: &[Step], claim: &Claim) -> Vec<Var> {
        let Some(closes_on) = &self.run.closes_on else { return Vec::new() };
        let propositions = match claim {
            Claim::Violates { violations, .. } => meanings(violations),
            _ => &[],
        };
        let first = head_of(&cycle[0].config);
        let closes_on: Needs = closes_on.iter().copied().collect();
        let seeds = BTreeMap::from([(first, closes_on.clone())]);
        let needed = needs(&self.system, &self.heads(cycle), &seeds, propositions);
        needed.get(&first).into_iter().flat_map(|needed| needed.difference(&closes_on)).copied().collect()
    }

    /// The heads that a cycle comes through, those in folded calls and on leaps included.
    fn heads(&self, cycle: &[Step]) -> BTreeSet<Head> {
        let mut heads = BTreeSet::new();
        let mut called = BTreeSet::new();
        let mut lists = vec![cycle];
        while let Some(steps) = lists.pop() {
            for step in steps {
                let head = head_of(&step.config);
                match step.then {
                    Then::Leap(_) => heads.extend(on_the_loop(&self.system, head)),
                    Then::Call(number) if called.insert(number) => lists.push(&self.run.calls[number].steps),
                    Then::Call(_) | Then::Step => {}
                }
                heads.insert(head);
            }
        }
        heads
    }

    /// Checks the links within a list; `state` is its first configuration. Returns the last.
    fn list(&mut self, part: Section, steps: &'r [Step], mut state: State, tower: &mut Tower<'r>) -> Checked<State> {
        for (number, pair) in steps.windows(2).enumerate() {
            let [here, next] = pair else { unreachable!("windows of two") };
            let after = self.state(part, number + 1, next)?;
            let link = Link { here, next: &next.config, depth: Some(next.depth) };
            self.link((part, number), link, &state, &after, tower)?;
            state = after;
        }
        Ok(state)
    }

    /// The configuration as a state, if it is one of the system: its values fit and the invariant holds.
    fn state(&self, part: Section, number: usize, step: &Step) -> Checked<State> {
        let (at, spds, config) = ((part, number), self.system.spds, &step.config);
        if config.control.0 as usize >= spds.controls.len() || config.symbol.0 as usize >= spds.symbols.len() {
            return object(at, "there is no such control location or stack symbol");
        }
        for (layout, variables, values) in [
            (&self.system.globals, &spds.globals[..], &config.globals),
            (self.system.locals(config.symbol), spds.locals(config.symbol), &config.locals),
        ] {
            if values.len() != layout.len() {
                return object(at, format!("{} values are listed where there are {}", values.len(), layout.len()));
            }
            if let Some(cell) = (0..values.len()).find(|cell| values[*cell] > layout.largest(*cell)) {
                let name = &variables[layout.owner(cell)].name;
                return object(at, format!("the value {} does not fit the type of `{name}`", values[cell]));
            }
        }
        let state = State::of(config);
        if !self.system.may_hold(self.system.invariant(config.symbol), &state) {
            return object(at, format!("the invariant of {} does not hold", self.place(config)));
        }
        Ok(state)
    }

    /// Checks that the next item follows, and brings the tower there.
    fn link(
        &mut self,
        at: (Section, usize),
        link: Link<'r>,
        from: &State,
        to: &State,
        tower: &mut Tower<'r>,
    ) -> Checked<()> {
        let height = tower.below.len();
        match link.here.then {
            Then::Step => self.step(at, link, from, to, tower),
            _ if !tower.allows(height, link.depth) => {
                object(at, format!("the next configuration must be at depth {}", tower.depth_of(height)))
            }
            Then::Call(number) => self.folded(at, number, link.next, from, to),
            Then::Leap(turns) => self.leap(at, turns, from, to),
        }
    }

    fn step(
        &self,
        at: (Section, usize),
        link: Link<'r>,
        from: &State,
        to: &State,
        tower: &mut Tower<'r>,
    ) -> Checked<()> {
        let height = tower.below.len();
        let mut nearest = Misfit::NoRule;
        let arrival = Wanted { globals: Some(&to.globals), locals: Some(&to.locals), saved: None };
        for rule in self.system.rules(from.head()).filter(|rule| rule.to == to.control) {
            let taken = match rule.stack {
                Stack::Swap(top) if top == to.symbol && tower.allows(height, link.depth) => {
                    self.system.takes(rule, from, arrival)
                }
                Stack::Push(top, _) if top == to.symbol && tower.allows(height + 1, link.depth) => {
                    self.system.takes(rule, from, arrival)
                }
                Stack::Pop if height > tower.floor && tower.allows(height - 1, link.depth) => self
                    .system
                    .takes(rule, from, Wanted { globals: Some(&to.globals), ..Wanted::default() })
                    .and_then(|()| self.resumes(tower.below[height - 1], to)),
                _ => continue,
            };
            match taken {
                Ok(()) => {
                    match rule.stack {
                        Stack::Swap(_) => {}
                        Stack::Push(..) => {
                            tower.below.push(Below::Called { caller: &link.here.config, entry: link.next })
                        }
                        Stack::Pop => drop(tower.below.pop()),
                    }
                    return Ok(());
                }
                Err(misfit) => nearest = nearest.max(misfit),
            }
        }
        let depth = link.depth.map_or(String::new(), |depth| format!(" at depth {depth}"));
        object(at, self.no_way(&link.here.config, link.next, &depth, &nearest))
    }

    /// Whether the state can be the one in which what lies below goes on.
    fn resumes(&self, below: Below<'_>, state: &State) -> Result<(), Misfit> {
        match below {
            Below::Start(symbol) if symbol == state.symbol => Ok(()),
            Below::Start(_) => Err(Misfit::NoRule),
            Below::Called { caller, entry } => self.calls(&State::of(caller), &State::of(entry), state),
        }
    }

    /// Whether some rule calls `entry` from `caller` and leaves the return site of `back`, with its locals, below.
    fn calls(&self, caller: &State, entry: &State, back: &State) -> Result<(), Misfit> {
        let mut nearest = Misfit::NoRule;
        let wanted = Wanted { globals: Some(&entry.globals), locals: Some(&entry.locals), saved: Some(&back.locals) };
        for rule in self.system.rules(caller.head()) {
            if rule.to == entry.control && rule.stack == Stack::Push(entry.symbol, back.symbol) {
                match self.system.takes(rule, caller, wanted) {
                    Ok(()) => return Ok(()),
                    Err(misfit) => nearest = nearest.max(misfit),
                }
            }
        }
        Err(nearest)
    }

    /// Checks a folded call: into the callee, and back from it.
    fn folded(&self, at: (Section, usize), number: usize, next: &Config, from: &State, to: &State) -> Checked<()> {
        let before = if let (Section::Call(own), _) = at { own } else { self.run.calls.len() };
        if number >= before {
            return object(at, format!("calls[{number}] is not a call listed before this one"));
        }
        let steps = &self.run.calls[number].steps;
        let (entry, exit) = (&steps[0].config, &steps[steps.len() - 1].config);
        self.calls(from, &State::of(entry), to).or_else(|misfit| {
            let why = format!(
                "no call leads from {} to {}, the first configuration of calls[{number}], and back to {}{}",
                self.system.place(from.symbol),
                self.place(entry),
                self.place(next),
                because(&misfit)
            );
            object(at, why)
        })?;
        let exit = State::of(exit);
        let mut nearest = Misfit::NoRule;
        for rule in self.system.rules(exit.head()) {
            if rule.stack == Stack::Pop && rule.to == to.control {
                match self.system.takes(rule, &exit, Wanted { globals: Some(&to.globals), ..Wanted::default() }) {
                    Ok(()) => return Ok(()),
                    Err(misfit) => nearest = nearest.max(misfit),
                }
            }
        }
        let why = format!(
            "the return of calls[{number}] does not lead to {} as listed{}",
            self.place(next),
            because(&nearest)
        );
        object(at, why)
    }

    fn leap(&mut self, at: (Section, usize), turns: u64, from: &State, to: &State) -> Checked<()> {
        if from.head() != to.head() {
            return object(at, "the turns of a loop lead back to the same control location and symbol");
        }
        if turns == 0 {
            return object(at, "a leap is over at least one turn");
        }
        if turns > self.budget.0 {
            self.replayed = Replayed::ExceptLeaps;
            return Ok(());
        }
        match leap(&self.system, from, to, turns, &mut self.budget) {
            Err(_) => self.replayed = Replayed::ExceptLeaps,
            Ok(found) if found.is_empty() => {
                return object(at, format!("{turns} turns of a loop do not lead to the next configuration"));
            }
            Ok(_) => {}
        }
        Ok(())
    }

    /// Checks that the run can end at `state` in the way that it says.
    fn ends(&self, at: (Section, usize), state: &State, tower: &Tower<'_>) -> Checked<()> {
        let place = self.system.place(state.symbol);
        match self.run.ending {
            Ending::Reached | Ending::Loop => Ok(()),
            Ending::Failed if fails(&self.system, state) => Ok(()),
            Ending::Failed => object(at, format!("no assertion can fail at {place}")),
            Ending::Terminated if tower.below.len() != tower.uncounted => {
                object(at, format!("a return from {place} does not end the run: there are frames below"))
            }
            Ending::Terminated if returns(&self.system, state) => Ok(()),
            Ending::Terminated => object(at, format!("no return is possible from {place}")),
            Ending::Stuck => {
                let below = tower.below.last().map(|below| self.suspended(*below));
                if is_stuck(&self.system, state, below.as_deref()) {
                    return Ok(());
                }
                object(at, format!("the run is not stuck at {place}: there is a further step"))
            }
        }
    }

    /// The return symbols and locals that may lie there.
    fn suspended(&self, below: Below<'_>) -> Vec<Suspended> {
        match below {
            Below::Start(symbol) => vec![Suspended { symbol, locals: vec![None; self.system.locals(symbol).len()] }],
            Below::Called { caller, entry } => {
                let (caller, entry) = (State::of(caller), State::of(entry));
                suspended(&self.system, &caller, &entry, &mut Budget(u64::MAX)).unwrap_or_default()
            }
        }
    }

    /// Checks what the run shows; `last` is the state in which it ends, unless it has a cycle.
    fn shows(&mut self, claim: &Claim, last: &State) -> Checked<()> {
        let ending = self.run.ending;
        let whole = |why: &str| Err(Objection { at: None, why: why.into() });
        match claim {
            Claim::Reaches(heads) => {
                let Some(last) = self.run.stem.last().filter(|_| ending == Ending::Reached) else {
                    return whole("the run is said to reach a place, but its ending is another");
                };
                let hit = |(control, symbol): &(Option<_>, _)| {
                    *symbol == last.config.symbol && control.is_none_or(|control| control == last.config.control)
                };
                if heads.iter().any(hit) {
                    return Ok(());
                }
                let why = format!("{} is not a place asked for", self.place(&last.config));
                object((Section::Stem, self.run.stem.len() - 1), why)
            }
            Claim::Belongs(_) => whole("the stack was not looked at"),
            Claim::Fails if ending == Ending::Failed => Ok(()),
            Claim::Fails => whole("the run is said to fail an assertion, but its ending is another"),
            Claim::Whole if ending == Ending::Reached => whole("the run stops before its end"),
            Claim::Whole => Ok(()),
            Claim::Infinite => {
                let cycle = self.run.cycle.as_ref().and_then(|cycle| cycle.first());
                infinite(&self.system, ending, cycle.map(|step| step.config.symbol))
            }
            Claim::Violates { violations, runs } => violates(&self.system, self.run, last, violations, *runs),
        }
    }

    fn place(&self, config: &Config) -> String {
        self.system.place(config.symbol)
    }

    fn no_way(&self, here: &Config, next: &Config, depth: &str, nearest: &Misfit) -> String {
        let (from, to) = (self.place(here), self.place(next));
        format!("no rule leads from {from} to {to}{depth} as listed{}", because(nearest))
    }
}

fn head_of(config: &Config) -> Head {
    Head { control: config.control, symbol: config.symbol }
}
