//! Where a run may be blocked, as a condition: nowhere too little of it. It says more than is so where values are too many to be tried, and
//! where cells of local arrays tell whether a return is refused.

use std::collections::{BTreeMap, BTreeSet};

use spds_format::expr::{Binary, Expr, Op, Time};
use spds_format::model::{ControlId, Head, Rule, Scalar, Stack, SymbolId, Type, Update, Var};
use spds_format::{RulesByHead, Spds};

use super::below::Knowing;
use super::denied::denied;
use super::types;

/// Values of more bits are not tried one by one, and larger conditions are not written out.
const BITS: u32 = 8;
const MAX_CONDITION_OPERATIONS: usize = 1 << 13;

/// Where runs may be blocked.
pub(super) struct Blocked {
    /// The heads, each with a condition without which no run is blocked there.
    pub heads: Vec<(Head, Option<Expr>)>,
    /// Whether all runs are that come to one of them with its condition.
    pub is_exact: bool,
}

/// Where runs of a system may be blocked, over what its frames know of those below them.
pub(super) fn blocked(spds: &Spds, knowing: &Knowing) -> Blocked {
    let hidden: BTreeSet<Head> = spds.rules.iter().filter(|rule| rule.silent).map(|rule| rule.from).collect();
    let mut steps = Steps { spds, knowing, rules: RulesByHead::new(spds), hidden, onward: BTreeMap::new() };
    let (mut heads, mut is_exact) = (Vec::new(), true);
    for control in (0..spds.controls.len() as u32).map(ControlId) {
        for symbol in (0..spds.symbols.len() as u32).map(SymbolId) {
            let head = Head { control, symbol };
            if steps.hidden.contains(&head) {
                continue;
            }
            let mut guard: Option<Expr> = None;
            let mut may = true;
            for rule in steps.rules_of(head) {
                let Some(refused) = steps.refused(rule) else {
                    is_exact = false;
                    continue;
                };
                may &= refused.ops() != [Op::Bool(false)];
                guard = Some(guard.map_or_else(|| refused.clone(), |guard| guard.and(&refused)));
            }
            if may {
                heads.push((head, guard));
            }
        }
    }
    Blocked { heads, is_exact }
}

/// What is known of the steps of a system. Where something is asked for that cannot be said, there is nothing.
struct Steps<'a> {
    spds: &'a Spds,
    rules: RulesByHead,
    hidden: BTreeSet<Head>,
    /// Where silent rules lead on from a hidden head to one that is not hidden.
    onward: BTreeMap<Head, Option<Expr>>,
    knowing: &'a Knowing,
}

