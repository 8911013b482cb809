//! How the last step of a trace fails where arithmetic has no meaning: for each operation and each way that goes wrong, what the
//! trace would have to demand.

use crate::c::expression::{Binary, Expression, ExpressionId, ExpressionKind, Term, Unary};
use crate::c::program::StatementKind;
use crate::concretise::Taken;

use super::super::rational::Rational;
use super::super::simplex::Form;
use super::{Linear, Literal, Reader, Sign, Values, statement};

impl Reader<'_> {
    /// The trace so far with each failure that its last step may be; none where it is no arithmetic that fails.
    pub(super) fn ends(&mut self, step: Taken) -> Vec<Linear> {
        let Some(kind) = statement(self.program, step.procedure, step.label) else { return Vec::new() };
        if let (StatementKind::Branch(..), Some(_)) | (StatementKind::Fail(_), _) = (kind, step.branch) {
            return Vec::new();
        }
        let program = self.program;
        let mut failures = Vec::new();
        for root in kind.terms() {
            for term in program.terms.postorder(root) {
                if let Term::Expression(id) = term {
                    failures.extend(self.failures(id));
                }
            }
        }
        let with = |(form, sign)| {
            let mut end = self.linear.clone();
            end.literals.push(Literal { form, sign, at: self.now });
            end
        };
        failures.into_iter().map(with).collect()
    }

    /// What an operation with no meaning says: that its value leaves the type on either side, or that it divides by 0.
    fn failures(&mut self, id: ExpressionId) -> Vec<(Form, Sign)> {
        let Expression { kind, ty } = self.program.terms.get(id);
        match kind {
            ExpressionKind::Binary(Binary::Divide | Binary::Remainder, _, divisor) => {
                self.form(*divisor).map(|form| (form, Sign::Zero)).into_iter().collect()
            }
            ExpressionKind::Binary(Binary::ShiftLeft, a, by) => {
                let signed = self.program.types.as_integer(*ty).filter(|integer| integer.signed);
                let (Some(integer), Some(form)) = (signed, self.form(*a)) else { return Vec::new() };
                let mut sides = vec![(1, 1)];
                if let ExpressionKind::Constant(by) = self.program.terms.get(*by).kind
                    && by < u128::from(integer.width)
                {
                    // More than the greatest number that can be shifted so far.
                    sides.extend(((integer.mask() >> 1 >> by) as i128).checked_add(1).map(|more| (-1, more)));
                }
                beyond(&form, &sides)
            }
            ExpressionKind::Binary(Binary::Add | Binary::Subtract | Binary::Multiply, ..)
            | ExpressionKind::Unary(Unary::Negate, _) => {
                let signed = self.program.types.as_integer(*ty).filter(|integer| integer.signed);
                let (Some(integer), Some(form)) = (signed, self.form(id)) else { return Vec::new() };
                let Some(above) = integer.least().checked_neg() else { return Vec::new() };
                // More than the greatest number is -least at least, and less than the least one is least - 1 at most.
                beyond(&form, &[(-1, above), (1, above + 1)])
            }
            _ => Vec::new(),
        }
    }
}

/// That a value so many times, and so much more, is not positive: for each of these sides.
fn beyond(form: &Form, sides: &[(i128, i128)]) -> Vec<(Form, Sign)> {
    let side = |&(times, rest): &(i128, i128)| {
        let mut side = Form::constant(Rational::integer(rest));
        side.add(form, Rational::integer(times))?;
        Some((side, Sign::NotPositive))
    };
    sides.iter().filter_map(side).collect()
}
