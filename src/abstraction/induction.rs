//! What is said of each statement, proved statement by statement about the C program itself: what holds at the start implies what is
//! said of the first procedure's entry; what is said before a statement, and what the statement does, implies what is said after it;
//! before a call it implies what is said of the callee's entry, and with what is said of the callee's returns and with all that the callee
//! cannot write it implies what is said after the call. Where it is said that no run comes, none fails.
//!
//! That is induction over runs, and no abstraction and no search has a part in it: who distrusts those has to believe in
//! `memory`, points-to analysis, and the solver.

use std::collections::HashMap;
use std::rc::Rc;

use crate::bitvec::{Answer, Diagram, Session, Term};
use crate::c::expression::{ExpressionId, LvalueId};
use crate::c::program::{Callee, Label, Overflow, ProcedureId, Program, Statement, StatementKind};
use crate::points_to::Location;

use super::Tuning;
use super::call::Around;
use super::evaluate::{Demand, Values, View};
use super::memory::{Memory, Update};
use super::predicate::Predicate;
use super::procedure::{Abstraction, Making};
use super::reuse::Reuse;
use super::undefined::Undefined;

/// A predicate, by its variable in the Boolean program: its value at the entry of the procedure, or now.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Atom {
    /// The variable.
    pub name: Rc<str>,
    /// Whether it is about the entry.
    pub entry: bool,
}

/// What is said.
#[derive(Clone, Debug, Default)]
pub struct Invariants {
    /// Before statements; of the others nothing is said but that runs may come there.
    pub before: HashMap<(ProcedureId, Label), Diagram<Atom>>,
    /// After a statement that returns has decided what the procedure's result is.
    pub returned: HashMap<(ProcedureId, Label), Diagram<Atom>>,
}

/// Which predicates of a procedure may be spoken of where only its interface is seen.
#[derive(Clone, Debug, Default)]
pub struct Interface {
    /// Local ones, about its entry.
    pub entry: Vec<Rc<str>>,
    /// Local ones, about its return.
    pub exit: Vec<Rc<str>>,
}

/// What was proved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proved {
    /// How many implications had to be proved.
    pub obligations: usize,
    /// Statements of which one is wrong.
    pub wrong: Vec<(ProcedureId, Label)>,
    /// Statements of which one was not decided.
    pub open: Vec<(ProcedureId, Label)>,
    /// Statements that are not looked at: they leave the program, and it may be called back.
    pub outside: Vec<(ProcedureId, Label)>,
}

/// The interface of each procedure. Predicates as [`super::abstracted`] has them.
pub fn interfaces(
    program: &Program,
    predicates: &[Predicate],
    overflow: Overflow,
    tuning: &Tuning,
    reuse: &mut Reuse,
) -> Vec<Interface> {
    let Reuse { analyses, memo, .. } = reuse.of(program);
    let abstraction = Abstraction::new(program, analyses, predicates, overflow, tuning, memo);
    let name = |&at: &usize| abstraction.tracked[at].name.clone();
    let interface = |signature: &super::tracked::Signature| Interface {
        entry: signature.entry.iter().map(name).collect(),
        exit: signature.exit.iter().map(name).collect(),
    };
    abstraction.signatures.iter().map(interface).collect()
}

/// Proves what is said, over the same predicates and in the same sense of overflows. A query for each way from a statement to the next.
pub fn proved(
    program: &Program,
    predicates: &[Predicate],
    overflow: Overflow,
    tuning: &Tuning,
    reuse: &mut Reuse,
    said: &Invariants,
) -> Proved {
    let Reuse { analyses, memo, .. } = reuse.of(program);
    let mut abstraction = Abstraction::new(program, analyses, predicates, overflow, tuning, memo);
    let mut proved = abstraction.start(said);
    // No run comes to the others, and nothing is said of them.
    let is_looked_at =
        |&at: &usize| program.procedures[at].body.is_some() && analyses.is_reached(ProcedureId(at as u32));
    for at in (0..program.procedures.len()).filter(is_looked_at) {
        abstraction.machine.renew();
        let making = abstraction.begin(ProcedureId(at as u32));
        let entry = abstraction.at_entry(&making);
        let now = making.known.iter().zip(&making.indices).map(|(named, &at)| (at, named.term)).collect();
        let session = Session::new(&abstraction.tuning.bounds);
        let before = State { entry, now };
        let here = (making.id, Label(0));
        let mut proof =
            Proof { abstraction: &mut abstraction, said, making, before, session, here, proved: &mut proved };
        proof.procedure();
    }
    proved
}

