//! Where pointers lead, and what they are made of, as far as it matters to what is freed.

use std::collections::BTreeSet;

use super::super::wrong::stripped;
use super::Reallocation;
use crate::c::expression::{ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term};
use crate::c::program::{Callee, Program, Statement, StatementKind, VariableId};
use crate::c::reached::reached;
use crate::c::types::TypeId;
use crate::points_to::{Location, Offset, PointsTo, Targets};

/// Statements that the first procedure may reach.
pub(super) fn statements(program: &Program) -> impl Iterator<Item = &Statement> {
    let procedures = program.procedures.iter().zip(reached(program, false).procedures);
    procedures.filter(|(_, reached)| *reached).flat_map(|(procedure, _)| procedure.body.iter().flatten())
}

/// Formals that nobody changes.
pub(super) fn kept(program: &Program) -> BTreeSet<VariableId> {
    let targets = statements(program).filter_map(|statement| statement.kind.target());
    let changed: BTreeSet<VariableId> = targets.filter_map(|to| program.terms.variable_of(to)).collect();
    let formals = program.procedures.iter().flat_map(|procedure| &procedure.formals).copied();
    formals.filter(|id| !changed.contains(id) && !program.variable(*id).address_taken).collect()
}

/// Those of some formals to which only what the first procedure was given is handed on.
pub(super) fn given(program: &Program, points_to: &PointsTo, mut given: BTreeSet<VariableId>) -> BTreeSet<VariableId> {
    let mut calls = Vec::new();
    for statement in statements(program) {
        if let StatementKind::Call(_, Callee::Procedure(callee), arguments) = &statement.kind {
            calls.push((*callee, arguments));
            continue;
        }
        // With what they are called is not followed.
        for called in points_to.called(program, &statement.kind) {
            for formal in &program.procedure(called).formals {
                given.remove(formal);
            }
        }
    }
    loop {
        let before = given.len();
        for (callee, arguments) in &calls {
            for (formal, argument) in program.procedure(*callee).formals.iter().zip(*arguments) {
                if !variable_in(program, *argument).is_some_and(|id| given.contains(&id)) {
                    given.remove(formal);
                }
            }
        }
        if given.len() == before {
            return given;
        }
    }
}

/// The variable whose value a pointer is.
pub(super) fn variable_in(program: &Program, pointer: ExpressionId) -> Option<VariableId> {
    let ExpressionKind::Read(lvalue) = program.terms.get(stripped(program, pointer)).kind else { return None };
    match program.terms.at(lvalue).kind {
        LvalueKind::Variable(id) => Some(id),
        _ => None,
    }
}

/// Types to which pointers point that are converted into each other.
pub(super) fn converted(program: &Program) -> BTreeSet<(TypeId, TypeId)> {
    let mut found = BTreeSet::new();
    for term in statements(program).flat_map(|statement| statement.kind.terms()) {
        for term in program.terms.postorder(term) {
            if let Term::Expression(id) = term
                && let ExpressionKind::Convert(of) = program.terms.get(id).kind
                && let (Some(from), Some(to)) = (pointed(program, of), pointed(program, id))
            {
                found.extend([(from, to), (to, from)]);
            }
        }
    }
    found
}

/// To what type a pointer points; none if it may be any.
pub(super) fn class(program: &Program, pointer: ExpressionId) -> Option<TypeId> {
    pointed(program, stripped(program, pointer))
}

/// The same, by its own type.
fn pointed(program: &Program, pointer: ExpressionId) -> Option<TypeId> {
    let pointee = program.types.pointee(program.terms.get(pointer).ty)?;
    let is_any = program.types.as_integer(pointee).is_some_and(|integer| integer.width <= 8);
    (program.types.size(pointee).is_some() && !is_any).then_some(pointee)
}

/// Whether something is freed that the first procedure may reach.
pub fn frees(program: &Program) -> bool {
    statements(program).any(|statement| matches!(statement.kind, StatementKind::Free(_)))
}

