//! What rules and expressions mean, by trying everything.

use std::collections::BTreeSet;

use spds_format::Spds;
use spds_format::expr::{Binary, Expr, Op, Time};
use spds_format::model::{Rule, Scalar, Stack, SymbolId, Type, Update, Var, Variable};

use super::{Next, State};

/// All successors of a state, with the rules that lead to them.
pub fn successors<'s>(spds: &'s Spds, state: &State) -> Vec<(&'s Rule, Next)> {
    let rules = spds.rules.iter().filter(|rule| (rule.from.control, rule.from.symbol) == (state.control, state.symbol));
    rules.flat_map(|rule| apply(spds, rule, state).into_iter().map(move |next| (rule, next))).collect()
}

/// All ways to take a rule: tries all values of all cells that the rule does not keep.
fn apply(spds: &Spds, rule: &Rule, before: &State) -> BTreeSet<Next> {
    let mut found = BTreeSet::new();
    if rule.guard.as_ref().is_some_and(|guard| !holds(spds, guard, before, None)) {
        return found;
    }
    let (top, site) = match rule.stack {
        Stack::Pop => (None, None),
        Stack::Swap(top) => (Some(top), None),
        Stack::Push(top, site) => (Some(top), Some(site)),
    };
    let keep = |values: &[u64]| values.iter().map(|value| vec![*value]).collect::<Vec<_>>();
    let mut globals = keep(&before.globals);
    let mut locals = match top {
        None => Vec::new(),
        Some(top) if site.is_none() && spds.symbol(top).frame == spds.symbol(before.symbol).frame => {
            keep(&before.locals)
        }
        Some(top) => domains(spds.locals(top)),
    };
    let mut saved = match site {
        None => Vec::new(),
        Some(site) if spds.symbol(site).frame == spds.symbol(before.symbol).frame => keep(&before.locals),
        Some(site) => domains(spds.locals(site)),
    };
    let site_locals = site.map_or(&[][..], |site| spds.locals(site));
    let free = rule.with.iter().flat_map(|with| with.reads()).filter(|(_, time)| *time != Time::Before);
    let assigned = rule.updates.iter().map(|update| (update.var, update.time));
    for ((var, time), whole) in free.map(|read| (read, true)).chain(assigned.map(|read| (read, false))) {
        let (list, variables, number) = match (var, time) {
            (Var::Global(number), _) => (&mut globals, &spds.globals[..], number),
            (Var::Local(number), Time::Saved) => (&mut saved, site_locals, number),
            (Var::Local(number), _) => (&mut locals, top.map_or(&[][..], |top| spds.locals(top)), number),
        };
        // A cell that is assigned may become anything here; the check below holds it to what is assigned.
        let updates: Vec<&Update> =
            rule.updates.iter().filter(|update| (update.var, update.time) == (var, time)).collect();
        let (first, ty) = (offset(variables, number), variables[number as usize].ty);
        let Some(cells) = updates.iter().map(|update| cell(spds, update, before, ty)).collect::<Option<Vec<_>>>()
        else {
            return found;
        };
        for index in 0..ty.cells() as usize {
            if whole || cells.iter().any(|cell| cell.is_none_or(|cell| cell == index)) {
                list[first + index] = all_values(ty.scalar);
            }
        }
    }
    let sizes = (globals.len(), globals.len() + locals.len());
    let lists: Vec<Vec<u64>> = [globals, locals, saved].concat();
    for values in product(&lists) {
        let after = After {
            globals: &values[..sizes.0],
            locals: &values[sizes.0..sizes.1],
            saved: &values[sizes.1..],
            top,
            site,
            saved_globals: &[],
        };
        if !rule.updates.iter().all(|update| assigns(spds, update, before, &after))
            || rule.with.as_ref().is_some_and(|with| !holds(spds, with, before, Some(&after)))
        {
            continue;
        }
        let state = top.map(|symbol| {
            let (globals, locals) = (after.globals.to_vec(), after.locals.to_vec());
            State { control: rule.to, symbol, globals, locals }
        });
        found.extend(match (state, site) {
            (None, _) => Some(Next::Pop(rule.to, after.globals.to_vec())),
            (Some(state), _) if !invariant(spds, &state) => None,
            (Some(state), None) => Some(Next::Swap(state)),
            (Some(state), Some(site)) => Some(Next::Push(state, site, after.saved.to_vec())),
        });
    }
    found
}

