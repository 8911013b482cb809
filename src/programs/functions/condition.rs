//! Conditions on the state in which a function is entered: that a pointer which it is given is not NULL, or one that such a pointer leads to; and
//! on numbers.

use std::collections::{BTreeSet, HashMap, VecDeque};

use crate::c::definedness::is_defined;
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term, Unary};
use crate::c::library::{CLASSES_AT, LAST_ERROR, modelled};
use crate::c::meaning::Kind;
use crate::c::program::{Label, ProcedureId, Program, StatementKind, Storage, VariableId};
use crate::c::substitute::replaced;
use crate::c::types::{Rank, RecordId, Type, TypeId};
use crate::nullness::preconditions;

/// So many members are followed from what is given.
pub const LONGEST: usize = 1;

/// Whether a caller may leave anything in a variable.
pub fn is_arbitrary(program: &Program, id: VariableId) -> bool {
    let lives = match program.variable(id).storage {
        Storage::Global => true,
        // Nobody sees what was there: it is written before each look.
        Storage::Static(of) => !matches!(modelled(&program.procedure(of).name), Some(LAST_ERROR | CLASSES_AT)),
        Storage::Local(_) | Storage::Constant => false,
    };
    lives && !program.constant.contains(&id) && !program.unknown.iter().any(|(unknown, _)| *unknown == id)
}

/// All such variables.
pub fn arbitrary(program: &Program) -> Vec<VariableId> {
    (0..program.variables.len() as u32).map(VariableId).filter(|id| is_arbitrary(program, *id)).collect()
}

/// What is demanded of the state at the entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Condition {
    /// That this is true, if all objects are there that it reads: an expression over parameters of the program's first procedure and globals.
    pub holds: ExpressionId,
    /// Of what.
    pub about: About,
}

/// What a condition is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum About {
    /// That this pointer is not NULL, with so many pointers before it.
    Pointer(ExpressionId, usize),
    /// Numbers.
    Numbers,
}

/// What can be demanded of the state with which the program's first procedure is entered: of the pointers in parameters and in global
/// variables that it may read, and of those in members behind them that it may read; the nearest first.
pub fn pointers(program: &mut Program) -> Vec<Condition> {
    let read = Occurring::of(program);
    let formals = program.procedure(program.main).formals.iter().copied();
    let globals = (0..program.variables.len() as u32).map(VariableId);
    let globals = globals.filter(|id| is_arbitrary(program, *id) && read.variables.contains(id));
    let begun: Vec<VariableId> = formals.chain(globals).collect();
    let mut open: VecDeque<(LvalueId, usize)> = VecDeque::new();
    for id in begun {
        let ty = program.variable(id).ty;
        let whole = program.terms.lvalue(LvalueKind::Variable(id), ty);
        open.extend(parts(program, whole, &read).into_iter().map(|pointer| (pointer, 0)));
    }
    let mut found = Vec::new();
    while let Some((lvalue, behind)) = open.pop_front() {
        let (pointer, holds) = is_there(program, lvalue);
        found.push(Condition { holds, about: About::Pointer(pointer, behind) });
        let pointee = program.types.pointee(program.terms.at(lvalue).ty).filter(|_| behind < LONGEST);
        let Some(Type::Record(record)) = pointee.map(|pointee| program.types.get(pointee).clone()) else { continue };
        let fields = program.types.records[record.0 as usize].fields.iter().zip(0..);
        let pointers = fields.filter(|(field, _)| program.types.pointee(field.ty).is_some());
        let members: Vec<u32> = pointers.map(|(_, member)| member).collect();
        for member in members.into_iter().filter(|member| read.members.contains(&(record, *member))) {
            open.extend(behind_of(program, pointer, member).map(|inner| (inner, behind + 1)));
        }
    }
    found
}

/// The pointers in an object that may be read: itself, or in its members and in theirs.
fn parts(program: &mut Program, whole: LvalueId, read: &Occurring) -> Vec<LvalueId> {
    let (mut found, mut open) = (Vec::new(), vec![whole]);
    while let Some(lvalue) = open.pop() {
        let ty = program.terms.at(lvalue).ty;
        if program.types.pointee(ty).is_some() {
            found.push(lvalue);
        }
        let Type::Record(record) = *program.types.get(ty) else { continue };
        let members: Vec<(u32, TypeId)> = match &program.types.records[record.0 as usize] {
            known if known.union => Vec::new(),
            known => (0..).zip(&known.fields).map(|(member, field)| (member, field.ty)).collect(),
        };
        for (member, ty) in members.into_iter().rev().filter(|(member, _)| read.members.contains(&(record, *member))) {
            open.push(program.terms.lvalue(LvalueKind::Field(lvalue, member), ty));
        }
    }
    found
}

