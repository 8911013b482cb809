//! A way through one frame, from any state: what its steps demand of it, and what variables are at its two ends. Calls on it return, and
//! what they may write is not known afterwards; a way may also end in the procedure that its last statement calls, or with a return.
//!
//! Unlike a trace this has to be true of each run that goes that way: of what cannot be said in terms nothing is known.

use std::collections::BTreeSet;

use crate::analyses::Analyses;
use crate::analyses::modified::effects;
use crate::bitvec::{Replacement, Softened, Term, Terms, softened};
use crate::c::Program;
use crate::c::expression::ExpressionId;
use crate::c::program::{Callee, Label, Overflow, ProcedureId, Statement, StatementKind, VariableId};
use crate::points_to::Targets;

use super::symbolic::{Symbolic, Value};

/// What is known of a program before its ways are looked at.
pub struct Segments<'p> {
    program: &'p Program,
    overflow: Overflow,
    /// What is known of it.
    pub analyses: &'p Analyses,
}

/// A call on the way, which returned.
#[derive(Clone, Debug)]
pub struct Passed {
    /// Of what.
    pub callee: ProcedureId,
    /// What it was given, where that is known numbers.
    pub arguments: Vec<Option<Term>>,
    /// What it returned, if that is a number and somebody wants it.
    pub result: Option<Term>,
}

/// A way as a relation.
#[derive(Clone)]
pub struct Segment {
    /// What the others are made of.
    pub terms: Terms,
    /// What has to hold.
    pub conditions: Vec<Term>,
    /// What was replaced by values of which only little is known.
    pub softened: Vec<Softened>,
    /// The calls on it.
    pub passed: Vec<Passed>,
    /// The variables that were asked for, at its beginning.
    pub before: Vec<Option<Term>>,
    /// Those of its end.
    pub after: Vec<Option<Term>>,
    /// What it returns.
    pub result: Option<Term>,
    next: u32,
}

impl Segment {
    /// Replaces what is hard to solve.
    fn soften(&mut self) {
        let calls = self.passed.iter().flat_map(|call| call.arguments.iter().chain([&call.result]));
        let numbers = self.before.iter().chain(&self.after).chain([&self.result]).chain(calls);
        let roots: Vec<Term> = numbers.copied().flatten().chain(self.conditions.iter().copied()).collect();
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
        let calls = self.passed.iter_mut().flat_map(|call| call.arguments.iter_mut().chain([&mut call.result]));
        let numbers = self.before.iter_mut().chain(&mut self.after).chain([&mut self.result]).chain(calls);
        numbers.flatten().chain(&mut self.conditions).for_each(|term| *term = terms.substitute(*term, &mut by));
        self.conditions.extend(facts);
        self.softened = softened;
    }

    /// A value of which nothing is known.
    pub fn fresh(&mut self, width: u8) -> Term {
        self.next += 1;
        self.terms.variable(self.next, width)
    }
}

