//! That a condition is not true: false, or undefined. Expressions cannot say so of themselves (`!e` is undefined where `e` is), but
//! of each operation it can be said where it is defined.

use spds_format::expr::{Binary, Expr, Op, Unary};
use spds_format::model::{Scalar, Type};

/// An expression of more operations is not written out.
const MAX_OPERATIONS: usize = 1 << 14;

/// An expression in the making, and what is said of it.
enum Said {
    /// Of a Boolean: where it is not true, and where it is not false.
    Truth { own: Expr, not_true: Expr, not_false: Expr },
    /// Of an integer: where it is defined, and where it is not.
    Number { own: Expr, defined: Expr, undefined: Expr },
}

/// Where a condition is not true; nothing if that would be too large. The types are those of what is read.
pub(super) fn denied(condition: &Expr, ty: &dyn Fn(&Op) -> Option<Type>) -> Option<Expr> {
    if condition.ops().iter().all(|op| is_total(*op)) {
        return Some(condition.not());
    }
    match said(condition, ty)? {
        Said::Truth { not_true, .. } => Some(not_true),
        Said::Number { .. } => None,
    }
}

/// Whether an operation is true, false or a number where its operands are, and only one of these.
fn is_total(op: Op) -> bool {
    match op {
        Op::Cell(..) | Op::Any | Op::Choose => false,
        Op::Binary(op) => !matches!(
            op,
            Binary::Div | Binary::Rem | Binary::Shl | Binary::Shr | Binary::BitAnd | Binary::BitOr | Binary::BitXor
        ),
        _ => true,
    }
}

fn said(expr: &Expr, ty: &dyn Fn(&Op) -> Option<Type>) -> Option<Said> {
    let mut stack: Vec<Said> = Vec::new();
    for op in expr.ops() {
        let operands = stack.split_off(stack.len() - op.arity());
        let said = applied(*op, operands, ty)?;
        let (Said::Truth { not_true: a, not_false: b, .. } | Said::Number { defined: a, undefined: b, .. }) = &said;
        if a.ops().len() + b.ops().len() > MAX_OPERATIONS {
            return None;
        }
        stack.push(said);
    }
    stack.pop()
}

fn or(a: &Expr, b: &Expr) -> Expr {
    a.binary(Binary::Or, b)
}

/// A Boolean that is always true or false.
fn plain(own: Expr) -> Said {
    Said::Truth { not_true: own.not(), not_false: own.clone(), own }
}

/// An integer that always has a value.
fn number(own: Expr) -> Said {
    Said::Number { own, defined: Expr::constant(true), undefined: Expr::constant(false) }
}

/// A Boolean that has a value except there.
fn truth(own: Expr, undefined: &Expr) -> Said {
    Said::Truth { not_true: or(undefined, &own.not()), not_false: or(undefined, &own), own }
}

/// What is said of an operation, as something is said of its operands.
fn applied(op: Op, operands: Vec<Said>, ty: &dyn Fn(&Op) -> Option<Type>) -> Option<Said> {
    let mut owns: Vec<&Expr> = Vec::with_capacity(operands.len());
    for operand in &operands {
        let (Said::Truth { own, .. } | Said::Number { own, .. }) = operand;
        owns.push(own);
    }
    let own = Expr::apply(op, &owns);
    Some(match (op, &operands[..]) {
        (Op::Bool(_), []) => plain(own),
        (Op::Any, []) => Said::Truth { own, not_true: Expr::constant(false), not_false: Expr::constant(false) },
        (Op::Number(_), []) => number(own),
        (Op::Read(..), []) => match ty(&op)?.scalar {
            Scalar::Bool => plain(own),
            Scalar::Unsigned(_) => number(own),
        },
        (Op::Cell(..), [index]) => cell(own, index, ty(&op)?)?,
        (Op::Unary(Unary::Not), [Said::Truth { not_true, not_false, .. }]) => {
            Said::Truth { own, not_true: not_false.clone(), not_false: not_true.clone() }
        }
        (Op::Binary(op), [a @ Said::Number { .. }, b @ Said::Number { .. }]) => of_numbers(op, own, a, b)?,
        (Op::Binary(op), [a @ Said::Truth { .. }, b @ Said::Truth { .. }]) => of_truths(op, own, a, b)?,
        (Op::Choose, [Said::Truth { not_true: a, not_false: x, .. }, Said::Truth { not_false: y, .. }]) => {
            Said::Truth { own, not_true: a.and(&or(x, y)), not_false: x.clone() }
        }
        (Op::Ite, [condition, then, otherwise]) => chosen(own, condition, then, otherwise)?,
        _ => return None,
    })
}