/// What predicates are at two moments, by their numbers.
#[derive(Clone, Debug, Default)]
struct State {
    entry: HashMap<usize, Term>,
    now: HashMap<usize, Term>,
}

impl Abstraction<'_> {
    /// The predicate of that name that a procedure sees.
    fn seen(&self, procedure: ProcedureId, name: &str) -> Option<usize> {
        self.tracked.iter().position(|one| *one.name == *name && one.scope.is_none_or(|scope| scope == procedure))
    }

    /// Global predicates, and those of a procedure that are about its entry, at its entry.
    fn at_entry(&mut self, making: &Making) -> HashMap<usize, Term> {
        let view = View { now: &making.entry, entry: &making.entry, result: None, frame: 0 };
        self.interface_in(making.id, view)
    }

    fn interface_in(&mut self, procedure: ProcedureId, view: View<'_>) -> HashMap<usize, Term> {
        let entry = self.signatures[procedure.0 as usize].entry.clone();
        let globals = (0..self.tracked.len()).filter(|&at| self.tracked[at].scope.is_none());
        let all: Vec<usize> = entry.into_iter().chain(globals).collect();
        self.truths(&all, view)
    }

    fn truths(&mut self, all: &[usize], view: View<'_>) -> HashMap<usize, Term> {
        let expressions: Vec<_> = all.iter().map(|&at| (at, self.tracked[at].expression)).collect();
        let mut values = Values::new(&mut self.machine, view);
        expressions.into_iter().map(|(at, expression)| (at, values.truth(expression))).collect()
    }

    /// All predicates that a procedure sees, where it begins in this memory.
    fn beginning(&mut self, procedure: ProcedureId, memory: &Memory, frame: u8) -> State {
        let program = self.machine.program;
        // Its locals have arbitrary values. Those of which there are several are told apart by where they are.
        let mut own = Vec::new();
        for &local in &program.procedure(procedure).locals {
            let all = self.whole(local);
            own.extend(all.into_iter().filter(|location| !self.machine.points_to.objects.is_summary(location.object)));
        }
        let memory = memory.after(Update::Arbitrary(own, self.machine.epoch()));
        let result = program.procedure(procedure).result;
        let result = program.types.is_scalar(result).then(|| {
            let width = self.machine.width(result);
            self.machine.fresh(width)
        });
        let entry = self.interface_in(procedure, View { now: &memory, entry: &memory, result: None, frame });
        let mut now = entry.clone();
        let others: Vec<usize> = (0..self.tracked.len())
            .filter(|at| self.tracked[*at].scope == Some(procedure) && !now.contains_key(at))
            .collect();
        now.extend(self.truths(&others, View { now: &memory, entry: &memory, result, frame }));
        State { entry, now }
    }

    /// Global predicates, and those of a callee that are about its return, after that.
    fn at_return(&mut self, callee: ProcedureId, around: &Around) -> HashMap<usize, Term> {
        let globals: Vec<usize> = (0..self.tracked.len()).filter(|&at| self.tracked[at].scope.is_none()).collect();
        let view = View { now: &around.returned, entry: &around.entered, result: None, frame: 1 };
        let mut now = self.truths(&globals, view);
        let memory = self.seen_at_return(callee, around);
        let exit = self.signatures[callee.0 as usize].exit.clone();
        let view = View { now: &memory, entry: &around.entered, result: around.result, frame: 1 };
        now.extend(self.truths(&exit, view));
        now
    }

    /// What is said, where predicates have these values. What is not a predicate there is arbitrary.
    fn meant(&mut self, procedure: ProcedureId, diagram: &Diagram<Atom>, state: &State) -> Term {
        let mut known: HashMap<&Atom, Term> = HashMap::new();
        for decision in &diagram.decisions {
            if !known.contains_key(&decision.test) {
                let values = if decision.test.entry { &state.entry } else { &state.now };
                let term = self.seen(procedure, &decision.test.name).and_then(|at| values.get(&at).copied());
                let term = term.unwrap_or_else(|| self.machine.fresh(1));
                known.insert(&decision.test, term);
            }
        }
        diagram.condition(&mut self.machine.terms, |atom| known[atom])
    }

    /// The start of the program.
    fn start(&mut self, said: &Invariants) -> Proved {
        let main = self.machine.program.main;
        let mut proved = Proved::default();
        let Some(diagram) = said.before.get(&(main, Label(0))) else { return proved };
        self.machine.renew();
        let (memory, start) = self.initial();
        let state = self.beginning(main, &memory, 0);
        let meant = self.meant(main, diagram, &state);
        let wrong = self.machine.terms.not(meant);
        let wrong = self.machine.zeroed(wrong, start);
        let mut session = Session::new(&self.tuning.bounds);
        self.impossible(&mut session, vec![wrong], (main, Label(0)), &mut proved);
        proved
    }

    /// That these conditions are never true together.
    fn impossible(&mut self, session: &mut Session, mut all: Vec<Term>, at: (ProcedureId, Label), proved: &mut Proved) {
        proved.obligations += 1;
        let conjunction = self.machine.terms.all(&all);
        if self.machine.terms.as_constant(conjunction) == Some(0) {
            return;
        }
        all.extend(self.machine.axioms(&all.clone()));
        let list = match session.check_combination(&mut self.machine.terms, &all) {
            Answer::Unsat(_) => return,
            Answer::Sat(_) => &mut proved.wrong,
            Answer::Unknown => &mut proved.open,
        };
        if list.last() != Some(&at) {
            list.push(at);
        }
    }
}

