//! Accelerated loops in runs (acceleration), from values of a loop's head to others of it: in how many iterations, and to which full state.
//!
//! The number of turns is the least, found on the ladder of powers R, R², R⁴, … as one looks up a number digit by digit: as
//! many steps as it has digits. Dead values count here, because a run shows full states.

use crate::bdd::Relation;
use crate::limits::Stop;
use crate::pds::{HeadId, SetId};
use crate::saturation::System;
use crate::saturation::loops::Loop;
use crate::saturation::transitions::{Dead, Transition};

/// The powers of a loop's turn, as far as they have been needed.
pub(super) struct Powers {
    /// R to the power of 2^i.
    exactly: Vec<Transition>,
    /// From one turn to 2^i.
    upto: Vec<Transition>,
}

/// A relation with more nodes than this is no longer squared.
const LARGEST: usize = 1 << 17;

impl Powers {
    /// Those of the loop of a head.
    ///
    /// # Errors
    /// [`Stop::Patience`] if relations get too large, or if a limit is met.
    pub(super) fn new(system: &System<'_>, head: HeadId) -> Result<Powers, Stop> {
        let body = Loop::of(system, head).expect("a loop that was squared");
        let turning = body.turning(system, Dead::Kept)?.expect("it has turns");
        Ok(Powers { exactly: vec![turning.one.clone()], upto: vec![turning.one] })
    }

    /// What turns write.
    pub(super) fn writes(&self) -> SetId {
        self.exactly[0].writes
    }

    /// The least number of turns from the one set to the other, and where in the other they lead; both over Now. Some
    /// turns must lead there.
    ///
    /// # Errors
    /// [`Stop::Patience`] if relations get too large, or if a limit is met.
    pub(super) fn between(
        &mut self,
        system: &System<'_>,
        from: &Relation,
        to: &Relation,
    ) -> Result<(u64, Relation), Stop> {
        let space = system.space;
        let meets = |set: &Relation| Ok::<_, Stop>(!space.is_empty(&space.and(set, to)?));
        let mut digits = 0;
        while !meets(&system.after(from, self.upto(system, digits)?)?)? {
            digits += 1;
        }
        let (mut turns, mut here) = (0u64, from.clone());
        for digit in (0..digits).rev() {
            if !meets(&system.after(&here, &self.upto[digit])?)? {
                here = system.after(&here, &self.exactly[digit])?;
                turns += 1 << digit;
            }
        }
        let last = space.and(&system.after(&here, &self.exactly[0])?, to)?;
        Ok((turns + 1, last))
    }

    fn upto(&mut self, system: &System<'_>, digit: usize) -> Result<&Transition, Stop> {
        while self.upto.len() <= digit {
            let (exact, upto) = (&self.exactly[self.exactly.len() - 1], &self.upto[self.upto.len() - 1]);
            let more = system.either(upto, &system.then(exact, upto)?)?;
            let exact = system.then(exact, exact)?;
            let largest = size(system, &exact).max(size(system, &more));
            if largest > LARGEST || self.upto.len() >= 63 {
                return Err(Stop::Patience);
            }
            self.upto.push(more);
            self.exactly.push(exact);
        }
        Ok(&self.upto[digit])
    }
}

fn size(system: &System<'_>, way: &Transition) -> usize {
    system.space.size(&way.relation)
}
