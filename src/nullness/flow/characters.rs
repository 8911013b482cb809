//! Where characters are written through pointers that were made for characters, so that what lies there is characters if nobody hands over
//! pointers to characters that lead to something else.

use std::collections::BTreeSet;

use crate::c::effective::Access;
use crate::c::expression::{ExpressionId, ExpressionKind, LvalueId, LvalueKind};
use crate::c::program::{Callee, ProcedureId, Program, StatementKind, Storage, VariableId};
use crate::c::reached::reached;
use crate::c::types::{Rank, Type, TypeId};

/// Which pointers to characters, or to nothing in particular, may lead to what is not characters, by where such pointers come from: others are
/// converted to them. Without regard to the order of statements, and to who calls.
#[derive(Debug, Default)]
pub struct Characters {
    /// Variables of which nobody takes the address.
    variables: BTreeSet<VariableId>,
    /// Those that are converted to pointers to something else.
    others: BTreeSet<VariableId>,
    /// Procedures that may return such pointers.
    results: BTreeSet<ProcedureId>,
    /// Whether such pointers to characters are stored anywhere else.
    stored: bool,
    /// Whether procedures that are called through pointers are given some.
    given: bool,
}

impl Characters {
    /// Those of a program: the least fixed point over what is assigned, given and returned.
    pub fn of(program: &Program) -> Characters {
        let mut this = Characters::default();
        let taken = reached(program, true).taken;
        let open = (0..).map(ProcedureId).zip(&taken).filter(|(id, taken)| **taken || *id == program.main);
        for (id, _) in open {
            let formals = program.procedure(id).formals.iter().copied();
            this.variables.extend(formals.filter(|formal| is_anything(program, program.variable(*formal).ty)));
        }
        while this.converted(program) {}
        while this.step(program, &taken) {}
        this
    }

    /// Whether what is written at an lvalue is characters where there are characters.
    pub fn are_at(&self, program: &Program, lvalue: LvalueId) -> bool {
        let terms = &program.terms;
        if !is_character(program, terms.at(lvalue).ty) || terms.is_in_union(&program.types, lvalue) {
            return false;
        }
        let mut lvalue = lvalue;
        loop {
            match terms.at(lvalue).kind {
                LvalueKind::Variable(_) => return true,
                LvalueKind::Field(of, _) | LvalueKind::Element(of, _) => lvalue = of,
                // A member of what is there.
                LvalueKind::Deref(_) if !is_character(program, terms.at(lvalue).ty) => return true,
                LvalueKind::Deref(pointer) => return !self.may_be_others(program, pointer),
            }
        }
    }

    /// One step to which variables are converted to pointers to something else; whether it found any.
    fn converted(&mut self, program: &Program) -> bool {
        let before = self.others.len();
        let mut found = Vec::new();
        let mut flows = |from: ExpressionId, ty: TypeId, is_other: bool| {
            if is_other || is_some_other(program, ty) {
                found.extend(origin(program, from));
            }
        };
        for expression in program.terms.expressions() {
            if let ExpressionKind::Convert(of) = expression.kind {
                flows(of, expression.ty, false);
            }
        }
        for statement in program.procedures.iter().flat_map(|procedure| procedure.body.iter().flatten()) {
            match &statement.kind {
                StatementKind::Assign(to, value) => {
                    let is_other = self.is_of_others(program, *to);
                    flows(*value, program.terms.at(*to).ty, is_other);
                }
                StatementKind::Call(_, Callee::Procedure(callee), arguments) => {
                    for (formal, argument) in program.procedure(*callee).formals.iter().zip(arguments) {
                        flows(*argument, program.variable(*formal).ty, self.others.contains(formal));
                    }
                }
                _ => {}
            }
        }
        self.others.extend(found);
        self.others.len() > before
    }

    /// Whether what a variable is assigned is one that is converted.
    fn is_of_others(&self, program: &Program, to: LvalueId) -> bool {
        matches!(program.terms.at(to).kind, LvalueKind::Variable(id) if self.others.contains(&id))
    }

