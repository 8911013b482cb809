//! What can be demanded of numbers at the entry of a program so that uses do not go wrong: the negations of weakest preconditions, as far as they
//! are found, and bounds of counters that are compared with what is given. None of them is known to be enough, or to be needed.

use std::collections::{BTreeSet, HashSet};

use crate::abstraction::predicate::atoms;
use crate::analyses::Analyses;
use crate::c::Program;
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueKind, Unary};
use crate::c::library::is_undefined;
use crate::c::meaning::Kind;
use crate::c::program::{Callee, Failure, ProcedureId, Statement, StatementKind, VariableId};
use crate::c::types::Rank;
use crate::question::wrong::{Needed, Used, used};

use super::predicates;
use super::sums::constant;

/// Where something goes wrong in a procedure: if this is true.
type Wrong = (ExpressionId, ProcedureId);

/// Conditions on what the first procedure is given, and on what that leads to, which have to do with uses in some procedures, of these kinds.
/// They have no pointers but those that lead to numbers. Only some of them where this says to stop.
pub fn preconditions(
    program: &mut Program,
    within: &BTreeSet<ProcedureId>,
    kinds: &BTreeSet<Kind>,
    stop: &dyn Fn() -> bool,
) -> Vec<ExpressionId> {
    let mut wrong: Vec<Wrong> = Vec::new();
    for &id in within {
        let body: Vec<Statement> = program.procedure(id).body.clone().unwrap_or_default();
        let first = wrong.len();
        for statement in &body {
            for one in used(program, &statement.kind) {
                if let Used::Needed(Needed { kind, wrong: all, .. }) = one
                    && kind != Kind::Null
                    && kinds.contains(&kind)
                {
                    wrong.extend(all.into_iter().flatten().map(|condition| (condition, id)));
                }
            }
        }
        let failing = failing(program, &body, kinds);
        wrong.extend(failing.into_iter().map(|condition| (condition, id)));
        let counted: Vec<ExpressionId> = wrong[first..].iter().map(|(condition, _)| *condition).collect();
        wrong.extend(bounds(program, &body, &counted).into_iter().map(|condition| (condition, id)));
    }
    let analyses = Analyses::of(program);
    let mut known = HashSet::new();
    let atoms = predicates::at_entry(program, &wrong, &analyses, stop);
    let numbers = atoms.into_iter().filter(|atom| is_of_numbers(program, *atom)).collect::<Vec<_>>();
    let all = numbers.into_iter().map(|atom| negated(program, atom)).filter(|condition| known.insert(*condition));
    let mut all: Vec<ExpressionId> = all.collect();
    if kinds.contains(&Kind::Bounds) {
        all.extend(enough(program).into_iter().filter(|condition| known.insert(*condition)));
    }
    all.sort_by_key(|condition| strength(program, *condition));
    all
}

/// Of conditions on one number that say the same with other bounds the weakest comes first.
fn strength(program: &Program, condition: ExpressionId) -> (u32, u8, i128) {
    let (of, op, bound) = match program.terms.get(condition).kind {
        ExpressionKind::Binary(op, of, bound) => (of, op, constant(program, bound)),
        _ => (condition, Binary::Unequal, None),
    };
    match (op, bound) {
        (Binary::Less | Binary::LessEqual, Some(bound)) => (of.0, 2, -bound),
        (Binary::Greater | Binary::GreaterEqual, Some(bound)) => (of.0, 1, bound),
        _ => (of.0, 0, 0),
    }
}

/// What leads to contracts that are broken, to assertions that fail, and to what the library leaves undefined, if these are asked about.
fn failing(program: &mut Program, body: &[Statement], kinds: &BTreeSet<Kind>) -> Vec<ExpressionId> {
    let asserts = kinds.contains(&Kind::Assert);
    let is_undefined = |id: ProcedureId| kinds.contains(&Kind::Bounds) && is_undefined(&program.procedure(id).name);
    let undefined: Vec<bool> = (0..program.procedures.len() as u32).map(|id| is_undefined(ProcedureId(id))).collect();
    let fails = |mut at: usize| {
        // No more steps than there are statements.
        for _ in body {
            match body.get(at).map(|statement| &statement.kind) {
                Some(StatementKind::Skip | StatementKind::Dead(_)) => at += 1,
                Some(StatementKind::Goto(to)) => at = to.0 as usize,
                Some(StatementKind::Fail(Failure::Contract(_))) => return true,
                Some(StatementKind::Fail(Failure::Assertion | Failure::Error | Failure::ErrorLabel)) => return asserts,
                Some(StatementKind::Call(_, Callee::Procedure(id), _)) => return undefined[id.0 as usize],
                _ => return false,
            }
        }
        false
    };
    let mut all = Vec::new();
    for statement in body {
        let StatementKind::Branch(condition, yes, no) = statement.kind else { continue };
        if fails(yes.0 as usize) {
            all.extend(atoms(program, condition));
        }
        if fails(no.0 as usize) {
            let atoms = atoms(program, condition);
            all.extend(atoms.into_iter().map(|atom| negated(program, atom)));
        }
    }
    all
}

