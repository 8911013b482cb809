//! What evaluating a statement demands, as conditions: a run that goes past it satisfies them, as it does those of branches. That sums fit
//! their types is not among them; whoever reasons about numbers adds that.

use crate::c::Program;
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueKind, Term};
use crate::c::program::StatementKind;
use crate::c::types::{Type, TypeId};

/// The conditions of a statement, parts before wholes. Linear.
pub(super) fn demands(program: &mut Program, kind: &StatementKind) -> Vec<ExpressionId> {
    let mut found = Vec::new();
    for root in kind.terms() {
        for term in program.terms.postorder(root) {
            match term {
                Term::Expression(id) => operated(program, id, &mut found),
                Term::Lvalue(id) => match program.terms.at(id).kind {
                    LvalueKind::Deref(pointer) => compared(program, Binary::Unequal, pointer, 0, &mut found),
                    LvalueKind::Element(of, index) => {
                        if let Type::Array(_, length @ 1..) = *program.types.get(program.terms.at(of).ty) {
                            below(program, index, u128::from(length), &mut found);
                        }
                    }
                    LvalueKind::Variable(_) | LvalueKind::Field(..) => {}
                },
            }
        }
    }
    found
}

fn operated(program: &mut Program, id: ExpressionId, found: &mut Vec<ExpressionId>) {
    let ExpressionKind::Binary(operator, a, b) = program.terms.get(id).kind else { return };
    match operator {
        Binary::Divide | Binary::Remainder => compared(program, Binary::Unequal, b, 0, found),
        Binary::ShiftLeft | Binary::ShiftRight => {
            let Some(integer) = program.types.as_integer(type_of(program, a)) else { return };
            below(program, b, u128::from(integer.width), found);
            if operator == Binary::ShiftLeft && integer.signed {
                compared(program, Binary::GreaterEqual, a, 0, found);
                match program.terms.get(b).kind {
                    ExpressionKind::Constant(by @ 0..128) => {
                        compared(program, Binary::LessEqual, a, integer.mask() >> 1 >> by, found);
                    }
                    ExpressionKind::Constant(_) => {}
                    _ => shifted(program, a, b, integer.mask() >> 1, found),
                }
            }
        }
        Binary::Length => elements(program, a, b, found),
        _ => {}
    }
}

/// That a value stays within its type when it is shifted to the left by some number of digits.
fn shifted(program: &mut Program, a: ExpressionId, by: ExpressionId, greatest: u128, found: &mut Vec<ExpressionId>) {
    let (ty, int) = (type_of(program, a), program.types.int());
    let greatest = program.terms.expression(ExpressionKind::Constant(greatest), ty);
    let most = program.terms.expression(ExpressionKind::Binary(Binary::ShiftRight, greatest, by), ty);
    found.push(program.terms.expression(ExpressionKind::Binary(Binary::LessEqual, a, most), int));
}

/// That an array may have so many elements.
fn elements(program: &mut Program, number: ExpressionId, most: ExpressionId, found: &mut Vec<ExpressionId>) {
    let given = match program.terms.get(number).kind {
        ExpressionKind::Convert(given) => given,
        _ => number,
    };
    let Some(integer) = program.types.as_integer(type_of(program, given)) else { return };
    compared(program, Binary::GreaterEqual, given, 1, found);
    let greatest = integer.mask() >> u32::from(integer.signed);
    if !matches!(program.terms.get(most).kind, ExpressionKind::Constant(most) if most >= greatest) {
        let int = program.types.int();
        found.push(program.terms.expression(ExpressionKind::Binary(Binary::LessEqual, number, most), int));
    }
}

fn type_of(program: &Program, e: ExpressionId) -> TypeId {
    program.terms.get(e).ty
}

/// That a value is an index of so many.
fn below(program: &mut Program, value: ExpressionId, length: u128, found: &mut Vec<ExpressionId>) {
    let Some(integer) = program.types.as_integer(type_of(program, value)) else { return };
    if integer.signed {
        compared(program, Binary::GreaterEqual, value, 0, found);
    }
    if length <= integer.mask() >> 1 {
        compared(program, Binary::Less, value, length, found);
    }
}

/// A comparison with a constant, unless that is one itself.
fn compared(program: &mut Program, op: Binary, value: ExpressionId, with: u128, found: &mut Vec<ExpressionId>) {
    if matches!(program.terms.get(value).kind, ExpressionKind::Constant(_) | ExpressionKind::AddressOf(_)) {
        return;
    }
    let (ty, int) = (type_of(program, value), program.types.int());
    let constant = program.terms.expression(ExpressionKind::Constant(with), ty);
    found.push(program.terms.expression(ExpressionKind::Binary(op, value, constant), int));
}
