//! Calls as transitions: memory when the callee begins, memory after it returns, in which all that it may write is arbitrary.

use crate::bitvec::Term;
use crate::c::expression::{ExpressionId, LvalueId};
use crate::c::program::{Callee, ProcedureId};
use crate::c::types::TypeId;
use crate::points_to::{Location, Offset};

use super::memory::{Designated, Memory, Update};
use super::undefined::Undefined;
use super::values::{Demand, Values};
use super::{Frame, TransitionSystem};

/// A call.
pub struct Call<'p> {
    /// Whom it calls, and when.
    pub cases: Vec<Case>,
    /// What is given.
    pub actuals: Vec<Term>,
    /// The same, as expressions.
    pub arguments: &'p [ExpressionId],
    /// What gets the result.
    pub to: Option<LvalueId>,
}

/// One of those whom a call may call.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// When it is the one; none if it is always.
    pub when: Option<Term>,
    /// A procedure with a body; none for somebody of whom nothing is known: it may write all that it is given, call back what it is given, and
    /// return anything.
    pub callee: Option<ProcedureId>,
}

/// The states of memory around a call, and the value that it returns.
pub struct Around {
    /// As the callee sees it when it begins: formals are actuals.
    pub entered: Memory,
    /// After the return.
    pub returned: Memory,
    /// Any value, if the result is a scalar.
    pub result: Option<Term>,
}

impl TransitionSystem<'_> {
    /// Whom a pointer leads to, and what following it demands.
    pub(super) fn pointed(&mut self, frame: &Frame, pointer: ExpressionId) -> (Vec<Case>, Vec<Demand>) {
        let mut values = Values::new(&mut self.machine, frame.view(&frame.now));
        let address = values.value(pointer);
        let mut demands = values.passes(self.overflow);
        let (program, points_to) = (self.program(), self.machine.points_to);
        let leaves = points_to.leaves(program, Callee::Pointer(pointer));
        let outside = leaves.then(|| self.machine.is_in(address, points_to.objects.outside()));
        let mut cases: Vec<Case> =
            outside.map(|outside| Case { when: Some(outside), callee: None }).into_iter().collect();
        for callee in points_to.callees(program, Callee::Pointer(pointer)) {
            let when = Some(self.is_procedure(address, callee));
            let callee = Some(callee).filter(|&callee| program.procedure(callee).body.is_some());
            cases.push(Case { when, callee });
        }
        let ways: Vec<Term> = cases.iter().filter_map(|case| case.when).collect();
        let term = self.machine.terms.any(&ways);
        demands.push(Demand { kind: Undefined::Access, term });
        (cases, demands)
    }

    fn is_procedure(&mut self, address: Term, procedure: ProcedureId) -> Term {
        match self.machine.points_to.objects.procedure(procedure) {
            Some(location) => {
                let there = self.machine.address(location.object, 0, 0);
                self.machine.terms.eq(address, there)
            }
            None => self.machine.fresh(1),
        }
    }

    /// Arbitrary values for the formals of a procedure.
    pub fn some_actuals(&mut self, callee: ProcedureId) -> Vec<Term> {
        let program = self.program();
        let formals = program.procedure(callee).formals.iter();
        formals.map(|&formal| self.machine.any(program.variable(formal).ty)).collect()
    }

    /// The values of arguments, and what evaluating them demands.
    pub(super) fn actuals(&mut self, frame: &Frame, arguments: &[ExpressionId]) -> (Vec<Term>, Vec<Demand>) {
        let mut values = Values::new(&mut self.machine, frame.view(&frame.now));
        let actuals = arguments.iter().map(|&argument| values.value(argument)).collect();
        (actuals, values.passes(self.overflow))
    }

    /// Where a formal of a procedure is.
    fn formal(&self, procedure: ProcedureId, index: usize) -> Option<(Designated, TypeId)> {
        let program = self.program();
        let variable = *program.procedure(procedure).formals.get(index)?;
        let location = self.machine.points_to.objects.variable(variable)?;
        let ty = program.variable(variable).ty;
        Some((Designated::exact(location.object, 0), ty))
    }

    /// Memory around a call with these arguments.
    pub fn around(&mut self, frame: &Frame, callee: ProcedureId, actuals: &[Term]) -> Around {
        let mut entered = frame.now.clone();
        for index in 0..self.program().procedure(callee).formals.len() {
            let Some((place, ty)) = self.formal(callee, index) else { continue };
            let width = self.machine.width(ty);
            let fitting = actuals.get(index).copied().filter(|&actual| self.machine.terms.width(actual) == width);
            let fitting = fitting.unwrap_or_else(|| self.machine.fresh(width));
            entered = self.machine.write(&entered, &place, ty, fitting, 1);
        }
        let returned = self.after_call(&frame.now, callee);
        let result = self.some_result(callee);
        Around { entered, returned, result }
    }

    /// Memory in which what a procedure may write is arbitrary.
    pub fn after_call(&mut self, before: &Memory, callee: ProcedureId) -> Memory {
        let written: Vec<Location> = self.modified.written[callee.0 as usize].iter().copied().collect();
        self.arbitrary(before, written)
    }

    /// Memory when a procedure begins: its locals have arbitrary values. Those of which there are several are told apart by where they are.
    pub fn begun(&mut self, procedure: ProcedureId, memory: &Memory) -> Memory {
        let mut own = Vec::new();
        for &local in &self.program().procedure(procedure).locals {
            let all = self.whole(local);
            own.extend(all.into_iter().filter(|location| !self.machine.points_to.objects.is_summary(location.object)));
        }
        self.arbitrary(memory, own)
    }

    /// Memory after the return, with the result in the variable that the callee returns, if it is always the same.
    pub fn seen_at_return(&mut self, callee: ProcedureId, around: &Around) -> Memory {
        let program = self.program();
        if let (Some(variable), Some(result)) = (program.returned(callee), around.result)
            && let Some(location) = self.machine.points_to.objects.variable(variable)
        {
            let place = Designated::exact(location.object, 0);
            return self.machine.write(&around.returned, &place, program.variable(variable).ty, result, 1);
        }
        around.returned.clone()
    }

    /// Memory after the result has been stored.
    pub fn assigned(&mut self, frame: &Frame, to: Option<LvalueId>, around: &Around) -> Memory {
        let (Some(to), Some(result)) = (to, around.result) else { return around.returned.clone() };
        let ty = self.program().terms.at(to).ty;
        let before = Values::new(&mut self.machine, frame.view(&frame.now)).place(to);
        let after = Values::new(&mut self.machine, frame.view(&around.returned)).place(to);
        let moved = match (&before, &after) {
            (Designated::Somewhere { address, .. }, Designated::Somewhere { address: later, .. }) => address != later,
            _ => false,
        };
        let fitting = self.machine.terms.width(result) == self.machine.width(ty);
        if moved || !fitting {
            // Whether the place is that before the call or after it, C does not say.
            let targets = self.machine.points_to.lvalue(self.program(), to);
            let anything =
                targets.iter().map(|target| Location { object: target.object, offset: Offset::Any }).collect();
            return around.returned.after(Update::Arbitrary(anything, self.machine.epoch()));
        }
        self.machine.write(&around.returned, &after, ty, result, 0)
    }
}
