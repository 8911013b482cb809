//! How a run can end.

use std::ops::ControlFlow;

use spds_format::Spds;
use spds_format::model::{Head, Rule, Stack, SymbolId};

use super::eval::Cells;
use super::step::{Move, Wanted};
use super::system::{Budget, Exhausted, State, System};
use crate::run::{Ending, Run};

/// What a call left below: the return site and the locals saved for it.
pub(super) struct Suspended {
    pub(super) symbol: SymbolId,
    pub(super) locals: Cells,
}

/// All that the calls from `caller` to `entry` can leave below.
pub(super) fn suspended(
    system: &System<'_>,
    caller: &State,
    entry: &State,
    budget: &mut Budget,
) -> Result<Vec<Suspended>, Exhausted> {
    let mut all = Vec::new();
    let wanted = Wanted { globals: Some(&entry.globals), locals: Some(&entry.locals), saved: None };
    for rule in system.rules(caller.head()) {
        let Stack::Push(to, symbol) = rule.stack else { continue };
        if to == entry.symbol && rule.to == entry.control {
            system.moves(rule, caller, wanted, budget, &mut |taken: Move| {
                all.push(Suspended { symbol, locals: taken.saved });
                ControlFlow::Continue(())
            })?;
        }
    }
    Ok(all)
}

/// Whether a rule to `@fail` can be taken.
pub(super) fn fails(system: &System<'_>, state: &State) -> bool {
    let to_fail = |stack| match stack {
        Stack::Pop => false,
        Stack::Swap(to) | Stack::Push(to, _) => Some(to) == system.spds.fail,
    };
    can_take(system, state, |rule| to_fail(rule.stack))
}

/// The label of the first rule to `@fail` that can be taken where a failed run ends: what went wrong, in the words of its
/// front end. `None` if the rule has no label or the run has not failed.
pub fn failure<'s>(spds: &'s Spds, run: &Run) -> Option<&'s str> {
    if run.ending != Ending::Failed {
        return None;
    }
    let last = run.stem.iter().rev().find(|step| Some(step.config.symbol) != spds.fail)?;
    let system = System::new(spds);
    let state = State::of(&last.config);
    let mut rules =
        system.rules(state.head()).filter(|rule| matches!(rule.stack, Stack::Swap(to) if Some(to) == spds.fail));
    let rule = rules.find(|rule| can_take(&system, &state, |candidate| std::ptr::eq(candidate, *rule)))?;
    rule.label.as_deref().map(|label| label.as_str())
}

/// Whether a rule that returns can be taken.
pub(super) fn returns(system: &System<'_>, state: &State) -> bool {
    can_take(system, state, |rule| rule.stack == Stack::Pop)
}

fn can_take(system: &System<'_>, state: &State, kind: impl Fn(&Rule) -> bool) -> bool {
    let mut taken = false;
    for rule in system.rules(state.head()).filter(|rule| kind(rule)) {
        let _ = system.moves(rule, state, Wanted::default(), &mut Budget(u64::MAX), &mut |_: Move| {
            taken = true;
            ControlFlow::Break(())
        });
    }
    taken
}

/// The states in which that symbol is on top, `@end` or `@fail`, after a last step from `state`.
pub(super) fn lasting(
    system: &System<'_>,
    state: &State,
    symbol: SymbolId,
    budget: &mut Budget,
) -> Result<Vec<State>, Exhausted> {
    let mut all = Vec::new();
    for rule in system.rules(state.head()) {
        let leads = match rule.stack {
            Stack::Pop => Some(symbol) == system.spds.end,
            Stack::Swap(to) | Stack::Push(to, _) => to == symbol && Some(symbol) == system.spds.fail,
        };
        if !leads {
            continue;
        }
        let mut arrived = Vec::new();
        system.moves(rule, state, Wanted::default(), budget, &mut |taken: Move| {
            arrived.push(State { control: rule.to, symbol, globals: taken.globals, locals: Cells::new() });
            ControlFlow::Continue(())
        })?;
        for state in arrived {
            system.admit(state, system.invariant(symbol), budget, &mut |state| {
                all.push(state);
                ControlFlow::Continue(())
            })?;
        }
    }
    Ok(all)
}

/// Whether no step can follow, for one of the things that may lie below (`None`: nothing does, and a return leads to the
/// empty stack). A step into a hidden configuration counts only with the visible one after it.
pub(super) fn is_stuck(system: &System<'_>, state: &State, below: Option<&[Suspended]>) -> bool {
    match below {
        None => !goes_on(system, state, None),
        Some(below) => below.iter().any(|suspended| !goes_on(system, state, Some(suspended))),
    }
}

fn goes_on(system: &System<'_>, state: &State, below: Option<&Suspended>) -> bool {
    let unlimited = &mut Budget(u64::MAX);
    let mut pending = vec![state.clone()];
    let mut visible = false;
    while let Some(state) = pending.pop() {
        for rule in system.rules(state.head()) {
            let mut arrived = Vec::new();
            let _ = system.moves(rule, &state, Wanted::default(), unlimited, &mut |taken: Move| {
                let (symbol, locals) = match (rule.stack, below) {
                    (Stack::Swap(to) | Stack::Push(to, _), _) => (to, taken.locals),
                    (Stack::Pop, Some(below)) => (below.symbol, below.locals.clone()),
                    (Stack::Pop, None) => {
                        visible = true;
                        return ControlFlow::Break(());
                    }
                };
                arrived.push(State { control: rule.to, symbol, globals: taken.globals, locals });
                if system.is_hidden(Head { control: rule.to, symbol }) || rule.stack == Stack::Pop {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            });
            for state in arrived {
                let invariant = system.invariant(state.symbol);
                let _ = system.admit(state, invariant, &mut Budget(u64::MAX), &mut |state| {
                    if system.is_hidden(state.head()) {
                        pending.push(state);
                        ControlFlow::Continue(())
                    } else {
                        visible = true;
                        ControlFlow::Break(())
                    }
                });
            }
            if visible {
                return true;
            }
        }
    }
    false
}
