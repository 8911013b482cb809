//! What statements and calls may do to what outlives them, from their text alone: a fixed point over the call graph.

use std::collections::BTreeSet;

use crate::c::bodiless::Meaning;
use crate::c::expression::LvalueId;
use crate::c::meaning::Does;
use crate::c::program::{Callee, Effect, ProcedureId, Program, StatementKind, Storage, VariableId};

use super::machine::Machine;

/// What may be done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// What pointers lead to may be written.
    pub writes: bool,
    /// These variables may be: scalars that are kept apart.
    pub apart: BTreeSet<VariableId>,
    /// These may be: all other variables to which no pointer leads.
    pub objects: BTreeSet<VariableId>,
    /// Every global may be: somebody is called whose text is not here.
    pub globals: bool,
    /// Objects may be freed.
    pub frees: bool,
    /// Objects may be allocated.
    pub allocates: bool,
    /// Who is called whose text is not here.
    pub foreign: BTreeSet<Box<str>>,
}

impl Effects {
    /// With those of another.
    pub fn join(&mut self, other: &Effects) {
        self.writes |= other.writes;
        self.apart.extend(&other.apart);
        self.objects.extend(&other.objects);
        self.globals |= other.globals;
        self.frees |= other.frees;
        self.allocates |= other.allocates;
        self.foreign.extend(other.foreign.iter().cloned());
    }
}

/// The effects of all procedures, and whom each calls by name.
pub struct Calls {
    /// By procedure.
    pub effects: Vec<Effects>,
    /// By procedure, sorted.
    pub callees: Vec<Vec<ProcedureId>>,
    /// Those to which there are pointers.
    pub taken: Vec<ProcedureId>,
}

impl Calls {
    /// Those of a program.
    pub fn of(program: &Program, taken: &[bool]) -> Calls {
        let ids = || (0..program.procedures.len() as u32).map(ProcedureId);
        let pointed: BTreeSet<ProcedureId> = program
            .terms
            .expressions()
            .filter_map(|expression| match expression.kind {
                crate::c::expression::ExpressionKind::Procedure(id) => Some(id),
                _ => None,
            })
            .collect();
        let called = |id: ProcedureId| {
            let body = program.procedure(id).body.iter().flatten();
            let callees: BTreeSet<ProcedureId> = body
                .filter_map(|statement| match statement.kind {
                    StatementKind::Call(_, Callee::Procedure(callee), _) => Some(callee),
                    _ => None,
                })
                .collect();
            callees.into_iter().collect::<Vec<_>>()
        };
        let callees: Vec<Vec<ProcedureId>> = ids().map(called).collect();
        let none = Effects::default();
        let mut calls = Calls {
            effects: vec![none; program.procedures.len()],
            callees,
            taken: pointed.into_iter().collect(),
        };
        loop {
            let mut grown = false;
            for id in ids() {
                let mut all = calls.effects[id.0 as usize].clone();
                for statement in program.procedure(id).body.iter().flatten() {
                    all.join(&calls.statement(program, taken, &statement.kind));
                }
                forget_locals(program, &mut all);
                grown |= all != calls.effects[id.0 as usize];
                calls.effects[id.0 as usize] = all;
            }
            if !grown {
                return calls;
            }
        }
    }

    /// Those of a statement.
    pub fn statement(&self, program: &Program, taken: &[bool], kind: &StatementKind) -> Effects {
        let mut effects = Effects::default();
        if let Some(to) = kind.target() {
            written(program, taken, to, &mut effects);
        }
        match kind {
            StatementKind::Declare(variable) | StatementKind::Dead(variable) => {
                variable_written(program, taken, *variable, &mut effects);
            }
            StatementKind::Allocate { .. } => effects.allocates = true,
            StatementKind::Free(_) => effects.frees = true,
            StatementKind::External(_, id, _, effect) => self.foreign(program, *id, *effect, &mut effects),
            StatementKind::Call(_, Callee::Procedure(id), _) => self.called(program, *id, &mut effects),
            StatementKind::Call(_, Callee::Pointer(_), _) => {
                for &id in &self.taken {
                    self.called(program, id, &mut effects);
                }
                (effects.writes, effects.globals, effects.allocates) = (true, true, true);
                effects.foreign.insert("a function that a pointer leads to".into());
            }
            _ => {}
        }
        effects
    }

    fn called(&self, program: &Program, id: ProcedureId, effects: &mut Effects) {
        match &program.procedure(id).body {
            Some(_) => {
                effects.join(&self.effects[id.0 as usize]);
                effects.apart.extend(&program.procedure(id).formals);
            }
            None => self.foreign(program, id, program.procedure(id).effect(), effects),
        }
    }

    fn foreign(&self, program: &Program, id: ProcedureId, effect: Effect, effects: &mut Effects) {
        let procedure = program.procedure(id);
        if !effect.writes() {
            return;
        }
        (effects.writes, effects.globals, effects.allocates) = (true, true, true);
        let meaning = procedure.foreign.as_ref().map(|foreign| foreign.meaning);
        effects.frees |= matches!(meaning, Some(Meaning::Unknown(Does::Frees) | Meaning::Free));
        if effect == Effect::Any {
            effects.foreign.insert(procedure.name.clone());
        }
    }
}

fn written(program: &Program, taken: &[bool], to: LvalueId, effects: &mut Effects) {
    match program.terms.variable_of(to) {
        Some(variable) => variable_written(program, taken, variable, effects),
        None => effects.writes = true,
    }
}

fn variable_written(program: &Program, taken: &[bool], variable: VariableId, effects: &mut Effects) {
    let is_taken = taken.get(variable.0 as usize).is_none_or(|taken| *taken);
    match (is_taken, program.types.is_scalar(program.variable(variable).ty)) {
        (false, true) => {
            effects.apart.insert(variable);
        }
        (is_taken, _) => {
            effects.objects.insert(variable);
            effects.writes |= is_taken && !matches!(program.variable(variable).storage, Storage::Local(_));
        }
    }
}

/// Locals end with their frames.
fn forget_locals(program: &Program, effects: &mut Effects) {
    let outlives = |variable: &VariableId| program.is_global(*variable);
    effects.apart.retain(outlives);
    effects.objects.retain(outlives);
}

/// Whether the object of a variable is among what a pointer may lead to.
pub fn is_reached(machine: &Machine<'_>, variable: VariableId) -> bool {
    machine.is_taken(variable)
}