pub fn invariant(spds: &Spds, state: &State) -> bool {
    spds.symbol(state.symbol).invariant.as_ref().is_none_or(|invariant| holds(spds, invariant, state, None))
}

struct After<'a> {
    globals: &'a [u64],
    locals: &'a [u64],
    saved: &'a [u64],
    top: Option<SymbolId>,
    site: Option<SymbolId>,
    /// Of the state that an edge of an automaton leaves.
    saved_globals: &'a [u64],
}

/// The cell that an update is about within its variable: `Some(None)` is all of them, `None` that the index is wrong.
fn cell(spds: &Spds, update: &Update, before: &State, ty: Type) -> Option<Option<usize>> {
    let Some(index) = &update.index else { return Some(None) };
    let (first, last) = ty.range?;
    let [Some(index)] = evaluate(spds, index, before, None)[..] else { return None };
    (i128::from(first)..=i128::from(last)).contains(&index).then(|| Some((index - i128::from(first)) as usize))
}

/// Whether what is stored is a possible value of the update.
fn assigns(spds: &Spds, update: &Update, before: &State, after: &After<'_>) -> bool {
    if update.value.ops() == [Op::Any] {
        return true;
    }
    let (list, variables, number) = match (update.var, update.time) {
        (Var::Global(number), _) => (after.globals, &spds.globals[..], number),
        (Var::Local(number), Time::Saved) => {
            (after.saved, after.site.map_or(&[][..], |site| spds.locals(site)), number)
        }
        (Var::Local(number), _) => (after.locals, after.top.map_or(&[][..], |top| spds.locals(top)), number),
    };
    let ty = variables[number as usize].ty;
    let Some(index) = cell(spds, update, before, ty) else { return false };
    let stored = i128::from(list[offset(variables, number) + index.unwrap_or(0)]);
    evaluate(spds, &update.value, before, None).contains(&Some(stored))
}

pub fn holds_before(spds: &Spds, expr: &Expr, state: &State) -> bool {
    holds(spds, expr, state, None)
}

/// Globals and locals, and a symbol with those locals.
pub type Values<'a> = (&'a [u64], &'a [u64], SymbolId);

/// Whether the condition of an edge of an automaton holds, with what is read, and what the states after and before carry.
pub fn holds_on_edge(spds: &Spds, expr: &Expr, read: &State, after: Values<'_>, before: Values<'_>) -> bool {
    let after = After {
        globals: after.0,
        locals: after.1,
        saved: before.1,
        top: Some(after.2),
        site: Some(before.2),
        saved_globals: before.0,
    };
    holds(spds, expr, read, Some(&after))
}

fn holds(spds: &Spds, expr: &Expr, before: &State, after: Option<&After<'_>>) -> bool {
    evaluate(spds, expr, before, after).contains(&Some(1))
}

/// All values of an expression, `None` where it has none: one for each way to draw every `*` and `schoose` in it.
fn evaluate(spds: &Spds, expr: &Expr, before: &State, after: Option<&After<'_>>) -> Vec<Option<i128>> {
    let choices = expr.ops().iter().filter(|op| matches!(op, Op::Any | Op::Choose)).count();
    let mut values: Vec<Option<i128>> =
        (0..1u64 << choices).map(|draws| draw(spds, expr, before, after, draws)).collect();
    values.sort_unstable();
    values.dedup();
    values
}

fn draw(spds: &Spds, expr: &Expr, before: &State, after: Option<&After<'_>>, mut draws: u64) -> Option<i128> {
    let mut stack: Vec<Option<i128>> = Vec::new();
    let mut flip = || {
        let bit = draws & 1;
        draws >>= 1;
        Some(i128::from(bit))
    };
    for op in expr.ops() {
        let operands = stack.split_off(stack.len() - op.arity());
        stack.push(match (op, &operands[..]) {
            (Op::Bool(value), _) => Some(i128::from(*value)),
            (Op::Number(value), _) => Some(i128::from(*value)),
            (Op::Any, _) => flip(),
            (Op::Read(var, time), _) => read(spds, before, after, *var, *time, None),
            (Op::Cell(var, time), [index]) => {
                index.and_then(|index| read(spds, before, after, *var, *time, Some(index)))
            }
            (Op::Unary(_), [a]) => a.map(|a| 1 - a),
            (Op::Binary(op), [a, b]) => binary(*op, *a, *b),
            (Op::Ite, [c, a, b]) => c.and_then(|c| if c == 1 { *a } else { *b }),
            (Op::Choose, [a, b]) => match (flip(), *a, *b) {
                (_, Some(1), _) => Some(1),
                (_, Some(0), Some(1)) => Some(0),
                (free, Some(0), Some(0)) => free,
                (_, Some(0), None) => Some(0),
                _ => None,
            },
            _ => unreachable!(),
        });
    }
    stack.pop().unwrap()
}

