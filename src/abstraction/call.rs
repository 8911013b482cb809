//! Calls: what the callee's predicates are at its entry, and what the caller's are after its return (T. Ball's lectures, "Abstracting
//! Procedure Returns").
//!
//! Memory before and after the call are different variables. The return relation speaks of the caller's predicates *before* the
//! call, of what was passed and of what came back: the caller's local predicates still have their old values after the
//! return, those over globals are kept in a local, and so is every predicate of the callee that was guessed.

use std::rc::Rc;

use crate::bitvec::Term;
use crate::c::expression::{ExpressionId, LvalueId};
use crate::c::program::{Callee, ProcedureId};
use crate::points_to::{Location, Offset};

use super::boolean::{Step, Value};
use super::evaluate::{Demand, Values, View};
use super::memory::{Designated, Memory, Update};
use super::predicate::returned;
use super::procedure::{Abstraction, Making};
use super::query::{Named, update};
use super::undefined::Undefined;

/// A predicate that is passed: its name in the caller, its value, and what cannot be of it and those passed with it.
type Passed = (Rc<str>, Value, Vec<super::boolean::Conjunction>);

/// The states of memory around a call, and the value that it returns.
pub(super) struct Around {
    /// As the callee sees it when it begins: formals are actuals.
    pub entered: Memory,
    /// After the return.
    pub returned: Memory,
    pub result: Option<Term>,
}

