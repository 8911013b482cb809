//! Stores of values that are not represented, where nobody can look at the bytes: they are left out, or if they are floating-point
//! numbers left to who executes the program.
//!
//! Nothing else is read from an lvalue of such a type but copies of it as a whole. So the bytes of a variable of which no address is used as a value can only be looked
//! at through another member of a union around them; where there is none, what is stored there is never seen. Copies of structures
//! copy their scalars, or store what is not represented.

use std::collections::HashSet;

use super::expression::{ExpressionKind, LvalueId, LvalueKind, Term};
use super::program::{Program, StatementKind, VariableId};
use super::types::Type;

/// Leaves them out of a program: statements do nothing instead, or nothing that others than its judge can see. Linear.
pub(super) fn leave_out(program: &mut Program) {
    let pointed = pointed(program);
    let mut unseen = HashSet::new();
    let statements = program.procedures.iter().flat_map(|procedure| procedure.body.iter().flatten());
    let stored = statements.filter_map(|statement| match statement.kind {
        StatementKind::Havoc(to, ..) => Some(to),
        _ => None,
    });
    for to in stored.chain(program.unrepresented.iter().map(|one| one.to)) {
        if is_unseen(program, &pointed, to) {
            unseen.insert(to);
        }
    }
    let is_float = |to: LvalueId| program.types.is_floating(program.terms.at(to).ty);
    program.unrepresented.retain(|one| is_float(one.to) || !unseen.contains(&one.to));
    program.unrepresented.iter_mut().for_each(|one| one.unseen = unseen.contains(&one.to));
    for statement in program.procedures.iter_mut().flat_map(|procedure| procedure.body.iter_mut().flatten()) {
        if let StatementKind::Havoc(to, reason, exact) = statement.kind
            && unseen.contains(&to)
        {
            statement.kind = if is_float(to) { StatementKind::Unseen(to, reason, exact) } else { StatementKind::Skip };
        }
    }
}

/// The variables whose address, or that of a part, is a value somewhere, or whose bytes are copied.
fn pointed(program: &Program) -> HashSet<VariableId> {
    let statements = program.procedures.iter().flat_map(|procedure| procedure.body.iter().flatten());
    let exact = |kind: &StatementKind| match kind {
        StatementKind::Havoc(_, _, exact) | StatementKind::Unseen(_, _, exact) => exact.map(Term::Expression),
        _ => None,
    };
    let terms = |kind: &StatementKind| kind.terms().chain(exact(kind)).collect::<Vec<Term>>();
    let mut open: Vec<Term> = statements.flat_map(|statement| terms(&statement.kind)).collect();
    for &(to, value) in &program.initial {
        open.extend([Term::Lvalue(to), Term::Expression(value)]);
    }
    let (mut met, mut pointed) = (HashSet::new(), HashSet::new());
    while let Some(term) = open.pop() {
        if !met.insert(term) {
            continue;
        }
        if let Term::Expression(id) = term
            && let ExpressionKind::AddressOf(at) | ExpressionKind::Read(at) = program.terms.get(id).kind
        {
            // Who executes the program copies an object as a whole, such as a list of arguments.
            let whole = matches!(program.types.get(program.terms.at(at).ty), Type::Opaque(_));
            let address = matches!(program.terms.get(id).kind, ExpressionKind::AddressOf(_));
            pointed.extend(program.terms.variable_of(at).filter(|_| whole || address));
        }
        open.extend(program.terms.parts(term));
    }
    pointed
}

/// Whether nobody can look at the bytes of an lvalue whose values are not represented, and it is certainly an object.
fn is_unseen(program: &Program, pointed: &HashSet<VariableId>, to: LvalueId) -> bool {
    if !program.types.is_opaque(program.terms.at(to).ty) {
        return false;
    }
    let mut at = to;
    loop {
        match program.terms.at(at).kind {
            LvalueKind::Variable(variable) => return !pointed.contains(&variable),
            LvalueKind::Field(of, _) => {
                if program.types.as_record(program.terms.at(of).ty).is_none_or(|record| record.union) {
                    return false;
                }
                at = of;
            }
            LvalueKind::Element(of, index) => {
                let length = match program.types.get(program.terms.at(of).ty) {
                    Type::Array(_, length) => u128::from(*length),
                    _ => 0,
                };
                // A negative index is a great number here.
                if !matches!(program.terms.get(index).kind, ExpressionKind::Constant(bits) if bits < length) {
                    return false;
                }
                at = of;
            }
            LvalueKind::Deref(_) => return false,
        }
    }
}
