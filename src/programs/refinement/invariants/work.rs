//! How much may be done before others have a try: counted, so that the same is done each time.

use std::cell::Cell;

/// So many propagations of a solver are one unit.
const PROPAGATIONS: u64 = 10_000;

/// What is left to be done. A unit is about a thousandth of a second.
#[derive(Debug)]
pub(in super::super) struct Work {
    left: Cell<u64>,
    /// Kept for later.
    kept: Cell<u64>,
}

impl Work {
    /// So many units.
    pub fn new(units: u64) -> Work {
        Work { left: Cell::new(units), kept: Cell::new(0) }
    }

    /// Leaves as much for what comes later as may be done now; or nothing, if nothing comes later.
    pub fn shared(&self, is_last: bool) {
        let all = self.left.get() + self.kept.get();
        let now = if is_last { all } else { all / 2 };
        self.left.set(now);
        self.kept.set(all - now);
    }

    /// Does what so many propagations of a solver are.
    pub fn propagated(&self, count: u64) {
        self.spend(count / PROPAGATIONS);
    }

    /// So many units are left from now on.
    pub fn grant(&self, units: u64) {
        self.left.set(units);
    }

    /// Does so many units if that is no more than half of what is left; whether it is.
    pub fn afford(&self, units: u64) -> bool {
        units <= self.left.get() / 2 && self.spend(units)
    }

    /// Does so many units; whether there is anything left.
    pub fn spend(&self, units: u64) -> bool {
        self.left.set(self.left.get().saturating_sub(units));
        self.left.get() > 0
    }
}
