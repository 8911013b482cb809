//! Whether evaluating a term can be undefined at all, whatever the state is: then it matters that it is evaluated, even if nobody
//! asks for its value.

use super::expression::{Binary, ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term, Terms, Unary};
use super::types::{Integer, Rank, Type, Types};

/// Whether evaluating an expression (of an lvalue: reading what is there) has a meaning in every state. Linear.
pub fn is_defined(types: &Types, terms: &Terms, root: Term) -> bool {
    let there = match root {
        Term::Lvalue(l) => is_there(types, terms, l),
        Term::Expression(_) => true,
    };
    there
        && terms.postorder(root).into_iter().all(|term| match term {
            Term::Expression(e) => has_value(types, terms, e),
            Term::Lvalue(_) => true,
        })
}

/// The same of an expression whose parts have values.
fn has_value(types: &Types, terms: &Terms, e: ExpressionId) -> bool {
    let integer = |e: ExpressionId| types.as_integer(terms.get(e).ty);
    let signed = |e: ExpressionId| integer(e).is_some_and(|integer| integer.signed);
    let constant = |e: ExpressionId| match terms.get(e).kind {
        ExpressionKind::Constant(bits) => Some(bits),
        _ => None,
    };
    match terms.get(e).kind {
        ExpressionKind::Read(l) => is_there(types, terms, l),
        ExpressionKind::Unary(Unary::Negate, a) => !signed(a),
        ExpressionKind::Binary(_, a, _) if types.as_float(terms.get(a).ty).is_some() => true,
        ExpressionKind::Convert(a) if types.as_float(terms.get(a).ty).is_some() => {
            integer(e).is_none_or(|to| to.rank == Rank::Bool)
        }
        ExpressionKind::Binary(op, a, b) => match op {
            Binary::Add | Binary::Subtract | Binary::Multiply => !signed(a),
            Binary::Divide | Binary::Remainder => {
                constant(b).is_some_and(|by| by != 0 && !(signed(a) && integer(b).map(Integer::mask) == Some(by)))
            }
            Binary::ShiftLeft | Binary::ShiftRight => {
                let width = u128::from(integer(a).map_or(0, |integer| integer.width));
                constant(b).is_some_and(|by| by < width) && (op == Binary::ShiftRight || !signed(a))
            }
            _ => true,
        },
        _ => true,
    }
}

/// Whether an lvalue, whose parts have values, always designates an object.
fn is_there(types: &Types, terms: &Terms, mut l: LvalueId) -> bool {
    loop {
        match terms.at(l).kind {
            LvalueKind::Variable(_) => return true,
            LvalueKind::Deref(_) => return false,
            LvalueKind::Field(of, _) => l = of,
            LvalueKind::Element(of, index) => {
                let inside = match (types.get(terms.at(of).ty), &terms.get(index).kind) {
                    (Type::Array(_, length), ExpressionKind::Constant(at)) => *at < u128::from(*length),
                    _ => false,
                };
                if !inside {
                    return false;
                }
                l = of;
            }
        }
    }
}
