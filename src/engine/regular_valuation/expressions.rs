//! Small tools for expressions and names.

use spds_format::expr::{Binary, Expr, Op, Time};
use spds_format::model::{Name, Var};

/// The expression with other variables.
pub(super) fn mapped(expr: &Expr, mut change: impl FnMut(Var, Time) -> (Var, Time)) -> Expr {
    let ops: Vec<Op> = expr
        .ops()
        .iter()
        .map(|op| match *op {
            Op::Read(var, time) => {
                let (var, time) = change(var, time);
                Op::Read(var, time)
            }
            Op::Cell(var, time) => {
                let (var, time) = change(var, time);
                Op::Cell(var, time)
            }
            other => other,
        })
        .collect();
    Expr::from_postorder(ops).expect("it is as much a tree as before")
}

/// The conjunction of what there is.
pub(super) fn both(one: Option<Expr>, other: Option<Expr>) -> Option<Expr> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.and(&other)),
        (one, other) => one.or(other),
    }
}

/// The disjunction or conjunction of some expressions; of none, the constant. Linear.
pub(super) fn joined(op: Binary, all: &[Expr]) -> Expr {
    let mut ops: Vec<Op> = Vec::new();
    for (number, one) in all.iter().enumerate() {
        ops.extend_from_slice(one.ops());
        ops.extend((number > 0).then_some(Op::Binary(op)));
    }
    Expr::from_postorder(ops).unwrap_or_else(|| Expr::constant(op == Binary::And))
}

/// Whether a condition without `*` has a truth value whatever the values of its variables.
pub(super) fn is_total(expr: &Expr) -> bool {
    let subtracts = expr.ops().contains(&Op::Binary(Binary::Sub));
    expr.ops().iter().all(|op| match op {
        Op::Binary(Binary::Div | Binary::Rem | Binary::Shl | Binary::Shr) => false,
        Op::Binary(Binary::BitAnd | Binary::BitOr | Binary::BitXor) => !subtracts,
        // Of arrays, the index may be out of range.
        Op::Cell(..) | Op::Any | Op::Choose => false,
        _ => true,
    })
}

/// A name that is not taken.
pub(super) fn fresh(wanted: &str, taken: impl Fn(&str) -> bool) -> Name {
    let mut name = format!("${wanted}");
    while taken(&name) {
        name.insert(0, '$');
    }
    name.into()
}
