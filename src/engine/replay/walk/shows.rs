//! What a recorded trace shows: how it ends, or that it goes on for ever, and the word that it spells.

use std::collections::{BTreeMap, BTreeSet};

use spds_format::model::{Head, Var};

use super::super::closes::{Needs, needs};
use super::super::ending::{is_stuck, returns};
use super::super::member::{Known, Level, belongs};
use super::super::observed::Seen;
use super::super::system::{Exhausted, State, var};
use super::super::violates::{counts, infinite, some_tail_violates, tails};
use super::super::word::{Letter, Moment, letters as letters_of};
use super::super::{Claim, Objection};
use super::{Candidates, Depths, Failure, Walker, object};
use crate::ltl::Violations;
use crate::run::{Ending, Section, Then};

/// The turns of a cycle so far.
#[derive(Default)]
struct Turns {
    /// The states in which each began.
    starts: Vec<BTreeSet<State>>,
    /// The same, as far as they decide how the cycle goes on.
    met: BTreeSet<BTreeSet<State>>,
    /// What decides, by head; `None` if everything may.
    needs: Option<BTreeMap<Head, Needs>>,
    /// The number of heads from which that is known.
    heads: usize,
}

impl<'a> Walker<'a> {
    /// Whether the word of the trace, or one that goes on with one of these letters for ever, violates the property.
    pub(super) fn violates(&self, violations: &Violations, tails: &[Letter]) -> Result<(), Failure> {
        let mut word = self.spelling.as_ref().and_then(|spelling| spelling.word(self.observed)).ok_or(Exhausted)?;
        if self.observed.ending == Ending::Stuck {
            word.stem.pop();
        }
        Ok(some_tail_violates(word, tails, violations, self.observed.ending)?)
    }

    /// Notes what propositions say of the states that fit an item.
    pub(super) fn spell(&mut self, part: Section, position: usize, candidates: &Candidates) -> Result<(), Failure> {
        let Some(spelling) = &mut self.spelling else { return Ok(()) };
        for (state, _) in candidates {
            spelling.note(&self.system, (part, position), state, &mut self.budget)?;
        }
        Ok(())
    }

    /// Whether the cycle can be walked for ever: turn after turn, until a set of states comes back. If it closes on some
    /// variables only, until it comes back in all that decides how the cycle goes on ([`needs`]).
    pub(super) fn cycle(&mut self, cycle: &'a [Seen], mut from: Candidates) -> Result<(), Failure> {
        let base = Depths { base: cycle[0].depth.map_or(0, u64::from), uncounted: 0 };
        let closes_on = self.observed.closes_on.as_ref();
        let same = |name: &str| closes_on.is_none_or(|names| names.iter().any(|same| same == name));
        let values = cycle[0].values.iter().filter(|(name, _)| same(name)).cloned().collect();
        let again = Seen { depth: None, values, ..cycle[0].clone() };
        // What does not close has the recorded values in the first turn only.
        let others: Vec<Seen> = match closes_on {
            Some(_) => cycle.iter().map(|seen| Seen { values: Vec::new(), ..seen.clone() }).collect(),
            None => cycle.to_vec(),
        };
        let folded = !self.observed.calls.is_empty();
        if closes_on.is_some() {
            // Parts of calls are walked anew: what they come through counts, too.
            self.parts.clear();
            self.heads = Some(BTreeSet::new());
        }
        let mut turns = Turns::default();
        loop {
            let states: BTreeSet<State> = from.into_iter().map(|(state, _)| state).collect();
            self.comes_through(states.iter().map(State::head));
            if self.has_come_round(&mut turns, states.clone()) {
                return Ok(());
            }
            let turn = if turns.starts.len() == 1 { cycle } else { &others };
            let first = states.into_iter().map(|state| (state, None)).collect();
            from = match self.list(Section::Cycle, turn.iter().chain([&again]).collect(), first, base) {
                // Folded calls are recorded with the values of one turn.
                Err(Failure::Objection(_)) if turns.starts.len() > 1 && folded && closes_on.is_some() => {
                    return Err(Failure::Exhausted);
                }
                from => from?,
            };
        }
    }

    /// Whether a turn begins in states in which an earlier one began, as far as they decide how the cycle goes on.
    fn has_come_round(&self, turns: &mut Turns, states: BTreeSet<State>) -> bool {
        if let (Some(heads), Some(names)) = (&self.heads, &self.observed.closes_on)
            && heads.len() > turns.heads
        {
            turns.heads = heads.len();
            turns.starts.push(states.clone());
            let firsts = turns.starts.iter().flatten().map(|state| state.head());
            let seeds = firsts.map(|head| (head, self.called(head, names))).collect();
            let meanings = self.spelling.as_ref().map_or(&[][..], |spelling| spelling.meanings());
            turns.needs = Some(needs(&self.system, heads, &seeds, meanings));
            turns.starts.pop();
            turns.met = turns.starts.iter().map(|states| self.what_counts(turns.needs.as_ref(), states)).collect();
        }
        let new = turns.met.insert(self.what_counts(turns.needs.as_ref(), &states));
        turns.starts.push(states);
        !new
    }

    /// The variables in scope at a head with one of these names.
    fn called(&self, head: Head, names: &[String]) -> Needs {
        let spds = self.system.spds;
        let locals = (0..spds.locals(head.symbol).len() as u32).map(Var::Local);
        let scope = (0..spds.globals.len() as u32).map(Var::Global).chain(locals);
        let frame = spds.symbol(head.symbol).frame;
        scope.filter(|var| names.iter().any(|name| *name == *spds.display_name(frame, *var))).collect()
    }

