//! Expressions made of others: what a condition becomes before an assignment or a call, and constants computed.

use std::collections::HashMap;

use crate::c::Program;
use crate::c::arithmetic::{self, Outcome};
use crate::c::expression::{Binary, Expression, ExpressionId, ExpressionKind, Lvalue, LvalueId, LvalueKind, Term};
use crate::c::types::Rank as Width;

use super::equation::equation;

/// What stands for what: reads of lvalues, and the result of the procedure.
#[derive(Clone, Debug, Default)]
pub(super) struct Exchange {
    /// Instead of what an lvalue holds.
    pub reads: HashMap<LvalueId, ExpressionId>,
    /// Instead of what an lvalue held at the entry.
    pub before: HashMap<LvalueId, ExpressionId>,
    /// Instead of the result.
    pub result: Option<ExpressionId>,
}

/// The expression with some of its parts exchanged, all at once; constants are computed. Linear in its size.
pub(super) fn exchanged(program: &mut Program, root: ExpressionId, by: &Exchange) -> ExpressionId {
    let mut expressions: HashMap<ExpressionId, ExpressionId> = HashMap::new();
    let mut lvalues: HashMap<LvalueId, LvalueId> = HashMap::new();
    for term in program.terms.postorder(Term::Expression(root)) {
        match term {
            Term::Lvalue(id) => {
                let Lvalue { kind, ty } = program.terms.at(id).clone();
                let kind = match kind {
                    LvalueKind::Variable(_) => kind,
                    LvalueKind::Deref(pointer) => LvalueKind::Deref(expressions[&pointer]),
                    LvalueKind::Field(of, field) => LvalueKind::Field(lvalues[&of], field),
                    LvalueKind::Element(of, index) => LvalueKind::Element(lvalues[&of], expressions[&index]),
                };
                let new = program.terms.lvalue(kind, ty);
                lvalues.insert(id, new);
            }
            Term::Expression(id) => {
                let Expression { kind, ty } = program.terms.get(id).clone();
                let of = |id: &ExpressionId| expressions[id];
                let new = match &kind {
                    ExpressionKind::Read(lvalue) => match by.reads.get(lvalue) {
                        Some(&other) => other,
                        None => program.terms.expression(ExpressionKind::Read(lvalues[lvalue]), ty),
                    },
                    ExpressionKind::Result => by.result.unwrap_or(id),
                    ExpressionKind::Pre(lvalue) => by.before.get(lvalue).copied().unwrap_or(id),
                    ExpressionKind::Constant(_) | ExpressionKind::Procedure(_) => id,
                    ExpressionKind::AddressOf(lvalue) => {
                        program.terms.expression(ExpressionKind::AddressOf(lvalues[lvalue]), ty)
                    }
                    ExpressionKind::Unary(operator, a) => {
                        let kind = ExpressionKind::Unary(*operator, of(a));
                        computed(program, Expression { kind, ty })
                    }
                    ExpressionKind::Binary(operator, a, b) => {
                        let kind = ExpressionKind::Binary(*operator, of(a), of(b));
                        computed(program, Expression { kind, ty })
                    }
                    ExpressionKind::Convert(a) => {
                        computed(program, Expression { kind: ExpressionKind::Convert(of(a)), ty })
                    }
                    ExpressionKind::Offset(a, b) => program.terms.expression(ExpressionKind::Offset(of(a), of(b)), ty),
                    ExpressionKind::Distance(a, b) => {
                        program.terms.expression(ExpressionKind::Distance(of(a), of(b)), ty)
                    }
                };
                expressions.insert(id, new);
            }
        }
    }
    expressions[&root]
}

/// A constant if the operands are, and the operation has a meaning; else the expression, x + c + d with one constant.
fn computed(program: &mut Program, expression: Expression) -> ExpressionId {
    let ty = expression.ty;
    match folded(program, &expression) {
        Some(bits) => program.terms.expression(ExpressionKind::Constant(bits), ty),
        None => match gathered(program, &expression) {
            Some(kind) => program.terms.expression(kind, ty),
            None => program.terms.expression(expression.kind, ty),
        },
    }
}

fn constant(program: &Program, id: ExpressionId) -> Option<u128> {
    match program.terms.get(id).kind {
        ExpressionKind::Constant(bits) => Some(bits),
        _ => None,
    }
}

