//! Conditions of contracts put into the state in which they are evaluated: values for formals and for what is returned, and what was saved at
//! the entry for values at the entry.

use std::collections::HashMap;

use crate::c::expression::{ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term};
use crate::c::program::{Program, VariableId};

/// What stands for what.
#[derive(Clone, Debug, Default)]
pub struct Put {
    /// Values of variables.
    pub values: HashMap<VariableId, ExpressionId>,
    /// What is returned.
    pub result: Option<ExpressionId>,
    /// What was in an lvalue at the entry.
    pub before: HashMap<LvalueId, ExpressionId>,
}

impl Put {
    /// An expression in which it is put. What nothing is known of stays. Linear.
    pub fn in_place(&self, program: &mut Program, root: ExpressionId) -> ExpressionId {
        let mut done: HashMap<Term, Term> = HashMap::new();
        for term in program.terms.postorder(Term::Expression(root)) {
            let new = match term {
                Term::Expression(id) => Term::Expression(self.expression(program, id, &done)),
                Term::Lvalue(id) => Term::Lvalue(lvalue(program, id, &done)),
            };
            done.insert(term, new);
        }
        known(&done, root)
    }

    fn expression(&self, program: &mut Program, id: ExpressionId, done: &HashMap<Term, Term>) -> ExpressionId {
        let old = program.terms.get(id).clone();
        let (e, l) = (|id| known(done, id), |id| known_lvalue(done, id));
        let kind = match old.kind {
            ExpressionKind::Constant(_) | ExpressionKind::Procedure(_) => return id,
            ExpressionKind::Result => return self.result.unwrap_or(id),
            ExpressionKind::Pre(of) => return self.before.get(&of).copied().unwrap_or(id),
            ExpressionKind::Read(of) => match program.terms.at(of).kind {
                LvalueKind::Variable(variable) if self.values.contains_key(&variable) => {
                    return self.values[&variable];
                }
                _ => ExpressionKind::Read(l(of)),
            },
            ExpressionKind::AddressOf(of) => ExpressionKind::AddressOf(l(of)),
            ExpressionKind::Unary(operator, a) => ExpressionKind::Unary(operator, e(a)),
            ExpressionKind::Convert(a) => ExpressionKind::Convert(e(a)),
            ExpressionKind::Binary(operator, a, b) => ExpressionKind::Binary(operator, e(a), e(b)),
            ExpressionKind::Offset(a, b) => ExpressionKind::Offset(e(a), e(b)),
            ExpressionKind::Distance(a, b) => ExpressionKind::Distance(e(a), e(b)),
        };
        program.terms.expression(kind, old.ty)
    }
}

fn lvalue(program: &mut Program, id: LvalueId, done: &HashMap<Term, Term>) -> LvalueId {
    let old = program.terms.at(id).clone();
    let kind = match old.kind {
        LvalueKind::Variable(_) => return id,
        LvalueKind::Deref(pointer) => LvalueKind::Deref(known(done, pointer)),
        LvalueKind::Field(of, field) => LvalueKind::Field(known_lvalue(done, of), field),
        LvalueKind::Element(of, index) => LvalueKind::Element(known_lvalue(done, of), known(done, index)),
    };
    program.terms.lvalue(kind, old.ty)
}

fn known(done: &HashMap<Term, Term>, id: ExpressionId) -> ExpressionId {
    match done.get(&Term::Expression(id)) {
        Some(Term::Expression(new)) => *new,
        _ => id,
    }
}

fn known_lvalue(done: &HashMap<Term, Term>, id: LvalueId) -> LvalueId {
    match done.get(&Term::Lvalue(id)) {
        Some(Term::Lvalue(new)) => *new,
        _ => id,
    }
}
