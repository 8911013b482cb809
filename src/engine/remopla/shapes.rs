//! What values and variables are made of, and whether the one can be stored in the other.

use spds_format::model::{Scalar, Var};

use super::ast::{Ast, Expression, Op};
use super::declarations::{Dims, Leaf};
use super::expression::Ty;

/// The leaves that an expression which is a variable, cell or whole selects, without the dimensions that indices use up.
pub(super) fn leaves(ast: &Ast, module: Option<u32>, reference: Expression) -> Vec<Leaf> {
    let (first, count, indices) = match ast.root(reference).op {
        Op::Read(var, _) => (var, 1, 0),
        Op::Cell(var, _, indices) => (var, 1, indices),
        Op::Whole(whole) => {
            let whole = ast.wholes[whole as usize];
            (whole.first, whole.leaves, whole.indices)
        }
        _ => return Vec::new(),
    };
    (0..count)
        .map(|offset| {
            let mut leaf = ast.declarations.leaf(shifted(first, offset), module).clone();
            if indices > 0 {
                leaf.dims = Dims::default();
            }
            leaf
        })
        .collect()
}

/// The variable so many leaves further.
pub(super) fn shifted(var: Var, by: u32) -> Var {
    match var {
        Var::Global(index) => Var::Global(index + by),
        Var::Local(index) => Var::Local(index + by),
    }
}

/// The leaves of a value of that type.
pub(super) fn given(ast: &Ast, module: Option<u32>, value: Expression, ty: Ty) -> Vec<Leaf> {
    let scalar = match ty {
        Ty::Whole => return leaves(ast, module, value),
        Ty::Bool => Scalar::Bool,
        Ty::Int | Ty::Unknown => Scalar::Unsigned(64),
    };
    vec![Leaf { name: "".into(), scalar, members: None, dims: Dims::default() }]
}

/// The type of an expression without mistakes.
pub(super) fn type_of(ast: &Ast, module: Option<u32>, value: Expression) -> Ty {
    let mut root = ast.root(value).op;
    if let Op::Read(var, _) | Op::Cell(var, ..) = root {
        let scalar = ast.declarations.leaf(var, module).scalar;
        root = if scalar == Scalar::Bool { Op::Bool(true) } else { Op::Number(0) };
    }
    match root {
        Op::Whole(_) => Ty::Whole,
        Op::Bool(_) | Op::Not | Op::Quantified(_) => Ty::Bool,
        Op::Binary(op) if is_boolean(op) => Ty::Bool,
        _ => Ty::Int,
    }
}

/// Whether an operator makes a Boolean.
pub(super) fn is_boolean(op: spds_format::expr::Binary) -> bool {
    use spds_format::expr::Binary;
    super::operator::is_comparison(op)
        || matches!(op, Binary::And | Binary::Or | Binary::Xor | Binary::Iff | Binary::Implies)
}

/// Whether such a value can be stored in such variables; else why not.
pub(super) fn fit(wanted: &[Leaf], given: &[Leaf]) -> Result<(), String> {
    if wanted.len() == given.len() && wanted.iter().zip(given).all(|(wanted, given)| wanted.takes(given)) {
        return Ok(());
    }
    Err(format!("this is {}, but {} is wanted", described(given), described(wanted)))
}

/// What a value is, in words.
fn described(leaves: &[Leaf]) -> String {
    let ranges =
        |dims: Dims| -> String { dims.0.iter().flatten().map(|(first, last)| format!("[{first},{last}]")).collect() };
    let dims = leaves.first().map_or(Dims::default(), |leaf| leaf.dims);
    match leaves {
        [leaf] => {
            let (one, many) = match leaf.scalar {
                Scalar::Bool => ("a Boolean", "Booleans"),
                Scalar::Unsigned(_) => ("an integer", "integers"),
            };
            if dims.count() == 0 { one.to_owned() } else { format!("an array {} of {many}", ranges(dims)) }
        }
        _ if dims.count() > 0 && leaves.iter().all(|leaf| leaf.dims == dims) => {
            format!("an array {} of structs of {} fields", ranges(dims), leaves.len())
        }
        _ => format!("a struct of {} fields", leaves.len()),
    }
}
