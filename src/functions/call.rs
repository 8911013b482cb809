//! Calls: what is known of the callee counts, or its text, if that is short.

use std::rc::Rc;

use crate::bitvec::Term;
use crate::c::expression::{ExpressionId, LvalueId};
use crate::c::library::modelled;
use crate::c::program::{Callee, Effect, Label, ProcedureId, Statement, StatementId, VariableId};
use crate::c::types::TypeId;

use super::Kind;
use super::effects::Effects;
use super::machine::{From, OFFSET, Pointer, Value};
use super::memory::Changed;
use super::order::{Item, ordered};
use super::state::{Dead, State};
use super::summary::Summary;
use super::values::{About, Demand, World};
use super::walk::Walk;

/// Statements of the longest procedure whose text is executed where it is called.
const SHORT: usize = 40;

/// So many such procedures call each other.
const DEEP: usize = 5;

/// A call: where its result goes, who is called, with what.
type Called<'s, C> = (Option<LvalueId>, C, &'s [ExpressionId]);

impl Walk<'_, '_> {
    /// A call of a procedure of the program, or through a pointer.
    pub(super) fn calls(
        &mut self,
        at: StatementId,
        statement: &Statement,
        mut state: State,
        (to, callee, arguments): Called<'_, Callee>,
        next: Label,
    ) {
        let id = match callee {
            Callee::Procedure(id) => Some(id),
            Callee::Pointer(e) => {
                let Some(value) = self.evaluated(at, statement, &mut state, e) else { return };
                if let Value::Pointer(pointer) = value {
                    let term = self.world.machine.is_some(pointer);
                    let demand = Demand { kind: Kind::Null, term, about: About::Access(e, pointer, 0) };
                    if !self.demanded(at, statement, &mut state, vec![demand]) {
                        return;
                    }
                }
                None
            }
        };
        let Some(values) = self.arguments(at, statement, &mut state, arguments) else { return };
        let program = self.world.machine.program;
        let Some(id) = id.filter(|id| program.procedure(*id).body.is_some()) else {
            self.unknown(at, statement, state, to, next);
            return;
        };
        let raised = modelled(&program.procedure(id).name).is_some();
        if self.is_short(id) {
            let depth = self.frames.len();
            let text: Rc<str> = program.statement_text(statement).into();
            let told = (raised && depth == 1).then(|| (at, statement.place, text));
            self.bind(&mut state, id, &values);
            let Some(mut state) = self.inside(id, state, told) else { return };
            let value = state.result.take();
            self.forget(&mut state, id);
            self.returned(at, statement, state, (to, value), next);
            return;
        }
        self.summarised(at, statement, state, (to, id, &values), next);
    }

    fn arguments(
        &mut self,
        at: StatementId,
        statement: &Statement,
        state: &mut State,
        arguments: &[ExpressionId],
    ) -> Option<Vec<Value>> {
        arguments.iter().map(|&e| self.evaluated(at, statement, state, e)).collect()
    }

    /// Whether the text of a procedure is executed where it is called.
    fn is_short(&self, id: ProcedureId) -> bool {
        let program = self.world.machine.program;
        let procedure = program.procedure(id);
        let body = procedure.body.as_deref().unwrap_or(&[]);
        let mut variables = procedure.formals.iter().chain(&procedure.locals);
        body.len() <= SHORT
            && self.frames.len() <= DEEP
            && self.frames.iter().all(|frame| frame.procedure != id)
            && variables.all(|&variable| !self.world.machine.is_taken(variable))
            && ordered(body).iter().all(|item| matches!(item, Item::Statement(_)))
            && !self.context.calls.callees[id.0 as usize].contains(&id)
    }

    fn bind(&mut self, state: &mut State, id: ProcedureId, values: &[Value]) {
        let program = self.world.machine.program;
        bind(self.world, state, &program.procedure(id).formals, values);
    }

    /// Locals of a procedure that has returned.
    fn forget(&self, state: &mut State, id: ProcedureId) {
        let procedure = self.world.machine.program.procedure(id);
        let values = Rc::make_mut(&mut state.values);
        for variable in procedure.formals.iter().chain(&procedure.locals) {
            values.remove(variable);
        }
        if !state.assigned.is_empty() {
            let assigned = Rc::make_mut(&mut state.assigned);
            for variable in procedure.formals.iter().chain(&procedure.locals) {
                assigned.remove(variable);
            }
        }
    }

    /// A result goes where it belongs.
    fn returned(
        &mut self,
        at: StatementId,
        statement: &Statement,
        state: State,
        (to, value): (Option<LvalueId>, Option<Value>),
        next: Label,
    ) {
        match to {
            None => self.frame().pending.entry(next).or_default().push(state),
            Some(to) => {
                let ty = self.world.machine.program.terms.at(to).ty;
                let value = value.unwrap_or_else(|| self.world.machine.any(ty, From::Anywhere));
                self.assigned(at, statement, state, to, value, next);
            }
        }
    }

    /// A call of which a summary says what it needs and does.
    fn summarised(
        &mut self,
        at: StatementId,
        statement: &Statement,
        mut state: State,
        (to, id, values): (Option<LvalueId>, ProcedureId, &[Value]),
        next: Label,
    ) {
        let program = self.world.machine.program;
        let summary: Option<&Summary> = self.context.summaries[id.0 as usize].as_ref();
        let mut bound = state.clone();
        self.bind(&mut bound, id, values);
        if !self.owed(at, statement, &mut state, (id, &bound)) {
            return;
        }
        if summary.is_some_and(|summary| !summary.returns) {
            return;
        }
        let effects = self.context.calls.effects[id.0 as usize].clone();
        self.affected(&mut state, &effects);
        let result = program.procedure(id).result;
        let value = self.result(&state, result, summary);
        if let Some(summary) = summary {
            for fact in &summary.facts {
                let Some(value) = value else { continue };
                let term = fact.term(&mut self.world.machine, value, result);
                state.assume(&self.world.machine, term, None);
            }
        }
        self.returned(at, statement, state, (to, value), next);
    }

