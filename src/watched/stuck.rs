//! Where a run may be blocked, as a condition: nowhere too little of it. It says more than is so where relations, invariants or
//! silent rules decide what a rule can do.

use std::collections::BTreeSet;

use spds_format::expr::{Binary, Expr, Op};
use spds_format::model::{ControlId, Head, Rule, Scalar, Stack, SymbolId, Update};
use spds_format::{RulesByHead, Spds};

use super::denied::{denied, undefined};
use super::types;

/// The heads at which a run may be blocked, each with a condition without which it is not.
pub(super) fn blocked(spds: &Spds) -> Vec<(Head, Option<Expr>)> {
    let rules = RulesByHead::new(spds);
    let hidden: BTreeSet<Head> = spds.rules.iter().filter(|rule| rule.silent).map(|rule| rule.from).collect();
    let returns = refuses_returns(spds, &hidden);
    let mut all = Vec::new();
    for control in (0..spds.controls.len() as u32).map(ControlId) {
        for symbol in (0..spds.symbols.len() as u32).map(SymbolId) {
            let head = Head { control, symbol };
            if hidden.contains(&head) {
                continue;
            }
            let mut guard: Option<Expr> = None;
            let mut may = true;
            for rule in rules.of(head).map(|rule| &spds.rules[rule]) {
                let Some(refused) = refused(spds, rule, &hidden, returns) else { continue };
                may &= refused.ops() != [Op::Bool(false)];
                guard = Some(guard.map_or_else(|| refused.clone(), |guard| guard.and(&refused)));
            }
            if may {
                all.push((head, guard));
            }
        }
    }
    all
}

/// Whether a return may be refused where it leads.
fn refuses_returns(spds: &Spds, hidden: &BTreeSet<Head>) -> bool {
    let sites = spds.rules.iter().filter_map(|rule| match rule.stack {
        Stack::Push(_, site) => Some(site),
        _ => None,
    });
    let mut sites = sites.chain(spds.start.stack.iter().skip(1).copied());
    sites.any(|site| spds.symbol(site).invariant.is_some() || hidden.iter().any(|head| head.symbol == site))
}

/// Where a rule cannot be taken; nothing if that is not known.
fn refused(spds: &Spds, rule: &Rule, hidden: &BTreeSet<Head>, returns: bool) -> Option<Expr> {
    let refuses = match rule.stack {
        Stack::Pop => returns,
        Stack::Swap(symbol) | Stack::Push(symbol, _) => {
            spds.symbol(symbol).invariant.is_some() || hidden.contains(&Head { control: rule.to, symbol })
        }
    };
    let twice =
        |one: &Update| rule.updates.iter().filter(|other| (other.var, other.time) == (one.var, one.time)).count() > 1;
    if refuses || rule.with.is_some() || rule.updates.iter().any(twice) {
        return None;
    }
    let ty = types(spds, rule.from.symbol);
    let mut all = Vec::new();
    if let Some(guard) = &rule.guard {
        all.push(denied(guard, &ty)?);
    }
    for update in rule.updates.iter() {
        let frame = spds.frames_of(rule)[update.time as usize];
        let stored = spds.variable(frame, update.var)?.ty;
        if let Some(index) = &update.index {
            let (first, last) = stored.range?;
            let below = index.binary(Binary::Lt, &Expr::number(first.into()));
            let above = index.binary(Binary::Gt, &Expr::number(last.into()));
            all.extend([undefined(index, &ty)?, below, above]);
        }
        let value = &update.value;
        match stored.scalar {
            _ if value.ops() == [Op::Any] => {}
            Scalar::Bool => all.push(undefined(value, &ty)?),
            Scalar::Unsigned(bits) => {
                let most = Expr::number(u64::MAX >> (64 - u32::from(bits)));
                let negative = value.binary(Binary::Lt, &Expr::number(0));
                all.extend([undefined(value, &ty)?, negative, value.binary(Binary::Gt, &most)]);
            }
        }
    }
    all.retain(|one| one.ops() != [Op::Bool(false)]);
    let joined = all.into_iter().reduce(|a, b| a.binary(Binary::Or, &b));
    Some(joined.unwrap_or_else(|| Expr::constant(false)))
}
