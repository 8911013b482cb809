//! Rewriting of formulas in negative normal form into equivalent ones that are easier to translate.
//!
//! Sources of the rules: Etessami and Holzmann, *Optimizing Büchi automata* (CONCUR 2000); Somenzi and Bloem, *Efficient
//! Büchi automata from LTL formulae* (CAV 2000); Babiak, Křetínský, Řehák and Strejček, *LTL to Büchi automata
//! translation: fast and more deterministic* (TACAS 2012). Every rule is held against an evaluator in the tests.

use rustc_hash::FxHashMap;

use crate::options::Switch;

use super::formula::{Formula, Formulas, Op, Traits};
use super::implication::Implications;
use super::normal::Normal;

/// Which rules are in use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// Those that look at the shape of a formula alone.
    pub basic: Switch,
    /// Those about pure eventualities and purely universal formulas.
    pub eventual: Switch,
    /// Those that need one part to imply another.
    pub implication: Switch,
}

/// No more rounds than this over one formula: rules that undo each other would go on for ever.
const ROUNDS: usize = 12;

/// Longer conjunctions and disjunctions are not searched for parts that imply each other.
const COMPARED: usize = 64;

/// Rewrites formulas of one arena and remembers.
#[derive(Clone, Debug, Default)]
pub(super) struct Rewriter {
    rules: Rules,
    pub(super) normal: Normal,
    implications: Implications,
    rounds: FxHashMap<Formula, Formula>,
    finished: FxHashMap<Formula, Formula>,
}

const BOTH: [Traits; 2] = [Traits::EVENTUAL, Traits::UNIVERSAL];

impl Rewriter {
    pub(super) fn new(rules: Rules) -> Rewriter {
        Rewriter { rules, ..Rewriter::default() }
    }

    /// An equivalent formula; the argument is in negative normal form.
    pub(super) fn simplify(&mut self, formulas: &mut Formulas, formula: Formula) -> Formula {
        if let Some(finished) = self.finished.get(&formula) {
            return *finished;
        }
        let mut here = formula;
        for _ in 0..ROUNDS {
            let next = self.round(formulas, here);
            if next == here {
                break;
            }
            here = next;
        }
        self.finished.insert(formula, here);
        self.finished.insert(here, here);
        here
    }

    /// Puts together what the rules keep apart: `F a | F u` becomes `F (a | u)`, so that a tableau need not decide which
    /// of the two it will be.
    pub(super) fn joined(&self, f: &mut Formulas, formula: Formula) -> Formula {
        if !self.eventual() {
            return formula;
        }
        let mut results: FxHashMap<Formula, Formula> = FxHashMap::default();
        for here in f.below(formula) {
            let operands: Vec<Formula> = f.operands(here).iter().map(|operand| results[operand]).collect();
            let mut result = f.like(f.op(here), &operands);
            if f.op(result) == Op::Or
                && let Some((chosen, rest)) = part(f, result, |f, part| f.op(part) == Op::Finally)
            {
                let inner: Vec<Formula> = chosen.iter().map(|part| f.operands(*part)[0]).collect();
                let inner = f.or(inner);
                let once = f.finally(inner);
                result = f.or(rest.into_iter().chain([once]));
            } else if f.op(result) == Op::Or && f.operands(result).iter().all(|part| f.op(*part) == Op::Finally) {
                let inner: Vec<Formula> = f.operands(result).iter().map(|part| f.operands(*part)[0]).collect();
                let inner = f.or(inner);
                result = f.finally(inner);
            }
            results.insert(here, result);
        }
        results[&formula]
    }

    /// Rewrites each part once, bottom up.
    fn round(&mut self, formulas: &mut Formulas, formula: Formula) -> Formula {
        for here in formulas.below(formula) {
            if self.rounds.contains_key(&here) {
                continue;
            }
            let operands: Vec<Formula> = formulas.operands(here).iter().map(|operand| self.rounds[operand]).collect();
            let mut result = formulas.like(formulas.op(here), &operands);
            for _ in 0..ROUNDS {
                match self.rule(formulas, result) {
                    Some(next) if next != result => result = next,
                    _ => break,
                }
            }
            self.rounds.insert(here, result);
        }
        self.rounds[&formula]
    }

