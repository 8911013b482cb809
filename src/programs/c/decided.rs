//! A condition as branches, one for each of its atoms, in the order in which C evaluates them (C11 §6.5.13, §6.5.14).

use std::collections::HashMap;

use super::expression::{Binary, ExpressionId, ExpressionKind, LvalueId, Term, Unary};
use super::program::{Label, Program, StatementKind};

/// What has to hold so that an lvalue has a value that means something: the condition fails otherwise.
pub type Guards = HashMap<LvalueId, ExpressionId>;

/// Where control goes once an atom is known.
#[derive(Clone, Copy)]
enum To {
    /// The condition holds.
    Holds,
    /// It does not.
    Fails,
    /// What stands behind this mark is to be evaluated.
    Mark(usize),
}

/// The parts of a conjunction, in order.
pub fn conjuncts(program: &Program, condition: ExpressionId) -> Vec<ExpressionId> {
    let (mut parts, mut open) = (Vec::new(), vec![condition]);
    while let Some(one) = open.pop() {
        match program.terms.get(one).kind {
            ExpressionKind::Binary(Binary::Both, a, b) => open.extend([b, a]),
            _ => parts.push(one),
        }
    }
    parts
}

/// Statements that go on behind them where the condition holds and do something else where it does not, for whoever puts them one after the other;
/// `first` is the number of the first. Linear.
pub fn decided(
    program: &mut Program,
    condition: ExpressionId,
    guards: &Guards,
    first: u32,
    otherwise: StatementKind,
) -> Vec<StatementKind> {
    let mut atoms: Vec<(ExpressionId, To, To)> = Vec::new();
    let mut marks: Vec<usize> = Vec::new();
    let mut open = vec![(condition, To::Holds, To::Fails, None)];
    while let Some((one, yes, no, mark)) = open.pop() {
        if let Some(mark) = mark {
            marks[mark] = atoms.len();
        }
        match program.terms.get(one).kind {
            ExpressionKind::Unary(Unary::Not, a) => open.push((a, no, yes, None)),
            ExpressionKind::Binary(operator @ (Binary::Both | Binary::Either), a, b) => {
                let mark = marks.len();
                marks.push(0);
                open.push((b, yes, no, Some(mark)));
                open.push(match operator {
                    Binary::Both => (a, To::Mark(mark), no, None),
                    _ => (a, yes, To::Mark(mark), None),
                });
            }
            _ => {
                for term in program.terms.postorder(Term::Expression(one)) {
                    if let Term::Lvalue(lvalue) = term
                        && let Some(guard) = guards.get(&lvalue)
                    {
                        let mark = marks.len();
                        marks.push(atoms.len() + 1);
                        atoms.push((*guard, To::Mark(mark), To::Fails));
                    }
                }
                atoms.push((one, yes, no));
            }
        }
    }
    let wrong = first + atoms.len() as u32;
    let label = |to: To| match to {
        To::Holds => Label(wrong + 1),
        To::Fails => Label(wrong),
        To::Mark(mark) => Label(first + marks[mark] as u32),
    };
    let branches: Vec<(ExpressionId, Label, Label)> =
        atoms.into_iter().map(|(atom, yes, no)| (atom, label(yes), label(no))).collect();
    let mut statements = Vec::with_capacity(branches.len() + 1);
    for (atom, yes, no) in branches {
        statements.push(StatementKind::Branch(truth(program, atom), yes, no));
    }
    statements.push(otherwise);
    statements
}

/// The same where no run goes on that breaks it.
pub fn assumed(program: &mut Program, condition: ExpressionId, guards: &Guards, first: u32) -> Vec<StatementKind> {
    let int = program.types.int();
    let never = program.terms.expression(ExpressionKind::Constant(0), int);
    let all = decided(program, condition, guards, first, StatementKind::Assume(never));
    match all[..] {
        [StatementKind::Branch(atom, yes, no), _] if yes.0 > no.0 => vec![StatementKind::Assume(atom)],
        _ => all,
    }
}

/// That a value is not 0.
fn truth(program: &mut Program, value: ExpressionId) -> ExpressionId {
    let is_truth = match program.terms.get(value).kind {
        ExpressionKind::Binary(operator, ..) => operator.is_truth(),
        ExpressionKind::Unary(Unary::Not, _) => true,
        _ => false,
    };
    if is_truth {
        return value;
    }
    let (ty, int) = (program.terms.get(value).ty, program.types.int());
    let zero = program.terms.expression(ExpressionKind::Constant(0), ty);
    program.terms.expression(ExpressionKind::Binary(Binary::Unequal, value, zero), int)
}
