//! Where characters are written through pointers that were made for characters, so that what lies there is characters if nobody hands over
//! pointers to characters that lead to something else.

use std::collections::BTreeSet;

use crate::c::effective::Access;
use crate::c::expression::{ExpressionId, ExpressionKind, LvalueId, LvalueKind};
use crate::c::program::{Callee, ProcedureId, Program, StatementKind, VariableId};
use crate::c::reached::reached;
use crate::c::types::{Type, TypeId};

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
    /// Whether such pointers to characters are stored anywhere else, or what is stored is converted.
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
        if !program.types.is_character(terms.at(lvalue).ty) || terms.is_in_union(&program.types, lvalue) {
            return false;
        }
        let mut lvalue = lvalue;
        loop {
            match terms.at(lvalue).kind {
                LvalueKind::Variable(_) => return true,
                LvalueKind::Field(of, _) | LvalueKind::Element(of, _) => lvalue = of,
                // A member of what is there.
                LvalueKind::Deref(_) if !program.types.is_character(terms.at(lvalue).ty) => return true,
                LvalueKind::Deref(pointer) => return !self.may_be_others(program, pointer),
            }
        }
    }

    /// One step to which variables are converted to pointers to something else, or what is stored or returned; whether it found any.
    fn converted(&mut self, program: &Program) -> bool {
        let before = (self.others.len(), self.results.len(), self.stored);
        let terms = program.terms.expressions();
        let conversions = terms.filter_map(|expression| match expression.kind {
            ExpressionKind::Convert(of) if is_some_other(program, expression.ty) => Some(of),
            _ => None,
        });
        conversions.for_each(|of| self.other(program, of));
        for (id, procedure) in (0..).map(ProcedureId).zip(&program.procedures) {
            for statement in procedure.body.iter().flatten() {
                match &statement.kind {
                    StatementKind::Assign(to, value) if self.is_of_others(program, *to) => self.other(program, *value),
                    StatementKind::Call(to, Callee::Procedure(callee), arguments) => {
                        let callee = (*callee, program.procedure(*callee));
                        for (formal, argument) in callee.1.formals.iter().zip(arguments) {
                            if self.others.contains(formal) || is_some_other(program, program.variable(*formal).ty) {
                                self.other(program, *argument);
                            }
                        }
                        // What is returned as nothing in particular is mostly what was allocated, each time another object.
                        if is_characters(program, callee.1.result)
                            && to.is_some_and(|to| self.is_of_others(program, to))
                        {
                            self.results.insert(callee.0);
                        }
                    }
                    StatementKind::Return(Some(value)) if self.results.contains(&id) => self.other(program, *value),
                    _ => {}
                }
            }
        }
        before != (self.others.len(), self.results.len(), self.stored)
    }

    /// A pointer is converted to one to something else.
    fn other(&mut self, program: &Program, mut pointer: ExpressionId) {
        while let ExpressionKind::Convert(of) | ExpressionKind::Offset(of, _) = program.terms.get(pointer).kind {
            pointer = of;
        }
        if let ExpressionKind::Read(lvalue) = program.terms.get(pointer).kind {
            match own(program, lvalue) {
                Some(variable) => drop(self.others.insert(variable)),
                None => self.stored |= is_characters(program, program.terms.at(lvalue).ty),
            }
        }
    }

    /// Whether what is assigned there is one that is converted.
    fn is_of_others(&self, program: &Program, to: LvalueId) -> bool {
        let lvalue = program.terms.at(to);
        is_some_other(program, lvalue.ty)
            || matches!(lvalue.kind, LvalueKind::Variable(id) if self.others.contains(&id))
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
            None => self.stored |= is_characters(program, ty),
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
    program.is_private(id).then_some(id)
}

/// Whether it is a pointer to nothing in particular.
fn is_anything(program: &Program, ty: TypeId) -> bool {
    program.types.pointee(ty).is_some_and(|of| matches!(program.types.get(of), Type::Void))
}

fn is_characters(program: &Program, ty: TypeId) -> bool {
    program.types.pointee(ty).is_some_and(|of| program.types.is_character(of))
}

/// Whether it is a pointer to characters, or to nothing in particular.
fn is_asked(program: &Program, ty: TypeId) -> bool {
    is_anything(program, ty) || is_characters(program, ty)
}

/// Whether it is a pointer to something else.
fn is_some_other(program: &Program, ty: TypeId) -> bool {
    program.types.pointee(ty).is_some() && !is_asked(program, ty)
}
