//! Parts of a conjunction or of a disjunction that become one: `G a & G b` is `G (a & b)`.

use std::collections::BTreeMap;

use super::formula::{Formula, Formulas, Op, Traits};

/// Operators in the parts that they play under `&`, or, each replaced by its dual, under `|`. The comments below speak
/// of `&`.
struct Roles {
    /// G
    always: Op,
    /// F
    once: Op,
    /// W and U
    by_right: [Op; 2],
    /// R and M
    by_left: [Op; 2],
    /// What makes G or F be left alone, because it has been taken apart on purpose.
    pure: Traits,
}

const AND: Roles = Roles {
    always: Op::Globally,
    once: Op::Finally,
    by_right: [Op::WeakUntil, Op::Until],
    by_left: [Op::Release, Op::StrongRelease],
    pure: Traits::EVENTUAL,
};

const OR: Roles = Roles {
    always: Op::Finally,
    once: Op::Globally,
    by_right: [Op::StrongRelease, Op::Release],
    by_left: [Op::Until, Op::WeakUntil],
    pure: Traits::UNIVERSAL,
};

/// The list with parts merged that belong together; `None` if there are none.
pub(super) fn merged(f: &mut Formulas, op: Op, list: &[Formula]) -> Option<Formula> {
    let roles = if op == Op::And { AND } else { OR };
    let mut rest: Vec<Formula> = Vec::new();
    let (mut nexts, mut always, mut stable, mut once) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut by_right: BTreeMap<Formula, Vec<Formula>> = BTreeMap::new();
    let mut by_left: BTreeMap<Formula, Vec<Formula>> = BTreeMap::new();
    for &part in list {
        let operands = f.operands(part);
        match f.op(part) {
            Op::Next => nexts.push(operands[0]),
            here if here == roles.always && !f.has(operands[0], roles.pure) => always.push(operands[0]),
            here if here == roles.once && f.op(operands[0]) == roles.always => stable.push(f.operands(operands[0])[0]),
            here if here == roles.once => once.push(operands[0]),
            here if roles.by_right.contains(&here) => by_right.entry(operands[1]).or_default().push(part),
            here if roles.by_left.contains(&here) => by_left.entry(operands[0]).or_default().push(part),
            _ => rest.push(part),
        }
    }
    let mut changed = nexts.len() >= 2 || always.len() >= 2 || stable.len() >= 2;
    // X a & X b = X (a & b)
    if !nexts.is_empty() {
        let inner = f.like(op, &nexts);
        rest.push(f.next(inner));
    }
    // G a & G b = G (a & b)
    if !always.is_empty() {
        let inner = f.like(op, &always);
        rest.push(f.like(roles.always, &[inner]));
    }
    // F G a & F G b = F G (a & b)
    if !stable.is_empty() {
        let inner = f.like(op, &stable);
        let inner = f.like(roles.always, &[inner]);
        rest.push(f.like(roles.once, &[inner]));
    }
    // (a U c) & (b W c) = (a & b) U c;  F c & (a W c) = a U c
    // (a R b) & (a M c) = a M (b & c);  F a & (a R b) = a M b
    for (groups, [weak, strong], shared) in [(by_right, roles.by_right, 1), (by_left, roles.by_left, 0)] {
        for (key, parts) in groups {
            let companion = once.iter().position(|inner| *inner == key);
            if parts.len() == 1 && companion.is_none() {
                rest.extend(parts);
                continue;
            }
            changed = true;
            let is_strong = companion.is_some() || parts.iter().any(|part| f.op(*part) == strong);
            if let Some(index) = companion {
                once.remove(index);
            }
            let others: Vec<Formula> = parts.iter().map(|part| f.operands(*part)[1 - shared]).collect();
            let other = f.like(op, &others);
            let operands = if shared == 1 { [other, key] } else { [key, other] };
            rest.push(f.like(if is_strong { strong } else { weak }, &operands));
        }
    }
    if !changed {
        return None;
    }
    for inner in once {
        rest.push(f.like(roles.once, &[inner]));
    }
    Some(f.like(op, &rest))
}
