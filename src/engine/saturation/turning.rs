//! Iterations of loops in a saturation: step by step, or all at once (acceleration); and where it has to look for what comes round.

use rustc_hash::FxHashMap;

use super::attempts::{Attempts, Worth};
use super::images::{Control, System};
use super::loops::Loop;
use super::transitions::{Dead, Transition};
use crate::flow::State;
use crate::limits::Stop;
use crate::options::{Loops, Switch};
use crate::pds::{HeadId, RuleKind};

/// How a search goes round the loop of a head, once it has been looked at.
enum Turns {
    /// Step by step, for ever: calls are made in it, or it never comes back.
    Calls,
    /// All at once.
    Squared(Transition),
}

/// What loops that make no calls are worth: as much as everything else.
const LOOPS: Worth = Worth { little: 1 << 20, eighths: 8 };

/// What chains of calls are worth.
const CALLS: Worth = Worth { little: 1 << 17, eighths: 1 };

/// The loops of a system, or its chains of calls, as far as they have been looked at.
pub(super) struct Turning {
    /// The heads to which something comes round.
    comes_round: Vec<bool>,
    /// What comes round to one of them.
    find: fn(&System<'_>, HeadId) -> Option<Loop>,
    turns: FxHashMap<HeadId, Turns>,
    attempts: Attempts<HeadId>,
}

impl Turning {
    /// Loops that make no calls, none of which has been looked at: to their heads some step leads backwards in the order of work.
    pub(super) fn of_loops(control: &Control, choice: Loops) -> Turning {
        Turning::at_heads(led_to_backwards(control), choice)
    }

    /// The same, of loops through these heads.
    fn at_heads(comes_round: Vec<bool>, choice: Loops) -> Turning {
        let attempts = Attempts::new(choice, LOOPS);
        Turning { comes_round, find: Loop::of, turns: FxHashMap::default(), attempts }
    }

    /// Calls of procedures by themselves, from entry to entry.
    pub(super) fn of_calls(control: &Control, choice: Loops) -> Turning {
        let mut comes_round = vec![false; control.pds.head_count()];
        for (state, callers) in control.flow.state_ids().zip(control.flow.callers.iter()) {
            if let State::Entry(entry) = control.flow.states[state.0 as usize] {
                comes_round[entry.0 as usize] = callers.iter().any(|caller| caller.state == state);
            }
        }
        let attempts = Attempts::new(choice, CALLS);
        Turning { comes_round, find: Loop::of_calls, turns: FxHashMap::default(), attempts }
    }

    /// The same, of which none has been looked at, to be gone round as said.
    pub(super) fn chosen(self, choice: Loops) -> Turning {
        Turning::at_heads(self.comes_round, choice)
    }

    /// How to go round.
    pub(super) fn choice(&self) -> Loops {
        self.attempts.choice()
    }

    /// By head, whether something comes round to it.
    pub(super) fn comes_round(&self) -> &[bool] {
        &self.comes_round
    }

    /// With how many visits a loop is looked at for the first time.
    pub(super) fn looks_after(&self) -> u32 {
        self.attempts.first()
    }

    /// The search has come to a head so often before.
    pub(super) fn came_by(&mut self, head: HeadId, visits: u32) {
        self.attempts.came_by(head, visits);
    }

    /// What all turns of a head's loop do, if they were taken at once.
    pub(super) fn squared(&self, head: HeadId) -> Option<&Transition> {
        match self.turns.get(&head) {
            Some(Turns::Squared(turns)) => Some(turns),
            _ => None,
        }
    }

    /// The heads whose loops were.
    pub(super) fn squared_heads(&self) -> impl Iterator<Item = HeadId> {
        self.turns.keys().copied().filter(|head| self.squared(*head).is_some())
    }

    /// What all turns of a head's loop do, if they can be taken at once and that is worth while by now. To be asked each
    /// time that the search comes to the head.
    pub(super) fn at(&mut self, system: &System<'_>, head: HeadId) -> Result<Option<Transition>, Stop> {
        if !self.comes_round[head.0 as usize] {
            return Ok(None);
        }
        match self.turns.get(&head) {
            Some(Turns::Calls) => return Ok(None),
            Some(Turns::Squared(turns)) => return Ok(Some(turns.clone())),
            None => {}
        }
        if !self.attempts.are_due(head) {
            return Ok(None);
        }
        let Some(body) = (self.find)(system, head) else {
            self.turns.insert(head, Turns::Calls);
            return Ok(None);
        };
        // What loops over arrays do is seldom small.
        if body.touches(system, system.arrays()) && self.attempts.put_off(head) {
            return Ok(None);
        }
        let Some(turning) = self.attempts.make(system, head, || body.turning(system, Dead::Forgotten))? else {
            return Ok(None);
        };
        self.turns.insert(head, turning.map_or(Turns::Calls, |turning| Turns::Squared(turning.all)));
        Ok(self.squared(head).cloned())
    }
}

/// The heads whose sets are kept: where control can come round (a rule leads backwards in the order of work), entries
/// and return sites. Elsewhere an increment passes through; joins of branches have merged by the turn of their head.
pub(super) fn kept(system: &System<'_>, blocks: Switch, loops: &Turning) -> Vec<bool> {
    let control = system.control;
    if blocks == Switch::Off {
        return vec![true; control.pds.head_count()];
    }
    let mut keep = loops.comes_round.clone();
    for (_, kind) in control.pds.rules.kinds() {
        if let RuleKind::Call(entry, site) = kind {
            keep[entry.0 as usize] = true;
            system.return_heads(entry, site).for_each(|(_, head)| keep[head.0 as usize] = true);
        }
    }
    keep
}

/// The heads to which some step leads backwards in the order of work.
fn led_to_backwards(control: &Control) -> Vec<bool> {
    let mut backwards = vec![false; control.pds.head_count()];
    for (from, kind) in control.pds.rules.kinds() {
        if let RuleKind::Step(to) = kind {
            backwards[to.0 as usize] |= control.rank[to.0 as usize] <= control.rank[from.0 as usize];
        }
    }
    backwards
}
