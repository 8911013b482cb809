//! Making formulas in negative normal form, with the trivial identities: constants, idempotence, sorted conjunctions and
//! disjunctions without repetition.

use super::formula::{Formula, Formulas, Op};

impl Formulas {
    /// `a & b & …`
    pub(super) fn and(&mut self, operands: impl IntoIterator<Item = Formula>) -> Formula {
        self.list(Op::And, Formula::TRUE, Formula::FALSE, operands)
    }

    /// `a | b | …`
    pub(super) fn or(&mut self, operands: impl IntoIterator<Item = Formula>) -> Formula {
        self.list(Op::Or, Formula::FALSE, Formula::TRUE, operands)
    }

    fn list(
        &mut self,
        op: Op,
        neutral: Formula,
        absorbing: Formula,
        operands: impl IntoIterator<Item = Formula>,
    ) -> Formula {
        let mut list = Vec::new();
        for operand in operands {
            if operand == absorbing {
                return absorbing;
            }
            if self.op(operand) == op {
                list.extend_from_slice(self.operands(operand));
            } else if operand != neutral {
                list.push(operand);
            }
        }
        list.sort_unstable();
        list.dedup();
        if list.iter().any(|f| self.under(Op::Not, *f).is_some_and(|f| list.binary_search(&f).is_ok())) {
            return absorbing;
        }
        match list[..] {
            [] => neutral,
            [only] => only,
            _ => self.make(op, &list),
        }
    }

    /// `X a`
    pub(super) fn next(&mut self, a: Formula) -> Formula {
        if is_constant(a) { a } else { self.make(Op::Next, &[a]) }
    }

    /// `F a`
    pub(super) fn finally(&mut self, a: Formula) -> Formula {
        if is_constant(a) || self.op(a) == Op::Finally { a } else { self.make(Op::Finally, &[a]) }
    }

    /// `G a`
    pub(super) fn globally(&mut self, a: Formula) -> Formula {
        if is_constant(a) || self.op(a) == Op::Globally { a } else { self.make(Op::Globally, &[a]) }
    }

    /// `a U b`
    pub(super) fn until(&mut self, a: Formula, b: Formula) -> Formula {
        match (a, b) {
            (Formula::TRUE, b) => self.finally(b),
            (Formula::FALSE, b) => b,
            (_, b) if is_constant(b) || a == b => b,
            _ => self.make(Op::Until, &[a, b]),
        }
    }

    /// `a R b`
    pub(super) fn release(&mut self, a: Formula, b: Formula) -> Formula {
        match (a, b) {
            (Formula::FALSE, b) => self.globally(b),
            (Formula::TRUE, b) => b,
            (_, b) if is_constant(b) || a == b => b,
            _ => self.make(Op::Release, &[a, b]),
        }
    }

    /// `a W b`
    pub(super) fn weak_until(&mut self, a: Formula, b: Formula) -> Formula {
        match (a, b) {
            (a, Formula::FALSE) => self.globally(a),
            (Formula::TRUE, _) | (_, Formula::TRUE) => Formula::TRUE,
            (Formula::FALSE, b) => b,
            (a, b) if a == b => b,
            _ => self.make(Op::WeakUntil, &[a, b]),
        }
    }

    /// `a M b`
    pub(super) fn strong_release(&mut self, a: Formula, b: Formula) -> Formula {
        match (a, b) {
            (a, Formula::TRUE) => self.finally(a),
            (Formula::FALSE, _) | (_, Formula::FALSE) => Formula::FALSE,
            (Formula::TRUE, b) => b,
            (a, b) if a == b => b,
            _ => self.make(Op::StrongRelease, &[a, b]),
        }
    }

    /// The same operator on other operands.
    pub(super) fn like(&mut self, op: Op, operands: &[Formula]) -> Formula {
        match (op, operands) {
            (Op::And, list) => self.and(list.iter().copied()),
            (Op::Or, list) => self.or(list.iter().copied()),
            (Op::Next, [a]) => self.next(*a),
            (Op::Finally, [a]) => self.finally(*a),
            (Op::Globally, [a]) => self.globally(*a),
            (Op::Until, [a, b]) => self.until(*a, *b),
            (Op::Release, [a, b]) => self.release(*a, *b),
            (Op::WeakUntil, [a, b]) => self.weak_until(*a, *b),
            (Op::StrongRelease, [a, b]) => self.strong_release(*a, *b),
            (op, operands) => self.make(op, operands),
        }
    }
}

fn is_constant(formula: Formula) -> bool {
    formula == Formula::TRUE || formula == Formula::FALSE
}
