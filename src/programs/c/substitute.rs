//! Expressions with others in place of some of their parts.

use std::collections::HashMap;

use super::expression::{ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term};
use super::program::Program;

/// An expression with values in place of some of its parts; where one is in another, that of the outer one counts. What a pointer to
/// something points to is that. Linear in its terms.
pub fn replaced(program: &mut Program, expression: ExpressionId, by: &HashMap<Term, ExpressionId>) -> ExpressionId {
    let mut expressions: HashMap<ExpressionId, ExpressionId> = HashMap::new();
    let mut lvalues: HashMap<LvalueId, LvalueId> = HashMap::new();
    for term in program.terms.postorder(Term::Expression(expression)) {
        match term {
            Term::Expression(id) => {
                let new = match by.get(&term) {
                    Some(&value) => value,
                    None => rebuilt_expression(program, id, &expressions, &lvalues),
                };
                expressions.insert(id, new);
            }
            Term::Lvalue(id) => {
                let new = rebuilt_lvalue(program, id, &expressions, &lvalues);
                lvalues.insert(id, new);
            }
        }
    }
    expressions[&expression]
}

fn rebuilt_expression(
    program: &mut Program,
    id: ExpressionId,
    expressions: &HashMap<ExpressionId, ExpressionId>,
    lvalues: &HashMap<LvalueId, LvalueId>,
) -> ExpressionId {
    let (kind, ty) = (program.terms.get(id).kind.clone(), program.terms.get(id).ty);
    let e = |id: ExpressionId| expressions.get(&id).copied().unwrap_or(id);
    let l = |id: LvalueId| lvalues.get(&id).copied().unwrap_or(id);
    let kind = match kind {
        ExpressionKind::Read(of) => ExpressionKind::Read(l(of)),
        ExpressionKind::AddressOf(of) => ExpressionKind::AddressOf(l(of)),
        ExpressionKind::Unary(operator, a) => ExpressionKind::Unary(operator, e(a)),
        ExpressionKind::Binary(operator, a, b) => ExpressionKind::Binary(operator, e(a), e(b)),
        ExpressionKind::Convert(a) => ExpressionKind::Convert(e(a)),
        ExpressionKind::Offset(a, b) => ExpressionKind::Offset(e(a), e(b)),
        ExpressionKind::Distance(a, b) => ExpressionKind::Distance(e(a), e(b)),
        same => same,
    };
    program.terms.expression(kind, ty)
}

fn rebuilt_lvalue(
    program: &mut Program,
    id: LvalueId,
    expressions: &HashMap<ExpressionId, ExpressionId>,
    lvalues: &HashMap<LvalueId, LvalueId>,
) -> LvalueId {
    let (kind, ty) = (program.terms.at(id).kind.clone(), program.terms.at(id).ty);
    let l = |id: LvalueId| lvalues.get(&id).copied().unwrap_or(id);
    let kind = match kind {
        LvalueKind::Variable(_) => return id,
        LvalueKind::Deref(pointer) => {
            let pointer = expressions.get(&pointer).copied().unwrap_or(pointer);
            if let ExpressionKind::AddressOf(of) = program.terms.get(pointer).kind
                && program.terms.at(of).ty == ty
            {
                return of;
            }
            LvalueKind::Deref(pointer)
        }
        LvalueKind::Field(of, index) => LvalueKind::Field(l(of), index),
        LvalueKind::Element(of, index) => LvalueKind::Element(l(of), expressions.get(&index).copied().unwrap_or(index)),
    };
    program.terms.lvalue(kind, ty)
}
