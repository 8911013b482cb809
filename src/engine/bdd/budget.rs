//! Limits that hold inside one operation.
//!
//! Engines count *ticks*, small pieces of work, and every [`CHUNK`] of them they look at the clock, at the memory in
//! use, and at the work done so far. Ticks do not depend on the clock, so running out of work is deterministic.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::limits::{Limits, Stop};

/// Ticks between two looks at the limits: some milliseconds.
const CHUNK: u64 = 1 << 16;

/// Operations for which less than this is spent are no reason to start over: a long program with small relations is best done at once.
const LARGE: u64 = 1 << 12;

/// What the relations of a space occupy. Shared by the space and its relations, which may outlive it.
#[derive(Debug, Default)]
pub(super) struct Meter {
    /// Inner nodes of all live relations.
    pub(super) nodes: Cell<u64>,
    /// The most there ever were.
    pub(super) peak: Cell<u64>,
    /// Bytes held by relations and tables.
    pub(super) bytes: Cell<u64>,
}

impl Meter {
    /// Counts a relation in.
    pub(super) fn add(&self, nodes: u64, bytes: u64) {
        self.nodes.set(self.nodes.get() + nodes);
        self.see(self.nodes.get());
        self.bytes.set(self.bytes.get() + bytes);
    }

    /// So many nodes were alive at once.
    pub(super) fn see(&self, nodes: u64) {
        self.peak.set(self.peak.get().max(nodes));
    }

    /// Counts a relation out.
    pub(super) fn remove(&self, nodes: u64, bytes: u64) {
        self.nodes.set(self.nodes.get() - nodes);
        self.bytes.set(self.bytes.get() - bytes);
    }
}

/// How far a search has come in a space when another one is tried for the same.
#[derive(Clone, Debug, Default)]
pub struct Trial {
    /// How far a search came that had spent as much: who comes further goes on.
    rival: Option<u64>,
    rounds: Rc<Cell<u64>>,
}

impl Trial {
    /// Another one, which goes on if it comes further with as much work.
    pub fn against(&self) -> Trial {
        Trial { rival: Some(self.rounds.get()), rounds: Rc::default() }
    }
}

/// The limits of a space and how much of them is used.
#[derive(Debug)]
pub(super) struct Budget {
    limits: Limits,
    /// How much is spent with each tick.
    price: u64,
    /// Work in large operations after which the search should start over.
    work_limit: Cell<u64>,
    /// Work after which the question is given up.
    allowance: Cell<u64>,
    /// Work after which what is being attempted is given up.
    patience: Cell<u64>,
    /// The same for what is spent.
    purse: Cell<u64>,
    /// What may be spent before another space is tried, and the trial that it is.
    trial_ends: Cell<u64>,
    trial: RefCell<Option<Trial>>,
    pub(super) meter: Rc<Meter>,
    /// Ticks of real operations up to the last look.
    work: Cell<u64>,
    /// Ticks of finished operations for which [`LARGE`] or more was spent: what another order or engine would save.
    heavy: Cell<u64>,
    /// Ticks until the next look, and how many there were after the last one.
    left: Cell<u64>,
    chunk: Cell<u64>,
    /// Ticks that count for the next look but are no work.
    idle: Cell<u64>,
    /// Bytes that the running operation took when it began, and the work done before.
    begun: Cell<u64>,
    start: Cell<u64>,
    /// Why the running operation is to end, where it cannot be left.
    stopped: Cell<Option<Stop>>,
}

impl Budget {
    /// Nothing used yet. So much is spent with each tick.
    pub(super) fn new(limits: &Limits, work: Option<u64>, price: u64) -> Budget {
        let budget = Budget {
            limits: *limits,
            price,
            work_limit: Cell::new(work.unwrap_or(u64::MAX)),
            allowance: Cell::new(u64::MAX),
            patience: Cell::new(u64::MAX),
            purse: Cell::new(u64::MAX),
            trial_ends: Cell::new(u64::MAX),
            trial: RefCell::default(),
            meter: Rc::default(),
            work: Cell::new(0),
            heavy: Cell::new(0),
            left: Cell::new(0),
            chunk: Cell::new(0),
            idle: Cell::new(0),
            begun: Cell::new(0),
            start: Cell::new(u64::MAX),
            stopped: Cell::new(None),
        };
        budget.look_later();
        budget
    }

    /// The work done so far, in ticks.
    pub(super) fn work(&self) -> u64 {
        self.work.get() + self.chunk.get() - self.left.get() - self.idle.get()
    }

    /// What has been spent so far.
    pub(super) fn spent(&self) -> u64 {
        self.work().saturating_mul(self.price)
    }

    /// So much work is so much spent, and the other way round.
    pub(super) fn worth(&self, spent: u64) -> u64 {
        spent / self.price
    }

    /// No more work than this.
    pub(super) fn allow(&self, work: u64) {
        self.allowance.set(work);
    }

    /// From now on until the work done is so much; returns what it was before.
    pub(super) fn have_patience(&self, until: u64) -> u64 {
        self.patience.replace(until)
    }

    /// From now on until so much has been spent; returns what it was before.
    pub(super) fn spend_until(&self, until: u64) -> u64 {
        let before = self.purse.replace(until);
        self.check_in();
        before
    }

    /// From now on the search should start over after so much work; returns what it was before.
    pub(super) fn work_within(&self, work: u64) -> u64 {
        let before = self.work_limit.replace(work);
        self.check_in();
        before
    }

