//! Negative normal form: negations only in front of propositions; no `->`, `xor`, `<->`.

use rustc_hash::FxHashMap;

use super::formula::{Formula, Formulas, Op};

/// Formulas in negative normal form by the formula and whether it was to be negated.
#[derive(Clone, Debug, Default)]
pub(super) struct Normal {
    known: FxHashMap<(Formula, bool), Formula>,
}

/// How a formula, or its negation, is put together from others, each perhaps negated.
enum Parts {
    Ready(Formula),
    Make(Op, Vec<(Formula, bool)>),
    /// An odd number of them holds, or an even number.
    Parity(Vec<Formula>, bool),
}

impl Normal {
    /// The formula in negative normal form.
    pub(super) fn of(&mut self, formulas: &mut Formulas, formula: Formula) -> Formula {
        self.normal(formulas, formula, false)
    }

    /// Its negation in negative normal form.
    pub(super) fn negation(&mut self, formulas: &mut Formulas, formula: Formula) -> Formula {
        self.normal(formulas, formula, true)
    }

    fn normal(&mut self, formulas: &mut Formulas, formula: Formula, negated: bool) -> Formula {
        let mut open = vec![(formula, negated)];
        while let Some(&(here, negated)) = open.last() {
            if self.known.contains_key(&(here, negated)) {
                open.pop();
                continue;
            }
            let parts = parts(formulas, here, negated);
            let before = open.len();
            match &parts {
                Parts::Ready(_) => {}
                Parts::Make(_, list) => open.extend(list.iter().filter(|part| !self.known.contains_key(part))),
                Parts::Parity(list, _) => {
                    let both = list.iter().flat_map(|f| [(*f, false), (*f, true)]);
                    open.extend(both.filter(|part| !self.known.contains_key(part)));
                }
            }
            if open.len() > before {
                continue;
            }
            let made = match parts {
                Parts::Ready(made) => made,
                Parts::Make(op, list) => {
                    let list: Vec<Formula> = list.iter().map(|part| self.known[part]).collect();
                    formulas.like(op, &list)
                }
                Parts::Parity(list, odd) => self.parity(formulas, &list, odd),
            };
            self.known.insert((here, negated), made);
            open.pop();
        }
        self.known[&(formula, negated)]
    }

    fn parity(&self, formulas: &mut Formulas, list: &[Formula], odd: bool) -> Formula {
        let (mut is_odd, mut is_even) = (Formula::FALSE, Formula::TRUE);
        for formula in list {
            let (holds, fails) = (self.known[&(*formula, false)], self.known[&(*formula, true)]);
            let (stays, turns) = (formulas.and([is_odd, fails]), formulas.and([is_even, holds]));
            let now_odd = formulas.or([stays, turns]);
            let (stays, turns) = (formulas.and([is_even, fails]), formulas.and([is_odd, holds]));
            (is_odd, is_even) = (now_odd, formulas.or([stays, turns]));
        }
        if odd { is_odd } else { is_even }
    }
}

fn parts(formulas: &mut Formulas, formula: Formula, negated: bool) -> Parts {
    let operands = formulas.shared_operands(formula);
    let each = |op: Op| Parts::Make(op, operands.iter().map(|operand| (*operand, negated)).collect());
    match (formulas.op(formula), negated) {
        (Op::True, false) | (Op::False, true) => Parts::Ready(Formula::TRUE),
        (Op::False, false) | (Op::True, true) => Parts::Ready(Formula::FALSE),
        (Op::Proposition(_), false) => Parts::Ready(formula),
        (Op::Proposition(_), true) => Parts::Ready(formulas.make(Op::Not, &[formula])),
        (Op::Not | Op::And | Op::Or | Op::Implies, _) => chain(formulas, formula, negated),
        (Op::Next, _) => each(Op::Next),
        (Op::Finally, false) | (Op::Globally, true) => each(Op::Finally),
        (Op::Globally, false) | (Op::Finally, true) => each(Op::Globally),
        (Op::Until, false) | (Op::Release, true) => each(Op::Until),
        (Op::Release, false) | (Op::Until, true) => each(Op::Release),
        (Op::WeakUntil, false) | (Op::StrongRelease, true) => each(Op::WeakUntil),
        (Op::StrongRelease, false) | (Op::WeakUntil, true) => each(Op::StrongRelease),
        (Op::Xor, negated) => Parts::Parity(operands.to_vec(), !negated),
        // a <-> b is the negation of a xor b; a <-> b <-> c is a xor b xor c; and so on in turns.
        (Op::Iff, negated) => Parts::Parity(operands.to_vec(), (operands.len() % 2 == 1) != negated),
    }
}

/// The whole conjunction or disjunction that begins here, at once: one by one would take quadratic time.
fn chain(formulas: &Formulas, formula: Formula, negated: bool) -> Parts {
    let mut chain: Option<Op> = None;
    let mut open = vec![(formula, negated)];
    let mut list = Vec::new();
    while let Some((here, negated)) = open.pop() {
        let kind = match (formulas.op(here), negated) {
            (Op::Not, _) => {
                open.push((formulas.operands(here)[0], !negated));
                continue;
            }
            (Op::And, false) | (Op::Or, true) | (Op::Implies, true) => Some(Op::And),
            (Op::Or, false) | (Op::And, true) | (Op::Implies, false) => Some(Op::Or),
            _ => None,
        };
        if kind.is_none() || chain.is_some() && chain != kind {
            list.push((here, negated));
            continue;
        }
        chain = kind;
        let implies = formulas.op(here) == Op::Implies;
        let operands = formulas.operands(here).iter().enumerate();
        open.extend(operands.map(|(i, operand)| (*operand, negated != (implies && i == 0))));
    }
    Parts::Make(chain.unwrap_or(Op::And), list)
}