fn read(
    spds: &Spds,
    before: &State,
    after: Option<&After<'_>>,
    var: Var,
    time: Time,
    index: Option<i128>,
) -> Option<i128> {
    let (list, variables, number) = match (var, time) {
        (Var::Global(number), Time::Before) => (&before.globals[..], &spds.globals[..], number),
        (Var::Local(number), Time::Before) => (&before.locals[..], spds.locals(before.symbol), number),
        (Var::Global(number), Time::Saved) => (after?.saved_globals, &spds.globals[..], number),
        (Var::Global(number), _) => (after?.globals, &spds.globals[..], number),
        (Var::Local(number), Time::After) => (after?.locals, spds.locals(after?.top?), number),
        (Var::Local(number), Time::Saved) => (after?.saved, spds.locals(after?.site?), number),
    };
    let place = match (index, variables[number as usize].ty.range) {
        (Some(index), Some((first, last))) if index >= i128::from(first) && index <= i128::from(last) => {
            (index - i128::from(first)) as usize
        }
        (Some(_), _) => return None,
        (None, _) => 0,
    };
    Some(i128::from(list[offset(variables, number) + place]))
}

fn binary(op: Binary, a: Option<i128>, b: Option<i128>) -> Option<i128> {
    match (op, a, b) {
        (Binary::And, Some(0), _) | (Binary::And, _, Some(0)) => return Some(0),
        (Binary::Or, Some(1), _) | (Binary::Or, _, Some(1)) => return Some(1),
        (Binary::Implies, Some(0), _) | (Binary::Implies, _, Some(1)) => return Some(1),
        _ => {}
    }
    let (a, b) = (a?, b?);
    let truth = |value: bool| Some(i128::from(value));
    match op {
        Binary::And => truth(a == 1 && b == 1),
        Binary::Or => truth(a == 1 || b == 1),
        Binary::Implies => truth(a == 0 || b == 1),
        Binary::Xor | Binary::Ne => truth(a != b),
        Binary::Iff | Binary::Eq => truth(a == b),
        Binary::Lt => truth(a < b),
        Binary::Le => truth(a <= b),
        Binary::Gt => truth(a > b),
        Binary::Ge => truth(a >= b),
        Binary::Add => Some(a + b),
        Binary::Sub => Some(a - b),
        Binary::Mul => Some(a * b),
        Binary::Div => a.checked_div(b),
        Binary::Rem => a.checked_rem(b),
        Binary::Shl => (0..=64).contains(&b).then(|| a << b),
        Binary::Shr => (b >= 0).then(|| a >> b.min(127)),
        Binary::BitAnd => (a >= 0 && b >= 0).then_some(a & b),
        Binary::BitOr => (a >= 0 && b >= 0).then_some(a | b),
        Binary::BitXor => (a >= 0 && b >= 0).then_some(a ^ b),
    }
}

fn offset(variables: &[Variable], number: u32) -> usize {
    variables[..number as usize].iter().map(|variable| variable.ty.cells() as usize).sum()
}

fn all_values(scalar: Scalar) -> Vec<u64> {
    (0..1u64 << scalar.bits()).collect()
}

/// The values of each cell of the variables.
pub fn domains(variables: &[Variable]) -> Vec<Vec<u64>> {
    variables.iter().flat_map(|variable| vec![all_values(variable.ty.scalar); variable.ty.cells() as usize]).collect()
}

/// All ways to take one value of each list.
pub fn product(lists: &[Vec<u64>]) -> Vec<Vec<u64>> {
    let mut all = vec![Vec::new()];
    for list in lists {
        all = all.iter().flat_map(|values| list.iter().map(|v| [&values[..], &[*v]].concat())).collect();
    }
    all
}
