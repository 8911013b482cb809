//! Conditions of contracts put into the state in which they are evaluated: values for formals and for what is returned, and what was saved at
//! the entry for values at the entry.

use std::collections::HashMap;

use crate::c::expression::{ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term};
use crate::c::program::{Program, VariableId};
use crate::c::substitute::replaced;

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
        let mut by: HashMap<Term, ExpressionId> = HashMap::new();
        for term in program.terms.postorder(Term::Expression(root)) {
            let Term::Expression(id) = term else { continue };
            let value = match program.terms.get(id).kind {
                ExpressionKind::Result => self.result,
                ExpressionKind::Pre(of) => self.before.get(&of).copied(),
                ExpressionKind::Read(of) => match program.terms.at(of).kind {
                    LvalueKind::Variable(variable) => self.values.get(&variable).copied(),
                    _ => None,
                },
                _ => None,
            };
            by.extend(value.map(|value| (term, value)));
        }
        replaced(program, root, &by)
    }
}
