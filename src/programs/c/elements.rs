//! How many elements there are from where a pointer leads to the end of the object, by variables that tell it of other pointers: what G. Necula
//! and others call fat pointers (CCured, POPL 2002), and N. Dor, M. Rodeh and M. Sagiv write into programs to ask about accesses to strings (CSSV,
//! PLDI 2003).

use super::expression::{Binary, ExpressionId, ExpressionKind, LvalueId, LvalueKind};
use super::program::{Program, VariableId};
use super::types::{Integer, Type, TypeId};

impl Program {
    /// Whether a variable tells how many elements there are behind a pointer.
    pub fn is_count(&self, id: VariableId) -> bool {
        self.behind.values().any(|behind| behind.count == id)
    }
}

/// A pointer: what it was made of by moving.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// What was moved.
    pub root: Root,
    /// The numbers by which it was.
    pub by: Vec<ExpressionId>,
}

/// What a pointer was before it was moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// What is in a variable.
    Variable(VariableId),
    /// The address of the first of so many elements.
    Array(u64),
    /// NULL
    Null,
}

/// What a pointer was made of; none if that is not seen. Linear.
pub fn moved(program: &Program, mut pointer: ExpressionId) -> Option<Moved> {
    let mut by = Vec::new();
    let size = |pointer: ExpressionId| {
        let to = program.types.pointee(program.terms.get(pointer).ty)?;
        program.types.size(to).filter(|size| *size > 0)
    };
    let own = size(pointer)?;
    let root = loop {
        if size(pointer) != Some(own) {
            return None;
        }
        match program.terms.get(pointer).kind {
            ExpressionKind::Constant(0) => break Root::Null,
            ExpressionKind::Convert(of) => pointer = of,
            ExpressionKind::Offset(of, index) => {
                by.push(index);
                pointer = of;
            }
            ExpressionKind::Read(lvalue) => match program.terms.at(lvalue).kind {
                LvalueKind::Variable(id) => break Root::Variable(id),
                _ => return None,
            },
            ExpressionKind::AddressOf(lvalue) => match program.terms.at(lvalue).kind {
                LvalueKind::Deref(of) => pointer = of,
                LvalueKind::Element(array, index) => {
                    by.push(index);
                    break Root::Array(length(program, array)?);
                }
                LvalueKind::Variable(_) => break Root::Array(1),
                LvalueKind::Field(..) => return None,
            },
            _ => return None,
        }
    };
    Some(Moved { root, by })
}

/// How many elements an array has; none if it may have others than its type says.
fn length(program: &Program, array: LvalueId) -> Option<u64> {
    let Type::Array(_, length) = *program.types.get(program.terms.at(array).ty) else { return None };
    let is_behind = program.terms.variable_of(array).is_none();
    (length > u64::from(is_behind)).then_some(length)
}

/// When nothing is there that a pointer leads to, if that is known: where all conditions of one of these are true. That it is not NULL is not asked.
pub fn wrong(program: &mut Program, pointer: ExpressionId) -> Option<Vec<Vec<ExpressionId>>> {
    let Moved { root, by } = moved(program, pointer)?;
    let is_some = match root {
        Root::Variable(id) => program.behind.get(&id)?.is_some,
        Root::Array(length) => length > 0,
        Root::Null => return None,
    };
    let known = by.iter().map(|index| constant(program, *index)).sum::<Option<i128>>();
    match (root, known) {
        (_, Some(0)) if is_some => return None,
        (Root::Array(length), Some(at)) if at < i128::from(length) => return None,
        _ => {}
    }
    let int = program.types.int();
    let truth = |program: &mut Program, op, a, b| program.terms.expression(ExpressionKind::Binary(op, a, b), int);
    let count = counted(program, root)?;
    let ty = program.terms.get(count).ty;
    if let [index] = by[..]
        && let Some(integer) = integer(program, index)
    {
        // As a number without sign where the index is none that a number with sign can be.
        if !integer.signed && program.types.as_integer(ty).is_some_and(|own| integer.width >= own.width) {
            let own = program.terms.get(index).ty;
            let zero = program.terms.expression(ExpressionKind::Constant(0), ty);
            let none = truth(program, Binary::LessEqual, count, zero);
            let count = converted(program, count, own);
            let many = truth(program, Binary::GreaterEqual, index, count);
            return Some(if is_some { vec![vec![many]] } else { vec![vec![none], vec![many]] });
        }
        let index = converted(program, index, ty);
        let many = match constant(program, index) {
            Some(_) => truth(program, Binary::LessEqual, count, index),
            None => truth(program, Binary::GreaterEqual, index, count),
        };
        return Some(vec![vec![many]]);
    }
    let rest = rest(program, count, &by);
    let zero = program.terms.expression(ExpressionKind::Constant(0), ty);
    Some(vec![vec![truth(program, Binary::LessEqual, rest, zero)]])
}

/// How many elements there are behind a pointer, if that is known.
pub fn elements(program: &mut Program, pointer: ExpressionId) -> Option<ExpressionId> {
    let Moved { root, by } = moved(program, pointer)?;
    let count = counted(program, root)?;
    Some(rest(program, count, &by))
}

/// How many there were before it was moved.
fn counted(program: &mut Program, root: Root) -> Option<ExpressionId> {
    let ty = program.types.difference_type();
    Some(match root {
        Root::Variable(id) => {
            let count = program.behind.get(&id)?.count;
            let lvalue = program.terms.lvalue(LvalueKind::Variable(count), ty);
            program.terms.expression(ExpressionKind::Read(lvalue), ty)
        }
        Root::Array(length) => program.terms.expression(ExpressionKind::Constant(u128::from(length)), ty),
        Root::Null => program.terms.expression(ExpressionKind::Constant(0), ty),
    })
}

/// Without sign, where nothing overflows.
fn rest(program: &mut Program, count: ExpressionId, by: &[ExpressionId]) -> ExpressionId {
    let (ty, unsigned) = (program.terms.get(count).ty, program.types.size_type());
    let mut rest = count;
    for &index in by {
        if let (Some(count), Some(by)) = (constant(program, rest), constant(program, index)) {
            let mask = program.types.difference().mask();
            rest = program.terms.expression(ExpressionKind::Constant((count - by) as u128 & mask), ty);
            continue;
        }
        let (a, index) = (converted(program, rest, unsigned), converted(program, index, ty));
        let b = converted(program, index, unsigned);
        let less = program.terms.expression(ExpressionKind::Binary(Binary::Subtract, a, b), unsigned);
        rest = converted(program, less, ty);
    }
    rest
}

fn converted(program: &mut Program, of: ExpressionId, ty: TypeId) -> ExpressionId {
    if program.terms.get(of).ty == ty {
        return of;
    }
    let kind = match (&program.terms.get(of).kind, integer(program, of), program.types.as_integer(ty)) {
        (ExpressionKind::Constant(bits), Some(from), Some(to)) => {
            ExpressionKind::Constant(from.number(*bits) as u128 & to.mask())
        }
        _ => ExpressionKind::Convert(of),
    };
    program.terms.expression(kind, ty)
}

/// The number, if it is one.
fn constant(program: &Program, of: ExpressionId) -> Option<i128> {
    match program.terms.get(of).kind {
        ExpressionKind::Constant(bits) => Some(integer(program, of)?.number(bits)),
        _ => None,
    }
}

fn integer(program: &Program, of: ExpressionId) -> Option<Integer> {
    program.types.as_integer(program.terms.get(of).ty)
}
