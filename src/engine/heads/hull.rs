//! The hull, among what post* has reached: every value left leads to a cycle.

use super::{HeadSets, Search};
use crate::limits::Stop;

/// See [`super::methods`].
pub fn hull(search: &Search<'_, '_, '_>) -> Result<HeadSets, Stop> {
    search.component.part.hull(search.post, search.inside.clone(), search.cycles)
}
