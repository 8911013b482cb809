//! Inductive invariants of statements over predicates: what is said of each, proved statement by statement about the C program itself: what
//! holds at the start implies what is said of the first procedure's entry; what is said before a statement, and what the statement does,
//! implies what is said after it; before a call it implies what is said of the callee's entry, and with what is said of the callee's returns
//! and with all that the callee cannot write it implies what is said after the call. Where it is said that no run comes, none fails.
//!
//! That is induction over runs, and no abstraction and no search has a part in it: who distrusts those has to believe in
//! `memory`, points-to analysis, and the solver.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap, HashSet};

use crate::bitvec::diagram::condition;
use crate::bitvec::{Answer, Node, Replacement, Solver, Term};
use crate::c::expression::{ExpressionId, LvalueId};
use crate::c::program::{Label, Overflow, ProcedureId, Program, StatementId, StatementKind};
use crate::decisions::Diagram;
use crate::transition::blocks::{Block, Passed, Path, Walked};
use crate::transition::call::{Around, Call, Case};
use crate::transition::memory::Memory;
use crate::transition::step::{Control, Step};
use crate::transition::values::{Demand, Values, View};

use super::predicate::{Predicate, PredicateId};
use super::procedure::{Abstraction, Making};
use super::reuse::Reuse;
use super::tracked::tracked;
use super::{Edges, Tuning};

/// A predicate: its value at the entry of the procedure, or now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Atom {
    /// Which one.
    pub predicate: PredicateId,
    /// Whether it is about the entry.
    pub entry: bool,
}

/// What is said.
#[derive(Clone, Debug, Default)]
pub struct Invariants {
    /// Before statements; of the others nothing is said but that runs may come there.
    pub before: HashMap<StatementId, Diagram<Atom>>,
    /// After a statement that returns has decided what the procedure's result is.
    pub returned: HashMap<StatementId, Diagram<Atom>>,
}

/// Which predicates of a procedure may be spoken of where only its interface is seen.
#[derive(Clone, Debug, Default)]
pub struct Interface {
    /// Local ones, about its entry.
    pub entry: Vec<PredicateId>,
    /// Local ones, about its return.
    pub exit: Vec<PredicateId>,
}

/// What was proved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proved {
    /// How many implications had to be proved.
    pub obligations: usize,
    /// Statements of which one is wrong.
    pub wrong: Vec<StatementId>,
    /// Statements of which one was not decided.
    pub open: Vec<StatementId>,
    /// Statements that are not looked at: they leave the program, and it may be called back.
    pub outside: Vec<StatementId>,
}