/// The proof about a procedure.
struct Proof<'p, 'a> {
    abstraction: &'p mut Abstraction<'a>,
    said: &'p Invariants,
    making: Making,
    /// Before a statement.
    before: State,
    session: Session,
    here: (ProcedureId, Label),
    proved: &'p mut Proved,
}

impl Proof<'_, '_> {
    fn procedure(&mut self) {
        let program = self.abstraction.machine.program;
        for (at, statement) in (0..).zip(program.procedure(self.making.id).body.iter().flatten()) {
            self.here = (self.making.id, Label(at));
            // What is said of other statements would only be in the way.
            self.session = Session::new(&self.abstraction.tuning.bounds);
            let holds = match self.said.before.get(&self.here) {
                // Where no run comes there is nothing to prove.
                Some(diagram) if diagram.root == 0 => continue,
                Some(diagram) => self.abstraction.meant(self.making.id, diagram, &self.before),
                None => self.abstraction.machine.terms.truth(true),
            };
            self.statement(holds, statement);
        }
    }

    fn statement(&mut self, holds: Term, statement: &Statement) {
        let next = Label(self.here.1.0 + 1);
        match &statement.kind {
            StatementKind::Skip => self.stays(vec![holds], next),
            StatementKind::Goto(to) => self.stays(vec![holds], *to),
            StatementKind::Free(pointer) => {
                let demands = self.abstraction.freed(&self.making, *pointer);
                let context = self.passes(vec![holds], demands);
                self.stays(context, next);
            }
            StatementKind::Exit(code) => drop(self.evaluated(holds, code.as_slice())),
            StatementKind::Assign(to, value) => self.assigns(holds, *to, Some(*value), next),
            StatementKind::Input(to, _) | StatementKind::Havoc(to, _) => self.assigns(holds, *to, None, next),
            StatementKind::Declare(variable) => {
                let all = self.abstraction.whole(*variable);
                let after = self.arbitrary(all);
                self.goes(vec![holds], &after, next);
            }
            StatementKind::Dead(variable) => {
                let after = self.abstraction.after_end(&self.making, *variable);
                self.goes(vec![holds], &after, next);
            }
            StatementKind::Allocate { to, size, room, .. } => {
                let found = self.abstraction.allocated(&self.making, self.here.1, (*to, *size), *room);
                if let Some((after, demands)) = found {
                    let context = self.passes(vec![holds], demands);
                    self.goes(context, &after, next);
                }
            }
            StatementKind::Assume(condition) => self.decides(holds, *condition, &[(true, next)]),
            StatementKind::Branch(condition, yes, no) => {
                self.decides(holds, *condition, &[(true, *yes), (false, *no)]);
            }
            StatementKind::Fail(_) => self.never(vec![holds]),
            StatementKind::Return(value) => self.returns(holds, *value),
            StatementKind::External(to, _, arguments, effect) => {
                let context = self.evaluated(holds, arguments);
                match (effect.writes(), to) {
                    (true, _) => self.leaves(context, *to, arguments, next),
                    (false, Some(to)) => {
                        let context = self.abstraction.machine.terms.all(&context);
                        self.assigns(context, *to, None, next);
                    }
                    (false, None) => self.stays(context, next),
                }
            }
            StatementKind::Call(to, Callee::Procedure(callee), arguments) => {
                self.calls(vec![holds], *to, *callee, arguments, next);
            }
            StatementKind::Call(to, Callee::Pointer(pointer), arguments) => {
                self.calls_some(holds, *to, *pointer, arguments, next);
            }
        }
    }

