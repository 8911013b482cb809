//! The least system, as far as it is found, that shows what a certificate lacks: one without rules, conditions and declarations that do
//! not matter to that.

use spds_format::expr::{Binary, Expr, Op};
use spds_format::model::Updates;
use spds_format::{Spds, validate};

use super::needed::needed;
use crate::check::Property;

/// A system, and what is asked about it.
pub type Case = (Spds, Property);

/// What is left of a system.
#[derive(Clone, Debug)]
pub struct Least {
    /// The system and what was asked about it, in which the same is still so.
    pub case: Case,
    /// How many smaller ones were tried.
    pub tried: usize,
    /// Whether no part of it can be left out, as far as parts are tried; otherwise the work was bounded.
    pub done: bool,
}

/// Leaves out of a valid system whatever can be left out while the same is so of it and the property: rules, in halves first, conjuncts
/// and disjuncts of conditions, updates, invariants, and at last what is declared and not mentioned. At most so many smaller systems are tried.
pub fn least(case: Case, most: usize, is_so: &mut dyn FnMut(&Spds, &Property) -> bool) -> Least {
    let mut search = Search { case, tried: 0, most, is_so };
    loop {
        let before = search.case.0.clone();
        search.fewer_rules();
        search.smaller_parts();
        if search.is_over() || search.case.0 == before {
            break;
        }
    }
    if let Some(case) = needed(&search.case.0, &search.case.1) {
        search.keep(case);
    }
    Least { done: !search.is_over(), tried: search.tried, case: search.case }
}

struct Search<'a> {
    case: Case,
    tried: usize,
    most: usize,
    is_so: &'a mut dyn FnMut(&Spds, &Property) -> bool,
}

impl Search<'_> {
    fn is_over(&self) -> bool {
        self.tried >= self.most
    }

    /// Keeps a case if the same is so of it; whether it did.
    fn keep(&mut self, case: Case) -> bool {
        if self.is_over() || !validate(&case.0).is_empty() {
            return false;
        }
        self.tried += 1;
        let keeps = (self.is_so)(&case.0, &case.1);
        if keeps {
            self.case = case;
        }
        keeps
    }

    fn keep_system(&mut self, change: impl FnOnce(&mut Spds)) -> bool {
        let mut spds = self.case.0.clone();
        change(&mut spds);
        self.keep((spds, self.case.1.clone()))
    }

    /// Without half of the rules, a quarter of them, …, one.
    fn fewer_rules(&mut self) {
        let mut count = self.case.0.rules.len();
        while count > 0 {
            let mut first = 0;
            while first < self.case.0.rules.len() {
                let end = self.case.0.rules.len().min(first + count);
                if !self.keep_system(|spds| drop(spds.rules.drain(first..end))) {
                    first = end;
                }
            }
            count /= 2;
        }
    }

    /// With smaller rules and symbols.
    fn smaller_parts(&mut self) {
        self.keep_system(|spds| spds.atoms.clear());
        self.smaller_condition(|spds| Some(&mut spds.start.condition));
        for number in 0..self.case.0.rules.len() {
            self.smaller_condition(|spds| spds.rules.get_mut(number).map(|rule| &mut rule.guard));
            self.smaller_condition(|spds| spds.rules.get_mut(number).map(|rule| &mut rule.with));
            for update in (0..self.case.0.rules[number].updates.len()).rev() {
                self.keep_system(|spds| {
                    let updates = &mut spds.rules[number].updates;
                    let others = updates.iter().enumerate().filter(|(other, _)| *other != update);
                    *updates = Updates::from(others.map(|(_, update)| update.clone()).collect::<Vec<_>>());
                });
            }
        }
        for number in 0..self.case.0.symbols.len() {
            self.smaller_condition(|spds| spds.symbols.get_mut(number).map(|symbol| &mut symbol.invariant));
        }
    }

    /// Without a condition, or with one side of it only.
    fn smaller_condition(&mut self, of: impl Fn(&mut Spds) -> Option<&mut Option<Expr>>) {
        loop {
            let condition = of(&mut self.case.0).and_then(|condition| condition.clone());
            let Some(condition) = condition else { return };
            let smaller = std::iter::once(None).chain(sides(&condition).into_iter().map(Some));
            let smaller: Vec<Option<Expr>> = smaller.collect();
            let kept = smaller.into_iter().any(|smaller| {
                self.keep_system(|spds| {
                    if let Some(condition) = of(spds) {
                        *condition = smaller;
                    }
                })
            });
            if !kept {
                return;
            }
        }
    }
}

/// The operands of a conjunction, a disjunction or another Boolean connective at the root.
fn sides(expr: &Expr) -> Vec<Expr> {
    let connects =
        |op: &Op| matches!(op, Op::Binary(Binary::And | Binary::Or | Binary::Xor | Binary::Implies | Binary::Iff));
    if expr.ops().last().is_some_and(connects) { expr.operands() } else { Vec::new() }
}
