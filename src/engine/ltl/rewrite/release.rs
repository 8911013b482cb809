//! Rules for R and M: those for U and W, turned round.

use super::super::formula::{Formula, Formulas, Op, Traits};
use super::{Rewriter, has_both, part, without};

impl Rewriter {
    pub(super) fn release(&mut self, f: &mut Formulas, a: Formula, b: Formula) -> Option<Formula> {
        if self.basic() {
            // X a R X b = X (a R b);  a R F a = F a;  a R (a | b) = b W a
            if let (Some(a), Some(b)) = (f.under(Op::Next, a), f.under(Op::Next, b)) {
                let inner = f.release(a, b);
                return Some(f.next(inner));
            }
            if f.under(Op::Finally, b) == Some(a) {
                return Some(b);
            }
            if let Some(rest) = without(f, Op::Or, b, a) {
                return Some(f.weak_until(rest, a));
            }
            if let Some(result) = self.release_sometime(f, a, b) {
                return Some(result);
            }
        }
        if self.eventual() {
            // a R u = u;  a R (b & u) = (a R b) & u;  a R (b | q) = (a R b) | q
            if f.has(b, Traits::UNIVERSAL) {
                return Some(b);
            }
            if f.op(b) == Op::And
                && let Some((chosen, rest)) = part(f, b, |f, part| f.has(part, Traits::UNIVERSAL))
            {
                let rest = f.and(rest);
                let rest = f.release(a, rest);
                return Some(f.and(chosen.into_iter().chain([rest])));
            }
            if f.op(b) == Op::Or
                && let Some((chosen, rest)) = part(f, b, has_both)
            {
                let rest = f.or(rest);
                let rest = f.release(a, rest);
                return Some(f.or(chosen.into_iter().chain([rest])));
            }
            // e R b = b & (e | G b)
            if f.has(a, Traits::EVENTUAL) {
                let always = f.globally(b);
                let always = f.or([a, always]);
                return Some(f.and([b, always]));
            }
        }
        if self.implication() { self.release_implied(f, a, b) } else { None }
    }

    /// The rules that need one part to imply another.
    fn release_implied(&mut self, f: &mut Formulas, a: Formula, b: Formula) -> Option<Formula> {
        if self.implies(f, b, a) {
            return Some(b);
        }
        // G b, if a and b exclude each other
        if self.exclude(f, a, b) {
            return Some(f.globally(b));
        }
        // a R (c R d): c R d if c implies a; a R d if a implies c
        if let Some((c, d)) = f.pair(Op::Release, b) {
            if self.implies(f, c, a) {
                return Some(b);
            }
            if self.implies(f, a, c) {
                return Some(f.release(a, d));
            }
        }
        if let Some((c, _)) = f.pair(Op::StrongRelease, b)
            && self.implies(f, c, a)
        {
            return Some(b);
        }
        // (c R d) R b = (c R d) & b, if b implies d
        if let Some((_, d)) = f.pair(Op::Release, a)
            && self.implies(f, b, d)
        {
            return Some(f.and([a, b]));
        }
        if let Some(a) = self.needed_within(f, a, b) {
            return Some(f.release(a, b));
        }
        None
    }

    /// `a R (b & F a)` and `a M (b & F a)` are `a M b`, whatever the rules have made of `F a`.
    fn release_sometime(&mut self, f: &mut Formulas, a: Formula, b: Formula) -> Option<Formula> {
        if f.op(b) != Op::And {
            return None;
        }
        let sometime = self.each_time(f, Op::Finally, a);
        let rest = without(f, Op::And, b, sometime)?;
        Some(f.strong_release(a, rest))
    }

    pub(super) fn strong_release(&mut self, f: &mut Formulas, a: Formula, b: Formula) -> Option<Formula> {
        if self.basic() {
            // X a M X b = X (a M b);  a M F a = F a;  a M (a | b) = b U a
            if let (Some(a), Some(b)) = (f.under(Op::Next, a), f.under(Op::Next, b)) {
                let inner = f.strong_release(a, b);
                return Some(f.next(inner));
            }
            if f.under(Op::Finally, b) == Some(a) {
                return Some(b);
            }
            if let Some(rest) = without(f, Op::Or, b, a) {
                return Some(f.until(rest, a));
            }
            if let Some(result) = self.release_sometime(f, a, b) {
                return Some(result);
            }
        }
        if self.eventual() {
            // e M b = e & b;  a M u = F a & u;  a M (b & u) = (a M b) & u
            if f.has(a, Traits::EVENTUAL) {
                return Some(f.and([a, b]));
            }
            if f.has(b, Traits::UNIVERSAL) {
                let later = f.finally(a);
                return Some(f.and([later, b]));
            }
            if f.op(b) == Op::And
                && let Some((chosen, rest)) = part(f, b, |f, part| f.has(part, Traits::UNIVERSAL))
            {
                let rest = f.and(rest);
                let rest = f.strong_release(a, rest);
                return Some(f.and(chosen.into_iter().chain([rest])));
            }
        }
        if self.implication() {
            if self.implies(f, b, a) {
                return Some(b);
            }
            if self.exclude(f, a, b) {
                return Some(Formula::FALSE);
            }
            // a M (c M d): c M d if c implies a; a M (c R d), a M (c M d): a M d if a implies c
            if let Some((c, _)) = f.pair(Op::StrongRelease, b)
                && self.implies(f, c, a)
            {
                return Some(b);
            }
            if let Some((c, d)) = f.pair(Op::StrongRelease, b).or_else(|| f.pair(Op::Release, b))
                && self.implies(f, a, c)
            {
                return Some(f.strong_release(a, d));
            }
            if let Some(a) = self.needed_within(f, a, b) {
                return Some(f.strong_release(a, b));
            }
        }
        None
    }
}
