//! Rules for U and W.

use super::super::formula::{Formula, Formulas, Op, Traits};
use super::{Rewriter, has_both, part, without};

impl Rewriter {
    pub(super) fn until(&mut self, f: &mut Formulas, a: Formula, b: Formula) -> Option<Formula> {
        if self.basic() {
            // X a U X b = X (a U b);  a U G a = G a;  a U (a & b) = b M a
            if let (Some(a), Some(b)) = (f.under(Op::Next, a), f.under(Op::Next, b)) {
                let inner = f.until(a, b);
                return Some(f.next(inner));
            }
            if f.under(Op::Globally, b) == Some(a) {
                return Some(b);
            }
            if let Some(rest) = without(f, Op::And, b, a) {
                return Some(f.strong_release(rest, a));
            }
            if let Some(result) = self.until_always(f, a, b) {
                return Some(result);
            }
        }
        if self.eventual() {
            // a U e = e;  a U (b | e) = (a U b) | e;  a U (b & q) = (a U b) & q
            if f.has(b, Traits::EVENTUAL) {
                return Some(b);
            }
            if f.op(b) == Op::Or
                && let Some((chosen, rest)) = part(f, b, |f, part| f.has(part, Traits::EVENTUAL))
            {
                let rest = f.or(rest);
                let rest = f.until(a, rest);
                return Some(f.or(chosen.into_iter().chain([rest])));
            }
            if f.op(b) == Op::And
                && let Some((chosen, rest)) = part(f, b, has_both)
            {
                let rest = f.and(rest);
                let rest = f.until(a, rest);
                return Some(f.and(chosen.into_iter().chain([rest])));
            }
            // u U b = b | u & F b
            if f.has(a, Traits::UNIVERSAL) {
                let later = f.finally(b);
                let later = f.and([a, later]);
                return Some(f.or([b, later]));
            }
        }
        if self.implication() { self.until_implied(f, a, b) } else { None }
    }

    /// The rules that need one part to imply another.
    fn until_implied(&mut self, f: &mut Formulas, a: Formula, b: Formula) -> Option<Formula> {
        if self.implies(f, a, b) {
            return Some(b);
        }
        // F b, if b holds wherever a does not
        if self.exhaust(f, a, b) {
            return Some(f.finally(b));
        }
        // a U (c U d): c U d if a implies c; a U d if c implies a
        if let Some((c, d)) = f.pair(Op::Until, b) {
            if self.implies(f, a, c) {
                return Some(b);
            }
            if self.implies(f, c, a) {
                return Some(f.until(a, d));
            }
        }
        if let Some((c, _)) = f.pair(Op::WeakUntil, b)
            && self.implies(f, a, c)
        {
            return Some(b);
        }
        // (c U d) U b = (c U d) | b, if d implies b
        if let Some((_, d)) = f.pair(Op::Until, a)
            && self.implies(f, d, b)
        {
            return Some(f.or([a, b]));
        }
        if let Some(a) = self.needed_before(f, a, b) {
            return Some(f.until(a, b));
        }
        None
    }

    /// `a U (b | G a)` and `a W (b | G a)` are `a W b`, whatever the rules have made of `G a`.
    fn until_always(&mut self, f: &mut Formulas, a: Formula, b: Formula) -> Option<Formula> {
        if f.op(b) != Op::Or {
            return None;
        }
        let always = self.each_time(f, Op::Globally, a);
        let rest = without(f, Op::Or, b, always)?;
        Some(f.weak_until(a, rest))
    }

    /// The left side of `a U b` or `a W b` without parts that make no difference as long as `b` does not hold.
    pub(super) fn needed_before(&mut self, f: &mut Formulas, a: Formula, b: Formula) -> Option<Formula> {
        let parts = f.shared_operands(a);
        let kept: Vec<Formula> = match f.op(a) {
            Op::And => parts.iter().copied().filter(|part| !self.exhaust(f, *part, b)).collect(),
            Op::Or => parts.iter().copied().filter(|part| !self.implies(f, *part, b)).collect(),
            _ => return None,
        };
        (kept.len() < parts.len()).then(|| f.like_list(a, kept))
    }

    /// The left side of `a R b` or `a M b` without parts that make no difference where `b` holds.
    pub(super) fn needed_within(&mut self, f: &mut Formulas, a: Formula, b: Formula) -> Option<Formula> {
        let parts = f.shared_operands(a);
        let kept: Vec<Formula> = match f.op(a) {
            Op::And => parts.iter().copied().filter(|part| !self.implies(f, b, *part)).collect(),
            Op::Or => parts.iter().copied().filter(|part| !self.exclude(f, *part, b)).collect(),
            _ => return None,
        };
        (kept.len() < parts.len()).then(|| f.like_list(a, kept))
    }

    pub(super) fn weak_until(&mut self, f: &mut Formulas, a: Formula, b: Formula) -> Option<Formula> {
        if self.basic() {
            // X a W X b = X (a W b);  a W G a = G a;  a W (a & b) = b R a
            if let (Some(a), Some(b)) = (f.under(Op::Next, a), f.under(Op::Next, b)) {
                let inner = f.weak_until(a, b);
                return Some(f.next(inner));
            }
            if f.under(Op::Globally, b) == Some(a) {
                return Some(b);
            }
            if let Some(rest) = without(f, Op::And, b, a) {
                return Some(f.release(rest, a));
            }
            if let Some(result) = self.until_always(f, a, b) {
                return Some(result);
            }
        }
        if self.eventual() {
            // u W b = u | b;  a W e = G a | e;  a W (b | e) = (a W b) | e
            if f.has(a, Traits::UNIVERSAL) {
                return Some(f.or([a, b]));
            }
            if f.has(b, Traits::EVENTUAL) {
                let always = f.globally(a);
                return Some(f.or([always, b]));
            }
            if f.op(b) == Op::Or
                && let Some((chosen, rest)) = part(f, b, |f, part| f.has(part, Traits::EVENTUAL))
            {
                let rest = f.or(rest);
                let rest = f.weak_until(a, rest);
                return Some(f.or(chosen.into_iter().chain([rest])));
            }
        }
        if self.implication() {
            if self.implies(f, a, b) {
                return Some(b);
            }
            if self.exhaust(f, a, b) {
                return Some(Formula::TRUE);
            }
            // a W (c W d): c W d if a implies c; a W (c U d), a W (c W d): a W d if c implies a
            if let Some((c, _)) = f.pair(Op::WeakUntil, b)
                && self.implies(f, a, c)
            {
                return Some(b);
            }
            if let Some((c, d)) = f.pair(Op::WeakUntil, b).or_else(|| f.pair(Op::Until, b))
                && self.implies(f, c, a)
            {
                return Some(f.weak_until(a, d));
            }
            if let Some(a) = self.needed_before(f, a, b) {
                return Some(f.weak_until(a, b));
            }
        }
        None
    }
}