    /// One step; whether it found any.
    fn step(&mut self, program: &Program, taken: &[bool]) -> bool {
        let before = (self.variables.len(), self.results.len(), self.stored, self.given);
        for (id, procedure) in (0..).map(ProcedureId).zip(&program.procedures) {
            for statement in procedure.body.iter().flatten() {
                match &statement.kind {
                    StatementKind::Assign(to, value) if self.may_be_others(program, *value) => self.store(program, *to),
                    StatementKind::Return(Some(value)) if self.may_be_others(program, *value) => {
                        self.results.insert(id);
                    }
                    StatementKind::Call(to, Callee::Procedure(callee), arguments) => {
                        for (formal, argument) in program.procedure(*callee).formals.iter().zip(arguments) {
                            if self.may_be_others(program, *argument) {
                                self.variables.insert(*formal);
                            }
                        }
                        let returned = program.procedure(*callee).body.is_none() || self.results.contains(callee);
                        to.iter().filter(|_| returned).for_each(|to| self.store(program, *to));
                    }
                    StatementKind::Call(to, Callee::Pointer(_), arguments) => {
                        self.given |= arguments.iter().any(|argument| self.may_be_others(program, *argument));
                        let mut called = (0..).map(ProcedureId).zip(taken).filter(|(_, taken)| **taken);
                        if called.any(|(id, _)| self.results.contains(&id)) {
                            to.iter().for_each(|to| self.store(program, *to));
                        }
                        self.nothing_known(program, *to);
                    }
                    StatementKind::External(to, ..) => self.nothing_known(program, *to),
                    StatementKind::Input(to, _) | StatementKind::Havoc(to, ..) | StatementKind::Unseen(to, ..) => {
                        self.nothing_known(program, Some(*to));
                    }
                    _ => {}
                }
            }
        }
        if self.given {
            let all = (0..).map(ProcedureId).zip(taken).filter(|(_, taken)| **taken);
            let formals = all.flat_map(|(id, _)| program.procedure(id).formals.iter().copied());
            self.variables.extend(formals.filter(|formal| is_asked(program, program.variable(*formal).ty)));
        }
        before != (self.variables.len(), self.results.len(), self.stored, self.given)
    }

    /// Something is stored that may lead to what is not characters.
    fn store(&mut self, program: &Program, to: LvalueId) {
        let ty = program.terms.at(to).ty;
        match own(program, to).filter(|_| is_asked(program, ty)) {
            Some(variable) => drop(self.variables.insert(variable)),
            // Of pointers to nothing in particular that are stored nothing is known anyway.
            None => self.stored |= is_asked(program, ty) && !is_anything(program, ty),
        }
    }

    /// Something is stored of which nothing is known.
    fn nothing_known(&mut self, program: &Program, to: Option<LvalueId>) {
        let to = to.filter(|to| is_anything(program, program.terms.at(*to).ty));
        to.into_iter().for_each(|to| self.store(program, to));
    }

    /// Whether a pointer may lead to what is not characters.
    fn may_be_others(&self, program: &Program, pointer: ExpressionId) -> bool {
        let terms = &program.terms;
        let of = terms.get(pointer);
        if program.types.pointee(of.ty).is_none() {
            return false;
        }
        match of.kind {
            ExpressionKind::Constant(_) => false,
            ExpressionKind::Convert(from) if program.types.pointee(terms.get(from).ty).is_some() => {
                self.may_be_others(program, from)
            }
            ExpressionKind::Offset(from, _) => self.may_be_others(program, from),
            _ if !is_asked(program, of.ty) => true,
            ExpressionKind::Read(lvalue) => match own(program, lvalue) {
                Some(variable) => self.variables.contains(&variable) || self.others.contains(&variable),
                None => self.stored || is_anything(program, of.ty),
            },
            ExpressionKind::AddressOf(lvalue) => !self.are_at(program, lvalue),
            _ => true,
        }
    }
}

/// As what something is accessed that is written.
pub fn accessed(program: &Program, to: LvalueId, characters: Option<&Characters>) -> Access {
    let access = Access::to(program, to);
    let is_character = characters.is_some_and(|characters| program.effective && characters.are_at(program, to));
    if is_character { access.of_characters() } else { access }
}

/// The variable that an lvalue is, of which nobody takes the address.
fn own(program: &Program, lvalue: LvalueId) -> Option<VariableId> {
    let LvalueKind::Variable(id) = program.terms.at(lvalue).kind else { return None };
    let variable = program.variable(id);
    (matches!(variable.storage, Storage::Local(_)) && !variable.address_taken).then_some(id)
}

/// The variable from which a pointer is made.
fn origin(program: &Program, mut pointer: ExpressionId) -> Option<VariableId> {
    loop {
        match program.terms.get(pointer).kind {
            ExpressionKind::Convert(of) | ExpressionKind::Offset(of, _) => pointer = of,
            ExpressionKind::Read(lvalue) => return own(program, lvalue),
            _ => return None,
        }
    }
}

fn is_character(program: &Program, ty: TypeId) -> bool {
    program.types.as_integer(ty).is_some_and(|integer| integer.rank == Rank::Char)
}

/// Whether it is a pointer to nothing in particular.
fn is_anything(program: &Program, ty: TypeId) -> bool {
    program.types.pointee(ty).is_some_and(|of| matches!(program.types.get(of), Type::Void))
}

/// Whether it is a pointer to characters, or to nothing in particular.
fn is_asked(program: &Program, ty: TypeId) -> bool {
    is_anything(program, ty) || program.types.pointee(ty).is_some_and(|of| is_character(program, of))
}

/// Whether it is a pointer to something else.
fn is_some_other(program: &Program, ty: TypeId) -> bool {
    program.types.pointee(ty).is_some() && !is_asked(program, ty)
}
