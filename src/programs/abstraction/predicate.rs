//! Predicates: what they speak of, and so where they live.

use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueKind, Term, Unary};
use crate::c::program::{ProcedureId, Program, StatementKind, VariableId};
use crate::c::types::TypeId;

/// A condition on the state of a C program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predicate {
    /// As the user wrote it.
    pub text: String,
    /// True where it is not 0. Without effects; `pre` and the result of the procedure may occur in it.
    pub expression: ExpressionId,
    /// The procedure of which it is, unless it speaks of globals only.
    pub scope: Option<ProcedureId>,
}

/// A predicate, by where it is in the list over which a program is abstracted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PredicateId(pub u32);

impl PredicateId {
    /// Itself, in the list over which the program was abstracted.
    pub fn of(self, predicates: &[Predicate]) -> &Predicate {
        &predicates[self.0 as usize]
    }
}

/// What an expression reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reads {
    /// Variables whose present values, or addresses, occur in it.
    pub now: Vec<VariableId>,
    /// Whether values at the entry of the procedure occur.
    pub pre: bool,
    /// Whether what the procedure returns occurs.
    pub result: bool,
}

/// What an expression reads. Linear.
pub fn reads(program: &Program, expression: ExpressionId) -> Reads {
    let mut reads = Reads::default();
    let mut stack = vec![Term::Expression(expression)];
    while let Some(term) = stack.pop() {
        match term {
            Term::Expression(id) => match program.terms.get(id).kind {
                ExpressionKind::Pre(_) => {
                    reads.pre = true;
                    continue;
                }
                ExpressionKind::Result => reads.result = true,
                _ => {}
            },
            Term::Lvalue(id) => {
                if let LvalueKind::Variable(variable) = program.terms.at(id).kind {
                    reads.now.push(variable);
                }
            }
        }
        stack.extend(program.terms.parts(term));
    }
    reads.now.sort_unstable();
    reads.now.dedup();
    reads
}

/// Whether operators have operands of the types that they need, and the result is of the type that the procedure returns. What is put
/// together from conditions of several procedures may not be: a pointer may seem to lead to procedures that cannot be called so.
/// Linear.
pub fn is_typed(program: &Program, expression: ExpressionId, scope: Option<ProcedureId>) -> bool {
    let types = &program.types;
    let ty = |id: ExpressionId| program.terms.get(id).ty;
    let alike = |a: TypeId, b: TypeId| match (types.as_integer(a), types.as_integer(b)) {
        (Some(a), Some(b)) => a.width == b.width,
        (None, None) => true,
        _ => false,
    };
    let typed = |id: ExpressionId| match program.terms.get(id).kind {
        ExpressionKind::Binary(Binary::Both | Binary::Either, ..) => true,
        ExpressionKind::Binary(Binary::ShiftLeft | Binary::ShiftRight, a, b) => {
            alike(ty(id), ty(a)) && types.as_integer(ty(b)).is_some()
        }
        ExpressionKind::Binary(operator, a, b) => alike(ty(a), ty(b)) && (operator.is_truth() || alike(ty(id), ty(a))),
        ExpressionKind::Unary(Unary::Negate | Unary::Complement, a) => alike(ty(id), ty(a)),
        ExpressionKind::Read(l) | ExpressionKind::Pre(l) => alike(ty(id), program.terms.at(l).ty),
        ExpressionKind::Result => scope.is_some_and(|scope| alike(ty(id), program.procedure(scope).result)),
        _ => true,
    };
    program.terms.postorder(Term::Expression(expression)).into_iter().all(|term| match term {
        Term::Expression(id) => typed(id),
        Term::Lvalue(_) => true,
    })
}

/// The atoms of all conditions of a program as predicates: of branches and assumptions, each once.
pub fn guards(program: &Program) -> Vec<Predicate> {
    let mut found: Vec<Predicate> = Vec::new();
    for (index, procedure) in program.procedures.iter().enumerate() {
        let id = ProcedureId(index as u32);
        for statement in procedure.body.iter().flatten() {
            let (StatementKind::Branch(condition, ..) | StatementKind::Assume(condition)) = statement.kind else {
                continue;
            };
            for expression in atoms(program, condition) {
                let reads = reads(program, expression);
                let global = reads.now.iter().all(|&variable| program.is_global(variable));
                let scope = if global { None } else { Some(id) };
                let known = |other: &Predicate| (other.expression, other.scope) == (expression, scope);
                if !(reads.now.is_empty() || found.iter().any(known)) {
                    found.push(Predicate { text: program.expression_text(expression), expression, scope });
                }
            }
        }
    }
    found
}

/// The atoms of a condition: what stands under negation and connectives, and comparisons with 0 of such.
pub fn atoms(program: &Program, condition: ExpressionId) -> Vec<ExpressionId> {
    let mut atoms = Vec::new();
    let mut stack = vec![condition];
    while let Some(expression) = stack.pop() {
        match program.terms.get(expression).kind {
            ExpressionKind::Unary(Unary::Not, a) => stack.push(a),
            ExpressionKind::Convert(a) if is_truth(program, a) => stack.push(a),
            ExpressionKind::Binary(Binary::Both | Binary::Either, a, b) => stack.extend([b, a]),
            ExpressionKind::Binary(Binary::Equal | Binary::Unequal, a, b)
                if is_truth(program, a) && matches!(program.terms.get(b).kind, ExpressionKind::Constant(0)) =>
            {
                stack.push(a);
            }
            ExpressionKind::Constant(_) => {}
            _ => atoms.push(expression),
        }
    }
    atoms
}

/// Whether an expression is 0 or 1.
pub fn is_truth(program: &Program, expression: ExpressionId) -> bool {
    match program.terms.get(expression).kind {
        ExpressionKind::Binary(operator, ..) => operator.is_truth(),
        ExpressionKind::Unary(Unary::Not, _) => true,
        ExpressionKind::Convert(a) => {
            matches!(program.terms.get(a).kind, ExpressionKind::Binary(operator, ..) if operator.is_truth())
        }
        _ => false,
    }
}