impl<'p> Segments<'p> {
    /// Of a program and its analyses.
    pub fn of(program: &'p Program, overflow: Overflow, analyses: &'p Analyses) -> Segments<'p> {
        Segments { program, overflow, analyses }
    }

    /// Where the program begins, as a way without statements.
    pub fn initial(&self, variables: &[VariableId]) -> Segment {
        let mut symbolic = Symbolic::new(self.program, self.overflow).unwrap_or_else(|_| {
            let first = (self.program.main, Label(0));
            Symbolic::anywhere(self.program, self.overflow, first)
        });
        symbolic.strict = true;
        let after = numbers(&mut symbolic, variables);
        segment(symbolic, (Vec::new(), after), Vec::new(), None)
    }

    /// A way through a procedure that ends before the statement `to`, with these variables at its beginning and at its end; without
    /// `to` it ends with a return, or in `callee`, which its last statement calls.
    pub fn along(
        &self,
        (procedure, path): (ProcedureId, &[Label]),
        to: Option<Label>,
        callee: Option<ProcedureId>,
        (at_begin, at_end): (&[VariableId], &[VariableId]),
    ) -> Segment {
        let first = path.first().copied().or(to).unwrap_or(Label(0));
        let mut symbolic = Symbolic::anywhere(self.program, self.overflow, (procedure, first));
        symbolic.strict = true;
        let before = numbers(&mut symbolic, at_begin);
        let (mut passed, mut result) = (Vec::new(), None);
        let body: &[Statement] = self.program.procedure(procedure).body.as_deref().unwrap_or_default();
        for (at, &label) in path.iter().enumerate() {
            let Some(statement) = body.get(label.0 as usize) else { break };
            let next = path.get(at + 1).copied().or(to);
            match (&statement.kind, next) {
                (StatementKind::Return(Some(value)), None) => {
                    if let Ok(Value::Number(term)) = symbolic.value(*value) {
                        result = Some(term);
                    }
                }
                (kind, None) => {
                    if let Some(callee) = callee {
                        symbolic.enter_with(callee, self.arguments(kind, callee));
                    }
                }
                (kind, Some(next)) => {
                    self.step(&mut symbolic, kind, next, &mut passed);
                    symbolic.go(next);
                }
            }
        }
        let after = numbers(&mut symbolic, at_end);
        segment(symbolic, (before, after), passed, result)
    }

    fn step(&self, symbolic: &mut Symbolic<'_>, kind: &StatementKind, next: Label, passed: &mut Vec<Passed>) {
        match kind {
            StatementKind::Branch(condition, yes, no) => {
                if let (Ok(truth), true) = (symbolic.truth(*condition), yes != no) {
                    let demanded = if next == *yes { truth } else { symbolic.terms.not(truth) };
                    symbolic.conditions.push(demanded);
                }
            }
            StatementKind::Call(..) | StatementKind::External(..) => self.pass(symbolic, kind, passed),
            StatementKind::Goto(_) | StatementKind::Return(_) | StatementKind::Fail(_) | StatementKind::Exit(_) => {}
            other => {
                if symbolic.execute(other).is_err() {
                    symbolic.forget(self.analyses.points_to(), &self.effects(other));
                }
            }
        }
    }

    /// The procedures in which control may be before the next statement.
    pub fn calls(&self, kind: &StatementKind) -> BTreeSet<ProcedureId> {
        let mut all = self.analyses.points_to().called(self.program, kind);
        let mut open: Vec<ProcedureId> = all.iter().copied().collect();
        while let Some(procedure) = open.pop() {
            let callees =
                self.analyses.modified().calls[procedure.0 as usize].iter().map(|&callee| ProcedureId(callee as u32));
            open.extend(callees.filter(|&callee| all.insert(callee)));
        }
        all
    }

    /// What a statement gives to a procedure that it calls, unless that may be called back with something else.
    fn arguments<'s>(&self, kind: &'s StatementKind, procedure: ProcedureId) -> &'s [ExpressionId] {
        let StatementKind::Call(_, callee, given) = kind else { return &[] };
        let handed = self.analyses.points_to().handed(self.program, kind);
        let back =
            handed.is_some_and(|to| self.analyses.points_to().called_back(self.program, &to).contains(&procedure));
        let itself = self.analyses.points_to().callees(self.program, *callee).contains(&procedure);
        if itself && !back { given } else { &[] }
    }

    /// What a statement may write, or hands to others that may.
    fn effects(&self, kind: &StatementKind) -> Targets {
        let mut own = Targets::new();
        effects(self.program, self.analyses.points_to(), kind, &mut own);
        own
    }

    /// A call that returns.
    fn pass(&self, symbolic: &mut Symbolic<'_>, kind: &StatementKind, passed: &mut Vec<Passed>) {
        let (to, given): (_, &[_]) = match kind {
            StatementKind::Call(to, _, given) | StatementKind::External(to, _, given, _) => (*to, given),
            _ => return,
        };
        let number = |&argument: &_| match symbolic.value(argument) {
            Ok(Value::Number(term)) => Some(term),
            _ => None,
        };
        let arguments: Vec<Option<Term>> = given.iter().map(number).collect();
        symbolic.forget(self.analyses.points_to(), &self.effects(kind));
        for callee in self.analyses.points_to().called(self.program, kind) {
            symbolic.forget(self.analyses.points_to(), &self.analyses.modified().written[callee.0 as usize]);
        }
        let result = to.and_then(|to| symbolic.forget_value(to));
        if let StatementKind::Call(_, Callee::Procedure(callee), _) = kind {
            passed.push(Passed { callee: *callee, arguments, result });
        }
    }
}

fn numbers(symbolic: &mut Symbolic<'_>, variables: &[VariableId]) -> Vec<Option<Term>> {
    variables.iter().map(|&id| symbolic.number(id)).collect()
}

fn segment(
    mut symbolic: Symbolic<'_>,
    (before, after): (Vec<Option<Term>>, Vec<Option<Term>>),
    passed: Vec<Passed>,
    result: Option<Term>,
) -> Segment {
    let next = symbolic.last_variable();
    let terms = std::mem::take(&mut symbolic.terms);
    let conditions = std::mem::take(&mut symbolic.conditions);
    let mut segment = Segment { terms, conditions, softened: Vec::new(), passed, before, after, result, next };
    segment.soften();
    segment
}