    /// The result of some rule that applies to the formula itself.
    fn rule(&mut self, f: &mut Formulas, formula: Formula) -> Option<Formula> {
        let operands = f.shared_operands(formula);
        match (f.op(formula), &operands[..]) {
            (Op::Next, [a]) => (self.eventual() && has_both(f, *a)).then_some(*a),
            (Op::Finally, [a]) => self.finally(f, *a),
            (Op::Globally, [a]) => self.globally(f, *a),
            (Op::Until, [a, b]) => self.until(f, *a, *b),
            (Op::Release, [a, b]) => self.release(f, *a, *b),
            (Op::WeakUntil, [a, b]) => self.weak_until(f, *a, *b),
            (Op::StrongRelease, [a, b]) => self.strong_release(f, *a, *b),
            (Op::And | Op::Or, list) => self.list(f, formula, list),
            _ => None,
        }
    }

    fn basic(&self) -> bool {
        self.rules.basic == Switch::On
    }

    fn eventual(&self) -> bool {
        self.rules.eventual == Switch::On
    }

    fn implication(&self) -> bool {
        self.rules.implication == Switch::On
    }

    fn implies(&mut self, f: &Formulas, a: Formula, b: Formula) -> bool {
        self.implications.implies(f, a, b)
    }

    fn exclude(&mut self, f: &mut Formulas, a: Formula, b: Formula) -> bool {
        self.implications.exclude(f, &mut self.normal, a, b)
    }

    fn exhaust(&mut self, f: &mut Formulas, a: Formula, b: Formula) -> bool {
        self.implications.exhaust(f, &mut self.normal, a, b)
    }

    fn finally(&mut self, f: &mut Formulas, a: Formula) -> Option<Formula> {
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
        if self.eventual() {
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
                && let Some((chosen, rest)) = part(f, a, |f, part| has_both(f, part))
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
        }
        None
    }

    fn globally(&mut self, f: &mut Formulas, a: Formula) -> Option<Formula> {
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
        if self.eventual() {
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
                && let Some((chosen, rest)) = part(f, a, |f, part| has_both(f, part))
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
        }
        None
    }

    fn until(&mut self, f: &mut Formulas, a: Formula, b: Formula) -> Option<Formula> {
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
                && let Some((chosen, rest)) = part(f, b, |f, part| has_both(f, part))
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
        if self.implication() {
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
        }
        None
    }

    /// The left side of `a U b` or `a W b` without parts that make no difference as long as `b` does not hold.
    fn needed_before(&mut self, f: &mut Formulas, a: Formula, b: Formula) -> Option<Formula> {
        let parts = f.shared_operands(a);
        let kept: Vec<Formula> = match f.op(a) {
            Op::And => parts.iter().copied().filter(|part| !self.exhaust(f, *part, b)).collect(),
            Op::Or => parts.iter().copied().filter(|part| !self.implies(f, *part, b)).collect(),
            _ => return None,
        };
        (kept.len() < parts.len()).then(|| f.like_list(a, kept))
    }

    /// The left side of `a R b` or `a M b` without parts that make no difference where `b` holds.
    fn needed_within(&mut self, f: &mut Formulas, a: Formula, b: Formula) -> Option<Formula> {
        let parts = f.shared_operands(a);
        let kept: Vec<Formula> = match f.op(a) {
            Op::And => parts.iter().copied().filter(|part| !self.implies(f, b, *part)).collect(),
            Op::Or => parts.iter().copied().filter(|part| !self.exclude(f, *part, b)).collect(),
            _ => return None,
        };
        (kept.len() < parts.len()).then(|| f.like_list(a, kept))
    }

