//! Weakest preconditions along a trace in which calls are what they did there: what a call returned is an expression of what it was given,
//! since a trace takes one path through it. Where nothing simpler shows that a trace is no run, this does: it is exact but for what pointers
//! write.

use std::collections::HashMap;

use crate::abstraction::predicate::{atoms, reads};
use crate::c::Program;
use crate::c::command::{Call, Command};
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueKind, Term};
use crate::c::program::StatementKind;
use crate::concretise::Taken;

use super::build::{Exchange, exchanged};
use super::transport::Local;
use super::weakest::{self, reads_lvalue, replaced};

/// The most operators of a condition, as it is written.
const OPERATORS: u64 = 120;

/// The conditions that some conditions of steps become on the way back, and what calls returned.
pub(super) fn inlined(program: &mut Program, steps: &[Taken], guards: &[(usize, ExpressionId)]) -> Vec<Local> {
    let mut trace = Trace { program, steps, first: HashMap::new(), results: HashMap::new(), found: Vec::new() };
    for (at, step) in steps.iter().enumerate() {
        trace.first.entry(step.frame).or_insert(at);
    }
    for at in 0..steps.len() {
        trace.returns(at);
    }
    for &(at, condition) in guards {
        for atom in atoms(trace.program, condition) {
            trace.carry(at, atom);
        }
    }
    trace.found
}

struct Trace<'t> {
    program: &'t mut Program,
    steps: &'t [Taken],
    /// The first step of each frame.
    first: HashMap<usize, usize>,
    /// What calls returned, of what was there when they began, by their steps.
    results: HashMap<usize, ExpressionId>,
    found: Vec<Local>,
}

impl Trace<'_> {
    fn kind(&self, at: usize) -> Option<StatementKind> {
        let step = self.steps.get(at)?;
        let body = self.program.procedure(step.procedure).body.as_ref()?;
        Some(body.get(step.label.0 as usize)?.kind.clone())
    }

    /// The call of a frame.
    fn call(&self, frame: usize) -> Option<usize> {
        let call = self.first.get(&frame)?.checked_sub(1)?;
        self.steps[call].callee.is_some().then_some(call)
    }

    /// If a call returns at a step: what, as a condition of what was there when it began.
    fn returns(&mut self, at: usize) -> Option<()> {
        let step = self.steps[at];
        let kind = self.kind(at)?;
        let Command::Returns(Some(value)) = kind.command(step.label) else { return None };
        let call = self.call(step.frame)?;
        if self.steps.get(at + 1)?.frame != self.steps[call].frame {
            return None;
        }
        let value = self.back(at, value, false)?;
        self.results.insert(call, value);
        let mut by = Exchange::default();
        for term in self.program.terms.postorder(Term::Expression(value)) {
            let Term::Lvalue(lvalue) = term else { continue };
            let LvalueKind::Variable(_) = self.program.terms.at(lvalue).kind else { return None };
            let before = ExpressionKind::Pre(lvalue);
            let ty = self.program.terms.at(lvalue).ty;
            by.reads.insert(lvalue, self.program.terms.expression(before, ty));
        }
        let before = exchanged(self.program, value, &by);
        let (ty, int) = (self.program.procedure(step.procedure).result, self.program.types.int());
        let result = self.program.terms.expression(ExpressionKind::Result, ty);
        let same = ExpressionKind::Binary(Binary::Equal, result, before);
        let same = self.program.terms.expression(same, int);
        self.found.push((step.procedure, same));
        Some(())
    }

    /// A condition at a step, back to where the program begins.
    fn carry(&mut self, at: usize, mut condition: ExpressionId) -> Option<()> {
        let mut from = at;
        loop {
            condition = self.back(from, condition, true)?;
            let frame = self.steps[from].frame;
            from = self.call(frame)?;
            condition = self.given(from, condition)?;
            self.found.push((self.steps[from].procedure, condition));
        }
    }

    /// What stands for it before a call, where it is about formals and globals.
    fn given(&mut self, call: usize, value: ExpressionId) -> Option<ExpressionId> {
        let kind = self.kind(call)?;
        let Command::Calls(Call { arguments, .. }, _) = kind.command(self.steps[call].label) else { return None };
        let formals = self.program.procedure(self.steps[call].callee?).formals.clone();
        let own = reads(self.program, value);
        if !own.now.iter().all(|&variable| self.program.is_global(variable) || formals.contains(&variable)) {
            return None;
        }
        let mut by = Exchange::default();
        for (&formal, &actual) in formals.iter().zip(arguments) {
            let ty = self.program.variable(formal).ty;
            by.reads.insert(self.program.terms.lvalue(LvalueKind::Variable(formal), ty), actual);
        }
        Some(exchanged(self.program, value, &by))
    }

    /// An expression before a step, as it is where the frame of the step begins; none if that is not known.
    fn back(&mut self, at: usize, value: ExpressionId, noted: bool) -> Option<ExpressionId> {
        let (frame, procedure) = (self.steps[at].frame, self.steps[at].procedure);
        let (mut value, mut end) = (value, at);
        for index in (*self.first.get(&frame)?..at).rev() {
            if self.steps[index].frame != frame {
                continue;
            }
            let within = index + 1..std::mem::replace(&mut end, index);
            let before = value;
            let kind = self.kind(index)?;
            let command = kind.command(self.steps[index].label);
            match command {
                Command::Calls(Call { to, .. }, _) if self.steps[index].callee.is_some() => {
                    if within.clone().any(|inner| self.writes(inner, value)) {
                        return None;
                    }
                    if let Some(to) = to.filter(|&to| reads_lvalue(self.program, value, to)) {
                        let result = *self.results.get(&index)?;
                        let result = self.given(index, result)?;
                        value = replaced(self.program, value, to, result);
                    }
                }
                command => value = weakest::before(self.program, command, value)?,
            }
            if self.operators(value) > OPERATORS {
                return None;
            }
            if noted && value != before {
                self.found.push((procedure, value));
            }
        }
        Some(value)
    }

    /// Whether a step inside a call gives something a value that an expression reads.
    fn writes(&self, at: usize, value: ExpressionId) -> bool {
        let target = self.kind(at).and_then(|kind| kind.target());
        target.is_some_and(|to| reads_lvalue(self.program, value, to))
    }

    /// How many operators and operands an expression has as it is written.
    fn operators(&self, value: ExpressionId) -> u64 {
        let mut sizes: HashMap<Term, u64> = HashMap::new();
        let terms = &self.program.terms;
        for term in terms.postorder(Term::Expression(value)) {
            let mut size = 1u64;
            terms.parts(term).for_each(|part| size = size.saturating_add(sizes.get(&part).copied().unwrap_or(0)));
            sizes.insert(term, size);
        }
        sizes.get(&Term::Expression(value)).copied().unwrap_or(0)
    }
}
