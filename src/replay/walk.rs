//! The judge of recorded traces: is there a run that looks like this?
//!
//! Walks along the trace with the set of all states that fit what was seen so far. What is not seen stays open until a
//! rule reads it, so the set is small: one state for most steps of most programs. A folded call is walked once for each
//! way to enter it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::rc::Rc;

use spds_format::Spds;
use spds_format::model::{Head, Rule, Stack, SymbolId};

use super::ending::{Suspended, is_stuck, returns, steps_to_failure, suspended};
use super::eval::Cells;
use super::leap::{agree, leap};
use super::observed::{Observed, Seen};
use super::pattern::Patterns;
use super::step::{Misfit, Move, Wanted, because};
use super::system::{Budget, Exhausted, State, System};
use super::{Claim, Objection, Part, Replayed, Walked};
use crate::run::{Ending, Then};

/// Looks for a run behind a recorded trace, and says whether there is one and whether it shows what is claimed.
///
/// At most `limit` states are looked at on leaps, and as many elsewhere. What leaps need beyond that is believed, as
/// [`super::judge()`] does; if the rest needs more (it can if the trace leaves much unsaid), the answer is
/// [`Walked::Undecided`]. The system must be valid; the trace
/// may be anything.
///
/// # Errors
/// An objection at the first step to which no run leads.
pub fn walk(spds: &Spds, observed: &Observed, claim: &Claim, limit: u64) -> Result<Walked, Objection> {
    let mut walker = Walker {
        system: System::new(spds),
        patterns: Patterns::new(spds),
        observed,
        towers: Vec::new(),
        known_towers: BTreeMap::new(),
        parts: BTreeMap::new(),
        budget: Budget(limit),
        leaps: Budget(limit),
        replayed: Replayed::Full,
        nearest: Misfit::NoRule,
    };
    match walker.main(claim) {
        Ok(()) => Ok(Walked::Real(walker.replayed)),
        Err(Failure::Exhausted) => Ok(Walked::Undecided),
        Err(Failure::Objection(objection)) => Err(objection),
    }
}

/// A state and what lies below it: an index into [`Walker::towers`], or nothing that may be touched.
type Candidate = (State, Option<usize>);
type Candidates = BTreeSet<Candidate>;

/// The topmost thing below a state.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Below {
    Start(SymbolId),
    Called { caller: State, entry: State },
}

struct Tower {
    top: Rc<Below>,
    rest: Option<usize>,
    height: u64,
}

/// How depths count in a list of steps: `base` at the bottom of what may be touched, less one if `@end` lies there.
#[derive(Clone, Copy)]
struct Depths {
    base: u64,
    uncounted: u64,
}

const FROM_ZERO: Depths = Depths { base: 0, uncounted: 0 };

/// The item that a step has to arrive at.
#[derive(Clone, Copy)]
struct Aim<'a> {
    seen: &'a Seen,
    depths: Depths,
}

/// A list of steps that is being walked.
struct Walk<'w> {
    part: Part,
    steps: Vec<&'w Seen>,
    position: usize,
    candidates: Candidates,
    depths: Depths,
    /// The state in which a call was entered.
    entered: Option<State>,
}

enum Failure {
    Exhausted,
    Objection(Objection),
}

impl From<Exhausted> for Failure {
    fn from(_: Exhausted) -> Failure {
        Failure::Exhausted
    }
}

fn object<T>(at: (Part, usize), why: impl Into<String>) -> Result<T, Failure> {
    Err(Failure::Objection(Objection { at: Some(at), why: why.into() }))
}

/// What a link came to.
enum Linked {
    Arrived(Candidates),
    /// Parts of calls must be walked first, from these states.
    Wants(usize, Vec<State>),
}