impl Steps<'_> {
    fn rules_of(&self, head: Head) -> Vec<usize> {
        self.rules.of(head).collect()
    }

    /// Where a rule cannot be taken.
    fn refused(&mut self, number: usize) -> Option<Expr> {
        let rule = &self.spds.rules[number];
        let possible = self.demanded(rule).and_then(|demanded| self.possible(rule, &demanded))?;
        if is_true(&possible) {
            return Some(Expr::constant(false));
        }
        denied(&possible, &types(&self.knowing.spds, rule.from.symbol))
    }

    /// What has to be so of the configuration to which a rule leads, over its values: for a return, over its globals and what the frame that
    /// returns knows.
    fn demanded(&mut self, rule: &Rule) -> Option<Expr> {
        match rule.stack {
            Stack::Swap(symbol) | Stack::Push(symbol, _) => self.allowed(Head { control: rule.to, symbol }),
            Stack::Pop => {
                let knowing = self.knowing;
                knowing.returns(rule.from.symbol, |symbol| self.allowed(Head { control: rule.to, symbol }))
            }
        }
    }

    /// Where a configuration with a head may be come to: its invariant is true, and there is a way out of it if it is hidden.
    fn allowed(&mut self, head: Head) -> Option<Expr> {
        let invariant = self.spds.symbol(head.symbol).invariant.clone();
        let invariant = invariant.unwrap_or_else(|| Expr::constant(true));
        if !self.hidden.contains(&head) {
            return Some(invariant);
        }
        if !self.onward.contains_key(&head) {
            // Silent rules lead round in no circle.
            let onward = self.onward(head);
            self.onward.insert(head, onward);
        }
        both(&invariant, self.onward[&head].as_ref()?)
    }

    fn onward(&mut self, head: Head) -> Option<Expr> {
        let mut any = Expr::constant(false);
        for number in self.rules_of(head) {
            let rule = &self.spds.rules[number];
            let Stack::Swap(symbol) = rule.stack else { return None };
            let demanded = self.allowed(Head { control: rule.to, symbol })?;
            let possible = self.possible(rule, &demanded)?;
            if is_true(&possible) {
                return Some(possible);
            }
            any = if any.ops() == [Op::Bool(false)] { possible } else { or(&any, &possible) };
        }
        (any.ops().len() <= MAX_CONDITION_OPERATIONS).then_some(any)
    }

    /// Where a rule can be taken so that what is demanded is so then, which is said over values `Before`: these are the values after the rule.
    fn possible(&self, rule: &Rule, demanded: &Expr) -> Option<Expr> {
        let frames = self.spds.frames_of(rule);
        let variable = |var: Var, time: Time| Some(self.spds.variable(frames[time as usize], var)?.ty);
        let updates = |var: Var, time: Time| rule.updates.iter().filter(move |up| (up.var, up.time) == (var, time));
        let related: BTreeSet<(Var, Time)> =
            rule.with.iter().flat_map(Expr::reads).filter(|(_, time)| *time != Time::Before).collect();
        let keeps = |var: Var| match var {
            Var::Global(_) => true,
            Var::Local(_) => match rule.stack {
                Stack::Swap(_) => frames[0] == frames[1],
                Stack::Push(..) => false,
                // What is known of the frame below.
                Stack::Pop => true,
            },
        };
        let is_kept = |var: Var| {
            keeps(var) && !related.contains(&(var, Time::After)) && updates(var, Time::After).next().is_none()
        };
        let mut tried = related.clone();
        tried.extend(demanded.reads().map(|(var, _)| (var, Time::After)).filter(|(var, _)| !is_kept(*var)));
        let twice = rule.updates.iter().enumerate().filter(|(number, update)| {
            let others = rule.updates.iter().enumerate().filter(|(other, _)| other != number);
            { others }.any(|(_, other)| meet(update, other))
        });
        let twice: Vec<(Var, Time)> = twice.map(|(_, update)| (update.var, update.time)).collect();
        tried.extend(twice);
        let mut all = rule.guard.clone().unwrap_or_else(|| Expr::constant(true));
        for update in rule.updates.iter().filter(|update| !tried.contains(&(update.var, update.time))) {
            all = both(&all, &fits(update, variable(update.var, update.time)?)?)?;
        }
        let mut any: Option<Expr> = None;
        for values in self.valuations(&tried, &variable)? {
            let mut so = Expr::constant(true);
            if let Some(with) = &rule.with {
                so = both(&so, &instance(with, &|var, time| values.get(&(var, time)).copied())?)?;
            }
            let then = instance(demanded, &|var, _| values.get(&(var, Time::After)).copied())?;
            so = both(&so, &then)?;
            for ((var, time), value) in &values {
                for update in updates(*var, *time).filter(|update| update.value.ops() != [Op::Any]) {
                    so = both(&so, &is(&update.value, *value))?;
                }
            }
            if is_true(&so) {
                any = Some(so);
                break;
            }
            let more = any.map_or_else(|| so.clone(), |any| or(&any, &so));
            any = (more.ops().len() <= MAX_CONDITION_OPERATIONS).then_some(more);
            any.as_ref()?;
        }
        both(&all, &any?)
    }

    /// All values of these variables, if they are few and no arrays.
    fn valuations(
        &self,
        variables: &BTreeSet<(Var, Time)>,
        ty: &dyn Fn(Var, Time) -> Option<Type>,
    ) -> Option<Vec<BTreeMap<(Var, Time), Op>>> {
        let mut all = vec![BTreeMap::new()];
        for &(var, time) in variables {
            let ty = ty(var, time)?;
            if ty.range.is_some() || ty.scalar.bits() > BITS || all.len() << ty.scalar.bits() > 1 << BITS {
                return None;
            }
            let values: Vec<Op> = match ty.scalar {
                Scalar::Bool => vec![Op::Bool(false), Op::Bool(true)],
                Scalar::Unsigned(bits) => (0..1u64 << bits).map(Op::Number).collect(),
            };
            let with = |values_of: &BTreeMap<(Var, Time), Op>, value: Op| {
                let mut more = values_of.clone();
                more.insert((var, time), value);
                more
            };
            all = all.iter().flat_map(|one| values.iter().map(|value| with(one, *value)).collect::<Vec<_>>()).collect();
        }
        Some(all)
    }
}

