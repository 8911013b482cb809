//! Rules for F and G.

use super::super::formula::{Formula, Formulas, Op, Traits};
use super::{Rewriter, has_both, map, part};

impl Rewriter {
    pub(super) fn finally(&mut self, f: &mut Formulas, a: Formula) -> Option<Formula> {
        if self.basic() {
            // F X a = X F a;  F (a U b) = F b;  F (a M b) = F (a & b)
            if let Some(b) = f.under(Op::Next, a) {
                let inner = f.finally(b);
                return Some(f.next(inner));
            }
            if let Some((_, b)) = f.pair(Op::Until, a) {
                return Some(f.finally(b));
            }
            if let Some((b, c)) = f.pair(Op::StrongRelease, a) {
                let inner = f.and([b, c]);
                return Some(f.finally(inner));
            }
            // F (a | F b) = F (a | b), and the same for U
            if f.op(a) == Op::Or {
                let inner =
                    map(f, a, |f, part| f.under(Op::Finally, part).or_else(|| f.pair(Op::Until, part).map(|(_, b)| b)));
                if let Some(inner) = inner {
                    return Some(f.finally(inner));
                }
            }
            // F G (a & X b) = F G (a & b)
            if let Some(b) = f.under(Op::Globally, a)
                && f.op(b) == Op::And
                && let Some(inner) = map(f, b, |f, part| f.under(Op::Next, part))
            {
                let inner = f.globally(inner);
                return Some(f.finally(inner));
            }
        }
        if self.eventual() { finally_eventual(f, a) } else { None }
    }

    pub(super) fn globally(&mut self, f: &mut Formulas, a: Formula) -> Option<Formula> {
        if self.basic() {
            // G X a = X G a;  G (a R b) = G b;  G (a W b) = G (a | b)
            if let Some(b) = f.under(Op::Next, a) {
                let inner = f.globally(b);
                return Some(f.next(inner));
            }
            if let Some((_, b)) = f.pair(Op::Release, a) {
                return Some(f.globally(b));
            }
            if let Some((b, c)) = f.pair(Op::WeakUntil, a) {
                let inner = f.or([b, c]);
                return Some(f.globally(inner));
            }
            // G (a & G b) = G (a & b), and the same for R
            if f.op(a) == Op::And {
                let inner = map(f, a, |f, part| {
                    f.under(Op::Globally, part).or_else(|| f.pair(Op::Release, part).map(|(_, b)| b))
                });
                if let Some(inner) = inner {
                    return Some(f.globally(inner));
                }
            }
            // G F (a | X b) = G F (a | b)
            if let Some(b) = f.under(Op::Finally, a)
                && f.op(b) == Op::Or
                && let Some(inner) = map(f, b, |f, part| f.under(Op::Next, part))
            {
                let inner = f.finally(inner);
                return Some(f.globally(inner));
            }
        }
        if self.eventual() { globally_eventual(f, a) } else { None }
    }
}

/// The rules for F about pure eventualities and purely universal formulas.
fn finally_eventual(f: &mut Formulas, a: Formula) -> Option<Formula> {
    // F e = e;  F (a & q) = F a & q;  F (a | u) = F a | F u;  F G (a | u) = F G a | F u
    if f.has(a, Traits::EVENTUAL) {
        return Some(a);
    }
    if let Some(b) = f.under(Op::Globally, a)
        && f.op(b) == Op::Or
        && let Some((chosen, rest)) = part(f, b, |f, part| f.has(part, Traits::UNIVERSAL))
    {
        let rest = f.or(rest);
        let rest = f.globally(rest);
        let mut parts = vec![f.finally(rest)];
        parts.extend(chosen.into_iter().map(|part| f.finally(part)).collect::<Vec<_>>());
        return Some(f.or(parts));
    }
    if f.op(a) == Op::And
        && let Some((chosen, rest)) = part(f, a, has_both)
    {
        let rest = f.and(rest);
        let rest = f.finally(rest);
        return Some(f.and(chosen.into_iter().chain([rest])));
    }
    if f.op(a) == Op::Or
        && let Some((chosen, rest)) = part(f, a, |f, part| f.has(part, Traits::UNIVERSAL))
    {
        let rest = f.or(rest);
        let mut parts = vec![f.finally(rest)];
        parts.extend(chosen.into_iter().map(|part| f.finally(part)).collect::<Vec<_>>());
        return Some(f.or(parts));
    }
    None
}

/// The rules for G about pure eventualities and purely universal formulas.
fn globally_eventual(f: &mut Formulas, a: Formula) -> Option<Formula> {
    // G u = u;  G (a | q) = G a | q;  G (a & e) = G a & G e;  G F (a & e) = G F a & G e
    if f.has(a, Traits::UNIVERSAL) {
        return Some(a);
    }
    if let Some(b) = f.under(Op::Finally, a)
        && f.op(b) == Op::And
        && let Some((chosen, rest)) = part(f, b, |f, part| f.has(part, Traits::EVENTUAL))
    {
        let rest = f.and(rest);
        let rest = f.finally(rest);
        let mut parts = vec![f.globally(rest)];
        parts.extend(chosen.into_iter().map(|part| f.globally(part)).collect::<Vec<_>>());
        return Some(f.and(parts));
    }
    if f.op(a) == Op::Or
        && let Some((chosen, rest)) = part(f, a, has_both)
    {
        let rest = f.or(rest);
        let rest = f.globally(rest);
        return Some(f.or(chosen.into_iter().chain([rest])));
    }
    if f.op(a) == Op::And
        && let Some((chosen, rest)) = part(f, a, |f, part| f.has(part, Traits::EVENTUAL))
    {
        let rest = f.and(rest);
        let mut parts = vec![f.globally(rest)];
        parts.extend(chosen.into_iter().map(|part| f.globally(part)).collect::<Vec<_>>());
        return Some(f.and(parts));
    }
    None
}