struct Walker<'a> {
    system: System<'a>,
    patterns: Patterns<'a>,
    observed: &'a Observed,
    towers: Vec<Tower>,
    known_towers: BTreeMap<(Option<usize>, Rc<Below>), usize>,
    /// For a call and the state in which it is entered, the states in which it returns.
    parts: BTreeMap<(usize, State), Vec<State>>,
    budget: Budget,
    leaps: Budget,
    replayed: Replayed,
    /// How near the nearest failure of the link at hand came.
    nearest: Misfit,
}

impl<'a> Walker<'a> {
    fn main(&mut self, claim: &Claim) -> Result<(), Failure> {
        let observed = self.observed;
        let cycle = observed.cycle.as_deref();
        if cycle.is_some() != (observed.ending == Ending::Loop) {
            let why = "a run has a cycle if and only if its ending is `loop`".to_string();
            return Err(Failure::Objection(Objection { at: None, why }));
        }
        let (part, first) = match (observed.stem.first(), cycle.and_then(|cycle| cycle.first())) {
            (_, None) if cycle.is_some() => return object((Part::Cycle, 0), "the cycle has no configuration"),
            (Some(first), _) => (Part::Stem, first),
            (None, Some(first)) => (Part::Cycle, first),
            (None, None) => return object((Part::Stem, 0), "the run has no configuration"),
        };
        for (number, call) in observed.calls.iter().enumerate() {
            if call.steps.is_empty() {
                return object((Part::Call(number), 0), "the part of a call has no configuration");
            }
        }
        let start = &self.system.spds.start;
        let ends = start.stack.len() > 1 && start.stack.last().copied() == self.system.spds.end;
        let depths = Depths { base: 0, uncounted: u64::from(ends) };
        let mut candidates = self.starts(Aim { seen: first, depths })?;
        if candidates.is_empty() {
            return object((part, 0), format!("no run starts so{}", because(&self.nearest)));
        }
        if !observed.stem.is_empty() {
            let steps = observed.stem.iter().chain(cycle.and_then(|cycle| cycle.first())).collect();
            candidates = self.list(Part::Stem, steps, candidates, depths)?;
        }
        let Some(cycle) = cycle else { return self.ends(candidates, depths, claim) };
        match claim {
            Claim::Whole => self.cycle(cycle, candidates),
            _ => Err(Failure::Objection(Objection {
                at: None,
                why: "the run is said to end at a place, but it goes on for ever".to_string(),
            })),
        }
    }

    /// All states in which runs start and that look like the first item.
    fn starts(&mut self, aim: Aim<'_>) -> Result<Candidates, Failure> {
        let start = &self.system.spds.start;
        let mut below = None;
        for symbol in start.stack.iter().skip(1).rev() {
            below = Some(self.tower(Below::Start(*symbol), below));
        }
        let mut state = self.system.open_state(start.control, start.stack[0]);
        if !self.system.is_hidden(state.head()) {
            let Some(pattern) = self.patterns.of(aim.seen, state.symbol) else { return Ok(Candidates::new()) };
            if !(agree(&mut state.globals, &pattern.globals) && agree(&mut state.locals, &pattern.locals)) {
                return Ok(Candidates::new());
            }
        }
        let mut allowed = Vec::new();
        let mut all = |state| {
            allowed.push(state);
            ControlFlow::Continue(())
        };
        self.system.admit(state, start.condition.as_ref(), &mut self.budget, &mut all)?;
        let mut first = Vec::new();
        for state in allowed {
            self.admit(state, below, &mut first)?;
        }
        self.settle(first, aim)
    }