/// An expression with these values; whatever else is read after a step is what it was before. Nothing if an array is among what has a value.
fn instance(expr: &Expr, value: &dyn Fn(Var, Time) -> Option<Op>) -> Option<Expr> {
    let mut ops = Vec::with_capacity(expr.ops().len());
    for op in expr.ops() {
        ops.push(match *op {
            Op::Read(var, time) => value(var, time).unwrap_or(Op::Read(var, Time::Before)),
            Op::Cell(var, time) if value(var, time).is_none() => Op::Cell(var, Time::Before),
            Op::Cell(..) => return None,
            other => other,
        });
    }
    Expr::from_postorder(ops)
}

/// Two assignments may ask for different values of the same variable, or cell. Whatever is assigned `*` may have any.
fn meet(one: &Update, other: &Update) -> bool {
    let cell = |update: &Update| match update.index.as_ref()?.ops() {
        [Op::Number(number)] => Some(*number),
        _ => None,
    };
    let apart = matches!((cell(one), cell(other)), (Some(one), Some(other)) if one != other);
    let binds = |update: &Update| update.value.ops() != [Op::Any];
    (one.var, one.time) == (other.var, other.time) && binds(one) && binds(other) && !apart
}

/// A value is this one.
fn is(value: &Expr, constant: Op) -> Expr {
    match constant {
        Op::Bool(true) => value.clone(),
        Op::Bool(false) => value.not(),
        other => value.binary(Binary::Eq, &Expr::apply(other, &[])),
    }
}

/// An assignment can be made: its index and its value are defined and in range.
fn fits(update: &Update, stored: Type) -> Option<Expr> {
    let mut all = Expr::constant(true);
    if let Some(index) = &update.index {
        let (first, last) = stored.range?;
        let above = index.binary(Binary::Ge, &Expr::number(first.into()));
        all = both(&all, &above.and(&index.binary(Binary::Le, &Expr::number(last.into()))))?;
    }
    let value = &update.value;
    match stored.scalar {
        _ if value.ops() == [Op::Any] => Some(all),
        // True or false: not undefined.
        Scalar::Bool => both(&all, &or(value, &value.not())),
        Scalar::Unsigned(bits) => {
            let most = Expr::number(u64::MAX >> (64 - u32::from(bits)));
            let fits = value.binary(Binary::Ge, &Expr::number(0));
            both(&all, &fits.and(&value.binary(Binary::Le, &most)))
        }
    }
}

fn is_true(expr: &Expr) -> bool {
    expr.ops() == [Op::Bool(true)]
}

/// Both, unless that is too large.
fn both(a: &Expr, b: &Expr) -> Option<Expr> {
    let all = match (is_true(a), is_true(b)) {
        (true, _) => b.clone(),
        (_, true) => a.clone(),
        (false, false) => a.and(b),
    };
    (all.ops().len() <= MAX_CONDITION_OPERATIONS).then_some(all)
}

fn or(a: &Expr, b: &Expr) -> Expr {
    a.binary(Binary::Or, b)
}