/// The pointers through which objects are looked at where these terms are evaluated, before they were moved; parts before wholes.
pub fn accessed(program: &Program, roots: impl Iterator<Item = Term>) -> Vec<ExpressionId> {
    let read = |term: Term| match term {
        Term::Expression(id) => match program.terms.get(id).kind {
            ExpressionKind::Read(lvalue) => behind(program, lvalue),
            _ => None,
        },
        Term::Lvalue(_) => None,
    };
    roots.flat_map(|root| program.terms.postorder(root)).filter_map(read).collect()
}

/// The pointer behind which an lvalue lies, before it was moved; none if it is in a variable.
pub(super) fn behind(program: &Program, lvalue: LvalueId) -> Option<ExpressionId> {
    base(program, followed(program, lvalue)?)
}

/// The pointer behind which an lvalue lies, as it is.
fn followed(program: &Program, mut lvalue: LvalueId) -> Option<ExpressionId> {
    loop {
        match program.terms.at(lvalue).kind {
            LvalueKind::Variable(_) => return None,
            LvalueKind::Field(of, _) | LvalueKind::Element(of, _) => lvalue = of,
            LvalueKind::Deref(pointer) => return Some(pointer),
        }
    }
}

/// A pointer before it was moved within its object; none if that is a variable or a procedure.
pub(super) fn base(program: &Program, mut pointer: ExpressionId) -> Option<ExpressionId> {
    loop {
        pointer = stripped(program, pointer);
        match program.terms.get(pointer).kind {
            ExpressionKind::Offset(of, _) => pointer = of,
            ExpressionKind::AddressOf(lvalue) => pointer = followed(program, lvalue)?,
            ExpressionKind::Procedure(_) | ExpressionKind::Constant(_) => return None,
            _ => return program.types.pointee(program.terms.get(pointer).ty).map(|_| pointer),
        }
    }
}

/// Where pointers may lead that a statement stores or hands on, and that need not be at the beginning of their object.
pub(super) fn moved_by(program: &Program, points_to: &PointsTo, kind: &StatementKind) -> Targets {
    let mut found = Targets::new();
    let values = match kind {
        StatementKind::Assign(_, value) | StatementKind::Return(Some(value)) => vec![*value],
        StatementKind::Call(_, _, arguments) | StatementKind::External(_, _, arguments, _) => arguments.clone(),
        _ => Vec::new(),
    };
    for value in values.into_iter().filter(|value| is_moved(program, *value)) {
        found.extend(points_to.value(program, value));
    }
    // Whoever is elsewhere may give back any pointer that he gets at.
    let unknown = match kind {
        StatementKind::External(to, ..) if Reallocation::of(program, kind).is_none() => *to,
        StatementKind::Input(to, _) | StatementKind::Havoc(to, ..) => Some(*to),
        StatementKind::Call(to, callee, _) if points_to.leaves(program, *callee) => *to,
        _ => None,
    };
    if let Some(to) = unknown {
        let ty = program.terms.at(to).ty;
        if !program.types.is_scalar(ty) || program.types.pointee(ty).is_some() {
            for location in points_to.lvalue(program, to) {
                found.extend(points_to.content(Location { offset: Offset::Any, ..location }));
            }
        }
    }
    if let Some(handed) = points_to.handed(program, kind).filter(|_| Reallocation::of(program, kind).is_none()) {
        found.extend(handed);
    }
    found
}

/// Whether a pointer need not lead to where the one leads of which it was made.
fn is_moved(program: &Program, mut value: ExpressionId) -> bool {
    loop {
        value = stripped(program, value);
        let mut lvalue = match program.terms.get(value).kind {
            ExpressionKind::Offset(..) => return true,
            ExpressionKind::AddressOf(lvalue) => lvalue,
            _ => return false,
        };
        value = loop {
            match program.terms.at(lvalue).kind {
                LvalueKind::Variable(_) => return false,
                LvalueKind::Deref(pointer) => break pointer,
                LvalueKind::Field(of, at) => {
                    let record = program.types.as_record(program.terms.at(of).ty);
                    let first = record.and_then(|record| record.fields.get(at as usize));
                    if first.is_none_or(|field| field.offset != 0) {
                        return true;
                    }
                    lvalue = of;
                }
                LvalueKind::Element(of, index) => {
                    if program.terms.get(index).kind != ExpressionKind::Constant(0) {
                        return true;
                    }
                    lvalue = of;
                }
            }
        };
    }
}
