//! Basic paths as relations: what the steps of a path between two cut points demand of the state at its beginning, and what variables are at
//! its two ends. Calls on it return, and what they may write is arbitrary afterwards; a path may also end in the procedure that its last
//! statement calls, or with a return.

use std::collections::BTreeSet;

use crate::analyses::Analyses;
use crate::analyses::modified::effects;
use crate::bitvec::{Replacement, Softened, Term, Terms, softened};
use crate::c::program::{Label, Overflow, ProcedureId, Program, Statement, StatementKind, VariableId};
use crate::points_to::{Location, Targets};

use super::call::{Call, Case};
use super::memory::Memory;
use super::step::{Control, Step};
use super::undefined::Undefined;
use super::{Frame, TransitionSystem};

/// The basic paths of a program.
pub struct Paths<'p> {
    program: &'p Program,
    overflow: Overflow,
    analyses: &'p Analyses,
    kept: Vec<VariableId>,
}

/// Where a basic path leads from its last statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Last {
    /// To a statement of the frame, before which it ends.
    Statement(Label),
    /// Into a procedure, in which it ends.
    Procedure(ProcedureId),
    /// Out of the frame.
    Return,
}

/// A call on a path, which returned.
#[derive(Clone, Debug)]
pub struct Passed {
    /// Of what.
    pub callee: ProcedureId,
    /// What it was given.
    pub arguments: Vec<Term>,
    /// What it returned, if that is a scalar.
    pub result: Option<Term>,
    /// What globals were before it and after it, of those that are asked for.
    pub kept: Vec<[Option<Term>; 2]>,
}

impl Passed {
    /// All values in it.
    fn values(&self) -> impl Iterator<Item = &Term> {
        self.arguments.iter().chain(&self.result).chain(self.kept.iter().flatten().flatten())
    }

    /// The same, to be replaced.
    fn values_mut(&mut self) -> impl Iterator<Item = &mut Term> {
        self.arguments.iter_mut().chain(&mut self.result).chain(self.kept.iter_mut().flatten().flatten())
    }
}

/// What a step on a path demands, or that it fails.
#[derive(Clone, Copy, Debug)]
pub struct Demanded {
    /// At which step of the path.
    pub step: usize,
    /// What is undefined otherwise; none where the program fails.
    pub kind: Option<Undefined>,
    /// That it is done: one bit.
    pub wrong: Term,
    /// How many of the conditions are those of the path up to there.
    pub before: usize,
}

/// A path as a relation.
#[derive(Clone)]
pub struct PathRelation {
    /// What the others are made of.
    pub terms: Terms,
    /// What has to hold.
    pub conditions: Vec<Term>,
    /// What its steps demand.
    pub demanded: Vec<Demanded>,
    /// What was replaced by values of which only little is known.
    pub softened: Vec<Softened>,
    /// What always holds of the values in them.
    pub facts: Vec<Term>,
    /// The calls on it.
    pub passed: Vec<Passed>,
    /// The variables that were asked for, at its beginning; none for those that are nowhere.
    pub before: Vec<Option<Term>>,
    /// Those of its end.
    pub after: Vec<Option<Term>>,
    /// What it returns.
    pub result: Option<Term>,
    next: u32,
}

impl PathRelation {
    /// Replaces what is hard to solve.
    fn soften(&mut self) {
        let calls = self.passed.iter().flat_map(Passed::values).chain(&self.facts);
        let numbers = self.before.iter().chain(&self.after).chain([&self.result]).flatten().chain(calls);
        let wrong = self.demanded.iter().map(|demanded| demanded.wrong);
        let roots: Vec<Term> = numbers.copied().chain(self.conditions.iter().copied()).chain(wrong).collect();
        let (mut by, mut next) = (Replacement::default(), self.next);
        let (softened, facts) = softened(&mut self.terms, &roots, &mut by, &mut |terms, width| {
            next += 1;
            terms.variable(next, width)
        });
        self.next = next;
        if softened.is_empty() {
            return;
        }
        let terms = &mut self.terms;
        let calls = self.passed.iter_mut().flat_map(Passed::values_mut).chain(&mut self.facts);
        let numbers = self.before.iter_mut().chain(&mut self.after).chain([&mut self.result]).flatten().chain(calls);
        let wrong = self.demanded.iter_mut().map(|demanded| &mut demanded.wrong);
        let all = numbers.chain(&mut self.conditions).chain(wrong);
        all.for_each(|term| *term = terms.substitute(*term, &mut by));
        self.facts.extend(facts);
        self.softened = softened;
    }