    fn never(&mut self, conditions: Vec<Term>) {
        self.abstraction.impossible(&mut self.session, conditions, self.here, self.proved);
    }

    /// What is said before another statement holds where these conditions do.
    fn implies(&mut self, mut conditions: Vec<Term>, state: &State, to: Label) {
        let there = (self.making.id, to);
        let Some(diagram) = self.said.before.get(&there) else { return };
        let meant = self.abstraction.meant(self.making.id, diagram, state);
        conditions.push(self.abstraction.machine.terms.not(meant));
        self.never(conditions);
    }

    fn stays(&mut self, conditions: Vec<Term>, to: Label) {
        let state = std::mem::take(&mut self.before);
        self.implies(conditions, &state, to);
        self.before = state;
    }

    fn goes(&mut self, conditions: Vec<Term>, after: &Memory, to: Label) {
        let state = self.state(after);
        self.implies(conditions, &state, to);
    }

    /// What predicates are in this memory.
    fn state(&mut self, memory: &Memory) -> State {
        let named = self.abstraction.named(&self.making, memory);
        let now = named.iter().zip(&self.making.indices).map(|(named, &at)| (at, named.term)).collect();
        State { entry: self.before.entry.clone(), now }
    }

    /// The conditions with those under which a run goes on; where something else is an error, it is not done.
    fn passes(&mut self, mut conditions: Vec<Term>, demands: Vec<Demand>) -> Vec<Term> {
        let overflow = self.abstraction.overflow;
        let fails: Vec<Term> =
            demands.iter().filter(|demand| demand.kind.fails(overflow)).map(|demand| demand.term).collect();
        if !fails.is_empty() {
            let all = self.abstraction.machine.terms.all(&fails);
            let some_fails = self.abstraction.machine.terms.not(all);
            self.never([&conditions[..], &[some_fails]].concat());
        }
        conditions.extend(demands.into_iter().map(|demand| demand.term));
        conditions
    }

    fn evaluated(&mut self, holds: Term, all: &[ExpressionId]) -> Vec<Term> {
        let demands = self.abstraction.evaluated(&self.making, all);
        self.passes(vec![holds], demands)
    }

    fn arbitrary(&mut self, locations: Vec<Location>) -> Memory {
        self.making.now.after(Update::Arbitrary(locations, self.abstraction.machine.epoch()))
    }

    fn assigns(&mut self, holds: Term, to: LvalueId, value: Option<ExpressionId>, next: Label) {
        let now = self.making.now.clone();
        let (after, demands) = self.abstraction.assigned_to(&self.making, &now, to, value);
        let context = self.passes(vec![holds], demands);
        self.goes(context, &after, next);
    }

    fn decides(&mut self, holds: Term, condition: ExpressionId, ways: &[(bool, Label)]) {
        let (truth, demands) = self.abstraction.decided(&self.making, condition);
        let context = self.passes(vec![holds], demands);
        for &(value, to) in ways {
            let side = if value { truth } else { self.abstraction.machine.terms.not(truth) };
            self.stays([&context[..], &[side]].concat(), to);
        }
    }

