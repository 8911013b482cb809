//! The judge of recorded traces: is there a run that looks like this?
//!
//! Walks along the trace with the set of all states that fit what was seen so far. What is not seen stays open until a
//! rule reads it, so the set is small: one state for most steps of most programs. A folded call is walked once for each
//! way to enter it.

mod moves;
mod shows;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;

use spds_format::Spds;
use spds_format::model::{Head, SymbolId};

use super::leap::agree;
use super::observed::{Observed, Seen};
use super::pattern::Patterns;
use super::spelling::Spelling;
use super::step::{Misfit, because};
use super::system::{Budget, Exhausted, State, System};
use super::violates::{counts, infinite};
use super::{Claim, Objection, Replayed, Walked};
use crate::run::{Ending, Section, Then};

/// Looks for a run behind a recorded trace, and says whether there is one and whether it shows what is claimed.
///
/// At most `limit` states are looked at on leaps, and as many elsewhere. What leaps need beyond that is believed, as
/// [`super::judge()`] does; if the rest needs more (it can if the trace leaves much unsaid), or if a formula is to be judged
/// and the trace leaves open what it reads, the answer is [`Walked::Undecided`]. The system must be valid; the trace may be
/// anything.
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
        heads: None,
        spelling: match claim {
            Claim::Violates { violations, .. } => Some(Spelling::new(Arc::clone(violations))),
            _ => None,
        },
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
    part: Section,
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

impl From<Objection> for Failure {
    fn from(objection: Objection) -> Failure {
        Failure::Objection(objection)
    }
}

fn object<T>(at: (Section, usize), why: impl Into<String>) -> Result<T, Failure> {
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
    /// For a call and the state in which it is entered, the states in which it returns, or why it does not.
    parts: BTreeMap<(usize, State), Result<Vec<State>, Objection>>,
    budget: Budget,
    leaps: Budget,
    replayed: Replayed,
    /// How near the nearest failure of the link at hand came.
    nearest: Misfit,
    /// The heads that a cycle comes through, if it closes on some variables only.
    heads: Option<BTreeSet<Head>>,
    /// The letters of what was walked, if the claim is about them.
    spelling: Option<Spelling>,
}

/// An item that says nothing.
fn anything() -> Seen {
    Seen {
        file: None,
        line: None,
        procedure: None,
        control: None,
        symbol: None,
        labels: None,
        depth: None,
        values: Vec::new(),
        then: Then::Step,
    }
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
            (_, None) if cycle.is_some() => return object((Section::Cycle, 0), "the cycle has no configuration"),
            (Some(first), _) => (Section::Stem, first),
            (None, Some(first)) => (Section::Cycle, first),
            (None, None) => return object((Section::Stem, 0), "the run has no configuration"),
        };
        for (number, call) in observed.calls.iter().enumerate() {
            if call.steps.is_empty() {
                return object((Section::Call(number), 0), "the part of a call has no configuration");
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
            // What a failed run comes to is not listed.
            let failed = (observed.ending == Ending::Failed).then(anything);
            let next = cycle.and_then(|cycle| cycle.first()).or(failed.as_ref());
            let steps = observed.stem.iter().chain(next).collect();
            candidates = match self.list(Section::Stem, steps, candidates, depths) {
                Err(Failure::Objection(Objection { at: Some((Section::Stem, last)), .. }))
                    if failed.is_some() && last + 1 == observed.stem.len() =>
                {
                    Candidates::new()
                }
                candidates => candidates?,
            };
        }
        let Some(cycle) = cycle else { return self.ends(candidates, depths, claim) };
        let symbol = candidates.first().map(|(state, _)| state.symbol);
        match claim {
            Claim::Whole => {}
            Claim::Infinite => infinite(&self.system, observed.ending, symbol)?,
            Claim::Violates { runs, .. } => counts(&self.system, observed.ending, symbol, *runs)?,
            Claim::Reaches(_) | Claim::Belongs(_) | Claim::Fails => {
                let why = "the run is said to end at a place, but it goes on for ever".to_string();
                return Err(Failure::Objection(Objection { at: None, why }));
            }
        }
        self.cycle(cycle, candidates)?;
        match claim {
            Claim::Violates { violations, .. } => self.violates(violations, &[]),
            _ => Ok(()),
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
            let Some(pattern) = self.patterns.of(aim.seen, state.head()) else { return Ok(Candidates::new()) };
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
        part: Section,
        steps: Vec<&'w Seen>,
        candidates: Candidates,
        depths: Depths,
    ) -> Result<Candidates, Failure>
    where
        'a: 'w,
    {
        let observed: &'w Observed = self.observed;
        self.spell(part, 0, &candidates)?;
        let mut walks = vec![Walk { part, steps, position: 0, candidates, depths, entered: None }];
        while let Some(walk) = walks.last_mut() {
            let at = (walk.part, walk.position);
            if walk.position + 1 == walk.steps.len() {
                let walk = walks.pop().expect("it is the last one");
                let (Section::Call(number), Some(entered)) = (walk.part, walk.entered) else {
                    return Ok(walk.candidates);
                };
                let exits = walk.candidates.into_iter().filter(|(_, below)| below.is_none());
                let exits: Vec<State> = exits.map(|(state, _)| state).collect();
                let why = "the last configuration of a call is the one that returns from it";
                let none = || Err(Objection { at: Some(at), why: why.to_string() });
                self.parts.insert((number, entered), if exits.is_empty() { none() } else { Ok(exits) });
                continue;
            }
            let aim = Aim { seen: walk.steps[walk.position + 1], depths: walk.depths };
            let linked = match (self.link(at, walk.steps[walk.position], &walk.candidates, aim), walk.part) {
                (Err(Failure::Objection(objection)), Section::Call(number)) => {
                    // The call may have been entered in another state that fits.
                    let entered = walks.pop().and_then(|walk| walk.entered).expect("calls are entered");
                    self.parts.insert((number, entered), Err(objection));
                    continue;
                }
                (linked, _) => linked?,
            };
            match linked {
                Linked::Arrived(candidates) => {
                    walk.position += 1;
                    self.spell(walk.part, walk.position, &candidates)?;
                    walk.candidates = candidates;
                }
                Linked::Wants(number, entries) => {
                    let entered = entries.iter().map(|entry| (entry.clone(), None)).collect();
                    self.spell(Section::Call(number), 0, &entered)?;
                    walks.extend(entries.into_iter().map(|entry| Walk {
                        part: Section::Call(number),
                        steps: observed.calls[number].steps.iter().collect(),
                        position: 0,
                        candidates: Candidates::from([(entry.clone(), None)]),
                        depths: FROM_ZERO,
                        entered: Some(entry),
                    }))
                }
            }
        }
        unreachable!("the list itself is the last to be finished")
    }

    /// From one item to the next.
    fn link(&mut self, at: (Section, usize), here: &Seen, from: &Candidates, aim: Aim<'_>) -> Result<Linked, Failure> {
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
            _ if aim.seen.symbol.is_some() => {
                let names = [&aim.seen.control, &aim.seen.symbol];
                names.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(":")
            }
            _ => "the next configuration".to_string(),
        };
        let depth = aim.seen.depth.map_or(String::new(), |depth| format!(" at depth {depth}"));
        object(at, format!("no run leads from here to {to}{depth} as recorded{}", because(&self.nearest)))
    }
}