    /// A value of which nothing is known.
    pub fn fresh(&mut self, width: u8) -> Term {
        self.next += 1;
        self.terms.variable(self.next, width)
    }
}

impl<'p> Paths<'p> {
    /// Of a program and its analyses.
    pub fn of(program: &'p Program, overflow: Overflow, analyses: &'p Analyses) -> Paths<'p> {
        Paths { program, overflow, analyses, kept: Vec::new() }
    }

    /// The same where calls tell what these globals were before them and after them.
    pub fn keeping(self, kept: &[VariableId]) -> Paths<'p> {
        Paths { kept: kept.to_vec(), ..self }
    }

    /// Where the program begins, as a path without statements.
    pub fn initial(&self, variables: &[VariableId]) -> PathRelation {
        let mut system = TransitionSystem::of(self.program, self.analyses, self.overflow);
        let (memory, start) = system.initial();
        let memory = system.begun(self.program.main, &memory);
        let mut after = contents(&mut system, &memory, variables, 0);
        after.iter_mut().flatten().for_each(|term| *term = system.machine.zeroed(*term, start));
        relation(system, Walked::default(), (Vec::new(), after))
    }

    /// A path through a procedure, with these variables at its beginning and at its end. Linear in it but for what terms grow to.
    pub fn along(
        &self,
        (procedure, path): (ProcedureId, &[Label]),
        last: Last,
        (at_begin, at_end): (&[VariableId], &[VariableId]),
    ) -> PathRelation {
        let mut system = TransitionSystem::of(self.program, self.analyses, self.overflow);
        let frame = system.frame(procedure);
        let before = contents(&mut system, &frame.now, at_begin, 0);
        let mut walk = Walk { paths: self, system, frame, walked: Walked::default() };
        let body: &'p [Statement] = self.program.procedure(procedure).body.as_deref().unwrap_or_default();
        let mut called = 0;
        for (at, &label) in path.iter().enumerate() {
            let Some(statement) = body.get(label.0 as usize) else { break };
            let last = path.get(at + 1).map_or(last, |&next| Last::Statement(next));
            walk.step((at, label), &statement.kind, last);
            called = u8::from(matches!(last, Last::Procedure(_)));
        }
        let Walk { mut system, frame, walked, .. } = walk;
        let after = contents(&mut system, &frame.now, at_end, called);
        relation(system, walked, (before, after))
    }

    /// The procedures in which control may be before the next statement.
    pub fn calls(&self, kind: &StatementKind) -> BTreeSet<ProcedureId> {
        let mut all = self.analyses.points_to().called(self.program, kind);
        let mut open: Vec<ProcedureId> = all.iter().copied().collect();
        while let Some(procedure) = open.pop() {
            let callees = self.analyses.modified().calls[procedure.0 as usize].iter();
            open.extend(callees.map(|&callee| ProcedureId(callee as u32)).filter(|&callee| all.insert(callee)));
        }
        all
    }

    /// What may be written before the next statement.
    fn written(&self, kind: &StatementKind) -> Vec<Location> {
        let mut all = Targets::new();
        effects(self.program, self.analyses.points_to(), kind, &mut all);
        for callee in self.analyses.points_to().called(self.program, kind) {
            all.extend(&self.analyses.modified().written[callee.0 as usize]);
        }
        all.into_iter().collect()
    }

    /// Whether a statement may have a procedure called by somebody of whom nothing is known.
    fn may_be_called_back(&self, kind: &StatementKind, procedure: ProcedureId) -> bool {
        let points_to = self.analyses.points_to();
        let handed = points_to.handed(self.program, kind);
        handed.is_some_and(|to| points_to.called_back(self.program, &to).contains(&procedure))
    }
}

/// What a walk along a path collects.
#[derive(Default)]
struct Walked {
    conditions: Vec<Term>,
    demanded: Vec<Demanded>,
    passed: Vec<Passed>,
    result: Option<Term>,
}

struct Walk<'w, 'p> {
    paths: &'w Paths<'p>,
    system: TransitionSystem<'p>,
    frame: Frame,
    walked: Walked,
}

