//! Rewriting of formulas in negative normal form into equivalent ones that are easier to translate.
//!
//! Sources of the rules: Etessami and Holzmann, *Optimizing Büchi automata* (CONCUR 2000); Somenzi and Bloem, *Efficient
//! Büchi automata from LTL formulae* (CAV 2000); Babiak, Křetínský, Řehák and Strejček, *LTL to Büchi automata
//! translation: fast and more deterministic* (TACAS 2012). Every rule is held against an evaluator in the tests.

mod release;

mod unary;

mod until;

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

/// Which parts of disjunctions are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Joining {
    /// `F a | F u` becomes `F (a | u)`.
    Eventualities,
    /// So do `F a | G F b`, which becomes `F (a | G F b)`, and `G F a | F G b`, which becomes `G F (a | G b)`.
    Fairness,
}

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

    /// Puts together what the rules keep apart, so that a tableau need not decide at once which of them it will be.
    pub(super) fn joined(&self, f: &mut Formulas, formula: Formula, joining: Joining) -> Formula {
        if !self.eventual() {
            return formula;
        }
        let mut results: FxHashMap<Formula, Formula> = FxHashMap::default();
        for here in f.below(formula) {
            let operands: Vec<Formula> = f.operands(here).iter().map(|operand| results[operand]).collect();
            let result = f.like(f.op(here), &operands);
            let result = if f.op(result) == Op::Or { join(f, result, joining) } else { result };
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

    /// Where a part with "always" and one with "sometime" are about the first time that something holds:
    /// `G a | F (b & e)` is `a W (b & e)` if `a | b`, for then `a` holds up to the first `b`, at which `e` is no harder to
    /// satisfy than later; and `F a & G (b | u)` is `a M (b | u)` unless `a & b`.
    fn first_of_many(&mut self, f: &mut Formulas, op: Op, list: &[Formula]) -> Option<Formula> {
        let (always, sometime, inner, lasting) = match op {
            Op::And => (Op::Finally, Op::Globally, Op::Or, Traits::UNIVERSAL),
            _ => (Op::Globally, Op::Finally, Op::And, Traits::EVENTUAL),
        };
        for (index, here) in list.iter().enumerate() {
            let Some(after) = f.under(sometime, *here).filter(|after| f.op(*after) == inner) else { continue };
            let Some((_, now)) = part(f, after, |f, part| f.has(part, lasting)) else { continue };
            let now = if op == Op::And { f.or(now) } else { f.and(now) };
            for (other, there) in list.iter().enumerate() {
                let Some(until) = f.under(always, *there) else { continue };
                if op == Op::And && self.exclude(f, until, now) || op == Op::Or && self.exhaust(f, until, now) {
                    let joined =
                        if op == Op::And { f.strong_release(until, after) } else { f.weak_until(until, after) };
                    let rest =
                        list.iter().enumerate().filter(|(i, _)| *i != index && *i != other).map(|(_, part)| *part);
                    let parts: Vec<Formula> = rest.chain([joined]).collect();
                    return Some(f.like(op, &parts));
                }
            }
        }
        None
    }

    /// `G a` or `F a` as the rules write it, if they have nothing to say about `a`.
    fn each_time(&mut self, f: &mut Formulas, op: Op, a: Formula) -> Formula {
        let (mut inner, mut nexts) = (a, 0);
        while let Some(next) = f.under(Op::Next, inner) {
            (inner, nexts) = (next, nexts + 1);
        }
        let plain = f.like(op, &[inner]);
        let ruled = match f.under(op, plain) {
            Some(inner) if op == Op::Globally => self.globally(f, inner),
            Some(inner) => self.finally(f, inner),
            None => None,
        };
        (0..nexts).fold(ruled.unwrap_or(plain), |formula, _| f.next(formula))
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
        if let Some(first) = self.first_of_many(f, op, list) {
            return Some(first);
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

/// What [`Rewriter::joined`] says, for one disjunction.
fn join(f: &mut Formulas, formula: Formula, joining: Joining) -> Formula {
    let (mut recurring, mut stable, mut once, mut rest) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for part in f.shared_operands(formula).iter().copied() {
        let often = f.under(Op::Globally, part).and_then(|inner| f.under(Op::Finally, inner));
        if let Some(inner) = often.filter(|_| joining == Joining::Fairness) {
            recurring.push(inner);
        } else if let Some(inner) = f.under(Op::Finally, part) {
            if f.op(inner) == Op::Globally { stable.push(inner) } else { once.push(inner) }
        } else {
            rest.push(part);
        }
    }
    if recurring.is_empty() {
        once.append(&mut stable);
    } else {
        let inner = f.or(recurring.into_iter().chain(stable));
        let inner = f.finally(inner);
        let often = f.globally(inner);
        if once.is_empty() { rest.push(often) } else { once.push(often) }
    }
    let inner = f.or(once);
    let once = f.finally(inner);
    f.or(rest.into_iter().chain([once]))
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

/// The conjunction (or disjunction) `whole` without the parts of `some`, if those are among its own and not all.
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