impl Abstraction<'_> {
    /// A call of a procedure or through a pointer.
    pub fn calls(&mut self, making: &mut Making, to: Option<LvalueId>, callee: Callee, arguments: &[ExpressionId]) {
        let pointer = match callee {
            Callee::Procedure(callee) => return self.call(making, to, callee, arguments),
            Callee::Pointer(pointer) => pointer,
        };
        let (address, outside, mut context) = self.pointed(making, pointer);
        let callees = self.callees(address, callee);
        let ways: Vec<Term> = outside.into_iter().chain(callees.iter().map(|&(_, same)| same)).collect();
        let term = self.machine.terms.any(&ways);
        context.push(Demand { kind: Undefined::Access, term });
        let context = self.demanded(making, context);
        let starts: Vec<String> = callees.iter().map(|_| self.made_up(making)).collect();
        let leaving = outside.map(|outside| (outside, self.made_up(making)));
        if starts.is_empty() && leaving.is_none() {
            // No run goes on.
            return making.step(Step::Assume(vec![Vec::new()]));
        }
        let join = self.made_up(making);
        making.step(Step::Goto(starts.iter().chain(leaving.as_ref().map(|(_, start)| start)).cloned().collect()));
        if let Some((there, start)) = leaving {
            making.labels.push(start);
            self.assume_term(making, there, true, &context);
            self.leaves(making, to, arguments);
            making.step(Step::Goto(vec![join.clone()]));
        }
        for (start, (callee, same)) in starts.into_iter().zip(callees) {
            making.labels.push(start);
            self.assume_term(making, same, true, &context);
            self.call(making, to, callee, arguments);
            making.step(Step::Goto(vec![join.clone()]));
        }
        making.labels.push(join);
        making.step(Step::Skip);
    }

    /// Where a pointer to a procedure points, whether that is outside of the program if it may be, and what evaluating it demands.
    pub fn pointed(&mut self, making: &Making, pointer: ExpressionId) -> (Term, Option<Term>, Vec<Demand>) {
        let mut values = Values::new(&mut self.machine, making.view(&making.now));
        let address = values.value(pointer);
        let demands = values.passes(self.overflow);
        let points_to = self.machine.points_to;
        let leaves = points_to.leaves(self.machine.program, Callee::Pointer(pointer));
        let outside = leaves.then(|| self.machine.is_in(address, points_to.objects.outside()));
        (address, outside, demands)
    }

    /// The procedures that may be called, and when each of them is.
    pub fn callees(&mut self, address: Term, callee: Callee) -> Vec<(ProcedureId, Term)> {
        let callees = self.machine.points_to.callees(self.machine.program, callee);
        callees.into_iter().map(|callee| (callee, self.is_procedure(address, callee))).collect()
    }

    /// A call of a procedure of which nothing is known: it may write all that it is given, call back what it is given as often as it
    /// likes, and return anything.
    pub fn leaves(&mut self, making: &mut Making, to: Option<LvalueId>, arguments: &[ExpressionId]) {
        self.evaluates(making, arguments);
        let (program, points_to) = (self.machine.program, self.machine.points_to);
        let written = points_to.exposed(program, arguments);
        let called: Vec<(ProcedureId, String)> =
            points_to.called_back(program, &written).into_iter().map(|callee| (callee, self.made_up(making))).collect();
        let (again, join) = (self.made_up(making), self.made_up(making));
        if !called.is_empty() {
            making.labels.push(again.clone());
        }
        self.arbitrary(making, written.into_iter().collect());
        if !called.is_empty() {
            making.step(Step::Goto(called.iter().map(|(_, start)| start).chain([&join]).cloned().collect()));
            for (callee, start) in called {
                making.labels.push(start);
                let actuals = self.anything(callee);
                self.call_with(making, None, callee, &actuals, Vec::new());
                making.step(Step::Goto(vec![again.clone()]));
            }
            making.labels.push(join);
            making.step(Step::Skip);
        }
        if let Some(to) = to {
            self.assign(making, to, None);
        }
    }

    /// Arbitrary values for the formals of a procedure.
    fn anything(&mut self, callee: ProcedureId) -> Vec<Term> {
        let program = self.machine.program;
        let formals = program.procedure(callee).formals.iter();
        formals
            .map(|&formal| {
                let width = self.machine.width(program.variable(formal).ty);
                self.machine.fresh(width)
            })
            .collect()
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

    /// `to = callee(arguments)`.
    pub fn call(&mut self, making: &mut Making, to: Option<LvalueId>, callee: ProcedureId, arguments: &[ExpressionId]) {
        let program = self.machine.program;
        if program.procedure(callee).body.is_none() {
            return self.leaves(making, to, arguments);
        }
        let (actuals, demands) = self.actuals(making, arguments);
        let context = self.demanded(making, demands);
        self.call_with(making, to, callee, &actuals, context);
    }

    /// The values of arguments, and what evaluating them demands.
    pub fn actuals(&mut self, making: &Making, arguments: &[ExpressionId]) -> (Vec<Term>, Vec<Demand>) {
        let mut values = Values::new(&mut self.machine, making.view(&making.now));
        let actuals = arguments.iter().map(|&argument| values.value(argument)).collect();
        (actuals, values.passes(self.overflow))
    }

    /// The call with these arguments, where the context holds.
    pub fn call_with(
        &mut self,
        making: &mut Making,
        to: Option<LvalueId>,
        callee: ProcedureId,
        actuals: &[Term],
        context: Vec<Term>,
    ) {
        let around = self.around(making, callee, actuals);

        let (entry, passed) = self.passed(making, callee, &around, &context);
        let (exit, stored) = self.learnt(making, callee, &around);
        let after = self.assigned(making, to, &around);
        let found = self.after_return(making, &around, &after, &[&entry[..], &exit[..]].concat(), &context);

        self.keep(making, &found);
        let rebound = self.rebound(making, &around, &context);
        let guesses: Vec<Rc<str>> = entry.iter().map(|named| named.name.clone()).collect();
        let arguments = self.guess(making, guesses, passed, rebound.is_some());
        rebound.into_iter().for_each(|step| making.step(step));
        let needed = |name: &Rc<str>| found.iter().any(|(_, update)| update.reads().any(|read| read == name));
        let stored: Vec<Rc<str>> = if stored.iter().any(needed) { stored } else { Vec::new() };
        stored.iter().for_each(|name| drop(making.local(name)));
        making.step(Step::Call(stored, self.name(callee), arguments));
        for (changed, update) in found {
            let step = self.assignment(making, &changed, update);
            making.step(step);
        }
    }

    pub fn around(&mut self, making: &Making, callee: ProcedureId, actuals: &[Term]) -> Around {
        let program = self.machine.program;
        let mut entered = making.now.clone();
        for index in 0..program.procedure(callee).formals.len() {
            let Some((place, ty)) = self.formal(callee, index) else { continue };
            let width = self.machine.width(ty);
            let fitting = actuals.get(index).copied().filter(|&actual| self.machine.terms.width(actual) == width);
            let fitting = fitting.unwrap_or_else(|| self.machine.fresh(width));
            entered = self.machine.write(&entered, &place, ty, fitting, 1);
        }
        let returned = self.after_call(&making.now, callee);
        let ty = program.procedure(callee).result;
        let result = program.types.is_scalar(ty).then(|| {
            let width = self.machine.width(ty);
            self.machine.fresh(width)
        });
        Around { entered, returned, result }
    }

    /// The callee's predicates at its entry that the caller has to guess, under the names by which it keeps them; and for each
    /// predicate that is passed, its value.
    fn passed(
        &mut self,
        making: &mut Making,
        callee: ProcedureId,
        around: &Around,
        context: &[Term],
    ) -> (Vec<Named>, Vec<Passed>) {
        let of = format!("{} <- ", self.machine.program.procedure(callee).name);
        let view = View { now: &around.entered, entry: &around.entered, result: None, frame: 1 };
        let mut values = Values::new(&mut self.machine, view);
        let mut targets = Vec::new();
        for &at in &self.signatures[callee.0 as usize].entry {
            let predicate = &self.tracked[at];
            targets.push(Named { name: hidden(&predicate.name, &of), term: values.truth(predicate.expression) });
        }
        let found = update(&mut self.machine, self.tuning, &making.known, &targets, context);
        let mut guessed = Vec::new();
        let mut passed = Vec::new();
        let mut constrain = Some(found.constrain);
        for (target, value) in targets.into_iter().zip(found.values) {
            let name = target.name.clone();
            if matches!(value, Value::Choose(..)) {
                guessed.push(target);
            }
            passed.push((name, value, constrain.take().unwrap_or_default()));
        }
        (guessed, passed)
    }

    /// Draws the guesses, once; what is passed.
    fn guess(&mut self, making: &mut Making, guessed: Vec<Rc<str>>, passed: Vec<Passed>, all: bool) -> Vec<Value> {
        let constrain: Vec<_> = passed.iter().flat_map(|(.., constrain)| constrain.clone()).collect();
        // A constraint may speak of all that is passed.
        let all = all || !constrain.is_empty();
        let (mut targets, mut values, mut arguments) = (Vec::new(), Vec::new(), Vec::new());
        for (name, value, _) in passed {
            if all || guessed.contains(&name) {
                making.local(&name);
                let literal = super::boolean::Literal { name: name.clone(), after: false, value: true };
                arguments.push(Value::Any(vec![vec![literal]]));
                targets.push(name);
                values.push(value);
            } else {
                arguments.push(value);
            }
        }
        if !targets.is_empty() {
            making.step(Step::Assign(targets, values, constrain));
        }
        arguments
    }

    /// The callee's predicates at its return, and the names of the locals in which the caller stores them.
    fn learnt(&mut self, _: &Making, callee: ProcedureId, around: &Around) -> (Vec<Named>, Vec<Rc<str>>) {
        let program = self.machine.program;
        let now = self.seen_at_return(callee, around);
        let mut learnt = Vec::new();
        for at in self.signatures[callee.0 as usize].exit.clone() {
            let view = View { now: &now, entry: &around.entered, result: around.result, frame: 1 };
            let term = Values::new(&mut self.machine, view).truth(self.tracked[at].expression);
            let name = hidden(&self.tracked[at].name, &format!("{} -> ", program.procedure(callee).name));
            learnt.push(Named { name, term });
        }
        let names = learnt.iter().map(|named| named.name.clone()).collect();
        (learnt, names)
    }

    /// Memory after the return, with the result in the variable that the callee returns, if it is always the same.
    pub fn seen_at_return(&mut self, callee: ProcedureId, around: &Around) -> Memory {
        let program = self.machine.program;
        if let (Some(variable), Some(result)) = (returned(program, callee), around.result)
            && let Some(location) = self.machine.points_to.objects.variable(variable)
        {
            let place = Designated::Exact { object: location.object, offset: 0, bit: 0 };
            return self.machine.write(&around.returned, &place, program.variable(variable).ty, result, 1);
        }
        around.returned.clone()
    }

    /// Memory after the result has been stored.
    pub fn assigned(&mut self, making: &Making, to: Option<LvalueId>, around: &Around) -> Memory {
        let (Some(to), Some(result)) = (to, around.result) else { return around.returned.clone() };
        let ty = self.machine.program.terms.at(to).ty;
        let before = Values::new(&mut self.machine, making.view(&making.now)).place(to);
        let after = Values::new(&mut self.machine, making.view(&around.returned)).place(to);
        let moved = match (&before, &after) {
            (Designated::Somewhere { address, .. }, Designated::Somewhere { address: later, .. }) => address != later,
            _ => false,
        };
        let fitting = self.machine.terms.width(result) == self.machine.width(ty);
        if moved || !fitting {
            // Whether the place is that before the call or after it, C does not say.
            let targets = self.machine.points_to.lvalue(self.machine.program, to);
            let anything =
                targets.iter().map(|target| Location { object: target.object, offset: Offset::Any }).collect();
            return around.returned.after(Update::Arbitrary(anything, self.machine.epoch()));
        }
        self.machine.write(&around.returned, &after, ty, result, 0)
    }

    /// What changes in the caller: its local predicates against what they were before the call, global ones against what the callee
    /// left.
    fn after_return(
        &mut self,
        making: &Making,
        around: &Around,
        after: &Memory,
        more: &[Named],
        context: &[Term],
    ) -> Vec<(Vec<Named>, super::query::Update)> {
        let left = self.named(making, &around.returned);
        let after = self.named(making, after);
        let (mut known, mut changed) = (Vec::new(), Vec::new());
        for (at, index) in making.indices.iter().enumerate() {
            let (before, left, after) = (&making.known[at], &left[at], &after[at]);
            let global = self.tracked[*index].scope.is_none();
            let held = if global { left.term } else { before.term };
            if global && before.term != left.term {
                known.push(Named { name: hidden(&before.name, "before: "), term: before.term });
                known.push(left.clone());
            } else {
                known.push(before.clone());
            }
            if held != after.term {
                changed.push(after.clone());
            }
        }
        known.extend_from_slice(more);
        if changed.is_empty() {
            return Vec::new();
        }
        let found = update(&mut self.machine, self.tuning, &known, &changed, context);
        vec![(changed, found)]
    }

    /// Keeps the values of global predicates that are needed after the return.
    fn keep(&mut self, making: &mut Making, found: &[(Vec<Named>, super::query::Update)]) {
        let (mut targets, mut values) = (Vec::new(), Vec::new());
        for at in 0..making.known.len() {
            let name = making.known[at].name.clone();
            let kept = hidden(&name, "before: ");
            if found.iter().any(|(_, update)| update.reads().any(|read| *read == kept)) {
                targets.push(making.local(&kept));
                let literal = super::boolean::Literal { name, after: false, value: true };
                values.push(Value::Any(vec![vec![literal]]));
            }
        }
        if !targets.is_empty() {
            making.step(Step::Assign(targets, values, Vec::new()));
        }
    }

    /// A global predicate may read a formal through a pointer that an earlier call left behind.
    fn rebound(&mut self, making: &Making, around: &Around, context: &[Term]) -> Option<Step> {
        let entered = self.named(making, &around.entered);
        let mut changed = Vec::new();
        for ((index, before), after) in making.indices.iter().zip(&making.known).zip(entered) {
            if self.tracked[*index].scope.is_none() && before.term != after.term {
                changed.push(after);
            }
        }
        if changed.is_empty() {
            return None;
        }
        let found = update(&mut self.machine, self.tuning, &making.known, &changed, context);
        Some(self.assignment(making, &changed, found))
    }
}

/// A name beside that of a predicate.
fn hidden(name: &str, what: &str) -> Rc<str> {
    format!("{{{what}{}", name.trim_start_matches('{')).into()
}
