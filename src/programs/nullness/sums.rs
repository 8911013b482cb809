//! Comparisons of sums, made simpler.

use crate::c::Program;
use crate::c::expression::{Binary, ExpressionId, ExpressionKind};

/// A comparison of a sum with a number as one of what is in the sum, as if it could not leave its type.
pub(super) fn simple(program: &mut Program, mut atom: ExpressionId) -> ExpressionId {
    while let ExpressionKind::Binary(op, sum, with) = program.terms.get(atom).kind
        && op.is_truth()
        && let Some(number) = constant(program, with)
        && let ExpressionKind::Binary(by, a, b) = program.terms.get(same_width(program, sum)).kind
        && let (a, b) = (same_width(program, a), same_width(program, b))
        && let Some((of, moved)) = match (by, constant(program, a), constant(program, b)) {
            (Binary::Add, Some(by), _) => Some((b, number - by)),
            (Binary::Add, _, Some(by)) => Some((a, number - by)),
            (Binary::Subtract, _, Some(by)) => Some((a, number + by)),
            _ => None,
        }
        && let (ty, int) = (program.terms.get(of).ty, program.types.int())
        && let Some(integer) = program.types.as_integer(ty)
        && integer.width <= 64
        && integer.number(moved as u128 & integer.mask()) == moved
    {
        let moved = program.terms.expression(ExpressionKind::Constant(moved as u128 & integer.mask()), ty);
        atom = program.terms.expression(ExpressionKind::Binary(op, of, moved), int);
    }
    atom
}

/// A number without the conversions that only change how its bits are read.
fn same_width(program: &Program, mut of: ExpressionId) -> ExpressionId {
    let width = |e: ExpressionId| program.types.as_integer(program.terms.get(e).ty).map(|integer| integer.width);
    while let ExpressionKind::Convert(inner) = program.terms.get(of).kind
        && width(inner) == width(of)
        && width(of).is_some()
    {
        of = inner;
    }
    of
}

/// The number, if it is one of no more than 64 bits.
pub(super) fn constant(program: &Program, of: ExpressionId) -> Option<i128> {
    let integer = program.types.as_integer(program.terms.get(of).ty).filter(|integer| integer.width <= 64)?;
    match program.terms.get(of).kind {
        ExpressionKind::Constant(bits) => Some(integer.number(bits)),
        _ => None,
    }
}
