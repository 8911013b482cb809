//! The order of bits that an attempt begins with: found by what meets in rules, or by what their relations are like.
//!
//! What meets says nothing of how: the bits of a counter all meet, and lie side by side then, although they would lie between those
//! of what is copied from it without any loss. So where relations have got large the relations of the rules are made, their bits
//! sifted, and the search starts over in that order if it is a much better one. They are small in comparison with what is found by
//! them, and made in a hundredth of the time.

use spds_format::Spds;

use super::together::Cells;
use crate::bdd::{Bit, EngineKind, Relation, Space, Universe};
use crate::limits::Stop;
use crate::options::{Options, Order};
use crate::pds::{SetId, order};
use crate::product::Product;
use crate::saturation::System;
use crate::saturation::images::Control;

/// How many nodes sifting may look at: a tenth of a second.
const WORTH: u64 = 1 << 21;

/// Work that the relations of the rules may take.
const ENCODING: u64 = 1 << 21;

/// How much smaller than before the relations of the rules have to be for a new order: 3 of 4 parts. Where it is less, what is found
/// by them is as often larger as it is smaller.
const BETTER: (usize, usize) = (3, 4);

/// Which order of bits an attempt begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bits {
    /// That of the options.
    AsAsked,
    /// If the options leave it open, a much better one that sifting finds.
    MayBeSifted,
    /// If the options leave it open, the other one of the two for the cells of arrays.
    OtherCells,
}

/// The bits of a system in this order.
pub(super) fn universe(control: &Control, order: Vec<Bit>) -> Universe {
    let (layout, sets) = (&control.pds.layout, &control.pds.sets);
    let saved = control.pds.rules.iter().fold(SetId::EMPTY, |set, rule| sets.union(set, rule.saved));
    Universe { bits: layout.bits(), order, saved: sets.bits(saved).into_iter().collect() }
}

/// An order of bits.
pub(super) struct Arranged {
    /// The bits, uppermost first.
    pub(super) order: Vec<Bit>,
    /// What may be spent (see [`Space::spent`]) before [`Bits::OtherCells`] is tried, if that is another one.
    pub(super) on_trial: Option<u64>,
}

/// The order of bits for an attempt.
pub(super) fn arranged(
    spds: &Spds,
    control: &Control,
    product: Option<&Product<'_>>,
    options: &Options,
    bits: Bits,
) -> Result<Arranged, Stop> {
    let pds = &control.pds;
    let cells = if options.order == Order::Force { Cells::of(spds, control) } else { Cells::AS_SAID };
    let together = if bits == Bits::OtherCells { cells.other } else { Some(cells.likely) };
    let first = order::order(pds, options.order, together.unwrap_or(cells.likely));
    let as_it_is = |order| Arranged { order, on_trial: cells.other.map(|_| cells.on_trial()) };
    let better = match (options.order, bits) {
        (Order::Sifted, _) => (1, 1),
        (Order::Force, Bits::MayBeSifted) => BETTER,
        _ => return Ok(as_it_is(first)),
    };
    let universe = universe(control, order::turned(pds, first.clone()));
    let sifted = Space::new(universe, EngineKind::Biodivine, &options.limits, Some(ENCODING)).and_then(|space| {
        let system = System::new(spds, control, product, &space)?;
        let rules: Vec<&Relation> = system.relations.iter().collect();
        Ok(space.sifted(&rules, WORTH))
    });
    match sifted {
        Ok(sifted) if sifted.after * better.1 <= sifted.before * better.0 => Ok(as_it_is(sifted.order)),
        // What cannot be had costs nothing but that it was tried.
        Ok(_) | Err(Stop::Work | Stop::Width) => Ok(as_it_is(first)),
        Err(stop) => Err(stop),
    }
}
