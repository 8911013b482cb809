//! Where objects cease to live: what was known of pointers to them is known no longer.

use crate::c::expression::ExpressionId;
use crate::c::program::{Label, ProcedureId, Room, StatementKind, VariableId};
use crate::points_to::ObjectId;

use super::evaluate::{Demand, Values};
use super::memory::{ADDRESS, Memory, Update};
use super::procedure::{Abstraction, Making};
use super::query::{Named, update};
use super::undefined::Undefined;

impl Abstraction<'_> {
    /// What ends with a variable: itself, and an array whose size varies and that it leads to.
    fn ending_with(&self, id: ProcedureId, variable: VariableId) -> Vec<ObjectId> {
        let (program, objects) = (self.machine.program, &self.machine.points_to.objects);
        let own = objects.variable(variable).map(|location| location.object);
        own.into_iter().chain(self.in_frame(id, |holder| program.terms.variable_of(holder) == Some(variable))).collect()
    }

    /// What a procedure allocates in its frame for lvalues of some kind.
    fn in_frame(
        &self,
        id: ProcedureId,
        wanted: impl Fn(crate::c::expression::LvalueId) -> bool,
    ) -> impl Iterator<Item = ObjectId> {
        let objects = &self.machine.points_to.objects;
        let statements = (0..).map(Label).zip(self.machine.program.procedure(id).body.iter().flatten());
        statements.filter_map(move |(label, statement)| match statement.kind {
            StatementKind::Allocate { to, room: Room::Frame, .. } if wanted(to) => {
                objects.allocated(id, label).map(|location| location.object)
            }
            _ => None,
        })
    }

    /// What ends with a frame, of which others may hear: pointers lead to it.
    fn ending_with_frame(&self, id: ProcedureId) -> Vec<ObjectId> {
        let (program, objects) = (self.machine.program, &self.machine.points_to.objects);
        let procedure = program.procedure(id);
        let named = procedure.formals.iter().chain(&procedure.locals);
        let addressed = named.filter(|variable| program.variable(**variable).address_taken);
        let named = addressed.filter_map(|variable| objects.variable(*variable)).map(|location| location.object);
        named.chain(self.in_frame(id, |_| true)).collect()
    }

    /// Memory after a local has ceased to live.
    pub fn after_end(&mut self, making: &Making, variable: VariableId) -> Memory {
        let ended = self.ending_with(making.id, variable);
        making.now.after(Update::Ended { ended, keeps: None, epoch: self.machine.epoch() })
    }

    /// Memory after the frame has ended, as those see it to whom it returns a value.
    pub fn after_frame(&mut self, making: &mut Making, value: Option<ExpressionId>) -> Option<Memory> {
        let ended = self.ending_with_frame(making.id);
        if ended.is_empty() {
            return None;
        }
        let program = self.machine.program;
        let epoch = self.machine.epoch();
        if let (Some(result), Some(value)) = (making.result, value)
            && program.types.pointee(program.terms.get(value).ty).is_some()
        {
            let targets = self.machine.points_to.value(program, value);
            let mut left = result;
            for &object in ended.iter().filter(|object| targets.iter().any(|target| target.object == **object)) {
                let elsewhere = self.machine.fresh(ADDRESS);
                left = self.machine.ended(left, object, elsewhere);
            }
            making.result = Some(left);
        }
        Some(making.now.after(Update::Ended { ended, keeps: Some(making.id), epoch }))
    }

    /// The frame ends: predicates that others see get their new values.
    pub fn frame_ends(&mut self, making: &mut Making, value: Option<ExpressionId>) {
        let result = making.result;
        let Some(after) = self.after_frame(making, value) else { return };
        let after = self.named(making, &after);
        making.result = result;
        let exit = &self.signatures[making.id.0 as usize].exit;
        let is_seen = |at: &usize| self.tracked[*at].scope.is_none() || exit.contains(at);
        let changed: Vec<Named> = (making.indices.iter().zip(&making.known).zip(after))
            .filter(|((at, before), after)| is_seen(at) && before.term != after.term)
            .map(|(_, after)| after)
            .collect();
        if !changed.is_empty() {
            let found = update(&mut self.machine, self.tuning, &making.known, &changed, &[]);
            let step = self.assignment(making, &changed, found);
            making.step(step);
        }
    }

    /// What `free` demands: a pointer to what is allocated and was not yet freed; which is not known.
    pub fn freed(&mut self, making: &Making, pointer: ExpressionId) -> Vec<Demand> {
        let mut demands = self.evaluated(making, &[pointer]);
        if Undefined::Access.fails(self.overflow) {
            let mut values = Values::new(&mut self.machine, making.view(&making.now));
            let some = values.truth(pointer);
            let (none, freed) = (self.machine.terms.not(some), self.machine.fresh(1));
            let term = self.machine.terms.or(none, freed);
            demands.push(Demand { kind: Undefined::Access, term });
        }
        demands
    }
}