/// An array's cell: it has a value where its index has one that is inside.
fn cell(own: Expr, index: &Said, ty: Type) -> Option<Said> {
    let Said::Number { own: index, defined, undefined } = index else { return None };
    let (first, last) = ty.range?;
    let inside = index.binary(Binary::Ge, &Expr::number(first.into()));
    let inside = inside.and(&index.binary(Binary::Le, &Expr::number(last.into())));
    // Where the index has no value, neither has `inside`: only its falsehood is asked for.
    let (defined, undefined) = (defined.and(&inside), or(undefined, &inside.not()));
    Some(match ty.scalar {
        Scalar::Bool => truth(own, &undefined),
        Scalar::Unsigned(_) => Said::Number { own, defined, undefined },
    })
}

/// An operation on two integers: it has a value where both have one, and no fault is made.
fn of_numbers(op: Binary, own: Expr, a: &Said, b: &Said) -> Option<Said> {
    let Said::Number { own: a, defined, undefined } = a else { return None };
    let Said::Number { own: b, defined: d, undefined: u } = b else { return None };
    let (mut defined, mut undefined) = (defined.and(d), or(undefined, u));
    for fault in faults(op, a, b) {
        (defined, undefined) = (defined.and(&fault.not()), or(&undefined, &fault));
    }
    Some(match op {
        Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge => truth(own, &undefined),
        _ => Said::Number { own, defined, undefined },
    })
}

/// An operation on two Booleans.
fn of_truths(op: Binary, own: Expr, a: &Said, b: &Said) -> Option<Said> {
    let Said::Truth { not_true: a, not_false: x, .. } = a else { return None };
    let Said::Truth { not_true: b, not_false: y, .. } = b else { return None };
    let (not_true, not_false) = match op {
        Binary::And => (or(a, b), x.and(y)),
        Binary::Or => (a.and(b), or(x, y)),
        Binary::Implies => (x.and(b), or(a, y)),
        // T = a ¬b ∨ ¬a b, F = a b ∨ ¬a ¬b; and the other way round.
        _ => {
            let differ = or(a, y).and(&or(x, b));
            let agree = or(a, b).and(&or(x, y));
            if op == Binary::Iff { (agree, differ) } else { (differ, agree) }
        }
    };
    Some(Said::Truth { own, not_true, not_false })
}

/// One of two, as a condition chooses.
fn chosen(own: Expr, condition: &Said, then: &Said, otherwise: &Said) -> Option<Said> {
    let Said::Truth { own: condition, not_true: c, not_false: z } = condition else { return None };
    match (then, otherwise) {
        (Said::Truth { not_true: a, not_false: x, .. }, Said::Truth { not_true: b, not_false: y, .. }) => {
            let either = |a: &Expr, b: &Expr| or(c, a).and(&or(z, b));
            Some(Said::Truth { own, not_true: either(a, b), not_false: either(x, y) })
        }
        (Said::Number { defined: d, undefined: a, .. }, Said::Number { defined: e, undefined: b, .. }) => {
            // Where the condition is true it is not undefined: its falsehood is that it is not true.
            let undefined = or(c, a).and(&or(z, b));
            Some(Said::Number { own, defined: Expr::apply(Op::Ite, &[condition, d, e]), undefined })
        }
        _ => None,
    }
}

/// When an operation on integers that have values has none.
fn faults(op: Binary, a: &Expr, b: &Expr) -> Vec<Expr> {
    let zero = Expr::number(0);
    let negative = |number: &Expr| number.binary(Binary::Lt, &zero);
    match op {
        Binary::Div | Binary::Rem => vec![b.binary(Binary::Eq, &zero)],
        Binary::Shl => vec![negative(b), b.binary(Binary::Gt, &Expr::number(64))],
        Binary::Shr => vec![negative(b)],
        Binary::BitAnd | Binary::BitOr | Binary::BitXor => vec![negative(a), negative(b)],
        _ => Vec::new(),
    }
}
