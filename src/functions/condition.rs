//! Conditions on the state in which a function is entered: that a pointer which it is given is not NULL, or one that such a pointer leads to.

use std::collections::BTreeSet;

use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term};
use crate::c::program::{Program, StatementKind, Storage, VariableId};
use crate::c::types::{RecordId, Type, TypeId};

/// So many members are followed from what is given.
pub const LONGEST: usize = 1;

/// Whether a caller may leave anything in a variable.
pub fn is_arbitrary(program: &Program, id: VariableId) -> bool {
    let lives = matches!(program.variable(id).storage, Storage::Global | Storage::Static(_));
    lives && !program.constant.contains(&id) && !program.unknown.iter().any(|(unknown, _)| *unknown == id)
}

/// All such variables.
pub fn arbitrary(program: &Program) -> Vec<VariableId> {
    (0..program.variables.len() as u32).map(VariableId).filter(|id| is_arbitrary(program, *id)).collect()
}

/// Where a pointer is that a function is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Given {
    /// In a parameter, counted from 0.
    Parameter(usize),
    /// In a global variable.
    Global(VariableId),
}

/// That a pointer is not NULL: one that is given, or a member behind it, if there is an object.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Condition {
    /// Where it begins.
    pub given: Given,
    /// Members, each of what the pointer before it leads to.
    pub members: Vec<u32>,
}

/// What can be demanded of the state with which the program's first procedure is entered: of the pointers in parameters and in global
/// variables that it may read, and of those in members behind them that it may read; the nearest first.
pub fn all(program: &Program) -> Vec<Condition> {
    let read = Occurring::of(program);
    let is_pointer = |id: VariableId| program.types.pointee(program.variable(id).ty).is_some();
    let formals = program.procedure(program.main).formals.iter().enumerate();
    let formals = formals.filter(|(_, id)| is_pointer(**id)).map(|(at, _)| Given::Parameter(at));
    let globals = (0..program.variables.len() as u32).map(VariableId);
    let globals = globals.filter(|id| is_arbitrary(program, *id) && is_pointer(*id) && read.variables.contains(id));
    let begun = formals.chain(globals.map(Given::Global));
    let mut found: Vec<Condition> = begun.map(|given| Condition { given, members: Vec::new() }).collect();
    let mut at = 0;
    while let Some(one) = found.get(at).cloned() {
        at += 1;
        let Some(pointee) = one.ty(program).filter(|_| one.members.len() < LONGEST) else { continue };
        let pointee = program.types.pointee(pointee).unwrap_or(pointee);
        let Type::Record(record) = *program.types.get(pointee) else { continue };
        let fields = program.types.records[record.0 as usize].fields.iter().zip(0..);
        let pointers = fields.filter(|(field, _)| program.types.pointee(field.ty).is_some());
        for (_, member) in pointers.filter(|(_, member)| read.members.contains(&(record, *member))) {
            let members = one.members.iter().copied().chain([member]).collect();
            found.push(Condition { given: one.given, members });
        }
    }
    found
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
    /// The type of the pointer.
    fn ty(&self, program: &Program) -> Option<TypeId> {
        let first = match self.given {
            Given::Parameter(at) => *program.procedure(program.main).formals.get(at)?,
            Given::Global(id) => id,
        };
        self.members.iter().try_fold(program.variable(first).ty, |ty, &member| {
            let record = program.types.as_record(program.types.pointee(ty)?)?;
            Some(record.fields.get(member as usize)?.ty)
        })
    }

    /// As C writes it; one of a member says nothing where there is no object.
    pub fn text(&self, program: &Program) -> String {
        self.pointer(program) + " != NULL"
    }

    /// The pointer, as C writes it.
    pub fn pointer(&self, program: &Program) -> String {
        let first = match self.given {
            Given::Parameter(at) => program.procedure(program.main).formals.get(at).copied(),
            Given::Global(id) => Some(id),
        };
        let mut text = first.map_or_else(String::new, |id| program.variable(id).name.to_string());
        let mut ty = first.map(|id| program.variable(id).ty);
        for &member in &self.members {
            let record = ty.and_then(|ty| program.types.as_record(program.types.pointee(ty)?));
            let field = record.and_then(|record| record.fields.get(member as usize));
            text += &format!("->{}", field.map_or("", |field| &field.name));
            ty = field.map(|field| field.ty);
        }
        text
    }

    /// Statements that go on where it holds, for whoever puts them one after the other; `number` is the number of the first, and what is given
    /// to the first procedure is in these variables.
    pub fn assumed(&self, program: &mut Program, given: &[VariableId], number: u32) -> Vec<StatementKind> {
        let first = match self.given {
            Given::Parameter(at) => given.get(at).copied(),
            Given::Global(id) => Some(id),
        };
        let Some(first) = first else { return Vec::new() };
        let end = crate::c::program::Label(number + self.members.len() as u32 + 1);
        let mut lvalue = program.terms.lvalue(LvalueKind::Variable(first), program.variable(first).ty);
        let mut statements = Vec::new();
        for &member in &self.members {
            let (pointer, there) = is_there(program, lvalue);
            let next = crate::c::program::Label(number + statements.len() as u32 + 1);
            statements.push(StatementKind::Branch(there, next, end));
            let Some(inner) = behind(program, pointer, member) else { return Vec::new() };
            lvalue = inner;
        }
        let (_, there) = is_there(program, lvalue);
        statements.push(StatementKind::Assume(there));
        statements
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
fn behind(program: &mut Program, pointer: ExpressionId, member: u32) -> Option<LvalueId> {
    let record = program.types.pointee(program.terms.get(pointer).ty)?;
    let ty = program.types.as_record(record)?.fields.get(member as usize)?.ty;
    let whole = program.terms.lvalue(LvalueKind::Deref(pointer), record);
    Some(program.terms.lvalue(LvalueKind::Field(whole, member), ty))
}
