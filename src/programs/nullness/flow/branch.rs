//! What is known where a condition is true, and where it is not.

use std::rc::Rc;

use super::facts::Facts;
use super::numbers::{Numbers, is_number};
use super::scope::Scope;
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, Unary};
use crate::question::wrong::stripped;

impl Facts {
    /// What is known where a condition is true, or where it is not; nothing if it cannot be.
    pub fn branched(self: &Rc<Facts>, scope: &Scope, condition: ExpressionId, truth: bool) -> Option<Rc<Facts>> {
        let new = self.directly(scope, condition, truth)?;
        if new.guarded.is_empty() || Rc::ptr_eq(&new, self) {
            return Some(new);
        }
        Some(Rc::new(Rc::unwrap_or_clone(new).released(scope)))
    }

    /// The same by what the condition itself says.
    fn directly(self: &Rc<Facts>, scope: &Scope, mut condition: ExpressionId, mut truth: bool) -> Option<Rc<Facts>> {
        let facts = self;
        let terms = &scope.program.terms;
        let is_pointer = |e: ExpressionId| scope.program.types.pointee(terms.get(e).ty).is_some();
        let is_zero = |e: ExpressionId| matches!(terms.get(e).kind, ExpressionKind::Constant(0));
        let with = |pointer: ExpressionId| {
            let pointer = stripped(&scope.program, pointer);
            if facts.null.contains(&pointer) {
                return None;
            }
            let mut facts = (**facts).clone();
            facts.learn(pointer, true);
            Some(Rc::new(facts))
        };
        let without = |pointer: ExpressionId| {
            if facts.is_there(scope, pointer) {
                return None;
            }
            let mut facts = (**facts).clone();
            facts.learn(stripped(&scope.program, pointer), false);
            Some(Rc::new(facts))
        };
        let numbers = |numbers: Option<Numbers>| {
            let numbers = numbers?;
            Some(if numbers == facts.numbers { facts.clone() } else { Rc::new(Facts { numbers, ..(**facts).clone() }) })
        };
        loop {
            match terms.get(condition).kind {
                ExpressionKind::Constant(bits) if !is_pointer(condition) => {
                    return ((bits != 0) == truth).then(|| facts.clone());
                }
                ExpressionKind::Unary(Unary::Not, of) => (condition, truth) = (of, !truth),
                ExpressionKind::Binary(op @ (Binary::Equal | Binary::Unequal), a, b) => {
                    let is_equal = truth == (op == Binary::Equal);
                    let (a, b) = if is_zero(a) { (b, a) } else { (a, b) };
                    match (is_pointer(a), is_zero(b)) {
                        (true, true) if is_equal => return without(a),
                        (true, true) => return with(a),
                        (true, false) if is_equal && facts.is_there(scope, a) => return with(b),
                        (true, false) if is_equal && facts.is_there(scope, b) => return with(a),
                        (true, false) => return Some(facts.clone()),
                        (false, true) if is_truth(scope, a) => (condition, truth) = (a, !is_equal),
                        (false, true) => return self.nonzero(scope, a, !is_equal),
                        (false, false) => {
                            let op = if is_equal { Binary::Equal } else { Binary::Unequal };
                            return numbers(facts.numbers.under(scope, op, a, b));
                        }
                    }
                }
                ExpressionKind::Binary(op, a, b) if negated(op).is_some() && !is_pointer(a) => {
                    let op = if truth { Some(op) } else { negated(op) };
                    return numbers(op.map_or(Some(facts.numbers.clone()), |op| facts.numbers.under(scope, op, a, b)));
                }
                _ if is_pointer(condition) && truth => return with(condition),
                _ if is_pointer(condition) => return without(condition),
                _ => return self.nonzero(scope, condition, truth),
            }
        }
    }

    /// What is known where a number is not 0, or where it is.
    fn nonzero(&self, scope: &Scope, number: ExpressionId, is_there: bool) -> Option<Rc<Facts>> {
        if !is_there && self.there.contains(&number) {
            return None;
        }
        let numbers = self.numbers.zero(scope, number, !is_there)?;
        let mut facts = Facts { numbers, ..self.clone() };
        if is_there && is_number(scope, number) {
            facts.there.insert(number);
        }
        Some(Rc::new(facts))
    }
}

/// Whether a number says whether something is true.
fn is_truth(scope: &Scope, of: ExpressionId) -> bool {
    match scope.program.terms.get(of).kind {
        ExpressionKind::Unary(Unary::Not, _) => true,
        ExpressionKind::Binary(op, ..) => op.is_truth(),
        _ => false,
    }
}

/// A comparison of numbers the other way round.
fn negated(op: Binary) -> Option<Binary> {
    Some(match op {
        Binary::Less => Binary::GreaterEqual,
        Binary::LessEqual => Binary::Greater,
        Binary::Greater => Binary::LessEqual,
        Binary::GreaterEqual => Binary::Less,
        _ => return None,
    })
}