    /// Walks a list from its first item to its last, and the parts of folded calls as they are needed.
    fn list<'w>(
        &mut self,
        part: Part,
        steps: Vec<&'w Seen>,
        candidates: Candidates,
        depths: Depths,
    ) -> Result<Candidates, Failure>
    where
        'a: 'w,
    {
        let observed: &'w Observed = self.observed;
        let mut walks = vec![Walk { part, steps, position: 0, candidates, depths, entered: None }];
        while let Some(walk) = walks.last_mut() {
            let at = (walk.part, walk.position);
            if walk.position + 1 == walk.steps.len() {
                let walk = walks.pop().expect("it is the last one");
                let (Part::Call(number), Some(entered)) = (walk.part, walk.entered) else { return Ok(walk.candidates) };
                let exits = walk.candidates.into_iter().filter(|(_, below)| below.is_none());
                let exits: Vec<State> = exits.map(|(state, _)| state).collect();
                if exits.is_empty() {
                    return object(at, "the last configuration of a call is the one that returns from it");
                }
                self.parts.insert((number, entered), exits);
                continue;
            }
            let aim = Aim { seen: walk.steps[walk.position + 1], depths: walk.depths };
            match self.link(at, walk.steps[walk.position], &walk.candidates, aim)? {
                Linked::Arrived(candidates) => {
                    walk.candidates = candidates;
                    walk.position += 1;
                }
                Linked::Wants(number, entries) => walks.extend(entries.into_iter().map(|entry| Walk {
                    part: Part::Call(number),
                    steps: observed.calls[number].steps.iter().collect(),
                    position: 0,
                    candidates: Candidates::from([(entry.clone(), None)]),
                    depths: FROM_ZERO,
                    entered: Some(entry),
                })),
            }
        }
        unreachable!("the list itself is the last to be finished")
    }

    /// From one item to the next.
    fn link(&mut self, at: (Part, usize), here: &Seen, from: &Candidates, aim: Aim<'_>) -> Result<Linked, Failure> {
        self.nearest = Misfit::NoRule;
        let arrived = match here.then {
            Then::Step => {
                let mut raw = Vec::new();
                for candidate in from {
                    self.step(candidate, aim, &mut raw)?;
                }
                self.settle(raw, aim)?
            }
            Then::Call(number) => match self.folded(at, number, from, aim)? {
                Linked::Arrived(arrived) => arrived,
                wants => return Ok(wants),
            },
            Then::Leap(turns) => self.leap(turns, from, aim)?,
        };
        if !arrived.is_empty() {
            return Ok(Linked::Arrived(arrived));
        }
        let to = match (&aim.seen.procedure, aim.seen.line) {
            (Some(procedure), Some(line)) => format!("line {line} of {procedure}"),
            (_, Some(line)) => format!("line {line}"),
            _ => "the next configuration".to_string(),
        };
        let depth = aim.seen.depth.map_or(String::new(), |depth| format!(" at depth {depth}"));
        object(at, format!("no run leads from here to {to}{depth} as recorded{}", because(&self.nearest)))
    }

    /// All that one rule leads to; where that is seen, only what looks like the aim.
    fn step(&mut self, from: &Candidate, aim: Aim<'_>, arrived: &mut Vec<Candidate>) -> Result<(), Failure> {
        let (state, below) = from;
        for rule in self.system.rules(state.head()).collect::<Vec<_>>() {
            match (rule.stack, *below) {
                (Stack::Swap(to) | Stack::Push(to, _), _) => {
                    for taken in self.taken(state, rule, to, aim)? {
                        let next = State { control: rule.to, symbol: to, globals: taken.globals, locals: taken.locals };
                        let below = match rule.stack {
                            Stack::Push(..) => {
                                Some(self.tower(Below::Called { caller: taken.before, entry: next.clone() }, *below))
                            }
                            _ => *below,
                        };
                        arrived.push((next, below));
                    }
                }
                (Stack::Pop, Some(tower)) => {
                    let suspended = self.suspended(tower)?;
                    let rest = self.towers[tower].rest;
                    for globals in self.popped(state, rule)? {
                        for Suspended { symbol, locals } in &suspended {
                            let (globals, locals) = (globals.clone(), locals.clone());
                            self.admit(State { control: rule.to, symbol: *symbol, globals, locals }, rest, arrived)?;
                        }
                    }
                }
                (Stack::Pop, None) => {}
            }
        }
        Ok(())
    }

    /// The ways to take a rule that is no return; if what it leads to is seen, those that look like the aim.
    fn taken(&mut self, state: &State, rule: &Rule, to: SymbolId, aim: Aim<'_>) -> Result<Vec<Move>, Failure> {
        let hidden = self.system.is_hidden(Head { control: rule.to, symbol: to });
        let pattern = if hidden { None } else { self.patterns.of(aim.seen, to) };
        let mut all = Vec::new();
        if pattern.is_none() && !hidden {
            return Ok(all);
        }
        let wanted = Wanted {
            globals: pattern.as_ref().map(|pattern| &pattern.globals[..]),
            locals: pattern.as_ref().map(|pattern| &pattern.locals[..]),
            saved: None,
        };
        let misfit = self.system.moves(rule, state, wanted, &mut self.budget, &mut |taken| {
            all.push(taken);
            ControlFlow::Continue(())
        })?;
        self.note(misfit);
        Ok(all)
    }

    /// The globals after a return by that rule.
    fn popped(&mut self, state: &State, rule: &Rule) -> Result<Vec<Cells>, Failure> {
        let mut all = Vec::new();
        let misfit = self.system.moves(rule, state, Wanted::default(), &mut self.budget, &mut |taken: Move| {
            all.push(taken.globals);
            ControlFlow::Continue(())
        })?;
        self.note(misfit);
        Ok(all)
    }

    /// Goes on from hidden states until something is seen, and keeps what looks like the aim.
    fn settle(&mut self, mut pending: Vec<Candidate>, aim: Aim<'_>) -> Result<Candidates, Failure> {
        let mut settled = Candidates::new();
        let mut passed = Candidates::new();
        while let Some(candidate) = pending.pop() {
            if !self.system.is_hidden(candidate.0.head()) {
                if let Some(candidate) = self.looks_like(candidate, aim) {
                    settled.insert(candidate);
                }
            } else if passed.insert(candidate.clone()) {
                self.step(&candidate, aim, &mut pending)?;
            }
        }
        Ok(settled)
    }

    /// The candidate with what is seen of it, unless that is not so.
    fn looks_like(&mut self, (mut state, below): Candidate, aim: Aim<'_>) -> Option<Candidate> {
        let height = below.map_or(0, |tower| self.towers[tower].height);
        let depth = (aim.depths.base + height).saturating_sub(aim.depths.uncounted);
        if aim.seen.depth.is_some_and(|seen| u64::from(seen) != depth) {
            return None;
        }
        let pattern = self.patterns.of(aim.seen, state.symbol)?;
        let symbol = state.symbol;
        for (global, cells, pattern) in
            [(true, &mut state.globals, &pattern.globals), (false, &mut state.locals, &pattern.locals)]
        {
            if let Some(cell) = cells.iter().zip(pattern).position(|(a, b)| a.zip(*b).is_some_and(|(a, b)| a != b)) {
                let what = self.system.cell_name(symbol, global, cell);
                let differs = Misfit::Differs {
                    what,
                    listed: pattern[cell].unwrap_or(0),
                    must: cells[cell].into_iter().collect(),
                };
                self.note(differs);
                return None;
            }
            agree(cells, pattern);
        }
        Some((state, below))
    }

    /// A folded call: into the callee, through its part, and back.
    fn folded(&mut self, at: (Part, usize), number: usize, from: &Candidates, aim: Aim<'_>) -> Result<Linked, Failure> {
        let before = if let (Part::Call(own), _) = at { own } else { self.observed.calls.len() };
        if number >= before {
            return object(at, format!("calls[{number}] is not a call listed before this one"));
        }
        let call = &self.observed.calls[number];
        let entry_aim = Aim { seen: &call.steps[0], depths: FROM_ZERO };
        let mut entered = Vec::new();
        for (state, below) in from {
            for rule in self.system.rules(state.head()).collect::<Vec<_>>() {
                let Stack::Push(to, _) = rule.stack else { continue };
                if call.procedure.as_deref().is_some_and(|name| self.patterns.procedure(to) != Some(name)) {
                    continue;
                }
                for taken in self.taken(state, rule, to, entry_aim)? {
                    let entry = State { control: rule.to, symbol: to, globals: taken.globals, locals: taken.locals };
                    let visible = self.settle(vec![(entry.clone(), None)], entry_aim)?;
                    entered.extend(
                        visible.into_iter().map(|(visible, _)| (taken.before.clone(), entry.clone(), visible, *below)),
                    );
                }
            }
        }
        let known = |visible: &State| self.parts.contains_key(&(number, visible.clone()));
        let wants: BTreeSet<State> =
            entered.iter().map(|(_, _, visible, _)| visible).filter(|visible| !known(visible)).cloned().collect();
        if !wants.is_empty() {
            return Ok(Linked::Wants(number, wants.into_iter().collect()));
        }
        let mut raw = Vec::new();
        for (caller, entry, visible, below) in entered {
            let exits = self.parts.get(&(number, visible)).cloned().unwrap_or_default();
            let suspended = suspended(&self.system, &caller, &entry, &mut self.budget)?;
            for exit in exits {
                for rule in self.system.rules(exit.head()).collect::<Vec<_>>() {
                    if rule.stack != Stack::Pop {
                        continue;
                    }
                    for globals in self.popped(&exit, rule)? {
                        for Suspended { symbol, locals } in &suspended {
                            let (globals, locals) = (globals.clone(), locals.clone());
                            self.admit(State { control: rule.to, symbol: *symbol, globals, locals }, below, &mut raw)?;
                        }
                    }
                }
            }
        }
        Ok(Linked::Arrived(self.settle(raw, aim)?))
    }

    fn leap(&mut self, turns: u64, from: &Candidates, aim: Aim<'_>) -> Result<Candidates, Failure> {
        let mut arrived = Candidates::new();
        for (state, below) in from {
            let Some(pattern) = self.patterns.of(aim.seen, state.symbol).filter(|_| turns > 0) else { continue };
            let goal = State {
                control: state.control,
                symbol: state.symbol,
                globals: pattern.globals.clone(),
                locals: pattern.locals.clone(),
            };
            let mut all = Vec::new();
            let walked = if turns > self.leaps.0 {
                Err(Exhausted)
            } else {
                leap(&self.system, state, &goal, turns, &mut self.leaps)
            };
            match walked {
                Ok(states) => all.extend(states),
                Err(Exhausted) => {
                    self.replayed = Replayed::ExceptLeaps;
                    all.push(goal);
                }
            }
            arrived.extend(all.into_iter().filter_map(|next| self.looks_like((next, *below), aim)));
        }
        Ok(arrived)
    }

    /// Whether the run can end in one of these states as it says, and shows what is claimed.
    fn ends(&mut self, last: Candidates, depths: Depths, claim: &Claim) -> Result<(), Failure> {
        let at = (Part::Stem, self.observed.stem.len() - 1);
        if self.observed.stem[at.1].then != Then::Step {
            return object(at, "the run does not say where the last step leads");
        }
        let ending = self.observed.ending;
        let fits_claim = match claim {
            Claim::Reaches(_) => ending == Ending::Reached,
            Claim::Fails => ending == Ending::Failed,
            Claim::Whole => ending != Ending::Reached,
        };
        if !fits_claim {
            let why = "the run does not end in the way that is claimed".to_string();
            return Err(Failure::Objection(Objection { at: None, why }));
        }
        for (state, below) in last {
            let can_end = match (ending, claim) {
                (Ending::Reached, Claim::Reaches(heads)) => heads.iter().any(|(control, symbol)| {
                    *symbol == state.symbol && control.is_none_or(|control| control == state.control)
                }),
                (Ending::Failed, _) => {
                    let suspended = below.map(|tower| self.suspended(tower)).transpose()?;
                    steps_to_failure(&self.system, &state, suspended.as_deref())
                }
                (Ending::Terminated, _) => {
                    let height = below.map_or(0, |tower| self.towers[tower].height);
                    height == depths.uncounted && returns(&self.system, &state)
                }
                (Ending::Stuck, _) => {
                    let suspended = below.map(|tower| self.suspended(tower)).transpose()?;
                    let decided = self.decide(state)?;
                    decided.iter().any(|state| is_stuck(&self.system, state, suspended.as_deref()))
                }
                (Ending::Reached | Ending::Loop, _) => false,
            };
            if can_end {
                return Ok(());
            }
        }
        let what = match ending {
            Ending::Reached => "this is not a place asked for",
            Ending::Failed => "no assertion can fail here",
            Ending::Terminated => "no return from here ends the run",
            Ending::Stuck => "the run is not stuck here: there is a further step",
            Ending::Loop => "the run has no cycle",
        };
        object(at, what)
    }

    /// Whether the cycle can be walked for ever: turn after turn, until a set of states comes back.
    fn cycle(&mut self, cycle: &'a [Seen], mut from: Candidates) -> Result<(), Failure> {
        let base = Depths { base: cycle[0].depth.map_or(0, u64::from), uncounted: 0 };
        let again = Seen { depth: None, ..cycle[0].clone() };
        let mut met = BTreeSet::new();
        loop {
            let states: BTreeSet<State> = from.into_iter().map(|(state, _)| state).collect();
            if !met.insert(states.clone()) {
                return Ok(());
            }
            let first = states.into_iter().map(|state| (state, None)).collect();
            from = self.list(Part::Cycle, cycle.iter().chain([&again]).collect(), first, base)?;
        }
    }

    fn tower(&mut self, top: Below, rest: Option<usize>) -> usize {
        let top = Rc::new(top);
        let next = self.towers.len();
        let number = *self.known_towers.entry((rest, Rc::clone(&top))).or_insert(next);
        if number == next {
            let height = rest.map_or(0, |rest| self.towers[rest].height) + 1;
            self.towers.push(Tower { top, rest, height });
        }
        number
    }

    /// The return sites and locals that may be what the tower has on top.
    fn suspended(&mut self, tower: usize) -> Result<Vec<Suspended>, Failure> {
        Ok(match &*self.towers[tower].top {
            Below::Start(symbol) => {
                vec![Suspended { symbol: *symbol, locals: vec![None; self.system.locals(*symbol).len()] }]
            }
            Below::Called { caller, entry } => suspended(&self.system, caller, entry, &mut self.budget)?,
        })
    }

    /// Adds the states in which the invariant of the symbol holds.
    fn admit(&mut self, state: State, below: Option<usize>, admitted: &mut Vec<Candidate>) -> Result<(), Failure> {
        let (invariant, before) = (self.system.invariant(state.symbol), admitted.len());
        self.system.admit(state, invariant, &mut self.budget, &mut |state| {
            admitted.push((state, below));
            ControlFlow::Continue(())
        })?;
        if admitted.len() == before {
            self.note(Misfit::Invariant);
        }
        Ok(())
    }

    /// The states with values for all that a rule may read.
    fn decide(&mut self, state: State) -> Result<Vec<State>, Failure> {
        let mut decided = vec![state];
        for rule in self.system.rules(decided[0].head()).collect::<Vec<_>>() {
            let values = rule.updates.iter().flat_map(|update| update.index.iter().chain([&update.value]));
            for expr in rule.guard.iter().chain(values).chain(&rule.with) {
                for state in std::mem::take(&mut decided) {
                    self.system.decide(state, expr, &mut self.budget, &mut decided)?;
                }
            }
        }
        Ok(decided)
    }

    fn note(&mut self, misfit: Misfit) {
        if misfit > self.nearest {
            self.nearest = misfit;
        }
    }
}
