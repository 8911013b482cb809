//! Which predicates are tracked, as which variables, and which of them are the interfaces of procedures.

use std::rc::Rc;

use crate::c::expression::ExpressionId;
use crate::c::program::{ProcedureId, Program, VariableId};

use super::predicate::{Predicate, PredicateId, Reads, is_typed, reads};

/// A predicate with its variable.
#[derive(Clone, Debug)]
pub(super) struct Tracked {
    pub id: PredicateId,
    pub name: Rc<str>,
    pub expression: ExpressionId,
    pub scope: Option<ProcedureId>,
    pub reads: Reads,
}

/// The interface of a procedure: which of its predicates its callers decide, and which they learn.
#[derive(Clone, Debug, Default)]
pub(super) struct Signature {
    /// Predicates over formals and globals, and values at entry: indices.
    pub entry: Vec<usize>,
    /// Predicates over the result, globals, and values at entry.
    pub exit: Vec<usize>,
}

/// Predicates with variables whose names are unique where they can be seen.
pub(super) fn tracked(program: &Program, predicates: &[Predicate]) -> Vec<Tracked> {
    let mut tracked: Vec<Tracked> = Vec::new();
    for (id, predicate) in (0..).map(PredicateId).zip(predicates) {
        let reads = reads(program, predicate.expression);
        let local = reads.pre || reads.result || reads.now.iter().any(|&variable| !program.is_global(variable));
        let scope = if local { predicate.scope } else { None };
        if tracked.iter().any(|other| (other.expression, other.scope) == (predicate.expression, scope)) {
            continue;
        }
        if !is_typed(program, predicate.expression, scope) {
            continue;
        }
        let clean: String = predicate.text.chars().filter(|c| !"{}\n\r".contains(*c)).collect();
        let meets = |other: &Tracked| other.scope.is_none() || scope.is_none() || other.scope == scope;
        let taken = |name: &str| tracked.iter().any(|other| &*other.name == name && meets(other));
        let mut name = format!("{{{clean}}}");
        let mut count = 1;
        while taken(&name) {
            count += 1;
            name = format!("{{{clean} #{count}}}");
        }
        tracked.push(Tracked { id, name: name.into(), expression: predicate.expression, scope, reads });
    }
    tracked
}

/// The interface of a procedure.
pub(super) fn signature(program: &Program, tracked: &[Tracked], procedure: ProcedureId) -> Signature {
    let formals = &program.procedure(procedure).formals;
    let returned = program.returned(procedure);
    let mut signature = Signature::default();
    for (at, predicate) in tracked.iter().enumerate().filter(|(_, predicate)| predicate.scope == Some(procedure)) {
        let only = |allowed: &dyn Fn(&VariableId) -> bool| {
            predicate.reads.now.iter().all(|variable| program.is_global(*variable) || allowed(variable))
        };
        if !predicate.reads.result && only(&|variable| formals.contains(variable)) {
            signature.entry.push(at);
        }
        if only(&|variable| returned == Some(*variable)) {
            signature.exit.push(at);
        }
    }
    signature
}