impl<'p> Walk<'_, 'p> {
    fn step(&mut self, (step, label): (usize, Label), kind: &'p StatementKind, last: Last) {
        let Step { demands, control } = self.system.step(&self.frame, label, kind);
        for demand in demands {
            self.wrong(step, Some(demand.kind), demand.term);
            self.walked.conditions.push(demand.term);
        }
        match control {
            Control::Goes { after, .. } => self.frame.now = after.unwrap_or_else(|| self.frame.now.clone()),
            Control::Branches { truth, yes, no } => {
                if no != Some(yes) {
                    let holds = last == Last::Statement(yes);
                    let demanded = if holds { truth } else { self.system.machine.terms.not(truth) };
                    self.walked.conditions.push(demanded);
                }
            }
            Control::Calls(call, _) => match last {
                Last::Procedure(callee) => self.enter(kind, &call, callee),
                Last::Statement(_) | Last::Return => self.pass(kind, call),
            },
            Control::Returns { result, .. } => self.walked.result = result,
            Control::Ends => {}
            Control::Fails => {
                let never = self.system.machine.terms.truth(false);
                self.wrong(step, None, never);
            }
            Control::Nowhere => self.walked.conditions.push(self.system.machine.terms.truth(false)),
        }
    }

    /// Something is wrong at a step if this does not hold.
    fn wrong(&mut self, step: usize, kind: Option<Undefined>, holds: Term) {
        let wrong = self.system.machine.terms.not(holds);
        if self.system.machine.terms.as_constant(wrong) != Some(0) {
            self.walked.demanded.push(Demanded { step, kind, wrong, before: self.walked.conditions.len() });
        }
    }

    /// Into a procedure: with what it is given, or, if somebody else may call it, with anything.
    fn enter(&mut self, kind: &StatementKind, call: &Call<'_>, callee: ProcedureId) {
        let entered = match call.cases.iter().find(|case| case.callee == Some(callee)) {
            Some(case) if !self.paths.may_be_called_back(kind, callee) => {
                self.walked.conditions.extend(case.when);
                self.system.around(&self.frame, callee, &call.actuals).entered
            }
            _ => {
                self.frame.now = self.system.arbitrary(&self.frame.now, self.paths.written(kind));
                let actuals = self.system.some_actuals(callee);
                self.system.around(&self.frame, callee, &actuals).entered
            }
        };
        self.frame.now = self.system.begun(callee, &entered);
    }

    /// Past a call that returns.
    fn pass(&mut self, kind: &StatementKind, call: Call<'_>) {
        if let [Case { when: None, callee: Some(callee) }] = call.cases[..] {
            let around = self.system.around(&self.frame, callee, &call.actuals);
            let before = contents(&mut self.system, &self.frame.now, &self.paths.kept, 0);
            let after = contents(&mut self.system, &around.returned, &self.paths.kept, 0);
            let kept = before.into_iter().zip(after).map(|(before, after)| [before, after]).collect();
            self.frame.now = self.system.assigned(&self.frame, call.to, &around);
            self.walked.passed.push(Passed { callee, arguments: call.actuals, result: around.result, kept });
            return;
        }
        self.frame.now = self.system.arbitrary(&self.frame.now, self.paths.written(kind));
    }
}

/// What variables hold that are scalars, of the frame that executes (0) or of the one that was called (1).
fn contents(
    system: &mut TransitionSystem<'_>,
    memory: &Memory,
    variables: &[VariableId],
    frame: u8,
) -> Vec<Option<Term>> {
    variables.iter().map(|&variable| system.machine.content(memory, variable, frame)).collect()
}

fn relation(
    mut system: TransitionSystem<'_>,
    Walked { conditions, demanded, passed, result }: Walked,
    (before, after): (Vec<Option<Term>>, Vec<Option<Term>>),
) -> PathRelation {
    let calls = passed.iter().flat_map(Passed::values);
    let numbers = before.iter().chain(&after).chain([&result]).flatten().chain(calls);
    let wrong = demanded.iter().map(|demanded| demanded.wrong);
    let roots: Vec<Term> = numbers.copied().chain(conditions.iter().copied()).chain(wrong).collect();
    let facts = system.machine.axioms(&roots);
    let (terms, next) = system.machine.into_terms();
    let softened = Vec::new();
    let mut relation =
        PathRelation { terms, conditions, demanded, softened, facts, passed, before, after, result, next };
    relation.soften();
    relation
}
