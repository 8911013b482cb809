//! Calls: what the callee's predicates are at its entry, and what the caller's are after its return (T. Ball's lectures, "Abstracting
//! Procedure Returns").
//!
//! Memory before and after the call are different variables. The return relation speaks of the caller's predicates *before* the
//! call, of what was passed and of what came back: the caller's local predicates still have their old values after the
//! return, those over globals are kept in a local, and so is every predicate of the callee that was guessed.

use std::rc::Rc;

use crate::bitvec::Term;
use crate::c::expression::LvalueId;
use crate::c::program::ProcedureId;
use crate::transition::call::{Around, Call, Case};
use crate::transition::memory::Memory;
use crate::transition::values::{Values, View};

use super::boolean::{Step, Value};
use super::procedure::{Abstraction, Making};
use super::query::{Named, update};

/// A predicate that is passed: its name in the caller, its value, and what cannot be of it and those passed with it.
type Passed = (Rc<str>, Value, Vec<super::boolean::Conjunction>);

impl Abstraction<'_> {
    /// A call, where the context holds.
    pub fn calls(&mut self, making: &mut Making, call: &Call<'_>, context: &[Term]) {
        match call.cases[..] {
            // No run goes on.
            [] => making.step(Step::Assume(vec![Vec::new()])),
            [Case { when: None, callee }] => self.case(making, callee, call, context),
            _ => self.cases(making, call, context),
        }
    }

    fn cases(&mut self, making: &mut Making, call: &Call<'_>, context: &[Term]) {
        let starts: Vec<String> = call.cases.iter().map(|_| self.made_up(making)).collect();
        let join = self.made_up(making);
        making.step(Step::Goto(starts.clone()));
        for (start, case) in starts.into_iter().zip(&call.cases) {
            making.labels.push(start);
            if let Some(when) = case.when {
                self.assume_term(making, when, true, context);
            }
            self.case(making, case.callee, call, context);
            making.step(Step::Goto(vec![join.clone()]));
        }
        making.labels.push(join);
        making.step(Step::Skip);
    }

    fn case(&mut self, making: &mut Making, callee: Option<ProcedureId>, call: &Call<'_>, context: &[Term]) {
        match callee {
            Some(callee) => self.call_with(making, call.to, callee, &call.actuals, context),
            None => self.leaves(making, call),
        }
    }

    /// A call of a procedure of which nothing is known: it may write all that it is given, call back what it is given as often as it
    /// likes, and return anything.
    fn leaves(&mut self, making: &mut Making, call: &Call<'_>) {
        let (program, points_to) = (self.system.program(), self.system.machine.points_to);
        let written = points_to.exposed(program, call.arguments);
        let called: Vec<(ProcedureId, String)> =
            points_to.called_back(program, &written).into_iter().map(|callee| (callee, self.made_up(making))).collect();
        let (again, join) = (self.made_up(making), self.made_up(making));
        if !called.is_empty() {
            making.labels.push(again.clone());
        }
        let after = self.system.arbitrary(&making.frame.now, written.into_iter().collect());
        self.updated(making, &after, &[]);
        if !called.is_empty() {
            making.step(Step::Goto(called.iter().map(|(_, start)| start).chain([&join]).cloned().collect()));
            for (callee, start) in called {
                making.labels.push(start);
                // There may be as many as there are procedures.
                self.is_cut |= self.tuning.bounds.is_stopped();
                if self.is_cut {
                    continue;
                }
                let actuals = self.system.some_actuals(callee);
                self.call_with(making, None, callee, &actuals, &[]);
                making.step(Step::Goto(vec![again.clone()]));
            }
            making.labels.push(join);
            making.step(Step::Skip);
        }
        if let Some(to) = call.to {
            let (after, demands) = self.system.assigned_to(&making.frame, &making.frame.now, to, None);
            let context = self.demanded(making, demands);
            self.updated(making, &after, &context);
        }
    }

    /// The call of a procedure with these arguments, where the context holds.
    fn call_with(
        &mut self,
        making: &mut Making,
        to: Option<LvalueId>,
        callee: ProcedureId,
        actuals: &[Term],
        context: &[Term],
    ) {
        let around = self.system.around(&making.frame, callee, actuals);

        let (entry, passed) = self.passed(making, callee, &around, context);
        let (exit, stored) = self.learnt(callee, &around);
        let after = self.system.assigned(&making.frame, to, &around);
        let found = self.after_return(making, &around, &after, &[&entry[..], &exit[..]].concat(), context);

        self.keep(making, &found);
        let rebound = self.rebound(making, &around, context);
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

    /// The callee's predicates at its entry that the caller has to guess, under the names by which it keeps them; and for each
    /// predicate that is passed, its value.
    fn passed(
        &mut self,
        making: &mut Making,
        callee: ProcedureId,
        around: &Around,
        context: &[Term],
    ) -> (Vec<Named>, Vec<Passed>) {
        let of = format!("{} <- ", self.system.machine.program.procedure(callee).name);
        let view = View { now: &around.entered, entry: &around.entered, result: None, frame: 1 };
        let is_stopped = self.tuning.bounds.is_stopped();
        let mut values = Values::new(&mut self.system.machine, view);
        let mut targets = Vec::new();
        for &at in &self.signatures[callee.0 as usize].entry {
            let predicate = &self.tracked[at];
            let term = if is_stopped { values.anything() } else { values.truth(predicate.expression) };
            targets.push(Named { name: hidden(&predicate.name, &of), term });
        }
        let found = update(&mut self.asker(), &making.known, &targets, context);
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
    fn learnt(&mut self, callee: ProcedureId, around: &Around) -> (Vec<Named>, Vec<Rc<str>>) {
        let program = self.system.machine.program;
        let now = self.system.seen_at_return(callee, around);
        let is_stopped = self.tuning.bounds.is_stopped();
        let mut learnt = Vec::new();
        for at in self.signatures[callee.0 as usize].exit.clone() {
            let view = View { now: &now, entry: &around.entered, result: around.result, frame: 1 };
            let mut values = Values::new(&mut self.system.machine, view);
            let term = if is_stopped { values.anything() } else { values.truth(self.tracked[at].expression) };
            let name = hidden(&self.tracked[at].name, &format!("{} -> ", program.procedure(callee).name));
            learnt.push(Named { name, term });
        }
        let names = learnt.iter().map(|named| named.name.clone()).collect();
        (learnt, names)
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
        let found = update(&mut self.asker(), &known, &changed, context);
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
        let found = update(&mut self.asker(), &making.known, &changed, context);
        Some(self.assignment(making, &changed, found))
    }
}

/// A name beside that of a predicate.
fn hidden(name: &str, what: &str) -> Rc<str> {
    format!("{{{what}{}", name.trim_start_matches('{')).into()
}