/// The predicates that mean something, each once: those that are tracked. Linear, but for those that are equal.
pub fn meaningful(program: &Program, predicates: &[Predicate]) -> BTreeSet<PredicateId> {
    tracked(program, predicates).into_iter().map(|one| one.id).collect()
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
    let id = |&at: &usize| abstraction.tracked[at].id;
    let interface = |signature: &super::tracked::Signature| Interface {
        entry: signature.entry.iter().map(id).collect(),
        exit: signature.exit.iter().map(id).collect(),
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
    let Reuse { analyses, memo, known, .. } = reuse.of(program);
    let mut abstraction = Abstraction::new(program, analyses, predicates, overflow, tuning, memo);
    abstraction.known = Some(known);
    let mut proved = abstraction.start(said);
    // No run comes to the others, and nothing is said of them.
    let is_looked_at =
        |&at: &usize| program.procedures[at].body.is_some() && analyses.is_reached(ProcedureId(at as u32));
    for at in (0..program.procedures.len()).filter(is_looked_at) {
        abstraction.system.machine.renew();
        let making = abstraction.begin(ProcedureId(at as u32));
        let entry = abstraction.at_entry(&making);
        let now = making.known.iter().zip(&making.indices).map(|(named, &at)| (at, named.term)).collect();
        let [solver, opaque] = [(); 2].map(|()| Solver::new(&abstraction.tuning.bounds));
        let before = State { entry, now };
        let atoms = before.entry.values().chain(before.now.values()).copied().collect();
        let here = StatementId::first(making.frame.id);
        let mut proof = Proof {
            abstraction: &mut abstraction,
            said,
            making,
            before,
            atoms,
            solver,
            opaque,
            here,
            proved: &mut proved,
        };
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
    /// A predicate, if it is tracked and a procedure sees it.
    fn seen(&self, procedure: ProcedureId, predicate: PredicateId) -> Option<usize> {
        self.tracked.iter().position(|one| one.id == predicate && one.scope.is_none_or(|scope| scope == procedure))
    }

    /// Global predicates, and those of a procedure that are about its entry, at its entry.
    fn at_entry(&mut self, making: &Making) -> HashMap<usize, Term> {
        let view = View { now: &making.frame.entry, entry: &making.frame.entry, result: None, frame: 0 };
        self.interface_in(making.frame.id, view)
    }

    fn interface_in(&mut self, procedure: ProcedureId, view: View<'_>) -> HashMap<usize, Term> {
        let entry = self.signatures[procedure.0 as usize].entry.clone();
        let globals = (0..self.tracked.len()).filter(|&at| self.tracked[at].scope.is_none());
        let all: Vec<usize> = entry.into_iter().chain(globals).collect();
        self.truths(&all, view)
    }

    fn truths(&mut self, all: &[usize], view: View<'_>) -> HashMap<usize, Term> {
        let expressions: Vec<_> = all.iter().map(|&at| (at, self.tracked[at].expression)).collect();
        let mut values = Values::new(&mut self.system.machine, view);
        expressions.into_iter().map(|(at, expression)| (at, values.truth(expression))).collect()
    }

    /// All predicates that a procedure sees, where it begins in this memory.
    fn beginning(&mut self, procedure: ProcedureId, memory: &Memory, frame: u8) -> State {
        let memory = self.system.begun(procedure, memory);
        let result = self.system.some_result(procedure);
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
        let memory = self.system.seen_at_return(callee, around);
        let exit = self.signatures[callee.0 as usize].exit.clone();
        let view = View { now: &memory, entry: &around.entered, result: around.result, frame: 1 };
        now.extend(self.truths(&exit, view));
        now
    }

    /// What is said, where predicates have these values. What is not a predicate there is arbitrary.
    fn meant(&mut self, procedure: ProcedureId, diagram: &Diagram<Atom>, state: &State) -> Term {
        let mut known: HashMap<Atom, Term> = HashMap::new();
        for decision in &diagram.decisions {
            if let Entry::Vacant(unknown) = known.entry(decision.test) {
                let values = if decision.test.entry { &state.entry } else { &state.now };
                let term = self.seen(procedure, decision.test.predicate).and_then(|at| values.get(&at).copied());
                unknown.insert(term.unwrap_or_else(|| self.system.machine.fresh(1)));
            }
        }
        condition(diagram, &mut self.system.machine.terms, |atom| known[atom])
    }

    /// The start of the program.
    fn start(&mut self, said: &Invariants) -> Proved {
        let main = self.system.machine.program.main;
        let mut proved = Proved::default();
        let Some(diagram) = said.before.get(&StatementId::first(main)) else { return proved };
        self.system.machine.renew();
        let (memory, start) = self.system.initial();
        let state = self.beginning(main, &memory, 0);
        let meant = self.meant(main, diagram, &state);
        let wrong = self.system.machine.terms.not(meant);
        let wrong = self.system.machine.zeroed(wrong, start);
        let mut solver = Solver::new(&self.tuning.bounds);
        self.impossible(&mut solver, vec![wrong], StatementId::first(main), &mut proved);
        proved
    }

    /// That these conditions are never true together.
    fn impossible(&mut self, solver: &mut Solver, mut all: Vec<Term>, at: StatementId, proved: &mut Proved) {
        proved.obligations += 1;
        let conjunction = self.system.machine.terms.all(&all);
        if self.system.machine.terms.as_constant(conjunction) == Some(0) {
            return;
        }
        all.extend(self.system.machine.axioms(&all.clone()));
        let list = match solver.check_combination(&mut self.system.machine.terms, &all) {
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
    /// The predicates then.
    atoms: HashSet<Term>,
    solver: Solver,
    /// Where predicates have no meaning.
    opaque: Solver,
    here: StatementId,
    proved: &'p mut Proved,
}

impl<'a> Proof<'_, 'a> {
    fn procedure(&mut self) {
        let (id, program) = (self.making.frame.id, self.abstraction.system.machine.program);
        let body = program.procedure(id).body.as_deref().unwrap_or_default();
        let all = match self.abstraction.tuning.edges {
            Edges::Statement => {
                (0..body.len() as u32).map(|at| Block { begins: Label(at), paths: Vec::new() }).collect()
            }
            Edges::Path | Edges::Loop => self.abstraction.chosen(&self.making),
        };
        for Block { begins, paths } in all {
            let Some(statement) = body.get(begins.0 as usize) else { continue };
            self.here = StatementId::of(id, begins);
            // What is said of other statements would only be in the way.
            [self.solver, self.opaque] = [(); 2].map(|()| Solver::new(&self.abstraction.tuning.bounds));
            let holds = match self.said.before.get(&self.here) {
                // Where no run comes there is nothing to prove.
                Some(diagram) if diagram.root == 0 => continue,
                Some(diagram) => self.abstraction.meant(id, diagram, &self.before),
                None => self.abstraction.system.machine.terms.truth(true),
            };
            match paths[..] {
                [] => self.statement(holds, &statement.kind),
                _ => paths.iter().for_each(|path| self.path(holds, path)),
            }
        }
    }

    fn path(&mut self, holds: Term, path: &Path) {
        let walked = self.abstraction.system.walked(&self.making.frame, path);
        let mut conditions = self.abstraction.restricting(&self.making, self.here.label, &walked);
        conditions.push(holds);
        let Walked { passed, after } = walked;
        for Passed { demands, condition, .. } in passed {
            conditions = self.passes(conditions, demands);
            conditions.extend(condition);
        }
        self.goes(conditions, &after, path.to);
    }

    fn statement(&mut self, holds: Term, kind: &'a StatementKind) {
        let Step { demands, control } = self.abstraction.system.step(&self.making.frame, self.here.label, kind);
        let context = self.passes(vec![holds], demands);
        match control {
            Control::Goes { after: None, to } => self.stays(context, to),
            Control::Goes { after: Some(after), to } => self.goes(context, &after, to),
            Control::Branches { truth, yes, no } => {
                let other = self.abstraction.system.machine.terms.not(truth);
                for (side, to) in [(truth, Some(yes)), (other, no)] {
                    to.into_iter().for_each(|to| self.stays([&context[..], &[side]].concat(), to));
                }
            }
            Control::Calls(Call { cases, actuals, arguments, to }, next) => {
                for Case { when, callee } in cases {
                    let conditions: Vec<Term> = context.iter().copied().chain(when).collect();
                    match callee {
                        Some(callee) => self.calls(conditions, to, (callee, &actuals), next),
                        None => self.leaves(conditions, to, arguments, next),
                    }
                }
            }
            Control::Returns { value, result } => self.returns(context, value, result),
            Control::Fails => self.never(context),
            Control::Ends | Control::Nowhere => {}
        }
    }

    fn never(&mut self, conditions: Vec<Term>) {
        if self.is_plain(&conditions) {
            self.proved.obligations += 1;
            return;
        }
        self.abstraction.impossible(&mut self.solver, conditions, self.here, self.proved);
    }

    /// Whether conditions are never true together, whatever most predicates are about: all that share no variable with what is asked besides
    /// them. Most statements change little of what is said, and that much is soon seen.
    fn is_plain(&mut self, conditions: &[Term]) -> bool {
        let machine = &mut self.abstraction.system.machine;
        let besides = machine.terms.postorder(conditions, |next| !self.atoms.contains(&next));
        let read = |&term: &Term| match *machine.terms.node(term) {
            Node::Variable(variable) => Some(variable),
            _ => None,
        };
        let touched: HashSet<u32> = besides.iter().filter_map(read).collect();
        let mut by = Replacement::default();
        for &atom in &self.atoms {
            let variables = machine.terms.variables_of(atom);
            if !variables.is_empty() && variables.iter().all(|variable| !touched.contains(variable)) {
                by.insert(atom, atom);
            }
        }
        if by.is_empty() {
            return false;
        }
        by.values_mut().for_each(|value| *value = machine.fresh(1));
        let mut opaque: Vec<Term> = conditions.iter().map(|&term| machine.terms.substitute(term, &mut by)).collect();
        opaque.extend(machine.axioms(&opaque.clone()));
        self.opaque.check_combination(&mut machine.terms, &opaque).is_unsat()
    }

    /// What is said before another statement holds where these conditions do.
    fn implies(&mut self, mut conditions: Vec<Term>, state: &State, to: Label) {
        let there = StatementId::of(self.making.frame.id, to);
        let Some(diagram) = self.said.before.get(&there) else { return };
        let meant = self.abstraction.meant(self.making.frame.id, diagram, state);
        conditions.push(self.abstraction.system.machine.terms.not(meant));
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
        let overflow = self.abstraction.system.overflow;
        let fails: Vec<Term> =
            demands.iter().filter(|demand| demand.kind.fails(overflow)).map(|demand| demand.term).collect();
        if !fails.is_empty() {
            let all = self.abstraction.system.machine.terms.all(&fails);
            let some_fails = self.abstraction.system.machine.terms.not(all);
            self.never([&conditions[..], &[some_fails]].concat());
        }
        conditions.extend(demands.into_iter().map(|demand| demand.term));
        conditions
    }

    /// What is said of the return holds once the result is known.
    fn returns(&mut self, mut context: Vec<Term>, value: Option<ExpressionId>, result: Option<Term>) {
        let Some(diagram) = self.said.returned.get(&self.here) else { return };
        let any = self.making.frame.result;
        self.making.frame.result = result.or(any);
        let after = self.abstraction.system.after_frame(&self.making.frame, value);
        let (after, result) = after.unwrap_or_else(|| (self.making.frame.now.clone(), self.making.frame.result));
        self.making.frame.result = result;
        let state = self.state(&after);
        let meant = self.abstraction.meant(self.making.frame.id, diagram, &state);
        context.push(self.abstraction.system.machine.terms.not(meant));
        self.never(context);
        self.making.frame.result = any;
    }

    /// A call of a procedure of which nothing is known.
    fn leaves(&mut self, conditions: Vec<Term>, to: Option<LvalueId>, arguments: &[ExpressionId], next: Label) {
        let (program, points_to) = (self.abstraction.system.machine.program, self.abstraction.system.machine.points_to);
        let written = points_to.exposed(program, arguments);
        if !points_to.called_back(program, &written).is_empty() {
            self.proved.outside.push(self.here);
            return;
        }
        let now = &self.making.frame.now;
        let after = self.abstraction.system.arbitrary(now, written.into_iter().collect());
        match to {
            None => self.goes(conditions, &after, next),
            Some(to) => {
                let (after, demands) = self.abstraction.system.assigned_to(&self.making.frame, &after, to, None);
                let context = self.passes(conditions, demands);
                self.goes(context, &after, next);
            }
        }
    }

    fn calls(
        &mut self,
        conditions: Vec<Term>,
        to: Option<LvalueId>,
        (callee, actuals): (ProcedureId, &[Term]),
        next: Label,
    ) {
        let program = self.abstraction.system.program();
        let around = self.abstraction.system.around(&self.making.frame, callee, actuals);
        let begins = self.abstraction.beginning(callee, &around.entered, 1);
        if let Some(diagram) = self.said.before.get(&StatementId::first(callee)) {
            let meant = self.abstraction.meant(callee, diagram, &begins);
            let wrong = self.abstraction.system.machine.terms.not(meant);
            self.never([&conditions[..], &[wrong]].concat());
        }
        let ends = State { entry: begins.entry, now: self.abstraction.at_return(callee, &around) };
        let mut ways = Vec::new();
        for (at, statement) in (0..).zip(program.procedure(callee).body.iter().flatten()) {
            let here = StatementId::of(callee, Label(at));
            let dead = self.said.before.get(&here).is_some_and(|diagram| diagram.root == 0);
            if matches!(statement.kind, StatementKind::Return(_)) && !dead {
                ways.push(match self.said.returned.get(&here) {
                    Some(diagram) => self.abstraction.meant(callee, diagram, &ends),
                    None => self.abstraction.system.machine.terms.truth(true),
                });
            }
        }
        let returned = self.abstraction.system.machine.terms.any(&ways);
        let after = self.abstraction.system.assigned(&self.making.frame, to, &around);
        self.goes([&conditions[..], &[returned]].concat(), &after, next);
    }
}