    /// The states without the values that decide nothing; as they are if all may.
    fn what_counts(&self, needs: Option<&BTreeMap<Head, Needs>>, states: &BTreeSet<State>) -> BTreeSet<State> {
        let Some(needs) = needs else { return states.clone() };
        let plain = |state: &State| {
            let mut state = state.clone();
            let needed = |var: Var| needs.get(&state.head()).is_some_and(|needs| needs.contains(&var));
            let globals = &self.system.globals;
            let locals = self.system.locals(state.symbol);
            let mut forget = Vec::new();
            for (global, layout, cells) in [(true, globals, &state.globals), (false, locals, &state.locals)] {
                forget.extend((0..cells.len()).map(|cell| !needed(var(global, layout.owner(cell) as u32))));
            }
            let cells = state.globals.iter_mut().chain(&mut state.locals);
            cells.zip(forget).filter(|(_, forget)| *forget).for_each(|(cell, _)| *cell = None);
            state
        };
        states.iter().map(plain).collect()
    }

    /// Whether the run can end in one of these states as it says, and shows what is claimed. If it fails, they are those
    /// after its last step.
    pub(super) fn ends(&mut self, last: Candidates, depths: Depths, claim: &Claim) -> Result<(), Failure> {
        let at = (Section::Stem, self.observed.stem.len() - 1);
        let ending = self.observed.ending;
        if self.observed.stem[at.1].then != Then::Step && ending != Ending::Failed {
            return object(at, "the run does not say where the last step leads");
        }
        let fits_claim = match claim {
            Claim::Reaches(_) | Claim::Belongs(_) => ending == Ending::Reached,
            Claim::Fails => ending == Ending::Failed,
            Claim::Whole => ending != Ending::Reached,
            Claim::Infinite => return Ok(infinite(&self.system, ending, None)?),
            Claim::Violates { runs, .. } => counts(&self.system, ending, None, *runs).map(|()| true)?,
        };
        if !fits_claim {
            let why = "the run does not end in the way that is claimed".to_string();
            return Err(Failure::Objection(Objection { at: None, why }));
        }
        let mut letters = Vec::new();
        let mut ends = false;
        for (state, below) in last {
            let states = self.ends_in(state, below, depths, claim)?;
            if states.is_empty() {
                continue;
            }
            if self.spelling.is_none() {
                return Ok(());
            }
            ends = true;
            letters.extend(self.last_letters(states)?);
        }
        if let (true, Claim::Violates { violations, .. }) = (ends, claim) {
            return self.violates(violations, &letters);
        }
        object(at, no_end(ending, claim))
    }

    /// The states in which the run can end as it says; more than this one only if some of its values have to be decided.
    fn ends_in(
        &mut self,
        state: State,
        below: Option<usize>,
        depths: Depths,
        claim: &Claim,
    ) -> Result<Vec<State>, Failure> {
        let can_end = match (self.observed.ending, claim) {
            (Ending::Reached, Claim::Reaches(heads)) => heads.iter().any(|(control, symbol)| {
                *symbol == state.symbol && control.is_none_or(|control| control == state.control)
            }),
            (Ending::Reached, Claim::Belongs(set)) => {
                let stack = self.stack(&state, below)?;
                let known = Known { control: state.control, globals: state.globals.clone(), stack };
                belongs(&self.system, set, &known)
            }
            (Ending::Failed, _) => Some(state.symbol) == self.system.spds.fail,
            (Ending::Terminated, _) => {
                let height = below.map_or(0, |tower| self.towers[tower].height);
                height == depths.uncounted && returns(&self.system, &state)
            }
            (Ending::Stuck, _) => {
                let suspended = below.map(|tower| self.suspended(tower)).transpose()?;
                let mut states = self.decide(state)?;
                states.retain(|state| is_stuck(&self.system, state, suspended.as_deref()));
                return Ok(states);
            }
            (Ending::Reached | Ending::Loop, _) => false,
        };
        Ok(if can_end { vec![state] } else { Vec::new() })
    }

    /// The letters with which the word of a run goes on that ends in these states.
    fn last_letters(&mut self, states: Vec<State>) -> Result<Vec<Letter>, Failure> {
        let mut letters = Vec::new();
        let Some(spelling) = &self.spelling else { return Ok(letters) };
        let (meanings, ending) = (spelling.meanings(), self.observed.ending);
        for state in states {
            if ending == Ending::Failed {
                letters.extend(letters_of(&self.system, meanings, state, Moment::Passed, &mut self.budget)?);
            } else {
                let found = tails(&self.system, meanings, ending, &state);
                letters.extend(found.map_err(|why| Failure::Objection(Objection { at: None, why }))?);
            }
        }
        Ok(letters)
    }

    /// What may be on the stack, topmost symbol first.
    fn stack(&mut self, state: &State, below: Option<usize>) -> Result<Vec<Level>, Failure> {
        let mut stack = vec![vec![(state.symbol, state.locals.clone())]];
        let mut next = below;
        while let Some(tower) = next {
            let mut level: Level =
                self.suspended(tower)?.into_iter().map(|below| (below.symbol, below.locals)).collect();
            level.sort_unstable();
            level.dedup();
            stack.push(level);
            next = self.towers[tower].rest;
        }
        Ok(stack)
    }

    /// The states with values for all that a rule may read.
    pub(super) fn decide(&mut self, state: State) -> Result<Vec<State>, Failure> {
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
}

/// What is wrong with a run that cannot end as it says.
fn no_end(ending: Ending, claim: &Claim) -> &'static str {
    match ending {
        Ending::Reached if matches!(claim, Claim::Belongs(_)) => "this configuration is not one of those asked for",
        Ending::Reached => "this is not a place asked for",
        Ending::Failed => "no assertion can fail here",
        Ending::Terminated => "no return from here ends the run",
        Ending::Stuck => "the run is not stuck here: there is a further step",
        Ending::Loop => "the run has no cycle",
    }
}