/// What can be demanded of numbers so that uses of these kinds do not go wrong in some procedures, as far as it is found before this says to stop.
pub fn numbers(
    program: &mut Program,
    within: &BTreeSet<ProcedureId>,
    kinds: &BTreeSet<Kind>,
    stop: &dyn Fn() -> bool,
) -> Vec<Condition> {
    let given = program.procedure(program.main).formals.clone();
    let is_given = |program: &Program, holds: ExpressionId| {
        let terms = program.terms.postorder(Term::Expression(holds));
        terms.into_iter().all(|term| match term {
            Term::Lvalue(lvalue) => match program.terms.at(lvalue).kind {
                LvalueKind::Variable(id) => given.contains(&id) || is_arbitrary(program, id),
                _ => true,
            },
            Term::Expression(_) => true,
        })
    };
    let all = preconditions(program, within, kinds, stop).into_iter();
    let all = all.filter(|holds| is_given(program, *holds) && has_value(program, *holds));
    all.map(|holds| Condition { holds, about: About::Numbers }).collect()
}

/// Whether a condition has a value wherever the objects are there that it reads: otherwise to go on only where it holds would say more than that
/// it does.
fn has_value(program: &Program, holds: ExpressionId) -> bool {
    let (types, terms) = (&program.types, &program.terms);
    let integer = |e: ExpressionId| types.as_integer(terms.get(e).ty);
    // A number of a narrower type.
    let narrow = |e: ExpressionId| match terms.get(e).kind {
        ExpressionKind::Convert(of) => integer(of).map(|integer| integer.width),
        _ => None,
    };
    terms.postorder(Term::Expression(holds)).into_iter().all(|term| match term {
        Term::Lvalue(lvalue) => match terms.at(lvalue).kind {
            LvalueKind::Variable(_) | LvalueKind::Field(..) => true,
            LvalueKind::Element(..) => is_defined(types, terms, Term::Lvalue(lvalue)),
            LvalueKind::Deref(pointer) => matches!(terms.get(pointer).kind, ExpressionKind::Read(_)),
        },
        Term::Expression(id) => match terms.get(id).kind {
            ExpressionKind::Constant(_) | ExpressionKind::Read(_) | ExpressionKind::AddressOf(_) => true,
            ExpressionKind::Convert(of) => integer(of).is_some() && integer(id).is_some(),
            ExpressionKind::Unary(op, _) => op != Unary::Negate,
            ExpressionKind::Binary(op @ (Binary::Add | Binary::Subtract | Binary::Multiply), a, b) => {
                let Some(own) = integer(id) else { return false };
                let enough = |width: u32| if op == Binary::Multiply { 2 * width } else { width + 1 };
                let exact = |e: ExpressionId| narrow(e).is_some_and(|width| enough(width) <= own.width);
                !own.signed || exact(a) && exact(b)
            }
            ExpressionKind::Binary(op, a, _) => {
                op.is_truth() && integer(a).is_some() || matches!(op, Binary::And | Binary::Or | Binary::Xor)
            }
            _ => false,
        },
    })
}

/// The variables and the members that occur in statements which the first procedure may reach.
struct Occurring {
    variables: BTreeSet<VariableId>,
    members: BTreeSet<(RecordId, u32)>,
}

impl Occurring {
    fn of(program: &Program) -> Occurring {
        let reached = crate::c::reached::reached(program, false).procedures;
        let bodies = program.procedures.iter().zip(reached).filter(|(_, reached)| *reached);
        let statements = bodies.flat_map(|(procedure, _)| procedure.body.iter().flatten());
        let terms = statements.flat_map(|statement| statement.kind.terms());
        let mut all = Occurring { variables: BTreeSet::new(), members: BTreeSet::new() };
        for term in terms.flat_map(|root| program.terms.postorder(root)) {
            let Term::Lvalue(lvalue) = term else { continue };
            match program.terms.at(lvalue).kind {
                LvalueKind::Variable(id) => drop(all.variables.insert(id)),
                LvalueKind::Field(of, member) => {
                    if let Type::Record(record) = *program.types.get(program.terms.at(of).ty) {
                        all.members.insert((record, member));
                    }
                }
                _ => {}
            }
        }
        all
    }
}

/// The variables that occur in statements which the first procedure may reach.
pub fn occurring(program: &Program) -> BTreeSet<VariableId> {
    Occurring::of(program).variables
}

impl Condition {
    /// As C writes it; one of a member says nothing where there is no object.
    pub fn text(&self, program: &Program) -> String {
        match self.about {
            About::Pointer(pointer, _) => program.expression_text(pointer) + " != NULL",
            About::Numbers => compared(program, self.holds),
        }
    }

