//! Where objects cease to live: what was known of pointers to them is known no longer.

use crate::bitvec::Term;
use crate::c::expression::{ExpressionId, LvalueId};
use crate::c::program::{Label, ProcedureId, Room, StatementId, StatementKind, VariableId};
use crate::points_to::ObjectId;

use super::memory::{ADDRESS, Memory, Update};
use super::undefined::Undefined;
use super::values::{Demand, Values};
use super::{Frame, TransitionSystem};

impl TransitionSystem<'_> {
    /// What ends with a variable: itself, and an array whose size varies and that it leads to.
    fn ending_with(&self, id: ProcedureId, variable: VariableId) -> Vec<ObjectId> {
        let (program, objects) = (self.program(), &self.machine.points_to.objects);
        let own = objects.variable(variable).map(|location| location.object);
        own.into_iter().chain(self.in_frame(id, |holder| program.terms.variable_of(holder) == Some(variable))).collect()
    }

    /// What a procedure allocates in its frame for lvalues of some kind.
    fn in_frame(&self, id: ProcedureId, wanted: impl Fn(LvalueId) -> bool) -> impl Iterator<Item = ObjectId> {
        let objects = &self.machine.points_to.objects;
        let statements = (0..).map(Label).zip(self.program().procedure(id).body.iter().flatten());
        statements.filter_map(move |(label, statement)| match statement.kind {
            StatementKind::Allocate { to, room: Room::Frame, .. } if wanted(to) => {
                objects.allocated(StatementId::of(id, label)).map(|location| location.object)
            }
            _ => None,
        })
    }

    /// What ends with a frame, of which others may hear: pointers lead to it.
    fn ending_with_frame(&self, id: ProcedureId) -> Vec<ObjectId> {
        let (program, objects) = (self.program(), &self.machine.points_to.objects);
        let procedure = program.procedure(id);
        let named = procedure.formals.iter().chain(&procedure.locals);
        let addressed = named.filter(|variable| program.variable(**variable).address_taken);
        let named = addressed.filter_map(|variable| objects.variable(*variable)).map(|location| location.object);
        named.chain(self.in_frame(id, |_| true)).collect()
    }

    /// Memory after a local has ceased to live.
    pub(super) fn after_end(&mut self, frame: &Frame, variable: VariableId) -> Memory {
        let ended = self.ending_with(frame.id, variable);
        frame.now.after(Update::Ended { ended, keeps: None, epoch: self.machine.epoch() })
    }

    /// Memory after the frame has ended, and its result, as those see them to whom it returns a value; none if nothing ends of which others
    /// may hear.
    pub fn after_frame(&mut self, frame: &Frame, value: Option<ExpressionId>) -> Option<(Memory, Option<Term>)> {
        let ended = self.ending_with_frame(frame.id);
        if ended.is_empty() {
            return None;
        }
        let program = self.program();
        let epoch = self.machine.epoch();
        let mut result = frame.result;
        if let (Some(left), Some(value)) = (&mut result, value)
            && program.types.pointee(program.terms.get(value).ty).is_some()
        {
            let targets = self.machine.points_to.value(program, value);
            for &object in ended.iter().filter(|object| targets.iter().any(|target| target.object == **object)) {
                let elsewhere = self.machine.fresh(ADDRESS);
                *left = self.machine.ended(*left, object, elsewhere);
            }
        }
        Some((frame.now.after(Update::Ended { ended, keeps: Some(frame.id), epoch }), result))
    }

    /// What `free` demands: a pointer to what is allocated and was not yet freed; which is not known.
    pub(super) fn freed(&mut self, frame: &Frame, pointer: ExpressionId) -> Vec<Demand> {
        let mut demands = self.evaluated(frame, &[pointer]);
        if Undefined::Access.fails(self.overflow) {
            let mut values = Values::new(&mut self.machine, frame.view(&frame.now));
            let some = values.truth(pointer);
            let (none, freed) = (self.machine.terms.not(some), self.machine.fresh(1));
            let term = self.machine.terms.or(none, freed);
            demands.push(Demand { kind: Undefined::Access, term });
        }
        demands
    }
}
