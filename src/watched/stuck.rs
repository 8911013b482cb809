//! Where a run may be blocked, as a condition: nowhere too little of it. It says more than is so where one return site below may refuse
//! what another one, or the same with other values, would not, and where values are too many to be tried.

use std::collections::{BTreeMap, BTreeSet};

use spds_format::expr::{Binary, Expr, Op, Time};
use spds_format::model::{ControlId, Head, Rule, Scalar, Stack, SymbolId, Type, Update, Var};
use spds_format::{RulesByHead, Spds};

use super::denied::denied;
use super::types;

/// Values of more bits are not tried one by one, and larger conditions are not written out.
const BITS: u32 = 8;
const LARGEST: usize = 1 << 13;

/// Where runs may be blocked.
pub(super) struct Blocked {
    /// The heads, each with a condition without which no run is blocked there.
    pub heads: Vec<(Head, Option<Expr>)>,
    /// Whether all runs are that come to one of them with its condition.
    pub is_exact: bool,
}

/// Where runs of a system may be blocked.
pub(super) fn blocked(spds: &Spds) -> Blocked {
    let hidden: BTreeSet<Head> = spds.rules.iter().filter(|rule| rule.silent).map(|rule| rule.from).collect();
    let below = below(spds);
    let mut steps = Steps { spds, rules: RulesByHead::new(spds), hidden, onward: BTreeMap::new(), below };
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
                let Some((refused, is_clear)) = steps.refused(rule) else {
                    is_exact = false;
                    continue;
                };
                is_exact &= is_clear;
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

/// What may lie below a symbol that may be come to; nothing at the bottom of the stack.
fn below(spds: &Spds) -> BTreeMap<SymbolId, BTreeSet<Option<SymbolId>>> {
    let met = met(spds);
    let mut below: BTreeMap<SymbolId, BTreeSet<Option<SymbolId>>> = BTreeMap::new();
    let mut follow: BTreeMap<SymbolId, BTreeSet<SymbolId>> = BTreeMap::new();
    for (place, symbol) in spds.start.stack.iter().enumerate() {
        below.entry(*symbol).or_default().insert(spds.start.stack.get(place + 1).copied());
    }
    for rule in spds.rules.iter().filter(|rule| met.contains(&rule.from.symbol)) {
        if let Stack::Push(entry, site) = rule.stack {
            below.entry(entry).or_default().insert(Some(site));
        }
        if let Stack::Swap(next) | Stack::Push(_, next) = rule.stack {
            follow.entry(rule.from.symbol).or_default().insert(next);
        }
    }
    let mut waiting: Vec<SymbolId> = below.keys().copied().collect();
    while let Some(symbol) = waiting.pop() {
        let own = below.get(&symbol).cloned().unwrap_or_default();
        for next in follow.get(&symbol).into_iter().flatten() {
            let known = below.entry(*next).or_default();
            let before = known.len();
            known.extend(own.iter().copied());
            if known.len() > before {
                waiting.push(*next);
            }
        }
    }
    below
}

/// The symbols that a run may come to, or leave below, as far as rules tell.
fn met(spds: &Spds) -> BTreeSet<SymbolId> {
    let mut met: BTreeSet<SymbolId> = spds.start.stack.iter().copied().collect();
    let mut waiting: Vec<SymbolId> = met.iter().copied().collect();
    while let Some(symbol) = waiting.pop() {
        let leads = spds.rules.iter().filter(|rule| rule.from.symbol == symbol).flat_map(|rule| match rule.stack {
            Stack::Pop => Vec::new(),
            Stack::Swap(next) => vec![next],
            Stack::Push(entry, site) => vec![entry, site],
        });
        waiting.extend(leads.filter(|next| met.insert(*next)));
    }
    met
}

/// What is known of the steps of a system. Where something is asked for that cannot be said, there is nothing.
struct Steps<'a> {
    spds: &'a Spds,
    rules: RulesByHead,
    hidden: BTreeSet<Head>,
    /// Where silent rules lead on from a hidden head to one that is not hidden.
    onward: BTreeMap<Head, Option<Expr>>,
    below: BTreeMap<SymbolId, BTreeSet<Option<SymbolId>>>,
}

impl Steps<'_> {
    fn rules_of(&self, head: Head) -> Vec<usize> {
        self.rules.of(head).collect()
    }

    /// Where a rule cannot be taken, something lying below that may; and whether anything else that may would refuse it, too.
    fn refused(&mut self, number: usize) -> Option<(Expr, bool)> {
        let rule = &self.spds.rules[number];
        let ty = types(self.spds, rule.from.symbol);
        let mut all: Vec<Expr> = Vec::new();
        let demanded = self.demanded(rule)?;
        let is_clear = demanded.len() <= 1;
        for demanded in demanded {
            let possible = self.possible(rule, &demanded)?;
            if !is_true(&possible) {
                let refused = denied(&possible, &ty)?;
                if !all.contains(&refused) {
                    all.push(refused);
                }
            }
        }
        Some((all.into_iter().reduce(|a, b| or(&a, &b)).unwrap_or_else(|| Expr::constant(false)), is_clear))
    }

    /// What has to be so of the configuration to which a rule leads, over values before its own steps: of a return, for each
    /// frame that may be below.
    fn demanded(&mut self, rule: &Rule) -> Option<Vec<Expr>> {
        let (Stack::Swap(symbol) | Stack::Push(symbol, _)) = rule.stack else {
            let mut all = Vec::new();
            for site in self.below.get(&rule.from.symbol).cloned().unwrap_or_else(|| BTreeSet::from([None])) {
                let Some(site) = site else {
                    all.push(Expr::constant(true));
                    continue;
                };
                let allowed = self.allowed(Head { control: rule.to, symbol: site })?;
                let locals = allowed.reads().map(|(var, _)| var).filter(|var| matches!(var, Var::Local(_)));
                let locals: BTreeSet<(Var, Time)> = locals.map(|var| (var, Time::Before)).collect();
                for values in
                    self.valuations(&locals, &|var, _| Some(self.spds.variable(self.spds.symbol(site).frame, var)?.ty))?
                {
                    let demanded = instance(&allowed, &|var, time| values.get(&(var, time)).copied())?;
                    if !all.contains(&demanded) {
                        all.push(demanded);
                    }
                }
            }
            return Some(all);
        };
        Some(vec![self.allowed(Head { control: rule.to, symbol })?])
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
        (any.ops().len() <= LARGEST).then_some(any)
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
            Var::Local(_) => matches!(rule.stack, Stack::Swap(_)) && frames[0] == frames[1],
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
            any = (more.ops().len() <= LARGEST).then_some(more);
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
    (all.ops().len() <= LARGEST).then_some(all)
}

fn or(a: &Expr, b: &Expr) -> Expr {
    a.binary(Binary::Or, b)
}
