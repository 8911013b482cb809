//! What runs from the start of a system come to.

use rustc_hash::FxHashSet;
use spds_format::Spds;
use spds_format::automaton::StateId;
use spds_format::model::{Head, SymbolId};

use super::heads::Rules;
use super::saturate::{Demand, Saturation};
use crate::limits::{Limits, Stop};
use crate::rows::Rows;

/// The heads of all configurations that can be reached from the start of a system for which [`super::is_explicit`] holds.
///
/// Only what is reached costs: with r rules of reached heads and k control locations time O(r · k · k/64) at worst.
///
/// # Errors
/// If a limit is met.
pub fn reached(spds: &Spds, limits: &Limits) -> Result<FxHashSet<Head>, Stop> {
    let rules = Rules::new(spds);
    let stack = &spds.start.stack;
    let below: Vec<(u32, (SymbolId, StateId))> =
        (1..stack.len() as u32).map(|depth| (depth - 1, (stack[depth as usize], StateId(depth)))).collect();
    let below = Rows::collect(stack.len(), |pair| below.iter().for_each(|&(state, edge)| pair(state, edge)));
    let mut all = Saturation::new(spds, &rules, &below, Demand::Reached, *limits);
    all.begin(Head { control: spds.start.control, symbol: stack[0] }, StateId(0));
    all.run()?;
    Ok(all.heads.iter().map(|(head, _)| head).collect())
}