    /// What a procedure demands of its callers does hold; whether that is possible.
    fn owed(&mut self, at: StatementId, statement: &Statement, state: &mut State, (id, bound): (ProcedureId, &State)) -> bool {
        let program = self.world.machine.program;
        let Some(summary) = &self.context.summaries[id.0 as usize] else { return true };
        let name = &program.procedure(id).name;
        for owed in &summary.obligations {
            let term = owed.condition.term(self.world, bound);
            let text: Rc<str> = format!("{name}: {}", owed.condition.text(program)).into();
            let values = owed.condition.values(self.world, bound);
            let demand = Demand { kind: owed.kind, term, about: About::Owed(owed.condition, values) };
            self.told(at, statement, state, demand, Some(text));
            if !state.assume(&self.world.machine, term, None) {
                return false;
            }
        }
        // What is not known of a procedure of the library is not known of who calls it.
        let open = if modelled(name).is_some() { &summary.open[..] } else { &[] };
        for &kind in open {
            let term = self.world.machine.fresh(1);
            let demand = Demand { kind, term, about: About::Other };
            self.told(at, statement, state, demand, Some(format!("in `{name}`").into()));
            state.assume(&self.world.machine, term, None);
        }
        true
    }

    /// Any result of a type.
    fn result(&mut self, state: &State, ty: TypeId, summary: Option<&Summary>) -> Option<Value> {
        self.world.machine.program.types.is_scalar(ty).then(|| {
            let proper = summary.is_some_and(|summary| summary.proper) || summary.is_none() && self.context.keeps;
            let from = if proper { From::Proper(state.clock) } else { From::Anywhere };
            self.world.machine.any(ty, from)
        })
    }

    /// A call of somebody of whom nothing is known.
    fn unknown(&mut self, at: StatementId, statement: &Statement, mut state: State, to: Option<LvalueId>, next: Label) {
        let program = self.world.machine.program;
        let effects = self.context.calls.statement(program, self.context.taken, &statement.kind);
        self.affected(&mut state, &effects);
        let value = to.map(|to| {
            let ty = program.terms.at(to).ty;
            self.world.machine.any(ty, From::Proper(state.clock))
        });
        self.returned(at, statement, state, (to, value), next);
    }

    /// A call of a procedure without a body.
    pub(super) fn leaves(
        &mut self,
        at: StatementId,
        statement: &Statement,
        mut state: State,
        (to, arguments, effect): (Option<LvalueId>, &[ExpressionId], Effect),
        next: Label,
    ) {
        let Some(values) = self.arguments(at, statement, &mut state, arguments) else { return };
        if !effect.writes() {
            let value = to.map(|to| {
                let ty = self.world.machine.program.terms.at(to).ty;
                self.world.machine.any(ty, From::Proper(state.clock))
            });
            self.returned(at, statement, state, (to, value), next);
            return;
        }
        let program = self.world.machine.program;
        let effects = self.context.calls.statement(program, self.context.taken, &statement.kind);
        let frees = effects.frees;
        self.affected(&mut state, &Effects { frees: false, ..effects });
        if frees && let Some(&Value::Pointer(pointer)) = values.first() {
            let when = state.reached(&mut self.world.machine);
            state.dead.push(Dead::One { when, object: pointer.object });
        }
        let value = to.map(|to| {
            let ty = program.terms.at(to).ty;
            self.world.machine.any(ty, From::Proper(state.clock))
        });
        self.returned(at, statement, state, (to, value), next);
    }

    /// What may be done is.
    pub(super) fn affected(&mut self, state: &mut State, effects: &Effects) {
        if effects.allocates {
            state.clock = self.world.machine.later(state.clock);
        }
        if effects.frees {
            let when = state.reached(&mut self.world.machine);
            let which = self.world.choices.next();
            state.dead.push(Dead::Some { when, clock: state.clock, which });
        }
        let from = if self.context.keeps { From::Proper(state.clock) } else { From::Anywhere };
        if effects.globals {
            state.forget_globals(&mut self.world.machine, from);
        }
        let program = self.world.machine.program;
        for &variable in effects.apart.iter().filter(|variable| !effects.globals || !program.is_global(**variable)) {
            if self.world.machine.is_apart(variable) {
                let value = self.world.machine.any(program.variable(variable).ty, from);
                state.set(variable, value);
            }
        }
        let objects: Vec<Term> = effects.objects.iter().map(|one| self.world.machine.variable(*one)).collect();
        if effects.writes || effects.globals || !objects.is_empty() {
            let changed = Changed { reached: effects.writes, globals: effects.globals, objects: objects.into() };
            state.memory = self.world.memories.changed(state.memory, changed, from);
        }
    }
}

/// Parameters get values.
pub fn bind(world: &mut World<'_>, state: &mut State, formals: &[VariableId], values: &[Value]) {
    for (&formal, &value) in formals.iter().zip(values) {
        if world.machine.is_apart(formal) {
            state.set(formal, value);
            continue;
        }
        let bytes = world.machine.program.types.size(world.machine.program.variable(formal).ty).unwrap_or(1);
        let object = world.machine.variable(formal);
        let offset = world.machine.terms.constant(0, OFFSET);
        state.memory = world.memories.written(state.memory, Pointer { object, offset }, bytes, value);
    }
}
