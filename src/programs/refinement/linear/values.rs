//! Expressions as sums of values with coefficients, and conditions as comparisons of such sums with 0.

use std::collections::HashMap;

use crate::abstraction::predicate::is_truth;
use crate::c::Program;
use crate::c::expression::{
    Binary, Conversion, Expression, ExpressionId, ExpressionKind, LvalueId, Term, Unary, conversion,
};
use crate::c::types::Integer;

use super::super::rational::Rational;
use super::super::simplex::Form;
use super::Sign;

/// Who knows what the parts of expressions are worth.
pub(in super::super) trait Values<'p> {
    /// Of which the expressions are.
    fn program(&self) -> &'p Program;

    /// What is in an lvalue.
    fn read(&mut self, lvalue: LvalueId) -> Form;

    /// What is not linear, its parts being worth that.
    fn opaque(&mut self, expression: ExpressionId, parts: &HashMap<ExpressionId, Form>) -> Form;

    /// An operation of a type has this value.
    fn computed(&mut self, _integer: Integer, _value: &Form) {}

    /// The value of an expression as a form; none if numbers get too large.
    fn form(&mut self, root: ExpressionId) -> Option<Form> {
        let program = self.program();
        let mut forms: HashMap<ExpressionId, Form> = HashMap::new();
        for term in program.terms.postorder(Term::Expression(root)) {
            let Term::Expression(id) = term else { continue };
            let Expression { kind, ty } = program.terms.get(id);
            let form = match kind {
                ExpressionKind::Constant(bits) => {
                    let number = program.types.as_integer(*ty).map_or(0, |integer| integer.number(*bits));
                    Form::constant(Rational::integer(number))
                }
                ExpressionKind::Read(lvalue) => self.read(*lvalue),
                ExpressionKind::Unary(Unary::Negate, a) => times(&forms[a], Rational::integer(-1))?,
                ExpressionKind::Binary(operator @ (Binary::Add | Binary::Subtract), a, b) => {
                    let mut form = forms[a].clone();
                    form.add(&forms[b], Rational::integer(if *operator == Binary::Add { 1 } else { -1 }))?;
                    form
                }
                ExpressionKind::Binary(Binary::Multiply, a, b) if forms[a].parts.is_empty() => {
                    times(&forms[b], forms[a].rest())?
                }
                ExpressionKind::Binary(Binary::Multiply, a, b) if forms[b].parts.is_empty() => {
                    times(&forms[a], forms[b].rest())?
                }
                ExpressionKind::Convert(a) if !is_truth(program, *a) => forms[a].clone(),
                _ => self.opaque(id, &forms),
            };
            if let ExpressionKind::Binary(Binary::Add | Binary::Subtract | Binary::Multiply, ..)
            | ExpressionKind::Unary(Unary::Negate, _) = kind
                && let Some(integer) = program.types.as_integer(*ty)
            {
                self.computed(integer, &form);
            }
            forms.insert(id, form);
        }
        forms.remove(&root)
    }

    /// That a condition holds, or that it does not, if it can be said.
    fn literal(&mut self, condition: ExpressionId, positive: bool) -> Option<(Form, Sign)> {
        let program = self.program();
        let (condition, positive) = unwrapped(program, condition, positive);
        match program.terms.get(condition).kind {
            ExpressionKind::Binary(operator, a, b) if operator.is_truth() => {
                let (a, b) = (self.form(a), self.form(b));
                compared(operator, &a?, &b?, positive)
            }
            _ => compared(Binary::Unequal, &self.form(condition)?, &Form::default(), positive),
        }
    }
}

fn times(form: &Form, by: Rational) -> Option<Form> {
    let mut product = Form::default();
    product.add(form, by)?;
    Some(product)
}

/// What is left of a condition without negations and comparisons of truths with 0, and whether it is that which holds.
fn unwrapped(program: &Program, mut condition: ExpressionId, mut positive: bool) -> (ExpressionId, bool) {
    loop {
        match program.terms.get(condition).kind {
            ExpressionKind::Unary(Unary::Not, a) => {
                positive = !positive;
                condition = a;
            }
            ExpressionKind::Convert(a) if keeps_zero(program, a, condition) => condition = a,
            ExpressionKind::Binary(operator @ (Binary::Equal | Binary::Unequal), a, b)
                if is_truth(program, a) && matches!(program.terms.get(b).kind, ExpressionKind::Constant(0)) =>
            {
                positive = positive == (operator == Binary::Unequal);
                condition = a;
            }
            _ => return (condition, positive),
        }
    }
}

/// Whether a converted value is 0 only where the value was.
fn keeps_zero(program: &Program, from: ExpressionId, to: ExpressionId) -> bool {
    let (from_type, to_type) = (program.terms.get(from).ty, program.terms.get(to).ty);
    let kept = conversion(&program.types, from_type, to_type);
    kept.is_some_and(|conversion| conversion != Conversion::Truncate) || is_truth(program, from)
}

/// That two values compare so, or that they do not.
pub(in super::super) fn compared(operator: Binary, a: &Form, b: &Form, positive: bool) -> Option<(Form, Sign)> {
    use Binary::{Equal, Greater, GreaterEqual, Less, LessEqual, Unequal};
    let operator = match (operator, positive) {
        (operator, true) => operator,
        (Equal, false) => Unequal,
        (Unequal, false) => Equal,
        (Less, false) => GreaterEqual,
        (LessEqual, false) => Greater,
        (Greater, false) => LessEqual,
        (GreaterEqual, false) => Less,
        _ => return None,
    };
    let (less, more, strict, sign) = match operator {
        Equal => (a, b, false, Sign::Zero),
        Unequal => (a, b, false, Sign::NotZero),
        Less => (a, b, true, Sign::NotPositive),
        LessEqual => (a, b, false, Sign::NotPositive),
        Greater => (b, a, true, Sign::NotPositive),
        GreaterEqual => (b, a, false, Sign::NotPositive),
        _ => return None,
    };
    let mut form = less.clone();
    form.add(more, Rational::integer(-1))?;
    form.add(&Form::constant(Rational::integer(i128::from(strict))), Rational::ONE)?;
    Some((form, sign))
}
