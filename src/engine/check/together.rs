//! In which arrays the bits of each cell lie together, and not among those of all other cells, by significance.
//!
//! A scan of n cells of w bits that goes from cell to cell has to remember which of them are still tied with what it looks for, which
//! is 2ⁿ sets, if their bits lie by significance; if those of each cell lie together, one value, or two where cells are exchanged, which is
//! 4ʷ pairs. Where nothing is remembered of cells but where they are, significance costs next to nothing. What a call does to an array
//! relates each cell to what was in it before: where procedures call themselves there is little else, and it is smaller by significance.

use spds_format::Spds;
use spds_format::model::Scalar;

use super::control::cyclic;
use crate::bdd::Bit;
use crate::pds::SetId;
use crate::pds::cells::looked_at;
use crate::pds::layout::Field;
use crate::saturation::images::Control;

/// How many nodes the relation of a write at a computed index may have for cells to have their bits together from the start, and at all. It
/// remembers a value, and for each value goes through all cells for each of them.
const WRITTEN: [u64; 2] = [1 << 19, 1 << 26];

/// What may be spent in the order that is likely to be better before the other one is tried: where cells lie by significance, and where some
/// have their bits together. Nearly all of the latter goes into relations of exchanges, of which the search then has few.
const ON_TRIAL: [u64; 2] = [1 << 25, 1 << 27];

/// The bits of arrays whose cells have their bits together.
pub(super) struct Cells {
    /// As far as it can be told beforehand which is better.
    pub(super) likely: SetId,
    /// The other way, if there is something to choose.
    pub(super) other: Option<SetId>,
}

impl Cells {
    /// By significance, without a choice.
    pub(super) const AS_SAID: Cells = Cells { likely: SetId::EMPTY, other: None };

    /// What may be spent on one way before the other one is tried.
    pub(super) fn on_trial(&self) -> u64 {
        ON_TRIAL[usize::from(self.likely != SetId::EMPTY)]
    }

    /// Those of a system.
    pub(super) fn of(spds: &Spds, control: &Control) -> Cells {
        let (pds, flow) = (&control.pds, &control.flow);
        let fields = pds.layout.globals().iter().chain(pds.layout.shapes().flatten());
        let arrays: Vec<&Field> =
            fields.filter(|field| field.ty.range.is_some() && field.ty.scalar != Scalar::Bool).collect();
        let all = pds.sets.set(arrays.iter().flat_map(|field| field.bits()));
        if all == SetId::EMPTY {
            return Cells::AS_SAID;
        }
        let is_remembered = |state| pds.sets.intersection(control.passed(state), all) != SetId::EMPTY;
        if flow.state_ids().any(|state| control.modref.is_recursive(state) && is_remembered(state)) {
            return Cells::AS_SAID;
        }
        let those = |looked_at: Vec<bool>, is_one: fn(u64, u64) -> bool, most: u64| {
            let is_one = |field: &&&Field| {
                let (count, width) = (u64::from(field.ty.cells()), u64::from(field.ty.scalar.bits()));
                let looked_at = field.bits().any(|bit: Bit| looked_at[bit.0 as usize]);
                let written = count.saturating_mul(count).saturating_mul(width << width.min(32));
                looked_at && is_one(count, width) && written <= most
            };
            pds.sets.set(arrays.iter().filter(is_one).flat_map(|field| field.bits()))
        };
        let mut is_cyclic = vec![false; pds.head_count()];
        cyclic(pds, flow).into_iter().for_each(|head| is_cyclic[head.0 as usize] = true);
        let goes_round =
            looked_at(spds, &pds.layout, |rule| pds.find(rule.from).is_some_and(|head| is_cyclic[head.0 as usize]));
        let likely = those(goes_round, |count, width| 2 * width < count, WRITTEN[0]);
        let other = match likely {
            SetId::EMPTY => {
                those(looked_at(spds, &pds.layout, |_| true), |count, width| 1 < width && width < count, WRITTEN[1])
            }
            _ => SetId::EMPTY,
        };
        Cells { likely, other: Some(other).filter(|other| *other != likely) }
    }
}
