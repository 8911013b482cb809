//! How a saturation goes round loops that make no calls: step by step, or all turns at once.

use rustc_hash::FxHashMap;

use super::images::{Control, System};
use super::loops::Loop;
use super::transitions::{Dead, Transition};
use crate::limits::Stop;
use crate::options::Loops;
use crate::pds::{HeadId, RuleKind};

/// How a search goes round the loop of a head.
enum Turns {
    /// Step by step. When it has come round so often, it is worth while to look for something else.
    Stepwise { visits: u32, next: u32 },
    /// Step by step, for ever: calls are made in it, or it never comes back.
    Calls,
    /// All at once.
    Squared(Transition),
}

/// So many rounds of a loop are nothing to worry about.
const FEW_VISITS: u32 = 16;

/// Attempts to square loops may take so much work in vain, and some times as much as everything else.
const LITTLE_WORK: u64 = 1 << 22;

/// The loops of a system, as far as they have been looked at.
pub(super) struct Turning {
    choice: Loops,
    /// The heads to which some step leads backwards in the order of work.
    comes_round: Vec<bool>,
    turns: FxHashMap<HeadId, Turns>,
    /// Work that attempts to square loops took in vain.
    wasted: u64,
}

impl Turning {
    /// None has been looked at.
    pub(super) fn new(control: &Control, choice: Loops) -> Turning {
        let mut comes_round = vec![false; control.pds.head_count()];
        for rule in control.pds.rules.iter() {
            if let RuleKind::Step(to) = rule.kind {
                comes_round[to.0 as usize] |= control.rank[to.0 as usize] <= control.rank[rule.from.0 as usize];
            }
        }
        Turning { choice, comes_round, turns: FxHashMap::default(), wasted: 0 }
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
        if self.choice == Loops::Step || !self.comes_round[head.0 as usize] {
            return Ok(None);
        }
        let (visits, next) = match self.turns.get(&head) {
            None => (1, if self.choice == Loops::Square { 1 } else { FEW_VISITS }),
            Some(Turns::Stepwise { visits, next }) => (*visits + 1, *next),
            Some(Turns::Calls) => return Ok(None),
            Some(Turns::Squared(turns)) => return Ok(Some(turns.clone())),
        };
        if visits < next {
            self.turns.insert(head, Turns::Stepwise { visits, next });
            return Ok(None);
        }
        let Some(body) = Loop::of(system, head) else {
            self.turns.insert(head, Turns::Calls);
            return Ok(None);
        };
        // Attempts that fail must not cost more than all else does.
        let begun = system.space.work();
        let useful = begun.saturating_sub(self.wasted);
        let worth = LITTLE_WORK.saturating_add(useful.saturating_mul(2)).saturating_sub(self.wasted);
        let turns = match system.space.attempt(worth, || body.turning(system, Dead::Forgotten))? {
            None => {
                self.wasted += system.space.work() - begun;
                Turns::Stepwise { visits, next: visits.saturating_mul(8) }
            }
            Some(None) => Turns::Calls,
            Some(Some(turning)) => Turns::Squared(turning.all),
        };
        self.turns.insert(head, turns);
        Ok(self.squared(head).cloned())
    }
}