    fn release(&mut self, f: &mut Formulas, a: Formula, b: Formula) -> Option<Formula> {
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
                && let Some((chosen, rest)) = part(f, b, |f, part| has_both(f, part))
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
        if self.implication() {
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
        }
        None
    }

    fn weak_until(&mut self, f: &mut Formulas, a: Formula, b: Formula) -> Option<Formula> {
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

    fn strong_release(&mut self, f: &mut Formulas, a: Formula, b: Formula) -> Option<Formula> {
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

    fn list(&mut self, f: &mut Formulas, formula: Formula, list: &[Formula]) -> Option<Formula> {
        let op = f.op(formula);
        if self.basic()
            && let Some(merged) = super::merge::merged(f, op, list)
        {
            return Some(merged);
        }
        if f.has(formula, Traits::BOOLEAN) {
            let letters = self.implications.letters(f, formula);
            if letters == crate::bdd::label::Label::TRUE {
                return Some(Formula::TRUE);
            }
            if letters == crate::bdd::label::Label::FALSE {
                return Some(Formula::FALSE);
            }
        }
        if !self.implication() || list.len() > COMPARED {
            return None;
        }
        let mut kept = list.to_vec();
        let mut here = 0;
        while here < kept.len() {
            let mut redundant = false;
            for other in 0..kept.len() {
                if other == here {
                    continue;
                }
                let (a, b) = (kept[here], kept[other]);
                redundant |= if op == Op::And { self.implies(f, b, a) } else { self.implies(f, a, b) };
                if other > here && op == Op::And && self.exclude(f, a, b) {
                    return Some(Formula::FALSE);
                }
                if other > here && op == Op::Or && self.exhaust(f, a, b) {
                    return Some(Formula::TRUE);
                }
            }
            if redundant {
                kept.remove(here);
            } else {
                here += 1;
            }
        }
        (kept.len() < list.len()).then(|| f.like_list(formula, kept))
    }
}

impl Formulas {
    /// The conjunction or disjunction, as `like` is one, of other parts.
    fn like_list(&mut self, like: Formula, parts: Vec<Formula>) -> Formula {
        if self.op(like) == Op::And { self.and(parts) } else { self.or(parts) }
    }
}

fn has_both(f: &Formulas, formula: Formula) -> bool {
    BOTH.iter().all(|traits| f.has(formula, *traits))
}

/// The list with some of its parts replaced; `None` if none was.
fn map(
    f: &mut Formulas,
    formula: Formula,
    mut replace: impl FnMut(&Formulas, Formula) -> Option<Formula>,
) -> Option<Formula> {
    let mut changed = false;
    let parts = f.shared_operands(formula);
    let parts: Vec<Formula> = parts
        .iter()
        .map(|part| match replace(f, *part) {
            Some(other) => {
                changed = true;
                other
            }
            None => *part,
        })
        .collect();
    changed.then(|| f.like_list(formula, parts))
}

/// The parts that are chosen, and the others; `None` unless there are both.
fn part(
    f: &Formulas,
    formula: Formula,
    choose: impl Fn(&Formulas, Formula) -> bool,
) -> Option<(Vec<Formula>, Vec<Formula>)> {
    let (chosen, rest): (Vec<_>, Vec<_>) = f.operands(formula).iter().partition(|part| choose(f, **part));
    (!chosen.is_empty() && !rest.is_empty()).then_some((chosen, rest))
}

/// The conjunction (or disjunction) `whole` without the parts of `some`, if those are among its own.
fn without(f: &mut Formulas, op: Op, whole: Formula, some: Formula) -> Option<Formula> {
    if f.op(whole) != op {
        return None;
    }
    let all = f.shared_operands(whole);
    let some: Vec<Formula> = if f.op(some) == op { f.operands(some).to_vec() } else { vec![some] };
    if some.len() >= all.len() || !some.iter().all(|part| all.binary_search(part).is_ok()) {
        return None;
    }
    let rest = all.iter().copied().filter(|part| some.binary_search(part).is_err());
    Some(if op == Op::And { f.and(rest) } else { f.or(rest) })
}
