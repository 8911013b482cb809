//! Leaps: many turns of one loop at once, walked by explicit search.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use spds_format::model::Stack;

use super::eval::Cells;
use super::step::{Move, Wanted};
use super::system::{Budget, Exhausted, State, System};

/// The states to which exactly `turns` turns of a loop lead from `from` and that agree with `goal`, in ascending order. A
/// turn ends when the head of `from` is on top again; a loop that leaps makes no calls, but may pass from one frame into
/// another and back, with other locals then.
///
/// # Errors
/// If the budget is spent first.
pub(super) fn leap(
    system: &System<'_>,
    from: &State,
    goal: &State,
    turns: u64,
    budget: &mut Budget,
) -> Result<Vec<State>, Exhausted> {
    let mut layer = BTreeSet::from([from.clone()]);
    for _ in 0..turns {
        layer = turn(system, layer, budget)?;
        if layer.is_empty() {
            break;
        }
    }
    Ok(layer.into_iter().filter_map(|state| meet(state, goal)).collect())
}

/// All states with the same head that one turn leads to.
fn turn(system: &System<'_>, from: BTreeSet<State>, budget: &mut Budget) -> Result<BTreeSet<State>, Exhausted> {
    let mut round = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut pending: Vec<State> = from.into_iter().collect();
    let Some(head) = pending.first().map(State::head) else { return Ok(round) };
    while let Some(state) = pending.pop() {
        for rule in system.rules(state.head()) {
            let Stack::Swap(symbol) = rule.stack else { continue };
            system.moves(rule, &state, Wanted::default(), budget, &mut |taken: Move| {
                let next = State { control: rule.to, symbol, globals: taken.globals, locals: taken.locals };
                if next.head() == head {
                    round.insert(next);
                } else if seen.insert(next.clone()) {
                    pending.push(next);
                }
                ControlFlow::Continue(())
            })?;
        }
    }
    Ok(round)
}

/// What two states of the same head have in common, if anything.
pub(super) fn meet(mut state: State, other: &State) -> Option<State> {
    let same = state.head() == other.head()
        && agree(&mut state.globals, &other.globals)
        && agree(&mut state.locals, &other.locals);
    same.then_some(state)
}

/// Fills open cells from `others`; false if known ones differ.
pub(super) fn agree(cells: &mut Cells, others: &[Option<u64>]) -> bool {
    cells.iter_mut().zip(others).all(|(cell, other)| match (*cell, *other) {
        (Some(value), Some(other)) => value == other,
        (None, other) => {
            *cell = other;
            true
        }
        (Some(_), None) => true,
    })
}