    /// What follows is a trial, until so much has been spent.
    pub(super) fn on_trial(&self, trial: Trial, most: u64) {
        self.trial_ends.set(most);
        self.trial.replace(Some(trial));
        self.check_in();
    }

    /// The search has come so many steps further.
    pub(super) fn came_round(&self, steps: u32) {
        if let Some(trial) = &*self.trial.borrow() {
            trial.rounds.set(trial.rounds.get() + u64::from(steps));
        }
    }

    /// From now on the trial is over once so much has been spent; returns what it was before.
    pub(super) fn trial_within(&self, most: u64) -> u64 {
        let before = self.trial_ends.replace(most);
        self.check_in();
        before
    }

    /// Whether the trial is over. If it has come further than its rival it goes on for good.
    fn trial_is_over(&self) -> bool {
        if self.trial_ends.get() == u64::MAX || self.spent() < self.trial_ends.get() {
            return false;
        }
        let trial = self.trial.borrow();
        let is_ahead = trial.as_ref().is_none_or(|trial| trial.rival.is_some_and(|rival| trial.rounds.get() > rival));
        if is_ahead {
            self.trial_ends.set(u64::MAX);
        }
        !is_ahead
    }

    /// An operation begins; if it has tables of its own, they take so many bytes at once, and grow with its ticks from now on.
    pub(super) fn begin(&self, bytes: u64) {
        self.begun.set(bytes);
        self.start.set(self.work());
    }

    /// The operation that began last is over, one way or another.
    pub(super) fn end(&self) {
        let ticks = self.work().saturating_sub(self.start.get());
        if ticks * self.price >= LARGE {
            self.heavy.set(self.heavy.get() + ticks);
        }
        self.start.set(u64::MAX);
        self.begun.set(0);
    }

    /// The running operation is to end for that reason.
    pub(super) fn stop(&self, stop: Stop) {
        self.stopped.set(Some(stop));
    }

    /// Whether it is to end.
    #[inline]
    pub(super) fn has_stopped(&self) -> bool {
        self.stopped.get().is_some()
    }

    /// Why it was to end, which is forgotten with this.
    pub(super) fn stopped(&self) -> Option<Stop> {
        self.stopped.take()
    }

    /// One tick of work.
    #[inline]
    pub(super) fn tick(&self) -> Result<(), Stop> {
        self.charge(1)
    }

    /// So many ticks of work.
    #[inline]
    pub(super) fn charge(&self, ticks: u64) -> Result<(), Stop> {
        match self.left.get().checked_sub(ticks) {
            Some(left) if left > 0 => {
                self.left.set(left);
                Ok(())
            }
            _ => self.look(ticks),
        }
    }

    /// A moment that is no work: for operations that are looked up. Keeps an endless loop of them stoppable.
    #[inline]
    pub(super) fn idle(&self) -> Result<(), Stop> {
        self.idle.set(self.idle.get() + 1);
        self.charge(1)
    }

    /// Looks at the limits now.
    pub(super) fn check(&self) -> Result<(), Stop> {
        self.look(0)
    }

    /// The work done in large operations, the running one included once it is large.
    fn heavy(&self) -> u64 {
        let running = self.work.get().saturating_sub(self.start.get());
        self.heavy.get() + if running * self.price >= LARGE { running } else { 0 }
    }

    /// Counts what was done since the last look.
    fn check_in(&self) {
        self.work.set(self.work());
        self.idle.set(0);
        self.look_later();
    }

    /// Sets when to look next.
    fn look_later(&self) {
        let purse = self.purse.get().min(self.trial_ends.get()).saturating_sub(self.work.get() * self.price).max(1);
        let purse = purse.div_ceil(self.price);
        let chunk = CHUNK.min(self.work_limit.get().max(LARGE)).min(purse);
        self.chunk.set(chunk);
        self.left.set(chunk);
    }

    #[cold]
    #[inline(never)]
    fn look(&self, ticks: u64) -> Result<(), Stop> {
        self.check_in();
        self.work.set(self.work.get() + ticks);
        if self.heavy() >= self.work_limit.get() || self.trial_is_over() {
            return Err(Stop::Work);
        }
        if self.work.get() >= self.allowance.get() {
            return Err(Stop::Allowance);
        }
        if self.work.get() >= self.patience.get() || self.spent() >= self.purse.get() {
            return Err(Stop::Patience);
        }
        let running = match self.begun.get() {
            0 => 0,
            begun => begun + tables(self.work.get().saturating_sub(self.start.get())),
        };
        if self.limits.memory.is_some_and(|memory| self.meter.bytes.get() + running > memory) {
            return Err(Stop::Memory);
        }
        self.limits.check()
    }
}

/// Bytes in the tables of an operation of biodivine-lib-bdd after so many ticks.
///
/// Ticks are calls of its operator. A task takes two to four, say three; it has a slot of 13 bytes in one hash table and
/// its node a slot of 17 in another, both at most 7/8 full and doubled when they are, and 12 bytes in the result.
/// Measured: 174 MB after 10.5 million ticks, 271 MB after 21 million with a quantifier.
fn tables(ticks: u64) -> u64 {
    if ticks == 0 { 0 } else { (ticks * 8 / 21).next_power_of_two() * (13 + 17 + 12) }
}