    /// What is said of the return holds once the result is known.
    fn returns(&mut self, holds: Term, value: Option<ExpressionId>) {
        let mut context = vec![holds];
        let result = self.making.result;
        if let (Some(value), Some(_)) = (value, result) {
            let mut values = Values::new(&mut self.abstraction.machine, self.making.view(&self.making.now));
            let computed = values.value(value);
            let demands = values.passes(self.abstraction.overflow);
            context = self.passes(context, demands);
            self.making.result = Some(computed);
        }
        if let Some(diagram) = self.said.returned.get(&self.here) {
            let after = self.abstraction.after_frame(&mut self.making, value);
            let after = after.unwrap_or_else(|| self.making.now.clone());
            let state = self.state(&after);
            let meant = self.abstraction.meant(self.making.id, diagram, &state);
            context.push(self.abstraction.machine.terms.not(meant));
            self.never(context);
        }
        self.making.result = result;
    }

    /// A call of a procedure of which nothing is known.
    fn leaves(&mut self, conditions: Vec<Term>, to: Option<LvalueId>, arguments: &[ExpressionId], next: Label) {
        let (program, points_to) = (self.abstraction.machine.program, self.abstraction.machine.points_to);
        let written = points_to.exposed(program, arguments);
        if !points_to.called_back(program, &written).is_empty() {
            self.proved.outside.push(self.here);
            return;
        }
        let after = self.arbitrary(written.into_iter().collect());
        match to {
            None => self.goes(conditions, &after, next),
            Some(to) => {
                let (after, demands) = self.abstraction.assigned_to(&self.making, &after, to, None);
                let context = self.passes(conditions, demands);
                self.goes(context, &after, next);
            }
        }
    }

    fn calls_some(
        &mut self,
        holds: Term,
        to: Option<LvalueId>,
        pointer: ExpressionId,
        arguments: &[ExpressionId],
        next: Label,
    ) {
        let (address, outside, mut demands) = self.abstraction.pointed(&self.making, pointer);
        let callees = self.abstraction.callees(address, Callee::Pointer(pointer));
        let ways: Vec<Term> = outside.into_iter().chain(callees.iter().map(|&(_, same)| same)).collect();
        let term = self.abstraction.machine.terms.any(&ways);
        demands.push(Demand { kind: Undefined::Access, term });
        let context = self.passes(vec![holds], demands);
        if let Some(there) = outside {
            self.leaves([&context[..], &[there]].concat(), to, arguments, next);
        }
        for (callee, same) in callees {
            self.calls([&context[..], &[same]].concat(), to, callee, arguments, next);
        }
    }

    fn calls(
        &mut self,
        conditions: Vec<Term>,
        to: Option<LvalueId>,
        callee: ProcedureId,
        arguments: &[ExpressionId],
        next: Label,
    ) {
        let program = self.abstraction.machine.program;
        let (actuals, demands) = self.abstraction.actuals(&self.making, arguments);
        let conditions = self.passes(conditions, demands);
        if program.procedure(callee).body.is_none() {
            return self.leaves(conditions, to, arguments, next);
        }
        let around = self.abstraction.around(&self.making, callee, &actuals);
        let begins = self.abstraction.beginning(callee, &around.entered, 1);
        if let Some(diagram) = self.said.before.get(&(callee, Label(0))) {
            let meant = self.abstraction.meant(callee, diagram, &begins);
            let wrong = self.abstraction.machine.terms.not(meant);
            self.never([&conditions[..], &[wrong]].concat());
        }
        let ends = State { entry: begins.entry, now: self.abstraction.at_return(callee, &around) };
        let mut ways = Vec::new();
        for (at, statement) in (0..).zip(program.procedure(callee).body.iter().flatten()) {
            let here = (callee, Label(at));
            let dead = self.said.before.get(&here).is_some_and(|diagram| diagram.root == 0);
            if matches!(statement.kind, StatementKind::Return(_)) && !dead {
                ways.push(match self.said.returned.get(&here) {
                    Some(diagram) => self.abstraction.meant(callee, diagram, &ends),
                    None => self.abstraction.machine.terms.truth(true),
                });
            }
        }
        let returned = self.abstraction.machine.terms.any(&ways);
        let after = self.abstraction.assigned(&self.making, to, &around);
        self.goes([&conditions[..], &[returned]].concat(), &after, next);
    }
}