/// Where something goes wrong if a number is large, and branches compare that number with another: it may be that other one which is too large.
fn bounds(program: &mut Program, body: &[Statement], wrong: &[ExpressionId]) -> Vec<ExpressionId> {
    let branches = body.iter().filter_map(|statement| match statement.kind {
        StatementKind::Branch(condition, ..) => Some(condition),
        _ => None,
    });
    let guards: Vec<ExpressionId> = branches.flat_map(|condition| atoms(program, condition)).collect();
    let mut all = Vec::new();
    for &condition in wrong {
        let ExpressionKind::Binary(Binary::GreaterEqual | Binary::Greater, of, most) =
            program.terms.get(condition).kind
        else {
            continue;
        };
        let most = match program.terms.get(most).kind {
            ExpressionKind::Constant(most) => Most::Number(most),
            _ if is_count(program, most) => Most::Count(most),
            _ => continue,
        };
        for &guard in &guards {
            let ExpressionKind::Binary(op, a, b) = program.terms.get(guard).kind else { continue };
            let is_same = |other: ExpressionId| unconverted(program, other) == unconverted(program, of);
            let (other, strict) = match op {
                Binary::Less | Binary::Unequal | Binary::Equal if is_same(a) => (b, true),
                Binary::LessEqual if is_same(a) => (b, false),
                Binary::Greater if is_same(b) => (a, true),
                Binary::GreaterEqual if is_same(b) => (a, false),
                _ => continue,
            };
            let Some((other, most)) = most.beside(program, other).filter(|(other, most)| other != most) else {
                continue;
            };
            let int = program.types.int();
            let op = if strict { Binary::Greater } else { Binary::GreaterEqual };
            all.push(program.terms.expression(ExpressionKind::Binary(op, other, most), int));
        }
    }
    all
}

/// What an index has to be less than.
#[derive(Clone, Copy)]
enum Most {
    /// A constant.
    Number(u128),
    /// How many elements there are.
    Count(ExpressionId),
}

impl Most {
    /// A number and this, of one type; none if it is none of the number's type.
    fn beside(self, program: &mut Program, other: ExpressionId) -> Option<(ExpressionId, ExpressionId)> {
        let ty = program.terms.get(other).ty;
        let integer = program.types.as_integer(ty)?;
        match self {
            Most::Number(most) => {
                let is_one = most <= integer.mask() >> u32::from(integer.signed);
                is_one.then(|| (other, program.terms.expression(ExpressionKind::Constant(most), ty)))
            }
            Most::Count(most) => {
                let wanted = program.terms.get(most).ty;
                let own = program.types.as_integer(wanted)?;
                Some(match wanted == ty {
                    true => (other, most),
                    false if integer.width < own.width => {
                        (program.terms.expression(ExpressionKind::Convert(other), wanted), most)
                    }
                    false => (other, program.terms.expression(ExpressionKind::Convert(most), ty)),
                })
            }
        }
    }
}

/// Whether it is the number of elements behind a pointer.
fn is_count(program: &Program, of: ExpressionId) -> bool {
    match program.terms.get(unconverted(program, of)).kind {
        ExpressionKind::Read(lvalue) => match program.terms.at(lvalue).kind {
            LvalueKind::Variable(id) => program.is_count(id),
            _ => false,
        },
        _ => false,
    }
}

/// That numbers which the first procedure is given are no more than there are elements behind pointers that it is given.
fn enough(program: &mut Program) -> Vec<ExpressionId> {
    /// More would cost more than they are likely to tell.
    const MOST: usize = 8;
    let formals = program.procedure(program.main).formals.clone();
    let is_number = |id: &VariableId| {
        program.types.as_integer(program.variable(*id).ty).is_some_and(|integer| integer.rank != Rank::Char)
    };
    let numbers = formals.iter().copied().filter(is_number);
    let (counts, numbers): (Vec<VariableId>, Vec<VariableId>) = numbers.partition(|id| program.is_count(*id));
    let read = |program: &mut Program, id: VariableId| {
        let ty = program.variable(id).ty;
        let lvalue = program.terms.lvalue(LvalueKind::Variable(id), ty);
        program.terms.expression(ExpressionKind::Read(lvalue), ty)
    };
    let mut all = Vec::new();
    for &count in &counts {
        for &number in &numbers {
            let (count, number) = (read(program, count), read(program, number));
            if let Some((number, count)) = Most::Count(count).beside(program, number) {
                let int = program.types.int();
                all.push(program.terms.expression(ExpressionKind::Binary(Binary::LessEqual, number, count), int));
            }
        }
    }
    all.truncate(MOST);
    all
}

fn unconverted(program: &Program, mut of: ExpressionId) -> ExpressionId {
    while let ExpressionKind::Convert(inner) = program.terms.get(of).kind {
        of = inner;
    }
    of
}

/// Whether it compares numbers.
fn is_of_numbers(program: &Program, atom: ExpressionId) -> bool {
    let is_number = |of: ExpressionId| program.types.as_integer(program.terms.get(of).ty).is_some();
    match program.terms.get(atom).kind {
        ExpressionKind::Binary(op, a, _) => op.is_truth() && is_number(a),
        _ => is_number(atom),
    }
}

/// That a condition is not true.
fn negated(program: &mut Program, of: ExpressionId) -> ExpressionId {
    let int = program.types.int();
    let opposite = match program.terms.get(of).kind {
        ExpressionKind::Binary(op, a, b) => {
            let opposite = match op {
                Binary::Equal => Some(Binary::Unequal),
                Binary::Unequal => Some(Binary::Equal),
                Binary::Less => Some(Binary::GreaterEqual),
                Binary::GreaterEqual => Some(Binary::Less),
                Binary::Greater => Some(Binary::LessEqual),
                Binary::LessEqual => Some(Binary::Greater),
                _ => None,
            };
            opposite.map(|op| ExpressionKind::Binary(op, a, b))
        }
        _ => None,
    };
    let kind = opposite.unwrap_or(ExpressionKind::Unary(Unary::Not, of));
    program.terms.expression(kind, int)
}