    /// Statements that go on where it holds, for whoever puts them one after the other; `number` is the number of the first, and what is given
    /// to the first procedure is in these variables.
    pub fn assumed(&self, program: &mut Program, given: &[VariableId], number: u32) -> Vec<StatementKind> {
        let formals = program.procedure(program.main).formals.clone();
        let mut by = HashMap::new();
        for (formal, &own) in formals.into_iter().zip(given) {
            let ty = program.variable(formal).ty;
            let [from, to] = [formal, own].map(|id| {
                let lvalue = program.terms.lvalue(LvalueKind::Variable(id), ty);
                program.terms.expression(ExpressionKind::Read(lvalue), ty)
            });
            by.insert(Term::Expression(from), to);
        }
        let holds = replaced(program, self.holds, &by);
        let pointers: Vec<LvalueId> = program
            .terms
            .postorder(Term::Expression(holds))
            .into_iter()
            .filter_map(|term| match term {
                Term::Lvalue(lvalue) => match program.terms.at(lvalue).kind {
                    LvalueKind::Deref(pointer) => match program.terms.get(pointer).kind {
                        ExpressionKind::Read(of) => Some(of),
                        _ => None,
                    },
                    _ => None,
                },
                Term::Expression(_) => None,
            })
            .collect();
        let end = Label(number + pointers.len() as u32 + 1);
        let mut statements = Vec::new();
        for lvalue in pointers {
            let (_, there) = is_there(program, lvalue);
            let next = Label(number + statements.len() as u32 + 1);
            statements.push(StatementKind::Branch(there, next, end));
        }
        statements.push(StatementKind::Assume(holds));
        statements
    }
}

/// A condition as C writes it, without those conversions of what is compared that are done anyway where it is read (C11 §6.3.1.8).
fn compared(program: &Program, holds: ExpressionId) -> String {
    let plain = |of: ExpressionId, other: ExpressionId| {
        let ExpressionKind::Convert(inner) = program.terms.get(of).kind else { return of };
        let integer = |e: ExpressionId| program.types.as_integer(program.terms.get(e).ty);
        let (Some(from), Some(to), Some(with)) = (integer(inner), integer(of), integer(other)) else { return of };
        let is_usual = to == with && (from.width < to.width || from.width == to.width && !to.signed);
        if is_usual && to.width >= program.types.model.width(Rank::Int) { inner } else { of }
    };
    match program.terms.get(holds).kind {
        ExpressionKind::Binary(op, a, b) if op.is_truth() => {
            let (left, right) = (plain(a, b), plain(b, a));
            // Both at once would be compared as something else.
            let right = if left == a { right } else { b };
            let (left, right) = (number(program, left, b), number(program, right, a));
            match op.mirrored().filter(|_| is_count(program, b)) {
                Some(op) if left.parse::<i128>().is_ok() => format!("{right} {} {left}", op.sign()),
                _ => format!("{left} {} {right}", op.sign()),
            }
        }
        _ => program.expression_text(holds),
    }
}

/// Whether it is the number of elements behind a pointer.
fn is_count(program: &Program, of: ExpressionId) -> bool {
    match program.terms.get(of).kind {
        ExpressionKind::Read(lvalue) => program.terms.variable_of(lvalue).is_some_and(|id| program.is_count(id)),
        _ => false,
    }
}

/// What is compared with something else; a constant that is compared with a number of elements without what says its type, which it gets anyway.
fn number(program: &Program, of: ExpressionId, with: ExpressionId) -> String {
    let (terms, types) = (&program.terms, &program.types);
    match (&terms.get(of).kind, types.as_integer(terms.get(of).ty), types.as_integer(terms.get(with).ty)) {
        (ExpressionKind::Constant(bits), Some(own), Some(other)) if own == other && is_count(program, with) => {
            let int = types.integer_of(Rank::Int, true);
            let number = own.number(*bits);
            match own.width >= int.width && int.number(number as u128 & int.mask()) == number {
                true => number.to_string(),
                false => program.expression_text(of),
            }
        }
        _ => program.expression_text(of),
    }
}

/// A pointer, and that it is not NULL.
fn is_there(program: &mut Program, lvalue: LvalueId) -> (ExpressionId, ExpressionId) {
    let ty = program.terms.at(lvalue).ty;
    let pointer = program.terms.expression(ExpressionKind::Read(lvalue), ty);
    let zero = program.terms.expression(ExpressionKind::Constant(0), ty);
    let int = program.types.int();
    (pointer, program.terms.expression(ExpressionKind::Binary(Binary::Unequal, pointer, zero), int))
}

/// A member of what a pointer leads to.
fn behind_of(program: &mut Program, pointer: ExpressionId, member: u32) -> Option<LvalueId> {
    let record = program.types.pointee(program.terms.get(pointer).ty)?;
    let ty = program.types.as_record(record)?.fields.get(member as usize)?.ty;
    let whole = program.terms.lvalue(LvalueKind::Deref(pointer), record);
    Some(program.terms.lvalue(LvalueKind::Field(whole, member), ty))
}