fn folded(program: &Program, expression: &Expression) -> Option<u128> {
    let integer = |id: ExpressionId| program.types.as_integer(program.terms.get(id).ty);
    let outcome = match expression.kind {
        ExpressionKind::Unary(operator, a) => arithmetic::unary(operator, integer(a)?, constant(program, a)?),
        ExpressionKind::Binary(operator, a, b) => {
            arithmetic::binary(operator, integer(a)?, constant(program, a)?, integer(b)?, constant(program, b)?)
        }
        ExpressionKind::Convert(a) => {
            let to = program.types.as_integer(expression.ty)?;
            return Some(arithmetic::convert(integer(a)?, to, constant(program, a)?));
        }
        _ => return None,
    };
    match outcome {
        Outcome::Value(bits) | Outcome::Overflow(bits) => Some(bits),
        Outcome::Undefined(_) => None,
    }
}

/// x + c ± d, x - c ± d as x + e.
fn gathered(program: &mut Program, expression: &Expression) -> Option<ExpressionKind> {
    let ExpressionKind::Binary(outer @ (Binary::Add | Binary::Subtract), a, b) = expression.kind else { return None };
    let integer = program.types.as_integer(expression.ty)?;
    let ExpressionKind::Binary(inner @ (Binary::Add | Binary::Subtract), x, c) = program.terms.get(a).kind else {
        return None;
    };
    let (d, c) = (constant(program, b)?, constant(program, c)?);
    let with_sign = |operator, bits: u128| if operator == Binary::Add { bits } else { bits.wrapping_neg() };
    let sum = with_sign(outer, d).wrapping_add(with_sign(inner, c)) & integer.mask();
    let number = integer.number(sum);
    let (operator, bits) = if number < 0 && number != integer.least() {
        (Binary::Subtract, sum.wrapping_neg() & integer.mask())
    } else {
        (Binary::Add, sum)
    };
    let right = program.terms.expression(ExpressionKind::Constant(bits), expression.ty);
    Some(ExpressionKind::Binary(operator, x, right))
}

/// A condition that holds where another one does, or exactly where it does not: by `==` and `<=`, so that conditions that say the same
/// are the same more often.
pub(super) fn normal(program: &mut Program, condition: ExpressionId) -> ExpressionId {
    use Binary::{Equal, Greater, GreaterEqual, Less, LessEqual, Unequal};
    let int = program.types.int();
    let (operator, a, b) = match program.terms.get(condition).kind {
        ExpressionKind::Binary(Equal | Unequal, a, b) => {
            let (a, b) = if constant(program, a).is_some() { (b, a) } else { (a, b) };
            return equation(program, a, b)
                .unwrap_or_else(|| program.terms.expression(ExpressionKind::Binary(Equal, a, b), int));
        }
        // a > b is not a <= b, and a < b is not b <= a.
        ExpressionKind::Binary(Greater | LessEqual, a, b) => (LessEqual, a, b),
        ExpressionKind::Binary(Less | GreaterEqual, a, b) => (LessEqual, b, a),
        ExpressionKind::Read(_) | ExpressionKind::Pre(_) | ExpressionKind::Result => {
            let ty = program.terms.get(condition).ty;
            let zero = program.terms.expression(ExpressionKind::Constant(0), ty);
            return program.terms.expression(ExpressionKind::Binary(Equal, condition, zero), int);
        }
        _ => return condition,
    };
    // c <= x is not x <= c - 1.
    let ty = program.terms.get(a).ty;
    if let (Some(bits), Some(integer)) = (constant(program, a), program.types.as_integer(ty))
        && constant(program, b).is_none()
        && integer.number(bits) != integer.least()
    {
        let less = program.terms.expression(ExpressionKind::Constant(bits.wrapping_sub(1) & integer.mask()), ty);
        return program.terms.expression(ExpressionKind::Binary(LessEqual, b, less), int);
    }
    program.terms.expression(ExpressionKind::Binary(operator, a, b), int)
}

/// A sum or a difference, in the widest type; modulo 2ʷ where two of the widest are combined, so that nothing overflows.
pub(super) fn combined(program: &mut Program, operator: Binary, a: ExpressionId, b: ExpressionId) -> ExpressionId {
    let wide = program.types.integer(Width::LongLong, true);
    let width = |program: &Program, e: ExpressionId| {
        program.types.as_integer(program.terms.get(e).ty).map_or(u32::MAX, |integer| integer.width)
    };
    let widest = width(program, a).max(width(program, b));
    let narrow = program.types.as_integer(wide).is_some_and(|integer| widest < integer.width);
    let ty = if narrow { wide } else { program.types.integer(Width::LongLong, false) };
    let converted = |program: &mut Program, e: ExpressionId, ty| match program.terms.get(e).ty == ty {
        true => e,
        false => program.terms.expression(ExpressionKind::Convert(e), ty),
    };
    let [a, b] = [a, b].map(|e| {
        let e = converted(program, e, wide);
        converted(program, e, ty)
    });
    let both = program.terms.expression(ExpressionKind::Binary(operator, a, b), ty);
    converted(program, both, wide)
}
