//! Relaxation of nonlinear terms: products, quotients and remainders of what is not known, replaced by what is easily said of them: more is
//! possible then, and solvers answer soon.

use super::substitute::Replacement;
use super::term::{Node, Term, Terms};
use super::value::Operator;

/// An operation that was replaced.
#[derive(Clone, Copy, Debug)]
pub struct Softened {
    /// The operator; none for a product.
    pub operator: Option<Operator>,
    /// The operands, if there are two.
    pub operands: Option<(Term, Term)>,
    /// Stands for the value.
    pub value: Term,
}

/// Replaces what is hard in some terms by values that `fresh` makes. What was replaced, and what holds of it; `by` has the terms without.
pub fn softened(
    terms: &mut Terms,
    roots: &[Term],
    by: &mut Replacement,
    fresh: &mut dyn FnMut(&mut Terms, u8) -> Term,
) -> (Vec<Softened>, Vec<Term>) {
    let (mut all, mut facts) = (Vec::new(), Vec::new());
    for term in terms.postorder(roots, |_| true) {
        let (operator, operands) = match *terms.node(term) {
            Node::Product(_) => (None, None),
            Node::Binary(operator @ (Operator::Udiv | Operator::Urem | Operator::Sdiv | Operator::Srem), a, b)
                if terms.as_constant(b).is_none() =>
            {
                (Some(operator), Some((a, b)))
            }
            _ => continue,
        };
        let width = terms.width(term);
        let operands = operands.map(|(a, b)| (terms.substitute(a, by), terms.substitute(b, by)));
        let value = fresh(terms, width);
        by.insert(term, value);
        if let (Some(operator), Some(operands)) = (operator, operands) {
            said(terms, operator, operands, value, &mut facts);
        }
        all.push(Softened { operator, operands, value });
    }
    (all, facts)
}

/// What holds of a quotient or a remainder.
fn said(terms: &mut Terms, operator: Operator, (a, b): (Term, Term), value: Term, facts: &mut Vec<Term>) {
    let width = terms.width(a);
    let (zero, one) = (terms.constant(0, width), terms.constant(1, width));
    match operator {
        Operator::Urem => {
            let (divides, less) = (terms.ne(b, zero), terms.ult(value, b));
            let more = terms.ult(a, value);
            facts.extend([terms.implies(divides, less), terms.not(more)]);
        }
        Operator::Udiv => {
            let (divides, more) = (terms.ne(b, zero), terms.ult(a, value));
            let at_most = terms.not(more);
            let (large, some) = (terms.ult(one, b), terms.ne(a, zero));
            let (shrinks, less) = (terms.and(large, some), terms.ult(value, a));
            facts.extend([terms.implies(divides, at_most), terms.implies(shrinks, less)]);
        }
        _ => {
            let (positive, negative) = (terms.sle(zero, a), terms.sle(a, zero));
            let (above, below) = (terms.sle(zero, value), terms.sle(value, zero));
            let (not_more, not_less) = (terms.sle(value, a), terms.sle(a, value));
            let (rises, falls) = (terms.and(above, not_more), terms.and(below, not_less));
            let divisor = terms.slt(zero, b);
            // A remainder is so whatever it is divided by; a quotient only by what is positive.
            let always = terms.truth(true);
            let by = if operator == Operator::Srem { always } else { divisor };
            for (sign, range) in [(positive, rises), (negative, falls)] {
                let given = terms.and(by, sign);
                facts.push(terms.implies(given, range));
            }
            if operator == Operator::Srem {
                let minus = terms.neg(b);
                let (less, more) = (terms.slt(value, b), terms.slt(minus, value));
                let within = terms.and(less, more);
                facts.push(terms.implies(divisor, within));
            } else {
                let large = terms.slt(one, b);
                let (some, less) = (terms.slt(zero, a), terms.slt(value, a));
                let shrinks = terms.and(large, some);
                facts.push(terms.implies(shrinks, less));
                let (some, more) = (terms.slt(a, zero), terms.slt(a, value));
                let shrinks = terms.and(large, some);
                facts.push(terms.implies(shrinks, more));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bitvec::Evaluation;

    /// For all operands of three bits.
    #[test]
    fn what_is_said_of_quotients_and_remainders_is_so() {
        for operator in [Operator::Udiv, Operator::Urem, Operator::Sdiv, Operator::Srem] {
            let mut terms = Terms::new();
            let (a, b) = (terms.variable(0, 3), terms.variable(1, 3));
            let hard = terms.binary(operator, a, b);
            let mut fresh = |terms: &mut Terms, width| terms.variable(2, width);
            let (all, facts) = softened(&mut terms, &[hard], &mut Replacement::default(), &mut fresh);
            assert_eq!(all.len(), 1);
            for (x, y) in (0..8).flat_map(|x| (0..8).map(move |y| (x, y))) {
                let given = |number: u32| [x, y][number as usize];
                let value = Evaluation::new(&terms, &given).value(hard);
                let with = |number: u32| [x, y, value][number as usize];
                let mut evaluation = Evaluation::new(&terms, &with);
                for &fact in &facts {
                    assert!(evaluation.is_true(fact), "{operator:?} {x} {y} {value}");
                }
            }
        }
    }
}
